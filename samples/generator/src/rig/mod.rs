//! Pip's bones: where the joints are, what they show, which reach and which swing.
//!
//! Textures → [`ArmatureData`] without animations, and [`Bones`] to animate it by. World coordinates:
//! y-up, the ground at 0, Pip facing +x. "Near" is the side towards the viewer.

mod builder;
mod strip;

use crate::art::Part;
use builder::{Builder, bow, knee};
use sinew::skelform::{ArmatureData, PhysicsData};
use strip::{Axis, Strip};

/// A leg: the chain thigh, shin, foot reaches for the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) thigh: usize,
    /// Where the ankle goes; the foot turns with it.
    pub(crate) target: usize,
}

/// An arm, moved joint by joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub(crate) upper: usize,
    pub(crate) fore: usize,
}

/// The bones that animations move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bones {
    pub(crate) shadow: usize,
    pub(crate) hips: usize,
    pub(crate) torso: usize,
    /// Shows the trunk and nothing else, so that it can be squashed alone.
    pub(crate) body: usize,
    pub(crate) head: usize,
    /// Carries the features; moving it against the head turns the face.
    pub(crate) face: usize,
    pub(crate) eyes: [usize; 2],
    pub(crate) brows: [usize; 2],
    pub(crate) cheeks: [usize; 2],
    pub(crate) mouth: usize,
    pub(crate) near_ear: [usize; 4],
    pub(crate) far_ear: [usize; 4],
    pub(crate) sprout_target: usize,
    pub(crate) tail: [usize; 11],
    pub(crate) cape: [usize; 5],
    pub(crate) collar: usize,
    pub(crate) near_arm: Arm,
    pub(crate) far_arm: Arm,
    pub(crate) near_leg: Leg,
    pub(crate) far_leg: Leg,
    pub(crate) sparkles: [usize; 3],
    pub(crate) puffs: [usize; 2],
}

/// Draw order, back to front.
mod z {
    pub(super) const SHADOW: i32 = -20;
    pub(super) const TAIL: i32 = -12;
    pub(super) const CAPE: i32 = -10;
    pub(super) const FAR_ARM: i32 = -8;
    pub(super) const FAR_LEG: i32 = -6;
    pub(super) const NEAR_LEG: i32 = -4;
    pub(super) const BODY: i32 = 0;
    pub(super) const NEAR_ARM: i32 = 4;
    pub(super) const COLLAR: i32 = 6;
    pub(super) const FAR_EAR: i32 = 8;
    pub(super) const SPROUT: i32 = 9;
    pub(super) const HEAD: i32 = 10;
    pub(super) const FACE: i32 = 12;
    pub(super) const HAT: i32 = 16;
    pub(super) const NEAR_EAR: i32 = 18;
    pub(super) const EFFECTS: i32 = 40;
}

/// Where a far arm that is raised before the face is drawn.
pub(crate) const BEFORE_THE_FACE: i32 = 30;

/// Colour of the limbs on the far side, which lie in the body's shade.
const FAR_SIDE: (f32, f32, f32) = (0.82, 0.76, 0.80);

/// Length of thigh and shin each. Longer than half the way from hip to ankle, so that the knees are
/// bent at rest and the legs can stride.
const LEG_BONE: f32 = 51.0;

/// Distance from shoulder to elbow and from elbow to paw.
const ARM_BONE: f32 = 38.0;

const TAIL_BONE: f32 = 23.0;
const CAPE_BONE: f32 = 35.0;
const EAR_BONE: f32 = 40.0;
const SPROUT_BONE: f32 = 15.0;

