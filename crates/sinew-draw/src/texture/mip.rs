//! One mip level of a texture: premultiplied pixels, halving, bilinear lookup.
//!
//! Halving is a box filter that stays exact for odd sizes: the box is then slightly wider than 2 pixels and its weights
//! slide along the row, as in Guthe and Heckbert, "Non-power-of-two mipmapping".

use sinew::glam::UVec2;
use sinew::skelform::Image;

/// Premultiplied pixels, 8 bits per channel: the rounding of premultiplication is below half a step of the displayed
/// colour.
#[derive(Clone, Debug)]
pub(super) struct Mip {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

impl Mip {
    /// Copies a rectangle that lies inside the atlas; pixels of `stored` beyond `inside` are transparent.
    pub(super) fn cut(atlas: &Image, offset: UVec2, inside: UVec2, stored: UVec2) -> Self {
        let (width, height) = (stored.x as usize, stored.y as usize);
        let mut pixels = vec![[0; 4]; width * height];
        let rows = pixels.chunks_exact_mut(width).take(inside.y as usize);
        for (y, row) in (offset.y as usize..).zip(rows) {
            let start = (y * atlas.width() as usize + offset.x as usize) * 4;
            let source = &atlas.pixels()[start..start + inside.x as usize * 4];
            for (pixel, p) in row.iter_mut().zip(source.chunks_exact(4)) {
                *pixel = premultiply([p[0], p[1], p[2], p[3]]);
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Returns the next smaller level, or `None` after a single pixel.
    pub(super) fn half_size(&self) -> Option<Self> {
        if self.width <= 1 && self.height <= 1 {
            return None;
        }
        let columns = Taps::for_side(self.width);
        let rows = Taps::for_side(self.height);
        let total = columns.total * rows.total;
        let mut pixels = Vec::with_capacity(columns.len * rows.len);
        for y in 0..rows.len {
            for x in 0..columns.len {
                let mut sum = [0u64; 4];
                for (row, row_weight) in rows.taps(y) {
                    for (column, column_weight) in columns.taps(x) {
                        let pixel = self.pixels[row * self.width + column];
                        for (s, p) in sum.iter_mut().zip(pixel) {
                            *s += u64::from(p) * row_weight * column_weight;
                        }
                    }
                }
                pixels.push(sum.map(|s| ((s + total / 2) / total) as u8));
            }
        }
        Some(Self {
            width: columns.len,
            height: rows.len,
            pixels,
        })
    }

    /// Returns the colour at coordinates of 0 to 1 over this level, interpolated between four pixels, as premultiplied
    /// channels of 0 to 255. Coordinates are clamped to the edges.
    pub(super) fn bilinear(&self, u: f64, v: f64) -> [f32; 4] {
        let (left, right, to_right) = between(u, self.width);
        let (top, bottom, to_bottom) = between(v, self.height);
        let (top, bottom) = (top * self.width, bottom * self.width);
        let fetch = |index: usize| self.pixels[index].map(f32::from);
        let (a, b) = (fetch(top + left), fetch(top + right));
        let (c, d) = (fetch(bottom + left), fetch(bottom + right));
        core::array::from_fn(|i| {
            let upper = a[i] + (b[i] - a[i]) * to_right;
            let lower = c[i] + (d[i] - c[i]) * to_right;
            upper + (lower - upper) * to_bottom
        })
    }
}

/// Returns the two pixels of a side around a coordinate and the interpolation factor to the second. NaN counts as 0.
fn between(coordinate: f64, side: usize) -> (usize, usize, f32) {
    // Half a pixel, because pixels are interpolated from centre to centre.
    let position = (coordinate * side as f64 - 0.5).max(0.0);
    let first = (position as usize).min(side - 1);
    let second = (first + 1).min(side - 1);
    (first, second, (position - first as f64).min(1.0) as f32)
}

/// For each pixel of a halved row, the source pixels under its box and their integer weights.
struct Taps {
    len: usize,
    total: u64,
    odd: bool,
}

impl Taps {
    fn for_side(side: usize) -> Self {
        let len = (side / 2).max(1);
        match (side, side % 2 == 1) {
            (1, _) => Self {
                len,
                total: 1,
                odd: false,
            },
            (_, false) => Self {
                len,
                total: 2,
                odd: false,
            },
            (_, true) => Self {
                len,
                total: side as u64,
                odd: true,
            },
        }
    }

    fn taps(&self, i: usize) -> impl Iterator<Item = (usize, u64)> {
        let weights = match (self.total, self.odd) {
            (_, true) => [(self.len - i) as u64, self.len as u64, i as u64 + 1],
            (1, false) => [1, 0, 0],
            _ => [1, 1, 0],
        };
        (0..3)
            .filter(move |&k| weights[k] > 0)
            .map(move |k| (2 * i + k, weights[k]))
    }
}

/// Converts straight to premultiplied alpha, rounded to nearest.
fn premultiply([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let times = |c: u8| ((u32::from(c) * u32::from(a) + 127) / 255) as u8;
    [times(r), times(g), times(b), a]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_weights_cover_every_source_pixel_equally() {
        for side in 1..40 {
            let taps = Taps::for_side(side);
            let mut weight_of = vec![0; side];
            for i in 0..taps.len {
                assert_eq!(
                    taps.taps(i).map(|(_, weight)| weight).sum::<u64>(),
                    taps.total
                );
                taps.taps(i)
                    .for_each(|(index, weight)| weight_of[index] += weight);
            }
            assert!(
                weight_of.iter().all(|&w| w == weight_of[0]),
                "{side}: {weight_of:?}"
            );
        }
    }

    #[test]
    fn levels_go_down_to_one_pixel() {
        let mut mip = Mip::cut(
            &Image::new(13, 2),
            UVec2::ZERO,
            UVec2::new(13, 2),
            UVec2::new(13, 2),
        );
        let mut sizes = vec![];
        while let Some(smaller) = mip.half_size() {
            mip = smaller;
            sizes.push((mip.width, mip.height));
        }
        assert_eq!(sizes, [(6, 1), (3, 1), (1, 1)]);
    }
}
