//! Reading, writing and comparing pictures.

use sinew::skelform::Image;
use std::fs;
use std::path::Path;

pub(crate) fn write(path: &Path, image: &Image) {
    fs::write(path, sinew_draw::encode_png(image).unwrap()).unwrap();
}

/// Reads a PNG of 8 bits per channel, with or without alpha.
pub(crate) fn read(path: &Path) -> Image {
    let bytes = std::io::Cursor::new(fs::read(path).unwrap());
    let mut reader = png::Decoder::new(bytes).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    let pixels = match info.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::Rgb => pixels
            .chunks_exact(3)
            .flat_map(|p| [p[0], p[1], p[2], 255])
            .collect(),
        other => panic!("{}: expected RGB or RGBA, found {other:?}", path.display()),
    };
    Image::from_pixels(info.width, info.height, pixels).unwrap()
}

/// In words how two pictures differ; `None` when they are the same.
pub(crate) fn difference(expected: &Image, drawn: &Image) -> Option<String> {
    let size = |image: &Image| (image.width(), image.height());
    if size(expected) != size(drawn) {
        let ((width, height), (w, h)) = (size(expected), size(drawn));
        return Some(format!(
            "expected {width} × {height} pixels, drawn were {w} × {h}"
        ));
    }
    let pixels = expected
        .pixels()
        .chunks_exact(4)
        .zip(drawn.pixels().chunks_exact(4));
    let steps = pixels.map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| a.abs_diff(b)).max());
    let differing: Vec<u8> = steps.flatten().filter(|&step| step > 0).collect();
    let most = differing.iter().max()?;
    let count = match differing.len() {
        1 => "1 pixel differs".to_owned(),
        n => format!("{n} pixels differ"),
    };
    Some(format!("{count}, by {most} of 255"))
}

/// Expected, drawn and their difference, from left to right; what only one of them has is shown as
/// different from transparent black.
pub(crate) fn side_by_side(expected: &Image, drawn: &Image, amplified: u8) -> Image {
    let width = expected.width().max(drawn.width());
    let height = expected.height().max(drawn.height());
    let pixel = |image: &Image, x: u32, y: u32| {
        if x < image.width() && y < image.height() {
            image.pixel(x, y)
        } else {
            [0; 4]
        }
    };
    let mut pixels = Vec::new();
    for y in 0..height {
        pixels.extend((0..width).flat_map(|x| pixel(expected, x, y)));
        pixels.extend((0..width).flat_map(|x| pixel(drawn, x, y)));
        for x in 0..width {
            let (a, b) = (pixel(expected, x, y), pixel(drawn, x, y));
            let alpha = a[3].abs_diff(b[3]);
            let stronger = |i: usize| a[i].abs_diff(b[i]).max(alpha).saturating_mul(amplified);
            pixels.extend([stronger(0), stronger(1), stronger(2), 255]);
        }
    }
    Image::from_pixels(3 * width, height, pixels).unwrap()
}