/// Builds the rig; textures are looked up in `parts`, first match wins.
pub(crate) fn build<'a>(parts: impl Iterator<Item = &'a Part>) -> (ArmatureData, Bones) {
    let mut builder = Builder::new(parts);
    let rig = &mut builder;
    let root = rig.bone("root", None, (0.0, 0.0), 0.0);
    let shadow = rig.bone("shadow", Some(root), (16.0, 1.0), 0.0);
    rig.show(shadow, "shadow", z::SHADOW);

    let near_target = rig.bone("near_foot_target", Some(root), (-24.0, 26.0), 0.0);
    let far_target = rig.bone("far_foot_target", Some(root), (34.0, 29.0), 0.0);
    let hips = rig.bone("hips", Some(root), (0.0, 130.0), 0.0);
    let far_leg = leg(rig, "far", hips, (30.0, -5.0), far_target, z::FAR_LEG);
    let near_leg = leg(rig, "near", hips, (-26.0, -6.0), near_target, z::NEAR_LEG);
    let tail = tail(rig, hips);

    let torso = rig.bone("torso", Some(hips), (0.0, 0.0), 0.0);
    let body = rig.bone("body", Some(torso), (0.0, 0.0), 0.0);
    rig.show(body, "body", z::BODY);
    let cape = cape(rig, torso);
    let far_arm = arm(rig, "far", torso, (40.0, 86.0), 16.0, z::FAR_ARM);
    let near_arm = arm(rig, "near", torso, (-30.0, 88.0), -14.0, z::NEAR_ARM);
    shade(rig, far_arm.upper);
    let collar = rig.bone("collar", Some(torso), (2.0, 108.0), 0.0);
    rig.show(collar, "collar", z::COLLAR);

    let head = rig.bone("head", Some(torso), (4.0, 128.0), 0.0);
    rig.show(head, "head", z::HEAD);
    let far_ear = ear(
        rig,
        "far_ear",
        head,
        (68.0, 160.0),
        [66.0, -2.0, -4.0, -6.0],
        z::FAR_EAR,
    );
    rig.scale(far_ear[0], 0.94, 0.88);
    let near_ear = ear(
        rig,
        "near_ear",
        head,
        (-62.0, 158.0),
        [112.0, 3.0, 5.0, 7.0],
        z::NEAR_EAR,
    );
    let sprout_target = sprout(rig, head);
    let hat = rig.bone("hat", Some(head), (0.0, 0.0), 0.0);
    rig.show(hat, "hat", z::HAT);
    let face = rig.bone("face", Some(head), (0.0, 0.0), 0.0);
    let [eyes, brows, cheeks] = features(rig, face);
    let mouth = rig.bone("mouth", Some(face), (61.0, 40.0), 0.0);
    rig.show(mouth, "mouth_smile", z::FACE);
    let nose = rig.bone("nose", Some(face), (61.0, 52.0), 0.0);
    rig.show(nose, "nose", z::FACE + 1);

    let sparkles = [
        ("sparkle_1", 168.0, 236.0),
        ("sparkle_2", 206.0, 178.0),
        ("sparkle_3", 150.0, 306.0),
    ];
    let sparkles = sparkles.map(|(name, x, y)| {
        let bone = rig.bone(name, Some(head), (x, y), 0.0);
        rig.show(bone, "sparkle", z::EFFECTS);
        rig.hide(bone);
        bone
    });
    let puffs = [("rear_puff", -78.0, -1.0), ("front_puff", 86.0, 1.0)].map(|(name, x, mirror)| {
        let bone = rig.bone(name, Some(root), (x, 12.0), 0.0);
        rig.show(bone, "puff", z::EFFECTS);
        rig.scale(bone, mirror, 1.0);
        rig.hide(bone);
        bone
    });

    let bones = Bones {
        shadow,
        hips,
        torso,
        body,
        head,
        face,
        eyes,
        brows,
        cheeks,
        mouth,
        near_ear,
        far_ear,
        sprout_target,
        tail,
        cape,
        collar,
        near_arm,
        far_arm,
        near_leg,
        far_leg,
        sparkles,
        puffs,
    };
    (builder.finish(), bones)
}

fn shade(rig: &mut Builder<'_>, bone: usize) {
    let (r, g, b) = FAR_SIDE;
    rig.tint(bone, r, g, b, 1.0);
}

fn leg(
    rig: &mut Builder<'_>,
    side: &str,
    hips: usize,
    position: (f32, f32),
    target: usize,
    z: i32,
) -> Leg {
    let thigh = rig.bone(&format!("{side}_thigh"), Some(hips), position, -66.0);
    let shin = rig.bone(&format!("{side}_shin"), Some(thigh), (LEG_BONE, 0.0), -48.0);
    // The foot stands level whatever the shin does: it takes its rotation from the target.
    let foot = rig.bone(&format!("{side}_foot"), Some(shin), (LEG_BONE, 0.0), 114.0);
    let chain = [thigh, shin, foot];
    rig.reach(&chain, target, knee());
    // The leg's skin ends inside the boot and must not turn with the foot.
    let ankle = rig.bone(&format!("{side}_ankle"), Some(shin), (LEG_BONE, 0.0), 0.0);
    let strip = Strip {
        axis: Axis::Down,
        chain: &[thigh, shin, ankle],
        spacing: LEG_BONE,
        rows: 3,
        columns: 3,
    };
    rig.show_weighted(strip, "leg", z);
    rig.show(foot, "boot", z + 1);
    if side == "far" {
        shade(rig, thigh);
        shade(rig, foot);
    }
    Leg { thigh, target }
}

