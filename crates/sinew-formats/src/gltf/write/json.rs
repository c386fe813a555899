//! The JSON of a written file. Fields are written in declaration order, so that the same motion gives the same bytes.

use super::super::extras::NUMBER;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;
use sinew::animation::{MetaValue, Metadata};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Root<'a> {
    pub(in crate::gltf) asset: AssetJson<'a>,
    pub(in crate::gltf) scene: u32,
    pub(in crate::gltf) scenes: Vec<SceneJson>,
    pub(in crate::gltf) nodes: Vec<NodeJson<'a>>,
    pub(in crate::gltf) skins: Vec<SkinJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) animations: Vec<AnimationJson<'a>>,
    pub(in crate::gltf) accessors: Vec<AccessorJson>,
    pub(in crate::gltf) buffer_views: Vec<BufferViewJson>,
    pub(in crate::gltf) buffers: Vec<BufferJson>,
}

#[derive(Serialize)]
pub(in crate::gltf) struct AssetJson<'a> {
    pub(in crate::gltf) version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(in crate::gltf) generator: &'a str,
}

#[derive(Serialize)]
pub(in crate::gltf) struct SceneJson {
    pub(in crate::gltf) nodes: Vec<u32>,
}

#[derive(Default, Serialize)]
pub(in crate::gltf) struct NodeJson<'a> {
    pub(in crate::gltf) name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) children: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) skin: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) extras: Option<ExtrasJson<NodeNote>>,
}

/// Data for our own reader.
#[derive(Serialize)]
pub(in crate::gltf) struct ExtrasJson<T> {
    pub(in crate::gltf) sinew: T,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::gltf) enum NodeNote {
    /// `{"tip": true}`: the tip of a bone.
    Tip(bool),
    /// `{"roots": true}`: a common parent of several roots.
    Roots(bool),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct SkinJson {
    pub(in crate::gltf) inverse_bind_matrices: u32,
    pub(in crate::gltf) skeleton: u32,
    pub(in crate::gltf) joints: Vec<u32>,
}

#[derive(Serialize)]
pub(in crate::gltf) struct Mesh {
    pub(in crate::gltf) name: &'static str,
    pub(in crate::gltf) primitives: Vec<Primitive>,
}

#[derive(Serialize)]
pub(in crate::gltf) struct Primitive {
    pub(in crate::gltf) attributes: Attributes,
    pub(in crate::gltf) indices: u32,
    pub(in crate::gltf) material: u32,
}

#[derive(Clone, Copy, Serialize)]
pub(in crate::gltf) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(in crate::gltf) position: u32,
    #[serde(rename = "NORMAL")]
    pub(in crate::gltf) normal: u32,
    #[serde(rename = "JOINTS_0")]
    pub(in crate::gltf) joints: u32,
    #[serde(rename = "WEIGHTS_0")]
    pub(in crate::gltf) weights: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Material {
    pub(in crate::gltf) name: &'static str,
    pub(in crate::gltf) pbr_metallic_roughness: Surface,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Surface {
    pub(in crate::gltf) base_color_factor: [f32; 4],
    pub(in crate::gltf) metallic_factor: f32,
    pub(in crate::gltf) roughness_factor: f32,
}

#[derive(Serialize)]
pub(in crate::gltf) struct AnimationJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(in crate::gltf) name: &'a str,
    pub(in crate::gltf) channels: Vec<ChannelJson>,
    pub(in crate::gltf) samplers: Vec<SamplerJson>,
    pub(in crate::gltf) extras: ExtrasJson<AnimationNote<'a>>,
}

#[derive(Serialize)]
pub(in crate::gltf) struct ChannelJson {
    pub(in crate::gltf) sampler: u32,
    pub(in crate::gltf) target: TargetJson,
}

#[derive(Serialize)]
pub(in crate::gltf) struct TargetJson {
    pub(in crate::gltf) node: u32,
    pub(in crate::gltf) path: &'static str,
}

#[derive(Serialize)]
pub(in crate::gltf) struct SamplerJson {
    pub(in crate::gltf) input: u32,
    pub(in crate::gltf) interpolation: &'static str,
    pub(in crate::gltf) output: u32,
}

#[derive(Serialize)]
pub(in crate::gltf) struct AnimationNote<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) frame_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) looping: Option<LoopNote>,
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "metadata"
    )]
    pub(in crate::gltf) metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(in crate::gltf) sync_markers: &'a [f64],
    /// Data that glTF cannot represent, as Sinew's JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) notes: Option<Box<RawValue>>,
}

/// The ground motion of a loop: radians about +Y and metres, per cycle.
#[derive(Serialize)]
pub(in crate::gltf) struct LoopNote {
    pub(in crate::gltf) angle: f64,
    pub(in crate::gltf) x: f64,
    pub(in crate::gltf) z: f64,
    pub(in crate::gltf) in_place: bool,
}

/// Numbers that JSON cannot represent are written as text.
fn metadata<S: Serializer>(metadata: &Metadata, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(metadata.len()))?;
    for (key, value) in metadata {
        match value {
            MetaValue::Text(text) => map.serialize_entry(key, text)?,
            MetaValue::Flag(flag) => map.serialize_entry(key, flag)?,
            MetaValue::Number(number) if number.is_finite() => map.serialize_entry(key, number)?,
            MetaValue::Number(number) => {
                let spelled = BTreeMap::from([(NUMBER, number.to_string())]);
                map.serialize_entry(key, &spelled)?;
            }
        }
    }
    map.end()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct AccessorJson {
    pub(in crate::gltf) buffer_view: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(in crate::gltf) byte_offset: u64,
    pub(in crate::gltf) component_type: u32,
    #[serde(skip_serializing_if = "is_false")]
    pub(in crate::gltf) normalized: bool,
    pub(in crate::gltf) count: u64,
    #[serde(rename = "type")]
    pub(in crate::gltf) kind: &'static str,
    /// In `f64`, which represents an `f32` exactly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) min: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::gltf) max: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) extras: Option<ExtrasJson<TimesNote>>,
}

/// Keys per second of evenly spaced times.
#[derive(Serialize)]
pub(in crate::gltf) struct TimesNote {
    pub(in crate::gltf) rate: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct BufferViewJson {
    pub(in crate::gltf) buffer: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(in crate::gltf) byte_offset: u64,
    pub(in crate::gltf) byte_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) byte_stride: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct BufferJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::gltf) uri: Option<String>,
    pub(in crate::gltf) byte_length: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}
