//! Draw lists: triangles of a constructed pose, with draw order, textures of the worn styles and bounds.
//!
//! Input: [`Armature`], [`ArmatureState`], [`ArmaturePose`], the worn styles → output: [`DrawList`]. The list
//! contains texture references and positions; it is independent of a renderer.

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
    pub position: Vec2,
    /// Texture coordinates: 0 to 1, from the top left.
    pub uv: Vec2,
}

/// A texture of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextureRef {
    /// The style.
    pub style: StyleIndex,
    /// The index in the style's textures.
    pub texture: u32,
}

/// A textured mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawItem {
    /// The bone that shows it.
    pub bone: BoneIndex,
    /// The texture; [`Armature::texture`] returns atlas, offset and size, and [`Armature::atlas_uv`] the atlas
    /// coordinates of a vertex.
    pub texture: TextureRef,
    /// The colour factor.
    pub tint: Tint,
    /// Its range of [`DrawList::vertices`].
    pub vertices: Range<usize>,
    /// Its range of [`DrawList::indices`]; indices are relative to the start of the list's `vertices`.
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
    /// Visuals with a texture, sorted; kept to avoid allocations.
    order: Vec<(i32, u32)>,
}

impl DrawList {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills the list with the visible meshes of the character, wearing `styles` (the first that has a texture of the
    /// name is used). Bones that are hidden, have no texture, or whose texture is in no style are omitted. Allocates
    /// only while the list grows to its maximum size.
    ///
    /// `state` and `pose` must be of `armature`; anything that does not fit is omitted.
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
        for index in 0..self.order.len() {
            let bone = self.order[index].1 as usize;
            self.add(armature, state, pose, styles, bone);
        }
    }

    /// Appends everything of `other` on top: one list for a crowd of one armature.
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

    /// Returns the bounds of everything drawn: the lower left and upper right corner in the world; `None` if the list
    /// is empty.
    pub fn bounds(&self) -> Option<(Vec2, Vec2)> {
        let (first, others) = self.vertices.split_first()?;
        let start = (first.position, first.position);
        Some(others.iter().fold(start, |(low, high), v| {
            (low.min(v.position), high.max(v.position))
        }))
    }

    /// Sorts by z-index, ties by bone.
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
        // The offset of the image is rotated with the bone and then scaled along the world's axes, as in the editor.
        let offset = world.rotor.rotate(size * data.pivot_position) * world.scale;
        let (first_vertex, first_index) = (self.vertices.len(), self.indices.len());

        match (&data.mesh, &armature.plan().meshes.of_visual[visual]) {
            (Some(mesh), Some(range)) => {
                let Some(posed) = pose.vertices.get(range.clone()) else {
                    return;
                };
                let vertices = mesh.vertices.iter().zip(posed);
                self.vertices
                    .extend(vertices.map(|(rest, &position)| DrawVertex {
                        position: pose.place_point(position + offset),
                        uv: rest.uv,
                    }));
                self.indices
                    .extend(mesh.indices.iter().map(|i| first_vertex as u32 + i));
            }
            _ => {
                let rotor = world.rotor.then(Rotor::from_angle(data.pivot_rotation));
                let scale = world.scale * data.pivot_scale;
                self.vertices.extend(CORNERS.map(|(corner, uv)| {
                    let position = rotor.rotate(size * corner * scale) + world.position + offset;
                    DrawVertex {
                        position: pose.place_point(position),
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

/// Corners of a texture about its centre, with their texture coordinates.
const CORNERS: [(Vec2, Vec2); 4] = [
    (Vec2::new(-0.5, 0.5), Vec2::new(0.0, 0.0)),
    (Vec2::new(0.5, 0.5), Vec2::new(1.0, 0.0)),
    (Vec2::new(0.5, -0.5), Vec2::new(1.0, 1.0)),
    (Vec2::new(-0.5, -0.5), Vec2::new(0.0, 1.0)),
];

/// The two triangles of a rectangle.
const RECTANGLE: [u32; 6] = [0, 1, 2, 0, 2, 3];
