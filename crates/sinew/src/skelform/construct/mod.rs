//! From bone states to a pose in the world: inheritance, IK, physics, meshes, visibility.
//!
//! Input: [`Armature`], [`ArmatureState`], [`ConstructSettings`] → output: [`ArmaturePose`], and the
//! physics of the state moves on. The order is the editor's: inherit, solve IK on that pose, inherit
//! again, simulate physics against that, inherit a third time, then deform meshes. Nothing allocates.

mod armature_pose;
mod ik;
mod inherit;
mod mesh;
mod physics;
mod plan;

pub use armature_pose::{ArmaturePose, BonePose, is_facing_left};
pub(super) use plan::Plan;

use super::{Armature, ArmatureError, ArmatureState};
use glam::Vec2;

/// Where the character stands and how its springy parts move on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstructSettings {
    /// Added to every position, after scaling.
    pub position: Vec2,
    /// Multiplies every position and scale. A negative x turns the character around, a negative y
    /// suits engines whose y points down.
    pub scale: Vec2,
    /// How fast the character itself moves, so that springy parts stay behind: per call with
    /// [`PhysicsStep::PerCall`], per second with [`PhysicsStep::Seconds`]. In the character's own
    /// pixels, before `scale`: divide a velocity in the world by `scale`, sign and all. Physics knows
    /// nothing of `position`, so a character that jumps elsewhere needs no settling.
    pub velocity: Vec2,
    /// How much physics happens.
    pub physics: PhysicsStep,
    /// Whether IK is solved at all.
    pub ik: bool,
    /// Whether a child turns the other way under a mirrored parent; `None` leaves it to the version of
    /// the file ([`super::ArmatureData::mirrored_rotation`]).
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

/// How far physics moves on in a call of [`construct`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PhysicsStep {
    /// Springy bones stand where the skeleton puts them; their state is left alone.
    Off,
    /// One step per call, as SkelForm does it: speed depends on how often you call.
    #[default]
    PerCall,
    /// By time: the same rest at any frame rate and nearly the same way there, equal to one call per
    /// step at 60 calls per second.
    /// Negative and NaN count as 0, more than [`MAX_PHYSICS_SECONDS`] as that.
    Seconds(f32),
}

/// The longest time that one call simulates: after a second at the editor's 60 steps everything
/// has settled, and the work per call stays bounded.
pub const MAX_PHYSICS_SECONDS: f32 = 1.0;

/// Builds the pose of a character.
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
/// [`ArmatureError::StateMismatch`] when `state` was made for another armature. `out` is made to fit
/// when it was not, which is the only time it allocates.
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

/// Lets physics settle: `steps` calls of [`construct`] without meshes, so that a character does not
/// appear with its hair still flying. `out` holds no pose to draw afterwards.
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

/// Stands springy bones where the skeleton puts them, at rest: for a character that appears, or that
/// was moved by other means than walking. `out` holds no pose to draw afterwards.
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

/// The bones of the pose: everything but meshes and visibility.
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
        ik::solve(plan, state, out);
        inherit::inherit(plan, &state.bones, inherit::Overrides::Ik, out);
    }
    if settings.physics != PhysicsStep::Off && plan.has_physics() {
        physics::simulate(plan, settings, &out.bones, &mut state.physics);
        let ik_and_physics = inherit::Overrides::IkAndPhysics(&state.physics);
        inherit::inherit(plan, &state.bones, ik_and_physics, out);
    }
}
