//! Bounding boxes of points, and the valid range of points.

use sinew::anatomy::Bounds;
use sinew::glam::Vec3;

/// The largest valid coordinate: a hundred kilometres in centimetres. Squares of such distances are still far from the
/// largest `f32`.
pub(crate) const FARTHEST: f32 = 1e7;

/// Returns whether a point is finite and within the valid range.
pub(crate) fn drawable(point: Vec3) -> bool {
    // Comparisons with NaN are false.
    point.x.abs() <= FARTHEST && point.y.abs() <= FARTHEST && point.z.abs() <= FARTHEST
}

/// Returns the bounding box of spheres; those that are not finite or too far away are ignored. `None` without spheres.
pub(crate) fn bounds_of_balls(balls: impl IntoIterator<Item = (Vec3, f32)>) -> Option<Bounds> {
    let boxes = balls
        .into_iter()
        .filter(|&(center, radius)| drawable(center) && radius.is_finite())
        .map(|(center, radius)| Bounds {
            min: center - Vec3::splat(radius),
            max: center + Vec3::splat(radius),
        });
    boxes.reduce(Bounds::union)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_that_are_not_finite_or_absurdly_far_do_not_count() {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30];
        let balls = bad.map(|x| (Vec3::new(0.0, x, 0.0), 1.0));
        assert_eq!(bounds_of_balls(balls), None);
        let ball = (Vec3::new(1.0, 2.0, 3.0), 0.5);
        let bounds = bounds_of_balls(balls.into_iter().chain([ball])).expect("there is one");
        assert_eq!(bounds.min, Vec3::new(0.5, 1.5, 2.5));
        assert_eq!(bounds.max, Vec3::new(1.5, 2.5, 3.5));
    }
}
