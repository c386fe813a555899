//! FABRIK for eight chains, one per SIMD lane. [`super::reference`] is the specification; every lane uses the same
//! operations in the same order, so results are bit-identical.

use super::{Batch, BonePose, FABRIK_ROUNDS, IkPlan, IkScratch, LANES, forbidden_side};
use crate::math::Rotor;
use crate::skelform::{ArmatureState, IkMode};
use alloc::vec::Vec;
use wide::f32x8;

/// Eight points.
#[derive(Clone, Copy, Debug, Default)]
struct Points {
    x: f32x8,
    y: f32x8,
}

/// Eight chains, by joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    points: Vec<Points>,
    lengths: Vec<f32x8>,
}

impl Lanes {
    pub(super) fn fit(&mut self, longest: usize) {
        self.points.resize(longest, Points::default());
        self.lengths.resize(longest, f32x8::ZERO);
    }
}

/// Solves the families of `batch` that use FABRIK.
pub(super) fn fabrik(
    plan: &IkPlan,
    batch: &Batch,
    state: &ArmatureState,
    bones: &[BonePose],
    scratch: &mut IkScratch,
) {
    let reaches = |family: u32| {
        state.ik_enabled[family as usize] && state.ik[family as usize].mode == IkMode::Fabrik
    };
    if !batch.families.iter().any(|&family| reaches(family)) {
        return;
    }
    let points = &mut scratch.lanes.points[..batch.length];
    for (joint, point) in points.iter_mut().enumerate() {
        *point = gather(batch, |family| {
            let chain = &plan.families[family].bones;
            &bones[plan.bones[chain.start + joint] as usize]
        });
    }
    let target = gather(batch, |family| {
        &bones[plan.families[family].target as usize]
    });
    let mut forbidden = [0.0; LANES];
    for (side, &family) in forbidden.iter_mut().zip(&batch.families) {
        *side = forbidden_side(state.ik[family as usize].constraint);
    }

    reach(points, &mut scratch.lanes.lengths[..batch.length], target);
    let mirror = mirror(points, target, f32x8::new(forbidden));
    for joint in 0..batch.length - 1 {
        let rotors = mirror.apply(direction(sub(points[joint + 1], points[joint])));
        let (cos, sin) = (rotors.x.to_array(), rotors.y.to_array());
        for ((&family, cos), sin) in batch.families.iter().zip(cos).zip(sin) {
            let chain = &plan.families[family as usize].bones;
            scratch.solved[chain.start + joint] = Rotor { cos, sin };
        }
    }
    for &family in &batch.families {
        scratch.done[family as usize] = reaches(family);
    }
}

/// Gathers the positions of one bone per family; unused lanes are at the origin.
fn gather<'a>(batch: &Batch, bone: impl Fn(usize) -> &'a BonePose) -> Points {
    let mut x = [0.0; LANES];
    let mut y = [0.0; LANES];
    for ((x, y), &family) in x.iter_mut().zip(&mut y).zip(&batch.families) {
        let pos = bone(family as usize).pos;
        (*x, *y) = (pos.x, pos.y);
    }
    Points {
        x: f32x8::new(x),
        y: f32x8::new(y),
    }
}

fn reach(points: &mut [Points], lengths: &mut [f32x8], target: Points) {
    let tip = points.len() - 1;
    for i in 0..tip {
        lengths[i] = length(sub(points[i + 1], points[i]));
    }
    for _ in 0..FABRIK_ROUNDS {
        points[tip] = target;
        for i in (1..tip).rev() {
            points[i] = towards(points[i + 1], points[i], lengths[i]);
        }
        // The tip is set to the target next, so it is computed only at the end.
        for i in 1..tip {
            points[i] = towards(points[i - 1], points[i], lengths[i - 1]);
        }
    }
    points[tip] = towards(points[tip - 1], target, lengths[tip - 1]);
}

fn sub(a: Points, b: Points) -> Points {
    Points {
        x: a.x - b.x,
        y: a.y - b.y,
    }
}

