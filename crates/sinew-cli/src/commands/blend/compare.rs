//! Compares the naive, the registered and the cleaned blend side by side.

use super::make::{BlendKind, BlendResult, blend_unregistered, clean};
use crate::args::{CameraMode, Size, ViewFrom};
use crate::commands::slides::{SlideRow, slide_rows};
use crate::error::CliError;
use crate::image_writer::write_png;
use crate::inputs::InputMotion;
use crate::motion_frames::Scene;
use sinew::Animation;
use sinew::anatomy::Plant;
use sinew::glam::Vec3;
use sinew::registration::RegistrationCurve;
use sinew::skelform::Image;
use sinew_draw::{
    Background, Comparison, ComparisonColumn, ComparisonRow, Footprint, Stage, StageStyle, Theme,
    draw_stage,
};
use std::path::Path;

/// Width of a picture in pixels.
const WIDTH: u32 = 520;

/// Poses in one picture.
const MOMENTS: u32 = 9;

/// Seconds before and after a transition whose footprints are shown enlarged.
const ABOUT: [f32; 2] = [0.35, 0.45];

/// The smallest visible radius around the centre of the footprints, in metres.
const NEAREST: f32 = 0.7;

/// The range of a blend, as fractions of its length, whose footprints are shown enlarged.
const MIDDLE: [f32; 2] = [0.2, 0.75];

/// A blending method and its result.
struct MethodResult<'a> {
    title: &'static str,
    animation: &'a Animation,
    plants: &'a [Plant],
}

/// Draws the comparison; returns the foot skate.
pub(super) fn draw(
    path: &Path,
    chosen: &[InputMotion],
    kind: &BlendKind,
    (curve, blend): (Option<&RegistrationCurve>, &BlendResult),
    is_dark: bool,
) -> Result<Vec<SlideRow>, CliError> {
    let Some(first) = chosen.first() else {
        return Ok(Vec::new());
    };
    let plain = blend_unregistered(chosen, kind, curve)?;
    let clean = clean(chosen, blend)?;
    let clean = clean.as_ref().map_or(&blend.animation, |(clean, _)| clean);
    let results = [
        MethodResult {
            title: plain.method,
            animation: &plain.animation,
            plants: &plain.plants,
        },
        MethodResult {
            title: blend.method,
            animation: &blend.animation,
            plants: &blend.plants,
        },
        MethodResult {
            title: "foot skate removed",
            animation: clean,
            plants: &blend.plants,
        },
    ];
    let motions = results
        .each_ref()
        .map(|result| (result.animation, result.plants));
    let slides = slide_rows(&first.skeleton, &motions);
    let theme = if is_dark { Theme::Dark } else { Theme::Light };
    let background = match theme {
        Theme::Light => Background::Solid([255; 4]),
        Theme::Dark => Background::Solid([17, 21, 29, 255]),
    };
    let columns = pictures(chosen, &results, (kind, curve), background)
        .into_iter()
        .zip(&results);
    let columns = columns.map(|(pictures, result)| ComparisonColumn {
        title: result.title.to_owned(),
        pictures,
    });
    let last = slides.len().saturating_sub(1);
    let rows = slides.iter().enumerate().map(|(index, row)| ComparisonRow {
        name: row.name.clone(),
        cells: row.slides.iter().map(|sum| sum.text()).collect(),
        is_strong: index == last,
    });
    let comparison = Comparison {
        title: title(chosen, kind),
        subtitle: subtitle(chosen, curve.filter(|_| blend.is_registered())),
        columns: columns.collect(),
        rows: rows.collect(),
        note: "foot skate during contacts: path length on the ground, in brackets the largest distance from \
               the contact"
            .to_owned(),
    };
    let image = comparison.to_image(theme)?;
    write_png(path, &image)?;
    Ok(slides)
}

fn title(chosen: &[InputMotion], kind: &BlendKind) -> String {
    let names: Vec<&str> = chosen.iter().map(InputMotion::name).collect();
    match kind {
        BlendKind::Weights(sinew_author::register::BlendWeights::Constant(weights)) => {
            let parts = names.iter().zip(weights);
            let parts = parts.map(|(name, weight)| format!("{:.0} % {name}", weight * 100.0));
            parts.collect::<Vec<_>>().join(", ")
        }
        BlendKind::Weights(_) => format!("{} with changing weights", names.join(" and ")),
        BlendKind::Transition(request) => {
            format!("{} in {} s", names.join(" to "), request.seconds)
        }
    }
}

