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
pub struct Need {
    pub upper: DVec3,
    pub target: DVec3,
    pub limit: f64,
}

impl Need {
    /// Creates the need of a limb. The limit is its present extension if it is already straighter.
    pub fn new(frame: &LimbFrame, target: DVec3) -> Self {
        let own = (frame.end - frame.upper).length();
        Self {
            upper: frame.upper,
            target,
            limit: (frame.length() * (1.0 - SHORT_OF_STRAIGHT)).max(own),
        }
    }
}

/// Returns a small shift of the body, starting from `start`, with which all limbs reach: projects onto each in turn.
pub fn least_move(needs: &[Need], start: DVec3) -> DVec3 {
    let mut shift = start;
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for need in needs {
            let way = need.target - (need.upper + shift);
            let excess = way.length() - need.limit;
            if excess > 1e-9
                && let Some(way) = unit(way)
            {
                shift += way * excess;
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
    fn the_body_moves_as_little_as_two_limbs_need() {
        let need = |x: f64, target: DVec3| Need {
            upper: DVec3::new(x, 1.0, 0.0),
            target,
            limit: 0.9,
        };
        let both = [
            need(0.1, DVec3::ZERO),
            need(-0.1, DVec3::new(0.0, 0.0, 0.2)),
        ];
        let shift = least_move(&both, DVec3::ZERO);
        for need in both {
            assert!((need.target - need.upper - shift).length() <= need.limit + 1e-6);
        }
        assert!(shift.y < -0.1 && shift.y > -0.15, "{shift:?}");
        assert_eq!(least_move(&[], DVec3::Y), DVec3::Y);
        let near = need(0.0, DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(least_move(&[near], DVec3::ZERO), DVec3::ZERO);
    }
}
