//! The parts of a glTF document that motion needs. Meshes, materials, textures and the rest are skipped without being
//! stored, so that errors in them do not prevent reading a motion.

use super::GltfError;
use super::extras::Extras;
use crate::json_text::{self, Step, path_of};
use crate::limits::{MAX_GLTF_ENTRIES, MAX_GLTF_NODES};
use crate::{Warnings, escape};
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) asset: Asset<'a>,
    pub(super) scene: Option<u32>,
    #[serde(default)]
    pub(super) scenes: Table<Scene>,
    #[serde(default, borrow)]
    pub(super) nodes: Table<Node<'a>, MAX_GLTF_NODES>,
    #[serde(default)]
    pub(super) skins: Table<Skin>,
    #[serde(default, borrow)]
    pub(super) animations: Table<Animation<'a>>,
    #[serde(default, borrow)]
    pub(super) accessors: Table<Accessor<'a>>,
    #[serde(default)]
    pub(super) buffer_views: Table<BufferView>,
    #[serde(default, borrow)]
    pub(super) buffers: Table<Buffer<'a>>,
    #[serde(default, borrow)]
    pub(super) extensions_required: Table<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset<'a> {
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow)]
    pub(super) min_version: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Table<u32>,
}

#[derive(Deserialize)]
pub(super) struct Node<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) children: Table<u32>,
    pub(super) mesh: Option<u32>,
    pub(super) matrix: Option<Box<[f32; 16]>>,
    pub(super) translation: Option<[f32; 3]>,
    pub(super) rotation: Option<[f32; 4]>,
    pub(super) scale: Option<[f32; 3]>,
    pub(super) extras: Option<Box<Extras>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) joints: Table<u32>,
    pub(super) skeleton: Option<u32>,
    pub(super) inverse_bind_matrices: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Animation<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) channels: Table<Channel<'a>>,
    #[serde(borrow)]
    pub(super) samplers: Table<Sampler<'a>>,
    #[serde(default)]
    pub(super) extras: Extras,
}

#[derive(Deserialize)]
pub(super) struct Channel<'a> {
    pub(super) sampler: u32,
    #[serde(borrow)]
    pub(super) target: Target<'a>,
}

#[derive(Deserialize)]
pub(super) struct Target<'a> {
    pub(super) node: Option<u32>,
    #[serde(borrow)]
    pub(super) path: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct Sampler<'a> {
    pub(super) input: u32,
    pub(super) output: u32,
    #[serde(borrow)]
    pub(super) interpolation: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor<'a> {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    pub(super) min: Option<IgnoredAny>,
    pub(super) max: Option<IgnoredAny>,
    pub(super) sparse: Option<Box<Sparse>>,
    pub(super) extras: Option<Box<Extras>>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

/// Compression extensions of a view.
#[derive(Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    meshopt: Option<PackedView>,
    #[serde(rename = "KHR_meshopt_compression")]
    khr_meshopt: Option<PackedView>,
}

impl ViewExtensions {
    /// Returns the name and the data of the compression extension of a view.
    pub(super) fn packed(&self) -> Option<(&'static str, &PackedView)> {
        let ext = self.meshopt.as_ref();
        let khr = self.khr_meshopt.as_ref();
        ext.map(|packed| ("EXT_meshopt_compression", packed))
            .or_else(|| khr.map(|packed| ("KHR_meshopt_compression", packed)))
    }
}

/// Compressed data of a view: `count` elements of `byte_stride` bytes. Missing values are detected only when the view
/// is decompressed: most views belong to meshes and are not.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PackedView {
    pub(super) buffer: u32,
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: u64,
    pub(super) count: u64,
    pub(super) mode: String,
    pub(super) filter: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    pub(super) byte_length: u64,
    #[serde(default)]
    pub(super) extensions: BufferExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct BufferExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    meshopt: Option<Fallback>,
    #[serde(rename = "KHR_meshopt_compression")]
    khr_meshopt: Option<Fallback>,
}

