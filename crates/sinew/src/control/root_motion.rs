//! Root motion: the motion of a character over the ground, as a step per update.
//!
//! The clip's [`RootTrajectory`] gives the place of the character at a time of the clip. A step is the displacement
//! between two places, relative to the first; it does not depend on where in the world an animation was recorded, nor
//! on the position in its loop. Steps of concurrent animations are blended in the order and with the weights of their
//! poses; places are not. The pose keeps the motion of the root joint relative to the trajectory.

use super::clip::ClipTrack;
use super::trajectory::{RootTrajectory, between, vertical};
use super::{BlendMode, ScalarRange};
use crate::animation::{Channel, ChannelValue, TransformTrack};
use crate::blend::{LayerOperation, shared_weight};
use crate::math::GroundTransform;
use crate::math::{Transform, quat_mul, quat_normalize};
use crate::sample::SampleTime;
use alloc::sync::Arc;
use glam::{Quat, Vec3};

/// The root motion of one clip, for removal from its root joint.
#[derive(Clone, Debug)]
pub(super) struct ClipMotion {
    trajectory: Arc<RootTrajectory>,
    /// Added to the headings of the trajectory, so that the mean pose of the clip faces like the rest pose.
    facing: f64,
    /// Whether the clip animates the root's rotation; otherwise no heading is removed.
    turns: bool,
}

impl ClipMotion {
    /// Creates the root motion of a clip. `rest` is the rest rotation of the root joint.
    pub(super) fn new(trajectory: Arc<RootTrajectory>, rest: Quat, turns: bool) -> Self {
        Self {
            facing: if turns { trajectory.facing(rest) } else { 0.0 },
            trajectory,
            turns,
        }
    }

    /// Returns a place of the trajectory with the heading relative to the rest pose.
    fn facing(&self, place: GroundTransform) -> GroundTransform {
        GroundTransform {
            angle: if self.turns {
                place.angle + self.facing
            } else {
                0.0
            },
            ..place
        }
    }

    /// Makes the root joint of a sampled pose relative to the trajectory. `track` is the track of the root, `keys` its
    /// keyframed track if any.
    pub(super) fn subtract<'a>(
        &self,
        time: &SampleTime<'a>,
        track: &ClipTrack,
        keys: Option<&'a TransformTrack>,
        root: &mut Transform,
    ) {
        let place = |time: f32| self.facing(self.trajectory.in_keys(time));
        let frames = RootFrames {
            now: GroundFrame::new(&place(time.wrapped_seconds())),
            first: place(0.0),
        };
        if track.channels.position {
            let channel = keys.and_then(|keys| keys.position.as_ref());
            root.position = frames.relative(time, channel, root.position, GroundFrame::position);
        }
        if track.channels.rotation {
            let channel = keys.and_then(|keys| keys.rotation.as_ref());
            root.rotation = frames.relative(time, channel, root.rotation, GroundFrame::rotation);
        }
    }

    /// Does the same for the first pose, the reference of additive layers.
    pub(super) fn subtract_first(&self, root: &mut Transform) {
        let frame = GroundFrame::new(&self.facing(self.trajectory.in_keys(0.0)));
        root.position = frame.position(root.position);
        root.rotation = frame.rotation(root.rotation);
    }

    /// Converts a time step to a step over the ground.
    pub(super) fn step(&self, range: &ScalarRange) -> GroundTransform {
        step(range, |time| self.facing(self.trajectory.at(time)))
    }
}

/// A frame on the ground that transforms can be made relative to.
#[derive(Clone, Copy)]
struct GroundFrame {
    inverse: GroundTransform,
    turn: Quat,
    sine_cosine: [f64; 2],
}

impl GroundFrame {
    fn new(place: &GroundTransform) -> Self {
        let inverse = place.inverse();
        Self {
            inverse,
            turn: vertical(inverse.angle),
            sine_cosine: [libm::sin(inverse.angle), libm::cos(inverse.angle)],
        }
    }

    /// Returns a position relative to the frame. In double precision: characters move far from the origin of a clip.
    fn position(&self, position: Vec3) -> Vec3 {
        let [sine, cosine] = self.sine_cosine;
        let (x, z) = (f64::from(position.x), f64::from(position.z));
        Vec3::new(
            (x * cosine + z * sine + self.inverse.x) as f32,
            position.y,
            (z * cosine - x * sine + self.inverse.z) as f32,
        )
    }

    fn rotation(&self, rotation: Quat) -> Quat {
        quat_normalize(quat_mul(self.turn, rotation))
    }
}

/// The frame of a time, and the place at time 0.
struct RootFrames {
    now: GroundFrame,
    first: GroundTransform,
}

