//! A triangle prepared for drawing: snapped vertices, edge functions, texture gradients.
//!
//! Input: three vertices in pixels, a texture, a tint → output: a [`Triangle`], or `None` if it covers nothing or its
//! numbers are out of range.

use crate::texture::Texture;
use std::ops::Range;

/// Steps of the vertex grid per pixel.
pub(super) const STEPS: i64 = 256;

/// Distance from the origin in pixels beyond which a vertex is not drawn.
///
/// It keeps edge functions below 2⁶² at 256 steps per pixel: coordinates take 29 bits, differences 30,
/// and an edge function is a sum of two products of those.
const MAX_PIXELS: f64 = (1 << 20) as f64;

/// A corner: position in pixels, texture coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) position: [f64; 2],
    pub(crate) uv: [f64; 2],
}

/// `a * x + b * y + c >= 0` for points inside, in steps of the vertex grid, fill rule included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) c: i64,
}

/// A texture coordinate that varies linearly over the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    dx: f64,
    dy: f64,
    at_origin: f64,
    low: f64,
    high: f64,
}

impl Plane {
    /// Returns the coordinate at a pixel position, clamped to the triangle's range in the texture.
    ///
    /// A pixel is shaded at its centre, which at an edge may lie up to half a pixel outside. In a mesh the neighbour
    /// then gives the same colour, so inner edges stay invisible; in a sliver half a pixel can be far outside in the
    /// texture, which the limits prevent.
    pub(super) fn value_at(&self, x: f64, y: f64) -> f64 {
        (self.at_origin + (self.dx * x + self.dy * y))
            .max(self.low)
            .min(self.high)
    }

    fn through(corners: [[i64; 2]; 3], values: [f64; 3], area: i64) -> Self {
        let [p, q, r] = corners;
        let per_pixel = STEPS as f64 / area as f64;
        let (d1, d2) = (values[1] - values[0], values[2] - values[0]);
        let dx = (d1 * (r[1] - p[1]) as f64 - d2 * (q[1] - p[1]) as f64) * per_pixel;
        let dy = (d2 * (q[0] - p[0]) as f64 - d1 * (r[0] - p[0]) as f64) * per_pixel;
        let [x, y] = p.map(|steps| steps as f64 / STEPS as f64);
        Self {
            dx,
            dy,
            at_origin: values[0] - (dx * x + dy * y),
            low: values[0].min(values[1]).min(values[2]),
            high: values[0].max(values[1]).max(values[2]),
        }
    }

    /// Extends the limits beyond the corners by half a pixel, but by at most `limit`.
    fn widen(&mut self, limit: f64) {
        let margin = (0.5 * (self.dx.abs() + self.dy.abs())).min(limit);
        self.low -= margin;
        self.high += margin;
    }

    fn is_finite(&self) -> bool {
        self.dx.is_finite() && self.dy.is_finite() && self.at_origin.is_finite()
    }
}

/// A triangle prepared for drawing.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    /// Index of its texture in the list passed to the rasterizer.
    pub(super) texture: usize,
    /// Factors for premultiplied r, g, b and for alpha.
    pub(super) tint: [f32; 4],
    pub(super) edges: [Edge; 3],
    pub(super) u: Plane,
    pub(super) v: Plane,
    /// Base-2 logarithm of texels per pixel.
    pub(super) level: f32,
    /// The pixels that it may touch, clipped to the picture.
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Triangle {
    /// Prepares a triangle; returns `None` if it has no area, lies outside the picture, has a number that is not finite
    /// or a vertex farther than [`MAX_PIXELS`] from the origin. Either winding is drawn.
    pub(crate) fn new(
        vertices: [Vertex; 3],
        texture: (usize, &Texture),
        tint: [f32; 4],
        (width, height): (u32, u32),
    ) -> Option<Self> {
        let [p, mut q, mut r] = vertices;
        let (p_at, mut q_at, mut r_at) = (snap(p.position)?, snap(q.position)?, snap(r.position)?);
        let mut area = cross(p_at, q_at, r_at);
        if area == 0 {
            return None;
        }
        if area < 0 {
            core::mem::swap(&mut q, &mut r);
            core::mem::swap(&mut q_at, &mut r_at);
            area = -area;
        }
        let corners = [p_at, q_at, r_at];
        let plane = |i: usize| Plane::through(corners, [p.uv[i], q.uv[i], r.uv[i]], area);
        let (mut u, mut v) = (plane(0), plane(1));
        if !(u.is_finite() && v.is_finite()) {
            return None;
        }
        let texels = texels_per_pixel(&u, &v, texture.1);
        let size = texture.1.size();
        u.widen(texels / f64::from(size.x));
        v.widen(texels / f64::from(size.y));
        let columns = touched_range(corners.map(|c| c[0]), width);
        let rows = touched_range(corners.map(|c| c[1]), height);
        if columns.is_empty() || rows.is_empty() {
            return None;
        }
        Some(Self {
            texture: texture.0,
            tint: premultiplied_factors(tint),
            edges: [edge(p_at, q_at), edge(q_at, r_at), edge(r_at, p_at)],
            u,
            v,
            level: libm::log2(texels) as f32,
            columns,
            rows,
        })
    }
}

/// Snaps to the vertex grid, halves upwards; returns `None` if a value is not finite or too far away.
fn snap(position: [f64; 2]) -> Option<[i64; 2]> {
    let near = |x: f64| x.abs() <= MAX_PIXELS;
    let grid = |x: f64| libm::floor(x * STEPS as f64 + 0.5) as i64;
    (near(position[0]) && near(position[1])).then(|| position.map(grid))
}

/// Returns twice the signed area; positive is clockwise on screen, where y points down.
fn cross(p: [i64; 2], q: [i64; 2], r: [i64; 2]) -> i64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}

/// Returns the edge from p to q of a clockwise triangle.
fn edge(p: [i64; 2], q: [i64; 2]) -> Edge {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    // Samples exactly on an edge belong to the triangle whose top or left edge it is. The neighbour has the same edge
    // in the opposite direction, so exactly one of the two owns it.
    let is_top_left = dy < 0 || (dy == 0 && dx > 0);
    Edge {
        a: -dy,
        b: dx,
        c: dy * p[0] - dx * p[1] - i64::from(!is_top_left),
    }
}

/// Returns the pixels from the lowest to the highest coordinate, clipped to a side of the picture.
fn touched_range(coordinates: [i64; 3], side: u32) -> Range<usize> {
    let [a, b, c] = coordinates;
    let low = a.min(b).min(c).div_euclid(STEPS).clamp(0, i64::from(side));
    let high = (a.max(b).max(c).div_euclid(STEPS) + 1).clamp(0, i64::from(side));
    low as usize..high as usize
}

/// Returns texels per pixel along an axis, at least 1, from the ratio of areas, which is constant over a triangle.
fn texels_per_pixel(u: &Plane, v: &Plane, texture: &Texture) -> f64 {
    let size = texture.size();
    let area = (u.dx * v.dy - u.dy * v.dx).abs() * f64::from(size.x) * f64::from(size.y);
    if area > 1.0 && area.is_finite() {
        libm::sqrt(area)
    } else {
        1.0
    }
}

/// Returns factors for a premultiplied colour. Negative values and NaN count as 0; values above 1 brighten, opacity is
/// clamped to 1.
fn premultiplied_factors([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let factor = |c: f32| if c > 0.0 { c.min(1e6) } else { 0.0 };
    let a = factor(a).min(1.0);
    [factor(r) * a, factor(g) * a, factor(b) * a, a]
}
