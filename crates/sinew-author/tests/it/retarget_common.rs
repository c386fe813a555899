//! Bodies, roles and measures that the tests of retargeting share.

use sinew::glam::{Quat, Vec3};
use sinew::math::quat_normalize;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::retarget::{Role, RoleMap};
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::required_corpus;
use std::path::Path;

/// Reads a motion; the names of its file and its skeleton's are below `asf-amc` of the corpus.
pub(crate) fn real(name: &str) -> (Skeleton, Animation) {
    read(&required_corpus().join("asf-amc").join(name))
}

pub(crate) fn read(path: &Path) -> (Skeleton, Animation) {
    let mut file = read_motion(path, &MotionSettings::default()).unwrap();
    (file.skeleton, file.animations.swap_remove(0))
}

/// Assigns roles to joints by name, if the skeleton has them.
pub(crate) fn roles(skeleton: &Skeleton, names: &[(Role, &[&str])]) -> RoleMap {
    let mut map = RoleMap::new();
    for (role, names) in names {
        let joints = names.iter().filter_map(|name| skeleton.find(name));
        map.set(*role, joints.map(JointIndex::index).collect(), 1.0);
    }
    map
}

/// The positions of all joints and tips at every frame of the source's rate.
pub(crate) fn paths(skeleton: &Skeleton, animation: &Animation, rate: f64) -> Vec<Vec<Vec3>> {
    let count = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(skeleton, animation);
    let at = |frame: usize| {
        let time = (frame as f64 / rate) as f32;
        sampler.points_at(time).collect()
    };
    (0..count).map(at).collect()
}

/// The largest distance between two sets of paths, the second one scaled.
pub(crate) fn distance(a: &[Vec<Vec3>], b: &[Vec<Vec3>], scale: f32) -> f32 {
    assert_eq!(a.len(), b.len());
    let mut largest = 0.0_f32;
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            largest = largest.max((*a - *b * scale).length());
        }
    }
    largest
}

/// A copy of a skeleton with other rest rotations and the same rest positions, by a rotation per joint.
pub(crate) fn with_rest_rotations(skeleton: &Skeleton, rotations: &[Quat]) -> Skeleton {
    use sinew::math::{quat_inverse, quat_mul, quat_rotate};
    let mut model: Vec<Transform> = Vec::new();
    for joint in skeleton.joints() {
        let parent = joint.parent.map(|parent| model[parent.index()]);
        model.push(parent.map_or(joint.rest, |parent| parent.then_after(&joint.rest)));
    }
    let joints = skeleton.joints().iter().enumerate().map(|(index, joint)| {
        let own = rotations[index];
        let (rotation, origin) = match joint.parent {
            None => (Quat::IDENTITY, Vec3::ZERO),
            Some(parent) => (rotations[parent.index()], model[parent.index()].position),
        };
        let back = quat_inverse(rotation);
        let to_own = quat_mul(quat_inverse(own), model[index].rotation);
        Joint {
            rest: Transform {
                position: quat_rotate(back, model[index].position - origin),
                rotation: quat_normalize(quat_mul(back, own)),
                scale: Vec3::ONE,
            },
            tip: joint.tip.map(|tip| quat_rotate(to_own, tip)),
            ..joint.clone()
        }
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// A copy of a skeleton of another size.
pub(crate) fn scaled(skeleton: &Skeleton, scale: f32) -> Skeleton {
    let joints = skeleton.joints().iter().map(|joint| Joint {
        rest: Transform {
            position: joint.rest.position * scale,
            ..joint.rest
        },
        tip: joint.tip.map(|tip| tip * scale),
        ..joint.clone()
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// A copy of a skeleton of the CMU graphics lab with thighs and shins of other lengths.
pub(crate) fn with_legs(skeleton: &Skeleton, [thigh, shin]: [f32; 2]) -> Skeleton {
    let joints = skeleton.joints().iter().map(|joint| {
        let factor = match joint.name.as_str() {
            "ltibia" | "rtibia" => thigh,
            "lfoot" | "rfoot" => shin,
            _ => 1.0,
        };
        Joint {
            rest: Transform {
                position: joint.rest.position * factor,
                ..joint.rest
            },
            ..joint.clone()
        }
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// Pseudo-random numbers from -1 to 1: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let [x, y, z, w] = [0; 4].map(|_| self.next());
        quat_normalize(Quat::from_xyzw(x, y, z, w))
    }
}

/// The length of the path of a joint over the ground.
pub(crate) fn ground_path(
    skeleton: &Skeleton,
    animation: &Animation,
    joint: usize,
    rate: f64,
) -> f32 {
    let count = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(skeleton, animation);
    let mut at = |frame: usize| {
        let model = sampler.model_at((frame as f64 / rate) as f32);
        let point = model.position(JointIndex::from(joint));
        Vec3::new(point.x, 0.0, point.z)
    };
    let mut path = 0.0;
    let mut last = at(0);
    for frame in 1..count {
        let point = at(frame);
        path += (point - last).length();
        last = point;
    }
    path
}
