//! Contact sheets.
//!
//! Input: pictures → output: one [`Image`] with them in a grid, row by row, each centred in its cell, optionally
//! numbered.

use crate::layer::ShapeLayer;
use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;

/// The largest number of pixels of a sheet: 2²⁶ are 8192 × 8192 and take a quarter of a gigabyte.
pub const MAX_SHEET_PIXELS: u64 = 1 << 26;

/// The layout of a contact sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetSettings {
    /// Pictures per row; 0 makes the sheet about square.
    pub columns: usize,
    /// Pixels between pictures and around them.
    pub gap: u32,
    /// Colour of gaps and behind the pictures, straight alpha.
    pub background: [u8; 4],
    /// Number of the first picture; `None` omits numbers.
    pub first_label: Option<u64>,
    /// Colour of the numbers.
    pub label_color: [u8; 4],
    /// Text size of the numbers in pixels.
    pub label_size: f32,
}

impl Default for SheetSettings {
    fn default() -> Self {
        Self {
            columns: 0,
            gap: 8,
            background: [255; 4],
            first_label: None,
            label_color: [255, 255, 255, 255],
            label_size: 12.0,
        }
    }
}

/// An error of creating a contact sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// There are no pictures.
    #[error("a contact sheet needs at least one picture")]
    NoPictures,
    /// The sheet would have more than [`MAX_SHEET_PIXELS`].
    #[error("the sheet would be {width} × {height} pixels, more than {MAX_SHEET_PIXELS} in all")]
    TooLarge {
        /// Required width.
        width: u64,
        /// Required height.
        height: u64,
    },
}

/// Arranges pictures in a grid; a cell has the largest width and height of them.
///
/// # Errors
/// See [`SheetError`].
pub fn contact_sheet(pictures: &[Image], settings: &SheetSettings) -> Result<Image, SheetError> {
    let grid = Grid::new(pictures, settings)?;
    let mut sheet = Image::new(grid.width, grid.height);
    sheet
        .pixels_mut()
        .chunks_exact_mut(4)
        .for_each(|p| p.copy_from_slice(&settings.background));
    for (i, picture) in pictures.iter().enumerate() {
        let (x, y) = grid.corner(i);
        let x = x + (grid.cell.0 - picture.width()) / 2;
        let y = y + (grid.cell.1 - picture.height()) / 2;
        paste(&mut sheet, picture, x, y);
    }
    if let (Some(first), Some(font)) = (settings.first_label, Font::builtin()) {
        draw_labels(&mut sheet, &grid, first, &font, settings);
    }
    Ok(sheet)
}

struct Grid {
    count: usize,
    columns: usize,
    gap: u32,
    cell: (u32, u32),
    width: u32,
    height: u32,
}

impl Grid {
    fn new(pictures: &[Image], settings: &SheetSettings) -> Result<Self, SheetError> {
        let count = pictures.len();
        let widest = pictures
            .iter()
            .map(Image::width)
            .max()
            .ok_or(SheetError::NoPictures)?;
        let highest = pictures.iter().map(Image::height).max().unwrap_or(0);
        let columns = if settings.columns > 0 {
            settings.columns.min(count)
        } else {
            square_columns(count, widest, highest)
        };
        let side = |cells: usize, cell: u32| {
            let (cells, gap) = (cells as u64, u64::from(settings.gap));
            cells
                .saturating_mul(u64::from(cell) + gap)
                .saturating_add(gap)
        };
        let (width, height) = (
            side(columns, widest),
            side(count.div_ceil(columns), highest),
        );
        let too_large = SheetError::TooLarge { width, height };
        if width.saturating_mul(height) > MAX_SHEET_PIXELS {
            return Err(too_large);
        }
        let pixels = |side: u64| u32::try_from(side).map_err(|_| too_large);
        Ok(Self {
            count,
            columns,
            gap: settings.gap,
            cell: (widest, highest),
            width: pixels(width)?,
            height: pixels(height)?,
        })
    }

    /// Returns the top left corner of a cell.
    fn corner(&self, i: usize) -> (u32, u32) {
        let offset = |cell: usize, side: u32| self.gap + cell as u32 * (side + self.gap);
        (
            offset(i % self.columns, self.cell.0),
            offset(i / self.columns, self.cell.1),
        )
    }
}

/// Returns the number of columns that makes a sheet of such cells about square.
fn square_columns(count: usize, width: u32, height: u32) -> usize {
    let ratio = f64::from(height.max(1)) / f64::from(width.max(1));
    let columns = libm::ceil(libm::sqrt(count as f64 * ratio)) as usize;
    columns.clamp(1, count)
}

