//! The legend: beside the frame if it fits, otherwise above it.

use super::data::Plot;
use super::layout::{Sizes, TEXT, fit};
use super::shape::{Anchor, Shape, band_color, series_look};
use crate::text::Font;
use sinew::glam::Vec2;

/// The largest number of characters of a name.
const MOST_CHARS: usize = 28;

/// The largest width of a legend beside the frame, as a fraction of the picture.
const WIDEST: f32 = 0.3;

enum Key {
    Series(usize),
    Band(usize),
    /// The number of entries that do not fit.
    More,
}

struct Entry {
    key: Key,
    name: String,
}

/// The smallest text of a legend with many names, relative to the usual size.
const SMALLEST: f32 = 0.72;

/// A legend, laid out relative to the frame's corner.
pub(crate) struct Legend {
    entries: Vec<Entry>,
    /// Width of an entry with its sample and the following space.
    cell: f32,
    columns: usize,
    /// Text size relative to other text.
    scale: f32,
    /// Pixels taken from the right and from the top of the frame.
    pub(crate) beside: f32,
    pub(crate) above: f32,
}

impl Legend {
    pub(crate) fn new(plot: &Plot, font: &Font, sizes: &Sizes, width: f32, height: f32) -> Self {
        let series = plot.series.iter().enumerate();
        let series = series.map(|(i, s)| (Key::Series(i), &s.name));
        let bands = plot
            .bands
            .iter()
            .enumerate()
            .map(|(i, b)| (Key::Band(i), &b.name));
        let named = series.chain(bands).filter(|(_, name)| !name.is_empty());
        let mut entries: Vec<Entry> = named
            .map(|(key, name)| Entry {
                key,
                name: shorten(name),
            })
            .collect();
        let none = Self {
            entries: Vec::new(),
            cell: 0.0,
            columns: 1,
            scale: 1.0,
            beside: 0.0,
            above: 0.0,
        };
        let widths = entries.iter().map(|e| font.width(&e.name, sizes.text));
        let Some(widest) = widths.reduce(f32::max) else {
            return none;
        };
        let cell = widest + sizes.sample + sizes.gap * 2.5;
        let is_beside = cell < width * WIDEST;
        let room = height * 0.8 / sizes.line;
        let scale = if is_beside {
            (room / entries.len() as f32).clamp(SMALLEST, 1.0)
        } else {
            1.0
        };
        let cell = cell * scale;
        let (columns, rows) = if is_beside {
            (1, (room / scale) as usize)
        } else {
            let columns = ((width - sizes.gap) / cell).max(1.0) as usize;
            (columns, (height * 0.25 / sizes.line) as usize)
        };
        if rows == 0 {
            return none;
        }
        let room = columns * rows;
        if entries.len() > room {
            let left_out = entries.len() - (room - 1);
            entries.truncate(room - 1);
            entries.push(Entry {
                key: Key::More,
                name: format!("+ {left_out} more"),
            });
        }
        let lines = entries.len().div_ceil(columns) as f32 * sizes.line + sizes.gap * 0.5;
        Self {
            entries,
            cell,
            columns,
            scale,
            beside: if is_beside { cell } else { 0.0 },
            above: if is_beside { 0.0 } else { lines },
        }
    }

    /// Draws the legend; `corner` is the start of its first line.
    pub(crate) fn draw(&self, corner: Vec2, font: &Font, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        let text = sizes.text * self.scale;
        let (line, sample) = (sizes.line * self.scale, sizes.sample * self.scale);
        for (i, entry) in self.entries.iter().enumerate() {
            let cell = Vec2::new(
                (i % self.columns) as f32 * self.cell,
                (i / self.columns) as f32 * line,
            );
            let position = corner + cell + Vec2::new(0.0, line * 0.5);
            let end = position + Vec2::new(sample, 0.0);
            match entry.key {
                Key::Series(index) => {
                    let (color, dashes) = series_look(index);
                    shapes.push(Shape::Line {
                        points: vec![position, end],
                        color,
                        width: sizes.curve * 1.25,
                        dashes,
                    });
                }
                Key::Band(index) => shapes.push(Shape::Rect {
                    low: position - Vec2::new(0.0, text * 0.3),
                    high: end + Vec2::new(0.0, text * 0.3),
                    color: band_color(index, 150),
                }),
                Key::More => {}
            }
            shapes.push(Shape::Text {
                text: fit(font, &entry.name, text, self.cell),
                position: end + Vec2::new(sizes.gap * 0.75, font.cap_height(text) * 0.5),
                anchor: Anchor::Start,
                size: text,
                color: TEXT,
                is_upright: false,
            });
        }
    }
}

fn shorten(name: &str) -> String {
    let mut chars = name.chars().filter(|c| !c.is_control());
    let mut short: String = chars.by_ref().take(MOST_CHARS).collect();
    if chars.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}
