//! Layers: one pose blended over another, with the same rules for every joint and channel.
//!
//! [`blend`](super::blend) is the weighted mean of poses that are all known. A layer is blended over the result of
//! the layers below it, as in controllers and animation graphs: the accumulated pose is read, changed and written,
//! and a set of flags stores which channels have a value.
//!
//! For each animated channel of a joint, with the weight `w` of the layer, `m` of the mask and `c` of the
//! track:
//!
//! ```text
//! share  s = (w · m) · c                                       nothing happens where m = 0
//! weight q = s                                                 or, if the layer shares its level with others,
//!        q = min(s / (1 - above), 1), 0 if 1 - above <= 1e-6   above: the sum of the shares still to be laid over it
//!
//! lerp      no value yet, or q >= 1 - 1e-6    value = sample
//!           otherwise                         value = value (1 - q) + sample q, rotations by slerp
//! additive  no value yet                      nothing
//!           otherwise                         value = value + (sample - base) q,
//!                                             rotations: slerp(identity, sample · base⁻¹, q) · value
//! ```
//!
//! Applied in order with these `q`, every layer of a level contributes its share, and the levels below contribute
//! what the shares lack of 1: the contribution of a layer is `q` times `1 - q'` of all above it, and with
//! `q = s / (1 - above)` that product telescopes to `s`.
//!
//! [`reference`] does this for one joint and is the specification; scene bindings and explanations use it directly.
//! [`kernel`] is the same with eight lanes, bit-identical. A block costs about 100 vector operations for rotations
//! (75 of them slerp), 20 for animated positions or scales, and none for other channels.

mod kernel;
mod reference;

pub(crate) use reference::{JointLayer, overlay_joint};

use super::JointWeights;
use crate::pose::Pose;
use crate::simd::{self, LANES, SimdLevel};
use crate::skeleton::JointIndex;
use alloc::vec::Vec;

/// Weights from 1 minus this replace the value; a remainder `1 - above` up to this gives weight 0.
const EPSILON: f32 = 1e-6;

/// The operation of an animation on the result of the preceding ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BlendMode {
    /// Interpolates from the accumulated value; at weight 1 it replaces it. The first animation applies in full.
    #[default]
    Lerp,
    /// Adds the difference from the first key of each track to the sample. The first animation is not applied.
    Additive,
}

/// The operation of a layer on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerOperation {
    /// Replaces the value by the sample.
    Replace,
    /// Interpolates from the value to the sample.
    Lerp,
    /// Adds the difference from the base to the sample.
    Add,
}

impl BlendMode {
    /// Returns the operation of a layer of this mode on a value; `None` if it does nothing. `has_value`: a layer
    /// below gave a value.
    #[inline]
    pub(crate) fn operation(self, has_value: bool, weight: f32) -> Option<LayerOperation> {
        match self {
            Self::Lerp if !has_value || is_full(weight) => Some(LayerOperation::Replace),
            Self::Lerp => Some(LayerOperation::Lerp),
            Self::Additive => has_value.then_some(LayerOperation::Add),
        }
    }
}

/// Returns whether a weight replaces the value.
#[inline]
pub(crate) fn is_full(weight: f32) -> bool {
    weight >= 1.0 - EPSILON
}

/// Returns the weight of a layer of share `share` below others of its level whose shares sum to `above`; see the
/// [module](self).
#[inline]
pub(crate) fn shared_weight(share: f32, above: f64) -> f32 {
    // The common case, and exact.
    if above == 0.0 {
        return share;
    }
    let left = 1.0 - above;
    if left <= f64::from(EPSILON) {
        return 0.0;
    }
    (f64::from(share) / left).min(1.0) as f32
}

/// A set of channels of joints: per block of eight joints a byte for each of position, rotation and scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet(Vec<[u8; 3]>);

impl ChannelSet {
    /// Creates an empty set for `joint_count` joints.
    pub fn new(joint_count: usize) -> Self {
        Self(alloc::vec![[0; 3]; joint_count.div_ceil(LANES)])
    }

