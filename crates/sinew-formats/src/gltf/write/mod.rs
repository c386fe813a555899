//! Writing skeletons and animations as glTF 2.0.
//!
//! ```text
//! skeleton ─▶ nodes, skin ┐
//! rest     ─▶ bind.rs     ├▶ data.rs (bytes) + json.rs ─▶ .glb, .gltf
//! bones    ─▶ bones.rs    │
//! keys     ─▶ keys.rs     ┘      weights ─▶ morphs.rs, what glTF cannot represent ─▶ notes.rs
//! ```

mod bind;
mod bones;
mod data;
pub(super) mod json;
mod keys;
mod morphs;
mod notes;

pub(super) use keys::KeySettings;
pub(super) use morphs::MorphNode;

use super::{GltfWriteError, glb};
use crate::Warnings;
use crate::file::{FileError, WriteError, save};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use data::{BufferData, Data, F32, bytes_of};
use json::{AssetJson, BufferJson, ExtrasJson, NodeJson, NodeNote, Root, SceneJson, SkinJson};
use keys::KeyWriter;
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, JointIndex, Skeleton};
use sinew_author::edit::align_hemispheres;
use std::borrow::Cow;
use std::path::Path;

/// Maximum number of joints that mesh vertices can be bound to; larger skeletons are written without a mesh.
const MAX_MESH_JOINTS: usize = 1 << 16;

/// Settings for writing glTF.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfWriteSettings {
    /// Whether to add a mesh that shows the bones, without which viewers show nothing.
    pub mesh: bool,
    /// Name of the writing program for `asset.generator`; omitted if empty.
    pub generator: String,
    /// Corresponding times of each animation, in order and in seconds: markers of a registration. Those of loops
    /// increase by one cycle, beyond the length of the animation. They are written to `extras.sinew.sync_markers` of
    /// the animation and not read; missing or empty lists are omitted, and so are lists with a number that is not
    /// finite.
    pub sync_markers: Vec<Vec<f64>>,
}

impl Default for GltfWriteSettings {
    fn default() -> Self {
        Self {
            mesh: true,
            generator: concat!("sinew ", env!("CARGO_PKG_VERSION")).to_owned(),
            sync_markers: Vec::new(),
        }
    }
}

/// Writes a file: JSON with an embedded buffer if the extension is `gltf`, else a GLB container.
///
/// # Errors
/// The errors of [`write_bytes`], and if the file cannot be written.
pub fn write(
    path: impl AsRef<Path>,
    skeleton: &Skeleton,
    animations: &[Animation],
    settings: &GltfWriteSettings,
) -> Result<(), FileError<WriteError>> {
    let path = path.as_ref();
    let is_json = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gltf"));
    let bytes = if is_json {
        write_gltf(skeleton, animations, settings).map(String::into_bytes)
    } else {
        write_bytes(skeleton, animations, settings)
    };
    save(path, bytes)
}

/// Writes a skeleton and its animations as a GLB container, a `.glb` file. The same input gives the same bytes.
///
/// See [the module](super) for the round trip. To edit a file that has meshes, use a
/// [`GltfSource`](super::GltfSource).
///
/// # Errors
/// If the file would be larger than 4 GiB, or a rest position exceeds the range of `f32`.
pub fn write_bytes(
    skeleton: &Skeleton,
    animations: &[Animation],
    settings: &GltfWriteSettings,
) -> Result<Vec<u8>, GltfWriteError> {
    let (root, buffer) = build(skeleton, animations, settings)?;
    let json = to_json(&root)?;
    glb::join(json.as_bytes(), &buffer).ok_or(GltfWriteError::TooLarge {
        bytes: buffer.len() as u64 + json.len() as u64,
    })
}

/// Writes a skeleton and its animations as a `.gltf` file with an embedded buffer.
///
/// # Errors
/// Like [`write_bytes`].
pub fn write_gltf(
    skeleton: &Skeleton,
    animations: &[Animation],
    settings: &GltfWriteSettings,
) -> Result<String, GltfWriteError> {
    let (mut root, buffer) = build(skeleton, animations, settings)?;
    if let Some(entry) = root.buffers.first_mut() {
        entry.uri = Some(base64_uri(&buffer));
    }
    to_json(&root)
}

/// Returns a data URI with Base64.
pub(super) fn base64_uri(bytes: &[u8]) -> String {
    let mut uri = String::from("data:application/octet-stream;base64,");
    STANDARD.encode_string(bytes, &mut uri);
    uri
}

/// Writes only the keys of animations. Nodes have the indices of joints, accessors and views are numbered from 0.
pub(super) fn write_keys<'a>(
    skeleton: &Skeleton,
    animations: &[&'a Animation],
    settings: &KeySettings<'_>,
    warnings: &mut Warnings,
) -> (Vec<json::AnimationJson<'a>>, BufferData) {
    let mut data = Data::default();
    let mut written = Vec::new();
    let mut keys = KeyWriter::new(&mut data, *settings);
    for &animation in animations {
        let mut aligned = animation.clone();
        align_hemispheres(&mut aligned);
        written.push(keys.animation(skeleton, &aligned, animation, &[], warnings));
    }
    (written, data.collect())
}

