//! A transparent layer over a picture: vector shapes are drawn on it, then it is blended once.
//!
//! Drawing on a layer leaves every pixel that no shape touches unchanged; the shapes are drawn by tiny-skia.

use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;
use tiny_skia::{
    ColorU8, FillRule, LineCap, LineJoin, Paint, Path, Pixmap, Stroke, StrokeDash, Transform,
};

/// Distance from the picture's origin in pixels beyond which shapes are omitted.
///
/// tiny-skia works in 16.16 fixed point; this leaves room for strokes and curves.
const MAX_PIXELS: f32 = 16_000.0;

/// Shapes over a picture of a given size.
pub(crate) struct ShapeLayer {
    pixmap: Pixmap,
}

impl ShapeLayer {
    /// Returns an empty layer; `None` if the picture has no pixels or is too large.
    pub(crate) fn for_image(image: &Image) -> Option<Self> {
        Pixmap::new(image.width(), image.height()).map(|pixmap| Self { pixmap })
    }

    /// Returns whether shapes at this position are drawn: it is finite and not far outside.
    pub(crate) fn reaches(position: Vec2) -> bool {
        position.x.abs() <= MAX_PIXELS && position.y.abs() <= MAX_PIXELS
    }

    /// Returns whether a rectangle, given by two corners, lies within the picture.
    pub(crate) fn holds(&self, (low, high): (Vec2, Vec2)) -> bool {
        let size = Vec2::new(self.pixmap.width() as f32, self.pixmap.height() as f32);
        low.cmpge(Vec2::ZERO).all() && high.cmple(size).all()
    }

    pub(crate) fn fill(&mut self, path: &Path, color: [u8; 4]) {
        self.pixmap.fill_path(
            path,
            &paint(color),
            FillRule::Winding,
            Transform::identity(),
            None,
        );
    }

    pub(crate) fn stroke(&mut self, path: &Path, color: [u8; 4], width: f32) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.pixmap
            .stroke_path(path, &paint(color), &stroke, Transform::identity(), None);
    }

    /// Like [`Self::stroke`], with alternating dash and gap lengths; an empty list gives a solid line.
    pub(crate) fn stroke_dashed(
        &mut self,
        path: &Path,
        color: [u8; 4],
        width: f32,
        dashes: &[f32],
    ) {
        let Some(dash) = StrokeDash::new(dashes.to_vec(), 0.0) else {
            return self.stroke(path, color, width);
        };
        let stroke = Stroke {
            width,
            line_join: LineJoin::Round,
            dash: Some(dash),
            ..Stroke::default()
        };
        self.pixmap
            .stroke_path(path, &paint(color), &stroke, Transform::identity(), None);
    }

    /// Draws a picture scaled to a rectangle, with nearest-neighbour sampling.
    pub(crate) fn picture(&mut self, image: &Image, low: Vec2, high: Vec2) {
        let size = high - low;
        let is_seen = Self::reaches(low) && Self::reaches(high) && size.cmpgt(Vec2::ZERO).all();
        if !is_seen || image.width() == 0 || image.height() == 0 {
            return;
        }
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let span = |low: f32, high: f32, most: u32| {
            let edge = |coordinate: f32| (libm::roundf(coordinate).max(0.0) as u32).min(most);
            edge(low)..edge(high)
        };
        let source_index = |index: u32, low: f32, size: f32, count: u32| {
            let fraction = (index as f32 + 0.5 - low) / size;
            ((fraction * count as f32).max(0.0) as u32).min(count - 1)
        };
        let pixels = self.pixmap.pixels_mut();
        for y in span(low.y, high.y, height) {
            let row = source_index(y, low.y, size.y, image.height());
            for x in span(low.x, high.x, width) {
                let [r, g, b, a] = image.pixel(source_index(x, low.x, size.x, image.width()), row);
                let index = y as usize * width as usize + x as usize;
                if let (Some(pixel), true) = (pixels.get_mut(index), a > 0) {
                    *pixel = ColorU8::from_rgba(r, g, b, a).premultiply();
                }
            }
        }
    }

    /// Draws a line of text that starts at `at` on its baseline, with a dark halo for legibility on any picture.
    pub(crate) fn text(
        &mut self,
        font: &Font,
        text: &str,
        position: Vec2,
        size: f32,
        color: [u8; 4],
    ) {
        let Some(path) = font.path(text, position, size) else {
            return;
        };
        let halo = [0, 0, 0, (u16::from(color[3]) * 3 / 4) as u8];
        self.stroke(&path, halo, (size * 0.25).max(2.0));
        self.fill(&path, color);
    }

    /// Blends the layer over its picture.
    pub(crate) fn composite(&self, image: &mut Image) {
        let below = image.pixels_mut().chunks_exact_mut(4);
        for (above, below) in self.pixmap.pixels().iter().zip(below) {
            let above = [above.red(), above.green(), above.blue(), above.alpha()];
            if above[3] > 0 {
                let mixed = over(above, [below[0], below[1], below[2], below[3]]);
                below.copy_from_slice(&mixed);
            }
        }
    }
}

