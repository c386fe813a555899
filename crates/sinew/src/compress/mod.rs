//! Compression: an [`Animation`] on a [`Skeleton`] as a [`PackedAnimation`] that is nowhere further off than it
//! may be.
//!
//! ```text
//! Animation ─source─▶ rows ─chart, components─▶ numbers over time ─reach, steps─▶ how coarsely each is rounded
//!           ─rows─▶ a stream ─verify─▶ PackedAnimation, or once more with finer steps
//! ```
//!
//! The passes stand in [`compress`] in this order, one file each:
//! 1. `source`: the animation at even times, as many as it needs;
//! 2. `chart`: rotations as coordinates about their mean;
//! 3. `components`: what is constant, and what moves;
//! 4. `reach`: how far each joint moves the body;
//! 5. `steps`: how coarsely each number may be rounded, by how far the body is then off (`body`);
//! 6. `rows`: whole numbers as a stream, in one of two profiles;
//! 7. `pairing`: which joints turn too far from row to row to mix their numbers;
//! 8. `verify`: how far the result is off, by the decoder that plays it, at every frame and half-way between.
//!
//! [`keys`] is another way: key frames on curves.

mod body;
mod chart;
mod components;
pub mod keys;
mod linear;
mod pairing;
mod reach;
mod rows;
mod settings;
mod source;
mod steps;
mod stride;
mod verify;

pub use settings::{CompressError, CompressSettings, Profile};
pub use verify::{Deviation, VerifyError, verify};

use crate::animation::Animation;
use crate::packed::{self, Body as PackedBody, Head, PackedAnimation, Rows};
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use alloc::boxed::Box;
use alloc::vec::Vec;
use body::Body;
use components::components;
use pairing::Pairing;
use reach::Reach;
use source::{Sampled, Source};
use verify::measure;

/// The largest error that may be asked for, in metres: no body is as large.
const LARGEST_ERROR: f32 = 1e12;

/// How often a result is packed again with other steps before it is given up.
const TRIES: usize = 12;

/// How often keys are fitted again with a smaller error.
const KEY_TRIES: usize = 6;

/// A result that is this near to the error allowed is not made coarser.
const NEAR: f64 = 0.94;

/// Rows between two frames, at most, where frames alone are too far apart.
const MOST_BETWEEN: usize = 4;

/// Compresses an animation for a skeleton. Tracks that have no joint there are left out.
///
/// The result is nowhere further from the source than [`CompressSettings::max_error`], and never larger than the
/// source's keys as they are: where packing would be, or cannot be near enough, or there are more frames than
/// memory should be spent on (an hour of a figure at 120 per second), those are kept
/// ([`Packing::Plain`](crate::Packing::Plain)).
///
/// # Errors
/// When the error allowed is negative, no number or above 10¹² metres, the animation is not finite or has numbers
/// above 10¹⁵, or keys cannot be fitted.
pub fn compress(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &CompressSettings,
) -> Result<PackedAnimation<'static>, CompressError> {
    let max_error = settings.max_error;
    if !(0.0..=LARGEST_ERROR).contains(&max_error) {
        return Err(CompressError::MaxError { max_error });
    }
    let source = Source::new(skeleton, animation);
    if let Some(joint) = source.too_large() {
        return Err(CompressError::TooLarge { joint });
    }
    let mut best = PackedAnimation {
        notes: notes(animation, skeleton),
        joints: skeleton.len(),
        max_error,
        error: 0.0,
        rest: Pose::rest(skeleton).blocks().into(),
        body: PackedBody::Plain(Box::new(packed::plain(animation, skeleton))),
    };
    let plain = best.byte_len();
    if max_error == 0.0 || source.is_too_long() {
        return Ok(best);
    }
    if settings.profile == Profile::Keys {
        return with_keys(&source, best);
    }
    if source.has_fewer_bytes(plain) {
        return Ok(best);
    }
    let moments = source.moments();
    for stride in stride::strides(&source, &moments, f64::from(max_error))? {
        let sampled = source.sampled(stride)?;
        if !try_rows(&source, &sampled, &moments, settings, &mut best) {
            break;
        }
    }
    // Where even every frame is not enough, rows between frames may be.
    let mut between = 2;
    while best.byte_len() == plain && between <= MOST_BETWEEN && source.frames > 1 {
        let rows = (source.frames - 1) * between + 1;
        if rows > source.most_rows() {
            break;
        }
        let sampled = source.sampled_in(rows)?;
        try_rows(&source, &sampled, &moments, settings, &mut best);
        between *= 2;
    }
    Ok(best)
}

