//! `sinew demo`: draws the built-in character, motions and scripts in every form, and packs a motion.

use crate::args::{
    CharacterArgs, DemoArgs, MotionViewArgs, OverlayPart, PlayArgs, RenderArgs, Size, ViewFrom,
};
use crate::commands::compress::picture;
use crate::commands::play;
use crate::commands::render::{character, motion};
use crate::commands::{compress::facts::grouped, viewer};
use crate::error::CliError;
use crate::image_writer::{ImageSummary, describe, safe_file_name};
use crate::input::{self, Character, SAMPLE_NAME};
use crate::{Outcome, output, report};
use serde_json::json;
use sinew_author::compress::CompressSettings;
use sinew_draw::Background;
use sinew_formats::skf::ReadSettings;
use std::path::{Path, PathBuf};

/// A pale blue background.
const BACKGROUND: Background = Background::Solid([232, 240, 244, 255]);

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome, CliError> {
    let mut files = Vec::new();
    let mut tell = |drawn: ImageSummary| {
        if !args.json {
            report::print(&format!("{}\n", describe(&drawn)))?;
        }
        files.push(json!({ "file": drawn.path.display().to_string(), "pictures": drawn.pictures }));
        Ok::<(), CliError>(())
    };
    output::make_folder(&args.out)?;
    let pip = input::read(Path::new(SAMPLE_NAME), ReadSettings::default())?;
    for job in character_jobs(&pip, &args.out) {
        tell(character::draw(&pip, &job)?.0)?;
    }
    for job in motion_jobs(&args.out) {
        let name = job.file.to_string_lossy().into_owned();
        tell(motion::draw(&input::sample_motion(&name)?, &job)?)?;
    }
    for (script, file) in [
        (SAMPLE_NAME, "play-pip.png"),
        ("sample:figure", "play-figure.png"),
    ] {
        let job = PlayArgs {
            script: PathBuf::from(script),
            out: Some(args.out.join(file)),
            ..PlayArgs::default()
        };
        play::draw(&job)?.map_or(Ok(()), &mut tell)?;
    }
    tell(compress(&args.out)?)?;
    if let Some((path, bytes)) = viewer::write_demo_page(&args.out)? {
        if !args.json {
            let path = report::bold(report::plain_text(&path.display().to_string()));
            let about = format!(
                "{} bytes; all samples in one page, opens in any browser",
                grouped(bytes)
            );
            report::print(&format!("{path}  {}\n", report::dim(about)))?;
        }
        files.push(json!({ "file": path.display().to_string(), "bytes": bytes }));
    }
    if args.json {
        report::print_json(&json!({ "version": report::JSON_VERSION, "files": files }))?;
    } else {
        let next = "Next: sinew info sample:walk, sinew render YOUR.skf, sinew convert YOUR.amc --to glb, or \
                    sinew compress YOUR.bvh";
        report::print(&format!("{}\n", report::dim(next)))?;
    }
    Ok(Outcome::Fine)
}

/// Draws the picture of a packed motion.
fn compress(out: &Path) -> Result<ImageSummary, CliError> {
    let path = out.join("compress-dance.png");
    picture::check(&path)?;
    let motion = input::sample_motion("dance-turn")?;
    let skeleton = &motion.file.skeleton;
    let failed = |error: &dyn std::error::Error| CliError::unusable(&motion.path, error);
    let Some(animation) = motion.animation(None)? else {
        return Err(CliError::unusable(&motion.path, "no animation found"));
    };
    let packed =
        sinew_author::compress::compress(skeleton, animation, &CompressSettings::default());
    let packed = packed.map_err(|error| failed(&error))?;
    let page = picture::page(skeleton, animation, &packed).map_err(|error| failed(&error))?;
    picture::write(&page, &path)
}

/// Returns jobs for every animation, a contact sheet, the skeleton, and the other outfits.
fn character_jobs(character: &Character, out: &Path) -> Vec<RenderArgs> {
    let armature = &character.skf.armature;
    let mut jobs = Vec::new();
    for animation in armature.animations() {
        let name = animation.name();
        jobs.push(RenderArgs {
            animation: Some(name.to_owned()),
            ..job(out.join(format!("{}.gif", safe_file_name(name))))
        });
    }
    jobs.push(RenderArgs {
        animation: armature.find_animation("walk").map(|_| "walk".to_owned()),
        contact_sheet: Some(12),
        size: Some(Size::Longer(260)),
        ..job(out.join("walk-sheet.png"))
    });
    jobs.push(RenderArgs {
        character: CharacterArgs {
            overlay: vec![OverlayPart::Bones, OverlayPart::Targets],
            ..CharacterArgs::default()
        },
        ..job(out.join("skeleton.png"))
    });
    // Styles not worn by default are the other outfit.
    let worn = armature.default_styles();
    let other = armature.data().styles.iter().enumerate();
    let other = other.filter(|(index, _)| !worn.iter().any(|style| style.index() == *index));
    for (_, style) in other {
        jobs.push(RenderArgs {
            character: CharacterArgs {
                style: vec![style.name.clone()],
                ..CharacterArgs::default()
            },
            ..job(out.join(format!("outfit-{}.png", safe_file_name(&style.name))))
        });
    }
    jobs
}

/// Returns jobs for two built-in motions as GIFs and two as stroboscopic pictures.
fn motion_jobs(out: &Path) -> Vec<RenderArgs> {
    let motion = |name: &str, file: &str, view: MotionViewArgs| RenderArgs {
        file: PathBuf::from(name),
        background: None,
        view,
        ..job(out.join(file))
    };
    let footprints = MotionViewArgs {
        footprints: true,
        ..MotionViewArgs::default()
    };
    let trails = MotionViewArgs {
        trails: Some(vec!["lhand".to_owned(), "rhand".to_owned()]),
        ..MotionViewArgs::default()
    };
    let side = MotionViewArgs {
        view: Some(ViewFrom::Side),
        ..MotionViewArgs::default()
    };
    let strobe = |job: RenderArgs| RenderArgs {
        strobe: Some(9),
        size: Some(Size::Longer(900)),
        ..job
    };
    vec![
        motion("walk", "motion-walk.gif", footprints.clone()),
        motion("dance-turn", "motion-dance.gif", trails),
        strobe(motion("jump", "motion-jump.png", side)),
        strobe(motion("run", "motion-run.png", footprints)),
    ]
}

fn job(out: PathBuf) -> RenderArgs {
    RenderArgs {
        file: PathBuf::from(SAMPLE_NAME),
        out: Some(out),
        size: Some(Size::Longer(400)),
        background: Some(BACKGROUND),
        ..RenderArgs::default()
    }
}
