//! Painting one texture: fills, outlines and soft light, in coordinates about the bone.
//!
//! Shapes → [`Part`], a straight-alpha picture that knows where its middle lies relative to the bone.

use super::shape::Shape;
use sinew::skelform::Image;
use tiny_skia::{
    BlendMode, Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Mask, Paint,
    Pixmap, PixmapPaint, Point, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

/// A colour: red, green, blue, opacity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rgba(pub(super) u8, pub(super) u8, pub(super) u8, pub(super) u8);

impl Rgba {
    /// The same colour, less opaque.
    pub(super) const fn alpha(self, alpha: u8) -> Self {
        Self(self.0, self.1, self.2, alpha)
    }

    fn color(self) -> Color {
        Color::from_rgba8(self.0, self.1, self.2, self.3)
    }
}

/// What a shape is filled with.
#[derive(Clone, Debug)]
pub(super) enum Fill {
    /// One colour.
    Solid(Rgba),
    /// Colours spread evenly from one point to another.
    Linear((f32, f32), (f32, f32), Vec<Rgba>),
    /// Colours spread evenly from a centre to a radius.
    Radial((f32, f32), f32, Vec<Rgba>),
}

impl From<Rgba> for Fill {
    fn from(color: Rgba) -> Self {
        Self::Solid(color)
    }
}

impl Fill {
    /// From top to bottom between two heights.
    pub(super) fn vertical(top: f32, bottom: f32, colors: &[Rgba]) -> Self {
        Self::Linear((0.0, top), (0.0, bottom), colors.to_vec())
    }

    /// From one point to another.
    pub(super) fn linear(from: (f32, f32), to: (f32, f32), colors: &[Rgba]) -> Self {
        Self::Linear(from, to, colors.to_vec())
    }

    /// From a centre outward.
    pub(super) fn radial(centre: (f32, f32), radius: f32, colors: &[Rgba]) -> Self {
        Self::Radial(centre, radius, colors.to_vec())
    }

    fn stops(colors: &[Rgba]) -> Vec<GradientStop> {
        let steps = colors.len().saturating_sub(1).max(1) as f32;
        colors
            .iter()
            .enumerate()
            .map(|(i, color)| GradientStop::new(i as f32 / steps, color.color()))
            .collect()
    }

    /// The paint; a gradient that has no extent becomes its first colour.
    fn paint(&self) -> Paint<'static> {
        let (shader, fallback) = match self {
            Self::Solid(color) => (None, Some(*color)),
            Self::Linear(from, to, colors) => (
                LinearGradient::new(
                    Point::from_xy(from.0, from.1),
                    Point::from_xy(to.0, to.1),
                    Self::stops(colors),
                    SpreadMode::Pad,
                    Transform::identity(),
                ),
                colors.first().copied(),
            ),
            Self::Radial(centre, radius, colors) => (
                RadialGradient::new(
                    Point::from_xy(centre.0, centre.1),
                    0.0,
                    Point::from_xy(centre.0, centre.1),
                    *radius,
                    Self::stops(colors),
                    SpreadMode::Pad,
                    Transform::identity(),
                ),
                colors.first().copied(),
            ),
        };
        let flat = Shader::SolidColor(fallback.unwrap_or(Rgba(0, 0, 0, 0)).color());
        Paint {
            shader: shader.unwrap_or(flat),
            anti_alias: true,
            ..Paint::default()
        }
    }
}

/// A finished texture.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Name that bones and keys use.
    pub(crate) name: &'static str,
    /// The picture.
    pub(crate) image: Image,
    /// Left edge relative to the bone, in pixels.
    pub(crate) left: i32,
    /// Top edge relative to the bone, in pixels, downward.
    pub(crate) top: i32,
}

/// A texture being painted.
#[derive(Debug)]
pub(super) struct Canvas {
    name: &'static str,
    left: i32,
    top: i32,
    pixmap: Option<Pixmap>,
}

/// Thickness of every outer outline, in pixels; one value holds the character together.
pub(super) const OUTLINE: f32 = 5.0;

/// Steps between the tones of a colour channel. Three levels are too little to see, divide 255 and
/// spare a third of the packed file, since soft gradients then repeat.
const TONE_STEP: u8 = 3;

impl Canvas {
    /// An empty texture that covers the given edges (left, top, right, bottom) about the bone.
    pub(super) fn new(name: &'static str, [left, top, right, bottom]: [i32; 4]) -> Self {
        let pixmap = Pixmap::new(right.abs_diff(left), bottom.abs_diff(top));
        Self {
            name,
            left,
            top,
            pixmap,
        }
    }

    fn transform(&self) -> Transform {
        Transform::from_translate(-self.left as f32, -self.top as f32)
    }

    /// Fills a shape.
    pub(super) fn fill(&mut self, shape: &Shape, fill: impl Into<Fill>) {
        self.fill_masked(shape, fill, None);
    }

    /// Fills the part of a shape that lies inside another.
    pub(super) fn fill_within(&mut self, within: &Shape, shape: &Shape, fill: impl Into<Fill>) {
        let mask = self.mask(within);
        self.fill_masked(shape, fill, mask.as_ref());
    }

    fn fill_masked(&mut self, shape: &Shape, fill: impl Into<Fill>, mask: Option<&Mask>) {
        let transform = self.transform();
        if let (Some(pixmap), Some(path)) = (&mut self.pixmap, &shape.0) {
            pixmap.fill_path(
                path,
                &fill.into().paint(),
                FillRule::Winding,
                transform,
                mask,
            );
        }
    }

