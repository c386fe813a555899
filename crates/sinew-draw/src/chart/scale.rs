//! The time axis of a chart of bands.

use super::data::WeightChart;
use super::diagram::rule;
use crate::plot::axis::Axis;
use crate::plot::layout::{FAINT_TEXT, FRAME, GRID, crisp};
use crate::plot::shape::{Anchor, Shape};
use crate::plot::ticks::{Tick, ticks};
use crate::text::Font;
use sinew::glam::Vec2;

/// The map from seconds to pixels.
pub(super) struct TimeScale {
    pub(super) left: f32,
    pub(super) right: f32,
    axis: Axis,
    ticks: Vec<Tick>,
    text: f32,
}

impl TimeScale {
    pub(super) fn new(chart: &WeightChart, font: &Font, left: f32, right: f32) -> Self {
        let (low, high) = chart.seconds();
        let text = chart.text();
        let widest = font.width("000.0", text) * 1.3;
        let wanted = ((right - left) / widest) as usize;
        Self {
            left,
            right,
            axis: Axis {
                low,
                high,
                from: f64::from(left),
                to: f64::from(right),
            },
            ticks: ticks(low, high, wanted.clamp(2, 16)),
            text,
        }
    }

    /// Returns the position of a time; `None` if it is outside the axis.
    pub(super) fn pixel(&self, time: f64) -> Option<f32> {
        let x = self.axis.pixel(time) as f32;
        (x >= self.left - 0.5 && x <= self.right + 0.5).then_some(x)
    }

    /// Returns the position of a time, clamped to the axis.
    pub(super) fn nearest(&self, time: f64) -> f32 {
        let x = self.axis.pixel(time) as f32;
        if x.is_nan() {
            self.left
        } else {
            x.clamp(self.left, self.right)
        }
    }

    pub(super) fn grid(&self, top: f32, bottom: f32, shapes: &mut Vec<Shape>) {
        for tick in &self.ticks {
            let x = crisp(self.axis.pixel(tick.value));
            shapes.push(rule(Vec2::new(x, top), Vec2::new(x, bottom), GRID));
        }
    }

    /// Adds the axis line and its numbers, the last with the unit.
    pub(super) fn numbers(&self, bottom: f32, shapes: &mut Vec<Shape>) {
        let y = crisp(f64::from(bottom));
        shapes.push(rule(
            Vec2::new(self.left, y),
            Vec2::new(self.right, y),
            FRAME,
        ));
        for tick in &self.ticks {
            let x = self.axis.pixel(tick.value) as f32;
            let (from, to) = (crisp(x.into()), y + self.text * 0.3);
            shapes.push(rule(Vec2::new(from, y), Vec2::new(from, to), FRAME));
            shapes.push(Shape::Text {
                text: format!("{} s", tick.label),
                position: Vec2::new(x, bottom + self.text * 1.4),
                anchor: Anchor::Middle,
                size: self.text * 0.9,
                color: FAINT_TEXT,
                is_upright: false,
            });
        }
    }
}
