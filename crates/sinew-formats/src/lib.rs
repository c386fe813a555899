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
//! | Urho3D and rbfx `.xml` animations | [`xml`] | yes | no |
//!
//! Every module has the same functions: `read(path)`, `read_bytes`, `write(path)` and `write_bytes`. [`read_motion`]
//! reads any format that holds a skeleton, [`read_animations`] also formats without one; both detect the format from
//! the content. [`load_file`] and [`read_motion_bytes`] do the same in two steps.
//!
//! Readers accept any bytes. They return an error with the place, what was expected and what was found, or a result
//! with [`Warning`]s about repairs. They never panic, and [`limits`] bound their time and memory. Text from a file is
//! truncated and escaped in messages, so that it is safe to print on a terminal.

pub mod amc;
pub mod asf;
pub mod bvh;
mod bytes;
pub mod curve;
mod detect;
mod escape;
mod file;
pub mod gltf;
pub mod json;
mod json_path;
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
pub use file::{FileError, WriteError};
pub use losses::{besides_joints, losses, timing_note};
pub use motion::{MotionError, MotionFile, load_file};
pub use read_motion::{
    LengthUnits, MotionReadError, MotionSettings, detect_file, read_animations,
    read_animations_bytes, read_motion, read_motion_bytes, read_motions, read_motions_bytes,
};
pub use text::{Rule, TextError};
pub use warning::{Severity, Warning, Warnings};
