//! Retargets poses: everything that does not depend on the pose is computed once.
//!
//! With the world rotations `W` of joints, `ref` for the common rest pose (`align`):
//!
//! ```text
//! W_t(t) = W_s(t) · W_s,ref⁻¹ · W_t,ref         delta in world axes, on the target's own rest orientation
//! hips_t(t) = s · (hips_s(t) - floor) + D(t) c    D = W_s,hips(t) · W_s,hips,ref⁻¹
//! c = s · (m_s - hips_s)_ref - (m_t - hips_t)_ref
//! ```
//!
//! `m` is the middle between the two hip joints: it follows the scaled path of the source's, wherever in the pelvis the hips
//! joints are, so that legs of proportional length reach the same scaled places. `s` is the ratio of the leg lengths. Both are as
//! in other systems (Unreal's IK Retargeter, Unity's Humanoid); there the offset `c` is neglected.
//!
//! Per joint the cost is one quaternion product in model space and one into the parent's space; for joints between two of
//! another chain a logarithm and an exponential more.

use super::align::Alignment;
use super::body::Body;
use super::error::{Figure, RetargetError, RetargetWarning};
use super::model_space::ModelSpace;
use super::plan::{Drive, Plan, TwistShare};
use super::role::RoleMap;
use super::settings::{RestAlignment, RetargetSettings, RootTarget};
use alloc::vec::Vec;
use glam::{DQuat, DVec3, Quat};
use sinew::Pose;
use sinew::internal::{quat_exp, quat_log};
use sinew::math::{dquat_from_quat, dquat_normalize, dquat_rotate, dquat_to_quat};
use sinew::pose::JointCountMismatch;
use sinew::skeleton::{JointIndex, Skeleton};

/// Scales outside of this range are reported: the motion looks too slow or too fast.
const USUAL_SCALES: [f64; 2] = [0.5, 2.0];

/// Where the rest pose of a standing body has its ankles above its lowest point, as a share of the leg length.
const STANDING: f64 = 0.25;

/// A joint of the target.
#[derive(Clone, Copy, Debug)]
struct TargetJoint {
    parent: Option<usize>,
    drive: Drive,
    /// For joints of the source: `W_s,ref⁻¹ W_t,ref`. Otherwise `W_t,ref`.
    offset: DQuat,
    /// Relative to its parent.
    rest_rotation: DQuat,
    rest_position: DVec3,
}

/// The transfer of poses from one skeleton to another, by roles.
///
/// Immutable and free of poses: share one between threads and characters, each with buffers of its own from
/// [`scratch`](Self::scratch).
#[derive(Clone, Debug)]
pub struct Retargeter {
    pub(super) source: Body,
    pub(super) target: Body,
    joints: Vec<TargetJoint>,
    /// `W_s,ref⁻¹` by joint of the source.
    source_inverse: Vec<DQuat>,
    rest: Pose,
    pub(super) scale: f64,
    /// The scaled offset `c`.
    hips_offset: DVec3,
    /// Added to the scaled positions of the source, in metres.
    pub(super) ground_offset: DVec3,
    warnings: Vec<RetargetWarning>,
}

/// The buffers of a [`Retargeter`] for one thread.
#[derive(Clone, Debug)]
pub struct RetargetScratch {
    pub(super) source: ModelSpace,
    pub(super) target: ModelSpace,
}

impl Retargeter {
    /// Prepares the transfer from a skeleton to another. [`RetargetSettings::feet`] and [`hands`](RetargetSettings::hands) are
    /// ignored: they need the whole motion. [`FootLock`](sinew::ik::FootLock) keeps feet in place pose by pose.
    ///
    /// # Errors
    /// If a required role is missing, a role map does not fit its skeleton, the legs have no length, or a setting is out of
    /// range.
    pub fn new(
        source: &Skeleton,
        source_roles: &RoleMap,
        target: &Skeleton,
        target_roles: &RoleMap,
        settings: &RetargetSettings,
    ) -> Result<Self, RetargetError> {
        if let RestAlignment::Frame(frame) = settings.rest {
            return Err(RetargetError::RestFrame { frame, frames: 0 });
        }
        let rest = ModelSpace::at_rest(source);
        Self::with_source_rest(source, source_roles, rest, target, target_roles, settings)
    }

