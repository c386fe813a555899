//! `sinew play`: plays animations with fades, layers and masks from a script, with a chart of their weights.
//!
//! ```text
//! text ─node─▶ Script ─targets─▶ Cast (body, animations) ─event─▶ Events ─runner─▶ Performance
//!      Performance + body ─recording─▶ poses and pictures ─┬─panel─▶ GIF, PNG
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
use crate::image_writer::{Drawn, GIF_FPS, ImageKind, Studio, describe, write_png};
use crate::input::{self, SAMPLE_NAME};
use crate::{Outcome, output, report};
use event::Event;
use panel::{MIN_WIDTH, Panel, moments};
use recording::{Poser, Shown, ShownCharacter, ShownSkeleton, background, bake};
use runner::{Performance, natural_duration};
use script::Script;
use serde_json::json;
use sinew_draw::{Background, WeightChart};
use sinew_formats::{Severity, Warning};
use std::path::{Path, PathBuf};
use targets::{Body, Cast};

/// The largest size of a script in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The largest number of frames: ten minutes at the default rate, both ends included.
const MAX_FRAMES: usize = 18_001;

/// The default number of poses in a row.
const MOMENTS: u32 = 8;

/// What is written beside the chart.
#[derive(Clone, Copy, PartialEq)]
enum Out {
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
    let played = play(args)?;
    if !is_stdout {
        tell(args, &played)?;
    }
    Ok(Outcome::Fine)
}

/// The result of a script.
struct Played {
    out: Option<PathBuf>,
    drawn: Option<Drawn>,
    performance: Performance,
    /// Warnings with their files.
    warnings: Vec<(PathBuf, Warning)>,
}

/// Draws a built-in script; returns `None` if it makes no picture.
pub(crate) fn draw(args: &PlayArgs) -> Result<Option<Drawn>, CliError> {
    Ok(play(args)?.drawn)
}

fn play(args: &PlayArgs) -> Result<Played, CliError> {
    let fps = args.fps.unwrap_or(GIF_FPS);
    let out = where_to(args, fps)?;
    let in_script = |source: ScriptError| CliError::Script {
        path: args.script.clone(),
        source,
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
    let has_pictures = matches!(out, Some((_, Out::Picture(_))));
    let cast = Cast::new(&script, &args.script, has_pictures, &args.source)?;
    check(&cast, args)?;
    let events = event::read(&script.timeline, &cast, script.duration).map_err(in_script)?;
    let duration = match script.duration {
        Some(seconds) => seconds,
        None => natural_duration(cast.set(), &events).map_err(in_script)?,
    };
    let (times, fps) = times(&args.script, duration, fps, out.as_ref().map(|out| out.1))?;
    recording::check_size(&cast, times.len(), &args.script)?;
    let performance = Performance::new(cast.set(), &events, duration, &times).map_err(in_script)?;
    let chart = performance.chart(&events, !has_pictures);
    let mut poser = Poser::new(&cast);
    let drawn = match &out {
        Some((path, Out::Picture(form))) => {
            let show = Show {
                args,
                performance: &performance,
                chart: &chart,
                path,
                form: *form,
                fps,
            };
            Some(show.draw(&mut poser)?)
        }
        Some((path, Out::Frames)) => {
            let model = script.model.display().to_string();
            let text = frames::write(&cast, &mut poser, &performance, &model, fps)?;
            output::write(path, text.as_bytes())?;
            None
        }
        None => {
            // Evaluates the poses only for their binding warnings.
            for frame in &performance.frames {
                poser.pose(frame)?;
            }
            None
        }
    };
    if let Some(path) = &args.weights {
        write_chart(&chart, path)?;
    }
    let mut warnings = poser.warnings(cast.set());
    warnings.extend(idle(&events, &performance));
    report::warning_list(
        &args.script,
        &warnings,
        warnings.len(),
        "--json lists them all",
    );
    let in_script = warnings
        .into_iter()
        .map(|warning| (args.script.clone(), warning));
    let warnings = cast.warnings.iter().cloned().chain(in_script).collect();
    Ok(Played {
        out: out.map(|out| out.0),
        drawn,
        performance,
        warnings,
    })
}

/// Returns the path and kind of the output; `None` if only the chart is requested. Fails before playing if the output
/// cannot be written.
fn where_to(args: &PlayArgs, fps: f64) -> Result<Option<(PathBuf, Out)>, CliError> {
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
            Some(moments) => Out::Picture(ImageKind::Sheet(moments)),
            None => Out::Picture(ImageKind::Gif),
        },
        Some("gif") => Out::Picture(ImageKind::Gif),
        Some("png") => Out::Picture(ImageKind::Sheet(args.contact_sheet.unwrap_or(MOMENTS))),
        Some("json") => Out::Frames,
        _ => {
            return Err(unusable(
                &path,
                "expected a file name ending in .gif, .png or .json",
            ));
        }
    };
    if args.contact_sheet.is_some() && !matches!(form, Out::Picture(ImageKind::Sheet(_))) {
        return Err(unusable(
            &path,
            "--contact-sheet draws a PNG; expected a file name ending in .png",
        ));
    }
    if let Some(weights) = &args.weights {
        refuse_overwriting(weights, [path.as_path()].into_iter())?;
    }
    match form {
        Out::Picture(form) => form.check(&path, fps)?,
        Out::Frames => output::check(&path)?,
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
        let at = error.utf8_error().valid_up_to();
        unusable(format!(
            "expected a UTF-8 script, found an invalid byte at offset {at}"
        ))
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}

