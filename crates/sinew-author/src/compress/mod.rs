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
//! 2. `mrp`: rotations as coordinates about their mean;
//! 3. `animated_components`: what is constant, and what moves;
//! 4. `joint_influence`: how far each joint moves the body;
//! 5. `quantize`: how coarsely each number may be rounded, by how far the body is then off (`error_model`);
//! 6. `encode`: whole numbers as a stream, in one of two profiles;
//! 7. `slerp_spans`: between which rows rotations are interpolated by slerp;
//! 8. `verify`: how far the result is off at most, at every time: `curves` and `curve_sources` are both animations as functions
//!    of time, `bound` bounds their distance.
//!
//! [`keyframes`](crate::keyframes) is another way: key frames on curves.

mod animated_components;
mod bound;
mod curve_sources;
mod curves;
mod decimate;
mod decompress;
mod encode;
mod error_model;
mod joint_influence;
mod mrp;
mod quantize;
mod quaternion_average;
mod settings;
mod slerp_spans;
mod source;
mod verify;

pub use decompress::decompress;
pub use settings::{CompressError, CompressSettings, Profile};
pub use verify::{Deviation, VerifyError, verify};

use alloc::boxed::Box;
use alloc::vec::Vec;
use animated_components::components;
use error_model::ErrorModel;
use joint_influence::JointInfluence;
use quantize::StepSearch;
use sinew::animation::Animation;
use sinew::internal::packed::{self, Body as PackedBody, Head, Rows};
use sinew::packed::PackedAnimation;
use sinew::pose::Pose;
use sinew::skeleton::Skeleton;
use slerp_spans::SlerpSpanSearch;
use source::{Sampled, Source};
use verify::{Precision, measure};

/// The largest error that may be asked for, in metres: no body is as large.
const LARGEST_ERROR: f32 = 1e12;

/// How often rows are packed with other steps until a result is within the error allowed.
const TRIES: usize = 16;

/// What part of the error allowed steps are first searched for at rows: a little is left for rounding and for what is
/// between rows.
const FIRST: f64 = 0.97;

/// What part of the error allowed is aimed at after that.
const AIM: f64 = 0.992;

/// How much coarser and finer the error that steps are searched for gets at once.
const MOST_COARSER: f64 = 1.15;
const MOST_FINER: f64 = 0.6;
const LEAST_FINER: f64 = 0.99;

/// Around the error at rows with which a result should be as far off as it may be: what is tried for a smaller one. Rounding
/// makes errors differ by some hundredths from one choice of steps to the next, so that coarser steps are often within
/// the error allowed where finer ones are not.
const AROUND: [f64; 10] = [1.06, 1.05, 1.04, 1.03, 1.02, 1.01, 1.0, 0.99, 0.98, 0.97];

/// How often keys are fitted again with a smaller error.
const KEY_TRIES: usize = 6;

/// Errors below this part of the error allowed are not bounded more closely.
const NEAR: f64 = 0.98;

/// Rows between two frames, at most, where frames alone are too far apart.
const MOST_BETWEEN: usize = 4;

/// Compresses an animation for a skeleton. Tracks that have no joint there are left out.
///
/// The result is nowhere further from the source than [`CompressSettings::max_error`], and never larger than the
/// source's keys as they are: where packing would be, or cannot be near enough, or there are more frames than
/// memory should be spent on (an hour of a figure at 120 per second), those are kept
/// ([`Packing::Plain`](sinew::packed::Packing::Plain)).
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
    for stride in decimate::decimation_factors(&source, f64::from(max_error))? {
        let sampled = source.sampled(stride)?;
        // Rows that are nearer to each other are not smaller either, but may be near enough where these are not.
        if try_rows(&source, &sampled, settings, &mut best) == CompressionTry::Larger {
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
        try_rows(&source, &sampled, settings, &mut best);
        between *= 2;
    }
    Ok(best)
}

