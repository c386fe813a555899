//! Animations that are made of several: mixed, or going over from one to the other.

use super::recorder::{MAX_FRAMES, PlantRecorder, Recorder, rate};
use crate::contacts::find_plants;
use alloc::vec::Vec;
use sinew::anatomy::Plant;
use sinew::animation::Animation;
use sinew::internal::smootherstep;
use sinew::internal::{carriers, lay};
use sinew::math::GroundTransform;
use sinew::pose::Pose;
use sinew::registration::BlendError;
use sinew::registration::Motion;
use sinew::registration::RegistrationCurve;
use sinew::registration::{BlendPlace, MotionBlend};
use sinew::sample::Sampler;
use sinew::skeleton::JointIndex;

/// How much each motion counts, over time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BlendWeights {
    /// The same all the time.
    Constant(Vec<f64>),
    /// From key to key, by a curve without corners: moments in seconds, rising, each with its weights.
    Keys(Vec<(f64, Vec<f64>)>),
}

impl BlendWeights {
    /// Whether there is something for each motion at each key.
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

    /// The weights at a moment; before the first key and after the last those of the keys.
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
        let part = if span > 0.0 {
            smootherstep((time - before.0) / span)
        } else {
            0.0
        };
        let pairs = before.1.iter().zip(&after.1);
        into.extend(pairs.map(|(a, b)| a + (b - a) * part));
    }
}

/// What came of mixing motions.
#[derive(Clone, Debug, PartialEq)]
pub struct Blended {
    /// The motion, on the first one's skeleton, with a key on every frame.
    pub animation: Animation,
    /// Which feet stand when in it: what [`clean_feet`](crate::footskate::clean_feet) needs.
    pub plants: Vec<Plant>,
    /// The position on the curve at each frame; outside of a transition its ends. Of a switch, 0 before and 1 after.
    pub positions: Vec<f64>,
}

/// Motions along the whole of their curve, mixed by weights; the reference is laid where `ground` says at first.
///
/// # Errors
/// When motions, skeletons or weights do not fit the curve.
pub fn blend_motions(
    curve: &RegistrationCurve,
    motions: &[Motion<'_>],
    weights: &BlendWeights,
    ground: GroundTransform,
) -> Result<Blended, BlendError> {
    let mut blend = MotionBlend::new(curve, motions)?;
    weights.check(motions.len())?;
    let rate = rate(motions);
    let mut place = BlendPlace {
        position: 0.0,
        ground,
    };
    let mut recorder = Recorder::new(blend.skeleton(), rate);
    let mut marks = PlantRecorder::new(curve.plants(), rate);
    let mut now = Vec::with_capacity(motions.len());
    let mut pose = Pose::rest(blend.skeleton());
    let mut dt = 0.0;
    while recorder.frames() < MAX_FRAMES {
        weights.at(recorder.frames() as f64 / rate, &mut now);
        let passed = blend.step(&mut place, &now, dt, &mut pose)?;
        // A last frame that is hardly later than the one before is none.
        if recorder.frames() > 0 && passed < 0.5 * dt {
            break;
        }
        marks.see(recorder.frames(), place.position, &now);
        recorder.push(&pose, place.position);
        if place.position >= 1.0 {
            break;
        }
        dt = 1.0 / rate;
    }
    let name = names(curve);
    recorder.finish(name, |skeleton, animation| {
        marks.finish(skeleton, animation)
    })
}

/// How one motion goes over into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionSettings {
    /// When it begins, in seconds of the first motion; moved to where the curve has enough left for all of it.
    pub at: f64,
    /// How long it takes, in seconds; less where the whole curve is shorter.
    pub seconds: f64,
    /// Where the first motion is laid.
    pub ground: GroundTransform,
}

