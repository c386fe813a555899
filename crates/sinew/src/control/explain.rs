//! Who did what: how a value came about.

use super::{AnimationParameters, BlendMode};
use crate::animation::AnimationIndex;
use crate::animation::Variant;
use crate::blend::{JointLayer, overlay_joint};
use crate::math::Transform;
use alloc::vec::Vec;

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

/// How a joint or node came to its transform: it is laid over layer by layer, as poses are, and each step is listed.
#[derive(Debug, Default)]
pub(super) struct JointHistory {
    pub(super) list: Vec<Contribution>,
    transform: Transform,
    has_value: [bool; 3],
}

impl JointHistory {
    /// Starts from a transform that counts as a layer of full weight; without one, from nothing.
    pub(super) fn new(base: Option<Transform>) -> Self {
        Self {
            list: Vec::new(),
            transform: base.unwrap_or_default(),
            has_value: [base.is_some(); 3],
        }
    }

    /// Lays a layer over it. `animation` says which animation that is.
    pub(super) fn overlay(&mut self, animation: (usize, &AnimationParameters), layer: &JointLayer) {
        let counted = overlay_joint(layer, &mut self.transform, &mut self.has_value);
        let above = layer.above.unwrap_or_default();
        let (sample, result) = (&layer.sample, &self.transform);
        let channels: [(_, Variant, Variant); 3] = [
            ("position", sample.position.into(), result.position.into()),
            ("rotation", sample.rotation.into(), result.rotation.into()),
            ("scale", sample.scale.into(), result.scale.into()),
        ];
        for (channel, (quantity, value, result)) in channels.into_iter().enumerate() {
            if let Some(weight) = counted[channel] {
                let weights = [weight, above[channel] as f32];
                let contribution = Contribution::new(animation, quantity, weights, value, result);
                self.list.push(contribution);
            }
        }
    }
}
