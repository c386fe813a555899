//! A band of pixel rows while the picture is drawn.

use super::lens::Lens;
use crate::raster::Background;
use sinew::glam::{Vec2, Vec3, Vec4};

/// Interpolates two colours.
#[inline]
pub(crate) fn mix(a: Vec4, b: Vec4, fraction: f32) -> Vec4 {
    a + (b - a) * fraction
}

/// Rows of premultiplied pixels, with the depth of solid figures.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    /// Its first row in the picture, and the number of rows.
    pub(crate) first: usize,
    pub(crate) rows: usize,
    colors: Vec<Vec4>,
    pub(crate) depths: Vec<f32>,
}

impl Canvas {
    pub(crate) fn new(width: usize, rows: usize) -> Self {
        let count = width * rows;
        Self {
            width,
            first: 0,
            rows,
            colors: vec![Vec4::ZERO; count],
            depths: vec![f32::INFINITY; count],
        }
    }

    /// Clears `rows` rows from `first` on to the background.
    pub(crate) fn clear(&mut self, first: usize, rows: usize, background: Background) {
        (self.first, self.rows) = (first, rows);
        self.depths.fill(f32::INFINITY);
        match background {
            Background::Transparent => self.colors.fill(Vec4::ZERO),
            Background::Solid(color) => self.colors.fill(unpack(color)),
            Background::Checker { .. } => {
                for (index, color) in self.colors.iter_mut().enumerate() {
                    *color =
                        unpack(background.color_at(index % self.width, first + index / self.width));
                }
            }
        }
    }

    /// Blends a premultiplied colour over the pixel at an index.
    #[inline]
    pub(crate) fn over(&mut self, index: usize, color: Vec4) {
        self.colors[index] = color + self.colors[index] * (1.0 - color.w);
    }

    /// Writes the finished rows as bytes with straight alpha.
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        for (bytes, color) in bytes.chunks_exact_mut(4).zip(&self.colors) {
            let alpha = color.w;
            // Alpha within half a byte step of 1 is opaque.
            let scale = if alpha >= 0.998 {
                255.0
            } else if alpha > 0.0 {
                255.0 / alpha
            } else {
                0.0
            };
            let straight = *color * scale + Vec4::splat(0.5);
            let alpha = (alpha * 255.0 + 0.5) as u8;
            bytes.copy_from_slice(&[straight.x as u8, straight.y as u8, straight.z as u8, alpha]);
        }
    }
}

/// Converts a style colour to premultiplied, 0 to 1.
pub(crate) fn unpack(color: [u8; 4]) -> Vec4 {
    let [r, g, b, a] = color.map(|c| f32::from(c) * (1.0 / 255.0));
    Vec4::new(r * a, g * a, b * a, a)
}

/// Converts an opaque style colour.
pub(crate) fn opaque([r, g, b]: [u8; 3]) -> Vec4 {
    unpack([r, g, b, 255])
}

/// Returns the half-open ranges of columns and rows in which a horizontal rectangle, given by two corners, may be
/// visible. If part of it is behind the eye, that is the whole picture.
pub(crate) fn level_box(
    lens: &Lens,
    (low, high): (Vec2, Vec2),
    height: f32,
    (width, rows): (usize, usize),
) -> [(usize, usize); 2] {
    let corners = [
        Vec3::new(low.x, height, low.y),
        Vec3::new(high.x, height, low.y),
        Vec3::new(low.x, height, high.y),
        Vec3::new(high.x, height, high.y),
    ]
    .map(|corner| lens.view(corner));
    if corners.iter().any(|c| c.z.is_nan() || c.z < lens.near) {
        return [(0, width), (0, rows)];
    }
    let pixels = corners.map(|corner| lens.pixel(corner));
    let (mut low, mut high) = (pixels[0], pixels[0]);
    for pixel in pixels {
        low = low.min(pixel);
        high = high.max(pixel);
    }
    let span = |low: f32, high: f32, size: usize| {
        let span = super::cone::range(low - 1.0, high + 1.0, size);
        (span.first, span.end)
    };
    [span(low.x, high.x, width), span(low.y, high.y, rows)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_comes_out_as_it_went_in() {
        for color in [[1, 2, 3, 255], [200, 100, 50, 128], [0, 0, 0, 0]] {
            let mut canvas = Canvas::new(2, 2);
            canvas.clear(0, 2, Background::Solid(color));
            let mut bytes = [9; 16];
            canvas.write(&mut bytes);
            assert_eq!(bytes.as_slice(), color.repeat(4));
        }
    }

    #[test]
    fn half_of_black_over_white_is_grey() {
        let mut canvas = Canvas::new(1, 1);
        canvas.clear(0, 1, Background::Solid([255; 4]));
        canvas.over(0, Vec4::new(0.0, 0.0, 0.0, 0.5));
        let mut bytes = [0; 4];
        canvas.write(&mut bytes);
        assert_eq!(bytes, [128, 128, 128, 255]);
    }
}
