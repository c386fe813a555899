//! The joint that carries the root motion.
//!
//! Files often have static joints above the moving one: `root` (Unreal), `Reference` (MotionBuilder), `Armature`
//! (Blender), `joint_Root` (Bandai-Namco). Everything that measures or moves the character as a whole uses
//! [`root_motion_joint`], so such joints have no effect.

use crate::anatomy::find_legs;
use crate::animation::{Animation, Channel, ChannelValue, Interpolation, TransformTrack};
use crate::math::quat_angle;
use crate::skeleton::{JointIndex, Skeleton};
use glam::{Quat, Vec3};

/// The maximum movement of a static joint, as a share of the skeleton's size: 1.7 mm for a person. Exporters leave
/// rounding errors in the keys of static joints, far below that.
const STATIC_SHARE: f32 = 1e-3;

/// The maximum angle of a static joint from its first key, in radians: 0.1 degrees.
const STATIC_ANGLE: f32 = 1.75e-3;

/// Returns the root motion joint, which carries the character over the ground: from the root down to the joint where
/// the legs branch, the first joint that is animated; if none is, the joint where the legs branch.
///
/// In a skeleton without two legs the last candidate is the first joint with several children; of several roots the
/// one with the largest subtree is used. If nothing is animated and nothing branches it is the root. The joints above
/// the result are static. Costs one pass over their keys and a search for legs.
///
/// ```
/// # use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
/// # use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
/// # use sinew::anatomy::root_motion_joint;
/// # use sinew::glam::Vec3;
/// # let joint = |name: &str, parent: Option<u32>| Joint {
/// #     name: name.into(), parent: parent.map(JointIndex), rest: Transform::from_position(Vec3::Y), tip: None,
/// # };
/// let skeleton = Skeleton::new(vec![joint("Reference", None), joint("Hips", Some(0)), joint("Spine", Some(1))])?;
/// let mut walk = Animation::new("walk", 1.0);
/// let mut hips = TransformTrack::new("Hips");
/// let times = KeyTimes::uniform(1.0, 2)?;
/// hips.position = Some(Channel::new(times, vec![Vec3::Y, Vec3::new(0.0, 1.0, 1.4)], Interpolation::Linear)?);
/// walk.tracks.push(hips);
/// assert_eq!(root_motion_joint(&skeleton, &walk), JointIndex(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn root_motion_joint(skeleton: &Skeleton, animation: &Animation) -> JointIndex {
    let (last, fallback) = last_candidate(skeleton);
    let size = super::rest_bounds(skeleton).map_or(0.0, |bounds| bounds.size().max_element());
    let mut found = None;
    // Upwards from the last candidate, so the highest animated joint is found last.
    let mut next = Some(last);
    while let Some(joint) = next {
        let moves = skeleton
            .joint(joint)
            .and_then(|joint| animation.track(&joint.name))
            .is_some_and(|track| is_moving(track, size / scale_above(skeleton, joint)));
        if moves {
            found = Some(joint);
        }
        next = parent(skeleton, joint);
    }
    found.unwrap_or(fallback)
}

/// Returns whether only `root` and its ancestors are animated, and at least one is: a camera, a prop, a figure that
/// is pushed.
pub fn is_rigid(skeleton: &Skeleton, animation: &Animation, root: JointIndex) -> bool {
    let size = super::rest_bounds(skeleton).map_or(0.0, |bounds| bounds.size().max_element());
    let mut root_moves = false;
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let Some(track) = animation.track(&joint.name) else {
            continue;
        };
        let index = JointIndex::from(index);
        if is_moving(track, size / scale_above(skeleton, index)) {
            let is_root = index == root || ancestors(skeleton, root).any(|above| above == index);
            if !is_root {
                return false;
            }
            root_moves = true;
        }
    }
    root_moves
}

/// Returns the ancestors of a joint, nearest first.
pub fn ancestors(skeleton: &Skeleton, joint: JointIndex) -> impl Iterator<Item = JointIndex> {
    core::iter::successors(parent(skeleton, joint), |joint| parent(skeleton, *joint))
}

