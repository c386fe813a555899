//! Editing of glTF files: animations are replaced in a document that is otherwise unchanged.
//!
//! ```text
//! bytes ─▶ raw.rs (unparsed JSON values) ──┬─ references.rs: what only the old animations used
//!                                          ├─ storage.rs: buffers without that, with new keys
//!                                          ├─ lists.rs: accessors and views, in the places of old ones
//!                                          ├─ edits.rs: animations that changed
//!                                          └─ nodes whose rest changed, images from other files
//! ```
//!
//! Meshes, materials, textures, images, skins, cameras, lights, `extras` and `extensions`, known or not, are written
//! byte for byte. Indices of nodes, accessors and views do not change. An unedited animation is also kept; of an
//! edited one everything except its channels is.

mod edits;
mod lists;
mod raw;
mod references;
mod storage;

use super::document::{self, Document};
use super::error::check_size;
use super::write::MorphNode;
use super::{GltfError, GltfSettings, GltfWriteError, buffers, glb, morphs, read_parts};
use crate::file::{FileError, load};
use crate::limits::MAX_FILE_BYTES;
use crate::{MotionFile, Warnings, escape};
use buffers::Buffers;
use edits::Edits;
use lists::{Lists, ObjectSlots};
use raw::{RawObject, list, list_to_json};
use references::References;
use sinew::{Animation, JointIndex, Skeleton};
use std::path::{Path, PathBuf};
use storage::Storage;

/// A glTF file in its original form, for writing edited animations into it.
///
/// ```no_run
/// use sinew_formats::gltf::{GltfSettings, GltfSource};
///
/// let source = GltfSource::read("fox.glb", &GltfSettings::default())?;
/// let mut fox = source.motion()?;
/// for animation in &mut fox.animations {
///     *animation = sinew_author::edit::resample(animation, 30.0);
/// }
/// let written = source.write_glb(&fox.skeleton, &fox.animations)?;
/// for warning in written.warnings.list() {
///     eprintln!("{warning}");
/// }
/// std::fs::write("fox-30.glb", written.bytes)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GltfSource {
    bytes: Vec<u8>,
    /// Folder of external buffers and images.
    folder: Option<PathBuf>,
    settings: GltfSettings,
}

/// A written file.
#[derive(Clone, Debug)]
pub struct GltfOutput {
    /// The file.
    pub bytes: Vec<u8>,
    /// Content of the source that could not be kept.
    pub warnings: Warnings,
}

/// Output container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Glb,
    Gltf,
}

impl GltfSource {
    /// Loads a `.glb` or `.gltf` file. External buffers and images are searched in its folder.
    ///
    /// # Errors
    /// If the file cannot be read, or is too large.
    pub fn read(
        path: impl AsRef<Path>,
        settings: &GltfSettings,
    ) -> Result<Self, FileError<GltfError>> {
        let path = path.as_ref();
        let bytes = load(path)
            .map_err(GltfError::Io)
            .map_err(FileError::at(path))?;
        Ok(Self::of_file(path, bytes, settings))
    }

    /// Like [`read`](Self::read), from the bytes of the file.
    pub fn of_file(path: &Path, bytes: Vec<u8>, settings: &GltfSettings) -> Self {
        Self {
            bytes,
            folder: Some(path.parent().unwrap_or(Path::new("")).to_owned()),
            settings: *settings,
        }
    }

    /// Creates a source from a file in memory without external files.
    pub fn from_bytes(bytes: Vec<u8>, settings: &GltfSettings) -> Self {
        Self {
            bytes,
            folder: None,
            settings: *settings,
        }
    }

