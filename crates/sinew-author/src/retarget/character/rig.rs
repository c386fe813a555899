//! World transforms of a character's bones over time, and local values for wanted world transforms.
//!
//! The inheritance is that of [`construct`](sinew::skelform::construct) without IK and physics, in `f64`: with the world
//! transform of the parent `R, s, p` (rotation, scale, position)
//!
//! ```text
//! position = R (local position · s) + p
//! rotation = ± local rotation + R        - if rotations are mirrored and exactly one component of s is negative
//! scale    = local scale · s
//! ```

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use sinew::skelform::{ArmatureData, Element, is_facing_left};

/// The smallest scale that positions are divided by.
const MIN_SCALE: f64 = 1e-6;

/// A world transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct World {
    pub(super) position: DVec2,
    /// In radians; the sum along the hierarchy, which may be more than a turn.
    pub(super) rotation: f64,
    pub(super) scale: DVec2,
}

impl World {
    const IDENTITY: Self = Self {
        position: DVec2::ZERO,
        rotation: 0.0,
        scale: DVec2::ONE,
    };

    fn is_mirrored(&self) -> bool {
        is_facing_left(Vec2::new(self.scale.x as f32, self.scale.y as f32))
    }

    /// Returns a vector of the bone's space, scaled and turned.
    pub(super) fn vector(&self, local: DVec2) -> DVec2 {
        rotated(local * self.scale, self.rotation)
    }
}

/// Rotates a vector.
pub(super) fn rotated(vector: DVec2, angle: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(angle);
    DVec2::new(
        vector.x * cosine - vector.y * sine,
        vector.x * sine + vector.y * cosine,
    )
}

/// The bones of a character with animated values.
#[derive(Clone, Debug)]
pub(super) struct Rig<'a> {
    data: &'a ArmatureData,
    frames: usize,
    /// Values at every frame; what has none keeps its setup value.
    tracks: BTreeMap<(usize, Element), Vec<f64>>,
}

impl<'a> Rig<'a> {
    /// Creates a character at rest, for a number of frames.
    pub(super) fn new(data: &'a ArmatureData, frames: usize) -> Self {
        Self {
            data,
            frames,
            tracks: BTreeMap::new(),
        }
    }

