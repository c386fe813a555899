//! The diagrams of the example show the numbers that the design of the controller printed in its own.

#[allow(dead_code, reason = "a test has no use for its main function")]
#[path = "../../examples/05_controller_diagrams.rs"]
mod diagrams;

use sinew_draw::{ChartAnimation, WeightChart};

/// x of the node from the column after the call on, rounded to one decimal, as it was printed.
const PRINTED: [(&str, [&str; 5]); 7] = [
    ("Y gives way to X", ["0.6", "0.7", "0.8", "0.9", "1.0"]),
    ("play_new(Y)", ["0.5", "0.4", "0.3", "0.2", "0.0"]),
    ("play_new_exclusive(Y)", ["0.3", "0.2", "0.1", "0.0", "0.0"]),
    ("play_existing(Y)", ["0.6", "0.7", "0.8", "0.9", "1.0"]),
    (
        "play_existing(Y), Y not playing",
        ["0.8", "0.6", "0.4", "0.2", "0.0"],
    ),
    (
        "play_existing_exclusive(Y)",
        ["0.4", "0.3", "0.2", "0.1", "0.0"],
    ),
    (
        "play_existing_exclusive(Y), Y not playing",
        ["0.8", "0.6", "0.4", "0.2", "0.0"],
    ),
];

/// What plays at the end: names, instances, times and weights.
const LAST: [&[(&str, u32, f32, f32)]; 7] = [
    &[("X", 0, 0.0, 1.0)],
    &[("X", 0, 0.0, 1.0), ("Y", 1, 0.5, 1.0)],
    &[("Y", 1, 0.5, 1.0)],
    &[("Y", 0, 0.0, 1.0), ("X", 0, 0.0, 1.0)],
    &[("X", 0, 0.0, 1.0), ("Y", 0, 0.5, 1.0)],
    &[("Y", 0, 0.0, 1.0)],
    &[("Y", 0, 0.5, 1.0)],
];

fn x(result: &str) -> f32 {
    let number = result.trim_start_matches('(').split(',').next().unwrap();
    number.parse().unwrap()
}

#[test]
fn the_node_is_where_the_expected_table_states() {
    let charts = diagrams::diagrams().unwrap();
    assert_eq!(charts.len(), PRINTED.len());
    for (chart, (title, printed)) in charts.iter().zip(PRINTED) {
        assert_eq!(chart.title, title);
        let after = chart.steps.iter().skip(1);
        let shown: Vec<String> = after
            .map(|step| format!("{:.1}", x(&step.result)))
            .collect();
        assert_eq!(shown, printed, "{title}");
    }
}

#[test]
fn the_final_instances_are_those_of_the_expected_table() {
    for (chart, expected) in diagrams::diagrams().unwrap().iter().zip(LAST) {
        let last = &chart.steps.last().unwrap().playing;
        // Six steps of a tenth do not add up to the last digit; a time at the end of its loop may be at
        // either end.
        let near = |a: f32, b: f32| (a - b).abs() < 1e-5 || ((a - b).abs() - 1.0).abs() < 1e-5;
        let same = |(animation, expected): (&ChartAnimation, &(&str, u32, f32, f32))| {
            (animation.name.as_str(), animation.instance) == (expected.0, expected.1)
                && near(animation.time, expected.2)
                && (animation.weight - expected.3).abs() < 1e-5
        };
        assert_eq!(last.len(), expected.len(), "{}", chart.title);
        assert!(
            last.iter().zip(expected).all(same),
            "{}: {last:?}",
            chart.title
        );
    }
}

#[test]
fn boxes_are_labelled_with_name_weight_and_time() {
    let charts = diagrams::diagrams().unwrap();
    let svg = |chart: &WeightChart| {
        let (width, height) = chart.natural_size();
        chart.to_svg(width, height)
    };
    let written = svg(&charts[1]);
    for text in [
        "play_new(Y)",
        ">Y #1<",
        ">weight 0.20<",
        ">time 0.10<",
        ">(0.48, 0.52, 0)<",
        ">0.60 s<",
    ] {
        assert!(written.contains(text), "{text}");
    }
}
