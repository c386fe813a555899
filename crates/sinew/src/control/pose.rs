//! A controller on a skeleton: the fast path, straight into a pose.

use super::blend::shared_weight;
use super::controller::LayerSharing;
use super::explain::Contribution;
use super::filter::{Filters, NotApplied, find_mask, find_start, weights};
use super::moment::{JointWeight, Moment, Placed, Told};
use super::root::{self, ClipMotion, Root, RootStep};
use super::set::{AnimationSet, Clip};
use super::source::{Mover, PackedClips, Said, Source, Value, of_poses, of_tracks};
use super::trajectory::RootTrajectory;
use super::warning::WarningList;
use super::whole::Whole;
use super::{AnimationController, AnimationParameters, BindingProblem, BindingWarning, BlendMode};
use crate::inertia::Inertia;
use crate::math::GroundMove;
use crate::math::Transform;
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// Applies a controller to poses of a skeleton.
///
/// Tracks find their joints by name when it is made, and again when it meets a controller with another set.
/// After that nothing is looked up by letters and nothing allocates, but for a start bone or mask that it
/// has not met before. One binding serves any number of characters in turn; clone it for another thread.
///
/// Compressed animations ([`AnimationSet::add_packed`]) are sampled as whole poses. Where the joints are those of the
/// skeleton that one was packed for, at the same positions, and it plays on the whole body, it is blended eight
/// joints at a time too; otherwise joints are found by name and blended one by one, to the same bits. The binding
/// has a [`PackedCursor`](crate::PackedCursor) for each, whose buffers are allocated when it is first played: of an
/// animation that is packed small it holds the stretch that was unpacked last, some ten kilobytes. Characters
/// who are at different moments of it want bindings of their own, or
/// [`Packing::Fast`](crate::packed::Packing::Fast), which needs nothing unpacked.
#[derive(Clone, Debug)]
pub struct PoseBinding {
    /// Puts every joint to rest before animations are applied, so that what no animation moves is at rest.
    /// Otherwise it stays where it is.
    pub reset_skeleton: bool,
    /// Counts the rest pose as an animation of full weight below all others: where nothing below moves a joint, what
    /// fades in there fades in from rest, and what is additive is added to rest. Otherwise the first animation to move a
    /// joint counts in full at once, whatever its weight. Animations of the lowest layer then
    /// [share it](AnimationParameters::shares_layer), so that a crossfade does not show rest. Implies
    /// [`Self::reset_skeleton`].
    pub rest_is_base: bool,
    /// The root joint: the motion of its [root trajectory](RootTrajectory) over the ground is taken out of the pose by
    /// [`Self::apply`], for [`Self::root_motion`] to return; none unless it is set. Best a root: the ground is that of its
    /// parent's frame, whose Y is up.
    pub root: Option<JointIndex>,
    skeleton: Arc<Skeleton>,
    rest: Pose,
    set: Arc<AnimationSet>,
    /// For each animation, what of it has a joint.
    tracks: Vec<Bound>,
    packed: PackedClips,
    filters: Filters,
    /// For each animation, what takes root motion out of it; for the root joint that it was made for.
    motions: (Option<JointIndex>, Vec<Option<ClipMotion>>),
    /// For each joint, which channels have a value from an animation.
    started: Vec<[bool; 3]>,
    /// For each joint and channel, the shares of those of a layer that are still to be applied.
    above: Vec<[f64; 3]>,
    not_applied: NotApplied,
    /// Room for what animations do to the root.
    steps: Vec<RootStep>,
    warnings: WarningList,
}

/// What of an animation has a joint.
#[derive(Clone, Debug, Default)]
struct Bound {
    tracks: Vec<BoundTrack>,
    /// For packed animations, all of it, where its joints are those of the skeleton.
    whole: Option<Whole>,
}

#[derive(Clone, Copy, Debug)]
struct BoundTrack {
    mover: Mover,
    joint: JointIndex,
}

