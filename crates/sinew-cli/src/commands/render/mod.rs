//! `sinew render`: draws an animation as GIF, pictures, contact sheet or single frame.

pub(crate) mod character;
pub(crate) mod motion;

use crate::args::{RenderArgs, Size};
use crate::error::CliError;
use crate::image_writer::{ImageKind, describe};
use crate::input::{self, Input};
use crate::{Outcome, output, report};
use serde_json::json;
use sinew_formats::Warning;
use sinew_formats::skf::ReadSettings;

/// The default longer side of a picture.
const PICTURE_SIDE: u32 = 512;

/// The default longer side of a picture in a contact sheet.
const SHEET_SIDE: u32 = 240;

pub(crate) fn run(args: &RenderArgs) -> Result<Outcome, CliError> {
    let is_stdout = args.out.as_deref().is_some_and(output::is_stdout);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    let mut input = input::open(&args.file, ReadSettings::default(), &args.source)?;
    if let Input::Motion(motion) = &mut input {
        motion.select_skeleton(args.animation.as_deref());
    }
    report::warnings(&args.file, input.warnings());
    let (drawn, shows_nothing) = match &input {
        Input::Character(character) => character::draw(character, args)?,
        Input::Motion(motion) => (motion::draw(motion, args)?, false),
    };
    let mut warnings = input.warnings().list().to_vec();
    if shows_nothing {
        let problem = Warning {
            severity: sinew_formats::Severity::Warning,
            place: "picture".to_owned(),
            field: String::new(),
            problem: "nothing is visible".to_owned(),
        };
        report::warning_list(&args.file, std::slice::from_ref(&problem), 1, "");
        warnings.push(problem);
    }
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "file": drawn.path.display().to_string(),
            "pictures": drawn.pictures,
            "width": drawn.width,
            "height": drawn.height,
            "warnings": report::warnings_json(&warnings),
        }))?;
    } else if !is_stdout {
        report::print(&format!("{}\n", describe(&drawn)))?;
    }
    Ok(if shows_nothing {
        Outcome::CheckFailed
    } else {
        Outcome::Fine
    })
}

/// Returns the requested size, or the default of a form.
pub(crate) fn size(asked: Option<Size>, form: ImageKind) -> Size {
    asked.unwrap_or(match form {
        ImageKind::Sheet(_) => Size::Longer(SHEET_SIDE),
        _ => Size::Longer(PICTURE_SIDE),
    })
}
