//! How one motion is turned and shifted over the ground to lie on another, from moment to moment.

use super::along::Along;
use super::cloud::Cloud;
use super::curve::PLACE_DEGREE;
use super::ground::{GroundMove, wrapped};
use super::spline::{Fit, Spline, Wanted};
use super::warp::Warp;
use alloc::vec::Vec;

/// Frames between two control points.
const SPACING: f64 = 9.0;

/// Moments that are looked at per control point.
const PER_CONTROL: usize = 4;

/// A [`GroundMove`] for every position from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alignment {
    pub(super) angle: Spline,
    pub(super) x: Spline,
    pub(super) z: Spline,
}

impl Alignment {
    /// No move anywhere.
    pub(super) fn none() -> Self {
        Self::constant(GroundMove::IDENTITY)
    }

    /// The same everywhere.
    pub(super) fn constant(own: GroundMove) -> Self {
        let even = |number: f64| Spline::new(PLACE_DEGREE, alloc::vec![number; PLACE_DEGREE + 1]);
        Self {
            angle: even(own.angle),
            x: even(own.x),
            z: even(own.z),
        }
    }

    pub(super) fn at(&self, u: f64) -> GroundMove {
        GroundMove {
            angle: self.angle.at(u),
            x: self.x.at(u),
            z: self.z.at(u),
        }
    }

    /// What lays the second motion on the first.
    pub(super) fn fitted(clouds: (&Cloud, &Cloud), warp: &Warp, reach: usize) -> Option<Self> {
        let (a, b) = clouds;
        let span = warp.first.at(1.0) - warp.first.at(0.0);
        let controls = (span / SPACING) as usize + 3;
        let along = Along::new(warp, reach);
        let pairs = along.sums(a, b, 0.0);
        let mut all = Vec::new();
        let mut angles: Vec<Wanted> = Vec::new();
        for frame in along.spread(controls * PER_CONTROL) {
            let sums = along.window(&pairs, frame);
            if sums.weight <= 0.0 {
                continue;
            }
            let at = along.position(frame);
            let angle = sums.fit().angle;
            // The nearest of all angles that are the same turn.
            let value = angles
                .last()
                .map_or(angle, |last| last.value + wrapped(angle - last.value));
            angles.push(Wanted {
                at,
                value,
                weight: 1.0,
            });
            all.push((at, sums));
        }
        let fit = Fit {
            degree: PLACE_DEGREE,
            controls,
            smoothing: 1e-6,
            ends: None,
            rise: None,
        };
        let angle = Spline::fitted(&angles, &fit)?;
        // Shifts for the angle as it is fitted: what it misses times the distance from the origin would else
        // be theirs.
        let moves: Vec<(f64, GroundMove)> = all
            .iter()
            .map(|&(at, sums)| {
                let fitted = sums.fit_with(angle.at(at));
                (at, between_origins(&fitted, a.origin, b.origin))
            })
            .collect();
        let shift = |of: fn(&GroundMove) -> f64| {
            let samples = moves.iter().map(|(at, own)| Wanted {
                at: *at,
                value: of(own),
                weight: 1.0,
            });
            Spline::fitted(&samples.collect::<Vec<_>>(), &fit)
        };
        Some(Self {
            x: shift(|own| own.x)?,
            z: shift(|own| own.z)?,
            angle,
        })
    }
}

/// A move between clouds about their origins, as one between the motions themselves.
pub(super) fn between_origins(own: &GroundMove, a: [f64; 2], b: [f64; 2]) -> GroundMove {
    let to_origin = GroundMove {
        angle: 0.0,
        x: -b[0],
        z: -b[1],
    };
    let from_origin = GroundMove {
        angle: 0.0,
        x: a[0],
        z: a[1],
    };
    to_origin.then(own).then(&from_origin)
}