fn paint([r, g, b, a]: [u8; 4]) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, a);
    paint
}

/// Blends a straight-alpha colour over another.
pub(crate) fn straight_over(above: [u8; 4], below: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = above.map(u32::from);
    let times = |c: u32| ((c * a + 127) / 255) as u8;
    match a {
        0 => below,
        255 => above,
        _ => over([times(r), times(g), times(b), above[3]], below),
    }
}

/// Blends a premultiplied colour over a straight-alpha one; the result has straight alpha.
fn over(above: [u8; 4], below: [u8; 4]) -> [u8; 4] {
    let rest = 255 - u32::from(above[3]);
    // All terms are in 1/255², so that only the last step rounds.
    let below_alpha = u32::from(below[3]) * rest;
    let alpha = u32::from(above[3]) * 255 + below_alpha;
    let channel = |i: usize| {
        let sum = u32::from(above[i]) * 255 * 255 + u32::from(below[i]) * below_alpha;
        ((sum + alpha / 2) / alpha.max(1)).min(255) as u8
    };
    [
        channel(0),
        channel(1),
        channel(2),
        ((alpha + 127) / 255) as u8,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiny_skia::PathBuilder;

    #[test]
    fn a_picture_without_pixels_has_no_layer() {
        assert!(ShapeLayer::for_image(&Image::new(0, 4)).is_none());
    }

    #[test]
    fn places_that_are_not_finite_or_far_away_are_not_reached() {
        for bad in [f32::NAN, f32::INFINITY, -1e9] {
            assert!(
                !ShapeLayer::reaches(Vec2::new(bad, 0.0))
                    && !ShapeLayer::reaches(Vec2::new(0.0, bad))
            );
        }
        assert!(ShapeLayer::reaches(Vec2::new(-20.0, 4000.0)));
    }

    #[test]
    fn pixels_that_no_shape_touches_stay_bit_for_bit() {
        let mut image = Image::from_pixels(
            4,
            1,
            vec![9, 200, 3, 1, 1, 2, 3, 4, 5, 6, 7, 255, 0, 0, 0, 0],
        )
        .expect("the size fits");
        let before = image.clone();
        let mut layer = ShapeLayer::for_image(&image).expect("it has pixels");
        let rect = tiny_skia::Rect::from_xywh(3.0, 0.0, 1.0, 1.0).expect("it has an area");
        layer.fill(&PathBuilder::from_rect(rect), [10, 20, 30, 255]);
        layer.composite(&mut image);
        assert_eq!(image.pixels()[..12], before.pixels()[..12]);
        assert_eq!(image.pixel(3, 0), [10, 20, 30, 255]);
    }

    #[test]
    fn blending_is_exact_for_opaque_and_half_covered_pixels() {
        assert_eq!(over([40, 50, 60, 255], [1, 2, 3, 4]), [40, 50, 60, 255]);
        assert_eq!(over([128, 0, 0, 128], [0, 0, 255, 255]), [128, 0, 127, 255]);
        assert_eq!(over([128, 0, 0, 128], [0; 4]), [255, 0, 0, 128]);
    }
}
