//! Footprints: soles on the ground in the colour of their side.
//!
//! Input: positions of heel and toes → output: a translucent mark, heel and ball with the instep between them narrower
//! on the inner side, so that left and right differ by shape as well as by colour.

use super::bounds::drawable;
use super::canvas::{Canvas, level_box, opaque};
use super::lens::Lens;
use super::scene::Footprint;
use super::style::StageStyle;
use sinew::glam::{Vec2, Vec3, Vec4};
use sinew::skeleton::Side;

/// Opacity of prints.
const OPACITY: f32 = 0.42;

/// Samples per pixel along one side; prints are small and seen at a flat angle.
const DENSITY: usize = 3;

/// A footprint projected through a camera.
pub(crate) struct Print {
    heel: Vec2,
    height: f32,
    /// Unit vectors towards the toes and towards the outer side of the foot.
    forward: Vec2,
    outward: Vec2,
    per_length: f32,
    color: Vec4,
    columns: (usize, usize),
    rows: (usize, usize),
}

impl Print {
    /// Returns `None` if the print is not visible.
    pub(crate) fn new(
        print: &Footprint,
        lens: &Lens,
        style: &StageStyle,
        picture: (usize, usize),
    ) -> Option<Self> {
        if !(drawable(print.heel) && drawable(print.toe)) {
            return None;
        }
        let level = |point: Vec3| Vec2::new(point.x, point.z);
        let (heel, toes) = (level(print.heel), level(print.toe));
        let length = heel.distance(toes);
        if length < 1e-6 {
            return None;
        }
        let forward = (toes - heel) / length;
        // Seen from above with z down in the plane, the left of `forward` is (y, -x).
        let left = Vec2::new(forward.y, -forward.x);
        let outward = match print.side {
            Side::Right => -left,
            Side::Left | Side::Middle => left,
        };
        let reach = Vec2::splat(length * 0.25);
        let corners = (heel.min(toes) - reach, heel.max(toes) + reach);
        let [columns, rows] = level_box(lens, corners, print.heel.y, picture);
        Some(Self {
            heel,
            height: print.heel.y,
            forward,
            outward,
            per_length: 1.0 / length,
            color: opaque(style.color(print.side)),
            columns,
            rows,
        })
    }

    /// Returns whether a position is inside the sole.
    fn holds(&self, place: Vec2) -> bool {
        let offset = (place - self.heel) * self.per_length;
        let point = Vec2::new(offset.dot(self.outward), offset.dot(self.forward));
        let disc =
            |x: f32, y: f32, radius: f32| point.distance_squared(Vec2::new(x, y)) < radius * radius;
        // Heel, the outer edge of the instep, ball, toes.
        disc(0.0, 0.15, 0.145)
            || capsule(point, Vec2::new(0.03, 0.2), Vec2::new(0.045, 0.6), 0.085)
            || disc(0.01, 0.68, 0.185)
            || disc(-0.03, 0.83, 0.155)
    }

    pub(crate) fn draw(&self, lens: &Lens, canvas: &mut Canvas) {
        const PART: f32 = 1.0 / DENSITY as f32;
        let drop = self.height - lens.eye.y;
        let first = self.rows.0.max(canvas.first);
        for row in first..self.rows.1.min(canvas.first + canvas.rows) {
            for column in self.columns.0..self.columns.1 {
                let mut count = 0;
                for i in 0..DENSITY * DENSITY {
                    let x = column as f32 + ((i % DENSITY) as f32 + 0.5) * PART;
                    let y = row as f32 + ((i / DENSITY) as f32 + 0.5) * PART;
                    let ray = lens.ray(Vec2::new(x, y));
                    let far = drop / ray.y;
                    let place = Vec2::new(lens.eye.x + ray.x * far, lens.eye.z + ray.z * far);
                    count += u8::from(far > 0.0 && self.holds(place));
                }
                if count > 0 {
                    let alpha = OPACITY * f32::from(count) * PART * PART;
                    let index = (row - canvas.first) * canvas.width + column;
                    canvas.over(index, self.color * alpha);
                }
            }
        }
    }
}

fn capsule(point: Vec2, from: Vec2, to: Vec2, radius: f32) -> bool {
    let along = to - from;
    let fraction = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance_squared(from + along * fraction) < radius * radius
}
