//! What the readers of text formats (ASF, AMC, BVH) share: errors with positions, and numbers.

mod error;
mod number;

pub use error::{Rule, TextError};
pub(crate) use number::{POWERS, ParsedNumber, number};
