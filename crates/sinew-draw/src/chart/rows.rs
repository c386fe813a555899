//! Assigns animations to rows.

use super::data::{ChartAnimation, WeightChart};
use crate::plot::shape::{Color, series_look};
use std::collections::HashMap;

/// The largest number of rows drawn; more would be illegible.
pub(super) const MAX_ROWS: usize = 40;

/// An animation in the steps in which it plays.
pub(super) struct ChartRow<'a> {
    pub(super) layer: u32,
    pub(super) name: &'a str,
    pub(super) instance: u32,
    pub(super) is_additive: bool,
    pub(super) color: Color,
    /// The steps in which it plays, in order, with its state.
    pub(super) cells: Vec<(usize, &'a ChartAnimation)>,
}

impl ChartRow<'_> {
    /// Returns its displayed name.
    pub(super) fn label(&self) -> String {
        let mut label = self.name.to_owned();
        if self.instance > 0 {
            label += &format!(" #{}", self.instance);
        }
        if self.is_additive {
            label.insert(0, '+');
        }
        label
    }
}

/// Rows from bottom to top, and the number of omitted rows.
pub(super) struct ChartRows<'a> {
    pub(super) list: Vec<ChartRow<'a>>,
    pub(super) left_out: usize,
}

impl<'a> ChartRows<'a> {
    /// Assigns a row to each instance of an animation, above everything that played when it started.
    pub(super) fn by_playing(chart: &'a WeightChart) -> Self {
        Self::gather(chart, |row, previous, from| {
            // The list keeps its order: an animation listed after a later one is another instance.
            previous
                .iter()
                .skip(from)
                .position(|layer| *layer == row)
                .map(|index| from + index)
        })
    }

    /// Assigns the same row to an animation whenever it plays.
    pub(super) fn by_name(chart: &'a WeightChart) -> Self {
        Self::gather(chart, |_, _, from| Some(from))
    }

    /// `follows` returns whether a cell continues an existing row: given the row, the rows of the previous step, and
    /// how many of these are already passed, it returns the index in the previous step.
    fn gather(
        chart: &'a WeightChart,
        follows: impl Fn(usize, &[usize], usize) -> Option<usize>,
    ) -> Self {
        let mut colors: HashMap<&str, usize> = HashMap::new();
        for name in &chart.names {
            let count = colors.len();
            colors.entry(name).or_insert(count);
        }
        let mut known: HashMap<(u32, &str, u32), usize> = HashMap::new();
        let mut list: Vec<ChartRow<'a>> = Vec::new();
        let mut left_out = 0;
        let mut previous: Vec<usize> = Vec::new();
        for (index, step) in chart.steps.iter().enumerate() {
            if !step.time.is_finite() {
                continue;
            }
            let mut current = Vec::with_capacity(step.playing.len());
            let mut behind = 0;
            for animation in &step.playing {
                let key = (animation.layer, animation.name.as_str(), animation.instance);
                let going_on = known.get(&key).and_then(|&row| {
                    let place = follows(row, &previous, behind)?;
                    behind = place + usize::from(previous.get(place) == Some(&row));
                    Some(row)
                });
                let row = going_on.unwrap_or_else(|| {
                    let count = colors.len();
                    let color = *colors.entry(&animation.name).or_insert(count);
                    list.push(ChartRow {
                        layer: animation.layer,
                        name: &animation.name,
                        instance: animation.instance,
                        is_additive: animation.is_additive,
                        color: series_look(color).0,
                        cells: Vec::new(),
                    });
                    known.insert(key, list.len() - 1);
                    list.len() - 1
                });
                list[row].cells.push((index, animation));
                current.push(row);
            }
            previous = current;
        }
        list.sort_by_key(|row| row.layer);
        if list.len() > MAX_ROWS {
            left_out = list.len() - MAX_ROWS;
            list.truncate(MAX_ROWS);
        }
        Self { list, left_out }
    }

