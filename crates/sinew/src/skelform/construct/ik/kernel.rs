//! FABRIK (Aristidou and Lasenby 2011) for eight chains, one per SIMD lane. [`super::reference`] is the specification,
//! with the formula; every lane uses the same operations in the same order, so results are bit-identical.
//!
//! An iteration is a chain of square roots and divisions, each waiting for the one before, so the time is their latency
//! and eight chains take little longer than one.

use super::{Batch, BonePose, FABRIK_ROUNDS, IkPlan, IkScratch, forbidden_side, reference};
use crate::math::Rotor;
use crate::simd::{self, LANES, SimdLevel, load};
use crate::skelform::{ArmatureState, IkMode};
use alloc::vec::Vec;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// One number of each of eight chains.
type Row = [f32; LANES];

/// Eight points in memory: x and y.
type PointRows = [Row; 2];

/// Eight points in registers.
#[derive(Clone, Copy)]
struct Points<S: Simd> {
    x: f32x8<S>,
    y: f32x8<S>,
}

/// Eight chains, by joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    points: Vec<PointRows>,
    lengths: Vec<Row>,
}

impl Chains {
    pub(super) fn fit(&mut self, longest: usize) {
        self.points.resize(longest, PointRows::default());
        self.lengths.resize(longest, Row::default());
    }
}

/// Solves the families of `batch` that use FABRIK.
pub(super) fn fabrik(
    level: SimdLevel,
    plan: &IkPlan,
    batch: &Batch,
    state: &ArmatureState,
    bones: &[BonePose],
    scratch: &mut IkScratch,
) {
    let uses_fabrik = |family: u32| {
        state.ik_enabled[family as usize] && state.ik[family as usize].mode == IkMode::Fabrik
    };
    if !batch.families.iter().any(|&family| uses_fabrik(family)) {
        return;
    }
    simd::dispatch!(
        level,
        off => for &family in &batch.families {
            reference::fabrik(plan, family as usize, state, bones, scratch);
        },
        simd => fabrik_lanes(simd, plan, batch, state, bones, scratch)
    );
    for &family in &batch.families {
        scratch.done[family as usize] = uses_fabrik(family);
    }
}

#[inline(always)]
fn fabrik_lanes<S: Simd>(
    simd: S,
    plan: &IkPlan,
    batch: &Batch,
    state: &ArmatureState,
    bones: &[BonePose],
    scratch: &mut IkScratch,
) {
    let points = &mut scratch.chains.points[..batch.length];
    for (joint, point) in points.iter_mut().enumerate() {
        *point = gather(batch, |family| {
            let chain = &plan.families[family].bones;
            &bones[plan.bones[chain.start + joint] as usize]
        });
    }
    let target = gather(batch, |family| {
        &bones[plan.families[family].target as usize]
    });
    let mut forbidden = Row::default();
    for (side, &family) in forbidden.iter_mut().zip(&batch.families) {
        *side = forbidden_side(state.ik[family as usize].constraint);
    }
    let lengths = &mut scratch.chains.lengths[..batch.length];
    solve(simd, points, lengths, &target, &forbidden);
    for (joint, [cosines, sines]) in points[..batch.length - 1].iter().enumerate() {
        for ((&family, &cos), &sin) in batch.families.iter().zip(cosines).zip(sines) {
            let chain = &plan.families[family as usize].bones;
            scratch.solved[chain.start + joint] = Rotor { cos, sin };
        }
    }
}

/// Gathers the positions of one bone per family; unused lanes are at the origin.
fn gather<'a>(batch: &Batch, bone: impl Fn(usize) -> &'a BonePose) -> PointRows {
    let [mut x, mut y] = PointRows::default();
    for ((x, y), &family) in x.iter_mut().zip(&mut y).zip(&batch.families) {
        let position = bone(family as usize).position;
        (*x, *y) = (position.x, position.y);
    }
    [x, y]
}

