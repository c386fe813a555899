//! More than two motions: each is registered to the one that is nearest to all.

use super::pairwise::{register_pair, resolved};
use super::settings::{MOST_MOTIONS, RegisterError, RegisterMode, RegisterSettings};
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::time_warp::pace_limit;
use alloc::vec::Vec;
use sinew::internal::Alignment;
use sinew::internal::Spline;
use sinew::internal::{PLACE_DEGREE, TIME_DEGREE, Track};
use sinew::registration::Motion;
use sinew::registration::RegistrationCurve;

/// Moments of the reference that the common curve is fitted to, per control point.
const PER_CONTROL: usize = 4;

/// Registers several motions to one of them.
pub(super) fn register_several(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    let count = motions.len();
    if !(2..=MOST_MOTIONS).contains(&count) {
        return Err(RegisterError::Count { count });
    }
    let settings = &resolved(motions, settings);
    if let [first, second] = *motions {
        return register_pair([first, second], settings);
    }
    if matches!(
        settings.mode,
        RegisterMode::Between { .. } | RegisterMode::Transition { .. }
    ) {
        return Err(RegisterError::Setting {
            what: "the number of motions",
            value: count as f64,
            expected: "2 for given stretches and transitions",
        });
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

/// The motion whose distance to the others is least in the mean, as far as it matches them.
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
    let best = (0..sums.len()).fold(0, |best, at| if sums[at] < sums[best] { at } else { best });
    match problem {
        Some(error) if sums[best].is_infinite() => Err(error),
        _ => Ok(best),
    }
}

/// The motions of one curve for all, by the curves of each with the reference.
fn common_tracks(
    motions: &[Motion<'_>],
    reference: usize,
    curves: &[RegistrationCurve],
    distance: f64,
) -> Result<Vec<Track>, RegisterError> {
    let name = |at: usize| motions[at].animation.name.clone();
    let others = (0..motions.len()).filter(|at| *at != reference);
    // What of the reference every other motion has something for.
    let from = curves
        .iter()
        .map(|own| own.time(0, 0.0))
        .fold(0.0, f64::max);
    let to = curves
        .iter()
        .map(|own| own.time(0, 1.0))
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
        return Err(no_match("no stretch of the reference matches all others"));
    }
    let finest = curves
        .iter()
        .map(|own| own.to_data().motions[0].times.len())
        .max();
    let controls = finest.unwrap_or(TIME_DEGREE + 1);
    let steps = controls * PER_CONTROL;
    // Moments of all motions at even moments of the reference, in the order of the motions.
    let mut moments: Vec<Vec<f64>> = Vec::with_capacity(motions.len());
    let even = |at: usize| from + (to - from) * at as f64 / steps as f64;
    for curve in curves {
        let moment = |at: usize| curve.time(1, curve.position(0, even(at)));
        moments.push((0..=steps).map(moment).collect());
    }
    moments.insert(reference, (0..=steps).map(even).collect());
    let positions: Vec<f64> = (0..=steps)
        .map(|at| {
            let shares = moments
                .iter()
                .map(|own| (own[at] - own[0]) / (own[steps] - own[0]));
            shares.sum::<f64>() / moments.len() as f64
        })
        .collect();
    let fitted = |values: &mut dyn Iterator<Item = f64>, fit: &SplineFitSettings| {
        let samples: Vec<WeightedSample> = positions
            .iter()
            .zip(values)
            .map(|(&at, value)| WeightedSample {
                at,
                value,
                weight: 1.0,
            })
            .collect();
        Spline::fitted(&samples, fit).ok_or_else(|| no_match("no curve follows all of them"))
    };
    let mut tracks = Vec::with_capacity(motions.len());
    let mut own_curves = curves.iter();
    for (motion, own) in moments.iter().enumerate() {
        let fit = SplineFitSettings {
            degree: TIME_DEGREE,
            controls,
            smoothing: 1e-6,
            ends: Some([own[0], own[steps]]),
            rise: Some(1e-6 * (own[steps] - own[0])),
        };
        let times = fitted(&mut own.iter().copied(), &fit)?;
        let mut alignment = Alignment::none();
        // Every curve is of the reference and of another motion.
        let (mut cycle, mut fingerprint) = curves.first().map_or((None, None), |curve| {
            (curve.cycle(0), curve.fingerprint(0).cloned())
        });
        if motion != reference
            && let Some(curve) = own_curves.next()
        {
            let fit = SplineFitSettings {
                degree: PLACE_DEGREE,
                controls,
                smoothing: 1e-6,
                ends: None,
                rise: None,
            };
            (cycle, fingerprint) = (curve.cycle(1), curve.fingerprint(1).cloned());
            let moves: Vec<_> = (0..=steps)
                .map(|at| curve.alignment(1, curve.position(0, even(at))))
                .collect();
            alignment = Alignment {
                angle: fitted(&mut moves.iter().map(|own| own.angle), &fit)?,
                x: fitted(&mut moves.iter().map(|own| own.x), &fit)?,
                z: fitted(&mut moves.iter().map(|own| own.z), &fit)?,
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
