//! What turns the components of a row into a pose, ready to be computed with.

use super::head::{Chart, Head, LinearHead, RotationHead, step};
use super::quat::{FINE, unpack};
use crate::pose::{Pose, SoaTransform};
use crate::simd::LANES;
use crate::skeleton::Skeleton;
use alloc::boxed::Box;
use alloc::vec::Vec;
use glam::Quat;

/// The same component of two rows side by side.
pub(crate) type Pair = [f32; 2];

/// Coordinates on charts for eight joints.
pub(crate) type Slots = [[f32; LANES]; 3];

/// The same of two rows.
pub(crate) type PairSlots = [[Pair; LANES]; 3];

/// What turns components into a pose.
///
/// Components come in *lanes* by groups of eight: first those that are mixed as they are, *straight* ones, then,
/// from a group of their own on, those of *paired* joints, which turn so far from row to row that only their
/// rotations can be mixed.
#[derive(Clone, Debug)]
pub(crate) struct Compose {
    /// The pose with everything that is constant.
    pub(crate) constant: Box<[SoaTransform]>,
    /// The blocks of eight joints in which something turns straight.
    pub(crate) turning: Box<[TurningBlock]>,
    /// The other blocks.
    pub(crate) still: Box<[u32]>,
    /// Paired joints, by eight.
    pub(crate) paired: Box<[PairedBlock]>,
    /// Where each straight component goes: to a slot of `turning`, or after these to one of `linear`.
    pub(crate) straight_targets: Box<[u32]>,
    /// Where each component of a paired joint goes: to a slot of `paired`.
    pub(crate) paired_targets: Box<[u32]>,
    /// Components of positions and scales.
    pub(crate) linear: Box<[Linear]>,
    /// The step of each lane, by groups of eight; 0 for what fills up.
    pub(crate) steps: Box<[[f32; LANES]]>,
    /// How many of the groups are straight.
    pub(crate) straight_groups: usize,
}

/// The maps of eight charts, [`Chart::map`], lane by lane.
pub(crate) type Maps = [[[f32; LANES]; 4]; 4];

/// Eight joints of which at least one turns.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct TurningBlock {
    pub(crate) map: Maps,
    pub(crate) block: u32,
}

/// Up to eight joints from anywhere.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct PairedBlock {
    pub(crate) map: Maps,
    /// The joints.
    pub(crate) joints: Vec<u32>,
}

/// A component of a position or scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub(crate) block: u32,
    pub(crate) lane: u8,
    pub(crate) is_scale: bool,
    pub(crate) axis: u8,
    /// Added to what the component says.
    pub(crate) offset: f32,
}

/// Slots of a block.
const SLOTS: usize = 3 * LANES;

/// Where a component goes.
#[derive(Clone, Copy)]
enum Target {
    Straight(usize),
    Paired(usize),
    Linear(usize),
}

impl Compose {
    /// Blocks of slots: those of turning blocks, and as many as what is linear fills.
    pub(crate) fn slot_blocks(&self) -> usize {
        self.turning.len() + self.linear.len().div_ceil(SLOTS)
    }

    /// For components that come in `order`, given as positions in the order of the head, straight ones first.
    pub(crate) fn new(head: &Head, skeleton: &Skeleton, order: &[u32]) -> Self {
        let mut parts = Parts {
            constant: Pose::rest(skeleton).blocks().to_vec(),
            ..Parts::default()
        };
        for (index, joint) in head.joints.iter().enumerate() {
            parts.rotation(index, joint.rotation, joint.is_paired);
            parts.linear(index, joint.position, false);
            parts.linear(index, joint.scale, true);
        }
        for block in &mut parts.turning {
            block.hold_others(&parts.constant, &parts.turns);
        }
        let slots = parts.turning.len() * SLOTS;
        let target = |&component: &u32| parts.targets[component as usize];
        let straight = order
            .iter()
            .filter_map(|component| match target(component) {
                Target::Straight(slot) => Some(slot as u32),
                Target::Linear(place) => Some((slots + place) as u32),
                Target::Paired(_) => None,
            });
        let paired = order
            .iter()
            .filter_map(|component| match target(component) {
                Target::Paired(slot) => Some(slot as u32),
                _ => None,
            });
        let (straight, paired): (Box<[u32]>, Box<[u32]>) = (straight.collect(), paired.collect());
        let lanes = Lanes::new(straight.len(), order.len());
        let mut steps = alloc::vec![[0.0; LANES]; lanes.groups()];
        for (place, &component) in order.iter().enumerate() {
            let lane = lanes.of(place);
            steps[lane / LANES][lane % LANES] = step(head.steps[component as usize]);
        }
        let is_turning = |block: u32| parts.turning.iter().any(|turning| turning.block == block);
        let still = (0..parts.constant.len() as u32).filter(|&block| !is_turning(block));
        Self {
            still: still.collect(),
            constant: parts.constant.into(),
            turning: parts.turning.into(),
            paired: parts.paired.into(),
            straight_targets: straight,
            paired_targets: paired,
            linear: parts.linear.into(),
            steps: steps.into(),
            straight_groups: lanes.straight.div_ceil(LANES),
        }
    }
}

/// In which lanes components are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    /// Straight components, and all.
    pub(crate) straight: usize,
    pub(crate) all: usize,
}

impl Lanes {
    pub(crate) const fn new(straight: usize, all: usize) -> Self {
        Self { straight, all }
    }

    /// The lane of the component at a place in the order of the stream.
    pub(crate) const fn of(self, place: usize) -> usize {
        if place < self.straight {
            place
        } else {
            place - self.straight + self.straight.next_multiple_of(LANES)
        }
    }

    pub(crate) const fn groups(self) -> usize {
        self.straight.div_ceil(LANES) + (self.all - self.straight).div_ceil(LANES)
    }
}

/// What a [`Compose`] is put together from, joint by joint.
#[derive(Default)]
struct Parts {
    constant: Vec<SoaTransform>,
    turning: Vec<TurningBlock>,
    paired: Vec<PairedBlock>,
    linear: Vec<Linear>,
    /// In the order of the head.
    targets: Vec<Target>,
    /// Joints that turn straight.
    turns: Vec<bool>,
}

impl Parts {
    fn rotation(&mut self, index: usize, told: RotationHead, is_paired: bool) {
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
        let axes = (0..3).filter(|&axis| components[axis]);
        if is_paired {
            if self
                .paired
                .last()
                .is_none_or(|last| last.joints.len() == LANES)
            {
                self.paired.push(PairedBlock {
                    map: fixed_maps(),
                    joints: Vec::new(),
                });
            }
            let at = self.paired.len() - 1;
            let paired = &mut self.paired[at];
            let lane = paired.joints.len();
            set(&mut paired.map, lane, &chart);
            paired.joints.push(index as u32);
            let slot = |axis: usize| Target::Paired(at * SLOTS + axis * LANES + lane);
            self.targets.extend(axes.map(slot));
            return;
        }
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
        let slot = |axis: usize| Target::Straight(at * SLOTS + axis * LANES + lane);
        self.targets.extend(axes.map(slot));
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
    /// Joints of the block that do not turn straight stay at what is constant.
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
