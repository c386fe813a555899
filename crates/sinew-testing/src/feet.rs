//! A figure that walks, with feet that slide as much as they are told to.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::ik::{TwoBone, TwoBoneSettings, solve_two_bone};
use sinew::math::{quat_inverse, quat_mul};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};

pub const RATE: f64 = 60.0;

/// Seconds of a stride, of which two thirds a foot stands.
pub const STRIDE: f64 = 1.2;

/// Metres per stride.
pub const WAY: f64 = 0.8;

fn joint(name: &str, parent: Option<u32>, position: [f32; 3]) -> Joint {
    Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(position.into()),
        tip: None,
    }
}

/// Hips, two legs with feet and toes, and a head.
pub fn biped() -> Skeleton {
    let mut joints = vec![joint("hips", None, [0.0, 0.95, 0.0])];
    for (side, x) in [("l", 0.1), ("r", -0.1)] {
        let first = joints.len() as u32;
        // A helper without length, as exporters add them.
        joints.push(joint(&format!("{side}helper"), Some(0), [x, 0.0, 0.0]));
        joints.push(joint(&format!("{side}thigh"), Some(first), [0.0, 0.0, 0.0]));
        joints.push(joint(
            &format!("{side}shin"),
            Some(first + 1),
            [0.0, -0.45, 0.0],
        ));
        joints.push(joint(
            &format!("{side}foot"),
            Some(first + 2),
            [0.0, -0.43, 0.0],
        ));
        let mut toes = joint(&format!("{side}toes"), Some(first + 3), [0.0, -0.05, 0.14]);
        toes.tip = Some(Vec3::new(0.0, 0.0, 0.06));
        joints.push(toes);
    }
    let mut head = joint("head", Some(0), [0.0, 0.6, 0.0]);
    head.tip = Some(Vec3::Y * 0.2);
    joints.push(head);
    Skeleton::new(joints).unwrap()
}

/// How a walk is off.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    /// Metres that a standing foot slides.
    pub slide: f64,
    /// Metres that it sinks in the middle of its stand.
    pub sink: f64,
}

/// Where an ankle is: on the ground for two thirds of a stride, then ahead through the air.
fn ankle(phase: f64, faults: &Faults) -> Vec3 {
    let (turn, part) = (phase.floor(), phase - phase.floor());
    let stand = 2.0 / 3.0;
    let start = turn * WAY;
    if part < stand {
        let share = part / stand;
        let slide = faults.slide * share;
        let sink = faults.sink * (std::f64::consts::PI * share).sin();
        return Vec3::new(0.0, (0.07 - sink) as f32, (start + slide) as f32);
    }
    let share = (part - stand) / (1.0 - stand);
    let ease = share * share * share * (10.0 - 15.0 * share + 6.0 * share * share);
    let from = start + faults.slide;
    let ahead = from + (start + WAY - from) * ease;
    let up = 0.08 * (std::f64::consts::PI * share).sin().powi(2);
    Vec3::new(0.0, (0.07 + up) as f32, ahead as f32)
}

/// A walk along +z.
pub fn walk(skeleton: &Skeleton, strides: f64, faults: &Faults) -> Animation {
    let count = (strides * STRIDE * RATE).round() as usize + 1;
    let times = KeyTimes::uniform(RATE, count).unwrap();
    let mut positions = Vec::new();
    let mut rotations: Vec<Vec<Quat>> = vec![Vec::new(); skeleton.len()];
    for frame in 0..count {
        let phase = frame as f64 / RATE / STRIDE;
        let bob = 0.015 * (4.0 * std::f64::consts::PI * phase).cos();
        // Above the foot when it has stood for half its time.
        let ahead = WAY * (phase - 1.0 / 3.0);
        let hips = Vec3::new(0.0, (0.84 + bob) as f32, ahead as f32);
        positions.push(hips);
        for (side, x) in [(0, 0.1), (1, -0.1)] {
            let first = 1 + side * 5;
            let half = 0.5 * side as f64;
            let mut target = ankle(phase + half, faults);
            target += Vec3::new(x, 0.0, (-WAY * half) as f32);
            let upper = hips + Vec3::new(x, 0.0, 0.0);
            let bones = TwoBone {
                upper,
                middle: upper - Vec3::Y * 0.45,
                end: upper - Vec3::Y * 0.88,
                bend: Vec3::Z,
            };
            let exact = TwoBoneSettings {
                soft: 0.0,
                stretch: 0.0,
            };
            let solved = solve_two_bone(&bones, target, &exact);
            assert!(solved.miss < 1e-5, "{frame} {}", solved.miss);
            rotations[first + 1].push(solved.upper);
            rotations[first + 2].push(quat_mul(quat_inverse(solved.upper), solved.lower));
            rotations[first + 3].push(quat_inverse(solved.lower));
        }
    }
    let mut animation = Animation::new("walk", times.last());
    animation.frame_rate = Some(RATE);
    for (joint, rotations) in skeleton.joints().iter().zip(rotations) {
        let mut track = TransformTrack::new(&joint.name);
        let lines = Interpolation::Linear;
        if joint.parent.is_none() {
            track.position = Some(Channel::new(times.clone(), positions.clone(), lines).unwrap());
        } else if rotations.is_empty() {
            continue;
        } else {
            track.rotation = Some(Channel::new(times.clone(), rotations, lines).unwrap());
        }
        animation.tracks.push(track);
    }
    animation
}
