//! Charts of few steps: a column per step with a box for each playing animation.

use super::data::{ChartAnimation, ChartStep, WeightChart};
use super::rows::{ChartRow, ChartRows};
use crate::plot::layout::{FAINT_TEXT, FRAME, GRID, TEXT, crisp, fit};
use crate::plot::shape::{Anchor, Color, Shape};
use crate::text::Font;
use sinew::glam::Vec2;

/// Background of the column of a marked time.
const POINTED_AT: Color = [250, 204, 21, 70];

/// A chart of a few steps with its layout.
pub(super) struct Diagram<'a> {
    chart: &'a WeightChart,
    font: &'a Font,
    steps: Vec<(usize, &'a ChartStep)>,
    rows: ChartRows<'a>,
    text: f32,
    gap: f32,
    line: f32,
}

impl<'a> Diagram<'a> {
    fn new(chart: &'a WeightChart, font: &'a Font) -> Self {
        let text = chart.text();
        let steps = chart.steps.iter().enumerate();
        Self {
            chart,
            font,
            steps: steps.filter(|(_, step)| step.time.is_finite()).collect(),
            rows: ChartRows::by_playing(chart),
            text,
            gap: text * 0.6,
            line: text * 1.4,
        }
    }

    pub(super) fn natural_size(chart: &WeightChart, font: &Font) -> (u32, u32) {
        let diagram = Diagram::new(chart, font);
        let texts = diagram.steps.iter().map(|(_, step)| step.result.as_str());
        let names: Vec<String> = diagram.rows.list.iter().map(ChartRow::label).collect();
        let texts = texts
            .chain(names.iter().map(String::as_str))
            .chain(["weight 0.00"]);
        let widest = texts
            .map(|text| font.width(text, diagram.text))
            .fold(0.0, f32::max);
        let columns = diagram.steps.len().max(1) as f32;
        let title = font.width(&chart.title, diagram.title()) + 2.0 * diagram.gap;
        let width = (columns * (widest.min(diagram.text * 20.0) + 3.0 * diagram.gap)
            + 2.0 * diagram.gap)
            .max(title);
        let rows = diagram.rows.list.len().max(1) as f32;
        let height = diagram.above() + diagram.captions() + rows * diagram.row() + diagram.gap;
        (width.ceil() as u32, height.ceil() as u32)
    }

    /// Returns the left and right edge of the columns in pixels.
    pub(super) fn columns(chart: &WeightChart, font: &Font, width: f32) -> (f32, f32) {
        let gap = Diagram::new(chart, font).gap;
        (gap, (width - gap).max(gap + 1.0))
    }

    fn title(&self) -> f32 {
        self.text * 1.2
    }

    /// Returns the height of a row whose boxes fit their text.
    fn row(&self) -> f32 {
        self.line * 3.0 + self.gap * 1.5
    }

    fn has_results(&self) -> bool {
        self.steps.iter().any(|(_, step)| !step.result.is_empty())
    }

    /// Returns the height above the boxes: title, commands, times, results.
    fn above(&self) -> f32 {
        let some = |is_present: bool, room: f32| if is_present { room } else { 0.0 };
        some(!self.chart.title.is_empty(), self.title() * 1.6)
            + some(!self.chart.marks.is_empty(), self.line)
            + self.line
            + some(self.has_results(), self.line)
            + self.gap * 1.5
    }

    /// Returns the height of the layer names, if there are several layers.
    fn captions(&self) -> f32 {
        match self.rows.layers().len() {
            0 | 1 => 0.0,
            layers => layers as f32 * self.line,
        }
    }

