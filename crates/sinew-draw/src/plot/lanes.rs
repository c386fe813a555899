//! Time ranges in lanes, with corresponding ranges connected.

use super::axis::{Axis, plottable};
use super::layout::{FAINT_TEXT, FRAME, GRID, Sizes, TEXT, crisp, fit};
use super::shape::{Anchor, Color, Shape, series_look};
use super::ticks::ticks;
use crate::text::Font;
use sinew::glam::Vec2;

/// The largest width of names, as a fraction of the picture.
const WIDEST_NAMES: f32 = 0.4;

/// Colour of a range without a group.
const ALONE: Color = [148, 156, 168, 150];

/// Lanes of ranges over a common axis, from the top. Without lanes, only the axis is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// Title above the lanes; omitted if empty, like the label.
    pub title: String,
    /// Label below the axis, with its unit.
    pub x_label: String,
    /// Range of the axis; an invalid range becomes 0 to 1.
    pub x_range: (f64, f64),
    /// The lanes.
    pub lanes: Vec<Lane>,
}

/// A lane of [`Lanes`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Name before the lane.
    pub name: String,
    /// Its ranges.
    pub spans: Vec<LaneSpan>,
}

/// A range of a [`Lane`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneSpan {
    /// The start; non-finite ranges are ignored.
    pub from: f64,
    /// The end.
    pub to: f64,
    /// Ranges of one group have the same colour, and those in adjacent lanes are connected; `None` is grey.
    pub group: Option<usize>,
    /// Label inside, if it fits.
    pub label: String,
}

impl Lanes {
    pub(super) fn lay_out(&self, font: &Font, sizes: &Sizes, size: Vec2) -> Vec<Shape> {
        let [top, bottom] = sizes.room(&self.title, &self.x_label, size.y);
        let letters = sizes.text * 0.9;
        let names = self
            .lanes
            .iter()
            .map(|lane| font.width(&lane.name, letters));
        let names = names.fold(0.0, f32::max).min(size.x * WIDEST_NAMES);
        let left = sizes.gap * 1.6 + names;
        let right = (size.x - sizes.gap * 1.6).max(left + 1.0);
        let (low, high) = self.x_range;
        let is_range = plottable(low) && plottable(high) && low < high;
        let (low, high) = if is_range { (low, high) } else { (0.0, 1.0) };
        let axis = Axis::between((low, high), left, right);
        let step = ((bottom - top) / self.lanes.len().max(1) as f32).min(sizes.line * 2.2);
        let bottom = top + step * self.lanes.len().max(1) as f32;
        let middle = |row: usize| top + (row as f32 + 0.5) * step;
        let ends = |span: &LaneSpan| {
            let is_sound = plottable(span.from) && plottable(span.to);
            let pixel = |value: f64| (axis.pixel(value) as f32).clamp(left, right);
            is_sound.then(|| (pixel(span.from.min(span.to)), pixel(span.from.max(span.to))))
        };

        let mut shapes = Vec::new();
        let line = |from: Vec2, to: Vec2, color| Shape::Line {
            points: vec![from, to],
            color,
            width: 1.0,
            dashes: &[],
        };
        let wanted = (right - left) / (font.width("0000.00", sizes.text) * 1.2);
        let ticks = ticks(low, high, (wanted as usize).clamp(2, 12));
        for tick in &ticks {
            let x = crisp(axis.pixel(tick.value));
            shapes.push(line(Vec2::new(x, top), Vec2::new(x, bottom), GRID));
        }
        for (row, pair) in self.lanes.windows(2).enumerate() {
            let [upper, lower] = pair else { continue };
            for span in upper.spans.iter().filter(|span| span.group.is_some()) {
                let tied = lower.spans.iter().find(|other| other.group == span.group);
                let Some((above, below)) = ends(span).zip(tied.and_then(ends)) else {
                    continue;
                };
                let (y, under) = (middle(row) + step * 0.3, middle(row + 1) - step * 0.3);
                shapes.push(Shape::Area {
                    points: vec![
                        Vec2::new(above.0, y),
                        Vec2::new(above.1, y),
                        Vec2::new(below.1, under),
                        Vec2::new(below.0, under),
                    ],
                    color: faint(group_color(span.group), 60),
                });
            }
        }
        for (row, lane) in self.lanes.iter().enumerate() {
            for span in &lane.spans {
                let Some((from, to)) = ends(span) else {
                    continue;
                };
                shapes.push(Shape::Rect {
                    low: Vec2::new(from, middle(row) - step * 0.3),
                    high: Vec2::new(to.max(from + 1.0), middle(row) + step * 0.3),
                    color: group_color(span.group),
                });
            }
        }
        let bottom_line = crisp(bottom.into());
        let x = crisp(left.into());
        shapes.push(line(Vec2::new(x, top), Vec2::new(x, bottom), FRAME));
        shapes.push(line(
            Vec2::new(left, bottom_line),
            Vec2::new(right, bottom_line),
            FRAME,
        ));

        let mut text = |text: String, position: Vec2, anchor: Anchor, size: f32, color| {
            shapes.push(Shape::text(text, position, anchor, size, color));
        };
        let half = font.cap_height(letters) * 0.5;
        for (row, lane) in self.lanes.iter().enumerate() {
            let position = Vec2::new(left - sizes.gap * 0.6, middle(row) + half);
            text(
                fit(font, &lane.name, letters, names),
                position,
                Anchor::End,
                letters,
                TEXT,
            );
            for span in &lane.spans {
                let Some((from, to)) = ends(span) else {
                    continue;
                };
                if font.width(&span.label, letters) + sizes.gap < to - from {
                    let position = Vec2::new((from + to) * 0.5, middle(row) + half);
                    let color = if span.group.is_some() { ON_COLOR } else { TEXT };
                    text(span.label.clone(), position, Anchor::Middle, letters, color);
                }
            }
        }
        let below = bottom + sizes.gap * 0.6 + font.cap_height(sizes.text);
        for tick in &ticks {
            let position = Vec2::new(axis.pixel(tick.value) as f32, below);
            text(
                tick.label.clone(),
                position,
                Anchor::Middle,
                sizes.text,
                FAINT_TEXT,
            );
        }
        let across = (left + right) * 0.5;
        let room = 2.0 * across.min(size.x - across);
        let title = fit(font, &self.title, sizes.title, room);
        let position = Vec2::new(across, sizes.gap + sizes.title * 0.9);
        text(title, position, Anchor::Middle, sizes.title, TEXT);
        let label = fit(font, &self.x_label, sizes.text, room);
        let position = Vec2::new(across, below + sizes.line);
        text(label, position, Anchor::Middle, sizes.text, TEXT);
        shapes
    }
}

/// Text colour on a bar of a group.
const ON_COLOR: Color = [255, 255, 255, 255];

fn group_color(group: Option<usize>) -> Color {
    group.map_or(ALONE, |group| series_look(group).0)
}

fn faint([r, g, b, _]: Color, alpha: u8) -> Color {
    [r, g, b, alpha]
}
