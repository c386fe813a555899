//! Creates blends: linear or registered blends and transitions.

use crate::args::TransitionArg;
use crate::error::CliError;
use crate::inputs::InputMotion;
use sinew::Animation;
use sinew::anatomy::Plant;
use sinew::math::GroundTransform;
use sinew::registration::{Motion, RegistrationCurve};
use sinew_author::contacts::find_plants;
use sinew_author::edit::trim;
use sinew_author::footskate::{CleanError, CleanReport, CleanSettings, clean_feet};
use sinew_author::register::{
    BlendWeights, BlendedMotion, RegisterError, RegisterMode, RegisterSettings, SwitchSettings,
    TransitionSettings, blend_motions, register, switch_motions, transition,
};
use sinew_author::register::{CrossfadeCurve, CrossfadeSource, PoseCrossfade};

/// Tolerance, in seconds, of the centre of a transition around a requested time.
const ABOUT: f64 = 0.01;

/// The kind of blend.
#[derive(Clone, Debug)]
pub(super) enum BlendKind {
    Weights(BlendWeights),
    Transition(TransitionArg),
}

/// A motion and its plants.
pub(super) struct BlendResult {
    pub(super) animation: Animation,
    pub(super) plants: Vec<Plant>,
    /// The method in one word: registered, inertialized, …
    pub(super) method: &'static str,
    /// The start of a transition along a curve, in seconds.
    transition_start: Option<f64>,
}

impl BlendResult {
    fn new(blended: BlendedMotion, method: &'static str) -> Self {
        Self {
            animation: blended.animation,
            plants: blended.plants,
            method,
            transition_start: None,
        }
    }

    pub(super) fn is_registered(&self) -> bool {
        self.transition_start.is_some()
    }

    /// Returns a message if a transition starts at another time than requested.
    pub(super) fn start_notice(&self, request: &TransitionArg) -> Option<String> {
        let (transition_start, start) = (self.transition_start?, request.start?);
        let frame = 1.0 / self.animation.frame_rate?;
        ((transition_start - start).abs() > 0.02 + frame).then(|| {
            format!(
                "starts at {transition_start:.2} s instead of {start:.2} s, where the motions match"
            )
        })
    }
}

pub(super) fn blend_error(chosen: &[InputMotion], error: &dyn std::error::Error) -> CliError {
    let paths: Vec<String> = chosen
        .iter()
        .map(|input| input.path.display().to_string())
        .collect();
    CliError::Unusable {
        path: paths.join(", "),
        problem: crate::report::plain_text(&error.to_string()),
    }
}

/// Registers two motions for a transition: at the requested time, or where they are nearest.
pub(super) fn register_for(
    chosen: &[InputMotion],
    kind: &BlendKind,
    settings: &RegisterSettings,
    is_mode_given: bool,
) -> Result<RegistrationCurve, RegisterError> {
    let motions = motions(chosen);
    let (BlendKind::Transition(request), false) = (kind, is_mode_given) else {
        return register(&motions, settings);
    };
    if settings.mode != RegisterMode::Auto {
        return register(&motions, settings);
    }
    let within = request.start.map(|start| {
        let middle = start + request.seconds * 0.5;
        [middle - ABOUT, middle + ABOUT].map(|time| time as f32)
    });
    let about = RegisterSettings {
        mode: RegisterMode::Transition {
            seconds: request.seconds.max(0.1) as f32,
            within,
        },
        ..settings.clone()
    };
    // Prefers the first half of the second motion, so that some of it is left to play.
    if let &[first, second] = motions.as_slice() {
        let half = trim(second.animation, 0.0..second.animation.length * 0.5);
        let early = [first, Motion::new(second.skeleton, &half)];
        if let Ok(curve) = register(&early, &about) {
            return Ok(curve);
        }
    }
    register(&motions, &about)
}

/// Blends or joins motions along their registration curve.
pub(super) fn blend_registered(
    chosen: &[InputMotion],
    kind: &BlendKind,
    curve: &RegistrationCurve,
) -> Result<BlendResult, CliError> {
    let blended = match kind {
        BlendKind::Weights(weights) => {
            blend_motions(curve, &motions(chosen), weights, GroundTransform::IDENTITY)
        }
        BlendKind::Transition(request) => {
            let settings = TransitionSettings {
                start: request.start.unwrap_or_else(|| curve.time(0, 0.0)),
                seconds: request.seconds,
                ground: GroundTransform::IDENTITY,
            };
            transition(curve, transition_pair(chosen)?, &settings)
        }
    };
    let blended = blended.map_err(|error| blend_error(chosen, &error))?;
    // The position is constant until there.
    let first = blended.positions.first();
    let still = blended
        .positions
        .iter()
        .take_while(|position| Some(*position) == first);
    let transition_start = still.count().saturating_sub(1) as f64;
    let rate = blended.animation.frame_rate;
    Ok(BlendResult {
        transition_start: rate.map(|rate| transition_start / rate),
        ..BlendResult::new(blended, "registered")
    })
}

