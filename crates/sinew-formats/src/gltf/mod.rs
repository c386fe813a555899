//! glTF 2.0: reader and writer of `.gltf` and `.glb` files.
//!
//! A file gives a skeleton and its animations. Joints are the nodes that are skin joints or animated, with all their
//! ancestors; in a file with neither they are the nodes of the scene. Meshes, materials and pictures are not read; a
//! [`GltfSource`] preserves them while animations are edited. Warnings list repairs and ignored content.
//!
//! ```no_run
//! use sinew_formats::gltf::{self, GltfSettings, GltfWriteSettings};
//!
//! let fox = gltf::read("fox.glb", &GltfSettings::default())?;
//! for warning in fox.warnings.list() {
//!     eprintln!("{warning}");
//! }
//! gltf::write("again.glb", &fox.skeleton, &fox.animations, &GltfWriteSettings::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Round trip
//! Files of this writer are read back with joints and their tips, keys with their times, interpolation and tangents,
//! names and lengths. `extras` hold what glTF cannot represent: frame rates, metadata, the ground motion of loops,
//! triggers, weights of tracks, [variant tracks](sinew::animation::VariantTrack) and tracks of joints that the
//! skeleton lacks. Channels that never leave the rest pose are omitted, and constant channels have one key. Each
//! rotation key has the sign nearer to the previous key.
//!
//! # Compressed files
//! Keys compressed by `EXT_meshopt_compression` are decompressed; see `meshopt.rs`.
//!
//! # Frame rates
//! Files of other programs list the time of every key. An animation gets a frame rate if it is a sequence of frames:
//! all keys of channels with more than two are within about 1 % of a frame of the frames of one rate from 10 to 1000
//! per second, at least half of these frames have a key, and no channel is cubic. Keys are then snapped to their
//! frames. A clip that begins after 0 holds its first pose, as the format defines; one whose frames are not counted
//! from 0 is shifted by less than a frame, with a note. Other animations have no rate, since hand-set keys do not
//! imply a sampling rate.
//!
//! Follows the [glTF 2.0 specification](https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html).

mod accessor;
mod animations;
mod buffers;
mod document;
mod error;
mod extras;
mod frames;
mod glb;
mod meshopt;
mod morphs;
mod nodes;
mod rest;
mod source;
mod times;
mod write;

pub use error::{GltfError, GltfWriteError};
pub use source::{GltfOutput, GltfSource};
pub use write::{GltfWriteSettings, write, write_bytes, write_gltf};

use write::base64_uri;

use crate::file::{FileError, load};
use crate::limits::MAX_FILE_BYTES;
use crate::{MotionFile, Warnings};
use accessor::AccessorReader;
use buffers::Buffers;
use error::check_size;
use sinew::JointIndex;
use std::path::Path;

/// Settings for reading a glTF file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GltfSettings {
    /// Whether every node of the scene becomes a joint, not only the animated and skin ones.
    pub whole_scene: bool,
}

/// Fetches the bytes of a buffer by its URI, as written in the file.
type Resolve<'a> = &'a mut dyn FnMut(&str) -> std::io::Result<Vec<u8>>;

/// Reads a `.glb` or `.gltf` file, detected from the content. Buffers may be in the file or in files inside its
/// folder; other places are rejected.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(
    path: impl AsRef<Path>,
    settings: &GltfSettings,
) -> Result<MotionFile, FileError<GltfError>> {
    let path = path.as_ref();
    let bytes = load(path)
        .map_err(GltfError::Io)
        .map_err(FileError::at(path))?;
    read_loaded(path, &bytes, settings)
}

/// Like [`read`], from the bytes of the file.
pub(crate) fn read_loaded(
    path: &Path,
    bytes: &[u8],
    settings: &GltfSettings,
) -> Result<MotionFile, FileError<GltfError>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = read_bytes_with(bytes, settings, &mut |uri| {
        buffers::read_beside(folder, uri)
    });
    read.map_err(FileError::at(path))
}

/// Reads the bytes of a `.glb` file, or of a `.gltf` file without external buffers.
///
/// # Errors
/// [`GltfError`] describes the problem.
pub fn read_bytes(bytes: &[u8], settings: &GltfSettings) -> Result<MotionFile, GltfError> {
    let alone = "bytes in memory have no external files";
    read_bytes_with(bytes, settings, &mut |_| {
        Err(std::io::Error::new(std::io::ErrorKind::NotFound, alone))
    })
}

/// Like [`read_bytes`]; `resolve` returns the bytes of each external buffer, by its URI as written in the file. The
/// URI is untrusted.
///
/// # Errors
/// Like [`read_bytes`].
pub fn read_bytes_with(
    bytes: &[u8],
    settings: &GltfSettings,
    resolve: &mut dyn FnMut(&str) -> std::io::Result<Vec<u8>>,
) -> Result<MotionFile, GltfError> {
    Ok(read_parts(bytes, settings, resolve)?.0)
}

/// Like [`read_bytes_with`]; also returns the joint of each node that became one, for programs that read the meshes.
///
/// # Errors
/// Like [`read_bytes`].
pub fn read_bytes_with_nodes(
    bytes: &[u8],
    settings: &GltfSettings,
    resolve: &mut dyn FnMut(&str) -> std::io::Result<Vec<u8>>,
) -> Result<(MotionFile, Vec<Option<JointIndex>>), GltfError> {
    read_parts(bytes, settings, resolve)
}

/// Reads a file; returns its motion and the joint of each node that became one.
fn read_parts(
    bytes: &[u8],
    settings: &GltfSettings,
    resolve: Resolve<'_>,
) -> Result<(MotionFile, Vec<Option<JointIndex>>), GltfError> {
    check_size("the file", bytes.len() as u64, MAX_FILE_BYTES)?;
    let mut warnings = Warnings::default();
    let parts = glb::split(bytes, &mut warnings)?;
    let document = document::parse(parts.json, &mut warnings)?;
    let joints = nodes::read(&document, settings, &mut warnings)?;
    let buffers = Buffers::new(&document.buffers, parts.bin, resolve);
    let mut reader = AccessorReader::new(&document, buffers);
    let animations = animations::read(&mut reader, &joints, &mut warnings)?;
    let file = MotionFile {
        skeleton: joints.skeleton,
        animations,
        warnings,
    };
    Ok((file, joints.of_node))
}