fn length(v: Points) -> f32x8 {
    (v.x * v.x + v.y * v.y).sqrt()
}

/// See [`super::reference`]: the anchor if both points are equal.
fn towards(anchor: Points, point: Points, bone_length: f32x8) -> Points {
    let away = sub(point, anchor);
    let distance = length(away);
    let is_same = distance.simd_eq(f32x8::ZERO);
    let factor = is_same.bitselect(f32x8::ZERO, bone_length / distance);
    Points {
        x: anchor.x + away.x * factor,
        y: anchor.y + away.y * factor,
    }
}

/// Returns the cosine and sine of each direction; the identity for a zero vector.
fn direction(v: Points) -> Points {
    let length = length(v);
    let is_zero = length.simd_eq(f32x8::ZERO);
    let inverse = f32x8::ONE / length;
    Points {
        x: is_zero.bitselect(f32x8::ONE, v.x * inverse),
        y: is_zero.bitselect(f32x8::ZERO, v.y * inverse),
    }
}

/// The reflection of chains that bend to the forbidden side.
struct Mirror {
    /// All bits set in reflected lanes.
    mask: f32x8,
    /// Twice the rotation to the target.
    twice: Points,
}

fn mirror(points: &[Points], target: Points, forbidden: f32x8) -> Mirror {
    let first = sub(points[1], points[0]);
    let base = sub(target, points[0]);
    let bend = first.x * base.y - first.y * base.x;
    let base = direction(base);
    Mirror {
        mask: (forbidden * bend).simd_gt(f32x8::ZERO),
        twice: then(base, base),
    }
}

impl Mirror {
    fn apply(&self, rotors: Points) -> Points {
        let inverse = Points {
            x: rotors.x,
            y: -rotors.y,
        };
        let reflected = then(self.twice, inverse);
        Points {
            x: self.mask.bitselect(reflected.x, rotors.x),
            y: self.mask.bitselect(reflected.y, rotors.y),
        }
    }
}

/// As [`Rotor::then`].
fn then(a: Points, b: Points) -> Points {
    Points {
        x: a.x * b.x - a.y * b.y,
        y: a.y * b.x + a.x * b.y,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;
    use crate::skelform::{
        Armature, ArmatureData, ArmaturePose, BoneData, IkConstraint, IkFamilyData,
    };
    use glam::Vec2;
    use proptest::prelude::*;

    /// Many chains with a target each.
    fn armature(chains: &[(Vec<Vec2>, Vec2, IkConstraint)]) -> ArmatureData {
        let mut data = ArmatureData::default();
        let bone = |pos: Vec2| BoneData {
            pos,
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
            let mut out = ArmaturePose::new(&armature);
            let plan = armature.plan();
            for (bone, state) in out.bones.iter_mut().zip(state.bones()) {
                bone.pos = state.pos;
            }
            super::super::solve(plan, &state, &mut out);
            for (family, (points, target, constraint)) in chains.iter().enumerate() {
                let mut points = points.clone();
                let mut expected = alloc::vec![Rotor::IDENTITY; points.len() - 1];
                reference::fabrik(&mut points, *target, *constraint, &mut expected);
                let bones = &plan.ik.bones[plan.ik.families[family].bones.clone()];
                for (&bone, want) in bones.iter().zip(&expected) {
                    let got = out.ik[bone as usize].unwrap();
                    let bits = |r: &Rotor| (r.cos.to_bits(), r.sin.to_bits());
                    prop_assert_eq!(bits(&got), bits(want), "family {} bone {}", family, bone);
                }
                prop_assert!(out.ik[bones[expected.len()] as usize].is_none());
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
            bone.pos = state.pos;
        }
        super::super::solve(armature.plan(), &state, &mut out);
        for bone in 0..2 {
            let angle = out.ik[bone].unwrap().angle();
            assert!(
                (angle - core::f32::consts::FRAC_PI_2).abs() < 1e-3,
                "{angle}"
            );
        }
    }
}
