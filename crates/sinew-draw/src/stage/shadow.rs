//! Soft shadows on the ground.
//!
//! Input: solids and the direction of the light → output: how dark each pixel of the ground is. A bone
//! casts the shadow of a tapered line, softer and fainter the higher it is. Shadows are joined by the
//! darkest of them, so that where two overlap it is as dark as under one.

use super::body::{Part, Solid};
use super::canvas::{Canvas, unpack};
use super::ground::Rays;
use super::lens::Lens;
use super::outline::Outline;
use super::style::{Light, StageStyle};
use sinew::glam::{Vec2, Vec3};
use wide::f32x8;

/// The light comes from at least this high, as a sine: a lower one would throw shadows out of the picture.
const LOWEST: f32 = 0.7;

/// Width of a shadow's soft edge on the ground itself, and what each unit of height adds to it; the
/// first in parts of the figure's size.
const SOFT: f32 = 0.014;
const SOFTER: f32 = 0.05;

/// How much thicker than the bones shadows are: thin lines with soft edges would hardly be seen.
const WIDER: f32 = 1.25;

/// Towards the light, in the world, of length 1.
pub(crate) fn toward_light(light: Light, lens: &Lens) -> Vec3 {
    let toward = match light {
        // Left, up and back; view space has x right, y down and z ahead.
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
    /// It is nowhere darker than this.
    darkest: f32,
    /// Square of the distance from the line beyond which there is none of it.
    reach_squared: f32,
    /// The pixels that may see it.
    outline: Outline,
}

/// Everything that shadows share.
pub(crate) struct Sun {
    /// Ground that a metre of height moves a shadow by.
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

    /// The shadow of a solid of a figure of a certain size and opacity; `None` when there is none.
    pub(crate) fn shadow(
        &self,
        solid: &Solid,
        (size, opacity): (f32, f32),
        lens: &Lens,
        picture: (usize, usize),
    ) -> Option<Shadow> {
        if solid.part != Part::Bone || solid.from_radius <= 0.0 {
            return None;
        }
        let end = |at: Vec3| {
            let above = (at.y - self.height).max(0.0);
            let place = Vec2::new(at.x, at.z) + self.slide * above;
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
    /// How dark it is at eight places on the ground, from 0 to 1.
    #[inline]
    fn at(&self, [x, y]: [f32x8; 2]) -> f32x8 {
        let splat = f32x8::splat;
        let (zero, one) = (splat(0.0), splat(1.0));
        let (along_x, along_y) = (splat(self.along.x), splat(self.along.y));
        let (x, y) = (x - splat(self.from.x), y - splat(self.from.y));
        let part = (x * along_x + y * along_y) * splat(self.per_length_squared);
        let part = part.fast_max(zero).fast_min(one);
        let (x, y) = (x - along_x * part, y - along_y * part);
        let squared = x * x + y * y;
        let between = |[from, to]: [f32; 2]| splat(from) + splat(to - from) * part;
        let softness = between(self.softness);
        let inside = between(self.radii) - squared.sqrt();
        let t = inside / (splat(2.0) * softness) + splat(0.5);
        let t = t.fast_max(zero).fast_min(one);
        let dark = t * t * (splat(3.0) - splat(2.0) * t) * between(self.strength);
        // Where there is no ground the place is not a number, and neither is the distance.
        squared
            .simd_lt(splat(self.reach_squared))
            .select(dark, zero)
    }

    /// Darkens pixels that see these places.
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
            let darker = self.at(lanes.map(f32x8::from)).to_array();
            for (dark, own) in pixels.iter_mut().zip(darker) {
                *dark = dark.max(own);
            }
        }
    }
}

/// Pixels that are darkened at once.
const LANES: usize = 8;

/// The darkest shadows first, so that under them the others need no closer look.
pub(crate) fn darkest_first(mut shadows: Vec<Shadow>) -> Vec<Shadow> {
    shadows.sort_by(|a, b| b.darkest.total_cmp(&a.darkest));
    shadows
}

/// Darkens the ground of the canvas; `darkness` is scratch space. The order of shadows does not matter but
/// for the time that it takes.
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
    for (at, &dark) in darkness.iter().enumerate() {
        if dark > 0.0 {
            canvas.over(at, color * dark);
        }
    }
}
