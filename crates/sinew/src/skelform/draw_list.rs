//! From a constructed pose to triangles: draw order, textures of the worn styles, bounds.
//!
//! Input: [`Armature`], [`ArmatureState`], [`ArmaturePose`], the worn styles → output: [`DrawList`].
//! The list names textures and carries positions; it knows nothing of a renderer.

use super::{Armature, ArmaturePose, ArmatureState, BoneIndex, StyleIndex, Tint};
use crate::math::Rotor;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec2;

/// A vertex to draw.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct DrawVertex {
    /// Position in the world, y-up.
    pub pos: Vec2,
    /// Place in the texture: 0 to 1, from its top left.
    pub uv: Vec2,
}

/// A texture that a style gives to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextureRef {
    /// The style.
    pub style: StyleIndex,
    /// Position in the style's textures.
    pub texture: u32,
}

/// One textured mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawItem {
    /// The bone that shows it.
    pub bone: BoneIndex,
    /// What to draw it with; [`Armature::texture`] tells atlas, offset and size, and
    /// [`Armature::atlas_uv`] where in the atlas a vertex lies.
    pub texture: TextureRef,
    /// Colour factor.
    pub tint: Tint,
    /// Its part of [`DrawList::vertices`].
    pub vertices: Range<usize>,
    /// Its part of [`DrawList::indices`]; the indices count from the start of `vertices` of the list.
    pub indices: Range<usize>,
}

/// Everything to draw, back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawList {
    /// Meshes, back to front.
    pub items: Vec<DrawItem>,
    /// Vertices of all items.
    pub vertices: Vec<DrawVertex>,
    /// Triangles of all items, three indices each.
    pub indices: Vec<u32>,
    /// Visuals that have a texture to show, sorted; kept to spare allocations.
    order: Vec<(i32, u32)>,
}

impl DrawList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills the list with what the character shows, wearing `styles` (the first that has a texture
    /// of the wanted name gives it). Bones that are hidden, show nothing or whose texture no style
    /// has are left out. Allocates only while the list grows to its largest size.
    ///
    /// `state` and `pose` belong to `armature`; whatever does not fit is left out.
    pub fn fill(
        &mut self,
        armature: &Armature,
        state: &ArmatureState,
        pose: &ArmaturePose,
        styles: &[StyleIndex],
    ) {
        self.items.clear();
        self.vertices.clear();
        self.indices.clear();
        self.sort(armature, state, pose);
        for at in 0..self.order.len() {
            let bone = self.order[at].1 as usize;
            self.add(armature, state, pose, styles, bone);
        }
    }

    /// Draws everything of `other` on top: one list for a crowd of one armature.
    pub fn append(&mut self, other: &Self) {
        let (vertices, indices) = (self.vertices.len(), self.indices.len());
        self.vertices.extend_from_slice(&other.vertices);
        let moved = other.indices.iter().map(|index| index + vertices as u32);
        self.indices.extend(moved);
        self.items.extend(other.items.iter().map(|item| DrawItem {
            vertices: item.vertices.start + vertices..item.vertices.end + vertices,
            indices: item.indices.start + indices..item.indices.end + indices,
            ..item.clone()
        }));
    }

    /// The smallest rectangle about everything drawn: its lower left and upper right corner in the
    /// world; `None` when nothing is.
    pub fn bounds(&self) -> Option<(Vec2, Vec2)> {
        let (first, others) = self.vertices.split_first()?;
        let start = (first.pos, first.pos);
        Some(
            others
                .iter()
                .fold(start, |(low, high), v| (low.min(v.pos), high.max(v.pos))),
        )
    }

    /// Draw order: by z-index, ties by bone.
    fn sort(&mut self, armature: &Armature, state: &ArmatureState, pose: &ArmaturePose) {
        self.order.clear();
        for (index, (bone, &hidden)) in armature.data().bones.iter().zip(&pose.hidden).enumerate() {
            if let Some(visual) = bone.visual
                && let Some(visual) = state.visuals.get(visual)
                && !hidden
            {
                self.order.push((visual.zindex, index as u32));
            }
        }
        self.order.sort_unstable();
    }

    fn add(
        &mut self,
        armature: &Armature,
        state: &ArmatureState,
        pose: &ArmaturePose,
        styles: &[StyleIndex],
        bone: usize,
    ) {
        let Some(visual) = armature.data().bones[bone].visual else {
            return;
        };
        let name = state.visuals[visual].texture;
        let Some(reference) = armature.texture_in(name, styles) else {
            return;
        };
        let Some(texture) = armature.texture(reference) else {
            return;
        };
        let (Some(world), Some(&tint)) = (pose.bones.get(bone), state.tints.get(visual)) else {
            return;
        };
        let data = &armature.data().visuals[visual];
        let size = texture.size.as_vec2();
        // The picture's offset turns with the bone and is then scaled along the world's axes: that
        // is how the editor shows it.
        let offset = world.rotor.rotate(size * data.pivot_pos) * world.scale;
        let (first_vertex, first_index) = (self.vertices.len(), self.indices.len());

        match (&data.mesh, &armature.plan().meshes.of_visual[visual]) {
            (Some(mesh), Some(range)) => {
                let Some(posed) = pose.vertices.get(range.clone()) else {
                    return;
                };
                let vertices = mesh.vertices.iter().zip(posed);
                self.vertices
                    .extend(vertices.map(|(rest, &pos)| DrawVertex {
                        pos: pose.place_point(pos + offset),
                        uv: rest.uv,
                    }));
                self.indices
                    .extend(mesh.indices.iter().map(|i| first_vertex as u32 + i));
            }
            _ => {
                let rotor = world.rotor.then(Rotor::from_angle(data.pivot_rot));
                let scale = world.scale * data.pivot_scale;
                self.vertices.extend(CORNERS.map(|(corner, uv)| {
                    let pos = rotor.rotate(size * corner * scale) + world.pos + offset;
                    DrawVertex {
                        pos: pose.place_point(pos),
                        uv,
                    }
                }));
                self.indices
                    .extend(RECTANGLE.map(|i| first_vertex as u32 + i));
            }
        }
        self.items.push(DrawItem {
            bone: bone.into(),
            texture: reference,
            tint,
            vertices: first_vertex..self.vertices.len(),
            indices: first_index..self.indices.len(),
        });
    }
}

/// Corners of a texture about its centre, with their place in it.
const CORNERS: [(Vec2, Vec2); 4] = [
    (Vec2::new(-0.5, 0.5), Vec2::new(0.0, 0.0)),
    (Vec2::new(0.5, 0.5), Vec2::new(1.0, 0.0)),
    (Vec2::new(0.5, -0.5), Vec2::new(1.0, 1.0)),
    (Vec2::new(-0.5, -0.5), Vec2::new(0.0, 1.0)),
];

/// The two triangles of a rectangle.
const RECTANGLE: [u32; 6] = [0, 1, 2, 0, 2, 3];
