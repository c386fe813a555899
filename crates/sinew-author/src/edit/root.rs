//! Moves a whole motion by a transform of its roots.

use sinew::Transform;
use sinew::animation::{Animation, Channel, ChannelValue, TransformTrack};
use sinew::math::{quat_mul, quat_rotate};
use sinew::skeleton::Skeleton;

/// Moves and rotates a whole motion: `offset` is applied after every root's position and rotation. Scales are not changed, but
/// `offset.scale` scales the roots' positions.
///
/// Roots without a track get one, from their rest. The travel of a loop is transformed too; it is dropped if it is not over the
/// ground afterwards: if `offset` tilts the vertical, or scales x and z differently.
pub fn move_root(animation: &mut Animation, skeleton: &Skeleton, offset: &Transform) {
    animation.looping = animation.looping.and_then(|looping| looping.moved(offset));
    for root in skeleton.roots() {
        let Some(joint) = skeleton.joint(root) else {
            continue;
        };
        let found = animation.tracks.iter().rposition(|t| t.name == joint.name);
        let index = found.unwrap_or_else(|| {
            animation.tracks.push(TransformTrack::new(&joint.name));
            animation.tracks.len() - 1
        });
        let track = &mut animation.tracks[index];
        track.position = changed(
            track.position.take(),
            joint.rest.position,
            |position| offset.apply(position),
            |slope| quat_rotate(offset.rotation, slope * offset.scale),
        );
        let rotate = |rotation| quat_mul(offset.rotation, rotation);
        track.rotation = changed(track.rotation.take(), joint.rest.rotation, rotate, rotate);
    }
}

fn changed<T: ChannelValue>(
    channel: Option<Channel<T>>,
    rest: T,
    change: impl Fn(T) -> T,
    slope: impl Fn(T) -> T,
) -> Option<Channel<T>> {
    let channel = channel.or_else(|| Channel::constant(rest).ok())?;
    Some(channel.map(change, slope))
}
