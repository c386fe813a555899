//! A small shift of the body with which all limbs reach their targets, by cyclic projection.
//!
//! A limb reaches its target if the start of the limb is within its length of the target: a ball. The body is projected
//! onto each limb's ball in turn until it lies in all of them, which converges to a point of their intersection
//! (Bregman 1965). At most 16 rounds; a target that cannot be reached stays out of reach.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::limb_frame::LimbFrame;
use crate::math::unit;
use glam::DVec3;

/// The margin below full extension, as a fraction of the limb's length, that a planted end must keep.
const SHORT_OF_STRAIGHT: f64 = 1e-3;

/// The number of rounds of projections per frame.
const ROUNDS: usize = 16;

/// A limb at a frame: its start, its target and its maximum reach.
#[derive(Clone, Copy, Debug)]
pub struct LimbReach {
    pub upper: DVec3,
    pub target: DVec3,
    pub limit: f64,
}

impl LimbReach {
    /// The limit is the present extension of the limb if it is already straighter.
    pub fn new(frame: &LimbFrame, target: DVec3) -> Self {
        let extension = (frame.end - frame.upper).length();
        Self {
            upper: frame.upper,
            target,
            limit: (frame.length() * (1.0 - SHORT_OF_STRAIGHT)).max(extension),
        }
    }
}

/// Returns a small shift of the body, starting from `start`, with which all limbs reach: projects onto each in turn.
pub fn shift_within_reach(limbs: &[LimbReach], start: DVec3) -> DVec3 {
    let mut shift = start;
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for limb in limbs {
            let to_target = limb.target - (limb.upper + shift);
            let excess = to_target.length() - limb.limit;
            if excess > 1e-9
                && let Some(direction) = unit(to_target)
            {
                shift += direction * excess;
                is_done = false;
            }
        }
        if is_done {
            break;
        }
    }
    shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_moves_little_for_two_limbs() {
        let limb = |x: f64, target: DVec3| LimbReach {
            upper: DVec3::new(x, 1.0, 0.0),
            target,
            limit: 0.9,
        };
        let both = [
            limb(0.1, DVec3::ZERO),
            limb(-0.1, DVec3::new(0.0, 0.0, 0.2)),
        ];
        let shift = shift_within_reach(&both, DVec3::ZERO);
        for limb in both {
            assert!((limb.target - limb.upper - shift).length() <= limb.limit + 1e-6);
        }
        assert!(shift.y < -0.1 && shift.y > -0.15, "{shift:?}");
        assert_eq!(shift_within_reach(&[], DVec3::Y), DVec3::Y);
        let near = limb(0.0, DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(shift_within_reach(&[near], DVec3::ZERO), DVec3::ZERO);
    }
}