/// Rejects options for the other kind of body.
fn check(cast: &Cast, args: &PlayArgs) -> Result<(), CliError> {
    let (flags, what) = match cast.body {
        Body::Character(_) => (
            vec![
                ("--view", args.view.view.is_some()),
                ("--camera", args.view.camera.is_some()),
                ("--trails", args.view.trails.is_some()),
                ("--footprints", args.view.footprints),
            ],
            "applies to 3D motions; the model is a 2D character",
        ),
        Body::Skeleton(_) => (
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
    out: Option<Out>,
) -> Result<(Vec<f64>, f64), CliError> {
    if out == Some(Out::Picture(ImageKind::Gif)) {
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

/// A performance to draw, with its settings.
struct Show<'a> {
    args: &'a PlayArgs,
    performance: &'a Performance,
    chart: &'a WeightChart,
    path: &'a Path,
    form: ImageKind,
    fps: f64,
}

impl Show<'_> {
    fn draw(&self, poser: &mut Poser<'_>) -> Result<Drawn, CliError> {
        let size = super::render::size(self.args.size, self.form);
        match poser {
            Poser::Character(character, binding) => {
                let film = (size, self.fps);
                let mut shown =
                    ShownCharacter::new(character, binding, self.performance, self.args, film)?;
                self.write(&mut shown)
            }
            Poser::Skeleton(skeleton, acting) => {
                let motion = bake(&acting.skeleton().clone(), acting, self.performance)?;
                let mut shown =
                    ShownSkeleton::new(skeleton, &motion, self.performance, self.args, size)?;
                self.write(&mut shown)
            }
        }
    }

    fn write(&self, shown: &mut dyn Shown) -> Result<Drawn, CliError> {
        let between = background(self.args);
        let color = match between {
            Background::Solid(color) => color,
            _ => [0; 4],
        };
        let chart = (!self.args.no_chart).then_some(self.chart);
        let frames = &self.performance.frames;
        let ImageKind::Sheet(count) = self.form else {
            let times = frames.iter().map(|frame| frame.time).collect();
            if chart.is_some() {
                shown.widen(MIN_WIDTH);
            }
            let panel = Panel::new(shown, chart, times, color);
            let studio = Studio {
                draw: &|index| panel.frame(index),
                pictures: frames.len(),
                width: panel.width,
                height: panel.height,
                background: between,
                path: self.path.to_owned(),
            };
            return studio.make(self.form, self.fps);
        };
        let chosen: Vec<usize> = (0..count)
            .map(|moment| {
                let time = self.performance.duration * (f64::from(moment) + 0.5) / f64::from(count);
                ((time * self.fps).round() as usize).min(frames.len().saturating_sub(1))
            })
            .collect();
        let (width, height) = shown.size();
        let shown: &dyn Shown = shown;
        let studio = Studio {
            draw: &|index| shown.picture(chosen.get(index).copied().unwrap_or(0)),
            pictures: chosen.len(),
            width,
            height,
            background: between,
            path: self.path.to_owned(),
        };
        let times: Vec<f64> = chosen
            .iter()
            .filter_map(|&at| Some(frames.get(at)?.time))
            .collect();
        let sheet = moments(&studio.images()?, &times, chart.cloned(), color)?;
        write_png(self.path, &sheet)?;
        Ok(Drawn {
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
fn idle(events: &[Event], performance: &Performance) -> Vec<Warning> {
    let events = performance.idle.iter().filter_map(|&at| events.get(at));
    let told = |event: &Event| Warning {
        severity: Severity::Warning,
        place: event.place.clone(),
        field: String::new(),
        problem: format!(
            "{:?} has no effect at {} s: no such animation is playing",
            event.label, event.at
        ),
    };
    events.map(told).collect()
}

fn tell(args: &PlayArgs, played: &Played) -> Result<(), CliError> {
    let Played {
        out,
        drawn,
        performance,
        warnings,
    } = played;
    let (out, drawn) = (out.as_deref(), drawn.as_ref());
    let shown = |path: &Path| path.display().to_string();
    if args.json {
        let warnings = warnings.iter().map(|(file, warning)| {
            let mut json = report::warning_json(warning);
            json["file"] = json!(shown(file));
            json
        });
        let json = json!({
            "version": report::JSON_VERSION,
            "file": out.map(shown),
            "weights": args.weights.as_deref().map(shown),
            "seconds": performance.duration,
            "frames": performance.frames.len(),
            "triggers": performance.fired.len(),
            "pictures": drawn.map(|drawn| drawn.pictures),
            "width": drawn.map(|drawn| drawn.width),
            "height": drawn.map(|drawn| drawn.height),
            "warnings": warnings.collect::<Vec<_>>(),
        });
        return Ok(report::print_json(&json)?);
    }
    let mut text = String::new();
    match (drawn, out) {
        (Some(drawn), _) => text += &format!("{}\n", describe(drawn)),
        (None, Some(path)) => {
            let about = report::count(performance.frames.len(), "frame");
            text += &format!("{}  {}\n", report::bold(path.display()), report::dim(about));
        }
        (None, None) => {}
    }
    if let Some(path) = &args.weights {
        let about = format!("weights over {:.2} s", performance.duration);
        text += &format!("{}  {}\n", report::bold(path.display()), report::dim(about));
    }
    Ok(report::print(&text)?)
}
