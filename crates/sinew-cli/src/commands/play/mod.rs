//! `sinew play`: plays animations with fades, layers and masks from a script, with a chart of their weights.
//!
//! ```text
//! text ─node─▶ Script ─targets─▶ PlayTargets (body, animations) ─event─▶ Events ─runner─▶ Playback
//!      Playback + body ─recording─▶ poses and pictures ─┬─panel─▶ GIF, PNG
//!                                                          └─frames─▶ JSON
//! ```

mod event;
mod frames;
mod node;
mod panel;
mod recording;
mod runner;
mod script;
mod targets;

pub(crate) use node::ScriptError;

use crate::args::PlayArgs;
use crate::error::CliError;
use crate::image_writer::{GIF_FPS, ImageKind, ImageSummary, ImageWriter, describe, write_png};
use crate::input::{self, SAMPLE_NAME};
use crate::{Outcome, output, report};
use event::Event;
use panel::{MIN_WIDTH, Panel, moments};
use recording::{CharacterRenderer, FrameRenderer, Poser, SkeletonRenderer, background, bake};
use runner::{Playback, natural_duration};
use script::Script;
use serde_json::json;
use sinew_draw::{Background, WeightChart};
use sinew_formats::{Severity, Warning};
use std::path::{Path, PathBuf};
use targets::{PlayTargets, TargetBody};

/// The largest size of a script in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The largest number of frames: ten minutes at the default rate, both ends included.
const MAX_FRAMES: usize = 18_001;

/// The default number of poses in a row.
const MOMENTS: u32 = 8;

/// The output beside the chart.
#[derive(Clone, Copy, PartialEq)]
enum PlayOutput {
    Picture(ImageKind),
    Frames,
}

/// The built-in scripts: name, picture name, and text.
const SAMPLES: [(&str, &str, &str); 2] = [
    (SAMPLE_NAME, "pip", sinew_samples::PLAY_PIP),
    ("sample:figure", "figure", sinew_samples::PLAY_FIGURE),
];

pub(crate) fn run(args: &PlayArgs) -> Result<Outcome, CliError> {
    let is_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(output::is_stdout);
    let is_stdout = is_stdout(&args.out) || is_stdout(&args.weights);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    let result = play(args)?;
    if !is_stdout {
        report_result(args, &result)?;
    }
    Ok(Outcome::Fine)
}

/// The result of a script.
struct PlayResult {
    out: Option<PathBuf>,
    images: Option<ImageSummary>,
    playback: Playback,
    /// Warnings with their files.
    warnings: Vec<(PathBuf, Warning)>,
}

/// Draws a built-in script; returns `None` if it makes no picture.
pub(crate) fn draw(args: &PlayArgs) -> Result<Option<ImageSummary>, CliError> {
    Ok(play(args)?.images)
}

