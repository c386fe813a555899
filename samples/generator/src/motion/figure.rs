//! The figure: 31 joints named like those of the files from CMU, with proportions of its own.
//!
//! Lengths are fractions of the stature after Drillis and Contini, *Body Segment Parameters* (1966). Where
//! theirs are breadths over the body, of hips and shoulders, the joints lie further in. The rest pose
//! stands with legs apart and arms half raised; facing +z, left is +x, y is up.
//!
//! A limb's axes are laid along it: y up along the bone, x the hinge of knee or elbow, so that flexing is
//! `rx` and twisting is `ry`. The right side is the mirrored left: `rx` of both sides means the same,
//! `ry` and `rz` are opposite.

use super::space::{about_y, about_z, angles_of_axes, from_angles_xyz, mirrored, rotate};
use sinew::glam::{DQuat, DVec3};
use sinew_formats::asf::{Asf, AsfBone, AsfRoot, AsfUnits, Dof};

/// Metres from the soles to the top of the head.
const STATURE: f64 = 1.75;

pub(super) const THIGH: f64 = 0.245 * STATURE;
pub(super) const SHANK: f64 = 0.246 * STATURE;
/// The ankle's height over the sole.
pub(super) const ANKLE: f64 = 0.039 * STATURE;
const UPPER_ARM: f64 = 0.188 * STATURE;
const FOREARM: f64 = 0.146 * STATURE;
const HAND: f64 = 0.108 * STATURE;
/// How far a shoulder is from the middle, and how high.
const SHOULDER: (f64, f64) = (0.105 * STATURE, 0.818 * STATURE);

/// From the middle of the pelvis to the left hip joint.
pub(super) const HIP: DVec3 = DVec3::new(0.091, -0.045, 0.012);
/// The height of the pelvis when the figure stands upright: 0.53 of the stature to the hip joint.
pub(super) const PELVIS: f64 = 0.53 * STATURE - HIP.y;

/// From the ankle to the ball of the foot, ahead and down, and from there to the tip of the toes.
pub(super) const BALL: DVec3 = DVec3::new(0.0, 0.022 - ANKLE, 0.135);
const TOES: DVec3 = DVec3::new(0.0, -0.008, 0.075);
/// From the ankle to the point of the heel about which the foot rolls.
pub(super) const HEEL: DVec3 = DVec3::new(0.0, -ANKLE, -0.045);

/// How far legs are spread and feet turned out at rest, in degrees.
const LEGS_APART: f64 = 8.0;
pub(super) const TOE_OUT: f64 = 7.0;
/// How far arms are below the horizontal at rest.
pub(super) const ARMS_DOWN: f64 = 45.0;

/// Metres of one unit in the files, which say 0.45 like those from CMU.
pub(super) const UNIT: f64 = 0.0254 / UNITS_LENGTH;
const UNITS_LENGTH: f64 = 0.45;

/// The left or the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    Left,
    Right,
}

impl Hand {
    pub(super) const BOTH: [Hand; 2] = [Hand::Left, Hand::Right];

    /// 1 for the left, -1 for the right: the sign of x.
    pub(super) fn sign(self) -> f64 {
        match self {
            Hand::Left => 1.0,
            Hand::Right => -1.0,
        }
    }

    /// Where a leg's bones begin among all: hip joint, femur, tibia, foot, toes.
    pub(super) fn leg(self) -> usize {
        match self {
            Hand::Left => 0,
            Hand::Right => 5,
        }
    }

    /// Where an arm's bones begin among all: clavicle, humerus, radius, wrist, hand, fingers, thumb.
    pub(super) fn arm(self) -> usize {
        match self {
            Hand::Left => 16,
            Hand::Right => 23,
        }
    }
}

/// Where the three bones of the back begin among all, and those of neck and head after them.
pub(super) const BACK: usize = 10;
pub(super) const NECK: usize = 13;

/// The skeleton with what solving needs.
pub(super) struct Figure {
    pub(super) asf: Asf,
    /// The axes that each bone turns about, at rest.
    pub(super) axes: Vec<DQuat>,
}

/// A bone of the left side or the middle.
struct Plan {
    name: &'static str,
    parent: &'static str,
    /// From its beginning to its end at rest.
    reach: DVec3,
    /// Its axes x and y.
    axes: (DVec3, DVec3),
    limits: &'static [(Dof, f64, f64)],
}

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