impl PoseBinding {
    /// Finds the joints of all tracks of a set.
    pub fn new(set: &Arc<AnimationSet>, skeleton: &Arc<Skeleton>) -> Self {
        let mut binding = Self {
            reset_skeleton: false,
            rest_is_base: false,
            root: None,
            skeleton: skeleton.clone(),
            rest: Pose::rest(skeleton),
            set: set.clone(),
            tracks: Vec::new(),
            packed: PackedClips::default(),
            filters: Filters::default(),
            motions: (None, Vec::new()),
            started: alloc::vec![[false; 3]; skeleton.len()],
            above: alloc::vec![[0.0; 3]; skeleton.len()],
            not_applied: NotApplied::default(),
            steps: Vec::new(),
            warnings: WarningList::default(),
        };
        binding.bind();
        binding
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Tracks without a joint, and start bones that are not there. Each is listed once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies what a controller plays to a pose. Joints and channels that nothing animates stay as they are,
    /// or rest if [`Self::reset_skeleton`] or [`Self::rest_is_base`] is set. Returns a warning for each animation that
    /// plays and is not applied because its start bone or mask is not there.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
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
        self.started.fill([self.rest_is_base; 3]);
        self.not_applied.start();
        let mut is_first = !self.rest_is_base;
        let mut shared_layer = None;
        for (_, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let is_shared = self.find_above(controller, parameters, &mut shared_layer);
            let index = parameters.animation;
            let Some(notes) = self.set.clip(index).and_then(Clip::notes) else {
                continue;
            };
            let moment = Moment::new(parameters, notes);
            let (Some(source), Some(bound)) = (
                self.packed.source(&self.set, index, &moment),
                self.tracks.get(index.index()),
            ) else {
                continue;
            };
            let weights = match self.filters.weights(filter) {
                Ok(weights) => weights,
                Err(unresolved) => {
                    self.not_applied.add(unresolved, parameters);
                    continue;
                }
            };
            let motion = self.motions.1.get(index.index()).and_then(Option::as_ref);
            let root = self.root.zip(motion);
            let root = root.map(|(joint, motion)| Root { joint, motion });
            if is_shared {
                bound.lower(weight, weights, &mut self.above);
            }
            let amount = Amount {
                weight,
                weights,
                above: is_shared.then_some(&*self.above),
            };
            let started = &mut self.started;
            match source {
                Source::Tracks(tracks) => {
                    let say = |mover: &Mover| of_tracks(tracks, mover);
                    play(bound, &moment, say, amount, root, started, pose);
                }
                Source::Poses { now, first } => {
                    let whole = bound.whole.as_ref().filter(|_| weights.is_none());
                    let uniform = amount.uniform(bound);
                    let say = |mover: &Mover| of_poses(now, first, mover);
                    let before = root.map(|root| Before::new(root.joint, started, pose));
                    let is_done = whole.zip(uniform).is_some_and(|(whole, weight)| {
                        let is_lerp = parameters.blend_mode == BlendMode::Lerp;
                        is_lerp && whole.apply(now, weight, is_first, started, pose)
                    });
                    match (root.zip(before), is_done) {
                        (Some((root, before)), true) => {
                            before.put_back(started, pose);
                            let own = bound.tracks.iter();
                            let own = own.filter(|own| own.joint == root.joint);
                            play_tracks(own, &moment, say, amount, Some(root), started, pose);
                        }
                        (_, false) => play(bound, &moment, say, amount, root, started, pose),
                        (None, true) => {}
                    }
                }
            }
            is_first = false;
        }
        Ok(self.not_applied.finish())
    }

    /// Whether others share the layer of an animation with it. For the first of a layer it adds up the shares of all of
    /// them, joint by joint; `layer` is the one that this was done for last. What an animation does not move or apply
    /// to a joint is not counted there.
    fn find_above(
        &mut self,
        controller: &AnimationController,
        parameters: &AnimationParameters,
        layer: &mut Option<(u32, bool)>,
    ) -> bool {
        let sharing = match controller.layer_sharing(parameters, self.rest_is_base, layer) {
            LayerSharing::First(sharing) => sharing,
            LayerSharing::Known(is_shared) => return is_shared,
        };
        self.above.fill([0.0; 3]);
        for own in sharing {
            let filter = self.filter(own);
            let bound = self.tracks.get(own.animation.index());
            if let (Some(bound), Ok(weights)) = (bound, self.filters.weights(filter)) {
                bound.raise(own.applied_weight(), weights, &mut self.above);
            }
        }
        true
    }

    /// Applies what a controller plays, `dt` seconds after the last time, so that nothing jumps: where an
    /// [inertial](super::FadeMode::Inertial) fade began since, the body flows over. `inertia` is that of the
    /// character, and so is `pose`, as it was shown last.
    ///
    /// # Errors
    /// When the pose or `inertia` is of a skeleton of another size.
    pub fn apply_smooth(
        &mut self,
        controller: &AnimationController,
        inertia: &mut Inertia,
        dt: f32,
        pose: &mut Pose,
    ) -> Result<&[BindingWarning], JointCountMismatch> {
        inertia.take_back(pose);
        self.apply(controller, pose)?;
        let jump = controller.jump();
        inertia.follow(jump.count, jump.seconds);
        inertia.apply(pose, dt)?;
        Ok(self.not_applied.finish())
    }

