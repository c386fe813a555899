//! Who did what: how a value came about.

use super::{AnimationParameters, BlendMode};
use crate::animation::Variant;
use crate::armature::AnimationIndex;

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
    /// The weight that counted: that of the animation, its track and its mask; 1 for the first one.
    pub weight: f32,
    /// What it sampled.
    pub value: Variant,
    /// What there was after it.
    pub result: Variant,
}

impl Contribution {
    pub(super) fn new(
        (index, parameters): (usize, &AnimationParameters),
        quantity: &'static str,
        weight: f32,
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
            value: value.into(),
            result: result.into(),
        }
    }
}
