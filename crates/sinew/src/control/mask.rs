//! Masks: joint weights by name.

use crate::blend::ramp_weights;
use crate::skeleton::Skeleton;
use alloc::string::String;
use alloc::vec::Vec;

/// A weight per joint, bone or node, by name, for animations that move a part of a body.
///
/// Names hold for every model that the animation plays on. Binding a model resolves them once into its indices, for
/// joints into [`blend::JointWeights`](crate::blend::JointWeights), which is what poses are blended with.
///
/// ```
/// use sinew::control::Mask;
/// let arms = Mask::none().with("Shoulder", 0.5).with("Arm", 1.0);
/// assert_eq!(arms.weight("Shoulder"), 0.5);
/// assert_eq!(arms.weight("Foot"), 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Sorted by name.
    weights: Vec<(String, f32)>,
    others: f32,
}

impl Mask {
    /// Creates a mask with weight 0 everywhere.
    pub fn none() -> Self {
        Self {
            weights: Vec::new(),
            others: 0.0,
        }
    }

    /// Creates a mask with weight 1 everywhere.
    pub fn all() -> Self {
        Self {
            weights: Vec::new(),
            others: 1.0,
        }
    }

    /// Creates a mask of a joint of a skeleton and its descendants; `None` if there is no such joint.
    pub fn subtree(skeleton: &Skeleton, joint: &str) -> Option<Self> {
        let range = skeleton.subtree(skeleton.find(joint)?);
        let joints = skeleton.joints().get(range)?;
        let mask = Self::none();
        Some(joints.iter().fold(mask, |mask, j| mask.with(&j.name, 1.0)))
    }

    /// Like [`Self::subtree`], with weights that rise evenly over the first `ramp` joints from that one down; see
    /// [`JointWeights::subtree_ramp`](crate::blend::JointWeights::subtree_ramp).
    pub fn subtree_ramp(skeleton: &Skeleton, joint: &str, ramp: u32) -> Option<Self> {
        let weights = ramp_weights(skeleton, skeleton.find(joint)?, ramp);
        Some(weights.fold(Self::none(), |mask, (joint, weight)| {
            let name = skeleton.joint(joint).map_or("", |joint| &joint.name);
            mask.with(name, weight)
        }))
    }

    /// Sets the weight of one name, clamped to 0 to 1; NaN is 0.
    pub fn with(mut self, name: &str, weight: f32) -> Self {
        let weight = if weight > 0.0 { weight.min(1.0) } else { 0.0 };
        match self
            .weights
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
        {
            Ok(index) => self.weights[index].1 = weight,
            Err(index) => self.weights.insert(index, (name.into(), weight)),
        }
        self
    }

    /// Returns the weight of a name, 0 to 1.
    pub fn weight(&self, name: &str) -> f32 {
        let index = self
            .weights
            .binary_search_by(|(key, _)| key.as_str().cmp(name));
        index.map_or(self.others, |index| self.weights[index].1)
    }

    /// Returns the names with a weight of their own, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.weights.iter().map(|(name, _)| name.as_str())
    }
}
