//! Pass 8: how far the result is from its source, at every time.
//!
//! What is bounded is the statement of `docs/error-bound.md`: the source is slerp and lines of its keys, the packed
//! animation slerp and lines of its rows (or lines of coordinates, between rows where slerp is not chosen), and the
//! error is bounded between them from the curves themselves ([`bound`](super::bound)). Nothing here knows how the rows
//! were chosen.

use super::bound::{ErrorBound, ErrorObserver};
use super::curve_sources::{KeyedSide, RowSide, sorted_breaks};
use super::curves::JointCurve;
use super::source::Source;
use crate::measure::ErrorMeter;
use alloc::vec::Vec;
use sinew::animation::Animation;
use sinew::internal::packed::Body;
use sinew::packed::PackedAnimation;
use sinew::packed::PackedCursor;
use sinew::pose::{JointCountMismatch, Pose};
use sinew::skeleton::{JointIndex, Skeleton};

/// How far a packed animation is from its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// A bound of the error at every time, in metres: no point of any joint's ball
    /// ([`ErrorMeter`](crate::measure::ErrorMeter)) is further off at any time. It is proven, not sampled, for all packings but
    /// [`Packing::Keys`](sinew::packed::Packing::Keys), where it is the largest of eight moments per frame.
    pub metres: f64,
    /// The largest error that was found at a moment, in metres; `metres` is little more.
    pub found: f64,
    /// The joint there.
    pub joint: JointIndex,
    /// The moment, in seconds.
    pub time: f32,
    /// For each joint, the largest error that was found, in metres.
    pub joints: Vec<f64>,
    /// How many moments were evaluated.
    pub moments: usize,
}

