//! Matching plants: the same foot or hand contact in every motion of a curve.

use crate::anatomy::LimbEnd;
use crate::skeleton::{JointIndex, Side};
use alloc::vec::Vec;

/// A heel, ball or hand that is planted in every motion of a [`RegistrationCurve`](super::RegistrationCurve).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlantMatch {
    /// The planted limb end.
    pub end: LimbEnd,
    /// Its side.
    pub side: Side,
    /// The planted joint.
    pub joint: JointIndex,
    /// The position span for each motion.
    pub spans: Vec<[f64; 2]>,
}

impl PlantMatch {
    /// Returns the position span of the blend with weights that sum to 1.
    pub fn span(&self, weights: &[f64]) -> [f64; 2] {
        [0, 1].map(|end: usize| {
            let weighted = self.spans.iter().zip(weights);
            weighted.map(|(span, weight)| weight * span[end]).sum()
        })
    }
}
