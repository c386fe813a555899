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
use ease::{Offset, fading};
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
/// let mut show = |at: Vec3, dt: f32, inertia: &mut Inertia| {
///     pose.set_position(hand, at);
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
    known: Known,
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

/// What has been shown so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Known {
    Nothing,
    Pose,
}

/// The stage of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Stage {
    /// The offsets are final.
    Under,
    /// The next pose is of another motion.
    Switched,
    /// One pose of the new motion was applied.
    Met,
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
            known: Known::Nothing,
            step: 0.0,
            stage: Stage::Under,
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
        self.known = Known::Nothing;
        self.stage = Stage::Under;
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
        let was_running = self.is_running() || self.stage != Stage::Under;
        match (self.known, self.stage) {
            (Known::Nothing, _) => {
                (self.stage, self.seconds, self.elapsed) = (Stage::Under, 0.0, 0.0);
            }
            (_, Stage::Switched) => {
                self.elapsed = 0.0;
                self.start(pose, dt, true);
                self.stage = Stage::Met;
            }
            (_, Stage::Met) if dt > 0.0 => {
                self.seconds = (self.seconds - self.elapsed).max(0.0);
                self.elapsed = 0.0;
                self.start(pose, dt, false);
                self.stage = Stage::Under;
            }
            _ => {}
        }
        self.elapsed = (self.elapsed + dt).min(self.seconds);
        let is_running = self.elapsed < self.seconds;
        if was_running && !is_running {
            // The offsets are zero from now on, and need not be saved.
            for own in &mut self.joints {
                own.offsets = Default::default();
            }
        }
        let part = if is_running {
            self.elapsed / self.seconds
        } else {
            1.0
        };
        for (at, own) in self.joints.iter_mut().enumerate() {
            let joint = at.into();
            own.source = pose.get(joint);
            let mut shown = own.source;
            if is_running {
                own.add(part, &mut shown);
                pose.set(joint, shown);
            }
            if dt > 0.0 {
                own.before = own.shown;
            }
            own.shown = shown;
        }
        match self.known {
            Known::Nothing => self.step = 0.0,
            Known::Pose if dt > 0.0 => self.step = dt,
            Known::Pose => {}
        }
        self.known = Known::Pose;
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
        let speed = [step.angle, step.x, step.z].map(|way| way / dt);
        if root.is_switched {
            root.is_switched = false;
            for ((offset, shown), speed) in root.offset.iter_mut().zip(root.shown).zip(speed) {
                *offset = shown - speed;
            }
        }
        root.shown = speed;
        if self.elapsed < self.seconds {
            let share = f64::from(fading(self.elapsed / self.seconds));
            for (shown, offset) in root.shown.iter_mut().zip(root.offset) {
                *shown += offset * share;
            }
            let [angle, x, z] = root.shown.map(|speed| speed * dt);
            return GroundTransform { angle, x, z };
        }
        step
    }

    /// Returns the pose shown last, joint by joint; `None` if there is none.
    pub(crate) fn shown(&self) -> Option<impl Iterator<Item = &Transform>> {
        (self.known == Known::Pose).then(|| self.joints.iter().map(|own| &own.shown))
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
        if self.known == Known::Pose && self.joints.len() == pose.len() {
            for (at, own) in self.joints.iter().enumerate() {
                pose.set(at.into(), own.source);
            }
        }
    }

    /// Records the offset and velocity of the shown pose relative to a motion that has `pose` `dt` seconds later. If
    /// `is_first`, the motion is taken to be static; otherwise its previous pose is known.
    fn start(&mut self, pose: &Pose, dt: f32, is_first: bool) {
        let step = self.step;
        // If no time passes, any step serves to compute velocities.
        let span = if dt > 0.0 { dt } else { step };
        for (at, own) in self.joints.iter_mut().enumerate() {
            let next = pose.get(at.into());
            let source = if is_first { next } else { own.source };
            let line = |before: Vec3, shown: Vec3, source: Vec3, next: Vec3| {
                let velocity = (shown - before) / step - (next - source) / span;
                (
                    shown - source,
                    if step > 0.0 { velocity } else { Vec3::ZERO },
                )
            };
            let (old, last) = (&own.before, &own.shown);
            let position = line(old.position, last.position, source.position, next.position);
            let scale = line(old.scale, last.scale, source.scale, next.scale);
            let rotation = if step > 0.0 {
                let turned = turn::between(old.rotation, last.rotation) * (span / step);
                let ahead = quat_mul(turn::rotation(turned), last.rotation);
                let [now, then] = turn::pair(source.rotation, last.rotation, next.rotation, ahead);
                (now, (then - now) / span)
            } else {
                (turn::between(source.rotation, last.rotation), Vec3::ZERO)
            };
            let all = [position, rotation, scale];
            for ((offset, (from, velocity)), reach) in own.offsets.iter_mut().zip(all).zip(REACH) {
                *offset = Offset::new(from, velocity, self.seconds, reach);
            }
        }
    }
}

impl JointInertia {
    /// Adds the remaining offsets.
    fn add(&self, part: f32, to: &mut Transform) {
        let [position, rotation, scale] = &self.offsets;
        if !position.is_none() {
            to.position += position.at(part);
        }
        if !rotation.is_none() {
            let turned = quat_mul(turn::rotation(rotation.at(part)), to.rotation);
            to.rotation = quat_normalize(turned);
        }
        if !scale.is_none() {
            to.scale += scale.at(part);
        }
    }
}
