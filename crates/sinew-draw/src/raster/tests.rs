//! Tests of the rasterizer against its slow reference, against known areas and colours, and with extreme numbers.

use super::band::{PATTERN, SAMPLES, average, over, premultiply, shade, straight};
use super::triangle::STEPS;
use super::{Background, Threads, Triangle, Vertex, draw};
use crate::texture::Texture;
use proptest::prelude::*;
use sinew::glam::UVec2;
use sinew::skelform::Image;

const WHITE: [f32; 4] = [1.0; 4];

fn texture(side: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Texture {
    let coordinates = (0..side * side).map(|i| (i % side, i / side));
    let pixels = coordinates.flat_map(|(x, y)| color(x, y)).collect();
    let image = Image::from_pixels(side, side, pixels).expect("the size fits");
    Texture::cut(&image, UVec2::ZERO, UVec2::splat(side)).expect("it is inside")
}

fn vertex(position: [f64; 2], uv: [f64; 2]) -> Vertex {
    Vertex { position, uv }
}

/// Returns two triangles of a square of `side` pixels, rotated about its centre.
fn square(
    texture: &Texture,
    tint: [f32; 4],
    center: [f64; 2],
    side: f64,
    angle: f64,
    picture: (u32, u32),
) -> Vec<Triangle> {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let corner = |u: f64, v: f64| {
        let (x, y) = ((u - 0.5) * side, (v - 0.5) * side);
        vertex(
            [center[0] + x * cos - y * sin, center[1] + x * sin + y * cos],
            [u, v],
        )
    };
    let [a, b, c, d] = [
        corner(0.0, 0.0),
        corner(1.0, 0.0),
        corner(1.0, 1.0),
        corner(0.0, 1.0),
    ];
    [[a, b, c], [a, c, d]]
        .into_iter()
        .filter_map(|corners| Triangle::new(corners, (0, texture), tint, picture))
        .collect()
}

/// The reference: every sample of every pixel separately, each edge tested at each sample.
fn draw_slowly(
    triangles: &[Triangle],
    texture: &Texture,
    size: (u32, u32),
    background: Background,
) -> Image {
    let mut image = Image::new(size.0, size.1);
    for y in 0..size.1 as usize {
        for x in 0..size.0 as usize {
            let mut samples = [premultiply(background.color_at(x, y)); SAMPLES];
            for triangle in triangles {
                let inside = |offset: &[i64; 2]| {
                    let sample_x = x as i64 * STEPS + STEPS / 2 + offset[0];
                    let sample_y = y as i64 * STEPS + STEPS / 2 + offset[1];
                    triangle
                        .edges
                        .iter()
                        .all(|e| e.a * sample_x + e.b * sample_y + e.c >= 0)
                };
                let mask =
                    (0..SAMPLES).fold(0, |mask, i| mask | u8::from(inside(&PATTERN[i])) << i);
                if mask == 0 {
                    continue;
                }
                let color = shade(triangle, texture, x, y);
                for i in (0..SAMPLES).filter(|i| mask & (1 << i) != 0) {
                    samples[i] = over(color, samples[i]);
                }
            }
            let start = (y * size.0 as usize + x) * 4;
            image.pixels_mut()[start..start + 4].copy_from_slice(&straight(average(&samples)));
        }
    }
    image
}

fn scribble(count: u64, size: (u32, u32), texture: &Texture) -> Vec<Triangle> {
    // A small linear congruential generator: the scene must be the same on every machine.
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1 << 24) as f64
    };
    (0..count)
        .filter_map(|_| {
            let mut corner = || {
                let position = [
                    (random() * 1.4 - 0.2) * f64::from(size.0),
                    (random() * 1.4 - 0.2) * f64::from(size.1),
                ];
                vertex(position, [random(), random()])
            };
            let corners = [corner(), corner(), corner()];
            let tint = [
                1.0,
                random() as f32,
                0.8,
                if random() < 0.3 { 1.0 } else { random() as f32 },
            ];
            Triangle::new(corners, (0, texture), tint, size)
        })
        .collect()
}

#[test]
fn triangles_without_area_or_with_impossible_numbers_are_not_drawn() {
    let white = texture(1, |_, _| [255; 4]);
    let new = |position: [[f64; 2]; 3], uv: f64| {
        let corners = position.map(|position| vertex(position, [uv * position[0], uv]));
        Triangle::new(corners, (0, &white), WHITE, (8, 8))
    };
    let fine = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]];
    assert!(new(fine, 0.1).is_some());
    assert!(new([[1.0, 1.0]; 3], 0.1).is_none(), "a point");
    assert!(
        new([[0.0, 0.0], [4.0, 4.0], [8.0, 8.0]], 0.1).is_none(),
        "a line"
    );
    assert!(
        new([[20.0, 0.0], [30.0, 0.0], [20.0, 8.0]], 0.1).is_none(),
        "beside the picture"
    );
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e9, -1e300] {
        assert!(
            new([[bad, 0.0], [8.0, 0.0], [0.0, 8.0]], 0.1).is_none(),
            "{bad}"
        );
        assert!(
            new([[0.0, bad], [8.0, 0.0], [0.0, 8.0]], 0.1).is_none(),
            "{bad}"
        );
    }
    assert!(new(fine, f64::NAN).is_none());
    assert!(new(fine, f64::INFINITY).is_none());
}

