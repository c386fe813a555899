//! Trails of joints: lines in space that fade and narrow towards their old end.
//!
//! Input: positions in order of time → output: a smooth line (a Catmull-Rom spline through the positions), hidden
//! behind solid figures. A trail is blended over the picture as a whole, so that it is not darker where it crosses
//! itself.

use super::bounds::drawable;
use super::canvas::{Canvas, opaque};
use super::cone::range;
use super::lens::Lens;
use super::scene::Trail;
use super::style::StageStyle;
use sinew::glam::{Vec2, Vec3, Vec4};

/// Opacity of a trail at its new and at its old end.
const YOUNG: f32 = 0.95;
const OLD: f32 = 0.05;

/// Width at the old end, relative to the new end.
const THIN: f32 = 0.45;

/// The largest length of a straight piece of a curve in pixels.
const STRAIGHT: f32 = 5.0;

/// The largest number of pieces between two positions.
const MAX_PIECES: usize = 16;

/// A straight piece in pixels.
#[derive(Clone, Copy, Debug)]
struct TrailSegment {
    from: Vec2,
    to: Vec2,
    depths: [f32; 2],
    /// From 0, oldest, to 1, newest.
    age: f32,
}

/// A trail projected through a camera.
pub(crate) struct TrailPath {
    pieces: Vec<TrailSegment>,
    /// Its upper and lower end in pixels.
    top: f32,
    bottom: f32,
    color: Vec4,
    half_width: f32,
    /// The smallest depth difference at which a solid hides it; its own joint must not.
    slack: f32,
}

impl TrailPath {
    pub(crate) fn new(trail: &Trail, lens: &Lens, style: &StageStyle) -> Self {
        let mut pieces = Vec::new();
        let points = &trail.points;
        let steps = points.len().saturating_sub(1).max(1) as f32;
        for (i, pair) in points.windows(2).enumerate() {
            if !(drawable(pair[0]) && drawable(pair[1])) {
                continue;
            }
            let known = |index: Option<usize>, or: Vec3| {
                let point = index.and_then(|index| points.get(index)).copied();
                point.filter(|&p| drawable(p)).unwrap_or(or)
            };
            let before = known(i.checked_sub(1), pair[0]);
            let after = known(Some(i + 2), pair[1]);
            let count = piece_count(lens, pair[0], pair[1]);
            let mut last = pair[0];
            for piece in 1..=count {
                let fraction = piece as f32 / count as f32;
                let next = catmull_rom([before, pair[0], pair[1], after], fraction);
                let age = (i as f32 + fraction) / steps;
                pieces.extend(straight(lens, last, next, age));
                last = next;
            }
        }
        let ends = || pieces.iter().flat_map(|p| [p.from.y, p.to.y]);
        Self {
            top: ends().fold(f32::INFINITY, f32::min) - style.trail,
            bottom: ends().fold(f32::NEG_INFINITY, f32::max) + style.trail,
            pieces,
            color: opaque(style.color(trail.side)),
            half_width: style.trail * 0.5,
            slack: lens.extent * 0.02,
        }
    }

