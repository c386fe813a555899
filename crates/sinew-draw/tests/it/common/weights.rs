//! Weights to chart: a walk that becomes a run, and a wave over both.

use sinew_draw::{ChartAnimation, ChartMark, ChartStep, ChartTrigger, WeightChart};

/// Two seconds in so many steps.
pub(crate) fn chart(steps: usize) -> WeightChart {
    let mark = |time: f64, label: &str, short: &str| ChartMark {
        time,
        label: label.into(),
        short: short.into(),
    };
    WeightChart {
        title: "From a walk to a run".into(),
        steps: (0..steps)
            .map(|index| step(2.0 * index as f64 / (steps - 1) as f64))
            .collect(),
        marks: vec![
            mark(0.5, "play_new_exclusive run", "run"),
            mark(0.8, "play_new wave", "wave"),
        ],
        triggers: vec![ChartTrigger {
            time: 0.3,
            name: "walk".into(),
            instance: 0,
            label: "left".into(),
        }],
        moments: vec![1.2],
        ..WeightChart::default()
    }
}

fn step(time: f64) -> ChartStep {
    let faded = ((time - 0.5) / 0.8).clamp(0.0, 1.0) as f32;
    let animation = |name: &str, layer: u32, weight: f32, began: f64| ChartAnimation {
        name: name.into(),
        layer,
        weight,
        time: (time - began) as f32,
        is_additive: layer > 0,
        ..ChartAnimation::default()
    };
    let mut playing = Vec::new();
    if faded < 1.0 {
        playing.push(animation("walk", 0, 1.0 - faded, 0.0));
    }
    if time >= 0.5 {
        playing.push(animation("run", 0, faded, 0.5));
    }
    if (0.8..1.7).contains(&time) {
        playing.push(animation("wave", 1, 0.6, 0.8));
    }
    ChartStep {
        time,
        result: format!("{:.1} m/s", 1.3 + 1.7 * faded),
        playing,
    }
}
