//! Reads packed animations from bytes. This page is the definition of the layout; `sinew_author::packed` writes it.
//!
//! Little-endian. Contains everything of a [`PackedAnimation`] but its info; `sinew-formats` puts it into a file
//! with the info and the skeleton. If the bytes are aligned to four, the words of samples are borrowed in place.
//! Everything is validated here, once, so that sampling needs no checks. Cost: linear in the bytes of the head; the
//! stream is not decoded, except for the anchors of `fast`.
//!
//! ```text
//! all     u32 packing (0 small, 1 fast, 2 keys, 3 plain) · u32 joints · f32 error bound · f32 error
//! samples    f64 samples per second · u32 samples · head · stream
//! head    u16 per joint: flags (below)
//!         per joint: rotation (8 bytes fixed, 2 x 4 or 2 x 8 bytes of an MRP frame) · 3 x f32 position · 3 x f32 scale
//!         u8 slerp (0 nowhere, 1 everywhere, 2 in spans) · in spans: a bit per two samples, padding to 8
//!         u8 per component: the code of its quantization step
//! small   3 x u8 orders · padding to 4 · u32 words · per segment u32 start, u32 start of its groups · words
//! fast    u16 per component: its index · u8 per group: width of anchors · u8 per segment and group: widths
//!         padding to 4 · u32 slices (each 8 x u8) · slices
//! keys    a KeyedAnimation
//! plain   u32 tracks · per track u32 joint and its channels
//!
//! bit     0-2 a track for position, rotation, scale · 3-4 rotation: rest, fixed, coarse MRP frame, fine MRP frame
//!         5-7 coordinates that are components · 8 position given · 9-11 components · 12 scale given · 13-15
//! ```

use super::fast::FastSamples;
use super::head::{Head, JointHead, LinearHead, PackedMrpFrame, RotationHead, SlerpSpans};
use super::samples::{PackedSamples, Stream};
use super::small::{Orders, SmallSamples};
use super::{Encoding, MAX_SAMPLES, PackedAnimation, plain};
use crate::animation::Animation;
use crate::byte_cursor::{ByteCursor, EndOfBytes};
use crate::packed::keyframes::KeyedAnimation;
use crate::pose::Pose;
use crate::simd::LANES;
use crate::skeleton::Skeleton;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// An error of reading a packed animation from bytes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at byte {offset}: {problem}")]
pub struct PackedBytesError {
    /// The byte offset.
    pub offset: usize,
    /// The problem at that offset.
    pub problem: PackedProblem,
}

/// A problem with the bytes of a packed animation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedProblem {
    /// The bytes end too early.
    #[error("expected {needed} bytes more for {what}, found {found}")]
    End {
        /// The item that was being read.
        what: &'static str,
        /// The number of bytes it needs.
        needed: usize,
        /// The number of bytes left.
        found: usize,
    },
    /// A number is invalid.
    #[error("the {what} is {found}; expected {expected}")]
    Number {
        /// The item.
        what: &'static str,
        /// The expected values.
        expected: alloc::string::String,
        /// The value found.
        found: alloc::string::String,
    },
    /// The keys cannot be read.
    #[error("in the keys from there on: {0}")]
    Keys(super::keyframes::KeyedBytesError),
}

/// The largest number and time accepted, in metres and seconds: everything computed from them stays within the range
/// of `f32`, so every pose is finite.
pub const LARGEST: f32 = 1e15;

fn is_rate(number: f64) -> bool {
    let largest = f64::from(LARGEST);
    (1.0 / largest..=largest).contains(&number)
}

/// Reads numbers and tracks the offset.
pub(super) type PackedReader<'a> = ByteCursor<'a, PackedBytesError>;

impl EndOfBytes for PackedBytesError {
    fn end_of_bytes(offset: usize, what: &'static str, needed: usize, total: usize) -> Self {
        let found = total.saturating_sub(offset);
        let problem = PackedProblem::End {
            what,
            needed,
            found,
        };
        Self { offset, problem }
    }
}

