//! A picture above the chart of weights.

use super::recording::FrameRenderer;
use sinew::skelform::Image;
use sinew_draw::{SheetError, SheetSettings, WeightChart, contact_sheet};

/// The smallest legible width of a chart in pixels.
pub(crate) const MIN_WIDTH: u32 = 360;

/// The largest number of poses in one row, each above its time in the chart.
const MOST_IN_ROW: usize = 12;

/// Pictures above, chart below.
pub(crate) struct Panel<'a> {
    renderer: &'a dyn FrameRenderer,
    chart: Option<(&'a WeightChart, Image)>,
    times: Vec<f64>,
    background: [u8; 4],
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl<'a> Panel<'a> {
    /// Creates a panel; `times` are the times of the pictures. Without a chart it holds only the picture.
    pub(crate) fn new(
        renderer: &'a dyn FrameRenderer,
        chart: Option<&'a WeightChart>,
        times: Vec<f64>,
        background: [u8; 4],
    ) -> Self {
        let (width, height) = renderer.size();
        let chart = chart.map(|chart| (chart, chart.to_image(width, chart.natural_height(width))));
        let below = chart.as_ref().map_or(0, |(_, image)| image.height());
        Self {
            renderer,
            chart,
            times,
            background,
            width,
            height: height + below,
        }
    }

    /// Draws a frame with its time marked in the chart.
    pub(crate) fn frame(&self, index: usize) -> Image {
        let picture = self.renderer.picture(index);
        let Some((chart, image)) = &self.chart else {
            return picture;
        };
        let mut image = image.clone();
        if let Some(time) = self.times.get(index) {
            chart.point_at(&mut image, *time);
        }
        let mut canvas = fill_image(self.width, self.height, self.background);
        paste(&mut canvas, &picture, 0, 0);
        paste(&mut canvas, &image, 0, picture.height());
        canvas
    }
}

/// Draws poses side by side, each above its time in the chart; many are arranged in a grid.
pub(crate) fn moments(
    pictures: &[Image],
    times: &[f64],
    chart: Option<WeightChart>,
    background: [u8; 4],
) -> Result<Image, SheetError> {
    let settings = SheetSettings {
        columns: if pictures.len() <= MOST_IN_ROW {
            pictures.len()
        } else {
            0
        },
        background,
        ..SheetSettings::default()
    };
    let Some(mut chart) = chart else {
        return contact_sheet(pictures, &settings);
    };
    chart.moments = times.to_vec();
    if pictures.len() > MOST_IN_ROW {
        let sheet = contact_sheet(pictures, &settings)?;
        let width = sheet.width().max(MIN_WIDTH);
        let chart = chart.to_image(width, chart.natural_height(width));
        let mut canvas = fill_image(width, sheet.height() + chart.height(), background);
        paste(&mut canvas, &sheet, (width - sheet.width()) / 2, 0);
        paste(&mut canvas, &chart, 0, sheet.height());
        return Ok(canvas);
    }
    let settings = SheetSettings { gap: 0, ..settings };
    let sheet = contact_sheet(pictures, &settings)?;
    let along = sheet.width().max(MIN_WIDTH);
    // The labels beside the axis have the same width in any chart.
    let wide = along.saturating_mul(4);
    let (left, right) = chart.axis_pixels(wide);
    let width = along + (left + wide as f32 - right).ceil() as u32;
    let chart = chart.to_image(width, chart.natural_height(width));
    let mut canvas = fill_image(width, sheet.height() + chart.height(), background);
    let x = left as u32 + (along - sheet.width()) / 2;
    paste(&mut canvas, &sheet, x.min(width - sheet.width()), 0);
    paste(&mut canvas, &chart, 0, sheet.height());
    Ok(canvas)
}

fn fill_image(width: u32, height: u32, color: [u8; 4]) -> Image {
    let mut image = Image::new(width, height);
    let pixels = image.pixels_mut().chunks_exact_mut(4);
    pixels.for_each(|pixel| pixel.copy_from_slice(&color));
    image
}

/// Copies a picture onto a canvas that is large enough.
fn paste(canvas: &mut Image, picture: &Image, x: u32, y: u32) {
    let (across, width) = (canvas.width() as usize * 4, picture.width() as usize * 4);
    if width == 0 {
        return;
    }
    let start = y as usize * across + x as usize * 4;
    let rows = canvas.pixels_mut().get_mut(start..).unwrap_or_default();
    let rows = rows.chunks_mut(across);
    for (row, from) in rows.zip(picture.pixels().chunks_exact(width)) {
        if let Some(row) = row.get_mut(..width) {
            row.copy_from_slice(from);
        }
    }
}
