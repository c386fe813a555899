//! A controller on a skeleton: the fast path, straight into a pose.

use super::explain::Contribution;
use super::filter::{Filters, check_start_bone, weights};
use super::moment::{Moment, Placed, Told};
use super::set::{AnimationSet, Clip};
use super::warning::WarningList;
use super::{AnimationController, AnimationParameters, BindingProblem, BindingWarning};
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
#[derive(Clone, Debug)]
pub struct PoseBinding {
    /// Puts every joint to rest before animations are applied, so that what no animation moves is at rest.
    /// Otherwise it stays where it is.
    pub reset_skeleton: bool,
    skeleton: Arc<Skeleton>,
    rest: Pose,
    set: Arc<AnimationSet>,
    /// For each animation, its tracks that have a joint.
    tracks: Vec<Vec<BoundTrack>>,
    filters: Filters,
    /// For each joint, which channels have a value from an animation.
    started: Vec<[bool; 3]>,
    warnings: WarningList,
}

#[derive(Clone, Copy, Debug)]
struct BoundTrack {
    track: u32,
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
        for (_, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let Some(Clip::Keyed(animation)) = self.set.clip(parameters.animation) else {
                continue;
            };
            let Some(tracks) = self.tracks.get(parameters.animation.index()) else {
                continue;
            };
            let weights = self.filters.weights(filter);
            let moment = Moment::new(parameters, animation);
            for bound in tracks {
                let joint = bound.joint;
                let share = weights.map_or(1.0, |weights| weights[joint.index()]);
                if share <= 0.0 {
                    continue;
                }
                let track = &animation.tracks[bound.track as usize];
                let started = &mut self.started[joint.index()];
                let mut joint = PoseJoint { pose, joint };
                moment.track(track, weight * share, &mut joint, started);
            }
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
            let Some(animation) = self.set.animation(parameters.animation) else {
                continue;
            };
            let Some(tracks) = self.tracks.get(parameters.animation.index()) else {
                continue;
            };
            let moment = Moment::new(parameters, animation);
            for bound in tracks
                .iter()
                .filter(|bound| bound.joint == joint && own > 0.0)
            {
                let track = &animation.tracks[bound.track as usize];
                moment.explain((index, parameters), track, own, &mut told);
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
        for animation in self.set.indices() {
            let Some(keyed) = self.set.animation(animation) else {
                let name = self.set.name(animation).unwrap_or("");
                self.warnings
                    .add(animation, name, BindingProblem::OtherArmature);
                self.tracks.push(Vec::new());
                continue;
            };
            let mut bound = Vec::with_capacity(keyed.tracks.len());
            for (track, at) in keyed.tracks.iter().zip(0..) {
                match self.skeleton.find(&track.name) {
                    Some(joint) => bound.push(BoundTrack { track: at, joint }),
                    None => self
                        .warnings
                        .add(animation, &track.name, BindingProblem::NoSuchNode),
                }
            }
            for track in &keyed.variants {
                self.warnings
                    .add(animation, &track.name, BindingProblem::NotInPose);
            }
            self.tracks.push(bound);
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
