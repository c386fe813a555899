//! The controller: letting time pass and applying what plays, against the samples and blends that this
//! cannot do without. Run with `cargo bench -p sinew-bench --bench controller`; with `-- instructions` it counts
//! instructions instead, by valgrind (`benches/controller.md`).
//!
//! The bare work is a loop that knows beforehand which animation plays when, where and how much. What the
//! controller takes beyond that is its overhead: fading, sorting, finding targets, the rules of who is
//! first. With `SINEW_CORPUS` set the 2D character is skellina, else the built-in sample.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark talks and may stop"
)]

use rayon::prelude::*;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::control::{ArmatureBinding, Mask};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_slerp, shortest_angle};
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureState, BoneIndex, FrameSettings,
    Repeat, animate, time_frame_exact,
};
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet, Inertia,
    Joint, JointIndex, Pose, PoseBinding, Skeleton, Transform,
};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_bench::{grouped, instructions, instructions_per_call, race};
use sinew_formats::{MotionSettings, read_motion, skf};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// One update, in seconds; not a whole number of frames of any clip, so that moments lie between keys.
const DT: f32 = 1.0 / 61.7;

/// Characters of a crowd.
const CROWD: usize = 10_000;

/// Turns that each way gets with a crowd; the best counts.
const ROUNDS: usize = 8;

/// How many animations play at once.
const COUNTS: [usize; 3] = [1, 4, 16];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// `count` animations of a set, looped, with weights that all count.
fn playing(set: &Arc<AnimationSet>, count: usize) -> AnimationController {
    let mut controller = AnimationController::new(set.clone());
    for i in 0..count {
        let animation = AnimationIndex((i % set.len()) as u32);
        let parameters = AnimationParameters::new(set, animation)
            .looped()
            .weight(if i == 0 { 1.0 } else { 0.3 })
            .speed(1.0 + 0.01 * i as f32);
        controller.play_new(parameters, 0.0).unwrap();
    }
    controller
}

/// One character of a kind.
trait Character: Clone + Send + Sync {
    /// What all characters of a thread share.
    type Shared: Clone + Send + Sync;

    /// Lets time pass and applies what plays, by the controller.
    fn controlled(&mut self, shared: &mut Self::Shared);

    /// The bare work of the same.
    fn bare(&mut self, shared: &mut Self::Shared);
}

/// What the bare work knows of a playing animation.
#[derive(Clone, Copy)]
struct Known {
    animation: usize,
    time: f32,
    speed: f32,
    weight: f32,
    length: f32,
}

impl Known {
    fn all(controller: &AnimationController) -> Vec<Self> {
        let known = |parameters: &AnimationParameters| Self {
            animation: parameters.animation.index(),
            time: parameters.time.value(),
            speed: parameters.speed,
            weight: parameters.weight,
            length: parameters.time.max(),
        };
        controller.animations().iter().map(known).collect()
    }

    fn step(&mut self) -> f32 {
        self.time += DT * self.speed;
        if self.time >= self.length {
            self.time -= self.length;
        }
        self.time
    }
}

#[derive(Clone)]
struct Figure {
    controller: AnimationController,
    known: Vec<Known>,
    pose: Pose,
}

#[derive(Clone)]
struct FigureShared {
    binding: PoseBinding,
    animations: Arc<[Arc<Animation>]>,
    joints: Arc<[Vec<JointIndex>]>,
}

impl Character for Figure {
    type Shared = FigureShared;

    fn controlled(&mut self, shared: &mut FigureShared) {
        self.controller.update(DT);
        shared
            .binding
            .apply(&self.controller, &mut self.pose)
            .unwrap();
    }

    fn bare(&mut self, shared: &mut FigureShared) {
        for (i, known) in self.known.iter_mut().enumerate() {
            let time = known.step();
            let animation = &shared.animations[known.animation];
            let joints = &shared.joints[known.animation];
            for (track, &joint) in animation.tracks.iter().zip(joints) {
                if let Some(channel) = &track.position {
                    let value = channel.sample_looped(time, known.length);
                    let position = self.pose.position(joint);
                    let mixed = position * (1.0 - known.weight) + value * known.weight;
                    self.pose
                        .set_position(joint, if i == 0 { value } else { mixed });
                }
                if let Some(channel) = &track.rotation {
                    let mut value = channel.sample_looped(time, known.length);
                    if i > 0 {
                        value = quat_slerp(self.pose.rotation(joint), value, known.weight);
                    }
                    self.pose.set_rotation(joint, value);
                }
            }
        }
    }
}

