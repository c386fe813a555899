//! A controller on a skeleton: animations are sampled into poses and blended over each other.

use super::clip::{ClipTrack, PackedClips};
use super::controller::LayerSharing;
use super::explain::{Contribution, JointHistory};
use super::filter::{Filters, SkippedAnimations, UnresolvedName, find_mask, find_start, weights};
use super::root_motion::{self, ClipMotion, RootStep};
use super::set::AnimationSet;
use super::trajectory::RootTrajectory;
use super::warning::WarningList;
use super::{AnimationController, AnimationParameters, BindingProblem, BindingWarning, BlendMode};
use crate::animation::TransformTrack;
use crate::blend::{
    ChannelSet, JointWeights, LayerChannels, LayerShares, LayerWeights, PoseLayer, overlay,
};
use crate::inertia::Inertia;
use crate::math::GroundTransform;
use crate::pose::{JointCountMismatch, Pose};
use crate::sample::SampleTime;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Applies a controller to poses of a skeleton.
///
/// Tracks are bound to joints by name when the binding is created, and again when it is given a controller with
/// another set. After that there are no name lookups and no allocations, except for a start bone, mask or additive
/// animation that it sees for the first time. One binding serves any number of characters in turn; clone it for
/// another thread.
///
/// Each animation is sampled into a pose and blended over the result of those below it, eight joints at a time. Of
/// keyframed animations, only the joints that the start bone and mask include are sampled. Compressed animations
/// ([`AnimationSet::add_packed`]) are sampled as whole poses; if they were packed for another skeleton, joints are
/// found by name and copied. The binding has a [`PackedCursor`](crate::PackedCursor) for each, whose buffers are
/// allocated when it is first played; for a small packing it caches the segment decoded last, about ten kilobytes.
/// Characters at different times of such an animation should have a binding each, or use
/// [`Packing::Fast`](crate::packed::Packing::Fast), which needs no decoded segment.
#[derive(Clone, Debug)]
pub struct PoseBinding {
    /// Resets every joint to rest before animations are applied. Otherwise joints that no animation moves keep their
    /// transform.
    pub reset_skeleton: bool,
    /// Treats the rest pose as an animation of full weight below all others: an animation that is the first to move a
    /// joint fades in from rest, and an additive one is added to rest. Otherwise the first animation to move a joint
    /// is applied at full weight, whatever its own weight. Animations of the lowest layer then [share
    /// it](AnimationParameters::shares_layer), so that a crossfade does not reveal the rest pose. Implies
    /// [`Self::reset_skeleton`].
    pub rest_is_base: bool,
    /// The root joint. [`Self::apply`] removes the motion of its [root trajectory](RootTrajectory) over the ground
    /// from the pose, and [`Self::root_motion`] returns it; `None` disables root motion. Preferably a joint without a
    /// parent: the ground is that of its parent's frame, with Y up.
    pub root: Option<JointIndex>,
    skeleton: Arc<Skeleton>,
    rest: Pose,
    set: Arc<AnimationSet>,
    clips: Vec<BoundClip>,
    packed: PackedClips,
    filters: Filters,
    /// The root motion of each animation, and the root joint that it was computed for.
    roots: (Option<JointIndex>, Vec<Option<BoundRoot>>),
    /// The sample of the animation that is being applied.
    sample: Pose,
    /// The channels that an animation has set.
    has_value: ChannelSet,
    /// The shares of the animations of a layer that are still to be applied.
    shares: LayerShares,
    skipped: SkippedAnimations,
    /// A buffer for the root steps of animations.
    steps: Vec<RootStep>,
    warnings: WarningList,
}

/// An animation of a set, bound to the skeleton.
#[derive(Clone, Debug, Default)]
struct BoundClip {
    /// The tracks with a joint.
    tracks: Vec<BoundPoseTrack>,
    channels: LayerChannels,
    /// Whether it is packed with the joint indices of the skeleton and can be sampled directly into a pose.
    has_same_joints: bool,
    /// The first pose, the reference of additive layers; created on first use and shared by clones of a binding.
    base: Option<Arc<Pose>>,
}