    /// How far the last [`update`](AnimationController::update) of a controller moves the character over the ground:
    /// the steps of the animations along their [root trajectories](RootTrajectory), blended as their poses are. It is
    /// seen from where the character is: it goes to `step.then(&place)`. Nothing where there is no root.
    ///
    /// Loops, reversals and fades do not show: a walk continues. Sway, yaw and bob of the root joint are no part of it and
    /// stay in the pose; starting and stopping a straight walk does not turn the character. Turns of more than half a
    /// turn in one update keep their direction and amount. Does not allocate once as many animations were playing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use sinew::glam::Vec3;
    /// # use sinew::math::GroundMove;
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
    /// let mut place = GroundMove::IDENTITY;
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
    pub fn root_motion(&mut self, controller: &AnimationController) -> GroundMove {
        self.rebind(controller.animation_set());
        self.steps.clear();
        let Some(root) = self.root else {
            return GroundMove::IDENTITY;
        };
        for (order, parameters, range, weight) in controller.ways() {
            let filter = self.filter(parameters);
            let Ok(share) = self.filters.weights(filter) else {
                continue;
            };
            let share = share.map_or(Some(&1.0), |share| share.get(root.index()));
            let weight = weight * share.copied().unwrap_or(0.0);
            let animation = parameters.animation.index();
            let bound = self.tracks.get(animation).filter(|_| weight > 0.0);
            let (Some(mover), Some(Some(motion))) = (
                bound.and_then(|bound| bound.last_of(root)),
                self.motions.1.get(animation),
            ) else {
                continue;
            };
            let (moved, weights) = (mover.channels, mover.weights);
            self.steps.push(RootStep {
                order: (parameters.layer, order),
                mode: parameters.blend_mode,
                weights: [
                    moved.position.then_some(weight * weights.position),
                    moved.rotation.then_some(weight * weights.rotation),
                ],
                shares: controller.shares(parameters, self.rest_is_base),
                step: motion.step(&range),
            });
        }
        root::blended(&mut self.steps, self.rest_is_base)
    }

    /// How a joint came to be where [`Self::apply`] puts it: what each animation did to it, in the order in
    /// which they were applied. Allocates.
    pub fn explain(
        &mut self,
        controller: &AnimationController,
        joint: JointIndex,
    ) -> Vec<Contribution> {
        self.rebind(controller.animation_set());
        let rest = self.skeleton.joint(joint).map(|joint| joint.rest);
        let mut told = match rest {
            Some(rest) if self.rest_is_base => Told::over(rest),
            _ => Told::default(),
        };
        let mut shared_layer = None;
        for (index, parameters) in controller.applied() {
            let own = parameters.applied_weight();
            if own <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let is_shared = self.find_above(controller, parameters, &mut shared_layer);
            let Ok(weights) = self.filters.weights(filter) else {
                continue;
            };
            let share = weights.map_or(Some(&1.0), |weights| weights.get(joint.index()));
            let share = share.copied().unwrap_or(0.0);
            let animation = parameters.animation;
            let Some(notes) = self.set.clip(animation).and_then(Clip::notes) else {
                continue;
            };
            let moment = Moment::new(parameters, notes);
            let (Some(source), Some(bound)) = (
                self.packed.source(&self.set, animation, &moment),
                self.tracks.get(animation.index()),
            ) else {
                continue;
            };
            if is_shared {
                bound.lower(own, weights, &mut self.above);
            }
            let above = self.above.get(joint.index()).filter(|_| is_shared);
            let amount = JointWeight {
                weight: own * share,
                above,
            };
            let motion = self.motions.1.get(animation.index());
            let motion = motion.and_then(Option::as_ref);
            let motion = motion.filter(|_| self.root == Some(joint));
            let time = moment.time_in_loop();
            for bound in bound
                .tracks
                .iter()
                .filter(|bound| bound.joint == joint && share > 0.0)
            {
                let (at, mover, told) = ((index, parameters), &bound.mover, &mut told);
                match (motion, &source) {
                    (None, _) => source.explain(&moment, mover, at, amount, told),
                    (Some(motion), Source::Tracks(tracks)) => {
                        let said = motion.residual(time, of_tracks(tracks, mover));
                        moment.explain(at, &said, amount, told);
                    }
                    (Some(motion), Source::Poses { now, first }) => {
                        let said = motion.residual(time, of_poses(now, first, mover));
                        moment.explain(at, &said, amount, told);
                    }
                }
            }
        }
        told.list
    }