fn figure() -> (Arc<Skeleton>, Vec<Animation>) {
    let folder = samples().join("motion");
    let mut skeleton = None;
    let mut animations = Vec::new();
    for name in ["walk", "run", "idle", "jump", "wave", "dance-turn"] {
        let path = folder.join(format!("{name}.bvh"));
        let file = read_motion(&path, &MotionSettings::default()).unwrap();
        skeleton.get_or_insert(file.skeleton);
        let mut animation = file.animations.into_iter().next().unwrap();
        animation.name = name.to_owned();
        animations.push(animation);
    }
    (Arc::new(skeleton.unwrap()), animations)
}

#[derive(Clone)]
struct Flat {
    controller: AnimationController,
    known: Vec<Known>,
    state: ArmatureState,
}

#[derive(Clone)]
struct FlatShared {
    armature: Arc<Armature>,
    binding: ArmatureBinding,
    scratch: ArmatureState,
    /// The bone of each visual.
    tinted: Arc<[BoneIndex]>,
}

impl Character for Flat {
    type Shared = FlatShared;

    fn controlled(&mut self, shared: &mut FlatShared) {
        self.controller.update(DT);
        shared
            .binding
            .apply(&self.controller, &mut self.state)
            .unwrap();
    }

    fn bare(&mut self, shared: &mut FlatShared) {
        let settings = FrameSettings {
            reverse: false,
            repeat: Repeat::Once,
        };
        let armature = &shared.armature;
        for (i, known) in self.known.iter_mut().enumerate() {
            let animation = &armature.animations()[known.animation];
            let frame = time_frame_exact(f64::from(known.step()), animation, settings);
            let play = [AnimationFrame::new(
                ArmatureAnimationIndex(known.animation as u32),
                frame,
            )];
            if i == 0 {
                animate(armature, &mut self.state, &play).unwrap();
                continue;
            }
            animate(armature, &mut shared.scratch, &play).unwrap();
            let weight = known.weight;
            let from = shared.scratch.bones();
            for (bone, from) in self.state.bones_mut().iter_mut().zip(from) {
                bone.position += (from.position - bone.position) * weight;
                bone.rotation += shortest_angle(bone.rotation, from.rotation) * weight;
                bone.scale += (from.scale - bone.scale) * weight;
            }
            let from = shared.scratch.tints();
            for (&bone, from) in shared.tinted.iter().zip(from) {
                let tint = self.state.tint_mut(armature, bone).unwrap();
                tint.r += (from.r - tint.r) * weight;
                tint.g += (from.g - tint.g) * weight;
                tint.b += (from.b - tint.b) * weight;
                tint.a += (from.a - tint.a) * weight;
            }
        }
    }
}

fn flat() -> Arc<Armature> {
    let corpus = std::env::var_os("SINEW_CORPUS").map(PathBuf::from);
    let path = match corpus {
        Some(corpus) => corpus.join("skf/macroquad-mit/skellina-0.7.skf"),
        None => samples().join("pip.skf"),
    };
    skf::read(&path).unwrap().armature
}

fn one<C: Character>(name: &str, shared: &C::Shared, make: impl Fn(usize) -> C) {
    for count in COUNTS {
        let (mut character, mut other) = (make(count), make(count));
        let (mut shared, mut other_shared) = (shared.clone(), shared.clone());
        let [bare, controlled] = race([
            &mut || {
                other.bare(&mut other_shared);
                black_box(&other);
            },
            &mut || {
                character.controlled(&mut shared);
                black_box(&character);
            },
        ]);
        println!(
            "  {name:20} {count:2} playing {bare:8.0} ns {controlled:8.0} ns   {:+5.1} %",
            (controlled / bare - 1.0) * 100.0
        );
    }
}

/// The best time of one update of a whole crowd, on `threads` threads, by each way in turn.
fn crowd<C: Character>(name: &str, shared: &C::Shared, make: impl Fn(usize) -> C) {
    for count in COUNTS {
        let mut characters: Vec<C> = vec![make(count); CROWD];
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.unwrap();
            let mut best = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                for (by_controller, best) in best.iter_mut().enumerate() {
                    let start = Instant::now();
                    pool.install(|| {
                        characters.par_chunks_mut(CROWD / threads).for_each(|part| {
                            let mut shared = shared.clone();
                            for character in part {
                                match by_controller {
                                    0 => character.bare(&mut shared),
                                    _ => character.controlled(&mut shared),
                                }
                            }
                        });
                    });
                    *best = best.min(start.elapsed().as_secs_f64() * 1e3);
                }
            }
            let [bare, controlled] = best;
            println!(
                "  {name:20} {count:2} playing, {threads} thread{} {bare:8.1} ms {controlled:8.1} ms   {:+5.1} %",
                if threads == 1 { " " } else { "s" },
                (controlled / bare - 1.0) * 100.0
            );
        }
    }
}

