//! Charts of many steps: a row for each animation, filled to its weight over time.

use super::data::WeightChart;
use super::diagram::rule;
use super::labels::{Marks, draw_moment, draw_triggers};
use super::rows::{ChartRow, ChartRows};
use super::scale::TimeScale;
use crate::plot::layout::{FAINT_TEXT, GRID, TEXT, crisp, fit};
use crate::plot::shape::{Anchor, Color, Shape};
use crate::text::Font;
use sinew::glam::Vec2;

/// Background of a row.
const EMPTY: Color = [243, 244, 246, 255];

/// The largest width of a name beside its row, in characters.
const MOST_NAME: f32 = 16.0;

/// Tolerance of a band's edge as a weight: less than a visible pixel.
const FLAT: f32 = 0.004;

/// Tolerance within which weights are labelled with the same number.
const LABEL_TOLERANCE: f32 = 0.005;

/// A chart of many steps with its layout.
pub(super) struct Bands<'a> {
    chart: &'a WeightChart,
    font: &'a Font,
    rows: ChartRows<'a>,
    text: f32,
    gap: f32,
    scale: TimeScale,
    marks: Marks,
}

impl<'a> Bands<'a> {
    fn new(chart: &'a WeightChart, font: &'a Font, width: f32) -> Self {
        let rows = ChartRows::by_name(chart);
        let text = chart.text();
        let gap = text * 0.6;
        let (left, right) = axis(&rows, font, text, width);
        let scale = TimeScale::new(chart, font, left, right);
        let marks = Marks::new(chart, font, &scale);
        Self {
            chart,
            font,
            rows,
            text,
            gap,
            scale,
            marks,
        }
    }

    pub(super) fn natural_width(chart: &WeightChart) -> u32 {
        (chart.text() * 70.0) as u32
    }

    pub(super) fn natural_height(chart: &WeightChart, font: &Font, width: f32) -> u32 {
        let bands = Bands::new(chart, font, width);
        let rows = bands.rows.list.len().max(1) as f32 * bands.text * 2.4;
        (bands.above() + bands.captions() + rows + bands.below()).ceil() as u32
    }

    pub(super) fn axis_pixels(chart: &WeightChart, font: &Font, width: f32) -> (f32, f32) {
        axis(&ChartRows::by_name(chart), font, chart.text(), width)
    }

    /// Returns the height above the rows: title and commands.
    fn above(&self) -> f32 {
        let title = if self.chart.title.is_empty() {
            0.0
        } else {
            self.text * 2.0
        };
        title + self.marks.lines as f32 * self.text * 1.25 + self.gap
    }

    /// Returns the height below the rows: the axis.
    fn below(&self) -> f32 {
        self.text * 1.9
    }

    /// Returns the height of the layer names, if there are several layers.
    fn captions(&self) -> f32 {
        match self.rows.layers().len() {
            0 | 1 => 0.0,
            layers => layers as f32 * self.caption(),
        }
    }

    fn caption(&self) -> f32 {
        self.text * 1.35
    }

    pub(super) fn lay_out(chart: &WeightChart, font: &Font, width: f32, height: f32) -> Vec<Shape> {
        let bands = Bands::new(chart, font, width);
        let mut shapes = Vec::new();
        if !chart.title.is_empty() {
            let size = bands.text * 1.2;
            shapes.push(Shape::Text {
                text: fit(font, &chart.title, size, width - 2.0 * bands.gap),
                position: Vec2::new(bands.gap, size * 1.35),
                anchor: Anchor::Start,
                size,
                color: TEXT,
                is_upright: false,
            });
        }
        let top = bands.above();
        let bottom = (height - bands.below()).max(top + 1.0);
        let room = bottom - top - bands.captions();
        let row = (room / bands.rows.list.len().max(1) as f32).max(1.0);
        let places = bands.places(top, row);
        for &(chart_row, low) in &places {
            bands.lane(chart_row, low, row, &mut shapes);
        }
        bands.scale.grid(top, bottom, &mut shapes);
        bands.layer_names(top, row, &mut shapes);
        for &(chart_row, low) in &places {
            bands.band(chart_row, low, row, &mut shapes);
        }
        bands.marks.draw(bands.text, top, bottom, &mut shapes);
        for &(chart_row, low) in &places {
            bands.triggers(chart_row, low, row, &mut shapes);
        }
        bands.scale.numbers(bottom, &mut shapes);
        for x in chart
            .moments
            .iter()
            .filter_map(|time| bands.scale.pixel(*time))
        {
            let is_one_of_several = chart.moments.len() > 1;
            draw_moment(x, bands.text, (top, bottom), is_one_of_several, &mut shapes);
        }
        if bands.rows.left_out > 0 {
            let text = format!("+ {} more", bands.rows.left_out);
            let position = Vec2::new(bands.scale.left - bands.gap, height - bands.gap);
            shapes.push(bands.write(text, position, Anchor::End, FAINT_TEXT));
        }
        shapes
    }

