//! How far the body is off when components are rounded to steps: the measure of the step search.
//!
//! Eight rows at a time in `f32`, without packing anything; the final word is with
//! [`verify`](super::verify::verify), which measures what the decoder makes in `f64`.

use super::animated_components::Components;
use super::joint_influence::radius_of;
use super::source::Sampled;
use alloc::vec::Vec;
use sinew::internal::packed::{Chart, LinearHead, RotationHead};
use sinew::internal::packed::{FINE, unpack_quat};
use sinew::simd::LANES;
use sinew::skeleton::Skeleton;
use wide::f32x8;

/// Rows, at most, that the search looks at.
const LOOKS: usize = 1024;

/// Adding and taking away this rounds to whole numbers, as long as they have no more than 22 bits.
const ROUNDER: f32 = 12_582_912.0;

/// Where the axes of a joint go and where it is, for eight rows: four columns of three.
type World = [[f32; LANES]; 12];

/// The same, to compute with.
type Columns = [f32x8; 12];

/// The rows that are looked at, and where the source has the body in them.
pub(super) struct ErrorModel {
    joints: Vec<ErrorModelJoint>,
    /// By blocks of eight rows, then by joints.
    worlds: Vec<World>,
    /// By components, then by blocks of eight rows.
    values: Vec<[f32; LANES]>,
    blocks: usize,
    scratch: Vec<Columns>,
}

/// What is constant of a joint, and which components it has.
struct ErrorModelJoint {
    parent: Option<usize>,
    radius: f32,
    map: [[f32; 4]; 4],
    /// Of its nine numbers, those that are components.
    components: [Option<u32>; 9],
    position: [f32; 3],
    scale: [f32; 3],
    is_scaled: bool,
    /// Whether neither it nor anything above it is scaled.
    is_rigid: bool,
}

