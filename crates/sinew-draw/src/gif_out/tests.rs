//! Tests of decoded GIFs: timing, colours, transparency, stored rectangles.

use super::*;

const BLUE: [u8; 4] = [20, 40, 200, 255];
const RED: [u8; 4] = [220, 30, 10, 255];

fn frame(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Image {
    let coordinates = (0..width * height).map(|i| (i % width, i / width));
    Image::from_pixels(
        width,
        height,
        coordinates.flat_map(|(x, y)| color(x, y)).collect(),
    )
    .expect("the size fits")
}

/// Returns frames of a square that moves over a background.
fn wandering(count: u32, background: [u8; 4]) -> Vec<Image> {
    let square = |i: u32| {
        frame(40, 30, move |x, y| {
            if (i..i + 6).contains(&x) && (9..15).contains(&y) {
                RED
            } else {
                background
            }
        })
    };
    (0..count).map(square).collect()
}

struct DecodedGif {
    delays: Vec<u16>,
    stored_rectangles: Vec<(u16, u16, u16, u16)>,
    /// The displayed picture after each frame.
    frames: Vec<Image>,
    repeat: gif::Repeat,
}

fn decode(bytes: &[u8]) -> DecodedGif {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).expect("a GIF");
    let size = (u32::from(decoder.width()), u32::from(decoder.height()));
    let mut screen = Image::new(size.0, size.1);
    let mut result = DecodedGif {
        delays: vec![],
        stored_rectangles: vec![],
        frames: vec![],
        repeat: gif::Repeat::Finite(0),
    };
    while let Some(frame) = decoder.read_next_frame().expect("a sound frame") {
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        let byte_offset = |i: usize| {
            ((top + i / usize::from(frame.width)) * size.0 as usize
                + left
                + i % usize::from(frame.width))
                * 4
        };
        for (i, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, p)| p[3] > 0) {
            screen.pixels_mut()[byte_offset(i)..byte_offset(i) + 4].copy_from_slice(pixel);
        }
        result.delays.push(frame.delay);
        result
            .stored_rectangles
            .push((frame.left, frame.top, frame.width, frame.height));
        result.frames.push(screen.clone());
        if frame.dispose == gif::DisposalMethod::Background {
            (0..frame.buffer.len() / 4)
                .for_each(|i| screen.pixels_mut()[byte_offset(i)..byte_offset(i) + 4].fill(0));
        }
    }
    result.repeat = decoder.repeat();
    result
}

#[test]
fn no_frames_are_refused() {
    assert!(matches!(
        encode_gif(&[], &GifSettings::default()),
        Err(GifError::NoFrames)
    ));
    let writer = GifWriter::new(
        vec![],
        (1, 1),
        PaletteBuilder::new().build(),
        &GifSettings::default(),
    );
    assert!(matches!(
        writer.map(GifWriter::finish),
        Ok(Err(GifError::NoFrames))
    ));
}

#[test]
fn sizes_outside_the_format_are_refused() {
    for size in [(0, 1), (1, 0), (65_536, 1)] {
        let result = encode_gif(&[Image::new(size.0, size.1)], &GifSettings::default());
        assert!(matches!(result, Err(GifError::Size { .. })), "{size:?}");
    }
}

#[test]
fn frames_of_different_sizes_are_refused() {
    let result = encode_gif(
        &[Image::new(2, 2), Image::new(2, 3)],
        &GifSettings::default(),
    );
    assert!(matches!(
        result,
        Err(GifError::FrameSize {
            frame: 1,
            expected: (2, 2),
            found: (2, 3)
        })
    ));
}

#[test]
fn impossible_rates_are_refused() {
    for frame_rate in [0.0, -1.0, 50.1, f64::NAN, f64::INFINITY, 1e-9] {
        let settings = GifSettings {
            frame_rate,
            ..GifSettings::default()
        };
        assert!(
            matches!(
                encode_gif(&[Image::new(1, 1)], &settings),
                Err(GifError::FrameRate { .. })
            ),
            "{frame_rate}"
        );
    }
}

