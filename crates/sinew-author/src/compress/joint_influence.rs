//! Pass 3: how far each joint moves the body per unit of its components.
//!
//! A rotation by a small angle moves a point by the angle times its distance from the joint; a translation moves
//! everything below the joint by itself, times the scale above it:
//!
//! ```text
//! per_radian = max over joints k below j, samples:  |o_k - o_j| + r_k · scale_k        (metres per radian)
//! per_metre  = max over samples:                    scale of the parent
//! ```
//!
//! `r` is the radius of the ball on which errors are measured. Up to 64 samples are inspected, because the influence
//! only guides the first choice of quantization steps; the error bound does not depend on it. The cost is joints ×
//! depth per sample.

use super::source::SampledMotion;
use crate::measure::SHELL;
use alloc::vec::Vec;
use sinew::skeleton::JointIndex;
use sinew::skeleton::Skeleton;

/// Samples that are inspected, at most.
const MAX_SAMPLES_INSPECTED: usize = 64;

/// Pairs of joint and ancestor that are inspected, at most, over all samples.
const MAX_PAIRS: usize = 20_000_000;

/// The radius of the ball around a joint on which errors are measured, in metres; see
/// [`ErrorMeter`](crate::measure::ErrorMeter).
pub(super) fn radius_of(skeleton: &Skeleton, joint: JointIndex) -> f64 {
    let tip = skeleton.joint(joint).and_then(|joint| joint.tip);
    let tip = tip.filter(|_| skeleton.is_leaf(joint));
    tip.map_or(SHELL, |tip| SHELL.max(f64::from(tip.length())))
}

/// The largest motion of the body per unit of motion of each joint.
pub(super) struct JointInfluence {
    /// By joint: per radian, per metre.
    joints: Vec<[f64; 2]>,
}

impl JointInfluence {
    /// Metres per radian that a joint rotates, or per unit that it scales.
    pub(super) fn per_radian(&self, joint: usize) -> f64 {
        self.joints[joint][0]
    }

    /// Metres per metre that a joint moves.
    pub(super) fn per_metre(&self, joint: usize) -> f64 {
        self.joints[joint][1]
    }

    /// Inspects evenly spaced samples.
    pub(super) fn new(skeleton: &Skeleton, sampled: &SampledMotion) -> Self {
        let mut joints = alloc::vec![[0.0f64; 2]; skeleton.len()];
        let mut pose = sinew::pose::Pose::rest(skeleton);
        let mut model = sinew::pose::ModelPose::new(skeleton);
        // Every joint is inspected from each of its ancestors, so large skeletons get fewer samples.
        let pairs: usize = (0..skeleton.len())
            .map(|joint| skeleton.subtree(joint.into()).len())
            .sum();
        let inspected = sampled
            .sample_count
            .min(MAX_SAMPLES_INSPECTED)
            .min((MAX_PAIRS / pairs).max(1));
        for step in 0..inspected {
            let sample_index = step * (sampled.sample_count - 1) / (inspected - 1).max(1);
            for (index, samples) in sampled.joints.iter().enumerate() {
                pose.set_position(index.into(), samples.positions[sample_index]);
                pose.set_rotation(index.into(), samples.rotations[sample_index]);
                pose.set_scale(index.into(), samples.scales[sample_index]);
            }
            // Cannot fail: both are of the same skeleton.
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
                let largest = &mut joints[index];
                // Steps are divided by the influence, so it is never zero.
                largest[0] = largest[0].max(reach).max(1e-9);
                largest[1] = largest[1].max(above).max(1e-9);
            }
        }
        Self { joints }
    }
}
