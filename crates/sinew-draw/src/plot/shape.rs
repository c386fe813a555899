//! Drawing primitives of plots and charts, in pixels from the top left corner.

use sinew::glam::Vec2;
use sinew::skelform::Image;

/// r, g, b, a with straight alpha.
pub(crate) type Color = [u8; 4];

/// The anchor of a text on its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A filled rectangle, by corners.
    Rect { low: Vec2, high: Vec2, color: Color },
    /// A filled polygon.
    Area { points: Vec<Vec2>, color: Color },
    /// A line through points.
    Line {
        points: Vec<Vec2>,
        color: Color,
        width: f32,
        /// Alternating dash and gap lengths; empty is a solid line.
        dashes: &'static [f32],
    },
    /// A filled disc.
    Dot {
        position: Vec2,
        radius: f32,
        color: Color,
    },
    Text {
        text: String,
        position: Vec2,
        anchor: Anchor,
        size: f32,
        color: Color,
        /// Whether it reads from bottom to top.
        is_upright: bool,
    },
    /// A picture scaled to the rectangle, with square pixels.
    Picture { low: Vec2, high: Vec2, image: Image },
}

impl Shape {
    /// Creates horizontal text.
    pub(super) fn text(
        text: impl Into<String>,
        position: Vec2,
        anchor: Anchor,
        size: f32,
        color: Color,
    ) -> Self {
        Self::Text {
            text: text.into(),
            position,
            anchor,
            size,
            color,
            is_upright: false,
        }
    }
}

impl Shape {
    /// Returns the shape translated.
    pub(crate) fn translate(mut self, by: Vec2) -> Self {
        match &mut self {
            Self::Rect { low, high, .. } | Self::Picture { low, high, .. } => {
                *low += by;
                *high += by;
            }
            Self::Area { points, .. } | Self::Line { points, .. } => {
                for point in points {
                    *point += by;
                }
            }
            Self::Dot { position, .. } | Self::Text { position, .. } => *position += by,
        }
        self
    }
}

/// Colours of curves: Okabe and Ito's for colour-blind readers, without yellow and black, which are hard to see on
/// white and beside text, then Paul Tol's darker ones.
const COLORS: [[u8; 3]; 12] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [51, 34, 136],
    [136, 34, 85],
    [17, 119, 51],
    [153, 153, 51],
    [102, 17, 0],
    [110, 110, 110],
];

/// Dashes of each further cycle of colours.
const DASHES: [&[f32]; 4] = [&[], &[6.0, 3.0], &[2.0, 2.5], &[8.0, 3.0, 2.0, 3.0]];

/// Returns colour and dashes of a series.
pub(crate) fn series_look(index: usize) -> (Color, &'static [f32]) {
    let [r, g, b] = COLORS[index % COLORS.len()];
    let round = index / COLORS.len();
    ([r, g, b, 255], DASHES[round % DASHES.len()])
}

/// Returns the colour of a band, with an alpha. The first two are the blue and the orange of a stage's left and right.
pub(crate) fn band_color(index: usize, alpha: u8) -> Color {
    const BANDS: [[u8; 3]; 4] = [
        [38, 122, 206],
        [240, 126, 34],
        [80, 160, 90],
        [150, 90, 170],
    ];
    let [r, g, b] = BANDS[index % BANDS.len()];
    [r, g, b, alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_four_dozen_series_differ() {
        let looks: Vec<_> = (0..48).map(series_look).collect();
        for (i, look) in looks.iter().enumerate() {
            assert!(!looks[..i].contains(look));
        }
        assert_eq!(series_look(48), series_look(0));
    }
}
