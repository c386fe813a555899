//! A file as it goes into a page: motions packed, characters and glTF files with meshes whole, with hashes of all poses.

use super::still;
use crate::args::{OutFormat, SourceArgs};
use crate::commands::compress::compress_file::describe;
use crate::commands::compress::pack_of;
use crate::commands::convert::convert_file::{add_contents, encode_kept, motion_only_reason};
use crate::error::CliError;
use crate::input::{self, Input, Motion};
use crate::pose_hashes::{self, NamedHash};
use sinew::pose_hash::hash_animation;
use sinew_author::compress::{CompressSettings, Profile};
use sinew_formats::gltf::{self, GltfSettings, GltfSource};
use sinew_formats::pack;
use sinew_formats::skf::ReadSettings;
use sinew_formats::{Format, Warnings};
use std::path::{Path, PathBuf};

/// A file of a page.
pub(super) struct SharedFile {
    /// The path as given.
    pub(super) path: PathBuf,
    /// With the extension of its format.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Size of the input; 0 for built-in motions.
    pub(super) input_bytes: usize,
    /// Names and pose hashes, in the order of the file.
    pub(super) animations: Vec<NamedHash>,
    /// The error bound in metres, if the motions were packed for the page.
    pub(super) max_error: Option<f32>,
    /// A PNG.
    pub(super) picture: Option<Vec<u8>>,
    /// Warnings of the reader: repairs and ignored content.
    pub(super) warnings: Warnings,
    /// Content that the page does not show.
    pub(super) losses: Warnings,
}

/// Settings for files in a page.
pub(super) struct ShareSettings<'a> {
    /// The error bound of packed motions in metres.
    pub(super) max_error: f32,
    pub(super) source: &'a SourceArgs,
    /// Width and height of the picture.
    pub(super) picture: (u32, u32),
}

/// Reads and packs a file.
pub(super) fn pack(path: &Path, settings: &ShareSettings<'_>) -> Result<SharedFile, CliError> {
    let (bytes, input) = match input::sample_file(path)? {
        Some((_, bytes)) => {
            let input = input::open(path, ReadSettings::default(), settings.source)?;
            (bytes.to_vec(), input)
        }
        None => {
            let loaded = input::load(path)?;
            let bytes = loaded.bytes.clone();
            let input = input::open_loaded(loaded, ReadSettings::default(), settings.source)?;
            (bytes, input)
        }
    };
    let mut shared = SharedFile {
        path: path.to_owned(),
        name: String::new(),
        input_bytes: bytes.len(),
        bytes: Vec::new(),
        animations: Vec::new(),
        max_error: None,
        picture: still::draw(&input, settings.picture)?,
        warnings: input.warnings().clone(),
        losses: Warnings::default(),
    };
    let extension = match &input {
        Input::Character(_) => {
            shared.bytes = bytes;
            shared.animations = pose_hashes::of_input(&input)?;
            "skf"
        }
        Input::Motion(motion) => add_motion(&mut shared, motion, bytes, settings)?,
    };
    let stem = match input::is_stdin(path) {
        true => "stdin".into(),
        false => path.file_stem().unwrap_or_default().to_string_lossy(),
    };
    let stem = stem.strip_prefix("sample:").unwrap_or(&stem);
    let stem = if stem == input::SAMPLE_NAME {
        "pip"
    } else {
        stem
    };
    shared.name = format!("{stem}.{extension}");
    Ok(shared)
}

/// Adds the smallest form of a motion that keeps all that the page can show, and returns its extension.
fn add_motion(
    shared: &mut SharedFile,
    motion: &Motion,
    bytes: Vec<u8>,
    settings: &ShareSettings<'_>,
) -> Result<&'static str, CliError> {
    let path = &motion.path;
    if motion.packed.is_some() {
        shared.animations = pose_hashes::of_motion(motion)?;
        shared.bytes = bytes;
        return Ok("sinew");
    }
    let meshes = motion.gltf.as_ref().filter(|source| has_meshes(source));
    if let Some(source) = meshes {
        let groups = [(&motion.file.skeleton, motion.file.animations.as_slice())];
        let glb = encode_kept(source, &groups, path, OutFormat::Glb, &mut shared.losses)?;
        if let Some(glb) = glb {
            let settings = GltfSettings {
                whole_scene: settings.source.whole_scene,
            };
            let file = gltf::read_bytes(&glb, &settings)
                .map_err(|error| CliError::unusable(path, error))?;
            let hashes = file.animations.iter().map(|animation| {
                let hash = hash_animation(&file.skeleton, animation);
                (animation.name.clone(), hash)
            });
            shared.animations = hashes.collect();
            shared.bytes = glb;
            return Ok("glb");
        }
    }
    if motion.file.animations.is_empty() {
        let problem = "no animation found; expected an AMC, BVH, glTF or JSON file with one";
        return Err(CliError::unusable(path, problem));
    }
    if let Some(source) = &motion.gltf {
        let why = motion_only_reason(OutFormat::Sinew);
        add_contents(source, &why, &mut shared.losses);
    }
    for animation in &motion.file.animations {
        let losses = sinew_formats::losses(Format::Sinew, &motion.file.skeleton, animation);
        shared.losses.extend(&losses);
    }
    let compress = CompressSettings {
        max_error: settings.max_error,
        profile: Profile::Small,
    };
    let packed = pack_of(&motion.file.skeleton, &motion.file.animations, &compress)
        .map_err(|error| CliError::unusable(path, describe(&error, &motion.file.skeleton)))?;
    shared.bytes = pack::write_bytes(&packed).map_err(|error| CliError::unusable(path, error))?;
    shared.animations = pose_hashes::of_pack(&packed);
    shared.max_error = Some(settings.max_error);
    Ok("sinew")
}

/// Returns whether a glTF file shows more than bones.
fn has_meshes(source: &GltfSource) -> bool {
    let contents = source.other_contents();
    contents.iter().any(|(what, _)| *what == "meshes")
}
