//! The stages of Sinew, called from a program without `std`. `cargo xtask no-std` builds it for a microcontroller, so
//! that a use of `std` in the library or in a dependency is a compile error.
#![no_std]

extern crate alloc;

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Mat4, Quat, Vec3};
use sinew::local_to_model::inverse_binds;
use sinew::skelform::curve::Preset;
use sinew::skelform::{
    AnimationData, AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureData, ArmatureError,
    ArmaturePose, BoneData, ConstructSettings, DrawList, Element, KeyData, animate, construct,
};
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, BlendLayer, Joint,
    JointIndex, ModelPose, PackedCursor, Pose, PoseBinding, Skeleton, Transform, blend,
    local_to_model, sample, skinning_palette,
};
use sinew_author::compress::{CompressSettings, compress};

/// The stage that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed(pub &'static str);

fn stage<T, E>(name: &'static str, result: Result<T, E>) -> Result<T, Failed> {
    result.map_err(|_| Failed(name))
}

/// A chain of two joints, the first of which turns by a quarter in a second.
fn arm() -> Result<(Skeleton, Animation), Failed> {
    let joint = |name: &str, parent, position| Joint {
        name: name.into(),
        parent,
        rest: Transform::from_position(position),
        tip: None,
    };
    let skeleton = stage(
        "skeleton",
        Skeleton::new(vec![
            joint("shoulder", None, Vec3::ZERO),
            joint("hand", Some(JointIndex(0)), Vec3::X),
        ]),
    )?;
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let times = stage("key times", KeyTimes::listed([0.0, 1.0]))?;
    let turns = vec![Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, half, half)];
    let channel = Channel::new(times, turns, Interpolation::Linear);
    let mut raise = Animation::new("raise", 1.0);
    raise.tracks.push(TransformTrack {
        rotation: Some(stage("channel", channel)?),
        ..TransformTrack::new("shoulder")
    });
    Ok((skeleton, raise))
}

/// Samples, blends, compresses and controls an animation. Returns the position of the hand after each: four times the
/// same.
///
/// # Errors
/// The stage that failed.
pub fn three_dimensions(time: f32) -> Result<[Vec3; 4], Failed> {
    let (skeleton, raise) = arm()?;
    let mut model = ModelPose::new(&skeleton);
    let binds = inverse_binds(&skeleton);
    let mut palette: Vec<Mat4> = binds.clone();
    let mut position = |pose: &Pose| {
        stage(
            "local to model",
            local_to_model(&skeleton, pose, &mut model),
        )?;
        stage("skinning", skinning_palette(&model, &binds, &mut palette))?;
        Ok(palette[1].transform_point3(Vec3::X))
    };

    let mut sampled = Pose::rest(&skeleton);
    let binding = raise.bind(&skeleton);
    stage("sample", sample(&raise, &binding, time, &mut sampled))?;

    let mut blended = Pose::rest(&skeleton);
    let layers = [
        BlendLayer::new(&sampled, 1.0),
        BlendLayer::new(&sampled, 2.0),
    ];
    let rest = Pose::rest(&skeleton);
    stage("blend", blend(&layers, &rest, &mut blended))?;

    let mut unpacked = Pose::rest(&skeleton);
    let packed = compress(&skeleton, &raise, &CompressSettings::default());
    let packed = stage("compress", packed)?;
    let mut cursor = PackedCursor::new();
    let decoded = packed.sample(time, &mut cursor, &mut unpacked);
    stage("sample packed", decoded)?;

    let mut controlled = Pose::rest(&skeleton);
    let mut set = AnimationSet::new();
    let index = stage("animation set", set.add(raise.clone()))?;
    let set = Arc::new(set);
    let shared = Arc::new(skeleton.clone());
    let mut pose_binding = PoseBinding::new(&set, &shared);
    let mut controller = AnimationController::new(set.clone());
    let parameters = AnimationParameters::new(&set, index);
    stage("play", controller.play_new(parameters, 0.0))?;
    controller.update(time);
    let applied = pose_binding.apply(&controller, &mut controlled);
    stage("apply", applied)?;

    Ok([
        position(&sampled)?,
        position(&blended)?,
        position(&unpacked)?,
        position(&controlled)?,
    ])
}

/// Animates and constructs a character of one bone that turns by a quarter in ten frames. Returns its angle in radians.
///
/// # Errors
/// The stage that failed.
pub fn two_dimensions(frame: f32) -> Result<f32, Failed> {
    stage("armature", turned_bone(frame))
}

fn turned_bone(frame: f32) -> Result<f32, ArmatureError> {
    let key = |frame, value| KeyData {
        frame,
        bone: 0,
        element: Element::Rotation,
        value,
        text: Default::default(),
        ease: Preset::SineInOut.ease(),
    };
    let armature = Armature::new(ArmatureData {
        bones: vec![BoneData {
            name: "arm".into(),
            ..BoneData::default()
        }],
        animations: vec![AnimationData {
            name: "raise".into(),
            frame_rate: 60,
            keys: vec![key(0, 0.0), key(10, core::f32::consts::FRAC_PI_2)],
        }],
        ..ArmatureData::default()
    })?;
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    let mut list = DrawList::new();
    animate(
        &armature,
        &mut state,
        &[AnimationFrame::new(ArmatureAnimationIndex(0), frame)],
    )?;
    let settings = ConstructSettings::default();
    construct(&armature, &mut state, &settings, &mut pose)?;
    list.fill(&armature, &state, &pose, armature.default_styles());
    Ok(pose.bones().next().map_or(f32::NAN, |bone| bone.rotation()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_puts_the_hand_at_the_same_place() {
        let half = core::f32::consts::FRAC_1_SQRT_2;
        for position in three_dimensions(0.5).unwrap() {
            let error = (position - Vec3::new(half, half, 0.0)).length();
            assert!(error < 1e-3, "{position}");
        }
    }

    #[test]
    fn the_bone_is_halfway_in_the_middle_frame() {
        let angle = two_dimensions(5.0).unwrap();
        assert!(
            (angle - core::f32::consts::FRAC_PI_4).abs() < 1e-4,
            "{angle}"
        );
    }
}