#[derive(Clone, Copy, Debug)]
struct BoundPoseTrack {
    track: ClipTrack,
    joint: JointIndex,
}

/// The root motion of an animation, and the track of the root.
#[derive(Clone, Debug)]
struct BoundRoot {
    track: ClipTrack,
    motion: ClipMotion,
}

impl PoseBinding {
    /// Binds the tracks of all animations of a set.
    pub fn new(set: &Arc<AnimationSet>, skeleton: &Arc<Skeleton>) -> Self {
        let mut binding = Self {
            reset_skeleton: false,
            rest_is_base: false,
            root: None,
            skeleton: skeleton.clone(),
            rest: Pose::rest(skeleton),
            set: set.clone(),
            clips: Vec::new(),
            packed: PackedClips::default(),
            filters: Filters::default(),
            roots: (None, Vec::new()),
            sample: Pose::rest(skeleton),
            has_value: ChannelSet::new(skeleton.len()),
            shares: LayerShares::new(skeleton.len()),
            skipped: SkippedAnimations::default(),
            steps: Vec::new(),
            warnings: WarningList::default(),
        };
        binding.bind();
        binding
    }

    /// Returns the skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Returns the tracks without a joint and the start bones that do not exist, each once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies the playing animations of a controller to a pose. Joints and channels that nothing animates keep their
    /// values, or are reset to rest if [`Self::reset_skeleton`] or [`Self::rest_is_base`] is set. Returns a warning
    /// for each playing animation that is not applied because its start bone or mask does not exist.
    ///
    /// # Errors
    /// If the pose has another number of joints.
    pub fn apply(
        &mut self,
        controller: &AnimationController,
        pose: &mut Pose,
    ) -> Result<&[BindingWarning], JointCountMismatch> {
        JointCountMismatch::check(self.skeleton.len(), pose.len())?;
        self.rebind(controller.animation_set());
        if self.reset_skeleton || self.rest_is_base {
            pose.copy_from(&self.rest);
        }
        // Moved out while layers borrow the binding.
        let mut has_value = core::mem::take(&mut self.has_value);
        has_value.fill(self.rest_is_base);
        self.skipped.start();
        let mut shared_layer = None;
        for (_, parameters) in controller.application_order() {
            match self.layer(controller, parameters, &mut shared_layer) {
                Ok(layer) => overlay(&layer, &mut has_value, pose),
                Err(Some(unresolved)) => self.skipped.add(unresolved, parameters),
                Err(None) => {}
            }
        }
        self.has_value = has_value;
        Ok(self.skipped.finish())
    }

    /// Samples an animation as a layer over those below it. `shared_layer` is for [`Self::find_shares`].
    ///
    /// # Errors
    /// If it is not applied; with a reason if its start bone or mask does not exist.
    fn layer(
        &mut self,
        controller: &AnimationController,
        parameters: &AnimationParameters,
        shared_layer: &mut Option<(u32, bool)>,
    ) -> Result<PoseLayer<'_>, Option<UnresolvedName>> {
        let weight = parameters.applied_weight();
        if weight <= 0.0 {
            return Err(None);
        }
        let is_shared = self.find_shares(controller, parameters, shared_layer);
        let filter = self.filter(parameters);
        let animation = parameters.animation;
        let clip = self.set.clip(animation).ok_or(None)?;
        let info = clip.info().ok_or(None)?;
        let bound = self.clips.get_mut(animation.index()).ok_or(None)?;
        let joints = self.filters.weights(filter).map_err(Some)?;