    pub(super) fn lay_out(chart: &WeightChart, font: &Font, width: f32, height: f32) -> Vec<Shape> {
        let diagram = Diagram::new(chart, font);
        let (left, right) = Self::columns(chart, font, width);
        let column = (right - left) / diagram.steps.len().max(1) as f32;
        let mut shapes = Vec::new();
        diagram.header(left, column, height, &mut shapes);
        let above = diagram.above();
        let room = height - above - diagram.captions() - diagram.gap;
        // Taller boxes would show no more.
        let row = (room / diagram.rows.list.len().max(1) as f32).clamp(1.0, diagram.row());
        let layers = diagram.rows.layers();
        let mut top = above;
        for (layer, rows) in layers.iter().rev() {
            if layers.len() > 1 {
                diagram.caption(*layer, top, left, right, &mut shapes);
                top += diagram.line;
            }
            // The last one added is on top.
            for chart_row in rows.iter().rev() {
                diagram.boxes(chart_row, left, column, top, row, &mut shapes);
                top += row;
            }
        }
        if diagram.rows.left_out > 0 {
            let more = format!("+ {} more", diagram.rows.left_out);
            let position = Vec2::new(right, height - diagram.gap * 0.4);
            shapes.push(diagram.write(
                more,
                position,
                Anchor::End,
                diagram.text * 0.85,
                FAINT_TEXT,
            ));
        }
        shapes
    }

    fn write(
        &self,
        text: String,
        position: Vec2,
        anchor: Anchor,
        size: f32,
        color: Color,
    ) -> Shape {
        Shape::Text {
            text,
            position,
            anchor,
            size,
            color,
            is_upright: false,
        }
    }

    /// Adds title and commands, and above each column its time and result.
    fn header(&self, left: f32, column: f32, height: f32, shapes: &mut Vec<Shape>) {
        let right = left + column * self.steps.len() as f32;
        let mut y = 0.0;
        if !self.chart.title.is_empty() {
            y += self.title() * 1.4;
            let title = fit(self.font, &self.chart.title, self.title(), right - left);
            shapes.push(self.write(title, Vec2::new(left, y), Anchor::Start, self.title(), TEXT));
        }
        let column_of = |time: f64| Some(left + column * self.step_at(time)? as f32);
        if !self.chart.marks.is_empty() {
            y += self.line;
            let mut free = left;
            for mark in &self.chart.marks {
                let Some(x) = column_of(mark.time).filter(|x| *x >= free) else {
                    continue;
                };
                let label = fit(self.font, &mark.label, self.text * 0.9, right - x);
                free = x + self.font.width(&label, self.text * 0.9) + self.gap;
                let position = Vec2::new(x + self.gap * 0.5, y);
                shapes.push(self.write(
                    label,
                    position,
                    Anchor::Start,
                    self.text * 0.9,
                    FAINT_TEXT,
                ));
            }
        }
        for &time in &self.chart.moments {
            shapes.extend(self.pointer_at(time, left, column, y + self.gap * 0.3, height));
        }
        for (index, (_, step)) in self.steps.iter().enumerate() {
            let middle = left + column * (index as f32 + 0.5);
            let room = column - self.gap * 0.5;
            let time = fit(self.font, &format!("{:.2} s", step.time), self.text, room);
            let place = Vec2::new(middle, y + self.line);
            shapes.push(self.write(time, place, Anchor::Middle, self.text, FAINT_TEXT));
            if !step.result.is_empty() {
                let result = fit(self.font, &step.result, self.text, room);
                let place = Vec2::new(middle, y + 2.0 * self.line);
                shapes.push(self.write(result, place, Anchor::Middle, self.text, TEXT));
            }
        }
        let line = crisp(f64::from(self.above() - self.gap * 0.6));
        shapes.push(rule(Vec2::new(left, line), Vec2::new(right, line), FRAME));
    }

    /// Returns the column of a time: the first step that is not before it.
    fn step_at(&self, time: f64) -> Option<usize> {
        let mut steps = self.steps.iter();
        steps.position(|(_, step)| step.time >= time - 1e-6)
    }

    fn pointer_at(
        &self,
        time: f64,
        left: f32,
        column: f32,
        top: f32,
        bottom: f32,
    ) -> Option<Shape> {
        let x = left + column * self.step_at(time)? as f32;
        Some(Shape::Rect {
            low: Vec2::new(x, top),
            high: Vec2::new(x + column, bottom),
            color: POINTED_AT,
        })
    }

    /// Returns the pointer at a time.
    pub(super) fn pointer(
        chart: &WeightChart,
        font: &Font,
        width: f32,
        height: f32,
        time: f64,
    ) -> Vec<Shape> {
        let diagram = Diagram::new(chart, font);
        let (left, right) = Self::columns(chart, font, width);
        let column = (right - left) / diagram.steps.len().max(1) as f32;
        let top = diagram.above() - diagram.gap * 0.6;
        let pointed = diagram.pointer_at(time, left, column, top, height);
        pointed.into_iter().collect()
    }

