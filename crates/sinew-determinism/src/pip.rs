//! The 2D character: keyframes, crossfades, physics, IK, meshes, controller.

use crate::hash::Hash;
use crate::{Result, motion};
use sinew::AnimationSet;
use sinew::control::ArmatureBinding;
use sinew::skelform::{
    AnimationFrame, ArmatureAnimationIndex, ArmatureCrossfade, ArmaturePose, ConstructSettings,
    DrawList, FrameSettings, PhysicsStep, animate, construct, time_frame_exact,
};
use sinew_formats::skf;
use std::sync::Arc;

/// Plays every animation in turn with crossfades, physics, IK and meshes, and hashes the drawn vertices.
pub(crate) fn play(physics: PhysicsStep) -> Result<Vec<u64>> {
    let armature = skf::read_bytes(sinew_samples::PIP)?.armature;
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    let mut list = DrawList::new();
    let mut fade = ArmatureCrossfade::new(&armature);
    let mut hash = Hash::new();
    for tick in 0..600u32 {
        let index = ArmatureAnimationIndex(tick / 100 % armature.animations().len() as u32);
        if tick % 100 == 0 {
            fade.start(&state, 0.3);
        }
        let time = f64::from(tick) / 60.0;
        let animation = armature.animation(index).ok_or("no such animation")?;
        let frame = time_frame_exact(time, animation, FrameSettings::default());
        animate(&armature, &mut state, &[AnimationFrame::new(index, frame)])?;
        fade.apply(&mut state, 1.0 / 60.0);
        let settings = ConstructSettings {
            velocity: sinew::glam::Vec2::new(4.8, 0.0),
            physics,
            ..ConstructSettings::default()
        };
        construct(&armature, &mut state, &settings, &mut pose)?;
        list.fill(&armature, &state, &pose, armature.default_styles());
        hash.add(
            list.vertices
                .iter()
                .flat_map(|vertex| vertex.position.to_array()),
        );
        hash.add(pose.bones().map(|bone| bone.rotation()));
    }
    Ok(vec![hash.finish()])
}

/// Keeps a controller of the character busy.
pub(crate) fn control() -> Result<Vec<u64>> {
    let armature = skf::read_bytes(sinew_samples::PIP)?.armature;
    let set = Arc::new(AnimationSet::of_armature(&armature));
    let mut binding = ArmatureBinding::new(&set, &armature);
    let mut state = armature.new_state();
    let mut hash = Hash::new();
    let start_bone = &armature.data().bones[1].name;
    motion::drive_controller(&set, start_bone, |controller| {
        binding.apply(controller, &mut state)?;
        for bone in state.bones() {
            hash.add([
                bone.position.x,
                bone.position.y,
                bone.rotation,
                bone.scale.x,
                bone.scale.y,
            ]);
        }
        Ok(())
    })?;
    Ok(vec![hash.finish()])
}
