//! Foot locking: removes foot skate at run time, pose by pose, with the upcoming plants.
//!
//! Each leg has a correction `o`, a vector in the world that is added to the position of its ankle. From one pose to the
//! next, with the movement `Δ` of the uncorrected foot:
//!
//! * planted: `o ← o - Δ`, so the corrected foot stays where it is;
//! * within `lead` seconds before a plant: `o ← o - (1 - f) Δ`, with `f = smootherstep(time to the plant / lead)`: the
//!   foot slows down until the plant begins. At most `landing` metres per second are removed;
//! * otherwise `o` fades out with the quintic of `fade`, from its value and velocity.
//!
//! The height of a planted foot approaches the ground, and the body approaches the shift with which all planted legs
//! reach (`reach`), as `x ← x + (target - x) (1 - exp(-dt / τ))`, which does not depend on the frame rate. Two-bone IK
//! then moves the ankles. Corrections are sums of movements and not positions on the ground, so a foot is locked where
//! it is shown when the plant begins, without a jump.
//!
//! `sinew-author` cleans whole motions with knowledge of the future (Kovar, Schreiner and Gleicher, Footskate cleanup for
//! motion capture editing, 2002); here only the next plant is known. A pose costs forward kinematics in double
//! precision, at most 16 projections per leg, and one IK solution per leg.

use super::fade::{faded, faded_velocity};
use super::limb_frame::{LimbFrame, ModelPose64};
use super::reach::{LimbReach, shift_within_reach};
use super::two_bone::{TwoBoneSettings, up_to};
use crate::anatomy::{Limb, LimbEnd, Plant, find_legs, parent};
use crate::math::{Transform, dquat_from_quat, dquat_rotate, dquat_to_quat, smootherstep};
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use crate::state_bytes::{StateBytesError, StateReader, invalid_value, put_vle};
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

/// The time constant in seconds with which a planted foot approaches the ground.
const TO_GROUND: f64 = 0.04;

/// The time constant in seconds with which the body follows the shift that legs need.
const TO_REACH: f64 = 0.03;

/// The maximum depth in metres of a foot in the air below the ground.
const SINK: f64 = 0.001;

/// Shorter steps in seconds count as 0: velocities could not be computed.
const SHORTEST_STEP: f64 = 1e-6;

/// The settings of [`FootLock`]. Negative numbers and NaN are 0, and infinite seconds are 10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLockSettings {
    /// The time in seconds before a plant from which its foot slows down, to be at rest when the plant begins.
    pub lead: f32,
    /// The maximum velocity in metres per second that is removed until then. Feet still move at about this velocity at
    /// contact; a foot in mid-air is much faster and must reach its plant position.
    pub landing: f32,
    /// The duration in seconds of the fade-out of a correction after a plant.
    pub fade: f32,
    /// The settings of two-bone IK for legs close to full extension.
    pub legs: TwoBoneSettings,
}

impl Default for FootLockSettings {
    fn default() -> Self {
        Self {
            lead: 0.15,
            landing: 0.75,
            fade: 0.25,
            legs: TwoBoneSettings::default(),
        }
    }
}

impl FootLockSettings {
    /// Returns the settings with every number finite and not negative.
    fn finite(self) -> Self {
        Self {
            lead: up_to(self.lead, 10.0),
            landing: up_to(self.landing, f32::MAX),
            fade: up_to(self.fade, 10.0),
            legs: self.legs,
        }
    }
}

/// The foot contact state at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FootCue {
    /// Whether the ball of the foot is planted; the ankle if it has no ball.
    pub is_planted: bool,
    /// The time in seconds until the next plant, if it is not planted; infinite if unknown.
    pub plants_in: f32,
    /// The height of the planted ball, in the frame that [`FootStep::placement`] maps to; `None` to keep its height.
    pub ground: Option<f32>,
}

impl Default for FootCue {
    /// Returns a foot in the air with no known plant.
    fn default() -> Self {
        Self {
            is_planted: false,
            plants_in: f32::INFINITY,
            ground: None,
        }
    }
}

