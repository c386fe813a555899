//! Pass 8: the error bound of a packed animation against its source, at every time.
//!
//! The time between two breaks (keys of the source, samples of the packed animation) is a *piece*. On each piece both
//! animations are smooth curves ([`curve_sources`](super::curve_sources)), and [`bound`](super::bound) bounds their
//! distance from the curves themselves, not from samples: the statement and the proof are in `docs/error-bound.md`.
//! Nothing here depends on how the samples were chosen, so `verify` also checks files of unknown origin. The cost is
//! about two poses per frame. The keyframe codec has no known derivative bounds; its error is the largest of eight
//! samples per frame.

use super::bound::{ErrorBound, ErrorObserver};
use super::curve_sources::{KeyCurves, SampleCurves, sorted_breaks};
use super::curves::JointCurve;
use super::source::Source;
use crate::measure::ErrorMeter;
use alloc::vec::Vec;
use sinew::animation::Animation;
use sinew::internal::packed::Encoding;
use sinew::packed::PackedAnimation;
use sinew::packed::PackedCursor;
use sinew::pose::{JointCountMismatch, Pose};
use sinew::skeleton::{JointIndex, Skeleton};

/// The error of a packed animation against its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// The error bound in metres: an upper bound for every point of every joint's ball
    /// ([`ErrorMeter`](crate::measure::ErrorMeter)) at every time. It is proven, not sampled, for all packings but
    /// [`Packing::Keyframes`](sinew::packed::Packing::Keyframes), where it is the largest of eight samples per frame.
    pub metres: f64,
    /// The largest error that was evaluated, in metres: a lower bound, close to `metres`.
    pub found: f64,
    /// The joint of `found`.
    pub joint: JointIndex,
    /// The time of `found`, in seconds.
    pub time: f32,
    /// For each joint, the largest error that was evaluated, in metres.
    pub joints: Vec<f64>,
    /// The number of evaluated times.
    pub moments: usize,
}

/// Why a packed animation cannot be compared with a source.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The numbers of joints differ.
    #[error(transparent)]
    Joints(#[from] JointCountMismatch),
    /// The source has too many frames.
    #[error("{frames} frames are too many to verify; the limit is {limit}")]
    TooLong {
        /// Frames of the source.
        frames: usize,
        /// The largest number of frames.
        limit: usize,
    },
}

/// Bounds the error of a packed animation against its source at every time. `observe` is called with every time that is
/// evaluated, in order, and the error of each joint there.
///
/// # Errors
/// If the skeleton has another number of joints, or the source is too long.
pub fn verify(
    packed: &PackedAnimation<'_>,
    skeleton: &Skeleton,
    animation: &Animation,
    mut observe: impl FnMut(f32, &[f64]),
) -> Result<Deviation, VerifyError> {
    let source = Source::new(skeleton, animation);
    if source.is_too_long() {
        return Err(VerifyError::TooLong {
            frames: source.frames,
            limit: source.max_samples(),
        });
    }
    // `compress` subdivided pieces until their bounds were within the stated error; the same precision finds the same.
    let precision = Precision {
        enough: f64::from(packed.error),
        limit: f64::from(packed.error),
        is_limit_final: false,
        ends_at_limit: false,
    };
    let measured = measure(packed, &source, precision, &mut |_| (), Some(&mut observe))?;
    Ok(measured.deviation)
}

/// The tightness of an error bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// Upper bounds below this are not tightened.
    pub(super) enough: f64,
    /// Pieces are subdivided until their bound is below this, or an error above it is found.
    pub(super) limit: f64,
    /// Whether pieces in which an error above the limit is found are not subdivided.
    pub(super) is_limit_final: bool,
    /// Whether to stop at the first piece whose bound is above the limit.
    pub(super) ends_at_limit: bool,
}

impl Precision {
    /// Decides whether errors are within `max_error`.
    pub(super) fn within(max_error: f32) -> Self {
        let limit = f64::from(max_error);
        Self {
            enough: super::PRECISE_ENOUGH * limit,
            limit,
            is_limit_final: true,
            ends_at_limit: false,
        }
    }
}

/// Bounds the error at every time; calls `fails` with the middle of each piece whose bound is above the limit.
pub(super) fn measure(
    packed: &PackedAnimation<'_>,
    source: &Source<'_>,
    precision: Precision,
    fails: &mut dyn FnMut(f64),
    observe: Option<ErrorObserver<'_, f32>>,
) -> Result<ErrorMeasurement, JointCountMismatch> {
    JointCountMismatch::check(packed.joints, source.skeleton.len())?;
    let skeleton = source.skeleton;
    let mut expected = KeyCurves::new(skeleton, source.animation, false);
    let mut breaks = Vec::new();
    expected.breaks(&mut breaks);
    let mut samples;
    let mut keys;
    let is_continuous;
    let found: &mut dyn FnMut(f64, f64, &mut Vec<JointCurve>) = match &packed.encoding {
        Encoding::Samples(encoded) => {
            samples = SampleCurves::new(skeleton, encoded);
            samples.breaks(&mut breaks);
            is_continuous = !expected.has_steps();
            &mut |t0, t1, curves| samples.curves(t0, t1, curves)
        }
        Encoding::Plain(plain) => {
            keys = KeyCurves::new(skeleton, &plain.animation, true);
            if keys.is_same_as(&expected) {
                return Ok(ErrorMeasurement::new(Deviation::none(skeleton)));
            }
            keys.breaks(&mut breaks);
            is_continuous = !(expected.has_steps() || keys.has_steps());
            &mut |t0, t1, curves| keys.curves(t0, t1, curves)
        }
        Encoding::Keys(_) => return Ok(ErrorMeasurement::new(sampled(packed, source, observe)?)),
    };
    let breaks = sorted_breaks(breaks, f64::from(source.animation.length), source.rate);
    Ok(over_pieces(
        skeleton,
        &breaks,
        is_continuous,
        precision,
        fails,
        observe,
        |t0, t1, curves| {
            expected.curves(t0, t1, &mut curves[0]);
            found(t0, t1, &mut curves[1]);
        },
    ))
}