        let time = parameters.sample_time(info.length);
        let tracks = clip.tracks();
        match tracks {
            Some(tracks) => bound.sample_tracks(tracks, &time, joints, &mut self.sample),
            None if bound.has_same_joints => {
                let time = time.wrapped_seconds();
                self.packed.sample_into(animation, time, &mut self.sample);
            }
            None => {
                let packed = self.packed.sample_pose(animation, time.wrapped_seconds());
                copy_joints(&bound.tracks, packed.ok_or(None)?, &mut self.sample);
            }
        }
        let root = self.roots.1.get(animation.index());
        let root = self.root.zip(root.and_then(Option::as_ref));
        if let Some((joint, root)) = root {
            let keys = tracks.map(|tracks| &tracks[root.track.index as usize]);
            let mut value = self.sample.get(joint);
            root.motion.subtract(&time, &root.track, keys, &mut value);
            self.sample.set(joint, value);
        }
        let base = match parameters.blend_mode {
            BlendMode::Lerp => None,
            BlendMode::Additive => {
                let first = self.packed.first(animation);
                let make = || Arc::new(first_pose(&self.rest, &bound.tracks, tracks, first, root));
                Some(&**bound.base.get_or_insert_with(make))
            }
        };
        let weights = LayerWeights {
            weight,
            joints,
            channels: &bound.channels,
        };
        if is_shared {
            self.shares.subtract(&weights);
        }
        Ok(PoseLayer {
            sample: &self.sample,
            base,
            weights,
            above: is_shared.then_some(&self.shares),
        })
    }

    /// Returns whether other animations share the layer of an animation. For the first of a layer it sums the shares
    /// of all of them, joint by joint; `layer` caches the last layer queried. Channels that an animation does not
    /// animate or apply are not counted.
    fn find_shares(
        &mut self,
        controller: &AnimationController,
        parameters: &AnimationParameters,
        layer: &mut Option<(u32, bool)>,
    ) -> bool {
        let sharing = match controller.layer_sharing(parameters, self.rest_is_base, layer) {
            LayerSharing::First(sharing) => sharing,
            LayerSharing::Cached(is_shared) => return is_shared,
        };
        self.shares.clear();
        for instance in sharing {
            let filter = self.filter(instance);
            let bound = self.clips.get(instance.animation.index());
            if let (Some(bound), Ok(joints)) = (bound, self.filters.weights(filter)) {
                self.shares.add(&LayerWeights {
                    weight: instance.applied_weight(),
                    joints,
                    channels: &bound.channels,
                });
            }
        }
        true
    }

    /// Applies the playing animations of a controller `dt` seconds after the last call, with inertialization: an
    /// [inertial](super::FadeMode::Inertial) fade that began since then is smoothed. `inertia` and `pose` belong to
    /// the character; `pose` is the one shown last.
    ///
    /// # Errors
    /// If the pose or `inertia` has another number of joints.
    pub fn apply_smooth(
        &mut self,
        controller: &AnimationController,
        inertia: &mut Inertia,
        dt: f32,
        pose: &mut Pose,
    ) -> Result<&[BindingWarning], JointCountMismatch> {
        inertia.restore_source(pose);
        self.apply(controller, pose)?;
        let switch = controller.inertial_switch();
        inertia.follow(switch.count, switch.seconds);
        inertia.apply(pose, dt)?;
        Ok(self.skipped.finish())
    }

    /// Returns the root motion of the last [`update`](AnimationController::update) of a controller: the steps of the
    /// animations along their [root trajectories](RootTrajectory), blended like their poses. It is relative to the
    /// character, whose new place is `step.then(&place)`. Identity without a root.
    ///
    /// It is continuous across loops, reversals and fades. Sway, yaw and bob of the root joint are not included and
    /// stay in the pose; starting and stopping a straight walk does not turn the character. Turns of more than half a
    /// turn in one update keep their direction and amount. Does not allocate once as many animations played before.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use sinew::glam::Vec3;
    /// # use sinew::math::GroundTransform;
    /// # use sinew::animation::*;
    /// # use sinew::control::*;
    /// # use sinew::scene::*;
    /// # use sinew::*;
    /// # let joint = Joint { name: "hips".into(), parent: None, rest: Transform::IDENTITY, tip: None };
    /// # let skeleton = Arc::new(Skeleton::new(vec![joint])?);
    /// # let mut walk = Animation::new("walk", 1.0);
    /// # let mut track = TransformTrack::new("hips");
    /// # let keys = [(0.0, Vec3::Y), (1.0, Vec3::new(0.0, 1.0, 1.5))];
    /// # track.position = Some(Channel::from_keys(keys, Interpolation::Linear)?);
    /// # walk.set_track(track);
    /// # let mut set = AnimationSet::new();
    /// # let walk = set.add(walk)?;
    /// # let set = Arc::new(set);
    /// let mut controller = AnimationController::new(set.clone());
    /// let mut binding = PoseBinding::new(&set, &skeleton);
    /// binding.root = Some(JointIndex(0));
    /// let mut pose = Pose::rest(&skeleton);
    /// let mut place = GroundTransform::IDENTITY;
    /// controller.play_new(AnimationParameters::new(&set, walk).looped(), 0.0)?;
    /// for _ in 0..150 {
    ///     controller.update(1.0 / 60.0);
    ///     binding.apply(&controller, &mut pose)?;
    ///     place = binding.root_motion(&controller).then(&place);
    /// }
    /// // The walk goes a metre and a half per second, the pose stays on the spot.
    /// assert!((place.z - 2.5 * 1.5).abs() < 1e-4);
    /// assert!((pose.position(JointIndex(0)) - Vec3::Y).length() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root_motion(&mut self, controller: &AnimationController) -> GroundTransform {
        self.rebind(controller.animation_set());
        self.steps.clear();
        let Some(root) = self.root else {
            return GroundTransform::IDENTITY;
        };
        for (order, parameters, range, weight) in controller.playhead_steps() {
            let filter = self.filter(parameters);
            let Ok(joints) = self.filters.weights(filter) else {
                continue;
            };
            let weight = weight * joints.map_or(1.0, |joints| joints.get(root));
            let bound = self.roots.1.get(parameters.animation.index());
            let Some(bound) = bound.and_then(Option::as_ref).filter(|_| weight > 0.0) else {
                continue;
            };
            let [position, rotation, _] = bound.track.weights();
            self.steps.push(RootStep {
                order: (parameters.layer, order),
                mode: parameters.blend_mode,
                weights: [position, rotation].map(|track| track.map(|track| weight * track)),
                shares: controller.shares(parameters, self.rest_is_base),
                step: bound.motion.step(&range),
            });
        }
        root_motion::blend_steps(&mut self.steps, self.rest_is_base)
    }

    /// Returns the contribution of each animation to the transform that [`Self::apply`] gives a joint, in the order of
    /// application. Allocates.
    pub fn explain(
        &mut self,
        controller: &AnimationController,
        joint: JointIndex,
    ) -> Vec<Contribution> {
        self.rebind(controller.animation_set());
        let rest = self.skeleton.joint(joint).map(|joint| joint.rest);
        let mut history = JointHistory::new(rest.filter(|_| self.rest_is_base));
        let mut shared_layer = None;
        for (index, parameters) in controller.application_order() {
            if let Ok(layer) = self.layer(controller, parameters, &mut shared_layer)
                && let Some(layer) = layer.joint(joint)
            {
                history.overlay((index, parameters), &layer);
            }
        }
        history.list
    }

    fn rebind(&mut self, set: &Arc<AnimationSet>) {
        if !Arc::ptr_eq(set, &self.set) {
            self.set = set.clone();
            self.bind();
        }
        if self.roots.0 != self.root {
            self.bind_root();
        }
    }

    /// Binds the root motion of each animation: the trajectory that the set has for its root motion joint, or a new
    /// one if the root is another joint.
    fn bind_root(&mut self) {
        let mut roots = Vec::new();
        let root = self.root;
        let joint = root.and_then(|root| Some((root, self.skeleton.joint(root)?)));
        for (animation, bound) in self.set.indices().zip(&mut self.clips) {
            // It has, or had, the root motion of another joint removed.
            bound.base = None;
            let motion = joint.and_then(|(root, joint)| {
                let bound = bound.tracks.iter().find(|bound| bound.joint == root)?;
                let track = bound.track;
                let clip_root = self.set.clip_root(animation);
                let trajectory =
                    match clip_root.filter(|clip_root| clip_root.track.index == track.index) {
                        Some(clip_root) => clip_root.trajectory.clone(),
                        None => Arc::new(RootTrajectory::new(self.set.clip(animation)?, &track)),
                    };
                let turns = track.channels.rotation;
                let motion = ClipMotion::new(trajectory, joint.rest.rotation, turns);
                Some(BoundRoot { track, motion })
            });
            roots.push(motion);
        }
        self.roots = (root, roots);
    }

    fn bind(&mut self) {
        self.warnings.clear();
        self.filters.clear();
        self.clips.clear();
        self.packed.clear();
        self.roots = (None, Vec::new());
        for animation in self.set.indices() {
            let clip = self.set.clip(animation);
            let Some((clip, info)) = clip.and_then(|clip| Some((clip, clip.info()?))) else {
                let name = self.set.name(animation).unwrap_or("");
                self.warnings
                    .add(animation, name, BindingProblem::ArmatureMismatch);
                self.clips.push(BoundClip::default());
                continue;
            };
            self.packed.add(&self.set, animation);
            let mut bound = BoundClip {
                channels: LayerChannels::new(self.skeleton.len()),
                ..BoundClip::default()
            };
            for (name, track) in clip.joint_tracks() {
                match self.skeleton.find(name) {
                    Some(joint) => {
                        bound.channels.insert(joint, track.weights());
                        bound.tracks.push(BoundPoseTrack { track, joint });
                    }
                    None => self
                        .warnings
                        .add(animation, name, BindingProblem::NoSuchNode),
                }
            }
            for track in &info.variants {
                self.warnings
                    .add(animation, &track.name, BindingProblem::NotInPose);
            }
            let count = self.packed.joint_count(animation);
            let mut tracks = bound.tracks.iter();
            bound.has_same_joints = count == Some(self.skeleton.len())
                && tracks.all(|bound| bound.track.index == bound.joint.0);
            self.clips.push(bound);
        }
    }

    /// Returns the filter of an animation; `None` without one.
    fn filter(&mut self, parameters: &AnimationParameters) -> Option<usize> {
        let (skeleton, set) = (&self.skeleton, &self.set);
        self.filters.find(parameters, &mut self.warnings, || {
            let start = find_start(parameters, |name| skeleton.find(name))?;
            let mask = find_mask(parameters, set, |name| skeleton.find(name).is_some())?;
            let joints = skeleton.joints().iter();
            let joints = joints.map(|j| (j.name.as_str(), j.parent.map(JointIndex::index)));
            Ok(weights(joints, start.map(JointIndex::index), mask))
        })
    }
}