use Dof::{Rx, Ry, Rz};

const FEMUR: &[(Dof, f64, f64)] = &[(Rx, -130.0, 30.0), (Ry, -60.0, 60.0), (Rz, -45.0, 60.0)];
const BACK_LIMITS: &[(Dof, f64, f64)] = &[(Rx, -25.0, 45.0), (Ry, -30.0, 30.0), (Rz, -30.0, 30.0)];
const NECK_LIMITS: &[(Dof, f64, f64)] = &[(Rx, -30.0, 35.0), (Ry, -35.0, 35.0), (Rz, -30.0, 30.0)];
const HUMERUS: &[(Dof, f64, f64)] = &[(Rx, -70.0, 175.0), (Ry, -85.0, 85.0), (Rz, -130.0, 60.0)];

fn leg() -> Vec<Plan> {
    let down = rotate(about_z(LEGS_APART), -Y);
    let ahead = rotate(about_y(TOE_OUT), Z);
    let across = rotate(about_y(TOE_OUT), X);
    let hinge = (-down).cross(ahead).normalize();
    let sole = |v: DVec3| rotate(about_y(TOE_OUT), v);
    // The axis about which a foot rolls points ahead and 25 degrees up.
    let roll = (ahead * super::space::cos(25.0) + Y * super::space::sin(25.0)).normalize();
    let bone = |name, parent, reach, axes, limits| Plan {
        name,
        parent,
        reach,
        axes,
        limits,
    };
    vec![
        bone("hipjoint", "root", HIP, (X, Y), &[]),
        bone("femur", "hipjoint", down * THIGH, (hinge, -down), FEMUR),
        bone(
            "tibia",
            "femur",
            down * SHANK,
            (hinge, -down),
            &[(Rx, -5.0, 160.0)],
        ),
        bone(
            "foot",
            "tibia",
            sole(BALL),
            (across, roll.cross(across)),
            &[(Rx, -45.0, 75.0), (Rz, -35.0, 35.0)],
        ),
        bone(
            "toes",
            "foot",
            sole(TOES),
            (across, sole(TOES).normalize().cross(across)),
            &[(Rx, -90.0, 30.0)],
        ),
    ]
}

fn trunk() -> Vec<Plan> {
    let head = 0.53 * STATURE - HIP.y;
    let bone = |name, parent, reach: DVec3, limits| Plan {
        name,
        parent,
        reach,
        axes: (X, reach.normalize()),
        limits,
    };
    let mut bones = vec![
        bone(
            "lowerback",
            "root",
            DVec3::new(0.0, 0.128, 0.012),
            BACK_LIMITS,
        ),
        bone(
            "upperback",
            "lowerback",
            DVec3::new(0.0, 0.135, -0.012),
            BACK_LIMITS,
        ),
        bone(
            "thorax",
            "upperback",
            DVec3::new(0.0, 0.165, -0.022),
            BACK_LIMITS,
        ),
        bone(
            "lowerneck",
            "thorax",
            DVec3::new(0.0, 0.07, 0.018),
            NECK_LIMITS,
        ),
        bone(
            "upperneck",
            "lowerneck",
            DVec3::new(0.0, 0.072, 0.012),
            NECK_LIMITS,
        ),
    ];
    let below: f64 = bones.iter().map(|bone| bone.reach.y).sum();
    let top = DVec3::new(0.0, STATURE - head - below, 0.012);
    bones.push(bone("head", "upperneck", top, NECK_LIMITS));
    bones
}