/// Blends a picture over the sheet; the caller ensures that it fits.
fn paste(sheet: &mut Image, picture: &Image, x: u32, y: u32) {
    let (sheet_width, width) = (sheet.width() as usize, picture.width() as usize);
    if width == 0 {
        return;
    }
    for (row, above) in picture.pixels().chunks_exact(width * 4).enumerate() {
        let start = ((y as usize + row) * sheet_width + x as usize) * 4;
        let below = &mut sheet.pixels_mut()[start..start + width * 4];
        for (below, above) in below.chunks_exact_mut(4).zip(above.chunks_exact(4)) {
            let mixed = crate::layer::straight_over(
                [above[0], above[1], above[2], above[3]],
                [below[0], below[1], below[2], below[3]],
            );
            below.copy_from_slice(&mixed);
        }
    }
}

fn draw_labels(sheet: &mut Image, grid: &Grid, first: u64, font: &Font, settings: &SheetSettings) {
    let Some(mut layer) = ShapeLayer::for_image(sheet) else {
        return;
    };
    let size = settings.label_size.clamp(0.0, 500.0);
    for i in 0..grid.count {
        let (x, y) = grid.corner(i);
        let inset = size * 0.4;
        let position = Vec2::new(x as f32 + inset, y as f32 + inset + font.cap_height(size));
        if ShapeLayer::reaches(position) {
            let label = first.saturating_add(i as u64).to_string();
            layer.text(font, &label, position, size, settings.label_color);
        }
    }
    layer.composite(sheet);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: u32, height: u32, color: [u8; 4]) -> Image {
        Image::from_pixels(
            width,
            height,
            color.repeat(width as usize * height as usize),
        )
        .expect("the size fits")
    }

    const RED: [u8; 4] = [255, 0, 0, 255];

    #[test]
    fn no_pictures_are_refused() {
        assert_eq!(
            contact_sheet(&[], &SheetSettings::default()),
            Err(SheetError::NoPictures)
        );
    }

    #[test]
    fn sheets_beyond_the_limit_are_refused() {
        for gap in [1 << 20, u32::MAX] {
            let settings = SheetSettings {
                gap,
                ..SheetSettings::default()
            };
            let sheet = contact_sheet(&[plain(1, 1, RED)], &settings);
            assert!(matches!(sheet, Err(SheetError::TooLarge { .. })));
        }
    }

    #[test]
    fn pictures_without_pixels_leave_their_cells_empty() {
        let settings = SheetSettings {
            gap: 0,
            ..SheetSettings::default()
        };
        let sheet =
            contact_sheet(&[Image::new(0, 0), plain(2, 2, RED)], &settings).expect("it is small");
        assert_eq!((sheet.width(), sheet.height()), (4, 2));
        assert_eq!((sheet.pixel(0, 0), sheet.pixel(2, 0)), ([255; 4], RED));
        assert!(contact_sheet(&[Image::new(0, 0)], &settings).is_ok());
    }

    #[test]
    fn cells_go_row_by_row_with_the_gap_between_and_around() {
        let colors: Vec<[u8; 4]> = (0..5).map(|i| [i * 40, 0, 0, 255]).collect();
        let pictures: Vec<Image> = colors.iter().map(|&c| plain(4, 3, c)).collect();
        let settings = SheetSettings {
            columns: 2,
            gap: 1,
            background: [9, 9, 9, 255],
            ..SheetSettings::default()
        };
        let sheet = contact_sheet(&pictures, &settings).expect("it is small");
        assert_eq!((sheet.width(), sheet.height()), (11, 13));
        for (i, &color) in colors.iter().enumerate() {
            let (x, y) = (1 + (i as u32 % 2) * 5, 1 + (i as u32 / 2) * 4);
            assert_eq!(
                (sheet.pixel(x, y), sheet.pixel(x + 3, y + 2)),
                (color, color)
            );
            assert_eq!(
                (sheet.pixel(x - 1, y), sheet.pixel(x, y - 1)),
                ([9, 9, 9, 255], [9, 9, 9, 255])
            );
        }
        assert_eq!(sheet.pixel(8, 10), [9, 9, 9, 255], "the last cell is empty");
    }

    #[test]
    fn sheets_are_about_as_wide_as_high_by_default() {
        assert_eq!(square_columns(9, 10, 10), 3);
        assert_eq!(square_columns(8, 10, 40), 6);
        assert_eq!(square_columns(1, 0, 0), 1);
    }

    #[test]
    fn translucent_pictures_are_blended_with_the_background() {
        let settings = SheetSettings {
            gap: 0,
            ..SheetSettings::default()
        };
        let sheet = contact_sheet(&[plain(1, 1, [0, 0, 0, 51])], &settings).expect("it is small");
        assert_eq!(sheet.pixel(0, 0), [204, 204, 204, 255]);
    }

    #[test]
    fn numbers_leave_ink_in_the_corner_of_each_cell() {
        let settings = SheetSettings {
            gap: 2,
            first_label: Some(99),
            ..SheetSettings::default()
        };
        let sheet = contact_sheet(&[plain(40, 40, RED), plain(40, 40, RED)], &settings)
            .expect("it is small");
        let changed =
            |left: u32| (left..left + 30).any(|x| (2..20).any(|y| sheet.pixel(x, y) != RED));
        assert!(changed(2) && changed(44));
    }
}
