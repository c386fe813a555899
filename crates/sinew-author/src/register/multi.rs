//! Registration of more than two motions: each is registered to the reference, the motion that is nearest to all others.
//!
//! All pairs are registered roughly to choose the reference, then each other motion to it in full. At evenly spaced times of the
//! reference the times of all motions are read from the pairwise curves; the position on the common curve is the mean of the
//! shares of their time ranges that have passed,
//!
//! ```text
//! u = mean over motions of (t - t₀) / (t₁ - t₀)
//! ```
//!
//! so that no motion sets the pace alone, and splines over `u` are fitted to times and alignments. The cost is n²/2 rough and n - 1
//! full registrations.

use super::pairwise::{register_pair, resolve_mode};
use super::settings::{MAX_MOTIONS, RegisterError, RegisterMode, RegisterSettings};
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::time_warp::pace_limit;
use crate::error::SettingError;
use alloc::vec::Vec;
use sinew::internal::Alignment;
use sinew::internal::Spline;
use sinew::internal::{PLACE_DEGREE, TIME_DEGREE, Track};
use sinew::registration::Motion;
use sinew::registration::RegistrationCurve;

/// Times of the reference to which the common curve is fitted, per control point.
const SAMPLES_PER_CONTROL: usize = 4;

/// Registers two to 32 motions.
pub(super) fn register_several(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    let count = motions.len();
    if !(2..=MAX_MOTIONS).contains(&count) {
        return Err(RegisterError::Count { count });
    }
    let settings = &resolve_mode(motions, settings);
    if let [first, second] = *motions {
        return register_pair([first, second], settings);
    }
    if matches!(
        settings.mode,
        RegisterMode::Between { .. } | RegisterMode::Transition { .. }
    ) {
        return Err(RegisterError::Setting(SettingError {
            what: "the number of motions",
            value: count as f64,
            expected: "2 for given segments and transitions",
        }));
    }
    let reference = nearest_to_all(motions, settings)?;
    let mut curves = Vec::with_capacity(count - 1);
    for other in (0..count).filter(|other| *other != reference) {
        let pair = [motions[reference], motions[other]];
        curves.push(register_pair(pair, settings)?);
    }
    let distance = curves.iter().map(RegistrationCurve::distance).sum::<f64>();
    let distance = distance / (count - 1) as f64;
    let mut tracks = common_tracks(motions, reference, &curves, distance)?;
    let times = tracks[reference].times.clone();
    for track in &mut tracks {
        track
            .times
            .limit_slope(&times, pace_limit(settings.slope), None);
    }
    Ok(RegistrationCurve::new(tracks, reference, distance))
}

