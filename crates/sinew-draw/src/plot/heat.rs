//! Heat maps.

use super::axis::{Axis, plottable};
use super::layout::{FAINT_TEXT, FRAME, Sizes, TEXT, crisp, fit};
use super::scale_colors::scale_color;
use super::shape::{Anchor, Color, Shape};
use super::thin;
use super::ticks::{Tick, ticks};
use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;

/// The largest number of cells per side: about the available pixels.
const MOST_CELLS: usize = 640;

/// Colours of lines on a map: distinct from every colour of the scale, with dark edges.
const LINES: [Color; 3] = [
    [255, 255, 255, 255],
    [255, 120, 60, 255],
    [120, 220, 255, 255],
];

/// Colour of the edges of lines.
pub(super) const HALO: Color = [10, 10, 20, 190];

/// Colour of cells without a number.
const NO_NUMBER: [u8; 4] = [128, 128, 128, 70];

/// The largest aspect ratio at which both axes are drawn to the same scale.
const MOST_STRETCH: f32 = 3.0;

/// A grid of numbers as colours, with a colour bar and lines over it. Every list may be empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Title above the map; omitted if empty, like the labels.
    pub title: String,
    /// Label below, with its unit.
    pub x_label: String,
    /// Label at the left, with its unit.
    pub y_label: String,
    /// Label beside the colour bar, with its unit.
    pub scale_label: String,
    /// Cells per row.
    pub columns: usize,
    /// Values row by row, the lowest row first. Non-finite values have no colour. An incomplete last row is ignored.
    pub cells: Vec<f32>,
    /// Values at the left edge of the first column and the right edge of the last one.
    pub x_range: (f64, f64),
    /// Values at the lower edge of the first row and the upper edge of the last one.
    pub y_range: (f64, f64),
    /// Values at the ends of the colour scale; `None` is from the smallest to the largest.
    pub scale_range: Option<(f64, f64)>,
    /// Values marked at the colour bar.
    pub levels: Vec<super::Level>,
    /// Lines, in drawing order.
    pub lines: Vec<HeatLine>,
}

/// A line over a [`HeatMap`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatLine {
    /// Name in the legend; if empty, the line is not listed.
    pub name: String,
    /// x and y. A point that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// Whether it is dashed.
    pub is_dashed: bool,
}

impl HeatMap {
    /// Fills the cells from a grid of any size, averaging cells if there are too many. `cell` returns the value at a
    /// row and a column.
    pub fn fill(&mut self, rows: usize, columns: usize, cell: impl Fn(usize, usize) -> f32) {
        let (down, across) = (
            rows.div_ceil(MOST_CELLS).max(1),
            columns.div_ceil(MOST_CELLS).max(1),
        );
        self.columns = columns.div_ceil(across);
        self.cells.clear();
        for row in (0..rows).step_by(down) {
            for column in (0..columns).step_by(across) {
                let (mut sum, mut count) = (0.0f64, 0u32);
                for y in row..(row + down).min(rows) {
                    for x in column..(column + across).min(columns) {
                        let number = cell(y, x);
                        if number.is_finite() {
                            sum += f64::from(number);
                            count += 1;
                        }
                    }
                }
                let mean = if count > 0 {
                    sum / f64::from(count)
                } else {
                    f64::NAN
                };
                self.cells.push(mean as f32);
            }
        }
    }

