//! Reads keyed animations from bytes. `sinew_author::packed::keyframes` writes them.
//!
//! ```text
//! "SNKY"  version u8 = 1  joints u32  frames u32  rate f64  error f64  tracks u32
//! each track:   joint u32  channels u8: 1 rotation, 2 position, 4 scale; then these in this order
//! each channel: keys u32  [low 3 × f32  step 3 × f32, unless a rotation]  keys × u16 frame  keys × 6 bytes
//! ```
//!
//! Little-endian. Joints and frames ascend. Version 1 stays readable.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::MAX_FRAMES;
use super::curve::{RotationKeys, VectorKeys, VectorRange};
use super::keyed::{JointKeys, KeyedAnimation};
use super::quat48::Quat48;
use crate::byte_cursor::{ByteCursor, EndOfBytes};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub const MAGIC: [u8; 4] = *b"SNKY";
pub const VERSION: u8 = 1;

pub const TRACK_BYTES: usize = 4 + 1;
/// A 16-bit frame and three 16-bit words.
pub const KEY_BYTES: usize = 2 + 6;

pub const ROTATION: u8 = 1;
pub const POSITION: u8 = 2;
pub const SCALE: u8 = 4;

/// An error of reading a keyed animation from bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyedBytesError {
    /// The bytes end too early.
    #[error("the bytes end at {end}, within {expected} at byte {offset}")]
    End {
        /// The offset of the missing item.
        offset: usize,
        /// The missing item.
        expected: &'static str,
        /// The number of bytes.
        end: usize,
    },
    /// A value is invalid.
    #[error("at byte {offset}: expected {expected}, found {found}")]
    Wrong {
        /// Its offset.
        offset: usize,
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
}

impl KeyedAnimation {
    /// Reads the output of `sinew_author::packed::keyframes::to_bytes`, which must not be followed by anything.
    /// Validates everything, so the result can be sampled; allocates for the bytes present, not for announced counts.
    ///
    /// # Errors
    /// If the bytes end too early or too late, or a value is invalid.
    pub fn read(bytes: &[u8]) -> Result<Self, KeyedBytesError> {
        let mut reader = KeyReader::new(bytes);
        reader.checked("the letters SNKY", |reader, what| {
            let found = reader.array::<4>(what)?;
            Ok((found == MAGIC, (), format!("{found:?}")))
        })?;
        reader.checked("version 1", |reader, what| {
            let [found] = reader.array(what)?;
            Ok((found == VERSION, (), format!("{found}")))
        })?;
        let joint_count = reader.checked("a number of joints above 0", |reader, what| {
            let count = reader.u32(what)?;
            Ok((count > 0, count, format!("{count}")))
        })?;
        let frame_count = reader.checked("1 to 65536 frames", |reader, what| {
            let count = reader.u32(what)?;
            let fits = count > 0 && count as usize <= MAX_FRAMES;
            Ok((fits, count, format!("{count}")))
        })?;
        let frame_rate = reader.checked("a frame rate above 0", |reader, what| {
            let rate = f64::from_le_bytes(reader.array(what)?);
            let fits = rate.is_finite() && rate > 0.0;
            Ok((fits, rate, format!("{rate}")))
        })?;
        let error = reader.checked("an error that is not below 0", |reader, what| {
            let error = f64::from_le_bytes(reader.array(what)?);
            Ok((error >= 0.0, error, format!("{error}")))
        })?;
        let tracks = reader.tracks(joint_count, frame_count)?;
        let trailing = reader.rest().len();
        if trailing > 0 {
            return Err(KeyedBytesError::Wrong {
                offset: reader.offset,
                expected: "the end",
                found: format!("{trailing} more bytes"),
            });
        }
        Ok(Self {
            joint_count,
            frame_count,
            frame_rate,
            error,
            tracks,
        })
    }
}

type KeyReader<'a> = ByteCursor<'a, KeyedBytesError>;

impl EndOfBytes for KeyedBytesError {
    fn end_of_bytes(offset: usize, expected: &'static str, _needed: usize, end: usize) -> Self {
        Self::End {
            offset,
            expected,
            end,
        }
    }
}

