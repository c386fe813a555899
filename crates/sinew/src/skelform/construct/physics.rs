//! Springy bones: position, rotation and scale follow with damping, and bones swing about their parent.
//!
//! SkelForm steps once per call. The same equations are solved here for any part of a step, so a step of one sixtieth
//! of a second gives SkelForm's numbers and any frame rate gives the same movement
//! (`docs/decisions/2026-11-15-physics-by-time.md`).
//!
//! A step closes the share `r` of the distance to the skeleton's pose: `x ← x + (target - x) r`. What is left decays
//! as `(1 - r)^s`, so `s` steps close `1 - (1 - r)^s`, also for fractions.
//!
//! A swinging bone has an angle about its parent. Per step it turns back by a tenth of its deviation from the skeleton,
//! and towards the direction against its movement by the share `distance / 1000 · sway`. If it bounces, the deviation
//! feeds a velocity, `v ← k v + deviation` with `k = 1 / (2 - bounce)`; for a part `s` of a step it keeps `k^s` and gains
//! `(1 - k^s) / (1 - k)`, the sum of the geometric series `1 + k + k² + …` over `s` steps. Deviation and velocity are
//! coupled, so longer intervals are divided into substeps of at most one step.
//!
//! The cost is a few powers per bone and, for a swinging one, an arctangent per substep.

use super::plan::{NONE, PhysicsPlan, Plan};
use super::{BonePose, ConstructSettings, MAX_PHYSICS_SECONDS, PhysicsStep};
use crate::math::{normalize_or_zero, shortest_angle};
use crate::skelform::{PhysicsData, PhysicsState};
use glam::Vec2;

/// Steps per second at which time-based physics equals one step per call.
const STEPS_PER_SECOND: f32 = 60.0;

/// The ratio by which a swinging bone approaches its parent's direction per step.
const ORBIT_RATE: f32 = 0.1;

/// Movement in pixels that turns a bone of sway 1 fully.
const SWAY_DISTANCE: f32 = 1000.0;

/// Resets every springy bone to the pose in `bones`.
pub(super) fn snap_all(plan: &Plan, bones: &[BonePose], states: &mut [PhysicsState]) {
    for (plan, state) in plan.physics.iter().zip(states) {
        if plan.bone != NONE {
            let parent = bones.get(plan.parent as usize);
            snap(&bones[plan.bone as usize], parent, state);
        }
    }
}

/// Advances every physics entry, against the pose in `bones`.
pub(super) fn simulate(
    plan: &Plan,
    settings: &ConstructSettings,
    bones: &[BonePose],
    states: &mut [PhysicsState],
) {
    let (steps, moved) = match settings.physics {
        PhysicsStep::Off => return,
        PhysicsStep::PerCall => (1.0, settings.velocity),
        PhysicsStep::Seconds(dt) => {
            let dt = if dt > 0.0 {
                dt.min(MAX_PHYSICS_SECONDS)
            } else {
                0.0
            };
            (dt * STEPS_PER_SECOND, settings.velocity * dt)
        }
    };
    for (plan, state) in plan.physics.iter().zip(states) {
        if plan.bone == NONE {
            continue;
        }
        let bone = &bones[plan.bone as usize];
        let parent = bones.get(plan.parent as usize);
        state.position -= moved;
        step(plan, bone, parent, steps, state);
        recover(bone, parent, state);
    }
}

fn step(
    plan: &PhysicsPlan,
    bone: &BonePose,
    parent: Option<&BonePose>,
    steps: f32,
    state: &mut PhysicsState,
) {
    let data = &plan.data;
    let before = state.position;
    if data.position_damping > 0.0 || data.sway > 0.0 {
        let rate = rates(data.position_damping, data.position_ratio, steps);
        state.position = follow(state.position, bone.position, rate);
    }
    if data.scale_damping > 0.0 {
        let rate = rates(data.scale_damping, data.scale_ratio, steps);
        state.scale = follow(state.scale, bone.scale, rate);
    }
    if data.rotation_damping > 0.0 {
        let turn = shortest_angle(state.rotation, bone.rotation());
        state.rotation =
            wrap_angle(state.rotation + turn * partial(1.0 / data.rotation_damping, steps));
    }
    if let Some(parent) = parent
        && data.sway > 0.0
    {
        let moved = state.position - before;
        swing(data, bone.position - parent.position, moved, steps, state);
    }
}

