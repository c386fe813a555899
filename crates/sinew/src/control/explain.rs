//! Explanations: the contribution of each animation to a value.

use super::{AnimationParameters, BlendMode};
use crate::animation::AnimationIndex;
use crate::animation::Variant;
use crate::blend::{JointLayer, overlay_joint};
use crate::math::Transform;
use alloc::vec::Vec;

/// The contribution of one playing animation to one quantity, in the order of application.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The position in the controller's list.
    pub index: usize,
    /// The animation.
    pub animation: AnimationIndex,
    /// The instance index.
    pub instance_index: u32,
    /// The layer.
    pub layer: u32,
    /// The blend mode.
    pub blend_mode: BlendMode,
    /// The quantity changed: `position`, `rotation`, `scale`, or the attribute.
    pub quantity: &'static str,
    /// The applied weight: the product of the weights of the animation, its track and its mask; 1 for the first one.
    /// If it [shares its layer](AnimationParameters::shares_layer), divided by 1 minus the shares above it.
    pub weight: f32,
    /// The sum of the shares blended over it in its layer; 0 if it does not share its layer.
    pub above: f32,
    /// The sampled value.
    pub value: Variant,
    /// The result after it was applied.
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

/// The blending of a transform of a joint or node, layer by layer as for poses, with each step recorded.
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

    /// Blends a layer over it. `animation` is the position and the parameters of its animation.
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
