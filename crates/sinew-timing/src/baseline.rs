//! Two loops that every machine runs: what other times are ratios of.

use sinew::Pose;
use sinew::glam::Quat;
use std::hint::black_box;

/// Bytes of eight joints of a pose: ten numbers each.
const BLOCK_BYTES: usize = 8 * 40;

/// Copies the bytes of a pose of so many joints.
pub fn copy_loop(joints: usize) -> impl FnMut() + use<> {
    let bytes = vec![1u8; joints.div_ceil(8) * BLOCK_BYTES];
    let mut copy = bytes.clone();
    move || {
        copy.copy_from_slice(black_box(&bytes));
        black_box(&copy);
    }
}

/// glam's slerp from one pose to another, joint by joint.
pub fn slerp_loop(a: &Pose, b: &Pose) -> impl FnMut() + use<> {
    let pairs: Vec<[Quat; 2]> = (0..a.len().min(b.len()))
        .map(|joint| [a.rotation(joint.into()), b.rotation(joint.into())])
        .collect();
    let mut out = vec![Quat::IDENTITY; pairs.len()];
    move || {
        for (out, [a, b]) in out.iter_mut().zip(black_box(&pairs)) {
            *out = a.slerp(*b, 0.37);
        }
        black_box(&out);
    }
}
