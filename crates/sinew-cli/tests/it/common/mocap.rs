//! Motion files to give the program.

use super::Folder;
use sinew::{JointIndex, Sampler};
use sinew_formats::{MotionFile, MotionSettings, read_motion};

pub(crate) const FIGURE: &str = include_str!("../../../../../samples/motion/figure.asf");
pub(crate) const WALK: &str = include_str!("../../../../../samples/motion/walk.amc");
pub(crate) const JUMP: &str = include_str!("../../../../../samples/motion/jump.amc");

/// The first frames of a motion in AMC: what takes long per frame is tested on few.
pub(crate) fn first_frames(motion: &str, count: usize) -> &str {
    let end = motion.find(&format!("\n{}\n", count + 1)).unwrap();
    &motion[..=end]
}

/// A motion of a few frames of a small BVH figure with two sides.
pub(crate) const BVH: &str = "\
HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftLeg
    {
      OFFSET 0 -45 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -45 0
      }
    }
  }
  JOINT RightUpLeg
  {
    OFFSET -10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightLeg
    {
      OFFSET 0 -45 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -45 0
      }
    }
  }
  JOINT Head
  {
    OFFSET 0 60 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 20 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 90 10 0 5 0 0 20 0 0 10 0 0 -20 0 0 30 0 0 0 0
0 91 20 0 5 0 0 30 0 0 20 0 0 -30 0 0 10 0 0 0 10
0 90 30 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20
";

impl Folder {
    /// Puts the built-in figure and its walk here, named as CMU names its files.
    pub(crate) fn put_walk(&self) {
        self.write("07.asf", FIGURE);
        self.write("07_01.amc", WALK);
    }
}

/// A motion of a folder.
pub(crate) fn read(folder: &Folder, name: &str) -> MotionFile {
    read_motion(folder.path(name), &MotionSettings::default()).unwrap()
}

/// The largest distance between two motions' joints and tips, over all frames of the first.
pub(crate) fn apart(a: &MotionFile, b: &MotionFile) -> f32 {
    let (first, second) = (&a.animations[0], &b.animations[0]);
    let mut worst = 0.0f32;
    let mut ours = Sampler::new(&a.skeleton, first);
    let mut theirs = Sampler::new(&b.skeleton, second);
    for frame in 0..first.frame_count() {
        let time = first.frame_time(frame);
        let (x, y) = (ours.model_at(time), theirs.model_at(time));
        for (index, joint) in a.skeleton.joints().iter().enumerate() {
            let other = b.skeleton.find(&joint.name).unwrap();
            let way = x.position(JointIndex::from(index)) - y.position(other);
            worst = worst.max(way.length());
            let tips = x
                .tip(&a.skeleton, index.into())
                .zip(y.tip(&b.skeleton, other));
            worst = tips.map_or(worst, |(a, b)| worst.max((a - b).length()));
        }
    }
    worst
}
