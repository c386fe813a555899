//! The style of a stage: colours, light, thickness.

use crate::raster::Background;
use sinew::glam::Vec3;
use sinew::skeleton::Side;

/// The direction of the light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Light {
    /// From the upper left of the picture and from behind the camera, in any view.
    #[default]
    UpperLeft,
    /// A fixed world-space direction *to* the light, for a camera that turns. If it is not finite or has no length, the
    /// light is straight above.
    Toward(Vec3),
}

/// Colours and sizes of a picture of a stage. Colours are r, g, b with straight alpha.
///
/// [`Self::on`] selects a style for a background; change single fields from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageStyle {
    /// The background.
    pub background: Background,
    /// Colour of the body's left half. With [`Self::right`] a pair that people with any kind of colour blindness can
    /// distinguish: blue and orange.
    pub left: [u8; 3],
    /// Colour of spine and head.
    pub middle: [u8; 3],
    /// Colour of the body's right half.
    pub right: [u8; 3],
    /// The colour that far limbs fade to; on a plain background, the background colour.
    pub distance: [u8; 3],
    /// The share of their colour that the farthest limbs lose, from 0 to 1.
    pub fade: f32,
    /// Colour of the grid's lines; alpha 0 omits the grid.
    pub grid: [u8; 4],
    /// Colour of the ground between the lines.
    pub floor: [u8; 4],
    /// Colour of shadows at their darkest; alpha 0 omits them.
    pub shadow: [u8; 4],
    /// The direction of the light.
    pub light: Light,
    /// Thickness of bones; 1 is that of a slim stick figure.
    pub thickness: f32,
    /// Width of the bones' dark outlines in pixels; 0 omits them.
    pub outline: f32,
    /// Width of trails at their newest end in pixels; 0 omits them.
    pub trail: f32,
}

impl StageStyle {
    /// Returns the style for a background. For backgrounds that show through, such as a transparent one, it is grey
    /// enough for light and dark pages.
    pub fn on(background: Background) -> Self {
        let common = Self {
            background,
            left: [38, 122, 206],
            middle: [126, 136, 152],
            right: [240, 126, 34],
            distance: [255; 3],
            fade: 0.45,
            grid: [30, 41, 59, 80],
            floor: [30, 41, 59, 10],
            shadow: [15, 23, 42, 96],
            light: Light::UpperLeft,
            thickness: 1.0,
            outline: 1.1,
            trail: 3.0,
        };
        match tone(background) {
            Tone::Light(distance) => Self { distance, ..common },
            Tone::Dark(distance) => Self {
                left: [64, 148, 236],
                middle: [158, 168, 184],
                right: [250, 144, 52],
                distance,
                grid: [203, 213, 225, 62],
                floor: [203, 213, 225, 10],
                shadow: [0, 0, 0, 150],
                ..common
            },
            Tone::Unknown => Self {
                distance: [148, 156, 168],
                fade: 0.38,
                grid: [120, 130, 145, 110],
                floor: [120, 130, 145, 14],
                shadow: [15, 20, 30, 110],
                ..common
            },
        }
    }

    pub(crate) fn color(&self, side: Side) -> [u8; 3] {
        match side {
            Side::Left => self.left,
            Side::Middle => self.middle,
            Side::Right => self.right,
        }
    }

    /// Replaces NaN and values out of range by the nearest valid ones.
    pub(crate) fn sane(mut self) -> Self {
        let within = |value: f32, low: f32, high: f32| {
            if value.is_nan() {
                low
            } else {
                value.clamp(low, high)
            }
        };
        self.fade = within(self.fade, 0.0, 1.0);
        self.thickness = within(self.thickness, 0.0, 100.0);
        self.outline = within(self.outline, 0.0, 50.0);
        self.trail = within(self.trail, 0.0, 200.0);
        self
    }
}

impl Default for StageStyle {
    /// Returns the style on white.
    fn default() -> Self {
        Self::on(Background::Solid([255; 4]))
    }
}

enum Tone {
    Light([u8; 3]),
    Dark([u8; 3]),
    Unknown,
}

fn tone(background: Background) -> Tone {
    let color = match background {
        Background::Transparent => return Tone::Unknown,
        Background::Solid(color) => color,
        Background::Checker { colors, .. } => {
            let mean = |i: usize| (u16::from(colors[0][i]) + u16::from(colors[1][i])).div_ceil(2);
            [0, 1, 2, 3].map(|i| mean(i) as u8)
        }
    };
    let [r, g, b, alpha] = color;
    if alpha < 128 {
        return Tone::Unknown;
    }
    // Luma in thousandths, as in Rec. 601.
    let luma = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    if luma >= 128_000 {
        Tone::Light([r, g, b])
    } else {
        Tone::Dark([r, g, b])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_limbs_fade_to_a_plain_background() {
        for color in [[255, 255, 255], [16, 18, 24]] {
            let [r, g, b] = color;
            let style = StageStyle::on(Background::Solid([r, g, b, 255]));
            assert_eq!(style.distance, color);
        }
    }

    #[test]
    fn lines_are_darker_than_light_backgrounds_and_lighter_than_dark_ones() {
        assert!(StageStyle::default().grid[0] < 128);
        assert!(StageStyle::on(Background::CHECKER).grid[0] < 128);
        assert!(StageStyle::on(Background::Solid([0, 0, 0, 255])).grid[0] > 128);
        let unknown = StageStyle::on(Background::Transparent);
        assert_eq!(
            unknown.grid,
            StageStyle::on(Background::Solid([9, 9, 9, 3])).grid
        );
    }

    #[test]
    fn numbers_that_make_no_sense_are_replaced() {
        let style = StageStyle {
            fade: f32::NAN,
            thickness: f32::INFINITY,
            outline: -3.0,
            trail: f32::NEG_INFINITY,
            ..StageStyle::default()
        };
        let sane = style.sane();
        assert_eq!((sane.fade, sane.outline, sane.trail), (0.0, 0.0, 0.0));
        assert!(sane.thickness.is_finite());
    }
}
