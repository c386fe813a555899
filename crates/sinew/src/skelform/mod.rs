//! 2D characters as SkelForm defines them: model, state, `animate`, `construct`, draw list.
//!
//! ```text
//! ArmatureData ──Armature::new──▶ Armature (shared) ──new_state──▶ ArmatureState (one per character)
//!                                     │                                 │
//!                                     └───────────── animate ───────────┤  keys → bone fields
//!                                     │         ArmatureCrossfade       │  fades between animations
//!                                     └───────────── construct ─────────┤  → ArmaturePose: the pose
//!                                     └───────────── DrawList::fill ────┘  → triangles, back to front
//! ```
//!
//! Follows the public SkelForm format and its editor; if runtimes of that format differ, the editor is authoritative.
//! The world is y-up, angles are radians counter-clockwise, lengths are pixels.

mod animate;
mod check;
mod construct;
mod crossfade;
pub mod curve;
mod data;
mod draw_list;
mod error;
mod frame;
mod image;
mod index;
mod model;
mod state;
mod times;
mod tracks;

pub use animate::{AnimationFrame, animate};
pub use construct::{
    ArmaturePose, BonePose, ConstructSettings, MAX_PHYSICS_SECONDS, PhysicsStep, construct,
    is_facing_left, snap_physics, warm_up,
};
pub use crossfade::ArmatureCrossfade;
pub use data::{
    AnimationData, ArmatureData, AtlasData, BindData, BoneData, Element, IkConstraint,
    IkFamilyData, IkMode, KeyData, MeshData, PhysicsData, StyleData, TextureData, Tint, VertexData,
    VisualData,
};
pub use draw_list::{DrawItem, DrawList, DrawVertex, TextureRef};
pub use error::ArmatureError;
pub use frame::{FrameSettings, Repeat, format_frame, time_frame, time_frame_exact};
pub use image::Image;
pub use index::{ArmatureAnimationIndex, BoneIndex, IkFamilyIndex, StyleIndex};
pub use model::Armature;
pub use state::{ArmatureState, BoneState, IkState, PhysicsState};
pub(crate) use state::{BONE_FIELDS, TINT_FIELDS, TextureName};
pub use tracks::ArmatureAnimation;
pub(crate) use tracks::{NumberTarget, StepTarget, bone_field, step_target, tint_field};
