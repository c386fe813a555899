//! The authoring form of a 2D character: what a `.skf` file says, as plain data.
//!
//! Readers and generators fill an [`ArmatureData`]; [`super::Armature::new`] checks it and compiles
//! it into the form that plays. World is y-up, angles are radians counter-clockwise, lengths are
//! pixels, texture coordinates run from the top left.

use crate::skelform::curve::Ease;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{UVec2, Vec2};

/// A whole character: bones, what they show, how they move.
///
/// Cross-references are indices into the lists here; `None` means there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmatureData {
    /// The version of the editor that wrote the file; empty when unknown.
    pub version: String,
    /// The animations already contain the result of IK, so it is not solved at run time.
    pub baked_ik: bool,
    /// Under a parent that is mirrored (one scale axis negative), a child's rotation turns the other
    /// way. Editors from 0.8 on do this, earlier ones do not.
    pub mirrored_rotation: bool,
    /// The bones; every parent stands before its children.
    pub bones: Vec<BoneData>,
    /// What bones show; at most one bone refers to each.
    pub visuals: Vec<VisualData>,
    /// IK families.
    pub ik_families: Vec<IkFamilyData>,
    /// Physics settings; at most one bone refers to each.
    pub physics: Vec<PhysicsData>,
    /// Animations, in the file's order.
    pub animations: Vec<AnimationData>,
    /// Texture sets; the same texture name in several styles gives an outfit to choose.
    pub styles: Vec<StyleData>,
    /// Indices into `styles` that are worn unless the user says otherwise, first match wins.
    pub default_styles: Vec<usize>,
    /// The pictures that textures are cut from.
    pub atlases: Vec<AtlasData>,
}

/// One bone at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneData {
    /// Name; need not be unique (lookup finds the first).
    pub name: String,
    /// The bone that this one hangs on.
    pub parent: Option<usize>,
    /// Position relative to the parent.
    pub pos: Vec2,
    /// Rotation relative to the parent.
    pub rot: f32,
    /// Scale relative to the parent.
    pub scale: Vec2,
    /// Not drawn, nor any descendant.
    pub hidden: bool,
    /// What the bone shows, an index into `visuals`.
    pub visual: Option<usize>,
    /// The IK family that IK keyframes on this bone address, an index into `ik_families`.
    pub ik_family: Option<usize>,
    /// An index into `physics`.
    pub physics: Option<usize>,
}

impl Default for BoneData {
    fn default() -> Self {
        Self {
            name: String::new(),
            parent: None,
            pos: Vec2::ZERO,
            rot: 0.0,
            scale: Vec2::ONE,
            hidden: false,
            visual: None,
            ik_family: None,
            physics: None,
        }
    }
}

/// A colour that multiplies a texture; 1 leaves a channel as it is.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Tint {
    /// Red factor.
    pub r: f32,
    /// Green factor.
    pub g: f32,
    /// Blue factor.
    pub b: f32,
    /// Opacity factor.
    pub a: f32,
}

impl Tint {
    /// Leaves the texture as it is.
    pub const WHITE: Self = Self {
        r: 1.0,
        g: 1.0,
        b: 1.0,
        a: 1.0,
    };
}

impl Default for Tint {
    fn default() -> Self {
        Self::WHITE
    }
}

/// What a bone shows.
#[derive(Clone, Debug, PartialEq)]
pub struct VisualData {
    /// Name of the texture, looked up in the worn styles; empty shows nothing.
    pub texture: String,
    /// Colour factor.
    pub tint: Tint,
    /// Higher is drawn later, on top; ties keep bone order.
    pub zindex: i32,
    /// Offset of the picture from the bone, as a fraction of the texture's size.
    pub pivot_pos: Vec2,
    /// Rotation of the picture about the bone, in radians.
    pub pivot_rot: f32,
    /// Scale of the picture.
    pub pivot_scale: Vec2,
    /// The deformable mesh; without one the texture is a rectangle about the bone.
    pub mesh: Option<MeshData>,
}

