//! Root motion of real walks and of the project's own motions.
//!
//! Real files are found through `SINEW_CORPUS`; the tests that need them say how many they ran.

use sinew::anatomy::root_motion_joint;
use sinew::animation::Channel;
use sinew::glam::Vec3;
use sinew::math::GroundTransform;
use sinew::math::{quat_inverse, quat_mul};
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet, JointIndex,
    ModelPose, Pose, PoseBinding, Sampler, Skeleton, local_to_model,
};
use sinew_author::compress::{CompressSettings, compress};
use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{self, say};
use sinew_testing::ground::between;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything in the corpus that its index calls a walk and that has frames to walk in.
const WALKS: [&str; 18] = [
    "asf-amc/cmu-cyun9601/02_01.amc",
    "asf-amc/cmu-visdoom/07_01-walk.amc",
    "asf-amc/cmu-visdoom/07_12-walk.amc",
    "asf-amc/cmu-fzzzz-crlf/walk_01.amc",
    "asf-amc/cmu-fzzzz-lf/walk_01.amc",
    "asf-amc/cmu-gsimchoni/zombie.amc",
    "asf-amc/jmocap/walk.amc",
    "asf-amc/snu-tilling/walk_straight.amc",
    "asf-amc/snu-tilling/run_to_walk.amc",
    "asf-amc/snu-tilling/walk_crawl_walk.amc",
    "asf-amc/seed-clips/07_05.amc",
    "asf-amc/seed-clips/forward.amc",
    "asf-amc/seed-clips/backward.amc",
    "bvh/cmu-una-dinosauria/02_01.bvh",
    "bvh/makehuman/walk1.bvh",
    "bvh/snu/wd2_WalkSameSame01.bvh",
    "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
    "bvh/lawrennd/Swagger2.bvh",
];

struct Clip {
    name: String,
    skeleton: Arc<Skeleton>,
    animation: Animation,
    root: JointIndex,
}

impl Clip {
    fn read(path: &Path, name: &str) -> Self {
        let asf = path.with_file_name("wd2.asf");
        let settings = MotionSettings {
            lenient: true,
            asf: asf.exists().then_some(asf),
            ..MotionSettings::default()
        };
        let mut file = read_motion(path, &settings).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self::new(
            name,
            Arc::new(file.skeleton),
            file.animations.swap_remove(0),
        )
    }

    fn new(name: &str, skeleton: Arc<Skeleton>, animation: Animation) -> Self {
        Self {
            name: name.into(),
            root: root_motion_joint(&skeleton, &animation),
            skeleton,
            animation,
        }
    }

    /// One of its cycles as a loop.
    fn looped(&self) -> Option<Self> {
        let (skeleton, animation) = (&*self.skeleton, &self.animation);
        let cycle = find_cycle(skeleton, animation, &CycleSettings::default()).ok()?;
        let looped = make_loop(skeleton, animation, &cycle, &LoopSettings::default()).ok()?;
        let name = format!("{}, loop", self.name);
        Some(Self::new(&name, self.skeleton.clone(), looped.animation))
    }

    /// The headings of the root joint, in radians from the first frame's, each the mean of 1.2 seconds about it: what is
    /// left of turns once steps are averaged away.
    fn mean_headings(&self) -> Vec<f64> {
        let mut sampler = Sampler::new(&self.skeleton, &self.animation);
        let count = (self.animation.length * 60.0) as usize + 1;
        let first = quat_inverse(sampler.pose_at(0.0).rotation(self.root));
        let mut headings = Vec::new();
        let mut last = 0.0_f64;
        for frame in 0..count {
            let rotation = sampler.pose_at(frame as f32 / 60.0).rotation(self.root);
            let turn = quat_mul(rotation, first);
            let now = 2.0 * f64::from(turn.y).atan2(turn.w.into());
            let turns = ((now - last) / std::f64::consts::TAU).round();
            last = now - turns * std::f64::consts::TAU;
            headings.push(last);
        }
        let half = 36.min(count / 2);
        let mean = |index: usize| {
            let near = &headings[index.saturating_sub(half)..(index + half + 1).min(count)];
            near.iter().sum::<f64>() / near.len() as f64
        };
        (half..count - half).map(mean).collect()
    }

