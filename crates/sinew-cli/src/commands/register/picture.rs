//! A picture of a registration: the distance grid with the path, the time warp, the alignment, and the plants of all
//! motions.

use super::matching::metres;
use super::register_report::{end_name, names, seconds, turns, whole_turns};
use crate::error::CliError;
use crate::image_writer::write_png;
use crate::inputs::InputMotion;
use crate::output;
use sinew::Animation;
use sinew::anatomy::{LimbEnd, Plant};
use sinew::registration::{Motion, RegistrationCurve};
use sinew::skeleton::Side;
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::edit::resample;
use sinew_author::register::{DistanceGrid, RegisterError, RegisterMode, RegisterSettings};
use sinew_draw::{
    HeatLine, HeatMap, Lane, LaneSpan, Lanes, Level, PageRow, Panel, Plot, PlotPage, Series, Theme,
};
use std::path::Path;

/// The largest number of grid cells; longer motions are sampled less often.
const MOST_CELLS: f64 = 4e6;

/// Points of a curve.
const POINTS: usize = 200;

/// Width of the picture, and heights of its header, of curves and of a lane, in pixels.
const WIDTH: f32 = 1240.0;
const HEAD: f32 = 64.0;
const CURVES: f32 = 270.0;
const LANE: f32 = 27.0;

/// Fraction of the width that a map takes, and pixels above and below it.
const MAP: f32 = 0.37;
const AROUND_MAP: f32 = 112.0;

/// Fraction of the map's cells beyond the colour scale.
const FAR: f32 = 0.02;

pub(super) fn write(page: &PlotPage, path: &Path, is_dark: bool) -> Result<(), CliError> {
    let theme = if is_dark { Theme::Dark } else { Theme::Light };
    let rows: f32 = page.rows.iter().map(|row| row.height).sum();
    let (width, height) = (WIDTH as u32, (HEAD + rows) as u32);
    let is_svg = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if is_svg {
        let svg = page.to_svg_on(theme, width, height);
        output::write(path, svg.as_bytes())
    } else {
        write_png(path, &page.to_image_on(theme, width, height))
    }
}

/// Draws the picture of a curve.
pub(super) fn page(
    chosen: &[InputMotion],
    curve: &RegistrationCurve,
    settings: &RegisterSettings,
) -> Result<PlotPage, RegisterError> {
    let reference = curve.reference();
    // With several motions the map shows the reference and one other.
    let other = if reference == 0 { 1 } else { 0 };
    let pair = if reference == 0 {
        [0, other]
    } else {
        [other, reference]
    };
    let spans = chosen.iter().enumerate().map(|(motion, input)| {
        let (from, to) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
        format!("{} {from:.2} to {to:.2} s", input.name())
    });
    let spans: Vec<String> = spans.collect();
    let map = map(chosen, curve, settings, pair)?;
    let lanes = plants(chosen, curve);
    Ok(PlotPage {
        title: format!(
            "{} match: mean joint distance {}",
            names(chosen),
            metres(curve.distance())
        ),
        subtitle: spans.join("  corresponds to  "),
        rows: vec![
            PageRow {
                height: (map_height(&map) + AROUND_MAP).clamp(340.0, 640.0),
                panels: vec![Panel::Heat(map), Panel::Plot(warp(chosen, curve))],
            },
            PageRow {
                height: CURVES,
                panels: vec![
                    Panel::Plot(turn(chosen, curve)),
                    Panel::Plot(shift(chosen, curve)),
                ],
            },
            PageRow {
                height: 96.0 + LANE * lanes.lanes.len().clamp(1, 40) as f32,
                panels: vec![Panel::Lanes(lanes)],
            },
        ],
    })
}

/// Returns the height of a map with equal scales.
fn map_height(map: &HeatMap) -> f32 {
    let length = |range: (f64, f64)| (range.1 - range.0).max(1e-6);
    let shape = length(map.x_range) / length(map.y_range);
    WIDTH * MAP / shape as f32
}

/// Returns evenly spaced positions from 0 to 1.
fn positions() -> impl Iterator<Item = f64> {
    (0..=POINTS).map(|position| position as f64 / POINTS as f64)
}

