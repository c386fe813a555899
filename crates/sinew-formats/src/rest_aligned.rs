//! Skeletons whose joints rest without rotation and scale.
//!
//! Some formats cannot say how a joint is turned at rest: all its axes are those of the model, and a
//! rotation of zero is the rest pose. Given joints with any rests, this finds the same motion for such
//! joints. With `W` the rotation of a joint at rest in the model's frame, and `p` its parent:
//!
//! ```text
//! rotation' = W_p · rotation · W⁻¹        (the identity at rest)
//! position' = W_p · position              (the offset at rest)
//! tip'      = W · tip
//! ```
//!
//! Every joint is at the same place in the model's frame, at rest and in motion, and turns by the same
//! angles from its rest. Scales go into the positions of what hangs on the joint: with `B` the stretch
//! of a joint's frame, gathered from its ancestors and itself, `position' = W_p · B_p · position`. Tips
//! take the stretch at rest. A mirroring scale turns the sense of the rotations below it.

use sinew::glam::Vec3;
use sinew::math::Rotation64;
use sinew::{Pose, Skeleton};

type Matrix = [[f64; 3]; 3];

/// A skeleton as it rests when no joint may rest with a rotation or scale.
#[derive(Clone, Debug)]
pub(crate) struct RestAligned {
    parents: Vec<Option<usize>>,
    /// Each joint's rotation at rest, in the model's frame of a skeleton without mirroring.
    turns: Vec<Rotation64>,
    /// Where each joint rests from its parent, along the model's axes, in metres.
    pub(crate) offsets: Vec<[f64; 3]>,
    /// Where each joint's bone ends, along the model's axes, in metres.
    pub(crate) tips: Vec<Option<[f64; 3]>>,
}

/// A pose of such a skeleton. Made once and filled for every frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlignedPose {
    /// Where each joint is from its parent, in its parent's frame, in metres.
    pub(crate) positions: Vec<[f64; 3]>,
    /// Each joint's rotation from its rest, in its parent's frame.
    pub(crate) rotations: Vec<Rotation64>,
    frames: Vec<RestFrame>,
}

/// What of a joint's frame is no rotation.
#[derive(Clone, Copy, Debug)]
struct RestFrame {
    /// The stretch; none when there is none, which is nearly always.
    stretch: Option<Matrix>,
    /// The signs of the stretch along its axes.
    signs: [f64; 3],
}

impl RestFrame {
    const PLAIN: Self = Self {
        stretch: None,
        signs: [1.0; 3],
    };

    fn stretched(&self, v: [f64; 3]) -> [f64; 3] {
        match &self.stretch {
            Some(matrix) => apply(matrix, v),
            None => v,
        }
    }

    /// A rotation given in this frame, as one of a frame that is not mirrored: the axis is mirrored, and
    /// the sense changes with an odd number of mirrors.
    fn unmirrored(&self, r: Rotation64) -> Rotation64 {
        let [x, y, z] = self.signs;
        Rotation64 {
            x: r.x * (y * z),
            y: r.y * (z * x),
            z: r.z * (x * y),
            w: r.w,
        }
    }

    /// The frame of a joint in this one, whose rotation becomes `unmirrored`.
    fn below(&self, rotation: Rotation64, unmirrored: Rotation64, scale: Vec3) -> Self {
        if self.stretch.is_none() && scale == Vec3::ONE {
            return Self::PLAIN;
        }
        let scale = scale.to_array().map(f64::from);
        let mut matrix = rotation.to_rows();
        for row in &mut matrix {
            for (entry, scale) in row.iter_mut().zip(scale) {
                *entry *= scale;
            }
        }
        if let Some(stretch) = &self.stretch {
            matrix = product(stretch, &matrix);
        }
        let sign = |n: f64| if n < 0.0 { -1.0 } else { 1.0 };
        let [x, y, z] = self.signs;
        Self {
            stretch: Some(product(&unmirrored.inverse().to_rows(), &matrix)),
            signs: [x * sign(scale[0]), y * sign(scale[1]), z * sign(scale[2])],
        }
    }
}

