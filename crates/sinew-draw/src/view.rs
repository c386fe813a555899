//! The visible part of the world.
//!
//! Input: bounds in the world (y-up) and a picture's size → output: a [`View`], the map from world to pixels (y-down,
//! the origin in the top left corner of the top left pixel).

use sinew::glam::Vec2;

/// The smallest scale of [`View::fit`] in pixels per world unit: bounds of 10⁹ units still get a view.
const MIN_SCALE: f64 = 1e-6;

/// The largest scale of [`View::fit`] in pixels per world unit, so that a character shrunk to a point is not magnified
/// to noise.
const MAX_SCALE: f64 = 1e6;

/// The map from world to pixels: a uniform scale about a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Pixels per world unit.
    pub scale: f32,
    /// The world position of the picture's centre.
    pub center: Vec2,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
}

impl View {
    /// Returns the view that shows a box of the world as large as possible, `margin` pixels from the edges.
    ///
    /// Corners may be given in any order. A box without extent, or with a corner that is not finite, is shown at one
    /// pixel per unit; a margin that leaves no room is reduced to leave one pixel.
    pub fn fit(bounds_min: Vec2, bounds_max: Vec2, width: u32, height: u32, margin: f32) -> Self {
        if !(bounds_min.is_finite() && bounds_max.is_finite()) {
            return Self {
                scale: 1.0,
                center: Vec2::ZERO,
                width,
                height,
            };
        }
        let room = |side: u32| (f64::from(side) - 2.0 * f64::from(margin.max(0.0))).max(1.0);
        let extent = |a: f32, b: f32| (f64::from(b) - f64::from(a)).abs();
        let middle = |a: f32, b: f32| ((f64::from(a) + f64::from(b)) * 0.5) as f32;

        let extent_x = extent(bounds_min.x, bounds_max.x);
        let extent_y = extent(bounds_min.y, bounds_max.y);
        // An axis without extent gives infinity, so the other axis determines the scale.
        let scale = (room(width) / extent_x).min(room(height) / extent_y);
        let scale = if scale.is_finite() {
            scale.clamp(MIN_SCALE, MAX_SCALE)
        } else {
            1.0
        };
        Self {
            scale: scale as f32,
            center: Vec2::new(
                middle(bounds_min.x, bounds_max.x),
                middle(bounds_min.y, bounds_max.y),
            ),
            width,
            height,
        }
    }

    /// Returns the pixel position of a world position.
    pub fn to_pixels(&self, world: Vec2) -> Vec2 {
        let [x, y] = self.to_pixels_f64(world);
        Vec2::new(x as f32, y as f32)
    }

    /// Returns the world position of a pixel position; not finite if the scale is 0.
    pub fn to_world(&self, pixels: Vec2) -> Vec2 {
        let scale = f64::from(self.scale);
        let x = (f64::from(pixels.x) - f64::from(self.width) * 0.5) / scale;
        let y = (f64::from(self.height) * 0.5 - f64::from(pixels.y)) / scale;
        Vec2::new(
            (x + f64::from(self.center.x)) as f32,
            (y + f64::from(self.center.y)) as f32,
        )
    }

    /// Like [`Self::to_pixels`], accurate to far below the rasterizer's grid.
    pub(crate) fn to_pixels_f64(self, world: Vec2) -> [f64; 2] {
        let scale = f64::from(self.scale);
        [
            f64::from(self.width) * 0.5 + (f64::from(world.x) - f64::from(self.center.x)) * scale,
            f64::from(self.height) * 0.5 - (f64::from(world.y) - f64::from(self.center.y)) * scale,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(min: [f32; 2], max: [f32; 2], margin: f32) -> View {
        View::fit(Vec2::from(min), Vec2::from(max), 200, 100, margin)
    }

    #[test]
    fn bounds_that_are_not_finite_give_one_pixel_per_unit_about_the_origin() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let view = fit([bad, 0.0], [1.0, 1.0], 4.0);
            assert_eq!((view.scale, view.center), (1.0, Vec2::ZERO));
        }
    }

    #[test]
    fn bounds_without_extent_give_one_pixel_per_unit_about_the_point() {
        let view = fit([3.0, 4.0], [3.0, 4.0], 4.0);
        assert_eq!((view.scale, view.center), (1.0, Vec2::new(3.0, 4.0)));
    }

    #[test]
    fn a_line_is_fitted_by_its_length() {
        let view = fit([0.0, 5.0], [10.0, 5.0], 0.0);
        assert_eq!(view.scale, 20.0);
    }

    #[test]
    fn the_widest_finite_bounds_give_a_finite_view() {
        let view = fit([-f32::MAX, -f32::MAX], [f32::MAX, f32::MAX], 0.0);
        assert!(view.scale > 0.0 && view.center == Vec2::ZERO);
    }

    #[test]
    fn a_margin_wider_than_the_picture_still_gives_a_positive_scale() {
        for margin in [80.0, 1e30, f32::INFINITY, f32::NAN] {
            assert!(fit([0.0, 0.0], [10.0, 10.0], margin).scale > 0.0);
        }
    }

    #[test]
    fn a_picture_without_pixels_gives_a_positive_scale() {
        assert!(View::fit(Vec2::ZERO, Vec2::ONE, 0, 0, 2.0).scale > 0.0);
    }

    #[test]
    fn corners_land_on_the_margin_with_y_turned_over() {
        let view = fit([-10.0, -5.0], [10.0, 5.0], 10.0);
        assert_eq!(view.scale, 8.0);
        assert_eq!(view.to_pixels(Vec2::new(-10.0, 5.0)), Vec2::new(20.0, 10.0));
        assert_eq!(
            view.to_pixels(Vec2::new(10.0, -5.0)),
            Vec2::new(180.0, 90.0)
        );
    }

    #[test]
    fn to_world_undoes_to_pixels() {
        let view = fit([-3.0, 2.0], [11.0, 7.0], 3.0);
        let there = view.to_pixels(Vec2::new(1.5, 6.25));
        assert!(view.to_world(there).distance(Vec2::new(1.5, 6.25)) < 1e-5);
    }
}