impl Default for VisualData {
    fn default() -> Self {
        Self {
            texture: String::new(),
            tint: Tint::WHITE,
            zindex: 0,
            pivot_pos: Vec2::ZERO,
            pivot_rot: 0.0,
            pivot_scale: Vec2::ONE,
            mesh: None,
        }
    }
}

/// A deformable mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Vertices at rest, relative to the bone.
    pub vertices: Vec<VertexData>,
    /// Three vertex indices per triangle.
    pub indices: Vec<u32>,
    /// Bones that pull vertices, applied in this order.
    pub binds: Vec<BindData>,
}

/// One vertex of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexData {
    /// Position at rest, relative to the bone.
    pub pos: Vec2,
    /// Place in the texture: 0 to 1, from its top left.
    pub uv: Vec2,
}

/// A bone that pulls vertices of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindData {
    /// The bone; `None` is a bind that the author has not yet given a bone, which does nothing.
    pub bone: Option<usize>,
    /// Whether vertices follow the line through the binds instead of being weighted.
    pub is_path: bool,
    /// Vertex index and weight. Weights need not add up to 1.
    pub vertices: Vec<(u32, f32)>,
}

/// Which way an IK chain may bend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IkConstraint {
    /// Either way.
    #[default]
    None,
    /// The chain is mirrored when it bends counter-clockwise.
    Clockwise,
    /// The chain is mirrored when it bends clockwise.
    CounterClockwise,
}

impl IkConstraint {
    /// Every constraint; the position is the number that 0.2 files use.
    pub const ALL: [Self; 3] = [Self::None, Self::Clockwise, Self::CounterClockwise];

    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Clockwise => "Clockwise",
            Self::CounterClockwise => "CounterClockwise",
        }
    }

    /// The constraint of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// How an IK chain reaches for its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IkMode {
    /// Forward and backward reaching, ten rounds.
    #[default]
    Fabrik,
    /// The chain becomes an arc that flattens as the target moves away.
    Arc,
}

impl IkMode {
    /// Every mode; the position is the number that 0.2 files use.
    pub const ALL: [Self; 2] = [Self::Fabrik, Self::Arc];

    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fabrik => "FABRIK",
            Self::Arc => "Arc",
        }
    }

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// A chain of bones that reaches for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct IkFamilyData {
    /// The chain, from its root to its tip.
    pub bones: Vec<usize>,
    /// The bone to reach for.
    pub target: Option<usize>,
    /// Which way it may bend.
    pub constraint: IkConstraint,
    /// How it reaches.
    pub mode: IkMode,
    /// The tip takes the target's rotation.
    pub mimic_target: bool,
    /// Whether it is solved at all; the editor can switch a family off.
    pub enabled: bool,
}

impl Default for IkFamilyData {
    fn default() -> Self {
        Self {
            bones: Vec::new(),
            target: None,
            constraint: IkConstraint::None,
            mode: IkMode::Fabrik,
            mimic_target: false,
            enabled: true,
        }
    }
}

/// Springiness of a bone. A damping of 0 switches that part off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhysicsData {
    /// How slowly the position follows, in updates; 2 or less follows at once.
    pub pos_damping: f32,
    /// Below 0 loosens y less, above 0 loosens x less; -1 to 1.
    pub pos_ratio: f32,
    /// How slowly the rotation follows, in updates: 1 follows at once, below 1 it overshoots.
    pub rot_damping: f32,
    /// How slowly the scale follows, in updates.
    pub scale_damping: f32,
    /// As `pos_ratio`, for the scale.
    pub scale_ratio: f32,
    /// How strongly movement swings the bone about its parent: at 1, moving a thousand pixels in an
    /// update turns it all the way against the movement.
    pub sway: f32,
    /// How much of the swing is kept from update to update, 0 to 1.
    pub rot_bounce: f32,
    /// Where the simulation starts.
    pub start: super::PhysicsState,
}

