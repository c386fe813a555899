//! Registration: which moments of motions correspond, and how one is laid on the other.
//!
//! ```text
//! Motion ─▶ Cloud ─┐
//!                  ├─▶ Grid ─▶ Path ─▶ Warp ─ refined ─▶ Alignment ─▶ RegistrationCurve ─▶ MotionBlend ─▶ Pose
//! Motion ─▶ Cloud ─┘
//! ```
//!
//! 1. `cloud`: joints as points, frame by frame;
//! 2. `grid`: how far windows of frames are apart, each pair turned and shifted over the ground to where it fits
//!    best (`distance`, in closed form);
//! 3. `threshold`: how near is near enough, derived from the grid; `path`: dynamic time warping, the path through the grid
//!    along which they are nearest (`cyclic`: around the torus that the grid of two loops is);
//! 4. `warp`: a smooth, strictly rising curve along it, then moved by fractions of frames;
//! 5. `alignment`: the turn and shift from moment to moment (both by windows `along` the curve);
//! 6. `matches`: which feet are planted in both;
//! 7. `several`: more than two motions, through the one that is nearest to all;
//! 8. `fingerprint`: what the curve was made from, so that other motions are noticed.
//!
//! [`MotionBlend`](sinew::registration::MotionBlend) plays motions along a curve, mixed by weights; [`blend_motions`] and [`transition`] make
//! animations of that, [`switch_motions`] without a curve (`plain`; `record` keeps the poses).
//!
//! After Kovar and Gleicher, Flexible Automatic Motion Blending with Registration Curves (SCA 2003), with paths of
//! free ends and moments between frames. Registering is done offline, in a fixed order, with the same bits on every
//! machine.
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
mod along;
mod cloud;
mod cyclic;
mod distance;
mod distances;
mod grid;
mod matches;
mod offline;
mod pair;
mod path;
mod plain;
mod record;
mod settings;
mod several;
mod spline_fit;
mod threshold;
mod warp;

pub(crate) use cloud::{Cloud, Moment};
pub(crate) use distance::Sums;
pub use distances::DistanceGrid;
pub(crate) use grid::Grid;
pub use offline::{BlendWeights, Blended, TransitionSettings, blend_motions, transition};
pub use plain::{SwitchSettings, evened, switch_motions};
pub(crate) use settings::usual_weights;
pub use settings::{RegisterError, RegisterMode, RegisterSettings};

use sinew::registration::{Motion, RegistrationCurve};

/// Registers motions: two, or several through the one that is nearest to all others.
///
/// # Errors
/// When there are fewer than two or more than 32, skeletons are built differently, a motion is too short or not
/// finite, a setting cannot be used, or nothing matches.
pub fn register(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    let curve = several::register_several(motions, settings)?;
    let plants = matches::match_plants(&curve, motions);
    Ok(curve.with_plants(plants))
}
