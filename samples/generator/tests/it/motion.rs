//! What the motions must look like to be believed, measured on their joints.

use sinew::glam::{Quat, Vec3};
use sinew::math::quat_dot;
use sinew::{JointIndex, ModelPose, Pose, Skeleton, local_to_model, sample};
use sinew_formats::MotionFile;
use sinew_formats::amc::{self, Amc, AmcSettings};
use sinew_formats::asf::{self, Asf, AsfSettings, Dof, Units};
use sinew_formats::bvh::{self, BvhSettings};
use sinew_samples_generator::motion::{figure, files, motions};
use std::path::Path;

const LOOPS: [&str; 5] = ["walk", "run", "idle", "wave", "dance-turn"];
const GRAVITY: f32 = 9.81;

/// Heights over the ground, of a foot that lies flat: ankle, ball.
const ANKLE: f32 = 0.06825;
const BALL: f32 = 0.022;
/// The heel's point of contact, from the ankle, for feet that point straight ahead.
const HEEL: Vec3 = Vec3::new(0.0, -ANKLE, -0.045);
/// How far feet point outward at rest, degrees.
const TOE_OUT: f32 = 7.0;

fn amc(name: &str) -> Amc {
    let found = motions().into_iter().find(|motion| motion.0 == name);
    found.unwrap().1
}

/// One foot in one frame.
#[derive(Clone, Copy, Debug)]
struct Foot {
    heel: Vec3,
    ankle: Vec3,
    ball: Vec3,
    tip: Vec3,
}

impl Foot {
    fn lowest(&self) -> f32 {
        let heights = [self.heel, self.ankle, self.ball, self.tip].map(|point| point.y);
        heights.into_iter().fold(f32::INFINITY, f32::min)
    }
}

/// A motion with all its joints in every frame.
struct Played {
    rate: f32,
    skeleton: Skeleton,
    /// Where joints are, then the tips of leaves.
    points: Vec<Vec<Vec3>>,
    rotations: Vec<Vec<Quat>>,
    /// Left, right.
    feet: Vec<[Foot; 2]>,
}

impl Played {
    fn of(name: &str) -> Self {
        let file = amc::to_motion(&figure(), amc(name), Units::CmuMetres).unwrap();
        Self::new(file)
    }

    fn new(file: MotionFile) -> Self {
        let MotionFile {
            skeleton,
            animations,
            ..
        } = file;
        let animation = &animations[0];
        let rate = animation.frame_rate.unwrap();
        let count = (f64::from(animation.length) * rate).round() as usize + 1;
        let binding = animation.bind(&skeleton);
        let mut pose = Pose::rest(&skeleton);
        let mut model = ModelPose::new(&skeleton);
        let mut played = Self {
            rate: rate as f32,
            points: Vec::new(),
            rotations: Vec::new(),
            feet: Vec::new(),
            skeleton,
        };
        let skeleton = &played.skeleton;
        for frame in 0..count {
            let time = (frame as f64 / rate) as f32;
            sample(animation, &binding, time, &mut pose).unwrap();
            local_to_model(skeleton, &pose, &mut model).unwrap();
            let joints = || (0..skeleton.len()).map(|joint| JointIndex(joint as u32));
            let mut points: Vec<Vec3> = joints().map(|joint| model.position(joint)).collect();
            points.extend(joints().filter_map(|joint| model.tip(skeleton, joint)));
            played.points.push(points);
            let rotations = joints().map(|joint| pose.get(joint).rotation);
            played.rotations.push(rotations.collect());
            played.feet.push(["l", "r"].map(|side| {
                let foot = skeleton.find(&format!("{side}foot")).unwrap();
                let toes = skeleton.find(&format!("{side}toes")).unwrap();
                let out = if side == "l" { TOE_OUT } else { -TOE_OUT };
                let heel = Quat::from_rotation_y(out.to_radians()) * HEEL;
                Foot {
                    heel: model.point(foot, heel),
                    ankle: model.position(foot),
                    ball: model.position(toes),
                    tip: model.tip(skeleton, toes).unwrap(),
                }
            }));
        }
        played
    }