    /// As [`new`](Self::new), with a pose of the source instead of its rest pose.
    pub(super) fn with_source_rest(
        source: &Skeleton,
        source_roles: &RoleMap,
        source_rest: ModelSpace,
        target: &Skeleton,
        target_roles: &RoleMap,
        settings: &RetargetSettings,
    ) -> Result<Self, RetargetError> {
        settings.check()?;
        let source_body = Body::new(Figure::Source, source, source_roles, source_rest)?;
        let target_rest = ModelSpace::at_rest(target);
        let target_body = Body::new(Figure::Target, target, target_roles, target_rest)?;
        let lengths = [
            (Figure::Source, source_body.leg_length()),
            (Figure::Target, target_body.leg_length()),
        ];
        for (figure, length) in lengths {
            if !(length > 1e-6 && length.is_finite()) {
                return Err(RetargetError::NoLegLength { figure });
            }
        }
        let [(_, source_length), (_, target_length)] = lengths;
        let scale = settings
            .scale
            .map_or(target_length / source_length, f64::from);
        let alignment = match settings.rest {
            RestAlignment::Auto | RestAlignment::Frame(_) => {
                Alignment::onto_source(&source_body, &target_body)
            }
            RestAlignment::TPose => Alignment::onto_t_pose(&source_body, &target_body),
            RestAlignment::File => Alignment::none(&source_body, &target_body),
        };
        Ok(Self::prepare(
            source_body,
            target_body,
            target,
            &alignment,
            scale,
            settings,
        ))
    }

    fn prepare(
        source: Body,
        target: Body,
        target_skeleton: &Skeleton,
        alignment: &Alignment,
        scale: f64,
        settings: &RetargetSettings,
    ) -> Self {
        let Plan {
            drives,
            mut warnings,
        } = Plan::new(&source, &target);
        if !(USUAL_SCALES[0]..=USUAL_SCALES[1]).contains(&scale) {
            warnings.push(RetargetWarning::Scale {
                scale: scale as f32,
            });
        }
        let reference = |rotations: &[DQuat], body: &Body, joint: usize| {
            dquat_normalize(rotations[joint] * body.rest.rotations[joint])
        };
        let source_inverse: Vec<DQuat> = (0..source.parents.len())
            .map(|joint| reference(&alignment.source, &source, joint).conjugate())
            .collect();
        let joints = target_skeleton.joints().iter().enumerate();
        let joints = joints.map(|(index, joint)| {
            let aligned = reference(&alignment.target, &target, index);
            let offset = match drives[index] {
                Drive::Joint(driver) => dquat_normalize(source_inverse[driver] * aligned),
                _ => aligned,
            };
            TargetJoint {
                parent: target.parents[index],
                drive: drives[index],
                offset,
                rest_rotation: dquat_from_quat(joint.rest.rotation),
                rest_position: joint.rest.position.as_dvec3(),
            }
        });
        let to_middle = |body: &Body, rotations: &[DQuat]| {
            let offset = body.leg_middle() - body.position(body.hips);
            dquat_rotate(rotations[body.hips], offset)
        };
        let hips_offset =
            to_middle(&source, &alignment.source) * scale - to_middle(&target, &alignment.target);
        let mut ground_offset = DVec3::ZERO;
        if let (Some(own), Some(other)) = (sole_height(&target), sole_height(&source)) {
            ground_offset.y = own - scale * other;
        }
        if let (RootTarget::Reference, Some(reference)) = (settings.root, target.reference) {
            ground_offset += target.position(reference);
        }
        Self {
            joints: joints.collect(),
            source_inverse,
            rest: Pose::rest(target_skeleton),
            scale,
            hips_offset,
            ground_offset,
            warnings,
            source,
            target,
        }
    }

