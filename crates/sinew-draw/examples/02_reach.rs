//! Drags IK targets to points of the world, as a mouse would, and swaps an outfit.
//!
//! `cargo run -p sinew-draw --example 02_reach [FILE.skf OUT.png]`
#![allow(clippy::print_stdout, reason = "it says where the picture is")]

use sinew::glam::Vec2;
use sinew::skelform::{
    ArmaturePose, ConstructSettings, DrawList, animate, construct, snap_physics,
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
    let out = args.next().unwrap_or("02_reach.png".to_owned());
    let armature = &character.armature;
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let settings = ConstructSettings {
        position: Vec2::new(200.0, 20.0),
        scale: Vec2::splat(0.6),
        ..ConstructSettings::default()
    };

    // Without animations everything is at rest.
    animate(armature, &mut state, &[])?;
    construct(armature, &mut state, &settings, &mut pose)?;

    // Every target a little to the right and up from where it is.
    for family in &armature.data().ik_families {
        let Some(target) = family.target.map(Into::into) else {
            continue;
        };
        let position = pose
            .bone(target)
            .map(|bone| bone.position)
            .unwrap_or_default();
        let local = pose.to_local(armature, target, position + Vec2::new(30.0, 15.0));
        if let (Some(local), Some(bone)) = (local, state.bone_mut(target)) {
            bone.position = local;
        }
    }
    // The character was moved by hand, so its springy parts have no reason to swing.
    snap_physics(armature, &mut state, &settings, &mut pose)?;
    construct(armature, &mut state, &settings, &mut pose)?;

    // Everything that any style has, the last one first.
    let styles: Vec<_> = (0..armature.data().styles.len())
        .rev()
        .map(Into::into)
        .collect();
    let mut list = DrawList::new();
    list.fill(armature, &state, &pose, &styles);
    let textures = TextureSet::new(&armature.data().styles, &character.atlases);
    let view = View {
        scale: 1.0,
        center: Vec2::new(200.0, 200.0),
        width: 400,
        height: 420,
    };
    let picture = render(
        &list,
        &textures,
        &view,
        Background::Solid([232, 240, 244, 255]),
    );
    std::fs::write(&out, encode_png(&picture)?)?;
    println!("wrote {out}");
    Ok(())
}
