//! A controller on a skeleton: the fast path, straight into a pose.

use super::explain::Contribution;
use super::filter::{Filters, check_start_bone, weights};
use super::moment::{Moment, Placed, Told};
use super::set::{AnimationSet, Clip};
use super::source::{Mover, PackedClips, Said, Source, Value, of_poses, of_tracks};
use super::warning::WarningList;
use super::whole::Whole;
use super::{AnimationController, AnimationParameters, BindingProblem, BindingWarning, BlendMode};
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
/// [`Profile::Fast`](crate::compress::Profile::Fast), which needs nothing unpacked.
#[derive(Clone, Debug)]
pub struct PoseBinding {
    /// Puts every joint to rest before animations are applied, so that what no animation moves is at rest.
    /// Otherwise it stays where it is.
    pub reset_skeleton: bool,
    skeleton: Arc<Skeleton>,
    rest: Pose,
    set: Arc<AnimationSet>,
    /// For each animation, what of it has a joint.
    tracks: Vec<Bound>,
    packed: PackedClips,
    filters: Filters,
    /// For each joint, which channels have a value from an animation.
    started: Vec<[bool; 3]>,
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
            skeleton: skeleton.clone(),
            rest: Pose::rest(skeleton),
            set: set.clone(),
            tracks: Vec::new(),
            packed: PackedClips::default(),
            filters: Filters::default(),
            started: alloc::vec![[false; 3]; skeleton.len()],
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
                    play(
                        bound,
                        &moment,
                        say,
                        (weight, weights),
                        &mut self.started,
                        pose,
                    );
                }
                Source::Poses { now, first } => {
                    let started = &mut self.started;
                    let whole = bound.whole.as_ref().filter(|_| weights.is_none());
                    let is_done = whole.is_some_and(|whole| {
                        let is_lerp = parameters.blend_mode == BlendMode::Lerp;
                        is_lerp && whole.apply(now, weight, is_first, started, pose)
                    });
                    if !is_done {
                        let say = |mover: &Mover| of_poses(now, first, mover);
                        play(bound, &moment, say, (weight, weights), started, pose);
                    }
                }
            }
            is_first = false;
        }
        Ok(())
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
                source.explain(&moment, &bound.mover, (index, parameters), own, &mut told);
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

/// Applies what an animation says, joint by joint, with its weight and those of a filter.
#[inline]
fn play<'a, V: Value<'a, Vec3>, R: Value<'a, Quat>>(
    bound: &Bound,
    moment: &Moment<'a>,
    say: impl Fn(&Mover) -> Said<V, R>,
    (weight, weights): (f32, Option<&[f32]>),
    started: &mut [[bool; 3]],
    pose: &mut Pose,
) {
    for bound in &bound.tracks {
        let joint = bound.joint;
        let share = weights.map_or(1.0, |weights| weights[joint.index()]);
        if share <= 0.0 {
            continue;
        }
        let started = &mut started[joint.index()];
        let mut joint = PoseJoint { pose, joint };
        moment.apply(&say(&bound.mover), weight * share, &mut joint, started);
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
