//! Root motion: what animations move a character over the ground, as a step per update.
//!
//! The place of a root is its turn about the vertical and where it is over the ground. A step is what lies between
//! two places, seen from the first: it does not matter where in the world an animation was made, nor where it is in its
//! loop. Steps of animations that play together are blended, in the order and with the weights of their poses; places
//! never are.

use super::blend::{How, how};
use super::moment::Moment;
use super::source::{Said, Value};
use super::{BlendMode, ScalarRange};
use crate::math::{quat_inverse, quat_mul, quat_normalize};
use crate::register::GroundMove;
use crate::skeleton::JointIndex;
use core::f64::consts::{PI, TAU};
use glam::{Quat, Vec3};

/// The joint whose motion over the ground is taken out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) joint: JointIndex,
    /// How it is turned at rest, which counts as no turn about the vertical.
    pub(super) rest: Quat,
}

impl Root {
    /// Where the root is over the ground; what is not animated is at the origin.
    pub(super) fn place(&self, position: Option<Vec3>, rotation: Option<Quat>) -> GroundMove {
        let position = position.unwrap_or(Vec3::ZERO);
        GroundMove {
            angle: rotation.map_or(0.0, |rotation| self.heading(rotation)),
            x: position.x.into(),
            z: position.z.into(),
        }
    }

    /// The turn about the vertical, from minus half a turn to half a turn.
    fn heading(&self, rotation: Quat) -> f64 {
        let turn = quat_mul(rotation, quat_inverse(self.rest));
        wrapped(2.0 * libm::atan2(turn.y.into(), turn.w.into()))
    }

    /// A rotation without its turn about the vertical.
    fn unturned(&self, rotation: Quat) -> Quat {
        let half = -0.5 * self.heading(rotation);
        let (sine, cosine) = (libm::sin(half) as f32, libm::cos(half) as f32);
        let back = Quat::from_xyzw(0.0, sine, 0.0, cosine);
        quat_normalize(quat_mul(back, rotation))
    }

    /// What an animation says of the root, on the spot.
    pub(super) fn on_spot<V, R>(&self, said: Said<V, R>) -> Said<OnSpot<V>, OnSpot<R>> {
        Said {
            position: said.position.map(|value| OnSpot {
                value,
                root: Some(*self),
            }),
            rotation: said.rotation.map(|value| OnSpot {
                value,
                root: Some(*self),
            }),
            scale: said.scale.map(|value| OnSpot { value, root: None }),
            weights: said.weights,
        }
    }
}

/// A channel of the root without its motion over the ground; as it is where there is no root.
pub(super) struct OnSpot<T> {
    value: T,
    root: Option<Root>,
}

impl<'a, V: Value<'a, Vec3>> Value<'a, Vec3> for OnSpot<V> {
    fn at(&self, moment: &Moment<'a>) -> Vec3 {
        self.above(self.value.at(moment))
    }

    fn first(&self) -> Vec3 {
        self.above(self.value.first())
    }
}

impl<T> OnSpot<T> {
    fn above(&self, position: Vec3) -> Vec3 {
        match self.root {
            Some(_) => Vec3::new(0.0, position.y, 0.0),
            None => position,
        }
    }

    fn unturned(&self, rotation: Quat) -> Quat {
        self.root.map_or(rotation, |root| root.unturned(rotation))
    }
}

impl<'a, R: Value<'a, Quat>> Value<'a, Quat> for OnSpot<R> {
    fn at(&self, moment: &Moment<'a>) -> Quat {
        self.unturned(self.value.at(moment))
    }

    fn first(&self) -> Quat {
        self.unturned(self.value.first())
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
    pub(super) step: GroundMove,
}

/// The way of the time as a step. `place` tells where the root is at a time.
pub(super) fn step(range: &ScalarRange, mut place: impl FnMut(f32) -> GroundMove) -> GroundMove {
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

/// What leads from one place to another, seen from the first.
fn between(from: &GroundMove, to: &GroundMove) -> GroundMove {
    let step = to.then(&from.inverse());
    GroundMove {
        angle: wrapped(step.angle),
        ..step
    }
}

/// A step, taken again and again. What it costs hardly grows with how often.
fn repeated(step: GroundMove, mut times: u32) -> GroundMove {
    let (mut all, mut power) = (GroundMove::IDENTITY, step);
    while times > 0 {
        if times & 1 != 0 {
            all = power.then(&all);
        }
        power = power.then(&power);
        times >>= 1;
    }
    all
}

/// Blends steps, in their order: as poses are, the first one counts in full.
pub(super) fn blended(steps: &mut [RootStep]) -> GroundMove {
    steps.sort_unstable_by_key(|own| own.order);
    let mut all = GroundMove::IDENTITY;
    let mut started = [false; 2];
    for own in steps.iter() {
        let [position, rotation] = own.weights;
        let apply = |is: &mut [f64], by: &[f64], weight: f32, started: &mut bool| {
            let Some(how) = how(own.mode, !*started, weight) else {
                return;
            };
            *started = true;
            let weight = f64::from(weight);
            for (is, by) in is.iter_mut().zip(by) {
                *is = match how {
                    How::Replace => *by,
                    How::Mix => *is * (1.0 - weight) + by * weight,
                    How::Add => *is + by * weight,
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

/// An angle as one from minus half a turn to half a turn.
fn wrapped(angle: f64) -> f64 {
    let turns = libm::rint(angle / TAU);
    (angle - turns * TAU).clamp(-PI, PI)
}
