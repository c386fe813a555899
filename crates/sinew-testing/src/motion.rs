//! A small figure with two sides and a motion for it.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::quat_normalize;
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};

pub fn turn(axis: Vec3, angle: f32) -> Quat {
    let axis = axis.normalize() * (angle * 0.5).sin();
    quat_normalize(Quat::from_xyzw(axis.x, axis.y, axis.z, (angle * 0.5).cos()))
}

pub fn joint(name: &str, parent: Option<u32>, position: [f32; 3]) -> Joint {
    Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(position.into()),
        tip: None,
    }
}

/// Hips, two legs of two bones and toes, and a spine. The rest rotations are not trivial.
pub fn figure() -> Skeleton {
    let mut joints = vec![
        joint("hips", None, [0.0, 1.0, 0.0]),
        joint("lthigh", Some(0), [0.1, 0.0, 0.0]),
        joint("lshin", Some(1), [0.0, -0.5, 0.0]),
        joint("lfoot", Some(2), [0.0, -0.45, 0.0]),
        joint("rthigh", Some(0), [-0.1, 0.0, 0.0]),
        joint("rshin", Some(4), [0.0, -0.5, 0.0]),
        joint("rfoot", Some(5), [0.0, -0.45, 0.0]),
        joint("spine", Some(0), [0.0, 0.1, 0.0]),
    ];
    for foot in [3, 6] {
        joints[foot].tip = Some(Vec3::new(0.0, -0.05, 0.15));
    }
    Skeleton::new(joints).unwrap()
}

/// The same with bent rest rotations, unlike on both sides.
pub fn bent_figure() -> Skeleton {
    let mut joints = figure().joints().to_vec();
    for (index, joint) in joints.iter_mut().enumerate() {
        let f = index as f32;
        joint.rest.rotation = turn(Vec3::new(1.0 + f, 2.0 - f, 0.5), 0.3 + 0.2 * f);
    }
    Skeleton::new(joints).unwrap()
}

/// `count` keys at `rate` on every joint, swinging.
pub fn swinging(skeleton: &Skeleton, rate: f64, count: usize) -> Animation {
    let times = KeyTimes::uniform(rate, count).unwrap();
    let mut animation = Animation::new("swing", times.last());
    animation.frame_rate = Some(rate);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let rotation = times.iter().map(|time| {
            let angle = (time * 3.0 + index as f32).sin() * 0.8;
            turn(Vec3::new(1.0, 0.3 * index as f32, -0.2), angle)
        });
        let mut track = TransformTrack::new(&joint.name);
        let rotation = rotation.collect();
        track.rotation =
            Some(Channel::new(times.clone(), rotation, Interpolation::Linear).unwrap());
        if index == 0 {
            let position = times.iter().map(|time| Vec3::new(0.1, 1.0, time)).collect();
            track.position =
                Some(Channel::new(times.clone(), position, Interpolation::Linear).unwrap());
        }
        animation.tracks.push(track);
    }
    animation
}
