//! PNG output.
//!
//! Input: an [`Image`] → output: a PNG file. The bytes depend only on the picture (and on the version of the
//! compressor): no time stamp, no text chunks. Follows the PNG specification, third edition.

use sinew::skelform::Image;

/// An error of writing a PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The picture has no pixels.
    #[error("a PNG needs at least one pixel, the picture is {width} × {height}")]
    Empty {
        /// Width of the picture.
        width: u32,
        /// Height of the picture.
        height: u32,
    },
    /// The encoder failed.
    #[error("the PNG cannot be written: {0}")]
    Encode(#[from] png::EncodingError),
}

/// Encodes a picture: RGB if every pixel is opaque, otherwise RGBA, 8 bits per channel, marked sRGB.
///
/// # Errors
/// [`PngError::Empty`] if the picture has no pixels; [`PngError::Encode`] if it is larger than PNG allows (2³¹ - 1
/// pixels a side).
pub fn encode_png(image: &Image) -> Result<Vec<u8>, PngError> {
    let (width, height) = (image.width(), image.height());
    if width == 0 || height == 0 {
        return Err(PngError::Empty { width, height });
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let pixels = image.pixels();
    let is_opaque = pixels.chunks_exact(4).all(|p| p[3] == 255);
    if is_opaque {
        let rgb: Vec<u8> = pixels
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2]])
            .collect();
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&rgb)?;
    } else {
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header()?.write_image_data(pixels)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> (png::ColorType, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
        let info = reader.next_frame(&mut pixels).expect("a frame");
        (info.color_type, pixels)
    }

    #[test]
    fn a_picture_without_pixels_is_refused() {
        for (width, height) in [(0, 0), (0, 3), (3, 0)] {
            assert!(matches!(
                encode_png(&Image::new(width, height)),
                Err(PngError::Empty { .. })
            ));
        }
    }

    #[test]
    fn translucent_pixels_come_back_exactly() {
        let pixels: Vec<u8> = (0..7 * 5 * 4).map(|i| (i * 37 % 256) as u8).collect();
        let image = Image::from_pixels(7, 5, pixels.clone()).expect("the size fits");
        let bytes = encode_png(&image).expect("it is encoded");
        assert_eq!(decode(&bytes), (png::ColorType::Rgba, pixels));
    }

    #[test]
    fn opaque_pictures_are_stored_without_alpha() {
        let image =
            Image::from_pixels(2, 1, vec![1, 2, 3, 255, 4, 5, 6, 255]).expect("the size fits");
        let bytes = encode_png(&image).expect("it is encoded");
        assert_eq!(
            decode(&bytes),
            (png::ColorType::Rgb, vec![1, 2, 3, 4, 5, 6])
        );
    }

    #[test]
    fn equal_pictures_give_equal_bytes() {
        let image = Image::new(40, 30);
        assert_eq!(encode_png(&image).ok(), encode_png(&image.clone()).ok());
    }
}
