//! A band of pixel rows with eight samples per pixel (multisampling), into which triangles are drawn.
//!
//! A pixel holds one colour while its samples agree, and eight after the first triangle that covers only some of them.
//! Most pixels never split, so a band costs little more than one colour per pixel, and the inside of a triangle is
//! blended once, not eight times. Colours are premultiplied `f32`: dozens of translucent layers blend without
//! accumulating the rounding errors of bytes.

use super::Background;
use super::triangle::{Edge, STEPS, Triangle};
use crate::texture::Texture;
use std::ops::Range;

/// Samples per pixel.
pub(super) const SAMPLES: usize = 8;

/// Sample positions, in steps of the vertex grid from the pixel's centre. Direct3D's standard 8x pattern: every sample
/// has its own column and row, so near-horizontal and near-vertical edges, the most visible ones, get eight grades.
pub(super) const PATTERN: [[i64; 2]; SAMPLES] = [
    [16, -48],
    [-16, 48],
    [80, 16],
    [-48, -80],
    [-80, 80],
    [-112, -16],
    [48, 112],
    [112, -112],
];

/// The largest distance of a sample from the centre along an axis, in steps of the vertex grid.
const REACH: i64 = 112;

/// A premultiplied colour, 0 to 1.
type PremultipliedColor = [f32; 4];

/// Marks a pixel that has never been split.
const NO_SLOT: u32 = u32::MAX;

pub(super) struct SampleBand {
    width: usize,
    first_row: usize,
    rows: usize,
    pixels: Vec<Pixel>,
    /// Sample colours of pixels that were ever split.
    samples: Vec<[PremultipliedColor; SAMPLES]>,
}

#[derive(Clone, Copy)]
struct Pixel {
    /// The colour of all samples, unless `is_split`.
    color: PremultipliedColor,
    /// Index in `samples`, kept when the samples agree again, so that the list cannot outgrow the band.
    slot: u32,
    is_split: bool,
}

impl SampleBand {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            first_row: 0,
            rows: 0,
            pixels: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Clears the band for `rows` rows from `first_row` of the picture on.
    pub(super) fn clear(&mut self, first_row: usize, rows: usize, background: Background) {
        self.first_row = first_row;
        self.rows = rows;
        self.samples.clear();
        self.pixels.clear();
        for y in first_row..first_row + rows {
            self.pixels.extend((0..self.width).map(|x| Pixel {
                color: premultiply(background.color_at(x, y)),
                slot: NO_SLOT,
                is_split: false,
            }));
        }
    }

    /// Blends a triangle over the band.
    pub(super) fn draw(&mut self, triangle: &Triangle, texture: &Texture) {
        let first = triangle.rows.start.max(self.first_row);
        let end = triangle.rows.end.min(self.first_row + self.rows);
        let offsets = triangle.edges.map(sample_offsets);
        for y in first..end {
            let columns = touched_columns(triangle, y, REACH);
            let inside = touched_columns(triangle, y, -REACH);
            let inside = inside.start.max(columns.start)..inside.end.min(columns.end);
            for x in columns {
                let mask = if inside.contains(&x) {
                    u8::MAX
                } else {
                    coverage_mask(triangle, &offsets, x, y)
                };
                if mask != 0 {
                    let color = shade(triangle, texture, x, y);
                    self.blend((y - self.first_row) * self.width + x, mask, color);
                }
            }
        }
    }

    /// Writes straight-alpha bytes, averaging the samples of split pixels.
    pub(super) fn resolve(&self, bytes: &mut [u8]) {
        for (pixel, bytes) in self.pixels.iter().zip(bytes.chunks_exact_mut(4)) {
            let color = match self.samples.get(pixel.slot as usize) {
                Some(samples) if pixel.is_split => average(samples),
                _ => pixel.color,
            };
            bytes.copy_from_slice(&straight(color));
        }
    }

    fn blend(&mut self, index: usize, mask: u8, color: PremultipliedColor) {
        if color == [0.0; 4] {
            return;
        }
        let pixel = &mut self.pixels[index];
        let all = mask == u8::MAX;
        if all && (!pixel.is_split || color[3] >= 1.0) {
            // An opaque colour over all samples makes them equal again.
            pixel.color = if pixel.is_split {
                color
            } else {
                over(color, pixel.color)
            };
            pixel.is_split = false;
            return;
        }
        if !pixel.is_split {
            pixel.is_split = true;
            let samples = [pixel.color; SAMPLES];
            if pixel.slot == NO_SLOT {
                pixel.slot = self.samples.len() as u32;
                self.samples.push(samples);
            } else {
                self.samples[pixel.slot as usize] = samples;
            }
        }
        for (i, sample) in self.samples[pixel.slot as usize].iter_mut().enumerate() {
            if mask & (1 << i) != 0 {
                *sample = over(color, *sample);
            }
        }
    }
}

