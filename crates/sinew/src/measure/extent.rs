//! Where a motion goes.

use super::{each_frame, points};
use crate::animation::Animation;
use crate::local_to_model::local_to_model;
use crate::pose::{ModelPose, Pose};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest numbers.
    pub low: Vec3,
    /// The corner with the largest numbers.
    pub high: Vec3,
}

impl Bounds {
    /// How large the box is.
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Its middle.
    pub fn middle(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// The box about all points that are finite; `None` when there is none.
    pub fn of(points: impl Iterator<Item = Vec3>) -> Option<Self> {
        let mut bounds: Option<Self> = None;
        for point in points.filter(|point| point.is_finite()) {
            let Self { low, high } = bounds.unwrap_or(Self {
                low: point,
                high: point,
            });
            bounds = Some(Self {
                low: low.min(point),
                high: high.max(point),
            });
        }
        bounds
    }

    /// The box about both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

/// The box that all joints and tips stay in, over the whole motion.
pub fn extent(skeleton: &Skeleton, animation: &Animation) -> Option<Bounds> {
    let mut whole: Option<Bounds> = None;
    each_frame(skeleton, animation, |_, model| {
        let frame = Bounds::of(points(skeleton, model).map(|(_, point)| point));
        whole = match (whole, frame) {
            (Some(a), Some(b)) => Some(a.union(&b)),
            (a, b) => a.or(b),
        };
    });
    whole
}

/// The box about the rest pose.
pub fn rest_bounds(skeleton: &Skeleton) -> Option<Bounds> {
    let mut model = ModelPose::new(skeleton);
    // The pose is made for this skeleton.
    let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    Bounds::of(points(skeleton, &model).map(|(_, point)| point))
}
