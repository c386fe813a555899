//! Light and dark themes.

use super::heat::HALO;
use super::layout::{FAINT_TEXT, FRAME, GRID, TEXT};
use super::shape::{Color, Shape};

/// The background of a plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// White.
    #[default]
    Light,
    /// Almost black, with light text.
    Dark,
}

/// Colours of the light theme and their replacements in the dark one.
const ON_DARK: [(Color, Color); 5] = [
    (TEXT, [232, 236, 242, 255]),
    (FAINT_TEXT, [170, 180, 194, 255]),
    (FRAME, [130, 140, 156, 255]),
    (GRID, [46, 54, 68, 255]),
    // Lines on a heat map keep their edges: the colour scale is the same in both themes.
    (HALO, HALO),
];

impl Theme {
    /// Returns the background colour.
    pub(crate) fn background(self) -> Color {
        match self {
            Self::Light => [255; 4],
            Self::Dark => [17, 21, 29, 255],
        }
    }

    /// Converts a colour designed for white.
    fn color(self, color: Color) -> Color {
        if self == Self::Light {
            return color;
        }
        if let Some((_, dark)) = ON_DARK.iter().find(|(light, _)| *light == color) {
            return *dark;
        }
        // Lightened as much as needed to contrast with the page.
        let [r, g, b, alpha] = color;
        let luma = (299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)) / 1000;
        let share = 140u32.saturating_sub(luma);
        let lighter = |channel: u8| {
            let channel = u32::from(channel);
            (channel + (255 - channel) * share / 300).min(255) as u8
        };
        [lighter(r), lighter(g), lighter(b), alpha]
    }

    /// Converts shapes designed for the light theme.
    pub(crate) fn recolor(self, shapes: &mut [Shape]) {
        for shape in shapes {
            match shape {
                Shape::Rect { color, .. }
                | Shape::Area { color, .. }
                | Shape::Line { color, .. }
                | Shape::Dot { color, .. }
                | Shape::Text { color, .. } => *color = self.color(*color),
                Shape::Picture { .. } => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::shape::series_look;

    fn luma([r, g, b, _]: Color) -> f32 {
        0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b)
    }

    #[test]
    fn light_pages_keep_their_colours() {
        for color in [TEXT, GRID, [1, 2, 3, 4]] {
            assert_eq!(Theme::Light.color(color), color);
        }
    }

    #[test]
    fn letters_and_curves_stand_out_on_dark_pages() {
        let page = luma(Theme::Dark.background());
        for (color, least) in [(TEXT, 180.0), (FAINT_TEXT, 120.0), (FRAME, 90.0)] {
            assert!(luma(Theme::Dark.color(color)) - page > least);
        }
        for series in 0..12 {
            let (color, _) = series_look(series);
            assert!(luma(Theme::Dark.color(color)) - page > 60.0, "{series}");
        }
    }
}
