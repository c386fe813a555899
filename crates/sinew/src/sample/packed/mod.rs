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

use crate::packed::{Body, PackedAnimation, Rows, Stream};
use crate::pose::{JointCountMismatch, Pose};
use crate::simd::{self, SimdLevel};

impl PackedAnimation<'_> {
    /// Fills a pose with the animation at `time` seconds: before the beginning that is the first moment, after
    /// the end the last, and 0 for what is no number. Joints that the animation does not move are at rest.
    ///
    /// Does not allocate once the cursor has met the animation, or one as large.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
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
        JointCountMismatch::check(self.joints, pose.len())?;
        // What is no number is lost in the maximum.
        let time = time.max(0.0).min(self.notes.length);
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

fn sample_rows(
    level: SimdLevel,
    rows: &Rows<'_>,
    time: f32,
    cursor: &mut PackedCursor,
    pose: &mut Pose,
) {
    let at = rows.times.locate(time);
    cursor.make_room(rows);
    let compose = &rows.compose;
    let blocks = pose.blocks_mut();
    match &rows.stream {
        Stream::Fast(fast) => {
            let place = fast.place(at.from as u32);
            simd::dispatch!(
                level,
                off => {
                    reference::read_fast(fast, &place, at.ratio, compose, cursor);
                    reference::compose(compose, at.ratio, cursor, blocks);
                },
                simd => {
                    if fast.has_wide {
                        kernel::read_fast::<_, true>(simd, fast, &place, at.ratio, compose, cursor);
                    } else {
                        kernel::read_fast::<_, false>(simd, fast, &place, at.ratio, compose, cursor);
                    }
                    kernel::compose(simd, compose, at.ratio, cursor, blocks);
                }
            );
        }
        Stream::Small(small) => {
            let [first, second] = cursor.small_rows(rows.id, small, at.from);
            let cached = core::mem::take(&mut cursor.segment);
            let [first, second] = [first, second].map(|range| cached.get(range).unwrap_or(&[]));
            simd::dispatch!(
                level,
                off => {
                    reference::read_small([first, second], at.ratio, compose, cursor);
                    reference::compose(compose, at.ratio, cursor, blocks);
                },
                simd => {
                    kernel::read_small(simd, [first, second], at.ratio, compose, cursor);
                    kernel::compose(simd, compose, at.ratio, cursor, blocks);
                }
            );
            cursor.segment = cached;
        }
    }
}
