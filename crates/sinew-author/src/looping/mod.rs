//! Loops: where a motion comes round again, and how to make a seamless loop of that.
//!
//! ```text
//! Skeleton, Animation ─find_cycle─▶ Cycle ─make_loop─▶ Animation + LoopReport
//! ```
//!
//! 1. `find`: every moment is compared with every later one by how far windows about them are apart, once the
//!    figure is moved over the ground to where it fits best, so that poses and speeds count and places do not;
//! 2. `loop_frames`: the part between them, joint by joint and frame by frame;
//! 3. `seam`: the difference of pose and speed is spread to both sides of the seam, half to each;
//! 4. `foot_contacts`: the loop is put after itself, feet are cleaned, and a middle turn is taken out again, so that
//!    a foot that stands across the seam stands still.
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

/// Fewest frames of a loop.
const FEWEST_FRAMES: usize = 4;

/// The largest gap that is closed unless [`LoopSettings::max_gap`] says another, as a share of the skeleton's size in the
/// rest pose: 20 cm for a person. Captured walks, runs and dances close within 3 to 17 cm; what does not repeat, a jump or
/// a kick, is 25 cm and more off.
pub const GAP_SHARE: f32 = 0.12;

/// Gaps up to this are closed whatever the size and whether the motion repeats, in metres.
const SMALL_GAP: f32 = 0.02;

/// How a loop is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopSettings {
    /// Seconds to either side of the seam over which the difference is spread; at most half the loop, which is
    /// what an infinite number gives.
    pub spread: f32,
    /// The largest turn, in radians, that is taken out so that the loop goes straight ahead.
    pub straighten: f32,
    /// The largest distance of a joint from where it began that is closed, in metres and ignoring root motion; `None` for
    /// [`GAP_SHARE`] of the skeleton's size, and 2 cm for what does not [repeat](Cycle::repeats). Infinite closes anything.
    pub max_gap: Option<f32>,
    /// Whether the loop stays on the spot, so that whoever plays it moves the figure.
    pub in_place: bool,
    /// Whether feet are kept where they stand.
    pub clean: bool,
    /// What counts as standing.
    pub plants: PlantSettings,
    /// How feet are kept.
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

/// How well a loop closes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopReport {
    /// The seam of the part as it is in the motion.
    pub before: Seam,
    /// The seam of the loop.
    pub after: Seam,
    /// The most that the ball of a foot slides while it stands, the seam included: once the difference is
    /// spread, and after feet are cleaned. Without cleaning both are the same.
    pub slides: [Slide; 2],
    /// From the first frame to the last, before it is put on the spot.
    pub ground_transform: GroundTransform,
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Looped {
    /// From its first frame to the same one again, with its [`looping`](Animation::looping): 100 times the
    /// loop goes 100 times as far.
    pub animation: Animation,
    /// How well it closes.
    pub report: LoopReport,
}

/// Makes a loop of the part of a motion between two moments.
///
/// The part is cut on frames; channels that change get a key on every frame. Poses and speeds agree across
/// the seam, but for the move of the whole figure over the ground; where a foot stands all the time there is no such
/// move. Triggers, variants and metadata of the part are kept.
///
/// # Errors
/// When the part has fewer than four frames or lies outside the motion, its end is farther from its beginning than
/// [`LoopSettings::max_gap`], or numbers are not finite.
pub fn make_loop(
    skeleton: &Skeleton,
    animation: &Animation,
    cycle: &Cycle,
    settings: &LoopSettings,
) -> Result<Looped, CycleError> {
    let mut body = LoopFrames::cut(skeleton, animation, cycle)?;
    let mut ground_transform = cycle.ground_transform;
    let before = seam::measure(skeleton, &body, &ground_transform);
    let allowed = settings.max_gap.unwrap_or_else(|| {
        if !cycle.repeats {
            return SMALL_GAP;
        }
        let size = rest_bounds(skeleton).map_or(0.0, |bounds| bounds.size().max_element());
        SMALL_GAP.max(GAP_SHARE * size)
    });
    if before.distance > allowed {
        return Err(CycleError::Gap {
            name: animation.name.clone(),
            gap: before.distance,
            allowed,
        });
    }
    if ground_transform.angle.abs() <= f64::from(settings.straighten) {
        ground_transform = seam::straighten(&mut body, &ground_transform);
    }
    let straight = body.clone();
    seam::close(&mut body, &ground_transform, settings.spread.into());
    if foot_contacts::stays(skeleton, &body, &ground_transform, settings) {
        ground_transform = GroundTransform::IDENTITY;
        body = straight;
        seam::close(&mut body, &ground_transform, settings.spread.into());
    }
    let slides = if settings.clean {
        foot_contacts::clean(skeleton, &mut body, &ground_transform, settings)?
    } else {
        foot_contacts::slides(skeleton, &body, &ground_transform, settings)
    };
    let after = seam::measure(skeleton, &body, &ground_transform);
    // A loop of what is in place is in place: part of its motion is not in the keys as it is.
    let in_place = settings.in_place || animation.looping.is_some_and(|source| source.in_place);
    if in_place {
        body.stay(&ground_transform);
    }
    let mut result = body.to_animation(skeleton, animation);
    // The source's share of motion that its keys do not hold.
    let taken_out = result.looping.filter(|looping| looping.in_place);
    result.looping = Some(LoopMotion {
        per_cycle: taken_out.map_or(ground_transform, |out| {
            ground_transform.then(&out.per_cycle)
        }),
        in_place,
    });
    Ok(Looped {
        animation: result,
        report: LoopReport {
            before,
            after,
            slides,
            ground_transform,
        },
    })
}
