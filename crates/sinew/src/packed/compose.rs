//! What turns the components of a row into a pose, ready to be computed with.

use super::head::{Chart, Head, JointHead, LinearHead, RotationHead, step};
use super::quat::{FINE, unpack};
use crate::pose::SoaTransform;
use crate::simd::LANES;
use crate::skeleton::Skeleton;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The same component of two rows side by side.
pub(crate) type Pair = [f32; 2];

/// Coordinates on a chart for eight joints.
pub(crate) type ChartSlots = [[Pair; LANES]; 3];

/// What turns components into a pose. Components come in the order of the stream; their number is filled up
/// to whole groups of eight.
#[derive(Clone, Debug)]
pub(crate) struct Compose {
    /// The pose with everything that is constant.
    pub(crate) constant: Box<[SoaTransform]>,
    /// The blocks of eight joints in which something turns.
    pub(crate) turning: Box<[TurningBlock]>,
    /// Where each component goes: to a slot of a chart, counted through all turning blocks, or after these to
    /// one of `linear`.
    pub(crate) targets: Box<[u32]>,
    /// Components of positions and scales.
    pub(crate) linear: Box<[Linear]>,
    /// The step of each component, by groups of eight; 0 for what fills up.
    pub(crate) steps: Box<[[f32; LANES]]>,
}

/// Eight joints of which at least one turns.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct TurningBlock {
    /// The maps of their charts, [`Chart::map`], lane by lane.
    pub(crate) map: [[[f32; LANES]; 4]; 4],
    pub(crate) block: u32,
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

/// Slots of a turning block.
const SLOTS: usize = 3 * LANES;

impl Compose {
    /// For components that come in `order`, given as positions in the order of the head.
    pub(crate) fn new(head: &Head, skeleton: &Skeleton, order: &[u32]) -> Self {
        let rest = crate::pose::Pose::rest(skeleton);
        let mut constant: Vec<SoaTransform> = rest.blocks().to_vec();
        let mut turning: Vec<TurningBlock> = Vec::new();
        let mut linear: Vec<Linear> = Vec::new();
        // In the order of the head: slots, and positions in `linear`.
        let mut targets: Vec<Target> = Vec::new();
        for (index, (joint, own)) in head.joints.iter().zip(skeleton.joints()).enumerate() {
            let (block, lane) = (index / LANES, index % LANES);
            let rotation = match joint.rotation {
                RotationHead::Rest => own.rest.rotation,
                RotationHead::Fixed(packed) => unpack(packed, FINE),
                RotationHead::Charted { .. } => own.rest.rotation,
            };
            fill(&mut constant[block].rotation, lane, rotation.to_array());
            if let RotationHead::Charted { chart, components } = joint.rotation {
                let at = turning_block(&mut turning, block, &constant);
                turning[at].set(lane, &chart.unpack());
                let slots = (0..3).filter(|&axis| components[axis]);
                let slot = |axis: usize| Target::Slot(at * SLOTS + axis * LANES + lane);
                targets.extend(slots.map(slot));
            }
            for is_scale in [false, true] {
                let told = if is_scale {
                    joint.scale
                } else {
                    joint.position
                };
                let LinearHead::Given { values, components } = told else {
                    continue;
                };
                let rows = if is_scale {
                    &mut constant[block].scale
                } else {
                    &mut constant[block].position
                };
                fill(rows, lane, values);
                for axis in (0..3).filter(|&axis| components[axis]) {
                    targets.push(Target::Linear(linear.len()));
                    linear.push(Linear {
                        block: block as u32,
                        lane: lane as u8,
                        is_scale,
                        axis: axis as u8,
                        offset: values[axis],
                    });
                }
            }
        }
        // The rotations of joints that a turning block has beside those that turn.
        for block in &mut turning {
            block.hold_others(&constant, &head.joints);
        }
        let slots = turning.len() * SLOTS;
        let mut steps = alloc::vec![[0.0; LANES]; order.len().div_ceil(LANES)];
        for (place, &component) in order.iter().enumerate() {
            steps[place / LANES][place % LANES] = step(head.steps[component as usize]);
        }
        let target = |&component: &u32| match targets[component as usize] {
            Target::Slot(slot) => slot as u32,
            Target::Linear(place) => (slots + place) as u32,
        };
        Self {
            constant: constant.into(),
            targets: order.iter().map(target).collect(),
            turning: turning.into(),
            linear: linear.into(),
            steps: steps.into(),
        }
    }
}

#[derive(Clone, Copy)]
enum Target {
    Slot(usize),
    Linear(usize),
}

/// The place of a block of joints among those that turn; joints come in order, so it is the last or a new one.
fn turning_block(
    turning: &mut Vec<TurningBlock>,
    block: usize,
    constant: &[SoaTransform],
) -> usize {
    let is_new = turning
        .last()
        .is_none_or(|last| last.block as usize != block);
    if is_new && block < constant.len() {
        turning.push(TurningBlock {
            map: [[[0.0; LANES]; 4]; 4],
            block: block as u32,
        });
    }
    turning.len() - 1
}

impl TurningBlock {
    fn set(&mut self, lane: usize, chart: &Chart) {
        for (rows, numbers) in self.map.iter_mut().zip(chart.map) {
            fill(rows, lane, numbers);
        }
    }

    fn hold_others(&mut self, constant: &[SoaTransform], joints: &[JointHead]) {
        let first = self.block as usize * LANES;
        let rotation = constant[self.block as usize].rotation;
        for lane in 0..LANES {
            let turns = joints
                .get(first + lane)
                .is_some_and(|joint| matches!(joint.rotation, RotationHead::Charted { .. }));
            if !turns {
                let held = glam::Quat::from_array(rotation.map(|row| row[lane]));
                self.set(lane, &Chart::fixed(held));
            }
        }
    }
}

fn fill<const N: usize>(rows: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
    for (row, value) in rows.iter_mut().zip(values) {
        row[lane] = value;
    }
}
