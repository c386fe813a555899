//! Registration curves as sections.

use super::directory::SectionPart;
use super::error::PackError;
use crate::curve::{read_bytes, write_bytes};
use crate::limits::MAX_PACK_CURVE_BYTES;
use sinew::registration::RegistrationCurve;

/// The bytes of a section.
pub(super) fn write(curve: &RegistrationCurve) -> Vec<u8> {
    write_bytes(curve)
}

/// The curve of a section; `room` is how many bytes all of them may still have.
pub(super) fn read(
    part: &SectionPart<'_>,
    room: &mut usize,
) -> Result<RegistrationCurve, PackError> {
    *room = room
        .checked_sub(part.bytes.len())
        .ok_or_else(|| PackError::Invalid {
            offset: part.offset,
            section: part.section,
            expected: format!("at most {MAX_PACK_CURVE_BYTES} bytes of curves in all"),
            found: "more".to_owned(),
        })?;
    read_bytes(part.bytes).map_err(|source| PackError::Curve {
        offset: part.offset,
        section: part.section,
        source: Box::new(source),
    })
}