/// Returns the ratios of the remaining distance that x and y cover, 1 for all of it.
fn rates(damping: f32, ratio: f32, steps: f32) -> Vec2 {
    let mut damping = Vec2::splat(damping);
    if ratio < 0.0 {
        damping.y *= 1.0 - ratio.abs();
    } else if ratio > 0.0 {
        damping.x *= 1.0 - ratio;
    }
    // The editor counts damping in whole steps and takes two of them at a time.
    let rate = |damping: f32| {
        let whole = libm::floorf(damping);
        if whole <= 2.0 {
            1.0
        } else {
            partial(2.0 / whole, steps)
        }
    };
    Vec2::new(rate(damping.x), rate(damping.y))
}

/// Returns the ratio covered by `steps` steps if one step covers `rate`.
fn partial(rate: f32, steps: f32) -> f32 {
    if steps == 1.0 {
        rate
    } else {
        1.0 - libm::powf(1.0 - rate.clamp(0.0, 1.0), steps)
    }
}

/// Interpolates; exactly the target at rate 1.
fn follow(from: Vec2, to: Vec2, rate: Vec2) -> Vec2 {
    let axis = |from: f32, to: f32, rate: f32| {
        if rate == 1.0 {
            to
        } else {
            from + (to - from) * rate
        }
    };
    Vec2::new(axis(from.x, to.x, rate.x), axis(from.y, to.y, rate.y))
}

/// Rotates the bone about its parent: back to the skeleton's direction, and against the movement.
fn swing(data: &PhysicsData, arm: Vec2, moved: Vec2, steps: f32, state: &mut PhysicsState) {
    let home = angle(arm);
    // At most whole steps, so a long pause is as stable as many short ones.
    let count = libm::ceilf(steps).max(1.0);
    let substep = steps / count;
    let against = angle(-moved);
    let distance = moved.length();
    let push = if distance > 0.0 && steps > 0.0 {
        partial(distance / steps / SWAY_DISTANCE * data.sway, substep)
    } else {
        0.0
    };
    let bounce = Bounce::new(data.rotation_bounce, substep);

    for _ in 0..count as u32 {
        let away = shortest_angle(state.orbit, home);
        let turn = match &bounce {
            Some(bounce) => {
                state.orbit_velocity = away * bounce.gain + state.orbit_velocity * bounce.kept;
                state.orbit_velocity * ORBIT_RATE * substep
            }
            None => away * partial(ORBIT_RATE, substep),
        };
        state.orbit += turn;
        state.orbit += shortest_angle(state.orbit, against) * push;
        state.orbit = wrap_angle(state.orbit);
    }
    state.orbit_lead = home - state.orbit;
}

/// The velocity factors of a swing in a part of a step.
struct Bounce {
    kept: f32,
    gain: f32,
}

impl Bounce {
    /// Returns `None` for a bone that does not bounce.
    fn new(rotation_bounce: f32, substep: f32) -> Option<Self> {
        if !(rotation_bounce > 0.0 && rotation_bounce <= 1.0) {
            return None;
        }
        let keep = 1.0 / (2.0 - rotation_bounce);
        if substep == 1.0 {
            return Some(Self {
                kept: keep,
                gain: 1.0,
            });
        }
        let kept = libm::powf(keep, substep);
        let gain = if keep < 1.0 {
            (1.0 - kept) / (1.0 - keep)
        } else {
            substep
        };
        Some(Self { kept, gain })
    }
}

/// Returns the angle of `v`; 0 for a zero vector.
fn angle(v: Vec2) -> f32 {
    let v = normalize_or_zero(v);
    libm::atan2f(v.y, v.x)
}

/// Wraps an angle to half a turn, so repeated rotation does not lose precision.
fn wrap_angle(angle: f32) -> f32 {
    if angle.abs() <= core::f32::consts::PI {
        angle
    } else {
        shortest_angle(0.0, angle)
    }
}

/// Resets a bone to the skeleton, at rest.
pub(super) fn snap(bone: &BonePose, parent: Option<&BonePose>, state: &mut PhysicsState) {
    *state = PhysicsState {
        position: bone.position,
        rotation: bone.rotation(),
        scale: bone.scale,
        orbit: parent.map_or(0.0, |parent| angle(bone.position - parent.position)),
        orbit_lead: 0.0,
        orbit_velocity: 0.0,
    };
}

/// Resets a bone whose numbers are not finite, which would persist otherwise.
fn recover(bone: &BonePose, parent: Option<&BonePose>, state: &mut PhysicsState) {
    let angles = [
        state.rotation,
        state.orbit,
        state.orbit_lead,
        state.orbit_velocity,
    ];
    let is_sound = state.position.is_finite()
        && state.scale.is_finite()
        && angles.iter().all(|angle| angle.is_finite());
    if !is_sound {
        snap(bone, parent, state);
    }
}