    /// Returns the values at the ends of the colour scale, which differ.
    fn scale(&self) -> (f64, f64) {
        let given = self
            .scale_range
            .filter(|r| plottable(r.0) && plottable(r.1));
        let (low, high) = given.unwrap_or_else(|| {
            let numbers = self.cells.iter().map(|n| f64::from(*n));
            let numbers = numbers.filter(|number| plottable(*number));
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
                (low.min(number), high.max(number))
            })
        });
        if low < high {
            (low, high)
        } else if low.is_finite() {
            (low, low + 1.0)
        } else {
            (0.0, 1.0)
        }
    }

    fn picture(&self, (low, high): (f64, f64)) -> Option<Image> {
        let rows = self.cells.len().checked_div(self.columns)?;
        let (width, height) = (self.columns.try_into().ok()?, rows.try_into().ok()?);
        let mut pixels = Vec::with_capacity(rows.checked_mul(self.columns)?.checked_mul(4)?);
        for row in self.cells.chunks_exact(self.columns).rev() {
            for number in row {
                let number = f64::from(*number);
                pixels.extend(match plottable(number) {
                    true => {
                        let [r, g, b] = scale_color((number - low) / (high - low));
                        [r, g, b, 255]
                    }
                    false => NO_NUMBER,
                });
            }
        }
        Image::from_pixels(width, height, pixels).filter(|_| rows > 0)
    }

    pub(super) fn lay_out(&self, font: &Font, sizes: &Sizes, size: Vec2) -> Vec<Shape> {
        let scale = self.scale();
        let frame = HeatFrame::new(self, font, sizes, scale, size);
        let mut shapes = Vec::new();
        if let Some(image) = self.picture(scale) {
            shapes.push(Shape::Picture {
                low: Vec2::new(frame.left, frame.top),
                high: Vec2::new(frame.right, frame.bottom),
                image,
            });
        }
        frame.border(&mut shapes);
        frame.lines(self, sizes, &mut shapes);
        frame.numbers(font, sizes, &mut shapes);
        frame.bar(self, font, sizes, scale, &mut shapes);
        frame.titles(self, font, sizes, size, &mut shapes);
        shapes
    }
}

fn line_color(index: usize) -> Color {
    LINES[index % LINES.len()]
}

fn dashes(line: &HeatLine) -> &'static [f32] {
    if line.is_dashed { &[5.0, 4.0] } else { &[] }
}

/// The rectangle of the map, with its axes.
struct HeatFrame {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    x: Axis,
    y: Axis,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    scale_ticks: Vec<Tick>,
}

impl HeatFrame {
    fn new(map: &HeatMap, font: &Font, sizes: &Sizes, scale: (f64, f64), size: Vec2) -> Self {
        let sound = |(from, to): (f64, f64)| {
            let is_sound = plottable(from) && plottable(to) && from < to;
            if is_sound { (from, to) } else { (0.0, 1.0) }
        };
        let (x, y) = (sound(map.x_range), sound(map.y_range));
        let some = |is_there: bool, room: f32| if is_there { room } else { 0.0 };
        let has_names = map.lines.iter().any(|line| !line.name.is_empty());
        let [top, bottom] = sizes.room(&map.title, &map.x_label, size.y);
        let top = top + some(has_names, sizes.line);
        let mut bottom = bottom.max(top + 1.0);
        let wanted = ((bottom - top) / (sizes.text * 2.6)) as usize;
        let wanted = wanted.clamp(2, 12);
        let (y_ticks, scale_ticks) = (ticks(y.0, y.1, wanted), ticks(scale.0, scale.1, wanted));
        let widest = |all: &[Tick]| {
            let widths = all.iter().map(|tick| font.width(&tick.label, sizes.text));
            widths.fold(0.0, f32::max)
        };
        let left = sizes.gap * 1.6 + widest(&y_ticks) + some(!map.y_label.is_empty(), sizes.line);
        let bar = sizes.gap * 3.4
            + sizes.text
            + widest(&scale_ticks)
            + some(!map.scale_label.is_empty(), sizes.line);
        let mut right = (size.x - bar).max(left + 1.0);
        // Equal scales, where equal speed is a diagonal of 45°, unless the map gets too narrow.
        let shape = ((x.1 - x.0) / (y.1 - y.0)) as f32;
        if (1.0 / MOST_STRETCH..=MOST_STRETCH).contains(&shape) {
            let (wide, high) = (right - left, bottom - top);
            if wide > high * shape {
                right = left + high * shape;
            } else {
                bottom = top + wide / shape;
            }
        }
        let widest = font.width("0000.00", sizes.text);
        let wanted = ((right - left) / (widest * 1.2)) as usize;
        Self {
            left,
            right,
            top,
            bottom,
            x: Axis::between(x, left, right),
            y: Axis::between(y, bottom, top),
            x_ticks: ticks(x.0, x.1, wanted.clamp(2, 12)),
            y_ticks,
            scale_ticks,
        }
    }

    fn border(&self, shapes: &mut Vec<Shape>) {
        let (left, right) = (crisp(self.left.into()), crisp(self.right.into()));
        let (top, bottom) = (crisp(self.top.into()), crisp(self.bottom.into()));
        shapes.push(Shape::Line {
            points: vec![
                Vec2::new(left, top),
                Vec2::new(left, bottom),
                Vec2::new(right, bottom),
                Vec2::new(right, top),
                Vec2::new(left, top),
            ],
            color: FRAME,
            width: 1.0,
            dashes: &[],
        });
    }

