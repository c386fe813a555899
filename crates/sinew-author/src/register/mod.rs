//! Registration: which times of two or more motions correspond, and how one is placed on the other.
//!
//! ```text
//! Motion ─▶ PointCloud ─┐
//!                       ├─▶ Grid ─▶ Path ─▶ TimeWarp ─ refined ─▶ Alignment ─▶ RegistrationCurve ─▶ MotionBlend ─▶ Pose
//! Motion ─▶ PointCloud ─┘
//! ```
//!
//! 1. `point_cloud`: joints as points, frame by frame;
//! 2. `grid`: the distance grid of windows of frames, each pair after the best rotation and translation over the ground
//!    (`procrustes`, in closed form);
//! 3. `threshold`: how near is near enough, derived from the grid; `dtw`: dynamic time warping, the path of least distance
//!    through the grid (`cyclic`: around the torus that is the grid of two loops);
//! 4. `time_warp`: a smooth, strictly rising curve along the path, refined to fractions of frames (`spline_fit`);
//! 5. `alignment`: the rotation and translation over time, fitted to `windows` along the curve;
//! 6. `plant_matches`: the constraint matches, feet that are planted in all motions;
//! 7. `multi`: more than two motions, through the one that is nearest to all;
//! 8. `MotionFingerprint`: what the curve was made from, so that other motions are noticed.
//!
//! [`MotionBlend`](sinew::registration::MotionBlend) plays motions along a curve, blended by weights; [`blend_motions`] and
//! [`transition`] bake animations of that (`bake`), [`switch_motions`] works without a curve (`unregistered`); `recorder`
//! collects the poses.
//!
//! After Kovar and Gleicher, Flexible Automatic Motion Blending with Registration Curves (SCA 2003), with free path ends and
//! times between frames. `docs/decisions/2026-11-16-registration.md` and `docs/decisions/2026-11-18-nearest.md` say what
//! differs and why. Registering is done offline, in a fixed order, with the same bits on every machine.
//!
//! ```
//! # use sinew::registration::Motion;
//! # use sinew_author::register::{RegisterSettings, register};
//! # fn example(skeleton: &sinew::Skeleton, walk: &sinew::Animation, run: &sinew::Animation)
//! # -> Result<(), sinew_author::register::RegisterError> {
//! let settings = RegisterSettings::default();
//! let curve = register(&[Motion::new(skeleton, walk), Motion::new(skeleton, run)], &settings)?;
//! let half_way = curve.time(1, 0.5);
//! # assert!(half_way > 0.0);
//! # Ok(())
//! # }
//! ```

mod alignment;
mod bake;
mod crossfade;
mod cyclic;
mod distance_grid;
mod dtw;
mod grid;
mod multi;
mod pairwise;
mod plant_matches;
mod point_cloud;
mod procrustes;
mod recorder;
mod settings;
mod spline_fit;
mod threshold;
mod time_warp;
mod unregistered;
mod windows;

pub use bake::{BlendWeights, BlendedMotion, TransitionSettings, blend_motions, transition};
pub use crossfade::{CrossfadeCurve, CrossfadeSource, PoseCrossfade, PoseTransition};
pub use distance_grid::DistanceGrid;
pub(crate) use grid::Grid;
pub(crate) use point_cloud::{PointCloud, PointCloudFrame};
pub(crate) use procrustes::AlignmentSums;
pub(crate) use settings::default_weights;
pub use settings::{RegisterError, RegisterMode, RegisterSettings};
pub use unregistered::{SwitchSettings, switch_motions, without_time_warp};

use sinew::registration::{Motion, RegistrationCurve};

/// Registers motions: two, or several through the one that is nearest to all others.
///
/// # Errors
/// If there are fewer than two or more than 32 motions, skeletons differ, a motion is too short or not finite, a setting
/// is out of range, or nothing matches.
pub fn register(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    let curve = multi::register_several(motions, settings)?;
    let plants = plant_matches::match_plants(&curve, motions);
    Ok(curve.with_plants(plants))
}