    fn rebind(&mut self, set: &Arc<AnimationSet>) {
        if !Arc::ptr_eq(set, &self.set) {
            self.set = set.clone();
            self.bind();
        }
        if self.motions.0 != self.root {
            self.bind_root();
        }
    }

    /// Finds what takes the root motion out of each animation: the trajectory that the set has of the joint that
    /// travels, or one of its own where the root is another joint.
    fn bind_root(&mut self) {
        let mut motions = Vec::new();
        let root = self.root;
        let joint = root.and_then(|root| Some((root, self.skeleton.joint(root)?)));
        for (animation, bound) in self.set.indices().zip(&self.tracks) {
            let motion = joint.and_then(|(root, joint)| {
                let mover = bound.last_of(root)?;
                let known = self.set.clip_root(animation);
                let trajectory = match known.filter(|known| known.mover.is(&mover)) {
                    Some(known) => known.trajectory.clone(),
                    None => Arc::new(RootTrajectory::new(self.set.clip(animation)?, &mover)),
                };
                let turns = mover.channels.rotation;
                Some(ClipMotion::new(trajectory, joint.rest.rotation, turns))
            });
            motions.push(motion);
        }
        self.motions = (root, motions);
    }

    fn bind(&mut self) {
        self.warnings.clear();
        self.filters.clear();
        self.tracks.clear();
        self.packed.clear();
        self.motions = (None, Vec::new());
        for animation in self.set.indices() {
            let clip = self.set.clip(animation);
            let Some((clip, notes)) = clip.and_then(|clip| Some((clip, clip.notes()?))) else {
                let name = self.set.name(animation).unwrap_or("");
                self.warnings
                    .add(animation, name, BindingProblem::OtherArmature);
                self.tracks.push(Bound::default());
                continue;
            };
            self.packed.add(&self.set, animation);
            let movers = clip.movers();
            let mut bound = Vec::with_capacity(movers.len());
            for (name, mover) in movers {
                match self.skeleton.find(name) {
                    Some(joint) => bound.push(BoundTrack { mover, joint }),
                    None => self
                        .warnings
                        .add(animation, name, BindingProblem::NoSuchNode),
                }
            }
            for track in &notes.variants {
                self.warnings
                    .add(animation, &track.name, BindingProblem::NotInPose);
            }
            let whole = match self.packed.joint_count(animation) {
                Some(count) if count == self.skeleton.len() => {
                    let movers = bound.iter().map(|bound| (bound.joint, bound.mover));
                    Whole::new(count, movers)
                }
                _ => None,
            };
            self.tracks.push(Bound {
                tracks: bound,
                whole,
            });
        }
    }

    /// Which filter an animation plays through; `None` for none.
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

impl Bound {
    /// What moves a joint; the last of several, which counts.
    fn last_of(&self, joint: JointIndex) -> Option<Mover> {
        let own = self.tracks.iter().rfind(|own| own.joint == joint);
        own.map(|own| own.mover)
    }

    /// Adds what the animation has a share of, joint by joint and channel by channel.
    fn raise(&self, weight: f32, weights: Option<&[f32]>, above: &mut [[f64; 3]]) {
        self.each_share(weight, weights, above, |above, share| *above += share);
    }

    /// Takes that away again.
    fn lower(&self, weight: f32, weights: Option<&[f32]>, above: &mut [[f64; 3]]) {
        self.each_share(weight, weights, above, |above, share| *above -= share);
    }

    fn each_share(
        &self,
        weight: f32,
        weights: Option<&[f32]>,
        above: &mut [[f64; 3]],
        change: impl Fn(&mut f64, f64),
    ) {
        for own in &self.tracks {
            let joint = own.joint.index();
            let weight = weight * weights.map_or(1.0, |weights| weights[joint]);
            let (moved, tracks) = (own.mover.channels, own.mover.weights);
            let channels = [
                (moved.position, tracks.position),
                (moved.rotation, tracks.rotation),
                (moved.scale, tracks.scale),
            ];
            for ((is_moved, track), above) in channels.into_iter().zip(&mut above[joint]) {
                if is_moved {
                    change(above, f64::from(weight * track));
                }
            }
        }
    }
}

/// How much of an animation joints take.
#[derive(Clone, Copy)]
struct Amount<'a> {
    weight: f32,
    /// Those of a filter, by joint.
    weights: Option<&'a [f32]>,
    /// Where others share the layer, the shares of those above, by joint.
    above: Option<&'a [[f64; 3]]>,
}

