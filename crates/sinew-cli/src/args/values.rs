//! Values of options and their parsers.

use crate::names::quote;
use clap::ValueEnum;
use sinew::Animation;
use sinew_draw::Background;
use sinew_formats::LengthUnits;

/// An output format of motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutFormat {
    Bvh,
    Glb,
    Gltf,
    Json,
    /// Compressed with the default error bound; `sinew compress` has options.
    Sinew,
}

/// A time range in seconds; an open end is `f32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trim {
    pub(crate) from: f32,
    pub(crate) to: f32,
}

impl Trim {
    /// Returns an error message if the range is outside `animation`.
    pub(crate) fn check(self, animation: &Animation) -> Result<(), String> {
        // Tolerates a length that was rounded up when it was printed.
        let end = animation.length + 1e-3;
        let is_open = self.to == f32::MAX;
        let (verb, time) = match (self.from > end, !is_open && self.to > end) {
            (true, _) => ("starts", self.from),
            (_, true) => ("ends", self.to),
            _ => return Ok(()),
        };
        Err(format!(
            "--trim {verb} at {time} s, but {} is {} s long; expected a range from 0 to {}, or {}.. to the end",
            quote(&animation.name),
            animation.length,
            animation.length,
            if verb == "ends" { self.from } else { 0.0 },
        ))
    }
}

/// The size of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// The longer side; the other is derived from the bounds of what is drawn.
    Longer(u32),
    /// Width and height.
    Exact(u32, u32),
}

/// The largest side of a picture.
const MAX_SIDE: u32 = 8192;

/// The largest number of poses in a contact sheet: 20 rows of 20.
const MAX_POSES: u32 = 400;

fn parse_side(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(side @ 1..=MAX_SIDE) => Ok(side),
        _ => Err(format!(
            "expected pixels from 1 to {MAX_SIDE}, found {text:?}"
        )),
    }
}

pub(super) fn parse_size(text: &str) -> Result<Size, String> {
    match text.split_once(['x', 'X']) {
        Some((width, height)) => Ok(Size::Exact(parse_side(width)?, parse_side(height)?)),
        None => Ok(Size::Longer(parse_side(text)?)),
    }
}

pub(super) fn parse_frame(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(frame) if frame.is_finite() => Ok(frame),
        _ => Err(format!("expected a frame number, found {text:?}")),
    }
}

pub(super) fn parse_pose_count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=MAX_POSES) => Ok(count),
        _ => Err(format!(
            "expected a number from 1 to {MAX_POSES}, found {text:?}"
        )),
    }
}

pub(super) fn parse_fps(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fps) if (0.001..=1000.0).contains(&fps) => Ok(fps),
        _ => Err(format!(
            "expected frames per second from 0.001 to 1000, found {text:?}"
        )),
    }
}

pub(super) fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err(format!("expected a number from 1 to 1024, found {text:?}")),
    }
}

pub(super) fn parse_units(text: &str) -> Result<LengthUnits, String> {
    match text {
        "m" => return Ok(LengthUnits::Metres(1.0)),
        "cm" => return Ok(LengthUnits::Metres(0.01)),
        "mm" => return Ok(LengthUnits::Metres(0.001)),
        "in" => return Ok(LengthUnits::Metres(0.0254)),
        "literal" => return Ok(LengthUnits::Literal),
        _ => {}
    }
    match text.parse::<f64>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(LengthUnits::Metres(metres)),
        _ => Err(format!(
            "expected m, cm, mm, in, literal or metres per unit, found {text:?}"
        )),
    }
}

pub(super) fn parse_trim(text: &str) -> Result<Trim, String> {
    let bad = || format!("expected a range in seconds such as 0.5..2, 1.. or ..3, found {text:?}");
    let (from, to) = text.split_once("..").ok_or_else(bad)?;
    let end = |text: &str, open: f32| match text.trim() {
        "" => Ok(open),
        text => match text.parse::<f32>() {
            Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
            _ => Err(bad()),
        },
    };
    let trim = Trim {
        from: end(from, 0.0)?,
        to: end(to, f32::MAX)?,
    };
    if trim.from <= trim.to {
        Ok(trim)
    } else {
        Err(bad())
    }
}

