//! Morph weights, which become attribute tracks.

use super::GltfError;
use super::accessor::Shape;
use super::animations::{Context, interpolation};
use super::document::Sampler;
use super::error::{check_size, invalid};
use crate::limits::{MAX_MORPH_TRACKS, MAX_TEXT_BYTES, MAX_VARIANT_KEYS};
use crate::names::Names;
use crate::{Warnings, escape};
use sinew::animation::{Interpolation, VariantInterpolation, VariantKey, VariantTrack};
use sinew::{JointIndex, Skeleton};

impl Context<'_, '_> {
    /// Reads one track per weight, named as an attribute path.
    pub(super) fn weights(
        &mut self,
        path: &str,
        sampler: &Sampler<'_>,
        joint: JointIndex,
    ) -> Result<Vec<VariantTrack>, GltfError> {
        let times = self.times(path, sampler)?;
        let output = format!("{path}.output");
        let values = self
            .reader
            .numbers(&output, sampler.output, Shape::WEIGHT, self.warnings)?;
        let cubic = interpolation(path, sampler)? == Interpolation::Cubic;
        let interpolation = match interpolation(path, sampler)? {
            Interpolation::Step => VariantInterpolation::None,
            Interpolation::Linear => VariantInterpolation::Linear,
            Interpolation::Cubic => VariantInterpolation::TangentSpline,
        };
        let keys = times.len().saturating_mul(if cubic { 3 } else { 1 });
        let width = values.len() / keys.max(1);
        if width == 0 || width * keys != values.len() {
            let expected = format!("as many weights for each of {} keys", times.len());
            return Err(invalid(
                output,
                expected,
                format!("{} numbers", values.len()),
            ));
        }
        self.morph_tracks = self.morph_tracks.saturating_add(width);
        self.morph_keys = self.morph_keys.saturating_add(values.len());
        for (what, count, limit) in [
            ("tracks", self.morph_tracks, MAX_MORPH_TRACKS),
            ("keys", self.morph_keys, MAX_VARIANT_KEYS),
        ] {
            let what = format!("{output}: the count of {what} of weights");
            check_size(what, count as u64, limit as u64)?;
        }
        let node = node_path(&self.joints.skeleton, joint).ok_or_else(|| {
            let expected = format!("a node whose path has at most {MAX_TEXT_BYTES} bytes");
            invalid(path, expected, "a longer one")
        })?;
        let number = |row: usize, column: usize| values.get(row * width + column).copied();
        let key = |column: usize, key: usize| {
            if !cubic {
                return Some(VariantKey::new(0.0, number(key, column)?));
            }
            let [into, value, out] = [0, 1, 2].map(|part| number(key * 3 + part, column));
            // Tangents are per second in both formats.
            Some(VariantKey::new(0.0, value?).with_tangents(into?, out?))
        };
        let track = |column: usize| {
            let name = weight_track(&node, column);
            let keys = (0..times.len())
                .filter_map(|current| key(column, current))
                .collect();
            VariantTrack::with_times(name, interpolation, times.clone(), keys)
        };
        let tracks: Result<_, _> = (0..width).map(track).collect();
        tracks.map_err(|source| GltfError::Animation {
            path: output,
            source,
        })
    }

    pub(super) fn check_weights(&mut self, path: &str, node: u32) {
        let node_entry = self.reader.document.nodes.get(node as usize);
        if node_entry.is_some_and(|node| node.mesh.is_none()) {
            let problem = format!("it moves the weights of node {node}, which has no mesh");
            self.warnings.add(path, "target", problem);
        }
    }
}

/// Returns the name of a morph weight track, as an attribute path.
pub(super) fn weight_track(node_path: &str, target: usize) -> String {
    format!("{node_path}/@AnimatedModel/Morphs/{target}")
}

/// Returns the names from the root down to a joint, separated by slashes; `None` if the path is too long for a track
/// name.
pub(super) fn node_path(skeleton: &Skeleton, joint: JointIndex) -> Option<String> {
    let mut names = Vec::new();
    let mut length = 0;
    let mut current = skeleton.joint(joint);
    while let Some(joint) = current {
        names.push(joint.name.as_str());
        length += joint.name.len() + 1;
        if length > MAX_TEXT_BYTES {
            return None;
        }
        current = joint.parent.and_then(|parent| skeleton.joint(parent));
    }
    names.reverse();
    Some(names.join("/"))
}

/// Makes track names unique: the name of a node may equal the path of another.
pub(super) fn with_own_names(
    tracks: impl Iterator<Item = VariantTrack>,
    place: &str,
    warnings: &mut Warnings,
) -> Vec<VariantTrack> {
    let mut names = Names::default();
    let renamed = |mut track: VariantTrack| {
        let name = names.take(&track.name);
        if name != track.name {
            let problem = format!(
                "weights of two nodes are called {}; one is called {}",
                escape::text(&track.name),
                escape::text(&name)
            );
            warnings.add(place, "channels", problem);
            track.name = name;
        }
        track
    };
    tracks.map(renamed).collect()
}