    /// Adds or removes all channels.
    pub fn fill(&mut self, all: bool) {
        self.0.fill([if all { u8::MAX } else { 0 }; 3]);
    }

    /// Returns the channels of a joint in the set; none out of range.
    #[inline]
    pub fn get(&self, joint: JointIndex) -> [bool; 3] {
        let (block, lane) = (joint.index() / LANES, joint.index() % LANES);
        let bytes = self.0.get(block).copied().unwrap_or_default();
        bytes.map(|byte| byte & (1 << lane) != 0)
    }

    /// Adds channels of a joint; ignored out of range.
    #[inline]
    pub fn insert(&mut self, joint: JointIndex, channels: [bool; 3]) {
        let (block, lane) = (joint.index() / LANES, joint.index() % LANES);
        if let Some(block) = self.0.get_mut(block) {
            for (byte, contains) in block.iter_mut().zip(channels) {
                *byte |= u8::from(contains) << lane;
            }
        }
    }
}

/// The animated channels of a skeleton, and the weights of their tracks.
#[derive(Clone, Debug, Default)]
pub struct LayerChannels {
    animated: ChannelSet,
    /// Weights of positions, rotations and scales, per block of eight joints; 0 if not animated.
    weights: Vec<[[f32; LANES]; 3]>,
    /// Whether a weight is not 1.
    has_weights: bool,
}

impl LayerChannels {
    /// Creates an empty set for `joint_count` joints.
    pub fn new(joint_count: usize) -> Self {
        Self {
            animated: ChannelSet::new(joint_count),
            weights: alloc::vec![[[0.0; LANES]; 3]; joint_count.div_ceil(LANES)],
            has_weights: false,
        }
    }

    /// Adds the channels of a joint with the weights of its tracks, `None` for channels that are not animated.
    /// Ignored out of range.
    pub fn insert(&mut self, joint: JointIndex, weights: [Option<f32>; 3]) {
        let channels = weights.map(|weight| weight.is_some());
        self.animated.insert(joint, channels);
        if let Some(block) = self.weights.get_mut(joint.index() / LANES) {
            for (row, weight) in block.iter_mut().zip(weights) {
                if let Some(weight) = weight {
                    row[joint.index() % LANES] = weight;
                    self.has_weights |= weight != 1.0;
                }
            }
        }
    }

    /// Returns the weights of a joint's tracks; `None` for channels that are not animated.
    fn weights(&self, joint: JointIndex) -> [Option<f32>; 3] {
        let animated = self.animated.get(joint);
        let block = self.weights.get(joint.index() / LANES);
        core::array::from_fn(|channel| {
            let weight = block.map(|block| block[channel][joint.index() % LANES]);
            weight.filter(|_| animated[channel])
        })
    }
}

/// For each joint and channel the sum of the shares of the remaining layers of a level. In `f64`, in which sums of a
/// few weights are exact, so subtracting what was added leaves zero.
#[derive(Clone, Debug, Default)]
pub struct LayerShares(Vec<[[f64; LANES]; 3]>);

impl LayerShares {
    /// Creates zero shares for `joint_count` joints.
    pub fn new(joint_count: usize) -> Self {
        Self(alloc::vec![[[0.0; LANES]; 3]; joint_count.div_ceil(LANES)])
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill([[0.0; LANES]; 3]);
    }

    /// Adds the shares of a layer.
    pub fn add(&mut self, layer: &LayerWeights<'_>) {
        self.sum(layer, 1.0);
    }

    /// Subtracts the shares of a layer.
    pub fn subtract(&mut self, layer: &LayerWeights<'_>) {
        self.sum(layer, -1.0);
    }

