//! Inertialization: after a switch of motion the body keeps its velocity and blends smoothly into the new motion.
//!
//! ```text
//! source pose, which jumps at a switch ─▶ Inertia (one per character) ─▶ shown pose, which does not
//! ```
//!
//! A crossfade samples two motions. Inertialization needs only the new one: at a switch it records the offset and
//! relative velocity of the shown pose, joint by joint, and lets them decay to zero. The shown pose and its velocity
//! are continuous, even if a switch interrupts another. After Bollo (*Inertialization*, GDC 2018), with a different
//! curve (`ease`), which keeps the velocity of every joint in every direction, and with rotations as rotation vectors
//! (`turn`).
//!
//! # The moment of a switch
//! The velocity of the new motion is known once two of its poses are. The first step after a switch therefore treats
//! its first pose as static and keeps the velocity of the shown pose; the second step restarts from the result with
//! both velocities.

pub(crate) mod bytes;
mod ease;
mod turn;

use crate::math::GroundTransform;
use crate::math::{Transform, quat_mul, quat_normalize};
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use ease::{Offset, decay};
use glam::Vec3;

/// The maximum overshoot from velocity without deceleration: metres, radians, fractions of the scale. About as much as
/// is imperceptible on a moving body; with more, knees bend backward.
const REACH: [f32; 3] = [0.05, 0.15, 0.05];

/// Inertialization of the pose of a character across switches of its motion. Plain data: cloned, compared, saved and
/// restored, it continues bit-exactly.
///
/// Call [`switch`](Self::switch) when another motion begins, and [`apply`](Self::apply) every frame with the source
/// pose. With a controller, [`PoseBinding::apply_smooth`](crate::PoseBinding::apply_smooth) does both.
///
/// ```
/// # use sinew::glam::Vec3;
/// # use sinew::{Inertia, Joint, JointIndex, Pose, Skeleton, Transform};
/// # let joint = Joint { name: "hand".into(), parent: None, rest: Transform::IDENTITY, tip: None };
/// # let skeleton = Skeleton::new(vec![joint])?;
/// let mut inertia = Inertia::new(&skeleton);
/// let mut pose = Pose::rest(&skeleton);
/// let hand = JointIndex(0);
/// let mut show = |position: Vec3, dt: f32, inertia: &mut Inertia| {
///     pose.set_position(hand, position);
///     inertia.apply(&mut pose, dt).map(|()| pose.position(hand))
/// };
/// show(Vec3::ZERO, 0.01, &mut inertia)?;
/// inertia.switch(0.25);
/// assert_eq!(show(Vec3::X, 0.0, &mut inertia)?, Vec3::ZERO);
/// assert!(show(Vec3::X, 0.1, &mut inertia)?.x < 0.5);
/// assert_eq!(show(Vec3::X, 0.2, &mut inertia)?, Vec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inertia {
    joints: Vec<JointInertia>,
    known: PoseHistory,
    /// Seconds between the last two shown poses; 0 if the velocity is unknown.
    step: f32,
    stage: Stage,
    /// The duration of the offsets, and the time elapsed.
    seconds: f32,
    elapsed: f32,
    root: RootInertia,
    /// The controller's number of switches when it was last read.
    switch_count: u32,
}

/// Whether a pose was shown yet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum PoseHistory {
    Empty,
    Pose,
}

/// The stage of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Stage {
    /// The offsets are final.
    Steady,
    /// The next pose is of another motion.
    Switched,
    /// One pose of the new motion was applied.
    FirstPose,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct JointInertia {
    /// The transforms shown last and before.
    shown: Transform,
    before: Transform,
    /// The last source transform.
    source: Transform,
    /// The offsets of position, rotation and scale.
    offsets: [Offset; 3],
}

/// The same for root motion: turn, x and z per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct RootInertia {
    is_switched: bool,
    shown: [f64; 3],
    offset: [f64; 3],
}

