//! Results of several methods side by side, with a table below.
//!
//! Input: columns of pictures, rows of texts → output: one [`Image`] of the required size.

use crate::plot::Theme;
use crate::plot::layout::{FAINT_TEXT, GRID, Sizes, TEXT, crisp, fit};
use crate::plot::picture;
use crate::plot::shape::{Anchor, Shape};
use crate::sheet::{MAX_SHEET_PIXELS, SheetError};
use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;

/// Text size in pixels.
const LETTERS: f32 = 15.0;

/// The largest width of row names in pixels.
const WIDEST_NAMES: f32 = 220.0;

/// Pictures in columns, one per method, and a table below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The title; omitted if empty, like the subtitle.
    pub title: String,
    /// A smaller second line.
    pub subtitle: String,
    /// Columns from the left.
    pub columns: Vec<ComparisonColumn>,
    /// Rows below the pictures, from the top.
    pub rows: Vec<ComparisonRow>,
    /// A note below the rows.
    pub note: String,
}

/// The results of one method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonColumn {
    /// Title above its pictures.
    pub title: String,
    /// Pictures from the top.
    pub pictures: Vec<Image>,
}

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonRow {
    /// Name at its left.
    pub name: String,
    /// One for each column.
    pub cells: Vec<String>,
    /// Whether it is emphasized.
    pub is_strong: bool,
}

impl Comparison {
    /// Draws the comparison.
    ///
    /// # Errors
    /// If it would have more than [`MAX_SHEET_PIXELS`], or is empty.
    pub fn to_image(&self, theme: Theme) -> Result<Image, SheetError> {
        let font = Font::builtin().ok_or(SheetError::NoPictures)?;
        let layout = Layout::new(self, &font)?;
        let mut shapes = layout.shapes(self, &font);
        theme.recolor(&mut shapes);
        let (width, height) = layout.size;
        Ok(picture::draw_on(theme.background(), &shapes, width, height))
    }
}

struct Layout {
    sizes: Sizes,
    /// Left edge of the first column.
    left: f32,
    /// Width of a column without the gap after it.
    column: f32,
    /// Height of each row of pictures.
    heights: Vec<f32>,
    top: f32,
    size: (u32, u32),
}

impl Layout {
    fn new(of: &Comparison, font: &Font) -> Result<Self, SheetError> {
        let sizes = Sizes::of_text(LETTERS);
        let pictures = || of.columns.iter().flat_map(|column| &column.pictures);
        let column = pictures()
            .map(Image::width)
            .max()
            .ok_or(SheetError::NoPictures)? as f32;
        let rows = of.columns.iter().map(|column| column.pictures.len()).max();
        let heights = (0..rows.unwrap_or(0)).map(|row| {
            let pictures = of
                .columns
                .iter()
                .filter_map(|column| column.pictures.get(row));
            pictures.map(Image::height).max().unwrap_or(0) as f32
        });
        let heights: Vec<f32> = heights.collect();
        let names = of.rows.iter().map(|row| font.width(&row.name, sizes.text));
        let names = names.fold(0.0, f32::max).min(WIDEST_NAMES);
        let left = sizes.gap * 2.0 + if names > 0.0 { names + sizes.gap } else { 0.0 };
        let some = |text: &str, room: f32| if text.is_empty() { 0.0 } else { room };
        let top = sizes.gap
            + some(&of.title, sizes.title * 1.9)
            + some(&of.subtitle, sizes.line * 1.2)
            + sizes.line * 1.4;
        let below = of.rows.len() as f32 * sizes.line + some(&of.note, sizes.line * 1.3);
        let pictures: f32 = heights.iter().map(|height| height + sizes.gap).sum();
        let width = left + of.columns.len() as f32 * (column + sizes.gap) + sizes.gap;
        let height = top + pictures + below + sizes.gap * 2.0;
        let too_large = f64::from(width) * f64::from(height) > MAX_SHEET_PIXELS as f64;
        let size = (libm::ceilf(width) as u32, libm::ceilf(height) as u32);
        if too_large {
            return Err(SheetError::TooLarge {
                width: size.0.into(),
                height: size.1.into(),
            });
        }
        Ok(Self {
            sizes,
            left,
            column,
            heights,
            top,
            size,
        })
    }

