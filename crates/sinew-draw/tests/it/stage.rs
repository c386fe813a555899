//! A stage takes any numbers and gives the same picture every time.

use crate::common::walker;
#[allow(dead_code, reason = "only some bodies are drawn here")]
use proptest::prelude::*;
use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew::skelform::Image;
use sinew_draw::{
    Background, BoneShape, Camera, Figure, FigureBone, Footprint, Light, Stage, StageStyle, Trail,
    ViewAngle, draw_stage,
};

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -3.0f32..3.0,
        2 => Just(0.0f32),
        1 => any::<f32>(),
        1 => prop_oneof![
            Just(f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(1e30f32),
            Just(-9.9e6f32), Just(f32::MIN_POSITIVE),
        ],
    ]
}

fn point() -> impl Strategy<Value = Vec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Left), Just(Side::Middle), Just(Side::Right)]
}

fn bone() -> impl Strategy<Value = FigureBone> {
    let shape = prop_oneof![3 => Just(BoneShape::Limb), 1 => Just(BoneShape::Head)];
    (point(), point(), side(), shape).prop_map(|(from, to, side, shape)| FigureBone {
        from,
        to,
        side,
        shape,
    })
}

fn stage() -> impl Strategy<Value = Stage> {
    let figure = (prop::collection::vec(bone(), 0..6), coordinate())
        .prop_map(|(bones, opacity)| Figure { bones, opacity });
    let trail = (prop::collection::vec(point(), 0..6), side())
        .prop_map(|(points, side)| Trail { points, side });
    let print =
        (point(), point(), side()).prop_map(|(heel, toe, side)| Footprint { heel, toe, side });
    (
        prop::collection::vec(figure, 0..4),
        prop::collection::vec(trail, 0..3),
        prop::collection::vec(print, 0..3),
        prop::option::of(coordinate()),
    )
        .prop_map(|(figures, trails, footprints, ground)| Stage {
            figures,
            trails,
            footprints,
            ground,
        })
}

fn camera() -> impl Strategy<Value = Camera> {
    (point(), point(), point(), coordinate()).prop_map(|(eye, target, up, field_of_view)| Camera {
        eye,
        target,
        up,
        field_of_view,
    })
}

