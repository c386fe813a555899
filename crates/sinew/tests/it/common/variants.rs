//! Variant tracks, made and sampled in few words.

use sinew::{Variant, VariantInterpolation, VariantTrack};

pub(crate) const TANGENTS: VariantInterpolation = VariantInterpolation::TangentSpline;

pub(crate) fn tension(tension: f32) -> VariantInterpolation {
    VariantInterpolation::TensionSpline { tension }
}

pub(crate) fn track<V: Into<Variant>>(
    interpolation: VariantInterpolation,
    keys: impl IntoIterator<Item = (f32, V)>,
) -> VariantTrack {
    VariantTrack::new("@/Value", interpolation, keys).unwrap()
}

pub(crate) fn number(track: &VariantTrack, time: f32, length: f32, looped: bool) -> f32 {
    match track.sample(time, length, looped) {
        Variant::Float(value) => value,
        other => panic!("{other:?}"),
    }
}