fn motions(chosen: &[InputMotion]) -> Vec<Motion<'_>> {
    chosen.iter().map(InputMotion::motion).collect()
}

/// Returns the two motions of a transition.
fn transition_pair(chosen: &[InputMotion]) -> Result<[Motion<'_>; 2], CliError> {
    match chosen {
        [first, second] => Ok([first.motion(), second.motion()]),
        _ => Err(CliError::Unusable {
            path: "--transition".to_owned(),
            problem: "expected two motions".to_owned(),
        }),
    }
}

/// Blends motions linearly in time, or fades from a frozen pose into the second. With a curve it blends the same time
/// ranges with the same plants.
pub(super) fn blend_unregistered(
    chosen: &[InputMotion],
    kind: &BlendKind,
    curve: Option<&RegistrationCurve>,
) -> Result<BlendResult, CliError> {
    match kind {
        BlendKind::Weights(_) => {
            let whole = chosen.iter();
            let whole =
                RegistrationCurve::even(whole.map(|input| (input.name(), input.animation.length)));
            let even = sinew_author::register::without_time_warp(
                curve.unwrap_or(&whole),
                &motions(chosen),
            );
            let even = even.map_err(|error| blend_error(chosen, &error))?;
            let mut blend = blend_registered(chosen, kind, &even)?;
            if curve.is_none()
                && let Some(first) = chosen.first()
            {
                blend.plants = find_plants(&first.skeleton, &blend.animation, &Default::default());
            }
            Ok(BlendResult {
                method: "unregistered",
                transition_start: None,
                ..blend
            })
        }
        BlendKind::Transition(request) => {
            let fade = PoseCrossfade {
                seconds: request.seconds as f32,
                curve: CrossfadeCurve::Linear,
                source: CrossfadeSource::Frozen,
            };
            let start = request.start.or_else(|| Some(curve?.time(0, 0.0)));
            crossfade(chosen, request, start, fade, "plain crossfade")
        }
    }
}

/// Continues the first motion with its velocity and inertializes into the second.
pub(super) fn inertialize(
    chosen: &[InputMotion],
    request: &TransitionArg,
) -> Result<BlendResult, CliError> {
    let fade = PoseCrossfade {
        seconds: request.seconds as f32,
        source: CrossfadeSource::Inertial,
        ..PoseCrossfade::default()
    };
    crossfade(chosen, request, request.start, fade, "inertialized")
}

fn crossfade(
    chosen: &[InputMotion],
    request: &TransitionArg,
    start: Option<f64>,
    fade: PoseCrossfade,
    method: &'static str,
) -> Result<BlendResult, CliError> {
    let motions = transition_pair(chosen)?;
    // Without a requested time, as late as the transition fits.
    let last = f64::from(motions[0].animation.length) - request.seconds;
    let settings = SwitchSettings {
        start: start.unwrap_or(last.max(0.0)),
        fade,
        ground: GroundTransform::IDENTITY,
    };
    let blended =
        switch_motions(motions, &settings).map_err(|error| blend_error(chosen, &error))?;
    Ok(BlendResult::new(blended, method))
}

/// Runs foot-skate cleanup; returns `None` if there are no plants.
pub(super) fn clean(
    chosen: &[InputMotion],
    blend: &BlendResult,
) -> Result<Option<(Animation, CleanReport)>, CliError> {
    let Some(first) = chosen.first() else {
        return Ok(None);
    };
    if blend.plants.is_empty() {
        return Ok(None);
    }
    let settings = CleanSettings::default();
    match clean_feet(&first.skeleton, &blend.animation, &blend.plants, &settings) {
        Ok(clean) => Ok(Some((clean.animation, clean.report))),
        Err(CleanError::NoLimbs | CleanError::Frames { .. }) => Ok(None),
        Err(error) => Err(blend_error(chosen, &error)),
    }
}
