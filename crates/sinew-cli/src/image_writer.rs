//! Writes pictures to files: a single picture, a GIF, a folder, a contact sheet.

use crate::args::RenderArgs;
use crate::error::CliError;
use crate::progress::Progress;
use crate::{output, report};
use rayon::prelude::*;
use sinew::skelform::Image;
use sinew_draw::{
    Background, GifError, GifSettings, GifWriter, MAX_GIF_FPS, PaletteBuilder, SheetSettings,
    contact_sheet, encode_png,
};
use std::path::{Path, PathBuf};

/// The default frame rate of GIFs.
pub(crate) const GIF_FPS: f64 = 30.0;

/// The largest number of pictures per call: ten minutes at 30 per second.
const MAX_PICTURES: usize = 18_000;

/// Pictures sampled for the palette of a GIF.
const PALETTE_PICTURES: usize = 48;

/// Pictures in memory per thread.
const PICTURES_PER_THREAD: usize = 4;

/// The kind of output, from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageKind {
    Gif,
    Picture,
    Sheet(u32),
    Folder,
}

/// A summary of the written pictures.
pub(crate) struct ImageSummary {
    pub(crate) path: PathBuf,
    pub(crate) pictures: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Describes the written pictures in one line.
pub(crate) fn describe(summary: &ImageSummary) -> String {
    let ImageSummary {
        path,
        pictures,
        width,
        height,
    } = summary;
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

impl ImageKind {
    /// Returns the kind of output: from a flag, from the extension of the output, or the default.
    pub(crate) fn of(args: &RenderArgs, moves: bool) -> Result<Self, CliError> {
        let is_one = args.frame.is_some() || args.strobe.is_some();
        let out = args.out.as_ref().filter(|out| !output::is_stdout(out));
        let Some(out) = out else {
            return Ok(match args.contact_sheet {
                Some(count) => Self::Sheet(count),
                None if is_one || !moves => Self::Picture,
                None => Self::Gif,
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
            (Some("png"), Some(count)) => Ok(Self::Sheet(count)),
            (_, Some(_)) => {
                unusable("a contact sheet is a PNG; expected a file name ending in .png")
            }
            (Some("png"), None) => Ok(Self::Picture),
            (_, None) if args.strobe.is_some() => {
                unusable("--strobe draws a PNG; expected a file name ending in .png")
            }
            (Some("gif"), None) => Ok(Self::Gif),
            (None, None) => Ok(Self::Folder),
            (Some(_), None) => {
                unusable("expected a file name ending in .gif or .png, or in / for a folder")
            }
        }
    }

    /// Returns the default path: beside the input, or in the working folder for built-in samples.
    pub(crate) fn default_path(self, input: &Path, animation: Option<&str>) -> PathBuf {
        let stem = input.file_stem().unwrap_or_default().to_string_lossy();
        let name = animation.map(|name| format!("-{}", safe_file_name(name)));
        let (sheet, ending) = match self {
            Self::Sheet(_) => ("-sheet", "png"),
            Self::Gif => ("", "gif"),
            Self::Picture | Self::Folder => ("", "png"),
        };
        // Names of built-in motions have a colon, which some file systems do not allow.
        let stem = stem.replace(':', "-");
        input.with_file_name(format!(
            "{stem}{}{sheet}.{ending}",
            name.unwrap_or_default()
        ))
    }

    /// Checks before drawing that the output can be written.
    pub(crate) fn check(self, path: &Path, fps: f64) -> Result<(), CliError> {
        if self == Self::Gif && fps > MAX_GIF_FPS {
            return Err(CliError::Gif {
                path: path.to_owned(),
                source: GifError::FrameRate { frame_rate: fps },
            });
        }
        match self {
            Self::Folder => output::check_in_folder(&picture_in(path, 0)),
            _ => output::check(path),
        }
    }

    /// Returns the number of pictures for `seconds` at about `fps`, and the resulting rate.
    pub(crate) fn pictures(
        self,
        seconds: f64,
        fps: f64,
        path: &Path,
    ) -> Result<(usize, f64), CliError> {
        let count = match self {
            Self::Picture => 1.0,
            Self::Sheet(count) => f64::from(count),
            Self::Gif if (seconds * fps).round() > seconds * MAX_GIF_FPS => (seconds * fps).floor(),
            _ => (seconds * fps).round(),
        };
        let count = count.max(1.0);
        if count > MAX_PICTURES as f64 {
            return Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: format!(
                    "{count} pictures exceed the limit of {MAX_PICTURES}; use a lower --fps"
                ),
            });
        }
        // A single picture has no rate, but a GIF needs a valid one.
        let most = if self == Self::Gif {
            MAX_GIF_FPS
        } else {
            f64::MAX
        };
        Ok((count as usize, (count / seconds).min(most)))
    }
}

/// Returns a file name that is valid on every file system.
pub(crate) fn safe_file_name(name: &str) -> String {
    let safe = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.trim().chars().take(60).map(safe).collect()
}

/// A sequence of pictures and its output.
pub(crate) struct ImageWriter<'a> {
    /// Draws a picture of the sequence.
    pub(crate) draw: &'a (dyn Fn(usize) -> Image + Sync),
    pub(crate) pictures: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The background between the pictures of a contact sheet.
    pub(crate) background: Background,
    pub(crate) path: PathBuf,
}

impl ImageWriter<'_> {
    /// Draws all pictures in a form, at `fps` pictures per second.
    pub(crate) fn write(&self, form: ImageKind, fps: f64) -> Result<ImageSummary, CliError> {
        match form {
            ImageKind::Gif => self.gif(fps),
            ImageKind::Picture => self.picture(),
            ImageKind::Sheet(_) => self.sheet(),
            ImageKind::Folder => self.folder(),
        }
    }

