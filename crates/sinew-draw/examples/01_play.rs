//! Plays a character for a second and draws its last moment.
//!
//! `cargo run -p sinew-draw --example 01_play [FILE.skf ANIMATION OUT.png]`
#![allow(clippy::print_stdout, reason = "it says where the picture is")]

use sinew::skelform::{
    AnimationFrame, ArmaturePose, ConstructSettings, DrawList, FrameSettings, PhysicsStep, animate,
    construct, time_frame_exact,
};
use sinew_draw::{Background, TextureSet, View, encode_png, render};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // FILE.skf ANIMATION OUT.png; without arguments the built-in character walks.
    let mut args = std::env::args().skip(1);
    let character = match args.next() {
        Some(file) => sinew_formats::skf::read(file)?,
        None => sinew_formats::skf::read_bytes(sinew_samples::PIP)?,
    };
    let animation = args.next().unwrap_or("walk".to_owned());
    let out = args.next().unwrap_or("01_play.png".to_owned());

    // Once: the model, and what one character needs.
    let armature = &character.armature;
    let index = armature
        .find_animation(&animation)
        .ok_or("there is no such animation")?;
    let playing = armature
        .animation(index)
        .ok_or("there is no such animation")?;
    let textures = TextureSet::new(&armature.data().styles, &character.atlases);
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let mut list = DrawList::new();

    // Every frame: animate, construct, draw. A game would measure `dt`.
    let dt = 1.0 / 60.0;
    let settings = ConstructSettings {
        physics: PhysicsStep::Seconds(dt),
        ..ConstructSettings::default()
    };
    for tick in 0..60 {
        let seconds = f64::from(tick) * f64::from(dt);
        let frame = time_frame_exact(seconds, playing, FrameSettings::default());
        animate(armature, &mut state, &[AnimationFrame::new(index, frame)])?;
        construct(armature, &mut state, &settings, &mut pose)?;
    }

    list.fill(armature, &state, &pose, armature.default_styles());
    let (low, high) = list.bounds().ok_or("nothing is shown")?;
    let view = View::fit(low, high, 400, 400, 10.0);
    let picture = render(&list, &textures, &view, Background::CHECKER);
    std::fs::write(&out, encode_png(&picture)?)?;
    println!("wrote {out}");
    Ok(())
}