impl<'a> PackedReader<'a> {
    /// Returns an error at the offset of the last item read.
    pub(super) fn fault(&self, problem: PackedProblem) -> PackedBytesError {
        PackedBytesError {
            offset: self.last,
            problem,
        }
    }

    pub(super) fn number(
        &self,
        what: &'static str,
        expected: impl core::fmt::Display,
        found: impl core::fmt::Display,
    ) -> PackedBytesError {
        self.fault(PackedProblem::Number {
            what,
            expected: alloc::format!("{expected}"),
            found: alloc::format!("{found}"),
        })
    }

    /// Reads the bytes of `count` items of `size` bytes each.
    pub(super) fn many(
        &mut self,
        what: &'static str,
        count: usize,
        size: usize,
    ) -> Result<&'a [u8], PackedBytesError> {
        self.take(count.saturating_mul(size), what)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, PackedBytesError> {
        self.array(what).map(|[byte]| byte)
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, PackedBytesError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Reads a number of magnitude at most [`LARGEST`].
    pub(super) fn f32(&mut self, what: &'static str) -> Result<f32, PackedBytesError> {
        let number = f32::from_le_bytes(self.array(what)?);
        // NaN is not within the range either.
        if (-LARGEST..=LARGEST).contains(&number) {
            Ok(number)
        } else {
            let expected = format_args!("a number within {LARGEST:e} of 0");
            Err(self.number(what, expected, number))
        }
    }

    /// Reads a positive number for which all times are finite.
    pub(super) fn rate(&mut self, what: &'static str) -> Result<f64, PackedBytesError> {
        let number = f64::from_le_bytes(self.array(what)?);
        if is_rate(number) {
            Ok(number)
        } else {
            let expected =
                format_args!("a number above zero, at most {LARGEST:e} times more or less than 1");
            Err(self.number(what, expected, number))
        }
    }

    fn vector(&mut self, what: &'static str) -> Result<[f32; 3], PackedBytesError> {
        Ok([self.f32(what)?, self.f32(what)?, self.f32(what)?])
    }

    fn align(&mut self) -> Result<(), PackedBytesError> {
        let padding = self.take(self.offset.wrapping_neg() % 4, "padding")?;
        match padding.iter().find(|&&byte| byte != 0) {
            None => Ok(()),
            Some(other) => Err(self.number("padding", 0, other)),
        }
    }
}

impl<'a> PackedAnimation<'a> {
    /// Reads the output of `sinew_author::packed::to_bytes` for a skeleton; `info` is that of the animation. The bytes
    /// must contain nothing else.
    ///
    /// # Errors
    /// If there are too few or too many bytes, or they are inconsistent or do not fit the skeleton.
    pub fn from_bytes(
        bytes: &'a [u8],
        skeleton: &Skeleton,
        info: Animation,
    ) -> Result<Self, PackedBytesError> {
        let mut reader = PackedReader::new(bytes);
        let packing = reader.u32("packing")?;
        let joints = reader.u32("number of joints")? as usize;
        if joints != skeleton.len() {
            return Err(reader.number("number of joints", skeleton.len(), joints));
        }
        let [max_error, error] = [reader.f32("error allowed")?, reader.f32("error")?];
        if !(max_error >= 0.0 && error >= 0.0) {
            return Err(reader.number("error", "0 or more", max_error.min(error)));
        }
        let encoding = match packing {
            0 | 1 => {
                Encoding::Samples(Box::new(read_samples(&mut reader, packing == 1, skeleton)?))
            }
            2 => {
                let rest = reader.take(reader.rest().len(), "keys")?;
                let keys = KeyedAnimation::read(rest);
                let keys = keys.map_err(|error| reader.fault(PackedProblem::Keys(error)))?;
                if keys.joint_count() != joints {
                    return Err(reader.number(
                        "number of joints of keys",
                        joints,
                        keys.joint_count(),
                    ));
                }
                if !is_rate(keys.frame_rate()) {
                    let expected = format_args!(
                        "a number above zero, at most {LARGEST:e} times more or less than 1"
                    );
                    return Err(reader.number("frame rate of keys", expected, keys.frame_rate()));
                }
                Encoding::Keys(Box::new(keys))
            }
            3 => Encoding::Plain(Box::new(plain::read(&mut reader, skeleton, &info)?)),
            other => return Err(reader.number("packing", "0 to 3", other)),
        };
        if reader.offset != bytes.len() {
            reader.last = reader.offset;
            return Err(reader.number("end", reader.offset, bytes.len()));
        }
        Ok(Self {
            info,
            joints,
            max_error,
            error,
            rest: Pose::rest(skeleton).blocks().into(),
            encoding,
        })
    }
}

fn read_head(reader: &mut PackedReader<'_>, joints: usize) -> Result<Head, PackedBytesError> {
    let rate = reader.rate("rate of samples")?;
    let sample_count = reader.u32("number of samples")?;
    if sample_count == 0 || sample_count as usize > MAX_SAMPLES {
        return Err(reader.number(
            "number of samples",
            format_args!("1 to {MAX_SAMPLES}"),
            sample_count,
        ));
    }
    let flags = reader.many("joints", joints, 2)?;
    let mut heads = Vec::with_capacity(joints);
    let mut components = 0;
    for flags in flags.chunks_exact(2) {
        let joint = read_joint(reader, u16::from_le_bytes([flags[0], flags[1]]))?;
        components += joint
            .components()
            .iter()
            .filter(|&&is_component| is_component)
            .count();
        heads.push(joint);
    }
    let slerp_spans = match reader.u8("slerp")? {
        0 => SlerpSpans::Nowhere,
        1 => SlerpSpans::Everywhere,
        2 => {
            let bytes = SlerpSpans::bytes(sample_count as usize);
            SlerpSpans::Some(reader.take(bytes, "slerp spans")?.to_vec())
        }
        other => return Err(reader.number("slerp", "0 to 2", other)),
    };
    if slerp_spans.has_beyond(sample_count as usize) {
        return Err(reader.number("slerp spans", "bits of samples alone", "more"));
    }
    Ok(Head {
        rate,
        sample_count,
        joints: heads,
        slerp_spans,
        steps: reader.take(components, "steps")?.to_vec(),
    })
}

fn read_joint(reader: &mut PackedReader<'_>, flags: u16) -> Result<JointHead, PackedBytesError> {
    let mask = |first: u32| [0, 1, 2].map(|axis| flags >> (first + axis) & 1 != 0);
    // Only animated channels have components.
    let stray = [
        (flags & 1 << 4, 5),
        (flags & 1 << 8, 9),
        (flags & 1 << 12, 13),
    ]
    .into_iter()
    .any(|(kind, first)| kind == 0 && mask(first) != [false; 3]);
    if stray {
        let expected = "components of what is given";
        return Err(reader.number("bits of a joint", expected, format_args!("{flags:#06x}")));
    }
    let rotation = match flags >> 3 & 3 {
        0 => RotationHead::Rest,
        1 => RotationHead::Fixed(reader.u64("rotation")?),
        kind => RotationHead::Mrp {
            frame: if kind == 3 {
                PackedMrpFrame {
                    is_fine: true,
                    mean: reader.u64("mean of an MRP frame")?,
                    axes: reader.u64("axes of an MRP frame")?,
                }
            } else {
                PackedMrpFrame {
                    is_fine: false,
                    mean: u64::from(reader.u32("mean of an MRP frame")?),
                    axes: u64::from(reader.u32("axes of an MRP frame")?),
                }
            },
            components: mask(5),
        },
    };
    let mut linear = |what: &'static str, first: u32| {
        Ok(if flags >> first & 1 == 0 {
            LinearHead::Rest
        } else {
            LinearHead::Given {
                values: reader.vector(what)?,
                components: mask(first + 1),
            }
        })
    };
    Ok(JointHead {
        moved: mask(0),
        rotation,
        position: linear("position", 8)?,
        scale: linear("scale", 12)?,
    })
}

