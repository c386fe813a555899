//! The pixels that may see a part of the ground.
//!
//! Input: a rectangle on the ground with any rotation, and a [`Lens`] → output: the columns to test in each row of the
//! picture. The bounding box of a long thin diagonal part has hundreds of times the pixels that see it; the rows of the
//! projected rectangle have few more than those.

use super::cone::{PixelRange, range};
use super::lens::Lens;
use sinew::glam::{Vec2, Vec3};

/// Margin in pixels around the exact outline: `f32` places corners within a hundredth of a pixel.
const MARGIN: f32 = 1.0;

/// A rectangle has four corners; clipping by a plane adds at most one.
const MAX_CORNERS: usize = 5;

/// A convex part of the ground in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    corners: [Vec2; MAX_CORNERS],
    count: usize,
}

impl Outline {
    /// Returns the rectangle around the line between two positions, extended by `reach` on all sides, at a height;
    /// `None` if no pixel can see it.
    pub(crate) fn around_line(
        from: Vec2,
        to: Vec2,
        reach: f32,
        height: f32,
        lens: &Lens,
        (width, rows): (usize, usize),
    ) -> Option<Self> {
        let onward = (to - from).try_normalize().unwrap_or(Vec2::X) * reach;
        let aside = onward.perp();
        let corners = [
            from - onward - aside,
            to + onward - aside,
            to + onward + aside,
            from - onward + aside,
        ];
        let corners = corners.map(|corner| lens.view(Vec3::new(corner.x, height, corner.y)));
        let plane = nearest_depth(height, lens, (width, rows));
        let is_placed = corners.iter().all(|corner| corner.is_finite());
        if !(plane > 0.0 && is_placed) {
            return None;
        }
        let mut outline = Self {
            corners: [Vec2::ZERO; MAX_CORNERS],
            count: 0,
        };
        // Sutherland and Hodgman's clipping of a polygon by one plane.
        for (index, &corner) in corners.iter().enumerate() {
            let next = corners[(index + 1) % corners.len()];
            if corner.z >= plane {
                outline.push(corner, lens);
            }
            if (corner.z >= plane) != (next.z >= plane) {
                let fraction = (plane - corner.z) / (next.z - corner.z);
                let mut crossing = corner + (next - corner) * fraction;
                crossing.z = plane;
                outline.push(crossing, lens);
            }
        }
        (outline.count > 0).then_some(outline)
    }

    fn push(&mut self, view: Vec3, lens: &Lens) {
        if let Some(corner) = self.corners.get_mut(self.count) {
            *corner = lens.pixel(view);
            self.count += 1;
        }
    }

    fn corners(&self) -> &[Vec2] {
        &self.corners[..self.count]
    }

    /// Returns the rows that it touches, in a picture of `height`.
    pub(crate) fn rows(&self, height: usize) -> PixelRange {
        let ys = || self.corners().iter().map(|corner| corner.y);
        let low = ys().fold(f32::INFINITY, f32::min) - MARGIN;
        let high = ys().fold(f32::NEG_INFINITY, f32::max) + MARGIN;
        range(low, high, height)
    }

    /// Returns the columns that it touches in a row, in a picture of `width`.
    pub(crate) fn columns(&self, row: usize, width: usize) -> PixelRange {
        let middle = row as f32 + 0.5;
        let (top, bottom) = (middle - MARGIN, middle + MARGIN);
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        let corners = self.corners();
        for (index, &from) in corners.iter().enumerate() {
            let to = corners[(index + 1) % corners.len()];
            let (above, below) = if from.y <= to.y {
                (from, to)
            } else {
                (to, from)
            };
            if below.y < top || above.y > bottom {
                continue;
            }
            // The part of the edge between the lines above and below the row.
            let start = if above.y < top {
                cut(above, below, top)
            } else {
                above.x
            };
            let end = if below.y > bottom {
                cut(above, below, bottom)
            } else {
                below.x
            };
            low = low.min(start).min(end);
            high = high.max(start).max(end);
        }
        range(low - MARGIN, high + MARGIN, width)
    }
}

/// Returns x at a height on the line through two points. In `f64`, because corners may be far outside the picture.
fn cut(above: Vec2, below: Vec2, y: f32) -> f32 {
    let [x0, y0] = above.to_array().map(f64::from);
    let [x1, y1] = below.to_array().map(f64::from);
    (x0 + (f64::from(y) - y0) * (x1 - x0) / (y1 - y0)) as f32
}

