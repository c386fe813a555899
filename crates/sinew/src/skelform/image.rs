//! An image in memory: plain data that readers fill and renderers draw.

use alloc::vec;
use alloc::vec::Vec;

/// An RGBA image, 8 bits per channel, straight (not premultiplied) alpha, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Image {
    /// Creates a fully transparent image.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub fn new(width: u32, height: u32) -> Self {
        let bytes = (width as usize)
            .saturating_mul(height as usize)
            .saturating_mul(4);
        Self {
            width,
            height,
            pixels: vec![0; bytes],
        }
    }

    /// Creates an image from its bytes, four per pixel; `None` if their number does not fit the size.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        let expected = (width as usize)
            .checked_mul(height as usize)?
            .checked_mul(4)?;
        (pixels.len() == expected).then_some(Self {
            width,
            height,
            pixels,
        })
    }

    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the bytes: r, g, b, a for each pixel, by row from the top left.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the bytes, mutable.
    pub fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// Returns the pixel at (x, y); transparent black outside the image.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        if x >= self.width || y >= self.height {
            return [0; 4];
        }
        let offset = (y as usize * self.width as usize + x as usize) * 4;
        let p = &self.pixels[offset..offset + 4];
        [p[0], p[1], p[2], p[3]]
    }
}