    fn turns(&self) -> f64 {
        let all = self.mean_headings();
        let most = all.iter().copied().fold(f64::MIN, f64::max);
        most - all.iter().copied().fold(f64::MAX, f64::min)
    }
}

fn samples() -> Vec<Clip> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
    let names = ["walk", "run", "idle", "wave", "jump", "dance-turn"];
    let read = |name: &str| Clip::read(&folder.join(format!("{name}.amc")), name);
    names.map(read).into()
}

fn walks() -> Vec<Clip> {
    let corpus = corpus::required_corpus();
    let read = |name: &&str| Clip::read(&corpus.join(name), name);
    WALKS.iter().map(read).collect()
}

/// The clip and a body that stands still, keyed or packed.
fn set_of(clip: &Clip, packed: bool) -> Arc<AnimationSet> {
    let mut set = AnimationSet::new();
    if packed {
        let packed = compress(
            &clip.skeleton,
            &clip.animation,
            &CompressSettings::default(),
        )
        .unwrap();
        set.add_packed_as("walk", packed, &clip.skeleton).unwrap();
    } else {
        set.add_as("walk", clip.animation.clone()).unwrap();
    }
    let mut still = Animation::new("still", 1.0);
    for track in &clip.animation.tracks {
        let mut still_track = track.clone();
        still_track.position = track
            .position
            .as_ref()
            .map(|channel| Channel::constant(channel.first()).unwrap());
        still_track.rotation = track
            .rotation
            .as_ref()
            .map(|channel| Channel::constant(channel.first()).unwrap());
        still.set_track(still_track);
    }
    set.add(still).unwrap();
    Arc::new(set)
}

/// Starts and stops a clip forty times, from and at moments all over it; the heading at the end, in degrees.
fn heading_after_forty_starts(clip: &Clip, packed: bool, looped: bool) -> f64 {
    let set = set_of(clip, packed);
    let mut controller = AnimationController::new(set.clone());
    let mut binding = PoseBinding::new(&set, &clip.skeleton);
    binding.root = Some(clip.root);
    let mut pose = Pose::rest(&clip.skeleton);
    let mut place = GroundTransform::IDENTITY;
    let length = clip.animation.length;
    for round in 0..40_u32 {
        for animation in [0, 1] {
            let mut parameters = AnimationParameters::new(&set, AnimationIndex(animation));
            parameters.looped = looped || animation == 1;
            // Spread over the clip without a pattern.
            let start = f64::from(round) * 0.618_033_988_75 % 1.0;
            parameters = parameters
                .keep_on_completion()
                .time(start as f32 * length * 0.5);
            controller.play_new_exclusive(parameters, 0.2).unwrap();
            for _ in 0..20 + round * 7 % 60 {
                controller.update(1.0 / 60.0);
                binding.apply(&controller, &mut pose).unwrap();
                place = binding.root_motion(&controller).then(&place);
            }
        }
    }
    place.angle.to_degrees().abs()
}

