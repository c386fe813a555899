//! `sinew render`: an animation as GIF, as pictures, as a contact sheet, or one frame of it.

use crate::Outcome;
use crate::args::{RenderArgs, Size};
use crate::error::CliError;
use crate::film::{Film, Shot};
use crate::input::{self, Character};
use crate::progress::Progress;
use crate::{output, report};
use serde_json::json;
use sinew::{AnimationIndex, Image, StyleIndex};
use sinew_draw::{
    Background, GifError, GifSettings, GifWriter, MAX_GIF_FPS, PaletteBuilder, SheetSettings,
    TextureSet, View, contact_sheet, encode_png,
};
use sinew_formats::skf::ReadSettings;
use std::path::{Path, PathBuf};

/// The rate of GIFs unless another is asked for.
const GIF_FPS: f64 = 30.0;

/// The rate of still characters.
const STILL_FPS: f64 = 1.0;

/// Pictures that one call draws at most; ten minutes at 30 per second.
const MAX_PICTURES: usize = 18_000;

/// Pictures that a GIF's palette is made from.
const PALETTE_PICTURES: usize = 48;

/// The longer side of a picture unless another is asked for.
const PICTURE_SIDE: u32 = 512;

/// The longer side of a picture in a contact sheet.
const SHEET_SIDE: u32 = 240;

const WHITE: Background = Background::Solid([255; 4]);

/// What to draw, worked out from the arguments.
enum Form {
    Gif,
    Picture,
    Sheet(u32),
    Folder,
}

/// What was drawn.
pub(crate) struct Drawn {
    pub(crate) path: PathBuf,
    pub(crate) pictures: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

pub(crate) fn run(args: &RenderArgs) -> Result<Outcome, CliError> {
    let character = input::read(&args.file, ReadSettings::default())?;
    report::warnings(&character.path, &character.skf.warnings);
    let drawn = draw(&character, args)?;
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "file": drawn.path.display().to_string(),
            "pictures": drawn.pictures,
            "width": drawn.width,
            "height": drawn.height,
            "warnings": report::warnings_json(&character.skf.warnings),
        }))?;
    } else {
        report::print(&format!("{}\n", describe(&drawn)))?;
    }
    Ok(Outcome::Fine)
}

/// One line about what was drawn.
pub(crate) fn describe(drawn: &Drawn) -> String {
    let Drawn {
        path,
        pictures,
        width,
        height,
    } = drawn;
    let pictures = match pictures {
        1 => String::new(),
        n => format!(", {n} pictures"),
    };
    format!(
        "{}  {}",
        report::bold(path.display()),
        report::dim(format!("{width} x {height}{pictures}"))
    )
}

/// Draws what the arguments ask for.
pub(crate) fn draw(character: &Character, args: &RenderArgs) -> Result<Drawn, CliError> {
    let animation = character.animation(args.animation.as_deref())?;
    let styles = character.styles(&args.style)?;
    let form = form(character, animation, args)?;
    let path = match &args.out {
        Some(out) => out.clone(),
        None => default_path(character, animation, &form),
    };
    let fps = rate(character, animation, &form, args.fps);
    check(character, args, &form, &path, fps)?;
    let timing = timing(character, animation, &form, args.frame, fps)?;
    let film = Film::shoot(character, &shot(args, animation, &form, &timing, &styles))?;
    let studio = Studio {
        film,
        textures: TextureSet::new(
            &character.skf.armature.data().styles,
            &character.skf.atlases,
        ),
        background: args.background.unwrap_or(match form {
            Form::Gif | Form::Sheet(_) => WHITE,
            Form::Picture | Form::Folder => Background::Transparent,
        }),
        path,
    };
    let size = args.size.unwrap_or(match form {
        Form::Sheet(_) => Size::Longer(SHEET_SIDE),
        _ => Size::Longer(PICTURE_SIDE),
    });
    match form {
        Form::Gif => studio.gif(size, timing.fps),
        Form::Picture => studio.picture(size),
        Form::Sheet(_) => studio.sheet(size),
        Form::Folder => studio.folder(size),
    }
}

/// Finds what cannot work before a long film is drawn for nothing.
fn check(
    character: &Character,
    args: &RenderArgs,
    form: &Form,
    path: &Path,
    fps: f64,
) -> Result<(), CliError> {
    let atlases = &character.skf.atlases;
    let no_pictures = !atlases.is_empty() && atlases.iter().all(Option::is_none);
    if no_pictures && args.overlay.is_empty() {
        return Err(CliError::Unusable {
            path: character.path.display().to_string(),
            problem: "none of its pictures could be read, so only its skeleton can be drawn; add \
                      --overlay"
                .to_owned(),
        });
    }
    if matches!(form, Form::Gif) && fps > MAX_GIF_FPS {
        return Err(CliError::Gif {
            path: path.to_owned(),
            source: GifError::Fps { fps },
        });
    }
    match form {
        Form::Folder => output::check(&picture_in(path, 0)),
        _ => output::check(path),
    }
}