    /// Counts the content that is not motion: meshes, materials, textures, images and cameras. The mesh of our writer
    /// that shows bones does not count.
    pub fn other_contents(&self) -> Vec<(&'static str, usize)> {
        let json = glb::split(&self.bytes, &mut Warnings::default()).ok();
        let json = json.and_then(|parts| std::str::from_utf8(parts.json).ok());
        let Some(root) = json.and_then(|json| RawObject::parse(json).ok()) else {
            return Vec::new();
        };
        let asset = RawObject::parse(root.get("asset").unwrap_or("{}")).unwrap_or_default();
        if asset
            .get("generator")
            .is_some_and(|generator| generator.starts_with("\"sinew "))
        {
            return Vec::new();
        }
        let kinds = ["meshes", "materials", "textures", "images", "cameras"];
        let counts = kinds.map(|kind| (kind, list(root.get(kind)).map_or(0, |all| all.len())));
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Reads the skeleton and animations.
    ///
    /// # Errors
    /// [`GltfError`] describes the problem.
    pub fn motion(&self) -> Result<MotionFile, GltfError> {
        Ok(self.parts()?.0)
    }

    fn parts(&self) -> Result<(MotionFile, Vec<Option<JointIndex>>), GltfError> {
        read_parts(&self.bytes, &self.settings, &mut |uri| self.resolve(uri))
    }

    fn resolve(&self, uri: &str) -> std::io::Result<Vec<u8>> {
        match &self.folder {
            Some(folder) => buffers::read_beside(folder, uri),
            None => Err(std::io::Error::new(
                std::io::ErrorKind::NotFound,
                "bytes in memory have no external files",
            )),
        }
    }

    /// Writes the file with other animations, as `.glb`. The skeleton must be that of the file, but rest transforms
    /// may differ.
    ///
    /// Animations correspond to those of the file by index if there are as many, else by name. External buffers and
    /// images are embedded in the result. Morph weights become channels of their nodes; triggers, other variant
    /// tracks and everything else that glTF cannot represent are written to `extras.sinew`.
    ///
    /// # Errors
    /// If the source cannot be read, the skeleton differs, or the result would be larger than 4 GiB.
    pub fn write_glb(
        &self,
        skeleton: &Skeleton,
        animations: &[Animation],
    ) -> Result<GltfOutput, GltfWriteError> {
        self.write(skeleton, animations, Container::Glb)
    }

    /// Like [`write_glb`](Self::write_glb), as `.gltf` with everything embedded.
    ///
    /// # Errors
    /// Like [`write_glb`](Self::write_glb).
    pub fn write_gltf(
        &self,
        skeleton: &Skeleton,
        animations: &[Animation],
    ) -> Result<GltfOutput, GltfWriteError> {
        self.write(skeleton, animations, Container::Gltf)
    }

    fn write(
        &self,
        skeleton: &Skeleton,
        animations: &[Animation],
        container: Container,
    ) -> Result<GltfOutput, GltfWriteError> {
        let mut warnings = Warnings::default();
        let (original, of_node) = self.parts().map_err(source_error)?;
        if !is_same_skeleton(&original.skeleton, skeleton) {
            return Err(GltfWriteError::OtherSkeleton);
        }
        // Warnings about the source were reported when it was read.
        let mut told = Warnings::default();
        let parts = glb::split(&self.bytes, &mut told).map_err(source_error)?;
        let document = document::parse(parts.json, &mut told).map_err(source_error)?;
        let json = std::str::from_utf8(parts.json).map_err(source_error)?;
        let mut root = RawObject::parse(json).map_err(source_error)?;

        let nodes = nodes_of_joints(&of_node, skeleton.len());
        let edits = Edits::of(&document, &original.animations, animations);
        edits.warn(&document, animations, &mut warnings);
        let references = References::of(&root, &document, edits.kept_accessors(&document));
        for file in &references.files {
            let problem = format!("{} is not copied; it stays a reference", escape::text(file));
            warnings.add("extensions", "uri", problem);
        }
        let buffers = self.buffers(&document, parts.bin, &mut warnings);
        let mut lists = Lists {
            storage: Storage::new(
                &document,
                list(root.get("buffers")).map_err(source_error)?,
                buffers,
                &references.views,
                container,
            ),
            accessors: ObjectSlots::new(list(root.get("accessors")).map_err(source_error)?),
            views: ObjectSlots::new(list(root.get("bufferViews")).map_err(source_error)?),
        };
        lists
            .drop_unused(&document, &references)
            .map_err(source_error)?;

        self.embed_images(&mut root, &mut lists, &mut warnings)?;
        write_rests(&mut root, &nodes, &original.skeleton, skeleton).map_err(source_error)?;
        let morphs = morph_nodes(&document, &root, skeleton, &of_node);
        let written = edits.write(
            &root,
            skeleton,
            animations,
            &nodes,
            &morphs,
            &mut lists,
            &mut warnings,
        )?;
        set_list(&mut root, "animations", &written);
        let chunk = lists.finish(&mut root, container)?;
        let json = root.to_json();
        let bytes = match container {
            Container::Gltf => json.into_bytes(),
            Container::Glb => {
                glb::join(json.as_bytes(), &chunk).ok_or(GltfWriteError::TooLarge {
                    bytes: chunk.len() as u64 + json.len() as u64,
                })?
            }
        };
        Ok(GltfOutput { bytes, warnings })
    }

    /// Returns the bytes of every buffer; `None` for unavailable ones, which stay unchanged.
    fn buffers(
        &self,
        document: &Document<'_>,
        bin: Option<&[u8]>,
        warnings: &mut Warnings,
    ) -> Vec<Option<Vec<u8>>> {
        let mut resolve = |uri: &str| self.resolve(uri);
        let mut fetched = Buffers::new(&document.buffers, bin, &mut resolve);
        let mut all = Vec::new();
        for (index, buffer) in document.buffers.iter().enumerate() {
            let index = index as u32;
            match fetched.fetch(format_args!("buffers[{index}]"), index) {
                Ok(()) => all.push(Some(fetched.bytes(index).to_vec())),
                Err(error) => {
                    // A fallback buffer for readers without decompression may have no bytes.
                    if !buffer.extensions.is_fallback() {
                        let place = format!("buffers[{index}]");
                        warnings.add(place, "", format!("not copied: {error}"));
                    }
                    all.push(None);
                }
            }
        }
        all
    }

    /// Embeds external images in the document.
    fn embed_images(
        &self,
        root: &mut RawObject,
        lists: &mut Lists,
        warnings: &mut Warnings,
    ) -> Result<(), GltfWriteError> {
        let Some(json) = root.get("images") else {
            return Ok(());
        };
        let mut images = list(Some(json)).map_err(source_error)?;
        let mut total = 0;
        for (index, image) in images.iter_mut().enumerate() {
            let mut object = RawObject::parse(image).map_err(source_error)?;
            let uri = object.get("uri").unwrap_or("null");
            let Ok(uri) = serde_json::from_str::<String>(uri) else {
                continue;
            };
            if uri
                .get(..5)
                .is_some_and(|start| start.eq_ignore_ascii_case("data:"))
            {
                continue;
            }
            let place = format!("images[{index}]");
            let read = self.resolve(&uri).map_err(|error| error.to_string());
            let found = read.and_then(|bytes| {
                let kind = image_type(&bytes, &uri).ok_or("it is of no known image format")?;
                Ok((bytes, kind))
            });
            let (bytes, kind) = match found {
                Ok(found) => found,
                Err(problem) => {
                    let problem = format!("{} is not copied: {problem}", escape::text(&uri));
                    warnings.add(&place, "uri", problem);
                    continue;
                }
            };
            total += bytes.len() as u64;
            check_size("the images together", total, MAX_FILE_BYTES).map_err(source_error)?;
            let (buffer, offset) = lists.storage.add(&bytes);
            let view = lists.views.add(format!(
                "{{\"buffer\":{buffer},\"byteOffset\":{offset},\"byteLength\":{}}}",
                bytes.len()
            ));
            object.remove("uri");
            object.set("bufferView", view.to_string());
            object.set("mimeType", format!("\"{kind}\""));
            *image = object.to_json();
        }
        root.set("images", list_to_json(&images));
        Ok(())
    }
}

/// Wraps an error of the source.
fn source_error(error: impl std::fmt::Display) -> GltfWriteError {
    GltfWriteError::Source {
        problem: error.to_string(),
    }
}

/// Returns whether joints have the same names and parents.
fn is_same_skeleton(a: &Skeleton, b: &Skeleton) -> bool {
    let mut pairs = a.joints().iter().zip(b.joints());
    a.len() == b.len() && pairs.all(|(a, b)| a.name == b.name && a.parent == b.parent)
}

fn nodes_of_joints(of_node: &[Option<JointIndex>], joints: usize) -> Vec<u32> {
    let mut nodes = vec![0; joints];
    for (node, joint) in of_node.iter().enumerate() {
        let slot = joint.and_then(|joint| nodes.get_mut(joint.index()));
        if let Some(slot) = slot {
            *slot = node as u32;
        }
    }
    nodes
}

/// Returns the MIME type of an image, by its first bytes or else by its extension.
fn image_type(bytes: &[u8], uri: &str) -> Option<&'static str> {
    let starts = |start: &[u8]| bytes.starts_with(start);
    let by_content = if starts(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if starts(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else if starts(b"\xabKTX 20\xbb") {
        Some("image/ktx2")
    } else {
        None
    };
    let by_name = || {
        let ending = uri.rsplit('.').next()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "webp" => "image/webp",
            "ktx2" => "image/ktx2",
            "avif" => "image/avif",
            "dds" => "image/vnd-ms.dds",
            _ => return None,
        })
    };
    by_content.or_else(by_name)
}