fn arm(
    rig: &mut Builder<'_>,
    side: &str,
    torso: usize,
    position: (f32, f32),
    degrees: f32,
    z: i32,
) -> Arm {
    let upper = rig.bone(
        &format!("{side}_arm"),
        Some(torso),
        position,
        degrees - 90.0,
    );
    let fore = rig.bone(
        &format!("{side}_forearm"),
        Some(upper),
        (ARM_BONE, 0.0),
        14.0,
    );
    let paw = rig.bone(&format!("{side}_paw"), Some(fore), (ARM_BONE, 0.0), 0.0);
    let chain = [upper, fore, paw];
    let strip = Strip {
        axis: Axis::Down,
        chain: &chain,
        spacing: ARM_BONE,
        rows: 2,
        columns: 3,
    };
    rig.show_along(strip, "arm", z);
    Arm { upper, fore }
}

/// Lets some bones of a chain swing. Not all: what they lag behind adds up along the chain.
fn swing(rig: &mut Builder<'_>, bones: &[usize], sway: f32, rotation_bounce: f32) {
    for &bone in bones {
        rig.spring(
            bone,
            PhysicsData {
                sway,
                rotation_bounce,
                ..PhysicsData::default()
            },
        );
    }
}

/// The tail rises from the rump in an S.
fn tail(rig: &mut Builder<'_>, hips: usize) -> [usize; 11] {
    let turns = [
        188.0, -8.0, -13.0, -15.0, -14.0, -12.0, -10.0, -8.0, -6.0, -2.0, 4.0,
    ];
    let chain = rig.chain("tail", hips, (-44.0, 4.0), TAIL_BONE, turns);
    let strip = Strip {
        axis: Axis::Right,
        chain: &chain,
        spacing: TAIL_BONE,
        rows: 1,
        columns: 3,
    };
    rig.show_along(strip, "tail", z::TAIL);
    swing(rig, &[chain[2], chain[5], chain[8]], 0.9, 0.3);
    chain
}

fn cape(rig: &mut Builder<'_>, torso: usize) -> [usize; 5] {
    let chain = rig.chain(
        "cape",
        torso,
        (-22.0, 106.0),
        CAPE_BONE,
        [-104.0, -4.0, 2.0, 4.0, -6.0],
    );
    let strip = Strip {
        axis: Axis::Down,
        chain: &chain,
        spacing: CAPE_BONE,
        rows: 2,
        columns: 4,
    };
    rig.show_weighted(strip, "cape", z::CAPE);
    swing(rig, &[chain[1], chain[3]], 1.6, 0.2);
    chain
}

fn ear(
    rig: &mut Builder<'_>,
    name: &str,
    head: usize,
    position: (f32, f32),
    turns: [f32; 4],
    z: i32,
) -> [usize; 4] {
    let chain = rig.chain(name, head, position, EAR_BONE, turns);
    let strip = Strip {
        axis: Axis::Up,
        chain: &chain,
        spacing: EAR_BONE,
        rows: 3,
        columns: 3,
    };
    rig.show_weighted(strip, "ear", z);
    swing(rig, &[chain[1], chain[2]], 1.0, 0.35);
    chain
}

/// The sprout bows under its target. Arc IK measures chains along +x from the world's origin, so the
/// chain lies level and its root stands above the origin.
fn sprout(rig: &mut Builder<'_>, head: usize) -> usize {
    let target = rig.bone("sprout_target", Some(head), (-1.0, 232.0), 0.0);
    let chain = rig.chain("sprout", head, (-4.0, 186.0), SPROUT_BONE, [0.0; 4]);
    rig.reach(&chain, target, bow());
    let strip = Strip {
        axis: Axis::Up,
        chain: &chain,
        spacing: SPROUT_BONE,
        rows: 1,
        columns: 3,
    };
    rig.show_along(strip, "sprout", z::SPROUT);
    target
}

/// Eyes, brows and cheeks, near and far: the far ones are narrower.
fn features(rig: &mut Builder<'_>, face: usize) -> [[usize; 2]; 3] {
    let mut pair = |name: &str, texture: &str, near: (f32, f32), far: (f32, f32), narrow: f32| {
        let near_bone = rig.bone(&format!("near_{name}"), Some(face), near, 0.0);
        rig.show(near_bone, texture, z::FACE);
        let far_bone = rig.bone(&format!("far_{name}"), Some(face), far, 0.0);
        rig.show(far_bone, texture, z::FACE);
        rig.scale(far_bone, narrow, 1.0);
        [near_bone, far_bone]
    };
    let cheeks = pair("cheek", "cheek", (-36.0, 36.0), (117.0, 37.0), 0.65);
    let eyes = pair("eye", "eye_open", (4.0, 94.0), (100.0, 94.0), 0.86);
    let brows = pair("brow", "brow", (-2.0, 144.0), (90.0, 145.0), -0.8);
    for cheek in cheeks {
        rig.tint(cheek, 1.0, 1.0, 1.0, 0.6);
    }
    [eyes, brows, cheeks]
}
