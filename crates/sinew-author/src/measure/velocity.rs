//! Ground velocity: how fast a walk that is stored in place would travel.
//!
//! A planted foot of such a walk slides backwards at the walking speed. For each foot the longest time on the ground is found (heights
//! within 5 mm of its lowest, across the seam of the loop too); the velocity is minus its displacement over that time, averaged
//! over the feet:
//!
//! ```text
//! v = -(p_end - p_start) / (t_end - t_start)
//! ```

use super::{MAX_FRAMES, MIN_MEASURED_RATE};
use alloc::vec::Vec;
use glam::Vec3;
use sinew::animation::Animation;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// The height threshold of a foot on the ground above its lowest position, in metres.
const GROUND_THRESHOLD: f32 = 0.005;

/// Velocities below this are zero, in metres per second, and so are lengths, in seconds.
const NEGLIGIBLE: f32 = 5e-5;

/// The velocity at which a character must move for its feet not to slide while a looped walk plays in place: minus that of its
/// planted feet. In metres per second, the mean over `feet` that are on the ground for long enough; `None` if none is, or
/// the animation has no length.
///
/// `rate` is in samples per second; by default that of the animation, else 30.
pub fn ground_velocity(
    skeleton: &Skeleton,
    animation: &Animation,
    feet: &[JointIndex],
    rate: Option<f64>,
) -> Option<Vec3> {
    let length = f64::from(animation.length);
    let rate = rate.or(animation.frame_rate).unwrap_or(MIN_MEASURED_RATE);
    if animation.length < NEGLIGIBLE || !(rate.is_finite() && rate > 0.0) {
        return None;
    }
    let rate = rate.min(MAX_FRAMES as f64 / length);
    // The last frame of a loop is the first one again.
    let frames = libm::ceil(length * rate - f64::from(NEGLIGIBLE)) as usize;
    let mut sampler = Sampler::new(skeleton, animation);
    let mut positions = alloc::vec![Vec::with_capacity(frames); feet.len()];
    for frame in 0..frames {
        let model = sampler.model_at((frame as f64 / rate) as f32);
        for (&foot, positions) in feet.iter().zip(&mut positions) {
            positions.push(model.position(foot));
        }
    }
    let velocities: Vec<Vec3> = positions
        .iter()
        .filter_map(|positions| planted_velocity(positions, rate))
        .collect();
    let sum = velocities
        .iter()
        .fold(Vec3::ZERO, |sum, velocity| sum + *velocity);
    let mean = sum / velocities.len() as f32;
    match velocities.len() {
        0 => None,
        _ if mean.length() <= NEGLIGIBLE => Some(Vec3::ZERO),
        _ => Some(mean),
    }
}

/// Minus the velocity of a foot during its longest time on the ground. `positions` are those of the foot in a loop, `rate` per
/// second, without the last frame, which is the first one again. `None` if there are three or fewer, fewer than two on the
/// ground, or a value is not finite.
pub fn planted_velocity(positions: &[Vec3], rate: f64) -> Option<Vec3> {
    let usable =
        rate.is_finite() && rate > 0.0 && positions.iter().all(|position| position.is_finite());
    if positions.len() <= 3 || !usable {
        return None;
    }
    let low = positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let high = positions
        .iter()
        .map(|p| p.y)
        .fold(f32::NEG_INFINITY, f32::max);
    let ground = (low + GROUND_THRESHOLD).min(high);
    // The first index and the length of each run on the ground.
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, position) in positions.iter().enumerate() {
        if position.y > ground {
            continue;
        }
        match runs.last_mut() {
            Some((start, count)) if *start + *count == index => *count += 1,
            _ => runs.push((index, 1)),
        }
    }
    // Runs at both ends of the loop are one.
    if let (&[(0, first), .., (start, count)], true) = (&runs[..], runs.len() > 1)
        && start + count == positions.len()
    {
        runs.pop();
        runs[0] = (start, count + first);
    }
    let mut longest: Option<(usize, usize)> = None;
    for run in runs {
        if longest.is_none_or(|longest| run.1 > longest.1) {
            longest = Some(run);
        }
    }
    let (start, count) = longest.filter(|run| run.1 >= 2)?;
    let end = (start + count - 1) % positions.len();
    let seconds = (count - 1) as f64 / rate;
    Some(-(positions[end] - positions[start]) / seconds as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(of: &[(f32, f32)]) -> Vec<Vec3> {
        of.iter().map(|&(y, z)| Vec3::new(0.0, y, z)).collect()
    }

    #[test]
    fn a_foot_that_stands_over_the_seam_stands_once() {
        let foot = positions(&[
            (0.0, 0.2),
            (0.0, 0.1),
            (0.0, 0.0),
            (0.0, -0.1),
            (0.3, -0.1),
            (0.4, 0.1),
            (0.4, 0.3),
            (0.3, 0.45),
            (0.0, 0.4),
            (0.0, 0.3),
        ]);
        let velocity = planted_velocity(&foot, 10.0).unwrap();
        assert!((velocity - Vec3::Z).length() < 1e-5, "{velocity}");
    }

    #[test]
    fn the_ground_is_half_a_centimetre_thick() {
        let foot = positions(&[
            (0.3, 0.0),
            (0.0, 0.3),
            (0.0, 0.1),
            (0.004, -0.1),
            (0.3, 0.0),
            (0.3, 0.2),
        ]);
        let velocity = planted_velocity(&foot, 10.0).unwrap();
        let expected = Vec3::new(0.0, -0.02, 2.0);
        assert!((velocity - expected).length() < 1e-5, "{velocity}");
    }

    #[test]
    fn three_places_tell_nothing() {
        assert_eq!(planted_velocity(&positions(&[(0.0, 0.0); 3]), 10.0), None);
    }
}
