//! Transitions without a registration: one motion is switched to another, and the jump fades.

use sinew::feet::{Plant, PlantSettings, find_plants};
use sinew::register::{GroundMove, Motion};
use sinew::{
    Animation, AnimationError, Channel, Crossfade, Interpolation, JointIndex, KeyTimes, Pose,
    PoseTransition, Sampler, Skeleton, TransformTrack,
};

/// Frames per second where no motion has a rate.
const USUAL_RATE: f64 = 60.0;

/// Frames of a motion, at most.
const MOST_FRAMES: usize = 200_000;

/// Plays the first motion up to a moment and then the second from its beginning, laid where the first was.
pub(super) fn switched(
    [first, second]: [Motion<'_>; 2],
    at: f64,
    fade: Crossfade,
) -> Result<(Animation, Vec<Plant>), AnimationError> {
    let skeleton = first.skeleton;
    let rates = [first, second].map(|own| own.animation.frame_rate.unwrap_or(0.0));
    let rate = rates.into_iter().fold(0.0, f64::max);
    let rate = if (1.0..=1000.0).contains(&rate) {
        rate
    } else {
        USUAL_RATE
    };
    let at = at.clamp(0.0, first.animation.length.into());
    let mut going = Sampler::new(skeleton, first.animation);
    let mut coming = Sampler::new(second.skeleton, second.animation);
    let ground = lay_on(&points(&mut going, at as f32), &points(&mut coming, 0.0));

    let length = at + f64::from(second.animation.length);
    let count = ((length * rate + 1e-6) as usize + 1).min(MOST_FRAMES);
    let mut shown = PoseTransition::new(skeleton);
    let mut poses = Vec::with_capacity(count);
    let mut is_switched = false;
    for frame in 0..count {
        let time = frame as f64 / rate;
        let old = going
            .pose_at((time as f32).min(first.animation.length))
            .clone();
        let mut pose = old.clone();
        if time + 1e-9 >= at {
            let new = coming.pose_at((time - at) as f32);
            for joint in (0..pose.len()).map(JointIndex::from) {
                pose.set(joint, new.get(joint));
            }
            for root in skeleton.roots() {
                pose.set(root, ground.move_transform(&new.get(root)));
            }
            if !is_switched {
                shown.switch(fade);
                is_switched = true;
            }
        }
        let dt = if frame == 0 { 0.0 } else { (1.0 / rate) as f32 };
        // Poses are of one skeleton, or its joints would have been refused.
        let _ = shown.apply(&old, &mut pose, dt);
        poses.push(pose);
    }
    let name = format!("{}+{}", first.animation.name, second.animation.name);
    let animation = animation_of(skeleton, name, rate, &poses)?;

    // What stands in the one until then, and in the other from then on.
    let settings = PlantSettings::default();
    let mut plants = find_plants(skeleton, first.animation, &settings);
    plants.retain(|own| f64::from(own.span.start) < at);
    for own in &mut plants {
        own.span.end = own.span.end.min(at as f32);
    }
    let later = find_plants(second.skeleton, second.animation, &settings);
    plants.extend(later.into_iter().map(|own| Plant {
        span: own.span.start + at as f32..own.span.end + at as f32,
        ..own
    }));
    Ok((animation, plants))
}

/// All joints in the model's frame.
fn points(sampler: &mut Sampler<'_>, time: f32) -> Vec<[f64; 2]> {
    let points = sampler.points_at(time);
    points
        .map(|at| [f64::from(at.x), f64::from(at.z)])
        .collect()
}

/// The move over the ground that brings the second points as near to the first as can be, in the mean square.
pub(super) fn lay_on(first: &[[f64; 2]], second: &[[f64; 2]]) -> GroundMove {
    let count = first.len().min(second.len()).max(1) as f64;
    let mean = |points: &[[f64; 2]]| {
        let sum = points
            .iter()
            .fold([0.0; 2], |sum, at| [sum[0] + at[0], sum[1] + at[1]]);
        sum.map(|sum| sum / count)
    };
    let (middle, other) = (mean(first), mean(second));
    let (mut along, mut across) = (0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (x, z) = (a[0] - middle[0], a[1] - middle[1]);
        let (u, w) = (b[0] - other[0], b[1] - other[1]);
        along += x * u + z * w;
        across += x * w - u * z;
    }
    let turn = GroundMove {
        angle: across.atan2(along),
        ..GroundMove::IDENTITY
    };
    let [x, z] = turn.apply(other);
    GroundMove {
        x: middle[0] - x,
        z: middle[1] - z,
        ..turn
    }
}

/// The move that lays the beginning of a motion on that of another.
pub(super) fn lay_beginning([first, second]: [(Motion<'_>, f64); 2]) -> GroundMove {
    let start = |(own, time): (Motion<'_>, f64)| {
        points(&mut Sampler::new(own.skeleton, own.animation), time as f32)
    };
    lay_on(&start(first), &start(second))
}

/// Poses as an animation with a key on every frame.
fn animation_of(
    skeleton: &Skeleton,
    name: String,
    rate: f64,
    poses: &[Pose],
) -> Result<Animation, AnimationError> {
    let times = KeyTimes::uniform(rate, poses.len().max(1))?;
    let mut animation = Animation::new(name, times.last());
    animation.frame_rate = Some(rate);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let own = || poses.iter().map(|pose| pose.get(JointIndex::from(index)));
        let mut track = TransformTrack::new(joint.name.clone());
        // What rests all the time needs no keys.
        if !own().all(|at| at.position == joint.rest.position) {
            let values = own().map(|at| at.position).collect();
            track.position = Some(Channel::new(times.clone(), values, Interpolation::Linear)?);
        }
        if !own().all(|at| at.rotation == joint.rest.rotation) {
            let values = own().map(|at| at.rotation).collect();
            track.rotation = Some(Channel::new(times.clone(), values, Interpolation::Linear)?);
        }
        if !own().all(|at| at.scale == joint.rest.scale) {
            let values = own().map(|at| at.scale).collect();
            track.scale = Some(Channel::new(times.clone(), values, Interpolation::Linear)?);
        }
        if !track.is_empty() {
            animation.tracks.push(track);
        }
    }
    Ok(animation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_laid_where_they_were_moved_from() {
        let points = [[0.0, 0.0], [1.0, 0.2], [0.3, -2.0], [4.0, 1.0]];
        let away = GroundMove {
            angle: 2.4,
            x: 3.0,
            z: -7.0,
        };
        let moved = points.map(|at| away.apply(at));
        let back = lay_on(&points, &moved);
        for (at, from) in points.iter().zip(moved) {
            let [x, z] = back.apply(from);
            assert!((x - at[0]).abs() < 1e-9 && (z - at[1]).abs() < 1e-9);
        }
        let none = lay_on(&[], &[]);
        assert_eq!(none, GroundMove::IDENTITY);
    }
}