impl BufferExtensions {
    /// Returns whether this is a fallback buffer for readers without decompression, which may have no bytes.
    pub(super) fn is_fallback(&self) -> bool {
        let all = [&self.meshopt, &self.khr_meshopt];
        all.iter().any(|extension| {
            extension
                .as_ref()
                .is_some_and(|extension| extension.fallback)
        })
    }
}

#[derive(Deserialize)]
struct Fallback {
    #[serde(default)]
    fallback: bool,
}

/// A text, borrowed from the file if possible: it may be a whole buffer.
#[derive(Clone, Debug)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// A list of at most `LIMIT` entries.
pub(super) struct Table<T, const LIMIT: usize = MAX_GLTF_ENTRIES>(Vec<T>);

impl<T, const LIMIT: usize> Default for Table<T, LIMIT> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const LIMIT: usize> Deref for Table<T, LIMIT> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>, const LIMIT: usize> Deserialize<'de> for Table<T, LIMIT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableVisitor<T, const LIMIT: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const LIMIT: usize> Visitor<'de> for TableVisitor<T, LIMIT> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    if entries.len() >= LIMIT {
                        return Err(A::Error::custom(format_args!("more than {LIMIT} entries")));
                    }
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        let visitor = TableVisitor::<T, LIMIT>(PhantomData);
        deserializer.deserialize_seq(visitor).map(Self)
    }
}

/// Properties that may occur anywhere and are not checked.
const FREE: [&str; 3] = ["extras", "extensions", "name"];

/// Parses JSON; warns of unknown properties of animations and skins.
pub(super) fn parse<'a>(
    json: &'a [u8],
    warnings: &mut Warnings,
) -> Result<Document<'a>, GltfError> {
    let mut ignored = |path: &[Step]| {
        if let Some((place, field)) = unknown(path) {
            warnings.add(place, field, "not a property of glTF; ignored");
        }
    };
    let parsed = json_text::parse_and_report(json, &["animations", "skins"], &mut ignored);
    let document: Document<'a> = parsed.map_err(|fault| GltfError::Json {
        line: fault.line,
        column: fault.column,
        path: fault.path,
        problem: fault.problem,
        expected: fault.expected.into(),
        found: fault.found.into(),
    })?;
    check_version(&document.asset)?;
    for extension in document.extensions_required.iter() {
        if !is_harmless(extension) {
            let problem = format!(
                "{} is required but unknown; read without",
                escape::text(extension)
            );
            warnings.add("extensionsRequired", "", problem);
        }
    }
    Ok(document)
}

/// Returns the place and name of an unknown property of an animation or skin.
fn unknown(path: &[Step]) -> Option<(String, String)> {
    let is_free = |step: &Step| matches!(step, Step::Key(key) if FREE.contains(&key.as_str()));
    let (Some(Step::Key(field)), false) = (path.last(), path.iter().any(is_free)) else {
        return None;
    };
    let place = path.get(..path.len() - 1).unwrap_or_default();
    let is_whole = place.is_empty();
    (!is_whole).then(|| (escape::name(&path_of(place)), escape::name(field)))
}

fn check_version(asset: &Asset<'_>) -> Result<(), GltfError> {
    let is_2 = |version: &str| version.split('.').next() == Some("2");
    let needed = asset.min_version.as_deref().unwrap_or("2.0");
    if is_2(&asset.version) && needed == "2.0" {
        return Ok(());
    }
    let found = if is_2(&asset.version) {
        needed
    } else {
        &asset.version
    };
    Err(GltfError::Version {
        found: found.to_owned(),
    })
}

/// Returns whether an extension does not affect node motion, or is reported elsewhere.
fn is_harmless(extension: &str) -> bool {
    const ABOUT: [&str; 6] = [
        "material",
        "texture",
        "mesh",
        "light",
        "audio",
        "visibility",
    ];
    ABOUT.iter().any(|about| extension.contains(about)) || extension == "KHR_animation_pointer"
}
