//! The error of the body when components are rounded to quantization steps: what the step search minimizes.
//!
//! For eight samples at a time (SIMD lanes) it rounds each component to its step, composes local transforms, multiplies
//! them down the hierarchy and compares each joint with the source:
//!
//! ```text
//! error² = |d|² + 2 r |Eᵀd| + r² ‖E‖²,     d = ô - o,  E = Â - A     (docs/error-bound.md, equation 1)
//! ```
//!
//! It works in `f32`, at up to 1024 samples and not between them, because the search calls it up to 32 times per target
//! error; [`verify`](super::verify::verify) then bounds what the real decoder makes, in `f64` and at every time.

use super::animated_components::Components;
use super::joint_influence::radius_of;
use super::source::SampledMotion;
use alloc::vec::Vec;
use sinew::internal::packed::{FINE, unpack_quat};
use sinew::internal::packed::{LinearHead, MrpFrame, RotationHead};
use sinew::simd::LANES;
use sinew::skeleton::Skeleton;
use wide::f32x8;

/// Samples that are evaluated, at most.
const MAX_SAMPLES_EVALUATED: usize = 1024;

/// 1.5 · 2²³. Adding it to an `f32` below 2²² and subtracting it again rounds to the nearest integer, because the sum
/// has no fraction bits left.
const ROUND_MAGIC: f32 = 12_582_912.0;

/// A joint in model space, for eight samples: three axes and the origin, as four columns of three.
type World = [[f32; LANES]; 12];

/// A [`World`] in registers.
type Columns = [f32x8; 12];

/// The samples that are evaluated, and the source's model space in them.
pub(super) struct ErrorModel {
    joints: Vec<ErrorModelJoint>,
    /// By block of eight samples, then by joint.
    worlds: Vec<World>,
    /// By component, then by block of eight samples.
    values: Vec<[f32; LANES]>,
    blocks: usize,
    scratch: Vec<Columns>,
}

/// The constants of a joint, and which components it has.
struct ErrorModelJoint {
    parent: Option<usize>,
    radius: f32,
    /// The matrix of its MRP frame.
    map: [[f32; 4]; 4],
    /// For each of its nine scalars the component, if it is one.
    components: [Option<u32>; 9],
    position: [f32; 3],
    scale: [f32; 3],
    is_scaled: bool,
    /// Whether neither it nor anything above it is scaled.
    is_rigid: bool,
}

impl ErrorModel {
    pub(super) fn new(
        skeleton: &Skeleton,
        sampled: &SampledMotion,
        components: &Components,
    ) -> Self {
        let mut joints = error_model_joints(skeleton, components);
        let samples = evaluated_samples(sampled.sample_count);
        let blocks = samples.len();
        let mut worlds = alloc::vec![[[0.0; LANES]; 12]; blocks * joints.len()];
        for (block, samples) in samples.iter().enumerate() {
            let (block_worlds, _) = worlds[block * joints.len()..].split_at_mut(joints.len());
            for (index, joint) in joints.iter().enumerate() {
                let local = local_samples(&sampled.joints[index], samples);
                block_worlds[index] = match joint.parent {
                    None => local,
                    Some(parent) => compose_source(&block_worlds[parent], &local),
                };
            }
        }
        let values = components.list.iter().flat_map(|component| {
            samples
                .iter()
                .map(|samples| samples.map(|sample_index| component.values[sample_index]))
        });
        let scales = |index: usize| {
            sampled.joints[index]
                .scales
                .iter()
                .any(|s| *s != glam::Vec3::ONE)
        };
        for index in 0..joints.len() {
            let is_scaled = scales(index);
            let is_rigid_above = joints[index]
                .parent
                .is_none_or(|parent| joints[parent].is_rigid);
            joints[index].is_scaled = is_scaled;
            joints[index].is_rigid = is_rigid_above && !is_scaled;
        }
        Self {
            scratch: alloc::vec![[f32x8::ZERO; 12]; joints.len()],
            values: values.collect(),
            joints,
            worlds,
            blocks,
        }
    }

