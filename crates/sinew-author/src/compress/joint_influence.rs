//! Pass 4 (computed before 3, which uses it): how far each joint moves the body per unit of its components.
//!
//! A rotation by a small angle moves a point by the angle times its distance from the joint; a translation moves
//! everything below the joint by itself. The influence of a joint is the largest such distance in up to 64
//! rows of the motion, shell radius included. It only guides the first choice of steps; the bound does not rest on it.

use super::source::Sampled;
use crate::measure::SHELL;
use alloc::vec::Vec;
use sinew::skeleton::JointIndex;
use sinew::skeleton::Skeleton;

/// Rows, at most, in which it is looked at how far joints reach.
const LOOKS: usize = 64;

/// Pairs of joints, at most, that are looked at in all.
const MOST_PAIRS: usize = 20_000_000;

/// The radius of the ball around a joint on which errors are measured, in metres; see
/// [`ErrorMeter`](crate::measure::ErrorMeter).
pub(super) fn radius_of(skeleton: &Skeleton, joint: JointIndex) -> f64 {
    let tip = skeleton.joint(joint).and_then(|joint| joint.tip);
    let tip = tip.filter(|_| skeleton.is_leaf(joint));
    tip.map_or(SHELL, |tip| SHELL.max(f64::from(tip.length())))
}

/// How far the body moves, at most over the animation.
pub(super) struct JointInfluence {
    joints: Vec<[f64; 2]>,
}

impl JointInfluence {
    /// Metres per radian that a joint turns, or per unit that it scales.
    pub(super) fn turning(&self, joint: usize) -> f64 {
        self.joints[joint][0]
    }

    /// Metres per metre that a joint moves.
    pub(super) fn moving(&self, joint: usize) -> f64 {
        self.joints[joint][1]
    }

    /// Looks at some rows.
    pub(super) fn new(skeleton: &Skeleton, sampled: &Sampled) -> Self {
        let mut joints = alloc::vec![[0.0f64; 2]; skeleton.len()];
        let mut pose = sinew::pose::Pose::rest(skeleton);
        let mut model = sinew::pose::ModelPose::new(skeleton);
        // Fewer where joints are very many, because each is looked at from all above it.
        let pairs: usize = (0..skeleton.len())
            .map(|joint| skeleton.subtree(joint.into()).len())
            .sum();
        let looks = sampled.rows.min(LOOKS).min((MOST_PAIRS / pairs).max(1));
        for look in 0..looks {
            let row = look * (sampled.rows - 1) / (looks - 1).max(1);
            for (index, rows) in sampled.joints.iter().enumerate() {
                pose.set_position(index.into(), rows.positions[row]);
                pose.set_rotation(index.into(), rows.rotations[row]);
                pose.set_scale(index.into(), rows.scales[row]);
            }
            // Both are of the skeleton.
            let _ = sinew::local_to_model::local_to_model(skeleton, &pose, &mut model);
            for (index, joint) in skeleton.joints().iter().enumerate() {
                let origin = model.position(index.into());
                let stretch = |joint: usize| {
                    let matrix = model.matrix(joint.into());
                    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
                    axes.map(|axis| f64::from(axis.truncate().length()))
                        .into_iter()
                        .fold(0.0, f64::max)
                };
                let reach = skeleton.subtree(index.into()).map(|below| {
                    let distance = f64::from((model.position(below.into()) - origin).length());
                    distance + radius_of(skeleton, below.into()) * stretch(below)
                });
                let reach = reach.fold(0.0, f64::max);
                let above = joint.parent.map_or(1.0, |parent| stretch(parent.index()));
                let most = &mut joints[index];
                // What does not reach anywhere must still have a step.
                most[0] = most[0].max(reach).max(1e-9);
                most[1] = most[1].max(above).max(1e-9);
            }
        }
        Self { joints }
    }
}