    fn sum(&mut self, layer: &LayerWeights<'_>, sign: f64) {
        simd::dispatch!(
            SimdLevel::best(),
            off => sum_shares(&mut self.0, layer, sign),
            // Compiled once per level; the level itself is not used.
            _simd => sum_shares(&mut self.0, layer, sign)
        );
    }

    /// Returns the sums of a joint; 0 out of range.
    pub fn get(&self, joint: JointIndex) -> [f64; 3] {
        let block = self.0.get(joint.index() / LANES);
        block.map_or([0.0; 3], |block| {
            block.map(|sums| sums[joint.index() % LANES])
        })
    }
}

/// Adds the shares of a layer times `sign`, which is 1 or -1. Plain loops over lanes, which compilers vectorize at
/// any SIMD level with the same bits.
#[inline(always)]
fn sum_shares(sums: &mut [[[f64; LANES]; 3]], layer: &LayerWeights<'_>, sign: f64) {
    let LayerChannels {
        animated, weights, ..
    } = layer.channels;
    let blocks = sums.iter_mut().zip(&animated.0).zip(weights);
    for (index, ((sums, animated), tracks)) in blocks.enumerate() {
        let joints = layer.joints.and_then(|joints| joints.blocks().get(index));
        let mut weights = [layer.weight; LANES];
        if let Some(joints) = joints {
            for (weight, joint) in weights.iter_mut().zip(joints) {
                *weight *= joint;
            }
        }
        for ((sums, animated), tracks) in sums.iter_mut().zip(animated).zip(tracks) {
            if *animated == 0 {
                continue;
            }
            for ((sum, weight), track) in sums.iter_mut().zip(&weights).zip(tracks) {
                *sum += sign * f64::from(weight * track);
            }
        }
    }
}

/// The weights of a layer by joint and channel.
#[derive(Clone, Copy, Debug)]
pub struct LayerWeights<'a> {
    /// The weight of the layer, 0 to 1.
    pub weight: f32,
    /// The mask or start bone; all joints if `None`.
    pub joints: Option<&'a JointWeights>,
    /// The animated channels.
    pub channels: &'a LayerChannels,
}

/// A pose that is blended over another. All parts are of one skeleton.
#[derive(Clone, Copy, Debug)]
pub struct PoseLayer<'a> {
    /// The sampled pose; channels that the layer does not animate are not read.
    pub sample: &'a Pose,
    /// The base of the differences of an additive layer; `None` for an interpolated one.
    pub base: Option<&'a Pose>,
    /// Its weights.
    pub weights: LayerWeights<'a>,
    /// If the layer shares its level, the shares of the layers above it.
    pub above: Option<&'a LayerShares>,
}

impl PoseLayer<'_> {
    /// Returns the layer of one joint; `None` if the mask excludes it.
    pub(crate) fn joint(&self, joint: JointIndex) -> Option<JointLayer> {
        let joints = self.weights.joints;
        let mask = joints.map_or(1.0, |joints| joints.get(joint));
        (mask > 0.0).then(|| JointLayer {
            sample: self.sample.get(joint),
            base: self.base.map(|base| base.get(joint)),
            weight: self.weights.weight * mask,
            tracks: self.weights.channels.weights(joint),
            above: self.above.map(|above| above.get(joint)),
        })
    }
}

/// Blends a layer over a pose of the same skeleton. `has_value` are the channels that have a value; those that this
/// layer gives are added. Does not allocate.
pub(crate) fn overlay(layer: &PoseLayer<'_>, has_value: &mut ChannelSet, pose: &mut Pose) {
    overlay_with(SimdLevel::best(), layer, has_value, pose);
}

/// As `overlay`, with an explicit SIMD level.
pub fn overlay_with(
    level: SimdLevel,
    layer: &PoseLayer<'_>,
    has_value: &mut ChannelSet,
    pose: &mut Pose,
) {
    simd::dispatch!(
        level,
        off => reference::overlay(layer, has_value, pose),
        simd => kernel::overlay(simd, layer, &mut has_value.0, pose.blocks_mut())
    );
}