    fn root(&self, frame: usize) -> Vec3 {
        self.points[frame][0]
    }

    /// Runs of frames in which something holds, at least two frames each.
    fn runs(&self, holds: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
        let mut runs = Vec::new();
        let mut start = None;
        for frame in 0..=self.feet.len() {
            let inside = frame < self.feet.len() && holds(frame);
            match start {
                None if inside => start = Some(frame),
                Some(first) if !inside => {
                    if frame - first > 1 {
                        runs.push(first..frame);
                    }
                    start = None;
                }
                _ => {}
            }
        }
        runs
    }

    /// Frames in which nothing touches the ground.
    fn flights(&self) -> Vec<std::ops::Range<usize>> {
        let rest_tip = BALL - 0.008;
        self.runs(|frame| {
            self.feet[frame].iter().all(|foot| {
                foot.heel.y > 1e-3 && foot.ball.y > BALL + 1e-3 && foot.tip.y > rest_tip + 1e-3
            })
        })
    }

    /// Frames in which a foot's heel comes down; the first frame too when it begins so.
    fn strikes(&self, side: usize) -> Vec<usize> {
        let down = |frame: usize| self.feet[frame][side].heel.y < 5e-4;
        let frames = 0..self.feet.len();
        frames
            .filter(|&frame| down(frame) && (frame == 0 || !down(frame - 1)))
            .collect()
    }
}

fn span(values: impl Iterator<Item = f32>) -> (f32, f32) {
    values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

fn channel(asf: &Asf, amc: &Amc, bone: &str, dof: Dof) -> Vec<f32> {
    let bone = (bone != "root").then(|| asf.find(bone).unwrap());
    let values = amc.channel(bone, dof).unwrap();
    values.iter().map(|&value| value as f32).collect()
}

fn range(asf: &Asf, amc: &Amc, bone: &str, dof: Dof) -> (f32, f32) {
    span(channel(asf, amc, bone, dof).into_iter())
}

#[test]
fn files_are_what_the_generator_makes() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for (name, made) in files().unwrap() {
        let stored = std::fs::read(folder.join(&name)).unwrap();
        assert!(stored == made, "{name}: run `cargo xtask samples`");
    }
}

#[test]
fn files_are_small() {
    let bytes: usize = files().unwrap().iter().map(|file| file.1.len()).sum();
    assert!(bytes < 2_000_000, "{bytes}");
}

#[test]
fn strict_readers_read_the_files_as_they_were_made_and_warn_of_nothing() {
    let files = files().unwrap();
    let bytes = |name: &str| {
        let file = files.iter().find(|file| file.0 == format!("motion/{name}"));
        file.unwrap().1.as_slice()
    };
    let asf = asf::read_bytes(bytes("figure.asf"), &AsfSettings::default()).unwrap();
    assert!(asf.warnings.is_empty(), "{:?}", asf.warnings);
    let made = figure();
    assert_eq!(asf.bones.len(), made.bones.len());
    for (name, motion) in motions() {
        let settings = AmcSettings::default();
        let read = amc::read_bytes(bytes(&format!("{name}.amc")), &asf, &settings).unwrap();
        assert!(read.warnings.is_empty(), "{name}: {:?}", read.warnings);
        assert_eq!(read.tracks, motion.tracks, "{name}");
        assert_eq!(read.frame_rate, motion.frame_rate, "{name}");
        let file = amc::to_motion(&asf, read, Units::CmuMetres).unwrap();
        assert!(file.warnings.is_empty(), "{name}: {:?}", file.warnings);
    }
}

