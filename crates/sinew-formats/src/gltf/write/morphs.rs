//! Morph weights: conversion of the reader's variant tracks back to channels.

use super::super::morphs::weight_track;
use super::keys::{ChannelKeys, alone, rising};
use crate::{Warnings, escape};
use sinew::Animation;
use sinew::animation::{Interpolation, Variant, VariantInterpolation, VariantTrack, VariantType};

/// A node whose mesh has morph targets.
pub(in crate::gltf) struct MorphNode {
    /// Joint of the node.
    pub(in crate::gltf) joint: usize,
    /// Names of its joints from the root down.
    pub(in crate::gltf) path: String,
    /// Weight of each target at rest.
    pub(in crate::gltf) rest: Vec<f32>,
}

/// Builds the weights channel of a node: the weights of all targets for each key. Marks the tracks that are part of
/// it; `None` if no morph weight is animated, or one glTF channel cannot hold them.
pub(super) fn weights(
    node: &MorphNode,
    animation: &Animation,
    is_written: &mut [bool],
    warnings: &mut Warnings,
) -> Option<ChannelKeys> {
    let find = |target: usize| {
        let name = weight_track(&node.path, target);
        let is_weight = |track: &VariantTrack| {
            track.name == name && track.kind() == VariantType::Float && track.weight == 1.0
        };
        animation.variants.iter().rposition(is_weight)
    };
    let found: Vec<Option<usize>> = (0..node.rest.len()).map(find).collect();
    let first = found.iter().flatten().next()?;
    let first = animation.variants.get(*first)?;
    let tracks: Vec<Option<&VariantTrack>> = found
        .iter()
        .map(|track| track.and_then(|track| animation.variants.get(track)))
        .collect();
    let all = || tracks.iter().copied().flatten();
    let is_alike = |track: &VariantTrack| {
        track.times() == first.times() && interpolation(track) == interpolation(first)
    };
    let keys = if all().all(is_alike) && interpolation(first).is_some() {
        alike(node, &tracks, first)
    } else if all().all(|track| interpolation(track) == Some(Interpolation::Linear)) {
        joined(node, &tracks, animation.length)
    } else {
        let place = format!("animation {}", escape::text(&animation.name));
        let problem = format!(
            "those of {} cannot be combined in one glTF channel; only Sinew reads them, from extras",
            escape::text(&node.path)
        );
        warnings.add(place, "weights", problem);
        return None;
    };
    for track in found.into_iter().flatten() {
        if let Some(written) = is_written.get_mut(track) {
            *written = true;
        }
    }
    Some(keys)
}

/// Returns the glTF interpolation of a track, if there is one.
fn interpolation(track: &VariantTrack) -> Option<Interpolation> {
    match track.interpolation() {
        VariantInterpolation::None => Some(Interpolation::Step),
        VariantInterpolation::Linear => Some(Interpolation::Linear),
        VariantInterpolation::TangentSpline => {
            let mut keys = track.keys();
            let has_tangents =
                keys.all(|key| key.in_tangent.is_some() && key.out_tangent.is_some());
            // Without tangents values hold.
            Some(if has_tangents {
                Interpolation::Cubic
            } else {
                Interpolation::Step
            })
        }
        VariantInterpolation::TensionSpline { .. } => None,
    }
}

fn number(value: Option<&Variant>) -> Option<f32> {
    match value {
        Some(Variant::Float(number)) => Some(*number),
        _ => None,
    }
}

/// Builds the keys of tracks with the same times.
fn alike(node: &MorphNode, tracks: &[Option<&VariantTrack>], first: &VariantTrack) -> ChannelKeys {
    let times = first.times();
    let (kept, rising_times) = rising(times);
    let interpolation = interpolation(first).unwrap_or(Interpolation::Linear);
    let is_cubic = interpolation == Interpolation::Cubic && rising_times.len() > 1;
    let tangents: Vec<Vec<[f32; 2]>> = tracks
        .iter()
        .map(|track| match track {
            Some(track) if is_cubic => slopes(track),
            _ => Vec::new(),
        })
        .collect();
    let mut numbers = Vec::with_capacity(kept.len() * tracks.len());
    for &key in &kept {
        let slope = |side: usize| {
            let slopes = tangents.iter();
            slopes.map(move |slopes| slopes.get(key).map_or(0.0, |both| both[side]))
        };
        if is_cubic {
            numbers.extend(slope(0));
        }
        numbers.extend(tracks.iter().zip(&node.rest).map(|(track, rest)| {
            let value = track.and_then(|track| number(track.values().get(key)));
            value.unwrap_or(*rest)
        }));
        if is_cubic {
            numbers.extend(slope(1));
        }
    }
    let rate = times.rate().filter(|_| rising_times.len() == times.len());
    ChannelKeys {
        rate,
        interpolation: if rising_times.len() == 1 {
            alone(interpolation)
        } else {
            interpolation
        },
        times: rising_times,
        numbers,
    }
}

/// Returns the slopes per second into and out of each key, from tangents per segment.
fn slopes(track: &VariantTrack) -> Vec<[f32; 2]> {
    let times = track.times();
    let per_second = |tangent: Option<&Variant>, seconds: f32| {
        let slope = number(tangent).unwrap_or(0.0) / seconds;
        if slope.is_finite() { slope } else { 0.0 }
    };
    let keys = track.keys().enumerate();
    keys.map(|(index, key)| {
        let before = index
            .checked_sub(1)
            .map_or(0.0, |last| times.get(index) - times.get(last));
        let after = times.get(index + 1) - times.get(index);
        [
            per_second(key.in_tangent.as_ref(), before),
            per_second(key.out_tangent.as_ref(), after),
        ]
    })
    .collect()
}

/// Merges linear tracks at the union of their times.
fn joined(node: &MorphNode, tracks: &[Option<&VariantTrack>], length: f32) -> ChannelKeys {
    let mut times: Vec<f32> = Vec::new();
    for track in tracks.iter().flatten() {
        times.extend(rising(track.times()).1);
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    let mut numbers = Vec::with_capacity(times.len() * tracks.len());
    for &time in &times {
        numbers.extend(tracks.iter().zip(&node.rest).map(|(track, rest)| {
            let value = track.map(|track| track.sample(time, length, false));
            number(value.as_ref()).unwrap_or(*rest)
        }));
    }
    ChannelKeys {
        times,
        rate: None,
        interpolation: Interpolation::Linear,
        numbers,
    }
}