impl RestAligned {
    /// Finds the offsets and tips.
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints();
        let parents = joints.iter().map(|joint| joint.parent.map(|p| p.index()));
        let mut aligned = Self {
            parents: parents.collect(),
            turns: vec![Rotation64::IDENTITY; joints.len()],
            offsets: Vec::new(),
            tips: Vec::new(),
        };
        // Against rests without rotation a rotation from rest is the rotation itself.
        let mut rest = AlignedPose::default();
        aligned.align(&Pose::rest(skeleton), &mut rest);
        for (index, rotation) in rest.rotations.iter().enumerate() {
            aligned.turns[index] = aligned.parent_turn(index).mul(*rotation).normalized();
        }
        aligned.align(&Pose::rest(skeleton), &mut rest);
        aligned.offsets = rest.positions;
        for (index, joint) in joints.iter().enumerate() {
            let frame = rest.frames.get(index).copied().unwrap_or(RestFrame::PLAIN);
            let tip = joint.tip.map(|tip| {
                let stretched = frame.stretched(tip.to_array().map(f64::from));
                turned(aligned.turns[index], stretched)
            });
            aligned.tips.push(tip);
        }
        aligned
    }

    fn parent_turn(&self, joint: usize) -> Rotation64 {
        let parent = self.parents.get(joint).copied().flatten();
        let turn = parent.and_then(|parent| self.turns.get(parent));
        turn.copied().unwrap_or(Rotation64::IDENTITY)
    }

    /// The pose of the aligned skeleton in which each joint is where it is in `pose`. Allocates when the
    /// result has less room than it needs.
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
            let turn = turn.unwrap_or(Rotation64::IDENTITY);

            let rotation = Rotation64::from_quat(local.rotation);
            let unmirrored = parent_frame.unmirrored(rotation);
            let position = local.position.to_array().map(f64::from);
            result
                .positions
                .push(turned(parent_turn, parent_frame.stretched(position)));
            result
                .rotations
                .push(parent_turn.mul(unmirrored).mul(turn.inverse()));
            result
                .frames
                .push(parent_frame.below(rotation, unmirrored, local.scale));
        }
    }
}

/// Keeps the bits of what is not turned.
fn turned(turn: Rotation64, v: [f64; 3]) -> [f64; 3] {
    if turn == Rotation64::IDENTITY {
        v
    } else {
        turn.rotate(v)
    }
}

fn apply(m: &Matrix, v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| {
        [0, 1, 2]
            .map(|column| row[0] * b[0][column] + row[1] * b[1][column] + row[2] * b[2][column])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    #[test]
    fn rests_without_rotation_and_scale_keep_their_bits() {
        let aligned = RestAligned::new(&skeleton(Transform::from_position(Vec3::splat(0.1))));
        assert_eq!(aligned.offsets, [[f64::from(0.1f32); 3]; 4]);
        assert_eq!(aligned.tips, [Some([1.0, 0.0, 0.0]); 4]);
    }

    #[test]
    fn rests_are_laid_along_the_axes_of_the_model() {
        let quarter = Rotation64::about_z(std::f64::consts::FRAC_PI_2).to_quat();
        let skeleton = skeleton(Transform {
            rotation: quarter,
            scale: Vec3::splat(2.0),
            ..Transform::from_position(Vec3::X)
        });
        let aligned = RestAligned::new(&skeleton);
        // Each joint turns what hangs on it by a quarter and doubles it.
        let expected = [
            [1.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [-4.0, 0.0, 0.0],
            [0.0, -8.0, 0.0],
        ];
        for (offset, expected) in aligned.offsets.iter().zip(expected) {
            assert!(close(*offset, expected), "{offset:?} {expected:?}");
        }
        assert!(close(aligned.tips[3].unwrap(), [16.0, 0.0, 0.0]));
        let mut pose = AlignedPose::default();
        aligned.align(&Pose::rest(&skeleton), &mut pose);
        for rotation in &pose.rotations {
            assert!(close([rotation.x, rotation.y, rotation.z], [0.0; 3]));
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
            pose.set_rotation(joint.into(), Rotation64::about_z(0.5).to_quat());
        }
        let mut turned = AlignedPose::default();
        aligned.align(&pose, &mut turned);
        let senses: Vec<f64> = turned.rotations.iter().map(|r| r.z.signum()).collect();
        assert_eq!(senses, [1.0, -1.0, 1.0, -1.0]);
    }
}
