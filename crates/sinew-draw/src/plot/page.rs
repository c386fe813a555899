//! Several plots as one picture.

use super::bars::Bars;
use super::data::Plot;
use super::heat::HeatMap;
use super::lanes::Lanes;
use super::layout::{FAINT_TEXT, Sizes, TEXT, fit, lay_out_sized};
use super::shape::{Anchor, Shape};
use super::theme::Theme;
use super::{picture, svg};
use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;

/// Plots in rows below a title, with the same text size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotPage {
    /// The title; omitted if empty, like the subtitle.
    pub title: String,
    /// A smaller second line.
    pub subtitle: String,
    /// Rows from the top.
    pub rows: Vec<PageRow>,
}

/// Plots side by side, of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageRow {
    /// Height relative to the other rows; the row is omitted if it is not above 0.
    pub height: f32,
    /// Panels from the left.
    pub panels: Vec<Panel>,
}

/// A plot of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Curves.
    Plot(Plot),
    /// Bars.
    Bars(Bars),
    /// A heat map.
    Heat(HeatMap),
    /// Time ranges in lanes.
    Lanes(Lanes),
}

impl PlotPage {
    /// Returns the page as an SVG document for light pages, with a transparent background and no scripts, styles or
    /// external fonts.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::write(&self.lay_out(width, height), width, height)
    }

    /// Returns the page as a picture on white.
    pub fn to_image(&self, width: u32, height: u32) -> Image {
        picture::draw(&self.lay_out(width, height), width, height)
    }

    /// Like [`to_svg`](Self::to_svg), for light or dark pages.
    pub fn to_svg_on(&self, theme: Theme, width: u32, height: u32) -> String {
        let mut shapes = self.lay_out(width, height);
        theme.recolor(&mut shapes);
        svg::write(&shapes, width, height)
    }

    /// Like [`to_image`](Self::to_image), on a light or a dark page.
    pub fn to_image_on(&self, theme: Theme, width: u32, height: u32) -> Image {
        let mut shapes = self.lay_out(width, height);
        theme.recolor(&mut shapes);
        picture::draw_on(theme.background(), &shapes, width, height)
    }

    fn lay_out(&self, width: u32, height: u32) -> Vec<Shape> {
        let (Some(font), true) = (Font::builtin(), width > 0 && height > 0) else {
            return Vec::new();
        };
        let (width, height) = (width as f32, height as f32);
        let sizes = Sizes::of_text((width / 96.0).clamp(7.0, 22.0));
        let mut shapes = Vec::new();
        let mut top = sizes.gap;
        for (text, letters, color) in [
            (&self.title, sizes.title * 1.25, TEXT),
            (&self.subtitle, sizes.text, FAINT_TEXT),
        ] {
            if text.is_empty() {
                continue;
            }
            top += letters;
            shapes.push(Shape::Text {
                text: fit(&font, text, letters, width - 2.0 * sizes.gap),
                position: Vec2::new(width * 0.5, top),
                anchor: Anchor::Middle,
                size: letters,
                color,
                is_upright: false,
            });
            top += letters * 0.6;
        }
        let share = |row: &PageRow| {
            let counts = row.height > 0.0 && row.height.is_finite() && !row.panels.is_empty();
            if counts { row.height } else { 0.0 }
        };
        let shares: f32 = self.rows.iter().map(share).sum();
        let room = (height - top).max(1.0);
        for row in self.rows.iter().filter(|row| share(row) > 0.0) {
            let size = Vec2::new(
                (width / row.panels.len() as f32).max(1.0),
                (room * share(row) / shares).max(1.0),
            );
            for (column, panel) in row.panels.iter().enumerate() {
                let corner = Vec2::new(size.x * column as f32, top);
                let panel_shapes = match panel {
                    Panel::Plot(plot) => lay_out_sized(plot, &font, &sizes, size),
                    Panel::Bars(bars) => bars.lay_out(&font, &sizes, size),
                    Panel::Heat(map) => map.lay_out(&font, &sizes, size),
                    Panel::Lanes(lanes) => lanes.lay_out(&font, &sizes, size),
                };
                shapes.extend(
                    panel_shapes
                        .into_iter()
                        .map(|shape| shape.translate(corner)),
                );
            }
            top += size.y;
        }
        shapes
    }
}