#[test]
fn a_picture_without_pixels_is_drawn_as_such() {
    for size in [(0, 0), (0, 5), (5, 0)] {
        let image = draw(&[], &[], size, Background::CHECKER, Threads::Many);
        assert_eq!((image.width(), image.height()), size);
    }
}

#[test]
fn bands_give_the_bytes_of_the_slow_twin_on_one_thread_and_on_many() {
    let checks = texture(9, |x, y| {
        [
            255 - (x * 20) as u8,
            40,
            (y * 25) as u8,
            if (x + y) % 3 == 0 { 90 } else { 255 },
        ]
    });
    for (size, background) in [
        ((67, 53), Background::Transparent),
        ((16, 16), Background::Solid([20, 90, 160, 255])),
        ((33, 1), Background::CHECKER),
    ] {
        let triangles = scribble(60, size, &checks);
        let single = draw(&triangles, &[&checks], size, background, Threads::One);
        assert!(
            single == draw_slowly(&triangles, &checks, size, background),
            "{size:?}"
        );
        assert!(
            single == draw(&triangles, &[&checks], size, background, Threads::Many),
            "{size:?}"
        );
    }
}

#[test]
fn a_scene_has_the_same_bytes_on_every_machine() {
    let marked = texture(11, |x, y| {
        [(x * 23) as u8, (y * 19) as u8, 60, 255 - (x * y) as u8]
    });
    let triangles = scribble(40, (96, 64), &marked);
    let image = draw(
        &triangles,
        &[&marked],
        (96, 64),
        Background::CHECKER,
        Threads::Many,
    );
    // FNV-1a; the value is from x86-64, the same in debug and in release.
    let hash = image
        .pixels()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    assert_eq!(hash, 6_819_819_523_626_636_199);
}

