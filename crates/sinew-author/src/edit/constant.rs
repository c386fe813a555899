//! Removes constant channels: those that stay within a tolerance of the rest pose.

use sinew::animation::{Animation, Channel, ChannelValue};
use sinew::skeleton::Skeleton;

/// Removes channels that stay within `tolerance` of the joint's rest, and then tracks without channels. Other channels that
/// stay within `tolerance` of their first key keep only that key. The tolerance is in metres for positions, radians for
/// rotations, and a ratio for scales.
///
/// Tracks without a joint in the skeleton are kept.
pub fn remove_constant(animation: &mut Animation, skeleton: &Skeleton, tolerance: f32) {
    for track in &mut animation.tracks {
        let Some(joint) = skeleton
            .find(&track.name)
            .and_then(|index| skeleton.joint(index))
        else {
            continue;
        };
        let rest = joint.rest;
        track.position = reduce_constant(track.position.take(), rest.position, tolerance);
        track.rotation = reduce_constant(track.rotation.take(), rest.rotation, tolerance);
        track.scale = reduce_constant(track.scale.take(), rest.scale, tolerance);
    }
    animation.tracks.retain(|track| !track.is_empty());
}

fn reduce_constant<T: ChannelValue>(
    channel: Option<Channel<T>>,
    rest: T,
    tolerance: f32,
) -> Option<Channel<T>> {
    let channel = channel?;
    let first = *channel.values().first()?;
    let stays = |value: T| {
        let mut all = channel.values().iter();
        all.all(|&key| T::distance(key, value) <= tolerance) && has_no_slopes(&channel)
    };
    if stays(rest) {
        None
    } else if channel.values().len() > 1 && stays(first) {
        Some(Channel::constant(first).unwrap_or(channel))
    } else {
        Some(channel)
    }
}

/// Whether all tangents are zero. A cubic moves between equal keys otherwise.
fn has_no_slopes<T: ChannelValue>(channel: &Channel<T>) -> bool {
    let slopes = channel.in_tangents().iter().chain(channel.out_tangents());
    let mut slopes = slopes.copied();
    slopes.all(|slope| slope == T::sum(slope, 0.0, slope, 0.0))
}
