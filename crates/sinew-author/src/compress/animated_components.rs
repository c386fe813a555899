//! Pass 3: separates what is constant from what moves.
//!
//! Each joint has nine scalars: three MRP coordinates, position and scale. A scalar that moves the body by less than
//! 2 % of the error bound over the whole animation is stored once; the others become [`Component`]s:
//!
//! ```text
//! rotation        u(sample)                     about the average rotation (`mrp`)
//! position, scale v(sample) - (min + max) / 2   about the middle of the range, so that residuals are small
//! ```
//!
//! The order of components is that of joints and of the nine scalars, which is the order that the decoder expects.
//! The cost is one pass over all samples.

use super::joint_influence::JointInfluence;
use super::mrp::fit_mrp_frame;
use super::source::{SampledMotion, Source};
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::internal::packed::{FINE, pack_quat};
use sinew::internal::packed::{JointHead, LinearHead, RotationHead};

/// A scalar that moves the body by less than this share of the error bound is constant: small enough that all joints of
/// a chain together do not matter, large enough to ignore the rounding of source files.
const CONSTANT_THRESHOLD: f64 = 0.02;

/// One scalar over all samples.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) joint: usize,
    pub(super) values: Vec<f32>,
    /// The maximum movement of the body per unit, in metres.
    pub(super) influence: f64,
}

/// The constants and components of all joints.
pub(super) struct Components {
    pub(super) joints: Vec<JointHead>,
    /// In the order of joints, then of their scalars.
    pub(super) list: Vec<Component>,
    /// By sample, the largest error of any joint half-way to the next sample if MRP coordinates are interpolated
    /// instead of slerp, in metres.
    pub(super) midpoint_errors: Vec<f64>,
}

/// Sorts the scalars of all joints into constants and components.
pub(super) fn components(
    source: &Source<'_>,
    sampled: &SampledMotion,
    influence: &JointInfluence,
    max_error: f64,
) -> Components {
    let threshold = CONSTANT_THRESHOLD * max_error;
    let mut joints = Vec::with_capacity(sampled.joints.len());
    let mut list = Vec::new();
    let mut midpoint_errors = alloc::vec![0.0f64; sampled.sample_count];
    for (index, samples) in sampled.joints.iter().enumerate() {
        let rest = source.skeleton.joints()[index].rest;
        let per_radian = influence.per_radian(index);
        // u = 2 tan(angle / 4), so du turns a joint by at most 2 du.
        let per_mrp = 2.0 * per_radian;
        let add = |values| {
            list.push(Component {
                joint: index,
                values,
                influence: per_mrp,
            });
        };
        let add_error = |sample_index: usize, radians: f64| {
            midpoint_errors[sample_index] = midpoint_errors[sample_index].max(radians * per_radian);
        };
        let rotation = rotations(
            &samples.rotations,
            rest.rotation,
            threshold / per_mrp,
            add,
            add_error,
        );
        let mut linear = |values: &[Vec3], rest: Vec3, influence: f64| {
            vectors(values, rest, threshold / influence, |values| {
                list.push(Component {
                    joint: index,
                    values,
                    influence,
                });
            })
        };
        joints.push(JointHead {
            moved: source.moved[index],
            rotation,
            position: linear(
                &samples.positions,
                rest.position,
                influence.per_metre(index),
            ),
            scale: linear(&samples.scales, rest.scale, per_radian),
        });
    }
    Components {
        joints,
        list,
        midpoint_errors,
    }
}

/// The head of a joint's rotations. Passes coordinates that move by more than `threshold` to `add`, and the error of
/// interpolating them after each sample, in radians, to `add_error`.
fn rotations(
    rotations: &[Quat],
    rest: Quat,
    threshold: f64,
    mut add: impl FnMut(Vec<f32>),
    mut add_error: impl FnMut(usize, f64),
) -> RotationHead {
    let is_near = |a: Quat, b: Quat| {
        let difference = (0..4).map(|i| a.to_array()[i] - b.to_array()[i]);
        f64::from(difference.fold(0.0f32, |largest, number| largest.max(number.abs()))) <= threshold
    };
    let first = rotations.first().copied().unwrap_or(rest);
    let opposite = |q: Quat| sinew::math::quat_negate(q);
    if rotations
        .iter()
        .all(|&q| is_near(q, rest) || is_near(q, opposite(rest)))
    {
        return RotationHead::Rest;
    }
    if rotations.iter().all(|&q| is_near(q, first)) {
        return RotationHead::Fixed(pack_quat(first.to_array().map(f64::from), FINE));
    }
    let moves = |values: &Vec<f32>| {
        values
            .iter()
            .any(|&value| f64::from(value.abs()) > threshold)
    };
    let fine = fit_mrp_frame(rotations, true);
    let all = fine.coordinates.iter().all(moves);
    // A coordinate that is not stored cannot absorb the rounding of the frame; if all three are, few bits will do.
    let mrp = if all {
        fit_mrp_frame(rotations, false)
    } else {
        fine
    };
    for (sample_index, error) in mrp.midpoint_errors().enumerate() {
        add_error(sample_index, error);
    }
    let mut components = [false; 3];
    for (axis, values) in mrp.coordinates.into_iter().enumerate() {
        if all || moves(&values) {
            components[axis] = true;
            add(values);
        }
    }
    RotationHead::Mrp {
        frame: mrp.frame,
        components,
    }
}

/// The head of positions or scales. Passes the scalars that move to `add`.
fn vectors(
    values: &[Vec3],
    rest: Vec3,
    threshold: f64,
    mut add: impl FnMut(Vec<f32>),
) -> LinearHead {
    let is_near = |a: Vec3, b: Vec3| f64::from((a - b).abs().max_element()) <= threshold;
    if values.iter().all(|&value| is_near(value, rest)) {
        return LinearHead::Rest;
    }
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &value in values {
        low = low.min(value);
        high = high.max(value);
    }
    let middle = low * 0.5 + high * 0.5;
    let mut components = [false; 3];
    for (axis, moves) in components.iter_mut().enumerate() {
        *moves = f64::from(high[axis]) - f64::from(low[axis]) > 2.0 * threshold;
        if *moves {
            add(values
                .iter()
                .map(|value| value[axis] - middle[axis])
                .collect());
        }
    }
    LinearHead::Given {
        values: middle.to_array(),
        components,
    }
}
