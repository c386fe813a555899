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
//! 4. `reach`: how little the body must move for them to get there;
//! 5. `two_bone`: how limbs bend for it; [`solve_two_bone`] serves by itself;
//! 6. `write`, `report`: keys, and what it was worth;
//! 7. `ahead`: the same while playing, pose by pose, in [`FootCleaner`].
//!
//! The order of steps is that of Kovar, Schreiner and Gleicher, Footskate Cleanup for Motion Capture Editing
//! (SCA 2002). Fades keep the speed of what they fade, so that a foot comes to rest and leaves smoothly.
//!
//! ```
//! # use sinew::feet::{CleanSettings, PlantSettings, clean_feet, find_plants};
//! # fn example(skeleton: &sinew::Skeleton, walk: &sinew::Animation) -> Result<(), sinew::feet::CleanError> {
//! let plants = find_plants(skeleton, walk, &PlantSettings::default());
//! let cleaned = clean_feet(skeleton, walk, &plants, &CleanSettings::default())?;
//! for own in &cleaned.report.plants {
//!     assert!(own.after.deviation < 0.001);
//! }
//! # Ok(())
//! # }
//! ```

mod ahead;
mod clean;
mod fade;
mod frame;
mod limbs;
mod plants;
mod reach;
mod report;
mod space;
mod targets;
mod two_bone;
mod write;

pub use ahead::{AheadSettings, FootCleaner, FootCue, FootStep};
pub use clean::{CleanError, CleanSettings, Cleaned, clean_feet};
pub use limbs::{Contact, Limb, find_arms, find_legs};
pub use plants::{FootContacts, LimbEnd, Plant, PlantSettings, find_plants, foot_contacts};
pub use report::{CleanReport, PlantReport, Slide, measure_slides};
pub use two_bone::{TwoBone, TwoBoneSettings, TwoBoneSolution, solve_two_bone};

pub(crate) use fade::faded;
pub(crate) use space::{V3, turn_by, turn_vector};