    fn lines(&self, map: &HeatMap, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        for (index, line) in map.lines.iter().enumerate() {
            for points in thin::lines(&line.points, &self.x, &self.y) {
                if points.len() < 2 {
                    continue;
                }
                draw_line(points, index, dashes(line), sizes.curve * 1.2, shapes);
            }
        }
    }

    fn numbers(&self, font: &Font, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        let half = font.cap_height(sizes.text) * 0.5;
        for tick in &self.x_ticks {
            let x = self.x.pixel(tick.value) as f32;
            let position = Vec2::new(x, self.bottom + sizes.gap * 0.6 + 2.0 * half);
            shapes.push(Shape::text(
                &tick.label,
                position,
                Anchor::Middle,
                sizes.text,
                FAINT_TEXT,
            ));
        }
        for tick in &self.y_ticks {
            let y = self.y.pixel(tick.value) as f32;
            let position = Vec2::new(self.left - sizes.gap * 0.6, y + half);
            shapes.push(Shape::text(
                &tick.label,
                position,
                Anchor::End,
                sizes.text,
                FAINT_TEXT,
            ));
        }
    }

    /// Adds the colour bar with its numbers.
    fn bar(
        &self,
        map: &HeatMap,
        font: &Font,
        sizes: &Sizes,
        (low, high): (f64, f64),
        shapes: &mut Vec<Shape>,
    ) {
        const STEPS: u32 = 128;
        let colors = (0..STEPS).rev().flat_map(|step| {
            let [r, g, b] = scale_color(f64::from(step) / f64::from(STEPS - 1));
            [r, g, b, 255]
        });
        let (left, right) = (self.right + sizes.gap, self.right + sizes.gap + sizes.text);
        if let Some(image) = Image::from_pixels(1, STEPS, colors.collect::<Vec<u8>>()) {
            shapes.push(Shape::Picture {
                low: Vec2::new(left, self.top),
                high: Vec2::new(right, self.bottom),
                image,
            });
        }
        let axis = Axis {
            low,
            high,
            from: f64::from(self.bottom),
            to: f64::from(self.top),
        };
        let half = font.cap_height(sizes.text) * 0.5;
        let mut widest = 0.0f32;
        for tick in &self.scale_ticks {
            let y = axis.pixel(tick.value) as f32;
            widest = widest.max(font.width(&tick.label, sizes.text));
            let position = Vec2::new(right + sizes.gap * 0.5, y + half);
            shapes.push(Shape::text(
                &tick.label,
                position,
                Anchor::Start,
                sizes.text,
                FAINT_TEXT,
            ));
        }
        for level in map
            .levels
            .iter()
            .filter(|level| (low..=high).contains(&level.y))
        {
            let y = crisp(axis.pixel(level.y));
            let points = vec![
                Vec2::new(left - sizes.gap * 0.4, y),
                Vec2::new(right + sizes.gap * 0.4, y),
            ];
            for (color, width) in [(HALO, sizes.curve * 2.4), (LINES[0], sizes.curve)] {
                shapes.push(Shape::Line {
                    points: points.clone(),
                    color,
                    width,
                    dashes: &[],
                });
            }
        }
        let mut label = map.scale_label.clone();
        for level in map.levels.iter().filter(|level| !level.label.is_empty()) {
            label = format!("{label}; {}", level.label);
        }
        let position = Vec2::new(
            right + sizes.gap * 1.2 + widest + sizes.text,
            (self.top + self.bottom) * 0.5,
        );
        shapes.push(Shape::Text {
            text: fit(font, &label, sizes.text, self.bottom - self.top),
            position,
            anchor: Anchor::Middle,
            size: sizes.text,
            color: TEXT,
            is_upright: true,
        });
    }

