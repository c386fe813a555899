//! The shift of the hips with which planted legs stay as bent as in the source.
//!
//! Close to full extension a knee is sensitive: one percent of the leg's length bends it by 16 degrees. So where a planted foot
//! is not where forward kinematics has it, the hips move rather than the knee. Per frame the shift minimizes
//!
//! ```text
//! Σ w (u_y d - r)² + λ d²      d = Σ w u_y r / (λ + Σ w u_y²)
//! ```
//!
//! over the legs: `d` is the height, `u` the direction from the hip joint to the foot's target, `r` the excess of their distance
//! over the extension of the leg, `w` is 1 during a plant and falls to 0 around it, and `λ` keeps the hips where the legs disagree.
//! Only the height changes: feet of captured motions slide along the direction of walking, and the travel should not follow
//! that. Smoothed over time by a Gaussian. Linear in the number of frames.

use crate::footskate::{LimbTargets, add_smoothed, follow_weights, gaussian};
use alloc::vec::Vec;
use glam::DVec3;
use sinew::internal::unit;

/// The weight of a small shift against the weight 1 of a planted leg.
const SHIFT_WEIGHT: f64 = 0.05;

/// The shift of the hips at each frame, smoothed over `smooth` seconds to either side.
pub(super) fn stance_shifts(
    limbs: &[LimbTargets<'_>],
    count: usize,
    rate: f64,
    smooth: f64,
) -> Vec<DVec3> {
    let weights: Vec<Vec<f64>> = limbs
        .iter()
        .map(|limb| follow_weights(limb.targets, rate))
        .collect();
    let mut wanted = alloc::vec![DVec3::ZERO; count];
    for (frame, wanted) in wanted.iter_mut().enumerate() {
        let (mut sum, mut weights_sum) = (0.0, SHIFT_WEIGHT);
        for (limb, weights) in limbs.iter().zip(&weights) {
            let (Some(leg), Some(target), Some(weight)) = (
                limb.frames.get(frame),
                limb.targets.get(frame),
                weights.get(frame),
            ) else {
                continue;
            };
            let to_target = target.end - leg.upper;
            let excess = to_target.length() - (leg.end - leg.upper).length();
            if let Some(direction) = unit(to_target) {
                sum += weight * direction.y * excess;
                weights_sum += weight * direction.y * direction.y;
            }
        }
        wanted.y = sum / weights_sum;
    }
    let mut shifts = alloc::vec![DVec3::ZERO; count];
    add_smoothed(&wanted, &gaussian((smooth * rate) as usize), &mut shifts);
    shifts
}
