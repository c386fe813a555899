//! Variant tracks, made and sampled in few words.

use sinew::animation::{Variant, VariantInterpolation, VariantTrack};

pub const TANGENTS: VariantInterpolation = VariantInterpolation::TangentSpline;

pub fn tension(tension: f32) -> VariantInterpolation {
    VariantInterpolation::TensionSpline { tension }
}

pub fn track<V: Into<Variant>>(
    interpolation: VariantInterpolation,
    keys: impl IntoIterator<Item = (f32, V)>,
) -> VariantTrack {
    VariantTrack::new("@/Value", interpolation, keys).unwrap()
}

pub fn number(track: &VariantTrack, time: f32, length: f32, looped: bool) -> f32 {
    match track.sample(time, length, looped) {
        Variant::Float(value) => value,
        other => panic!("{other:?}"),
    }
}
