//! Feet that stand where they stand: when they do, and how to keep them there.
//!
//! ```text
//! Skeleton, Animation ─find_plants─▶ Plants ─┐
//!                                            ├─clean_feet─▶ Animation + CleanReport
//! Skeleton, Animation ───────────────────────┘
//! ```
//!
//! 1. `limbs`: legs and arms by how a skeleton is built;
//! 2. `plants`: when their ends stand still;
//! 3. `targets` with `fade`: where ankles and wrists go for that;
//! 4. `body_shift`: how little the body must move for them to get there;
//! 5. `two_bone`: how limbs bend for it; [`solve_two_bone`](sinew::ik::solve_two_bone) serves by itself;
//! 6. `key_writer`, `report`: keys, and what it was worth;
//! 7. `ahead`: the same while playing, pose by pose, in [`FootLock`](sinew::ik::FootLock).
//!
//! The order of steps is that of Kovar, Schreiner and Gleicher, Footskate Cleanup for Motion Capture Editing
//! (SCA 2002). Fades keep the speed of what they fade, so that a foot comes to rest and leaves smoothly.
//!
//! ```
//! # use sinew_author::contacts::{PlantSettings, find_plants};
//! # use sinew_author::footskate::{CleanSettings, clean_feet};
//! # fn example(skeleton: &sinew::Skeleton, walk: &sinew::Animation) -> Result<(), sinew_author::footskate::CleanError> {
//! let plants = find_plants(skeleton, walk, &PlantSettings::default());
//! let cleaned = clean_feet(skeleton, walk, &plants, &CleanSettings::default())?;
//! for own in &cleaned.report.plants {
//!     assert!(own.after.deviation < 0.001);
//! }
//! # Ok(())
//! # }
//! ```

mod body_shift;
mod cleanup;
mod fade;
mod key_writer;
mod report;
mod targets;

pub use cleanup::{CleanError, CleanSettings, Cleaned, clean_feet};
pub use report::{CleanReport, PlantReport, Slide, measure_slides};
