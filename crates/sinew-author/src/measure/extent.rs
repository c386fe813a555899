//! The extent of a motion: the bounding box of all joints and tips over all frames.

use super::for_each_frame;
use sinew::Sampler;
use sinew::anatomy::{Bounds, pose_bounds, root_motion_joint};
use sinew::animation::Animation;
use sinew::skeleton::Skeleton;

/// The bounding box of all joints and tips over the whole motion. Joints above the [`root_motion_joint`] are ignored.
pub fn extent(skeleton: &Skeleton, animation: &Animation) -> Option<Bounds> {
    let root = root_motion_joint(skeleton, animation);
    // The end may be between two frames.
    let mut sampler = Sampler::new(skeleton, animation);
    let mut whole = pose_bounds(skeleton, sampler.model_at(animation.length), root);
    for_each_frame(skeleton, animation, |_, model| {
        whole = match (whole, pose_bounds(skeleton, model, root)) {
            (Some(a), Some(b)) => Some(a.union(b)),
            (a, b) => a.or(b),
        };
    });
    whole
}
