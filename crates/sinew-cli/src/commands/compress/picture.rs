//! A picture of a packed motion: error over time, bytes per joint, and sizes at other error bounds.

use super::facts::{PackedStats, grouped, millimetres, ratio};
use crate::error::CliError;
use crate::image_writer::{ImageSummary, write_png};
use crate::output;
use crate::report::count;
use rayon::prelude::*;
use sinew::{Animation, PackedAnimation, Skeleton};
use sinew_author::compress::{CompressSettings, Profile, VerifyError, compress, verify};
use sinew_draw::{Bar, Bars, Level, Marker, PageRow, Panel, Plot, PlotPage, Scale, Series};
use std::path::Path;

/// Joints with a curve.
const CURVES: usize = 5;

/// Error bounds of the size plot, in millimetres.
const ERRORS: [f64; 7] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Size of the picture in pixels.
const SIZE: (u32, u32) = (1200, 1040);

/// The largest ratio of bound to measured error at which the bound is drawn.
const FAR: f64 = 5.0;

/// Points of a curve; more would look like noise.
const POINTS: usize = 100;

/// Checks before any work that the picture can be written.
pub(crate) fn check(path: &Path) -> Result<(), CliError> {
    form(path)?;
    output::check(path)
}

enum PlotFormat {
    Svg,
    Png,
}

fn form(path: &Path) -> Result<PlotFormat, CliError> {
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(PlotFormat::Svg),
        Some("png") => Ok(PlotFormat::Png),
        _ => Err(CliError::unusable(
            path,
            "expected a file name ending in .svg or .png",
        )),
    }
}

pub(crate) fn write(page: &PlotPage, path: &Path) -> Result<ImageSummary, CliError> {
    let (width, height) = SIZE;
    match form(path)? {
        PlotFormat::Svg => output::write(path, page.to_svg(width, height).as_bytes())?,
        PlotFormat::Png => write_png(path, &page.to_image(width, height))?,
    }
    Ok(ImageSummary {
        path: path.to_owned(),
        pictures: 1,
        width,
        height,
    })
}

/// Draws the picture of a packed motion and its source.
pub(crate) fn page(
    skeleton: &Skeleton,
    animation: &Animation,
    packed: &PackedAnimation<'_>,
) -> Result<PlotPage, VerifyError> {
    let facts = PackedStats::with_source(packed, skeleton, animation);
    let (errors, samples) = error_plot(skeleton, animation, packed)?;
    let saved = match facts.plain_ratio() {
        Some(plain) => format!(", {} vs source keys", ratio(plain)),
        None => String::new(),
    };
    let (frames, of_poses) = match facts.raw {
        Some(_) => (
            format!("{}, ", count(facts.frames, "frame")),
            format!(", {} vs whole poses", ratio(facts.raw_ratio())),
        ),
        None => (String::new(), String::new()),
    };
    Ok(PlotPage {
        title: format!(
            "{}: {} bytes{saved}{of_poses}",
            facts.name,
            grouped(facts.bytes),
        ),
        subtitle: format!(
            "{frames}{}, {:.2} s, packed {}; error {} (max {}), measured at {}",
            count(facts.joints, "joint"),
            facts.seconds,
            facts.packings.join("+"),
            millimetres(f64::from(facts.error)),
            millimetres(f64::from(facts.max_error)),
            count(samples, "time"),
        ),
        rows: vec![
            PageRow {
                height: 0.8,
                panels: vec![Panel::Plot(errors)],
            },
            PageRow {
                height: 1.0,
                panels: vec![
                    Panel::Bars(bytes_per_joint(skeleton, packed)),
                    Panel::Plot(sizes(skeleton, animation, packed)),
                ],
            },
        ],
    })
}

