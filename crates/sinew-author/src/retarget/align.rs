//! The common rest pose: rotations that bring the limbs of one body into the directions of another.
//!
//! For every joint `j` of the target a rotation `A_j` in world axes, so that `A_j W_rest(j)` is its orientation in the common
//! rest pose:
//!
//! ```text
//! hips, chest, neck, head, clavicles:  A = the rotation from the target's body axes (up, left) to the source's
//! limb, parents first:                 A_j = R(A_parent d_j → d'_j) A_parent     R: shortest arc; d, d': bone directions
//! limb bent by 10 degrees or more:     A_j also takes the hinge axis d_upper × d_lower to the source's
//! ```
//!
//! The up axis points from the middle of the hip joints to the middle of the shoulders, the left axis from the right hip joint
//! to the left. The trunk, the head and the clavicles keep the target's own shape: bending a spine or shoulders to those of
//! another body would deform the skin, and the motion is the same without. Without a bent joint the roll of a limb is that of
//! the shortest arc: it adds no twist. Linear in the number of joints.

use super::body::Body;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use sinew::internal::{rotation_between, unit};
use sinew::math::dquat_rotate;

/// The cosine of the least bend at which two bones define a hinge axis: 10 degrees from straight.
const HINGE_COSINE: f64 = 0.984_807_753_012_208;

/// The directions of a body at rest. All are unit vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestShape {
    /// From the hip joints to the shoulders.
    up: DVec3,
    /// From the right hip joint to the left.
    left: DVec3,
    sides: [SideShape; 2],
}

/// The bone directions of one side; `None` for a bone without an end or length.
#[derive(Clone, Copy, Debug)]
struct SideShape {
    /// Upper arm, lower arm, hand.
    arm: [Option<DVec3>; 3],
    /// Upper leg, lower leg, foot, toes.
    leg: [Option<DVec3>; 4],
}

impl RestShape {
    /// The directions in a body's reference pose.
    pub(super) fn of(body: &Body) -> Self {
        let up = unit(body.arm_middle() - body.leg_middle());
        let up = up.or_else(|| {
            let head = body.neck.last().map(|head| body.position(*head));
            unit(head.unwrap_or_default() - body.leg_middle())
        });
        let up = up.unwrap_or(DVec3::Y);
        let [left_leg, right_leg] =
            [0, 1].map(|side: usize| body.position(body.sides[side].leg[0]));
        let [left_arm, right_arm] =
            [0, 1].map(|side: usize| body.position(body.sides[side].arm[0]));
        let across = [left_leg - right_leg, left_arm - right_arm, DVec3::X];
        let left = across
            .into_iter()
            .find_map(|offset| unit(offset.reject_from_normalized(up)));
        let left = left.unwrap_or_else(|| dquat_rotate(rotation_between(DVec3::Y, up), DVec3::X));
        Self {
            up,
            left,
            sides: [0, 1].map(|side| SideShape::of(body, side)),
        }
    }

    /// The direction that the body faces.
    pub(super) fn forward(&self) -> DVec3 {
        self.left.cross(self.up)
    }

    /// The directions of a T-pose with the given up and left axes: arms to the sides, legs down, feet forward.
    fn t_pose(&self) -> Self {
        let (up, left) = (DVec3::Y, DVec3::X);
        let forward = left.cross(up);
        let side = |side: usize| {
            let across = if side == 0 { left } else { -left };
            let has = |bone: Option<DVec3>, direction: DVec3| bone.map(|_| direction);
            let own = &self.sides[side];
            SideShape {
                arm: own.arm.map(|bone| has(bone, across)),
                leg: [
                    has(own.leg[0], -up),
                    has(own.leg[1], -up),
                    has(own.leg[2], forward),
                    has(own.leg[3], forward),
                ],
            }
        };
        Self {
            up,
            left,
            sides: [0, 1].map(side),
        }
    }
}

impl SideShape {
    fn of(body: &Body, side: usize) -> Self {
        let joints = &body.sides[side];
        let between = |from: usize, to: usize| unit(body.position(to) - body.position(from));
        let tip = |joint: usize| {
            let end = body.bone_end(joint)?;
            unit(body.rest.point(joint, end) - body.position(joint))
        };
        let [upper, lower, hand] = joints.arm;
        // The mean of the bases of all fingers but the thumb, of which some bodies have none.
        let mut bases = DVec3::ZERO;
        let mut count = 0;
        for finger in &joints.fingers {
            let base = finger.first().copied().unwrap_or(hand);
            if !body.names[base].to_ascii_lowercase().contains("thumb") {
                bases += body.position(base) - body.position(hand);
                count += 1;
            }
        }
        let fingers = (count > 0).then(|| unit(bases)).flatten();
        let [thigh, shin, foot] = joints.leg;
        Self {
            arm: [between(upper, lower), between(lower, hand), fingers],
            leg: [
                between(thigh, shin),
                between(shin, foot),
                joints
                    .toes
                    .map_or_else(|| tip(foot), |toes| between(foot, toes)),
                joints.toes.and_then(tip),
            ],
        }
    }
}

/// The rotation of every joint into the common rest pose, in world axes, for the source and the target.
pub(super) struct Alignment {
    pub(super) source: Vec<DQuat>,
    pub(super) target: Vec<DQuat>,
}