    pub(super) fn data(&self) -> &'a ArmatureData {
        self.data
    }

    /// Sets the values of an element at all frames.
    pub(super) fn set(&mut self, bone: usize, element: Element, values: Vec<f64>) {
        self.tracks.insert((bone, element), values);
    }

    /// Returns the setup value of an element of the transform.
    pub(super) fn setup(&self, bone: usize, element: Element) -> f64 {
        let bone = &self.data.bones[bone];
        f64::from(match element {
            Element::PositionX => bone.position.x,
            Element::PositionY => bone.position.y,
            Element::Rotation => bone.rotation,
            Element::ScaleX => bone.scale.x,
            _ => bone.scale.y,
        })
    }

    /// Returns the world transforms of a bone at all frames.
    pub(super) fn worlds(&self, bone: usize) -> Vec<World> {
        let mut worlds = alloc::vec![World::IDENTITY; self.frames];
        let mut chain: Vec<usize> =
            core::iter::successors(Some(bone), |&bone| self.data.bones[bone].parent).collect();
        chain.reverse();
        for bone in chain {
            let track = |element| self.tracks.get(&(bone, element));
            let tracks = [
                Element::PositionX,
                Element::PositionY,
                Element::Rotation,
                Element::ScaleX,
                Element::ScaleY,
            ]
            .map(|element| (track(element), self.setup(bone, element)));
            let is_root = self.data.bones[bone].parent.is_none();
            for (frame, world) in worlds.iter_mut().enumerate() {
                let [x, y, rotation, scale_x, scale_y] = tracks.map(|(track, setup)| {
                    track.and_then(|t| t.get(frame).copied()).unwrap_or(setup)
                });
                let sign = if !is_root && self.is_reversed(world) {
                    -1.0
                } else {
                    1.0
                };
                *world = World {
                    position: world.vector(DVec2::new(x, y)) + world.position,
                    rotation: sign * rotation + world.rotation,
                    scale: DVec2::new(scale_x, scale_y) * world.scale,
                };
            }
        }
        worlds
    }

    /// Returns the world transforms of a bone's parent; the identity for a root.
    pub(super) fn parent_worlds(&self, bone: usize) -> Vec<World> {
        match self.data.bones[bone].parent {
            Some(parent) => self.worlds(parent),
            None => alloc::vec![World::IDENTITY; self.frames],
        }
    }

    /// Returns the local rotation for a world rotation.
    pub(super) fn local_rotation(&self, bone: usize, parent: &World, rotation: f64) -> f64 {
        let relative = rotation - parent.rotation;
        if self.data.bones[bone].parent.is_some() && self.is_reversed(parent) {
            -relative
        } else {
            relative
        }
    }

    /// Returns the local position for a world position; `None` if the parent is scaled to nothing.
    pub(super) fn local_position(&self, parent: &World, position: DVec2) -> Option<DVec2> {
        if parent.scale.abs().min_element() < MIN_SCALE {
            return None;
        }
        let local = rotated(position - parent.position, -parent.rotation) / parent.scale;
        local.is_finite().then_some(local)
    }

    fn is_reversed(&self, parent: &World) -> bool {
        self.data.mirrored_rotation && parent.is_mirrored()
    }

    /// Returns whether a bone is another one or below it.
    pub(super) fn is_below(&self, bone: usize, ancestor: usize) -> bool {
        let mut chain = core::iter::successors(Some(bone), |&bone| self.data.bones[bone].parent);
        chain.any(|bone| bone == ancestor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinew::skelform::{
        Armature, ArmaturePose, BoneData, ConstructSettings, PhysicsStep, construct,
    };

    fn bones() -> impl Strategy<Value = Vec<BoneData>> {
        let number = -50.0..50.0f32;
        let scale = prop_oneof![Just(1.0f32), Just(-1.0), Just(-0.7), 0.4..1.6f32];
        let bone = (
            number.clone(),
            number,
            -7.0..7.0f32,
            scale.clone(),
            scale,
            0..8usize,
        );
        proptest::collection::vec(bone, 1..9).prop_map(|list| {
            let bones = list.into_iter().enumerate();
            let bones = bones.map(
                |(index, (x, y, rotation, scale_x, scale_y, parent))| BoneData {
                    parent: (parent < index).then_some(parent),
                    position: Vec2::new(x, y),
                    rotation,
                    scale: Vec2::new(scale_x, scale_y),
                    ..BoneData::default()
                },
            );
            bones.collect()
        })
    }

    proptest! {
        #[test]
        fn worlds_are_those_of_construct(bones in bones(), mirrored_rotation in any::<bool>()) {
            let data = ArmatureData { bones, mirrored_rotation, ..ArmatureData::default() };
            let armature = Armature::new(data).unwrap();
            let mut pose = ArmaturePose::new(&armature);
            let settings = ConstructSettings { physics: PhysicsStep::Off, ..Default::default() };
            construct(&armature, &mut armature.new_state(), &settings, &mut pose).unwrap();
            let rig = Rig::new(armature.data(), 1);
            for (bone, expected) in pose.bones().enumerate() {
                let world = rig.worlds(bone)[0];
                let size = 1.0 + expected.position.length();
                prop_assert!((world.position.as_vec2() - expected.position).length() < 1e-4 * size);
                let turn = rotated(DVec2::X, world.rotation).as_vec2();
                prop_assert!((turn - Vec2::new(expected.rotor.cos, expected.rotor.sin)).length() < 1e-4);
                prop_assert!((world.scale.as_vec2() - expected.scale).length() < 1e-3);
                // And back.
                let parent = rig.parent_worlds(bone)[0];
                let local = rig.local_rotation(bone, &parent, world.rotation);
                prop_assert!((local - rig.setup(bone, Element::Rotation)).abs() < 1e-6);
                if let Some(local) = rig.local_position(&parent, world.position) {
                    prop_assert!((local.x - rig.setup(bone, Element::PositionX)).abs() < 1e-5);
                }
            }
        }
    }
}
