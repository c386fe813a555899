//! Scalar layer blending: the specification. See the [module](super) for the formulas.

use super::{BlendMode, ChannelSet, LayerOperation, PoseLayer, shared_weight};
use crate::blend::slerp::slerp;
use crate::math::{Transform, quat_inverse, quat_mul, quat_slerp};
use crate::pose::Pose;
use crate::skeleton::JointIndex;
use glam::{Quat, Vec3};

/// The layer of one joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointLayer {
    /// The sampled transform; channels that are not animated are not read.
    pub(crate) sample: Transform,
    /// The base of the differences of an additive layer; `None` for an interpolated one.
    pub(crate) base: Option<Transform>,
    /// The weight of the layer times that of the mask.
    pub(crate) weight: f32,
    /// The weights of position, rotation and scale tracks; `None` for channels that are not animated.
    pub(crate) tracks: [Option<f32>; 3],
    /// If the layer shares its level, the shares of the layers above it.
    pub(crate) above: Option<[f64; 3]>,
}

impl JointLayer {
    /// Returns the operation on a channel and its weight; `None` if it does nothing.
    #[inline]
    fn operation(&self, channel: usize, has_value: bool) -> Option<(LayerOperation, f32)> {
        let share = self.weight * self.tracks[channel]?;
        let above = self.above.map_or(0.0, |above| above[channel]);
        let weight = shared_weight(share, above);
        let mode = match self.base {
            None => BlendMode::Lerp,
            Some(_) => BlendMode::Additive,
        };
        Some((mode.operation(has_value, weight)?, weight))
    }
}

/// Blends a layer over a joint. `has_value` are the channels that have a value. Returns the weights applied, 1 for a
/// replaced value; `None` for channels that the layer did not change.
#[inline]
pub(crate) fn overlay_joint(
    layer: &JointLayer,
    value: &mut Transform,
    has_value: &mut [bool; 3],
) -> [Option<f32>; 3] {
    let base = layer.base.unwrap_or(Transform::IDENTITY);
    let mut counted = [None; 3];
    for (channel, counted) in counted.iter_mut().enumerate() {
        let Some((operation, weight)) = layer.operation(channel, has_value[channel]) else {
            continue;
        };
        has_value[channel] = true;
        *counted = Some(match operation {
            LayerOperation::Replace => 1.0,
            LayerOperation::Lerp | LayerOperation::Add => weight,
        });
        let sample = &layer.sample;
        match channel {
            0 => {
                let vectors = [value.position, sample.position, base.position];
                value.position = overlay_vector(operation, vectors, weight);
            }
            1 => {
                let rotations = [value.rotation, sample.rotation, base.rotation];
                value.rotation = overlay_rotation(operation, rotations, weight);
            }
            _ => {
                let vectors = [value.scale, sample.scale, base.scale];
                value.scale = overlay_vector(operation, vectors, weight);
            }
        }
    }
    counted
}

#[inline]
fn overlay_vector(
    operation: LayerOperation,
    [value, sample, base]: [Vec3; 3],
    weight: f32,
) -> Vec3 {
    match operation {
        LayerOperation::Replace => sample,
        LayerOperation::Lerp => value * (1.0 - weight) + sample * weight,
        LayerOperation::Add => value + (sample - base) * weight,
    }
}

#[inline]
pub(super) fn overlay_rotation(
    operation: LayerOperation,
    [value, sample, base]: [Quat; 3],
    weight: f32,
) -> Quat {
    match operation {
        LayerOperation::Replace => sample,
        LayerOperation::Lerp => slerp(value, sample, weight),
        LayerOperation::Add => {
            let difference = quat_mul(sample, quat_inverse(base));
            // Tracks may have weights above 1, for which the series of `slerp` does not converge.
            let turn = match weight > 1.0 {
                true => quat_slerp(Quat::IDENTITY, difference, weight),
                false => slerp(Quat::IDENTITY, difference, weight),
            };
            quat_mul(turn, value)
        }
    }
}

/// Blends a layer over a pose.
pub(super) fn overlay(layer: &PoseLayer<'_>, has_value: &mut ChannelSet, pose: &mut Pose) {
    for joint in (0..pose.len()).map(JointIndex::from) {
        if let Some(layer) = layer.joint(joint) {
            let (mut value, mut channels) = (pose.get(joint), has_value.get(joint));
            overlay_joint(&layer, &mut value, &mut channels);
            pose.set(joint, value);
            has_value.insert(joint, channels);
        }
    }
}
