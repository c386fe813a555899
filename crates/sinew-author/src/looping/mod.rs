//! Loops: finds where a motion repeats, and makes a seamless loop of it.
//!
//! ```text
//! Skeleton, Animation ─find_cycle─▶ Cycle ─make_loop─▶ Animation + LoopReport
//! ```
//!
//! 1. `find`: compares every frame with every later one by the distance of the windows around them after the best ground
//!    transform, so that poses and velocities count and positions do not; `stride_phase` and `contacts` exclude half cycles and
//!    parts of a step;
//! 2. `loop_frames`: the frames between, joint by joint;
//! 3. `seam`: spreads the difference of pose and velocity to both sides of the seam, half to each;
//! 4. `foot_contacts`: repeats the loop, cleans foot skate and keeps a middle cycle, so that a foot that is planted across
//!    the seam does not slide.
//!
//! ```
//! # use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
//! # fn example(skeleton: &sinew::Skeleton, walk: &sinew::Animation) -> Result<(), Box<dyn std::error::Error>> {
//! let cycle = find_cycle(skeleton, walk, &CycleSettings::default())?;
//! let looped = make_loop(skeleton, walk, &cycle, &LoopSettings::default())?;
//! assert!(looped.report.after.distance < 1e-4);
//! # Ok(())
//! # }
//! ```

mod contacts;
mod find;
mod foot_contacts;
mod loop_frames;
mod seam;
mod stride_phase;

pub use find::{Cycle, CycleCandidate, CycleError, CycleSettings, find_cycle};
pub use seam::Seam;

use crate::contacts::PlantSettings;
use crate::footskate::{CleanSettings, Slide};
use loop_frames::LoopFrames;
use sinew::anatomy::rest_bounds;
use sinew::animation::{Animation, LoopMotion};
use sinew::math::GroundTransform;
use sinew::skeleton::Skeleton;

/// Frames of a loop, at least.
const MIN_LOOP_FRAMES: usize = 4;

/// The default of [`LoopSettings::max_gap`], as a share of the skeleton's size in the rest pose: 20 cm for a person.
/// Captured walks, runs and dances close within 3 to 17 cm; motions that do not repeat, a jump or a kick, have gaps of 25 cm
/// and more.
pub const GAP_SHARE: f32 = 0.12;

/// Smaller gaps are closed whatever the size of the skeleton and whether the motion repeats, in metres.
const ALWAYS_CLOSED_GAP: f32 = 0.02;

/// Settings of [`make_loop`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopSettings {
    /// Seconds to either side of the seam over which the difference is spread; clamped to half the loop.
    pub spread: f32,
    /// The largest turn per cycle, in radians, that is removed so that the loop goes straight ahead.
    pub straighten: f32,
    /// The largest gap that is closed: the distance of any joint at the end from the beginning, in metres and ignoring root
    /// motion. `None` for [`GAP_SHARE`] of the skeleton's size, and 2 cm for motions that do not
    /// [repeat](Cycle::repeats). Infinite closes anything.
    pub max_gap: Option<f32>,
    /// Whether the loop is stored in place, with its travel in [`Animation::looping`].
    pub in_place: bool,
    /// Whether foot skate is cleaned.
    pub clean: bool,
    /// Thresholds of foot contacts.
    pub plants: PlantSettings,
    /// Settings of the foot-skate cleanup.
    pub feet: CleanSettings,
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            spread: f32::INFINITY,
            straighten: 0.35,
            max_gap: None,
            in_place: false,
            clean: true,
            plants: PlantSettings::default(),
            feet: CleanSettings::default(),
        }
    }
}

/// The quality of a loop: its seam, foot skate and ground motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopReport {
    /// The seam of the cycle in the source.
    pub before: Seam,
    /// The seam of the loop.
    pub after: Seam,
    /// The largest slide of a planted ball, across the seam too: after closing the seam, and after foot-skate cleanup.
    /// Without cleanup both are the same.
    pub slides: [Slide; 2],
    /// The travel from the first frame to the last.
    pub ground_transform: GroundTransform,
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopedMotion {
    /// From its first frame to the same one again, with its travel in [`looping`](Animation::looping).
    pub animation: Animation,
    /// The quality of the loop.
    pub report: LoopReport,
}

/// Makes a loop of a cycle of a motion.
///
/// The cycle is cut on frames; channels that change get a key on every frame. Poses and velocities agree across the seam but
/// for the travel over the ground; if a foot is planted throughout, there is no travel. Triggers, variants and metadata
/// of the cycle are kept.
///
/// # Errors
/// If the cycle has fewer than four frames or lies outside the motion, its gap exceeds [`LoopSettings::max_gap`], or values
/// are not finite.
pub fn make_loop(
    skeleton: &Skeleton,
    animation: &Animation,
    cycle: &Cycle,
    settings: &LoopSettings,
) -> Result<LoopedMotion, CycleError> {
    let mut frames = LoopFrames::cut(skeleton, animation, cycle)?;
    let mut ground_transform = cycle.ground_transform;
    let before = seam::measure(skeleton, &frames, &ground_transform);
    let allowed = settings.max_gap.unwrap_or_else(|| {
        if !cycle.repeats {
            return ALWAYS_CLOSED_GAP;
        }
        let size = rest_bounds(skeleton).map_or(0.0, |bounds| bounds.size().max_element());
        ALWAYS_CLOSED_GAP.max(GAP_SHARE * size)
    });
    if before.distance > allowed {
        return Err(CycleError::Gap {
            name: animation.name.clone(),
            gap: before.distance,
            allowed,
        });
    }
    if ground_transform.angle.abs() <= f64::from(settings.straighten) {
        ground_transform = seam::straighten(&mut frames, &ground_transform);
    }
    let before_closing = frames.clone();
    seam::close(&mut frames, &ground_transform, settings.spread.into());
    if foot_contacts::is_planted_throughout(skeleton, &frames, &ground_transform, settings) {
        ground_transform = GroundTransform::IDENTITY;
        frames = before_closing;
        seam::close(&mut frames, &ground_transform, settings.spread.into());
    }
    let slides = if settings.clean {
        foot_contacts::clean(skeleton, &mut frames, &ground_transform, settings)?
    } else {
        foot_contacts::slides(skeleton, &frames, &ground_transform, settings)
    };
    let after = seam::measure(skeleton, &frames, &ground_transform);
    // A loop cut from an in-place loop is in place: part of its travel is not in the keys.
    let in_place = settings.in_place || animation.looping.is_some_and(|source| source.in_place);
    if in_place {
        frames.remove_travel(&ground_transform);
    }
    let mut result = frames.to_animation(skeleton, animation);
    // The source's travel that is not in its keys.
    let source_in_place = result.looping.filter(|looping| looping.in_place);
    result.looping = Some(LoopMotion {
        per_cycle: source_in_place.map_or(ground_transform, |out| {
            ground_transform.then(&out.per_cycle)
        }),
        in_place,
    });
    Ok(LoopedMotion {
        animation: result,
        report: LoopReport {
            before,
            after,
            slides,
            ground_transform,
        },
    })
}
