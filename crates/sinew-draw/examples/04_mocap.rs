//! Reads a motion of any format and draws one moment of it.
//!
//! `cargo run --release -p sinew-draw --example 04_mocap -- samples/motion/walk.amc 0.5 walk.png`

use sinew::{ModelPose, Pose, Sides, local_to_model, sample};
use sinew_draw::{Camera, Stage, StageStyle, ViewAngle, draw_stage, encode_png, figure_for};
use sinew_formats::{MotionSettings, read_motion};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, seconds, out] = args.as_slice() else {
        return Err("usage: 04_mocap MOTION SECONDS OUT.png".into());
    };

    // Once: what the file says, which joint each track moves, and buffers.
    let motion = read_motion(file.as_ref(), &MotionSettings::default())?;
    let skeleton = &motion.skeleton;
    let animation = motion.animations.first().ok_or("there is no motion")?;
    let binding = animation.bind(skeleton);
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);

    // Every frame: sample, then chain joints. The matrices are what skinning needs.
    sample(animation, &binding, seconds.parse()?, &mut pose)?;
    local_to_model(skeleton, &pose, &mut model)?;

    let stage = Stage::of(figure_for(skeleton, &Sides::of(skeleton), &model));
    let camera = Camera::framing(stage.bounds(), ViewAngle::ThreeQuarter, 400, 400, 20.0);
    let picture = draw_stage(&stage, &camera, 400, 400, &StageStyle::default());
    std::fs::write(out, encode_png(&picture)?)?;
    Ok(())
}