/// Joints of the synthetic figure, as many as a captured body has.
const FIGURE_JOINTS: u32 = 31;

/// Animations of the synthetic figure.
const FIGURE_CLIPS: usize = 4;

/// What is counted: clips, then what plays.
const COUNTED: [&str; 22] = [
    "keyed update",
    "keyed 1",
    "keyed 2",
    "keyed 4",
    "keyed 4 root",
    "keyed 4 smooth",
    "keyed whole",
    "keyed masked",
    "keyed additive",
    "keyed masked-additive",
    "keyed shared",
    "packed 1",
    "packed 2",
    "packed 4",
    "packed 4 root",
    "packed 4 smooth",
    "packed whole",
    "packed masked",
    "packed additive",
    "packed masked-additive",
    "packed shared",
    "packed shared-masked",
];

/// A figure whose joints are chains of five below a root, and clips of two seconds at 60 Hz that turn all of them and
/// move the root.
fn synthetic() -> (Skeleton, Vec<Animation>) {
    let joint = |index: u32| Joint {
        name: format!("joint {index}"),
        parent: match index {
            0 => None,
            index if index % 5 == 1 => Some(JointIndex(0)),
            index => Some(JointIndex(index - 1)),
        },
        rest: Transform::from_position(Vec3::new(0.0, 0.2, 0.05)),
        tip: None,
    };
    let skeleton = Skeleton::new((0..FIGURE_JOINTS).map(joint).collect()).unwrap();
    let clip = |clip: usize| {
        let times = KeyTimes::uniform(60.0, 121).unwrap();
        let phase = |frame: usize| frame as f32 / 120.0 * std::f32::consts::TAU;
        let mut animation = Animation::new(format!("clip {clip}"), 2.0);
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let turn = |frame: usize| {
                let angle = (phase(frame) + (index + 3 * clip) as f32).sin() * 0.6;
                Quat::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), angle)
            };
            let turns = (0..121).map(turn).collect();
            let mut track = TransformTrack::new(joint.name.clone());
            let rotation = Channel::new(times.clone(), turns, Interpolation::Linear);
            track.rotation = Some(rotation.unwrap());
            if index == 0 {
                let step = |frame: usize| {
                    let sway = phase(frame).sin() * 0.05;
                    Vec3::new(sway, 1.0, frame as f32 * 0.01)
                };
                let steps = (0..121).map(step).collect();
                let position = Channel::new(times.clone(), steps, Interpolation::Linear);
                track.position = Some(position.unwrap());
            }
            animation.set_track(track);
        }
        animation
    };
    let clips = (0..FIGURE_CLIPS).map(clip).collect();
    (skeleton, clips)
}

/// The set of the synthetic figure, with keys or packed.
fn synthetic_set(is_packed: bool) -> (Arc<AnimationSet>, Arc<Skeleton>) {
    let (skeleton, clips) = synthetic();
    let skeleton = Arc::new(skeleton);
    let mut set = AnimationSet::new();
    for clip in clips {
        if is_packed {
            let settings = CompressSettings {
                max_error: 1e-3,
                profile: Profile::Fast,
            };
            let packed = compress(&skeleton, &clip, &settings).unwrap();
            set.add_packed(packed, &skeleton).unwrap();
        } else {
            set.add(clip).unwrap();
        }
    }
    // Half of the body.
    let mut mask = Mask::none();
    for joint in &skeleton.joints()[1..16] {
        mask = mask.with(&joint.name, 0.7);
    }
    set.set_mask("half", mask);
    (Arc::new(set), skeleton)
}

/// One animation of full weight, and three more that are laid over it in the same way.
fn layered(set: &Arc<AnimationSet>, kind: &str) -> AnimationController {
    let mut controller = AnimationController::new(set.clone());
    for clip in 0..FIGURE_CLIPS as u32 {
        let mut parameters = AnimationParameters::new(set, AnimationIndex(clip)).looped();
        if clip > 0 {
            parameters = parameters.weight(0.3).layer(clip);
            if kind.contains("masked") {
                parameters = parameters.mask("half");
            }
            if kind.contains("additive") {
                parameters = parameters.additive();
            }
            if kind.contains("shared") {
                parameters = parameters.layer(1).sharing_layer();
            }
        }
        controller.play_new(parameters, 0.0).unwrap();
    }
    controller
}

