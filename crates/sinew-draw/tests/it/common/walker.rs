//! Bodies to draw: a human of 27 bones who walks, and a fox who trots.
//!
//! Feet stand still while they carry, and legs follow them by the law of cosines, so that prints,
//! shadows and trails look as they would with recorded motion. Not more anatomy than a picture needs.

use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew_draw::{FigureBone, Footprint};

/// Seconds of a full cycle and metres it covers.
pub(crate) const CYCLE: f32 = 1.1;
pub(crate) const STRIDE: f32 = 1.45;

const TURN: f32 = std::f32::consts::TAU;

fn sin(cycles: f32) -> f32 {
    libm::sinf(cycles * TURN)
}

fn lerp(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a + (b - a) * t
}

/// The joint between two bones of given lengths whose ends are given; it bends towards `pole`.
fn bend(from: Vec3, to: Vec3, upper: f32, lower: f32, pole: Vec3) -> (Vec3, Vec3) {
    let reach = (upper + lower) * 0.999;
    let way = to - from;
    let length = way.length().clamp(1e-4, reach);
    let along = way / way.length().max(1e-4);
    let to = from + along * length;
    let projection = (upper * upper - lower * lower + length * length) / (2.0 * length);
    let off = (upper * upper - projection * projection).max(0.0).sqrt();
    let side = (pole - along * pole.dot(along)).normalize_or_zero();
    (from + along * projection + side * off, to)
}

/// A foot's ankle: on the ground for six tenths of its cycle, then forward in an arc. `phase` counts
/// cycles, and `late` is how many later than the left foot this one is. The second value is how far
/// the heel is lifted, from 0 to 1.
fn ankle(phase: f32, late: f32, x: f32) -> (Vec3, f32) {
    const CARRY: f32 = 0.6;
    let whole = phase.floor();
    let fraction = phase - whole;
    let standing = (whole - late) * STRIDE;
    if fraction < CARRY {
        let roll = ((fraction - 0.38) / (CARRY - 0.38)).clamp(0.0, 1.0);
        let lift = roll * roll;
        return (
            Vec3::new(x, 0.09 + 0.10 * lift, standing + 0.07 * lift),
            lift,
        );
    }
    let t = (fraction - CARRY) / (1.0 - CARRY);
    let smooth = t * t * (3.0 - 2.0 * t);
    let from = standing + 0.07;
    let z = from + (standing + STRIDE - from) * smooth;
    let y = 0.09 + 0.10 * (1.0 - t) * (1.0 - t) + 0.13 * sin(t * 0.5) * (1.0 - 0.3 * t);
    (Vec3::new(x, y, z), (1.0 - t) * 0.9 - t * (1.0 - t) * 1.6)
}

/// Where the human's hips are.
fn hips(seconds: f32) -> Vec3 {
    let phase = seconds / CYCLE;
    Vec3::new(
        0.025 * sin(phase),
        0.93 + 0.022 * sin(2.0 * phase + 0.1),
        phase * STRIDE,
    )
}

/// A human who walks along +z at a moment, 1.75 m tall.
pub(crate) fn human(seconds: f32) -> Vec<FigureBone> {
    let phase = seconds / CYCLE;
    let mut bones = Vec::new();
    let hips = hips(seconds);
    // Shoulders turn against the hips; both lean forward a little.
    let sway = sin(phase);
    let up = |height: f32, forward: f32| hips + Vec3::new(-0.01 * sway * height, height, forward);
    let (waist, chest, neck) = (up(0.12, 0.0), up(0.28, 0.015), up(0.50, 0.03));
    let (throat, crown) = (up(0.58, 0.045), up(0.83, 0.07));
    let spine = [hips, waist, chest, neck, throat];
    for pair in spine.windows(2) {
        bones.push(FigureBone::new(pair[0], pair[1], Side::Middle));
    }
    bones.push(FigureBone::head(throat, crown));
    for (side, sign, half) in [(Side::Left, 1.0, 0.0), (Side::Right, -1.0, 0.5)] {
        let swing = sin(phase + half);
        let mut limb = |joints: &[Vec3]| {
            for pair in joints.windows(2) {
                bones.push(FigureBone::new(pair[0], pair[1], side));
            }
        };
        let hip = hips + Vec3::new(0.09 * sign, -0.03, 0.025 * swing);
        let (ankle, lift) = ankle(phase + half + 0.3, half, 0.085 * sign);
        let (knee, ankle) = bend(hip, ankle, 0.43, 0.42, Vec3::new(0.05 * sign, 0.0, 1.0));
        let ball = ankle + Vec3::new(0.01 * sign, -0.065 - 0.06 * lift, 0.15 - 0.04 * lift.abs());
        let toes = ball + Vec3::new(0.005 * sign, 0.01 * lift.min(0.0), 0.075);
        limb(&[hips, hip, knee, ankle, ball, toes]);

        let turn = 0.035 * -swing;
        let collar = neck + Vec3::new(0.03 * sign, -0.02, turn * 0.3);
        let shoulder = neck + Vec3::new(0.185 * sign, -0.045, turn);
        let angle = -0.42 * swing;
        let down = Vec3::new(0.10 * sign, -libm::cosf(angle), libm::sinf(angle)).normalize();
        let elbow = shoulder + down * 0.29;
        let angle = angle + 0.35 + 0.20 * -swing;
        let onward = Vec3::new(-0.05 * sign, -libm::cosf(angle), libm::sinf(angle)).normalize();
        let wrist = elbow + onward * 0.25;
        let knuckles = wrist + lerp(onward, Vec3::Z, 0.1) * 0.09;
        let fingers = knuckles + lerp(onward, Vec3::Z, 0.2) * 0.07;
        let thumb = wrist + lerp(onward, Vec3::Z, 0.5) * 0.07 + Vec3::X * (-0.02 * sign);
        limb(&[neck, collar, shoulder, elbow, wrist, knuckles, fingers]);
        limb(&[wrist, thumb]);
    }
    bones
}

