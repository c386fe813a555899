//! Joints.

use super::JsonError;
use super::spanned::Spanned;
use super::value::{RotationElement, Seed, ValueElement, Vec3Element};
use crate::json_text::RawJson;
use crate::limits::MAX_GLTF_NODES;
use crate::{Warnings, escape};
use serde::Deserialize;
use sinew::animation::ChannelValue;
use sinew::glam::{Quat, Vec3};
use sinew::skeleton::SkeletonError;
use sinew::{Joint, JointIndex, Skeleton, Transform};
use std::collections::HashMap;

#[derive(Deserialize)]
struct JointFields<'a> {
    name: String,
    #[serde(borrow)]
    parent: Option<RawJson<'a>>,
    #[serde(borrow)]
    position: Option<RawJson<'a>>,
    #[serde(borrow)]
    rotation: Option<RawJson<'a>>,
    #[serde(borrow)]
    scale: Option<RawJson<'a>>,
    #[serde(borrow)]
    tip: Option<RawJson<'a>>,
}

/// Maximum deviation from 1 of the squared length of a rotation that is not normalized, as in skeletons.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Reads the list of joints.
pub(super) fn read(spanned: &Spanned<'_>, warnings: &mut Warnings) -> Result<Skeleton, JsonError> {
    let entries = spanned.entries(MAX_GLTF_NODES)?;
    let mut joints = Vec::with_capacity(entries.len());
    let mut by_name = HashMap::new();
    for entry in &entries {
        let fields: JointFields<'_> = entry.read(warnings)?;
        let parent = match fields.parent {
            Some(parent) => Some(parent_of(&entry.field("parent", parent), &by_name)?),
            None => None,
        };
        by_name.insert(fields.name.clone(), by_name_index(joints.len()));
        let rest = Transform {
            position: value(entry, "position", fields.position, Vec3Element)?.unwrap_or(Vec3::ZERO),
            rotation: match value(entry, "rotation", fields.rotation, RotationElement::KEY)? {
                Some(rotation) => unit(entry, rotation)?,
                None => Quat::IDENTITY,
            },
            scale: value(entry, "scale", fields.scale, Vec3Element)?.unwrap_or(Vec3::ONE),
        };
        joints.push(Joint {
            name: fields.name,
            parent,
            rest,
            tip: value(entry, "tip", fields.tip, Vec3Element)?,
        });
    }
    Skeleton::new(joints).map_err(|error| wrong(spanned, &entries, &error))
}

/// Converts an index; the number of joints always fits.
fn by_name_index(index: usize) -> JointIndex {
    JointIndex(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Returns a parent by index or by name.
fn parent_of(
    spanned: &Spanned<'_>,
    by_name: &HashMap<String, JointIndex>,
) -> Result<JointIndex, JsonError> {
    if spanned.first() == b'"' {
        let name: String = spanned.read(&mut Warnings::default())?;
        let found = by_name.get(&name).copied();
        return found.ok_or_else(|| {
            spanned.invalid("the name of a joint before this one", escape::text(&name))
        });
    }
    let index: u32 = spanned.read(&mut Warnings::default())?;
    Ok(JointIndex(index))
}

fn value<'a, E: ValueElement>(
    spanned: &Spanned<'a>,
    name: &str,
    field: Option<RawJson<'a>>,
    element: E,
) -> Result<Option<E::Value>, JsonError> {
    field
        .map(|field| spanned.field(name, field).read_with(Seed(element)))
        .transpose()
}

fn unit(spanned: &Spanned<'_>, rotation: Quat) -> Result<Quat, JsonError> {
    let square: f32 = rotation.to_array().iter().map(|n| n * n).sum();
    if (square - 1.0).abs() <= UNIT_TOLERANCE {
        return Ok(rotation);
    }
    rotation
        .as_key()
        .ok_or_else(|| spanned.invalid("a rotation", "one without length"))
}

/// Returns an error about joints, with the place of the joint.
fn wrong(list: &Spanned<'_>, joints: &[Spanned<'_>], error: &SkeletonError) -> JsonError {
    let joint_value = |joint: &usize| joints.get(*joint).unwrap_or(list);
    match error {
        SkeletonError::Empty => list.invalid("at least one joint", "none"),
        SkeletonError::Unnamed { joint } => joint_value(joint).invalid("a name", "none"),
        SkeletonError::SameName { name, second, .. } => {
            joint_value(second).invalid("a unique name", escape::text(name))
        }
        SkeletonError::Order { joint, name } => joint_value(joint).invalid(
            "joints depth first, each after its parent with nothing between that is not below it",
            format_args!("{} elsewhere", escape::text(name)),
        ),
        SkeletonError::Rest { joint, .. } => {
            joint_value(joint).invalid("a rest that is finite", "another")
        }
        other => list.invalid(
            "joints that make a skeleton",
            escape::name(&other.to_string()),
        ),
    }
}
