//! Decimation: how many source frames samples may be apart.
//!
//! Tries factors 2, 4 and 8 and keeps those for which slerp and lines between the samples stay within 80 % of the error
//! bound at every frame and half-way between; the other 20 % are left for quantization. It only proposes: `compress`
//! encodes every factor, the largest first, and `verify` decides. `docs/decisions/2026-11-16-packed.md`, *Decimation*. The
//! cost is two poses per frame for each factor.

use super::settings::CompressError;
use super::source::{SampledMotion, Source};
use crate::measure::ErrorMeter;
use alloc::vec::Vec;
use sinew::Transform;
use sinew::math::quat_slerp;
use sinew::pose::Pose;

/// The share of the error bound that interpolation between samples may use.
const INTERPOLATION_SHARE: f64 = 0.8;

/// The largest decimation factor.
const MAX_FACTOR: usize = 8;

/// The decimation factors (source frames per sample) that are worth trying, the largest first.
pub(super) fn decimation_factors(
    source: &Source<'_>,
    max_error: f64,
) -> Result<Vec<usize>, CompressError> {
    let times = source.times_to_compare(2);
    let mut factors = alloc::vec![1];
    let mut factor = 2;
    while factor <= MAX_FACTOR && factor < source.frames {
        let sampled = source.sampled(factor)?;
        if !interpolation_is_within(source, &sampled, &times, INTERPOLATION_SHARE * max_error) {
            break;
        }
        factors.insert(0, factor);
        factor *= 2;
    }
    Ok(factors)
}

/// Whether slerp and lines between samples are within `max_error` of the source at `times`.
fn interpolation_is_within(
    source: &Source<'_>,
    sampled: &SampledMotion,
    times: &[f32],
    max_error: f64,
) -> bool {
    let mut meter = ErrorMeter::new(source.skeleton);
    let (mut expected, mut pose) = (Pose::rest(source.skeleton), Pose::rest(source.skeleton));
    let Ok(sample_times) = sinew::animation::KeyTimes::uniform(sampled.rate, sampled.sample_count)
    else {
        return false;
    };
    times.iter().all(|&time| {
        let span = sample_times.locate(time);
        for (index, samples) in sampled.joints.iter().enumerate() {
            let lerp = |a: glam::Vec3, b: glam::Vec3| a + (b - a) * span.ratio;
            let (a, b) = (samples.rotations[span.from], samples.rotations[span.to]);
            let transform = Transform {
                position: lerp(samples.positions[span.from], samples.positions[span.to]),
                rotation: quat_slerp(a, b, span.ratio),
                scale: lerp(samples.scales[span.from], samples.scales[span.to]),
            };
            pose.set(index.into(), transform);
        }
        source.pose_at(time, &mut expected);
        let error = meter.measure(&expected, &pose);
        error.is_ok_and(|error| error.metres <= max_error)
    })
}