/// Draws the distances of two motions with the path and the time warp.
fn map(
    chosen: &[InputMotion],
    curve: &RegistrationCurve,
    settings: &RegisterSettings,
    [across, up]: [usize; 2],
) -> Result<HeatMap, RegisterError> {
    let (Some(first), Some(second)) = (chosen.get(across), chosen.get(up)) else {
        return Ok(HeatMap::default());
    };
    let (seen_first, seen_second) = seen(&first.animation, &second.animation);
    let grid = DistanceGrid::new(
        Motion::new(&first.skeleton, &seen_first),
        Motion::new(&second.skeleton, &seen_second),
        settings,
    )?;
    let rate = grid.rate();
    let half = 0.5 / rate;
    let range = |frames: usize| (-half, (frames.max(1) as f64 - 0.5) / rate);
    let mut map = HeatMap {
        title: "distance grid".to_owned(),
        x_label: format!("{} (s)", first.name()),
        y_label: format!("{} (s)", second.name()),
        scale_label: "distance (m)".to_owned(),
        x_range: range(grid.rows()),
        y_range: range(grid.columns()),
        ..HeatMap::default()
    };
    map.fill(grid.columns(), grid.rows(), |row, column| {
        grid.distance(column, row)
    });
    map.scale_range = scale(&map.cells);
    let is_local = match settings.mode {
        RegisterMode::Auto => !curve.is_cyclic(),
        ref mode => *mode == RegisterMode::Local,
    };
    let threshold = match settings.mode {
        RegisterMode::Transition { .. } => settings.max_distance,
        _ if is_local => Some(settings.max_distance.unwrap_or(grid.threshold())),
        _ => None,
    };
    map.levels = threshold
        .map(|distance| Level {
            y: distance,
            label: format!("threshold {distance:.2}"),
        })
        .into_iter()
        .collect();
    // Other modes search only a part of the grid, or treat it as a torus.
    if (is_local || settings.mode == RegisterMode::Full) && chosen.len() == 2 {
        let searched = RegisterSettings {
            mode: match is_local {
                true => RegisterMode::Local,
                false => RegisterMode::Full,
            },
            ..settings.clone()
        };
        let cells = grid.path(&searched);
        map.lines.push(HeatLine {
            name: "DTW path".to_owned(),
            points: cells
                .iter()
                .map(|&[row, column]| (row as f64 / rate, column as f64 / rate))
                .collect(),
            is_dashed: false,
        });
    }
    map.lines
        .resize_with(map.lines.len().max(1), HeatLine::default);
    map.lines.push(warp_line(curve, [across, up]));
    Ok(map)
}

/// Returns the time warp over the grid. For loops it wraps around the edges, with a gap.
fn warp_line(curve: &RegistrationCurve, [across, up]: [usize; 2]) -> HeatLine {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for position in positions() {
        let time = |motion: usize| curve.sample_time(motion, position).0;
        let point = (time(across), time(up));
        if let Some(&(x, y)) = points.last()
            && (point.0 < x || point.1 < y)
        {
            points.push((f64::NAN, f64::NAN));
        }
        points.push(point);
    }
    HeatLine {
        name: "warp".to_owned(),
        points,
        is_dashed: false,
    }
}

/// Returns the range from the smallest distance to all but the largest.
fn scale(cells: &[f32]) -> Option<(f64, f64)> {
    let mut cells: Vec<f32> = cells
        .iter()
        .copied()
        .filter(|cell| cell.is_finite())
        .collect();
    cells.sort_by(f32::total_cmp);
    let far = (cells.len() as f32 * (1.0 - FAR)) as usize;
    let ends = (cells.first()?, cells.get(far).or(cells.last())?);
    Some((f64::from(*ends.0), f64::from(*ends.1)))
}

/// Resamples the motions to the frames of the grid.
fn seen(first: &Animation, second: &Animation) -> (Animation, Animation) {
    let frames = |animation: &Animation, rate: f64| f64::from(animation.length) * rate + 1.0;
    let rate = [first, second]
        .into_iter()
        .filter_map(|animation| animation.frame_rate);
    let rate = rate.fold(60.0, f64::max);
    let cells = frames(first, rate) * frames(second, rate);
    if cells <= MOST_CELLS || !cells.is_finite() {
        return (first.clone(), second.clone());
    }
    let less = rate * (MOST_CELLS / cells).sqrt();
    (resample(first, less), resample(second, less))
}

/// Plots the time of each motion along the curve.
fn warp(chosen: &[InputMotion], curve: &RegistrationCurve) -> Plot {
    let series = chosen.iter().enumerate().map(|(motion, input)| {
        let points = positions().map(|position| (position, curve.time(motion, position)));
        Series::new(input.name(), points.collect())
    });
    Plot {
        title: "time warp".to_owned(),
        x_label: "position along the curve".to_owned(),
        y_label: "time (s)".to_owned(),
        series: series.collect(),
        ..Plot::default()
    }
}

