//! The palette shared by all frames of a GIF.
//!
//! Input: every frame, one by one → output: a [`Palette`] of at most 255 colours. Wu's method (Xiaolin Wu, "Efficient
//! statistical computations for optimal color quantization", 1991) splits the colours in Oklab, where distances are
//! perceptual; the implementation is quantette's. Colours of large areas, such as a background, are kept exactly.

use quantette::deps::palette::Srgb;
use quantette::wu::{BinnerF32x3, WuF32x3};
use quantette::{PaletteCounts, PaletteSize, color_space};
use sinew::skelform::Image;
use std::collections::HashMap;

/// The largest number of colours of a palette: a GIF's 256 minus the transparent one.
pub const MAX_COLORS: usize = 255;

/// The smallest alpha of an opaque pixel.
pub(crate) const OPAQUE_FROM: u8 = 128;

/// The largest number of distinct colours counted; beyond it the lowest bits are dropped. It bounds memory at a few
/// megabytes for photographs; drawn characters have far fewer.
const MAX_COUNTED: usize = 1 << 17;

/// A colour is kept exactly if it covers at least one in this many pixels.
const EXACT_PART: u64 = 400;

/// The largest number of colours kept exactly, so that enough are left for gradients.
const MAX_EXACT: usize = 96;

type Rgb = [u8; 3];

/// Counts the colours of frames.
#[derive(Clone, Debug, Default)]
pub struct PaletteBuilder {
    counts: HashMap<Rgb, u64>,
    /// Low bits dropped from each channel.
    dropped_bits: u32,
    has_transparency: bool,
}

impl PaletteBuilder {
    /// Creates an empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a frame's colours. Pixels of less than half opacity count as transparent, the others as opaque.
    pub fn add(&mut self, frame: &Image) {
        let mut pixels = frame.pixels().chunks_exact(4).peekable();
        while let Some(pixel) = pixels.next() {
            if pixel[3] < OPAQUE_FROM {
                self.has_transparency = true;
                continue;
            }
            let mut run = 1;
            while pixels.next_if(|next| *next == pixel).is_some() {
                run += 1;
            }
            *self
                .counts
                .entry(drop_bits([pixel[0], pixel[1], pixel[2]], self.dropped_bits))
                .or_default() += run;
            if self.counts.len() > MAX_COUNTED {
                self.drop_a_bit();
            }
        }
    }

    /// Builds the palette. Without opaque pixels it contains only black.
    pub fn build(&self) -> Palette {
        let mut counted: Vec<(Rgb, u64)> = self
            .counts
            .iter()
            .map(|(&color, &count)| (color, count))
            .collect();
        // The order of the map differs between runs; the palette must not.
        counted.sort_unstable();
        let mut colors = if counted.len() <= MAX_COLORS {
            counted.iter().map(|&(color, _)| color).collect()
        } else {
            let mut colors = split(&counted);
            keep_exactly(&mut colors, &counted);
            colors.sort_unstable();
            colors.dedup();
            colors
        };
        if colors.is_empty() {
            colors.push([0; 3]);
        }
        Palette {
            colors,
            has_transparency: self.has_transparency,
        }
    }

    fn drop_a_bit(&mut self) {
        self.dropped_bits += 1;
        let mut coarser = HashMap::new();
        for (color, count) in self.counts.drain() {
            *coarser
                .entry(drop_bits(color, self.dropped_bits))
                .or_default() += count;
        }
        self.counts = coarser;
    }
}

/// At most [`MAX_COLORS`] colours, and whether there are transparent pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    colors: Vec<Rgb>,
    has_transparency: bool,
}

impl Palette {
    /// Returns the colours, at least one, in ascending order.
    pub fn colors(&self) -> &[[u8; 3]] {
        &self.colors
    }

    /// Returns whether a counted frame had transparent pixels.
    pub fn has_transparency(&self) -> bool {
        self.has_transparency
    }

    /// Returns the index of the nearest colour.
    pub(crate) fn nearest(&self, color: Rgb) -> u8 {
        let nearest = self
            .colors
            .iter()
            .enumerate()
            .min_by_key(|&(_, &c)| distance(c, color));
        nearest.map_or(0, |(i, _)| i as u8)
    }

    /// Returns whether the palette contains exactly this colour.
    pub(crate) fn contains(&self, color: Rgb) -> bool {
        self.colors.binary_search(&color).is_ok()
    }
}

/// Returns the centre of the colours that share the upper bits.
fn drop_bits(color: Rgb, bits: u32) -> Rgb {
    if bits == 0 {
        return color;
    }
    let bits = bits.min(7);
    color.map(|c| (c >> bits << bits) | (1 << (bits - 1)))
}

