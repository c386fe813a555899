//! From a constructed pose to triangles: draw order, textures of the worn styles, bounds.
//!
//! Input: [`Armature`], [`ArmatureState`], [`Constructed`], the worn styles → output: [`DrawList`].
//! The list names textures and carries positions; it knows nothing of a renderer.

use super::{Armature, ArmatureState, BoneIndex, Constructed, StyleIndex, TextureData, Tint};
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
    /// What to draw it with; [`Armature::texture`] tells atlas, offset and size.
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
