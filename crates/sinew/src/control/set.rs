//! The animations that a controller can play.

use super::clip::ClipTrack;
use super::hash::{START, fnv1a, fold};
use super::registrations::Registration;
use super::trajectory::RootTrajectory;
use super::{ArmatureAnimationIndex, Mask, Name, SharedArmature};
use crate::animation::AnimationIndex;
use crate::animation::{Animation, AnimationError, Trigger, Variant, check_triggers};
use crate::packed::PackedAnimation;
use crate::skeleton::Skeleton;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// An error of adding an animation to a set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The animation is invalid.
    #[error("the animation {name:?} cannot be played: {source}")]
    Invalid {
        /// The name of the animation.
        name: String,
        /// The reason.
        source: AnimationError,
    },
    /// The set already has an animation of that name.
    #[error("two animations are called {name:?}; add one of them under another name")]
    SameName {
        /// The name.
        name: String,
    },
    /// The animation was packed for another skeleton.
    #[error(
        "the animation {name:?} was packed for a skeleton of {animation} joints; this one has {skeleton}"
    )]
    JointCount {
        /// The name of the animation.
        name: String,
        /// The number of joints that it was packed for.
        animation: usize,
        /// The number of joints of the skeleton.
        skeleton: usize,
    },
    /// The number of animations differs from the number of motions of a registration.
    #[error("the registration is of {expected} motions; found {found} animations")]
    MotionCount {
        /// The number of motions of the curve.
        expected: usize,
        /// The number of animations given.
        found: usize,
    },
    /// The set has no such animation.
    #[error("there is no animation {animation}; the set has {count}")]
    NoSuchAnimation {
        /// The index given.
        animation: u32,
        /// The number of animations of the set.
        count: usize,
    },
}

/// The data of an animation of a set.
#[derive(Clone, Debug)]
pub(super) enum Clip {
    /// Keyframed tracks.
    Keyed(Arc<Animation>),
    /// Compressed, with a skeleton of the same number of joints.
    Packed {
        animation: Arc<PackedAnimation<'static>>,
        skeleton: Arc<Skeleton>,
    },
    /// An animation of a 2D character.
    #[cfg_attr(not(feature = "skelform"), expect(dead_code))]
    Armature(SharedArmature, ArmatureAnimationIndex),
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) length: f32,
    pub(super) triggers: Vec<Trigger>,
    pub(super) clip: Clip,
    pub(super) root: Option<ClipRoot>,
}

/// The root trajectory of a clip, and the track of its root joint.
#[derive(Clone, Debug)]
pub(super) struct ClipRoot {
    pub(super) track: ClipTrack,
    pub(super) trajectory: Arc<RootTrajectory>,
}

/// Animations for controllers to play, addressed by index. They are validated when added, and shared by `Arc`: any
/// number of controllers play from one set.
///
/// Both ends of a network connection must add the same animations in the same order; compare
/// [`fingerprint`](Self::fingerprint) to verify that.
#[derive(Clone, Debug, Default)]
pub struct AnimationSet {
    entries: Vec<Entry>,
    /// The index of the first animation of each name.
    by_name: BTreeMap<String, AnimationIndex>,
    masks: Vec<(Name, Mask)>,
    pub(super) registrations: Vec<Registration>,
    fingerprint: u32,
}

impl AnimationSet {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an animation under its own name.
    ///
    /// # Errors
    /// If it is invalid ([`Animation::check`]), or the set has one of that name.
    pub fn add(
        &mut self,
        animation: impl Into<Arc<Animation>>,
    ) -> Result<AnimationIndex, SetError> {
        let animation = animation.into();
        self.add_as(animation.name.clone(), animation)
    }

    /// Adds an animation under another name.
    ///
    /// # Errors
    /// Like [`Self::add`].
    pub fn add_as(
        &mut self,
        name: impl Into<String>,
        animation: impl Into<Arc<Animation>>,
    ) -> Result<AnimationIndex, SetError> {
        let name = name.into();
        if self.find(&name).is_some() {
            return Err(SetError::SameName { name });
        }
        let entry = Entry::keyed(name, animation.into())?;
        Ok(self.push(entry))
    }