    fn titles(
        &self,
        map: &HeatMap,
        font: &Font,
        sizes: &Sizes,
        size: Vec2,
        shapes: &mut Vec<Shape>,
    ) {
        let across = (self.left + self.right) * 0.5;
        let room = 2.0 * across.min(size.x - across);
        let title = fit(font, &map.title, sizes.title, room);
        let position = Vec2::new(across, sizes.gap + sizes.title * 0.9);
        shapes.push(Shape::text(
            &title,
            position,
            Anchor::Middle,
            sizes.title,
            TEXT,
        ));
        let below = self.bottom + sizes.gap * 0.6 + sizes.line + font.cap_height(sizes.text);
        let label = fit(font, &map.x_label, sizes.text, room);
        shapes.push(Shape::text(
            &label,
            Vec2::new(across, below),
            Anchor::Middle,
            sizes.text,
            TEXT,
        ));
        let beside = Vec2::new(sizes.gap * 0.5 + sizes.text, (self.top + self.bottom) * 0.5);
        shapes.push(Shape::Text {
            text: fit(font, &map.y_label, sizes.text, self.bottom - self.top),
            position: beside,
            anchor: Anchor::Middle,
            size: sizes.text,
            color: TEXT,
            is_upright: true,
        });
        // The names of lines, above the map.
        let (mut x, y) = (self.left, self.top - sizes.line * 0.5);
        for (index, line) in map.lines.iter().enumerate() {
            if line.name.is_empty() {
                continue;
            }
            let end = x + sizes.sample;
            let sample = vec![Vec2::new(x, y), Vec2::new(end, y)];
            draw_line(sample, index, dashes(line), sizes.curve * 1.2, shapes);
            let room = (size.x - end - sizes.gap).max(0.0);
            let name = fit(font, &line.name, sizes.text, room);
            let position = Vec2::new(
                end + sizes.gap * 0.75,
                y + font.cap_height(sizes.text) * 0.5,
            );
            x = position.x + font.width(&name, sizes.text) + sizes.gap * 2.0;
            shapes.push(Shape::text(
                &name,
                position,
                Anchor::Start,
                sizes.text,
                TEXT,
            ));
        }
    }
}

/// Adds a line with its dark edge.
fn draw_line(
    points: Vec<Vec2>,
    index: usize,
    dashes: &'static [f32],
    width: f32,
    shapes: &mut Vec<Shape>,
) {
    shapes.push(Shape::Line {
        points: points.clone(),
        color: HALO,
        width: width * 2.4,
        dashes: &[],
    });
    shapes.push(Shape::Line {
        points,
        color: line_color(index),
        width,
        dashes,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_are_too_many_are_means() {
        let mut map = HeatMap::default();
        let count = MOST_CELLS * 2;
        map.fill(count, 3, |row, _| (row % 2) as f32);
        assert_eq!((map.columns, map.cells.len()), (3, MOST_CELLS * 3));
        assert!(map.cells.iter().all(|cell| *cell == 0.5));
        map.fill(
            2,
            2,
            |row, column| if row == 1 { f32::NAN } else { column as f32 },
        );
        assert_eq!(map.cells[..2], [0.0, 1.0]);
        assert!(map.cells[2].is_nan());
        map.fill(0, 0, |_, _| 0.0);
        assert!(map.cells.is_empty());
    }

    #[test]
    fn scales_have_two_ends_whatever_is_shown() {
        let scale = |cells: &[f32]| {
            let map = HeatMap {
                columns: 1,
                cells: cells.to_vec(),
                ..HeatMap::default()
            };
            map.scale()
        };
        assert_eq!(scale(&[]), (0.0, 1.0));
        assert_eq!(scale(&[f32::NAN, f32::INFINITY]), (0.0, 1.0));
        assert_eq!(scale(&[2.0, 2.0]), (2.0, 3.0));
        assert_eq!(scale(&[-1.0, f32::NAN, 4.0]), (-1.0, 4.0));
    }

    #[test]
    fn the_first_row_is_at_the_bottom() {
        let map = HeatMap {
            columns: 2,
            cells: vec![0.0, 1.0, f32::NAN, 0.5],
            ..HeatMap::default()
        };
        let image = map.picture(map.scale()).expect("there are cells");
        let color = |share| {
            let [r, g, b] = scale_color(share);
            [r, g, b, 255]
        };
        assert_eq!(image.pixel(0, 1), color(0.0));
        assert_eq!(image.pixel(1, 1), color(1.0));
        assert_eq!(image.pixel(0, 0), NO_NUMBER);
        assert_eq!(image.pixel(1, 0), color(0.5));
    }
}
