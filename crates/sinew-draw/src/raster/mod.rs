//! A software rasterizer for textured, tinted, alpha-blended, anti-aliased triangles.
//!
//! Input: triangles in pixels with their textures → output: an [`Image`]. A pixel has eight samples on a 1/16 pixel
//! grid; vertices are snapped to 1/256 pixel and edges tested in integers with the top-left rule, so triangles that
//! share an edge neither overlap nor leave a seam. Colour is computed once per pixel and triangle. The picture is drawn
//! in independent bands of rows, so any number of threads gives the same bytes.
//!
//! The sample pattern is Direct3D's standard 8x pattern; the rules are those of its rasterization chapter (Direct3D
//! 11.3 functional specification, 3.4). The slow reference that defines every byte is in `tests.rs`.

mod band;
mod triangle;

#[cfg(test)]
mod tests;

pub(crate) use triangle::{Triangle, Vertex};

use crate::texture::Texture;
use band::SampleBand;
use rayon::prelude::*;
use sinew::skelform::Image;

/// Rows per band: at a width of 2048 pixels the band's buffer still fits in a core's second-level cache.
const BAND_ROWS: usize = 16;

/// The background of a picture. Colours are r, g, b, a with straight alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Transparent.
    #[default]
    Transparent,
    /// One colour.
    Solid([u8; 4]),
    /// A checkerboard of two colours, which usually indicates transparency.
    Checker {
        /// Side of a square in pixels; 0 counts as 1.
        size: u32,
        /// The colour of the top left square and of the others.
        colors: [[u8; 4]; 2],
    },
}

impl Background {
    /// A light checkerboard of 8 pixel squares.
    pub const CHECKER: Self = Self::Checker {
        size: 8,
        colors: [[255, 255, 255, 255], [222, 222, 222, 255]],
    };

    /// Returns the background colour of a pixel, straight alpha.
    pub(crate) fn color_at(&self, x: usize, y: usize) -> [u8; 4] {
        match *self {
            Self::Transparent => [0; 4],
            Self::Solid(color) => color,
            Self::Checker { size, colors } => {
                let size = size.max(1) as usize;
                colors[(x / size + y / size) % 2]
            }
        }
    }
}

/// Whether bands are distributed over threads; the bytes are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    Many,
}

/// Draws triangles back to front; each refers to its texture by index in `textures`.
pub(crate) fn draw(
    triangles: &[Triangle],
    textures: &[&Texture],
    (width, height): (u32, u32),
    background: Background,
    threads: Threads,
) -> Image {
    let mut image = Image::new(width, height);
    let row_bytes = width as usize * 4;
    if row_bytes == 0 {
        return image;
    }
    let draw_band = |band: &mut SampleBand, (index, bytes): (usize, &mut [u8])| {
        band.clear(index * BAND_ROWS, bytes.len() / row_bytes, background);
        for triangle in triangles {
            if let Some(texture) = textures.get(triangle.texture) {
                band.draw(triangle, texture);
            }
        }
        band.resolve(bytes);
    };
    let rows = image.pixels_mut();
    let band_bytes = row_bytes * BAND_ROWS;
    match threads {
        Threads::One => {
            let mut band = SampleBand::new(width as usize);
            rows.chunks_mut(band_bytes)
                .enumerate()
                .for_each(|rows| draw_band(&mut band, rows));
        }
        Threads::Many => rows
            .par_chunks_mut(band_bytes)
            .enumerate()
            .for_each_init(|| SampleBand::new(width as usize), draw_band),
    }
    image
}
