//! The ground: a floor with a grid of lines that fades with distance.
//!
//! Input: the intersection of each pixel's ray with the ground → output: lines of even width in pixels. Each pixel is
//! drawn from its distance to the nearest line, which needs no clipping and no sorting and gives smooth edges; dense
//! lines fade out instead of flickering.

use super::canvas::{Canvas, unpack};
use super::lens::Lens;
use super::style::StageStyle;
use sinew::glam::{Vec2, Vec3};

/// Grid spacings in metres: finer by four or five, coarser by ten.
const SPACINGS: [f32; 9] = [0.01, 0.05, 0.25, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5];

/// The smallest distance of the finest lines in pixels, at the target's distance.
const FINEST: f32 = 24.0;

/// Visible radius of the ground around the target, relative to the visible extent there.
const REACH: f32 = 0.95;

/// Strength of fine lines relative to the main lines.
const FINE: f32 = 0.42;

/// Adding and subtracting it rounds to the nearest integer: 1.5 · 2²³, beyond which `f32` has no fractions. It is far
/// faster than a call and exact for the four million lines nearest to the origin.
const WHOLE: f32 = 12_582_912.0;

/// The ground projected through a camera.
pub(crate) struct Ground {
    pub(crate) height: f32,
    /// The brightest point: below the target.
    middle: Vec2,
    per_reach_squared: f32,
    /// Spacing of fine and of main lines.
    spacings: [f32; 2],
}

/// Intersections of the rays of some pixel rows with the ground.
#[derive(Default)]
pub(crate) struct Rays {
    /// x and z in world space; NaN if the ray misses the ground.
    pub(crate) places: Vec<Vec2>,
    /// Which rows hit the ground anywhere.
    rows: Vec<bool>,
}

impl Ground {
    pub(crate) fn new(lens: &Lens, target: Vec3, height: f32) -> Self {
        let pixels = lens.focal / lens.distance;
        let finest = SPACINGS.iter().position(|s| s * pixels >= FINEST);
        let fine = finest.unwrap_or(SPACINGS.len() - 2).min(SPACINGS.len() - 2);
        let reach = (lens.extent * REACH).max(1e-6);
        Self {
            height,
            middle: Vec2::new(target.x, target.z),
            per_reach_squared: 1.0 / (reach * reach),
            spacings: [SPACINGS[fine], SPACINGS[fine + 1]],
        }
    }

    /// Intersects the rays of all pixels of the canvas with the ground.
    pub(crate) fn trace(&self, lens: &Lens, canvas: &Canvas, rays: &mut Rays) {
        let step = lens.ray_step();
        let drop = self.height - lens.eye.y;
        rays.places.clear();
        rays.rows.clear();
        for row in 0..canvas.rows {
            let y = (canvas.first + row) as f32 + 0.5;
            let start = lens.ray(Vec2::new(0.5, y));
            let end = start + step * canvas.width as f32;
            let seen = start.y * drop > 0.0 || end.y * drop > 0.0;
            rays.rows.push(seen);
            if !seen {
                rays.places
                    .resize(rays.places.len() + canvas.width, Vec2::NAN);
                continue;
            }
            for column in 0..canvas.width {
                let ray = start + step * column as f32;
                let far = drop / ray.y;
                let place = Vec2::new(lens.eye.x + ray.x * far, lens.eye.z + ray.z * far);
                let seen = far > 0.0 && far < 1e9;
                rays.places.push(if seen { place } else { Vec2::NAN });
            }
        }
    }