    /// Returns the pointer at a time.
    pub(super) fn pointer(
        chart: &WeightChart,
        font: &Font,
        width: f32,
        height: f32,
        time: f64,
    ) -> Vec<Shape> {
        let bands = Bands::new(chart, font, width);
        let top = bands.above();
        let bottom = (height - bands.below()).max(top + 1.0);
        let mut shapes = Vec::new();
        if let Some(x) = bands.scale.pixel(time) {
            draw_moment(x, bands.text, (top, bottom), false, &mut shapes);
        }
        shapes
    }

    fn write(&self, text: String, position: Vec2, anchor: Anchor, color: Color) -> Shape {
        Shape::Text {
            text,
            position,
            anchor,
            size: self.text * 0.9,
            color,
            is_upright: false,
        }
    }

    /// Returns each row with the position of its upper edge; the highest layer and the latest start are on top.
    fn places(&self, top: f32, height: f32) -> Vec<(&ChartRow<'a>, f32)> {
        let layers = self.rows.layers();
        let mut y = top;
        let mut places = Vec::new();
        for (_, rows) in layers.iter().rev() {
            if layers.len() > 1 {
                y += self.caption();
            }
            for row in rows.iter().rev() {
                places.push((row, y));
                y += height;
            }
        }
        places
    }

    fn layer_names(&self, top: f32, height: f32, shapes: &mut Vec<Shape>) {
        let layers = self.rows.layers();
        if layers.len() < 2 {
            return;
        }
        let mut y = top;
        for (layer, rows) in layers.iter().rev() {
            let line = crisp(f64::from(y));
            let from = Vec2::new(self.gap, line);
            shapes.push(rule(from, Vec2::new(self.scale.right, line), GRID));
            let position = Vec2::new(self.gap, y + self.caption() * 0.8);
            shapes.push(self.write(
                format!("layer {layer}"),
                position,
                Anchor::Start,
                FAINT_TEXT,
            ));
            y += self.caption() + rows.len() as f32 * height;
        }
    }

    /// Adds the background of a row and its name.
    fn lane(&self, row: &ChartRow<'_>, top: f32, height: f32, shapes: &mut Vec<Shape>) {
        let gap = height * 0.08;
        shapes.push(Shape::Rect {
            low: Vec2::new(self.scale.left, top + gap),
            high: Vec2::new(self.scale.right, top + height - gap),
            color: EMPTY,
        });
        if height >= self.text * 0.9 {
            let room = self.scale.left - 2.0 * self.gap;
            let text = fit(self.font, &row.label(), self.text * 0.9, room);
            let middle = top + (height + self.font.cap_height(self.text * 0.9)) * 0.5;
            let position = Vec2::new(self.scale.left - self.gap, middle);
            shapes.push(self.write(text, position, Anchor::End, TEXT));
        }
    }

