//! Pictures of a character: PNG and JPEG, detected from the content.

use super::picture::ClearColor;
use sinew::skelform::Image;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum expansion ratio of deflated data.
const DEFLATE_EXPANSION: u64 = 1032;

/// Maximum number of pixels per byte of a JPEG: every block of 8 x 8 takes at least a bit.
const JPEG_PIXELS_PER_BYTE: u64 = 8 * 8 * 8;

/// Decodes a picture and subtracts its pixels from `pixels_left`, even if it is damaged; the error is a sentence
/// without its end.
pub(super) fn decode(
    bytes: &[u8],
    clear: &ClearColor,
    pixels_left: &mut u64,
) -> Result<Image, String> {
    if bytes.starts_with(b"\x89PNG") {
        decode_png(bytes, pixels_left)
    } else if bytes.starts_with(b"\xff\xd8") {
        decode_jpeg(bytes, clear, pixels_left)
    } else {
        let start = &bytes[..bytes.len().min(8)];
        Err(format!(
            "expected a PNG or JPEG picture, found \"{}\"",
            start.escape_ascii()
        ))
    }
}

fn take_pixels(width: u64, height: u64, left: &mut u64) -> Result<(), String> {
    *left = left
        .checked_sub(width * height)
        .ok_or_else(|| format!("{width} x {height} pixels are too many, {left} are left"))?;
    Ok(())
}

/// Fails if a picture claims more pixels than its bytes can encode, before memory is allocated.
fn check_claim(claimed: u64, per_byte: u64, bytes: &[u8]) -> Result<(), String> {
    if claimed.div_ceil(per_byte) <= bytes.len() as u64 {
        Ok(())
    } else {
        Err(format!("its {} bytes cannot hold its pixels", bytes.len()))
    }
}

fn decode_png(bytes: &[u8], pixels_left: &mut u64) -> Result<Image, String> {
    let failed = |error: png::DecodingError| format!("damaged PNG: {error}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(failed)?;
    let (width, height) = (reader.info().width, reader.info().height);
    take_pixels(width.into(), height.into(), pixels_left)?;
    let raw = reader.info().raw_bytes() as u64;
    check_claim(raw, DEFLATE_EXPANSION, bytes).map_err(|e| format!("damaged PNG: {e}"))?;
    let size = reader
        .output_buffer_size()
        .ok_or("damaged PNG: too large")?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(failed)?;
    let pixels = match info.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => {
            let pairs = pixels.chunks_exact(2);
            pairs.flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        other => return Err(format!("damaged PNG: unexpected colours {other:?}")),
    };
    Image::from_pixels(width, height, pixels).ok_or_else(|| "damaged PNG: wrong size".to_owned())
}

fn decode_jpeg(bytes: &[u8], clear: &ClearColor, pixels_left: &mut u64) -> Result<Image, String> {
    // The maximum of the format: pixels are counted once the header is read.
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGBA)
        .set_max_width(side)
        .set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder
        .decode_headers()
        .map_err(|error| format!("damaged JPEG: {error}"))?;
    let (width, height) = decoder.dimensions().ok_or("damaged JPEG: no size")?;
    let (columns, rows) = (width as u64, height as u64);
    take_pixels(columns, rows, pixels_left)?;
    check_claim(columns * rows, JPEG_PIXELS_PER_BYTE, bytes)
        .map_err(|e| format!("damaged JPEG: {e}"))?;
    let mut pixels = decoder
        .decode()
        .map_err(|error| format!("damaged JPEG: {error}"))?;
    for pixel in pixels.chunks_exact_mut(4) {
        if clear.is_near(&pixel[..3]) {
            pixel[3] = 0;
        }
    }
    Image::from_pixels(width as u32, height as u32, pixels)
        .ok_or_else(|| "damaged JPEG: wrong size".to_owned())
}