impl BoundClip {
    /// Samples keyframed tracks into a pose, except those of joints without weight.
    fn sample_tracks<'a>(
        &self,
        tracks: &'a [TransformTrack],
        time: &SampleTime<'a>,
        joints: Option<&JointWeights>,
        pose: &mut Pose,
    ) {
        for bound in &self.tracks {
            if joints.is_none_or(|joints| joints.get(bound.joint) > 0.0) {
                time.sample(&tracks[bound.track.index as usize], bound.joint, pose);
            }
        }
    }
}

/// Copies the joints from a pose of the packed animation's skeleton.
fn copy_joints(tracks: &[BoundPoseTrack], packed: &Pose, pose: &mut Pose) {
    for bound in tracks {
        pose.set(bound.joint, packed.get(JointIndex(bound.track.index)));
    }
}

/// Returns the pose at the start of a clip, the reference of additive layers: from `keys`, or from the `packed` pose
/// of another skeleton.
fn first_pose(
    rest: &Pose,
    tracks: &[BoundPoseTrack],
    keys: Option<&[TransformTrack]>,
    packed: Option<&Pose>,
    root: Option<(JointIndex, &BoundRoot)>,
) -> Pose {
    let mut pose = rest.clone();
    if let Some(keys) = keys {
        for bound in tracks {
            pose.set(bound.joint, bound.track.first(keys));
        }
    } else if let Some(packed) = packed {
        copy_joints(tracks, packed, &mut pose);
    }
    if let Some((joint, root)) = root {
        let mut value = pose.get(joint);
        root.motion.subtract_first(&mut value);
        pose.set(joint, value);
    }
    pose
}
