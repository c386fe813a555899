//! The 3D figure: sampling, mirroring, controller, packed animations, registration, blending.

use crate::Result;
use crate::hash::Hash;
use sinew::blend::{add_pose_with, blend_with, subtract_pose_with};
use sinew::glam::Quat;
use sinew::local_to_model::{inverse_binds, local_to_model_with, skinning_palette_with};
use sinew::math::{GroundTransform, quat_mul, quat_normalize};
use sinew::registration::Motion;
use sinew::simd::SimdLevel;
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet, BlendLayer,
    Joint, ModelPose, PackedCursor, Pose, PoseBinding, Sampler, Skeleton, Transform,
};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_author::edit::mirror;
use sinew_author::register::{
    BlendWeights, RegisterMode, RegisterSettings, blend_motions, register,
};
use sinew_author::retarget::{RetargetSettings, detect_roles, retarget};
use sinew_formats::{amc, asf};
use std::sync::Arc;

/// Reads a sample motion and its skeleton.
fn read(name: &str) -> Result<(Skeleton, Animation)> {
    let bytes = sinew_samples::motion(name).ok_or("no such sample")?;
    let figure = asf::read_bytes(sinew_samples::FIGURE, &asf::AsfSettings::default())?;
    let frames = amc::read_bytes(bytes, &figure, &amc::AmcSettings::default())?;
    let mut file = amc::to_motion(&figure, frames, asf::Units::default())?;
    let animation = file.animations.pop().ok_or("no animation")?;
    Ok((file.skeleton, animation))
}

/// Adds all local transforms of a pose.
fn add_pose_bits(hash: &mut Hash, pose: &Pose, with_scale: bool) {
    for joint in (0..pose.len()).map(|joint| pose.get(joint.into())) {
        hash.add(joint.position.to_array());
        hash.add(joint.rotation.to_array());
        if with_scale {
            hash.add(joint.scale.to_array());
        }
    }
}

/// Computes a hash at every SIMD level. Returns an error if levels differ.
fn at_every_level(compute: impl FnMut(SimdLevel) -> Result<u64>) -> Result<u64> {
    let hashes: Vec<u64> = SimdLevel::all().map(compute).collect::<Result<_>>()?;
    let first = *hashes.first().ok_or("no SIMD level")?;
    if hashes.iter().any(|hash| *hash != first) {
        return Err(format!("SIMD levels differ: {hashes:x?}").into());
    }
    Ok(first)
}

/// Samples a motion and its mirror image, inside and beyond its length and between its frames.
pub(crate) fn sample(name: &str) -> Result<u64> {
    let (skeleton, animation) = read(name)?;
    let mirrored = mirror(&animation, &skeleton)?;
    let mut hash = Hash::new();
    for animation in [&animation, &mirrored] {
        let mut sampler = Sampler::new(&skeleton, animation);
        for tick in 0..600u16 {
            let model = sampler.model_at(f32::from(tick) / 61.0);
            hash.add(model.matrices().iter().flat_map(|m| m.to_cols_array()));
        }
    }
    Ok(hash.finish())
}

/// Plays animations for ten seconds with crossfades, a layer with a start bone, and an additive layer.
pub(crate) fn drive_controller(
    set: &Arc<AnimationSet>,
    start_bone: &str,
    mut apply: impl FnMut(&AnimationController) -> Result<()>,
) -> Result<()> {
    let parameters = |index: u32| {
        let animation = AnimationIndex(index % set.len() as u32);
        AnimationParameters::new(set, animation).looped()
    };
    let mut controller = AnimationController::new(set.clone());
    for tick in 0..600u32 {
        match tick % 120 {
            0 => {
                controller.play_existing_exclusive(parameters(tick / 120), 0.3)?;
            }
            30 => {
                let masked = parameters(tick / 120 + 1).layer(1).start_bone(start_bone);
                controller.play_new(masked, 0.2)?;
            }
            60 => {
                let additive = parameters(tick / 120 + 2).layer(2).additive();
                controller.play_new(additive.weight(0.5).speed(-0.7), 0.1)?;
            }
            90 => {
                controller.stop_layer(1, 0.25);
                controller.stop_layer(2, 0.4);
            }
            _ => {}
        }
        controller.update(1.0 / 61.0);
        apply(&controller)?;
    }
    Ok(())
}

/// Keeps a controller of the figure busy.
pub(crate) fn control() -> Result<Vec<u64>> {
    let mut set = AnimationSet::new();
    for name in ["walk", "run", "wave"] {
        set.add_as(name, read(name)?.1)?;
    }
    let set = Arc::new(set);
    let skeleton = Arc::new(read("walk")?.0);
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut pose = Pose::rest(&skeleton);
    let mut hash = Hash::new();
    drive_controller(&set, "thorax", |controller| {
        binding.apply(controller, &mut pose)?;
        add_pose_bits(&mut hash, &pose, false);
        Ok(())
    })?;
    if !binding.warnings().is_empty() {
        return Err(format!("{:?}", binding.warnings()).into());
    }
    Ok(vec![hash.finish()])
}

