//! Commands above a chart of bands, its triggers, and its marked times.

use super::data::WeightChart;
use super::scale::TimeScale;
use crate::plot::layout::{FAINT_TEXT, TEXT, fit};
use crate::plot::shape::{Anchor, Color, Shape};
use crate::text::Font;
use sinew::glam::Vec2;

/// The largest number of command lines.
const MOST_LINES: usize = 4;

/// The largest number of commands; more than fit a picture.
const MOST_MARKS: usize = 400;

const COMMAND: Color = [107, 114, 128, 150];
const MOMENT: Color = [220, 38, 38, 230];

/// A command and its position.
struct PlacedMark {
    label: String,
    /// Position of its line, from the left.
    x: f32,
    /// Text line, counted from the lowest; `None` if it does not fit.
    line: Option<usize>,
    /// Whether the text is left of its line, because it does not fit on the right.
    is_before: bool,
}

/// Commands, each as low as possible without crossing the lines of others.
pub(super) struct Marks {
    marks: Vec<PlacedMark>,
    /// The number of text lines.
    pub(super) lines: usize,
}

impl Marks {
    /// Places the commands: with full labels if all fit, otherwise with short ones.
    pub(super) fn new(chart: &WeightChart, font: &Font, scale: &TimeScale) -> Self {
        let whole = Self::place(chart, font, scale, false);
        let has_all = whole.marks.iter().all(|mark| mark.line.is_some());
        if has_all && whole.lines < MOST_LINES {
            whole
        } else {
            Self::place(chart, font, scale, true)
        }
    }

    fn place(chart: &WeightChart, font: &Font, scale: &TimeScale, is_short: bool) -> Self {
        let size = chart.text() * 0.85;
        let gap = size * 0.4;
        let marks = chart.marks.iter().take(MOST_MARKS);
        let mut commands: Vec<_> = marks
            .filter_map(|mark| Some((scale.pixel(mark.time)?, mark)))
            .collect();
        commands.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From right to left, so that each text knows the lines that it would cross and is placed above them.
        let mut marks: Vec<PlacedMark> = Vec::new();
        // The left end of the occupied part of each text line.
        let mut taken = [f32::INFINITY; MOST_LINES];
        for (x, mark) in commands.into_iter().rev() {
            let label = if is_short && !mark.short.is_empty() {
                &mark.short
            } else {
                &mark.label
            };
            let label = fit(font, label, size, scale.right - scale.left);
            let width = font.width(&label, size);
            let is_before = x + gap + width > scale.right + gap;
            let (from, to) = if is_before {
                (x - gap - width, x)
            } else {
                (x, x + gap + width)
            };
            let crossed = marks.iter().filter(|other| other.x < to + gap);
            let crossed = crossed.filter_map(|other| other.line).max();
            let first = crossed.map_or(0, |line| line + 1);
            let line = (first..MOST_LINES).find(|&line| to + gap <= taken[line]);
            if let Some(line) = line {
                taken[line] = from;
            }
            marks.push(PlacedMark {
                label,
                x,
                line,
                is_before,
            });
        }
        let lines = marks.iter().filter_map(|mark| mark.line).max();
        Self {
            lines: lines.map_or(0, |line| line + 1),
            marks,
        }
    }

    /// Draws texts above `top` and thin lines down to `bottom`.
    pub(super) fn draw(&self, text: f32, top: f32, bottom: f32, shapes: &mut Vec<Shape>) {
        let height = text * 1.25;
        for mark in &self.marks {
            let up = mark.line.map_or(0.0, |line| line as f32 + 0.9) * height;
            shapes.push(Shape::Line {
                points: vec![Vec2::new(mark.x, top - up), Vec2::new(mark.x, bottom)],
                color: COMMAND,
                width: 1.0,
                dashes: &[3.0, 2.0],
            });
            let Some(line) = mark.line else {
                continue;
            };
            let (anchor, away) = if mark.is_before {
                (Anchor::End, -text * 0.34)
            } else {
                (Anchor::Start, text * 0.34)
            };
            shapes.push(Shape::Text {
                text: mark.label.clone(),
                position: Vec2::new(mark.x + away, top - height * (line as f32 + 0.25)),
                anchor,
                size: text * 0.85,
                color: FAINT_TEXT,
                is_upright: false,
            });
        }
    }
}

/// Draws small wedges at the top of a row where its triggers fired, with their text if it fits.
pub(super) fn draw_triggers<'a>(
    fired: impl Iterator<Item = (f32, &'a str)>,
    font: &Font,
    text: f32,
    (top, bottom): (f32, f32),
    shapes: &mut Vec<Shape>,
) {
    let (size, half) = (text * 0.8, (text * 0.32).min((bottom - top) * 0.3));
    let mut free = f32::NEG_INFINITY;
    let fired: Vec<(f32, &str)> = fired.collect();
    for (index, &(x, label)) in fired.iter().enumerate() {
        let points = [
            Vec2::new(x - half, top),
            Vec2::new(x + half, top),
            Vec2::new(x, top + half * 1.6),
        ];
        shapes.push(Shape::Area {
            points: points.to_vec(),
            color: TEXT,
        });
        let next = fired.get(index + 1).map_or(f32::INFINITY, |next| next.0);
        let start = x + half * 1.3;
        let end = start + font.width(label, size);
        if start >= free && end + half < next && bottom - top > size * 1.3 {
            shapes.push(Shape::Text {
                text: label.to_owned(),
                position: Vec2::new(start, top + size),
                anchor: Anchor::Start,
                size,
                color: TEXT,
                is_upright: false,
            });
            free = end + half;
        }
    }
}

/// Draws a line with a head at a marked time; a thin one if there are several.
pub(super) fn draw_moment(
    x: f32,
    text: f32,
    (top, bottom): (f32, f32),
    is_one_of_several: bool,
    shapes: &mut Vec<Shape>,
) {
    let half = text * 0.42;
    let width = if is_one_of_several {
        1.0
    } else {
        (text / 8.0).max(1.2)
    };
    shapes.push(Shape::Line {
        points: vec![Vec2::new(x, top), Vec2::new(x, bottom)],
        color: MOMENT,
        width,
        dashes: &[],
    });
    let points = [
        Vec2::new(x - half, bottom + half * 1.5),
        Vec2::new(x + half, bottom + half * 1.5),
        Vec2::new(x, bottom),
    ];
    shapes.push(Shape::Area {
        points: points.to_vec(),
        color: MOMENT,
    });
}
