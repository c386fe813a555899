//! What turns the components of a row into a pose, ready to be computed with.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::head::{Chart, Head, LinearHead, RotationHead, step};
use super::quat::{FINE, unpack};
use crate::pose::{Pose, SoaTransform};
use crate::simd::LANES;
use crate::skeleton::Skeleton;
use alloc::boxed::Box;
use alloc::vec::Vec;
use glam::Quat;

/// What turns components into a pose.
///
/// Components come in groups of eight lanes, in the order of the stream: already interpolated, or those of both rows
/// where rotations are interpolated by slerp.
#[derive(Clone, Debug)]
pub struct Compose {
    /// The pose with everything that is constant.
    pub constant: Box<[SoaTransform]>,
    /// The blocks of eight joints in which something turns.
    pub turning: Box<[TurningBlock]>,
    /// The other blocks.
    pub still: Box<[u32]>,
    /// Where each lane goes: to a slot of `turning`, after these to one of `linear`, or else to the last slot,
    /// which nobody reads.
    pub targets: Targets,
    /// The same for both rows side by side, with the lanes of a row of slots as [`PAIR_LANES`] has them.
    pub pair_targets: Targets,
    /// Components of positions and scales.
    pub linear: Box<[Linear]>,
    /// The step of each lane; 0 for what fills up.
    pub steps: Box<[[f32; LANES]]>,
}

/// A slot for each lane. Slots that a byte tells need no check.
#[derive(Clone, Debug)]
pub enum Targets {
    Near(Box<[[u8; LANES]]>),
    Far(Box<[[u32; LANES]]>),
}

/// How many slots a byte tells apart.
pub(crate) const NEAR: usize = 256;

/// The maps of eight charts, [`Chart::map`], lane by lane.
pub(crate) type Maps = [[[f32; LANES]; 4]; 4];

/// Eight joints of which at least one turns.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct TurningBlock {
    pub map: Maps,
    pub block: u32,
}

/// A component of a position or scale.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    pub block: u32,
    pub lane: u8,
    pub is_scale: bool,
    pub axis: u8,
    /// Added to what the component says.
    pub offset: f32,
}

/// Slots of a block: three coordinates of eight joints.
pub const SLOTS: usize = 3 * LANES;

/// Where each of eight lanes is among eight pairs, so that vectors of the first numbers and of the second are had without
/// moving anything between the halves of a vector.
pub(crate) const PAIR_LANES: [usize; LANES] = [0, 1, 4, 5, 2, 3, 6, 7];

/// Where a component goes.
#[derive(Clone, Copy)]
enum Target {
    /// To a slot of a turning block.
    Turning(usize),
    Linear(usize),
}

impl Compose {
    /// How many slots there are, the one that nobody reads included.
    pub fn slots(&self) -> usize {
        (self.turning.len() * SLOTS + self.linear.len() + 1).max(NEAR)
    }

    /// For components that come in `order`, given as positions in the order of the head.
    pub fn new(head: &Head, skeleton: &Skeleton, order: &[u32]) -> Self {
        let mut parts = Parts {
            constant: Pose::rest(skeleton).blocks().to_vec(),
            ..Parts::default()
        };
        for (index, joint) in head.joints.iter().enumerate() {
            parts.rotation(index, joint.rotation);
            parts.linear(index, joint.position, false);
            parts.linear(index, joint.scale, true);
        }
        for block in &mut parts.turning {
            block.hold_others(&parts.constant, &parts.turns);
        }
        let groups = order.len().div_ceil(LANES);
        let linear = parts.turning.len() * SLOTS;
        let unread = (linear + parts.linear.len()).max(NEAR - 1) as u32;
        let mut targets = alloc::vec![[unread; LANES]; groups];
        let mut pair_targets = targets.clone();
        let mut steps = alloc::vec![[0.0; LANES]; groups];
        for (place, &component) in order.iter().enumerate() {
            let (group, lane) = (place / LANES, place % LANES);
            steps[group][lane] = step(head.steps[component as usize]);
            let (slot, pair_slot) = match parts.targets[component as usize] {
                Target::Linear(at) => (linear + at, linear + at),
                Target::Turning(slot) => (slot, slot - slot % LANES + PAIR_LANES[slot % LANES]),
            };
            targets[group][lane] = slot as u32;
            pair_targets[group][lane] = pair_slot as u32;
        }
        // They are in order.
        let is_turning = |block: u32| {
            let found = parts.turning.binary_search_by_key(&block, |own| own.block);
            found.is_ok()
        };
        let still = (0..parts.constant.len() as u32).filter(|&block| !is_turning(block));
        Self {
            still: still.collect(),
            constant: parts.constant.into(),
            turning: parts.turning.into(),
            targets: Targets::new(targets, unread),
            pair_targets: Targets::new(pair_targets, unread),
            linear: parts.linear.into(),
            steps: steps.into(),
        }
    }
}

