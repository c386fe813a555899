//! The joints of a body by role, checked, with a reference pose.

use super::error::{Figure, RetargetError};
use super::model_space::{ModelSpace, parents};
use super::role::{BodyPart, Role, RoleMap};
use alloc::string::String;
use alloc::vec::Vec;
use glam::DVec3;
use sinew::anatomy::{Contact, Limb};
use sinew::skeleton::{JointIndex, Side, Skeleton};

/// The sides of a body in the order of [`Body::sides`].
pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// The joints of one side.
#[derive(Clone, Debug)]
pub(super) struct SideJoints {
    pub(super) clavicle: Option<usize>,
    /// Upper arm, lower arm, hand.
    pub(super) arm: [usize; 3],
    /// Upper leg, lower leg, foot.
    pub(super) leg: [usize; 3],
    pub(super) toes: Option<usize>,
    /// Finger by finger, each from its base to its end.
    pub(super) fingers: Vec<Vec<usize>>,
}

/// The joints of a body by role.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) parents: Vec<Option<usize>>,
    pub(super) tips: Vec<Option<DVec3>>,
    pub(super) names: Vec<String>,
    /// The pose that corresponds to that of the other body.
    pub(super) rest: ModelSpace,
    pub(super) reference: Option<usize>,
    pub(super) hips: usize,
    /// Spine and chest; at least one joint.
    pub(super) trunk: Vec<usize>,
    /// Neck and head; at least one joint.
    pub(super) neck: Vec<usize>,
    pub(super) sides: [SideJoints; 2],
}

impl Body {
    /// Finds the joints of all roles and checks that each descends from those before it.
    pub(super) fn new(
        figure: Figure,
        skeleton: &Skeleton,
        roles: &RoleMap,
        rest: ModelSpace,
    ) -> Result<Self, RetargetError> {
        for assignment in roles.assignments() {
            for &joint in &assignment.joints {
                if joint >= skeleton.len() {
                    return Err(RetargetError::JointOutOfRange {
                        figure,
                        role: assignment.role,
                        joint,
                        joints: skeleton.len(),
                    });
                }
            }
        }
        let required = |role: Role| {
            let joint = roles.joint(role);
            joint.ok_or(RetargetError::MissingRole { figure, role })
        };
        let hips = required(Role::middle(BodyPart::Hips))?;
        let chain = |first: BodyPart, last: BodyPart| {
            let mut joints = roles.joints(Role::middle(first)).to_vec();
            joints.extend(roles.joint(Role::middle(last)));
            joints
        };
        let trunk = chain(BodyPart::Spine, BodyPart::Chest);
        if trunk.is_empty() {
            let role = Role::middle(BodyPart::Chest);
            return Err(RetargetError::MissingRole { figure, role });
        }
        required(Role::middle(BodyPart::Head))?;
        let neck = chain(BodyPart::Neck, BodyPart::Head);
        let parents = parents(skeleton);
        let side = |side: Side| -> Result<SideJoints, RetargetError> {
            let role = |part| Role { part, side };
            Ok(SideJoints {
                clavicle: roles.joint(role(BodyPart::Clavicle)),
                arm: [
                    required(role(BodyPart::UpperArm))?,
                    required(role(BodyPart::LowerArm))?,
                    required(role(BodyPart::Hand))?,
                ],
                leg: [
                    required(role(BodyPart::UpperLeg))?,
                    required(role(BodyPart::LowerLeg))?,
                    required(role(BodyPart::Foot))?,
                ],
                toes: roles.joint(role(BodyPart::Toes)),
                fingers: fingers(&parents, roles.joints(role(BodyPart::Finger))),
            })
        };
        let sides = [side(Side::Left)?, side(Side::Right)?];
        let joints = skeleton.joints().iter();
        let body = Self {
            tips: joints
                .clone()
                .map(|joint| joint.tip.map(|tip| tip.as_dvec3()))
                .collect(),
            names: joints.map(|joint| joint.name.clone()).collect(),
            parents,
            rest,
            reference: roles.joint(Role::middle(BodyPart::Reference)),
            hips,
            trunk,
            neck,
            sides,
        };
        body.check_hierarchy(figure, skeleton, roles)?;
        if !body.rest.is_finite() {
            return Err(RetargetError::RestOutOfRange { figure });
        }
        Ok(body)
    }