/// Updates and poses of a figure, as often as told: what is counted.
fn counted(kind: &str, count: usize) {
    if kind == "add" {
        let (set, _) = synthetic_set(false);
        black_box(playing_one(&set, count));
        return;
    }
    let words: Vec<&str> = kind.split(' ').collect();
    let (set, skeleton) = synthetic_set(words[0] == "packed");
    let mut controller = match words[1].parse() {
        Ok(number) => playing(&set, number),
        Err(_) => layered(&set, words[1]),
    };
    let with_root = words.contains(&"root");
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.root = with_root.then_some(JointIndex(0));
    let mut inertia = Inertia::new(&skeleton);
    let mut pose = Pose::rest(&skeleton);
    for _ in 0..count {
        controller.update(DT);
        if words.contains(&"smooth") {
            let smooth = binding.apply_smooth(&controller, &mut inertia, DT, &mut pose);
            smooth.unwrap();
        } else if !words.contains(&"update") {
            binding.apply(&controller, &mut pose).unwrap();
        }
        if with_root {
            black_box(binding.root_motion(&controller));
        }
        black_box(&pose);
    }
}

/// `count` instances of one animation.
fn playing_one(set: &Arc<AnimationSet>, count: usize) -> AnimationController {
    let mut controller = AnimationController::new(set.clone());
    for _ in 0..count {
        let parameters = AnimationParameters::new(set, AnimationIndex(0)).looped();
        controller.play_new(parameters, 0.0).unwrap();
    }
    controller
}

/// Instructions of an update and the pose of a figure; and of adding instances of one animation.
fn count_instructions(only: Option<&str>) {
    println!("| what | instructions |\n|---|---:|");
    for kind in COUNTED {
        if only.is_none_or(|only| kind.contains(only)) {
            let count = instructions_per_call(&["counted", kind]).unwrap();
            println!("| {kind} | {} |", grouped(count));
        }
    }
    if only.is_some() {
        return;
    }
    println!("\n| instances added | instructions | per instance |\n|---:|---:|---:|");
    let none = instructions(&["counted", "add", "0"]).unwrap();
    for count in [2_000_u64, 4_000, 8_000, 16_000] {
        let total = instructions(&["counted", "add", &count.to_string()]).unwrap() - none;
        println!(
            "| {} | {} | {} |",
            grouped(count),
            grouped(total),
            total / count
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["counted", kind, count] => return counted(kind, count.parse().unwrap()),
        ["instructions"] | ["instructions", "--bench"] => return count_instructions(None),
        ["instructions", only, ..] => return count_instructions(Some(only)),
        _ => {}
    }
    let (skeleton, animations) = figure();
    let joints = |animation: &Animation| {
        let found = animation
            .tracks
            .iter()
            .map(|track| skeleton.find(&track.name));
        found.map(Option::unwrap).collect::<Vec<_>>()
    };
    let mut set = AnimationSet::new();
    let mut shared = Vec::new();
    for animation in animations {
        let animation = Arc::new(animation);
        shared.push(animation.clone());
        set.add(animation).unwrap();
    }
    let set = Arc::new(set);
    let figure_shared = FigureShared {
        binding: PoseBinding::new(&set, &skeleton),
        joints: shared.iter().map(|animation| joints(animation)).collect(),
        animations: shared.into(),
    };
    let figure = |count: usize| {
        let controller = playing(&set, count);
        Figure {
            known: Known::all(&controller),
            controller,
            pose: Pose::rest(&skeleton),
        }
    };
    let armature = flat();
    let flat_set = Arc::new(AnimationSet::of_armature(&armature));
    let flat_shared = FlatShared {
        binding: ArmatureBinding::new(&flat_set, &armature),
        scratch: armature.new_state(),
        tinted: (0..armature.data().visuals.len())
            .map(|visual| {
                let mut bones = armature.data().bones.iter();
                bones
                    .position(|bone| bone.visual == Some(visual))
                    .unwrap()
                    .into()
            })
            .collect(),
        armature: armature.clone(),
    };
    let flat = |count: usize| {
        let controller = playing(&flat_set, count);
        Flat {
            known: Known::all(&controller),
            controller,
            state: armature.new_state(),
        }
    };
    let joint_name = format!("{} joints", skeleton.len());
    let bone_name = format!("{} bones", armature.bone_count());
    println!("one character                    bare work   controller   overhead");
    one(&joint_name, &figure_shared, figure);
    one(&bone_name, &flat_shared, flat);
    println!("{CROWD} characters                  bare work   controller   overhead");
    crowd(&joint_name, &figure_shared, figure);
    crowd(&bone_name, &flat_shared, flat);
}