impl Targets {
    fn new(targets: Vec<[u32; LANES]>, largest: u32) -> Self {
        if largest < NEAR as u32 {
            let near = targets.iter().map(|lanes| lanes.map(|slot| slot as u8));
            Self::Near(near.collect())
        } else {
            Self::Far(targets.into())
        }
    }
}

/// What a [`Compose`] is put together from, joint by joint.
#[derive(Default)]
struct Parts {
    constant: Vec<SoaTransform>,
    turning: Vec<TurningBlock>,
    linear: Vec<Linear>,
    /// In the order of the head.
    targets: Vec<Target>,
    /// Joints that turn.
    turns: Vec<bool>,
}

impl Parts {
    fn rotation(&mut self, index: usize, told: RotationHead) {
        let (block, lane) = (index / LANES, index % LANES);
        self.turns.push(false);
        let (chart, components) = match told {
            RotationHead::Rest => return,
            RotationHead::Fixed(packed) => {
                let rotation = unpack(packed, FINE).to_array();
                fill(&mut self.constant[block].rotation, lane, rotation);
                return;
            }
            RotationHead::Charted { chart, components } => (chart.unpack(), components),
        };
        // Joints come in order, so a block is the last or a new one.
        if self
            .turning
            .last()
            .is_none_or(|last| last.block as usize != block)
        {
            self.turning.push(TurningBlock {
                map: fixed_maps(),
                block: block as u32,
            });
        }
        let at = self.turning.len() - 1;
        set(&mut self.turning[at].map, lane, &chart);
        self.turns[index] = true;
        let target = |axis: usize| Target::Turning(at * SLOTS + axis * LANES + lane);
        let axes = (0..3).filter(|&axis| components[axis]);
        self.targets.extend(axes.map(target));
    }

    fn linear(&mut self, index: usize, told: LinearHead, is_scale: bool) {
        let (block, lane) = (index / LANES, index % LANES);
        let LinearHead::Given { values, components } = told else {
            return;
        };
        let constant = &mut self.constant[block];
        let rows = if is_scale {
            &mut constant.scale
        } else {
            &mut constant.position
        };
        fill(rows, lane, values);
        for axis in (0..3).filter(|&axis| components[axis]) {
            self.targets.push(Target::Linear(self.linear.len()));
            self.linear.push(Linear {
                block: block as u32,
                lane: lane as u8,
                is_scale,
                axis: axis as u8,
                offset: values[axis],
            });
        }
    }
}

/// Maps to no rotation at all.
fn fixed_maps() -> Maps {
    let mut maps = [[[0.0; LANES]; 4]; 4];
    for lane in 0..LANES {
        set(&mut maps, lane, &Chart::fixed(Quat::IDENTITY));
    }
    maps
}

fn set(maps: &mut Maps, lane: usize, chart: &Chart) {
    for (rows, numbers) in maps.iter_mut().zip(chart.map) {
        fill(rows, lane, numbers);
    }
}

impl TurningBlock {
    /// Joints of the block that do not turn stay at what is constant.
    fn hold_others(&mut self, constant: &[SoaTransform], turns: &[bool]) {
        let block = self.block as usize;
        for lane in 0..LANES {
            if !turns.get(block * LANES + lane).is_some_and(|&turns| turns) {
                let held = Quat::from_array(constant[block].rotation.map(|row| row[lane]));
                set(&mut self.map, lane, &Chart::fixed(held));
            }
        }
    }
}

fn fill<const N: usize>(rows: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
    for (row, value) in rows.iter_mut().zip(values) {
        row[lane] = value;
    }
}