fn arm() -> Vec<Plan> {
    let out = rotate(about_z(-ARMS_DOWN), X);
    let hinge = (-out).cross(-Z);
    // The palm faces down and in, its thumb ahead.
    let palm = rotate(about_z(-90.0), out);
    let thumb = (out + Z).normalize();
    let grip = ((-out).cross(-palm), -out);
    let chest = trunk().iter().take(3).map(|bone| bone.reach.y).sum::<f64>() + PELVIS;
    let bone = |name, parent, reach, axes, limits| Plan {
        name,
        parent,
        reach,
        axes,
        limits,
    };
    let collar = DVec3::new(SHOULDER.0, SHOULDER.1 - chest, 0.01);
    vec![
        bone(
            "clavicle",
            "thorax",
            collar,
            (collar.normalize(), Z.cross(collar).normalize()),
            &[(Ry, -25.0, 25.0), (Rz, -15.0, 35.0)],
        ),
        bone(
            "humerus",
            "clavicle",
            out * UPPER_ARM,
            (hinge, -out),
            HUMERUS,
        ),
        // The forearm is two bones, the second of which twists.
        bone(
            "radius",
            "humerus",
            out * (FOREARM * 2.0 / 3.0),
            (hinge, -out),
            &[(Rx, -5.0, 150.0)],
        ),
        bone(
            "wrist",
            "radius",
            out * (FOREARM / 3.0),
            (hinge, -out),
            &[(Ry, -90.0, 90.0)],
        ),
        bone(
            "hand",
            "wrist",
            out * (HAND * 0.5),
            grip,
            &[(Rx, -70.0, 80.0), (Rz, -40.0, 40.0)],
        ),
        bone(
            "fingers",
            "hand",
            out * (HAND * 0.5),
            grip,
            &[(Rx, -10.0, 100.0)],
        ),
        bone(
            "thumb",
            "wrist",
            thumb * (HAND * 0.4),
            (thumb.cross(palm).normalize(), -thumb),
            &[(Rx, -45.0, 45.0), (Rz, -45.0, 60.0)],
        ),
    ]
}

impl Figure {
    pub(super) fn new() -> Self {
        let mut asf = Asf {
            version: Some(1.1),
            name: "sinew".to_owned(),
            units: AsfUnits {
                length: UNITS_LENGTH,
                ..AsfUnits::default()
            },
            documentation: "Made by the sample generator of Sinew from anthropometric averages.\n\
                            Divide lengths by 0.45 for inches; the figure is 1.75 m tall."
                .to_owned(),
            root: AsfRoot {
                // The heading comes last, so that it may turn freely.
                order: vec![Dof::Tx, Dof::Ty, Dof::Tz, Dof::Rz, Dof::Rx, Dof::Ry],
                ..AsfRoot::default()
            },
            ..Asf::default()
        };
        for side in Hand::BOTH {
            add(&mut asf, &leg(), Some(side));
        }
        add(&mut asf, &trunk(), None);
        for side in Hand::BOTH {
            add(&mut asf, &arm(), Some(side));
        }
        let axes = asf.bones.iter().map(|bone| from_angles_xyz(bone.axis));
        Self {
            axes: axes.collect(),
            asf,
        }
    }
}

/// Adds bones to the skeleton, those of a side with its letter before their names.
fn add(asf: &mut Asf, plans: &[Plan], side: Option<Hand>) {
    let right = side == Some(Hand::Right);
    let letter = match side {
        Some(Hand::Left) => "l",
        Some(Hand::Right) => "r",
        None => "",
    };
    for plan in plans {
        let (mut reach, (mut x, mut y)) = (plan.reach, plan.axes);
        if right {
            (reach, x, y) = (mirrored(reach), -mirrored(x), mirrored(y));
        }
        let mirror = |&(dof, low, high): &(Dof, f64, f64)| match dof {
            Ry | Rz if right => [-high, -low],
            _ => [low, high],
        };
        let length = reach.length();
        let parent = [format!("{letter}{}", plan.parent), plan.parent.to_owned()];
        asf.bones.push(AsfBone {
            name: format!("{letter}{}", plan.name),
            id: Some(asf.bones.len() as i64 + 1),
            direction: reach.normalize().to_array().map(|v| rounded(v, 1e8)),
            length: rounded(length / UNIT, 1e6),
            axis: angles_of_axes(x, y).map(|v| rounded(v, 1e4)),
            dof: plan.limits.iter().map(|limit| limit.0).collect(),
            limits: plan.limits.iter().map(mirror).collect(),
            parent: parent.iter().find_map(|name| asf.find(name)),
            ..AsfBone::default()
        });
    }
}

/// `value` at so many steps to one, never minus zero.
pub(super) fn rounded(value: f64, steps: f64) -> f64 {
    libm::round(value * steps) / steps + 0.0
}