fn subtitle(chosen: &[InputMotion], curve: Option<&RegistrationCurve>) -> String {
    let Some(curve) = curve else {
        return "not registered".to_owned();
    };
    let spans = chosen.iter().enumerate().map(|(motion, input)| {
        let (from, to) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
        format!("{} {from:.2} to {to:.2} s", input.name())
    });
    spans.collect::<Vec<_>>().join(", ")
}

/// Returns the time range whose footprints are shown enlarged.
fn close(kind: &BlendKind, curve: Option<&RegistrationCurve>, length: f32) -> [f32; 2] {
    match kind {
        BlendKind::Weights(_) => MIDDLE.map(|part| part * length),
        BlendKind::Transition(request) => {
            let start = request
                .start
                .or_else(|| Some(curve?.time(0, 0.0)))
                .unwrap_or(0.0);
            let end = start + request.seconds;
            [start as f32 - ABOUT[0], end as f32 + ABOUT[1]]
        }
    }
}

/// Draws, for each method, the whole motion from the side and a close-up of its footprints from above, all to one
/// scale.
fn pictures(
    chosen: &[InputMotion],
    results: &[MethodResult<'_>],
    (kind, curve): (&BlendKind, Option<&RegistrationCurve>),
    background: Background,
) -> Vec<Vec<Image>> {
    let Some(first) = chosen.first() else {
        return Vec::new();
    };
    let style = StageStyle::on(background);
    let scenes: Vec<Scene<'_>> = results
        .iter()
        .map(|result| Scene::new(&first.skeleton, result.animation).with_plants(result.plants))
        .collect();
    // All views use the direction of travel of the last method.
    let Some(leader) = scenes.last() else {
        return Vec::new();
    };
    let stages: Vec<Stage> = scenes.iter().map(|scene| scene.strobe(MOMENTS)).collect();
    let all = Stage {
        figures: stages
            .iter()
            .flat_map(|stage| stage.figures.clone())
            .collect(),
        ..Stage::default()
    };
    let fixed = Some(CameraMode::Fixed);
    let size = Size::Longer(WIDTH);
    let setup = leader.camera_setup(Some(ViewFrom::Side), fixed, size, Some(&all));
    let camera = leader.camera(&setup, 0.0);
    let mut rows: Vec<Vec<Image>> = stages
        .iter()
        .map(|stage| {
            vec![draw_stage(
                stage,
                &camera,
                setup.width,
                setup.height,
                &style,
            )]
        })
        .collect();
    let is_close = |result: &MethodResult<'_>, scene: &Scene<'_>| {
        let [from, to] = close(kind, curve, result.animation.length);
        !scene.footprints_between(from, to).is_empty()
    };
    // If a method has no footprints in the range, all methods show all of theirs.
    let are_close = results
        .iter()
        .zip(&scenes)
        .all(|(result, scene)| is_close(result, scene));
    let prints = scenes
        .iter()
        .zip(results)
        .zip(&stages)
        .map(|((scene, result), stage)| {
            let [from, to] = match are_close {
                true => close(kind, curve, result.animation.length),
                false => [0.0, result.animation.length],
            };
            Stage {
                figures: Vec::new(),
                footprints: scene.footprints_between(from, to),
                ..stage.clone()
            }
        });
    let prints: Vec<Stage> = prints.collect();
    let Some(seen) = prints.last().filter(|stage| !stage.footprints.is_empty()) else {
        return rows;
    };
    let mut around = seen.clone();
    // The view of a single foot is at least as wide as a stride.
    let centre = middle(&seen.footprints);
    let ends = [-NEAREST, NEAREST].map(|offset| centre + leader.forward() * offset);
    around.footprints.extend(ends.map(|point| Footprint {
        heel: point,
        toe: point,
        ..Footprint::default()
    }));
    let setup = leader.camera_setup(Some(ViewFrom::Top), fixed, size, Some(&around));
    let camera = leader.camera(&setup, 0.0);
    for (row, stage) in rows.iter_mut().zip(&prints) {
        // Footprints of another method have another position; the zoom is the same.
        let away = middle(&stage.footprints) - middle(&seen.footprints);
        let camera = camera.looking_at(camera.target + away);
        row.push(draw_stage(
            stage,
            &camera,
            setup.width,
            setup.height,
            &style,
        ));
    }
    rows
}

/// Returns the centre of the footprints.
fn middle(prints: &[Footprint]) -> Vec3 {
    let sum: Vec3 = prints
        .iter()
        .map(|print| (print.heel + print.toe) * 0.5)
        .sum();
    let mean = sum / prints.len().max(1) as f32;
    Vec3::new(mean.x, 0.0, mean.z)
}