/// The animation as keys on curves, or as it is where that is smaller.
fn with_keys(
    source: &Source<'_>,
    plain: PackedAnimation<'static>,
) -> Result<PackedAnimation<'static>, CompressError> {
    let moments = source.moments();
    let mut wanted = plain.max_error;
    for _ in 0..KEY_TRIES {
        let settings = keys::FitSettings { max_error: wanted };
        let keys = keys::fit(source.skeleton, source.animation, &settings)?;
        let mut packed = with_body(&plain, PackedBody::Keys(Box::new(keys)));
        // Keys are fitted on frames of their own; what counts is measured as for all.
        let Ok(deviation) = measure(&packed, source, &moments, &mut |_, _| ()) else {
            break;
        };
        packed.error = (deviation.metres as f32).next_up();
        if packed.error > plain.max_error {
            wanted *= 0.95 * (plain.max_error / packed.error).min(1.0);
            continue;
        }
        return Ok(if packed.byte_len() < plain.byte_len() {
            packed
        } else {
            plain
        });
    }
    Ok(plain)
}

/// Packs rows as coarsely as the error allows; whether that was smaller than what there was.
fn try_rows(
    source: &Source<'_>,
    sampled: &Sampled,
    moments: &[f32],
    settings: &CompressSettings,
    best: &mut PackedAnimation<'static>,
) -> bool {
    let max_error = f64::from(settings.max_error);
    let skeleton = source.skeleton;
    let reach = Reach::new(skeleton, sampled);
    let parts = components(source, sampled, &reach, max_error);
    let mut body = Body::new(skeleton, sampled, &parts);
    let mut codes = steps::steps(skeleton, &parts, &mut body, max_error);
    let mut pairing = Pairing::new(&parts, sampled, max_error);
    let mut was_smaller = false;
    let mut has_failed = false;
    for _ in 0..TRIES {
        let head = Head {
            rate: sampled.rate,
            rows: sampled.rows as u32,
            joints: pairing.joints(&parts),
            steps: codes.clone(),
            paired_spans: pairing.spans(),
        };
        let Some((order, stream)) = rows::rows(&parts.list, &head, settings.profile) else {
            break;
        };
        let Some(rows) = Rows::new(head, order, stream, skeleton) else {
            break;
        };
        let mut packed = with_body(best, PackedBody::Rows(Box::new(rows)));
        // Both are of the skeleton.
        let Ok(deviation) = measure(&packed, source, moments, &mut |time, errors| {
            if errors.iter().any(|&error| error > max_error) {
                pairing.fails_at(time);
            }
        }) else {
            break;
        };
        // Rounded up, so that what is stored is never less than what is.
        packed.error = (deviation.metres as f32).next_up();
        let is_near_enough = packed.error <= settings.max_error;
        if is_near_enough && packed.byte_len() < best.byte_len() {
            *best = packed;
            was_smaller = true;
        }
        let changed = if !is_near_enough {
            if pairing.grow() {
                continue;
            }
            has_failed = true;
            steps::refine(skeleton, &parts, &deviation.joints, max_error, &mut codes)
        } else if has_failed || deviation.metres >= NEAR * max_error {
            false
        } else {
            steps::coarsen(deviation.metres / max_error, &mut codes)
        };
        if !changed {
            break;
        }
    }
    was_smaller
}

/// The same but for the motion.
fn with_body(
    other: &PackedAnimation<'static>,
    body: PackedBody<'static>,
) -> PackedAnimation<'static> {
    PackedAnimation {
        notes: other.notes.clone(),
        joints: other.joints,
        max_error: other.max_error,
        error: other.error,
        rest: other.rest.clone(),
        body,
    }
}

/// Everything but the motion.
fn notes(animation: &Animation, skeleton: &Skeleton) -> Animation {
    let weighted = animation.tracks.iter().filter(|track| {
        track.weights != Default::default() && skeleton.find(&track.name).is_some()
    });
    let tracks = weighted.map(|track| crate::animation::TransformTrack {
        weights: track.weights,
        ..crate::animation::TransformTrack::new(track.name.clone())
    });
    Animation {
        name: animation.name.clone(),
        length: animation.length,
        tracks: tracks.collect::<Vec<_>>(),
        variants: animation.variants.clone(),
        triggers: animation.triggers.clone(),
        metadata: animation.metadata.clone(),
        frame_rate: animation.frame_rate,
        looping: animation.looping,
    }
}