/// An animation: keys on elements of bones.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationData {
    /// Name as the file has it.
    pub name: String,
    /// Frames per second; 0 stands still.
    pub fps: u32,
    /// The keys, in any order.
    pub keys: Vec<KeyData>,
}

/// What a key changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// `pos.x`, interpolated.
    PositionX,
    /// `pos.y`, interpolated.
    PositionY,
    /// `rot`, interpolated without taking the shorter way.
    Rotation,
    /// `scale.x`, interpolated.
    ScaleX,
    /// `scale.y`, interpolated.
    ScaleY,
    /// Red tint, interpolated.
    TintR,
    /// Green tint, interpolated.
    TintG,
    /// Blue tint, interpolated.
    TintB,
    /// Opacity, interpolated.
    TintA,
    /// Draw order; the value cut to a whole number.
    Zindex,
    /// Texture name, in the key's text; empty shows nothing.
    Texture,
    /// Hidden when the value is not 0.
    Hidden,
    /// The IK family's constraint, in the key's text.
    IkConstraint,
    /// The IK family's mode, in the key's text.
    IkMode,
    /// The IK family's `mimic_target`, set when the value is not 0.
    MimicTarget,
}

impl Element {
    /// Every element.
    pub const ALL: [Self; 15] = [
        Self::PositionX,
        Self::PositionY,
        Self::Rotation,
        Self::ScaleX,
        Self::ScaleY,
        Self::TintR,
        Self::TintG,
        Self::TintB,
        Self::TintA,
        Self::Zindex,
        Self::Texture,
        Self::Hidden,
        Self::IkConstraint,
        Self::IkMode,
        Self::MimicTarget,
    ];

    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PositionX => "PositionX",
            Self::PositionY => "PositionY",
            Self::Rotation => "Rotation",
            Self::ScaleX => "ScaleX",
            Self::ScaleY => "ScaleY",
            Self::TintR => "TintR",
            Self::TintG => "TintG",
            Self::TintB => "TintB",
            Self::TintA => "TintA",
            Self::Zindex => "Zindex",
            Self::Texture => "Texture",
            Self::Hidden => "Hidden",
            Self::IkConstraint => "IkConstraint",
            Self::IkMode => "IkMode",
            Self::MimicTarget => "MimicTarget",
        }
    }

    /// The element of that name. "Tex" is another runtime's word for Texture.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "Tex" {
            return Some(Self::Texture);
        }
        Self::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Whether values between keys are interpolated; the others change at the key.
    pub const fn is_interpolated(self) -> bool {
        matches!(
            self,
            Self::PositionX
                | Self::PositionY
                | Self::Rotation
                | Self::ScaleX
                | Self::ScaleY
                | Self::TintR
                | Self::TintG
                | Self::TintB
                | Self::TintA
        )
    }
}

/// One key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyData {
    /// When, in frames.
    pub frame: u32,
    /// On which bone.
    pub bone: usize,
    /// What it changes.
    pub element: Element,
    /// The number; see [`Element`] for its meaning.
    pub value: f32,
    /// The text of [`Element::Texture`], [`Element::IkConstraint`] and [`Element::IkMode`].
    pub text: String,
    /// How this key is arrived at from the one before.
    pub ease: Ease,
}

/// A set of textures that can be worn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyleData {
    /// Name as the file has it.
    pub name: String,
    /// The textures.
    pub textures: Vec<TextureData>,
}

/// A rectangle of an atlas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureData {
    /// Name that visuals and keys refer to.
    pub name: String,
    /// Index into `atlases`.
    pub atlas: usize,
    /// Top left corner in the atlas, in pixels.
    pub offset: UVec2,
    /// Width and height in pixels.
    pub size: UVec2,
}

/// A picture that textures are cut from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtlasData {
    /// Name of the file inside the archive.
    pub filename: String,
    /// Width and height in pixels, as stated.
    pub size: UVec2,
}