/// A [`Deviation`], and what the step search needs besides.
pub(super) struct ErrorMeasurement {
    pub(super) deviation: Deviation,
    /// By joint, the largest error that was evaluated, plus what rounding may add.
    pub(super) joints: Vec<f64>,
}

impl ErrorMeasurement {
    fn new(deviation: Deviation) -> Self {
        Self {
            joints: deviation.joints.clone(),
            deviation,
        }
    }

    /// The bound as it is stored, rounded up.
    pub(super) fn rounded_up(&self) -> f32 {
        (self.deviation.metres as f32).next_up()
    }
}

impl Deviation {
    fn none(skeleton: &Skeleton) -> Self {
        Self {
            metres: 0.0,
            found: 0.0,
            joint: JointIndex(0),
            time: 0.0,
            joints: alloc::vec![0.0; skeleton.len()],
            moments: 0,
        }
    }
}

/// Bounds the error piece by piece; `curves` writes the curves of both animations from one break to the next.
fn over_pieces(
    skeleton: &Skeleton,
    breaks: &[f64],
    is_continuous: bool,
    precision: Precision,
    fails: &mut dyn FnMut(f64),
    mut observe: Option<ErrorObserver<'_, f32>>,
    mut curves: impl FnMut(f64, f64, &mut [Vec<JointCurve>; 2]),
) -> ErrorMeasurement {
    let mut bound = ErrorBound::new(skeleton);
    let mut worst = Deviation::none(skeleton);
    let mut both = [Vec::new(), Vec::new()];
    // An animation of length zero is one piece of zero length. If channels jump (step interpolation), a key at the very
    // end begins no piece, so a piece of zero length just after the end represents it.
    let end = breaks[breaks.len() - 1];
    let after = if is_continuous { end } else { end.next_up() };
    let pieces = breaks.windows(2).map(|pair| [pair[0], pair[1]]);
    let has_end = breaks.len() == 1 || !is_continuous;
    let pieces = pieces.chain(has_end.then_some([after, after]));
    for (index, [t0, t1]) in pieces.enumerate() {
        curves(t0, t1, &mut both);
        let time = |s: f64| (t0 + (t1 - t0) * s) as f32;
        let mut observe_piece = observe
            .as_mut()
            .map(|observe| move |s: f64, errors: &[f64]| observe(time(s), errors));
        let error = bound.piece(
            &both[0],
            &both[1],
            is_continuous && index > 0,
            precision,
            observe_piece
                .as_mut()
                .map(|observe_piece| observe_piece as &mut dyn FnMut(f64, &[f64])),
        );
        if error.bound > precision.limit {
            fails(0.5 * (t0 + t1));
        }
        worst.metres = worst.metres.max(error.bound);
        if error.largest > worst.found {
            worst.found = error.largest;
            worst.joint = error.joint.into();
            worst.time = time(error.s);
        }
        if precision.ends_at_limit && error.bound > precision.limit {
            break;
        }
    }
    worst.moments = bound.evaluations;
    worst.joints = bound.joints;
    ErrorMeasurement {
        deviation: worst,
        joints: bound.joints_with_slack,
    }
}

/// Samples per frame at which the keyframe codec is measured.
const SAMPLES_PER_FRAME: usize = 8;

/// The largest error at sampled times, for the keyframe codec, which has no known bound.
fn sampled(
    packed: &PackedAnimation<'_>,
    source: &Source<'_>,
    mut observe: Option<ErrorObserver<'_, f32>>,
) -> Result<Deviation, JointCountMismatch> {
    let mut meter = ErrorMeter::new(source.skeleton);
    let mut cursor = PackedCursor::new();
    let (mut expected, mut found) = (Pose::rest(source.skeleton), Pose::rest(source.skeleton));
    let mut worst = Deviation::none(source.skeleton);
    for time in source.times_to_compare(SAMPLES_PER_FRAME) {
        source.pose_at(time, &mut expected);
        packed.sample(time, &mut cursor, &mut found)?;
        let error = meter.measure(&expected, &found)?;
        for (largest, &joint_error) in worst.joints.iter_mut().zip(meter.joints()) {
            *largest = largest.max(joint_error);
        }
        if let Some(observe) = &mut observe {
            observe(time, meter.joints());
        }
        worst.moments += 1;
        if error.metres > worst.found {
            worst.metres = error.metres;
            worst.found = error.metres;
            worst.joint = error.joint;
            worst.time = time;
        }
    }
    Ok(worst)
}