    /// Writes the largest error of each joint's ball when components are rounded to `steps`, in metres.
    pub(super) fn errors(&mut self, steps: &[f32], errors: &mut [f32]) {
        errors.fill(0.0);
        let count = self.joints.len();
        let magic = f32x8::splat(ROUND_MAGIC);
        for block in 0..self.blocks {
            let source = &self.worlds[block * count..(block + 1) * count];
            for (index, joint) in self.joints.iter().enumerate() {
                let value = |number: usize| {
                    joint.components[number].map(|component| {
                        let component = component as usize;
                        let step = steps[component];
                        let value = f32x8::new(self.values[component * self.blocks + block]);
                        ((value * f32x8::splat(1.0 / step) + magic) - magic) * f32x8::splat(step)
                    })
                };
                let local = joint.local(value);
                let world = match joint.parent {
                    None => local,
                    Some(parent) => compose(&self.scratch[parent], &local),
                };
                let expected = source[index].map(f32x8::new);
                let largest = ball_error(&world, &expected, joint.radius, joint.is_rigid);
                self.scratch[index] = world;
                errors[index] = errors[index].max(largest);
            }
        }
    }
}

impl ErrorModelJoint {
    /// Its transform relative to the parent, for eight samples: MRP to quaternion to matrix, then position and scale.
    /// `value` gives the rounded component of each of the nine scalars that has one.
    #[inline(always)]
    fn local(&self, value: impl Fn(usize) -> Option<f32x8>) -> Columns {
        let splat = f32x8::splat;
        let (zero, one) = (splat(0.0), splat(1.0));
        let u: [f32x8; 3] = core::array::from_fn(|axis| value(axis).unwrap_or(zero));
        // `u` is twice the MRP vector, so `|u|²/4 = tan²(θ/4)`: the quaternion is `(u, 1 - |u|²/4) / (1 + |u|²/4)`.
        let quarter = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * splat(0.25);
        let shrink = one / (one + quarter);
        let x = [
            u[0] * shrink,
            u[1] * shrink,
            u[2] * shrink,
            (one - quarter) * shrink,
        ];
        let [qx, qy, qz, qw]: [f32x8; 4] = core::array::from_fn(|row| {
            let row = self.map[row];
            splat(row[0]) * x[0]
                + splat(row[1]) * x[1]
                + splat(row[2]) * x[2]
                + splat(row[3]) * x[3]
        });
        let (x2, y2, z2) = (qx + qx, qy + qy, qz + qz);
        let (xx, yy, zz) = (qx * x2, qy * y2, qz * z2);
        let (xy, xz, yz) = (qx * y2, qx * z2, qy * z2);
        let (wx, wy, wz) = (qw * x2, qw * y2, qw * z2);
        let mut columns = [
            one - (yy + zz),
            xy + wz,
            xz - wy,
            xy - wz,
            one - (xx + zz),
            yz + wx,
            xz + wy,
            yz - wx,
            one - (xx + yy),
            zero,
            zero,
            zero,
        ];
        let linear = |number: usize, constant: f32| match value(number) {
            Some(moving) => moving + splat(constant),
            None => splat(constant),
        };
        for axis in 0..3 {
            columns[9 + axis] = linear(3 + axis, self.position[axis]);
        }
        if self.is_scaled {
            for axis in 0..3 {
                let scale = linear(6 + axis, self.scale[axis]);
                for row in 0..3 {
                    columns[axis * 3 + row] *= scale;
                }
            }
        }
        columns
    }
}

/// The product of two affine transforms.
#[inline(always)]
fn compose(parent: &Columns, local: &Columns) -> Columns {
    core::array::from_fn(|entry| {
        let (column, row) = (entry / 3, entry % 3);
        let v = [
            local[column * 3],
            local[column * 3 + 1],
            local[column * 3 + 2],
        ];
        let turned = parent[row] * v[0] + parent[3 + row] * v[1] + parent[6 + row] * v[2];
        if column == 3 {
            turned + parent[9 + row]
        } else {
            turned
        }
    })
}