#[test]
fn delays_add_up_to_the_length_and_never_fall_below_two_hundredths() {
    for (frame_rate, count, length) in [
        (60.0 / 2.0, 31, 103),
        (24.0, 24, 100),
        (7.0, 70, 1000),
        (50.0, 9, 18),
        (47.3, 473, 1000),
    ] {
        let delays: Vec<u16> = (0..count).map(|i| delay(i, frame_rate)).collect();
        assert_eq!(
            delays.iter().map(|&d| u32::from(d)).sum::<u32>(),
            length,
            "{frame_rate}"
        );
        assert!(delays.iter().all(|&d| d >= 2), "{frame_rate}");
    }
    assert!(delay(0, MIN_FPS) == 60_000);
}

#[test]
fn an_opaque_animation_comes_back_exactly_and_stores_only_what_changed() {
    let frames = wandering(5, BLUE);
    let result = decode(
        &encode_gif(
            &frames,
            &GifSettings {
                frame_rate: 24.0,
                dither: false,
            },
        )
        .expect("it is encoded"),
    );
    assert!(result.frames == frames);
    assert_eq!(result.delays, [4, 4, 5, 4, 4]);
    assert_eq!(result.stored_rectangles[0], (0, 0, 40, 30));
    assert_eq!(result.stored_rectangles[1], (0, 9, 7, 6));
    assert_eq!(result.repeat, gif::Repeat::Infinite);
}

#[test]
fn a_frame_equal_to_the_last_stores_one_pixel() {
    let frames = vec![wandering(1, BLUE).remove(0); 3];
    let result = decode(&encode_gif(&frames, &GifSettings::default()).expect("it is encoded"));
    assert!(result.frames == frames);
    assert_eq!(result.stored_rectangles[2], (0, 0, 1, 1));
}

#[test]
fn a_transparent_animation_leaves_no_trail() {
    let frames = wandering(4, [0; 4]);
    let result = decode(&encode_gif(&frames, &GifSettings::default()).expect("it is encoded"));
    assert!(result.frames == frames);
    assert_eq!(result.stored_rectangles[2], (2, 9, 6, 6));
}

#[test]
fn opacity_is_cut_at_one_half() {
    let frames = [frame(2, 1, |x, _| {
        if x == 0 {
            [9, 9, 9, 127]
        } else {
            [9, 9, 9, 128]
        }
    })];
    let result = decode(&encode_gif(&frames, &GifSettings::default()).expect("it is encoded"));
    assert_eq!(
        (
            result.frames[0].pixel(0, 0)[3],
            result.frames[0].pixel(1, 0)
        ),
        (0, [9, 9, 9, 255])
    );
}

#[test]
fn many_colours_stay_near_their_source_with_and_without_dithering() {
    let colorful = |i: u32| {
        frame(96, 96, move |x, y| {
            [(x * 2 + i) as u8, (y * 2) as u8, (x + y) as u8, 255]
        })
    };
    let frames: Vec<Image> = (0..3).map(colorful).collect();
    for dither in [false, true] {
        let bytes = encode_gif(
            &frames,
            &GifSettings {
                frame_rate: 10.0,
                dither,
            },
        )
        .expect("it is encoded");
        let shown = decode(&bytes).frames;
        let pairs = shown[0].pixels().iter().zip(frames[0].pixels());
        let error: u64 = pairs.map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
        // 255 entries over a full plane of colours are about 8 steps apart on average.
        assert!(error / (96 * 96 * 3) < 6, "{error}");
    }
}

#[test]
fn dithering_leaves_exact_colours_and_what_stands_still_alone() {
    let still = |moving: u32| {
        frame(64, 64, move |x, y| {
            if y < 32 {
                [x as u8 * 4, y as u8 * 4, 90, 255]
            } else if x == moving {
                RED
            } else {
                BLUE
            }
        })
    };
    let frames = [still(3), still(40)];
    let shown = decode(
        &encode_gif(
            &frames,
            &GifSettings {
                frame_rate: 10.0,
                dither: true,
            },
        )
        .expect("it is encoded"),
    )
    .frames;
    assert_eq!(shown[0].pixel(10, 60), BLUE);
    for (y, x) in (0..32).flat_map(|y| (0..64).map(move |x| (y, x))) {
        assert_eq!(shown[0].pixel(x, y), shown[1].pixel(x, y));
    }
}