/// The animation as keys on curves, or as it is where that is smaller.
fn with_keys(
    source: &Source<'_>,
    plain: PackedAnimation<'static>,
) -> Result<PackedAnimation<'static>, CompressError> {
    let mut wanted = plain.max_error;
    for _ in 0..KEY_TRIES {
        let settings = crate::keyframes::FitSettings { max_error: wanted };
        let keys = crate::keyframes::fit(source.skeleton, source.animation, &settings)?;
        let mut packed = with_body(&plain, PackedBody::Keys(Box::new(keys)));
        // Keys are fitted on frames of their own; what counts is measured as for all.
        let precision = Precision::within(plain.max_error);
        let Ok(measured) = measure(&packed, source, precision, &mut |_| (), None) else {
            break;
        };
        packed.error = measured.rounded_up();
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

/// The result of encoding rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompressionTry {
    /// Nothing was near enough.
    None,
    /// Near enough, but not smaller than what there was.
    Larger,
    Smaller,
}

/// Packs rows as coarsely as the error allows.
fn try_rows(
    source: &Source<'_>,
    sampled: &Sampled,
    settings: &CompressSettings,
    best: &mut PackedAnimation<'static>,
) -> CompressionTry {
    let max_error = f64::from(settings.max_error);
    let skeleton = source.skeleton;
    let reach = JointInfluence::new(skeleton, sampled);
    let parts = components(source, sampled, &reach, max_error);
    let body = ErrorModel::new(skeleton, sampled, &parts);
    let mut search = StepSearch::new(skeleton, &parts, body);
    let mut slerp = SlerpSpanSearch::new(&parts, max_error);
    let pack = |codes: &[u8], slerp: &SlerpSpanSearch<'_>, like: &PackedAnimation<'static>| {
        let head = Head {
            rate: sampled.rate,
            rows: sampled.rows as u32,
            joints: parts.joints.clone(),
            steps: codes.to_vec(),
            slerp_spans: slerp.spans(),
        };
        let (order, stream) = encode::rows(&parts.list, &head, settings.profile)?;
        let rows = Rows::new(head, order, stream, skeleton)?;
        Some(with_body(like, PackedBody::Rows(Box::new(rows))))
    };
    // The error that steps are searched for at rows.
    let mut wanted = FIRST * max_error;
    let mut codes = search.codes(wanted);
    let mut is_off = alloc::vec![false; sampled.rows];
    let mut fit = CompressionTry::None;
    for _ in 0..TRIES {
        let Some(mut packed) = pack(&codes, &slerp, best) else {
            return CompressionTry::None;
        };
        is_off.fill(false);
        let mut fails = |time: f64| {
            if let Some(is_off) = is_off.get_mut((time * sampled.rate) as usize) {
                *is_off = true;
            }
        };
        let precision = Precision::within(settings.max_error);
        // Both are of the skeleton.
        let Ok(measured) = measure(&packed, source, precision, &mut fails, None) else {
            return CompressionTry::None;
        };
        packed.error = measured.rounded_up();
        // Of errors above the limit the bound is not close, but errors that were found are.
        let least = measured.joints.iter().copied().fold(0.0, f64::max);
        if packed.error <= settings.max_error {
            wanted *= (AIM * max_error / least).min(MOST_COARSER);
            fit = CompressionTry::Larger;
            if packed.byte_len() < best.byte_len() {
                *best = packed;
                fit = CompressionTry::Smaller;
            }
            break;
        }
        if !slerp.grow(&is_off) {
            if !search.refine_joints(&measured.joints, max_error) {
                wanted *= (AIM * max_error / least).clamp(MOST_FINER, LEAST_FINER);
            }
            codes = search.codes(wanted);
        }
    }
    if fit != CompressionTry::Smaller {
        return fit;
    }
    for around in AROUND {
        let codes = search.codes(wanted * around);
        let Some(mut packed) = pack(&codes, &slerp, best) else {
            break;
        };
        if packed.byte_len() >= best.byte_len() {
            continue;
        }
        let precision = Precision {
            ends_at_limit: true,
            ..Precision::within(settings.max_error)
        };
        let Ok(measured) = measure(&packed, source, precision, &mut |_| (), None) else {
            break;
        };
        packed.error = measured.rounded_up();
        if packed.error <= settings.max_error {
            *best = packed;
        }
    }
    fit
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
    let tracks = weighted.map(|track| sinew::animation::TransformTrack {
        weights: track.weights,
        ..sinew::animation::TransformTrack::new(track.name.clone())
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
