//! A packed animation on a whole body, eight joints at a time.
//!
//! What [`Moment::apply`](super::moment::Moment::apply) does joint by joint is the specification. Where neither start
//! bones and masks nor the weights of tracks tell joints apart, the same is done here in blocks, to the bit.

use super::blend::is_full;
use super::slerp::slerp;
use super::source::Mover;
use crate::pose::{Pose, SoaTransform};
use crate::simd::{self, LANES, SimdLevel, load, load_rows, store_rows};
use crate::skeleton::JointIndex;
use alloc::vec::Vec;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// What an animation moves of a skeleton whose joints are at the positions of those that it was packed for.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    /// For eight joints at a time, whether position, rotation and scale are moved: 1, or 0.
    lanes: Vec<[[f32; LANES]; 3]>,
    /// The same joint by joint.
    moved: Vec<[bool; 3]>,
}

impl Whole {
    /// `None` where joints are at other positions, or a track has weights of its own. `joints` are those of the
    /// skeleton.
    pub(super) fn new(
        joints: usize,
        mut movers: impl Iterator<Item = (JointIndex, Mover)>,
    ) -> Option<Self> {
        let mut whole = Self {
            lanes: alloc::vec![[[0.0; LANES]; 3]; joints.div_ceil(LANES)],
            moved: alloc::vec![[false; 3]; joints],
        };
        let all = movers.try_for_each(|(joint, mover)| {
            let is_plain = mover.is_of(joint) && mover.weights == Default::default();
            let moved = whole.moved.get_mut(joint.index()).filter(|_| is_plain)?;
            let block = whole.lanes.get_mut(joint.index() / LANES)?;
            let channels = mover.channels;
            *moved = [channels.position, channels.rotation, channels.scale];
            for (row, &is_moved) in block.iter_mut().zip(moved.iter()) {
                row[joint.index() % LANES] = f32::from(u8::from(is_moved));
            }
            Some(())
        });
        all.map(|()| whole)
    }

    /// Applies a moment, which `now` has, by a weight from 0 to 1; `is_first` says that nothing was applied
    /// before. Whether it did: where there are no SIMD instructions it does not.
    pub(super) fn apply(
        &self,
        now: &Pose,
        weight: f32,
        is_first: bool,
        started: &mut [[bool; 3]],
        pose: &mut Pose,
    ) -> bool {
        let level = SimdLevel::best();
        if is_first || is_full(weight) {
            self.replace(level, now, started, pose)
        } else {
            self.mix(level, now, weight, started, pose)
        }
    }

    /// Puts what is moved where `now` has it. Whether it did.
    fn replace(
        &self,
        level: SimdLevel,
        now: &Pose,
        started: &mut [[bool; 3]],
        pose: &mut Pose,
    ) -> bool {
        simd::dispatch!(
            level,
            off => return false,
            simd => replace(simd, &self.lanes, now.blocks(), pose.blocks_mut())
        );
        self.start(started);
        true
    }

    /// Mixes what is moved with `now`, and puts it there where nothing did before. `ratio` is from 0 to 1. Whether
    /// it did, as above.
    fn mix(
        &self,
        level: SimdLevel,
        now: &Pose,
        ratio: f32,
        started: &mut [[bool; 3]],
        pose: &mut Pose,
    ) -> bool {
        simd::dispatch!(
            level,
            off => return false,
            simd => mix(simd, self, started, now.blocks(), ratio, pose.blocks_mut())
        );
        self.start(started);
        true
    }

    fn start(&self, started: &mut [[bool; 3]]) {
        let moved = self.moved.as_flattened();
        for (started, moved) in started.as_flattened_mut().iter_mut().zip(moved) {
            *started |= moved;
        }
    }
}

