//! The decay of an offset: a quintic polynomial.
//!
//! ```text
//! x(s) = x0 (1 - s)³ (1 + 3s + 6s²)  +  v0 T s (1 - s)³ (1 + 3s - 4ds)        s = t / T, from 0 to 1
//! ```
//!
//! It starts at `x0` with velocity `v0`, and ends after `T` seconds with zero offset, velocity and acceleration.
//! `d = 0` starts without acceleration; `d = 1` decelerates from the start and overshoots less. `d` is the smallest
//! that keeps the overshoot within the reach of [`Offset::new`].

use glam::Vec3;

/// The maximum of the second term, as a fraction of `v0 T`, for `d = 0`: at `s = 1/3`.
const FARTHEST: f32 = 16.0 / 81.0;

/// The maximum for `d = 1`: at `s = 1/5`.
const NEAREST: f32 = 0.081_92;

/// An offset of a position, rotation or scale that decays to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Offset {
    /// The initial offset, `x0`.
    from: Vec3,
    /// The initial velocity times the duration, `v0 T`.
    carried: Vec3,
    /// The deceleration at the start, `d`, 0 to 1.
    brake: f32,
}

impl Offset {
    /// Creates an offset that starts at `from` with a velocity per second and decays within `seconds`. The velocity
    /// adds at most `reach` to it, or as little more as possible. Zero if a number is not finite.
    pub(super) fn new(from: Vec3, velocity: Vec3, seconds: f32, reach: f32) -> Self {
        let carried = velocity * seconds;
        if !(from.is_finite() && carried.is_finite()) {
            return Self::default();
        }
        let far = carried.length();
        let excess = far * FARTHEST - reach;
        let brake = if excess > 0.0 {
            (excess / (far * (FARTHEST - NEAREST))).min(1.0)
        } else {
            0.0
        };
        Self {
            from,
            carried,
            brake,
        }
    }

    /// Returns the offset at the share `progress` of its duration, 0 to 1.
    pub(super) fn at(&self, progress: f32) -> Vec3 {
        let s = progress;
        let rest = 1.0 - s;
        let cube = rest * rest * rest;
        let offset_factor = cube * (1.0 + 3.0 * s + 6.0 * s * s);
        let velocity_factor = s * cube * (1.0 + 3.0 * s - 4.0 * self.brake * s);
        self.from * offset_factor + self.carried * velocity_factor
    }

    /// Returns its numbers: initial offset, velocity times duration, deceleration.
    pub(super) fn to_array(self) -> [f32; 7] {
        let ([a, b, c], [d, e, f]) = (self.from.to_array(), self.carried.to_array());
        [a, b, c, d, e, f, self.brake]
    }

    pub(super) fn from_array([a, b, c, d, e, f, brake]: [f32; 7]) -> Self {
        Self {
            from: Vec3::new(a, b, c),
            carried: Vec3::new(d, e, f),
            brake,
        }
    }

    /// Returns whether it is zero.
    pub(super) fn is_zero(&self) -> bool {
        self.from == Vec3::ZERO && self.carried == Vec3::ZERO
    }
}

/// Returns the fraction left of an offset that starts without velocity; `progress` is from 0 to 1.
pub(super) fn decay(progress: f32) -> f32 {
    let rest = 1.0 - progress;
    rest * rest * rest * (1.0 + 3.0 * progress + 6.0 * progress * progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: f32 = 0.1;

    fn along(from: f32, velocity: f32, seconds: f32) -> impl Fn(f32) -> f32 {
        let offset = Offset::new(Vec3::X * from, Vec3::X * velocity, seconds, REACH);
        move |progress| offset.at(progress).x
    }

    #[test]
    fn what_is_not_finite_is_no_offset() {
        for bad in [f32::NAN, f32::INFINITY] {
            assert!(Offset::new(Vec3::splat(bad), Vec3::X, 0.2, REACH).is_zero());
            assert!(Offset::new(Vec3::X, Vec3::splat(bad), 0.2, REACH).is_zero());
        }
        assert!(!Offset::new(Vec3::ZERO, Vec3::X, 0.2, REACH).is_zero());
    }

    #[test]
    fn it_starts_as_told_and_ends_at_rest() {
        for (from, velocity) in [(0.7, 0.3), (0.7, -4.0), (0.0, 9.0), (-0.2, -12.0)] {
            let x = along(from, velocity, 0.25);
            assert_eq!(x(0.0), from);
            let h = 1e-3_f32;
            let speed = (x(h) - x(0.0)) / (h * 0.25);
            assert!(
                (speed - velocity).abs() < 0.02 * f32::abs(velocity),
                "{velocity}: {speed}"
            );
            assert_eq!(x(1.0), 0.0);
            // Offset, velocity and acceleration vanish: it decays with the third power.
            assert!(x(1.0 - 0.01).abs() < 1e-4);
        }
    }

    #[test]
    fn its_speed_leads_it_no_farther_astray_than_it_may() {
        let farthest = |x: &dyn Fn(f32) -> f32| {
            let all = (0..=1000).map(|index| x(index as f32 / 1000.0).abs());
            all.fold(0.0, f32::max)
        };
        // Slow enough for `d = 0`, limited by the reach, and too fast for it.
        for (velocity, expected) in [(2.0, 0.5 * FARTHEST), (4.0, REACH), (20.0, 5.0 * NEAREST)] {
            let found = farthest(&along(0.0, velocity, 0.25));
            assert!(found <= expected * 1.001, "{velocity}: {found} {expected}");
            assert!(found > expected * 0.8, "{velocity}: {found} {expected}");
        }
        // Without velocity it neither grows nor changes its sign.
        let x = along(0.5, 0.0, 0.25);
        assert!((0..100).all(|index| x(index as f32 / 100.0) >= x((index + 1) as f32 / 100.0)));
    }

    #[test]
    fn what_goes_home_by_itself_does_not_pass_it() {
        // Up to 2.5 times the offset it does not overshoot; with deceleration, up to 11 times.
        let x = along(1.0, -2.4, 1.0);
        assert!((0..1000).all(|index| x(index as f32 / 1000.0) > 0.0));
        let x = along(0.1, -1.1, 1.0);
        assert!((0..1000).all(|index| x(index as f32 / 1000.0) > -0.1 * REACH));
    }
}