    /// Returns the scale of the travel: metres of the target per metre of the source.
    pub fn scale(&self) -> f32 {
        self.scale as f32
    }

    /// Returns what one of the skeletons lacks.
    pub fn warnings(&self) -> &[RetargetWarning] {
        &self.warnings
    }

    /// Allocates the buffers for one thread.
    pub fn scratch(&self) -> RetargetScratch {
        RetargetScratch {
            source: ModelSpace::new(self.source.parents.len()),
            target: ModelSpace::new(self.joints.len()),
        }
    }

    /// Transfers a pose of the source to the target. Joints that nothing drives are at rest. Does not allocate. A pose with
    /// numbers that are not finite gives the rest pose.
    ///
    /// Feet are not kept in place, and the floor of the source is y = 0.
    ///
    /// # Errors
    /// If a pose, or the buffers, have another number of joints than the skeletons.
    pub fn retarget_pose(
        &self,
        scratch: &mut RetargetScratch,
        source: &Pose,
        target: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.source.parents.len(), source.len())?;
        JointCountMismatch::check(self.source.parents.len(), scratch.source.positions.len())?;
        JointCountMismatch::check(self.joints.len(), target.len())?;
        JointCountMismatch::check(self.joints.len(), scratch.target.positions.len())?;
        target.copy_from(&self.rest);
        scratch.source.fill(&self.source.parents, source);
        if scratch.source.is_finite() {
            self.transfer(scratch, 0.0);
            self.write_pose(scratch, target);
        }
        Ok(())
    }

    /// The joints that are driven.
    pub(super) fn driven_joints(&self) -> impl Iterator<Item = usize> {
        let joints = self.joints.iter().enumerate();
        joints
            .filter(|(_, joint)| joint.drive != Drive::Rest)
            .map(|(index, _)| index)
    }

    /// The positions and rotations of the target's joints at rest, relative to their parents.
    pub(super) fn rest_transforms(&self) -> (Vec<DVec3>, Vec<DQuat>) {
        let joints = self.joints.iter();
        joints
            .map(|joint| (joint.rest_position, joint.rest_rotation))
            .unzip()
    }

    /// Whether the motion of a joint of the source has an effect on the target's rotations.
    pub(super) fn is_used(&self, joint: usize) -> bool {
        self.joints.iter().any(|target| match target.drive {
            Drive::Joint(driver) => driver == joint,
            Drive::Between(from, to, _) => from == joint || to == joint,
            Drive::Rest | Drive::Twist(_) => false,
        })
    }

    /// A point of the source where the target has it.
    pub(super) fn scaled(&self, point: DVec3, floor: f64) -> DVec3 {
        DVec3::new(point.x, point.y - floor, point.z) * self.scale + self.ground_offset
    }

    /// Computes the target in model space from the source in model space, whose floor is at height `floor`.
    pub(super) fn transfer(&self, scratch: &mut RetargetScratch, floor: f64) {
        let RetargetScratch { source, target } = scratch;
        // Rotations that the source defines, whatever the hierarchy of the target.
        for (index, joint) in self.joints.iter().enumerate() {
            target.rotations[index] = match joint.drive {
                Drive::Joint(driver) => source.rotations[driver] * joint.offset,
                Drive::Between(from, to, ratio) => {
                    let delta = |joint: usize| source.rotations[joint] * self.source_inverse[joint];
                    let (from, to) = (delta(from), delta(to));
                    let between = quat_exp(quat_log(from.conjugate() * to) * ratio);
                    from * between * joint.offset
                }
                Drive::Rest | Drive::Twist(_) => DQuat::IDENTITY,
            };
        }
        for (index, joint) in self.joints.iter().enumerate() {
            let above = joint
                .parent
                .map_or(DQuat::IDENTITY, |p| target.rotations[p]);
            match joint.drive {
                Drive::Rest => target.rotations[index] = above * joint.rest_rotation,
                Drive::Twist(twist) => {
                    let twist = self.twist(&target.rotations, &twist);
                    target.rotations[index] = above * twist * joint.rest_rotation;
                }
                Drive::Joint(_) | Drive::Between(..) => {}
            }
            target.scales[index] = self.target.rest.scales[index];
            target.positions[index] = match joint.parent {
                _ if index == self.target.hips => {
                    let hips = self.source.hips;
                    let delta = source.rotations[hips] * self.source_inverse[hips];
                    self.scaled(source.positions[hips], floor)
                        + dquat_rotate(delta, self.hips_offset)
                }
                Some(parent) => target.point(parent, joint.rest_position),
                None => joint.rest_position,
            };
        }
    }

    /// The share of a twist about a bone.
    fn twist(&self, rotations: &[DQuat], twist: &TwistShare) -> DQuat {
        let reference = |joint: usize| self.aligned(joint);
        // The rotation from the rest pose, in the twisting joint's space at rest, or in its parent's on the lower bone.
        let rest = reference(twist.above).conjugate() * reference(twist.twisted);
        let posed = rotations[twist.above].conjugate() * rotations[twist.twisted];
        let is_upper = twist.share < 0.0;
        let turn = if is_upper {
            rest.conjugate() * posed
        } else {
            posed * rest.conjugate()
        };
        let along = turn.xyz().dot(twist.axis);
        let about = twist.axis * along;
        let twisting = dquat_normalize(DQuat::from_xyzw(about.x, about.y, about.z, turn.w));
        quat_exp(quat_log(twisting) * twist.share)
    }

    /// The orientation of a joint in the common rest pose.
    fn aligned(&self, joint: usize) -> DQuat {
        match self.joints[joint].drive {
            Drive::Joint(driver) => {
                self.source_inverse[driver].conjugate() * self.joints[joint].offset
            }
            _ => self.joints[joint].offset,
        }
    }

    /// The rotation of a joint relative to its parent, from model space.
    pub(super) fn local_rotation(&self, target: &ModelSpace, joint: usize) -> Quat {
        let rotation = target.rotations[joint];
        dquat_to_quat(match self.joints[joint].parent {
            Some(parent) => target.rotations[parent].conjugate() * rotation,
            None => rotation,
        })
    }

    /// The position of the hips relative to their parent, from model space.
    pub(super) fn local_hips(&self, target: &ModelSpace, position: DVec3) -> DVec3 {
        match self.joints[self.target.hips].parent {
            Some(parent) => {
                let offset = position - target.positions[parent];
                let local = dquat_rotate(target.rotations[parent].conjugate(), offset);
                local / target.scales[parent]
            }
            None => position,
        }
    }

    fn write_pose(&self, scratch: &RetargetScratch, pose: &mut Pose) {
        for joint in self.driven_joints() {
            pose.set_rotation(
                JointIndex::from(joint),
                self.local_rotation(&scratch.target, joint),
            );
        }
        let hips = self.target.hips;
        let position = self.local_hips(&scratch.target, scratch.target.positions[hips]);
        if position.is_finite() {
            pose.set_position(JointIndex::from(hips), position.as_vec3());
        }
    }
}

/// The height of the balls of the feet above y = 0, if the rest pose stands there: its lowest point is near y = 0 and both feet
/// are near it. `None` for other rest poses, for example with the hips at the origin.
fn sole_height(body: &Body) -> Option<f64> {
    let length = body.leg_length();
    let heights = [0, 1].map(|side: usize| {
        let foot = body.sides[side].leg[2];
        let ball = body.ball(side).map_or(body.position(foot), |ball| {
            body.rest.point(ball.joint.index(), ball.offset.as_dvec3())
        });
        (body.position(foot).y, ball.y)
    });
    let stands = heights.iter().all(|(ankle, ball)| {
        (0.0..STANDING * length).contains(ankle) && (-0.02 * length..0.12 * length).contains(ball)
    });
    let [(_, left), (_, right)] = heights;
    stands.then_some(0.5 * (left + right))
}
