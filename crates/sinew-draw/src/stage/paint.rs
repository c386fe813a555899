//! Shading of figures: every tapered bone is lit, outlined and depth-tested, pixel by pixel.
//!
//! Input: cones and their paint → output: colours blended over a [`Canvas`]. Edges are smooth with one sample per
//! pixel: at a silhouette the distance gives the pixel coverage, and where two surfaces meet, the difference of their
//! depths gives the share of each.
//!
//! Outlines are the part of a bone near its silhouette, which curves away from the eye. Where bones join, the round
//! inside of one hides the edge of the other, so outlines remain only where something passes in front of another.

use super::canvas::{Canvas, mix, opaque};
use super::cone::Cone;
use sinew::glam::{Vec3, Vec4};

/// Opacity of the outline's colour at the very edge.
const OUTLINE: f32 = 0.82;

/// Colours of a bone from its shaded side to its lit side, and of its outline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tones {
    shaded_side: Vec4,
    plain: Vec4,
    light_side: Vec4,
    line: Vec4,
}

impl Tones {
    /// Returns the tones of a colour; `lift` lightens all of them, from 0 to 1.
    pub(crate) fn new(color: [u8; 3], lift: f32) -> Self {
        let color = mix(opaque(color), Vec4::ONE, lift);
        // Shade is bluish, as outdoors; grey shade looks dirty.
        let night = Vec4::new(0.05, 0.08, 0.20, 1.0);
        Self {
            shaded_side: mix(color, night, 0.66),
            plain: color,
            light_side: mix(color, Vec4::ONE, 0.58),
            line: mix(color, night, 0.80),
        }
    }

    /// Returns the colour where `light` is the cosine of the angle between the normal and the light.
    #[inline]
    fn color(&self, light: f32) -> Vec4 {
        // Wrapped diffuse lighting: the dark side of a bone keeps its colour.
        let wrapped = (light * 0.5 + 0.5).clamp(0.0, 1.0);
        if wrapped < 0.62 {
            mix(self.shaded_side, self.plain, wrapped * (1.0 / 0.62))
        } else {
            let bright = (wrapped - 0.62) * (1.0 / 0.38);
            mix(self.plain, self.light_side, bright * bright)
        }
    }
}

/// A cone and its paint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaintedCone {
    pub(crate) cone: Cone,
    pub(crate) tones: Tones,
    /// Width of its outline in pixels.
    pub(crate) outline: f32,
    /// Distance for sorting.
    pub(crate) depth: f32,
}

/// Light and distance fade.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Air {
    /// Towards the light: x right, y down, z towards the eye.
    pub(crate) light: Vec3,
    /// The colour of distance, and its largest share.
    pub(crate) color: Vec4,
    pub(crate) fade: f32,
    /// Start of the fade in metres from the eye, and the reciprocal of its length.
    pub(crate) start: f32,
    pub(crate) per_length: f32,
}

impl Air {
    #[inline]
    fn fade_at(&self, depth: f32) -> f32 {
        self.fade * ((depth - self.start) * self.per_length).clamp(0.0, 1.0)
    }
}

/// The premultiplied figures of some rows, before they are blended as a whole.
pub(crate) struct Sheet {
    width: usize,
    rows: usize,
    colors: Vec<Vec4>,
    depths: Vec<f32>,
    /// Painted columns per row.
    row_ranges: Vec<(usize, usize)>,
}

impl Sheet {
    pub(crate) fn new(width: usize, rows: usize) -> Self {
        let count = width * rows;
        Self {
            width,
            rows,
            colors: vec![Vec4::ZERO; count],
            depths: vec![f32::INFINITY; count],
            row_ranges: vec![(usize::MAX, 0); rows],
        }
    }

    /// Paints a piece; `first` is the first row of the sheet in the picture.
    pub(crate) fn paint(&mut self, piece: &PaintedCone, air: &Air, first: usize) {
        const REACH: f32 = 0.5;
        let rows = piece.cone.rows(REACH, first + self.rows);
        let nearest = piece.cone.nearest();
        for row in rows.first.max(first)..rows.end {
            let y = row as f32 + 0.5;
            let columns = piece.cone.columns(y, REACH, self.width);
            if columns.first >= columns.end {
                continue;
            }
            let touched = &mut self.row_ranges[row - first];
            touched.0 = touched.0.min(columns.first);
            touched.1 = touched.1.max(columns.end);
            let start = (row - first) * self.width;
            for column in columns.first..columns.end {
                let index = start + column;
                // Skips pixels that are hidden even from the nearest point of the piece.
                let nearer = (self.depths[index] - nearest) * piece.cone.pixels_per_metre();
                if nearer <= -0.5 && self.colors[index].w >= 1.0 {
                    continue;
                }
                let Some(hit) = piece.cone.hit(column as f32 + 0.5, y, REACH) else {
                    continue;
                };
                let nearer = (self.depths[index] - hit.depth) * piece.cone.pixels_per_metre();
                // Pieces are sorted near to far, so most hidden pixels need not be lit.
                if nearer <= -0.5 && self.colors[index].w >= 1.0 {
                    continue;
                }
                let coverage = (0.5 - hit.outside).clamp(0.0, 1.0);
                let edge = (piece.outline + 0.5 + hit.outside).clamp(0.0, 1.0);
                let mut color = piece.tones.color(hit.normal.dot(air.light));
                if piece.outline > 0.0 {
                    color = mix(color, piece.tones.line, edge * OUTLINE);
                }
                color = mix(color, air.color, air.fade_at(hit.depth)) * coverage;
                self.blend(index, color, hit.depth, nearer);
            }
        }
    }

    /// Blends a premultiplied colour with the existing one; `nearer` is the depth difference in pixel widths, positive
    /// if it is nearer to the eye.
    #[inline]
    fn blend(&mut self, index: usize, color: Vec4, depth: f32, nearer: f32) {
        let there = self.colors[index];
        let over = color + there * (1.0 - color.w);
        let under = there + color * (1.0 - there.w);
        self.colors[index] = mix(under, over, (nearer + 0.5).clamp(0.0, 1.0));
        self.depths[index] = self.depths[index].min(depth);
    }

    /// Blends the painted pixels over the canvas and clears them. Solid figures write their depth.
    pub(crate) fn composite(&mut self, canvas: &mut Canvas, opacity: f32, solid: bool) {
        for (row, touched) in self.row_ranges.iter_mut().enumerate() {
            let (first, end) = std::mem::replace(touched, (usize::MAX, 0));
            for index in row * self.width + first.min(end)..row * self.width + end {
                let color = std::mem::replace(&mut self.colors[index], Vec4::ZERO);
                let depth = std::mem::replace(&mut self.depths[index], f32::INFINITY);
                if color.w > 0.0 {
                    canvas.over(index, color * opacity);
                    if solid && color.w > 0.5 {
                        canvas.depths[index] = depth;
                    }
                }
            }
        }
    }
}