    /// Adds a compressed animation under its own name, with the skeleton that it was packed for. It plays like its
    /// source: name, length, triggers, variants and track weights come from its [`info`](PackedAnimation::info), the
    /// animated channels are its [`channels`](PackedAnimation::channels), and the reference of additive blending is
    /// the pose at time 0. It may be bound to any skeleton; joints are found by name.
    ///
    /// There is one difference. If the keys of a loop end before its length, the keyframed animation interpolates back
    /// to the first key in the remaining time, while a packed one holds its last pose. One that keeps its source
    /// ([`Packing::Plain`](crate::packed::Packing::Plain)) also interpolates back.
    ///
    /// ```
    /// use sinew_author::compress::{CompressSettings, compress};
    /// use sinew::glam::Vec3;
    /// use sinew::animation::*;
    /// use sinew::control::*;
    /// use sinew::scene::*;
    /// use sinew::*;
    /// use std::sync::Arc;
    ///
    /// # let joint = Joint { name: "hips".into(), parent: None, rest: Transform::IDENTITY, tip: None };
    /// # let skeleton = Arc::new(Skeleton::new(vec![joint])?);
    /// # let mut walk = Animation::new("walk", 1.0);
    /// # let keys = (0..=60).map(|frame| frame as f32 / 60.0).map(|time| (time, Vec3::Z * time));
    /// # let mut track = TransformTrack::new("hips");
    /// # track.position = Some(Channel::from_keys(keys, Interpolation::Linear)?);
    /// # walk.set_track(track);
    /// // An animation and its skeleton, made or read somewhere.
    /// let packed = compress(&skeleton, &walk, &CompressSettings::default())?;
    /// let mut set = AnimationSet::new();
    /// let walk = set.add_packed(packed, &skeleton)?;
    /// let set = Arc::new(set);
    ///
    /// let mut controller = AnimationController::new(set.clone());
    /// let mut binding = PoseBinding::new(&set, &skeleton);
    /// let mut pose = Pose::rest(&skeleton);
    /// controller.play_new(AnimationParameters::new(&set, walk).looped(), 0.0)?;
    /// controller.update(0.25);
    /// binding.apply(&controller, &mut pose)?;
    /// assert!((pose.position(JointIndex(0)).z - 0.25).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the skeleton's number of joints differs from the one that it was packed for, its info is invalid
    /// ([`Animation::check`]), or the set has an animation of that name.
    pub fn add_packed(
        &mut self,
        animation: impl Into<Arc<PackedAnimation<'static>>>,
        skeleton: &Arc<Skeleton>,
    ) -> Result<AnimationIndex, SetError> {
        let animation = animation.into();
        self.add_packed_as(animation.name(), animation.clone(), skeleton)
    }

    /// Adds a compressed animation under another name; see [`Self::add_packed`].
    ///
    /// # Errors
    /// Like [`Self::add_packed`].
    pub fn add_packed_as(
        &mut self,
        name: impl Into<String>,
        animation: impl Into<Arc<PackedAnimation<'static>>>,
        skeleton: &Arc<Skeleton>,
    ) -> Result<AnimationIndex, SetError> {
        let name = name.into();
        if self.find(&name).is_some() {
            return Err(SetError::SameName { name });
        }
        let entry = Entry::packed(name, animation.into(), skeleton.clone())?;
        Ok(self.push(entry))
    }

    /// Replaces an animation under the same name, for example after its keys were edited. Bindings rebind its tracks
    /// when they receive the changed set. The triggers are those of the new animation; those from
    /// [`Self::add_trigger`] are lost.
    ///
    /// # Errors
    /// If there is no such animation, or the new one is invalid.
    pub fn replace(
        &mut self,
        animation: AnimationIndex,
        replacement: impl Into<Arc<Animation>>,
    ) -> Result<(), SetError> {
        let index = self.entry(animation)?;
        let name = self.entries[index].name.clone();
        self.replace_at(index, Entry::keyed(name, replacement.into())?);
        Ok(())
    }

    /// Replaces an animation with a compressed one under the same name; see [`Self::replace`].
    ///
    /// # Errors
    /// If there is no such animation, or the new one cannot be added ([`Self::add_packed`]).
    pub fn replace_packed(
        &mut self,
        animation: AnimationIndex,
        replacement: impl Into<Arc<PackedAnimation<'static>>>,
        skeleton: &Arc<Skeleton>,
    ) -> Result<(), SetError> {
        let index = self.entry(animation)?;
        let name = self.entries[index].name.clone();
        self.replace_at(
            index,
            Entry::packed(name, replacement.into(), skeleton.clone())?,
        );
        Ok(())
    }

    /// Adds a trigger to an animation, such as one of a 2D character, whose file format has none.
    ///
    /// # Errors
    /// If there is no such animation, or the time is negative or not finite.
    pub fn add_trigger(
        &mut self,
        animation: AnimationIndex,
        time: f32,
        data: impl Into<Variant>,
    ) -> Result<(), SetError> {
        let index = self.entry(animation)?;
        let entry = &mut self.entries[index];
        let place = entry
            .triggers
            .partition_point(|trigger| trigger.time <= time);
        let data = data.into();
        entry.triggers.insert(place, Trigger { time, data });
        let checked = check_triggers(&entry.triggers);
        if checked.is_err() {
            entry.triggers.remove(place);
        }
        checked.map_err(|source| SetError::Invalid {
            name: entry.name.clone(),
            source,
        })
    }

    /// Adds a mask, or replaces the one of that name.
    pub fn set_mask(&mut self, name: &str, mask: Mask) {
        match self.masks.iter_mut().find(|(key, _)| key.as_str() == name) {
            Some((_, current)) => *current = mask,
            None => self.masks.push((name.into(), mask)),
        }
    }

