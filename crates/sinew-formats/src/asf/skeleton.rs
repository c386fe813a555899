//! Conversion of bones to joints whose axes are the world's in the rest pose.
//!
//! An ASF bone has a direction and a length in world space and axes of its own for its angles. A joint is placed at the
//! bone's start, which is the end of its parent: `position = direction · length` of the parent bone. Joints keep the
//! world's axes at rest (`docs/decisions/2026-11-15-rest-aligned.md`); the bones' axes are applied when motions are
//! converted, as `C R C⁻¹` with the rotation `C` of the axes. One pass over the bones.

use super::model::{AngleUnit, Asf, AsfBone, AxisOrder, Dof};
use super::units::Units;
use sinew::glam::DQuat;
use sinew::math::{dquat_normalize, dquat_to_quat, rotation_x, rotation_y, rotation_z};
use sinew::{Joint, JointIndex, Transform};
use std::collections::HashSet;

/// The joints of a skeleton file, and the mapping from bones to joints.
pub(crate) struct Layout {
    pub(crate) joints: Vec<Joint>,
    /// Joint at the start of each bone.
    pub(crate) starts: Vec<usize>,
    /// End joint of each leaf bone with an animated length.
    pub(crate) ends: Vec<Option<usize>>,
    /// Orientation of the root's frame.
    pub(crate) root_rotation: DQuat,
}

/// Creates a joint at the start of each bone: the root first, then bones in order. A leaf with an animated length is
/// followed by a joint at its end.
pub(crate) fn layout(asf: &Asf, units: Units) -> Layout {
    let scale = units.metres(&asf.units);
    let root_rotation = rotation_of(asf.root.orientation, asf.root.axis, asf.units.angle);
    let mut joints = Vec::with_capacity(asf.bones.len() + 1);
    joints.push(Joint {
        name: "root".to_owned(),
        parent: None,
        rest: Transform {
            rotation: dquat_to_quat(root_rotation),
            ..Transform::from_position(scaled(asf.root.position, scale))
        },
        tip: None,
    });
    let mut is_parent = vec![false; asf.bones.len()];
    for parent in asf.bones.iter().filter_map(|bone| bone.parent) {
        if let Some(flag) = is_parent.get_mut(parent) {
            *flag = true;
        }
    }
    let mut names: Option<HashSet<String>> = None;
    let mut starts: Vec<usize> = Vec::with_capacity(asf.bones.len());
    let mut ends = Vec::with_capacity(asf.bones.len());
    for (bone, is_parent) in asf.bones.iter().zip(is_parent) {
        let parent = bone.parent.and_then(|parent| starts.get(parent).copied());
        let above = bone.parent.and_then(|parent| asf.bones.get(parent));
        let here = joints.len();
        starts.push(here);
        let tip = scaled(vector(bone), scale);
        let moving_end = !is_parent && bone.dof.contains(&Dof::Length);
        joints.push(Joint {
            name: bone.name.clone(),
            parent: Some(JointIndex::from(parent.unwrap_or(0))),
            rest: Transform::from_position(scaled(above.map_or([0.0; 3], vector), scale)),
            tip: (!is_parent && !moving_end).then_some(tip),
        });
        ends.push(moving_end.then_some(joints.len()));
        if moving_end {
            let names = names
                .get_or_insert_with(|| asf.bones.iter().map(|bone| bone.name.clone()).collect());
            joints.push(Joint {
                name: free_name(&bone.name, names),
                parent: Some(JointIndex::from(here)),
                rest: Transform::from_position(tip),
                tip: None,
            });
        }
    }
    Layout {
        joints,
        starts,
        ends,
        root_rotation,
    }
}

/// Returns `<name>_end`, with a number if a bone has that name.
fn free_name(name: &str, names: &mut HashSet<String>) -> String {
    let mut free = format!("{name}_end");
    let mut number = 2u32;
    while !names.insert(free.clone()) {
        free = format!("{name}_end{number}");
        number = number.saturating_add(1);
    }
    free
}

/// Returns the vector from a bone's start to its end at rest, in the file's units.
fn vector(bone: &AsfBone) -> [f64; 3] {
    bone.direction.map(|along| along * bone.length)
}

/// Converts a point of the file to metres.
pub(crate) fn scaled(point: [f64; 3], scale: f64) -> sinew::glam::Vec3 {
    let [x, y, z] = point.map(|along| (along * scale) as f32);
    sinew::glam::Vec3::new(x, y, z)
}

/// Returns the rotation of three angles that are applied in an order, each about a world axis.
pub(crate) fn rotation_of(angles: [f64; 3], order: AxisOrder, unit: AngleUnit) -> DQuat {
    let mut rotation = DQuat::IDENTITY;
    for axis in order.axes() {
        let angle = unit.to_radians(angles[axis]);
        if angle != 0.0 {
            rotation = about(axis, angle) * rotation;
        }
    }
    dquat_normalize(rotation)
}

/// Returns the rotation about axis 0, 1 or 2 by an angle in radians.
pub(crate) fn about(axis: usize, angle: f64) -> DQuat {
    match axis {
        0 => rotation_x(angle),
        1 => rotation_y(angle),
        _ => rotation_z(angle),
    }
}
