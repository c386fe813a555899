//! Pictures of a character: PNG and JPEG, told apart by content.

use serde_json::Value;
use sinew::Image;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// JPEG has no transparency: the editor fills it with a colour and on reading makes everything near
/// that colour transparent. This is how near, per channel.
const CLEAR_TOLERANCE: u8 = 100;

/// The colour that stands for transparency in JPEG atlases, if the file names one.
pub(super) fn clear_color(json: &Value) -> Option<[u8; 3]> {
    let color = json.get("clear_color")?;
    let channel = |c: &str| color.get(c)?.as_u64().and_then(|n| u8::try_from(n).ok());
    Some([channel("r")?, channel("g")?, channel("b")?])
}

/// Decodes a picture and takes its pixels from `pixels_left`, even when it turns out to be damaged;
/// the error is a sentence without its end.
pub(super) fn decode(
    bytes: &[u8],
    clear: Option<[u8; 3]>,
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

fn decode_png(bytes: &[u8], pixels_left: &mut u64) -> Result<Image, String> {
    let failed = |error: png::DecodingError| format!("damaged PNG: {error}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(failed)?;
    let (width, height) = (reader.info().width, reader.info().height);
    take_pixels(width.into(), height.into(), pixels_left)?;
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

fn decode_jpeg(
    bytes: &[u8],
    clear: Option<[u8; 3]>,
    pixels_left: &mut u64,
) -> Result<Image, String> {
    // As far as the format goes: pixels are counted once the header is read.
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(side)
        .set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder
        .decode_headers()
        .map_err(|error| format!("damaged JPEG: {error}"))?;
    let (width, height) = decoder.dimensions().ok_or("damaged JPEG: no size")?;
    take_pixels(width as u64, height as u64, pixels_left)?;
    let rgb = decoder
        .decode()
        .map_err(|error| format!("damaged JPEG: {error}"))?;
    let is_clear = |p: &[u8]| {
        clear.is_some_and(|clear| {
            p.iter()
                .zip(clear)
                .all(|(&p, clear)| p.abs_diff(clear) <= CLEAR_TOLERANCE)
        })
    };
    let pixels = rgb.chunks_exact(3).flat_map(|p| {
        let alpha = if is_clear(p) { 0 } else { 255 };
        [p[0], p[1], p[2], alpha]
    });
    Image::from_pixels(width as u32, height as u32, pixels.collect())
        .ok_or_else(|| "damaged JPEG: wrong size".to_owned())
}
