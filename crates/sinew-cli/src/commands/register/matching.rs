//! How motions are matched, and what is said when they do not.

use crate::args::{MatchArgs, RegisterAs, Trim};
use crate::error::CliError;
use crate::report::{bold, plain_text};
use crate::several::Chosen;
use sinew::register::{RegisterError, RegisterMode, RegisterSettings};

/// Seconds of the stretch that a transition is looked for in.
const TRANSITION: f32 = 0.5;

/// What the arguments ask for.
pub(crate) fn settings(args: &MatchArgs, chosen: &[Chosen]) -> Result<RegisterSettings, CliError> {
    let has_parts = args.from.is_some() || args.to.is_some();
    let usual = match has_parts {
        true => RegisterAs::Full,
        false => RegisterAs::Local,
    };
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
        return refused(
            "parts can be given for two motions; trim others with `sinew convert --trim`",
        );
    }
    let distance = args.rho;
    let mode = match args.mode.unwrap_or(usual) {
        RegisterAs::Local if has_parts => {
            return refused(
                "the local mode looks everywhere; choose --mode full, or trim the motions with `sinew convert \
                 --trim`",
            );
        }
        RegisterAs::Local => RegisterMode::Local { distance },
        RegisterAs::Full if has_parts => RegisterMode::Between {
            first: part(args.from, chosen.first()),
            second: part(args.to, chosen.get(1)),
        },
        RegisterAs::Full => RegisterMode::Full,
        RegisterAs::Transition if args.to.is_some() => {
            return refused(
                "a transition looks for its moment in all of the second motion; leave it out",
            );
        }
        RegisterAs::Transition => RegisterMode::Transition {
            seconds: TRANSITION,
            within: args.from.map(|from| part(Some(from), chosen.first())),
            distance,
        },
    };
    for (option, trim, own) in [
        ("--from", args.from, chosen.first()),
        ("--to", args.to, chosen.get(1)),
    ] {
        if let (Some(trim), Some(own)) = (trim, own)
            && trim.from >= own.animation.length
        {
            let problem = format!(
                "{option} begins at {} s, but it is {} s long",
                trim.from, own.animation.length
            );
            return Err(CliError::unusable(&own.path, problem));
        }
    }
    Ok(RegisterSettings {
        mode,
        slope: args.slope,
        ..RegisterSettings::default()
    })
}

fn part(trim: Option<Trim>, of: Option<&Chosen>) -> [f32; 2] {
    let length = of.map_or(0.0, |own| own.animation.length);
    trim.map_or([0.0, length], |trim| [trim.from, trim.to.min(length)])
}

/// Why motions cannot be registered, with the files that they are in.
pub(crate) fn unusable(chosen: &[Chosen], error: &RegisterError) -> CliError {
    let paths: Vec<String> = chosen
        .iter()
        .map(|own| own.path.display().to_string())
        .collect();
    let advice = match error {
        RegisterError::Skeletons { .. } => {
            "; motions of one skeleton can be registered, whatever the lengths of its bones"
        }
        _ => "",
    };
    CliError::Unusable {
        path: paths.join(", "),
        problem: plain_text(&format!("{error}{advice}")),
    }
}

/// Nothing matches: why, and what to try.
pub(crate) fn no_match(error: &RegisterError, args: &MatchArgs) -> String {
    let RegisterError::NoMatch {
        first,
        second,
        reason,
        nearest,
    } = error
    else {
        return plain_text(&error.to_string());
    };
    let head = format!("{first} and {second} do not match: {reason}");
    let near = format!(
        "the nearest moments are {} apart in the mean",
        metres(*nearest)
    );
    // What is a little above the nearest moments gives a match of some length.
    let advice = if !nearest.is_finite() {
        "try --mode full".to_owned()
    } else if *nearest > args.rho {
        format!(
            "{} are allowed; try --rho {:.2}, or --mode full for all of both",
            metres(args.rho),
            ((nearest * 1.25).max(args.rho * 1.1) * 100.0).ceil() / 100.0
        )
    } else {
        format!(
            "{} are allowed, but not for long enough; try --rho {:.2}, or --mode full for all of both",
            metres(args.rho),
            (args.rho * 1.25 * 100.0).ceil() / 100.0
        )
    };
    format!("{}\n  {near}; {advice}", bold(plain_text(&head)))
}

/// A length as people say it.
pub(crate) fn metres(metres: f64) -> String {
    if metres.abs() < 1.0 {
        format!("{:.1} cm", metres * 100.0)
    } else {
        format!("{metres:.2} m")
    }
}
