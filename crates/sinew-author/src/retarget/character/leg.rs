//! Two-bone inverse kinematics in the plane, and which way a joint bends.
//!
//! With the bone lengths `a`, `b` and the distance `d` from the first joint to the goal, the angle at the first joint between the
//! first bone and the line to the goal is `acos((a² + d² - b²) / 2ad)` (law of cosines); the sign of the bend chooses the side.

use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec2;

/// The share of the summed bends that must have one sign for a joint to bend only that way.
const CLEAR_MAJORITY: f64 = 0.8;

/// Returns the angle of the first of two bones that reach from `start` for `goal`. `bend` is the sign of the turn from the first bone
/// to the second. A goal out of reach gives a straight or a folded limb.
pub(super) fn first_angle(start: DVec2, goal: DVec2, lengths: [f64; 2], bend: f64) -> f64 {
    let [a, b] = lengths;
    let line = goal - start;
    let distance = line.length().clamp((a - b).abs(), a + b);
    let base = libm::atan2(line.y, line.x);
    let divisor = 2.0 * a * distance;
    if divisor <= 0.0 {
        return base;
    }
    let cosine = (a * a + distance * distance - b * b) / divisor;
    base - bend * libm::acos(cosine.clamp(-1.0, 1.0))
}

/// Returns the sign of the bend at every frame, so that it changes only where the limb is straight and never within a plant.
/// `bends` are sines of the turn from the first bone to the second.
pub(super) fn bend_signs(bends: &[f64], plants: &[Range<usize>]) -> Vec<f64> {
    let sum = |frames: Range<usize>| bends[frames].iter().sum::<f64>();
    let all = sum(0..bends.len());
    let size: f64 = bends.iter().map(|bend| bend.abs()).sum();
    let sign = |sum: f64| if sum < 0.0 { -1.0 } else { 1.0 };
    let positive = (size + all) * 0.5;
    if size <= 0.0 || positive >= CLEAR_MAJORITY * size || size - positive >= CLEAR_MAJORITY * size
    {
        return alloc::vec![sign(all); bends.len()];
    }
    let mut signs: Vec<f64> = bends.iter().map(|&bend| sign(bend)).collect();
    for plant in plants {
        let common = sign(sum(plant.clone()));
        signs[plant.clone()].fill(common);
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(angle: f64) -> DVec2 {
        let (sine, cosine) = libm::sincos(angle);
        DVec2::new(cosine, sine)
    }

    #[test]
    fn the_second_bone_ends_at_the_goal_and_bends_as_asked() {
        let start = DVec2::new(3.0, -2.0);
        for (x, y) in [(10.0, 0.0), (-4.0, 9.0), (2.5, -11.0)] {
            for bend in [-1.0, 1.0] {
                let goal = start + DVec2::new(x, y);
                let first = unit(first_angle(start, goal, [7.0, 6.0], bend));
                let second = goal - (start + first * 7.0);
                assert!((second.length() - 6.0).abs() < 1e-9);
                assert!(first.perp_dot(second) * bend > 0.0);
            }
        }
    }

    #[test]
    fn goals_out_of_reach_and_limbs_without_length_give_finite_angles() {
        let far = first_angle(DVec2::ZERO, DVec2::new(0.0, 99.0), [1.0, 2.0], 1.0);
        assert!((far - core::f64::consts::FRAC_PI_2).abs() < 1e-9);
        assert!(first_angle(DVec2::ZERO, DVec2::ZERO, [1.0, 1.0], 1.0).is_finite());
        assert!(first_angle(DVec2::ZERO, DVec2::X, [0.0, 0.0], 1.0).is_finite());
    }

    #[test]
    fn a_bend_does_not_flip_within_a_plant() {
        let bends = [0.5, 0.1, -0.1, 0.2, -0.6, -0.5];
        assert_eq!(bend_signs(&bends, &[]), [1.0, 1.0, -1.0, 1.0, -1.0, -1.0]);
        let plant = 1..4;
        assert_eq!(
            bend_signs(&bends, &[plant]),
            [1.0, 1.0, 1.0, 1.0, -1.0, -1.0]
        );
        assert_eq!(bend_signs(&[0.9, 0.9, -0.1], &[]), [1.0; 3]);
    }
}
