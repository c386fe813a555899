//! What the tests of BVH share.

use crate::common::warning_texts;
use sinew::glam::Vec3;
use sinew::{Animation, JointIndex, ModelPose, Pose, Skeleton, local_to_model, sample};
use sinew_formats::bvh::{Bvh, BvhSettings, read_bytes};
use sinew_formats::{MotionFile, TextError};

/// A small file: two joints, nine channels, two frames.
pub(crate) const GOOD: &str = "\
HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 50 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 40 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 2 10 20 30 5 6 7
1 91 3 11 21 31 8 9 10.5
";

pub(crate) const STRICT: BvhSettings = BvhSettings {
    lenient: false,
    frame_rate: None,
    scale: 0.01,
};

pub(crate) const LENIENT: BvhSettings = BvhSettings {
    lenient: true,
    ..STRICT
};

/// [`GOOD`] with one text replaced by another.
pub(crate) fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from:?}");
    GOOD.replacen(from, to, 1)
}

pub(crate) fn strict(text: &str) -> Result<Bvh, TextError> {
    read_bytes(text.as_bytes(), &STRICT)
}

pub(crate) fn lenient(text: &str) -> Result<Bvh, TextError> {
    read_bytes(text.as_bytes(), &LENIENT)
}

pub(crate) fn motion(bytes: &[u8]) -> MotionFile {
    let bvh = read_bytes(bytes, &LENIENT).unwrap();
    bvh.into_motion(&LENIENT).unwrap()
}

pub(crate) fn warnings(file: &MotionFile) -> Vec<String> {
    warning_texts(&file.warnings)
}

/// Where joints and tips are in the model's frame, frame by frame at the animation's own rate.
pub(crate) fn places(skeleton: &Skeleton, animation: Option<&Animation>) -> Vec<Vec<Vec3>> {
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);
    let frames = animation.map_or(1, Animation::frame_count);
    let binding = animation.map(|animation| animation.bind(skeleton));
    (0..frames)
        .map(|frame| {
            if let (Some(animation), Some(binding)) = (animation, &binding) {
                sample(animation, binding, animation.frame_time(frame), &mut pose).unwrap();
            }
            local_to_model(skeleton, &pose, &mut model).unwrap();
            let joints = (0..skeleton.len()).map(JointIndex::from);
            joints
                .flat_map(|joint| [Some(model.position(joint)), model.tip(skeleton, joint)])
                .flatten()
                .collect()
        })
        .collect()
}

/// The largest distance between corresponding points.
pub(crate) fn apart(a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> f32 {
    assert_eq!(a.len(), b.len());
    let frames = a.iter().zip(b);
    let points = frames.flat_map(|(a, b)| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b)
    });
    points.map(|(a, b)| (*a - *b).length()).fold(0.0, f32::max)
}
