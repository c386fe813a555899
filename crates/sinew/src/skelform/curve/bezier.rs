//! Cubic Bezier easing with two free handles, as SkelForm evaluates it.
//!
//! The curve is from (0, 0) to (1, 1); x is time, y is progress. Solving x for the curve parameter takes exactly five
//! Newton steps from the time itself, as in the editor: a curve with both handles at zero, the common case in real
//! files, deviates up to 0.007 from the straight line that it represents.

use glam::Vec2;

/// The handle height of "hold the start value"; both handles must have it.
///
/// The editor stores its Snap preset this way, so the value is part of the file format.
pub const SNAP_HANDLE: f32 = 999.0;

/// Newton steps to solve for the curve parameter. The editor takes five.
const NEWTON_STEPS: usize = 5;

/// The minimum slope of a Newton step; a flatter one would leave the curve.
const FLAT: f32 = 1e-5;

/// The two inner control points of an easing curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handles {
    /// The control point of the segment's start.
    pub start: Vec2,
    /// The control point of the segment's end.
    pub end: Vec2,
}

impl Handles {
    /// Creates two control points from their coordinates.
    pub const fn new(start_x: f32, start_y: f32, end_x: f32, end_y: f32) -> Self {
        Self {
            start: Vec2::new(start_x, start_y),
            end: Vec2::new(end_x, end_y),
        }
    }

    /// Both handles at the origin: the straight line up to the solver's error. Used by smoothing and most keys of
    /// real files.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0, 0.0);

    /// Returns whether the handles mean "hold the start value until the segment's end".
    pub fn is_snap(&self) -> bool {
        self.start.y == SNAP_HANDLE && self.end.y == SNAP_HANDLE
    }

    /// Returns the progress at `fraction` of the time. Not clamped: a curve may overshoot.
    ///
    /// `fraction` should be within 0 to 1. Snap handles are not handled here but by
    /// [`crate::skelform::curve::Ease::progress`].
    pub fn progress(&self, fraction: f32) -> f32 {
        let mut t = fraction;
        for _ in 0..NEWTON_STEPS {
            let slope = derivative(t, self.start.x, self.end.x);
            if slope.abs() < FLAT {
                break;
            }
            let step = (cubic(t, self.start.x, self.end.x) - fraction) / slope;
            let next = (t - step).clamp(0.0, 1.0);
            // The step depends on t only, so a fixed t has converged.
            if next == t {
                break;
            }
            t = next;
        }
        cubic(t, self.start.y, self.end.y)
    }
}

/// Evaluates one coordinate of the curve; its outer control points are 0 and 1.
fn cubic(t: f32, p1: f32, p2: f32) -> f32 {
    let u = 1.0 - t;
    3.0 * u * u * t * p1 + 3.0 * u * t * t * p2 + t * t * t
}

fn derivative(t: f32, p1: f32, p2: f32) -> f32 {
    let u = 1.0 - t;
    3.0 * u * u * p1 + 6.0 * u * t * (p2 - p1) + 3.0 * t * t * (1.0 - p2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f32, b: f32, tolerance: f32) {
        assert!(
            (a - b).abs() <= tolerance,
            "{a} is not within {tolerance} of {b}"
        );
    }

    #[test]
    fn zero_handles_are_a_line_but_for_the_first_steps() {
        // Figures of the format description, measured on the editor's own solver.
        close(Handles::ZERO.progress(0.05), 0.0508, 5e-5);
        close(Handles::ZERO.progress(0.1), 0.1001, 5e-5);
        close(Handles::ZERO.progress(1.0 / 60.0), 0.0202, 5e-5);
        close(Handles::ZERO.progress(1.0 / 200.0), 0.0111, 5e-5);
        close(Handles::ZERO.progress(0.001), 0.0, 1e-6);
        for i in 15..=100 {
            let u = i as f32 / 100.0;
            close(Handles::ZERO.progress(u), u, 2e-5);
        }
    }

    #[test]
    fn baked_handles_ease_in_strongly() {
        let baked = Handles::new(1.0 / 3.0, 0.0, 1.0 / 3.0, 0.0);
        let expected = [0.0014, 0.015, 0.061, 0.15, 0.27, 0.41, 0.55, 0.70, 0.85];
        for (i, want) in expected.into_iter().enumerate() {
            close(baked.progress((i + 1) as f32 / 10.0), want, 6e-3);
        }
    }

    #[test]
    fn progress_may_overshoot() {
        let back = Handles::new(0.3, 1.6, 0.6, 1.4);
        assert!(back.progress(0.6) > 1.0);
    }

    #[test]
    fn endpoints_are_exact() {
        for handles in [Handles::ZERO, Handles::new(0.5, 0.0, 1.0, 1.0)] {
            assert_eq!(handles.progress(0.0), 0.0);
            assert_eq!(handles.progress(1.0), 1.0);
        }
    }

    #[test]
    fn hostile_handles_stay_within_the_curve() {
        for x in [-1e30, -5.0, 0.0, 5.0, 1e30] {
            let p = Handles::new(x, 0.5, -x, 0.5).progress(0.5);
            assert!(p.is_finite(), "handle x {x} gave {p}");
        }
    }
}