/// Sets a list of the document, or removes it if it is empty, as the format requires.
fn set_list(root: &mut RawObject, key: &str, values: &[String]) {
    if values.is_empty() {
        root.remove(key);
    } else {
        root.set(key, list_to_json(values));
    }
}

/// Writes rest transforms that differ from the source.
fn write_rests(
    root: &mut RawObject,
    nodes: &[u32],
    before: &Skeleton,
    after: &Skeleton,
) -> Result<(), serde_json::Error> {
    let joints = before.joints().iter().zip(after.joints()).zip(nodes);
    let changed = joints.filter(|((before, after), _)| before.rest != after.rest);
    let changed: Vec<_> = changed
        .map(|((_, after), node)| (after.rest, *node))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let mut all = list(root.get("nodes"))?;
    for (rest, node) in changed {
        if let Some(json) = all.get_mut(node as usize) {
            let mut object = RawObject::parse(json)?;
            object.remove("matrix");
            object.set(
                "translation",
                serde_json::to_string(&rest.position.to_array())?,
            );
            object.set(
                "rotation",
                serde_json::to_string(&rest.rotation.to_array())?,
            );
            object.set("scale", serde_json::to_string(&rest.scale.to_array())?);
            *json = object.to_json();
        }
    }
    root.set("nodes", list_to_json(&all));
    Ok(())
}

