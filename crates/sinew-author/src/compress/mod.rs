//! Compression: packs an [`Animation`] on a [`Skeleton`] into a [`PackedAnimation`] within an error bound that holds at
//! every time.
//!
//! ```text
//! Animation ─source─▶ samples ─mrp, joint_influence, animated_components─▶ components ─quantize─▶ quantization steps
//!           ─encode─▶ bit stream ─verify─▶ PackedAnimation, or again with finer steps
//! ```
//!
//! A *sample* is the animation at one of evenly spaced times, a *component* one scalar of a joint over all samples.
//! [`compress`] runs the passes in this order, one file each:
//! 1. `source`: samples the animation, as densely as it needs; `decimate` (decimation) tries to skip frames;
//! 2. `mrp`: rotations as modified Rodrigues parameters about their average;
//! 3. `joint_influence`: how far each joint moves the body;
//! 4. `animated_components`: separates constants from components, by that influence;
//! 5. `quantize`: the quantization step of each component, by the error that it causes (`error_model`);
//! 6. `encode`: the quantized integers as a bit stream, in one of two profiles;
//! 7. `slerp_spans`: between which samples rotations are interpolated by slerp;
//! 8. `verify`: the error bound at every time: `curves` and `curve_sources` are both animations as functions of time,
//!    `bound` bounds their distance.
//!
//! The choices and what they gain are in `docs/decisions/2026-11-16-packed.md`, the proof of the error bound in
//! `docs/error-bound.md`. [`keyframes`](crate::keyframes) is the alternative codec: keyframes on Catmull-Rom curves.

mod animated_components;
mod bit_writer;
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
mod rice;
mod settings;
mod slerp_spans;
mod source;
mod verify;

pub use decompress::decompress;
pub use settings::{CompressError, CompressSettings, Profile};
pub use verify::{Deviation, VerifyError, verify};

use crate::packed::{byte_len, plain};
use alloc::boxed::Box;
use alloc::vec::Vec;
use animated_components::components;
use error_model::ErrorModel;
use joint_influence::JointInfluence;
use quantize::StepSearch;
use sinew::animation::Animation;
use sinew::internal::packed::{Encoding, Head, PackedSamples};
use sinew::packed::PackedAnimation;
use sinew::pose::Pose;
use sinew::skeleton::Skeleton;
use slerp_spans::SlerpSpanSearch;
use source::{SampledMotion, Source};
use verify::{Precision, measure};

/// The largest [`CompressSettings::max_error`], in metres: larger than any body.
const LARGEST_ERROR: f32 = 1e12;

/// Encodings with other steps, at most, until one is within the error bound.
const MAX_ENCODINGS: usize = 16;

/// The first step search aims at this share of the error bound at samples. The rest is left for `f32` rounding and for
/// the error between samples.
const FIRST_ERROR_SHARE: f64 = 0.97;

/// The share of the error bound that later searches aim at.
const TARGET_ERROR_SHARE: f64 = 0.992;

/// Limits of the factor by which the target error changes from one search to the next: up at most, down at most, and
/// down at least, so that each try makes progress.
const MAX_COARSENING: f64 = 1.15;
const MAX_REFINING: f64 = 0.6;
const MIN_REFINING: f64 = 0.99;

/// Factors of the target error that are tried for a smaller result. The largest error of a result is not monotonic in
/// the steps: rounding changes it by some hundredths from one choice to the next, so that coarser steps are often
/// within the bound where finer ones are not.
const ERROR_FACTORS: [f64; 10] = [1.06, 1.05, 1.04, 1.03, 1.02, 1.01, 1.0, 0.99, 0.98, 0.97];

/// Fits of the keyframe codec, at most, each with a smaller error.
const MAX_KEY_FITS: usize = 6;

/// An upper bound below this share of the error bound is not tightened further.
const PRECISE_ENOUGH: f64 = 0.98;

/// Samples per source frame, at most, where one sample per frame is not enough.
const MAX_SAMPLES_PER_FRAME: usize = 4;

/// Compresses `animation` for `skeleton`. Tracks without a joint there are dropped.
///
/// The error of the result is at most [`CompressSettings::max_error`] at every time. The source's keys are kept as they
/// are ([`Packing::Plain`](sinew::packed::Packing::Plain)) if packing would be larger, cannot satisfy the error bound,
/// or would take too much memory (more than an hour of a figure at 120 frames per second).
///
/// # Errors
/// If `max_error` is negative, NaN or above 10¹² metres, the animation is not finite or has values above 10¹⁵, or the
/// keyframe codec fails.
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
        info: info(animation, skeleton),
        joints: skeleton.len(),
        max_error,
        error: 0.0,
        rest: Pose::rest(skeleton).blocks().into(),
        encoding: Encoding::Plain(Box::new(plain(animation, skeleton))),
    };
    let plain = byte_len(&best);
    if max_error == 0.0 || source.is_too_long() {
        return Ok(best);
    }
    if settings.profile == Profile::Keyframes {
        return with_keys(&source, best);
    }
    if source.has_fewer_bytes(plain) {
        return Ok(best);
    }
    for stride in decimate::decimation_factors(&source, f64::from(max_error))? {
        let sampled = source.sampled(stride)?;
        // Denser samples are only larger, but they may satisfy the bound where these do not.
        if try_samples(&source, &sampled, settings, &mut best) == CompressionTry::Larger {
            break;
        }
    }
    // If a sample per frame does not satisfy the bound, two or four may.
    let mut samples_per_frame = 2;
    while byte_len(&best) == plain
        && samples_per_frame <= MAX_SAMPLES_PER_FRAME
        && source.frames > 1
    {
        let sample_count = (source.frames - 1) * samples_per_frame + 1;
        if sample_count > source.max_samples() {
            break;
        }
        let sampled = source.sampled_in(sample_count)?;
        try_samples(&source, &sampled, settings, &mut best);
        samples_per_frame *= 2;
    }
    Ok(best)
}

