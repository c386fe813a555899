//! Sinew's own characters and motions, made by code.
//!
//! ```text
//! art (vector drawings → textures) ─▶ rig (bones, meshes, IK, physics) ─▶ animations
//!        └────────── atlas (one picture) ─────────────────────────────────▶ Sample
//! motion (gait figures, simple physics, IK) ─▶ ASF, AMC, BVH
//! ```
//!
//! Everything is computed from constants, so the same call gives the same bytes.

mod animations;
mod art;
mod atlas;
pub mod motion;
mod rig;

use sinew::glam::UVec2;
use sinew::skelform::{ArmatureData, AtlasData, Image};

/// A character: what a `.skf` file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Bones, meshes, animations, styles.
    pub data: ArmatureData,
    /// The pictures that textures are cut from, in the order of `data.atlases`.
    pub atlases: Vec<Image>,
}

/// Pixels per second at which the ground passes under Pip's feet in `walk`.
pub const PIP_WALK_SPEED: f32 = animations::WALK_SPEED;

/// Pip, a fox cub on the road with a sprout on the head.
///
/// Animations `idle`, `walk`, `wave` and `jump`, each looping; styles `Default` and `Winter`. To wear
/// winter clothes put that style before `Default`, which has all that it lacks. Pip is about 590 pixels tall,
/// faces +x and stands on the origin; `walk` goes on the spot, at the pace of [`PIP_WALK_SPEED`].
///
/// ```
/// let pip = sinew_samples_generator::pip();
/// let armature = sinew::skelform::Armature::new(pip.data)?;
/// assert!(armature.find_animation("walk").is_some());
/// # Ok::<(), sinew::skelform::ArmatureError>(())
/// ```
pub fn pip() -> Sample {
    let (everyday, winter) = (art::default_parts(), art::winter_parts());
    let (rig, bones) = rig::build(everyday.iter().chain(&winter));
    let (atlas, styles) = atlas::pack(&[("Default", &everyday), ("Winter", &winter)]);
    let data = ArmatureData {
        version: "0.7.0".to_owned(),
        animations: animations::all(&rig, &bones),
        styles,
        default_styles: vec![0],
        atlases: vec![AtlasData {
            filename: "atlas0.png".to_owned(),
            size: UVec2::new(atlas.width(), atlas.height()),
        }],
        ..rig
    };
    Sample {
        data,
        atlases: vec![atlas],
    }
}
