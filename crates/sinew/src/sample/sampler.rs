//! A sampler for one animation on one skeleton.

use super::{Binding, sample};
use crate::animation::Animation;
use crate::local_to_model::local_to_model;
use crate::pose::{ModelPose, Pose};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// An animation on a skeleton with the buffers to sample it: for tools, and the shortest code to get a pose.
/// Construction allocates, sampling does not.
///
/// ```
/// # use sinew::{Animation, Joint, Skeleton, Sampler, Transform};
/// # use sinew::glam::Vec3;
/// # let joint = Joint { name: "hip".into(), parent: None, rest: Transform::from_position(Vec3::Y), tip: None };
/// # let skeleton = Skeleton::new(vec![joint])?;
/// # let animation = Animation::new("still", 1.0);
/// let mut sampler = Sampler::new(&skeleton, &animation);
/// let hip = skeleton.find("hip").expect("it has one");
/// assert_eq!(sampler.model_at(0.5).position(hip), Vec3::Y);
/// # Ok::<(), sinew::skeleton::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    skeleton: &'a Skeleton,
    animation: &'a Animation,
    binding: Binding,
    pose: Pose,
    model: ModelPose,
}

impl<'a> Sampler<'a> {
    /// Binds the animation to the skeleton.
    pub fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        Self {
            skeleton,
            animation,
            binding: animation.bind(skeleton),
            pose: Pose::rest(skeleton),
            model: ModelPose::new(skeleton),
        }
    }

    /// Samples the local pose at a time in seconds; joints without tracks are at rest.
    pub fn pose_at(&mut self, time: f32) -> &Pose {
        // Binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, time, &mut self.pose);
        &self.pose
    }

    /// Samples the model-space pose at a time in seconds.
    pub fn model_at(&mut self, time: f32) -> &ModelPose {
        self.pose_at(time);
        let _ = local_to_model(self.skeleton, &self.pose, &mut self.model);
        &self.model
    }

    /// Returns the positions of all joints and tips at a time in seconds, in model space.
    pub fn points_at(&mut self, time: f32) -> impl Iterator<Item = Vec3> {
        let skeleton = self.skeleton;
        let points = self.model_at(time).points(skeleton);
        points.map(|(_, point)| point)
    }
}
