//! A chart takes any numbers and names, and its two outputs agree.

use crate::common::svg;
use proptest::prelude::*;
use sinew_draw::{
    ChartAnimation, ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart,
};
use svg::well_formed;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0f64..10.0,
        2 => any::<f64>(),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1e300), Just(0.0)],
    ]
}

fn animation() -> impl Strategy<Value = ChartAnimation> {
    let name = prop_oneof![4 => "[a-c]", 1 => ".{0,30}"];
    (name, 0u32..3, 0u32..3, number(), number(), any::<bool>()).prop_map(
        |(name, instance, layer, weight, time, is_additive)| ChartAnimation {
            name,
            instance,
            layer,
            weight: weight as f32,
            time: time as f32,
            is_additive,
        },
    )
}

fn chart() -> impl Strategy<Value = WeightChart> {
    let playing = prop::collection::vec(animation(), 0..5);
    let step = (number(), ".{0,20}", playing).prop_map(|(time, result, playing)| ChartStep {
        time,
        result,
        playing,
    });
    let mark = (number(), ".{0,30}").prop_map(|(time, label)| ChartMark {
        time,
        short: label.chars().take(3).collect(),
        label,
    });
    let trigger =
        (number(), "[a-c]", 0u32..2, ".{0,12}").prop_map(|(time, name, instance, label)| {
            ChartTrigger {
                time,
                name,
                instance,
                label,
            }
        });
    (
        ".{0,60}",
        prop::collection::vec(step, 0..40),
        prop::collection::vec(mark, 0..12),
        prop::collection::vec(trigger, 0..12),
        prop::collection::vec(number(), 0..3),
        prop::option::of((number(), number())),
        prop_oneof![Just(12.0f32), any::<f32>()],
    )
        .prop_map(
            |(title, steps, marks, triggers, moments, range, text_size)| WeightChart {
                title,
                steps,
                marks,
                triggers,
                moments,
                range,
                text_size,
                names: Vec::new(),
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_chart_is_drawn_both_ways(chart in chart(), width in 0u32..300, height in 0u32..200) {
        let svg = chart.to_svg(width, height);
        prop_assert!(well_formed(&svg).is_ok(), "{:?}", well_formed(&svg));
        prop_assert!(!svg.contains("NaN\"") && !svg.contains("inf\""));
        let image = chart.to_image(width, height);
        prop_assert_eq!((image.width(), image.height()), (width, height));
        let (left, right) = chart.axis_pixels(width);
        prop_assert!(left < right);
        prop_assert!(chart.natural_height(width) > 0);
    }
}

/// One animation that fades in over the first half, drawn in so many steps.
fn fading(steps: usize) -> WeightChart {
    let step = |index: usize| {
        let fraction = index as f64 / (steps - 1) as f64;
        ChartStep {
            time: fraction * 2.0,
            playing: vec![ChartAnimation {
                name: "walk".into(),
                weight: (fraction * 2.0).min(1.0) as f32,
                time: fraction as f32,
                ..ChartAnimation::default()
            }],
            ..ChartStep::default()
        }
    };
    WeightChart {
        steps: (0..steps).map(step).collect(),
        ..WeightChart::default()
    }
}

#[test]
fn few_instances_are_boxes_and_many_are_bands() {
    let written = |steps| fading(steps).to_svg(900, 120);
    assert_eq!(
        written(MAX_DIAGRAM_STEPS).matches(">walk<").count(),
        MAX_DIAGRAM_STEPS
    );
    assert_eq!(written(MAX_DIAGRAM_STEPS + 1).matches(">walk<").count(), 1);
}

#[test]
fn a_band_is_as_high_as_its_weight() {
    let chart = fading(201);
    let image = chart.to_image(600, 80);
    let (left, right) = chart.axis_pixels(600);
    // Pixels of a column that are of the band's blue rather than of text.
    let blue = |fraction: f32| {
        let x = (left + (right - left) * fraction) as u32;
        let is_blue = |y: &u32| {
            let [r, _, b, _] = image.pixel(x, *y);
            b > r.saturating_add(60)
        };
        (0..80).filter(is_blue).count() as f32
    };
    let whole = blue(0.9);
    assert!(whole > 10.0);
    for fraction in [0.1, 0.23, 0.37] {
        let expected = whole * fraction * 2.0;
        assert!(
            (blue(fraction) - expected).abs() < 3.0,
            "{fraction}: {} {expected}",
            blue(fraction)
        );
    }
}

#[test]
fn commands_triggers_layers_and_moments_are_shown() {
    let mut chart = fading(40);
    for step in &mut chart.steps {
        step.playing.push(ChartAnimation {
            name: "wave".into(),
            layer: 7,
            weight: 0.6,
            is_additive: true,
            ..ChartAnimation::default()
        });
    }
    let plain = chart.to_svg(600, 200);
    assert!(plain.contains(">layer 7<") && plain.contains(">layer 0<"));
    assert!(plain.contains(">+wave<") && plain.contains(">0.60<"));
    chart.marks.push(ChartMark {
        time: 0.5,
        label: "play_new wave".into(),
        short: "wave".into(),
    });
    chart.triggers.push(ChartTrigger {
        time: 1.0,
        name: "walk".into(),
        instance: 0,
        label: "left foot".into(),
    });
    let svg = chart.to_svg(600, 200);
    assert!(svg.contains(">play_new wave<") && svg.contains(">left foot<"));
    chart.moments.push(1.5);
    assert!(chart.to_svg(600, 200).len() > svg.len());
    chart.moments[0] = 99.0;
    assert_eq!(
        chart.to_svg(600, 200),
        svg,
        "what is not on the axis is not pointed at"
    );
}

#[test]
fn commands_are_short_where_there_is_little_room() {
    let mut chart = fading(40);
    chart.marks = (0..8)
        .map(|index| ChartMark {
            time: f64::from(index) * 0.24,
            label: format!("a rather long command {index}"),
            short: format!("c{index}"),
        })
        .collect();
    let (wide, narrow) = (chart.to_svg(3000, 200), chart.to_svg(300, 200));
    assert!(wide.contains(">a rather long command 7<") && !wide.contains(">c7<"));
    assert!(narrow.contains(">c7<") && !narrow.contains("long command"));
}

#[test]
fn the_document_of_a_long_play_is_short() {
    let svg = fading(20_000).to_svg(900, 200);
    assert!(svg.len() < 6_000, "{} bytes", svg.len());
}