#[inline(always)]
fn replace<S: Simd>(
    simd: S,
    lanes: &[[[f32; LANES]; 3]],
    now: &[SoaTransform],
    pose: &mut [SoaTransform],
) {
    for ((own, now), lanes) in pose.iter_mut().zip(now).zip(lanes) {
        let [position, rotation, scale] = masks(simd, lanes);
        if position.any_true() {
            let rows = load_rows(simd, &now.position);
            put(simd, position, rows, &mut own.position);
        }
        if rotation.any_true() {
            let rows = load_rows(simd, &now.rotation);
            put(simd, rotation, rows, &mut own.rotation);
        }
        if scale.any_true() {
            let rows = load_rows(simd, &now.scale);
            put(simd, scale, rows, &mut own.scale);
        }
    }
}

#[inline(always)]
fn mix<S: Simd>(
    simd: S,
    whole: &Whole,
    started: &[[bool; 3]],
    now: &[SoaTransform],
    ratio: f32,
    pose: &mut [SoaTransform],
) {
    let (to, from) = (f32x8::splat(simd, ratio), f32x8::splat(simd, 1.0 - ratio));
    let blocks = pose.iter_mut().zip(now);
    let blocks = blocks.zip(&whole.lanes).zip(started.chunks(LANES));
    for (((own, now), lanes), started) in blocks {
        let mut has_value = [[0.0; LANES]; 3];
        for (lane, started) in started.iter().enumerate() {
            has_value[0][lane] = f32::from(u8::from(started[0]));
            has_value[1][lane] = f32::from(u8::from(started[1]));
            has_value[2][lane] = f32::from(u8::from(started[2]));
        }
        let has_value = masks(simd, &has_value);
        let moved = masks(simd, lanes);
        if moved[0].any_true() {
            let mixed = line(simd, &own.position, from, &now.position, to);
            let mixed = chosen(simd, has_value[0], mixed, &now.position);
            put(simd, moved[0], mixed, &mut own.position);
        }
        if moved[1].any_true() {
            let [a, b] = [
                load_rows(simd, &own.rotation),
                load_rows(simd, &now.rotation),
            ];
            let mixed = chosen(simd, has_value[1], slerp(simd, a, b, ratio), &now.rotation);
            put(simd, moved[1], mixed, &mut own.rotation);
        }
        if moved[2].any_true() {
            let mixed = line(simd, &own.scale, from, &now.scale, to);
            let mixed = chosen(simd, has_value[2], mixed, &now.scale);
            put(simd, moved[2], mixed, &mut own.scale);
        }
    }
}

#[inline(always)]
fn masks<S: Simd>(simd: S, lanes: &[[f32; LANES]; 3]) -> [mask32x8<S>; 3] {
    let zero = f32x8::splat(simd, 0.0);
    [
        load(simd, &lanes[0]).simd_gt(zero),
        load(simd, &lanes[1]).simd_gt(zero),
        load(simd, &lanes[2]).simd_gt(zero),
    ]
}

/// Straight from `a` to `b`.
#[inline(always)]
fn line<S: Simd>(
    simd: S,
    a: &[[f32; LANES]; 3],
    from: f32x8<S>,
    b: &[[f32; LANES]; 3],
    to: f32x8<S>,
) -> [f32x8<S>; 3] {
    let (mut mixed, b) = (load_rows(simd, a), load_rows(simd, b));
    for (row, b) in mixed.iter_mut().zip(&b) {
        *row = *row * from + *b * to;
    }
    mixed
}

/// What is mixed where there was a value, what is sampled elsewhere.
#[inline(always)]
fn chosen<S: Simd, const N: usize>(
    simd: S,
    has_value: mask32x8<S>,
    mut mixed: [f32x8<S>; N],
    sampled: &[[f32; LANES]; N],
) -> [f32x8<S>; N] {
    for (row, sampled) in mixed.iter_mut().zip(sampled) {
        *row = has_value.select(*row, load(simd, sampled));
    }
    mixed
}

/// Writes lanes that are moved.
#[inline(always)]
fn put<S: Simd, const N: usize>(
    simd: S,
    moved: mask32x8<S>,
    mut rows: [f32x8<S>; N],
    into: &mut [[f32; LANES]; N],
) {
    for (row, own) in rows.iter_mut().zip(into.iter()) {
        *row = moved.select(*row, load(simd, own));
    }
    store_rows(rows, into);
}
