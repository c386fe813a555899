//! Putting bones, pictures, IK and physics into an [`ArmatureData`].

use super::strip::Strip;
use crate::art::Part;
use sinew::glam::Vec2;
use sinew::skelform::{
    ArmatureData, BoneData, IkConstraint, IkFamilyData, IkMode, MeshData, PhysicsData,
    PhysicsState, Tint, VisualData,
};

/// An armature being built. Bones are named by their index, parents come first.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    data: ArmatureData,
    parts: Vec<&'a Part>,
}

impl<'a> Builder<'a> {
    /// Nothing yet; textures are looked up in `parts`, first match wins.
    pub(super) fn new(parts: impl Iterator<Item = &'a Part>) -> Self {
        Self {
            data: ArmatureData::default(),
            parts: parts.collect(),
        }
    }

    /// Adds a bone, turned by degrees relative to its parent.
    pub(super) fn bone(
        &mut self,
        name: &str,
        parent: Option<usize>,
        position: (f32, f32),
        degrees: f32,
    ) -> usize {
        self.data.bones.push(BoneData {
            name: name.to_owned(),
            parent,
            position: Vec2::new(position.0, position.1),
            rotation: degrees.to_radians(),
            ..BoneData::default()
        });
        self.data.bones.len() - 1
    }

    /// Adds a chain of bones that follow one another at a distance; the first stands at `position`, and
    /// each is turned by its degrees relative to the one before.
    pub(super) fn chain<const N: usize>(
        &mut self,
        name: &str,
        parent: usize,
        position: (f32, f32),
        spacing: f32,
        degrees: [f32; N],
    ) -> [usize; N] {
        let (mut before, mut place) = (parent, position);
        let mut number = 0;
        degrees.map(|turn| {
            number += 1;
            before = self.bone(&format!("{name}_{number}"), Some(before), place, turn);
            place = (spacing, 0.0);
            before
        })
    }

    /// Lets a bone show a texture as it was drawn about it.
    pub(super) fn show(&mut self, bone: usize, texture: &str, zindex: i32) {
        let pivot_position = self.part(texture).map_or(Vec2::ZERO, |part| {
            let size = Vec2::new(part.image.width() as f32, part.image.height() as f32);
            let middle = Vec2::new(part.left as f32, part.top as f32) + size / 2.0;
            Vec2::new(middle.x, -middle.y) / size
        });
        self.visual(
            bone,
            VisualData {
                pivot_position,
                ..visual(texture, zindex)
            },
        );
    }

    /// Lets the first bone of a chain show a texture that follows the line through the chain.
    pub(super) fn show_along(&mut self, strip: Strip<'_>, texture: &str, zindex: i32) {
        let mesh = self.part(texture).map(|part| strip.path(part));
        self.show_mesh(strip, mesh, texture, zindex);
    }

    /// Lets the first bone of a chain show a texture that the chain's bones pull by weight.
    pub(super) fn show_weighted(&mut self, strip: Strip<'_>, texture: &str, zindex: i32) {
        let mesh = self.part(texture).map(|part| strip.weighted(part));
        self.show_mesh(strip, mesh, texture, zindex);
    }

    fn show_mesh(&mut self, strip: Strip<'_>, mesh: Option<MeshData>, texture: &str, zindex: i32) {
        if let Some(&first) = strip.chain.first() {
            self.visual(
                first,
                VisualData {
                    mesh,
                    ..visual(texture, zindex)
                },
            );
        }
    }

    /// Colours what a bone shows.
    pub(super) fn tint(&mut self, bone: usize, r: f32, g: f32, b: f32, a: f32) {
        if let Some(visual) = self.data.bones[bone].visual {
            self.data.visuals[visual].tint = Tint { r, g, b, a };
        }
    }

    /// Scales a bone.
    pub(super) fn scale(&mut self, bone: usize, x: f32, y: f32) {
        self.data.bones[bone].scale = Vec2::new(x, y);
    }

    /// Hides a bone until an animation shows it.
    pub(super) fn hide(&mut self, bone: usize) {
        self.data.bones[bone].hidden = true;
    }

    /// Lets a chain reach for a target.
    pub(super) fn reach(&mut self, chain: &[usize], target: usize, family: IkFamilyData) {
        let index = self.data.ik_families.len();
        for &bone in chain {
            self.data.bones[bone].ik_family = Some(index);
        }
        let bones = chain.to_vec();
        self.data.ik_families.push(IkFamilyData {
            bones,
            target: Some(target),
            ..family
        });
    }

    /// Makes a bone springy, starting at rest.
    pub(super) fn spring(&mut self, bone: usize, physics: PhysicsData) {
        let (position, rotation, scale) = self.world(bone);
        let arm = self.data.bones[bone]
            .parent
            .map_or(Vec2::ZERO, |parent| position - self.world(parent).0);
        let start = PhysicsState {
            position,
            rotation,
            scale,
            orbit: libm::atan2f(arm.y, arm.x),
            ..PhysicsState::default()
        };
        self.data.bones[bone].physics = Some(self.data.physics.len());
        self.data.physics.push(PhysicsData { start, ..physics });
    }

    /// The armature.
    pub(super) fn finish(self) -> ArmatureData {
        self.data
    }

    fn part(&self, texture: &str) -> Option<&'a Part> {
        self.parts.iter().copied().find(|part| part.name == texture)
    }

    fn visual(&mut self, bone: usize, visual: VisualData) {
        self.data.bones[bone].visual = Some(self.data.visuals.len());
        self.data.visuals.push(visual);
    }

    /// Position, rotation and scale of a bone at rest, before any IK.
    fn world(&self, bone: usize) -> (Vec2, f32, Vec2) {
        let bone = &self.data.bones[bone];
        let Some(parent) = bone.parent else {
            return (bone.position, bone.rotation, bone.scale);
        };
        let (position, rotation, scale) = self.world(parent);
        let (sin, cos) = libm::sincosf(rotation);
        let arm = bone.position * scale;
        let turned = Vec2::new(cos * arm.x - sin * arm.y, sin * arm.x + cos * arm.y);
        (
            position + turned,
            rotation + bone.rotation,
            scale * bone.scale,
        )
    }
}

fn visual(texture: &str, zindex: i32) -> VisualData {
    VisualData {
        texture: texture.to_owned(),
        zindex,
        ..VisualData::default()
    }
}

/// A chain that bends at its middle towards the front, and whose tip turns with the target.
pub(super) fn knee() -> IkFamilyData {
    IkFamilyData {
        constraint: IkConstraint::Clockwise,
        mimic_target: true,
        ..IkFamilyData::default()
    }
}

/// A chain that bows when its target comes close.
pub(super) fn bow() -> IkFamilyData {
    IkFamilyData {
        mode: IkMode::Arc,
        ..IkFamilyData::default()
    }
}