impl FootCue {
    /// Returns the cue of a leg's ball at `time` from its plants; of its ankle if it has no ball. With `length`, the
    /// motion loops after that many seconds. Does not allocate.
    pub fn from_plants(plants: &[Plant], leg: &Limb, time: f32, length: Option<f32>) -> Self {
        let (end, joint) = match leg.ball {
            Some(ball) => (LimbEnd::Ball, ball.joint),
            None => (LimbEnd::Heel, leg.end),
        };
        let mut cue = Self::default();
        for plant in plants {
            if plant.end != end || plant.joint != joint {
                continue;
            }
            let period = length.unwrap_or(f32::INFINITY);
            // A plant across the seam of a loop extends beyond its length.
            for time in [time, time + period] {
                cue.is_planted |= plant.span.start <= time && time <= plant.span.end;
            }
            for start in [plant.span.start, plant.span.start + period] {
                if start > time {
                    cue.plants_in = cue.plants_in.min(start - time);
                }
            }
        }
        cue
    }
}

/// A time step and the contact state at its end.
#[derive(Clone, Copy, Debug)]
pub struct FootStep<'a> {
    /// The seconds since the previous pose. If zero, less than a millionth, or not finite, feet keep their
    /// corrections.
    pub seconds: f32,
    /// The transform from the character's model to the world. Its scale is ignored.
    pub placement: Transform,
    /// One cue for each of [`FootLock::legs`]; legs without one are in the air.
    pub cues: &'a [FootCue],
}

/// Keeps the planted feet of one character in place (foot-skate cleanup), for poses from any source.
///
/// A foot is locked where it is when its plant begins. If the plant is known [`lead`](FootLockSettings::lead) seconds
/// ahead, the foot slows down until then; otherwise it stops immediately. After the plant, or if a plant is cancelled,
/// the correction fades out, starting with its velocity: continuous input gives continuous output. The body follows
/// legs that do not reach, with a lag of some hundredths of a second, and the feet of fast runs slip by as much. Plain
/// data: a clone continues bit-exactly. Only its creation allocates.
#[derive(Clone, Debug)]
pub struct FootLock {
    legs: Vec<Limb>,
    states: Vec<LegState>,
    frames: Vec<LimbFrame>,
    reaches: Vec<LimbReach>,
    model: ModelPose64,
    /// The lowest common ancestor of the legs, which carries the body.
    carrier: JointIndex,
    /// The shift of the body, in the world.
    shift: DVec3,
    settings: FootLockSettings,
}

/// The state of one leg.
#[derive(Clone, Copy, Debug, Default)]
struct LegState {
    /// The last uncorrected position of its ball, in the world.
    last: Option<DVec3>,
    /// The correction and its velocity.
    offset: DVec3,
    velocity: DVec3,
    /// The correction that is fading out: its value and velocity at the start of the fade, and the seconds since.
    fading: DVec3,
    fading_velocity: DVec3,
    since: f64,
    is_held: bool,
    /// The bend direction of the knee, in the frame of the upper joint.
    bend: DVec3,
}

impl FootLock {
    /// Creates a foot lock for a skeleton; without legs it does nothing.
    pub fn new(skeleton: &Skeleton, settings: FootLockSettings) -> Self {
        let legs = find_legs(skeleton);
        let mut model = ModelPose64::new(skeleton);
        model.fill(skeleton, &Pose::rest(skeleton));
        let frames: Vec<LimbFrame> = legs.iter().map(|leg| model.limb(skeleton, leg)).collect();
        let carrier = common_parent(skeleton, &legs);
        Self {
            states: legs.iter().map(|_| LegState::default()).collect(),
            reaches: Vec::with_capacity(legs.len()),
            frames,
            legs,
            model,
            carrier,
            shift: DVec3::ZERO,
            settings: settings.finite(),
        }
    }

    /// Returns the legs, in the order of cues.
    pub fn legs(&self) -> &[Limb] {
        &self.legs
    }

    /// Forgets the feet: call it after a teleport or a cut to another motion.
    pub fn reset(&mut self) {
        self.states.fill(LegState::default());
        self.shift = DVec3::ZERO;
    }

    /// Writes its state: the shift of the body, then each leg.
    pub(crate) fn put_state(&self, out: &mut Vec<u8>) {
        let put = |point: DVec3, out: &mut Vec<u8>| {
            for number in [point.x, point.y, point.z] {
                out.extend(number.to_bits().to_le_bytes());
            }
        };
        put_vle(self.states.len() as u64, out);
        put(self.shift, out);
        for leg in &self.states {
            let flags = u64::from(leg.last.is_some()) | u64::from(leg.is_held) << 1;
            put_vle(flags, out);
            let since = DVec3::new(leg.since, 0.0, 0.0);
            let (offset, fading) = (
                [leg.offset, leg.velocity],
                [leg.fading, leg.fading_velocity],
            );
            for point in leg.last.into_iter().chain(offset).chain(fading) {
                put(point, out);
            }
            put(leg.bend, out);
            put(since, out);
        }
    }

