//! What comes of a value when an animation is applied to it.

use super::{BlendMode, EPSILON};
use crate::animation::{Variant, VariantInterpolation};

/// Whether a weight replaces what is there.
pub(super) fn is_full(weight: f32) -> bool {
    weight >= 1.0 - EPSILON
}

/// The weight of an animation whose weight is a share of its layer: with the share `s` and the sum `above` of the shares
/// of those that are blended over it, `s / (1 - above)`. Blended in turn, each then counts as much as its share, and as
/// much of the layers below is seen as the shares lack of 1. At most 1; 0 where those above leave nothing.
#[inline]
pub(super) fn shared_weight(share: f32, above: f64) -> f32 {
    // The usual case, and exact.
    if above == 0.0 {
        return share;
    }
    let left = 1.0 - above;
    if left <= f64::from(EPSILON) {
        return 0.0;
    }
    (f64::from(share) / left).min(1.0) as f32
}

/// How a value is applied to one that is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum How {
    /// It takes its place.
    Replace,
    /// The two are mixed.
    Mix,
    /// What lies between the first key and it is added.
    Add,
}

/// How an animation is applied where `is_first` says that no other was; `None` where it is not.
#[inline]
pub(super) fn how(mode: BlendMode, is_first: bool, weight: f32) -> Option<How> {
    match mode {
        BlendMode::Lerp if is_first || is_full(weight) => Some(How::Replace),
        BlendMode::Lerp => Some(How::Mix),
        BlendMode::Additive if is_first => None,
        BlendMode::Additive => Some(How::Add),
    }
}

/// A variant after `sample` was applied to it, and the weight that counted; `None` where nothing is applied.
/// `own` is `None` where no animation gave a value, `base` is the first key of the track. Values that hold
/// between keys replace what is there at any weight.
pub(super) fn blend_variant(
    mode: BlendMode,
    own: Option<&Variant>,
    interpolation: VariantInterpolation,
    sample: Variant,
    base: &Variant,
    weight: f32,
) -> Option<(Variant, f32)> {
    let holds = interpolation == VariantInterpolation::None;
    match (how(mode, own.is_none(), weight)?, own) {
        (How::Mix, Some(own)) if !holds => Some((own.lerp(&sample, weight), weight)),
        (How::Add, Some(own)) => Some((own.add(&sample, base, weight), weight)),
        _ => Some((sample, 1.0)),
    }
}
