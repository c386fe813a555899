//! Writer of AMC text, in the style of CMU's files.

use super::model::{Amc, DEFAULT_RATE};
use crate::asf::{AngleUnit, Asf};
use crate::file::{FileError, WriteError, save_bytes};
use std::fmt::Write;
use std::path::Path;

/// Writes a motion as an AMC file with LF line ends and, unless the rate is [`DEFAULT_RATE`], `:SAMPLES-PER-SECOND`.
/// Missing values of a channel are written as 0. Reading it with the same skeleton returns the same values bit for
/// bit.
pub fn write_bytes(asf: &Asf, amc: &Amc) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = try_write(asf, amc, &mut text);
    text.into_bytes()
}

/// Writes an AMC file; see [`write_bytes`].
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: impl AsRef<Path>, asf: &Asf, amc: &Amc) -> Result<(), FileError<WriteError>> {
    save_bytes(path.as_ref(), write_bytes(asf, amc))
}

fn try_write(asf: &Asf, amc: &Amc, out: &mut String) -> std::fmt::Result {
    writeln!(out, ":FULLY-SPECIFIED")?;
    match amc.angle {
        AngleUnit::Degrees => writeln!(out, ":DEGREES")?,
        AngleUnit::Radians => writeln!(out, ":RADIANS")?,
    }
    if amc.frame_rate != DEFAULT_RATE {
        writeln!(out, ":SAMPLES-PER-SECOND {}", amc.frame_rate)?;
    }
    for (frame, number) in amc.frame_numbers().enumerate() {
        writeln!(out, "{number}")?;
        let bones = asf.bones.iter().map(|bone| bone.name.as_str());
        let names = std::iter::once("root").chain(bones);
        for (name, track) in names.zip(&amc.tracks) {
            if track.values.is_empty() {
                continue;
            }
            out.push_str(name);
            for values in &track.values {
                write!(out, " {}", values.get(frame).unwrap_or(&0.0))?;
            }
            out.push('\n');
        }
    }
    Ok(())
}
