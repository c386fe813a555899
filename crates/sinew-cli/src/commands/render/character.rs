//! Drawing of 2D characters.

use super::motion::check_frame;
use crate::args::{OverlayPart, RenderArgs};
use crate::character_frames::{CharacterFrames, FrameSettings};
use crate::error::CliError;
use crate::image_writer::{GIF_FPS, ImageKind, ImageSummary, ImageWriter};
use crate::input::Character;
use sinew::skelform::{
    AnimationFrame, ArmatureAnimation, ArmatureAnimationIndex, StyleIndex, animate,
};
use sinew_draw::{Background, TextureSet};
use sinew_formats::skf;
use std::path::Path;

/// The frame rate of characters without animation.
const STILL_FPS: f64 = 1.0;

const WHITE: Background = Background::Solid([255; 4]);

/// Draws the requested pictures. Also returns whether all of them are empty.
pub(crate) fn draw(
    character: &Character,
    args: &RenderArgs,
) -> Result<(ImageSummary, bool), CliError> {
    let index = character.animation(args.animation.as_deref())?;
    let animation = index.and_then(|index| character.skf.armature.animation(index));
    let styles = character.styles(&args.character.style)?;
    check(character, args)?;
    let last = animation
        .and_then(ArmatureAnimation::last_frame)
        .unwrap_or(0);
    let form = ImageKind::of(args, last > 0)?;
    let path = match &args.out {
        Some(out) => out.clone(),
        None => form.default_path(&character.path, animation.map(ArmatureAnimation::name)),
    };
    let fps = rate(animation, form, args.fps);
    form.check(&path, fps)?;
    let timing = timing(&character.path, animation, form, args.frame, fps)?;
    let frames = CharacterFrames::record(
        character,
        &frame_settings(args, form, &timing, &styles),
        |state, picture| {
            let frame = timing.frames.get(picture).copied().unwrap_or(0.0);
            let frame = index.map(|animation| AnimationFrame::new(animation, frame));
            animate(&character.skf.armature, state, frame.as_slice())
        },
    )?;
    let textures = TextureSet::new(
        &character.skf.armature.data().styles,
        &character.skf.atlases,
    );
    let background = args.background.unwrap_or(match form {
        ImageKind::Gif | ImageKind::Sheet(_) => WHITE,
        ImageKind::Picture | ImageKind::Folder => Background::Transparent,
    });
    let view = frames.view(super::size(args.size, form));
    let writer = ImageWriter {
        draw: &|index| frames.picture(index, &textures, &view, background),
        pictures: frames.len(),
        width: view.width,
        height: view.height,
        background,
        path,
    };
    let is_empty =
        args.character.overlay.is_empty() && !skf::is_visible(&character.skf, frames.lists());
    Ok((writer.write(form, timing.fps)?, is_empty))
}

/// Draws an animation in a form, with default settings, on white.
pub(crate) fn draw_animation(
    character: &Character,
    index: ArmatureAnimationIndex,
    path: &Path,
    form: ImageKind,
) -> Result<ImageSummary, CliError> {
    let armature = &character.skf.armature;
    let animation = armature.animation(index);
    let styles = character.styles(&[])?;
    let fps = rate(animation, form, None);
    form.check(path, fps)?;
    let timing = timing(&character.path, animation, form, None, fps)?;
    let settings = FrameSettings {
        pictures: timing.frames.len(),
        step: match form {
            ImageKind::Gif => (1.0 / timing.fps) as f32,
            _ => 0.0,
        },
        loops: false,
        styles: &styles,
        overlay: &[],
        physics: true,
    };
    let frames = CharacterFrames::record(character, &settings, |state, picture| {
        let frame = timing.frames.get(picture).copied().unwrap_or(0.0);
        animate(armature, state, &[AnimationFrame::new(index, frame)])
    })?;
    let textures = TextureSet::new(&armature.data().styles, &character.skf.atlases);
    let view = frames.view(super::size(None, form));
    let writer = ImageWriter {
        draw: &|index| frames.picture(index, &textures, &view, WHITE),
        pictures: frames.len(),
        width: view.width,
        height: view.height,
        background: WHITE,
        path: path.to_owned(),
    };
    writer.write(form, timing.fps)
}