fn play(args: &PlayArgs) -> Result<PlayResult, CliError> {
    let fps = args.fps.unwrap_or(GIF_FPS);
    let out = output_target(args, fps)?;
    let in_script = |source: ScriptError| CliError::Script {
        path: args.script.clone(),
        source: source.into(),
    };
    let text = read(&args.script)?;
    let node = node::parse(&text).map_err(in_script)?;
    let folder = args.script.parent().unwrap_or(Path::new(""));
    let script = Script::new(&node, folder).map_err(in_script)?;
    let outputs = out.iter().map(|out| &out.0).chain(&args.weights);
    for written in outputs.filter(|path| !output::is_stdout(path)) {
        let files = script.animations.iter().map(|entry| entry.file.as_path());
        let inputs = [args.script.as_path(), script.model.as_path()];
        refuse_overwriting(written, inputs.into_iter().chain(files))?;
    }
    let has_pictures = matches!(out, Some((_, PlayOutput::Picture(_))));
    let targets = PlayTargets::new(&script, &args.script, has_pictures, &args.source)?;
    check(&targets, args)?;
    let events = event::read(&script.timeline, &targets, script.duration).map_err(in_script)?;
    let duration = match script.duration {
        Some(seconds) => seconds,
        None => natural_duration(targets.set(), &events).map_err(in_script)?,
    };
    let (times, fps) = times(&args.script, duration, fps, out.as_ref().map(|out| out.1))?;
    recording::check_size(&targets, times.len(), &args.script)?;
    let playback = Playback::new(targets.set(), &events, duration, &times).map_err(in_script)?;
    let chart = playback.chart(&events, !has_pictures);
    let mut poser = Poser::new(&targets);
    let images = match &out {
        Some((path, PlayOutput::Picture(form))) => {
            let render = PlaybackRender {
                args,
                playback: &playback,
                chart: &chart,
                path,
                form: *form,
                fps,
            };
            Some(render.draw(&mut poser)?)
        }
        Some((path, PlayOutput::Frames)) => {
            let model = script.model.display().to_string();
            let text = frames::write(&targets, &mut poser, &playback, &model, fps)?;
            output::write(path, text.as_bytes())?;
            None
        }
        None => {
            // Evaluates the poses only for their binding warnings.
            for frame in &playback.frames {
                poser.pose(frame)?;
            }
            None
        }
    };
    if let Some(path) = &args.weights {
        write_chart(&chart, path)?;
    }
    let mut warnings = poser.warnings(targets.set());
    warnings.extend(idle(&events, &playback));
    report::warning_list(
        &args.script,
        &warnings,
        warnings.len(),
        "--json lists them all",
    );
    let in_script = warnings
        .into_iter()
        .map(|warning| (args.script.clone(), warning));
    let warnings = targets.warnings.iter().cloned().chain(in_script).collect();
    Ok(PlayResult {
        out: out.map(|out| out.0),
        images,
        playback,
        warnings,
    })
}

/// Returns the path and kind of the output; `None` if only the chart is requested. Fails before playing if the output
/// cannot be written.
fn output_target(args: &PlayArgs, fps: f64) -> Result<Option<(PathBuf, PlayOutput)>, CliError> {
    let unusable = |path: &Path, problem: &str| CliError::Unusable {
        path: path.display().to_string(),
        problem: problem.to_owned(),
    };
    if let Some(path) = &args.weights {
        if !output::is_stdout(path) && !matches!(ending(path).as_deref(), Some("svg" | "png")) {
            return Err(unusable(
                path,
                "expected a file name ending in .svg or .png",
            ));
        }
        output::check(path)?;
    }
    let path = match (&args.out, &args.weights) {
        (Some(out), _) => out.clone(),
        (None, Some(_)) => return Ok(None),
        (None, None) => match sample(&args.script) {
            Some((_, name, _)) => PathBuf::from(format!("{name}.gif")),
            None if input::is_stdin(&args.script) => PathBuf::from("stdin.gif"),
            None => args.script.with_extension("gif"),
        },
    };
    let form = match ending(&path).as_deref() {
        // Standard output has no extension.
        None if output::is_stdout(&path) => match args.contact_sheet {
            Some(moments) => PlayOutput::Picture(ImageKind::Sheet(moments)),
            None => PlayOutput::Picture(ImageKind::Gif),
        },
        Some("gif") => PlayOutput::Picture(ImageKind::Gif),
        Some("png") => PlayOutput::Picture(ImageKind::Sheet(args.contact_sheet.unwrap_or(MOMENTS))),
        Some("json") => PlayOutput::Frames,
        _ => {
            return Err(unusable(
                &path,
                "expected a file name ending in .gif, .png or .json",
            ));
        }
    };
    if args.contact_sheet.is_some() && !matches!(form, PlayOutput::Picture(ImageKind::Sheet(_))) {
        return Err(unusable(
            &path,
            "--contact-sheet draws a PNG; expected a file name ending in .png",
        ));
    }
    if let Some(weights) = &args.weights {
        refuse_overwriting(weights, [path.as_path()].into_iter())?;
    }
    match form {
        PlayOutput::Picture(form) => form.check(&path, fps)?,
        PlayOutput::Frames => output::check(&path)?,
    }
    Ok(Some((path, form)))
}

/// Rejects an output that would overwrite an input.
fn refuse_overwriting<'p>(
    out: &Path,
    others: impl Iterator<Item = &'p Path>,
) -> Result<(), CliError> {
    let place = output::key(out);
    for other in others {
        if output::key(other) == place {
            return Err(CliError::Unusable {
                path: out.display().to_string(),
                problem: "would overwrite another file of this command".to_owned(),
            });
        }
    }
    Ok(())
}

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_ascii_lowercase())
}