impl<'a> Amount<'a> {
    /// That of one joint; `None` where it takes nothing.
    #[inline]
    fn of(&self, joint: JointIndex) -> Option<JointWeight<'a>> {
        let share = self.weights.map_or(1.0, |weights| weights[joint.index()]);
        (share > 0.0).then(|| JointWeight {
            weight: self.weight * share,
            above: self.above.map(|above| &above[joint.index()]),
        })
    }

    /// The weight that all channels of all joints have that an animation without filter and track weights moves;
    /// `None` where they differ.
    fn uniform(&self, bound: &Bound) -> Option<f32> {
        let Some(above) = self.above else {
            return Some(self.weight);
        };
        let mut moved = bound.tracks.iter().flat_map(|own| {
            let channels = own.mover.channels;
            let moved = [channels.position, channels.rotation, channels.scale];
            let above = above[own.joint.index()];
            (moved.into_iter().zip(above)).filter_map(|(moved, above)| moved.then_some(above))
        });
        let first = moved.next()?;
        moved
            .all(|own| own.to_bits() == first.to_bits())
            .then(|| shared_weight(self.weight, first))
    }
}

/// The root as it was.
struct Before {
    joint: JointIndex,
    transform: Transform,
    started: [bool; 3],
}

impl Before {
    fn new(joint: JointIndex, started: &[[bool; 3]], pose: &Pose) -> Self {
        Self {
            joint,
            transform: pose.get(joint),
            started: started.get(joint.index()).copied().unwrap_or_default(),
        }
    }

    fn put_back(&self, started: &mut [[bool; 3]], pose: &mut Pose) {
        pose.set(self.joint, self.transform);
        if let Some(started) = started.get_mut(self.joint.index()) {
            *started = self.started;
        }
    }
}

/// Applies what an animation says, joint by joint; of a root, relative to its trajectory.
#[inline]
fn play<'a, V: Value<'a, Vec3>, R: Value<'a, Quat>>(
    bound: &Bound,
    moment: &Moment<'a>,
    say: impl Fn(&Mover) -> Said<V, R>,
    amount: Amount<'_>,
    root: Option<Root<'_>>,
    started: &mut [[bool; 3]],
    pose: &mut Pose,
) {
    let tracks = bound.tracks.iter();
    play_tracks(tracks, moment, say, amount, root, started, pose);
}

#[inline]
fn play_tracks<'a, 'b, V: Value<'a, Vec3>, R: Value<'a, Quat>>(
    tracks: impl Iterator<Item = &'b BoundTrack>,
    moment: &Moment<'a>,
    say: impl Fn(&Mover) -> Said<V, R>,
    amount: Amount<'_>,
    root: Option<Root<'_>>,
    started: &mut [[bool; 3]],
    pose: &mut Pose,
) {
    for bound in tracks {
        let joint = bound.joint;
        let Some(weight) = amount.of(joint) else {
            continue;
        };
        let started = &mut started[joint.index()];
        let root = root.filter(|root| root.joint == joint);
        let mut joint = PoseJoint { pose, joint };
        let said = say(&bound.mover);
        match root {
            None => moment.apply(&said, weight, &mut joint, started),
            Some(root) => {
                let said = root.motion.residual(moment.time_in_loop(), said);
                moment.apply(&said, weight, &mut joint, started);
            }
        }
    }
}

/// A joint in a pose.
struct PoseJoint<'a> {
    pose: &'a mut Pose,
    joint: JointIndex,
}

impl Placed for PoseJoint<'_> {
    fn position(&self) -> Vec3 {
        self.pose.position(self.joint)
    }

    fn rotation(&self) -> Quat {
        self.pose.rotation(self.joint)
    }

    fn scale(&self) -> Vec3 {
        self.pose.scale(self.joint)
    }

    fn set_position(&mut self, position: Vec3) {
        self.pose.set_position(self.joint, position);
    }

    fn set_rotation(&mut self, rotation: Quat) {
        self.pose.set_rotation(self.joint, rotation);
    }

    fn set_scale(&mut self, scale: Vec3) {
        self.pose.set_scale(self.joint, scale);
    }
}