/// Compresses a motion; hashes its bytes, and its poses at every SIMD level.
pub(crate) fn pack(name: &str, profile: Profile) -> Result<Vec<u64>> {
    let (skeleton, animation) = read(name)?;
    let settings = CompressSettings {
        profile,
        ..CompressSettings::default()
    };
    let packed = compress(&skeleton, &animation, &settings)?;
    let mut bytes = Hash::new();
    for word in sinew_author::packed::to_bytes(&packed).chunks(4) {
        let mut padded = [0; 4];
        padded[..word.len()].copy_from_slice(word);
        bytes.add_bytes(&padded);
    }
    let poses = at_every_level(|level| {
        let mut hash = Hash::new();
        let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&skeleton));
        for tick in 0..600u16 {
            let time = f32::from(tick) / 61.0 % packed.length();
            packed.sample_with(level, time, &mut cursor, &mut pose)?;
            add_pose_bits(&mut hash, &pose, true);
        }
        Ok(hash.finish())
    })?;
    Ok(vec![bytes.finish(), poses])
}

/// Registers two motions and blends them along the curve.
pub(crate) fn register_and_blend() -> Result<Vec<u64>> {
    let (skeleton, walk) = read("walk")?;
    let (_, run) = read("run")?;
    let motions = [Motion::new(&skeleton, &walk), Motion::new(&skeleton, &run)];
    let settings = RegisterSettings {
        mode: RegisterMode::Local,
        ..RegisterSettings::default()
    };
    let curve = register(&motions, &settings)?;
    let mut hash = Hash::new();
    for motion in curve.to_data().motions {
        for numbers in [motion.times, motion.angles, motion.xs, motion.zs] {
            numbers
                .iter()
                .for_each(|number| hash.add_u64(number.to_bits()));
        }
    }
    let weights = BlendWeights::Constant(vec![1.0 - 0.4, 0.4]);
    let blended = blend_motions(&curve, &motions, &weights, GroundTransform::IDENTITY)?;
    let rate = walk.frame_rate.ok_or("no frame rate")?;
    let mut sampler = Sampler::new(&skeleton, &blended.animation);
    for frame in 0..blended.positions.len() {
        let time = (frame as f64 / rate) as f32;
        for number in sampler.points_at(time).flat_map(|point| point.to_array()) {
            hash.add_u64(u64::from(number.to_bits()));
        }
    }
    Ok(vec![hash.finish()])
}

/// Retargets the walk onto a body with other arms, legs and rest rotations, and hashes every key's pose.
pub(crate) fn retarget_walk() -> Result<Vec<u64>> {
    let (source, walk) = read("walk")?;
    let joints = source.joints().iter().enumerate().map(|(index, joint)| {
        let factor = 0.8 + 0.01 * index as f32;
        Joint {
            rest: Transform {
                position: joint.rest.position * factor,
                rotation: quat_mul(
                    joint.rest.rotation,
                    quat_normalize(Quat::from_xyzw(0.1, 0.02 * index as f32, -0.05, 1.0)),
                ),
                ..joint.rest
            },
            tip: joint.tip.map(|tip| tip * factor),
            ..joint.clone()
        }
    });
    let target = Skeleton::new(joints.collect())?;
    let roles = detect_roles(&source).map;
    let settings = RetargetSettings {
        hands: true,
        ..RetargetSettings::default()
    };
    let result = retarget(&source, &walk, &roles, &target, &roles, &settings)?;
    let mut hash = Hash::new();
    let mut sampler = Sampler::new(&target, &result.animation);
    for frame in 0..result.report.frames {
        let time = result.animation.frame_time(frame);
        add_pose_bits(&mut hash, sampler.pose_at(time), false);
    }
    let report = &result.report;
    for number in [report.slide[0], report.float, report.direction, report.jerk] {
        hash.add_u64(u64::from(number.to_bits()));
    }
    Ok(vec![hash.finish()])
}

/// Blends two motions, adds a part of the difference of their poses, and computes skinning matrices.
pub(crate) fn blend_stages() -> Result<Vec<u64>> {
    let (skeleton, walk) = read("walk")?;
    let (_, run) = read("run")?;
    let rest = Pose::rest(&skeleton);
    let binds = inverse_binds(&skeleton);
    let matrices = at_every_level(|level| {
        let mut walk = Sampler::new(&skeleton, &walk);
        let mut run = Sampler::new(&skeleton, &run);
        let (mut blended, mut difference) = (rest.clone(), rest.clone());
        let mut model = ModelPose::new(&skeleton);
        let mut palette = binds.clone();
        let mut hash = Hash::new();
        for tick in 0..600u16 {
            let (time, weight) = (f32::from(tick) / 61.0, f32::from(tick) / 599.0);
            let (walk, run) = (walk.pose_at(time), run.pose_at(time));
            let layers = [
                BlendLayer::new(walk, 1.0 - weight),
                BlendLayer::new(run, weight),
            ];
            blend_with(level, &layers, &rest, &mut blended)?;
            subtract_pose_with(level, run, walk, &mut difference)?;
            add_pose_with(level, &mut blended, &difference, 0.25, None)?;
            local_to_model_with(level, &skeleton, &blended, &mut model)?;
            skinning_palette_with(level, &model, &binds, &mut palette)?;
            hash.add(palette.iter().flat_map(|matrix| matrix.to_cols_array()));
        }
        Ok(hash.finish())
    })?;
    Ok(vec![matrices])
}
