//! Motions made of others: mixed evenly, along their registration, or going over from one to the other.

use super::fade::{lay_beginning, switched};
use crate::args::TransitionAt;
use crate::error::CliError;
use crate::several::Chosen;
use sinew::feet::{CleanError, CleanReport, CleanSettings, Plant, clean_feet, find_plants};
use sinew::register::{
    BlendWeights, GroundMove, Motion, PlantMatch, RegisterError, RegisterMode, RegisterSettings,
    RegisteredMotion, RegistrationCurve, RegistrationData, TransitionSettings, blend_motions,
    register, transition,
};
use sinew::{Animation, Crossfade, CrossfadeCurve, CrossfadeSource, trim};

/// Seconds about a moment that was asked for in which a transition's middle may be.
const ABOUT: f64 = 0.01;

/// What is to be made.
#[derive(Clone, Debug)]
pub(super) enum Mix {
    Weights(BlendWeights),
    Transition(TransitionAt),
}

/// A motion, and which feet should stand when in it.
pub(super) struct Made {
    pub(super) animation: Animation,
    pub(super) plants: Vec<Plant>,
    /// In a word: registered, inertialized, …
    pub(super) how: &'static str,
}

pub(super) fn failed(chosen: &[Chosen], error: &dyn std::error::Error) -> CliError {
    let paths: Vec<String> = chosen
        .iter()
        .map(|own| own.path.display().to_string())
        .collect();
    CliError::Unusable {
        path: paths.join(", "),
        problem: crate::report::plain_text(&error.to_string()),
    }
}

/// Registers two motions for a transition: about the moment that was asked for, or wherever they are nearest.
pub(super) fn register_for(
    chosen: &[Chosen],
    mix: &Mix,
    settings: &RegisterSettings,
    is_mode_given: bool,
) -> Result<RegistrationCurve, RegisterError> {
    let motions: Vec<Motion<'_>> = chosen.iter().map(Chosen::motion).collect();
    let (Mix::Transition(asked), false) = (mix, is_mode_given) else {
        return register(&motions, settings);
    };
    let RegisterMode::Local { distance } = settings.mode else {
        return register(&motions, settings);
    };
    let within = asked.at.map(|at| {
        let middle = at + asked.seconds * 0.5;
        [middle - ABOUT, middle + ABOUT].map(|time| time as f32)
    });
    let about = RegisterSettings {
        mode: RegisterMode::Transition {
            seconds: asked.seconds.max(0.1) as f32,
            within,
            distance,
        },
        ..settings.clone()
    };
    // Sooner in its first half, so that there is something left of it to play.
    if let &[first, second] = motions.as_slice() {
        let half = trim(second.animation, 0.0..second.animation.length * 0.5);
        let early = [first, Motion::new(second.skeleton, &half)];
        if let Ok(curve) = register(&early, &about) {
            return Ok(curve);
        }
    }
    register(&motions, &about)
}

/// Motions mixed or joined along their curve.
pub(super) fn registered(
    chosen: &[Chosen],
    mix: &Mix,
    curve: &RegistrationCurve,
) -> Result<Made, CliError> {
    let motions: Vec<Motion<'_>> = chosen.iter().map(Chosen::motion).collect();
    let blended = match (mix, motions.as_slice()) {
        (Mix::Weights(weights), all) => blend_motions(curve, all, weights, GroundMove::IDENTITY),
        (Mix::Transition(asked), &[first, second]) => {
            let settings = TransitionSettings {
                at: asked.at.unwrap_or_else(|| curve.time(0, 0.0)),
                seconds: asked.seconds,
                ground: GroundMove::IDENTITY,
            };
            transition(curve, [first, second], &settings)
        }
        (Mix::Transition(_), _) => {
            return Err(CliError::Unusable {
                path: "--transition".to_owned(),
                problem: "expected two motions to go over from one to the other".to_owned(),
            });
        }
    };
    let blended = blended.map_err(|error| failed(chosen, &error))?;
    Ok(Made {
        animation: blended.animation,
        plants: blended.plants,
        how: "registered",
    })
}