/// Why a packed animation cannot be compared with a source.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// They are of skeletons of different sizes.
    #[error(transparent)]
    Joints(#[from] JointCountMismatch),
    /// There are more frames than are looked at.
    #[error("{frames} frames are too many to look at; the most is {limit}")]
    TooLong {
        /// How many there are.
        frames: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// Bounds how far a packed animation is from its source at every time. `each` is given every moment that is evaluated,
/// in order, and the error of each joint there.
///
/// # Errors
/// When the skeleton has another number of joints, or the source is too long.
pub fn verify(
    packed: &PackedAnimation<'_>,
    skeleton: &Skeleton,
    animation: &Animation,
    mut each: impl FnMut(f32, &[f64]),
) -> Result<Deviation, VerifyError> {
    let source = Source::new(skeleton, animation);
    if source.is_too_long() {
        return Err(VerifyError::TooLong {
            frames: source.frames,
            limit: source.most_rows(),
        });
    }
    // Compressing found parts whose bounds are within the error that is stated; they are found again.
    let precision = Precision {
        enough: f64::from(packed.error),
        limit: f64::from(packed.error),
        is_limit_final: false,
        ends_at_limit: false,
    };
    let measured = measure(packed, &source, precision, &mut |_| (), Some(&mut each))?;
    Ok(measured.deviation)
}

/// How closely errors are bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// What is bounded by this is near enough.
    pub(super) enough: f64,
    /// Whether errors are below this is found out, unless they are nearly equal.
    pub(super) limit: f64,
    /// Whether parts in which an error above the limit is found are not subdivided.
    pub(super) is_limit_final: bool,
    /// Whether to stop at the first piece whose bound is above the limit.
    pub(super) ends_at_limit: bool,
}

impl Precision {
    /// To find out whether errors are within one that is allowed.
    pub(super) fn within(max_error: f32) -> Self {
        let limit = f64::from(max_error);
        Self {
            enough: super::NEAR * limit,
            limit,
            is_limit_final: true,
            ends_at_limit: false,
        }
    }
}

/// Bounds the error at every time; `fails` is given the middle of pieces whose bound is above the limit.
pub(super) fn measure(
    packed: &PackedAnimation<'_>,
    source: &Source<'_>,
    precision: Precision,
    fails: &mut dyn FnMut(f64),
    each: Option<ErrorObserver<'_, f32>>,
) -> Result<ErrorMeasurement, JointCountMismatch> {
    JointCountMismatch::check(packed.joints, source.skeleton.len())?;
    let skeleton = source.skeleton;
    let mut expected = KeyedSide::new(skeleton, source.animation, false);
    let mut breaks = Vec::new();
    expected.breaks(&mut breaks);
    let mut rows;
    let mut keys;
    let is_continuous;
    let found: &mut dyn FnMut(f64, f64, &mut Vec<JointCurve>) = match &packed.body {
        Body::Rows(body) => {
            rows = RowSide::new(skeleton, body);
            rows.breaks(&mut breaks);
            is_continuous = !expected.has_steps();
            &mut |t0, t1, curves| rows.curves(t0, t1, curves)
        }
        Body::Plain(plain) => {
            keys = KeyedSide::new(skeleton, &plain.animation, true);
            if keys.is_same_as(&expected) {
                return Ok(ErrorMeasurement::new(Deviation::none(skeleton)));
            }
            keys.breaks(&mut breaks);
            is_continuous = !(expected.has_steps() || keys.has_steps());
            &mut |t0, t1, curves| keys.curves(t0, t1, curves)
        }
        Body::Keys(_) => return Ok(ErrorMeasurement::new(sampled(packed, source, each)?)),
    };
    let breaks = sorted_breaks(breaks, f64::from(source.animation.length), source.rate);
    Ok(over_pieces(
        skeleton,
        &breaks,
        is_continuous,
        precision,
        fails,
        each,
        |t0, t1, curves| {
            expected.curves(t0, t1, &mut curves[0]);
            found(t0, t1, &mut curves[1]);
        },
    ))
}

/// What was measured.
pub(super) struct ErrorMeasurement {
    pub(super) deviation: Deviation,
    /// By joints, the largest error that was found, with what rounding may add.
    pub(super) joints: Vec<f64>,
}

impl ErrorMeasurement {
    fn new(deviation: Deviation) -> Self {
        Self {
            joints: deviation.joints.clone(),
            deviation,
        }
    }

    /// The bound as it is stored: never less than it is.
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

/// Bounds the error piece by piece; `curves` gives both animations from one break to the next.
fn over_pieces(
    skeleton: &Skeleton,
    breaks: &[f64],
    is_continuous: bool,
    precision: Precision,
    fails: &mut dyn FnMut(f64),
    mut each: Option<ErrorObserver<'_, f32>>,
    mut curves: impl FnMut(f64, f64, &mut [Vec<JointCurve>; 2]),
) -> ErrorMeasurement {
    let mut bound = ErrorBound::new(skeleton);
    let mut worst = Deviation::none(skeleton);
    let mut both = [Vec::new(), Vec::new()];
    // An animation without length has one moment. Where channels jump, those that do at the end have one more there:
    // a key at the end begins no piece, so that a moment just after it stands for it.
    let end = breaks[breaks.len() - 1];
    let after = if is_continuous { end } else { end.next_up() };
    let pieces = breaks.windows(2).map(|pair| [pair[0], pair[1]]);
    let has_end = breaks.len() == 1 || !is_continuous;
    let pieces = pieces.chain(has_end.then_some([after, after]));
    for (index, [t0, t1]) in pieces.enumerate() {
        curves(t0, t1, &mut both);
        let time = |s: f64| (t0 + (t1 - t0) * s) as f32;
        let mut told = each
            .as_mut()
            .map(|each| move |s: f64, errors: &[f64]| each(time(s), errors));
        let error = bound.piece(
            &both[0],
            &both[1],
            is_continuous && index > 0,
            precision,
            told.as_mut()
                .map(|told| told as &mut dyn FnMut(f64, &[f64])),
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
    worst.moments = bound.moments;
    worst.joints = bound.joints;
    ErrorMeasurement {
        deviation: worst,
        joints: bound.joints_with_slack,
    }
}

/// Moments of a frame at which keys on curves are measured.
const PER_FRAME: usize = 8;

/// The largest error at moments: for keys on curves, of which no bound is known.
fn sampled(
    packed: &PackedAnimation<'_>,
    source: &Source<'_>,
    mut each: Option<ErrorObserver<'_, f32>>,
) -> Result<Deviation, JointCountMismatch> {
    let mut meter = ErrorMeter::new(source.skeleton);
    let mut cursor = PackedCursor::new();
    let (mut expected, mut found) = (Pose::rest(source.skeleton), Pose::rest(source.skeleton));
    let mut worst = Deviation::none(source.skeleton);
    for time in source.moments(PER_FRAME) {
        source.pose_at(time, &mut expected);
        packed.sample(time, &mut cursor, &mut found)?;
        let error = meter.measure(&expected, &found)?;
        for (most, &own) in worst.joints.iter_mut().zip(meter.joints()) {
            *most = most.max(own);
        }
        if let Some(each) = &mut each {
            each(time, meter.joints());
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
