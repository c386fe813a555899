//! The authoring form of a 2D character: the contents of a `.skf` file as plain data.
//!
//! Readers and generators fill an [`ArmatureData`]; [`super::Armature::new`] validates it and compiles
//! it for playback. The world is y-up, angles are radians counter-clockwise, lengths are
//! pixels, texture coordinates run from the top left.

use crate::skelform::curve::Ease;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{UVec2, Vec2};

/// A character: bones, visuals, animations.
///
/// References are indices into the lists here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmatureData {
    /// The version of the editor that wrote the file; empty if unknown.
    pub version: String,
    /// The animations already contain the result of IK, so it is not solved at run time.
    pub baked_ik: bool,
    /// Whether a child's rotation is reversed under a mirrored parent (one scale axis negative). Editors from 0.8 on
    /// do this, earlier ones do not.
    pub mirrored_rotation: bool,
    /// The bones; every parent precedes its children.
    pub bones: Vec<BoneData>,
    /// The visuals of bones; at most one bone refers to each.
    pub visuals: Vec<VisualData>,
    /// IK families.
    pub ik_families: Vec<IkFamilyData>,
    /// Physics settings; at most one bone refers to each.
    pub physics: Vec<PhysicsData>,
    /// Animations, in the file's order.
    pub animations: Vec<AnimationData>,
    /// Texture sets; the same texture name in several styles gives a choice of outfits.
    pub styles: Vec<StyleData>,
    /// Indices into `styles` that are worn by default; the first match wins.
    pub default_styles: Vec<usize>,
    /// The images that textures are cut from.
    pub atlases: Vec<AtlasData>,
}

/// A bone at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneData {
    /// The name; need not be unique (lookup finds the first).
    pub name: String,
    /// The parent bone.
    pub parent: Option<usize>,
    /// Position relative to the parent.
    pub position: Vec2,
    /// Rotation relative to the parent.
    pub rotation: f32,
    /// Scale relative to the parent.
    pub scale: Vec2,
    /// Hides the bone and its descendants.
    pub hidden: bool,
    /// An index into `visuals`.
    pub visual: Option<usize>,
    /// The IK family of IK keys on this bone, an index into `ik_families`.
    pub ik_family: Option<usize>,
    /// An index into `physics`.
    pub physics: Option<usize>,
}

impl Default for BoneData {
    fn default() -> Self {
        Self {
            name: String::new(),
            parent: None,
            position: Vec2::ZERO,
            rotation: 0.0,
            scale: Vec2::ONE,
            hidden: false,
            visual: None,
            ik_family: None,
            physics: None,
        }
    }
}

/// A colour that multiplies a texture; 1 leaves a channel unchanged.
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
    /// Leaves the texture unchanged.
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

/// The visual of a bone.
#[derive(Clone, Debug, PartialEq)]
pub struct VisualData {
    /// The name of the texture, looked up in the worn styles; none if empty.
    pub texture: String,
    /// The colour factor.
    pub tint: Tint,
    /// The draw order: higher is drawn later, on top; ties keep bone order.
    pub zindex: i32,
    /// Offset of the image from the bone, as a fraction of the texture's size.
    pub pivot_position: Vec2,
    /// Rotation of the image about the bone, in radians.
    pub pivot_rotation: f32,
    /// Scale of the image.
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
            pivot_position: Vec2::ZERO,
            pivot_rotation: 0.0,
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
    /// Bones that deform vertices, applied in this order.
    pub binds: Vec<BindData>,
}

/// A vertex of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexData {
    /// Position at rest, relative to the bone.
    pub position: Vec2,
    /// Texture coordinates: 0 to 1, from the top left.
    pub uv: Vec2,
}

/// A bone that deforms vertices of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindData {
    /// The bone; a bind without one has no effect.
    pub bone: Option<usize>,
    /// Whether vertices follow the line through the binds instead of being weighted.
    pub is_path: bool,
    /// Vertex index and weight. Weights need not sum to 1.
    pub vertices: Vec<(u32, f32)>,
}

/// The bend constraint of an IK chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IkConstraint {
    /// No constraint.
    #[default]
    None,
    /// The chain is mirrored if it bends counter-clockwise.
    Clockwise,
    /// The chain is mirrored if it bends clockwise.
    CounterClockwise,
}

