//! Data that glTF cannot represent: triggers, variant tracks that are not morph weights, weights of tracks, tracks of
//! joints that the skeleton lacks. It is written as [Sinew's JSON](crate::json) into an animation's
//! `extras.sinew.notes`.

use crate::json;
use serde_json::value::RawValue;
use sinew::animation::TransformTrack;
use sinew::{Animation, Skeleton};

/// Returns the notes of an animation; `None` if there are none. `is_written` marks variant tracks that are written as
/// channels.
pub(super) fn of(
    skeleton: &Skeleton,
    animation: &Animation,
    is_written: &[bool],
) -> Option<Box<RawValue>> {
    let variants = animation.variants.iter().enumerate();
    let variants = variants.filter(|(index, _)| is_written.get(*index) != Some(&true));
    let tracks = animation.tracks.iter().filter_map(|track| {
        if skeleton.find(&track.name).is_none() {
            return Some(track.clone());
        }
        let is_weighted = track.weights != Default::default();
        is_weighted.then(|| TransformTrack {
            weights: track.weights,
            ..TransformTrack::new(track.name.clone())
        })
    });
    let notes = Animation {
        tracks: tracks.collect(),
        variants: variants.map(|(_, track)| track.clone()).collect(),
        triggers: animation.triggers.clone(),
        ..Animation::default()
    };
    if notes == Animation::default() {
        return None;
    }
    RawValue::from_string(json::to_text(None, &[notes])).ok()
}
