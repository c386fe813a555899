//! The same bits on every machine, in debug and release: ten seconds of the sample, hashed.

use crate::register_common;
use register_common::{Clip, mixed};
use sinew::compress::{CompressSettings, Profile, compress};
use sinew::register::{RegisterMode, RegisterSettings, register};
use sinew::{
    AnimationController, AnimationIndex, AnimationParameters, AnimationSet, ArmatureBinding,
    ConstructSettings, Constructed, CrossFade, DrawList, FrameSettings, PackedCursor, PhysicsStep,
    Play, Pose, PoseBinding, Sampler, SimdLevel, animate, construct, mirror, time_frame_exact,
};
use sinew_formats::{amc, asf, skf};
use std::sync::Arc;

const SAMPLE: &[u8] = include_bytes!("../../../../samples/pip.skf");

/// FNV-1a, for its brevity.
struct Hash(u64);

impl Hash {
    fn add(&mut self, number: f32) {
        for byte in number.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Plays every animation in turn with fades, physics, IK and meshes, and hashes what is drawn.
fn ten_seconds(physics: PhysicsStep) -> u64 {
    let armature = skf::read_bytes(SAMPLE).unwrap().armature;
    let mut state = armature.new_state();
    let mut pose = Constructed::new(&armature);
    let mut list = DrawList::new();
    let mut fade = CrossFade::new(&armature);
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for tick in 0..600u32 {
        let animation = AnimationIndex(tick / 100 % armature.animations().len() as u32);
        if tick % 100 == 0 {
            fade.start(&state, 0.3);
        }
        let time = f64::from(tick) / 60.0;
        let playing = armature.animation(animation).unwrap();
        let frame = time_frame_exact(time, playing, FrameSettings::default());
        animate(&armature, &mut state, &[Play::new(animation, frame)]).unwrap();
        fade.apply(&mut state, 1.0 / 60.0);
        let settings = ConstructSettings {
            velocity: sinew::glam::Vec2::new(4.8, 0.0),
            physics,
            ..ConstructSettings::default()
        };
        construct(&armature, &mut state, &settings, &mut pose).unwrap();
        list.fill(&armature, &state, &pose, armature.default_styles());
        for vertex in &list.vertices {
            hash.add(vertex.pos.x);
            hash.add(vertex.pos.y);
        }
        for bone in pose.bones() {
            hash.add(bone.rot());
        }
    }
    hash.0
}

#[test]
fn ten_seconds_of_poses_hash_to_the_known_value() {
    assert_eq!(hex(PhysicsStep::PerCall), "7dbdba54a10c4308");
}

#[test]
fn ten_seconds_by_another_clock_hash_to_the_known_value() {
    assert_eq!(hex(PhysicsStep::Seconds(1.0 / 144.0)), "8357587027677851");
}

fn hex(physics: PhysicsStep) -> String {
    format!("{:016x}", ten_seconds(physics))
}

/// Keeps a controller busy for ten seconds: cross-fades, a layer with a start bone, an additive one.
fn ten_seconds_of_control(
    set: AnimationSet,
    start_bone: &str,
    mut see: impl FnMut(&AnimationController),
) {
    let set = Arc::new(set);
    let play = |index: u32| {
        let animation = AnimationIndex(index % set.len() as u32);
        AnimationParameters::new(&set, animation).looped()
    };
    let mut controller = AnimationController::new(set.clone());
    for tick in 0..600u32 {
        match tick % 120 {
            0 => drop(
                controller
                    .play_existing_exclusive(play(tick / 120), 0.3)
                    .unwrap(),
            ),
            30 => {
                let above = play(tick / 120 + 1).layer(1).start_bone(start_bone);
                controller.play_new(above, 0.2).unwrap();
            }
            60 => {
                let more = play(tick / 120 + 2)
                    .layer(2)
                    .additive()
                    .weight(0.5)
                    .speed(-0.7);
                controller.play_new(more, 0.1).unwrap();
            }
            90 => {
                controller.stop_layer(1, 0.25);
                controller.stop_layer(2, 0.4);
            }
            _ => {}
        }
        controller.update(1.0 / 61.0);
        see(&controller);
    }
}

#[test]
fn ten_seconds_of_a_controlled_character_hash_to_the_known_value() {
    let armature = skf::read_bytes(SAMPLE).unwrap().armature;
    let set = AnimationSet::of_armature(&armature);
    let mut binding = ArmatureBinding::new(&Arc::new(set.clone()), &armature);
    let mut state = armature.new_state();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let start_bone = &armature.data().bones[1].name;
    ten_seconds_of_control(set, start_bone, |controller| {
        binding.apply(controller, &mut state).unwrap();
        for bone in state.bones() {
            for number in [bone.pos.x, bone.pos.y, bone.rot, bone.scale.x, bone.scale.y] {
                hash.add(number);
            }
        }
    });
    assert_eq!(hash.0, 0xc72a_a7da_be8f_8034, "{:#x}", hash.0);
}

#[test]
fn ten_seconds_of_a_controlled_figure_hash_to_the_known_value() {
    let figure = include_bytes!("../../../../samples/motion/figure.asf");
    let figure = asf::read_bytes(figure, &asf::AsfSettings::default()).unwrap();
    let mut set = AnimationSet::new();
    let mut skeleton = None;
    for (name, amc) in [
        (
            "walk",
            &include_bytes!("../../../../samples/motion/walk.amc")[..],
        ),
        (
            "run",
            &include_bytes!("../../../../samples/motion/run.amc")[..],
        ),
        (
            "wave",
            &include_bytes!("../../../../samples/motion/wave.amc")[..],
        ),
    ] {
        let read = amc::read_bytes(amc, &figure, &amc::AmcSettings::default()).unwrap();
        let mut file = amc::to_motion(&figure, read, asf::Units::default()).unwrap();
        set.add_as(name, file.animations.remove(0)).unwrap();
        skeleton = Some(file.skeleton);
    }
    let skeleton = Arc::new(skeleton.unwrap());
    let mut binding = PoseBinding::new(&Arc::new(set.clone()), &skeleton);
    let mut pose = Pose::rest(&skeleton);
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    ten_seconds_of_control(set, "thorax", |controller| {
        binding.apply(controller, &mut pose).unwrap();
        for joint in 0..skeleton.len() {
            let joint = pose.get(joint.into());
            let numbers = joint.position.to_array().into_iter();
            numbers
                .chain(joint.rotation.to_array())
                .for_each(|number| hash.add(number));
        }
    });
    assert!(binding.warnings().is_empty(), "{:?}", binding.warnings());
    assert_eq!(hash.0, 0x915e_9220_3c54_f963, "{:#x}", hash.0);
}

/// Reads a sample motion and hashes ten seconds of it, in and beyond its length and between its frames.
fn ten_seconds_of_motion(amc: &[u8]) -> u64 {
    let figure = include_bytes!("../../../../samples/motion/figure.asf");
    let figure = asf::read_bytes(figure, &asf::AsfSettings::default()).unwrap();
    let read = amc::read_bytes(amc, &figure, &amc::AmcSettings::default()).unwrap();
    let file = amc::to_motion(&figure, read, asf::Units::default()).unwrap();
    let mirrored = mirror(&file.animations[0], &file.skeleton).unwrap();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for animation in [&file.animations[0], &mirrored] {
        let mut sampler = Sampler::new(&file.skeleton, animation);
        for tick in 0..600u16 {
            let model = sampler.model_at(f32::from(tick) / 61.0);
            for number in model.matrices().iter().flat_map(|m| m.to_cols_array()) {
                hash.add(number);
            }
        }
    }
    hash.0
}

#[test]
fn ten_seconds_of_motion_hash_to_the_known_values() {
    let walk = include_bytes!("../../../../samples/motion/walk.amc");
    let turn = include_bytes!("../../../../samples/motion/dance-turn.amc");
    let hashes = [ten_seconds_of_motion(walk), ten_seconds_of_motion(turn)];
    assert_eq!(
        hashes,
        [0xfd49_72a3_9a61_9631, 0xbdb6_91b9_d6a9_24b5],
        "{hashes:#x?}"
    );
}

/// A sample motion, packed, and the hashes of its bytes and of ten seconds of poses at every level.
fn ten_seconds_of_packed_motion(amc: &[u8], profile: Profile) -> [u64; 2] {
    let figure = include_bytes!("../../../../samples/motion/figure.asf");
    let figure = asf::read_bytes(figure, &asf::AsfSettings::default()).unwrap();
    let read = amc::read_bytes(amc, &figure, &amc::AmcSettings::default()).unwrap();
    let file = amc::to_motion(&figure, read, asf::Units::default()).unwrap();
    let settings = CompressSettings {
        profile,
        ..CompressSettings::default()
    };
    let packed = compress(&file.skeleton, &file.animations[0], &settings).unwrap();
    let mut bytes = Hash(0xcbf2_9ce4_8422_2325);
    for word in packed.to_bytes().chunks(4) {
        let mut four = [0; 4];
        four[..word.len()].copy_from_slice(word);
        bytes.add(f32::from_bits(u32::from_le_bytes(four)));
    }
    let mut hashes = SimdLevel::all().map(|level| {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&file.skeleton));
        for tick in 0..600u16 {
            let time = f32::from(tick) / 61.0 % packed.length();
            packed
                .sample_with(level, time, &mut cursor, &mut pose)
                .unwrap();
            for joint in (0..pose.len()).map(|joint| pose.get(joint.into())) {
                let numbers = joint.position.to_array().into_iter();
                let numbers = numbers.chain(joint.rotation.to_array());
                numbers
                    .chain(joint.scale.to_array())
                    .for_each(|number| hash.add(number));
            }
        }
        hash.0
    });
    let first = hashes.next().unwrap();
    assert!(hashes.all(|hash| hash == first), "a level has other bits");
    [bytes.0, first]
}

