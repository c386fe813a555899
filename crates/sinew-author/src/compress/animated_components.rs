//! Pass 3: what moves, as numbers over time; everything else once.

use super::joint_influence::JointInfluence;
use super::mrp::chart;
use super::source::{Sampled, Source};
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::internal::packed::{FINE, pack_quat};
use sinew::internal::packed::{JointHead, LinearHead, RotationHead};

/// What moves the body by less than this part of the error allowed is constant. Small enough that all that is
/// left out together does not matter, large enough for the rounding of files.
const STILL: f64 = 0.02;

/// One number over all rows.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) joint: usize,
    pub(super) values: Vec<f32>,
    /// How far the body moves at most per unit, in metres.
    pub(super) reach: f64,
}

/// What rows say: per joint what is constant and what moves.
pub(super) struct Components {
    pub(super) joints: Vec<JointHead>,
    /// In the order of joints and of numbers.
    pub(super) list: Vec<Component>,
    /// By rows, how far the body may be off in metres half-way to the next where the coordinates of rotations are
    /// interpolated instead of rotations: the most of any joint.
    pub(super) bends: Vec<f64>,
}

/// Sorts the numbers of all joints into constants and components.
pub(super) fn components(
    source: &Source<'_>,
    sampled: &Sampled,
    reach: &JointInfluence,
    max_error: f64,
) -> Components {
    let still = STILL * max_error;
    let mut joints = Vec::with_capacity(sampled.joints.len());
    let mut list = Vec::new();
    let mut bends = alloc::vec![0.0f64; sampled.rows];
    for (index, rows) in sampled.joints.iter().enumerate() {
        let rest = source.skeleton.joints()[index].rest;
        let turning = reach.turning(index);
        // Per unit of a coordinate a joint turns by up to two radians.
        let per_unit = 2.0 * turning;
        let add = |values| {
            list.push(Component {
                joint: index,
                values,
                reach: per_unit,
            });
        };
        let bend = |row: usize, radians: f64| bends[row] = bends[row].max(radians * turning);
        let rotation = rotations(&rows.rotations, rest.rotation, still / per_unit, add, bend);
        let mut linear = |values: &[Vec3], rest: Vec3, reach: f64| {
            vectors(values, rest, still / reach, |values| {
                list.push(Component {
                    joint: index,
                    values,
                    reach,
                });
            })
        };
        joints.push(JointHead {
            moved: source.moved[index],
            rotation,
            position: linear(&rows.positions, rest.position, reach.moving(index)),
            scale: linear(&rows.scales, rest.scale, turning),
        });
    }
    Components {
        joints,
        list,
        bends,
    }
}

/// What is said of rotations; the coordinates that move by more than `still` go to `add`, and how they bend after
/// each row to `bends`.
fn rotations(
    rotations: &[Quat],
    rest: Quat,
    still: f64,
    mut add: impl FnMut(Vec<f32>),
    mut bends: impl FnMut(usize, f64),
) -> RotationHead {
    let is_near = |a: Quat, b: Quat| {
        let off = (0..4).map(|at| a.to_array()[at] - b.to_array()[at]);
        f64::from(off.fold(0.0f32, |most, number| most.max(number.abs()))) <= still
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
    let moves = |values: &Vec<f32>| values.iter().any(|&value| f64::from(value.abs()) > still);
    let fine = chart(rotations, true);
    let all = fine.coordinates.iter().all(moves);
    // Where every coordinate is coded, the chart need not be exact.
    let charted = if all { chart(rotations, false) } else { fine };
    for (row, bend) in charted.bends().enumerate() {
        bends(row, bend);
    }
    let mut components = [false; 3];
    for (axis, values) in charted.coordinates.into_iter().enumerate() {
        if all || moves(&values) {
            components[axis] = true;
            add(values);
        }
    }
    RotationHead::Charted {
        chart: charted.chart,
        components,
    }
}

/// What is said of positions or scales; the numbers that move go to `add`.
fn vectors(values: &[Vec3], rest: Vec3, still: f64, mut add: impl FnMut(Vec<f32>)) -> LinearHead {
    let is_near = |a: Vec3, b: Vec3| f64::from((a - b).abs().max_element()) <= still;
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
        *moves = f64::from(high[axis]) - f64::from(low[axis]) > 2.0 * still;
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