/// Returns the built-in script of that name, unless a file of that name exists.
fn sample(script: &Path) -> Option<(&'static str, &'static str, &'static str)> {
    let mut all = SAMPLES.into_iter();
    all.find(|(name, ..)| script.as_os_str() == *name && !script.exists())
}

fn read(path: &Path) -> Result<String, CliError> {
    if let Some((_, _, text)) = sample(path) {
        return Ok(text.to_owned());
    }
    let unusable = |problem: String| CliError::Unusable {
        path: path.display().to_string(),
        problem,
    };
    let bytes = input::load(path)?.bytes;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unusable(format!(
            "expected a script of at most {MAX_BYTES} bytes, found more"
        )));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        unusable(format!(
            "expected a UTF-8 script, found an invalid byte at offset {offset}"
        ))
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}

/// Rejects options for the other kind of body.
fn check(targets: &PlayTargets, args: &PlayArgs) -> Result<(), CliError> {
    let (flags, what) = match targets.body {
        TargetBody::Character(_) => (
            vec![
                ("--view", args.view.view.is_some()),
                ("--camera", args.view.camera.is_some()),
                ("--trails", args.view.trails.is_some()),
                ("--footprints", args.view.footprints),
            ],
            "applies to 3D motions; the model is a 2D character",
        ),
        TargetBody::Skeleton(_) => (
            vec![
                ("--style", !args.character.style.is_empty()),
                ("--overlay", !args.character.overlay.is_empty()),
                ("--no-physics", args.character.no_physics),
            ],
            "applies to 2D characters; the model is a 3D skeleton",
        ),
    };
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(CliError::Unusable {
            path: args.script.display().to_string(),
            problem: format!("{flag} {what}"),
        }),
        None => Ok(()),
    }
}

/// Returns the times of the frames and the frame rate.
fn times(
    path: &Path,
    duration: f64,
    fps: f64,
    out: Option<PlayOutput>,
) -> Result<(Vec<f64>, f64), CliError> {
    if out == Some(PlayOutput::Picture(ImageKind::Gif)) {
        let (count, fps) = ImageKind::Gif.pictures(duration, fps, path)?;
        let time = |frame: usize| frame as f64 * duration / count as f64;
        return Ok(((0..count).map(time).collect(), fps));
    }
    // Includes both ends; the times do not depend on the duration.
    let count = (duration * fps + 1e-9).floor() + 1.0;
    if count > MAX_FRAMES as f64 {
        return Err(CliError::Unusable {
            path: path.display().to_string(),
            problem: format!(
                "{count} frames exceed the limit of {MAX_FRAMES}; use a lower --fps or a \
                 shorter \"duration\""
            ),
        });
    }
    let times = (0..count as usize).map(|frame| frame as f64 / fps);
    Ok((times.collect(), fps))
}

/// A playback to draw, with its settings.
struct PlaybackRender<'a> {
    args: &'a PlayArgs,
    playback: &'a Playback,
    chart: &'a WeightChart,
    path: &'a Path,
    form: ImageKind,
    fps: f64,
}

