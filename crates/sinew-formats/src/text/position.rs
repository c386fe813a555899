//! Positions in a text, and its encoding.

/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Returns `bytes` without a byte order mark.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM).unwrap_or(bytes)
}

/// Returns line and column, from 1 and in bytes, of the byte after `before`. A line ends with LF.
pub(crate) fn line_and_column(before: &[u8]) -> (usize, usize) {
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let line_end = before.iter().rposition(|byte| *byte == b'\n');
    let line_start = line_end.map_or(0, |line_end| line_end + 1);
    (lines + 1, before.len() - line_start + 1)
}

/// Returns line, column and value of the byte that makes `bytes` invalid UTF-8.
pub(crate) fn invalid_utf8(bytes: &[u8], error: std::str::Utf8Error) -> (usize, usize, String) {
    let offset = error.valid_up_to();
    let (line, column) = line_and_column(bytes.get(..offset).unwrap_or_default());
    let byte = bytes.get(offset).copied().unwrap_or(0);
    (line, column, format!("the byte {byte:#04x}"))
}
