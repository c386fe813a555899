//! Errors that several modules share.

use alloc::string::String;
use core::fmt;

/// The position of a joint is NaN, infinite, or too far away for sums of squares.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name:?} has a joint at {time} seconds whose position is not finite or out of range")]
pub struct NotFiniteError {
    /// The name of the motion.
    pub name: String,
    /// The time, in seconds.
    pub time: f32,
}

/// A setting is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct SettingError {
    /// The setting.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// The range.
    pub expected: &'static str,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            value,
            expected,
        } = self;
        // Most settings are `f32`, which print with fewer digits: 0.1 instead of 0.10000000149011612.
        let narrow = *value as f32;
        if f64::from(narrow) == *value {
            write!(f, "{what} is {narrow}; expected {expected}")
        } else {
            write!(f, "{what} is {value}; expected {expected}")
        }
    }
}