impl RootFrames {
    /// Returns a value of the root relative to the frame of its time. Between the last key of a loop and the first,
    /// the trajectory continues to the end while keys interpolate back to the start. There both keys are made relative
    /// to their own frames before they are interpolated.
    fn relative<'a, T: ChannelValue>(
        &self,
        time: &SampleTime<'a>,
        channel: Option<&'a Channel<T>>,
        value: T,
        into: impl Fn(&GroundFrame, T) -> T,
    ) -> T {
        if let Some(channel) = channel {
            let segment = time.locate(channel.times());
            if segment.to < segment.from {
                let [from, to] = [segment.from, segment.to].map(|key| channel.values()[key]);
                let (from, to) = (
                    into(&self.now, from),
                    into(&GroundFrame::new(&self.first), to),
                );
                return T::mix(from, to, segment.ratio);
            }
        }
        into(&self.now, value)
    }
}

/// The root step of an animation in an update.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootStep {
    /// The sort key for blending: the layer, then the order within it.
    pub(super) order: (u32, u32),
    pub(super) mode: BlendMode,
    /// The weights of position and rotation; `None` if not animated.
    pub(super) weights: [Option<f32>; 2],
    /// Whether the weights are shares of the layer.
    pub(super) shares: bool,
    pub(super) step: GroundTransform,
}

/// Converts a time step to a step over the ground. `place` returns the place of the root at a time. Headings do not
/// wrap, so a turn of any size keeps its direction and amount.
fn step(range: &ScalarRange, mut place: impl FnMut(f32) -> GroundTransform) -> GroundTransform {
    let (low, high) = (range.min, range.max);
    let (begin, end) = (range.begin.clamp(low, high), range.end.clamp(low, high));
    let (from, to) = (place(begin), place(end));
    // A bounce at an end cancels out: only the begin and end times count.
    if range.wraps == 0 {
        return between(&from, &to);
    }
    let (low, high) = (place(low), place(high));
    let (last, first) = if range.wraps > 0 {
        (high, low)
    } else {
        (low, high)
    };
    let rounds = range.wraps.unsigned_abs() - 1;
    let out = between(&from, &last);
    let round = repeat(between(&first, &last), rounds);
    let home = between(&first, &to);
    home.then(&round).then(&out)
}

/// Returns a step repeated `times` times, by repeated squaring.
fn repeat(step: GroundTransform, mut times: u32) -> GroundTransform {
    let (mut total, mut power) = (GroundTransform::IDENTITY, step);
    while times > 0 {
        if times & 1 != 0 {
            total = power.then(&total);
        }
        power = power.then(&power);
        times >>= 1;
    }
    total
}

/// Blends steps in their order by the rules of poses. If `has_base`, they are blended over a character without motion;
/// otherwise the first one has full weight.
pub(super) fn blend_steps(steps: &mut [RootStep], has_base: bool) -> GroundTransform {
    steps.sort_unstable_by_key(|root_step| root_step.order);
    mix_shares(steps);
    let mut total = GroundTransform::IDENTITY;
    let mut has_base_field = [has_base; 2];
    for root_step in steps.iter() {
        let [position, rotation] = root_step.weights;
        let apply = |values: &mut [f64], by: &[f64], weight: f32, has_base_field: &mut bool| {
            let Some(operation) = root_step.mode.operation(*has_base_field, weight) else {
                return;
            };
            *has_base_field = true;
            let weight = f64::from(weight);
            for (value, by) in values.iter_mut().zip(by) {
                *value = match operation {
                    LayerOperation::Replace => *by,
                    LayerOperation::Lerp => *value * (1.0 - weight) + by * weight,
                    LayerOperation::Add => *value + by * weight,
                };
            }
        };
        if let Some(weight) = position {
            let mut place = [total.x, total.z];
            apply(
                &mut place,
                &[root_step.step.x, root_step.step.z],
                weight,
                &mut has_base_field[0],
            );
            [total.x, total.z] = place;
        }
        if let Some(weight) = rotation {
            let mut angle = [total.angle];
            apply(
                &mut angle,
                &[root_step.step.angle],
                weight,
                &mut has_base_field[1],
            );
            [total.angle] = angle;
        }
    }
    total
}

/// Converts shares to weights, from the last step to the first, with a running sum of the shares above in the layer.
fn mix_shares(steps: &mut [RootStep]) {
    let (mut layer, mut above) = (None, [0.0_f64; 2]);
    for root_step in steps.iter_mut().rev().filter(|root_step| root_step.shares) {
        if layer != Some(root_step.order.0) {
            (layer, above) = (Some(root_step.order.0), [0.0; 2]);
        }
        for (weight, above) in root_step.weights.iter_mut().zip(&mut above) {
            if let Some(weight) = weight {
                let share = *weight;
                *weight = shared_weight(share, *above);
                *above += f64::from(share);
            }
        }
    }
}
