//! Reads a motion of any format and draws one moment of it.
//!
//! `cargo run -p sinew-draw --example 04_mocap [MOTION SECONDS OUT.png]`
#![allow(clippy::print_stdout, reason = "it says where the picture is")]

use sinew::skeleton::Sides;
use sinew::{ModelPose, Pose, local_to_model, sample};
use sinew_draw::{Camera, Stage, StageStyle, ViewAngle, draw_stage, encode_png, figure_for};
use sinew_formats::amc::{self, AmcSettings};
use sinew_formats::asf::{self, AsfSettings, Units};
use sinew_formats::{MotionFile, MotionSettings, read_motion};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // MOTION SECONDS OUT.png; without arguments the built-in walk.
    let mut args = std::env::args().skip(1);
    let motion = match args.next() {
        Some(file) => read_motion(file, &MotionSettings::default())?,
        None => sample_walk()?,
    };
    let seconds: f32 = args.next().map_or(Ok(0.5), |text| text.parse())?;
    let out = args.next().unwrap_or("04_mocap.png".to_owned());

    // Once: which joint each track moves, and buffers.
    let skeleton = &motion.skeleton;
    let animation = motion.animations.first().ok_or("there is no motion")?;
    let binding = animation.bind(skeleton);
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);

    // Every frame: sample, then chain joints. The matrices are what skinning needs.
    sample(animation, &binding, seconds, &mut pose)?;
    local_to_model(skeleton, &pose, &mut model)?;

    let stage = Stage::of(figure_for(skeleton, &Sides::of(skeleton), &model));
    let camera = Camera::framing(stage.bounds(), ViewAngle::ThreeQuarter, 400, 400, 20.0);
    let picture = draw_stage(&stage, &camera, 400, 400, &StageStyle::default());
    std::fs::write(&out, encode_png(&picture)?)?;
    println!("wrote {out}");
    Ok(())
}

/// The built-in walk: an Acclaim skeleton and a motion of it.
fn sample_walk() -> Result<MotionFile, Box<dyn Error>> {
    let figure = asf::read_bytes(sinew_samples::FIGURE, &AsfSettings::default())?;
    let walk = sinew_samples::motion("walk").ok_or("there is no such sample")?;
    let walk = amc::read_bytes(walk, &figure, &AmcSettings::default())?;
    Ok(amc::to_motion(&figure, walk, Units::default())?)
}