/// Returns the first joint from the root down with several children; the root if nothing branches. Joints above it
/// are not part of the body.
pub fn body_root(skeleton: &Skeleton) -> JointIndex {
    let root = main_root(skeleton);
    match descend(skeleton, root) {
        end if skeleton.is_leaf(end) => root,
        fork => fork,
    }
}

/// Returns the lowest joint that may carry the root motion, and the one that does if none is animated.
fn last_candidate(skeleton: &Skeleton) -> (JointIndex, JointIndex) {
    let body = skeleton.subtree(main_root(skeleton));
    let legs = find_legs(skeleton).into_iter();
    let mut legs = legs.filter(|leg| body.contains(&leg.upper.index()));
    if let (Some(first), Some(second)) = (legs.next(), legs.next()) {
        let mut others: alloc::vec::Vec<_> = legs.map(|leg| leg.upper).collect();
        others.push(second.upper);
        let holds_all = |joint: &JointIndex| {
            let below = skeleton.subtree(*joint);
            others.iter().all(|other| below.contains(&other.index()))
        };
        if let Some(branch) = ancestors(skeleton, first.upper).find(holds_all) {
            return (branch, branch);
        }
    }
    let root = main_root(skeleton);
    (descend(skeleton, root), body_root(skeleton))
}

/// Returns the root with the largest subtree; of equals the first.
fn main_root(skeleton: &Skeleton) -> JointIndex {
    let mut main = JointIndex(0);
    for root in skeleton.roots() {
        if skeleton.subtree(root).len() > skeleton.subtree(main).len() {
            main = root;
        }
    }
    main
}

/// Returns the first descendant with several children or none.
fn descend(skeleton: &Skeleton, from: JointIndex) -> JointIndex {
    let mut joint = from;
    loop {
        let mut children = skeleton.children(joint);
        match (children.next(), children.next()) {
            (Some(child), None) => joint = child,
            _ => return joint,
        }
    }
}

fn parent(skeleton: &Skeleton, joint: JointIndex) -> Option<JointIndex> {
    skeleton.joint(joint)?.parent
}

/// Returns the metres per unit of a joint's position, from the rest scales above it.
fn scale_above(skeleton: &Skeleton, joint: JointIndex) -> f32 {
    let above = ancestors(skeleton, joint).filter_map(|joint| skeleton.joint(joint));
    let scale = above.fold(1.0, |scale, joint| {
        scale * joint.rest.scale.abs().max_element()
    });
    if scale > 0.0 { scale } else { 1.0 }
}

/// Returns whether a track's position or rotation changes by more than noise; `size` is the skeleton's size in the
/// units of the position.
fn is_moving(track: &TransformTrack, size: f32) -> bool {
    let far = |a: Vec3, b: Vec3| (a - b).length() > STATIC_SHARE * size;
    let turned = |a: Quat, b: Quat| quat_angle(a, b) > STATIC_ANGLE;
    track
        .position
        .as_ref()
        .is_some_and(|channel| leaves(channel, far))
        || track
            .rotation
            .as_ref()
            .is_some_and(|channel| leaves(channel, turned))
}

/// Returns whether a channel leaves its first value by more than `is_far` allows, at its keys or, on a cubic curve,
/// between them: a cubic through equal keys deviates most within the middle third.
fn leaves<T: ChannelValue>(channel: &Channel<T>, is_far: impl Fn(T, T) -> bool) -> bool {
    let first = channel.first();
    if channel.values().iter().any(|value| is_far(*value, first)) {
        return true;
    }
    if channel.interpolation() != Interpolation::Cubic {
        return false;
    }
    let times = || channel.times().iter();
    let between = times().zip(times().skip(1));
    let mut between =
        between.flat_map(|(from, to)| [1.0, 2.0].map(|third| from + (to - from) * third / 3.0));
    between.any(|time| is_far(channel.sample(time), first))
}
