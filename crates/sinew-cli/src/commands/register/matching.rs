//! Registration settings from arguments, and messages for motions that do not match.

use crate::args::{MatchArgs, RegisterModeArg, Trim};
use crate::error::CliError;
use crate::inputs::InputMotion;
use crate::report::{bold, plain_text};
use sinew_author::register::{RegisterError, RegisterMode, RegisterSettings};

/// Length of the window around a transition, in seconds.
const TRANSITION: f32 = 0.5;

/// Returns the settings from the arguments.
pub(crate) fn settings(
    args: &MatchArgs,
    chosen: &[InputMotion],
) -> Result<RegisterSettings, CliError> {
    let has_parts = args.from.is_some() || args.to.is_some();
    let refused = |problem: &str| {
        Err(CliError::Unusable {
            path: match args.from {
                Some(_) => "--from".to_owned(),
                None => "--to".to_owned(),
            },
            problem: problem.to_owned(),
        })
    };
    if has_parts && chosen.len() != 2 {
        return refused("applies to two motions only; trim others with `sinew convert --trim`");
    }
    let mode = match args.mode {
        Some(RegisterModeArg::Local | RegisterModeArg::Cyclic) if has_parts => {
            return refused(
                "the local and cyclic modes search all of both motions; use --mode full, or trim the motions with \
                 `sinew convert --trim`",
            );
        }
        Some(RegisterModeArg::Local) => RegisterMode::Local,
        Some(RegisterModeArg::Cyclic) => RegisterMode::Cyclic,
        None if !has_parts => RegisterMode::Auto,
        Some(RegisterModeArg::Full) | None if has_parts => RegisterMode::Between {
            first: part(args.from, chosen.first()),
            second: part(args.to, chosen.get(1)),
        },
        Some(RegisterModeArg::Full) | None => RegisterMode::Full,
        Some(RegisterModeArg::Transition) if args.to.is_some() => {
            return refused(
                "does not apply to --mode transition, which searches all of the second motion",
            );
        }
        Some(RegisterModeArg::Transition) => RegisterMode::Transition {
            seconds: TRANSITION,
            within: args.from.map(|from| part(Some(from), chosen.first())),
        },
    };
    for (option, trim, input) in [
        ("--from", args.from, chosen.first()),
        ("--to", args.to, chosen.get(1)),
    ] {
        if let (Some(trim), Some(input)) = (trim, input)
            && trim.from >= input.animation.length
        {
            let problem = format!(
                "{option} starts at {} s, but the motion is {} s long",
                trim.from, input.animation.length
            );
            return Err(CliError::unusable(&input.path, problem));
        }
    }
    Ok(RegisterSettings {
        mode,
        max_distance: args.max_distance,
        slope: args.slope,
        ..RegisterSettings::default()
    })
}

fn part(trim: Option<Trim>, of: Option<&InputMotion>) -> [f32; 2] {
    let length = of.map_or(0.0, |input| input.animation.length);
    trim.map_or([0.0, length], |trim| [trim.from, trim.to.min(length)])
}

/// Returns the error of motions that cannot be registered, with their files.
pub(crate) fn unusable(chosen: &[InputMotion], error: &RegisterError) -> CliError {
    let paths: Vec<String> = chosen
        .iter()
        .map(|input| input.path.display().to_string())
        .collect();
    let advice = match error {
        RegisterError::Skeletons { .. } => "; skeletons may differ only in bone lengths",
        _ => "",
    };
    CliError::Unusable {
        path: paths.join(", "),
        problem: plain_text(&format!("{error}{advice}")),
    }
}

/// Explains why nothing matches, and what to try.
pub(crate) fn no_match(error: &RegisterError) -> String {
    let RegisterError::NoMatch {
        first,
        second,
        reason,
        nearest,
        threshold,
    } = error
    else {
        return plain_text(&error.to_string());
    };
    let head = format!("{first} and {second} do not match: {reason}");
    let near = format!("the smallest mean joint distance is {}", metres(*nearest));
    let advice = match *threshold {
        // A threshold slightly above the nearest distance gives a match of some length.
        Some(threshold) if nearest.is_finite() => format!(
            "the maximum is {}; try --max-distance {:.2} or --mode full",
            metres(threshold),
            ((nearest * 1.25).max(threshold * 1.25) * 100.0).ceil() / 100.0
        ),
        _ => "try --mode full".to_owned(),
    };
    format!("{}\n  {near}; {advice}", bold(plain_text(&head)))
}

/// Formats a length in a suitable unit.
pub(crate) fn metres(metres: f64) -> String {
    if metres.abs() < 1.0 {
        format!("{:.1} cm", metres * 100.0)
    } else {
        format!("{metres:.2} m")
    }
}
