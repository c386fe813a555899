//! How one motion is turned and shifted over the ground to lie on another, from moment to moment.

use super::point_cloud::PointCloud;
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::time_warp::TimeWarp;
use super::windows::{EvenWindows, WarpedPairs};
use alloc::vec::Vec;
use core::f64::consts::TAU;
use sinew::internal::Alignment;
use sinew::internal::PLACE_DEGREE;
use sinew::internal::Spline;
use sinew::math::GroundTransform;
use sinew::math::wrapped;

/// Frames between two control points.
const SPACING: f64 = 9.0;

/// Moments that are sampled per control point.
const PER_CONTROL: usize = 4;

/// Half windows of a stride: half a second to either side. Turns are fitted to windows of a whole stride, in which a
/// figure goes farther than its body sways, so that it is turned to where it goes; shifts to short ones.
const STRIDE: usize = 3;

/// Turns that change with a shorter period than this, in half windows, are smoothed away: 3 s for a window of a sixth
/// of a second to either side. Within a stride a body sways to and fro, each in its own way, and a character that
/// followed the difference would sway with its whole path. What turns for longer, or for good, is a turn.
const SMOOTH_PERIOD: f64 = 18.0;

/// What lays the second motion on the first, and the mean square distance along the warp, each window laid where it
/// fits best.
pub(super) fn fit_alignment(
    clouds: (&PointCloud, &PointCloud),
    warp: &TimeWarp,
    reach: usize,
) -> Option<(Alignment, f64)> {
    let (a, b) = clouds;
    let span = warp.first.at(1.0) - warp.first.at(0.0);
    let controls = (span / SPACING) as usize + 3;
    let along = WarpedPairs::new(warp, reach);
    let pairs = along.sums(a, b, 0.0);
    let stride = EvenWindows::new(&pairs, STRIDE * reach);
    let mut all = Vec::new();
    let mut distance = 0.0;
    let mut angles: Vec<WeightedSample> = Vec::new();
    for frame in along.spread(controls * PER_CONTROL) {
        let sums = along.window(&pairs, frame);
        if sums.weight <= 0.0 {
            continue;
        }
        let at = along.position(frame);
        let angle = stride.window(frame).fit().angle;
        // The nearest of all angles that are the same turn.
        let value = angles
            .last()
            .map_or(angle, |last| last.value + wrapped(angle - last.value));
        angles.push(WeightedSample {
            at,
            value,
            weight: 1.0,
        });
        distance += sums.distance();
        all.push((at, sums));
    }
    // Of a period of n control points a smoothing spline of `PER_CONTROL` samples per control point lets half pass
    // if its smoothing is `PER_CONTROL / w⁴`, with `w` = 2π/n (Eubank, Nonparametric Regression, 1999, 5.3).
    let frames_per_control = (span / (controls - PLACE_DEGREE) as f64).max(1e-9);
    let turn = TAU * frames_per_control / (SMOOTH_PERIOD * reach as f64);
    let fit = SplineFitSettings {
        degree: PLACE_DEGREE,
        controls,
        smoothing: PER_CONTROL as f64 / (turn * turn * turn * turn),
        ends: None,
        rise: None,
    };
    let angle = Spline::fitted(&angles, &fit)?;
    let fit = SplineFitSettings {
        smoothing: 1e-6,
        ..fit
    };
    // Shifts for the angle as it is fitted: what it misses times the distance from the origin would else
    // be theirs.
    let moves: Vec<(f64, GroundTransform)> = all
        .iter()
        .map(|&(at, sums)| {
            let fitted = sums.fit_with(angle.at(at));
            (at, between_origins(&fitted, a.origin, b.origin))
        })
        .collect();
    let shift = |of: fn(&GroundTransform) -> f64| {
        let samples = moves.iter().map(|(at, own)| WeightedSample {
            at: *at,
            value: of(own),
            weight: 1.0,
        });
        Spline::fitted(&samples.collect::<Vec<_>>(), &fit)
    };
    let alignment = Alignment {
        x: shift(|own| own.x)?,
        z: shift(|own| own.z)?,
        angle,
    };
    Some((alignment, distance / all.len() as f64))
}

/// A move between clouds about their origins, as one between the motions themselves.
pub(super) fn between_origins(own: &GroundTransform, a: [f64; 2], b: [f64; 2]) -> GroundTransform {
    let to_origin = GroundTransform {
        angle: 0.0,
        x: -b[0],
        z: -b[1],
    };
    let from_origin = GroundTransform {
        angle: 0.0,
        x: a[0],
        z: a[1],
    };
    to_origin.then(own).then(&from_origin)
}