    /// Draws pictures on all threads and passes them on in order, with a few in memory.
    fn draw_in_order(
        &self,
        indices: impl Iterator<Item = usize>,
        progress: &Progress,
        mut consume: impl FnMut(usize, Image) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let indices: Vec<usize> = indices.collect();
        for batch in indices.chunks(PICTURES_PER_THREAD * rayon::current_num_threads()) {
            let images: Vec<Image> = batch.par_iter().map(|&index| (self.draw)(index)).collect();
            for (&index, image) in batch.iter().zip(images) {
                consume(index, image)?;
                progress.add(1);
            }
        }
        Ok(())
    }

    fn summary(&self, pictures: usize, width: u32, height: u32) -> ImageSummary {
        ImageSummary {
            path: self.path.clone(),
            pictures,
            width,
            height,
        }
    }

    fn gif(&self, fps: f64) -> Result<ImageSummary, CliError> {
        let failed = |source| CliError::Gif {
            path: self.path.clone(),
            source,
        };
        let every = self.pictures.div_ceil(PALETTE_PICTURES).max(1);
        let sampled = (0..self.pictures).step_by(every);
        let progress = Progress::new("drawing", self.pictures + sampled.len());
        let mut colors = PaletteBuilder::new();
        self.draw_in_order(sampled, &progress, |_, image| {
            colors.add(&image);
            Ok(())
        })?;
        let settings = GifSettings {
            frame_rate: fps,
            ..GifSettings::default()
        };
        let pixels = (self.width, self.height);
        let mut gif =
            GifWriter::new(Vec::new(), pixels, colors.build(), &settings).map_err(failed)?;
        self.draw_in_order(0..self.pictures, &progress, |_, image| {
            gif.add(&image).map_err(failed)
        })?;
        output::write(&self.path, &gif.finish().map_err(failed)?)?;
        Ok(self.summary(self.pictures, self.width, self.height))
    }

    fn picture(&self) -> Result<ImageSummary, CliError> {
        let progress = Progress::new("drawing", 1);
        self.draw_in_order(0..1, &progress, |_, image| write_png(&self.path, &image))?;
        Ok(self.summary(1, self.width, self.height))
    }

    /// Draws all pictures into memory.
    pub(crate) fn images(&self) -> Result<Vec<Image>, CliError> {
        let progress = Progress::new("drawing", self.pictures);
        let mut images = Vec::new();
        self.draw_in_order(0..self.pictures, &progress, |_, image| {
            images.push(image);
            Ok(())
        })?;
        Ok(images)
    }

    fn sheet(&self) -> Result<ImageSummary, CliError> {
        let images = self.images()?;
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
        Ok(self.summary(images.len(), sheet.width(), sheet.height()))
    }

    fn folder(&self) -> Result<ImageSummary, CliError> {
        output::make_folder(&self.path)?;
        let progress = Progress::new("drawing", self.pictures);
        self.draw_in_order(0..self.pictures, &progress, |index, image| {
            write_png(&picture_in(&self.path, index), &image)
        })?;
        Ok(self.summary(self.pictures, self.width, self.height))
    }
}

/// Returns the path of a picture in a folder.
fn picture_in(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:05}.png"))
}

/// Writes a picture atomically.
pub(crate) fn write_png(path: &Path, image: &Image) -> Result<(), CliError> {
    let png = encode_png(image).map_err(|source| CliError::Png {
        path: path.to_owned(),
        source,
    })?;
    output::write(path, &png)
}
