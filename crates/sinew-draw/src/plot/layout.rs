//! The layout of a plot.
//!
//! Input: a [`Plot`] and a size → output: shapes in pixels, back to front. Texts are measured in the built-in font;
//! another font of about the same width gives the same picture.

use super::axis::{Axis, x_range, y_range};
use super::data::Plot;
use super::legend::Legend;
use super::log;
use super::shape::{Anchor, Color, Shape, band_color, series_look};
use super::thin;
use super::ticks::Tick;
use crate::text::Font;
use sinew::glam::Vec2;

/// Colours of text, of the frame and of the grid.
pub(crate) const TEXT: Color = [31, 41, 55, 255];
pub(crate) const FAINT_TEXT: Color = [75, 85, 99, 255];
pub(crate) const FRAME: Color = [107, 114, 128, 255];
pub(crate) const GRID: Color = [229, 231, 235, 255];

/// Sizes derived from the size of the plot.
pub(crate) struct Sizes {
    /// Text size of labels, and of the title.
    pub(crate) text: f32,
    pub(crate) title: f32,
    /// Gap between elements, and line height.
    pub(crate) gap: f32,
    pub(crate) line: f32,
    /// Width of curves, and length of their samples in the legend.
    pub(crate) curve: f32,
    pub(crate) sample: f32,
    /// Height of a band's lane.
    lane: f32,
}

impl Sizes {
    fn new(width: f32, height: f32) -> Self {
        Self::of_text((width.min(height * 1.6) / 56.0).clamp(7.0, 22.0))
    }

    /// Derives sizes from the text size.
    pub(crate) fn of_text(text: f32) -> Self {
        Self {
            text,
            title: text * 1.3,
            gap: text * 0.75,
            line: text * 1.55,
            curve: (text / 7.5).max(1.0),
            sample: text * 1.8,
            lane: text * 0.55,
        }
    }

    /// Returns the vertical range below a title and above an axis with its label; never inverted, even in a tiny
    /// picture.
    pub(super) fn room(&self, title: &str, x_label: &str, height: f32) -> [f32; 2] {
        let some = |text: &str, room: f32| if text.is_empty() { 0.0 } else { room };
        let top = self.gap + some(title, self.title * 1.5);
        let bottom = height - self.gap - self.line - some(x_label, self.line);
        [top, bottom.max(top + 1.0)]
    }
}

/// Returns the shapes of a plot; empty for a picture without pixels.
pub(crate) fn lay_out(plot: &Plot, width: u32, height: u32) -> Vec<Shape> {
    let (Some(font), true) = (Font::builtin(), width > 0 && height > 0) else {
        return Vec::new();
    };
    let size = Vec2::new(width as f32, height as f32);
    lay_out_sized(plot, &font, &Sizes::new(size.x, size.y), size)
}

/// Returns the shapes of a plot of a size in pixels, above 0, with the given sizes of its elements.
pub(crate) fn lay_out_sized(plot: &Plot, font: &Font, sizes: &Sizes, size: Vec2) -> Vec<Shape> {
    // From here on all axes are linear: logarithmic axes hold logarithms, and only their ticks differ.
    let plot = &*log::even(plot);
    let legend = Legend::new(plot, font, sizes, size.x, size.y);
    let frame = PlotFrame::new(plot, font, sizes, &legend, size);
    let mut shapes = Vec::new();
    frame.shade(plot, sizes, &mut shapes);
    frame.grid(&mut shapes);
    frame.mark(plot, font, sizes, &mut shapes);
    frame.curves(plot, sizes, &mut shapes);
    frame.levels(plot, font, sizes, &mut shapes);
    frame.border(&mut shapes);
    frame.numbers(font, sizes, &mut shapes);
    frame.titles(plot, font, sizes, size, &mut shapes);
    let corner = if legend.beside > 0.0 {
        Vec2::new(frame.right + sizes.gap, frame.top)
    } else {
        Vec2::new(frame.left, frame.top - legend.above)
    };
    legend.draw(corner, font, sizes, &mut shapes);
    shapes
}

