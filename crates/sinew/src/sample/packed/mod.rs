//! Sampling packed animations: straight from packed rows to a whole pose.
//!
//! ```text
//! stream ─▶ two rows of components, eight at a time ─▶ slots of charts ─▶ rotations, mixed and normalised ─▶ Pose
//!                                                   └▶ positions, scales, mixed ──────────────────────────┘
//! ```
//!
//! [`reference`] is what it must compute, [`kernel`] the same eight lanes at a time.

mod cursor;
mod kernel;
mod reference;

pub use cursor::PackedCursor;

use crate::animation::Segment;
use crate::packed::{Body, PackedAnimation, Rows, Stream};
use crate::pose::{JointCountMismatch, Pose, SoaTransform};
use crate::simd::{self, SimdLevel};

impl PackedAnimation<'_> {
    /// Fills a pose with the animation at `time` seconds: before the beginning that is the first moment, after
    /// the end the last, and 0 for what is no number. Joints that the animation does not move are at rest.
    ///
    /// Does not allocate once the cursor has met the animation, or one as large.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
    #[inline]
    pub fn sample(
        &self,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        self.sample_with(SimdLevel::best(), time, cursor, pose)
    }

    /// As [`Self::sample`], with instructions of your choice; the bits are the same.
    ///
    /// # Errors
    /// As [`Self::sample`].
    pub fn sample_with(
        &self,
        level: SimdLevel,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        // What is no number is lost in the maximum.
        let time = time.max(0.0).min(self.notes.length);
        self.sample_beyond(level, time, cursor, pose)
    }

    /// As [`Self::sample_with`], also after the end, where rows may go on.
    #[inline]
    pub(crate) fn sample_beyond(
        &self,
        level: SimdLevel,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joints, pose.len())?;
        match &self.body {
            Body::Rows(rows) => {
                sample_rows(level, rows, time, cursor, pose);
                Ok(())
            }
            Body::Keys(keys) => {
                self.reset(pose);
                keys.sample(time, pose)
            }
            Body::Plain(plain) => {
                self.reset(pose);
                super::sample(&plain.animation, &plain.binding, time, pose)
            }
        }
    }

    fn reset(&self, pose: &mut Pose) {
        for (block, rest) in pose.blocks_mut().iter_mut().zip(&self.rest) {
            *block = *rest;
        }
    }
}

#[inline(always)]
fn sample_rows(
    level: SimdLevel,
    rows: &Rows<'_>,
    time: f32,
    cursor: &mut PackedCursor,
    pose: &mut Pose,
) {
    let at = rows.times.locate(time);
    cursor.make_room(rows);
    let (compose, ratio) = (&rows.compose, at.ratio);
    let blocks = pose.blocks_mut();
    if rows.head.paired_spans.has(at.from) {
        return sample_paired(level, rows, at, cursor, blocks);
    }
    match &rows.stream {
        Stream::Fast(fast) => {
            let place = fast.place(at.from as u32);
            simd::dispatch!(
                level,
                off => {
                    reference::read_fast(fast, place, ratio, &compose.steps, &mut cursor.values);
                    reference::compose(compose, cursor, blocks);
                },
                simd => {
                    kernel::read_fast(simd, fast, place, ratio, &compose.steps, &mut cursor.values);
                    kernel::compose(simd, compose, cursor, blocks);
                }
            );
        }
        Stream::Small(small) => {
            let both = cursor.small_rows(level, rows.id, small, at.from);
            simd::dispatch!(
                level,
                off => {
                    let (both, values, _) = cursor.unpacked(&both);
                    reference::read_small(both, ratio, &compose.steps, values);
                    reference::compose(compose, cursor, blocks);
                },
                simd => {
                    let (both, values, _) = cursor.unpacked(&both);
                    kernel::read_small(simd, both, ratio, &compose.steps, values);
                    kernel::compose(simd, compose, cursor, blocks);
                }
            );
        }
    }
}

/// As [`sample_rows`] where joints are paired: mixes their rotations. Few joints, at few moments.
#[inline(never)]
fn sample_paired(
    level: SimdLevel,
    rows: &Rows<'_>,
    at: Segment,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    let (compose, ratio) = (&rows.compose, at.ratio);
    let steps = &compose.steps;
    match &rows.stream {
        Stream::Fast(fast) => {
            let place = fast.place(at.from as u32);
            simd::dispatch!(
                level,
                off => {
                    let [first, second] = &mut cursor.pairs;
                    let all = [(ratio, &mut cursor.values), (0.0, first), (1.0, second)];
                    for (ratio, values) in all {
                        reference::read_fast(fast, place, ratio, steps, values);
                    }
                },
                simd => kernel::read_fast_pairs(simd, fast, place, ratio, compose, cursor)
            );
        }
        Stream::Small(small) => {
            let both = cursor.small_rows(level, rows.id, small, at.from);
            let (both, values, [first, second]) = cursor.unpacked(&both);
            for (ratio, values) in [(ratio, values), (0.0, first), (1.0, second)] {
                simd::dispatch!(
                    level,
                    off => reference::read_small(both, ratio, steps, values),
                    simd => kernel::read_small(simd, both, ratio, steps, values)
                );
            }
        }
    }
    simd::dispatch!(
        level,
        off => {
            reference::compose(compose, cursor, pose);
            reference::compose_pairs(compose, ratio, cursor, pose);
        },
        simd => {
            kernel::compose(simd, compose, cursor, pose);
            kernel::compose_pairs(simd, compose, ratio, cursor, pose);
        }
    );
}