/// Returns the columns of row `y` whose pixels satisfy all edges at their centre with `reach` added along both axes: a
/// positive reach gives every pixel with a covered sample, a negative one only fully covered pixels.
fn touched_columns(triangle: &Triangle, y: usize, reach: i64) -> Range<usize> {
    let center_y = y as i64 * STEPS + STEPS / 2;
    let (mut low, mut high) = (
        triangle.columns.start as i64,
        triangle.columns.end as i64 - 1,
    );
    for &Edge { a, b, c } in &triangle.edges {
        // The edge function at column x is slope * x + at_zero.
        let slope = a * STEPS;
        let at_zero = a * (STEPS / 2) + b * center_y + c + (a.abs() + b.abs()) * reach;
        if slope > 0 {
            low = low.max(-at_zero.div_euclid(slope));
        } else if slope < 0 {
            high = high.min(at_zero.div_euclid(-slope));
        } else if at_zero < 0 {
            return 0..0;
        }
    }
    if low > high {
        0..0
    } else {
        low as usize..high as usize + 1
    }
}

fn sample_offsets(edge: Edge) -> [i64; SAMPLES] {
    PATTERN.map(|[x, y]| edge.a * x + edge.b * y)
}

/// Returns the covered samples of a pixel, one bit each.
fn coverage_mask(triangle: &Triangle, offsets: &[[i64; SAMPLES]; 3], x: usize, y: usize) -> u8 {
    let center = [x as i64 * STEPS + STEPS / 2, y as i64 * STEPS + STEPS / 2];
    let mut mask = u8::MAX;
    for (edge, offsets) in triangle.edges.iter().zip(offsets) {
        let at_center = edge.a * center[0] + edge.b * center[1] + edge.c;
        for (i, offset) in offsets.iter().enumerate() {
            mask &= !(u8::from(at_center + offset < 0) << i);
        }
    }
    mask
}

/// Returns the triangle's colour at the pixel's centre, where a texture drawn at its own size is exact.
pub(super) fn shade(
    triangle: &Triangle,
    texture: &Texture,
    x: usize,
    y: usize,
) -> PremultipliedColor {
    let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
    let texel = texture.sample(
        triangle.u.value_at(x, y),
        triangle.v.value_at(x, y),
        triangle.level,
    );
    let alpha = texel[3] * triangle.tint[3];
    // Brightening tints are clamped to full colour, which for premultiplied channels is alpha.
    let channel = |i: usize| (texel[i] * triangle.tint[i]).min(alpha);
    [channel(0), channel(1), channel(2), alpha]
}

/// Blends source over destination, both premultiplied.
pub(super) fn over(
    source: PremultipliedColor,
    destination: PremultipliedColor,
) -> PremultipliedColor {
    let rest = 1.0 - source[3];
    core::array::from_fn(|i| source[i] + destination[i] * rest)
}

/// Returns the mean of the samples; summed in pairs so that equal samples give exactly their colour.
pub(super) fn average(samples: &[PremultipliedColor; SAMPLES]) -> PremultipliedColor {
    let [a, b, c, d, e, f, g, h] = samples;
    core::array::from_fn(|i| {
        (((a[i] + b[i]) + (c[i] + d[i])) + ((e[i] + f[i]) + (g[i] + h[i]))) * (1.0 / SAMPLES as f32)
    })
}

/// Converts straight bytes to a premultiplied colour.
pub(super) fn premultiply([r, g, b, a]: [u8; 4]) -> PremultipliedColor {
    let alpha = f32::from(a) / 255.0;
    let channel = |c: u8| f32::from(c) / 255.0 * alpha;
    [channel(r), channel(g), channel(b), alpha]
}

/// Converts a premultiplied colour to straight bytes, rounded to nearest.
pub(super) fn straight([r, g, b, a]: PremultipliedColor) -> [u8; 4] {
    let byte = |c: f32| (c * 255.0 + 0.5) as u8;
    let alpha = byte(a);
    if alpha == 0 {
        return [0; 4];
    }
    // Bytes saturate, so a channel slightly above alpha from rounding does no harm.
    [byte(r / a), byte(g / a), byte(b / a), alpha]
}