    /// Reads the state that [`Self::put_state`] wrote, for a skeleton with as many legs.
    pub(crate) fn read_state(
        &mut self,
        reader: &mut StateReader<'_>,
    ) -> Result<(), StateBytesError> {
        let offset = reader.offset;
        let count = reader.vle_u32("the number of legs")?;
        if count as usize != self.states.len() {
            let expected = "as many legs as the skeleton has";
            return Err(invalid_value(offset, expected, alloc::format!("{count}")));
        }
        let point = |reader: &mut StateReader<'_>| -> Result<DVec3, StateBytesError> {
            let mut number = || reader.finite_f64("the state of a leg");
            Ok(DVec3::new(number()?, number()?, number()?))
        };
        self.shift = point(reader)?;
        for leg in &mut self.states {
            let flags = reader.vle_up_to(3, "the flags of a leg")?;
            let last = if flags & 1 != 0 {
                Some(point(reader)?)
            } else {
                None
            };
            *leg = LegState {
                last,
                offset: point(reader)?,
                velocity: point(reader)?,
                fading: point(reader)?,
                fading_velocity: point(reader)?,
                bend: point(reader)?,
                since: point(reader)?.x,
                is_held: flags & 2 != 0,
            };
        }
        Ok(())
    }

    /// Corrects a pose. One that is not finite is left unchanged, and the feet are forgotten.
    ///
    /// # Errors
    /// If the pose or the skeleton has another number of joints than the one that this was created for.
    pub fn clean(
        &mut self,
        skeleton: &Skeleton,
        step: &FootStep<'_>,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.model.joint_count(), skeleton.len())?;
        JointCountMismatch::check(self.model.joint_count(), pose.len())?;
        self.model.fill(skeleton, pose);
        let placement = Placement::new(&step.placement);
        if !(self.model.is_finite() && placement.is_finite()) {
            self.reset();
            return Ok(());
        }
        let seconds = f64::from(step.seconds);
        // Both comparisons are false for NaN.
        let seconds = if seconds >= SHORTEST_STEP && seconds.is_finite() {
            seconds
        } else {
            0.0
        };
        self.reaches.clear();
        for (index, leg) in self.legs.iter().enumerate() {
            let frame = self.model.limb(skeleton, leg);
            self.frames[index] = frame;
            let cue = step.cues.get(index).copied().unwrap_or_default();
            let state = &mut self.states[index];
            state.advance(
                placement.point_to_world(frame.ball),
                &cue,
                seconds,
                &self.settings,
            );
            let bend = frame.bend();
            // A moving average over about a second.
            state.bend = state.bend * (1.0 - seconds.min(1.0)) + bend * seconds.min(1.0);
            if state.bend == DVec3::ZERO {
                state.bend = bend;
            }
            if cue.is_planted {
                let target = frame.end + placement.vector_from_world(state.offset);
                self.reaches.push(LimbReach::new(&frame, target));
            }
        }
        let needed = placement.vector_to_world(shift_within_reach(&self.reaches, DVec3::ZERO));
        self.shift += (needed - self.shift) * (1.0 - libm::exp(-seconds / TO_REACH));
        self.apply(skeleton, step, &placement, pose);
        Ok(())
    }

    fn apply(
        &self,
        skeleton: &Skeleton,
        step: &FootStep<'_>,
        placement: &Placement,
        pose: &mut Pose,
    ) {
        let shift = placement.vector_from_world(self.shift);
        let is_shifted = shift.length() > 1e-9;
        if is_shifted {
            let (rotation, scale) = self.model.parent_rotation_scale(skeleton, self.carrier);
            let local = dquat_rotate(rotation.conjugate(), shift);
            let position = pose.position(self.carrier).as_dvec3() + local / scale;
            if position.is_finite() {
                pose.set_position(self.carrier, position.as_vec3());
            }
        }
        for (index, (leg, frame)) in self.legs.iter().zip(&self.frames).enumerate() {
            let Some(state) = self.states.get(index) else {
                continue;
            };
            let cue = step.cues.get(index).copied().unwrap_or_default();
            let offset = placement.vector_from_world(state.clamped_offset(&cue));
            if !is_shifted && offset.length() <= 1e-9 {
                continue;
            }
            let chain = frame.chain(state.bend);
            let solved = chain.solve(frame.end + offset - shift, &self.settings.legs);
            let rotations = frame.local_rotations(solved.upper, solved.lower, DQuat::IDENTITY);
            for (joint, rotation) in [leg.upper, leg.middle, leg.end].into_iter().zip(rotations) {
                pose.set_rotation(joint, dquat_to_quat(rotation));
            }
            for (joint, stretch) in [leg.middle, leg.end].into_iter().zip(solved.stretch) {
                if (stretch - 1.0).abs() > 1e-9 {
                    pose.set_position(joint, pose.position(joint) * stretch as f32);
                }
            }
        }
    }
}

