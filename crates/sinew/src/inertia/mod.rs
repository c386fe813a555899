//! Inertia: a body whose motion is switched goes on as it moved, and flows into the other motion.
//!
//! ```text
//! source pose, which jumps at a switch ─▶ Inertia (one per character) ─▶ shown pose, which does not
//! ```
//!
//! A cross-fade plays two motions at once. Inertia needs the one that is coming: at a switch it notes how far and how
//! fast the shown pose is off it, joint by joint, and lets that go to nothing. The shown pose and its speed have no
//! jump, whenever the switch comes, in the middle of another too. After Bollo (*Inertialization*, GDC 2018), with
//! another curve (`ease`), which keeps the speed of every joint in every direction, and with rotations as vectors
//! (`turn`).
//!
//! # The moment of a switch
//! How fast the coming motion goes is known when two poses of it are. The first step after a switch therefore goes
//! to the first pose of it as if that stood still, at the speed of what was shown; the second step starts for good, with
//! what the first one left.

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

/// How far speed leads astray without being braked: metres, radians, shares of the scale. About as much as nobody
/// sees of a body in motion; more, and knees bend the wrong way.
const REACH: [f32; 3] = [0.05, 0.15, 0.05];

/// Keeps the pose of a character from jumping where its motion is switched. Plain data: cloned, compared, saved and
/// restored, it goes on to the bit.
///
/// Call [`switch`](Self::switch) when another motion begins, and [`apply`](Self::apply) for every picture, with the
/// pose as the motions have it. With a controller,
/// [`PoseBinding::apply_smooth`](crate::PoseBinding::apply_smooth) does both.
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
    /// Seconds between the two poses that were shown last; 0 where there is no speed to be told.
    step: f32,
    stage: Stage,
    /// How long the offsets last, and how much of that is over.
    seconds: f32,
    elapsed: f32,
    root: RootInertia,
    /// How often the controller had jumped when it was last seen.
    switch_count: u32,
}

/// What was shown so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Known {
    Nothing,
    Pose,
}

/// Where a switch is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Stage {
    /// Offsets are what they are.
    Under,
    /// The next pose is of another motion.
    Switched,
    /// One pose of the other motion was met.
    Met,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct JointInertia {
    /// What was shown last, and before.
    shown: Transform,
    before: Transform,
    /// What the motion was last.
    source: Transform,
    /// Of position, rotation and scale.
    offsets: [Offset; 3],
}

/// The same for what the character moves over the ground: turn, x and z per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct RootInertia {
    is_switched: bool,
    shown: [f64; 3],
    offset: [f64; 3],
}

impl Inertia {
    /// For a character of a skeleton that was not shown yet. The only place that allocates.
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

    /// The next pose is of another motion; what is shown flows into it within `seconds`. Zero, negative and NaN cut.
    /// May be called at any moment: what is left of earlier switches is part of what is shown.
    pub fn switch(&mut self, seconds: f32) {
        if seconds > 0.0 {
            self.seconds = seconds.min(f32::MAX);
            self.stage = Stage::Switched;
            self.root.is_switched = true;
        } else {
            self.reset();
        }
    }

    /// Forgets what was shown: the next pose is shown as it is. For characters that are put elsewhere.
    pub fn reset(&mut self) {
        self.joints.fill(JointInertia::default());
        self.known = Known::Nothing;
        self.stage = Stage::Under;
        (self.step, self.seconds, self.elapsed) = (0.0, 0.0, 0.0);
        self.root = RootInertia::default();
    }

    /// Whether there is still something of an earlier motion to be seen.
    pub fn is_running(&self) -> bool {
        self.stage == Stage::Switched || self.elapsed < self.seconds
    }

    /// Makes of a pose, as the motions have it, the one that is shown `dt` seconds after the last. Where nothing is
    /// left of a switch it stays as it is, to the bit. What is negative or not a number counts as 0 seconds.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
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
            // Nothing of them is seen any more, so that nothing of them need be saved.
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

    /// Makes of a step over the ground, as the motions have it, the one that is shown, so that a character whose
    /// [root motion](crate::PoseBinding::root_motion) is taken out changes its speed as smoothly as its pose. To be
    /// called after [`Self::apply`], with the same seconds.
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

    /// The pose that was shown last, joint by joint; `None` where nothing was.
    pub(crate) fn shown(&self) -> Option<impl Iterator<Item = &Transform>> {
        (self.known == Known::Pose).then(|| self.joints.iter().map(|own| &own.shown))
    }

    /// Switches if a controller jumped since it was last seen.
    pub(crate) fn follow(&mut self, switch_count: u32, seconds: f32) {
        if switch_count != self.switch_count {
            self.switch_count = switch_count;
            self.switch(seconds);
        }
    }

    /// Puts a pose back to what the motions had made of it, which is what they go on from where they leave joints as
    /// they are.
    pub(crate) fn take_back(&self, pose: &mut Pose) {
        if self.known == Known::Pose && self.joints.len() == pose.len() {
            for (at, own) in self.joints.iter().enumerate() {
                pose.set(at.into(), own.source);
            }
        }
    }

    /// Notes how far and how fast what was shown is off a motion, one pose of which is `pose`, `dt` seconds later.
    /// What the motion was before is taken to be the same where `is_first`, else known.
    fn start(&mut self, pose: &Pose, dt: f32, is_first: bool) {
        let step = self.step;
        // Without time passing any will do to tell speeds.
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
    /// Adds what is left of the offsets.
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