fn style() -> impl Strategy<Value = StageStyle> {
    let numbers = (coordinate(), coordinate(), coordinate(), coordinate());
    (numbers, point(), any::<[u8; 4]>()).prop_map(|(numbers, light, color)| {
        let (fade, thickness, outline, trail) = numbers;
        StageStyle {
            fade,
            thickness,
            outline,
            trail,
            light: Light::Toward(light),
            ..StageStyle::on(Background::Solid(color))
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn any_numbers_give_a_picture(
        stage in stage(), camera in camera(), style in style(),
        width in 0u32..40, height in 0u32..40,
    ) {
        let image = draw_stage(&stage, &camera, width, height, &style);
        prop_assert_eq!((image.width(), image.height()), (width, height));
    }

    #[test]
    fn any_stage_can_be_framed(stage in stage(), direction in point(), margin in coordinate()) {
        let camera = Camera::framing_stage(&stage, direction, 24, 16, margin);
        prop_assert!(camera.eye.is_finite() && camera.target.is_finite());
        let image = draw_stage(&stage, &camera, 24, 16, &StageStyle::default());
        prop_assert_eq!(image.width(), 24);
    }

    #[test]
    fn everything_drawn_is_framed(seconds in 0.0f32..5.0, yaw in 0.0f32..6.2, pitch in 0.1f32..1.4) {
        let stage = Stage {
            ground: None,
            ..Stage::of(Figure::new(walker::human(seconds)))
        };
        let level = libm::cosf(pitch);
        let direction = Vec3::new(
            libm::cosf(yaw) * level, libm::sinf(pitch), libm::sinf(yaw) * level,
        );
        let camera = Camera::framing_stage(&stage, direction, 90, 90, 6.0);
        let clear = StageStyle::on(Background::Transparent);
        let image = draw_stage(&stage, &camera, 90, 90, &clear);
        let mut reach = [90, 0, 90, 0];
        for (i, pixel) in image.pixels().chunks_exact(4).enumerate() {
            if pixel[3] > 0 {
                let (x, y) = (i % 90, i / 90);
                reach = [reach[0].min(x), reach[1].max(x), reach[2].min(y), reach[3].max(y)];
            }
        }
        let [left, right, top, bottom] = reach;
        prop_assert!(left >= 4 && right <= 85 && top >= 4 && bottom <= 85, "{:?}", reach);
        // It fills the picture in at least one direction.
        prop_assert!(right - left >= 72 || bottom - top >= 72, "{:?}", reach);
    }
}

fn walk(width: u32, height: u32, style: &StageStyle) -> Image {
    let stage = Stage::of(Figure::new(walker::human(2.0)));
    let direction = ViewAngle::ThreeQuarter.direction(Vec3::Z);
    let camera = Camera::framing_stage(&stage, direction, width, height, 4.0);
    draw_stage(&stage, &camera, width, height, style)
}

#[test]
fn every_thread_draws_the_same_bytes() {
    let style = StageStyle::default();
    let expected = walk(120, 90, &style);
    let drawn: Vec<Image> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| walk(120, 90, &style)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(drawn.iter().all(|image| *image == expected));
}

#[test]
fn an_empty_stage_is_its_background() {
    let color = [12, 200, 99, 255];
    let style = StageStyle::on(Background::Solid(color));
    let camera = Camera::framing(None, ViewAngle::Front, 20, 10, 0.0);
    let image = draw_stage(&Stage::default(), &camera, 20, 10, &style);
    assert!(image.pixels().chunks_exact(4).all(|p| p == color));
}

#[test]
fn a_picture_of_one_pixel_is_drawn() {
    let image = walk(1, 1, &StageStyle::default());
    assert_eq!(image.pixels().len(), 4);
}

#[test]
fn near_limbs_hide_far_ones_whatever_their_order() {
    let bar =
        |z: f32, side: Side| FigureBone::new(Vec3::new(-1.0, 0.0, z), Vec3::new(1.0, 0.0, z), side);
    let camera = Camera {
        eye: Vec3::Z * 10.0,
        target: Vec3::ZERO,
        up: Vec3::Y,
        field_of_view: 0.2,
    };
    let style = StageStyle::default();
    for order in [[0, 1], [1, 0]] {
        let bars = [bar(0.5, Side::Left), bar(-0.5, Side::Right)];
        let figure = Figure::new(order.map(|i| bars[i]).to_vec());
        let stage = Stage {
            figures: vec![figure],
            ..Stage::default()
        };
        let [r, _, b, _] = draw_stage(&stage, &camera, 60, 60, &style).pixel(30, 30);
        assert!(b > r, "the left limb is blue and nearer");
    }
}

#[test]
fn overlapping_shadows_are_as_dark_as_one() {
    let bone = FigureBone::new(
        Vec3::new(0.0, 0.5, 0.0),
        Vec3::new(0.6, 0.5, 0.0),
        Side::Left,
    );
    let camera = Camera {
        eye: Vec3::new(0.0, 4.0, 0.01),
        target: Vec3::ZERO,
        up: Vec3::Y,
        field_of_view: 0.6,
    };
    let style = StageStyle {
        light: Light::Toward(Vec3::new(0.0, 1.0, 1.0)),
        ..StageStyle::default()
    };
    let draw = |bones: Vec<FigureBone>| {
        draw_stage(&Stage::of(Figure::new(bones)), &camera, 80, 80, &style)
    };
    let darkest = |image: &Image| {
        // The shadow is far above the bone in the picture.
        let rows = (0..30).flat_map(|y| (0..80).map(move |x| (x, y)));
        rows.map(|(x, y)| image.pixel(x, y)[0]).min().unwrap()
    };
    let (single, double) = (draw(vec![bone]), draw(vec![bone, bone]));
    assert!(darkest(&single) < 240);
    // A figure of two bones counts as a larger one, with shadows a little wider and softer.
    assert!(darkest(&single).abs_diff(darkest(&double)) < 12);
}

#[test]
fn figures_of_zero_opacity_are_invisible() {
    let mut stage = Stage {
        ground: None,
        ..Stage::of(Figure::new(walker::human(1.0)))
    };
    let camera = Camera::framing_stage(&stage, Vec3::Z, 40, 40, 2.0);
    for opacity in [0.0, -1.0, f32::NAN] {
        stage.figures[0].opacity = opacity;
        let image = draw_stage(&stage, &camera, 40, 40, &StageStyle::default());
        assert!(image.pixels().iter().all(|&byte| byte == 255));
    }
}

/// Straight down on two metres of ground, +x to the right and +z down in the picture, without grid.
fn from_above(stage: &Stage) -> Image {
    let camera = Camera {
        eye: Vec3::Y * 10.0,
        target: Vec3::ZERO,
        up: Vec3::NEG_Z,
        field_of_view: 0.2,
    };
    let style = StageStyle {
        grid: [0; 4],
        floor: [0; 4],
        shadow: [0; 4],
        ..StageStyle::default()
    };
    draw_stage(stage, &camera, 200, 200, &style)
}

#[test]
fn a_print_lies_from_heel_to_toe_with_its_instep_open_to_the_inner_side() {
    for (side, inner) in [(Side::Left, -1), (Side::Right, 1)] {
        // It faces +z; the body's left is +x, so the inner side of a left foot is towards -x.
        let print = Footprint {
            heel: Vec3::new(0.0, 0.0, -0.5),
            toe: Vec3::new(0.0, 0.0, 0.5),
            side,
        };
        let stage = Stage {
            footprints: vec![print],
            ..Stage::default()
        };
        let image = from_above(&stage);
        let marked = |x: i32, y: i32| image.pixel((100 + x) as u32, (100 + y) as u32) != [255; 4];
        assert!(marked(0, -35) && marked(0, 25), "heel and ball");
        assert!(!marked(0, -55) && !marked(0, 55), "before and behind");
        assert!(
            !marked(9 * inner, -12) && marked(-9 * inner, -12),
            "instep of {side:?}"
        );
    }
}

#[test]
fn a_trail_is_hidden_behind_solid_limbs_and_seen_before_them() {
    let limb = FigureBone::new(
        Vec3::new(-0.8, 0.5, 0.0),
        Vec3::new(0.8, 0.5, 0.0),
        Side::Left,
    );
    let trail = |height: f32| Trail {
        points: vec![Vec3::new(0.0, height, -0.8), Vec3::new(0.0, height, 0.8)],
        side: Side::Right,
    };
    let center = |height: f32| {
        let stage = Stage {
            figures: vec![Figure::new(vec![limb])],
            trails: vec![trail(height)],
            ..Stage::default()
        };
        from_above(&stage).pixel(100, 100)
    };
    let is_blue = |[r, _, b, _]: [u8; 4]| b > r;
    assert!(is_blue(center(0.2)) && !is_blue(center(0.9)));
}

#[test]
fn a_trail_fades_towards_its_old_end() {
    let points = (0..20).map(|i| Vec3::new(0.0, 0.0, -0.9 + 0.09 * i as f32));
    let stage = Stage {
        trails: vec![Trail {
            points: points.collect(),
            side: Side::Left,
        }],
        ..Stage::default()
    };
    let image = from_above(&stage);
    let reds = [15, 60, 100, 140, 175].map(|y| image.pixel(100, y)[0]);
    assert!(reds.windows(2).all(|pair| pair[0] > pair[1]), "{reds:?}");
}
