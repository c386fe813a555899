//! Foot-skate cleanup: removes foot skate, the sliding of planted feet and hands.
//!
//! ```text
//! Skeleton, Animation ─find_plants─▶ Plants ─┐
//!                                            ├─clean_feet─▶ Animation + CleanReport
//! Skeleton, Animation ───────────────────────┘
//! ```
//!
//! 1. [`contacts`](crate::contacts): when feet and hands are planted;
//! 2. `targets` with `fade`: where ankles and wrists go for that;
//! 3. `body_shift`: the least shift of the body with which limbs reach their targets;
//! 4. [`solve_two_bone`](sinew::ik::solve_two_bone): how limbs bend for it;
//! 5. `key_writer`, `report`: keys, and how much feet slide before and after.
//!
//! [`FootLock`](sinew::ik::FootLock) does the same at runtime, pose by pose. The order of steps is that of Kovar, Schreiner and
//! Gleicher, Footskate Cleanup for Motion Capture Editing (SCA 2002). Unlike there, fades keep the velocity of what they fade,
//! so that a foot comes to rest and leaves smoothly.
//!
//! ```
//! # use sinew_author::contacts::{PlantSettings, find_plants};
//! # use sinew_author::footskate::{CleanSettings, clean_feet};
//! # fn example(skeleton: &sinew::Skeleton, walk: &sinew::Animation) -> Result<(), sinew_author::footskate::CleanError> {
//! let plants = find_plants(skeleton, walk, &PlantSettings::default());
//! let cleaned = clean_feet(skeleton, walk, &plants, &CleanSettings::default())?;
//! for plant in &cleaned.report.plants {
//!     assert!(plant.after.deviation < 0.001);
//! }
//! # Ok(())
//! # }
//! ```

mod body_shift;
mod cleanup;
pub(crate) mod fade;
mod key_writer;
mod report;
mod targets;

pub(crate) use body_shift::{LimbTargets, add_smoothed, body_shifts, follow_weights, gaussian};
pub(crate) use cleanup::frames_of;
pub use cleanup::{CleanError, CleanSettings, CleanedMotion, clean_feet};
pub use report::{CleanReport, PlantReport, Slide, measure_slides};
pub(crate) use targets::{ContactPoints, PlantedFrames, Target, TargetSettings, find_targets};
