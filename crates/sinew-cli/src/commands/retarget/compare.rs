//! Draws the source and the target side by side.

use super::character::with_animation;
use super::retarget_file::{RetargetResult, RetargetedMotion, Retargeting};
use super::retarget_report::quality_rows;
use super::target::{CharacterTarget, Target};
use crate::args::{CameraMode, Size, ViewFrom};
use crate::character_frames::{CharacterFrames, FrameSettings};
use crate::error::CliError;
use crate::image_writer::write_png;
use crate::motion_frames::Scene;
use sinew::glam::Vec2;
use sinew::skelform::{AnimationData, AnimationFrame, DrawList, Image, animate};
use sinew::{Animation, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_draw::{
    Background, Comparison, ComparisonColumn, ComparisonRow, Stage, StageStyle, TextureSet, Theme,
    View, draw_stage,
};
use std::path::Path;

/// Width of a picture in pixels.
const WIDTH: u32 = 560;

/// Poses of a figure in one picture.
const MOMENTS: u32 = 9;

/// Poses of a character in one picture.
const POSES: usize = 6;

/// The smallest gap between two poses of a character, as a share of its width.
const GAP: f32 = -0.1;

/// The margin of the picture of a character, in pixels.
const MARGIN: f32 = 8.0;

/// Draws the comparison of a motion.
pub(super) fn draw(
    retargeting: &Retargeting<'_>,
    motion: &RetargetedMotion,
    path: &Path,
) -> Result<(), CliError> {
    let theme = match retargeting.args.dark {
        true => Theme::Dark,
        false => Theme::Light,
    };
    let background = match theme {
        Theme::Light => Background::Solid([255; 4]),
        Theme::Dark => Background::Solid([17, 21, 29, 255]),
    };
    let source = figure_pictures(&motion.skeleton, &motion.source, background);
    let target = match (retargeting.target, &motion.result) {
        (Target::Figure(target), RetargetResult::Figure { animation, .. }) => {
            figure_pictures(&target.skeleton, animation, background)
        }
        (Target::Character(target), RetargetResult::Character { animation, .. }) => {
            vec![character_picture(target, animation, background)?]
        }
        _ => Vec::new(),
    };
    let rows = quality_rows(&motion.result).into_iter();
    let rows = rows.map(|row| ComparisonRow {
        name: row.name.to_owned(),
        cells: vec![row.source, row.target],
        is_strong: false,
    });
    let comparison = Comparison {
        title: format!("{} onto {}", motion.name, retargeting.target.name()),
        subtitle: String::new(),
        columns: vec![
            ComparisonColumn {
                title: "source".to_owned(),
                pictures: source,
            },
            ComparisonColumn {
                title: "target".to_owned(),
                pictures: target,
            },
        ],
        rows: rows.collect(),
        note: String::new(),
    };
    write_png(path, &comparison.to_image(theme)?)
}

/// Draws a motion from the side, and its footprints from above.
fn figure_pictures(
    skeleton: &Skeleton,
    animation: &Animation,
    background: Background,
) -> Vec<Image> {
    let plants = find_plants(skeleton, animation, &PlantSettings::default());
    let scene = Scene::new(skeleton, animation).with_plants(&plants);
    let style = StageStyle::on(background);
    let draw = |stage: &Stage, view| {
        let setup = scene.camera_setup(
            Some(view),
            Some(CameraMode::Fixed),
            Size::Longer(WIDTH),
            Some(stage),
        );
        let camera = scene.camera(&setup, 0.0);
        draw_stage(stage, &camera, setup.width, setup.height, &style)
    };
    let stage = scene.strobe(MOMENTS);
    let mut pictures = vec![draw(&stage, ViewFrom::Side)];
    let footprints = scene.footprints_between(0.0, animation.length);
    if !footprints.is_empty() {
        let stage = Stage {
            figures: Vec::new(),
            footprints,
            ..stage
        };
        pictures.push(draw(&stage, ViewFrom::Top));
    }
    pictures
}

/// Draws several poses of a character beside each other.
fn character_picture(
    target: &CharacterTarget,
    animation: &AnimationData,
    background: Background,
) -> Result<Image, CliError> {
    let (character, index) = with_animation(target, animation)?;
    let styles = character.styles(&[])?;
    let armature = character.skf.armature.clone();
    let last = armature.animation(index).and_then(|clip| clip.last_frame());
    let last = last.unwrap_or(0) as f32;
    let settings = FrameSettings {
        pictures: POSES,
        step: 0.0,
        loops: false,
        styles: &styles,
        overlay: &[],
        physics: true,
    };
    let frames = CharacterFrames::record(&character, &settings, |state, picture| {
        let frame = last * picture as f32 / (POSES - 1) as f32;
        animate(&armature, state, &[AnimationFrame::new(index, frame)])
    })?;
    let mut all = DrawList::new();
    let mut right = None;
    for list in frames.lists() {
        let Some((low, high)) = list.bounds() else {
            continue;
        };
        // A pose that would overlap the one before it moves to the right.
        let gap = GAP * (high.x - low.x);
        let shift = right.map_or(0.0, |right: f32| (right + gap - low.x).max(0.0));
        right = Some(high.x + shift);
        let mut list = list.clone();
        for vertex in &mut list.vertices {
            vertex.position.x += shift;
        }
        all.append(&list);
    }
    let textures = TextureSet::new(&armature.data().styles, &character.skf.atlases);
    let (low, high) = all.bounds().unwrap_or((Vec2::ZERO, Vec2::ONE));
    let extent = (high - low).max(Vec2::ONE);
    let room = WIDTH as f32 - 2.0 * MARGIN;
    let height = (room * extent.y / extent.x + 2.0 * MARGIN).ceil();
    let height = (height as u32).clamp(1, WIDTH);
    let view = View::fit(low, high, WIDTH, height, MARGIN);
    Ok(sinew_draw::render(&all, &textures, &view, background))
}