/// Replaces the points of eight chains, except the last, by the cosine and sine of the bone that starts there.
#[inline(always)]
fn solve<S: Simd>(
    simd: S,
    points: &mut [PointRows],
    lengths: &mut [Row],
    target: &PointRows,
    forbidden: &Row,
) {
    let target = load_points(simd, target);
    reach(simd, points, lengths, target);
    let mirror = mirror(simd, points, target, load(simd, forbidden));
    for joint in 0..points.len() - 1 {
        let bone = sub(
            load_points(simd, &points[joint + 1]),
            load_points(simd, &points[joint]),
        );
        let rotors = apply(&mirror, direction(simd, bone));
        store_points(rotors, &mut points[joint]);
    }
}

#[inline(always)]
fn load_points<S: Simd>(simd: S, [x, y]: &PointRows) -> Points<S> {
    Points {
        x: load(simd, x),
        y: load(simd, y),
    }
}

#[inline(always)]
fn store_points<S: Simd>(points: Points<S>, [x, y]: &mut PointRows) {
    points.x.store_array(x);
    points.y.store_array(y);
}

/// Forward and backward reaching; the neighbour that was placed last stays in registers.
#[inline(always)]
fn reach<S: Simd>(simd: S, points: &mut [PointRows], lengths: &mut [Row], target: Points<S>) {
    let tip = points.len() - 1;
    for i in 0..tip {
        let bone = sub(
            load_points(simd, &points[i + 1]),
            load_points(simd, &points[i]),
        );
        length(bone).store_array(&mut lengths[i]);
    }
    let root = load_points(simd, &points[0]);
    let mut placed = root;
    for _ in 0..FABRIK_ROUNDS {
        placed = target;
        for i in (1..tip).rev() {
            let point = load_points(simd, &points[i]);
            placed = towards(simd, placed, point, load(simd, &lengths[i]));
            store_points(placed, &mut points[i]);
        }
        // The tip is set to the target next, so it is computed only at the end.
        placed = root;
        for i in 1..tip {
            let point = load_points(simd, &points[i]);
            placed = towards(simd, placed, point, load(simd, &lengths[i - 1]));
            store_points(placed, &mut points[i]);
        }
    }
    placed = towards(simd, placed, target, load(simd, &lengths[tip - 1]));
    store_points(placed, &mut points[tip]);
}

#[inline(always)]
fn sub<S: Simd>(a: Points<S>, b: Points<S>) -> Points<S> {
    Points {
        x: a.x - b.x,
        y: a.y - b.y,
    }
}

#[inline(always)]
fn length<S: Simd>(v: Points<S>) -> f32x8<S> {
    (v.x * v.x + v.y * v.y).sqrt()
}

/// See [`super::reference`]: the anchor if both points are equal.
#[inline(always)]
fn towards<S: Simd>(
    simd: S,
    anchor: Points<S>,
    point: Points<S>,
    bone_length: f32x8<S>,
) -> Points<S> {
    let away = sub(point, anchor);
    let distance = length(away);
    let zero = f32x8::splat(simd, 0.0);
    // Lanes divide by zero harmlessly; the result is not selected.
    let factor = distance.simd_eq(zero).select(zero, bone_length / distance);
    Points {
        x: anchor.x + away.x * factor,
        y: anchor.y + away.y * factor,
    }
}

/// Returns the cosine and sine of each direction; the identity for a zero vector.
#[inline(always)]
fn direction<S: Simd>(simd: S, v: Points<S>) -> Points<S> {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let length = length(v);
    let is_zero = length.simd_eq(zero);
    let inverse = one / length;
    Points {
        x: is_zero.select(one, v.x * inverse),
        y: is_zero.select(zero, v.y * inverse),
    }
}

/// The reflection of chains that bend to the forbidden side.
struct Mirror<S: Simd> {
    is_reflected: mask32x8<S>,
    /// Twice the rotation to the target.
    twice: Points<S>,
}

#[inline(always)]
fn mirror<S: Simd>(
    simd: S,
    points: &[PointRows],
    target: Points<S>,
    forbidden: f32x8<S>,
) -> Mirror<S> {
    let root = load_points(simd, &points[0]);
    let first = sub(load_points(simd, &points[1]), root);
    let base = sub(target, root);
    let bend = first.x * base.y - first.y * base.x;
    let base = direction(simd, base);
    Mirror {
        is_reflected: (forbidden * bend).simd_gt(f32x8::splat(simd, 0.0)),
        twice: then(base, base),
    }
}