/// Returns a depth before which no pixel of a picture sees ground at a height.
///
/// A ray through the picture deviates from the line of sight by at most `slope` per unit of depth, so a point at depth
/// z is at most `z sqrt(1 + slope²)` from the eye; and ground is at least as far away as the eye is above it. Half of
/// that leaves room for rounding.
fn nearest_depth(height: f32, lens: &Lens, (width, rows): (usize, usize)) -> f32 {
    let slope = Vec2::new(width as f32, rows as f32) * (0.5 / lens.focal);
    let away = (height - lens.eye.y).abs();
    (away * 0.5 / (1.0 + slope.length_squared()).sqrt()).min(lens.near)
}

#[cfg(test)]
mod tests {
    use super::super::camera::Camera;
    use super::*;

    /// Every pixel that sees a position near the line is among the columns of its row, from high above and from close
    /// to the ground, with all of the line in front of the eye and with its end behind it.
    #[test]
    fn every_pixel_that_sees_a_place_near_the_line_is_looked_at() {
        let (width, height) = (160, 120);
        let lines = [
            (Vec2::new(-2.0, -1.0), Vec2::new(2.0, 1.5)),
            (Vec2::new(0.0, -30.0), Vec2::new(0.3, 30.0)),
            (Vec2::new(-1.0, 0.2), Vec2::new(-1.0, 0.2)),
            (Vec2::new(-40.0, 3.0), Vec2::new(40.0, 3.1)),
        ];
        for eye_height in [0.02, 0.5, 3.0] {
            let camera = Camera {
                eye: Vec3::new(0.5, eye_height, 5.0),
                target: Vec3::new(0.0, 0.4, 0.0),
                up: Vec3::Y,
                field_of_view: 0.9,
            };
            let lens = Lens::new(&camera, width, height).expect("it is a camera");
            for (from, to) in lines {
                let reach = 0.2;
                let size = (width as usize, height as usize);
                let outline = Outline::around_line(from, to, reach, 0.0, &lens, size);
                let mut seen = 0;
                for y in 0..height as usize {
                    for x in 0..width as usize {
                        let ray = lens.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
                        let far = -lens.eye.y / ray.y;
                        let place = Vec2::new(lens.eye.x + ray.x * far, lens.eye.z + ray.z * far);
                        let along = to - from;
                        let fraction =
                            (place - from).dot(along) / along.length_squared().max(1e-12);
                        let away = place.distance(from + along * fraction.clamp(0.0, 1.0));
                        if far > 0.0 && away < reach {
                            let outline = outline.expect("a pixel sees it");
                            let (rows, columns) =
                                (outline.rows(size.1), outline.columns(y, size.0));
                            assert!(
                                (rows.first..rows.end).contains(&y),
                                "{eye_height} {from} {y}"
                            );
                            assert!((columns.first..columns.end).contains(&x), "{from} {x} {y}");
                            seen += 1;
                        }
                    }
                }
                assert!(seen > 0 || eye_height < 0.1, "{eye_height} {from} {to}");
            }
        }
    }

    #[test]
    fn a_slanted_line_has_few_columns_in_a_row() {
        let camera = Camera {
            eye: Vec3::new(0.0, 10.0, 1.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            field_of_view: 0.9,
        };
        let lens = Lens::new(&camera, 500, 500).expect("it is a camera");
        let (from, to) = (Vec2::splat(-3.0), Vec2::splat(3.0));
        let outline = Outline::around_line(from, to, 0.05, 0.0, &lens, (500, 500));
        let outline = outline.expect("it is seen");
        let rows = outline.rows(500);
        let looked_at: usize = (rows.first..rows.end)
            .map(|row| outline.columns(row, 500))
            .map(|columns| columns.end - columns.first)
            .sum();
        let in_box = (rows.end - rows.first).pow(2);
        assert!(looked_at * 10 < in_box, "{looked_at} of {in_box}");
    }

    #[test]
    fn what_lies_behind_the_eye_is_not_seen() {
        let camera = Camera {
            eye: Vec3::new(0.0, 1.0, 5.0),
            target: Vec3::new(0.0, 1.0, 0.0),
            up: Vec3::Y,
            field_of_view: 0.9,
        };
        let lens = Lens::new(&camera, 100, 100).expect("it is a camera");
        let line = |z: f32| (Vec2::new(-1.0, z), Vec2::new(1.0, z));
        for (z, is_seen) in [(20.0, false), (-20.0, true)] {
            let (from, to) = line(z);
            let outline = Outline::around_line(from, to, 0.1, 0.0, &lens, (100, 100));
            assert_eq!(outline.is_some(), is_seen);
        }
        let (from, to) = (Vec2::NAN, Vec2::ZERO);
        assert!(Outline::around_line(from, to, 0.1, 0.0, &lens, (100, 100)).is_none());
    }
}