/// The rectangle of the curves.
struct PlotFrame {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    /// Bottom of the lanes of bands.
    lanes: f32,
    x: Axis,
    y: Axis,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

impl PlotFrame {
    fn new(plot: &Plot, font: &Font, sizes: &Sizes, legend: &Legend, size: Vec2) -> Self {
        let (x, y) = (x_range(plot), y_range(plot));
        let [top, bottom] = sizes.room(&plot.title, &plot.x_label, size.y);
        let top = top + legend.above;
        let bottom = bottom.max(top + 1.0);
        let lanes = top + sizes.lane * 1.4 * plot.bands.len().min(8) as f32;
        let lanes = lanes.min(bottom - 1.0).max(top);
        let wanted = ((bottom - lanes) / (sizes.text * 2.6)) as usize;
        let y_ticks = log::ticks_of(plot.y_scale, y, wanted.clamp(2, 12));
        let widths = y_ticks.iter().map(|t| font.width(&t.label, sizes.text));
        let numbers = widths.fold(0.0, f32::max);
        let label = if plot.y_label.is_empty() {
            0.0
        } else {
            sizes.line
        };
        let left = sizes.gap * 1.6 + numbers + label;
        let right = (size.x - sizes.gap * 1.6 - legend.beside).max(left + 1.0);
        let widest = font.width("0000.00", sizes.text);
        let wanted = ((right - left) / (widest * 1.2)) as usize;
        Self {
            left,
            right,
            top,
            bottom,
            lanes,
            x: Axis::between(x, left, right),
            y: Axis::between(y, bottom, lanes),
            x_ticks: log::ticks_of(plot.x_scale, x, wanted.clamp(2, 12)),
            y_ticks,
        }
    }

    /// Adds bands: faint over the whole height, strong in their lanes.
    fn shade(&self, plot: &Plot, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        for (i, band) in plot.bands.iter().enumerate() {
            let lane = self.top + sizes.lane * (0.3 + 1.4 * (i % 8) as f32);
            for &(a, b) in &band.spans {
                let ends = (self.x.pixel(a.min(b)) as f32, self.x.pixel(a.max(b)) as f32);
                let (from, to) = (ends.0.max(self.left), ends.1.min(self.right));
                // Comparisons with NaN are false.
                if !(a.is_finite() && b.is_finite() && from < to) {
                    continue;
                }
                let bar = |top: f32, bottom: f32, alpha: u8| Shape::Rect {
                    low: Vec2::new(from, top),
                    high: Vec2::new(to, bottom),
                    color: band_color(i, alpha),
                };
                shapes.push(bar(self.lanes, self.bottom, 18));
                shapes.push(bar(lane, (lane + sizes.lane).min(self.bottom), 150));
            }
        }
    }

    fn grid(&self, shapes: &mut Vec<Shape>) {
        let mut line = |from: Vec2, to: Vec2| {
            shapes.push(Shape::Line {
                points: vec![from, to],
                color: GRID,
                width: 1.0,
                dashes: &[],
            });
        };
        for tick in &self.x_ticks {
            let x = crisp(self.x.pixel(tick.value));
            line(Vec2::new(x, self.lanes), Vec2::new(x, self.bottom));
        }
        for tick in &self.y_ticks {
            let y = crisp(self.y.pixel(tick.value));
            line(Vec2::new(self.left, y), Vec2::new(self.right, y));
        }
    }

    fn mark(&self, plot: &Plot, font: &Font, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        for marker in &plot.markers {
            let x = crisp(self.x.pixel(marker.x));
            if !(x >= self.left && x <= self.right) {
                continue;
            }
            shapes.push(Shape::Line {
                points: vec![Vec2::new(x, self.lanes), Vec2::new(x, self.bottom)],
                color: FRAME,
                width: 1.0,
                dashes: &[3.0, 3.0],
            });
            // Upright beside its line, away from the middle of the curves.
            let room = (self.bottom - self.lanes) * 0.9;
            shapes.push(Shape::Text {
                text: fit(font, &marker.label, sizes.text * 0.9, room),
                position: Vec2::new(x - sizes.gap * 0.4, self.lanes + sizes.gap * 0.5),
                anchor: Anchor::End,
                size: sizes.text * 0.9,
                color: FAINT_TEXT,
                is_upright: true,
            });
        }
    }

    fn curves(&self, plot: &Plot, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        for (i, series) in plot.series.iter().enumerate() {
            let (color, dashes) = series_look(i);
            if plot.has_dots {
                self.dots(&series.points, sizes.curve * 1.8, color, shapes);
            }
            for points in thin::lines(&series.points, &self.x, &self.y) {
                shapes.push(match points.as_slice() {
                    [only] => Shape::Dot {
                        position: *only,
                        radius: sizes.curve * 1.1,
                        color,
                    },
                    _ => Shape::Line {
                        points,
                        color,
                        width: sizes.curve,
                        dashes,
                    },
                });
            }
        }
    }

