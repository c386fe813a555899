//! Packed animations as a file, `.sinew`: skeletons, and [`PackedAnimation`]s on them. Designed to be memory-mapped
//! and played in place.
//!
//! ```text
//! file        ┃ header ┃ directory ┃ section ┃ section ┃ …      sections begin at multiples of 32 bytes
//!                                                              and have zeros between them, none at the end
//! header      0  u8 × 8  8b 53 4e 57 0d 0a 1a 0a               "SNW" within what transfers of text change
//!             8  u32     version: 1
//!            12  u32     flags: 0
//!            16  u64     bytes of the whole file
//!            24  u32     number of sections
//!            28  u32     checksum of header and directory, with zeros in place of itself
//! directory      for each section, in file order:
//!             0  u32     kind: 1 skeleton, 2 animation, 80000001 curve
//!             4  u32     flags: 0
//!             8  u64     offset from the beginning of the file
//!            16  u64     bytes, without padding
//!            24  u32     checksum of them
//!            28  u32     0
//! skeleton    0  u32     joints
//!             4  u32     tips
//!             8  u32     bytes of all names
//!            12  u32     0
//!            16          parents        u32 for each joint, ffffffff for a root
//!                        ends of names  u32 for each joint
//!                        rests          10 × f32 for each joint: position, rotation x y z w, scale
//!                        tips           u32 joint, 3 × f32 for each tip, joints in order
//!                        names          UTF-8, one after the other
//! animation   0  u32     its skeleton: an index of the sections of that kind
//!             4  f32     length in seconds
//!             8  f64     frames per second of its source, 0 for none
//!            16  u32     bytes of its motion
//!            20  u32     bytes of its name
//!            24  u32     bytes of its info
//!            28  u32     0
//!            32          motion         bytes of sinew_author::packed::to_bytes
//!                        name           UTF-8
//!                        info          variants, triggers, metadata and weights of tracks as one animation
//!                                       of crate::json; empty if there are none
//! curve       0          a registration of animations by name: JSON of
//!                        crate::curve::write_bytes
//! ```
//!
//! Numbers are little-endian. Checksums are CRC-32 as in PNG and zip. Lengths are in metres, y is up.
//!
//! # Validation
//! [`PackView::read`] validates everything, so that sampling its animations cannot fail: checksums, that padding is
//! zero and every byte belongs to a section, that numbers are finite and counts fit the available bytes. Errors name
//! the damaged part. Motions of the small and fast profiles are borrowed if the bytes are aligned to four, like those
//! of a mapped file; otherwise they are copied.
//!
//! # Other versions
//! Files of version 1 stay readable. A reader rejects unknown versions, flags and kinds of sections, and reserved
//! fields that are not 0, because they may change the meaning of the rest. Sections of kinds from `80000000` are an
//! exception: readers skip unknown ones after checking their checksum. Curves have such a kind: files with curves are
//! also version 1.
//!
//! # Reading and writing
//! ```
//! use sinew_author::compress::{CompressSettings, compress};
//! use sinew::{Animation, Joint, PackedCursor, Pose, Skeleton, Transform};
//! use sinew_formats::pack::{self, Pack, PackEntry, PackView};
//! use std::sync::Arc;
//!
//! let joint = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY, tip: None };
//! let skeleton = Skeleton::new(vec![joint])?;
//! let still = compress(&skeleton, &Animation::new("still", 1.0), &CompressSettings::default())?;
//! let bytes = pack::write_bytes(&Pack {
//!     skeletons: vec![Arc::new(skeleton)],
//!     animations: vec![PackEntry { skeleton: 0, animation: still }],
//!     ..Pack::default()
//! })?;
//!
//! let view = PackView::read(&bytes)?;
//! let (skeleton, still) = view.find("still").ok_or("it was just written")?;
//! let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(skeleton));
//! still.sample(0.5, &mut cursor, &mut pose)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod cursor;
mod curve;
mod directory;
mod error;
mod motion;
mod read;
mod skeleton;
mod write;

pub use error::{PackError, Section};
pub use read::{PackView, read, read_bytes};
pub use write::{write, write_bytes};

pub(crate) use crate::detect::PACK_MAGIC as MAGIC;
pub(crate) use motion::{read_motion, read_motions};

use sinew::registration::RegistrationCurve;
use sinew::{PackedAnimation, Skeleton};
use std::sync::Arc;

/// Version that is read and written. It increases when a reader of the previous version could not read a file, or
/// would misread it.
const VERSION: u32 = 1;

/// Alignment of sections: the size of the widest SIMD loads.
const ALIGNMENT: usize = 32;

/// Kinds of sections from here may be skipped by readers that do not know them.
const SKIPPABLE: u32 = 0x8000_0000;

/// Packed animations and their skeletons, as a file holds them.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// Skeletons; at least one is needed to write.
    pub skeletons: Vec<Arc<Skeleton>>,
    /// Animations, in order. Names may be duplicate.
    pub animations: Vec<PackEntry>,
    /// Registration curves between animations, which they refer to by name.
    pub curves: Vec<RegistrationCurve>,
}

/// An animation of a [`Pack`].
#[derive(Clone, Debug)]
pub struct PackEntry {
    /// Index of its skeleton in the pack.
    pub skeleton: usize,
    /// The animation.
    pub animation: PackedAnimation<'static>,
}
