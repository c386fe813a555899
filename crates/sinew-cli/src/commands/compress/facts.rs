//! Statistics of a packed motion.

use crate::report;
use serde_json::{Value, json};
use sinew::{Animation, PackedAnimation, Skeleton};
use sinew_author::compress::{CompressSettings, Profile, compress};

/// Bytes of a joint in an uncompressed pose: position, rotation and scale.
const RAW_BYTES: u64 = 40;

/// Sizes and error of a packed motion, or totals of several.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedStats {
    pub(crate) name: String,
    /// 0 for keys without a frame rate.
    pub(crate) frames: usize,
    pub(crate) joints: usize,
    pub(crate) seconds: f64,
    /// Bytes of uncompressed poses, 40 per joint and frame; unknown for keys without a frame rate.
    pub(crate) raw: Option<u64>,
    /// Bytes of the source's keys; unknown without the source.
    pub(crate) plain: Option<u64>,
    pub(crate) bytes: u64,
    /// The error bound and the measured error in metres.
    pub(crate) max_error: f32,
    pub(crate) error: f32,
    /// The names of the codecs; usually one.
    pub(crate) packings: Vec<String>,
}

impl PackedStats {
    /// Returns the statistics stored in a packed motion.
    pub(crate) fn of(packed: &PackedAnimation<'_>) -> Self {
        let info = packed.info();
        let frames = info.frame_rate.map(|_| info.frame_count());
        let joints = packed.joint_count();
        Self {
            name: packed.name().to_owned(),
            frames: frames.unwrap_or(0),
            joints,
            seconds: f64::from(packed.length()),
            raw: frames.map(|frames| RAW_BYTES * frames as u64 * joints as u64),
            plain: None,
            bytes: sinew_author::packed::byte_len(packed) as u64,
            max_error: packed.max_error(),
            error: packed.error(),
            packings: vec![packed.packing().to_string()],
        }
    }

    /// Adds the uncompressed size of the source.
    pub(crate) fn with_source(
        packed: &PackedAnimation<'_>,
        skeleton: &Skeleton,
        animation: &Animation,
    ) -> Self {
        let plain = CompressSettings {
            max_error: 0.0,
            profile: Profile::Small,
        };
        let plain = compress(skeleton, animation, &plain).ok();
        Self {
            plain: plain.map(|plain| sinew_author::packed::byte_len(&plain) as u64),
            ..Self::of(packed)
        }
    }

    /// Combines several: sums of sizes, the largest error.
    pub(crate) fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self {
            raw: Some(0),
            plain: Some(0),
            ..Self::default()
        };
        for stats in all {
            sum.frames += stats.frames;
            sum.joints = sum.joints.max(stats.joints);
            sum.seconds += stats.seconds;
            sum.raw = sum.raw.zip(stats.raw).map(|(a, b)| a + b);
            sum.plain = sum.plain.zip(stats.plain).map(|(a, b)| a + b);
            sum.bytes += stats.bytes;
            sum.max_error = sum.max_error.max(stats.max_error);
            sum.error = sum.error.max(stats.error);
            for packing in &stats.packings {
                if !sum.packings.contains(packing) {
                    sum.packings.push(packing.clone());
                }
            }
        }
        sum
    }

    /// Returns the compression ratio to uncompressed poses; NaN if their size is unknown.
    pub(crate) fn raw_ratio(&self) -> f64 {
        self.raw
            .map_or(f64::NAN, |raw| raw as f64 / self.bytes.max(1) as f64)
    }

    pub(crate) fn plain_ratio(&self) -> Option<f64> {
        Some(self.plain? as f64 / self.bytes.max(1) as f64)
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "frames": (self.frames > 0).then_some(self.frames),
            "joints": self.joints,
            "seconds": self.seconds,
            "raw_bytes": self.raw,
            "plain_bytes": self.plain,
            "bytes": self.bytes,
            "raw_ratio": self.raw_ratio(),
            "plain_ratio": self.plain_ratio(),
            "max_error": self.max_error,
            "error": self.error,
            "packing": self.packings.join("+"),
        })
    }
}

/// Millimetres below which digits are meaningless.
const MIN_SHOWN_MILLIMETRES: f64 = 1e-6;

/// Formats metres as millimetres with three significant digits: `0.0987 mm`.
pub(crate) fn millimetres(metres: f64) -> String {
    let value = metres * 1000.0;
    if value == 0.0 || !value.is_finite() {
        return format!("{value} mm");
    }
    if value.abs() < MIN_SHOWN_MILLIMETRES {
        return format!("<{MIN_SHOWN_MILLIMETRES:e} mm");
    }
    let power = value.abs().log10().floor();
    if power < -4.0 {
        return format!("{value:.1e} mm");
    }
    let digits = (2.0 - power).clamp(0.0, 7.0) as usize;
    // Drops trailing zeros: a bound of 0.1 is not 0.100.
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} mm")
}

/// The placeholder of an unknown number.
pub(crate) const UNKNOWN: &str = "–";

/// Formats a number with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a compression ratio.
pub(crate) fn ratio(ratio: f64) -> String {
    match ratio {
        unknown if unknown.is_nan() => UNKNOWN.to_owned(),
        large if large >= 100.0 => format!("{large:.0}:1"),
        other => format!("{other:.1}:1"),
    }
}

/// Formats rows of text as columns: the first is left-aligned, the others right-aligned.
pub(crate) fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cell_widths = rows.iter().map(|row| row[column].chars().count());
        cell_widths
            .chain([heads[column].chars().count()])
            .max()
            .unwrap_or(0)
    });
    let line = |cells: [&str; N]| {
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            line += &match column {
                0 => format!("  {cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        line
    };
    let head = report::dim(line(heads));
    let rows = rows
        .iter()
        .map(|row| line(row.each_ref().map(String::as_str)));
    std::iter::once(head).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_three_digits_that_matter() {
        let written = [0.0, 1e-4, 9.873e-5, 0.0123456, 1.5, 3e-9, 1e-45].map(millimetres);
        let expected = [
            "0 mm",
            "0.1 mm",
            "0.0987 mm",
            "12.3 mm",
            "1500 mm",
            "3.0e-6 mm",
            "<1e-6 mm",
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn keys_without_a_rate_have_no_frames_and_no_ratio_of_poses() {
        let known = PackedStats {
            raw: Some(40),
            bytes: 10,
            ..PackedStats::default()
        };
        assert_eq!(ratio(known.raw_ratio()), "4.0:1");
        let sum = PackedStats::sum([&known, &PackedStats::default()]);
        assert_eq!(ratio(sum.raw_ratio()), UNKNOWN);
        let json = sum.to_json();
        assert!(
            json["frames"].is_null() && json["raw_bytes"].is_null() && json["raw_ratio"].is_null()
        );
    }

    #[test]
    fn sums_take_the_worst_error_and_name_every_packing() {
        let one = PackedStats {
            frames: 10,
            plain: Some(5),
            error: 0.5,
            packings: vec!["small".to_owned()],
            ..PackedStats::default()
        };
        let other = PackedStats {
            plain: None,
            error: 0.25,
            packings: vec!["plain".to_owned()],
            ..one.clone()
        };
        let sum = PackedStats::sum([&one, &other, &one]);
        assert_eq!((sum.frames, sum.error, sum.plain), (30, 0.5, None));
        assert_eq!(sum.packings, ["small", "plain"]);
    }
}
