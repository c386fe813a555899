//! Prints nanoseconds per frame: Pip (animate, construct, draw list), and 31 joints (sample, model-space pose).

use sinew::skelform::{
    AnimationFrame, ArmatureAnimationIndex, ArmaturePose, ConstructSettings, DrawList,
    FrameSettings, PhysicsStep, animate, construct, time_frame_exact,
};
use sinew::{ModelPose, Pose, local_to_model, sample::sample};
use sinew_formats::{amc, asf, skf};
use std::hint::black_box;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The shortest of several runs, in nanoseconds per frame.
fn time(frames: u32, mut frame: impl FnMut(u32) -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for index in 0..frames {
            frame(index)?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(frames));
    }
    Ok(best)
}

fn main() -> Result<()> {
    let armature = skf::read_encoded(sinew_samples::PIP)?.armature;
    let walk = ArmatureAnimationIndex(1);
    let animation = armature.animation(walk).ok_or("no walk")?;
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    let mut list = DrawList::new();
    let settings = ConstructSettings {
        physics: PhysicsStep::Seconds(1.0 / 60.0),
        ..ConstructSettings::default()
    };
    let pip = time(2000, |index| {
        let seconds = f64::from(index) / 60.0;
        let frame = time_frame_exact(seconds, animation, FrameSettings::default());
        animate(&armature, &mut state, &[AnimationFrame::new(walk, frame)])?;
        construct(&armature, &mut state, &settings, &mut pose)?;
        list.fill(&armature, &state, &pose, armature.default_styles());
        black_box(&list);
        Ok(())
    })?;

    let figure = asf::read_bytes(sinew_samples::FIGURE, &asf::AsfSettings::default())?;
    let bytes = sinew_samples::motion("walk").ok_or("no walk")?;
    let frames = amc::read_bytes(bytes, &figure, &amc::AmcSettings::default())?;
    let file = amc::to_motion(&figure, frames, asf::Units::default())?;
    let (skeleton, animation) = (&file.skeleton, &file.animations[0]);
    let binding = animation.bind(skeleton);
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);
    let figure = time(20000, |index| {
        let time = (f64::from(index) / 60.0 % f64::from(animation.length)) as f32;
        sample(animation, &binding, time, &mut pose)?;
        local_to_model(skeleton, &pose, &mut model)?;
        black_box(&model);
        Ok(())
    })?;
    println!("{pip} {figure}");
    Ok(())
}