/// The prints that the human has left up to a moment, from `from` seconds on.
pub(crate) fn prints(from: f32, until: f32) -> Vec<Footprint> {
    let mut prints = Vec::new();
    for (side, sign, half) in [(Side::Left, 1.0, 0.0), (Side::Right, -1.0, 0.5)] {
        for step in -20..60 {
            // The cycle in which the foot comes down at its start.
            let landed = (step as f32 - 0.3 - half) * CYCLE;
            if landed + 0.3 >= from && landed <= until {
                let (ankle, _) = ankle(step as f32 + 0.1, half, 0.085 * sign);
                let heel = Vec3::new(ankle.x, 0.0, ankle.z - 0.05);
                prints.push(Footprint {
                    heel,
                    toe: heel + Vec3::new(0.015 * sign, 0.0, 0.28),
                    side,
                });
            }
        }
    }
    prints
}

/// A fox who trots along +z at a moment, 40 cm at the shoulder.
pub(crate) fn fox(seconds: f32) -> Vec<FigureBone> {
    let phase = seconds / 0.55;
    let mut bones = Vec::new();
    let z = phase * 0.8;
    let bob = 0.012 * sin(2.0 * phase);
    let point = |x: f32, y: f32, forward: f32| Vec3::new(x, y + bob, z + forward);
    let mut chain = |joints: &[Vec3], side: Side| {
        for pair in joints.windows(2) {
            bones.push(FigureBone::new(pair[0], pair[1], side));
        }
    };
    let (rump, loin) = (point(0.0, 0.37, -0.24), point(0.0, 0.39, -0.08));
    let (withers, neck) = (point(0.0, 0.38, 0.16), point(0.0, 0.46, 0.27));
    let skull = point(0.0, 0.53, 0.34);
    chain(&[rump, loin, withers, neck, skull], Side::Middle);
    let wag = 0.05 * sin(phase);
    let tail = [
        rump,
        point(wag * 0.3, 0.36, -0.34),
        point(wag * 0.7, 0.33, -0.45),
        point(wag, 0.30, -0.56),
        point(wag * 1.1, 0.30, -0.66),
    ];
    chain(&tail, Side::Middle);
    for (side, sign, half) in [(Side::Left, 1.0, 0.0), (Side::Right, -1.0, 0.5)] {
        let ear = skull + Vec3::new(0.04 * sign, 0.10, -0.03);
        chain(&[skull, ear], side);
        for (root, half, pole) in [(withers, half, -1.0), (rump, half + 0.5, 1.0)] {
            let step = phase + half;
            let lift = sin(step).max(0.0) * 0.07;
            let paw = Vec3::new(
                0.05 * sign,
                0.02 + lift,
                root.z - 0.01 - 0.13 * libm::cosf(step * TURN),
            );
            let hip = root + Vec3::new(0.055 * sign, -0.05, 0.0);
            let hock = paw + Vec3::new(0.0, 0.085, if pole > 0.0 { -0.045 } else { -0.015 });
            let (knee, hock) = bend(hip, hock, 0.15, 0.15, Vec3::Z * pole);
            let toes = Vec3::new(paw.x, (paw.y - 0.01).max(0.008), paw.z + 0.04);
            chain(&[root, hip, knee, hock, paw, toes], side);
        }
    }
    let nose = skull + Vec3::new(0.0, -0.04, 0.14);
    bones.push(FigureBone::new(skull, nose, Side::Middle));
    bones
}

/// A joint's path: the tip of a bone of the walking human, by its position.
pub(crate) fn path(bone: usize, from: f32, until: f32, count: usize) -> Vec<Vec3> {
    let step = (until - from) / count.max(2) as f32;
    (0..=count)
        .map(|i| human(from + step * i as f32)[bone].to)
        .collect()
}
