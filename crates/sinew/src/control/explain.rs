//! Who did what: how a value came about.

use super::{AnimationParameters, BlendMode};
use crate::animation::AnimationIndex;
use crate::animation::Variant;

/// What one playing animation did to one quantity, in the order in which animations were applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// Its position in the controller's list.
    pub index: usize,
    /// The animation.
    pub animation: AnimationIndex,
    /// Which of several that play it.
    pub instance_index: u32,
    /// Its layer.
    pub layer: u32,
    /// How it was applied.
    pub blend_mode: BlendMode,
    /// What it changed: `position`, `rotation`, `scale`, or the attribute.
    pub quantity: &'static str,
    /// The weight that counted: that of the animation, its track and its mask; 1 for the first one. Where it
    /// [shares its layer](AnimationParameters::shares_layer), that divided by what those above leave.
    pub weight: f32,
    /// The sum of the shares of those that share its layer and are blended over it; 0 for all others.
    pub above: f32,
    /// What it sampled.
    pub value: Variant,
    /// What there was after it.
    pub result: Variant,
}

impl Contribution {
    pub(super) fn new(
        (index, parameters): (usize, &AnimationParameters),
        quantity: &'static str,
        [weight, above]: [f32; 2],
        value: impl Into<Variant>,
        result: impl Into<Variant>,
    ) -> Self {
        Self {
            index,
            animation: parameters.animation,
            instance_index: parameters.instance_index,
            layer: parameters.layer,
            blend_mode: parameters.blend_mode,
            quantity,
            weight,
            above,
            value: value.into(),
            result: result.into(),
        }
    }
}
