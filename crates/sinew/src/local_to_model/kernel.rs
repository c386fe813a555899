//! Forward kinematics, with local matrices computed eight joints per vector. [`super::reference`] is the
//! specification; every number uses the same operations in the same order, so results are bit-identical.
//!
//! Concatenation is joint by joint, each column of a product in four lanes: a child needs its parent's result, so
//! joints cannot be processed in parallel.

use crate::pose::SoaTransform;
use crate::simd::{LANES, load_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x8, u32x4};
use glam::Mat4;

/// A matrix as four columns.
type Columns = [[f32; 4]; 4];

/// Eight matrices in structure-of-arrays layout: by column, without the last row.
type SoaMatrix = [[[f32; LANES]; 3]; 4];

#[inline(always)]
pub(super) fn local_to_model<S: Simd>(
    simd: S,
    parents: &[[u32; LANES]],
    blocks: &[SoaTransform],
    out: &mut [Mat4],
) {
    let out: &mut [Columns] = bytemuck::cast_slice_mut(out);
    let mut locals: SoaMatrix = [[[0.0; LANES]; 3]; 4];
    let mut index = 0;
    for (parents, block) in parents.iter().zip(blocks) {
        to_matrices(simd, block, &mut locals);
        for lane in 0..LANES {
            if index >= out.len() {
                return;
            }
            let local = |column: usize, row: usize| locals[column][row][lane];
            out[index] = match out.get(parents[lane] as usize) {
                Some(parent) => product(simd, parent, local),
                None => root(local),
            };
            index += 1;
        }
    }
}

/// [`crate::math::quat_to_mat3`] by lane, scaled.
#[inline(always)]
fn to_matrices<S: Simd>(simd: S, block: &SoaTransform, out: &mut SoaMatrix) {
    let [x, y, z, w] = load_rows(simd, &block.rotation);
    let [sx, sy, sz] = load_rows(simd, &block.scale);
    let one = f32x8::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let [ox, oy, oz, origin] = out;
    ((one - (yy + zz)) * sx).store_array(&mut ox[0]);
    ((xy + wz) * sx).store_array(&mut ox[1]);
    ((xz - wy) * sx).store_array(&mut ox[2]);
    ((xy - wz) * sy).store_array(&mut oy[0]);
    ((one - (xx + zz)) * sy).store_array(&mut oy[1]);
    ((yz + wx) * sy).store_array(&mut oy[2]);
    ((xz + wy) * sz).store_array(&mut oz[0]);
    ((yz - wx) * sz).store_array(&mut oz[1]);
    ((one - (xx + yy)) * sz).store_array(&mut oz[2]);
    *origin = block.position;
}

/// [`super::reference::product`]. `b` returns an element by column and row.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &Columns, b: impl Fn(usize, usize) -> f32) -> Columns {
    let x = f32x4::load_array_ref(simd, &a[0]);
    let y = f32x4::load_array_ref(simd, &a[1]);
    let z = f32x4::load_array_ref(simd, &a[2]);
    let origin = f32x4::load_array_ref(simd, &a[3]);
    // Masks the last row to +0, whatever the sign of its sum of zeros.
    let upper = u32x4::load_array(simd, [u32::MAX, u32::MAX, u32::MAX, 0]);
    let mut out = [[0.0; 4]; 4];
    for (column, out) in out.iter_mut().enumerate() {
        let sum = x * f32x4::splat(simd, b(column, 0))
            + y * f32x4::splat(simd, b(column, 1))
            + z * f32x4::splat(simd, b(column, 2));
        let turned = f32x4::from_bits(sum.to_bits() & upper);
        let moved = if column == 3 { origin + turned } else { turned };
        moved.store_array(out);
    }
    out
}

/// Returns the matrix of a root joint.
#[inline(always)]
fn root(local: impl Fn(usize, usize) -> f32) -> Columns {
    let column =
        |column: usize, last: f32| [local(column, 0), local(column, 1), local(column, 2), last];
    [
        column(0, 0.0),
        column(1, 0.0),
        column(2, 0.0),
        column(3, 1.0),
    ]
}

/// [`super::reference::product`] of two lists.
#[inline(always)]
pub(super) fn products<S: Simd>(simd: S, a: &[Mat4], b: &[Mat4], out: &mut [Mat4]) {
    let a: &[Columns] = bytemuck::cast_slice(a);
    let b: &[Columns] = bytemuck::cast_slice(b);
    let out: &mut [Columns] = bytemuck::cast_slice_mut(out);
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        *out = product(simd, a, |column, row| b[column][row]);
    }
}