fn read_samples<'a>(
    reader: &mut PackedReader<'a>,
    is_fast: bool,
    skeleton: &Skeleton,
) -> Result<PackedSamples<'a>, PackedBytesError> {
    let head = read_head(reader, skeleton.len())?;
    let (order, stream) = if is_fast {
        let (order, fast) = read_fast(reader, &head)?;
        (order, Stream::Fast(fast))
    } else {
        let order = (0..head.steps.len() as u32).collect();
        (order, Stream::Small(read_small(reader, &head)?))
    };
    PackedSamples::new(head, order, stream, skeleton)
        .ok_or_else(|| reader.number("rate of samples", "a number above zero", "none"))
}

fn read_small<'a>(
    reader: &mut PackedReader<'a>,
    head: &Head,
) -> Result<SmallSamples<'a>, PackedBytesError> {
    let mut orders = [0; 3];
    for order in &mut orders {
        *order = reader.u8("order")?;
        if *order > Orders::MAX {
            return Err(reader.number("order", "0 to 24", order));
        }
    }
    reader.align()?;
    let count = reader.u32("number of words")? as usize;
    let segments = (head.sample_count as usize).div_ceil(SmallSamples::SEGMENT);
    let starts = cast::<[u32; 2]>(reader.many("segments", segments, 8)?);
    let words = cast::<u32>(reader.many("words", count, 4)?);
    Ok(SmallSamples {
        words,
        starts,
        orders: Orders(orders),
        sample_count: head.sample_count,
        components: head.steps.len(),
    })
}

