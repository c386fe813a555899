//! A hundred characters that share one model, one pose buffer and one draw list.
//!
//! `cargo run -p sinew-draw --example 03_crowd [FILE.skf OUT.png]`
#![allow(clippy::print_stdout, reason = "it says where the picture is")]

use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, ArmatureAnimationIndex, ArmaturePose, ConstructSettings, DrawList, animate,
    construct, snap_physics,
};
use sinew_draw::{Background, TextureSet, View, encode_png, render};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // FILE.skf OUT.png; without arguments the built-in character.
    let mut args = std::env::args().skip(1);
    let character = match args.next() {
        Some(file) => sinew_formats::skf::read(file)?,
        None => sinew_formats::skf::read_bytes(sinew_samples::PIP)?,
    };
    let out = args.next().unwrap_or("03_crowd.png".to_owned());
    let armature = &character.armature;
    let textures = TextureSet::new(&armature.data().styles, &character.atlases);
    let animations = armature.animations().len() as u32;
    if animations == 0 {
        return Err("the file has no animations".into());
    }

    let mut states = vec![armature.new_state(); 100];
    let mut pose = ArmaturePose::new(armature);
    let (mut list, mut crowd_list) = (DrawList::new(), DrawList::new());
    // Those at the back first.
    for (index, state) in states.iter_mut().enumerate() {
        let (column, row) = (index % 10, index / 10);
        let settings = ConstructSettings {
            position: Vec2::new(
                column as f32 * 90.0 + (row % 2) as f32 * 45.0,
                600.0 - row as f32 * 55.0,
            ),
            scale: Vec2::splat(0.2),
            ..ConstructSettings::default()
        };
        let play = AnimationFrame::new(
            ArmatureAnimationIndex(index as u32 * 7 % animations),
            (index * 13 % 60) as f32,
        );
        animate(armature, state, &[play])?;
        snap_physics(armature, state, &settings, &mut pose)?;
        construct(armature, state, &settings, &mut pose)?;
        list.fill(armature, state, &pose, armature.default_styles());
        crowd_list.append(&list);
    }

    let (low, high) = crowd_list.bounds().ok_or("nothing is shown")?;
    let view = View::fit(low, high, 1000, 800, 20.0);
    let picture = render(
        &crowd_list,
        &textures,
        &view,
        Background::Solid([232, 240, 244, 255]),
    );
    std::fs::write(&out, encode_png(&picture)?)?;
    println!("wrote {out}");
    Ok(())
}