impl Inertia {
    /// Creates the inertia of a character that was not shown yet. Only this function allocates.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            joints: alloc::vec![JointInertia::default(); skeleton.len()],
            known: PoseHistory::Empty,
            step: 0.0,
            stage: Stage::Steady,
            seconds: 0.0,
            elapsed: 0.0,
            root: RootInertia::default(),
            switch_count: 0,
        }
    }

    /// Starts a switch: the next pose is of another motion, and the shown pose blends into it within `seconds`. Zero,
    /// negative and NaN cut. Can be called at any time, including during another switch.
    pub fn switch(&mut self, seconds: f32) {
        if seconds > 0.0 {
            self.seconds = seconds.min(f32::MAX);
            self.stage = Stage::Switched;
            self.root.is_switched = true;
        } else {
            self.reset();
        }
    }

    /// Forgets the shown pose: the next pose is shown unchanged. For characters that are teleported.
    pub fn reset(&mut self) {
        self.joints.fill(JointInertia::default());
        self.known = PoseHistory::Empty;
        self.stage = Stage::Steady;
        (self.step, self.seconds, self.elapsed) = (0.0, 0.0, 0.0);
        self.root = RootInertia::default();
    }

    /// Returns whether a switch is still being smoothed.
    pub fn is_running(&self) -> bool {
        self.stage == Stage::Switched || self.elapsed < self.seconds
    }

    /// Converts a source pose to the one that is shown `dt` seconds after the last. Without a switch it stays
    /// unchanged, bit for bit. Negative and NaN count as 0 seconds.
    ///
    /// # Errors
    /// If the pose has another number of joints.
    pub fn apply(&mut self, pose: &mut Pose, dt: f32) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joints.len(), pose.len())?;
        let dt = if dt > 0.0 { dt.min(f32::MAX) } else { 0.0 };
        let was_running = self.is_running() || self.stage != Stage::Steady;
        match (self.known, self.stage) {
            (PoseHistory::Empty, _) => {
                (self.stage, self.seconds, self.elapsed) = (Stage::Steady, 0.0, 0.0);
            }
            (_, Stage::Switched) => {
                self.elapsed = 0.0;
                self.start(pose, dt, true);
                self.stage = Stage::FirstPose;
            }
            (_, Stage::FirstPose) if dt > 0.0 => {
                self.seconds = (self.seconds - self.elapsed).max(0.0);
                self.elapsed = 0.0;
                self.start(pose, dt, false);
                self.stage = Stage::Steady;
            }
            _ => {}
        }
        self.elapsed = (self.elapsed + dt).min(self.seconds);
        let is_running = self.elapsed < self.seconds;
        if was_running && !is_running {
            // The offsets are zero from now on, and need not be saved.
            for joint in &mut self.joints {
                joint.offsets = Default::default();
            }
        }
        let progress = if is_running {
            self.elapsed / self.seconds
        } else {
            1.0
        };
        for (index, inertia) in self.joints.iter_mut().enumerate() {
            let joint = index.into();
            inertia.source = pose.get(joint);
            let mut shown = inertia.source;
            if is_running {
                inertia.add(progress, &mut shown);
                pose.set(joint, shown);
            }
            if dt > 0.0 {
                inertia.before = inertia.shown;
            }
            inertia.shown = shown;
        }
        match self.known {
            PoseHistory::Empty => self.step = 0.0,
            PoseHistory::Pose if dt > 0.0 => self.step = dt,
            PoseHistory::Pose => {}
        }
        self.known = PoseHistory::Pose;
        Ok(())
    }

    /// Smooths a step of [root motion](crate::PoseBinding::root_motion), so that the velocity of the character is as
    /// continuous as its pose. Call it after [`Self::apply`], with the same `dt`.
    pub fn smooth_root(&mut self, step: GroundTransform, dt: f32) -> GroundTransform {
        let dt = f64::from(dt);
        if !(dt > 0.0 && dt.is_finite()) {
            return step;
        }
        let root = &mut self.root;
        let speed = [step.angle, step.x, step.z].map(|displacement| displacement / dt);
        if root.is_switched {
            root.is_switched = false;
            for ((offset, shown), speed) in root.offset.iter_mut().zip(root.shown).zip(speed) {
                *offset = shown - speed;
            }
        }
        root.shown = speed;
        if self.elapsed < self.seconds {
            let share = f64::from(decay(self.elapsed / self.seconds));
            for (shown, offset) in root.shown.iter_mut().zip(root.offset) {
                *shown += offset * share;
            }
            let [angle, x, z] = root.shown.map(|speed| speed * dt);
            return GroundTransform { angle, x, z };
        }
        step
    }

    /// Returns the pose shown last, joint by joint; `None` if there is none.
    pub(crate) fn shown_transforms(&self) -> Option<impl Iterator<Item = &Transform>> {
        (self.known == PoseHistory::Pose).then(|| self.joints.iter().map(|joint| &joint.shown))
    }

    /// Starts a switch if the controller's count has changed.
    pub(crate) fn follow(&mut self, switch_count: u32, seconds: f32) {
        if switch_count != self.switch_count {
            self.switch_count = switch_count;
            self.switch(seconds);
        }
    }

    /// Restores the source pose, from which motions continue if they leave joints unchanged.
    pub(crate) fn restore_source(&self, pose: &mut Pose) {
        if self.known == PoseHistory::Pose && self.joints.len() == pose.len() {
            for (index, joint) in self.joints.iter().enumerate() {
                pose.set(index.into(), joint.source);
            }
        }
    }

    /// Records the offset and velocity of the shown pose relative to a motion that has `pose` `dt` seconds later. If
    /// `is_first`, the motion is taken to be static; otherwise its previous pose is known.
    fn start(&mut self, pose: &Pose, dt: f32, is_first: bool) {
        let step = self.step;
        // If no time passes, any step serves to compute velocities.
        let span = if dt > 0.0 { dt } else { step };
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let next = pose.get(index.into());
            let source = if is_first { next } else { joint.source };
            let offset_and_velocity = |before: Vec3, shown: Vec3, source: Vec3, next: Vec3| {
                let velocity = (shown - before) / step - (next - source) / span;
                (
                    shown - source,
                    if step > 0.0 { velocity } else { Vec3::ZERO },
                )
            };
            let (old, last) = (&joint.before, &joint.shown);
            let position =
                offset_and_velocity(old.position, last.position, source.position, next.position);
            let scale = offset_and_velocity(old.scale, last.scale, source.scale, next.scale);
            let rotation = if step > 0.0 {
                let turned = turn::rotation_vector(old.rotation, last.rotation) * (span / step);
                let predicted = quat_mul(turn::quat_exp(turned), last.rotation);
                let [offset, next_offset] = turn::consecutive_vectors(
                    source.rotation,
                    last.rotation,
                    next.rotation,
                    predicted,
                );
                (offset, (next_offset - offset) / span)
            } else {
                (
                    turn::rotation_vector(source.rotation, last.rotation),
                    Vec3::ZERO,
                )
            };
            let channels = [position, rotation, scale];
            for ((offset, (from, velocity)), reach) in
                joint.offsets.iter_mut().zip(channels).zip(REACH)
            {
                *offset = Offset::new(from, velocity, self.seconds, reach);
            }
        }
    }
}

impl JointInertia {
    /// Adds the remaining offsets.
    fn add(&self, progress: f32, transform: &mut Transform) {
        let [position, rotation, scale] = &self.offsets;
        if !position.is_zero() {
            transform.position += position.at(progress);
        }
        if !rotation.is_zero() {
            let turned = quat_mul(turn::quat_exp(rotation.at(progress)), transform.rotation);
            transform.rotation = quat_normalize(turned);
        }
        if !scale.is_zero() {
            transform.scale += scale.at(progress);
        }
    }
}