fn shot<'a>(
    args: &'a RenderArgs,
    animation: Option<AnimationIndex>,
    form: &Form,
    timing: &'a Timing,
    styles: &'a [StyleIndex],
) -> Shot<'a> {
    let follows = matches!(form, Form::Gif | Form::Folder);
    Shot {
        animation,
        frames: &timing.frames,
        step: if follows {
            (1.0 / timing.fps) as f32
        } else {
            0.0
        },
        loops: follows,
        styles,
        overlay: &args.overlay,
        physics: !args.no_physics,
    }
}

/// What is wanted: said by a flag, by the ending of the output, or left to us.
fn form(
    character: &Character,
    animation: Option<AnimationIndex>,
    args: &RenderArgs,
) -> Result<Form, CliError> {
    let Some(out) = &args.out else {
        return Ok(match args.contact_sheet {
            Some(count) => Form::Sheet(count),
            None if args.frame.is_some() => Form::Picture,
            None if last_frame(character, animation) == 0 => Form::Picture,
            None => Form::Gif,
        });
    };
    let unusable = |problem: &str| {
        Err(CliError::Unusable {
            path: out.display().to_string(),
            problem: problem.to_owned(),
        })
    };
    let is_folder = out.to_string_lossy().ends_with(std::path::is_separator) || out.is_dir();
    let ending = out.extension().filter(|_| !is_folder);
    let ending = ending.map(|e| e.to_string_lossy().to_ascii_lowercase());
    match (ending.as_deref(), args.contact_sheet) {
        (Some("png"), Some(count)) => Ok(Form::Sheet(count)),
        (_, Some(_)) => unusable("a contact sheet is a picture; expected a name that ends in .png"),
        (Some("gif"), None) => Ok(Form::Gif),
        (Some("png"), None) => Ok(Form::Picture),
        (None, None) => Ok(Form::Folder),
        (Some(_), None) => {
            unusable("expected a name that ends in .gif or .png, or in / for a folder")
        }
    }
}

fn last_frame(character: &Character, animation: Option<AnimationIndex>) -> u32 {
    let animation = animation.and_then(|index| character.skf.armature.animation(index));
    animation
        .and_then(|animation| animation.last_frame())
        .unwrap_or(0)
}

/// Beside the input; the built-in sample's go to the working folder.
fn default_path(character: &Character, animation: Option<AnimationIndex>, form: &Form) -> PathBuf {
    let stem = character
        .path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let animation = animation.and_then(|index| character.skf.armature.animation(index));
    let name = animation.map(|animation| format!("-{}", plain(animation.name())));
    let sheet = if matches!(form, Form::Sheet(_)) {
        "-sheet"
    } else {
        ""
    };
    let ending = if matches!(form, Form::Gif) {
        "gif"
    } else {
        "png"
    };
    let name = format!("{stem}{}{sheet}.{ending}", name.unwrap_or_default());
    character.path.with_file_name(name)
}

/// A name that every file system takes.
pub(crate) fn plain(name: &str) -> String {
    let safe = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.trim().chars().take(60).map(safe).collect()
}

fn rate(
    character: &Character,
    animation: Option<AnimationIndex>,
    form: &Form,
    asked: Option<f64>,
) -> f64 {
    let own = animation.and_then(|index| character.skf.armature.animation(index));
    let own = own
        .map(|animation| f64::from(animation.fps()))
        .filter(|&fps| fps > 0.0);
    let own = own.unwrap_or(STILL_FPS);
    asked.unwrap_or(if matches!(form, Form::Gif) {
        own.min(GIF_FPS)
    } else {
        own
    })
}

/// Which frames to show, and how many a second.
struct Timing {
    frames: Vec<f32>,
    fps: f64,
}

