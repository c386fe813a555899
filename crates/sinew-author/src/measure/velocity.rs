//! How fast a walk on the spot would travel.

use super::{MAX_FRAMES, USUAL_RATE};
use alloc::vec::Vec;
use glam::Vec3;
use sinew::animation::Animation;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// How far above its lowest place a foot still stands on the ground, in metres.
const GROUND: f32 = 0.005;

/// Below this, in metres per second, nothing travels; and a length below it, in seconds, is none.
const LARGE_EPSILON: f32 = 5e-5;

/// How fast, and which way, a character must move for its feet to stand still on the ground while a looped
/// walk on the spot plays: the opposite of what its planted feet do. In metres per second, the mean over
/// `feet` that stand long enough to tell; `None` when none does, or the animation has no length.
///
/// `rate` is in samples per second; by default that of the animation, else 30.
pub fn ground_velocity(
    skeleton: &Skeleton,
    animation: &Animation,
    feet: &[JointIndex],
    rate: Option<f64>,
) -> Option<Vec3> {
    let length = f64::from(animation.length);
    let rate = rate.or(animation.frame_rate).unwrap_or(USUAL_RATE);
    if animation.length < LARGE_EPSILON || !(rate.is_finite() && rate > 0.0) {
        return None;
    }
    let rate = rate.min(MAX_FRAMES as f64 / length);
    // The last frame of a loop is the first one again.
    let frames = libm::ceil(length * rate - f64::from(LARGE_EPSILON)) as usize;
    let mut sampler = Sampler::new(skeleton, animation);
    let mut places = alloc::vec![Vec::with_capacity(frames); feet.len()];
    for frame in 0..frames {
        let model = sampler.model_at((frame as f64 / rate) as f32);
        for (&foot, places) in feet.iter().zip(&mut places) {
            places.push(model.position(foot));
        }
    }
    let speeds: Vec<Vec3> = places
        .iter()
        .filter_map(|places| planted_velocity(places, rate))
        .collect();
    let sum = speeds.iter().fold(Vec3::ZERO, |sum, speed| sum + *speed);
    let mean = sum / speeds.len() as f32;
    match speeds.len() {
        0 => None,
        _ if mean.length() <= LARGE_EPSILON => Some(Vec3::ZERO),
        _ => Some(mean),
    }
}

/// The opposite of how a foot moves during the longest time that it stands on the ground. `places` are its
/// places in a loop, `rate` per second, without the end that is the beginning again. `None` with three
/// places or fewer, when it stands for less than two, or a number is not finite.
pub fn planted_velocity(places: &[Vec3], rate: f64) -> Option<Vec3> {
    let usable = rate.is_finite() && rate > 0.0 && places.iter().all(|place| place.is_finite());
    if places.len() <= 3 || !usable {
        return None;
    }
    let low = places.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let high = places.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
    let ground = (low + GROUND).min(high);
    // Where each time on the ground begins, and how many places it has.
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        if place.y > ground {
            continue;
        }
        match runs.last_mut() {
            Some((start, count)) if *start + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    // A time on the ground that goes on over the seam is one.
    if let (&[(0, first), .., (start, count)], true) = (&runs[..], runs.len() > 1)
        && start + count == places.len()
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
    let end = (start + count - 1) % places.len();
    let seconds = (count - 1) as f64 / rate;
    Some(-(places[end] - places[start]) / seconds as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(of: &[(f32, f32)]) -> Vec<Vec3> {
        of.iter().map(|&(y, z)| Vec3::new(0.0, y, z)).collect()
    }

    #[test]
    fn a_foot_that_stands_over_the_seam_stands_once() {
        let foot = places(&[
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
        let foot = places(&[
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
        assert_eq!(planted_velocity(&places(&[(0.0, 0.0); 3]), 10.0), None);
    }
}
