//! Skeletons whose joints have no rotation and scale at rest.
//!
//! Some formats have no rest rotations: all joint axes are those of the model, and a rotation of zero is the rest
//! pose. This module converts a motion of joints with any rest transforms to such joints. With `W` the rotation of a
//! joint at rest in model space, and `p` its parent:
//!
//! ```text
//! rotation' = W_p · rotation · W⁻¹        (the identity at rest)
//! position' = W_p · position              (the offset at rest)
//! tip'      = W · tip
//! ```
//!
//! Every joint keeps its position in model space, at rest and in motion, and its angles relative to the rest pose.
//! Scales are baked into the positions of the children: with `B` the stretch of a joint's frame, accumulated from its
//! ancestors and itself, `position' = W_p · B_p · position`. Tips take the stretch at rest. A mirroring scale inverts
//! the sense of the rotations below it.

use sinew::glam::{DMat3, DQuat, DVec3, Vec3};
use sinew::math::{dquat_from_quat, dquat_normalize, dquat_rotate, dquat_to_mat3};
use sinew::{Pose, Skeleton};

/// A skeleton without rotations and scales at rest.
#[derive(Clone, Debug)]
pub(crate) struct RestAligned {
    parents: Vec<Option<usize>>,
    /// Rotation of each joint at rest, in model space without mirroring.
    turns: Vec<DQuat>,
    /// Offset of each joint from its parent at rest, along the model's axes, in metres.
    pub(crate) offsets: Vec<DVec3>,
    /// Bone tip of each joint, along the model's axes, in metres.
    pub(crate) tips: Vec<Option<DVec3>>,
}

/// A pose of an aligned skeleton. Allocated once and filled for every frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlignedPose {
    /// Position of each joint in its parent's frame, in metres.
    pub(crate) positions: Vec<DVec3>,
    /// Rotation of each joint relative to its rest, in its parent's frame.
    pub(crate) rotations: Vec<DQuat>,
    frames: Vec<RestFrame>,
}

/// The part of a joint's frame that is not a rotation.
#[derive(Clone, Copy, Debug)]
struct RestFrame {
    /// The stretch; `None` if there is none, as in most poses.
    stretch: Option<DMat3>,
    /// The signs of the stretch along its axes.
    signs: DVec3,
}

impl RestFrame {
    const PLAIN: Self = Self {
        stretch: None,
        signs: DVec3::ONE,
    };

    fn stretched(&self, v: DVec3) -> DVec3 {
        self.stretch.map_or(v, |stretch| stretch * v)
    }

    /// Converts a rotation of this frame to one of a frame that is not mirrored: the axis is mirrored, and the sense
    /// changes with an odd number of mirrors.
    fn unmirrored(&self, r: DQuat) -> DQuat {
        let DVec3 { x, y, z } = self.signs;
        DQuat {
            x: r.x * (y * z),
            y: r.y * (z * x),
            z: r.z * (x * y),
            w: r.w,
        }
    }

    /// Returns the frame of a child joint, whose rotation becomes `unmirrored`.
    fn below(&self, rotation: DQuat, unmirrored: DQuat, scale: Vec3) -> Self {
        if self.stretch.is_none() && scale == Vec3::ONE {
            return Self::PLAIN;
        }
        let scale = scale.as_dvec3();
        let rotation = dquat_to_mat3(rotation);
        let mut matrix = DMat3::from_cols(
            rotation.x_axis * scale.x,
            rotation.y_axis * scale.y,
            rotation.z_axis * scale.z,
        );
        if let Some(stretch) = self.stretch {
            matrix = stretch * matrix;
        }
        let sign = |n: f64| if n < 0.0 { -1.0 } else { 1.0 };
        Self {
            stretch: Some(dquat_to_mat3(unmirrored.conjugate()) * matrix),
            signs: self.signs * scale.map(sign),
        }
    }
}

