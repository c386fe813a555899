//! A walk in place: the ground moves back under the planted foot at an even speed.
//!
//! Contact at 0 (near foot ahead) and 20 (far foot ahead), down at 5 and 25, passing at 11 and 31,
//! up at 15 and 35. To move Pip over the ground, move by [`SPEED`] pixels per frame.

use super::clip::{Clip, Mark, smooth};
use crate::rig::Bones;
use sinew::glam::Vec2;
use sinew::skelform::curve::Ease;
use sinew::skelform::{AnimationData, ArmatureData, Element};

const PERIOD: u32 = 40;
const STEP: u32 = PERIOD / 2;

/// Frames that a foot stays on the ground: a little more than half, so that both do at each contact.
const STANCE: u32 = 22;

/// Pixels per frame that the ground moves back.
pub(super) const SPEED: f32 = 4.8;

/// From the ankle to the heel and to the tip of the sole, about which a planted foot rolls.
const HEEL: Vec2 = Vec2::new(-24.0, -26.0);
const TOE: Vec2 = Vec2::new(50.0, -25.0);

/// Writes the animation.
pub(super) fn walk(rig: &ArmatureData, bones: &Bones) -> AnimationData {
    let mut clip = Clip::new(rig, "walk", PERIOD);
    foot(&mut clip, bones.near_leg.target, 0, 18.0);
    foot(&mut clip, bones.far_leg.target, STEP, -22.0);
    trunk(&mut clip, bones);
    arms(&mut clip, bones);
    head(&mut clip, bones);
    followers(&mut clip, bones);
    clip.finish()
}

/// Ankle position relative to rest and pitch in degrees, `frame` frames after contact.
fn ankle(frame: f32) -> (Vec2, f32) {
    let stance = STANCE as f32;
    if frame <= stance {
        let ground = Vec2::new(SPEED * (stance / 2.0 - frame), 0.0);
        let pitch = stance_pitch(frame);
        let pivot = if pitch > 0.0 { HEEL } else { TOE };
        return (ground + pivot - turned(pivot, pitch), pitch);
    }
    let through = (frame - stance) / (PERIOD as f32 - stance);
    let (lift_off, contact) = (ankle(stance).0, ankle(0.0).0);
    let eased = smooth().progress(through);
    // The foot follows through at first, tucks up under the body and swings out flat.
    let lift = 7.0 * libm::sinf(core::f32::consts::PI * libm::powf(through, 0.8));
    let pitch = ramp(
        through,
        &[
            (0.0, -34.0),
            (0.2, -42.0),
            (0.62, 4.0),
            (0.85, 24.0),
            (1.0, 20.0),
        ],
    );
    (lift_off.lerp(contact, eased) + Vec2::new(0.0, lift), pitch)
}

/// Heel strike, flat, heel lifts.
fn stance_pitch(frame: f32) -> f32 {
    ramp(
        frame,
        &[
            (0.0, 20.0),
            (4.0, 0.0),
            (11.0, 0.0),
            (16.0, -10.0),
            (STANCE as f32, -34.0),
        ],
    )
}

/// A line through points, level beyond its ends.
fn ramp(time: f32, points: &[(f32, f32)]) -> f32 {
    let Some(next) = points.iter().position(|point| point.0 > time) else {
        return points.last().map_or(0.0, |point| point.1);
    };
    let (x1, y1) = points[next];
    let (x0, y0) = points[next.saturating_sub(1)];
    if x1 > x0 {
        y0 + (y1 - y0) * (time - x0) / (x1 - x0)
    } else {
        y1
    }
}