impl LegState {
    fn advance(&mut self, point: DVec3, cue: &FootCue, seconds: f64, settings: &FootLockSettings) {
        let Some(last) = self.last.replace(point) else {
            return;
        };
        if seconds <= 0.0 {
            return;
        }
        let fade = f64::from(settings.fade);
        let lead = f64::from(settings.lead);
        // The fraction of its own motion that the foot keeps.
        let free = if cue.is_planted {
            0.0
        } else if f64::from(cue.plants_in) < lead {
            smootherstep(f64::from(cue.plants_in) / lead)
        } else {
            1.0
        };
        let is_held = free < 1.0;
        // Released: the fade starts with the present correction and its velocity.
        if self.is_held && !is_held {
            (self.fading, self.fading_velocity, self.since) = (self.offset, self.velocity, 0.0);
        }
        self.is_held = is_held;
        let before = self.offset;
        let remaining = faded(self.fading, self.fading_velocity, self.since, fade);
        self.since += seconds;
        let remaining_after = faded(self.fading, self.fading_velocity, self.since, fade);
        if is_held {
            let motion = point - last;
            // A planted foot does not move at all. Before, at most `landing · seconds` of its movement is removed.
            let share = if cue.is_planted {
                1.0
            } else {
                (f64::from(settings.landing) * seconds / motion.length().max(1e-12)).min(1.0)
            };
            // An earlier correction that is still fading out fades on, by as much as the foot is free.
            self.offset += (remaining_after - remaining) * free - motion * ((1.0 - free) * share);
            if let Some(ground) = cue.ground.filter(|ground| ground.is_finite()) {
                let below = f64::from(ground) - (point + self.offset).y;
                self.offset.y += below * (1.0 - free) * (1.0 - libm::exp(-seconds / TO_GROUND));
            }
            self.velocity = (self.offset - before) * (1.0 / seconds);
        } else {
            self.offset = remaining_after;
            self.velocity = faded_velocity(self.fading, self.fading_velocity, self.since, fade);
        }
    }

    /// Returns the correction, with a foot in the air kept above the ground.
    fn clamped_offset(&self, cue: &FootCue) -> DVec3 {
        let mut offset = self.offset;
        if let (Some(ground), Some(last), false) = (cue.ground, self.last, cue.is_planted) {
            let above = (last + offset).y - f64::from(ground);
            if above < 0.0 {
                // A height h below the ground becomes SINK (exp(h / SINK) - 1): slope 1 at the ground, so there is no
                // kink, and never below -SINK.
                offset.y += SINK * (libm::exp(above / SINK) - 1.0) - above;
            }
        }
        offset
    }
}

/// The transform of a model in the world.
struct Placement {
    origin: DVec3,
    rotation: DQuat,
}

impl Placement {
    fn new(placement: &Transform) -> Self {
        Self {
            origin: placement.position.as_dvec3(),
            rotation: dquat_from_quat(placement.rotation),
        }
    }

    fn is_finite(&self) -> bool {
        self.origin.is_finite() && self.rotation.is_finite()
    }

    fn point_to_world(&self, point: DVec3) -> DVec3 {
        self.origin + dquat_rotate(self.rotation, point)
    }

    fn vector_to_world(&self, vector: DVec3) -> DVec3 {
        dquat_rotate(self.rotation, vector)
    }

    fn vector_from_world(&self, vector: DVec3) -> DVec3 {
        dquat_rotate(self.rotation.conjugate(), vector)
    }
}

/// Returns the lowest common ancestor of all legs; the first joint if there is none.
fn common_parent(skeleton: &Skeleton, legs: &[Limb]) -> JointIndex {
    let mut next = legs.first().and_then(|leg| parent(skeleton, leg.upper));
    while let Some(joint) = next {
        let below = skeleton.subtree(joint);
        if legs.iter().all(|leg| below.contains(&leg.upper.index())) {
            return joint;
        }
        next = parent(skeleton, joint);
    }
    JointIndex(0)
}
