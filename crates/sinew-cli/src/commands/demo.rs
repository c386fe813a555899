//! `sinew demo`: the built-in character, drawn in every way.

use crate::args::{DemoArgs, OverlayPart, RenderArgs, Size};
use crate::commands::render::{describe, draw, plain};
use crate::error::CliError;
use crate::input::{self, SAMPLE_NAME};
use crate::{Outcome, report};
use serde_json::json;
use sinew_draw::Background;
use sinew_formats::skf::ReadSettings;
use std::path::{Path, PathBuf};

/// A soft sky behind the character.
const BACKGROUND: Background = Background::Solid([232, 240, 244, 255]);

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome, CliError> {
    let character = input::read(Path::new(SAMPLE_NAME), ReadSettings::default())?;
    let armature = &character.skf.armature;
    let mut jobs = Vec::new();
    for animation in armature.animations() {
        let name = animation.name();
        jobs.push(RenderArgs {
            animation: Some(name.to_owned()),
            ..job(args.out.join(format!("{}.gif", plain(name))))
        });
    }
    jobs.push(RenderArgs {
        animation: armature.find_animation("walk").map(|_| "walk".to_owned()),
        contact_sheet: Some(12),
        size: Some(Size::Longer(260)),
        ..job(args.out.join("walk-sheet.png"))
    });
    jobs.push(RenderArgs {
        overlay: vec![OverlayPart::Bones, OverlayPart::Targets],
        ..job(args.out.join("skeleton.png"))
    });
    // Whatever is not worn by default is the other outfit.
    let worn = armature.default_styles();
    let other = armature.data().styles.iter().enumerate();
    let other = other.filter(|(index, _)| !worn.iter().any(|style| style.index() == *index));
    for (_, style) in other {
        jobs.push(RenderArgs {
            style: vec![style.name.clone()],
            ..job(args.out.join(format!("outfit-{}.png", plain(&style.name))))
        });
    }

    let mut files = Vec::new();
    for job in &jobs {
        let drawn = draw(&character, job)?;
        if !args.json {
            report::print(&format!("{}\n", describe(&drawn)))?;
        }
        files.push(json!({ "file": drawn.path.display().to_string(), "pictures": drawn.pictures }));
    }
    if args.json {
        report::print_json(&json!({ "version": report::JSON_VERSION, "files": files }))?;
    } else {
        let next = "Next: sinew info sample, or sinew render YOUR.skf";
        report::print(&format!("{}\n", report::dim(next)))?;
    }
    Ok(Outcome::Fine)
}

fn job(out: PathBuf) -> RenderArgs {
    RenderArgs {
        file: PathBuf::from(SAMPLE_NAME),
        animation: None,
        out: Some(out),
        frame: None,
        fps: None,
        size: Some(Size::Longer(400)),
        style: Vec::new(),
        background: Some(BACKGROUND),
        overlay: Vec::new(),
        contact_sheet: None,
        no_physics: false,
        json: false,
    }
}
