//! Common parts of the text format readers: errors with positions, and numbers.

mod error;
mod number;
mod position;

pub use error::{Rule, TextError};
pub(crate) use number::{POWERS, ParsedNumber, number};
pub(crate) use position::{invalid_utf8, line_and_column, without_bom};