    /// Returns the layers, from the lowest, each with its rows.
    pub(super) fn layers(&self) -> Vec<(u32, &[ChartRow<'a>])> {
        let chunks = self.list.chunk_by(|a, b| a.layer == b.layer);
        chunks.map(|rows| (rows[0].layer, rows)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::data::ChartStep;

    fn chart(steps: &[&[(&str, u32, u32)]]) -> WeightChart {
        let step = |(index, playing): (usize, &&[(&str, u32, u32)])| ChartStep {
            time: index as f64,
            playing: playing
                .iter()
                .map(|&(name, instance, layer)| ChartAnimation {
                    name: name.into(),
                    instance,
                    layer,
                    weight: 1.0,
                    ..ChartAnimation::default()
                })
                .collect(),
            ..ChartStep::default()
        };
        WeightChart {
            steps: steps.iter().enumerate().map(step).collect(),
            ..WeightChart::default()
        }
    }

    fn labels(rows: &ChartRows) -> Vec<(String, Vec<usize>)> {
        let row = |row: &ChartRow| (row.label(), row.cells.iter().map(|cell| cell.0).collect());
        rows.list.iter().map(row).collect()
    }

    fn row(label: &str, cells: &[usize]) -> (String, Vec<usize>) {
        (label.into(), cells.to_vec())
    }

    #[test]
    fn an_empty_chart_has_no_rows() {
        assert!(
            ChartRows::by_playing(&WeightChart::default())
                .list
                .is_empty()
        );
        assert!(ChartRows::by_name(&chart(&[&[], &[]])).list.is_empty());
    }

    #[test]
    fn what_begins_later_is_above_and_instances_are_told_apart() {
        let chart = chart(&[
            &[("y", 0, 0), ("x", 0, 0)],
            &[("y", 0, 0), ("x", 0, 0), ("y", 1, 0)],
            &[("x", 0, 0), ("y", 1, 0)],
        ]);
        let rows = ChartRows::by_playing(&chart);
        let expected = [
            row("y", &[0, 1]),
            row("x", &[0, 1, 2]),
            row("y #1", &[1, 2]),
        ];
        assert_eq!(labels(&rows), expected);
        assert_eq!(rows.list[0].color, rows.list[2].color);
        assert_ne!(rows.list[0].color, rows.list[1].color);
    }

    #[test]
    fn what_is_played_again_is_above_what_played_meanwhile() {
        let chart = chart(&[
            &[("y", 0, 0), ("x", 0, 0)],
            &[("x", 0, 0)],
            &[("x", 0, 0), ("y", 0, 0)],
        ]);
        let rows = ChartRows::by_playing(&chart);
        let expected = [row("y", &[0]), row("x", &[0, 1, 2]), row("y", &[2])];
        assert_eq!(labels(&rows), expected);
        let expected = [row("y", &[0, 2]), row("x", &[0, 1, 2])];
        assert_eq!(labels(&ChartRows::by_name(&chart)), expected);
    }

    #[test]
    fn what_is_replaced_between_two_steps_is_another_playing() {
        let chart = chart(&[&[("y", 0, 0), ("x", 0, 0)], &[("x", 0, 0), ("y", 0, 0)]]);
        let rows = ChartRows::by_playing(&chart);
        let expected = [row("y", &[0]), row("x", &[0, 1]), row("y", &[1])];
        assert_eq!(labels(&rows), expected);
    }

    #[test]
    fn layers_are_in_order_whatever_begins_first() {
        let chart = chart(&[&[("wave", 0, 2)], &[("walk", 0, 0), ("wave", 0, 2)]]);
        let rows = ChartRows::by_name(&chart);
        let layers: Vec<u32> = rows.layers().iter().map(|layer| layer.0).collect();
        assert_eq!(layers, [0, 2]);
    }

    #[test]
    fn colours_can_be_given_out_before() {
        let mut chart = chart(&[&[("y", 0, 0)]]);
        let plain = ChartRows::by_name(&chart).list[0].color;
        chart.names = vec!["x".into(), "x".into(), "y".into()];
        assert_ne!(ChartRows::by_name(&chart).list[0].color, plain);
        assert_eq!(ChartRows::by_name(&chart).list[0].color, series_look(1).0);
    }

    #[test]
    fn more_rows_than_anybody_reads_are_counted() {
        let many: Vec<(&str, u32, u32)> = (0..100).map(|instance| ("a", instance, 0)).collect();
        let chart = chart(&[&many]);
        let rows = ChartRows::by_name(&chart);
        assert_eq!((rows.list.len(), rows.left_out), (MAX_ROWS, 100 - MAX_ROWS));
    }
}
