//! The scalar IK solvers: FABRIK (Aristidou and Lasenby, FABRIK: a fast, iterative solver for the inverse kinematics
//! problem, 2011) and arcs. The kernel computes the same bits with one chain per lane.
//!
//! FABRIK works on the points of a chain, without angles. With bone lengths `l[i]`, a round sets the tip to the target and
//! moves each point to its bone's length from the next one, then from the root outwards likewise:
//!
//! ```text
//! p[n] = target;   p[i] = p[i + 1] + l[i] (p[i] - p[i + 1]) / |p[i] - p[i + 1]|       for i = n - 1 down to 1
//!                  p[i] = p[i - 1] + l[i - 1] (p[i] - p[i - 1]) / |p[i] - p[i - 1]|   for i = 1 to n
//! ```
//!
//! The root is never moved. A round costs two square roots and divisions per bone, without trigonometry. The number of
//! rounds is fixed, as in the editor, so that results agree with it and the time does not depend on the pose.
//!
//! A constraint mirrors the whole chain about the line from the root to the target, which keeps a tip that has reached its
//! target there: a bone at the angle `a` gets `2 b - a`, with the angle `b` of the line.

use super::{BonePose, FABRIK_ROUNDS, IkPlan, IkScratch, forbidden_side};
use crate::math::Rotor;
use crate::skelform::{ArmatureState, IkConstraint};
use glam::Vec2;

/// The half turn of SkelForm's arcs; its two digits of π are part of their look.
#[allow(clippy::approx_constant)]
const ARC_PI: f32 = 3.14;

/// Bends the chain of `family` into an arc over the line to its target. Returns `false` if the chain has zero length;
/// the bones then keep their own rotation.
///
/// Positions along the chain are taken as world x, as if chains started at the origin along +x. The editor does the
/// same, so characters are authored for it.
pub(super) fn arc(
    plan: &IkPlan,
    family: usize,
    state: &ArmatureState,
    bones: &[BonePose],
    scratch: &mut IkScratch,
) -> bool {
    let chain = &plan.families[family];
    let length = chain.bones.len();
    let points = &mut scratch.chain[..length];
    for (point, &bone) in points.iter_mut().zip(&plan.bones[chain.bones.clone()]) {
        *point = bones[bone as usize].position;
    }
    let target = bones[chain.target as usize].position;
    if !bend(points, target) {
        return false;
    }
    let solved = &mut scratch.solved[chain.bones.clone()];
    point(points, solved);
    constrain(points, target, state.ik[family].constraint, solved);
    true
}

fn bend(points: &mut [Vec2], target: Vec2) -> bool {
    let root = points[0];
    let straight = points[points.len() - 1].distance(root);
    if !(straight > 0.0 && straight.is_finite()) {
        return false;
    }
    let base = target - root;
    let reach = base.length().min(straight);
    let flatten = reach / straight;
    let turn = Rotor::from_direction(base);

    let mut along = 0.0;
    let mut before = root;
    for point in &mut points[1..] {
        along += point.distance(before);
        before = *point;
        let height = (reach - straight) * libm::sinf(along / straight * ARC_PI);
        let bent = Vec2::new(point.x * flatten, root.y + height);
        *point = turn.rotate(bent - root) + root;
    }
    true
}

/// Aims every bone of the chain but the tip at the next one.
fn point(points: &[Vec2], solved: &mut [Rotor]) {
    for (pair, rotor) in points.windows(2).zip(solved) {
        *rotor = Rotor::from_direction(pair[1] - pair[0]);
    }
}

/// Mirrors a chain that bends to the forbidden side about the line to its target.
fn constrain(points: &[Vec2], target: Vec2, constraint: IkConstraint, solved: &mut [Rotor]) {
    let root = points[0];
    let bend = (points[1] - root).perp_dot(target - root);
    if forbidden_side(constraint) * bend > 0.0 {
        let base = Rotor::from_direction(target - root);
        let twice = base.then(base);
        for rotor in solved {
            *rotor = twice.then(rotor.inverse());
        }
    }
}

/// Solves the chain of `family` by forward and backward reaching: the chain is laid from the target back to the root,
/// then from the root to the target, keeping the length of every segment. [`super::kernel::fabrik`] does the same for
/// eight chains.
pub(super) fn fabrik(
    plan: &IkPlan,
    family: usize,
    state: &ArmatureState,
    bones: &[BonePose],
    scratch: &mut IkScratch,
) {
    let chain = &plan.families[family];
    let tip = chain.bones.len() - 1;
    let points = &mut scratch.chain[..=tip];
    for (point, &bone) in points.iter_mut().zip(&plan.bones[chain.bones.clone()]) {
        *point = bones[bone as usize].position;
    }
    let target = bones[chain.target as usize].position;
    let lengths = &mut scratch.lengths[..tip];
    for (length, pair) in lengths.iter_mut().zip(points.windows(2)) {
        *length = pair[0].distance(pair[1]);
    }
    let solved = &mut scratch.solved[chain.bones.clone()];
    for _ in 0..FABRIK_ROUNDS {
        points[tip] = target;
        for i in (1..tip).rev() {
            points[i] = towards(points[i + 1], points[i], lengths[i]);
        }
        for i in 1..=tip {
            points[i] = towards(points[i - 1], points[i], lengths[i - 1]);
        }
    }
    point(points, solved);
    constrain(points, target, state.ik[family].constraint, solved);
}

/// Returns the point at `length` from `anchor` in the direction of `point`; `anchor` if both are equal.
fn towards(anchor: Vec2, point: Vec2, length: f32) -> Vec2 {
    let away = point - anchor;
    let distance = away.length();
    if distance == 0.0 {
        return anchor;
    }
    anchor + away * (length / distance)
}
