//! Samples packed animations: from quantized samples to a pose.
//!
//! ```text
//! stream ─▶ components, eight at a time: interpolated, or of both samples ─▶ slots ─▶ rotations (lerp, slerp) ─▶ Pose
//!                                                                            └▶ positions, scales ───────┘
//! ```
//!
//! A component is its integer times its quantization step. Between two samples at ratio `t`, components are
//! interpolated linearly, `(1 - t) a + t b`; in the spans that [`SlerpSpans`](super::SlerpSpans) marks, rotations are
//! interpolated by slerp of both samples. Linear interpolation of coordinates is cheaper and accurate if joints turn
//! little per sample; the compressor marks the rest.
//!
//! Cost per sample of 31 joints (AVX2): `fast` 1,409 instructions at any time; `small` 3,112 sequentially and 49,599
//! at random times, because it decodes whole segments.
//!
//! [`reference`] is the specification, [`kernel`] the same with eight lanes.

mod cursor;
mod kernel;
mod reference;

pub use cursor::PackedCursor;

use crate::packed::{Encoding, PackedAnimation, PackedSamples, Stream};
use crate::pose::{JointCountMismatch, Pose, SoaTransform};
use crate::simd::{self, SimdLevel};

impl PackedAnimation<'_> {
    /// Samples the animation at `time` seconds into `pose`. The time is clamped to the length; NaN is 0. Joints
    /// without tracks are set to the rest pose.
    ///
    /// Allocates only if the cursor has not yet been used with this animation or one as large.
    ///
    /// # Errors
    /// If the pose has another number of joints.
    #[inline]
    pub fn sample(
        &self,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        self.sample_with(SimdLevel::best(), time, cursor, pose)
    }

    /// [`Self::sample`] with an explicit SIMD level, for tests and benchmarks.
    #[doc(hidden)]
    pub fn sample_with(
        &self,
        level: SimdLevel,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        // `max` discards NaN.
        let time = time.max(0.0).min(self.info.length);
        self.sample_beyond(level, time, cursor, pose)
    }

    /// As [`Self::sample_with`], without clamping to the length, after which samples may continue.
    #[doc(hidden)]
    pub fn sample_beyond(
        &self,
        level: SimdLevel,
        time: f32,
        cursor: &mut PackedCursor,
        pose: &mut Pose,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joints, pose.len())?;
        match &self.encoding {
            Encoding::Samples(samples) => {
                sample_quantized(level, samples, time, cursor, pose);
                Ok(())
            }
            Encoding::Keys(keys) => {
                self.reset(pose);
                keys.sample(time, pose)
            }
            Encoding::Plain(plain) => {
                self.reset(pose);
                crate::sample::sample(&plain.animation, &plain.binding, time, pose)
            }
        }
    }

    fn reset(&self, pose: &mut Pose) {
        for (block, rest) in pose.blocks_mut().iter_mut().zip(&self.rest) {
            *block = *rest;
        }
    }
}

/// Returns the values of a sample by slot, before offsets are added: coordinates of rotating blocks, then components of
/// positions and scales. Fills `pose`, which must be of the animation's skeleton, with the sample.
pub fn sample_slots<'a>(
    samples: &PackedSamples<'_>,
    sample_index: u32,
    cursor: &'a mut PackedCursor,
    pose: &mut Pose,
) -> &'a [f32] {
    cursor.make_room(samples);
    sample_linear(
        SimdLevel::best(),
        samples,
        sample_index,
        0.0,
        cursor,
        pose.blocks_mut(),
    );
    &cursor.slots
}

/// Returns the sample at or before a time, and the ratio from it to the next, from 0 to 1.
///
/// Unlike [`KeyTimes::locate`](crate::KeyTimes::locate) it does not snap to samples: the `f32` time is taken exactly,
/// so the error bound holds at every time.
#[inline(always)]
fn locate(samples: &PackedSamples<'_>, time: f32) -> (u32, f32) {
    let last = samples.head.sample_count - 1;
    let position = f64::from(time) * samples.head.rate;
    if position >= f64::from(last) {
        return (last, 0.0);
    }
    let sample_index = position as u32;
    (sample_index, (position - f64::from(sample_index)) as f32)
}

#[inline(always)]
fn sample_quantized(
    level: SimdLevel,
    samples: &PackedSamples<'_>,
    time: f32,
    cursor: &mut PackedCursor,
    pose: &mut Pose,
) {
    let (sample_index, ratio) = locate(samples, time);
    cursor.make_room(samples);
    let blocks = pose.blocks_mut();
    if samples.head.slerp_spans.has(sample_index as usize) {
        sample_slerp(level, samples, sample_index, ratio, cursor, blocks);
    } else {
        sample_linear(level, samples, sample_index, ratio, cursor, blocks);
    }
}

/// Interpolates components linearly and assembles the pose.
#[inline(always)]
fn sample_linear(
    level: SimdLevel,
    samples: &PackedSamples<'_>,
    sample_index: u32,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    let assembly = &samples.assembly;
    let steps = &assembly.steps;
    match &samples.stream {
        Stream::Fast(fast) => {
            let location = fast.locate(sample_index);
            simd::dispatch!(
                level,
                off => {
                    reference::read_fast(fast, location, ratio, steps, &mut cursor.values);
                    reference::assemble(assembly, cursor, pose);
                },
                simd => {
                    kernel::read_fast(simd, fast, location, ratio, assembly, &mut cursor.slots);
                    kernel::assemble(simd, assembly, cursor, pose);
                }
            );
        }
        Stream::Small(small) => {
            let both = cursor.small_samples(level, samples.id, small, sample_index as usize);
            simd::dispatch!(
                level,
                off => {
                    let (both, values) = cursor.unpacked(&both);
                    reference::read_small(both, ratio, steps, values);
                    reference::assemble(assembly, cursor, pose);
                },
                simd => {
                    let (both, slots) = cursor.unpacked_slots(&both);
                    kernel::read_small(simd, both, ratio, assembly, slots);
                    kernel::assemble(simd, assembly, cursor, pose);
                }
            );
        }
    }
}

/// Reads the components of both samples and assembles the pose by slerp, with one path for every joint.
#[inline(always)]
fn sample_slerp(
    level: SimdLevel,
    samples: &PackedSamples<'_>,
    sample_index: u32,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    let assembly = &samples.assembly;
    let steps = &assembly.steps;
    match &samples.stream {
        Stream::Fast(fast) => {
            let location = fast.locate(sample_index);
            simd::dispatch!(
                level,
                off => {
                    reference::read_fast_pairs(fast, location, steps, &mut cursor.pairs);
                    reference::assemble_slerp(assembly, ratio, cursor, pose);
                },
                simd => {
                    kernel::read_fast_pairs(simd, fast, location, assembly, &mut cursor.pair_slots);
                    kernel::assemble_slerp(simd, assembly, ratio, cursor, pose);
                }
            );
        }
        Stream::Small(small) => {
            let both = cursor.small_samples(level, samples.id, small, sample_index as usize);
            simd::dispatch!(
                level,
                off => {
                    let (both, pairs) = cursor.unpacked_pairs(&both);
                    reference::read_small_pairs(both, steps, pairs);
                    reference::assemble_slerp(assembly, ratio, cursor, pose);
                },
                simd => {
                    let (both, slots) = cursor.unpacked_pair_slots(&both);
                    kernel::read_small_pairs(simd, both, assembly, slots);
                    kernel::assemble_slerp(simd, assembly, ratio, cursor, pose);
                }
            );
        }
    }
}