/// How far joints of a clip with root motion taken out are from the clip as it is, in metres at most, once the character is
/// put where the clip begins.
fn farthest_joint(clip: &Clip) -> f32 {
    let set = set_of(clip, false);
    let mut controller = AnimationController::new(set.clone());
    let mut binding = PoseBinding::new(&set, &clip.skeleton);
    binding.root = Some(clip.root);
    let parameters = AnimationParameters::new(&set, AnimationIndex(0)).keep_on_completion();
    controller.play_new(parameters, 0.0).unwrap();
    let skeleton = &*clip.skeleton;
    let (mut pose, mut model) = (Pose::rest(skeleton), ModelPose::new(skeleton));
    let mut sampler = Sampler::new(skeleton, &clip.animation);
    let mut place = None;
    let mut farthest = 0.0_f32;
    let frames = (clip.animation.length * 60.0) as usize;
    for _ in 0..frames {
        controller.update(1.0 / 60.0);
        binding.apply(&controller, &mut pose).unwrap();
        let time = controller.animations()[0].time.value();
        let expected = sampler.pose_at(time).clone();
        let step = binding.root_motion(&controller);
        let place = match &mut place {
            None => {
                // Wherever the root joint hangs: in the frame of its parent.
                let [shown, there] = [&pose, &expected].map(|pose| pose.get(clip.root));
                place.insert(between(&shown, &there))
            }
            Some(place) => {
                *place = step.then(place);
                place
            }
        };
        let root = place.move_transform(&pose.get(clip.root));
        let mut world = pose.clone();
        world.set(clip.root, root);
        let mut points = [(); 2].map(|()| Vec::<Vec3>::new());
        for (pose, points) in [&world, &expected].into_iter().zip(&mut points) {
            local_to_model(skeleton, pose, &mut model).unwrap();
            points.extend((0..skeleton.len()).map(|index| model.position(index.into())));
        }
        for (a, b) in points[0].iter().zip(&points[1]) {
            farthest = farthest.max((*a - *b).length());
        }
    }
    farthest
}

/// Whether the motion itself goes straight: its heading, averaged over steps, stays within 20 degrees, and a loop does not
/// turn.
fn is_straight(clip: &Clip) -> bool {
    let looping = clip.animation.looping;
    let is_straight_loop = looping.is_none_or(|loop_motion| loop_motion.per_cycle.angle == 0.0);
    is_straight_loop && clip.turns().to_degrees() < 20.0
}

/// Checks clips as they are and, where one can be made of them, as loops: how many headings were tried.
fn check_headings(clips: &[Clip]) -> [usize; 2] {
    let (mut straight, mut others) = (0, 0);
    for clip in clips {
        let looped = clip.looped();
        let both = [(Some(clip), false), (looped.as_ref(), true)];
        for (clip, is_loop) in both
            .into_iter()
            .filter_map(|(clip, is_loop)| Some((clip?, is_loop)))
        {
            if !is_straight(clip) {
                let degrees = clip.turns().to_degrees();
                say(&format!("{}: turns by {degrees:.0} degrees", clip.name));
                others += 1;
                continue;
            }
            for packed in [false, true] {
                let heading = heading_after_forty_starts(clip, packed, is_loop);
                say(&format!("{}: {heading:.4} degrees", clip.name));
                assert!(heading < 1.0, "{}, packed {packed}: {heading}", clip.name);
                straight += 1;
            }
        }
    }
    [straight, others]
}

/// Forty starts and stops of the project's own motions leave the character facing as it did.
#[test]
fn forty_starts_and_stops_of_the_samples_do_not_turn_the_character() {
    let [straight, _] = check_headings(&samples());
    assert!(straight >= 8, "{straight}");
}

/// The same of every walk of the corpus that goes straight, as it is and as a loop, keyed and packed.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn forty_starts_and_stops_of_every_walk_do_not_turn_the_character() {
    let [straight, others] = check_headings(&walks());
    say(&format!("{straight} straight, {others} turn"));
    // 16 of 18 walks, keyed and packed, and loops of them.
    assert!(straight >= 60, "{straight}");
}

/// With root motion taken out of the pose and added to the place of the character, every joint of the samples is in the
/// world where the clip has it.
#[test]
fn root_motion_keeps_the_joints_of_the_samples_in_the_world() {
    for clip in samples() {
        let farthest = farthest_joint(&clip);
        say(&format!("{}: {farthest:.2e} m", clip.name));
        assert!(farthest < 1e-5, "{}: {farthest}", clip.name);
    }
}

/// The same of every walk of the corpus, those that turn included.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn root_motion_keeps_the_joints_of_every_walk_in_the_world() {
    let clips = walks();
    for clip in &clips {
        let farthest = farthest_joint(clip);
        say(&format!("{}: {farthest:.2e} m", clip.name));
        assert!(farthest < 1e-5, "{}: {farthest}", clip.name);
    }
    say(&format!("{} walks", clips.len()));
}
