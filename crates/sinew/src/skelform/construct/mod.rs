//! Computes the world pose from bone states: inheritance, IK, physics, meshes, visibility.
//!
//! Input: [`Armature`], [`ArmatureState`], [`ConstructSettings`] → output: [`ArmaturePose`]; the physics of the state
//! advances. The order is the editor's: inherit, solve IK on that pose, inherit again, simulate physics against that,
//! inherit a third time, then deform meshes. Does not allocate.

mod armature_pose;
mod ik;
mod inherit;
mod mesh;
mod physics;
mod plan;

pub use armature_pose::{ArmaturePose, BonePose, is_facing_left};
pub(super) use plan::Plan;

use super::{Armature, ArmatureError, ArmatureState};
use crate::simd::SimdLevel;
use glam::Vec2;

/// The placement of the character, and its physics step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstructSettings {
    /// Added to every position, after scaling.
    pub position: Vec2,
    /// Multiplies every position and scale. A negative x mirrors the character, a negative y is for engines with y
    /// down.
    pub scale: Vec2,
    /// The velocity of the character, which springy parts lag behind: per call with [`PhysicsStep::PerCall`], per
    /// second with [`PhysicsStep::Seconds`]. In the character's own pixels, before `scale`: divide a world velocity
    /// by `scale`, sign included. Physics ignores `position`, so a teleported character needs no settling.
    pub velocity: Vec2,
    /// The physics step.
    pub physics: PhysicsStep,
    /// Whether IK is solved.
    pub ik: bool,
    /// Whether a child rotates in reverse under a mirrored parent; `None` uses the version of the file
    /// ([`super::ArmatureData::mirrored_rotation`]).
    pub mirrored_rotation: Option<bool>,
}

impl Default for ConstructSettings {
    fn default() -> Self {
        Self {
            position: Vec2::ZERO,
            scale: Vec2::ONE,
            velocity: Vec2::ZERO,
            physics: PhysicsStep::PerCall,
            ik: true,
            mirrored_rotation: None,
        }
    }
}

/// The physics step of a call of [`construct`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PhysicsStep {
    /// Springy bones follow the skeleton rigidly; their state is unchanged.
    Off,
    /// One step per call, as in SkelForm: speed depends on the call rate.
    #[default]
    PerCall,
    /// By time: the same rest at any frame rate and nearly the same path, equal to one step per call at 60 calls per
    /// second. Negative and NaN are 0; clamped to [`MAX_PHYSICS_SECONDS`].
    Seconds(f32),
}

/// The maximum time that one call simulates: after a second at the editor's 60 steps everything has settled, and the
/// work per call stays bounded.
pub const MAX_PHYSICS_SECONDS: f32 = 1.0;

/// Computes the pose of a character.
///
/// ```
/// # use sinew::skelform::{Armature, ArmatureData, ConstructSettings, ArmaturePose, construct};
/// # let armature = Armature::new(ArmatureData::default()).unwrap();
/// let mut state = armature.new_state();
/// let mut pose = ArmaturePose::new(&armature);
/// construct(&armature, &mut state, &ConstructSettings::default(), &mut pose).unwrap();
/// assert_eq!(pose.bones().count(), armature.bone_count());
/// ```
///
/// # Errors
/// [`ArmatureError::StateMismatch`] if `state` is of another armature. `out` is resized if it does not fit, the only
/// case in which it allocates.
pub fn construct(
    armature: &Armature,
    state: &mut ArmatureState,
    settings: &ConstructSettings,
    out: &mut ArmaturePose,
) -> Result<(), ArmatureError> {
    armature.check_state(state)?;
    pose(armature, state, settings, out);
    mesh::deform(armature.plan(), out);
    inherit::hide(armature.plan(), &state.hidden, &mut out.hidden);
    Ok(())
}

/// Settles physics: `steps` calls of [`construct`] without meshes, so a new character does not appear in motion.
/// `out` is not a drawable pose afterwards.
///
/// # Errors
/// As [`construct`].
pub fn warm_up(
    armature: &Armature,
    state: &mut ArmatureState,
    settings: &ConstructSettings,
    steps: u32,
    out: &mut ArmaturePose,
) -> Result<(), ArmatureError> {
    armature.check_state(state)?;
    for _ in 0..steps {
        pose(armature, state, settings, out);
    }
    Ok(())
}

/// Resets springy bones to the skeleton at rest: for a character that appears, or whose bones were moved far at once.
/// `out` is not a drawable pose afterwards.
///
/// # Errors
/// As [`construct`].
pub fn snap_physics(
    armature: &Armature,
    state: &mut ArmatureState,
    settings: &ConstructSettings,
    out: &mut ArmaturePose,
) -> Result<(), ArmatureError> {
    armature.check_state(state)?;
    let settings = ConstructSettings {
        physics: PhysicsStep::Off,
        ..*settings
    };
    pose(armature, state, &settings, out);
    physics::snap_all(armature.plan(), &out.bones, &mut state.physics);
    Ok(())
}

/// Computes the bones of the pose: everything but meshes and visibility.
fn pose(
    armature: &Armature,
    state: &mut ArmatureState,
    settings: &ConstructSettings,
    out: &mut ArmaturePose,
) {
    let plan = armature.plan();
    out.fit(plan);
    out.place(settings.position, settings.scale);
    out.mirrored_rotation = settings.mirrored_rotation.unwrap_or(plan.mirrored_rotation);
    inherit::local_rotors(plan, &state.bones, &mut out.local);
    out.ik.fill(None);
    inherit::inherit(plan, &state.bones, inherit::Overrides::None, out);
    if settings.ik && plan.has_ik() {
        ik::solve(SimdLevel::best(), plan, state, out);
        inherit::inherit(plan, &state.bones, inherit::Overrides::Ik, out);
    }
    if settings.physics != PhysicsStep::Off && plan.has_physics() {
        physics::simulate(plan, settings, &out.bones, &mut state.physics);
        let ik_and_physics = inherit::Overrides::IkAndPhysics(&state.physics);
        inherit::inherit(plan, &state.bones, ik_and_physics, out);
    }
}