#[test]
fn a_translucent_square_of_two_triangles_has_no_seam_at_any_angle() {
    let plain = texture(4, |_, _| [255, 255, 255, 255]);
    let tint = [1.0, 0.5, 0.0, 0.5];
    let background = Background::Solid([0, 0, 255, 255]);
    for step in 0..180 {
        let angle = f64::from(step) * 0.037;
        let center = [
            20.0 + f64::from(step % 16) / 16.0,
            20.0 + f64::from(step % 7) / 7.0,
        ];
        let triangles = square(&plain, tint, center, 24.0, angle, (40, 40));
        let image = draw(&triangles, &[&plain], (40, 40), background, Threads::One);
        for y in 0..40 {
            for x in 0..40 {
                let (dx, dy) = (
                    f64::from(x) + 0.5 - center[0],
                    f64::from(y) + 0.5 - center[1],
                );
                // The circle inside the square, minus a pixel.
                if dx * dx + dy * dy < 11.0 * 11.0 {
                    assert_eq!(
                        image.pixel(x, y),
                        [128, 64, 128, 255],
                        "step {step} at {x}, {y}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_fan_of_translucent_triangles_covers_every_sample_once() {
    let plain = texture(1, |_, _| [255; 4]);
    let center = [31.37, 30.81];
    let rim = |i: i32| {
        let angle = f64::from(i) * core::f64::consts::TAU / 24.0;
        vertex(
            [
                center[0] + 25.0 * libm::cos(angle),
                center[1] + 25.0 * libm::sin(angle),
            ],
            [0.5, 0.5],
        )
    };
    let triangles: Vec<_> = (0..24)
        .filter_map(|i| {
            let corners = [vertex(center, [0.5, 0.5]), rim(i), rim(i + 1)];
            Triangle::new(corners, (0, &plain), [1.0, 1.0, 1.0, 0.25], (64, 64))
        })
        .collect();
    let image = draw(
        &triangles,
        &[&plain],
        (64, 64),
        Background::Transparent,
        Threads::One,
    );
    for (y, x) in (0..64).flat_map(|y| (0..64).map(move |x| (y, x))) {
        let (dx, dy) = (
            f64::from(x) + 0.5 - center[0],
            f64::from(y) + 0.5 - center[1],
        );
        if dx * dx + dy * dy < 23.0 * 23.0 {
            assert_eq!(image.pixel(x, y)[3], 64, "{x}, {y}");
        }
    }
}

#[test]
fn coverage_adds_up_to_the_exact_area() {
    let plain = texture(1, |_, _| [255; 4]);
    for step in 0..12 {
        let angle = f64::from(step) * 0.271;
        let corner = |turn: f64| {
            let angle = angle + turn;
            vertex(
                [
                    50.3 + 45.0 * libm::cos(angle),
                    49.8 + 45.0 * libm::sin(angle),
                ],
                [0.0, 0.0],
            )
        };
        let corners = [corner(0.0), corner(1.9), corner(4.4)];
        let [p, q, r] = corners.map(|c| c.position);
        let exact = ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).abs() / 2.0;
        let triangle =
            Triangle::new(corners, (0, &plain), WHITE, (100, 100)).expect("it has an area");
        let image = draw(
            &[triangle],
            &[&plain],
            (100, 100),
            Background::Transparent,
            Threads::One,
        );
        let covered: f64 = image
            .pixels()
            .chunks(4)
            .map(|p| f64::from(p[3]) / 255.0)
            .sum();
        assert!(
            (covered / exact - 1.0).abs() < 0.01,
            "{covered} for {exact}"
        );
    }
}

#[test]
fn both_windings_give_the_same_picture() {
    let marked = texture(8, |x, y| [(x * 30) as u8, (y * 30) as u8, 0, 255]);
    let corners = [
        vertex([2.2, 3.1], [0.0, 0.0]),
        vertex([28.4, 7.7], [1.0, 0.0]),
        vertex([9.9, 29.0], [0.0, 1.0]),
    ];
    let [p, q, r] = corners;
    let picture = |corners| {
        let triangle =
            Triangle::new(corners, (0, &marked), WHITE, (32, 32)).expect("it has an area");
        draw(
            &[triangle],
            &[&marked],
            (32, 32),
            Background::Transparent,
            Threads::One,
        )
    };
    assert!(picture([p, q, r]) == picture([r, q, p]));
}

#[test]
fn a_texture_at_its_own_size_is_copied_exactly() {
    let marked = texture(16, |x, y| {
        [(x * 16) as u8, (y * 16) as u8, (x * y) as u8, 255]
    });
    let triangles = square(&marked, WHITE, [8.0, 8.0], 16.0, 0.0, (16, 16));
    let image = draw(
        &triangles,
        &[&marked],
        (16, 16),
        Background::Transparent,
        Threads::One,
    );
    for (y, x) in (0..16).flat_map(|y| (0..16).map(move |x| (y, x))) {
        assert_eq!(
            image.pixel(x, y),
            [(x * 16) as u8, (y * 16) as u8, (x * y) as u8, 255]
        );
    }
}

#[test]
fn a_fine_checkerboard_drawn_at_an_eighth_is_even_grey() {
    let checks = texture(256, |x, y| {
        if (x + y) % 2 == 0 {
            [255; 4]
        } else {
            [0, 0, 0, 255]
        }
    });
    for angle in [0.0, 0.3, 0.77] {
        let triangles = square(&checks, WHITE, [20.37, 19.71], 32.0, angle, (40, 40));
        let image = draw(
            &triangles,
            &[&checks],
            (40, 40),
            Background::Solid([128, 128, 128, 255]),
            Threads::One,
        );
        for pixel in image.pixels().chunks(4) {
            assert!(
                pixel[..3].iter().all(|c| c.abs_diff(128) <= 1),
                "{pixel:?} at {angle}"
            );
        }
    }
}

#[test]
fn tints_brighten_no_further_than_full_colour_and_ignore_impossible_factors() {
    let grey = texture(1, |_, _| [128, 128, 128, 255]);
    for (tint, expected) in [
        ([2.0, 0.5, 1.0, 1.0], [255, 64, 128, 255]),
        ([f32::INFINITY, f32::NAN, -1.0, 9.0], [255, 0, 0, 255]),
        ([1.0, 1.0, 1.0, f32::NAN], [0, 0, 0, 0]),
    ] {
        let triangles = square(&grey, tint, [4.0, 4.0], 8.0, 0.0, (8, 8));
        let image = draw(
            &triangles,
            &[&grey],
            (8, 8),
            Background::Transparent,
            Threads::One,
        );
        assert_eq!(image.pixel(3, 4), expected, "{tint:?}");
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -40.0..80.0,
        Just(0.0),
        (-1e7..1e7),
        any::<f64>(),
        any::<f32>().prop_map(f64::from),
        Just(1048576.0),
        Just(-1048576.0),
        Just(f64::NAN),
        Just(f64::MIN_POSITIVE),
    ]
}

proptest! {
    #[test]
    fn hostile_numbers_neither_panic_nor_reach_outside(
        corners in proptest::collection::vec(proptest::array::uniform4(any_number()), 9),
        tint in proptest::array::uniform4(any::<f32>()),
    ) {
        let checks = texture(5, |x, y| [(x * 50) as u8, (y * 50) as u8, 9, 200]);
        let triangles: Vec<_> = corners
            .chunks_exact(3)
            .filter_map(|c| {
                let corners = [c[0], c[1], c[2]].map(|[x, y, u, v]| vertex([x, y], [u, v]));
                Triangle::new(corners, (0, &checks), tint, (32, 24))
            })
            .collect();
        let image = draw(&triangles, &[&checks], (32, 24), Background::CHECKER, Threads::One);
        prop_assert!(image == draw_slowly(&triangles, &checks, (32, 24), Background::CHECKER));
    }
}