    /// Adds the band of a row.
    fn band(&self, row: &ChartRow<'_>, top: f32, height: f32, shapes: &mut Vec<Shape>) {
        let gap = height * 0.08;
        let (high, low) = (top + gap, top + height - gap);
        let [r, g, b, _] = row.color;
        for span in self.spans(row) {
            let level = |weight: f32| low - (low - high) * weight;
            let edge: Vec<Vec2> = span.iter().map(|&(x, w)| Vec2::new(x, level(w))).collect();
            let (Some(first), Some(last)) = (edge.first(), edge.last()) else {
                continue;
            };
            let mut area = edge.clone();
            area.extend([Vec2::new(last.x, low), Vec2::new(first.x, low)]);
            shapes.push(Shape::Area {
                points: area,
                color: [r, g, b, 150],
            });
            let (widest, mut weight) = plateau(&span);
            if weight >= 1.0 {
                // The band ends at weight 1, but the label shows the actual value.
                let inside = row.cells.iter().filter(|(step, _)| {
                    let x = self.scale.nearest(self.chart.steps[*step].time);
                    x >= widest.0 && x <= widest.1
                });
                weight = inside
                    .map(|(_, animation)| animation.weight)
                    .fold(weight, f32::max);
            }
            shapes.push(Shape::Line {
                points: edge,
                color: row.color,
                width: (self.text / 9.0).max(1.0),
                dashes: &[],
            });
            let number = format!("{weight:.2}");
            let number = number.strip_suffix(".00").unwrap_or(&number).to_owned();
            let needed = self.font.width(&number, self.text * 0.9) + self.gap;
            if widest.1 - widest.0 > needed && height > self.text * 1.3 {
                // The label is at the start of the plateau, where a fade ends.
                let x = widest.0 + self.gap * 0.5;
                let y = (low + high + self.font.cap_height(self.text * 0.9)) * 0.5;
                shapes.push(self.write(number, Vec2::new(x, y), Anchor::Start, TEXT));
            }
        }
    }

    /// Returns the time ranges in which an animation plays: x positions in pixels and weights, simplified to what
    /// pixels show.
    fn spans(&self, row: &ChartRow<'_>) -> Vec<Vec<(f32, f32)>> {
        let steps = &self.chart.steps;
        let mut spans: Vec<Span> = Vec::new();
        let mut last = None;
        // An animation plays until the first step without it.
        let end = |span: Option<&mut Span>, last: Option<(usize, f32)>| {
            if let (Some(span), Some((step, weight))) = (span, last)
                && let Some(next) = steps.get(step + 1).filter(|next| next.time.is_finite())
            {
                span.push((self.scale.nearest(next.time), weight));
            }
        };
        for &(step, animation) in &row.cells {
            let weight = if animation.weight > 0.0 {
                animation.weight.min(1.0)
            } else {
                0.0
            };
            let point = (self.scale.nearest(steps[step].time), weight);
            match spans.last_mut() {
                Some(span) if last.is_some_and(|(before, _)| before + 1 == step) => {
                    span.push(point);
                }
                ended => {
                    end(ended, last);
                    spans.push(Span::new(point));
                }
            }
            last = Some((step, weight));
        }
        end(spans.last_mut(), last);
        spans.into_iter().map(|span| span.points).collect()
    }

    fn triggers(&self, row: &ChartRow<'_>, top: f32, height: f32, shapes: &mut Vec<Shape>) {
        let gap = height * 0.08;
        let triggers = self.chart.triggers.iter();
        let triggers =
            triggers.filter(|trigger| trigger.name == row.name && trigger.instance == row.instance);
        // Instances of the same name and number may be on several layers, one after the other.
        let triggers = triggers.filter(|trigger| self.plays(row, trigger.time));
        let fired = triggers
            .filter_map(|trigger| Some((self.scale.pixel(trigger.time)?, trigger.label.as_str())));
        draw_triggers(
            fired,
            self.font,
            self.text,
            (top + gap, top + height - gap),
            shapes,
        );
    }

    /// Returns whether a row's animation plays at a time, or did in the previous step.
    fn plays(&self, row: &ChartRow<'_>, time: f64) -> bool {
        let after = self.chart.steps.partition_point(|step| step.time < time);
        let found = row.cells.partition_point(|cell| cell.0 + 1 < after);
        row.cells.get(found).is_some_and(|cell| cell.0 <= after)
    }
}