/// Plots the rotations that align the others with the reference.
fn turn(chosen: &[InputMotion], curve: &RegistrationCurve) -> Plot {
    let mut least = (0.0f64, 0.0f64);
    let series = others(chosen, curve).map(|(motion, input)| {
        let whole = whole_turns(curve, motion);
        let [low, high] = turns(curve, motion);
        least = (least.0.min(low), least.1.max(high));
        let points = positions().map(|position| {
            (
                position,
                curve.alignment(motion, position).angle.to_degrees() - whole,
            )
        });
        Series::new(input.name(), points.collect())
    });
    let series: Vec<Series> = series.collect();
    let reference = chosen.get(curve.reference()).map_or("", InputMotion::name);
    Plot {
        title: format!("rotation onto {reference}"),
        x_label: "position along the curve".to_owned(),
        y_label: "rotation (degrees)".to_owned(),
        series,
        // Keeps tiny rotations from filling the plot.
        y_range: (least.1 - least.0 < 4.0).then(|| {
            let middle = (least.0 + least.1) * 0.5;
            (middle - 2.0, middle + 2.0)
        }),
        ..Plot::default()
    }
}

/// Plots the offsets that align the others with the reference.
fn shift(chosen: &[InputMotion], curve: &RegistrationCurve) -> Plot {
    let mut series = Vec::new();
    for (motion, input) in others(chosen, curve) {
        for axis in ["x", "z"] {
            let points = positions().map(|position| {
                let alignment = curve.alignment(motion, position);
                (
                    position,
                    if axis == "x" {
                        alignment.x
                    } else {
                        alignment.z
                    },
                )
            });
            series.push(Series::new(
                format!("{} {axis}", input.name()),
                points.collect(),
            ));
        }
    }
    let reference = chosen.get(curve.reference()).map_or("", InputMotion::name);
    Plot {
        title: format!("translation onto {reference}"),
        x_label: "position along the curve".to_owned(),
        y_label: "translation (m)".to_owned(),
        series,
        ..Plot::default()
    }
}

/// Returns all motions but the reference.
fn others<'a>(
    chosen: &'a [InputMotion],
    curve: &RegistrationCurve,
) -> impl Iterator<Item = (usize, &'a InputMotion)> {
    let reference = curve.reference();
    let all = chosen.iter().enumerate();
    all.filter(move |(motion, _)| *motion != reference)
}

/// Draws the plants: a lane for each limb end in each motion, matches in one colour.
fn plants(chosen: &[InputMotion], curve: &RegistrationCurve) -> Lanes {
    let found: Vec<Vec<Plant>> = chosen
        .iter()
        .map(|input| find_plants(&input.skeleton, &input.animation, &PlantSettings::default()))
        .collect();
    let mut lanes = Vec::new();
    let ends = [LimbEnd::Heel, LimbEnd::Ball, LimbEnd::Hand];
    let sides = [Side::Left, Side::Right, Side::Middle];
    for (side, end) in sides
        .into_iter()
        .flat_map(|side| ends.map(|end| (side, end)))
    {
        let of_end = found
            .iter()
            .enumerate()
            .map(|(motion, plants)| lane_spans(curve, motion, plants, (side, end)));
        let of_end: Vec<Vec<LaneSpan>> = of_end.collect();
        if of_end.iter().all(Vec::is_empty) {
            continue;
        }
        for (input, spans) in chosen.iter().zip(of_end) {
            lanes.push(Lane {
                name: format!("{}, {}", end_name(end, side), input.name()),
                spans,
            });
        }
    }
    Lanes {
        title: match curve.plants().is_empty() {
            true => "foot contacts: none match".to_owned(),
            false => "foot contacts in seconds; matching ones share a colour".to_owned(),
        },
        x_label: "position along the curve".to_owned(),
        x_range: (0.0, 1.0),
        lanes,
    }
}

fn lane_spans(
    curve: &RegistrationCurve,
    motion: usize,
    found: &[Plant],
    (side, end): (Side, LimbEnd),
) -> Vec<LaneSpan> {
    let label = |[from, to]: [f64; 2]| format!("{from:.2}–{to:.2}");
    let mut spans = Vec::new();
    for (group, plant) in curve.plants().iter().enumerate() {
        if (plant.side, plant.end) != (side, end) {
            continue;
        }
        let [from, to] = plant.spans.get(motion).copied().unwrap_or_default();
        spans.push(LaneSpan {
            from,
            to,
            group: Some(group),
            label: label(seconds(curve, motion, plant)),
        });
    }
    let matched: Vec<(f64, f64)> = spans.iter().map(|plant| (plant.from, plant.to)).collect();
    let (first, last) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
    for plant in found
        .iter()
        .filter(|plant| (plant.side, plant.end) == (side, end))
    {
        let seconds = [
            f64::from(plant.span.start).max(first),
            f64::from(plant.span.end).min(last),
        ];
        if seconds[0] >= seconds[1] {
            continue;
        }
        let [from, to] = seconds.map(|time| curve.position(motion, time));
        let middle = (from + to) * 0.5;
        if !matched.iter().any(|(a, b)| (*a..=*b).contains(&middle)) {
            spans.push(LaneSpan {
                from,
                to,
                group: None,
                label: label(seconds),
            });
        }
    }
    spans
}
