//! Bakes animations of several motions: blends along a registration curve, and transitions from one motion to another.
//!
//! [`blend_motions`] plays a [`MotionBlend`] from one end of the curve to the other. [`transition`] plays the first motion, then
//! both along the curve with the weight of the second following smootherstep, `6s⁵ - 15s⁴ + 10s³`, which has no velocity or
//! acceleration at either end, then the second motion where the blend has placed it. Both write a key per frame and joint, and
//! the plants for foot-skate cleanup.

use super::recorder::{MAX_FRAMES, PlantRecorder, Recorder, rate};
use crate::contacts::find_plants;
use alloc::vec::Vec;
use sinew::anatomy::Plant;
use sinew::animation::Animation;
use sinew::internal::smootherstep;
use sinew::internal::{apply_ground, root_chain};
use sinew::math::GroundTransform;
use sinew::pose::Pose;
use sinew::registration::BlendError;
use sinew::registration::Motion;
use sinew::registration::RegistrationCurve;
use sinew::registration::{BlendPlace, MotionBlend};
use sinew::sample::Sampler;
use sinew::skeleton::JointIndex;

/// The weight of each motion over time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BlendWeights {
    /// The same weights throughout.
    Constant(Vec<f64>),
    /// Keys of time in seconds, ascending, and weights; interpolated by smootherstep.
    Keys(Vec<(f64, Vec<f64>)>),
}

impl BlendWeights {
    /// Checks that there is a finite weight for each motion at each key.
    fn check(&self, motions: usize) -> Result<(), BlendError> {
        let is_usable = |weights: &Vec<f64>| {
            weights.len() == motions && weights.iter().all(|weight| weight.is_finite())
        };
        let expected = "expected one finite weight for each motion";
        match self {
            Self::Constant(weights) if is_usable(weights) => Ok(()),
            Self::Constant(_) => Err(BlendError::Weights(expected)),
            Self::Keys(keys) => {
                if keys.is_empty() || !keys.iter().all(|(_, weights)| is_usable(weights)) {
                    return Err(BlendError::Weights(expected));
                }
                let rises = keys.windows(2).all(|pair| pair[0].0 < pair[1].0);
                if !(rises && keys.iter().all(|(time, _)| time.is_finite())) {
                    return Err(BlendError::Weights(
                        "expected keys of weights in order of time",
                    ));
                }
                Ok(())
            }
        }
    }

    /// Writes the weights at `time`; constant before the first key and after the last.
    fn at(&self, time: f64, into: &mut Vec<f64>) {
        into.clear();
        let keys = match self {
            Self::Constant(weights) => return into.extend_from_slice(weights),
            Self::Keys(keys) => keys,
        };
        let next = keys.partition_point(|(key, _)| *key <= time);
        let (Some(before), Some(after)) = (
            keys.get(next.saturating_sub(1)),
            keys.get(next.min(keys.len().saturating_sub(1))),
        ) else {
            return;
        };
        let span = after.0 - before.0;
        let ratio = if span > 0.0 {
            smootherstep((time - before.0) / span)
        } else {
            0.0
        };
        let pairs = before.1.iter().zip(&after.1);
        into.extend(pairs.map(|(a, b)| a + (b - a) * ratio));
    }
}

/// The result of blending motions.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendedMotion {
    /// The animation, on the skeleton of the first motion, with a key on every frame.
    pub animation: Animation,
    /// Its foot contacts, which [`clean_feet`](crate::footskate::clean_feet) needs.
    pub plants: Vec<Plant>,
    /// The position on the curve at each frame; outside of a transition its ends. For a switch, 0 before and 1 after.
    pub positions: Vec<f64>,
}

/// Blends motions along their whole curve; the reference starts at `ground`.
///
/// # Errors
/// If motions, skeletons or weights do not fit the curve.
pub fn blend_motions(
    curve: &RegistrationCurve,
    motions: &[Motion<'_>],
    weights: &BlendWeights,
    ground: GroundTransform,
) -> Result<BlendedMotion, BlendError> {
    let mut blend = MotionBlend::new(curve, motions)?;
    weights.check(motions.len())?;
    let rate = rate(motions);
    let mut place = BlendPlace {
        position: 0.0,
        ground,
    };
    let mut recorder = Recorder::new(blend.skeleton(), rate);
    let mut plant_recorder = PlantRecorder::new(curve.plants(), rate);
    let mut current = Vec::with_capacity(motions.len());
    let mut pose = Pose::rest(blend.skeleton());
    let mut dt = 0.0;
    while recorder.frames() < MAX_FRAMES {
        weights.at(recorder.frames() as f64 / rate, &mut current);
        let passed = blend.step(&mut place, &current, dt, &mut pose)?;
        // The last frame is dropped if it is less than half a frame after the one before.
        if recorder.frames() > 0 && passed < 0.5 * dt {
            break;
        }
        plant_recorder.record_frame(recorder.frames(), place.position, &current);
        recorder.push(&pose, place.position);
        if place.position >= 1.0 {
            break;
        }
        dt = 1.0 / rate;
    }
    let name = names(curve);
    recorder.finish(name, |skeleton, animation| {
        plant_recorder.finish(skeleton, animation)
    })
}

/// Settings of [`transition`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionSettings {
    /// The start, in seconds of the first motion; earlier if the rest of the curve would be too short.
    pub start: f64,
    /// The duration in seconds; shorter if the whole curve is.
    pub seconds: f64,
    /// The ground transform of the first motion.
    pub ground: GroundTransform,
}