fn read_fast<'a>(
    reader: &mut PackedReader<'a>,
    head: &Head,
) -> Result<(Vec<u32>, FastSamples<'a>), PackedBytesError> {
    let components = head.steps.len();
    let mut seen = alloc::vec![false; components];
    let mut order = Vec::with_capacity(components);
    for pair in reader
        .many("order of components", components, 2)?
        .chunks_exact(2)
    {
        let component = u16::from_le_bytes([pair[0], pair[1]]);
        match seen.get_mut(usize::from(component)) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let expected = "each component once";
                return Err(reader.number("order of components", expected, component));
            }
        }
        order.push(u32::from(component));
    }
    let groups = components.div_ceil(LANES);
    let segments = FastSamples::segments(head.sample_count) as usize;
    let anchors = reader.take(groups, "widths of anchors")?;
    let widths = reader.many("widths", segments, groups)?;
    reader.align()?;
    let count = reader.u32("number of slices")? as usize;
    let (slices, _) = reader.many("slices", count, LANES)?.as_chunks();
    let samples = FastSamples::new(head.sample_count, anchors, widths, slices.into());
    let samples = samples.map_err(|fault| match fault {
        super::fast::FastFault::Width => reader.number("width of an anchor", "0 to 24", "more"),
        super::fast::FastFault::Slices { expected, found } => {
            reader.number("number of slices", expected, found)
        }
        super::fast::FastFault::Padding => reader.number("last slices", "zeros", "other bits"),
    })?;
    Ok((order, samples))
}

/// Borrows words of four bytes in place; copies if unaligned or on a big-endian machine.
fn cast<T: bytemuck::Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    #[cfg(target_endian = "little")]
    if let Ok(words) = bytemuck::try_cast_slice(bytes) {
        return Cow::Borrowed(words);
    }
    let items = bytes.chunks_exact(size_of::<T>()).map(|bytes| {
        let mut item = T::zeroed();
        let words = bytemuck::bytes_of_mut(&mut item);
        words.copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            words.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        item
    });
    Cow::Owned(items.collect())
}