#[inline(always)]
fn apply<S: Simd>(mirror: &Mirror<S>, rotors: Points<S>) -> Points<S> {
    let inverse = Points {
        x: rotors.x,
        y: -rotors.y,
    };
    let reflected = then(mirror.twice, inverse);
    Points {
        x: mirror.is_reflected.select(reflected.x, rotors.x),
        y: mirror.is_reflected.select(reflected.y, rotors.y),
    }
}

/// As [`Rotor::then`].
#[inline(always)]
fn then<S: Simd>(a: Points<S>, b: Points<S>) -> Points<S> {
    Points {
        x: a.x * b.x - a.y * b.y,
        y: a.y * b.x + a.x * b.y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skelform::{
        Armature, ArmatureData, ArmaturePose, BoneData, IkConstraint, IkFamilyData,
    };
    use glam::Vec2;
    use proptest::prelude::*;

    /// Many chains with a target each.
    fn armature(chains: &[(Vec<Vec2>, Vec2, IkConstraint)]) -> ArmatureData {
        let mut data = ArmatureData::default();
        let bone = |position: Vec2| BoneData {
            position,
            ..BoneData::default()
        };
        for (points, target, constraint) in chains {
            let first = data.bones.len();
            data.bones.extend(points.iter().map(|&p| bone(p)));
            data.bones.push(bone(*target));
            data.ik_families.push(IkFamilyData {
                bones: (first..first + points.len()).collect(),
                target: Some(first + points.len()),
                constraint: *constraint,
                ..IkFamilyData::default()
            });
        }
        data
    }

    fn chain() -> impl Strategy<Value = (Vec<Vec2>, Vec2, IkConstraint)> {
        let point = (-300f32..300.0, -300f32..300.0).prop_map(|(x, y)| Vec2::new(x, y));
        // Coinciding points make solvers divide by zero.
        let point = prop_oneof![4 => point, 1 => Just(Vec2::ZERO)];
        let constraint = (0..3usize).prop_map(|i| IkConstraint::ALL[i]);
        (
            proptest::collection::vec(point.clone(), 2..8),
            point,
            constraint,
        )
    }

    proptest! {
        #[test]
        fn lanes_give_the_bits_of_the_reference(
            chains in proptest::collection::vec(chain(), 1..30),
        ) {
            let armature = Armature::new(armature(&chains)).unwrap();
            let state = armature.new_state();
            let solve = |level: SimdLevel| {
                let mut out = ArmaturePose::new(&armature);
                for (bone, state) in out.bones.iter_mut().zip(state.bones()) {
                    bone.position = state.position;
                }
                super::super::solve(level, armature.plan(), &state, &mut out);
                let bits = |rotor: Rotor| (rotor.cos.to_bits(), rotor.sin.to_bits());
                out.ik.iter().map(|rotor| rotor.map(bits)).collect::<Vec<_>>()
            };
            let expected = solve(SimdLevel::OFF);
            let mut bones = expected.iter();
            for (points, ..) in &chains {
                // The tip and the target are not rotated.
                for index in 0..=points.len() {
                    let is_solved = bones.next().unwrap().is_some();
                    prop_assert_eq!(is_solved, index + 1 < points.len());
                }
            }
            for level in SimdLevel::all() {
                prop_assert_eq!(&solve(level), &expected, "{}", level.name());
            }
        }
    }

    #[test]
    fn a_straight_reach_points_every_bone_at_the_target() {
        let points = alloc::vec![Vec2::ZERO, Vec2::new(10.0, 0.0), Vec2::new(20.0, 0.0)];
        let far = Vec2::new(0.0, 100.0);
        let data = armature(&[(points, far, IkConstraint::None)]);
        let armature = Armature::new(data).unwrap();
        let state = armature.new_state();
        let mut out = ArmaturePose::new(&armature);
        for (bone, state) in out.bones.iter_mut().zip(state.bones()) {
            bone.position = state.position;
        }
        super::super::solve(SimdLevel::best(), armature.plan(), &state, &mut out);
        for bone in 0..2 {
            let angle = out.ik[bone].unwrap().angle();
            assert!(
                (angle - core::f32::consts::FRAC_PI_2).abs() < 1e-3,
                "{angle}"
            );
        }
    }
}
