//! The space that a motion takes up.

use super::each_frame;
use sinew::Sampler;
use sinew::anatomy::{Bounds, pose_bounds, root_motion_joint};
use sinew::animation::Animation;
use sinew::skeleton::Skeleton;

/// The box that all joints and tips stay in, over the whole motion. Static joints above the
/// [`root_motion_joint`] do not count.
pub fn extent(skeleton: &Skeleton, animation: &Animation) -> Option<Bounds> {
    let root = root_motion_joint(skeleton, animation);
    // The end may lie between two frames.
    let mut sampler = Sampler::new(skeleton, animation);
    let mut whole = pose_bounds(skeleton, sampler.model_at(animation.length), root);
    each_frame(skeleton, animation, |_, model| {
        whole = match (whole, pose_bounds(skeleton, model, root)) {
            (Some(a), Some(b)) => Some(a.union(b)),
            (a, b) => a.or(b),
        };
    });
    whole
}