    /// Draws the floor and the lines.
    pub(crate) fn draw(&self, lens: &Lens, canvas: &mut Canvas, rays: &Rays, style: &StageStyle) {
        let (grid, floor) = (unpack(style.grid), unpack(style.floor));
        if grid.w == 0.0 && floor.w == 0.0 {
            return;
        }
        // Lines are wider in large pictures.
        let width = (lens.focal * lens.extent / lens.distance / 640.0).clamp(0.9, 3.0);
        let steps = [lens.ray_step(), lens.ray_step_down()];
        let drop = self.height - lens.eye.y;
        let [fine, main] = self.spacings;
        let levels = [
            GridLines::new(fine, width * 0.8),
            GridLines::new(main, width * 1.15),
        ];
        for row in (0..canvas.rows).filter(|&row| rays.rows[row]) {
            let y = (canvas.first + row) as f32 + 0.5;
            let start = lens.ray(Vec2::new(0.5, y));
            for column in 0..canvas.width {
                let index = row * canvas.width + column;
                let place = rays.places[index];
                let away = (place - self.middle).length_squared() * self.per_reach_squared;
                if away.is_nan() || away >= 1.0 {
                    continue;
                }
                let ray = start + steps[0] * column as f32;
                let per_drop = 1.0 / ray.y;
                let far = drop * per_drop;
                let seen = (1.0 - away) * (1.0 - away);
                let pixel = steps.map(|step| {
                    let slope = step.y * per_drop;
                    Vec2::new(step.x - ray.x * slope, step.z - ray.z * slope) * far
                });
                // Metres per pixel across lines of constant x and of constant z.
                let squares = pixel[0] * pixel[0] + pixel[1] * pixel[1];
                let (fine, main) = (
                    levels[0].coverage(place, squares),
                    levels[1].coverage(place, squares),
                );
                let line = seen * (fine * FINE * seen).max(main);
                canvas.over(index, floor * seen);
                if line > 0.0 {
                    canvas.over(index, grid * line);
                }
            }
        }
    }
}

/// Lines of one spacing, in both directions.
struct GridLines {
    spacing: f32,
    per_spacing: f32,
    /// Half the line width in pixels, and the largest pixel coverage.
    reach: f32,
    most: f32,
}

impl GridLines {
    fn new(spacing: f32, width: f32) -> Self {
        Self {
            spacing,
            per_spacing: 1.0 / spacing,
            reach: (width + 1.0) * 0.5,
            most: width.min(1.0),
        }
    }

    /// Returns the pixel coverage of the lines, given the squares of metres per pixel.
    #[inline]
    fn coverage(&self, place: Vec2, per_pixel_squared: Vec2) -> f32 {
        self.across(place.x, per_pixel_squared.x)
            .max(self.across(place.y, per_pixel_squared.y))
    }

    #[inline]
    fn across(&self, coordinate: f32, per_pixel_squared: f32) -> f32 {
        let cells = coordinate * self.per_spacing;
        let nearest = (cells + WHOLE) - WHOLE;
        let metres = (cells - nearest).abs() * self.spacing;
        // Most pixels are far from any line and need no root.
        if metres * metres >= self.reach * self.reach * per_pixel_squared {
            return 0.0;
        }
        let per_metre = 1.0 / per_pixel_squared.sqrt().max(1e-12);
        let room = ((self.spacing * per_metre - 2.5) * 0.12).clamp(0.0, 1.0);
        (self.reach - metres * per_metre).clamp(0.0, self.most) * room
    }
}

#[cfg(test)]
mod tests {
    use super::super::camera::{Camera, ViewAngle};
    use super::*;

    fn ground(extent: f32) -> Ground {
        let bounds = sinew::anatomy::Bounds {
            min: Vec3::splat(-extent * 0.5),
            max: Vec3::splat(extent * 0.5),
        };
        let camera = Camera::framing(Some(bounds), ViewAngle::Front, 400, 400, 0.0);
        let lens = Lens::new(&camera, 400, 400).expect("it is a camera");
        Ground::new(&lens, camera.target, 0.0)
    }

    #[test]
    fn a_person_stands_on_quarters_of_a_metre_and_a_hall_on_metres() {
        assert_eq!(ground(2.0).spacings, [0.25, 1.0]);
        assert_eq!(ground(10.0).spacings, [1.0, 10.0]);
        assert_eq!(ground(1e-5).spacings, [0.01, 0.05]);
        assert_eq!(ground(1e6).spacings, [1e4, 1e5]);
    }

    #[test]
    fn lines_are_on_multiples_of_their_spacing() {
        let level = GridLines::new(1.0, 1.0);
        let coverage_at = |x: f32| level.coverage(Vec2::new(x, 0.37), Vec2::splat(0.005 * 0.005));
        for x in [-2.0, 0.0, 3.0] {
            assert!(coverage_at(x) > 0.9);
        }
        for x in [-1.5, 0.03, 0.97] {
            assert_eq!(coverage_at(x), 0.0);
        }
    }

    #[test]
    fn crowded_lines_fade_away() {
        let level = GridLines::new(1.0, 1.0);
        assert_eq!(level.coverage(Vec2::ZERO, Vec2::splat(0.5 * 0.5)), 0.0);
    }
}