impl Alignment {
    /// The limbs of the target as those of the source.
    pub(super) fn onto_source(source: &Body, target: &Body) -> Self {
        let (from, to) = (RestShape::of(target), RestShape::of(source));
        Self {
            source: alloc::vec![DQuat::IDENTITY; source.parents.len()],
            target: align(target, &from, &to),
        }
    }

    /// The limbs of both in a T-pose that faces +z.
    pub(super) fn onto_t_pose(source: &Body, target: &Body) -> Self {
        let [source, target] = [source, target].map(|body| {
            let shape = RestShape::of(body);
            align(body, &shape, &shape.t_pose())
        });
        Self { source, target }
    }

    /// No rotation.
    pub(super) fn none(source: &Body, target: &Body) -> Self {
        let [source, target] =
            [source, target].map(|body| alloc::vec![DQuat::IDENTITY; body.parents.len()]);
        Self { source, target }
    }
}

/// The rotation of every joint of a body from the directions `from` to the directions `to`.
fn align(body: &Body, from: &RestShape, to: &RestShape) -> Vec<DQuat> {
    let whole = rotation_of_two([from.up, from.left], [to.up, to.left]);
    let count = body.parents.len();
    let mut set: Vec<Option<DQuat>> = alloc::vec![None; count];
    for (side, joints) in body.sides.iter().enumerate() {
        let (from, to) = (&from.sides[side], &to.sides[side]);
        align_limb(&mut set, whole, &joints.arm, &from.arm, &to.arm);
        let mut leg = joints.leg.to_vec();
        leg.extend(joints.toes);
        align_limb(&mut set, whole, &leg, &from.leg, &to.leg);
    }
    // The rest follows its parent, and the trunk the body.
    let mut rotations = alloc::vec![whole; count];
    for joint in 0..count {
        let above = body.parents[joint].map_or(whole, |parent| rotations[parent]);
        rotations[joint] = set[joint].unwrap_or(above);
    }
    rotations
}

/// Aligns the joints of a limb in order, starting with the rotation `above`.
fn align_limb(
    set: &mut [Option<DQuat>],
    above: DQuat,
    joints: &[usize],
    from: &[Option<DVec3>],
    to: &[Option<DVec3>],
) {
    let hinges = match (hinge(from), hinge(to)) {
        (Some(from), Some(to)) => Some([from, to]),
        _ => None,
    };
    let mut rotation = above;
    for (index, ((joint, from), to)) in joints.iter().zip(from).zip(to).enumerate() {
        if let (Some(from), Some(to)) = (from, to) {
            rotation = match hinges {
                Some([own, wanted]) if index < 2 => rotation_of_two([*from, own], [*to, wanted]),
                _ => rotation_between(dquat_rotate(rotation, *from), *to) * rotation,
            };
        }
        if let Some(slot) = set.get_mut(*joint) {
            *slot = Some(rotation);
        }
    }
}

/// The axis about which a limb is bent; `None` if its bones are straight, or folded.
pub(super) fn hinge(bones: &[Option<DVec3>]) -> Option<DVec3> {
    let &[Some(upper), Some(lower), ..] = bones else {
        return None;
    };
    if upper.dot(lower).abs() >= HINGE_COSINE {
        return None;
    }
    unit(upper.cross(lower))
}

/// The rotation that takes the first direction to the first, and the second as near to the second as possible.
pub(super) fn rotation_of_two([from, from_side]: [DVec3; 2], [to, to_side]: [DVec3; 2]) -> DQuat {
    let swing = rotation_between(from, to);
    let across = |side: DVec3| unit(side.reject_from_normalized(to));
    let (Some(own), Some(wanted)) = (across(dquat_rotate(swing, from_side)), across(to_side))
    else {
        return swing;
    };
    // Both are perpendicular to `to`, so this rotates about it. Opposite ones have no cross product.
    let roll = if own.dot(wanted) < -1.0 + 1e-9 {
        DQuat::from_xyzw(to.x, to.y, to.z, 0.0)
    } else {
        rotation_between(own, wanted)
    };
    roll * swing
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::internal::quat_log;

    #[test]
    fn two_directions_define_a_rotation_even_if_opposite() {
        let from = [DVec3::Y, DVec3::X];
        for to in [
            [DVec3::Y, DVec3::X],
            [DVec3::Y, -DVec3::X],
            [-DVec3::Y, DVec3::X],
            [DVec3::Z, DVec3::new(0.6, 0.8, 0.0)],
        ] {
            let rotation = rotation_of_two(from, to);
            for (from, to) in from.into_iter().zip(to) {
                assert!(
                    (dquat_rotate(rotation, from) - to).length() < 1e-9,
                    "{to:?}"
                );
            }
        }
        assert!(quat_log(rotation_of_two(from, from)).length() < 1e-12);
    }

    #[test]
    fn a_hinge_needs_a_bend_of_ten_degrees() {
        let bones = |degrees: f64| {
            let (sine, cosine) = libm::sincos(degrees.to_radians());
            [Some(DVec3::X), Some(DVec3::new(cosine, sine, 0.0))]
        };
        assert_eq!(hinge(&bones(9.9)), None);
        assert_eq!(hinge(&bones(10.1)), Some(DVec3::Z));
        assert_eq!(hinge(&bones(179.0)), None);
    }
}