/// Returns the start and end of the time axis; the names are before it.
fn axis(rows: &ChartRows<'_>, font: &Font, text: f32, width: f32) -> (f32, f32) {
    let gap = text * 0.6;
    let names = rows
        .list
        .iter()
        .map(|row| font.width(&row.label(), text * 0.9));
    let widest = names.fold(font.width("layer 0", text * 0.9), f32::max);
    let widest = widest
        .min(font.width("m", text * 0.9) * MOST_NAME)
        .min(width * 0.3);
    let left = widest + 2.0 * gap;
    // Half of the last number is beyond the axis.
    let right = width - font.width("00.0 s", text * 0.9) * 0.5 - gap * 0.5;
    (left, right.max(left + 1.0))
}

/// A range that is built point by point; collinear points are dropped.
struct Span {
    points: Vec<(f32, f32)>,
    /// Slopes of the lines from the last point but one that pass all points since within [`FLAT`].
    slopes: (f32, f32),
}

impl Span {
    fn new(point: (f32, f32)) -> Self {
        Self {
            points: vec![point],
            slopes: (f32::NEG_INFINITY, f32::INFINITY),
        }
    }

    fn push(&mut self, point: (f32, f32)) {
        let slopes_from = |from: (f32, f32)| {
            let way = point.0 - from.0;
            let slope = |weight: f32| (weight - from.1) / way;
            (way > 0.0).then(|| (slope(point.1 - FLAT), slope(point.1), slope(point.1 + FLAT)))
        };
        if let [.., anchor, _] = self.points[..]
            && let Some((low, slope, high)) = slopes_from(anchor)
            && self.slopes.0 <= slope
            && slope <= self.slopes.1
        {
            self.points.pop();
            self.slopes = (self.slopes.0.max(low), self.slopes.1.min(high));
        } else {
            let last = self.points.last().copied();
            let slopes = last.and_then(slopes_from);
            self.slopes = slopes.map_or((1.0, -1.0), |(low, _, high)| (low, high));
        }
        self.points.push(point);
    }
}

/// Returns the longest range of constant weight, in pixels, and the weight.
fn plateau(span: &[(f32, f32)]) -> ((f32, f32), f32) {
    let mut best = ((0.0, 0.0), 0.0);
    let mut from = 0;
    for end in 0..span.len() {
        while (span[end].1 - span[from].1).abs() > LABEL_TOLERANCE {
            from += 1;
        }
        let plateau_span = (span[from].0, span[end].0);
        if plateau_span.1 - plateau_span.0 > best.0.1 - best.0.0 {
            best = (plateau_span, span[end].1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thin_points(points: &[(f32, f32)]) -> Vec<(f32, f32)> {
        let mut span = Span::new(points[0]);
        points[1..].iter().for_each(|&point| span.push(point));
        span.points
    }

    #[test]
    fn corners_stay_however_fine_the_steps() {
        let ramp = |x: f32| (x, (x / 100.0).min(1.0));
        let points: Vec<(f32, f32)> = (0..2000).map(|i| ramp(i as f32 * 0.1)).collect();
        let thin = thin_points(&points);
        assert!(thin.len() <= 6, "{thin:?}");
        let corner = |&(x, w): &(f32, f32)| (x - 100.0).abs() < 1.0 && w > 0.98;
        assert!(thin.iter().any(corner), "{thin:?}");
    }

    #[test]
    fn jumps_stay_upright() {
        let jump = [
            (0.0, 1.0),
            (5.0, 1.0),
            (5.0, 0.25),
            (9.0, 0.25),
            (12.0, 0.25),
        ];
        let expected = [(0.0, 1.0), (5.0, 1.0), (5.0, 0.25), (12.0, 0.25)];
        assert_eq!(thin_points(&jump), expected);
    }

    #[test]
    fn the_longest_level_stretch_is_found() {
        let span = [
            (0.0, 0.0),
            (10.0, 1.0),
            (40.0, 1.0),
            (50.0, 0.5),
            (60.0, 0.5),
        ];
        assert_eq!(plateau(&span), ((10.0, 40.0), 1.0));
    }
}