fn turned(v: Vec2, degrees: f32) -> Vec2 {
    let (sin, cos) = libm::sincosf(degrees.to_radians());
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// Keys of a foot: every other frame and straight between, so that a planted foot does not slide.
fn foot(clip: &mut Clip<'_>, target: usize, contact: u32, aside: f32) {
    let frames = || (0..PERIOD).step_by(2);
    let at = |frame: u32| ankle(((frame + PERIOD - contact) % PERIOD) as f32);
    let marks = |value: &dyn Fn(u32) -> f32| -> Vec<Mark> {
        frames()
            .map(|frame| (frame, value(frame), Ease::Linear))
            .collect()
    };
    clip.track(
        target,
        Element::PositionX,
        &marks(&|frame| at(frame).0.x + aside),
    );
    clip.track(target, Element::PositionY, &marks(&|frame| at(frame).0.y));
    clip.quat_exp64(target, &marks(&|frame| at(frame).1));
}

/// The body drops onto each foot and is carried over it.
fn trunk(clip: &mut Clip<'_>, bones: &Bones) {
    let bob = [0, STEP].map(|start| {
        [
            (start, 2.0, -5.0),
            (start + 5, 0.0, -9.0),
            (start + 14, 1.0, 0.0),
        ]
    });
    clip.shift(bones.hips, bob.as_flattened());
    clip.swing(bones.hips, 1.6, 1, 2.0);
    // Seen walking, Pip is nearer to profile than standing: the hips close up.
    clip.shift(bones.near_leg.thigh, &[(0, 17.0, 0.0), (STEP, 6.0, 0.0)]);
    clip.shift(bones.far_leg.thigh, &[(0, -18.0, 0.0), (STEP, -8.0, 0.0)]);
    // IK starts from the pose that the keys give and takes ten rounds: legs that already point at
    // their feet are solved to a hundredth of a pixel.
    clip.turn(bones.near_leg.thigh, &[(0, 28.0), (STANCE, -16.0)]);
    clip.turn(
        bones.far_leg.thigh,
        &[(STEP + STANCE - PERIOD, -16.0), (STEP, 28.0)],
    );
    // Leaning into the way, turned against the hips.
    clip.turn(
        bones.torso,
        &[(2, -6.5), (12, -3.5), (22, -2.0), (32, -3.5)],
    );
    let squash = [0, STEP].map(|start| [(start + 5, 1.025, 0.965), (start + 14, 0.985, 1.025)]);
    clip.squash(bones.body, squash.as_flattened());
    clip.swing_track(bones.shadow, Element::ScaleX, 0.04, 2, 5.0);
    clip.swing_track(bones.collar, Element::PositionY, -1.5, 2, 8.0);
}

/// Against the legs; the forearm and paw come after.
fn arms(clip: &mut Clip<'_>, bones: &Bones) {
    for (arm, forward, swing) in [(bones.near_arm, STEP, 34.0), (bones.far_arm, 0, 32.0)] {
        let back = (forward + STEP) % PERIOD;
        let keys = |a: f32, b: f32, late: u32| {
            let mut keys = [((forward + late) % PERIOD, a), ((back + late) % PERIOD, b)];
            keys.sort_by_key(|key| key.0);
            keys
        };
        clip.turn(arm.upper, &keys(swing + 6.0, 6.0 - swing, 1));
        clip.turn(arm.fore, &keys(34.0, 4.0, 4));
        clip.swing_track(arm.upper, Element::PositionX, 5.0, 1, forward as f32);
    }
}

/// The head lags behind the body and looks where it goes.
fn head(clip: &mut Clip<'_>, bones: &Bones) {
    let nod = [0, STEP].map(|start| [(start + 7, 0.0, -2.5), (start + 16, 0.0, 3.0)]);
    clip.shift(bones.head, nod.as_flattened());
    let tilt = [0, STEP].map(|start| [(start + 6, 0.5), (start + 16, 4.5)]);
    clip.turn(bones.head, tilt.as_flattened());
    clip.shift(bones.face, &[(0, 4.0, 1.0), (20, 2.0, 0.0)]);
    for brow in bones.brows {
        clip.swing_track(brow, Element::PositionY, 1.5, 2, 16.0);
    }
    clip.texture(bones.eyes[0], &[(0, "eye_open")]);
    clip.texture(bones.eyes[1], &[(0, "eye_open")]);
    clip.texture(bones.mouth, &[(0, "mouth_smile")]);
    // The ears are thrown up as the body drops.
    for (ear, side) in [(bones.near_ear, 1.0), (bones.far_ear, -1.0)] {
        for (i, &bone) in ear.iter().enumerate() {
            let late = i as f32 * 1.5;
            clip.swing(bone, -side * (1.6 + 0.8 * i as f32), 2, 8.0 + late);
        }
    }
    clip.swing_track(bones.sprout_target, Element::PositionX, 3.0, 1, 14.0);
    clip.swing_track(bones.sprout_target, Element::PositionY, 3.0, 2, 9.0);
}

/// Tail and cape trail behind.
fn followers(clip: &mut Clip<'_>, bones: &Bones) {
    for (i, &bone) in bones.tail.iter().enumerate() {
        let i = i as f32;
        let lift = if i == 0.0 { -10.0 } else { 2.0 };
        let (size, beat) = (1.5 + 0.25 * i, PERIOD / 2);
        let first = libm::roundf(6.0 + 1.7 * i) as u32 % beat;
        let second = (first + beat / 2) % beat;
        let mut keys = [
            (first, lift + size),
            (second, lift - size),
            (first + beat, lift + size),
            (second + beat, lift - size),
        ];
        keys.sort_by_key(|key| key.0);
        clip.turn(bone, &keys);
    }
    for (i, &bone) in bones.cape.iter().enumerate() {
        let i = i as f32;
        let lift = if i == 0.0 { -12.0 } else { -3.0 };
        let first = (5.0 + 2.5 * i) as u32;
        let keys = [
            (first, lift + 2.0 + i),
            (first + 10, lift - 2.0 - i),
            (first + 20, lift + 2.0 + i),
            ((first + 30) % PERIOD, lift - 2.0 - i),
        ];
        let mut keys = keys;
        keys.sort_by_key(|key| key.0);
        clip.turn(bone, &keys);
    }
}