/// Plays the first motion of a curve, transitions to the second along the curve, and plays that to its end.
///
/// # Errors
/// If motions or skeletons do not fit the curve, or a setting is out of range.
pub fn transition(
    curve: &RegistrationCurve,
    motions: [Motion<'_>; 2],
    settings: &TransitionSettings,
) -> Result<BlendedMotion, BlendError> {
    check_beginning(settings.start)?;
    if !(0.0..=1e3).contains(&settings.seconds) {
        return Err(BlendError::Setting {
            what: "the length",
            value: settings.seconds,
            expected: "0 to 1000 seconds",
        });
    }
    let mut blend = MotionBlend::new(curve, &motions)?;
    let rate = rate(&motions);
    let skeleton = blend.skeleton();
    let mut recorder = Recorder::new(skeleton, rate);
    let mut plant_recorder = PlantRecorder::new(curve.plants(), rate);
    // The time from a position to the end of the curve, at the mean pace of both.
    let left = |position: f64| {
        let of = |motion: usize| curve.time(motion, 1.0) - curve.time(motion, position);
        0.5 * (of(0) + of(1))
    };
    let seconds = settings.seconds.min(left(0.0));
    let start_position = curve
        .position(0, settings.start)
        .min(latest(|position| left(position) >= seconds));
    let start_time = curve.time(0, start_position);

    // 1. The first motion alone.
    let [first_plants, second_plants] =
        motions.map(|motion| find_plants(motion.skeleton, motion.animation, &Default::default()));
    let reference = curve.alignment(0, start_position).inverse();
    let mut place = BlendPlace {
        position: start_position,
        ground: reference.then(&settings.ground),
    };
    let root_chain = root_chain(motions[curve.reference().min(1)]);
    let roots: Vec<JointIndex> = skeleton.roots().collect();
    let mut pose = Pose::rest(skeleton);
    let mut sampler = Sampler::new(skeleton, motions[0].animation);
    let mut frame = 0;
    while (frame as f64) < start_time * rate - 1e-6 && recorder.frames() < MAX_FRAMES {
        let time = frame as f64 / rate;
        pose.copy_from(sampler.pose_at(time as f32));
        let placement = motions[0].placement(time).unwrap_or_default();
        apply_ground(
            &mut pose,
            &root_chain,
            &roots,
            &placement.then(&settings.ground),
        );
        recorder.push(&pose, start_position);
        frame += 1;
    }
    plant_recorder.add_plants(&first_plants, [0.0, start_time], 0.0);

    // 2. Both, blended.
    let mut elapsed = frame as f64 / rate - start_time;
    let mut dt = elapsed;
    while recorder.frames() < MAX_FRAMES {
        // The weight reaches 1 at the end of the curve at the latest.
        let progress = (place.position - start_position) / (1.0 - start_position);
        let share = if seconds > 0.0 && start_position < 1.0 {
            smootherstep((elapsed / seconds).max(progress))
        } else {
            1.0
        };
        let weights = [1.0 - share, share];
        blend.step(&mut place, &weights, dt, &mut pose)?;
        plant_recorder.record_frame(recorder.frames(), place.position, &weights);
        recorder.push(&pose, place.position);
        if share >= 1.0 || place.position >= 1.0 {
            break;
        }
        dt = 1.0 / rate;
        elapsed += dt;
    }

    // 3. The second motion alone, where the blend has placed it.
    let ground = blend
        .ground_transforms()
        .get(1)
        .copied()
        .unwrap_or_default();
    let (from, _) = curve.sample_time(1, place.position);
    let mut sampler = Sampler::new(motions[1].skeleton, motions[1].animation);
    let joined = recorder.frames();
    let length = f64::from(motions[1].animation.length);
    let mut frame = 1;
    while recorder.frames() < MAX_FRAMES && from + frame as f64 / rate <= length + 1e-6 {
        let time = (from + frame as f64 / rate).min(length);
        pose.copy_from(sampler.pose_at(time as f32));
        let placement = motions[1].placement(time).unwrap_or_default();
        apply_ground(&mut pose, &root_chain, &roots, &placement.then(&ground));
        recorder.push(&pose, place.position);
        frame += 1;
    }
    let delay = (joined.saturating_sub(1)) as f64 / rate - from;
    plant_recorder.add_plants(&second_plants, [from, length], delay);
    recorder.finish(names(curve), |skeleton, animation| {
        plant_recorder.finish(skeleton, animation)
    })
}

/// The last position from 0 to 1 at which `holds`, which changes from true to false once, by bisection.
fn latest(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Checks the time at which a transition begins.
pub(super) fn check_beginning(time: f64) -> Result<(), BlendError> {
    if (0.0..=1e6).contains(&time) {
        return Ok(());
    }
    Err(BlendError::Setting {
        what: "the beginning",
        value: time,
        expected: "seconds from 0 on",
    })
}

fn names(curve: &RegistrationCurve) -> alloc::string::String {
    let names: Vec<&str> = (0..curve.len()).map(|motion| curve.name(motion)).collect();
    names.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_go_smoothly_from_key_to_key() {
        let weights = BlendWeights::Keys(alloc::vec![
            (1.0, alloc::vec![1.0, 0.0]),
            (2.0, alloc::vec![0.0, 1.0]),
        ]);
        assert!(weights.check(2).is_ok() && weights.check(3).is_err());
        let mut current = Vec::new();
        for (time, second) in [(0.0, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (9.0, 1.0)] {
            weights.at(time, &mut current);
            assert_eq!(current, [1.0 - second, second], "{time}");
        }
        let backwards = BlendWeights::Keys(alloc::vec![
            (1.0, alloc::vec![1.0]),
            (0.5, alloc::vec![1.0]),
        ]);
        assert!(backwards.check(1).is_err());
    }
}