    fn caption(&self, layer: u32, top: f32, left: f32, right: f32, shapes: &mut Vec<Shape>) {
        let y = crisp(f64::from(top));
        shapes.push(rule(Vec2::new(left, y), Vec2::new(right, y), GRID));
        let position = Vec2::new(left, top + self.line * 0.85);
        let text = format!("layer {layer}");
        shapes.push(self.write(text, position, Anchor::Start, self.text * 0.85, FAINT_TEXT));
    }

    fn boxes(
        &self,
        row: &ChartRow<'_>,
        left: f32,
        column: f32,
        top: f32,
        height: f32,
        shapes: &mut Vec<Shape>,
    ) {
        let gap = (self.gap * 0.5).min(column * 0.1).min(height * 0.1);
        for (step, animation) in &row.cells {
            let Some(index) = self.steps.iter().position(|(index, _)| index == step) else {
                continue;
            };
            let low = Vec2::new(left + column * index as f32 + gap, top + gap);
            let high = Vec2::new(left + column * (index + 1) as f32 - gap, top + height - gap);
            self.animation_box(row, animation, low, high, shapes);
            if self.has_trigger(row, index) {
                shapes.push(Shape::Dot {
                    position: Vec2::new(high.x - self.gap, low.y + self.gap),
                    radius: self.text * 0.28,
                    color: TEXT,
                });
            }
        }
    }

    /// Adds a box, filled to the weight.
    fn animation_box(
        &self,
        row: &ChartRow<'_>,
        animation: &ChartAnimation,
        low: Vec2,
        high: Vec2,
        shapes: &mut Vec<Shape>,
    ) {
        let [r, g, b, _] = row.color;
        let weight = if animation.weight > 0.0 {
            animation.weight.min(1.0)
        } else {
            0.0
        };
        let level = high.y - (high.y - low.y) * weight;
        let rect = |low, high, alpha| Shape::Rect {
            low,
            high,
            color: [r, g, b, alpha],
        };
        shapes.push(rect(low, high, 24));
        shapes.push(rect(Vec2::new(low.x, level), high, 120));
        let corners = [
            low,
            Vec2::new(high.x, low.y),
            high,
            Vec2::new(low.x, high.y),
            low,
        ];
        shapes.push(Shape::Line {
            points: corners.to_vec(),
            color: row.color,
            width: (self.text / 9.0).max(1.0),
            dashes: &[],
        });
        let room = high.x - low.x - self.gap;
        let lines = ((high.y - low.y) / self.line) as usize;
        let texts = [
            row.label(),
            format!("weight {:.2}", animation.weight),
            format!("time {:.2}", animation.time),
        ];
        let texts = texts.iter().take(lines).enumerate();
        for (index, text) in texts {
            let color = if index == 2 { FAINT_TEXT } else { TEXT };
            let y = low.y + self.line * (index as f32 + 0.9);
            let x = low.x + self.gap * 0.7;
            // If the text does not fit, the number may.
            let number = text.rsplit(' ').next().unwrap_or_default();
            let is_wide = self.font.width(text, self.text) > room;
            let text = if is_wide && index > 0 { number } else { text };
            let text = fit(self.font, text, self.text, room);
            shapes.push(self.write(text, Vec2::new(x, y), Anchor::Start, self.text, color));
        }
    }

    /// Returns whether a trigger of the row fired in a step or since the previous one.
    fn has_trigger(&self, row: &ChartRow<'_>, index: usize) -> bool {
        let until = self.steps[index].1.time;
        let from = index
            .checked_sub(1)
            .map_or(f64::NEG_INFINITY, |index| self.steps[index].1.time);
        self.chart.triggers.iter().any(|trigger| {
            let is_here = trigger.time > from + 1e-9 && trigger.time <= until + 1e-9;
            is_here && trigger.name == row.name && trigger.instance == row.instance
        })
    }
}

/// Returns a thin straight line.
pub(super) fn rule(from: Vec2, to: Vec2, color: Color) -> Shape {
    Shape::Line {
        points: vec![from, to],
        color,
        width: 1.0,
        dashes: &[],
    }
}