    /// Checks that each joint of a chain descends from the one before.
    fn check_hierarchy(
        &self,
        figure: Figure,
        skeleton: &Skeleton,
        roles: &RoleMap,
    ) -> Result<(), RetargetError> {
        let mut chains: Vec<Vec<usize>> = Vec::new();
        let mut trunk = alloc::vec![self.hips];
        trunk.extend(&self.trunk);
        chains.push(trunk);
        let mut neck = alloc::vec![self.hips];
        neck.extend(&self.neck);
        chains.push(neck);
        for side in &self.sides {
            let mut arm = alloc::vec![self.hips];
            arm.extend(side.clavicle);
            arm.extend(side.arm);
            chains.push(arm);
            let mut leg = alloc::vec![self.hips];
            leg.extend(side.leg);
            leg.extend(side.toes);
            chains.push(leg);
        }
        for chain in chains {
            for pair in chain.windows(2) {
                let &[above, joint] = pair else { continue };
                let below = skeleton.subtree(JointIndex::from(above));
                if joint == above || !below.contains(&joint) {
                    let role = roles.role_of(joint);
                    return Err(RetargetError::Hierarchy {
                        figure,
                        role: role.unwrap_or(Role::middle(BodyPart::Hips)),
                        joint: self.names[joint].clone(),
                        above: self.names[above].clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The position of a joint at rest.
    pub(super) fn position(&self, joint: usize) -> DVec3 {
        self.rest.positions[joint]
    }

    /// The length of a straight limb.
    pub(super) fn limb_length(&self, [upper, middle, end]: [usize; 3]) -> f64 {
        (self.position(middle) - self.position(upper)).length()
            + (self.position(end) - self.position(middle)).length()
    }

    /// The mean length of the legs.
    pub(super) fn leg_length(&self) -> f64 {
        let [left, right] = [0, 1].map(|side: usize| self.limb_length(self.sides[side].leg));
        0.5 * (left + right)
    }

    /// The point in the middle between the two upper legs.
    pub(super) fn leg_middle(&self) -> DVec3 {
        let [left, right] = [0, 1].map(|side: usize| self.position(self.sides[side].leg[0]));
        (left + right) * 0.5
    }

    /// The point in the middle between the two upper arms.
    pub(super) fn arm_middle(&self) -> DVec3 {
        let [left, right] = [0, 1].map(|side: usize| self.position(self.sides[side].arm[0]));
        (left + right) * 0.5
    }

    /// The end of a joint's bone in its own space: its tip, or its only child. `None` if it has neither, or no length.
    pub(super) fn bone_end(&self, joint: usize) -> Option<DVec3> {
        let local = self.tips[joint].or_else(|| {
            let mut children = (0..self.parents.len()).filter(|c| self.parents[*c] == Some(joint));
            let child = children.next()?;
            if children.next().is_some() {
                return None;
            }
            let offset = self.rest.positions[child] - self.rest.positions[joint];
            let back = self.rest.rotations[joint].conjugate();
            Some(sinew::math::dquat_rotate(back, offset) / self.rest.scales[joint])
        });
        local
            .filter(|local| local.is_finite() && (*local * self.rest.scales[joint]).length() > 1e-6)
    }

    /// The contact at the ball of a foot: the toes, or the tip of a foot without toes.
    pub(super) fn ball(&self, side: usize) -> Option<Contact> {
        let joints = &self.sides[side];
        if let Some(toes) = joints.toes {
            return Some(Contact {
                joint: JointIndex::from(toes),
                offset: glam::Vec3::ZERO,
            });
        }
        let foot = joints.leg[2];
        self.bone_end(foot).map(|end| Contact {
            joint: JointIndex::from(foot),
            offset: end.as_vec3(),
        })
    }

    /// A leg as a limb of two bones.
    pub(super) fn leg_limb(&self, side: usize) -> Limb {
        let [upper, middle, end] = self.sides[side].leg.map(JointIndex::from);
        Limb {
            side: SIDES[side],
            upper,
            middle,
            end,
            ball: self.ball(side),
            has_heel: true,
            is_arm: false,
        }
    }

    /// An arm as a limb of two bones.
    pub(super) fn arm_limb(&self, side: usize) -> Limb {
        let [upper, middle, end] = self.sides[side].arm.map(JointIndex::from);
        Limb {
            side: SIDES[side],
            upper,
            middle,
            end,
            ball: None,
            has_heel: false,
            is_arm: true,
        }
    }
}

/// Splits the joints of all fingers into fingers: a joint whose parent is a finger joint continues that finger.
fn fingers(parents: &[Option<usize>], joints: &[usize]) -> Vec<Vec<usize>> {
    let mut fingers: Vec<Vec<usize>> = Vec::new();
    let mut sorted = joints.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    for joint in sorted {
        let above = parents[joint];
        match fingers
            .iter_mut()
            .find(|finger| finger.last().copied() == above)
        {
            Some(finger) => finger.push(joint),
            None => fingers.push(alloc::vec![joint]),
        }
    }
    fingers
}