/// Rejects invalid arguments before drawing.
fn check(character: &Character, args: &RenderArgs) -> Result<(), CliError> {
    let unusable = |problem: &str| {
        Err(CliError::Unusable {
            path: character.path.display().to_string(),
            problem: problem.to_owned(),
        })
    };
    let for_motions = [
        ("--trim", args.trim.is_some()),
        ("--view", args.view.view.is_some()),
        ("--camera", args.view.camera.is_some()),
        ("--strobe", args.strobe.is_some()),
        ("--trails", args.view.trails.is_some()),
        ("--footprints", args.view.footprints),
    ];
    if let Some((flag, _)) = for_motions.iter().find(|(_, given)| *given) {
        return unusable(&format!(
            "{flag} applies to 3D motions; this is a 2D character"
        ));
    }
    check_pictures(character, &args.character.overlay)
}

/// Rejects a character that would show nothing.
pub(crate) fn check_pictures(
    character: &Character,
    overlay: &[OverlayPart],
) -> Result<(), CliError> {
    let atlases = &character.skf.atlases;
    let no_pictures = !atlases.is_empty() && atlases.iter().all(Option::is_none);
    if no_pictures && overlay.is_empty() {
        let problem = "none of its textures could be read; use --overlay to draw its skeleton";
        return Err(CliError::Unusable {
            path: character.path.display().to_string(),
            problem: problem.to_owned(),
        });
    }
    Ok(())
}

fn frame_settings<'a>(
    args: &'a RenderArgs,
    form: ImageKind,
    timing: &Timing,
    styles: &'a [StyleIndex],
) -> FrameSettings<'a> {
    let follows = matches!(form, ImageKind::Gif | ImageKind::Folder);
    FrameSettings {
        pictures: timing.frames.len(),
        step: if follows {
            (1.0 / timing.fps) as f32
        } else {
            0.0
        },
        loops: follows,
        styles,
        overlay: &args.character.overlay,
        physics: !args.character.no_physics,
    }
}

fn rate(animation: Option<&ArmatureAnimation>, form: ImageKind, asked: Option<f64>) -> f64 {
    let own_rate = animation.map(|animation| f64::from(animation.frame_rate()));
    let own_rate = own_rate.filter(|&fps| fps > 0.0).unwrap_or(STILL_FPS);
    asked.unwrap_or(if form == ImageKind::Gif {
        own_rate.min(GIF_FPS)
    } else {
        own_rate
    })
}

/// The frames to show and their rate.
struct Timing {
    frames: Vec<f32>,
    fps: f64,
}

/// Divides one period into equal steps, so that a loop has no seam; the rate is the nearest possible to the requested
/// one.
fn timing(
    path: &Path,
    animation: Option<&ArmatureAnimation>,
    form: ImageKind,
    asked: Option<f32>,
    fps: f64,
) -> Result<Timing, CliError> {
    let last = animation
        .and_then(ArmatureAnimation::last_frame)
        .unwrap_or(0);
    if form == ImageKind::Picture || asked.is_some() {
        let frame = asked.unwrap_or(0.0);
        let name = animation.map_or("rest", ArmatureAnimation::name);
        check_frame(path, name, frame, last as f32)?;
        let frames = vec![frame];
        return Ok(Timing { frames, fps });
    }
    let last = f64::from(last);
    let period = last + 1.0;
    let seconds = period / animation.map_or(STILL_FPS, |a| f64::from(a.frame_rate().max(1)));
    let (count, fps) = form.pictures(seconds, fps, path)?;
    let frame = |picture: usize| (picture as f64 * period / count as f64).min(last) as f32;
    Ok(Timing {
        frames: (0..count).map(frame).collect(),
        fps,
    })
}