/// Returns Wu's palette of the counted colours.
fn split(counted: &[(Rgb, u64)]) -> Vec<Rgb> {
    let total: u64 = counted.iter().map(|&(_, count)| count).sum();
    // quantette counts in `u32`; scaling must not remove a colour.
    let scale = total / u64::from(u32::MAX / 2) + 1;
    let srgb: Vec<Srgb<u8>> = counted
        .iter()
        .map(|&([r, g, b], _)| Srgb::new(r, g, b))
        .collect();
    let counts = counted
        .iter()
        .map(|&(_, count)| (count / scale).max(1) as u32)
        .collect();
    let Ok(counted) = PaletteCounts::new(color_space::srgb8_to_oklab(&srgb), counts) else {
        return Vec::new();
    };
    let size = PaletteSize::from_usize_clamped(MAX_COLORS);
    let Some(wu) = WuF32x3::run_palette_counts(&counted, BinnerF32x3::oklab_from_srgb8()) else {
        return Vec::new();
    };
    let colors = color_space::oklab_to_srgb8(wu.palette(size).as_slice());
    colors
        .into_iter()
        .map(|c| [c.red, c.green, c.blue])
        .collect()
}

/// Adds the most frequent colours exactly, each in place of its nearest palette colour.
fn keep_exactly(colors: &mut Vec<Rgb>, counted: &[(Rgb, u64)]) {
    let total: u64 = counted.iter().map(|&(_, count)| count).sum();
    let mut frequent: Vec<_> = counted
        .iter()
        .filter(|&&(_, count)| count >= total / EXACT_PART)
        .collect();
    frequent.sort_by_key(|&&(color, count)| (std::cmp::Reverse(count), color));
    let mut kept = 0;
    for &&(color, _) in frequent.iter().take(MAX_EXACT) {
        if colors.len() < MAX_COLORS {
            colors.insert(0, color);
            kept += 1;
            continue;
        }
        let open = colors.iter().enumerate().skip(kept);
        if let Some((index, _)) = open.min_by_key(|&(_, &c)| distance(c, color)) {
            colors[index] = color;
            colors.swap(kept, index);
            kept += 1;
        }
    }
}

/// Returns the squared distance with perceptual channel weights; integers, so that ties are resolved the same
/// everywhere.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let square = |i: usize| u32::from(a[i].abs_diff(b[i])).pow(2);
    2 * square(0) + 4 * square(1) + 3 * square(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Image {
        let pixels = (0..width * height).map(|i| (i % width, i / width));
        Image::from_pixels(
            width,
            height,
            pixels.flat_map(|(x, y)| color(x, y)).collect(),
        )
        .expect("the size fits")
    }

    fn palette(frame: &Image) -> Palette {
        let mut builder = PaletteBuilder::new();
        builder.add(frame);
        builder.build()
    }

    #[test]
    fn without_frames_or_opaque_pixels_it_is_black() {
        assert_eq!(PaletteBuilder::new().build().colors(), [[0; 3]]);
        let clear = palette(&Image::new(4, 4));
        assert_eq!(
            (clear.colors(), clear.has_transparency()),
            (&[[0; 3]][..], true)
        );
    }

    #[test]
    fn few_colours_are_all_kept_exactly() {
        let frame = image(16, 15, |x, y| [(x * 16) as u8, (y * 17) as u8, 3, 255]);
        let palette = palette(&frame);
        assert_eq!(palette.colors().len(), 240);
        assert!(
            frame
                .pixels()
                .chunks(4)
                .all(|p| palette.contains([p[0], p[1], p[2]]))
        );
    }

    #[test]
    fn a_gradient_is_covered_closely_and_its_background_exactly() {
        let frame = image(256, 128, |x, y| {
            if y < 64 {
                [x as u8, 255 - x as u8, (y * 4) as u8, 255]
            } else {
                [17, 34, 51, 255]
            }
        });
        let palette = palette(&frame);
        assert!(palette.colors().len() <= MAX_COLORS && palette.contains([17, 34, 51]));
        let mut errors: Vec<u32> = frame
            .pixels()
            .chunks(4)
            .map(|p| {
                let color = [p[0], p[1], p[2]];
                distance(palette.colors()[usize::from(palette.nearest(color))], color)
            })
            .collect();
        errors.sort_unstable();
        // The half has 16,384 colours; 6 steps in every channel on average, 20 at the worst.
        let mean = errors.iter().map(|&e| u64::from(e)).sum::<u64>() / (256 * 64);
        assert!(mean < 9 * 6 * 6 && errors.last() < Some(&(9 * 20 * 20)));
    }

    #[test]
    fn more_colours_than_can_be_counted_still_give_a_palette() {
        let frame = image(512, 512, |x, y| {
            [x as u8, y as u8, ((x >> 8) * 2 + (y >> 8)) as u8 * 64, 255]
        });
        let mut builder = PaletteBuilder::new();
        builder.add(&frame);
        assert!(builder.dropped_bits > 0 && builder.counts.len() <= MAX_COUNTED);
        assert!(builder.build().colors().len() > 200);
    }

    #[test]
    fn the_same_frames_give_the_same_palette() {
        let frame = image(64, 64, |x, y| {
            [(x * 4) as u8, (y * 4) as u8, (x * y) as u8, 255]
        });
        assert_eq!(palette(&frame), palette(&frame));
    }
}
