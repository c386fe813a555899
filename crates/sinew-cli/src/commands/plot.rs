//! `sinew plot`: plots curves of joints over time.

use crate::Outcome;
use crate::args::{PlotArgs, PlotChannel, Size};
use crate::commands::render::motion::find_joint;
use crate::error::CliError;
use crate::image_writer::{safe_file_name, write_png};
use crate::input::{self, Motion};
use crate::{output, report};
use serde_json::json;
use sinew::anatomy::root_motion_joint;
use sinew::math::{EulerAngles, RotationOrder, dquat_from_quat, quat_angle};
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants, foot_contacts};
use sinew_author::edit::trim;
use sinew_draw::{Band, Plot, Series};
use std::path::PathBuf;

/// The largest number of sampled times.
const MAX_MOMENTS: usize = 200_000;

pub(crate) fn run(args: &PlotArgs) -> Result<Outcome, CliError> {
    let mut motion = input::open_only_motion(&args.file, &args.source)?;
    motion.select_skeleton(args.animation.as_deref());
    report::warnings(&motion.path, &motion.file.warnings);
    let skeleton = &motion.file.skeleton;
    let Some(whole) = motion.animation(args.animation.as_deref())? else {
        return Err(unusable(&motion, "no animation found"));
    };
    if let Some(part) = args.trim {
        part.check(whole)
            .map_err(|problem| unusable(&motion, &problem))?;
    }
    let start = args.trim.map_or(0.0, |part| part.from);
    let animation = match args.trim {
        Some(part) => trim(whole, part.from..part.to),
        None => whole.clone(),
    };
    let joints: Vec<JointIndex> = if args.joint.is_empty() {
        vec![root_motion_joint(skeleton, &animation)]
    } else {
        let found = args
            .joint
            .iter()
            .map(|name| find_joint(&motion.path, skeleton, name));
        found.collect::<Result<_, _>>()?
    };
    let channels = if args.channel.is_empty() {
        &[PlotChannel::Position][..]
    } else {
        &args.channel
    };
    if channels
        .iter()
        .any(|channel| unit(*channel) != unit(channels[0]))
    {
        let problem = "channels of different units cannot share a plot; plot them separately";
        return Err(unusable(&motion, problem));
    }
    let plot = plot(
        &motion,
        skeleton,
        &animation,
        start,
        &joints,
        channels,
        args.contacts,
    );
    let is_stdout = args.out.as_deref().is_some_and(output::is_stdout);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    let path = match &args.out {
        Some(out) => out.clone(),
        None => default_path(&motion, skeleton, &joints),
    };
    output::check(&path)?;
    write(&plot, &path, args.size)?;
    if args.json {
        let series = plot.series.iter().map(|series| &series.name);
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "file": path.display().to_string(),
            "series": series.collect::<Vec<_>>(),
            "unit": unit(channels[0]),
        }))?;
    } else if !is_stdout {
        let about = format!("{} curves", plot.series.len());
        report::print(&format!(
            "{}  {}\n",
            report::bold(path.display()),
            report::dim(about)
        ))?;
    }
    Ok(Outcome::Fine)
}

fn unusable(motion: &Motion, problem: &str) -> CliError {
    CliError::Unusable {
        path: motion.path.display().to_string(),
        problem: problem.to_owned(),
    }
}

fn default_path(motion: &Motion, skeleton: &Skeleton, joints: &[JointIndex]) -> PathBuf {
    let stem = motion
        .path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let stem = stem.replace(':', "-");
    let joint = joints.first().and_then(|&joint| skeleton.joint(joint));
    let joint = safe_file_name(joint.map_or("", |joint| joint.name.as_str()));
    motion.path.with_file_name(format!("{stem}-{joint}.svg"))
}

fn write(plot: &Plot, path: &std::path::Path, size: Option<Size>) -> Result<(), CliError> {
    let (width, height) = match size {
        None => (900, 420),
        Some(Size::Exact(width, height)) => (width, height),
        Some(Size::Longer(width)) => (width, (width * 7 / 15).max(1)),
    };
    if output::is_stdout(path) {
        return output::write(path, plot.to_svg(width, height).as_bytes());
    }
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("svg") => output::write(path, plot.to_svg(width, height).as_bytes()),
        Some("png") => write_png(path, &plot.to_image(width, height)),
        _ => Err(CliError::Unusable {
            path: path.display().to_string(),
            problem: "expected a file name ending in .svg or .png".to_owned(),
        }),
    }
}