/// Plots the error over time of the worst joints; also returns the number of sampled times.
fn error_plot(
    skeleton: &Skeleton,
    animation: &Animation,
    packed: &PackedAnimation<'_>,
) -> Result<(Plot, usize), VerifyError> {
    let deviation = verify(packed, skeleton, animation, |_, _| ())?;
    let mut worst: Vec<usize> = (0..skeleton.len()).collect();
    worst.sort_by(|&a, &b| deviation.joints[b].total_cmp(&deviation.joints[a]));
    worst.truncate(CURVES);
    let mut curves = vec![Vec::with_capacity(deviation.moments); worst.len()];
    // A second pass for the curves: all joints of a long motion would not fit in memory.
    verify(packed, skeleton, animation, |time, errors| {
        for (curve, &joint) in curves.iter_mut().zip(&worst) {
            curve.push((f64::from(time), errors[joint] * 1000.0));
        }
    })?;
    let group = deviation.moments.div_ceil(POINTS).max(1);
    let series = worst.iter().zip(curves).map(|(&joint, points)| {
        let name = skeleton.joints()[joint].name.clone();
        Series::new(name, worst_of_each(&points, group))
    });
    let max_error = f64::from(packed.max_error());
    let is_exact = deviation.metres == 0.0;
    // A bound far above would flatten the curves; the subtitle reports it.
    let is_near = max_error <= FAR * deviation.metres;
    let top = match is_near {
        true => deviation.metres.max(max_error) * 1000.0,
        false => deviation.metres * 1000.0,
    };
    let within = match group {
        1 => String::new(),
        _ => format!(", maximum of each {group} samples"),
    };
    let mut series: Vec<Series> = series.collect();
    if is_exact {
        series.truncate(1);
        for all in &mut series {
            all.name = "all joints".to_owned();
        }
    }
    let allowed = Level {
        y: max_error * 1000.0,
        label: format!("max error: {}", millimetres(max_error)),
    };
    let plot = Plot {
        title: match is_exact {
            true => "error over time: none".to_owned(),
            false => format!(
                "error over time of the {} with the largest error{within}",
                count(worst.len(), "joint")
            ),
        },
        x_label: "time (s)".to_owned(),
        y_label: "error (mm)".to_owned(),
        series,
        levels: is_near.then_some(allowed).into_iter().collect(),
        y_range: Some((0.0, if is_exact { 1.0 } else { top * 1.12 })),
        ..Plot::default()
    };
    Ok((plot, deviation.moments))
}

/// Returns the maximum of each run of `count` points, at the time of the first.
fn worst_of_each(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let groups = points.chunks(count.max(1)).filter_map(|group| {
        let worst = group.iter().map(|point| point.1).fold(0.0, f64::max);
        Some((group.first()?.0, worst))
    });
    groups.collect()
}

fn bytes_per_joint(skeleton: &Skeleton, packed: &PackedAnimation<'_>) -> Bars {
    let costs = sinew_author::measure::joint_costs(packed);
    let bars = skeleton
        .joints()
        .iter()
        .zip(costs)
        .map(|(joint, cost)| Bar {
            name: joint.name.clone(),
            amount: cost.bytes,
        });
    Bars {
        title: "bytes per joint".to_owned(),
        x_label: "bytes".to_owned(),
        bars: bars.collect(),
    }
}

/// Plots the sizes at other error bounds, in both profiles.
fn sizes(skeleton: &Skeleton, animation: &Animation, packed: &PackedAnimation<'_>) -> Plot {
    let profiles = [("small", Profile::Small), ("fast", Profile::Fast)];
    let runs: Vec<(usize, f64)> = (0..profiles.len())
        .flat_map(|profile| ERRORS.map(|error| (profile, error)))
        .collect();
    let points = runs.par_iter().map(|&(profile, error)| {
        let settings = CompressSettings {
            max_error: (error / 1000.0) as f32,
            profile: profiles[profile].1,
        };
        let packed = compress(skeleton, animation, &settings).ok()?;
        Some((
            profile,
            (error, sinew_author::packed::byte_len(&packed) as f64),
        ))
    });
    let points: Vec<_> = points.flatten().collect();
    let series = profiles.iter().enumerate().map(|(index, (name, _))| {
        let points_of_profile = points.iter().filter(|(profile, _)| *profile == index);
        Series::new(*name, points_of_profile.map(|(_, point)| *point).collect())
    });
    let series: Vec<Series> = series.collect();
    let sizes = series.iter().flat_map(|series| &series.points);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), point| {
        (least.min(point.1), most.max(point.1))
    });
    // A logarithmic scale has no ticks in a range below a factor of two.
    let (y_scale, y_range) = match most < 2.0 * least {
        true => (Scale::Linear, Some((0.0, 1.12 * most))),
        false => (Scale::Log, None),
    };
    let here = f64::from(packed.max_error()) * 1000.0;
    Plot {
        title: "size against error".to_owned(),
        x_label: "max error (mm)".to_owned(),
        y_label: "bytes".to_owned(),
        series,
        markers: vec![Marker {
            x: here,
            label: "this file".to_owned(),
        }],
        x_scale: Scale::Log,
        y_scale,
        y_range,
        has_dots: true,
        ..Plot::default()
    }
}
