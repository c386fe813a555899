//! A controller on a skeleton: the fast path, straight into a pose.

use super::explain::Contribution;
use super::filter::{Filters, check_start_bone, weights};
use super::moment::{Moment, Placed, Told};
use super::root::{self, Root, RootStep};
use super::set::{AnimationSet, Clip};
use super::source::{Mover, PackedClips, Said, Source, Value, of_poses, of_tracks};
use super::warning::WarningList;
use super::whole::Whole;
use super::{AnimationController, AnimationParameters, BindingProblem, BindingWarning, BlendMode};
use crate::inertia::Inertia;
use crate::math::Transform;
use crate::pose::{JointCountMismatch, Pose};
use crate::register::GroundMove;
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
/// [`Profile::Fast`](crate::compress::Profile::Fast), which needs nothing unpacked.
#[derive(Clone, Debug)]
pub struct PoseBinding {
    /// Puts every joint to rest before animations are applied, so that what no animation moves is at rest.
    /// Otherwise it stays where it is.
    pub reset_skeleton: bool,
    /// The joint whose motion over the ground [`Self::apply`] takes out of the pose, for [`Self::root_motion`] to tell;
    /// none unless it is set. Best a root: the ground is that of its parent's frame, whose Y is up.
    pub root: Option<JointIndex>,
    skeleton: Arc<Skeleton>,
    rest: Pose,
    set: Arc<AnimationSet>,
    /// For each animation, what of it has a joint.
    tracks: Vec<Bound>,
    packed: PackedClips,
    filters: Filters,
    /// For each joint, which channels have a value from an animation.
    started: Vec<[bool; 3]>,
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
            root: None,
            skeleton: skeleton.clone(),
            rest: Pose::rest(skeleton),
            set: set.clone(),
            tracks: Vec::new(),
            packed: PackedClips::default(),
            filters: Filters::default(),
            started: alloc::vec![[false; 3]; skeleton.len()],
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
    /// or rest if [`Self::reset_skeleton`] is set.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
    pub fn apply(
        &mut self,
        controller: &AnimationController,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.skeleton.len(), pose.len())?;
        self.rebind(controller.animation_set());
        if self.reset_skeleton {
            pose.copy_from(&self.rest);
        }
        self.started.fill([false; 3]);
        let root = self.root_joint();
        let mut is_first = true;
        for (_, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
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
            let weights = self.filters.weights(filter);
            match source {
                Source::Tracks(tracks) => {
                    let say = |mover: &Mover| of_tracks(tracks, mover);
                    let started = &mut self.started;
                    play(bound, &moment, say, (weight, weights), root, started, pose);
                }
                Source::Poses { now, first } => {
                    let started = &mut self.started;
                    let whole = bound.whole.as_ref().filter(|_| weights.is_none());
                    let say = |mover: &Mover| of_poses(now, first, mover);
                    let before = root.map(|root| Before::new(root.joint, started, pose));
                    let is_done = whole.is_some_and(|whole| {
                        let is_lerp = parameters.blend_mode == BlendMode::Lerp;
                        is_lerp && whole.apply(now, weight, is_first, started, pose)
                    });
                    let weights = (weight, weights);
                    match (root.zip(before), is_done) {
                        (Some((root, before)), true) => {
                            before.put_back(started, pose);
                            let own = bound.tracks.iter();
                            let own = own.filter(|own| own.joint == root.joint);
                            play_tracks(own, &moment, say, weights, Some(root), started, pose);
                        }
                        (_, false) => play(bound, &moment, say, weights, root, started, pose),
                        (None, true) => {}
                    }
                }
            }
            is_first = false;
        }
        Ok(())
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
    ) -> Result<(), JointCountMismatch> {
        inertia.take_back(pose);
        self.apply(controller, pose)?;
        let jump = controller.jump();
        inertia.follow(jump.count, jump.seconds);
        inertia.apply(pose, dt)
    }

    /// How far the last [`update`](AnimationController::update) of a controller moves the character over the ground:
    /// what the animations do to [`Self::root`], blended as their poses are. It is told as seen from where the
    /// character is: it goes to `step.then(&place)`. Nothing where there is no root.
    ///
    /// Loops, reversals and fades do not show: a walk goes on and on. Does not allocate once as many animations were
    /// playing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use sinew::glam::Vec3;
    /// # use sinew::register::GroundMove;
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
    /// assert_eq!(pose.position(JointIndex(0)), Vec3::Y);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root_motion(&mut self, controller: &AnimationController) -> GroundMove {
        self.rebind(controller.animation_set());
        self.steps.clear();
        let Some(root) = self.root_joint() else {
            return GroundMove::IDENTITY;
        };
        for (order, parameters, range, weight) in controller.ways() {
            let filter = self.filter(parameters);
            let share = self.filters.weights(filter);
            let share = share.map_or(Some(&1.0), |share| share.get(root.joint.index()));
            let weight = weight * share.copied().unwrap_or(0.0);
            let animation = parameters.animation;
            let bound = self.tracks.get(animation.index());
            let mut own = bound.iter().flat_map(|bound| &bound.tracks);
            let Some(own) = own.rfind(|own| own.joint == root.joint && weight > 0.0) else {
                continue;
            };
            let mover = own.mover;
            let (set, packed) = (&self.set, &mut self.packed);
            let step = root::step(&range, |time| {
                let place = packed.place(set, animation, &mover, time);
                let (position, rotation) = place.unwrap_or_default();
                root.place(position, rotation)
            });
            let (moved, weights) = (mover.channels, mover.weights);
            self.steps.push(RootStep {
                order: (parameters.layer, order),
                mode: parameters.blend_mode,
                weights: [
                    moved.position.then_some(weight * weights.position),
                    moved.rotation.then_some(weight * weights.rotation),
                ],
                step,
            });
        }
        root::blended(&mut self.steps)
    }

    /// The root, if there is such a joint.
    fn root_joint(&self) -> Option<Root> {
        let joint = self.root?;
        let rest = self.skeleton.joint(joint)?.rest.rotation;
        Some(Root { joint, rest })
    }

    /// How a joint came to be where [`Self::apply`] puts it: what each animation did to it, in the order in
    /// which they were applied. Allocates.
    pub fn explain(
        &mut self,
        controller: &AnimationController,
        joint: JointIndex,
    ) -> Vec<Contribution> {
        self.rebind(controller.animation_set());
        let mut told = Told::default();
        let root = self.root_joint().filter(|root| root.joint == joint);
        for (index, parameters) in controller.applied() {
            let filter = self.filter(parameters);
            let weights = self.filters.weights(filter);
            let share = weights.map_or(Some(&1.0), |weights| weights.get(joint.index()));
            let own = parameters.applied_weight() * share.copied().unwrap_or(0.0);
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
            for bound in bound
                .tracks
                .iter()
                .filter(|bound| bound.joint == joint && own > 0.0)
            {
                let (at, mover, told) = ((index, parameters), &bound.mover, &mut told);
                match (root, &source) {
                    (None, _) => source.explain(&moment, mover, at, own, told),
                    (Some(root), Source::Tracks(tracks)) => {
                        let said = root.on_spot(of_tracks(tracks, mover));
                        moment.explain(at, &said, own, told);
                    }
                    (Some(root), Source::Poses { now, first }) => {
                        let said = root.on_spot(of_poses(now, first, mover));
                        moment.explain(at, &said, own, told);
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
    }

    fn bind(&mut self) {
        self.warnings.clear();
        self.filters.clear();
        self.tracks.clear();
        self.packed.clear();
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
        let (skeleton, set, warnings) = (&self.skeleton, &self.set, &mut self.warnings);
        self.filters.find(parameters, || {
            let start = skeleton.find(parameters.start_bone.as_str());
            check_start_bone(parameters, start.is_some(), warnings);
            let joints = skeleton.joints().iter();
            let joints = joints.map(|j| (j.name.as_str(), j.parent.map(JointIndex::index)));
            let mask = set.mask(parameters.mask.as_str());
            weights(joints, start.map(JointIndex::index), mask)
        })
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

/// Applies what an animation says, joint by joint, with its weight and those of a filter; of a root, on the spot.
#[inline]
fn play<'a, V: Value<'a, Vec3>, R: Value<'a, Quat>>(
    bound: &Bound,
    moment: &Moment<'a>,
    say: impl Fn(&Mover) -> Said<V, R>,
    weights: (f32, Option<&[f32]>),
    root: Option<Root>,
    started: &mut [[bool; 3]],
    pose: &mut Pose,
) {
    let tracks = bound.tracks.iter();
    play_tracks(tracks, moment, say, weights, root, started, pose);
}

#[inline]
fn play_tracks<'a, 'b, V: Value<'a, Vec3>, R: Value<'a, Quat>>(
    tracks: impl Iterator<Item = &'b BoundTrack>,
    moment: &Moment<'a>,
    say: impl Fn(&Mover) -> Said<V, R>,
    (weight, weights): (f32, Option<&[f32]>),
    root: Option<Root>,
    started: &mut [[bool; 3]],
    pose: &mut Pose,
) {
    for bound in tracks {
        let joint = bound.joint;
        let share = weights.map_or(1.0, |weights| weights[joint.index()]);
        if share <= 0.0 {
            continue;
        }
        let started = &mut started[joint.index()];
        let root = root.filter(|root| root.joint == joint);
        let mut joint = PoseJoint { pose, joint };
        let (said, weight) = (say(&bound.mover), weight * share);
        match root {
            None => moment.apply(&said, weight, &mut joint, started),
            Some(root) => moment.apply(&root.on_spot(said), weight, &mut joint, started),
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
