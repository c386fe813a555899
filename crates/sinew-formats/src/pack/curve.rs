//! Registration curves as sections.

use super::directory::SectionEntry;
use super::error::PackError;
use crate::curve::{read_bytes, write_bytes};
use crate::limits::MAX_PACK_CURVE_BYTES;
use sinew::registration::RegistrationCurve;

/// Returns the bytes of a section.
pub(super) fn write(curve: &RegistrationCurve) -> Vec<u8> {
    write_bytes(curve)
}

/// Reads the curve of a section; `room` is the remaining limit of bytes of all curves.
pub(super) fn read(
    entry: &SectionEntry<'_>,
    budget: &mut usize,
) -> Result<RegistrationCurve, PackError> {
    *budget = budget
        .checked_sub(entry.bytes.len())
        .ok_or_else(|| PackError::Invalid {
            offset: entry.offset,
            section: entry.section,
            expected: format!("at most {MAX_PACK_CURVE_BYTES} bytes of curves in all"),
            found: "more".to_owned(),
        })?;
    read_bytes(entry.bytes).map_err(|source| PackError::Curve {
        offset: entry.offset,
        section: entry.section,
        source: Box::new(source),
    })
}
