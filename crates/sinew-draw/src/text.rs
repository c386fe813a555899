//! Text as outlines: names in overlays and labels of contact sheets.
//!
//! Input: a line of text, a size in pixels → output: a path to fill. The font is Hack, designed for small sizes on
//! screens, from the crate `epaint_default_fonts`; it covers Latin, Greek and Cyrillic. Missing characters are drawn as
//! its empty box.

use sinew::glam::Vec2;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The largest number of characters drawn per line; a file may contain a name of megabytes.
const MAX_CHARS: usize = 200;

/// The built-in font.
pub(crate) struct Font {
    face: Face<'static>,
}

impl Font {
    /// Returns the built-in font; `None` only if the font data were damaged.
    pub(crate) fn builtin() -> Option<Self> {
        Face::parse(epaint_default_fonts::HACK_REGULAR, 0)
            .ok()
            .map(|face| Self { face })
    }

    /// Returns the width of a line in pixels.
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        self.glyphs(text)
            .map(|glyph| self.advance(glyph))
            .sum::<f32>()
            * self.scale(size)
    }

    /// Returns the height of capital letters in pixels.
    pub(crate) fn cap_height(&self, size: f32) -> f32 {
        let height = self.face.capital_height().unwrap_or(self.face.ascender());
        f32::from(height) * self.scale(size)
    }

    /// Returns the outlines of a line that starts at `at` on its baseline; `None` if there are none.
    pub(crate) fn path(&self, text: &str, origin: Vec2, size: f32) -> Option<Path> {
        let scale = self.scale(size);
        let mut pen = Pen {
            path: PathBuilder::new(),
            origin,
            scale,
        };
        for glyph in self.glyphs(text) {
            self.face.outline_glyph(glyph, &mut pen);
            pen.origin.x += self.advance(glyph) * scale;
        }
        pen.path.finish()
    }

    fn glyphs(&self, text: &str) -> impl Iterator<Item = GlyphId> {
        let shown = text.chars().filter(|c| !c.is_control()).take(MAX_CHARS);
        shown.map(|c| self.face.glyph_index(c).unwrap_or(GlyphId(0)))
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0))
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }
}

/// Converts outlines from font units (y-up) to pixels (y-down).
struct Pen {
    path: PathBuilder,
    origin: Vec2,
    scale: f32,
}

impl Pen {
    fn to_pixels(&self, x: f32, y: f32) -> (f32, f32) {
        (
            self.origin.x + x * self.scale,
            self.origin.y - y * self.scale,
        )
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_pixels(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_pixels(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.to_pixels(x1, y1), self.to_pixels(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (
            self.to_pixels(x1, y1),
            self.to_pixels(x2, y2),
            self.to_pixels(x, y),
        );
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_blank_lines_have_no_path() {
        let font = Font::builtin().expect("the font is sound");
        for text in ["", " ", "\n\t\u{0}"] {
            assert!(font.path(text, Vec2::ZERO, 12.0).is_none());
        }
    }

    #[test]
    fn sizes_and_places_that_are_not_finite_give_no_path() {
        let font = Font::builtin().expect("the font is sound");
        for bad in [f32::NAN, f32::INFINITY] {
            assert!(font.path("arm", Vec2::ZERO, bad).is_none());
            assert!(font.path("arm", Vec2::new(bad, 0.0), 12.0).is_none());
        }
    }

    #[test]
    fn ink_lies_between_start_and_width_above_the_baseline() {
        let font = Font::builtin().expect("the font is sound");
        let bounds = font
            .path("HEX", Vec2::new(10.0, 50.0), 20.0)
            .expect("there is ink")
            .bounds();
        assert!(bounds.left() >= 10.0 && bounds.right() <= 10.0 + font.width("HEX", 20.0));
        assert!((bounds.bottom() - 50.0).abs() < 0.01);
        assert!((bounds.height() - font.cap_height(20.0)).abs() < 0.5);
    }

    #[test]
    fn a_name_of_megabytes_is_cut() {
        let font = Font::builtin().expect("the font is sound");
        let long = "x".repeat(1 << 20);
        assert_eq!(
            font.width(&long, 10.0),
            font.width(&long[..MAX_CHARS], 10.0)
        );
    }
}