/// The largest distance of points of a joint's ball in two poses, of eight samples: as
/// [`ErrorMeter`](crate::measure::ErrorMeter) measures it if nothing is scaled (`‖E‖² = ‖E‖²_F / 2`), else with the
/// Frobenius norm, which is an upper bound of the spectral norm.
#[inline(always)]
fn ball_error(a: &Columns, b: &Columns, radius: f32, is_rigid: bool) -> f32 {
    let difference: [f32x8; 12] = core::array::from_fn(|i| a[i] - b[i]);
    let d = [difference[9], difference[10], difference[11]];
    // |Eᵀd|² and ‖E‖²_F.
    let mut across = f32x8::ZERO;
    let mut squares = f32x8::ZERO;
    for axis in 0..3 {
        let column = [
            difference[axis * 3],
            difference[axis * 3 + 1],
            difference[axis * 3 + 2],
        ];
        let along = column[0] * d[0] + column[1] * d[1] + column[2] * d[2];
        across += along * along;
        squares += column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
    }
    let norm_squared = squares * f32x8::splat(if is_rigid { 0.5 } else { 1.0 });
    let radius = f32x8::splat(radius);
    let two = f32x8::splat(2.0);
    let largest = d[0] * d[0]
        + d[1] * d[1]
        + d[2] * d[2]
        + radius * (two * across.sqrt() + radius * norm_squared);
    libm::sqrtf(largest.to_array().into_iter().fold(0.0, f32::max))
}

/// Blocks of eight samples, evenly spaced if there are too many to evaluate all.
fn evaluated_samples(sample_count: usize) -> Vec<[usize; LANES]> {
    let blocks = sample_count.div_ceil(LANES);
    let taken = blocks.min(MAX_SAMPLES_EVALUATED / LANES);
    let block = |index: usize| {
        let first = index * (blocks - 1) / (taken - 1).max(1) * LANES;
        core::array::from_fn(|lane| (first + lane).min(sample_count - 1))
    };
    (0..taken).map(block).collect()
}

fn error_model_joints(skeleton: &Skeleton, components: &Components) -> Vec<ErrorModelJoint> {
    let mut next = 0;
    let joints = components.joints.iter().zip(skeleton.joints()).enumerate();
    joints
        .map(|(index, (head, joint))| {
            let linear = |head: LinearHead, rest: glam::Vec3| match head {
                LinearHead::Rest => rest.to_array(),
                LinearHead::Given { values, .. } => values,
            };
            let frame = match head.rotation {
                RotationHead::Rest => MrpFrame::fixed(joint.rest.rotation),
                RotationHead::Fixed(packed) => MrpFrame::fixed(unpack_quat(packed, FINE)),
                RotationHead::Mrp { frame, .. } => frame.unpack(),
            };
            ErrorModelJoint {
                parent: joint.parent.map(|parent| parent.index()),
                radius: radius_of(skeleton, index.into()) as f32,
                map: frame.map,
                components: head.components().map(|is_component| {
                    is_component.then(|| {
                        next += 1;
                        next - 1
                    })
                }),
                position: linear(head.position, joint.rest.position),
                scale: linear(head.scale, joint.rest.scale),
                is_scaled: false,
                is_rigid: true,
            }
        })
        .collect()
}

/// The source's transforms of a joint in eight samples.
fn local_samples(joint: &super::source::JointSamples, samples: &[usize; LANES]) -> World {
    let mut local = [[0.0; LANES]; 12];
    for (lane, &sample_index) in samples.iter().enumerate() {
        let turn = sinew::math::quat_to_mat3(joint.rotations[sample_index]);
        let scale = joint.scales[sample_index];
        let columns = [
            turn.x_axis * scale.x,
            turn.y_axis * scale.y,
            turn.z_axis * scale.z,
            joint.positions[sample_index],
        ];
        for (column, numbers) in columns.iter().enumerate() {
            for (axis, number) in numbers.to_array().into_iter().enumerate() {
                local[column * 3 + axis][lane] = number;
            }
        }
    }
    local
}

/// As [`compose`], lane by lane in memory.
fn compose_source(parent: &World, local: &World) -> World {
    core::array::from_fn(|entry| {
        let (column, row) = (entry / 3, entry % 3);
        core::array::from_fn(|lane| {
            let v = [0, 1, 2].map(|axis| local[column * 3 + axis][lane]);
            let turned = parent[row][lane] * v[0]
                + parent[3 + row][lane] * v[1]
                + parent[6 + row][lane] * v[2];
            if column == 3 {
                turned + parent[9 + row][lane]
            } else {
                turned
            }
        })
    })
}
