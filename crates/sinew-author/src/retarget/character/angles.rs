//! Angles of projected bones over time.

use super::view::spans;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};
use core::ops::Range;
use glam::DVec2;

/// The share of a bone's length below which its projection says nothing about its angle: it then points towards the viewer, and
/// a few degrees turn the projection around.
const UNRELIABLE: f64 = 0.2;

/// The direction of a bone in the plane, frame by frame.
#[derive(Clone, Debug)]
pub(super) struct Angles {
    /// In radians, counter-clockwise from +x, without jumps of whole turns.
    pub(super) radians: Vec<f64>,
    /// The projected length as a share of the true one.
    pub(super) ratios: Vec<f64>,
    /// Frames whose angle is interpolated.
    pub(super) unreliable: Vec<Range<usize>>,
}

impl Angles {
    /// Computes the angles of projected bones. `lengths` are their true lengths. Angles across an unreliable span are
    /// interpolated along the shorter arc; before the first and after the last reliable frame they are held. Without a reliable
    /// frame all are `fallback`.
    pub(super) fn new(projected: &[DVec2], lengths: &[f64], fallback: f64) -> Self {
        let ratio = |(vector, &length): (&DVec2, &f64)| {
            if length > 0.0 {
                (vector.length() / length).min(1.0)
            } else {
                0.0
            }
        };
        let ratios: Vec<f64> = projected.iter().zip(lengths).map(ratio).collect();
        let unreliable = spans(0..ratios.len(), |frame| ratios[frame] < UNRELIABLE);
        let mut radians = Vec::with_capacity(projected.len());
        let mut previous: Option<f64> = None;
        for (vector, &ratio) in projected.iter().zip(&ratios) {
            if ratio >= UNRELIABLE {
                let angle = libm::atan2(vector.y, vector.x);
                previous = Some(previous.map_or(angle, |before| nearest(angle, before)));
            }
            radians.push(previous.unwrap_or(fallback));
        }
        for span in &unreliable {
            let before = span.start.checked_sub(1).map(|frame| radians[frame]);
            let after = radians.get(span.end).copied();
            for frame in span.clone() {
                radians[frame] = match (before, after) {
                    (Some(from), Some(to)) => {
                        let share = (frame + 1 - span.start) as f64 / (span.len() + 1) as f64;
                        from + (to - from) * share
                    }
                    (Some(from), None) => from,
                    (None, Some(to)) => to,
                    (None, None) => fallback,
                };
            }
        }
        Self {
            radians,
            ratios,
            unreliable,
        }
    }
}

/// Returns the angle that differs from `angle` by whole turns and is nearest to `reference`.
pub(super) fn nearest(angle: f64, reference: f64) -> f64 {
    let turns = libm::round((reference - angle) / TAU);
    angle + turns * TAU
}

/// Removes jumps of whole turns; the first angle becomes the one nearest to `start`.
pub(super) fn unwrap(angles: &mut [f64], start: f64) {
    let mut previous = start;
    for angle in angles {
        *angle = nearest(*angle, previous);
        previous = *angle;
    }
}

/// Returns the angle between two directions, from -π to π.
pub(super) fn difference(from: f64, to: f64) -> f64 {
    let angle = nearest(to - from, 0.0);
    angle.clamp(-PI, PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(degrees: f64, length: f64) -> DVec2 {
        let (sine, cosine) = libm::sincos(degrees.to_radians());
        DVec2::new(cosine, sine) * length
    }

    #[test]
    fn angles_pass_half_a_turn_without_a_jump() {
        let projected: Vec<DVec2> = (0..40).map(|i| vector(f64::from(i) * 20.0, 1.0)).collect();
        let angles = Angles::new(&projected, &[1.0; 40], 0.0);
        assert!((angles.radians[39].to_degrees() - 780.0).abs() < 1e-9);
        assert!(angles.unreliable.is_empty());
    }

    #[test]
    fn a_bone_that_points_at_the_viewer_is_interpolated() {
        let lengths = [0.9, 0.1, 0.05, 0.1, 0.9];
        let degrees = [-90.0, 70.0, 180.0, 10.0, -50.0];
        let projected: Vec<DVec2> = degrees
            .into_iter()
            .zip(lengths)
            .map(|(degrees, length)| vector(degrees, length))
            .collect();
        let angles = Angles::new(&projected, &[1.0; 5], 0.0);
        assert_eq!(angles.unreliable.as_slice(), core::slice::from_ref(&(1..4)));
        for (angle, expected) in angles
            .radians
            .iter()
            .zip([-90.0, -80.0, -70.0, -60.0, -50.0])
        {
            assert!((angle.to_degrees() - expected).abs() < 1e-9, "{angle}");
        }
    }

    #[test]
    fn angles_without_a_reliable_frame_are_the_fallback() {
        let angles = Angles::new(&[DVec2::ZERO; 3], &[1.0; 3], 0.7);
        assert_eq!(angles.radians, [0.7; 3]);
        assert_eq!(angles.unreliable.as_slice(), core::slice::from_ref(&(0..3)));
    }
}