    /// Draws the trail on the canvas; `opacities` is scratch space.
    pub(crate) fn draw(&self, canvas: &mut Canvas, opacities: &mut Vec<f32>) {
        let (width, first) = (canvas.width, canvas.first);
        let rows = range(self.top - 1.0, self.bottom + 1.0, first + canvas.rows);
        if rows.end <= first || rows.first >= rows.end {
            return;
        }
        opacities.clear();
        opacities.resize(width * canvas.rows, 0.0);
        for piece in &self.pieces {
            let half = self.half_width * (THIN + (1.0 - THIN) * piece.age);
            // Lines thinner than a pixel are fainter instead.
            let (half, faint) = (half.max(0.5), (half * 2.0).min(1.0));
            let opacity = faint * (OLD + (YOUNG - OLD) * piece.age);
            let reach = Vec2::splat(half + 0.5);
            let low = piece.from.min(piece.to) - reach;
            let high = piece.from.max(piece.to) + reach;
            let rows = range(low.y, high.y, first + canvas.rows);
            let along = piece.to - piece.from;
            let direction = along.normalize_or_zero();
            let per_length = 1.0 / along.length_squared().max(1e-6);
            for row in rows.first.max(first)..rows.end {
                let strip = strip(piece.from, direction, half + 0.5, row as f32 + 0.5);
                let (left, right) = strip.unwrap_or((low.x, high.x));
                let columns = range(low.x.max(left), high.x.min(right), width);
                for column in columns.first..columns.end {
                    let index = (row - first) * width + column;
                    let place = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - piece.from;
                    let fraction = (place.dot(along) * per_length).clamp(0.0, 1.0);
                    let outside = (place - along * fraction).length() - half;
                    let depth = piece.depths[0] + (piece.depths[1] - piece.depths[0]) * fraction;
                    if outside < 0.5 && depth < canvas.depths[index] + self.slack {
                        let seen = opacity * (0.5 - outside).clamp(0.0, 1.0);
                        opacities[index] = opacities[index].max(seen);
                    }
                }
            }
        }
        for (index, &alpha) in opacities.iter().enumerate() {
            if alpha > 0.0 {
                canvas.over(index, self.color * alpha);
            }
        }
    }
}

/// Returns the range of a row within `half_width` of the line through `from` along a unit vector, plus half a pixel;
/// `None` for horizontal lines, which do not bound a row.
///
/// In `f64`, because an end of a line may be far outside the picture, where `f32` is not accurate to half a pixel.
fn strip(from: Vec2, along: Vec2, half_width: f32, y: f32) -> Option<(f32, f32)> {
    if along.y == 0.0 {
        return None;
    }
    let per_y = 1.0 / f64::from(along.y);
    let middle =
        f64::from(from.x) + (f64::from(y) - f64::from(from.y)) * f64::from(along.x) * per_y;
    let half = (f64::from(half_width) + 0.5) * per_y.abs();
    Some(((middle - half) as f32, (middle + half) as f32))
}

/// Returns the number of straight pieces that approximate a curve.
fn piece_count(lens: &Lens, from: Vec3, to: Vec3) -> usize {
    let nearest = lens.view(from).z.min(lens.view(to).z).max(lens.near);
    let pixels = from.distance(to) * lens.focal / nearest;
    ((pixels / STRAIGHT) as usize).clamp(1, MAX_PIECES)
}

/// Evaluates the curve through four positions, between the middle two.
fn catmull_rom([a, b, c, d]: [Vec3; 4], t: f32) -> Vec3 {
    let linear = (c - a) * t;
    let square = (a * 2.0 - b * 5.0 + c * 4.0 - d) * (t * t);
    let cube = (b * 3.0 - a - c * 3.0 + d) * (t * t * t);
    b + (linear + square + cube) * 0.5
}

/// Projects a piece to pixels, clipped at the near plane; returns `None` if it is not visible.
fn straight(lens: &Lens, from: Vec3, to: Vec3, age: f32) -> Option<TrailSegment> {
    let (mut a, mut b) = (lens.view(from), lens.view(to));
    let near = lens.near;
    if a.z < near && b.z < near {
        return None;
    }
    let cut = |end: &mut Vec3, other: Vec3| {
        if end.z < near {
            *end += (other - *end) * ((near - end.z) / (other.z - end.z).max(1e-9));
            end.z = near;
        }
    };
    cut(&mut a, b);
    cut(&mut b, a);
    let (from, to) = (lens.pixel(a), lens.pixel(b));
    (from.is_finite() && to.is_finite()).then_some(TrailSegment {
        from,
        to,
        depths: [a.z, b.z],
        age,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_passes_through_its_places() {
        let places = [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0), Vec3::Y];
        assert_eq!(catmull_rom(places, 0.0), places[1]);
        assert!(catmull_rom(places, 1.0).distance(places[2]) < 1e-6);
    }
}