impl PlaybackRender<'_> {
    fn draw(&self, poser: &mut Poser<'_>) -> Result<ImageSummary, CliError> {
        let size = super::render::size(self.args.size, self.form);
        match poser {
            Poser::Character(character, binding) => {
                let size_and_fps = (size, self.fps);
                let mut renderer = CharacterRenderer::new(
                    character,
                    binding,
                    self.playback,
                    self.args,
                    size_and_fps,
                )?;
                self.write(&mut renderer)
            }
            Poser::Skeleton(skeleton, player) => {
                let motion = bake(&player.skeleton().clone(), player, self.playback)?;
                let mut renderer =
                    SkeletonRenderer::new(skeleton, &motion, self.playback, self.args, size)?;
                self.write(&mut renderer)
            }
        }
    }

    fn write(&self, renderer: &mut dyn FrameRenderer) -> Result<ImageSummary, CliError> {
        let between = background(self.args);
        let color = match between {
            Background::Solid(color) => color,
            _ => [0; 4],
        };
        let chart = (!self.args.no_chart).then_some(self.chart);
        let frames = &self.playback.frames;
        let ImageKind::Sheet(count) = self.form else {
            let times = frames.iter().map(|frame| frame.time).collect();
            if chart.is_some() {
                renderer.widen(MIN_WIDTH);
            }
            let panel = Panel::new(renderer, chart, times, color);
            let writer = ImageWriter {
                draw: &|index| panel.frame(index),
                pictures: frames.len(),
                width: panel.width,
                height: panel.height,
                background: between,
                path: self.path.to_owned(),
            };
            return writer.write(self.form, self.fps);
        };
        let chosen: Vec<usize> = (0..count)
            .map(|moment| {
                let time = self.playback.duration * (f64::from(moment) + 0.5) / f64::from(count);
                ((time * self.fps).round() as usize).min(frames.len().saturating_sub(1))
            })
            .collect();
        let (width, height) = renderer.size();
        let renderer: &dyn FrameRenderer = renderer;
        let writer = ImageWriter {
            draw: &|index| renderer.picture(chosen.get(index).copied().unwrap_or(0)),
            pictures: chosen.len(),
            width,
            height,
            background: between,
            path: self.path.to_owned(),
        };
        let times: Vec<f64> = chosen
            .iter()
            .filter_map(|&index| Some(frames.get(index)?.time))
            .collect();
        let sheet = moments(&writer.images()?, &times, chart.cloned(), color)?;
        write_png(self.path, &sheet)?;
        Ok(ImageSummary {
            path: self.path.to_owned(),
            pictures: chosen.len(),
            width: sheet.width(),
            height: sheet.height(),
        })
    }
}

fn write_chart(chart: &WeightChart, path: &Path) -> Result<(), CliError> {
    let (width, height) = chart.natural_size();
    match ending(path).as_deref() {
        None | Some("svg") => output::write(path, chart.to_svg(width, height).as_bytes()),
        _ => write_png(path, &chart.to_image(width, height)),
    }
}

/// Returns warnings for commands without effect.
fn idle(events: &[Event], playback: &Playback) -> Vec<Warning> {
    let events = playback.idle.iter().filter_map(|&index| events.get(index));
    let to_warning = |event: &Event| Warning {
        severity: Severity::Warning,
        place: event.place.clone(),
        field: String::new(),
        problem: format!(
            "{:?} has no effect at {} s: no such animation is playing",
            event.label, event.time
        ),
    };
    events.map(to_warning).collect()
}

fn report_result(args: &PlayArgs, result: &PlayResult) -> Result<(), CliError> {
    let PlayResult {
        out,
        images,
        playback,
        warnings,
    } = result;
    let (out, images) = (out.as_deref(), images.as_ref());
    let display = |path: &Path| path.display().to_string();
    if args.json {
        let warnings = warnings.iter().map(|(file, warning)| {
            let mut json = report::warning_json(warning);
            json["file"] = json!(display(file));
            json
        });
        let json = json!({
            "version": report::JSON_VERSION,
            "file": out.map(display),
            "weights": args.weights.as_deref().map(display),
            "seconds": playback.duration,
            "frames": playback.frames.len(),
            "triggers": playback.triggers.len(),
            "pictures": images.map(|images| images.pictures),
            "width": images.map(|images| images.width),
            "height": images.map(|images| images.height),
            "warnings": warnings.collect::<Vec<_>>(),
        });
        return Ok(report::print_json(&json)?);
    }
    let mut text = String::new();
    match (images, out) {
        (Some(images), _) => text += &format!("{}\n", describe(images)),
        (None, Some(path)) => {
            let about = report::count(playback.frames.len(), "frame");
            text += &format!("{}  {}\n", report::bold(path.display()), report::dim(about));
        }
        (None, None) => {}
    }
    if let Some(path) = &args.weights {
        let about = format!("weights over {:.2} s", playback.duration);
        text += &format!("{}  {}\n", report::bold(path.display()), report::dim(about));
    }
    Ok(report::print(&text)?)
}