fn to_json(root: &Root<'_>) -> Result<String, GltfWriteError> {
    serde_json::to_string(root).map_err(|error| GltfWriteError::Json {
        problem: error.to_string(),
    })
}

/// Builds the complete file: its JSON and its buffer.
fn build<'a>(
    skeleton: &'a Skeleton,
    animations: &'a [Animation],
    settings: &'a GltfWriteSettings,
) -> Result<(Root<'a>, Vec<u8>), GltfWriteError> {
    let frames = bind::rest_frames(skeleton)?;
    let mut data = Data::default();
    let (mut nodes, root) = nodes(skeleton);
    let matrices = bind::inverse_matrices(&frames);
    let view = data.view(None, None);
    let bytes = bytes_of(matrices.into_iter().flatten());
    let skin = SkinJson {
        inverse_bind_matrices: data.accessor(view, F32, "MAT4", skeleton.len(), &bytes),
        skeleton: root,
        joints: (0..skeleton.len() as u32).collect(),
    };
    let mut scene = vec![root];
    let (mut meshes, mut materials) = (Vec::new(), Vec::new());
    if settings.mesh
        && skeleton.len() <= MAX_MESH_JOINTS
        && let Some((mesh, looks)) = bones::bones(skeleton, &frames, &mut data)
    {
        meshes.push(mesh);
        materials = looks;
        scene.push(nodes.len() as u32);
        nodes.push(NodeJson {
            name: Cow::Borrowed("bones"),
            mesh: Some(0),
            skin: Some(0),
            ..NodeJson::default()
        });
    }
    let mut written = Vec::new();
    if !animations.is_empty() {
        // Without meshes there are no morph targets that could cause a warning.
        let mut warnings = Warnings::default();
        let mut keys = KeyWriter::new(&mut data, KeySettings::default());
        for (index, animation) in animations.iter().enumerate() {
            let mut aligned = animation.clone();
            align_hemispheres(&mut aligned);
            let markers = settings.sync_markers.get(index).map(Vec::as_slice);
            let is_sound = |markers: &&[f64]| markers.iter().all(|marker| marker.is_finite());
            let markers = markers.filter(is_sound).unwrap_or_default();
            written.push(keys.animation(skeleton, &aligned, animation, markers, &mut warnings));
        }
    }
    let BufferData {
        accessors,
        views,
        buffer,
    } = data.collect();
    let root = Root {
        asset: AssetJson {
            version: "2.0",
            generator: &settings.generator,
        },
        scene: 0,
        scenes: vec![SceneJson { nodes: scene }],
        nodes,
        skins: vec![skin],
        meshes,
        materials,
        animations: written,
        accessors,
        buffer_views: views,
        buffers: vec![BufferJson {
            uri: None,
            byte_length: buffer.len() as u64,
        }],
    };
    Ok((root, buffer))
}

/// Builds a node for each joint in the same order, then the tips, then a common parent of the roots if there are
/// several; returns them and the index of the topmost node.
fn nodes(skeleton: &Skeleton) -> (Vec<NodeJson<'_>>, u32) {
    let mut nodes: Vec<NodeJson<'_>> = Vec::with_capacity(skeleton.len());
    let mut tips = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let rest = joint.rest;
        let children = skeleton.children(JointIndex::from(index));
        let mut children: Vec<u32> = children.map(|child| child.0).collect();
        if let Some(tip) = joint.tip {
            children.push((skeleton.len() + tips.len()) as u32);
            tips.push(NodeJson {
                name: Cow::Owned(format!("{}_end", joint.name)),
                translation: (tip != Vec3::ZERO).then(|| tip.to_array()),
                extras: note(NodeNote::Tip(true)),
                ..NodeJson::default()
            });
        }
        nodes.push(NodeJson {
            name: Cow::Borrowed(&joint.name),
            translation: (rest.position != Vec3::ZERO).then(|| rest.position.to_array()),
            rotation: (rest.rotation != Quat::IDENTITY).then(|| rest.rotation.to_array()),
            scale: (rest.scale != Vec3::ONE).then(|| rest.scale.to_array()),
            children,
            ..NodeJson::default()
        });
    }
    nodes.append(&mut tips);
    let roots: Vec<u32> = skeleton.roots().map(|root| root.0).collect();
    if let [only] = roots.as_slice() {
        return (nodes, *only);
    }
    nodes.push(NodeJson {
        name: Cow::Borrowed("roots"),
        children: roots,
        extras: note(NodeNote::Roots(true)),
        ..NodeJson::default()
    });
    let above = nodes.len() - 1;
    (nodes, above as u32)
}

fn note(note: NodeNote) -> Option<ExtrasJson<NodeNote>> {
    Some(ExtrasJson { sinew: note })
}