    /// Draws a line along a shape.
    pub(super) fn stroke(&mut self, shape: &Shape, width: f32, color: Rgba) {
        self.stroke_masked(shape, width, color, None);
    }

    /// Draws the part of a line that lies inside another shape.
    pub(super) fn stroke_within(&mut self, within: &Shape, shape: &Shape, width: f32, color: Rgba) {
        let mask = self.mask(within);
        self.stroke_masked(shape, width, color, mask.as_ref());
    }

    fn stroke_masked(&mut self, shape: &Shape, width: f32, color: Rgba, mask: Option<&Mask>) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        let transform = self.transform();
        if let (Some(pixmap), Some(path)) = (&mut self.pixmap, &shape.0) {
            pixmap.stroke_path(path, &Fill::Solid(color).paint(), &stroke, transform, mask);
        }
    }

    /// Paints a blurred shape, seen only inside another: a soft shadow or glow.
    pub(super) fn glow(&mut self, within: &Shape, shape: &Shape, color: Rgba, blur: usize) {
        let layer = self.layer(|layer, transform| {
            if let Some(path) = &shape.0 {
                layer.fill_path(
                    path,
                    &Fill::Solid(color).paint(),
                    FillRule::Winding,
                    transform,
                    None,
                );
            }
        });
        self.compose(layer, within, blur);
    }

    /// Paints what a shape does not share with itself moved by (dx, dy): the crescent along the
    /// edge that faces away from that direction. Light on one side, shade on the other.
    pub(super) fn crescent(&mut self, shape: &Shape, dx: f32, dy: f32, color: Rgba, blur: usize) {
        let moved = shape.moved(dx, dy);
        let layer = self.layer(|layer, transform| {
            layer.fill(color.color());
            if let Some(path) = &moved.0 {
                let erase = Paint {
                    blend_mode: BlendMode::Clear,
                    anti_alias: true,
                    ..Paint::default()
                };
                layer.fill_path(path, &erase, FillRule::Winding, transform, None);
            }
        });
        self.compose(layer, shape, blur);
    }

    /// The texture as a straight-alpha picture.
    pub(super) fn finish(self) -> Part {
        let image = self.pixmap.and_then(|pixmap| {
            let bytes = pixmap
                .pixels()
                .iter()
                .flat_map(|pixel| {
                    let c = pixel.demultiply();
                    [
                        coarse(c.red()),
                        coarse(c.green()),
                        coarse(c.blue()),
                        c.alpha(),
                    ]
                })
                .collect();
            Image::from_pixels(pixmap.width(), pixmap.height(), bytes)
        });
        Part {
            name: self.name,
            image: image.unwrap_or_else(|| Image::new(1, 1)),
            left: self.left,
            top: self.top,
        }
    }

    fn layer(&self, paint: impl FnOnce(&mut Pixmap, Transform)) -> Option<Pixmap> {
        let size = self.pixmap.as_ref()?;
        let mut layer = Pixmap::new(size.width(), size.height())?;
        paint(&mut layer, self.transform());
        Some(layer)
    }

    fn mask(&self, shape: &Shape) -> Option<Mask> {
        let size = self.pixmap.as_ref()?;
        let mut mask = Mask::new(size.width(), size.height())?;
        if let Some(path) = &shape.0 {
            mask.fill_path(path, FillRule::Winding, true, self.transform());
        }
        Some(mask)
    }

    fn compose(&mut self, layer: Option<Pixmap>, within: &Shape, blur: usize) {
        let mask = self.mask(within);
        if let (Some(pixmap), Some(mut layer)) = (&mut self.pixmap, layer) {
            soften(&mut layer, blur);
            let paint = PixmapPaint::default();
            pixmap.draw_pixmap(
                0,
                0,
                layer.as_ref(),
                &paint,
                Transform::identity(),
                mask.as_ref(),
            );
        }
    }
}

/// The nearest of the tones that are used.
fn coarse(tone: u8) -> u8 {
    (tone / TONE_STEP).saturating_add(u8::from(tone % TONE_STEP > TONE_STEP / 2)) * TONE_STEP
}

/// Blurs by three box passes in each direction, which comes close to a Gaussian. Whole-number
/// arithmetic, so it is the same everywhere. Pixels beyond the edge repeat the edge.
fn soften(pixmap: &mut Pixmap, radius: usize) {
    if radius == 0 {
        return;
    }
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    let data = pixmap.data_mut();
    let mut line = Vec::with_capacity(width.max(height));
    for _ in 0..3 {
        for y in 0..height {
            for channel in 0..4 {
                box_pass(data, y * width * 4 + channel, 4, width, radius, &mut line);
            }
        }
        for x in 0..width {
            for channel in 0..4 {
                box_pass(data, x * 4 + channel, width * 4, height, radius, &mut line);
            }
        }
    }
}

fn box_pass(
    data: &mut [u8],
    start: usize,
    step: usize,
    count: usize,
    radius: usize,
    line: &mut Vec<u32>,
) {
    line.clear();
    line.extend((0..count).map(|i| u32::from(data[start + i * step])));
    let at = |i: isize| line[i.clamp(0, count as isize - 1) as usize];
    let reach = radius as isize;
    let size = 2 * radius as u32 + 1;
    let mut sum: u32 = (-reach..=reach).map(at).sum();
    for i in 0..count {
        data[start + i * step] = ((sum + size / 2) / size) as u8;
        sum = sum + at(i as isize + reach + 1) - at(i as isize - reach);
    }
}