/// Films show one whole period in equal steps, so that a loop has no seam; the rate is the nearest to
/// the one asked for that allows it.
fn timing(
    character: &Character,
    animation: Option<AnimationIndex>,
    form: &Form,
    asked: Option<f32>,
    fps: f64,
) -> Result<Timing, CliError> {
    if matches!(form, Form::Picture) || asked.is_some() {
        let frames = vec![asked.unwrap_or(0.0)];
        return Ok(Timing { frames, fps });
    }
    let last = f64::from(last_frame(character, animation));
    let period = last + 1.0;
    let animation = animation.and_then(|i| character.skf.armature.animation(i));
    let seconds = period / animation.map_or(STILL_FPS, |a| f64::from(a.fps().max(1)));
    let count = match form {
        Form::Sheet(count) => f64::from(*count),
        Form::Gif if (seconds * fps).round() > seconds * MAX_GIF_FPS => (seconds * fps).floor(),
        _ => (seconds * fps).round(),
    };
    let count = count.max(1.0);
    if count > MAX_PICTURES as f64 {
        return Err(CliError::Unusable {
            path: character.path.display().to_string(),
            problem: format!(
                "{count} pictures are more than the {MAX_PICTURES} that are drawn at once; \
                 choose a lower --fps"
            ),
        });
    }
    let frame = |picture: usize| (picture as f64 * period / count).min(last) as f32;
    Ok(Timing {
        frames: (0..count as usize).map(frame).collect(),
        // A single picture has no rate to speak of, but a GIF wants one that it can write.
        fps: (count / seconds).min(if matches!(form, Form::Gif) {
            MAX_GIF_FPS
        } else {
            f64::MAX
        }),
    })
}

/// A film and all that is needed to draw it.
struct Studio {
    film: Film,
    textures: TextureSet,
    background: Background,
    path: PathBuf,
}

impl Studio {
    fn draw(
        &self,
        which: impl Iterator<Item = usize>,
        view: &View,
        progress: &Progress,
        take: impl FnMut(usize, Image) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        self.film
            .draw(which, &self.textures, view, self.background, progress, take)
    }

    fn drawn(&self, pictures: usize, width: u32, height: u32) -> Drawn {
        Drawn {
            path: self.path.clone(),
            pictures,
            width,
            height,
        }
    }

    fn gif(&self, size: Size, fps: f64) -> Result<Drawn, CliError> {
        let view = self.film.view(size);
        let failed = |source| CliError::Gif {
            path: self.path.clone(),
            source,
        };
        let every = self.film.len().div_ceil(PALETTE_PICTURES).max(1);
        let sampled = (0..self.film.len()).step_by(every);
        let progress = Progress::new("drawing", self.film.len() + sampled.len());
        let mut colors = PaletteBuilder::new();
        self.draw(sampled, &view, &progress, |_, image| {
            colors.add(&image);
            Ok(())
        })?;
        let settings = GifSettings {
            fps,
            ..GifSettings::default()
        };
        let pixels = (view.width, view.height);
        let mut gif =
            GifWriter::new(Vec::new(), pixels, colors.build(), &settings).map_err(failed)?;
        self.draw(0..self.film.len(), &view, &progress, |_, image| {
            gif.add(&image).map_err(failed)
        })?;
        output::write(&self.path, &gif.finish().map_err(failed)?)?;
        Ok(self.drawn(self.film.len(), view.width, view.height))
    }

    fn picture(&self, size: Size) -> Result<Drawn, CliError> {
        let view = self.film.view(size);
        let progress = Progress::new("drawing", 1);
        self.draw(0..1, &view, &progress, |_, image| {
            write_png(&self.path, &image)
        })?;
        Ok(self.drawn(1, view.width, view.height))
    }

    fn sheet(&self, size: Size) -> Result<Drawn, CliError> {
        let view = self.film.view(size);
        let progress = Progress::new("drawing", self.film.len());
        let mut images = Vec::new();
        self.draw(0..self.film.len(), &view, &progress, |_, image| {
            images.push(image);
            Ok(())
        })?;
        let background = match self.background {
            Background::Solid(color) => color,
            _ => [0; 4],
        };
        let settings = SheetSettings {
            background,
            ..SheetSettings::default()
        };
        let sheet = contact_sheet(&images, &settings)?;
        write_png(&self.path, &sheet)?;
        Ok(self.drawn(images.len(), sheet.width(), sheet.height()))
    }

    fn folder(&self, size: Size) -> Result<Drawn, CliError> {
        let view = self.film.view(size);
        let progress = Progress::new("drawing", self.film.len());
        self.draw(0..self.film.len(), &view, &progress, |index, image| {
            write_png(&picture_in(&self.path, index), &image)
        })?;
        Ok(self.drawn(self.film.len(), view.width, view.height))
    }
}

/// Where a picture of a film goes in a folder.
fn picture_in(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:05}.png"))
}

fn write_png(path: &Path, image: &Image) -> Result<(), CliError> {
    let png = encode_png(image).map_err(|source| CliError::Png {
        path: path.to_owned(),
        source,
    })?;
    output::write(path, &png)
}