/// Returns the nodes whose meshes have morph targets, with their weights at rest.
fn morph_nodes(
    document: &Document<'_>,
    root: &RawObject,
    skeleton: &Skeleton,
    of_node: &[Option<JointIndex>],
) -> Vec<MorphNode> {
    use serde_json::Value;
    let meshes: Option<Vec<Value>> = root
        .get("meshes")
        .and_then(|json| serde_json::from_str(json).ok());
    let nodes: Option<Vec<Value>> = root
        .get("nodes")
        .and_then(|json| serde_json::from_str(json).ok());
    let (meshes, all) = (meshes.unwrap_or_default(), nodes.unwrap_or_default());
    let nodes = document.nodes.iter().enumerate().zip(of_node);
    let found = nodes.filter_map(|((index, node), joint)| {
        let (mesh, joint) = (meshes.get(node.mesh? as usize)?, (*joint)?);
        let targets = mesh.get("primitives")?.get(0)?.get("targets")?.as_array()?;
        let weights = all.get(index).and_then(|node| node.get("weights"));
        let weights = weights.or_else(|| mesh.get("weights"));
        let weights = weights.and_then(Value::as_array);
        let weight = |target: usize| {
            let weight = weights.and_then(|all| all.get(target)?.as_f64());
            weight.unwrap_or(0.0) as f32
        };
        Some(MorphNode {
            joint: joint.index(),
            path: morphs::node_path(skeleton, joint)?,
            rest: (0..targets.len()).map(weight).collect(),
        })
    });
    found.collect()
}
