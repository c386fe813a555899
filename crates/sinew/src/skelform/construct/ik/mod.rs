//! Inverse kinematics: chains of bones reach for their targets.
//!
//! Every family is solved on the same inherited pose, so their order does not matter, and chains of equal length are
//! solved in batches of eight ([`kernel`]). [`reference`] solves one chain and is the specification; both are
//! bit-identical.

mod kernel;
mod reference;

use super::armature_pose::{ArmaturePose, BonePose};
use super::plan::{NONE, Plan, index};
use crate::math::Rotor;
use crate::simd::{LANES, SimdLevel};
use crate::skelform::{ArmatureData, ArmatureState, IkConstraint, IkMode};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec2;

/// FABRIK iterations. The editor does ten, converged or not.
const FABRIK_ROUNDS: usize = 10;

/// All chains of an armature.
#[derive(Clone, Debug)]
pub(super) struct IkPlan {
    families: Box<[ChainPlan]>,
    /// Bones of all chains, root to tip.
    bones: Box<[u32]>,
    /// Families with a target and at least two bones, by chain length.
    batches: Box<[Batch]>,
    longest: usize,
    baked: bool,
}

#[derive(Clone, Debug)]
struct ChainPlan {
    /// Its range of [`IkPlan::bones`].
    bones: Range<usize>,
    target: u32,
}

/// Up to [`LANES`] families of one chain length.
#[derive(Clone, Debug)]
struct Batch {
    length: usize,
    families: Vec<u32>,
}

/// Scratch buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct IkScratch {
    chains: kernel::Chains,
    /// The joint positions of one chain.
    chain: Vec<Vec2>,
    /// The bone lengths of one chain.
    lengths: Vec<f32>,
    /// The solved rotation of each entry of [`IkPlan::bones`].
    solved: Vec<Rotor>,
    /// Whether each family was solved in this call.
    done: Vec<bool>,
}

impl IkPlan {
    pub(super) fn new(data: &ArmatureData) -> Self {
        let mut bones = Vec::new();
        let mut families = Vec::new();
        for family in &data.ik_families {
            let start = bones.len();
            bones.extend(family.bones.iter().map(|&bone| bone as u32));
            families.push(ChainPlan {
                bones: start..bones.len(),
                target: index(family.target),
            });
        }
        Self {
            batches: batches(&families),
            longest: families.iter().map(|f| f.bones.len()).max().unwrap_or(0),
            families: families.into(),
            bones: bones.into(),
            baked: data.baked_ik,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.baked
            || self
                .families
                .iter()
                .all(|f| f.target == NONE || f.bones.is_empty())
    }
}

impl IkScratch {
    pub(super) fn fit(&mut self, plan: &IkPlan) {
        self.chains.fit(plan.longest);
        self.chain.resize(plan.longest, Vec2::ZERO);
        self.lengths.resize(plan.longest, 0.0);
        self.solved.resize(plan.bones.len(), Rotor::IDENTITY);
        self.done.resize(plan.families.len(), false);
    }
}

fn batches(families: &[ChainPlan]) -> Box<[Batch]> {
    let mut batches: Vec<Batch> = Vec::new();
    // For each chain length, the batch with free lanes.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    for (family, index) in families.iter().zip(0..) {
        let length = family.bones.len();
        if family.target == NONE || length < 2 {
            continue;
        }
        let roomy = open.get(&length).copied();
        match roomy.filter(|&batch| batches[batch].families.len() < LANES) {
            Some(batch) => batches[batch].families.push(index),
            None => {
                open.insert(length, batches.len());
                batches.push(Batch {
                    length,
                    families: vec![index],
                });
            }
        }
    }
    batches.into()
}

/// Computes the rotations of IK into `out.ik`.
pub(super) fn solve(level: SimdLevel, plan: &Plan, state: &ArmatureState, out: &mut ArmaturePose) {
    let ArmaturePose {
        bones,
        ik,
        ik_scratch,
        ..
    } = out;
    ik_scratch.done.fill(false);
    for batch in &plan.ik.batches {
        kernel::fabrik(level, &plan.ik, batch, state, bones, ik_scratch);
        for &family in &batch.families {
            let family = family as usize;
            if state.ik_enabled[family] && state.ik[family].mode == IkMode::Arc {
                ik_scratch.done[family] =
                    reference::arc(&plan.ik, family, state, bones, ik_scratch);
            }
        }
    }

    // Later families override earlier ones on shared bones.
    for (family, chain) in plan.ik.families.iter().enumerate() {
        let Some((&tip, others)) = plan.ik.bones[chain.bones.clone()].split_last() else {
            continue;
        };
        if ik_scratch.done[family] {
            for (&bone, &rotor) in others.iter().zip(&ik_scratch.solved[chain.bones.clone()]) {
                ik[bone as usize] = Some(rotor);
            }
        }
        if state.ik_enabled[family] && state.ik[family].mimic_target && chain.target != NONE {
            ik[tip as usize] = Some(bones[chain.target as usize].rotor);
        }
    }
}

/// Returns the sign of the forbidden bend: a chain is mirrored if this times the bend is above 0.
fn forbidden_side(constraint: IkConstraint) -> f32 {
    match constraint {
        IkConstraint::None => 0.0,
        IkConstraint::Clockwise => 1.0,
        IkConstraint::CounterClockwise => -1.0,
    }
}
