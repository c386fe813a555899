//! The complete run-time state of one character: controller, inertia, pose, place and feet.
//!
//! ```text
//! bytes      version │ controller │ inertia │ place │ pose │ feet
//!            1 byte    block        block     24      joints that differ from what inertia showed
//! ```
//!
//! A block is its length in bytes as VLE, then the bytes. See `bytes` for numbers.

use super::trajectory::vertical;
use super::{AnimationController, AnimationSet, BindingWarning, ControllerState, PoseBinding};
use crate::ik::{FootCue, FootLock, FootLockSettings, FootStep};
use crate::inertia::Inertia;
use crate::inertia::bytes::{differences, put_transform, read_transform};
use crate::math::GroundTransform;
use crate::math::Transform;
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::Skeleton;
use crate::state_bytes::{StateBytesError, StateReader, invalid_value, put_vle};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::Vec3;

/// The first byte; distinct from those of controller states, differences and inertia.
const VERSION: u8 = 0x61;

/// The complete run-time state of one character of a skeleton. Saved and restored, it continues bit-exactly. Tracks
/// and sample buffers are in a [`PoseBinding`], which any number of characters share.
///
/// ```
/// # use std::sync::Arc;
/// # use sinew::animation::*;
/// # use sinew::control::*;
/// # use sinew::scene::*;
/// # use sinew::*;
/// # let joint = Joint { name: "hips".into(), parent: None, rest: Transform::IDENTITY, tip: None };
/// # let skeleton = Arc::new(Skeleton::new(vec![joint])?);
/// # let mut set = AnimationSet::new();
/// # let walk = set.add(Animation::new("walk", 1.0))?;
/// # let set = Arc::new(set);
/// let mut binding = PoseBinding::new(&set, &skeleton);
/// let mut character = Character::new(&set, &skeleton);
/// let walk = AnimationParameters::new(&set, walk).looped();
/// character.controller.play_existing_exclusive(walk, 0.2)?;
/// character.update(&mut binding, 1.0 / 60.0)?;
///
/// let bytes = character.to_bytes(&skeleton);
/// let mut other = Character::from_bytes(&bytes, &set, &skeleton)?;
/// character.update(&mut binding, 1.0 / 60.0)?;
/// other.update(&mut binding, 1.0 / 60.0)?;
/// assert_eq!(character.pose, other.pose);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Character {
    /// The controller.
    pub controller: AnimationController,
    /// The inertialization of the pose.
    pub inertia: Inertia,
    /// The pose that was shown last.
    pub pose: Pose,
    /// The place over the ground, moved by [root motion](PoseBinding::root_motion).
    pub place: GroundTransform,
    /// The foot-skate cleanup; `None` to disable it.
    pub feet: Option<FootLock>,
}

impl Character {
    /// Creates a character at rest that plays nothing.
    pub fn new(set: &Arc<AnimationSet>, skeleton: &Skeleton) -> Self {
        Self {
            controller: AnimationController::new(set.clone()),
            inertia: Inertia::new(skeleton),
            pose: Pose::rest(skeleton),
            place: GroundTransform::IDENTITY,
            feet: None,
        }
    }