impl KeyReader<'_> {
    /// Reads a value with whether it is valid, and its text for the error if not.
    fn checked<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Result<(bool, T, String), KeyedBytesError>,
    ) -> Result<T, KeyedBytesError> {
        let offset = self.offset;
        match read(self, expected)? {
            (true, value, _) => Ok(value),
            (false, _, found) => Err(KeyedBytesError::Wrong {
                offset,
                expected,
                found,
            }),
        }
    }

    /// Reads a count of items of at least `size` bytes each, and checks that they fit the remaining bytes.
    fn count(&mut self, size: usize, expected: &'static str) -> Result<usize, KeyedBytesError> {
        let offset = self.offset;
        let count = self.u32(expected)? as usize;
        let rest = self.rest().len();
        if count > rest / size {
            return Err(KeyedBytesError::Wrong {
                offset,
                expected,
                found: format!("{count}, which need more than the {rest} bytes left"),
            });
        }
        Ok(count)
    }

    fn tracks(&mut self, joints: u32, frames: u32) -> Result<Vec<JointKeys>, KeyedBytesError> {
        let least = TRACK_BYTES + 4 + KEY_BYTES;
        let count = self.count(least, "a number of tracks")?;
        let mut tracks: Vec<JointKeys> = Vec::with_capacity(count);
        for _ in 0..count {
            let least = tracks.last().map_or(0, |last| u64::from(last.joint) + 1);
            let joint = self.checked("joints that rise, below their number", |reader, what| {
                let joint = reader.u32(what)?;
                let fits = u64::from(joint) >= least && joint < joints;
                Ok((fits, joint, format!("{joint}")))
            })?;
            let all = ROTATION | POSITION | SCALE;
            let channels = self.checked("channels of a joint, 1 to 7", |reader, what| {
                let [channels] = reader.array(what)?;
                Ok((
                    channels > 0 && channels <= all,
                    channels,
                    format!("{channels}"),
                ))
            })?;
            tracks.push(JointKeys {
                joint,
                rotation: self.rotation(channels & ROTATION != 0, frames)?,
                position: self.vector(channels & POSITION != 0, frames)?,
                scale: self.vector(channels & SCALE != 0, frames)?,
            });
        }
        Ok(tracks)
    }

    fn rotation(
        &mut self,
        is_there: bool,
        frames: u32,
    ) -> Result<Option<RotationKeys>, KeyedBytesError> {
        if !is_there {
            return Ok(None);
        }
        let count = self.keys()?;
        let times = self.times(count, frames)?;
        let words = self.words(count)?.into_iter().map(Quat48);
        let values = words.collect();
        Ok(Some(RotationKeys { times, values }))
    }

    fn vector(
        &mut self,
        is_there: bool,
        frames: u32,
    ) -> Result<Option<VectorKeys>, KeyedBytesError> {
        if !is_there {
            return Ok(None);
        }
        let count = self.keys()?;
        let range = self.checked("a range of finite numbers", |reader, what| {
            let mut three = || -> Result<[f32; 3], KeyedBytesError> {
                let mut numbers = [0.0; 3];
                for number in &mut numbers {
                    *number = f32::from_le_bytes(reader.array(what)?);
                }
                Ok(numbers)
            };
            let (low, step) = (three()?, three()?);
            let range = VectorRange { low, step };
            Ok((range.is_finite(), range, format!("{low:?} and {step:?}")))
        })?;
        let times = self.times(count, frames)?;
        let values = self.words(count)?;
        Ok(Some(VectorKeys {
            range,
            times,
            values,
        }))
    }

    fn keys(&mut self) -> Result<usize, KeyedBytesError> {
        let offset = self.offset;
        match self.count(KEY_BYTES, "a number of keys")? {
            0 => Err(KeyedBytesError::Wrong {
                offset,
                expected: "at least one key",
                found: "0".into(),
            }),
            count => Ok(count),
        }
    }

    fn times(&mut self, count: usize, frames: u32) -> Result<Vec<u16>, KeyedBytesError> {
        let offset = self.offset;
        let bytes = self.take(count * 2, "frames of keys")?;
        let (pairs, _) = bytes.as_chunks();
        let times: Vec<u16> = pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
        let rises = times.is_sorted_by(|a, b| a < b);
        let last = times.last().copied().unwrap_or(0);
        if rises && u32::from(last) < frames {
            return Ok(times);
        }
        Err(KeyedBytesError::Wrong {
            offset,
            expected: "frames of keys that rise, below the number of frames",
            found: if rises {
                format!("frame {last} of {frames}")
            } else {
                "frames that do not rise".into()
            },
        })
    }

    fn words(&mut self, count: usize) -> Result<Vec<[u16; 3]>, KeyedBytesError> {
        let bytes = self.take(count * 6, "values of keys")?;
        let (values, _) = bytes.as_chunks();
        let words = values.iter().map(|&value| Quat48::from_bytes(value).0);
        Ok(words.collect())
    }
}