#[test]
fn packed_motion_has_the_known_bytes_and_ten_seconds_of_it_hash_to_the_known_values() {
    let walk = include_bytes!("../../../../samples/motion/walk.amc");
    let hashes =
        [Profile::Small, Profile::Fast].map(|profile| ten_seconds_of_packed_motion(walk, profile));
    assert_eq!(
        hashes,
        [
            [0x6df0_ac0a_2dc8_a6a3, 0x9f59_138f_e6d1_9abc],
            [0x4558_94f1_2d7c_2c6c, 0xcd5e_104a_a936_097d]
        ],
        "{hashes:#x?}"
    );
}

#[test]
fn a_registration_and_a_mix_along_it_have_the_same_bits() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let settings = RegisterSettings {
        mode: RegisterMode::Local,
        ..RegisterSettings::default()
    };
    let curve = register(&[walk.motion(), run.motion()], &settings).unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bits: u64| {
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for motion in curve.to_data().motions {
        let curves = [motion.times, motion.angles, motion.xs, motion.zs];
        curves
            .iter()
            .flatten()
            .for_each(|number| add(number.to_bits()));
    }
    let blended = mixed(&curve, [walk.motion(), run.motion()], 0.4);
    let mut sampler = Sampler::new(&walk.skeleton, &blended.animation);
    for frame in 0..blended.positions.len() {
        for point in sampler.points_at((frame as f64 / walk.rate()) as f32) {
            point
                .to_array()
                .iter()
                .for_each(|number| add(u64::from(number.to_bits())));
        }
    }
    assert_eq!(hash, 0x952f_f8fd_64e0_0010, "{hash:#x}");
}