    /// Adds a dot on every point within the frame, up to a legible number.
    fn dots(&self, points: &[(f64, f64)], radius: f32, color: Color, shapes: &mut Vec<Shape>) {
        /// More are a thick line, and slow to draw.
        const MAX_DOTS: usize = 200;
        let dots = points.iter().filter_map(|p| {
            let (x, y) = (self.x.pixel(p.0) as f32, self.y.pixel(p.1) as f32);
            let is_inside =
                (self.left..=self.right).contains(&x) && (self.lanes..=self.bottom).contains(&y);
            is_inside.then_some(Shape::Dot {
                position: Vec2::new(x, y),
                radius,
                color,
            })
        });
        shapes.extend(dots.take(MAX_DOTS));
    }

    fn levels(&self, plot: &Plot, font: &Font, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        for level in &plot.levels {
            let y = crisp(self.y.pixel(level.y));
            if !(y >= self.lanes && y <= self.bottom) {
                continue;
            }
            shapes.push(Shape::Line {
                points: vec![Vec2::new(self.left, y), Vec2::new(self.right, y)],
                color: TEXT,
                width: 1.0,
                dashes: &[6.0, 3.0],
            });
            // Below the line if there is no room above.
            let letters = sizes.text * 0.9;
            let above = y - sizes.gap * 0.4;
            let below = y + sizes.gap * 0.5 + font.cap_height(letters);
            let has_room = above - font.cap_height(letters) > self.lanes;
            shapes.push(Shape::Text {
                text: fit(font, &level.label, letters, self.right - self.left),
                position: Vec2::new(
                    self.right - sizes.gap * 0.4,
                    if has_room { above } else { below },
                ),
                anchor: Anchor::End,
                size: letters,
                color: TEXT,
                is_upright: false,
            });
        }
    }

    /// Adds the left and bottom lines.
    fn border(&self, shapes: &mut Vec<Shape>) {
        let (left, bottom) = (crisp(self.left.into()), crisp(self.bottom.into()));
        shapes.push(Shape::Line {
            points: vec![
                Vec2::new(left, self.top),
                Vec2::new(left, bottom),
                Vec2::new(self.right, bottom),
            ],
            color: FRAME,
            width: 1.0,
            dashes: &[],
        });
    }

    fn numbers(&self, font: &Font, sizes: &Sizes, shapes: &mut Vec<Shape>) {
        let text = |tick: &Tick, position: Vec2, anchor: Anchor| Shape::Text {
            text: tick.label.clone(),
            position,
            anchor,
            size: sizes.text,
            color: FAINT_TEXT,
            is_upright: false,
        };
        let half = font.cap_height(sizes.text) * 0.5;
        for tick in &self.x_ticks {
            let x = self.x.pixel(tick.value) as f32;
            let position = Vec2::new(x, self.bottom + sizes.gap * 0.6 + 2.0 * half);
            shapes.push(text(tick, position, Anchor::Middle));
        }
        for tick in &self.y_ticks {
            let y = self.y.pixel(tick.value) as f32;
            let position = Vec2::new(self.left - sizes.gap * 0.6, y + half);
            shapes.push(text(tick, position, Anchor::End));
        }
    }

    fn titles(&self, plot: &Plot, font: &Font, sizes: &Sizes, size: Vec2, shapes: &mut Vec<Shape>) {
        let mut text = |text: &str, position: Vec2, letters: f32, room: f32, is_upright: bool| {
            let text = fit(font, text, letters, room);
            if !text.is_empty() {
                shapes.push(Shape::Text {
                    text,
                    position,
                    anchor: Anchor::Middle,
                    size: letters,
                    color: TEXT,
                    is_upright,
                });
            }
        };
        let across = (self.left + self.right) * 0.5;
        let title = Vec2::new(across, sizes.gap + sizes.title * 0.9);
        let room = 2.0 * across.min(size.x - across);
        text(&plot.title, title, sizes.title, room, false);
        let below = Vec2::new(across, size.y - sizes.gap * 0.8);
        text(&plot.x_label, below, sizes.text, room, false);
        let beside = Vec2::new(
            sizes.gap * 0.5 + sizes.text,
            (self.lanes + self.bottom) * 0.5,
        );
        let room = 2.0 * beside.y.min(size.y - beside.y);
        text(&plot.y_label, beside, sizes.text, room, true);
    }
}

/// Returns the centre of the pixel of a position, where thin lines are sharp.
pub(crate) fn crisp(position: f64) -> f32 {
    (libm::floor(position) + 0.5) as f32
}

/// Truncates a text to fit, without control characters.
pub(crate) fn fit(font: &Font, text: &str, size: f32, room: f32) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    if font.width(&text, size) <= room {
        return text;
    }
    let mut short: Vec<char> = text.chars().collect();
    while short.pop().is_some() {
        let cut: String = short.iter().chain(&['…']).collect();
        if font.width(&cut, size) <= room {
            return cut;
        }
    }
    String::new()
}