impl ErrorModel {
    pub(super) fn new(skeleton: &Skeleton, sampled: &Sampled, parts: &Components) -> Self {
        let mut joints = body_joints(skeleton, parts);
        let rows = looks(sampled.rows);
        let blocks = rows.len();
        let mut worlds = alloc::vec![[[0.0; LANES]; 12]; blocks * joints.len()];
        for (block, rows) in rows.iter().enumerate() {
            let (own, _) = worlds[block * joints.len()..].split_at_mut(joints.len());
            for (index, joint) in joints.iter().enumerate() {
                let local = local_rows(&sampled.joints[index], rows);
                own[index] = match joint.parent {
                    None => local,
                    Some(parent) => product(&own[parent], &local),
                };
            }
        }
        let values = parts.list.iter().flat_map(|component| {
            rows.iter()
                .map(|rows| rows.map(|row| component.values[row]))
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

    /// How far points around each joint are off at most, in metres, when components are rounded to these steps.
    pub(super) fn errors(&mut self, steps: &[f32], errors: &mut [f32]) {
        errors.fill(0.0);
        let count = self.joints.len();
        let rounder = f32x8::splat(ROUNDER);
        for block in 0..self.blocks {
            let source = &self.worlds[block * count..(block + 1) * count];
            for (index, joint) in self.joints.iter().enumerate() {
                let value = |number: usize| {
                    joint.components[number].map(|component| {
                        let component = component as usize;
                        let step = steps[component];
                        let value = f32x8::new(self.values[component * self.blocks + block]);
                        ((value * f32x8::splat(1.0 / step) + rounder) - rounder)
                            * f32x8::splat(step)
                    })
                };
                let local = joint.local(value);
                let world = match joint.parent {
                    None => local,
                    Some(parent) => times(&self.scratch[parent], &local),
                };
                let expected = source[index].map(f32x8::new);
                let most = furthest(&world, &expected, joint.radius, joint.is_rigid);
                self.scratch[index] = world;
                errors[index] = errors[index].max(most);
            }
        }
    }
}

impl ErrorModelJoint {
    /// Where it is in its parent's frame.
    #[inline(always)]
    fn local(&self, value: impl Fn(usize) -> Option<f32x8>) -> Columns {
        let splat = f32x8::splat;
        let (zero, one) = (splat(0.0), splat(1.0));
        let u: [f32x8; 3] = core::array::from_fn(|axis| value(axis).unwrap_or(zero));
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

/// A frame in its parent's, in the parent's parent's.
#[inline(always)]
fn times(parent: &Columns, local: &Columns) -> Columns {
    core::array::from_fn(|at| {
        let (column, row) = (at / 3, at % 3);
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

/// How far points of a joint's ball are apart at most: as [`ErrorMeter`](crate::measure::ErrorMeter) measures it where
/// nothing is scaled, else with the sum of squares for the spectral norm, which is more.
#[inline(always)]
fn furthest(a: &Columns, b: &Columns, radius: f32, is_rigid: bool) -> f32 {
    let off: [f32x8; 12] = core::array::from_fn(|at| a[at] - b[at]);
    let d = [off[9], off[10], off[11]];
    let mut across = f32x8::ZERO;
    let mut squares = f32x8::ZERO;
    for axis in 0..3 {
        let column = [off[axis * 3], off[axis * 3 + 1], off[axis * 3 + 2]];
        let along = column[0] * d[0] + column[1] * d[1] + column[2] * d[2];
        across += along * along;
        squares += column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
    }
    let norm_squared = squares * f32x8::splat(if is_rigid { 0.5 } else { 1.0 });
    let radius = f32x8::splat(radius);
    let two = f32x8::splat(2.0);
    let most = d[0] * d[0]
        + d[1] * d[1]
        + d[2] * d[2]
        + radius * (two * across.sqrt() + radius * norm_squared);
    libm::sqrtf(most.to_array().into_iter().fold(0.0, f32::max))
}

/// Blocks of eight rows, spread over the animation where there are many.
fn looks(rows: usize) -> Vec<[usize; LANES]> {
    let blocks = rows.div_ceil(LANES);
    let taken = blocks.min(LOOKS / LANES);
    let block = |look: usize| {
        let first = look * (blocks - 1) / (taken - 1).max(1) * LANES;
        core::array::from_fn(|lane| (first + lane).min(rows - 1))
    };
    (0..taken).map(block).collect()
}

fn body_joints(skeleton: &Skeleton, parts: &Components) -> Vec<ErrorModelJoint> {
    let mut next = 0;
    let joints = parts.joints.iter().zip(skeleton.joints()).enumerate();
    joints
        .map(|(index, (head, joint))| {
            let linear = |head: LinearHead, rest: glam::Vec3| match head {
                LinearHead::Rest => rest.to_array(),
                LinearHead::Given { values, .. } => values,
            };
            let chart = match head.rotation {
                RotationHead::Rest => Chart::fixed(joint.rest.rotation),
                RotationHead::Fixed(packed) => Chart::fixed(unpack_quat(packed, FINE)),
                RotationHead::Charted { chart, .. } => chart.unpack(),
            };
            ErrorModelJoint {
                parent: joint.parent.map(|parent| parent.index()),
                radius: radius_of(skeleton, index.into()) as f32,
                map: chart.map,
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

/// The source's transforms of a joint in eight rows.
fn local_rows(joint: &super::source::JointRows, rows: &[usize; LANES]) -> World {
    let mut local = [[0.0; LANES]; 12];
    for (lane, &row) in rows.iter().enumerate() {
        let turn = sinew::math::quat_to_mat3(joint.rotations[row]);
        let scale = joint.scales[row];
        let columns = [
            turn.x_axis * scale.x,
            turn.y_axis * scale.y,
            turn.z_axis * scale.z,
            joint.positions[row],
        ];
        for (column, numbers) in columns.iter().enumerate() {
            for (axis, number) in numbers.to_array().into_iter().enumerate() {
                local[column * 3 + axis][lane] = number;
            }
        }
    }
    local
}

/// As [`times`], for what the source says.
fn product(parent: &World, local: &World) -> World {
    core::array::from_fn(|at| {
        let (column, row) = (at / 3, at % 3);
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
