//! Soft shadows on the ground.
//!
//! Input: solids and the direction of the light → output: the darkness of each ground pixel. A bone casts the shadow of
//! a tapered line, softer and fainter with height. Overlapping shadows take the maximum, so that they are as dark as a
//! single one.

use super::body::{Solid, SolidKind};
use super::canvas::{Canvas, unpack};
use super::ground::Rays;
use super::lens::Lens;
use super::outline::Outline;
use super::style::{Light, StageStyle};
use sinew::glam::{Vec2, Vec3};
use wide::f32x8;

/// The smallest elevation of the light, as a sine: a lower light would cast shadows out of the picture.
const LOWEST: f32 = 0.7;

/// Width of a shadow's soft edge at ground level, relative to the figure's size, and its increase per unit of height.
const SOFT: f32 = 0.014;
const SOFTER: f32 = 0.05;

/// Thickness of shadows relative to the bones: thin lines with soft edges would hardly be visible.
const WIDER: f32 = 1.25;

/// Returns the unit direction to the light in world space.
pub(crate) fn toward_light(light: Light, lens: &Lens) -> Vec3 {
    let toward = match light {
        // Left, up and back; view space has x right, y down and z forward.
        Light::UpperLeft => lens.turn_back(Vec3::new(-0.40, -0.85, -0.34)),
        Light::Toward(direction) if direction.is_finite() => direction,
        Light::Toward(_) => Vec3::Y,
    };
    toward.try_normalize().unwrap_or(Vec3::Y)
}

/// The shadow of one solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    from: Vec2,
    along: Vec2,
    per_length_squared: f32,
    radii: [f32; 2],
    softness: [f32; 2],
    strength: [f32; 2],
    /// Its largest darkness.
    darkest: f32,
    /// Square of the distance from the line beyond which the darkness is 0.
    reach_squared: f32,
    /// The pixels that may see it.
    outline: Outline,
}

/// Values shared by all shadows.
pub(crate) struct Sun {
    /// Ground offset of a shadow per metre of height.
    slide: Vec2,
    height: f32,
}

impl Sun {
    pub(crate) fn new(toward: Vec3, height: f32) -> Self {
        let level = Vec2::new(toward.x, toward.z);
        let steep = toward.y.max(LOWEST);
        Self {
            slide: -level / steep,
            height,
        }
    }

    /// Returns the shadow of a solid of a figure of a given size and opacity; `None` if it is not visible.
    pub(crate) fn shadow(
        &self,
        solid: &Solid,
        (size, opacity): (f32, f32),
        lens: &Lens,
        picture: (usize, usize),
    ) -> Option<Shadow> {
        if solid.kind != SolidKind::Bone || solid.from_radius <= 0.0 {
            return None;
        }
        let end = |center: Vec3| {
            let above = (center.y - self.height).max(0.0);
            let place = Vec2::new(center.x, center.z) + self.slide * above;
            let softness = size * SOFT + above * SOFTER;
            let strength = opacity / (1.0 + 0.35 * above / size.max(1e-9));
            (place, softness, strength)
        };
        let (from, to) = (end(solid.from), end(solid.to));
        let radii = [solid.from_radius * WIDER, solid.to_radius * WIDER];
        let reach = radii[0].max(radii[1]) + from.1.max(to.1);
        let outline = Outline::around_line(from.0, to.0, reach, self.height, lens, picture)?;
        let along = to.0 - from.0;
        Some(Shadow {
            from: from.0,
            along,
            per_length_squared: 1.0 / along.length_squared().max(1e-12),
            radii,
            softness: [from.1, to.1],
            strength: [from.2, to.2],
            darkest: from.2.max(to.2) * 1.0001,
            reach_squared: reach * reach,
            outline,
        })
    }
}

impl Shadow {
    /// Returns the darkness at eight positions on the ground, from 0 to 1.
    #[inline]
    fn darkness_at(&self, [x, y]: [f32x8; 2]) -> f32x8 {
        let splat = f32x8::splat;
        let (zero, one) = (splat(0.0), splat(1.0));
        let (along_x, along_y) = (splat(self.along.x), splat(self.along.y));
        let (x, y) = (x - splat(self.from.x), y - splat(self.from.y));
        let fraction = (x * along_x + y * along_y) * splat(self.per_length_squared);
        let fraction = fraction.fast_max(zero).fast_min(one);
        let (x, y) = (x - along_x * fraction, y - along_y * fraction);
        let squared = x * x + y * y;
        let between = |[from, to]: [f32; 2]| splat(from) + splat(to - from) * fraction;
        let softness = between(self.softness);
        let inside = between(self.radii) - squared.sqrt();
        let t = inside / (splat(2.0) * softness) + splat(0.5);
        let t = t.fast_max(zero).fast_min(one);
        let dark = t * t * (splat(3.0) - splat(2.0) * t) * between(self.strength);
        // Without ground the position is NaN, and so is the distance.
        squared
            .simd_lt(splat(self.reach_squared))
            .select(dark, zero)
    }

    /// Darkens the pixels that see these positions.
    fn darken(&self, darkness: &mut [f32], places: &[Vec2]) {
        let pixels = darkness.chunks_mut(LANES).zip(places.chunks(LANES));
        for (pixels, places) in pixels {
            if pixels.iter().all(|&dark| dark >= self.darkest) {
                continue;
            }
            let mut lanes = [[f32::NAN; LANES]; 2];
            for (lane, place) in places.iter().enumerate() {
                [lanes[0][lane], lanes[1][lane]] = [place.x, place.y];
            }
            let darker = self.darkness_at(lanes.map(f32x8::from)).to_array();
            for (dark, darkness) in pixels.iter_mut().zip(darker) {
                *dark = dark.max(darkness);
            }
        }
    }
}

/// Pixels darkened per SIMD operation.
const LANES: usize = 8;

/// Sorts the darkest shadows first, so that the others can be skipped under them.
pub(crate) fn darkest_first(mut shadows: Vec<Shadow>) -> Vec<Shadow> {
    shadows.sort_by(|a, b| b.darkest.total_cmp(&a.darkest));
    shadows
}

/// Darkens the ground of the canvas; `darkness` is scratch space. The order of shadows affects only the run time.
pub(crate) fn draw(
    shadows: &[Shadow],
    canvas: &mut Canvas,
    rays: &Rays,
    style: &StageStyle,
    darkness: &mut Vec<f32>,
) {
    let color = unpack(style.shadow);
    let (first, end) = (canvas.first, canvas.first + canvas.rows);
    let width = canvas.width;
    darkness.clear();
    darkness.resize(width * canvas.rows, 0.0);
    for shadow in shadows {
        let rows = shadow.outline.rows(end);
        for row in rows.first.max(first)..rows.end {
            let columns = shadow.outline.columns(row, width);
            let start = (row - first) * width;
            let span = start + columns.first..start + columns.end;
            shadow.darken(&mut darkness[span.clone()], &rays.places[span]);
        }
    }
    for (index, &dark) in darkness.iter().enumerate() {
        if dark > 0.0 {
            canvas.over(index, color * dark);
        }
    }
}
