//! Motion files to give the program.
#![allow(dead_code, reason = "not every test file needs everything")]

use super::Folder;

pub(crate) const FIGURE: &str = include_str!("../../../../samples/motion/figure.asf");
pub(crate) const WALK: &str = include_str!("../../../../samples/motion/walk.amc");
pub(crate) const JUMP: &str = include_str!("../../../../samples/motion/jump.amc");

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