pub(super) fn parse_background(text: &str) -> Result<Background, String> {
    match text {
        "transparent" | "none" => return Ok(Background::Transparent),
        "checker" => return Ok(Background::CHECKER),
        "white" => return Ok(Background::Solid([255, 255, 255, 255])),
        "black" => return Ok(Background::Solid([0, 0, 0, 255])),
        _ => {}
    }
    let hex = text
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.is_ascii());
    let value = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let [_, r, g, b] = value.map(u32::to_be_bytes).ok_or_else(|| {
        format!("expected transparent, checker, white, black or #rrggbb, found {text:?}")
    })?;
    Ok(Background::Solid([r, g, b, 255]))
}

pub(super) fn parse_seconds(text: &str) -> Result<f32, String> {
    let number = text.trim().trim_end_matches('s').trim().parse::<f32>();
    match number {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err(format!(
            "expected seconds from 0.01 to 3600, found {text:?}"
        )),
    }
}

/// Units of length in metres. Units that end with another unit come first.
const UNITS: [(&str, f64); 5] = [
    ("mm", 1e-3),
    ("cm", 1e-2),
    ("um", 1e-6),
    ("µm", 1e-6),
    ("m", 1.0),
];

/// The largest length, in metres.
const MAX_LENGTH: f64 = 1000.0;

/// Parses a length with its unit into metres.
pub(super) fn parse_length(text: &str) -> Result<f32, String> {
    let bad = || {
        format!(
            "expected a length with its unit, such as 0.1mm, 0.01cm, 1e-4m or 100um, found {text:?}"
        )
    };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if number(text).is_some() {
        return Err(format!(
            "expected a length with its unit, found {text:?}; for millimetres use {}mm",
            text.trim()
        ));
    }
    let unit = UNITS
        .iter()
        .find_map(|(unit, metres)| Some((text.trim().strip_suffix(unit)?, metres)));
    let (digits, metres) = unit.ok_or_else(bad)?;
    match number(digits).map(|number| number * metres) {
        Some(length) if (0.0..=MAX_LENGTH).contains(&length) => Ok(length as f32),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_one_side_or_two() {
        assert_eq!(parse_size("300"), Ok(Size::Longer(300)));
        assert_eq!(parse_size("640x480"), Ok(Size::Exact(640, 480)));
        for bad in ["0", "-1", "9000", "x", "10x", "big", "1e3"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn trims_are_ascending_ranges_with_optional_ends() {
        let trim = |from, to| Ok(Trim { from, to });
        assert_eq!(parse_trim("0.5..2"), trim(0.5, 2.0));
        assert_eq!(parse_trim("1.."), trim(1.0, f32::MAX));
        assert_eq!(parse_trim("..3"), trim(0.0, 3.0));
        for bad in ["", "1", "2..1", "-1..2", "a..b", "0..inf", "1...2"] {
            assert!(parse_trim(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn units_are_names_or_metres() {
        assert_eq!(parse_units("cm"), Ok(LengthUnits::Metres(0.01)));
        assert_eq!(parse_units("0.45"), Ok(LengthUnits::Metres(0.45)));
        assert_eq!(parse_units("literal"), Ok(LengthUnits::Literal));
        for bad in ["", "0", "-1", "nan", "inf", "feet"] {
            assert!(parse_units(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn backgrounds_are_names_or_hex() {
        let teal = Background::Solid([0, 128, 128, 255]);
        assert_eq!(parse_background("#008080"), Ok(teal));
        for bad in ["#12345", "#1234567", "#ggffff", "#ééé", "teal", ""] {
            assert!(parse_background(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lengths_without_a_unit_are_refused_with_advice() {
        for bare in ["0.1", "1e-4", " 5 ", "0"] {
            let problem = parse_length(bare).unwrap_err();
            let advice = format!("use {}mm", bare.trim());
            assert!(problem.contains(&advice), "{problem}");
        }
        for bad in [
            "", "mm", "-1mm", "nanm", "infm", "1inch", "1 mm x", "1e9m", "0.1kmm",
        ] {
            assert!(parse_length(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_length_in_any_unit_is_the_same() {
        for text in ["0.1mm", "0.01cm", "1e-4m", "100um", "100 µm"] {
            assert_eq!(parse_length(text), Ok(1e-4), "{text}");
        }
        assert_eq!(parse_length("0mm"), Ok(0.0));
    }
}
