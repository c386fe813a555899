//! Readers and writers of skeletal animation files.
//!
//! | format | module | read | write |
//! |---|---|---|---|
//! | SkelForm `.skf`, `.skfe`, `armature.json` | [`skf`] | yes | `.skf` |
//! | Acclaim `.asf` and `.amc` | [`asf`], [`amc`] | yes | yes |
//! | BVH | [`bvh`] | yes | yes |
//! | glTF 2.0, `.gltf` and `.glb` | [`gltf`] | yes | yes |
//! | JSON motions, for editing by hand | [`json`] | yes | yes |
//! | packed animations, `.sinew` | [`pack`] | yes | yes |
//! | registration curves as JSON | [`curve`] | yes | yes |
//! | role maps as JSON | [`role_map`] | yes | yes |
//! | Urho3D and rbfx `.xml` animations | [`xml`] | yes | no |
//!
//! Every module has the same functions: `read(path)`, `read_bytes`, `write(path)` and `write_bytes`, but `xml`, which only reads. [`read_motion`]
//! reads any format that holds a skeleton, [`read_animations`] also formats without one; both detect the format from
//! the content. [`load_file`] and [`read_motion_bytes`] do the same in two steps.
//!
//! # Features
//! All are enabled by default: `skf`, `images` (decodes the pictures of characters), `acclaim` (ASF, AMC), `bvh`, `gltf`,
//! `json` (motions, curves and role maps), `pack` (`.sinew`) and `xml`. Programs that need a few formats turn default features off.
//! Detection knows every format; reading one without its feature is [`MotionReadError::NoReader`].
//!
//! # Trust
//! Readers accept any bytes. They return an error with the place, what was expected and what was found, or a result
//! with [`Warning`]s about repairs. They never panic, and [`limits`] bound their time and memory. Text from a file is
//! truncated and escaped in messages, so that it is safe to print on a terminal.

// A reader that is left out leaves some shared parts unused, and links to it without a target.
#![cfg_attr(
    not(feature = "default"),
    allow(
        rustdoc::broken_intra_doc_links,
        dead_code,
        unused_imports,
        unreachable_code,
        unreachable_patterns,
        unused_variables
    )
)]

#[cfg(feature = "acclaim")]
pub mod amc;
#[cfg(feature = "acclaim")]
pub mod asf;
#[cfg(feature = "bvh")]
pub mod bvh;
mod bytes;
#[cfg(feature = "json")]
pub mod curve;
mod detect;
mod escape;
mod file;
#[cfg(feature = "gltf")]
pub mod gltf;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "json-text")]
mod json_text;
pub mod limits;
#[cfg(feature = "bvh")]
mod losses;
mod motion;
mod names;
#[cfg(feature = "pack")]
pub mod pack;
mod read_motion;
mod rest_aligned;
#[cfg(feature = "json")]
pub mod role_map;
mod sanity;
#[cfg(feature = "skf")]
pub mod skf;
mod text;
mod units;
mod warning;
#[cfg(feature = "xml")]
pub mod xml;

pub use detect::{Format, describe, detect, detect_reader};
pub use file::{FileError, WriteError};
#[cfg(feature = "bvh")]
pub use losses::{besides_joints, losses, timing_note};
pub use motion::{MotionError, MotionFile, load_file};
pub use read_motion::{
    LengthUnits, MotionReadError, MotionSettings, detect_file, read_animations,
    read_animations_bytes, read_motion, read_motion_bytes, read_motions, read_motions_bytes,
};
pub use text::{Rule, TextError};
pub use warning::{Severity, Warning, Warnings};