/// Motions mixed evenly from beginning to end, or a frozen pose that fades into the second. Where there is a curve the
/// same stretches are mixed, and the same feet should stand.
pub(super) fn naive(
    chosen: &[Chosen],
    mix: &Mix,
    curve: Option<&RegistrationCurve>,
) -> Result<Made, CliError> {
    match mix {
        Mix::Weights(_) => {
            let even = even(chosen, curve).map_err(|error| failed(chosen, &error))?;
            let mut made = registered(chosen, mix, &even)?;
            if curve.is_none()
                && let Some(first) = chosen.first()
            {
                made.plants = find_plants(&first.skeleton, &made.animation, &Default::default());
            }
            Ok(Made {
                how: "mixed evenly",
                ..made
            })
        }
        Mix::Transition(asked) => {
            let fade = Crossfade {
                seconds: asked.seconds as f32,
                curve: CrossfadeCurve::Linear,
                source: CrossfadeSource::Frozen,
            };
            let at = asked.at.or_else(|| Some(curve?.time(0, 0.0)));
            faded(chosen, asked, at, fade, "plain cross-fade")
        }
    }
}

/// One motion that goes on as it moved and flows into the other.
pub(super) fn inertialized(chosen: &[Chosen], asked: &TransitionAt) -> Result<Made, CliError> {
    let fade = Crossfade {
        seconds: asked.seconds as f32,
        source: CrossfadeSource::Inertial,
        ..Crossfade::default()
    };
    faded(chosen, asked, asked.at, fade, "inertialized")
}

fn faded(
    chosen: &[Chosen],
    asked: &TransitionAt,
    at: Option<f64>,
    fade: Crossfade,
    how: &'static str,
) -> Result<Made, CliError> {
    let [first, second] = chosen else {
        return Err(CliError::Unusable {
            path: "--transition".to_owned(),
            problem: "expected two motions to go over from one to the other".to_owned(),
        });
    };
    // Without a moment, as late as there is time for it.
    let last = f64::from(first.animation.length) - asked.seconds;
    let at = at.unwrap_or(last.max(0.0));
    let (animation, plants) = switched([first.motion(), second.motion()], at, fade)
        .map_err(|error| failed(chosen, &error))?;
    Ok(Made {
        animation,
        plants,
        how,
    })
}

/// Motions whose times go evenly, each from the beginning to the end of what a curve has of it, or of the whole; all
/// begin at one place. Feet that match stand where they do.
fn even(
    chosen: &[Chosen],
    curve: Option<&RegistrationCurve>,
) -> Result<RegistrationCurve, sinew::register::RegistrationDataError> {
    let spans: Vec<[f64; 2]> = (0..chosen.len())
        .map(|motion| match curve {
            Some(curve) => [0.0, 1.0].map(|end| curve.time(motion, end)),
            None => [0.0, f64::from(chosen[motion].animation.length).max(1e-6)],
        })
        .collect();
    let motions = chosen.iter().zip(&spans).map(|(own, &[from, to])| {
        let place = match (chosen.first(), spans.first()) {
            (Some(first), Some(start)) => {
                lay_beginning([(first.motion(), start[0]), (own.motion(), from)])
            }
            _ => GroundMove::IDENTITY,
        };
        RegisteredMotion {
            name: own.name().to_owned(),
            times: (0..4)
                .map(|at| from + (to - from) * f64::from(at) / 3.0)
                .collect(),
            angles: vec![place.angle; 3],
            xs: vec![place.x; 3],
            zs: vec![place.z; 3],
        }
    });
    let plants = curve.map_or(&[][..], RegistrationCurve::plants).iter();
    let plants = plants.map(|plant| PlantMatch {
        spans: plant
            .spans
            .iter()
            .zip(&spans)
            .enumerate()
            .map(|(motion, (span, [from, to]))| {
                span.map(|position| {
                    let time = curve.map_or(0.0, |curve| curve.time(motion, position));
                    ((time - from) / (to - from)).clamp(0.0, 1.0)
                })
            })
            .collect(),
        ..plant.clone()
    });
    RegistrationCurve::from_data(RegistrationData {
        motions: motions.collect(),
        reference: 0,
        plants: plants.collect(),
        distance: 0.0,
    })
}

/// What keeping feet where they stand came to; `None` where there is nothing to keep.
pub(super) fn cleaned(
    chosen: &[Chosen],
    made: &Made,
) -> Result<Option<(Animation, CleanReport)>, CliError> {
    let Some(first) = chosen.first() else {
        return Ok(None);
    };
    if made.plants.is_empty() {
        return Ok(None);
    }
    let settings = CleanSettings::default();
    match clean_feet(&first.skeleton, &made.animation, &made.plants, &settings) {
        Ok(cleaned) => Ok(Some((cleaned.animation, cleaned.report))),
        Err(CleanError::NoLimbs | CleanError::Frames { .. }) => Ok(None),
        Err(error) => Err(failed(chosen, &error)),
    }
}
