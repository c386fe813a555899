//! Lookup tables that turn the decoded components of a sample into a pose.
//!
//! Every component has a *slot*: an MRP coordinate `u` of a rotation in an [`MrpFrame`], or a number of a position or
//! scale.
//! The decoder scatters components to slots; the slots of eight joints are then loaded as vectors:
//!
//! ```text
//! rotation = map · (u, 1 - |u|²/4) / (1 + |u|²/4)        map: 4 x 4, mean · axes · x · axes⁻¹ as a matrix
//! position = offset + component,   scale = offset + component
//! ```
//!
//! Constant joints are stored in the pose `constant` and cost a copy. Blocks without rotating joints skip the map.
//! Joints of a rotating block that do not rotate have a map that returns their rotation, so no lane needs a branch.
//!
//! Cost: per rotating block of eight joints one division and 16 multiplications for the map; two instructions per
//! component for the scatter; the tables are built once at loading.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::head::{Head, LinearHead, MrpFrame, RotationHead, step};
use super::quat::{FINE, unpack};
use crate::pose::{Pose, SoaTransform};
use crate::simd::LANES;
use crate::skeleton::Skeleton;
use alloc::boxed::Box;
use alloc::vec::Vec;
use glam::Quat;

/// The tables that turn components into a pose.
///
/// Components are in groups of eight lanes in stream order: interpolated, or of both samples if rotations are
/// interpolated by slerp.
#[derive(Clone, Debug)]
pub struct PoseAssembly {
    /// The pose of all constant channels.
    pub constant: Box<[SoaTransform]>,
    /// The blocks of eight joints with at least one rotating joint.
    pub rotating: Box<[RotatingBlock]>,
    /// The other blocks.
    pub fixed: Box<[u32]>,
    /// The target slot of each lane: of `rotating`, then of `linear`, or the last slot, which is never read.
    pub targets: Targets,
    /// The same for both samples interleaved; lanes within a vector of slots are in the order of [`PAIR_LANES`].
    pub pair_targets: Targets,
    /// Components of positions and scales.
    pub linear: Box<[Linear]>,
    /// The quantization step of each lane; 0 for padding.
    pub steps: Box<[[f32; LANES]]>,
}

/// A slot index for each lane. 8-bit indices need no bounds check.
#[derive(Clone, Debug)]
pub enum Targets {
    U8(Box<[[u8; LANES]]>),
    U32(Box<[[u32; LANES]]>),
}

/// The number of slots that an 8-bit index can address.
pub(crate) const U8_SLOTS: usize = 256;

/// The maps of eight MRP frames, [`MrpFrame::map`], by lane.
pub(crate) type Maps = [[[f32; LANES]; 4]; 4];

/// Eight joints of which at least one rotates.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct RotatingBlock {
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
    /// The value that is added to the component.
    pub offset: f32,
}

/// Slots per block: three coordinates of eight joints.
pub const SLOTS: usize = 3 * LANES;

/// The position of each of eight lanes among eight pairs, chosen so that deinterleaving pairs moves nothing between
/// the halves of a vector.
pub(crate) const PAIR_LANES: [usize; LANES] = [0, 1, 4, 5, 2, 3, 6, 7];

/// The target of a component.
#[derive(Clone, Copy)]
enum Target {
    /// A slot of a rotating block.
    Rotation(usize),
    Linear(usize),
}

impl PoseAssembly {
    /// Returns the number of slots, the unread one included.
    pub fn slots(&self) -> usize {
        (self.rotating.len() * SLOTS + self.linear.len() + 1).max(U8_SLOTS)
    }