    /// Returns the mask of that name.
    pub fn mask(&self, name: &str) -> Option<&Mask> {
        let found = self.masks.iter().find(|(key, _)| key.as_str() == name);
        found.map(|(_, mask)| mask)
    }

    /// Returns the number of animations.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Finds the first animation of that name; exact match.
    pub fn find(&self, name: &str) -> Option<AnimationIndex> {
        self.by_name.get(name).copied()
    }

    /// Returns the indices of all animations.
    pub fn indices(&self) -> impl Iterator<Item = AnimationIndex> {
        (0..self.entries.len()).map(Into::into)
    }

    /// Returns the name of an animation in this set.
    pub fn name(&self, animation: AnimationIndex) -> Option<&str> {
        Some(&self.entries.get(animation.index())?.name)
    }

    /// Returns the length of an animation in seconds.
    pub fn length(&self, animation: AnimationIndex) -> Option<f32> {
        Some(self.entries.get(animation.index())?.length)
    }

    /// Returns the triggers of an animation, sorted by time.
    pub fn triggers(&self, animation: AnimationIndex) -> &[Trigger] {
        let entry = self.entries.get(animation.index());
        entry.map_or(&[], |entry| &entry.triggers)
    }

    /// Returns a keyframed animation; `None` for compressed ones and those of a 2D character.
    pub fn animation(&self, animation: AnimationIndex) -> Option<&Arc<Animation>> {
        match self.clip(animation)? {
            Clip::Keyed(animation) => Some(animation),
            Clip::Packed { .. } | Clip::Armature(..) => None,
        }
    }

    /// Returns a compressed animation; `None` for all others.
    pub fn packed(&self, animation: AnimationIndex) -> Option<&Arc<PackedAnimation<'static>>> {
        match self.clip(animation)? {
            Clip::Packed { animation, .. } => Some(animation),
            Clip::Keyed(_) | Clip::Armature(..) => None,
        }
    }

    /// Returns the root trajectory of an animation: that of the joint that moves farthest over the ground. `None` for
    /// animations without positions, and for those of a 2D character.
    pub fn root_trajectory(&self, animation: AnimationIndex) -> Option<&RootTrajectory> {
        Some(&self.clip_root(animation)?.trajectory)
    }

    pub(super) fn clip_root(&self, animation: AnimationIndex) -> Option<&ClipRoot> {
        self.entries.get(animation.index())?.root.as_ref()
    }

    pub(super) fn clip(&self, animation: AnimationIndex) -> Option<&Clip> {
        Some(&self.entries.get(animation.index())?.clip)
    }

    /// Returns a hash that is equal for two sets with the same names and lengths in the same order.
    pub fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    pub(super) fn push(&mut self, entry: Entry) -> AnimationIndex {
        let index = AnimationIndex::from(self.entries.len());
        self.by_name.entry(entry.name.clone()).or_insert(index);
        self.fingerprint = entry.add_to(self.fingerprint);
        self.entries.push(entry);
        index
    }

    fn replace_at(&mut self, index: usize, entry: Entry) {
        self.entries[index] = entry;
        let entries = self.entries.iter();
        self.fingerprint = entries.fold(0, |fingerprint, entry| entry.add_to(fingerprint));
    }

    fn entry(&self, animation: AnimationIndex) -> Result<usize, SetError> {
        let index = animation.index();
        if index < self.entries.len() {
            return Ok(index);
        }
        Err(SetError::NoSuchAnimation {
            animation: animation.0,
            count: self.entries.len(),
        })
    }
}

impl Entry {
    /// Returns the fingerprint of a set after this animation is appended.
    fn add_to(&self, fingerprint: u32) -> u32 {
        let mut hash = fnv1a(START, &fingerprint.to_le_bytes());
        hash = fnv1a(hash, self.name.as_bytes());
        hash = fnv1a(hash, &self.length.to_bits().to_le_bytes());
        fold(hash)
    }

    fn keyed(name: String, animation: Arc<Animation>) -> Result<Self, SetError> {
        Self::new(name, &animation.clone(), Clip::Keyed(animation))
    }

    fn packed(
        name: String,
        animation: Arc<PackedAnimation<'static>>,
        skeleton: Arc<Skeleton>,
    ) -> Result<Self, SetError> {
        if animation.joint_count() != skeleton.len() {
            return Err(SetError::JointCount {
                name,
                animation: animation.joint_count(),
                skeleton: skeleton.len(),
            });
        }
        let clip = Clip::Packed {
            animation: animation.clone(),
            skeleton,
        };
        Self::new(name, animation.info(), clip)
    }

    /// Creates an entry for a clip with the metadata of `info`.
    fn new(name: String, info: &Animation, clip: Clip) -> Result<Self, SetError> {
        if let Err(source) = info.check() {
            return Err(SetError::Invalid { name, source });
        }
        let root = clip.root_track().map(|track| ClipRoot {
            track,
            trajectory: Arc::new(RootTrajectory::new(&clip, &track)),
        });
        Ok(Self {
            name,
            length: info.length,
            triggers: info.triggers.clone(),
            clip,
            root,
        })
    }
}
