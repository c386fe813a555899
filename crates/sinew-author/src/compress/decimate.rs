//! Decimation: by how many source frames rows may be apart.

use super::settings::CompressError;
use super::source::{Sampled, Source};
use crate::measure::ErrorMeter;
use alloc::vec::Vec;
use sinew::Transform;
use sinew::math::quat_slerp;
use sinew::pose::Pose;

/// How much of the error allowed lines between rows may take.
const SHARE: f64 = 0.8;

/// The most frames from row to row.
const MOST: usize = 8;

/// The numbers of frames from row to row that are worth trying, the largest first.
pub(super) fn decimation_factors(
    source: &Source<'_>,
    max_error: f64,
) -> Result<Vec<usize>, CompressError> {
    let moments = source.moments(2);
    let mut decimation_factors = alloc::vec![1];
    let mut stride = 2;
    while stride <= MOST && stride < source.frames {
        let sampled = source.sampled(stride)?;
        if !lines_are_near(source, &sampled, &moments, SHARE * max_error) {
            break;
        }
        decimation_factors.insert(0, stride);
        stride *= 2;
    }
    Ok(decimation_factors)
}

/// Whether straight ways between rows stay near the source.
fn lines_are_near(source: &Source<'_>, sampled: &Sampled, moments: &[f32], enough: f64) -> bool {
    let mut meter = ErrorMeter::new(source.skeleton);
    let (mut expected, mut line) = (Pose::rest(source.skeleton), Pose::rest(source.skeleton));
    let Ok(times) = sinew::animation::KeyTimes::uniform(sampled.rate, sampled.rows) else {
        return false;
    };
    moments.iter().all(|&time| {
        let at = times.locate(time);
        for (index, rows) in sampled.joints.iter().enumerate() {
            let mix = |a: glam::Vec3, b: glam::Vec3| a + (b - a) * at.ratio;
            let (a, b) = (rows.rotations[at.from], rows.rotations[at.to]);
            let transform = Transform {
                position: mix(rows.positions[at.from], rows.positions[at.to]),
                rotation: quat_slerp(a, b, at.ratio),
                scale: mix(rows.scales[at.from], rows.scales[at.to]),
            };
            line.set(index.into(), transform);
        }
        source.pose_at(time, &mut expected);
        let error = meter.measure(&expected, &line);
        error.is_ok_and(|error| error.metres <= enough)
    })
}