    /// Builds the tables for components in `order`, given as positions in the order of the head.
    pub fn new(head: &Head, skeleton: &Skeleton, order: &[u32]) -> Self {
        let mut builder = AssemblyBuilder {
            constant: Pose::rest(skeleton).blocks().to_vec(),
            ..AssemblyBuilder::default()
        };
        for (index, joint) in head.joints.iter().enumerate() {
            builder.rotation(index, joint.rotation);
            builder.linear(index, joint.position, false);
            builder.linear(index, joint.scale, true);
        }
        for block in &mut builder.rotating {
            block.hold_others(&builder.constant, &builder.is_rotating);
        }
        let groups = order.len().div_ceil(LANES);
        let linear = builder.rotating.len() * SLOTS;
        let unread = (linear + builder.linear.len()).max(U8_SLOTS - 1) as u32;
        let mut targets = alloc::vec![[unread; LANES]; groups];
        let mut pair_targets = targets.clone();
        let mut steps = alloc::vec![[0.0; LANES]; groups];
        for (index, &component) in order.iter().enumerate() {
            let (group, lane) = (index / LANES, index % LANES);
            steps[group][lane] = step(head.steps[component as usize]);
            let (slot, pair_slot) = match builder.targets[component as usize] {
                Target::Linear(index) => (linear + index, linear + index),
                Target::Rotation(slot) => (slot, slot - slot % LANES + PAIR_LANES[slot % LANES]),
            };
            targets[group][lane] = slot as u32;
            pair_targets[group][lane] = pair_slot as u32;
        }
        // Blocks are sorted.
        let is_rotating = |block: u32| {
            let blocks = &builder.rotating;
            let found = blocks.binary_search_by_key(&block, |rotating| rotating.block);
            found.is_ok()
        };
        let fixed = (0..builder.constant.len() as u32).filter(|&block| !is_rotating(block));
        Self {
            fixed: fixed.collect(),
            constant: builder.constant.into(),
            rotating: builder.rotating.into(),
            targets: Targets::new(targets, unread),
            pair_targets: Targets::new(pair_targets, unread),
            linear: builder.linear.into(),
            steps: steps.into(),
        }
    }
}

impl Targets {
    fn new(targets: Vec<[u32; LANES]>, largest: u32) -> Self {
        if largest < U8_SLOTS as u32 {
            let narrow = targets.iter().map(|lanes| lanes.map(|slot| slot as u8));
            Self::U8(narrow.collect())
        } else {
            Self::U32(targets.into())
        }
    }
}

/// A [`PoseAssembly`] under construction, joint by joint.
#[derive(Default)]
struct AssemblyBuilder {
    constant: Vec<SoaTransform>,
    rotating: Vec<RotatingBlock>,
    linear: Vec<Linear>,
    /// In the order of the head.
    targets: Vec<Target>,
    /// Whether each joint rotates.
    is_rotating: Vec<bool>,
}

impl AssemblyBuilder {
    fn rotation(&mut self, index: usize, head: RotationHead) {
        let (block, lane) = (index / LANES, index % LANES);
        self.is_rotating.push(false);
        let (frame, components) = match head {
            RotationHead::Rest => return,
            RotationHead::Fixed(packed) => {
                let rotation = unpack(packed, FINE).to_array();
                fill(&mut self.constant[block].rotation, lane, rotation);
                return;
            }
            RotationHead::Mrp { frame, components } => (frame.unpack(), components),
        };
        // Joints are in order, so a block is the last one or a new one.
        if self
            .rotating
            .last()
            .is_none_or(|last| last.block as usize != block)
        {
            self.rotating.push(RotatingBlock {
                map: fixed_maps(),
                block: block as u32,
            });
        }
        let last = self.rotating.len() - 1;
        set(&mut self.rotating[last].map, lane, &frame);
        self.is_rotating[index] = true;
        let target = |axis: usize| Target::Rotation(last * SLOTS + axis * LANES + lane);
        let axes = (0..3).filter(|&axis| components[axis]);
        self.targets.extend(axes.map(target));
    }

    fn linear(&mut self, index: usize, head: LinearHead, is_scale: bool) {
        let (block, lane) = (index / LANES, index % LANES);
        let LinearHead::Given { values, components } = head else {
            return;
        };
        let constant = &mut self.constant[block];
        let axes = if is_scale {
            &mut constant.scale
        } else {
            &mut constant.position
        };
        fill(axes, lane, values);
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

/// Returns maps that always give the identity.
fn fixed_maps() -> Maps {
    let mut maps = [[[0.0; LANES]; 4]; 4];
    for lane in 0..LANES {
        set(&mut maps, lane, &MrpFrame::fixed(Quat::IDENTITY));
    }
    maps
}

fn set(maps: &mut Maps, lane: usize, frame: &MrpFrame) {
    for (rows, numbers) in maps.iter_mut().zip(frame.map) {
        fill(rows, lane, numbers);
    }
}

impl RotatingBlock {
    /// Sets the maps of the joints that do not rotate to their constant rotation.
    fn hold_others(&mut self, constant: &[SoaTransform], is_rotating: &[bool]) {
        let block = self.block as usize;
        for lane in 0..LANES {
            if !is_rotating
                .get(block * LANES + lane)
                .is_some_and(|&is_rotating| is_rotating)
            {
                let held = Quat::from_array(constant[block].rotation.map(|number| number[lane]));
                set(&mut self.map, lane, &MrpFrame::fixed(held));
            }
        }
    }
}

fn fill<const N: usize>(numbers: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
    for (lanes, value) in numbers.iter_mut().zip(values) {
        lanes[lane] = value;
    }
}