/// The motion that matches all others with the smallest mean distance.
fn nearest_to_all(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> Result<usize, RegisterError> {
    let rough = RegisterSettings {
        is_refined: false,
        ..settings.clone()
    };
    let mut sums = alloc::vec![0.0; motions.len()];
    let mut problem = None;
    for (first, a) in motions.iter().enumerate() {
        for (second, b) in motions.iter().enumerate().skip(first + 1) {
            let distance = match register_pair([*a, *b], &rough) {
                Ok(curve) => curve.distance(),
                Err(error @ RegisterError::NoMatch { .. }) => {
                    problem = Some(error);
                    f64::INFINITY
                }
                Err(error) => return Err(error),
            };
            sums[first] += distance;
            sums[second] += distance;
        }
    }
    let best = (0..sums.len()).fold(0, |best, i| if sums[i] < sums[best] { i } else { best });
    match problem {
        Some(error) if sums[best].is_infinite() => Err(error),
        _ => Ok(best),
    }
}

/// The tracks of the common curve, from the curves of each motion with the reference.
fn common_tracks(
    motions: &[Motion<'_>],
    reference: usize,
    curves: &[RegistrationCurve],
    distance: f64,
) -> Result<Vec<Track>, RegisterError> {
    let name = |motion: usize| motions[motion].animation.name.clone();
    let others = (0..motions.len()).filter(|motion| *motion != reference);
    // The range of the reference that all curves cover.
    let from = curves
        .iter()
        .map(|curve| curve.time(0, 0.0))
        .fold(0.0, f64::max);
    let to = curves
        .iter()
        .map(|curve| curve.time(0, 1.0))
        .fold(f64::INFINITY, f64::min);
    let no_match = |reason| {
        let other = others.clone().next().unwrap_or(0);
        RegisterError::NoMatch {
            first: name(reference),
            second: name(other),
            reason,
            nearest: distance,
            threshold: None,
        }
    };
    if to - from <= 0.0 {
        return Err(no_match("no segment of the reference matches all others"));
    }
    let finest = curves
        .iter()
        .map(|curve| curve.to_data().motions[0].times.len())
        .max();
    let controls = finest.unwrap_or(TIME_DEGREE + 1);
    let steps = controls * SAMPLES_PER_CONTROL;
    // The times of all motions at evenly spaced times of the reference, in the order of the motions.
    let mut motion_times: Vec<Vec<f64>> = Vec::with_capacity(motions.len());
    let even = |step: usize| from + (to - from) * step as f64 / steps as f64;
    for curve in curves {
        let time = |step: usize| curve.time(1, curve.position(0, even(step)));
        motion_times.push((0..=steps).map(time).collect());
    }
    motion_times.insert(reference, (0..=steps).map(even).collect());
    let positions: Vec<f64> = (0..=steps)
        .map(|step| {
            let shares = motion_times
                .iter()
                .map(|times| (times[step] - times[0]) / (times[steps] - times[0]));
            shares.sum::<f64>() / motion_times.len() as f64
        })
        .collect();
    let fitted = |values: &mut dyn Iterator<Item = f64>, fit: &SplineFitSettings| {
        let samples: Vec<WeightedSample> = positions
            .iter()
            .zip(values)
            .map(|(&position, value)| WeightedSample {
                position,
                value,
                weight: 1.0,
            })
            .collect();
        Spline::fitted(&samples, fit).ok_or_else(|| no_match("no curve follows all of them"))
    };
    let mut tracks = Vec::with_capacity(motions.len());
    let mut other_curves = curves.iter();
    for (motion, times) in motion_times.iter().enumerate() {
        let fit = SplineFitSettings {
            degree: TIME_DEGREE,
            controls,
            smoothing: 1e-6,
            ends: Some([times[0], times[steps]]),
            rise: Some(1e-6 * (times[steps] - times[0])),
        };
        let times = fitted(&mut times.iter().copied(), &fit)?;
        let mut alignment = Alignment::identity();
        // In each pairwise curve the reference is motion 0.
        let (mut cycle, mut fingerprint) = curves.first().map_or((None, None), |curve| {
            (curve.cycle(0), curve.fingerprint(0).cloned())
        });
        if motion != reference
            && let Some(curve) = other_curves.next()
        {
            let fit = SplineFitSettings {
                degree: PLACE_DEGREE,
                controls,
                smoothing: 1e-6,
                ends: None,
                rise: None,
            };
            (cycle, fingerprint) = (curve.cycle(1), curve.fingerprint(1).cloned());
            let transforms: Vec<_> = (0..=steps)
                .map(|step| curve.alignment(1, curve.position(0, even(step))))
                .collect();
            alignment = Alignment {
                angle: fitted(&mut transforms.iter().map(|ground| ground.angle), &fit)?,
                x: fitted(&mut transforms.iter().map(|ground| ground.x), &fit)?,
                z: fitted(&mut transforms.iter().map(|ground| ground.z), &fit)?,
            };
        }
        tracks.push(Track {
            name: name(motion),
            times,
            alignment,
            cycle,
            fingerprint,
        });
    }
    Ok(tracks)
}