/// Plays the first motion of a curve, goes over to the second along the curve, and plays that to its end.
///
/// # Errors
/// When motions or skeletons do not fit the curve, or a setting is no number.
pub fn transition(
    curve: &RegistrationCurve,
    motions: [Motion<'_>; 2],
    settings: &TransitionSettings,
) -> Result<Blended, BlendError> {
    check_beginning(settings.at)?;
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
    let mut marks = PlantRecorder::new(curve.plants(), rate);
    // How long there is from a position on, at the mean of both paces.
    let left = |position: f64| {
        let of = |motion: usize| curve.time(motion, 1.0) - curve.time(motion, position);
        0.5 * (of(0) + of(1))
    };
    let seconds = settings.seconds.min(left(0.0));
    let start = curve
        .position(0, settings.at)
        .min(latest(|position| left(position) >= seconds));
    let at = curve.time(0, start);

    // The first alone.
    let [first_plants, second_plants] =
        motions.map(|own| find_plants(own.skeleton, own.animation, &Default::default()));
    let reference = curve.alignment(0, start).inverse();
    let mut place = BlendPlace {
        position: start,
        ground: reference.then(&settings.ground),
    };
    let carriers = carriers(motions[curve.reference().min(1)]);
    let roots: Vec<JointIndex> = skeleton.roots().collect();
    let mut pose = Pose::rest(skeleton);
    let mut sampler = Sampler::new(skeleton, motions[0].animation);
    let mut frame = 0;
    while (frame as f64) < at * rate - 1e-6 && recorder.frames() < MAX_FRAMES {
        let time = frame as f64 / rate;
        pose.copy_from(sampler.pose_at(time as f32));
        let placement = motions[0].placement(time).unwrap_or_default();
        lay(
            &mut pose,
            &carriers,
            &roots,
            &placement.then(&settings.ground),
        );
        recorder.push(&pose, start);
        frame += 1;
    }
    marks.add_part(&first_plants, [0.0, at], 0.0);

    // Both.
    let mut elapsed = frame as f64 / rate - at;
    let mut dt = elapsed;
    while recorder.frames() < MAX_FRAMES {
        // All of it where the curve ends, however soon that is.
        let gone = (place.position - start) / (1.0 - start);
        let share = if seconds > 0.0 && start < 1.0 {
            smootherstep((elapsed / seconds).max(gone))
        } else {
            1.0
        };
        let weights = [1.0 - share, share];
        blend.step(&mut place, &weights, dt, &mut pose)?;
        marks.see(recorder.frames(), place.position, &weights);
        recorder.push(&pose, place.position);
        if share >= 1.0 || place.position >= 1.0 {
            break;
        }
        dt = 1.0 / rate;
        elapsed += dt;
    }

    // The second alone, where it is laid.
    let ground = blend.moves().get(1).copied().unwrap_or_default();
    let (from, _) = curve.sample_time(1, place.position);
    let mut sampler = Sampler::new(motions[1].skeleton, motions[1].animation);
    let joined = recorder.frames();
    let length = f64::from(motions[1].animation.length);
    let mut frame = 1;
    while recorder.frames() < MAX_FRAMES && from + frame as f64 / rate <= length + 1e-6 {
        let time = (from + frame as f64 / rate).min(length);
        pose.copy_from(sampler.pose_at(time as f32));
        let placement = motions[1].placement(time).unwrap_or_default();
        lay(&mut pose, &carriers, &roots, &placement.then(&ground));
        recorder.push(&pose, place.position);
        frame += 1;
    }
    let later = (joined.saturating_sub(1)) as f64 / rate - from;
    marks.add_part(&second_plants, [from, length], later);
    recorder.finish(names(curve), |skeleton, animation| {
        marks.finish(skeleton, animation)
    })
}

/// The last position from 0 to 1 at which something holds that holds at 0 and, from somewhere on, no more.
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

/// Whether motions can be changed at this moment.
pub(super) fn check_beginning(at: f64) -> Result<(), BlendError> {
    if (0.0..=1e6).contains(&at) {
        return Ok(());
    }
    Err(BlendError::Setting {
        what: "the beginning",
        value: at,
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
        let mut now = Vec::new();
        for (time, second) in [(0.0, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (9.0, 1.0)] {
            weights.at(time, &mut now);
            assert_eq!(now, [1.0 - second, second], "{time}");
        }
        let backwards = BlendWeights::Keys(alloc::vec![
            (1.0, alloc::vec![1.0]),
            (0.5, alloc::vec![1.0]),
        ]);
        assert!(backwards.check(1).is_err());
    }
}
