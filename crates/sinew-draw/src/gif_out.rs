//! Animated GIF output.
//!
//! Input: frames of one size and a [`Palette`] of all of them → output: a GIF that loops forever. All frames share the
//! palette and each colour always maps to the same entry, so static parts do not flicker. Over an opaque background a
//! frame stores only the rectangle that changed. Follows the GIF89a specification and the Netscape looping extension.

use crate::palette::{OPAQUE_FROM, Palette, PaletteBuilder};
use sinew::skelform::Image;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

/// The highest frame rate: viewers slow down delays below 2/100 s to 1/10 s.
pub const MAX_GIF_FPS: f64 = 50.0;

/// The lowest frame rate: the longest delay of the format is 655 s.
const MIN_FPS: f64 = 1.0 / 600.0;

/// Amplitude of the dither pattern in channel steps: about half the distance of neighbouring entries of a full palette,
/// which smooths gradients without visible grain.
const DITHER_STEPS: i16 = 8;

/// Bayer's 4 × 4 ordered-dither matrix.
const BAYER: [[i16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The largest number of cached palette entries; beyond it the cache is cleared.
const MAX_REMEMBERED: usize = 1 << 18;

/// Settings of a GIF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GifSettings {
    /// Frames per second, above 1/600 and up to [`MAX_GIF_FPS`]. The format counts in 1/100 s: delays vary by one unit
    /// to keep this rate on average.
    pub frame_rate: f64,
    /// Dithers gradients with a mild static pattern. Files grow by about half.
    pub dither: bool,
}

impl Default for GifSettings {
    fn default() -> Self {
        Self {
            frame_rate: 25.0,
            dither: false,
        }
    }
}

/// An error of writing a GIF.
#[derive(Debug, thiserror::Error)]
pub enum GifError {
    /// There are no frames.
    #[error("a GIF needs at least one frame")]
    NoFrames,
    /// The format's sides are 1 to 65,535 pixels.
    #[error("a GIF is 1 to 65535 pixels wide and high, the frames are {width} × {height}")]
    Size {
        /// Width of the frames.
        width: u32,
        /// Height of the frames.
        height: u32,
    },
    /// A frame differs in size from the first.
    #[error("frame {frame} is {found:?} pixels where the first is {expected:?}")]
    FrameSize {
        /// Position of the frame, from 0.
        frame: usize,
        /// Width and height of the first frame.
        expected: (u32, u32),
        /// Width and height of this frame.
        found: (u32, u32),
    },
    /// The rate is NaN, too low or too high.
    #[error("a GIF plays at 1/600 to {MAX_GIF_FPS} frames per second, not {frame_rate}")]
    FrameRate {
        /// The requested rate.
        frame_rate: f64,
    },
    /// The encoder or the writer failed.
    #[error("the GIF cannot be written: {0}")]
    Encode(#[from] gif::EncodingError),
}

/// Encodes frames that are all in memory. For long animations pass them one by one to [`PaletteBuilder`] and then to
/// [`GifWriter`], which hold one frame at a time.
///
/// # Errors
/// See [`GifError`].
pub fn encode_gif(frames: &[Image], settings: &GifSettings) -> Result<Vec<u8>, GifError> {
    let first = frames.first().ok_or(GifError::NoFrames)?;
    let mut builder = PaletteBuilder::new();
    frames.iter().for_each(|frame| builder.add(frame));
    let size = (first.width(), first.height());
    let mut writer = GifWriter::new(Vec::new(), size, builder.build(), settings)?;
    for frame in frames {
        writer.add(frame)?;
    }
    writer.finish()
}

/// Writes a GIF frame by frame.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    size: (u32, u32),
    palette: Palette,
    settings: GifSettings,
    frames: usize,
    /// Palette entries on screen after the last frame.
    displayed_pixels: Vec<u8>,
    entry_of: HashMap<[u8; 3], u8>,
    /// The last looked-up colour and its entry: colours come in runs.
    last: ([u8; 3], u8),
}

impl<W: Write> GifWriter<W> {
    /// Writes the header. `palette` should be built from the same frames; if it has no transparency, transparent pixels
    /// are written as opaque ones.
    ///
    /// # Errors
    /// [`GifError::Size`], [`GifError::FrameRate`], and [`GifError::Encode`] if writing fails.
    pub fn new(
        to: W,
        size: (u32, u32),
        palette: Palette,
        settings: &GifSettings,
    ) -> Result<Self, GifError> {
        let frame_rate = settings.frame_rate;
        if !(MIN_FPS..=MAX_GIF_FPS).contains(&frame_rate) {
            return Err(GifError::FrameRate { frame_rate });
        }
        let side = |pixels: u32| u16::try_from(pixels).ok().filter(|&s| s > 0);
        let (Some(width), Some(height)) = (side(size.0), side(size.1)) else {
            return Err(GifError::Size {
                width: size.0,
                height: size.1,
            });
        };
        let mut table = palette.colors().concat();
        // The entry after the last colour is the transparent one.
        table.extend([0; 3]);
        let mut encoder = gif::Encoder::new(to, width, height, &table)?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        let black = [0; 3];
        Ok(Self {
            last: (black, palette.nearest(black)),
            encoder,
            size,
            palette,
            settings: *settings,
            frames: 0,
            displayed_pixels: Vec::new(),
            entry_of: HashMap::new(),
        })
    }

    /// Writes the next frame.
    ///
    /// # Errors
    /// [`GifError::FrameSize`], and [`GifError::Encode`] if writing fails.
    pub fn add(&mut self, frame: &Image) -> Result<(), GifError> {
        let found = (frame.width(), frame.height());
        if found != self.size {
            return Err(GifError::FrameSize {
                frame: self.frames,
                expected: self.size,
                found,
            });
        }
        let transparent = self.transparent();
        let entries = self.entries_of(frame);
        let is_opaque = !self.palette.has_transparency();
        // Over an opaque background frames accumulate and unchanged pixels are omitted. Otherwise each frame is cleared
        // before the next, because a GIF cannot make a pixel transparent again.
        let dispose = if is_opaque {
            gif::DisposalMethod::Keep
        } else {
            gif::DisposalMethod::Background
        };
        let stored: Cow<'_, [u8]> = if is_opaque && self.frames > 0 {
            let pairs = entries.iter().zip(&self.displayed_pixels);
            pairs
                .map(|(&entry, &before)| if entry == before { transparent } else { entry })
                .collect()
        } else {
            Cow::Borrowed(&entries)
        };
        let (left, top, width, height) = used_rectangle(&stored, self.size.0 as usize, transparent);
        let rows = stored
            .chunks_exact(self.size.0 as usize)
            .skip(top)
            .take(height);
        let buffer: Vec<u8> = rows
            .flat_map(|row| row[left..left + width].iter().copied())
            .collect();
        self.encoder.write_frame(&gif::Frame {
            delay: delay(self.frames, self.settings.frame_rate),
            dispose,
            transparent: Some(transparent),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: height as u16,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        })?;
        self.displayed_pixels = entries;
        self.frames += 1;
        Ok(())
    }

    /// Writes the trailer and returns the writer.
    ///
    /// # Errors
    /// [`GifError::NoFrames`] if no frame was added, and [`GifError::Encode`] if writing fails.
    pub fn finish(self) -> Result<W, GifError> {
        if self.frames == 0 {
            return Err(GifError::NoFrames);
        }
        Ok(self.encoder.into_inner()?)
    }

    fn transparent(&self) -> u8 {
        self.palette.colors().len() as u8
    }

    /// Returns the palette entry of each pixel.
    fn entries_of(&mut self, frame: &Image) -> Vec<u8> {
        let width = self.size.0 as usize;
        let transparent = self.transparent();
        let pixels = frame.pixels().chunks_exact(4).enumerate();
        pixels
            .map(|(i, pixel)| {
                if pixel[3] < OPAQUE_FROM && self.palette.has_transparency() {
                    return transparent;
                }
                let color = [pixel[0], pixel[1], pixel[2]];
                if self.settings.dither {
                    self.entry(self.dither(color, i % width, i / width))
                } else {
                    self.entry(color)
                }
            })
            .collect()
    }

    fn entry(&mut self, color: [u8; 3]) -> u8 {
        if self.last.0 == color {
            return self.last.1;
        }
        if self.entry_of.len() >= MAX_REMEMBERED {
            self.entry_of.clear();
        }
        let palette = &self.palette;
        let entry = *self
            .entry_of
            .entry(color)
            .or_insert_with(|| palette.nearest(color));
        self.last = (color, entry);
        entry
    }

    /// Adds the dither pattern to a colour, unless the palette contains it exactly: flat areas stay flat.
    fn dither(&self, color: [u8; 3], x: usize, y: usize) -> [u8; 3] {
        if self.palette.contains(color) {
            return color;
        }
        let shift = (BAYER[y % 4][x % 4] * 2 - 15) * DITHER_STEPS / 32;
        color.map(|c| (i16::from(c) + shift).clamp(0, 255) as u8)
    }
}

impl<W: Write> std::fmt::Debug for GifWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GifWriter")
            .field("size", &self.size)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

/// Returns the delay of a frame in 1/100 s: the difference of two rounded times, so that errors do not accumulate.
fn delay(frame: usize, frame_rate: f64) -> u16 {
    let time = |frame: usize| libm::round(frame as f64 * 100.0 / frame_rate);
    (time(frame + 1) - time(frame)) as u16
}

/// Returns left, top, width and height of the smallest rectangle around all entries but the transparent one; a single
/// pixel if there are none, because a frame cannot be empty.
fn used_rectangle(entries: &[u8], width: usize, transparent: u8) -> (usize, usize, usize, usize) {
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    for (y, row) in entries.chunks_exact(width).enumerate() {
        let Some(first) = row.iter().position(|&e| e != transparent) else {
            continue;
        };
        let last = row.iter().rposition(|&e| e != transparent).unwrap_or(first);
        left = left.min(first);
        right = right.max(last);
        top = top.min(y);
        bottom = y;
    }
    if top == usize::MAX {
        (0, 0, 1, 1)
    } else {
        (left, top, right - left + 1, bottom - top + 1)
    }
}

#[cfg(test)]
mod tests;