impl IkConstraint {
    /// All constraints; the index is the number in 0.2 files.
    pub const ALL: [Self; 3] = [Self::None, Self::Clockwise, Self::CounterClockwise];

    /// Returns the name used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Clockwise => "Clockwise",
            Self::CounterClockwise => "CounterClockwise",
        }
    }

    /// Returns the constraint of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// The solver of an IK chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IkMode {
    /// FABRIK: forward and backward reaching, ten iterations.
    #[default]
    Fabrik,
    /// The chain becomes an arc that flattens as the target moves away.
    Arc,
}

impl IkMode {
    /// All modes; the index is the number in 0.2 files.
    pub const ALL: [Self; 2] = [Self::Fabrik, Self::Arc];

    /// Returns the name used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fabrik => "FABRIK",
            Self::Arc => "Arc",
        }
    }

    /// Returns the mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// A chain of bones that reaches for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct IkFamilyData {
    /// The chain, from its root to its tip.
    pub bones: Vec<usize>,
    /// The target bone.
    pub target: Option<usize>,
    /// The bend constraint.
    pub constraint: IkConstraint,
    /// The solver.
    pub mode: IkMode,
    /// Whether the tip takes the target's rotation.
    pub mimic_target: bool,
    /// Whether it is solved; the editor can disable a family.
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

/// The physics of a springy bone. A damping of 0 disables that part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhysicsData {
    /// The damping of the position, in updates; 2 or less follows immediately.
    pub position_damping: f32,
    /// Below 0 loosens y less, above 0 loosens x less; -1 to 1.
    pub position_ratio: f32,
    /// The damping of the rotation, in updates: 1 follows immediately, below 1 it overshoots.
    pub rotation_damping: f32,
    /// The damping of the scale, in updates.
    pub scale_damping: f32,
    /// As `position_ratio`, for the scale.
    pub scale_ratio: f32,
    /// The strength of the swing about the parent caused by movement: at 1, moving a thousand pixels in an update
    /// turns the bone fully against the movement.
    pub sway: f32,
    /// The share of the swing kept from update to update, 0 to 1.
    pub rotation_bounce: f32,
    /// The initial state of the simulation.
    pub start: super::PhysicsState,
}

/// An animation: keys on elements of bones.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationData {
    /// The name in the file.
    pub name: String,
    /// Frames per second; 0 does not advance.
    pub frame_rate: u32,
    /// The keys, in any order.
    pub keys: Vec<KeyData>,
}

/// The element that a key changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// `position.x`, interpolated.
    PositionX,
    /// `position.y`, interpolated.
    PositionY,
    /// `rotation`, interpolated linearly, not along the shorter arc.
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
    /// Draw order; the value truncated to an integer.
    Zindex,
    /// Texture name, in the key's text; none if empty.
    Texture,
    /// Hidden if the value is not 0.
    Hidden,
    /// The IK family's constraint, in the key's text.
    IkConstraint,
    /// The IK family's mode, in the key's text.
    IkMode,
    /// The IK family's `mimic_target`, true if the value is not 0.
    MimicTarget,
}

impl Element {
    /// All elements.
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

    /// Returns the name used in files.
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

    /// Returns the element of that name. "Tex" is another runtime's name for Texture.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "Tex" {
            return Some(Self::Texture);
        }
        Self::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Returns whether values between keys are interpolated; the others change at the key.
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

/// A key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyData {
    /// The time in frames.
    pub frame: u32,
    /// The bone.
    pub bone: usize,
    /// The element.
    pub element: Element,
    /// The number; see [`Element`] for its meaning.
    pub value: f32,
    /// The text of [`Element::Texture`], [`Element::IkConstraint`] and [`Element::IkMode`].
    pub text: String,
    /// The easing from the preceding key to this one.
    pub ease: Ease,
}

/// A set of textures that can be worn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyleData {
    /// The name in the file.
    pub name: String,
    /// The textures.
    pub textures: Vec<TextureData>,
}

/// A rectangle of an atlas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureData {
    /// The name used by visuals and keys.
    pub name: String,
    /// An index into `atlases`.
    pub atlas: usize,
    /// Top left corner in the atlas, in pixels.
    pub offset: UVec2,
    /// Width and height in pixels.
    pub size: UVec2,
}

/// An image that textures are cut from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtlasData {
    /// The name of the file inside the archive.
    pub filename: String,
    /// Width and height in pixels, as declared.
    pub size: UVec2,
}
