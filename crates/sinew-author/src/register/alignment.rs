//! The alignment curve: the rotation and translation over the ground that place one motion on another, over time.
//!
//! At positions along the time warp the best ground transform of a window is found in closed form (`procrustes`; Kovar and
//! Gleicher 2003), and splines are fitted to its angle, x and z. Angles come from windows of a whole stride and are smoothed below a
//! period of 3 s, because bodies sway within a stride and a blend that follows the difference of two sways walks in curves;
//! translations follow the short windows. `docs/decisions/2026-11-18-nearest.md`, *Turns*. The cost is one pair of frames
//! per frame of the warp.

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
const FRAMES_PER_CONTROL: f64 = 9.0;

/// Samples per control point.
const SAMPLES_PER_CONTROL: usize = 4;

/// The length of a stride in windows: half a second to either side. Over a whole stride a figure travels farther than its
/// body sways, so that angles follow the direction of travel.
const STRIDE_WINDOWS: usize = 3;

/// Angles that change with a shorter period than this, in half windows, are smoothed away: 3 s for a window of a sixth of a
/// second to either side.
const SMOOTH_PERIOD: f64 = 18.0;

/// The curve that places the second motion on the first, and the mean square distance along the warp, each window after its
/// best ground transform.
pub(super) fn fit_alignment(
    clouds: (&PointCloud, &PointCloud),
    warp: &TimeWarp,
    reach: usize,
) -> Option<(Alignment, f64)> {
    let (a, b) = clouds;
    let span = warp.first.at(1.0) - warp.first.at(0.0);
    let controls = (span / FRAMES_PER_CONTROL) as usize + 3;
    let pairs = WarpedPairs::new(warp, reach);
    let frame_sums = pairs.sums(a, b, 0.0);
    let stride = EvenWindows::new(&frame_sums, STRIDE_WINDOWS * reach);
    let mut windows = Vec::new();
    let mut distance = 0.0;
    let mut angles: Vec<WeightedSample> = Vec::new();
    for frame in pairs.spread(controls * SAMPLES_PER_CONTROL) {
        let sums = pairs.window(&frame_sums, frame);
        if sums.weight <= 0.0 {
            continue;
        }
        let position = pairs.position(frame);
        let angle = stride.window(frame).fit().angle;
        // Unwrapped: of all equivalent angles the nearest to the one before.
        let value = angles
            .last()
            .map_or(angle, |last| last.value + wrapped(angle - last.value));
        angles.push(WeightedSample {
            position,
            value,
            weight: 1.0,
        });
        distance += sums.distance();
        windows.push((position, sums));
    }
    // A smoothing spline of m samples per control point halves oscillations with a period of n control points if its
    // smoothing is m / ω⁴, ω = 2π / n (Eubank, Nonparametric Regression, 1999, 5.3).
    let frames_per_control = (span / (controls - PLACE_DEGREE) as f64).max(1e-9);
    let omega = TAU * frames_per_control / (SMOOTH_PERIOD * reach as f64);
    let fit = SplineFitSettings {
        degree: PLACE_DEGREE,
        controls,
        smoothing: SAMPLES_PER_CONTROL as f64 / (omega * omega * omega * omega),
        ends: None,
        rise: None,
    };
    let angle = Spline::fitted(&angles, &fit)?;
    let fit = SplineFitSettings {
        smoothing: 1e-6,
        ..fit
    };
    // Translations are those for the fitted angle: an error of the angle times the distance from the origin would
    // otherwise add to them.
    let transforms: Vec<(f64, GroundTransform)> = windows
        .iter()
        .map(|&(position, sums)| {
            let fitted = sums.fit_with(angle.at(position));
            (position, between_origins(&fitted, a.origin, b.origin))
        })
        .collect();
    let translation = |coordinate: fn(&GroundTransform) -> f64| {
        let samples = (transforms.iter()).map(|(position, transform)| WeightedSample {
            position: *position,
            value: coordinate(transform),
            weight: 1.0,
        });
        Spline::fitted(&samples.collect::<Vec<_>>(), &fit)
    };
    let alignment = Alignment {
        x: translation(|transform| transform.x)?,
        z: translation(|transform| transform.z)?,
        angle,
    };
    Some((alignment, distance / windows.len() as f64))
}

/// Converts a ground transform between clouds, which are relative to their origins, to one between the motions.
pub(super) fn between_origins(
    transform: &GroundTransform,
    a: [f64; 2],
    b: [f64; 2],
) -> GroundTransform {
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
    to_origin.then(transform).then(&from_origin)
}
