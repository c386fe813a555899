//! Root motion: what animations move a character over the ground, as a step per update.
//!
//! Where a character is at a time of a clip is told by the clip's [`RootTrajectory`]. A step is what lies between two
//! places of it, seen from the first: it does not matter where in the world an animation was made, nor where it is in
//! its loop. Steps of animations that play together are blended, in the order and with the weights of their poses; places
//! never are. The pose keeps what the root joint does relative to the trajectory.

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

/// What takes the root motion of one clip out of its root joint.
#[derive(Clone, Debug)]
pub(super) struct ClipMotion {
    trajectory: Arc<RootTrajectory>,
    /// Added to the headings of the trajectory, so that the mean pose of the clip faces as the rest pose does.
    facing: f64,
    /// Whether the clip animates the root's rotation: without one no heading is taken out.
    turns: bool,
}

impl ClipMotion {
    /// `rest` is the rest rotation of the root joint.
    pub(super) fn new(trajectory: Arc<RootTrajectory>, rest: Quat, turns: bool) -> Self {
        Self {
            facing: if turns { trajectory.facing(rest) } else { 0.0 },
            trajectory,
            turns,
        }
    }

    /// A place of the trajectory, with the heading that the rest pose has.
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

    /// Makes the root joint of a sampled pose relative to the trajectory. `track` is that of the root, `keys` are its
    /// keys where it has any.
    pub(super) fn subtract<'a>(
        &self,
        time: &SampleTime<'a>,
        track: &ClipTrack,
        keys: Option<&'a TransformTrack>,
        root: &mut Transform,
    ) {
        let place = |time: f32| self.facing(self.trajectory.in_keys(time));
        let frames = Frames {
            now: Frame::new(&place(time.wrapped())),
            first: place(0.0),
        };
        if track.channels.position {
            let channel = keys.and_then(|keys| keys.position.as_ref());
            root.position = frames.relative(time, channel, root.position, Frame::position);
        }
        if track.channels.rotation {
            let channel = keys.and_then(|keys| keys.rotation.as_ref());
            root.rotation = frames.relative(time, channel, root.rotation, Frame::rotation);
        }
    }

    /// The same for the first pose, from which additive layers count.
    pub(super) fn subtract_first(&self, root: &mut Transform) {
        let frame = Frame::new(&self.facing(self.trajectory.in_keys(0.0)));
        root.position = frame.position(root.position);
        root.rotation = frame.rotation(root.rotation);
    }

    /// The way of the time as a step.
    pub(super) fn step(&self, range: &ScalarRange) -> GroundTransform {
        step(range, |time| self.facing(self.trajectory.at(time)))
    }
}

/// A frame on the ground, ready to bring transforms into it.
#[derive(Clone, Copy)]
struct Frame {
    inverse: GroundTransform,
    turn: Quat,
    sine_cosine: [f64; 2],
}

impl Frame {
    fn new(place: &GroundTransform) -> Self {
        let inverse = place.inverse();
        Self {
            inverse,
            turn: vertical(inverse.angle),
            sine_cosine: [libm::sin(inverse.angle), libm::cos(inverse.angle)],
        }
    }

    /// A position as seen from the frame. In double precision: characters walk far away from the origin of a clip.
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
struct Frames {
    now: Frame,
    first: GroundTransform,
}

impl Frames {
    /// A value of the root in the frame of its time. Between the last key of a loop and the first the trajectory
    /// continues to the end while keys lead back to the start, so there both keys are brought into their own frame before
    /// they are interpolated.
    fn relative<'a, T: ChannelValue>(
        &self,
        time: &SampleTime<'a>,
        channel: Option<&'a Channel<T>>,
        value: T,
        into: impl Fn(&Frame, T) -> T,
    ) -> T {
        if let Some(channel) = channel {
            let segment = time.locate(channel.times());
            if segment.to < segment.from {
                let [from, to] = [segment.from, segment.to].map(|key| channel.values()[key]);
                let (from, to) = (into(&self.now, from), into(&Frame::new(&self.first), to));
                return T::mix(from, to, segment.ratio);
            }
        }
        into(&self.now, value)
    }
}

/// What an animation does to the root in an update.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootStep {
    /// Which of all that are to be blended it is: its layer, then its order.
    pub(super) order: (u32, u32),
    pub(super) mode: BlendMode,
    /// Of position and rotation; `None` where it does not move them.
    pub(super) weights: [Option<f32>; 2],
    /// Whether the weights are shares of the layer.
    pub(super) shares: bool,
    pub(super) step: GroundTransform,
}

/// The way of the time as a step. `place` tells where the root is at a time. Headings do not wrap, so that a turn of
/// any size keeps its direction and amount.
fn step(range: &ScalarRange, mut place: impl FnMut(f32) -> GroundTransform) -> GroundTransform {
    let (low, high) = (range.min, range.max);
    let (begin, end) = (range.begin.clamp(low, high), range.end.clamp(low, high));
    let (from, to) = (place(begin), place(end));
    // There and back again is no way at all: turning at an end changes nothing.
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
    let round = repeated(between(&first, &last), rounds);
    let home = between(&first, &to);
    home.then(&round).then(&out)
}

/// A step, taken again and again. What it costs hardly grows with how often.
fn repeated(step: GroundTransform, mut times: u32) -> GroundTransform {
    let (mut all, mut power) = (GroundTransform::IDENTITY, step);
    while times > 0 {
        if times & 1 != 0 {
            all = power.then(&all);
        }
        power = power.then(&power);
        times >>= 1;
    }
    all
}

/// Blends steps, in their order, by the rules of poses. `has_base` says that the character stands still below them;
/// otherwise the first one counts in full.
pub(super) fn blended(steps: &mut [RootStep], has_base: bool) -> GroundTransform {
    steps.sort_unstable_by_key(|own| own.order);
    mix_shares(steps);
    let mut all = GroundTransform::IDENTITY;
    let mut started = [has_base; 2];
    for own in steps.iter() {
        let [position, rotation] = own.weights;
        let apply = |is: &mut [f64], by: &[f64], weight: f32, started: &mut bool| {
            let Some(operation) = own.mode.operation(*started, weight) else {
                return;
            };
            *started = true;
            let weight = f64::from(weight);
            for (is, by) in is.iter_mut().zip(by) {
                *is = match operation {
                    LayerOperation::Replace => *by,
                    LayerOperation::Lerp => *is * (1.0 - weight) + by * weight,
                    LayerOperation::Add => *is + by * weight,
                };
            }
        };
        if let Some(weight) = position {
            let mut place = [all.x, all.z];
            apply(
                &mut place,
                &[own.step.x, own.step.z],
                weight,
                &mut started[0],
            );
            [all.x, all.z] = place;
        }
        if let Some(weight) = rotation {
            let mut angle = [all.angle];
            apply(&mut angle, &[own.step.angle], weight, &mut started[1]);
            [all.angle] = angle;
        }
    }
    all
}

/// Makes weights of shares, from the last step to the first: those of a layer above each one are summed up on the way.
fn mix_shares(steps: &mut [RootStep]) {
    let (mut layer, mut above) = (None, [0.0_f64; 2]);
    for own in steps.iter_mut().rev().filter(|own| own.shares) {
        if layer != Some(own.order.0) {
            (layer, above) = (Some(own.order.0), [0.0; 2]);
        }
        for (weight, above) in own.weights.iter_mut().zip(&mut above) {
            if let Some(weight) = weight {
                let share = *weight;
                *weight = shared_weight(share, *above);
                *above += f64::from(share);
            }
        }
    }
}
