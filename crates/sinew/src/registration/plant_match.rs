//! Plants that match: the same foot or hand contact in every motion of a curve.

use crate::anatomy::LimbEnd;
use crate::skeleton::{JointIndex, Side};
use alloc::vec::Vec;

/// A heel, ball or hand that stands in every motion of a [`RegistrationCurve`](super::RegistrationCurve).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlantMatch {
    /// What stands.
    pub end: LimbEnd,
    /// On which side.
    pub side: Side,
    /// The joint that stands.
    pub joint: JointIndex,
    /// From which position to which, for each motion.
    pub spans: Vec<[f64; 2]>,
}

impl PlantMatch {
    /// From which position to which it stands where motions are mixed by weights that sum to 1.
    pub fn span(&self, weights: &[f64]) -> [f64; 2] {
        [0, 1].map(|end: usize| {
            let parts = self.spans.iter().zip(weights);
            parts.map(|(span, weight)| weight * span[end]).sum()
        })
    }
}
