//! Readers and writers for skeletal animation files.
//!
//! | format | read | write |
//! |---|---|---|
//! | SkelForm `.skf`, `.skfe`, `armature.json` | [`skf::read`], [`skf::read_bytes`], [`skf::read_json`] | [`skf::write_bytes`] |
//! | Acclaim `.asf`, `.amc` | [`asf::read`], [`amc::read`] | [`asf::write`], [`amc::write`] |
//! | BVH | [`bvh::read`] | [`bvh::write`] |
//! | glTF 2.0, `.gltf` and `.glb` | [`gltf::read`] | [`gltf::write_gltf`], [`gltf::write_glb`] |
//! | JSON of our own, to be edited | [`json::read`] | [`json::write_animations`], [`write_json`] |
//! | Packed animations, `.sinew` | [`pack::read_file`], [`pack::PackView`] | [`pack::write_bytes`] |
//! | Urho3D and rbfx `.xml` animations | [`xml::read`] | |
//!
//! [`read_motion`] reads any of the formats that hold a skeleton, told by content, and [`read_animations`]
//! any of them, without one. [`load_file`] and [`read_motion_bytes`] do the same in two steps, for bytes that come from
//! elsewhere or are needed twice.
//!
//! Bytes are not to be trusted: every reader gives an error that says what was expected and what was
//! found, or a result with a list of [`Warning`]s for what was repaired. It never panics, and the time
//! and memory it takes are bounded by what [`limits`] allows. What it says of a file is short and
//! escaped, so that it may be shown on a terminal.

pub mod amc;
pub mod asf;
pub mod bvh;
mod detect;
mod escape;
mod file;
pub mod gltf;
pub mod json;
mod json_path;
mod le_bytes;
pub mod limits;
mod losses;
mod motion;
mod names;
pub mod pack;
mod read_motion;
mod rest_aligned;
mod sanity;
pub mod skf;
mod text;
mod units;
mod warning;
pub mod xml;

pub use detect::{Format, describe, detect, detect_reader};
pub use file::FileError;
pub use json::write_json;
pub use losses::{besides_joints, losses, timing_note};
pub use motion::{MotionError, MotionFile, load_file};
pub use read_motion::{
    LengthUnits, MotionReadError, MotionSettings, detect_file, read_animations,
    read_animations_bytes, read_motion, read_motion_bytes,
};
pub use text::{Rule, TextError};
pub use warning::{Severity, Warning, Warnings};