impl RestAligned {
    /// Computes the offsets and tips.
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints();
        let parents = joints.iter().map(|joint| joint.parent.map(|p| p.index()));
        let mut aligned = Self {
            parents: parents.collect(),
            turns: vec![DQuat::IDENTITY; joints.len()],
            offsets: Vec::new(),
            tips: Vec::new(),
        };
        // Relative to rests without rotation, a rotation from rest is the rotation itself.
        let mut rest = AlignedPose::default();
        aligned.align(&Pose::rest(skeleton), &mut rest);
        for (index, rotation) in rest.rotations.iter().enumerate() {
            aligned.turns[index] = dquat_normalize(aligned.parent_turn(index) * *rotation);
        }
        aligned.align(&Pose::rest(skeleton), &mut rest);
        aligned.offsets = rest.positions;
        for (index, joint) in joints.iter().enumerate() {
            let frame = rest.frames.get(index).copied().unwrap_or(RestFrame::PLAIN);
            let tip = joint.tip.map(|tip| {
                let stretched = frame.stretched(tip.as_dvec3());
                turned(aligned.turns[index], stretched)
            });
            aligned.tips.push(tip);
        }
        aligned
    }

    fn parent_turn(&self, joint: usize) -> DQuat {
        let parent = self.parents.get(joint).copied().flatten();
        let turn = parent.and_then(|parent| self.turns.get(parent));
        turn.copied().unwrap_or(DQuat::IDENTITY)
    }

    /// Computes the pose of the aligned skeleton in which each joint has the position that it has in `pose`.
    /// Allocates if the capacity of the result is too small.
    pub(crate) fn align(&self, pose: &Pose, result: &mut AlignedPose) {
        result.positions.clear();
        result.rotations.clear();
        result.frames.clear();
        for (index, parent) in self.parents.iter().enumerate() {
            let local = pose.get(index.into());
            let parent_frame = parent.and_then(|parent| result.frames.get(parent).copied());
            let parent_frame = parent_frame.unwrap_or(RestFrame::PLAIN);
            let parent_turn = self.parent_turn(index);
            let turn = self.turns.get(index).copied();
            let turn = turn.unwrap_or(DQuat::IDENTITY);

            let rotation = dquat_from_quat(local.rotation);
            let unmirrored = parent_frame.unmirrored(rotation);
            let position = local.position.as_dvec3();
            result
                .positions
                .push(turned(parent_turn, parent_frame.stretched(position)));
            result
                .rotations
                .push(parent_turn * unmirrored * turn.conjugate());
            result
                .frames
                .push(parent_frame.below(rotation, unmirrored, local.scale));
        }
    }
}

/// Rotates a vector; an identity rotation keeps the exact bits.
fn turned(turn: DQuat, v: DVec3) -> DVec3 {
    if turn == DQuat::IDENTITY {
        v
    } else {
        dquat_rotate(turn, v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::math::{dquat_to_quat, rotation_z};
    use sinew::{Joint, JointIndex, Transform};

    fn skeleton(rest: Transform) -> Skeleton {
        let joint = |index: usize| Joint {
            name: index.to_string(),
            parent: index.checked_sub(1).map(JointIndex::from),
            rest,
            tip: Some(Vec3::X),
        };
        Skeleton::new((0..4).map(joint).collect()).unwrap()
    }

    fn close(a: DVec3, b: DVec3) -> bool {
        (a - b).abs().max_element() < 1e-6
    }

    #[test]
    fn rests_without_rotation_and_scale_keep_their_bits() {
        let aligned = RestAligned::new(&skeleton(Transform::from_position(Vec3::splat(0.1))));
        assert_eq!(aligned.offsets, [DVec3::splat(f64::from(0.1f32)); 4]);
        assert_eq!(aligned.tips, [Some(DVec3::X); 4]);
    }

    #[test]
    fn rests_are_laid_along_the_axes_of_the_model() {
        let quarter = dquat_to_quat(rotation_z(std::f64::consts::FRAC_PI_2));
        let skeleton = skeleton(Transform {
            rotation: quarter,
            scale: Vec3::splat(2.0),
            ..Transform::from_position(Vec3::X)
        });
        let aligned = RestAligned::new(&skeleton);
        // Each joint rotates its descendants by 90 degrees and scales them by 2.
        let expected = [DVec3::X, DVec3::Y * 2.0, DVec3::X * -4.0, DVec3::Y * -8.0];
        for (offset, expected) in aligned.offsets.iter().zip(expected) {
            assert!(close(*offset, expected), "{offset:?} {expected:?}");
        }
        assert!(close(aligned.tips[3].unwrap(), DVec3::X * 16.0));
        let mut pose = AlignedPose::default();
        aligned.align(&Pose::rest(&skeleton), &mut pose);
        for rotation in &pose.rotations {
            assert!(close(rotation.xyz(), DVec3::ZERO));
        }
    }

    #[test]
    fn rotations_below_a_mirror_turn_the_other_way() {
        let mirror = Transform {
            scale: Vec3::new(-1.0, 1.0, 1.0),
            ..Transform::IDENTITY
        };
        let skeleton = skeleton(mirror);
        let aligned = RestAligned::new(&skeleton);
        let mut pose = Pose::rest(&skeleton);
        for joint in 0..4 {
            pose.set_rotation(joint.into(), dquat_to_quat(rotation_z(0.5)));
        }
        let mut turned = AlignedPose::default();
        aligned.align(&pose, &mut turned);
        let senses: Vec<f64> = turned.rotations.iter().map(|r| r.z.signum()).collect();
        assert_eq!(senses, [1.0, -1.0, 1.0, -1.0]);
    }
}