#[test]
fn bvh_files_put_every_joint_where_amc_files_do() {
    let mut compared = 0;
    for (path, bytes) in files().unwrap() {
        let Some(name) = path.strip_suffix(".bvh") else {
            continue;
        };
        let settings = BvhSettings::default();
        let bvh = bvh::read_bytes(&bytes, &settings).unwrap();
        let bvh = Played::new(bvh.into_motion(&settings).unwrap());
        let amc = Played::of(name.strip_prefix("motion/").unwrap());
        let step = (amc.rate / bvh.rate).round() as usize;
        assert_eq!((bvh.points.len() - 1) * step, amc.points.len() - 1);
        for (frame, points) in bvh.points.iter().enumerate() {
            for (a, b) in points.iter().zip(&amc.points[frame * step]) {
                assert!(a.distance(*b) < 1e-4, "{name} frame {frame}: {a} {b}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000);
}

#[test]
fn figure_has_31_joints_and_published_proportions() {
    let asf = figure();
    let skeleton = asf::to_skeleton(&asf, Units::CmuMetres).unwrap();
    assert_eq!(skeleton.len(), 31);
    let length = |bone: &str| {
        let bone = &asf.bones[asf.find(bone).unwrap()];
        bone.length * Units::CmuMetres.metres(&asf.units) / 1.75
    };
    // Drillis and Contini, fractions of the stature.
    for (bones, fraction) in [
        (&["femur"][..], 0.245),
        (&["tibia"], 0.246),
        (&["humerus"], 0.188),
        (&["radius", "wrist"], 0.146),
        (&["hand", "fingers"], 0.108),
    ] {
        for side in ["l", "r"] {
            let length: f64 = bones
                .iter()
                .map(|bone| length(&format!("{side}{bone}")))
                .sum();
            assert!(
                (length - fraction).abs() < 1e-6,
                "{side}{bones:?}: {length}"
            );
        }
    }
    let rest = Pose::rest(&skeleton);
    let mut model = ModelPose::new(&skeleton);
    local_to_model(&skeleton, &rest, &mut model).unwrap();
    let tip = |name: &str| model.tip(&skeleton, skeleton.find(name).unwrap()).unwrap();
    // The tips of the toes are 14 mm above the soles; legs are spread.
    let height = tip("head").y - tip("ltoes").y + 0.014;
    assert!((1.735..1.755).contains(&height), "{height}");
    assert!(tip("lfingers").x > 0.5 && tip("rfingers").x < -0.5);
    assert!(tip("ltoes").z > 0.15);
}

#[test]
fn every_limb_has_axes_of_its_own() {
    let asf = figure();
    let turned = asf.bones.iter().filter(|bone| {
        let axis = bone.axis.map(|angle| angle.abs() > 0.5);
        axis.contains(&true)
    });
    assert_eq!(turned.count(), 28, "all but the hip joints");
}

#[test]
fn joint_angles_are_within_the_limits() {
    let asf = figure();
    for (name, motion) in motions() {
        for (bone, track) in asf.bones.iter().zip(&motion.tracks[1..]) {
            assert_eq!(bone.limits.len(), bone.dof.len());
            for (limit, values) in bone.limits.iter().zip(&track.values) {
                for value in values {
                    let inside = (limit[0]..=limit[1]).contains(value);
                    assert!(inside, "{name} {}: {value} of {limit:?}", bone.name);
                }
            }
        }
    }
}

#[test]
fn feet_that_stand_do_not_slide() {
    for (name, _) in motions() {
        let played = Played::of(name);
        for side in 0..2 {
            let foot = |frame: usize| played.feet[frame][side];
            let ball = |frame: usize| (foot(frame).ball.y - BALL).abs() < 5e-4;
            let flat = |frame: usize| ball(frame) && (foot(frame).ankle.y - ANKLE).abs() < 5e-4;
            let heel = |frame: usize| foot(frame).heel.y.abs() < 5e-4;
            let mut stood = 0;
            for run in played.runs(ball) {
                stood += run.len();
                for frame in run.clone() {
                    let [ball, tip] = [foot(frame).ball, foot(frame).tip];
                    let slid = ball.distance(foot(run.start).ball);
                    assert!(slid < 2e-3, "{name} {frame}: ball {slid}");
                    let slid = tip.distance(foot(run.start).tip);
                    assert!(slid < 2e-3, "{name} {frame}: toes {slid}");
                }
            }
            for (run, point) in played
                .runs(flat)
                .into_iter()
                .map(|run| (run, 0))
                .chain(played.runs(heel).into_iter().map(|run| (run, 1)))
            {
                let place = |frame: usize| [foot(frame).ankle, foot(frame).heel][point];
                for frame in run.clone() {
                    let slid = place(frame).distance(place(run.start));
                    assert!(slid < 2e-3, "{name} {frame}: {point} {slid}");
                }
            }
            // A foot is on its ball for about half of a walk and a third of a run.
            let share = stood as f32 / played.feet.len() as f32;
            assert!(share > 0.28, "{name}: {share}");
        }
    }
}

#[test]
fn feet_do_not_sink_into_the_ground_and_swing_clear_of_it() {
    for (name, _) in motions() {
        let played = Played::of(name);
        let points = played.points.iter().flatten().map(|point| point.y);
        let feet = played.feet.iter().flatten().map(Foot::lowest);
        let (lowest, _) = span(points.chain(feet));
        assert!(lowest > -2e-3, "{name}: {lowest}");
    }
    let walk = Played::of("walk");
    for frame in 0..walk.feet.len() {
        for foot in walk.feet[frame] {
            // The toes swing past the other leg a finger's breadth above the ground.
            let beside = (foot.ankle.z - walk.root(frame).z).abs() < 0.1;
            if beside && foot.heel.y > 0.03 {
                assert!(foot.tip.y > 0.02, "frame {frame}: {}", foot.tip.y);
            }
        }
    }
}

#[test]
fn loops_end_as_they_begin() {
    for name in LOOPS {
        let amc = amc(name);
        for (index, track) in amc.tracks.iter().enumerate() {
            for (dof, values) in track.dofs.iter().zip(&track.values) {
                let (first, last) = (values[0], values[values.len() - 1]);
                match dof {
                    Dof::Tz if index == 0 && ["walk", "run"].contains(&name) => {}
                    Dof::Ry if index == 0 && name == "dance-turn" => {
                        assert!((last - first - 360.0).abs() < 1e-3, "{first} {last}");
                    }
                    _ => assert!((last - first).abs() < 1e-3, "{name} {index} {dof}"),
                }
            }
        }
    }
}

#[test]
fn loops_go_on_at_the_speed_they_had() {
    for name in LOOPS {
        let amc = amc(name);
        for (index, track) in amc.tracks.iter().enumerate() {
            for (dof, values) in track.dofs.iter().zip(&track.values) {
                let n = values.len();
                let change = |i: usize| (values[i + 1] - 2.0 * values[i] + values[i - 1]).abs();
                let most = (1..n - 1).map(change).fold(0.0, f64::max);
                let seam = (values[1] - values[0]) - (values[n - 1] - values[n - 2]);
                assert!(
                    seam.abs() <= most * 1.05 + 3e-4,
                    "{name} {index} {dof}: {seam} of {most}"
                );
            }
        }
    }
}

#[test]
fn nothing_turns_faster_than_people_can() {
    for (name, _) in motions() {
        let played = Played::of(name);
        let limit = if name == "run" { 1000.0 } else { 900.0 };
        for (frame, pair) in played.rotations.windows(2).enumerate() {
            for (joint, (a, b)) in pair[0].iter().zip(&pair[1]).enumerate() {
                let turned = 2.0 * quat_dot(*a, *b).abs().min(1.0).acos().to_degrees();
                let speed = turned * played.rate;
                let joint = &played.skeleton.joints()[joint].name;
                assert!(speed < limit, "{name} {frame} {joint}: {speed}");
            }
        }
    }
}

#[test]
fn flight_is_free_fall() {
    for (name, flights, frames) in [("run", 6, 8), ("jump", 1, 45)] {
        let played = Played::of(name);
        let found = played.flights();
        let long: Vec<_> = found.iter().filter(|run| run.len() >= frames).collect();
        assert_eq!(long.len(), flights, "{name}: {found:?}");
        for run in long {
            let (first, last) = (played.root(run.start), played.root(run.end - 1));
            let whole = (run.len() - 1) as f32 / played.rate;
            for frame in run.clone() {
                let t = (frame - run.start) as f32 / played.rate;
                let mut free = first.lerp(last, t / whole);
                free.y += 0.5 * GRAVITY * t * (whole - t);
                let root = played.root(frame);
                assert!((root.y - free.y).abs() < 1e-3, "{name} {frame}");
                assert!((root.z - free.z).abs() < 1e-3, "{name} {frame}");
            }
        }
    }
    assert!(Played::of("walk").flights().is_empty());
}

#[test]
fn jump_rises_and_lands_ahead() {
    let jump = Played::of("jump");
    let last = jump.feet.len() - 1;
    let (low, high) = span((0..=last).map(|frame| jump.root(frame).y));
    let stand = jump.root(0).y;
    assert!(
        low < stand - 0.2 && high > stand + 0.25,
        "{low} {stand} {high}"
    );
    assert!((jump.root(last).y - stand).abs() < 1e-3);
    let way = jump.feet[last][0].ankle.z - jump.feet[0][0].ankle.z;
    assert!((0.7..0.95).contains(&way), "{way}");
}

#[test]
fn walk_has_published_pace_and_stride() {
    let walk = Played::of("walk");
    let (left, right) = (walk.strikes(0), walk.strikes(1));
    assert_eq!((left.len(), right.len()), (4, 3), "{left:?} {right:?}");
    for (l, r) in left.iter().zip(&right) {
        let minutes = (r - l) as f32 / walk.rate / 60.0;
        let cadence = 1.0 / minutes;
        assert!((105.0..115.0).contains(&cadence), "{cadence}");
    }
    for pair in left.windows(2) {
        let heel = |frame: usize| walk.feet[frame][0].heel.z;
        let stride = heel(pair[1]) - heel(pair[0]);
        assert!((1.35..1.45).contains(&stride), "{stride}");
    }
    let last = walk.feet.len() - 1;
    let speed = (walk.root(last).z - walk.root(0).z) / (last as f32 / walk.rate);
    assert!((1.2..1.35).contains(&speed), "{speed}");
}

#[test]
fn walk_has_published_joint_angles() {
    let (asf, walk) = (figure(), amc("walk"));
    for side in ["l", "r"] {
        let of = |bone: &str| range(&asf, &walk, &format!("{side}{bone}"), Dof::Rx);
        let (straight, bent) = of("tibia");
        assert!((3.0..10.0).contains(&straight), "knee {straight}");
        assert!((55.0..65.0).contains(&bent), "knee {bent}");
        // Flexion is negative.
        let (flexed, extended) = of("femur");
        assert!((-35.0..-25.0).contains(&flexed), "hip {flexed}");
        assert!((8.0..18.0).contains(&extended), "hip {extended}");
        let (up, down) = of("foot");
        assert!((-20.0..-8.0).contains(&up), "ankle {up}");
        assert!((10.0..30.0).contains(&down), "ankle {down}");
        // The knee gives way a little under the weight.
        let knee = channel(&asf, &walk, &format!("{side}tibia"), Dof::Rx);
        let start = if side == "l" { 132 } else { 66 };
        let (_, load) = span(knee[start..start + 40].iter().copied());
        assert!((15.0..25.0).contains(&load), "knee {load}");
    }
}

#[test]
fn walk_moves_the_pelvis_as_published() {
    let (asf, walk) = (figure(), amc("walk"));
    let played = Played::of("walk");
    let size = |(low, high): (f32, f32)| high - low;
    let bob = size(span(played.points.iter().map(|points| points[0].y)));
    assert!((0.025..0.05).contains(&bob), "{bob}");
    let sway = size(span(played.points.iter().map(|points| points[0].x)));
    assert!((0.03..0.06).contains(&sway), "{sway}");
    for dof in [Dof::Ry, Dof::Rz] {
        let turn = size(range(&asf, &walk, "root", dof)) / 2.0;
        assert!((3.5..7.0).contains(&turn), "{dof} {turn}");
    }
}

#[test]
fn arms_swing_against_the_legs() {
    let asf = figure();
    for name in ["walk", "run"] {
        let motion = amc(name);
        for side in ["l", "r"] {
            // A leg that goes forward turns by less, an arm by more.
            let leg = channel(&asf, &motion, &format!("{side}femur"), Dof::Rx);
            let arm = channel(&asf, &motion, &format!("{side}humerus"), Dof::Rx);
            let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
            let (leg_mean, arm_mean) = (mean(&leg), mean(&arm));
            let together = leg
                .iter()
                .zip(&arm)
                .map(|(l, a)| (leg_mean - l) * (a - arm_mean));
            let size = |values: &[f32], mean: f32| {
                values
                    .iter()
                    .map(|v| (v - mean) * (v - mean))
                    .sum::<f32>()
                    .sqrt()
            };
            let both = size(&leg, leg_mean) * size(&arm, arm_mean);
            let correlation = together.sum::<f32>() / both;
            assert!(correlation < -0.5, "{name} {side}: {correlation}");
            let (least, _) = range(&asf, &motion, &format!("{side}radius"), Dof::Rx);
            assert!(least > 10.0, "{name} {side}: elbow {least}");
        }
    }
}

#[test]
fn weight_goes_over_the_foot_that_stands() {
    for name in ["walk", "run", "dance-turn"] {
        let played = Played::of(name);
        let hips = ["lfemur", "rfemur"].map(|name| played.skeleton.find(name).unwrap().index());
        let mut seen = [0; 2];
        for (frame, feet) in played.feet.iter().enumerate() {
            let lifted = feet.map(|foot| foot.lowest() > 0.02);
            for side in 0..2 {
                if lifted[side] || !lifted[1 - side] {
                    continue;
                }
                let root = played.root(frame);
                if name == "dance-turn" {
                    // Nearer across the pelvis than the hip joint is.
                    let [left, right] = hips.map(|joint| played.points[frame][joint]);
                    let across = Vec3::new(left.x - right.x, 0.0, left.z - right.z).normalize();
                    let aside = (feet[side].ankle - root).dot(across).abs();
                    assert!(aside < 0.08, "{name} {frame}: {aside}");
                } else {
                    // Feet walk beside x = 0.
                    let aside = root.x * feet[side].ball.x.signum();
                    assert!(aside > 0.0, "{name} {frame}: {aside}");
                }
                seen[side] += 1;
            }
        }
        assert!(seen[0] > 10 && seen[1] > 10, "{name}: {seen:?}");
    }
    let idle = Played::of("idle");
    let (right, left) = span(idle.points.iter().map(|points| points[0].x));
    assert!(right < -0.03 && left > 0.03, "{right} {left}");
}

#[test]
fn wave_holds_the_right_hand_beside_the_head_and_swings_it() {
    let wave = Played::of("wave");
    let at = |frame: usize, name: &str| {
        let joint = wave.skeleton.find(name).unwrap();
        wave.points[frame][joint.index()]
    };
    let up: Vec<usize> = (0..wave.points.len())
        .filter(|&frame| at(frame, "rhand").y > at(frame, "rhumerus").y)
        .collect();
    assert!(up.len() > 90, "{}", up.len());
    // Each swing out and in passes the middle twice.
    let sides: Vec<f32> = up
        .iter()
        .map(|&frame| at(frame, "rhand").x - at(frame, "rradius").x)
        .collect();
    let middle = sides[10..sides.len() - 10].iter().sum::<f32>() / (sides.len() - 20) as f32;
    let passes = sides
        .windows(2)
        .filter(|pair| (pair[0] > middle) != (pair[1] > middle))
        .count();
    assert!((6..=12).contains(&passes), "{passes}");
    assert!((0..wave.points.len()).all(|frame| at(frame, "lhand").y < 1.1));
}