    fn shapes(&self, of: &Comparison, font: &Font) -> Vec<Shape> {
        let sizes = &self.sizes;
        let mut shapes = Vec::new();
        let mut text = |text: &str, position: Vec2, anchor: Anchor, size: f32, room: f32, color| {
            shapes.push(Shape::Text {
                text: fit(font, text, size, room),
                position,
                anchor,
                size,
                color,
                is_upright: false,
            });
        };
        let width = self.size.0 as f32;
        let room = width - 4.0 * sizes.gap;
        let start = sizes.gap * 2.0;
        let mut y = sizes.gap;
        if !of.title.is_empty() {
            y += sizes.title * 1.3;
            text(
                &of.title,
                Vec2::new(start, y),
                Anchor::Start,
                sizes.title * 1.2,
                room,
                TEXT,
            );
            y += sizes.title * 0.6;
        }
        if !of.subtitle.is_empty() {
            let position = Vec2::new(start, y + sizes.text);
            text(
                &of.subtitle,
                position,
                Anchor::Start,
                sizes.text,
                room,
                FAINT_TEXT,
            );
        }
        let middle = |column: usize| {
            self.left + column as f32 * (self.column + sizes.gap) + self.column * 0.5
        };
        for (index, column) in of.columns.iter().enumerate() {
            let position = Vec2::new(middle(index), self.top - sizes.line * 0.4);
            text(
                &column.title,
                position,
                Anchor::Middle,
                sizes.title,
                self.column,
                TEXT,
            );
        }
        let pictures: f32 = self.heights.iter().map(|height| height + sizes.gap).sum();
        let mut y = self.top + pictures;
        let lines = y;
        for row in &of.rows {
            let color = if row.is_strong { TEXT } else { FAINT_TEXT };
            let position = |x: f32| Vec2::new(x, y + sizes.text * 1.15);
            let names = self.left - 3.0 * sizes.gap;
            text(
                &row.name,
                position(start),
                Anchor::Start,
                sizes.text,
                names.max(0.0),
                color,
            );
            for (column, cell) in row.cells.iter().enumerate().take(of.columns.len()) {
                text(
                    cell,
                    position(middle(column)),
                    Anchor::Middle,
                    sizes.text,
                    self.column,
                    color,
                );
            }
            y += sizes.line;
        }
        if !of.note.is_empty() {
            let position = Vec2::new(start, y + sizes.text * 1.4);
            text(
                &of.note,
                position,
                Anchor::Start,
                sizes.text * 0.9,
                room,
                FAINT_TEXT,
            );
        }
        for row in 0..of.rows.len() {
            let y = crisp(f64::from(lines + row as f32 * sizes.line));
            shapes.push(Shape::Line {
                points: vec![Vec2::new(start, y), Vec2::new(width - start, y)],
                color: GRID,
                width: 1.0,
                dashes: &[],
            });
        }
        for (index, column) in of.columns.iter().enumerate() {
            let mut y = self.top;
            for (image, height) in column.pictures.iter().zip(&self.heights) {
                // On whole pixels, so that pictures stay unchanged.
                let size = Vec2::new(image.width() as f32, image.height() as f32);
                let x = libm::roundf(middle(index) - size.x * 0.5);
                let low = Vec2::new(x, libm::roundf(y + (height - size.y) * 0.5));
                shapes.push(Shape::Picture {
                    low,
                    high: low + size,
                    image: image.clone(),
                });
                y += height + sizes.gap;
            }
        }
        shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_compare_is_refused() {
        let empty = Comparison::default();
        assert_eq!(empty.to_image(Theme::Light), Err(SheetError::NoPictures));
    }

    #[test]
    fn pictures_are_as_they_were_drawn() {
        let red = Image::from_pixels(30, 20, [255, 0, 0, 255].repeat(600)).expect("the size fits");
        let column = |title: &str| ComparisonColumn {
            title: title.into(),
            pictures: vec![red.clone(), red.clone()],
        };
        let both = Comparison {
            title: "a title".into(),
            columns: vec![column("one"), column("other")],
            rows: vec![ComparisonRow {
                name: "row".into(),
                cells: vec!["1".into(), "2".into(), "beyond".into()],
                is_strong: true,
            }],
            ..Comparison::default()
        };
        for theme in [Theme::Light, Theme::Dark] {
            let image = both.to_image(theme).expect("it is small");
            let is_red = |pixel: &&[u8]| **pixel == [255, 0, 0, 255];
            let count = image.pixels().chunks_exact(4).filter(is_red).count();
            assert_eq!(count, 4 * 600);
            assert_eq!(image.pixel(0, 0), theme.background());
        }
    }
}
