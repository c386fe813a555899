//! The JSON of a written file. Fields are written in the order they have here, so that the same motion
//! gives the same bytes.

use super::super::extras::NUMBER;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use sinew::{MetaValue, Metadata};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    pub(super) asset: Asset<'a>,
    pub(super) scene: u32,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) skins: Vec<Skin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) animations: Vec<Animation<'a>>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Serialize)]
pub(super) struct Asset<'a> {
    pub(super) version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) generator: &'a str,
}

#[derive(Serialize)]
pub(super) struct Scene {
    pub(super) nodes: Vec<u32>,
}

#[derive(Default, Serialize)]
pub(super) struct Node<'a> {
    pub(super) name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<Extras<NodeNote>>,
}

/// What is for our own reader.
#[derive(Serialize)]
pub(super) struct Extras<T> {
    pub(super) sinew: T,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NodeNote {
    /// `{"tip": true}`: the end of a bone.
    Tip(bool),
    /// `{"roots": true}`: holds several roots together.
    Roots(bool),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) inverse_bind_matrices: u32,
    pub(super) skeleton: u32,
    pub(super) joints: Vec<u32>,
}

#[derive(Serialize)]
pub(super) struct Mesh {
    pub(super) name: &'static str,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: u32,
    pub(super) material: u32,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: u32,
    #[serde(rename = "NORMAL")]
    pub(super) normal: u32,
    #[serde(rename = "JOINTS_0")]
    pub(super) joints: u32,
    #[serde(rename = "WEIGHTS_0")]
    pub(super) weights: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) name: &'static str,
    pub(super) pbr_metallic_roughness: Surface,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Surface {
    pub(super) base_color_factor: [f32; 4],
    pub(super) metallic_factor: f32,
    pub(super) roughness_factor: f32,
}

#[derive(Serialize)]
pub(super) struct Animation<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
    pub(super) extras: Extras<AnimationNote<'a>>,
}

#[derive(Serialize)]
pub(super) struct Channel {
    pub(super) sampler: u32,
    pub(super) target: Target,
}

#[derive(Serialize)]
pub(super) struct Target {
    pub(super) node: u32,
    pub(super) path: &'static str,
}

#[derive(Serialize)]
pub(super) struct Sampler {
    pub(super) input: u32,
    pub(super) interpolation: &'static str,
    pub(super) output: u32,
}

#[derive(Serialize)]
pub(super) struct AnimationNote<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) looping: Option<LoopNote>,
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "metadata"
    )]
    pub(super) metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(super) sync_markers: &'a [f64],
}

/// The ground motion of a loop: radians about +Y and metres, per cycle.
#[derive(Serialize)]
pub(super) struct LoopNote {
    pub(super) angle: f64,
    pub(super) x: f64,
    pub(super) z: f64,
    pub(super) in_place: bool,
}

/// Numbers that JSON does not have are spelled out.
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
pub(super) struct Accessor {
    pub(super) buffer_view: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// In `f64`, which spells an `f32` out to the last bit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) min: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) max: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<Extras<TimesNote>>,
}

/// Keys per second of evenly spaced times.
#[derive(Serialize)]
pub(super) struct TimesNote {
    pub(super) rate: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_stride: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}