    /// Advances by `dt` seconds: updates the controller, applies it to the pose with inertialization and moves the
    /// character over the ground. Returns a warning for each animation that was not applied. Does not allocate once as
    /// many animations played before.
    ///
    /// # Errors
    /// If the binding is for a skeleton with another number of joints.
    pub fn update<'b>(
        &mut self,
        binding: &'b mut PoseBinding,
        dt: f32,
    ) -> Result<&'b [BindingWarning], JointCountMismatch> {
        self.controller.update(dt);
        JointCountMismatch::check(binding.skeleton().len(), self.pose.len())?;
        let step = binding.root_motion(&self.controller);
        let warnings =
            binding.apply_smooth(&self.controller, &mut self.inertia, dt, &mut self.pose)?;
        let step = self.inertia.smooth_root(step, dt);
        self.place = step.then(&self.place);
        Ok(warnings)
    }

    /// Keeps planted feet in place, after [`Self::update`] with the same `dt`. There is one cue for each of
    /// [`FootLock::legs`]. Does nothing without [`Self::feet`].
    ///
    /// # Errors
    /// If the skeleton has another number of joints.
    pub fn clean_feet(
        &mut self,
        skeleton: &Skeleton,
        dt: f32,
        cues: &[FootCue],
    ) -> Result<(), JointCountMismatch> {
        let Some(feet) = &mut self.feet else {
            return Ok(());
        };
        let place = &self.place;
        let step = FootStep {
            seconds: dt,
            placement: Transform {
                position: Vec3::new(place.x as f32, 0.0, place.z as f32),
                rotation: vertical(place.angle),
                scale: Vec3::ONE,
            },
            cues,
        };
        feet.clean(skeleton, &step, &mut self.pose)
    }

    /// Encodes the character compactly; [`from_bytes`](Self::from_bytes) reads it with the same set and skeleton.
    pub fn to_bytes(&self, skeleton: &Skeleton) -> Vec<u8> {
        let mut out = alloc::vec![VERSION];
        let set = self.controller.animation_set();
        for block in [
            self.controller.state().to_bytes(set),
            self.inertia.to_bytes(skeleton),
        ] {
            put_vle(block.len() as u64, &mut out);
            out.extend(block);
        }
        for number in [self.place.angle, self.place.x, self.place.z] {
            out.extend(number.to_bits().to_le_bytes());
        }
        put_pose(&self.pose, &shown_pose(&self.inertia, skeleton), &mut out);
        put_vle(u64::from(self.feet.is_some()), &mut out);
        if let Some(feet) = &self.feet {
            feet.put_state(&mut out);
        }
        out
    }

    /// Decodes a character that [`to_bytes`](Self::to_bytes) encoded. A [`FootLock`] gets the default settings.
    ///
    /// # Errors
    /// If the version, set or skeleton differs, the bytes end early or continue after the end, or the state is
    /// invalid.
    pub fn from_bytes(
        bytes: &[u8],
        set: &Arc<AnimationSet>,
        skeleton: &Skeleton,
    ) -> Result<Self, StateBytesError> {
        let feet = FootLock::new(skeleton, FootLockSettings::default());
        let mut character = Self::new(set, skeleton);
        character.feet = Some(feet);
        character.restore(bytes, skeleton)?;
        Ok(character)
    }

    /// Restores what [`to_bytes`](Self::to_bytes) encoded, with the set of the controller. The settings of
    /// [`Self::feet`] are kept.
    ///
    /// # Errors
    /// Like [`Self::from_bytes`]; the character then stays unchanged.
    pub fn restore(&mut self, bytes: &[u8], skeleton: &Skeleton) -> Result<(), StateBytesError> {
        let set = self.controller.animation_set().clone();
        let mut reader = StateReader::new(bytes);
        reader.version(VERSION, "the version of a character, 97")?;
        let state = ControllerState::from_bytes(reader.block("a controller")?, &set)?;
        let inertia = Inertia::from_bytes(reader.block("an inertia")?, skeleton)?;
        let [angle, x, z] =
            ["an angle", "a place", "a place"].map(|expected| reader.finite_f64(expected));
        let place = GroundTransform {
            angle: angle?,
            x: x?,
            z: z?,
        };
        let pose = read_pose(&mut reader, shown_pose(&inertia, skeleton))?;
        let has_feet = reader.vle_up_to(1, "whether there are feet, 0 or 1")? == 1;
        let feet = if has_feet {
            let new = || FootLock::new(skeleton, FootLockSettings::default());
            let mut feet = self.feet.clone().unwrap_or_else(new);
            feet.read_state(&mut reader)?;
            Some(feet)
        } else {
            None
        };
        reader.end()?;
        let mut controller = AnimationController::new(set);
        let restored = controller.restore(state);
        restored.map_err(|source| reader.unplayable(source))?;
        *self = Self {
            controller,
            inertia,
            pose,
            place,
            feet,
        };
        Ok(())
    }
}

/// Returns the pose that inertia showed last; rest if there is none.
fn shown_pose(inertia: &Inertia, skeleton: &Skeleton) -> Pose {
    let mut pose = Pose::rest(skeleton);
    for (joint, shown) in inertia.shown_transforms().into_iter().flatten().enumerate() {
        pose.set(joint.into(), *shown);
    }
    pose
}

/// Writes the joints of a pose that differ from another: their number, then the index, flags and channels of each.
fn put_pose(pose: &Pose, reference: &Pose, out: &mut Vec<u8>) {
    let flags = |joint: usize| differences(&pose.get(joint.into()), &reference.get(joint.into()));
    let differing = || (0..pose.len()).filter(|&joint| flags(joint) != 0);
    put_vle(differing().count() as u64, out);
    for joint in differing() {
        put_vle(joint as u64, out);
        put_vle(flags(joint).into(), out);
        put_transform(&pose.get(joint.into()), flags(joint), out);
    }
}

fn read_pose(reader: &mut StateReader<'_>, mut pose: Pose) -> Result<Pose, StateBytesError> {
    let count = reader.count("the number of joints that differ", 2)?;
    for _ in 0..count {
        let offset = reader.offset;
        let joint = reader.vle_u32("a joint")? as usize;
        if joint >= pose.len() {
            let expected = "a joint of the skeleton";
            return Err(invalid_value(offset, expected, format!("{joint}")));
        }
        let flags = reader.vle_up_to(7, "the flags of a joint")?;
        let transform = read_transform(reader, flags, &pose.get(joint.into()))?;
        pose.set(joint.into(), transform);
    }
    Ok(pose)
}