/// Compresses with the keyframe codec; returns `plain` if that is not smaller.
fn with_keys(
    source: &Source<'_>,
    plain: PackedAnimation<'static>,
) -> Result<PackedAnimation<'static>, CompressError> {
    let mut wanted = plain.max_error;
    for _ in 0..MAX_KEY_FITS {
        let settings = crate::keyframes::FitSettings { max_error: wanted };
        let keys = crate::keyframes::fit(source.skeleton, source.animation, &settings)?;
        let mut packed = with_encoding(&plain, Encoding::Keys(Box::new(keys)));
        // The fit checks only its own frames; the stated error is measured as for the other profiles.
        let precision = Precision::within(plain.max_error);
        let Ok(measured) = measure(&packed, source, precision, &mut |_| (), None) else {
            break;
        };
        packed.error = measured.rounded_up();
        if packed.error > plain.max_error {
            wanted *= 0.95 * (plain.max_error / packed.error).min(1.0);
            continue;
        }
        return Ok(if byte_len(&packed) < byte_len(&plain) {
            packed
        } else {
            plain
        });
    }
    Ok(plain)
}

/// The outcome of encoding samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompressionTry {
    /// Nothing was within the error bound.
    None,
    /// Within the error bound, but not smaller than the best so far.
    Larger,
    Smaller,
}

/// Encodes samples as coarsely as the error bound allows, and replaces `best` if the result is smaller.
///
/// First it finds steps that satisfy the bound: after each failure it either adds slerp spans, refines single joints,
/// or lowers the target error. Then it tries [`ERROR_FACTORS`] around the target that was found.
fn try_samples(
    source: &Source<'_>,
    sampled: &SampledMotion,
    settings: &CompressSettings,
    best: &mut PackedAnimation<'static>,
) -> CompressionTry {
    let max_error = f64::from(settings.max_error);
    let skeleton = source.skeleton;
    let influence = JointInfluence::new(skeleton, sampled);
    let components = components(source, sampled, &influence, max_error);
    let error_model = ErrorModel::new(skeleton, sampled, &components);
    let mut search = StepSearch::new(skeleton, &components, error_model);
    let mut slerp = SlerpSpanSearch::new(&components, max_error);
    let pack = |codes: &[u8], slerp: &SlerpSpanSearch<'_>, like: &PackedAnimation<'static>| {
        let head = Head {
            rate: sampled.rate,
            sample_count: sampled.sample_count as u32,
            joints: components.joints.clone(),
            steps: codes.to_vec(),
            slerp_spans: slerp.spans(),
        };
        let (order, stream) = encode::encode(&components.list, &head, settings.profile)?;
        let samples = PackedSamples::new(head, order, stream, skeleton)?;
        Some(with_encoding(like, Encoding::Samples(Box::new(samples))))
    };
    // The target error of the step search. It is an error at samples; the bound also covers the time between them.
    let mut wanted = FIRST_ERROR_SHARE * max_error;
    let mut codes = search.codes(wanted);
    let mut sample_fails = alloc::vec![false; sampled.sample_count];
    let mut outcome = CompressionTry::None;
    for _ in 0..MAX_ENCODINGS {
        let Some(mut packed) = pack(&codes, &slerp, best) else {
            return CompressionTry::None;
        };
        sample_fails.fill(false);
        let mut fails = |time: f64| {
            if let Some(sample_fails) = sample_fails.get_mut((time * sampled.rate) as usize) {
                *sample_fails = true;
            }
        };
        let precision = Precision::within(settings.max_error);
        // Cannot fail: both are of the same skeleton.
        let Ok(measured) = measure(&packed, source, precision, &mut fails, None) else {
            return CompressionTry::None;
        };
        packed.error = measured.rounded_up();
        // Above the limit the upper bound is loose, because `verify` stops there; the errors that it found are exact.
        let found_error = measured.joints.iter().copied().fold(0.0, f64::max);
        if packed.error <= settings.max_error {
            wanted *= (TARGET_ERROR_SHARE * max_error / found_error).min(MAX_COARSENING);
            outcome = CompressionTry::Larger;
            if byte_len(&packed) < byte_len(best) {
                *best = packed;
                outcome = CompressionTry::Smaller;
            }
            break;
        }
        if !slerp.grow(&sample_fails) {
            if !search.refine_joints(&measured.joints, max_error) {
                wanted *= (TARGET_ERROR_SHARE * max_error / found_error)
                    .clamp(MAX_REFINING, MIN_REFINING);
            }
            codes = search.codes(wanted);
        }
    }
    if outcome != CompressionTry::Smaller {
        return outcome;
    }
    for around in ERROR_FACTORS {
        let codes = search.codes(wanted * around);
        let Some(mut packed) = pack(&codes, &slerp, best) else {
            break;
        };
        if byte_len(&packed) >= byte_len(best) {
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
    outcome
}

/// `other` with another encoding.
fn with_encoding(
    other: &PackedAnimation<'static>,
    encoding: Encoding<'static>,
) -> PackedAnimation<'static> {
    PackedAnimation {
        info: other.info.clone(),
        joints: other.joints,
        max_error: other.max_error,
        error: other.error,
        rest: other.rest.clone(),
        encoding,
    }
}

/// The animation without its keys: name, length, weights, variants, triggers and metadata.
fn info(animation: &Animation, skeleton: &Skeleton) -> Animation {
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
