//! What each way of playing an animation does, step by step, with a controller that plays it.
//!
//! X moves a node to (1, 0, 0) and Y to (0, 1, 0): where the node is tells how much of each counts.
//!
//! `cargo run -p sinew-draw --example 05_controller_diagrams [OUT.png]`
#![allow(clippy::print_stdout, reason = "it says where the picture is")]

use sinew::animation::{Channel, TransformTrack};
use sinew::control::ControlError;
use sinew::glam::Vec3;
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, Joint, JointIndex, Pose,
    PoseBinding, Skeleton, Transform,
};
use sinew_draw::{ChartStep, SheetSettings, WeightChart, contact_sheet, encode_png};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// Seconds from one column to the next.
const STEP: f32 = 0.1;

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args_os().nth(1).map(PathBuf::from);
    let out = out.unwrap_or("05_controller_diagrams.png".into());
    let charts = diagrams()?;
    // One size for all, so that they can be compared.
    let sizes = charts.iter().map(WeightChart::natural_size);
    let (width, height) = sizes.fold((0, 0), |(w, h), size| (w.max(size.0), h.max(size.1)));
    let images: Vec<_> = charts.iter().map(|c| c.to_image(width, height)).collect();
    let settings = SheetSettings {
        columns: 2,
        ..SheetSettings::default()
    };
    std::fs::write(&out, encode_png(&contact_sheet(&images, &settings)?)?)?;
    println!("wrote {}", out.display());
    Ok(())
}

/// The base, and each function called in the middle of it, with Y playing and without.
pub(crate) fn diagrams() -> Result<Vec<WeightChart>, Box<dyn Error>> {
    type Controller = AnimationController;
    Ok(vec![
        chart("Y gives way to X", true, |_, _, _| Ok(0))?,
        chart("play_new(Y)", true, Controller::play_new)?,
        chart(
            "play_new_exclusive(Y)",
            true,
            Controller::play_new_exclusive,
        )?,
        chart("play_existing(Y)", true, Controller::play_existing)?,
        chart(
            "play_existing(Y), Y not playing",
            false,
            Controller::play_existing,
        )?,
        chart(
            "play_existing_exclusive(Y)",
            true,
            Controller::play_existing_exclusive,
        )?,
        chart(
            "play_existing_exclusive(Y), Y not playing",
            false,
            Controller::play_existing_exclusive,
        )?,
    ])
}

/// Half a second of what a controller plays after `play` was called, half way from Y to X, or in X alone.
fn chart(
    title: &str,
    y_plays: bool,
    play: impl Fn(&mut AnimationController, AnimationParameters, f32) -> Result<usize, ControlError>,
) -> Result<WeightChart, Box<dyn Error>> {
    let mut set = AnimationSet::new();
    let x = set.add(moves_to("X", Vec3::X)?)?;
    let y = set.add(moves_to("Y", Vec3::Y)?)?;
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    let [x, y] = [x, y].map(|animation| AnimationParameters::new(&set, animation).looped());
    if y_plays {
        controller.play_new(y.clone(), 0.0)?;
        controller.play_new_exclusive(x, 1.0)?;
    } else {
        controller.play_new(x, 0.0)?;
    }
    controller.update(0.5);
    play(&mut controller, y, 0.5)?;

    let node = Joint {
        name: "node".into(),
        parent: None,
        rest: Transform::IDENTITY,
        tip: None,
    };
    let skeleton = Arc::new(Skeleton::new(vec![node])?);
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut pose = Pose::rest(&skeleton);
    let mut chart = WeightChart {
        title: title.into(),
        names: vec!["X".into(), "Y".into()],
        ..WeightChart::default()
    };
    for step in 0..6 {
        controller.update(if step == 0 { 0.0 } else { STEP });
        binding.apply(&controller, &mut pose)?;
        let position = pose.position(JointIndex(0));
        chart.steps.push(ChartStep {
            result: format!("({:.2}, {:.2}, 0)", position.x, position.y),
            ..ChartStep::of(&controller, f64::from(0.5 + STEP * step as f32))
        });
    }
    Ok(chart)
}

fn moves_to(name: &str, place: Vec3) -> Result<Animation, Box<dyn Error>> {
    let mut animation = Animation::new(name, 1.0);
    animation.tracks.push(TransformTrack {
        position: Some(Channel::constant(place)?),
        ..TransformTrack::new("node")
    });
    Ok(animation)
}
