//! Axis-aligned bounding boxes of poses: the component-wise minimum and maximum of joints and tips. Joints above the body
//! are left out, because exporters put them anywhere.

use super::{ancestors, body_root};
use crate::local_to_model::local_to_model;
use crate::pose::{ModelPose, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use glam::Vec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// Returns the smallest box of points; points that are not finite are ignored. `None` without points.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let points = points.into_iter().filter(|point| point.is_finite());
        points
            .map(|point| Self {
                min: point,
                max: point,
            })
            .reduce(Self::union)
    }

    /// Returns the smallest box that contains both.
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Returns the centre.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Returns the extent along the axes.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Returns the eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        let (a, b) = (self.min, self.max);
        [
            Vec3::new(a.x, a.y, a.z),
            Vec3::new(b.x, a.y, a.z),
            Vec3::new(a.x, b.y, a.z),
            Vec3::new(b.x, b.y, a.z),
            Vec3::new(a.x, a.y, b.z),
            Vec3::new(b.x, a.y, b.z),
            Vec3::new(a.x, b.y, b.z),
            Vec3::new(b.x, b.y, b.z),
        ]
    }
}

/// Returns the box of the body in the rest pose. Joints above the first one with several children are ignored.
pub fn rest_bounds(skeleton: &Skeleton) -> Option<Bounds> {
    let mut model = ModelPose::new(skeleton);
    // The pose is of this skeleton.
    let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    pose_bounds(skeleton, &model, body_root(skeleton))
}

/// Returns the box of the joints and tips of a pose, without the joints above `root`, which may be far away: a
/// [`root_motion_joint`](super::root_motion_joint).
pub fn pose_bounds(skeleton: &Skeleton, model: &ModelPose, root: JointIndex) -> Option<Bounds> {
    let is_above = |joint| ancestors(skeleton, root).any(|above| above == joint);
    let points = model.points(skeleton);
    Bounds::of(
        points
            .filter(|(joint, _)| !is_above(*joint))
            .map(|(_, point)| point),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_are_not_finite_do_not_count() {
        let points = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(|x| Vec3::new(0.0, x, 0.0));
        assert_eq!(Bounds::of(points), None);
        let point = Vec3::new(1.0, 2.0, 3.0);
        let bounds = Bounds::of(points.into_iter().chain([point]));
        assert_eq!(
            bounds,
            Some(Bounds {
                min: point,
                max: point
            })
        );
    }

    #[test]
    fn a_box_holds_all_its_points() {
        let points = [Vec3::new(1.0, -2.0, 3.0), Vec3::new(-1.0, 5.0, 0.0)];
        let bounds = Bounds::of(points).expect("there are points");
        assert_eq!(bounds.min, Vec3::new(-1.0, -2.0, 0.0));
        assert_eq!(bounds.max, Vec3::new(1.0, 5.0, 3.0));
        assert_eq!(bounds.center(), Vec3::new(0.0, 1.5, 1.5));
        assert_eq!(bounds.size(), Vec3::new(2.0, 7.0, 3.0));
        assert_eq!(Bounds::of(bounds.corners()), Some(bounds));
    }
}