fn unit(channel: PlotChannel) -> &'static str {
    match channel {
        PlotChannel::Position | PlotChannel::X | PlotChannel::Y | PlotChannel::Z => "m",
        PlotChannel::Speed => "m/s",
        PlotChannel::Rotation | PlotChannel::Angle => "degrees",
    }
}

/// Returns the curves of a channel: the name of each and its index among the values of [`measure`].
fn curves(channel: PlotChannel) -> &'static [(&'static str, usize)] {
    match channel {
        PlotChannel::Position => &[("x", 0), ("y", 1), ("z", 2)],
        PlotChannel::X => &[("x", 0)],
        PlotChannel::Y => &[("y", 1)],
        PlotChannel::Z => &[("z", 2)],
        PlotChannel::Speed => &[("speed", 3)],
        PlotChannel::Rotation => &[("about x", 4), ("about y", 5), ("about z", 6)],
        PlotChannel::Angle => &[("angle from rest", 7)],
    }
}

fn plot(
    motion: &Motion,
    skeleton: &Skeleton,
    animation: &Animation,
    start: f32,
    joints: &[JointIndex],
    channels: &[PlotChannel],
    contacts: bool,
) -> Plot {
    let name = |joint: JointIndex| {
        skeleton
            .joint(joint)
            .map_or("", |joint| joint.name.as_str())
    };
    let mut series = Vec::new();
    for &joint in joints {
        let numbers = measure(skeleton, animation, start, joint);
        for &(curve, column) in channels.iter().flat_map(|channel| curves(*channel)) {
            let points = numbers.iter().map(|(time, row)| (*time, row[column]));
            let title = format!("{} {curve}", name(joint));
            series.push(Series::new(title, points.collect()));
        }
    }
    let mut bands = Vec::new();
    if contacts {
        let plants = find_plants(skeleton, animation, &PlantSettings::default());
        for foot in foot_contacts(skeleton, &plants) {
            let last = start + animation.length;
            let spans = foot.spans.iter();
            let spans = spans.map(|s| {
                (
                    f64::from(start + s.start),
                    f64::from((start + s.end).min(last)),
                )
            });
            bands.push(Band {
                name: format!("{} contact", name(foot.joint)),
                spans: spans.collect(),
            });
        }
    }
    let quantity = match channels[0] {
        PlotChannel::Speed => "speed",
        PlotChannel::Rotation | PlotChannel::Angle => "angle",
        _ => "position",
    };
    Plot {
        title: format!("{} ({})", animation.name, motion.format.name()),
        x_label: "time (s)".to_owned(),
        y_label: format!("{quantity} ({})", unit(channels[0])),
        series,
        bands,
        ..Plot::default()
    }
}

/// Returns for each time x, y, z, speed, rotations about x, y and z, and the angle from rest.
fn measure(
    skeleton: &Skeleton,
    animation: &Animation,
    start: f32,
    joint: JointIndex,
) -> Vec<(f64, [f64; 8])> {
    let rate = animation
        .frame_rate
        .filter(|rate| *rate > 0.0)
        .unwrap_or(60.0);
    let count = (f64::from(animation.length) * rate) as usize + 1;
    let count = count.clamp(2, MAX_MOMENTS);
    let seconds = f64::from(animation.length) / (count - 1) as f64;
    let rest = skeleton.joint(joint).map(|joint| joint.rest.rotation);
    let rest = rest.unwrap_or(sinew::glam::Quat::IDENTITY);
    let mut sampler = Sampler::new(skeleton, animation);
    let mut turns = EulerAngles::new(RotationOrder::Zyx);
    let mut rows: Vec<(f64, [f64; 8])> = Vec::with_capacity(count);
    for moment in 0..count {
        let time = moment as f64 * seconds;
        let position = sampler.model_at(time as f32).position(joint);
        let position = position.to_array().map(f64::from);
        let rotation = sampler.pose_at(time as f32).get(joint).rotation;
        let turned = turns.next(dquat_from_quat(rotation));
        let [z, y, x] = turned.map(f64::to_degrees);
        let angle = f64::from(quat_angle(rest, rotation)).to_degrees();
        rows.push((
            f64::from(start) + time,
            [position[0], position[1], position[2], 0.0, x, y, z, angle],
        ));
    }
    for moment in 0..count {
        let (before, after) = (moment.saturating_sub(1), (moment + 1).min(count - 1));
        let [a, b] = [rows[before].1, rows[after].1];
        let way = ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2) + (b[2] - a[2]).powi(2)).sqrt();
        let time = seconds * (after - before) as f64;
        rows[moment].1[3] = if time > 0.0 { way / time } else { 0.0 };
    }
    rows
}
