//! The transparent colour of a character's JPEG pictures.

use crate::escape::kind_of;
use serde_json::Value;

/// Tolerance per channel of the transparent colour. JPEG has no transparency: the editor fills it with a colour and
/// on reading makes everything near that colour transparent.
pub const CLEAR_TOLERANCE: u8 = 100;

/// The transparent colour of JPEG atlases.
pub(super) enum ClearColor {
    /// Not stated: pictures stay opaque. Editors write the colour with every JPEG; the format's default, black, would
    /// remove the dark parts of a picture whose colour is missing.
    Absent,
    /// Red, green and blue.
    Stated([u8; 3]),
    /// An invalid colour, treated as not stated; with a description.
    Partial(String),
}

impl ClearColor {
    pub(super) fn of(json: &Value) -> Self {
        let Some(color) = json.get("clear_color").filter(|color| !color.is_null()) else {
            return Self::Absent;
        };
        let channel = |c: &str| color.get(c)?.as_u64().and_then(|n| u8::try_from(n).ok());
        match (channel("r"), channel("g"), channel("b")) {
            (Some(r), Some(g), Some(b)) => Self::Stated([r, g, b]),
            _ => {
                let found = kind_of(color);
                let problem = "is not a colour with r, g and b from 0 to 255; nothing is cleared";
                Self::Partial(format!("{found} {problem}"))
            }
        }
    }

    /// Returns the colour, if it is stated.
    pub(super) fn stated(&self) -> Option<[u8; 3]> {
        match self {
            Self::Stated(color) => Some(*color),
            Self::Absent | Self::Partial(_) => None,
        }
    }

    pub(super) fn is_near(&self, pixel: &[u8]) -> bool {
        let Self::Stated(clear) = self else {
            return false;
        };
        let near = |(&p, &clear): (&u8, &u8)| p.abs_diff(clear) <= CLEAR_TOLERANCE;
        pixel.iter().zip(clear).all(near)
    }
}
