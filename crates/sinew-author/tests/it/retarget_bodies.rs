//! Bodies made for tests of retargeting.

use crate::retarget_common::roles;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_author::retarget::{BodyPart, Role, RoleMap};

/// The shape of a made body.
#[derive(Clone, Debug)]
pub(crate) struct BodyShape {
    /// Joints of the trunk: the spine and the chest.
    pub(crate) trunk: usize,
    /// Degrees by which the arms are below the horizontal.
    pub(crate) arms_down: f32,
    /// The length of the thigh and of the shin.
    pub(crate) leg: [f32; 2],
    /// The position of a reference joint above the hips.
    pub(crate) reference: Option<Vec3>,
    /// Whether it has clavicles, toes and fingers.
    pub(crate) has_details: bool,
    /// Whether upper and lower arms and legs have a twist joint in their middle.
    pub(crate) has_twist: bool,
    /// The direction that it faces: 1 for +z, -1 for -z.
    pub(crate) facing: f32,
}

impl Default for BodyShape {
    fn default() -> Self {
        Self {
            trunk: 3,
            arms_down: 0.0,
            leg: [0.45, 0.43],
            reference: None,
            has_details: true,
            has_twist: false,
            facing: 1.0,
        }
    }
}

impl BodyShape {
    /// The skeleton, which stands on y = 0 and whose joints have no rest rotation, and its roles.
    pub(crate) fn build(&self) -> (Skeleton, RoleMap) {
        let mut joints: Vec<(String, Option<usize>, Vec3)> = Vec::new();
        let mut add = |name: &str, parent: Option<usize>, position: Vec3| {
            let turned = Vec3::new(
                position.x * self.facing,
                position.y,
                position.z * self.facing,
            );
            joints.push((name.into(), parent, turned));
            joints.len() - 1
        };
        let ankle = 0.08;
        let hip_height = ankle + self.leg[0] + self.leg[1];
        let reference = self.reference.map(|place| add("reference", None, place));
        let hips = add("hips", reference, Vec3::new(0.0, hip_height + 0.05, 0.0));
        let spine = 0.45 / self.trunk as f32;
        let mut chest = hips;
        let mut height = hip_height + 0.05;
        let mut trunk: Vec<String> = Vec::new();
        for index in 0..self.trunk {
            let name = format!("trunk{index}");
            chest = add(&name, Some(chest), Vec3::new(0.0, height, 0.0));
            trunk.push(name);
            height += spine;
        }
        let neck = add("neck", Some(chest), Vec3::new(0.0, height, 0.0));
        add("head", Some(neck), Vec3::new(0.0, height + 0.1, 0.0));
        let (sine, cosine) = self.arms_down.to_radians().sin_cos();
        for (letter, sign) in [("l", 1.0), ("r", -1.0)] {
            let shoulder = Vec3::new(0.18 * sign, height - 0.05, 0.0);
            let along = |distance: f32| {
                shoulder + Vec3::new(sign * cosine * distance, -sine * distance, 0.0)
            };
            let mut parent = chest;
            if self.has_details {
                let place = Vec3::new(0.04 * sign, height - 0.04, 0.0);
                parent = add(&format!("{letter}_clavicle"), Some(parent), place);
            }
            let upper = add(&format!("{letter}_upper_arm"), Some(parent), along(0.0));
            if self.has_twist {
                add(
                    &format!("{letter}_upper_arm_twist"),
                    Some(upper),
                    along(0.14),
                );
            }
            let lower = add(&format!("{letter}_lower_arm"), Some(upper), along(0.28));
            if self.has_twist {
                add(
                    &format!("{letter}_lower_arm_twist"),
                    Some(lower),
                    along(0.405),
                );
            }
            let hand = add(&format!("{letter}_hand"), Some(lower), along(0.53));
            if self.has_details {
                add(&format!("{letter}_index"), Some(hand), along(0.62));
            }
        }
        for (letter, sign) in [("l", 1.0), ("r", -1.0)] {
            let place = |y: f32, z: f32| Vec3::new(0.1 * sign, y, z);
            let upper = add(
                &format!("{letter}_upper_leg"),
                Some(hips),
                place(hip_height, 0.0),
            );
            let knee = place(ankle + self.leg[1], 0.0);
            if self.has_twist {
                let middle = place(hip_height - 0.5 * self.leg[0], 0.0);
                add(&format!("{letter}_upper_leg_twist"), Some(upper), middle);
            }
            let lower = add(&format!("{letter}_lower_leg"), Some(upper), knee);
            if self.has_twist {
                let middle = place(ankle + 0.5 * self.leg[1], 0.0);
                add(&format!("{letter}_lower_leg_twist"), Some(lower), middle);
            }
            let foot = add(&format!("{letter}_foot"), Some(lower), place(ankle, 0.0));
            if self.has_details {
                add(&format!("{letter}_toes"), Some(foot), place(0.02, 0.13));
            }
        }
        let positions: Vec<Vec3> = joints.iter().map(|joint| joint.2).collect();
        let joints = joints.into_iter().map(|(name, parent, position)| Joint {
            tip: (name.ends_with("toes") || name.ends_with("index") || name == "head")
                .then_some(Vec3::new(0.0, 0.0, 0.07 * self.facing)),
            name,
            parent: parent.map(JointIndex::from),
            rest: Transform::from_position(
                position - parent.map_or(Vec3::ZERO, |parent| positions[parent]),
            ),
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let map = self.roles(&skeleton, &trunk);
        (skeleton, map)
    }

    fn roles(&self, skeleton: &Skeleton, trunk: &[String]) -> RoleMap {
        let (chest, spine) = trunk.split_last().unwrap();
        let spine: Vec<&str> = spine.iter().map(String::as_str).collect();
        let middle = Role::middle;
        let mut map = roles(
            skeleton,
            &[
                (middle(BodyPart::Reference), &["reference"]),
                (middle(BodyPart::Hips), &["hips"]),
                (middle(BodyPart::Spine), &spine),
                (middle(BodyPart::Chest), &[chest]),
                (middle(BodyPart::Neck), &["neck"]),
                (middle(BodyPart::Head), &["head"]),
            ],
        );
        let limbs = [
            (BodyPart::Clavicle, "clavicle"),
            (BodyPart::UpperArm, "upper_arm"),
            (BodyPart::LowerArm, "lower_arm"),
            (BodyPart::Hand, "hand"),
            (BodyPart::Finger, "index"),
            (BodyPart::UpperLeg, "upper_leg"),
            (BodyPart::LowerLeg, "lower_leg"),
            (BodyPart::Foot, "foot"),
            (BodyPart::Toes, "toes"),
        ];
        for (part, name) in limbs {
            for (role, letter) in [(Role::left(part), "l"), (Role::right(part), "r")] {
                if let Some(joint) = skeleton.find(&format!("{letter}_{name}")) {
                    map.set(role, vec![joint.index()], 1.0);
                }
            }
        }
        map
    }
}

/// An animation of rotations and positions by joint, each with a key per frame at 30 per second.
pub(crate) fn animation(
    rotations: &[(&str, Vec<Quat>)],
    positions: &[(&str, Vec<Vec3>)],
) -> Animation {
    let count = rotations
        .first()
        .map_or_else(|| positions[0].1.len(), |keys| keys.1.len());
    let times = KeyTimes::uniform(30.0, count).unwrap();
    let mut animation = Animation::new("made", times.last());
    animation.frame_rate = Some(30.0);
    for (name, values) in rotations {
        let mut track = TransformTrack::new(*name);
        let channel = Channel::new(times.clone(), values.clone(), Interpolation::Linear);
        track.rotation = Some(channel.unwrap());
        animation.set_track(track);
    }
    for (name, values) in positions {
        let mut track = animation.track(name).cloned();
        let mut track = track.take().unwrap_or_else(|| TransformTrack::new(*name));
        let channel = Channel::new(times.clone(), values.clone(), Interpolation::Linear);
        track.position = Some(channel.unwrap());
        animation.set_track(track);
    }
    animation
}
