//! The limits of a bone: pairs of numbers, which may span several lines.

use super::model::{AsfBone, Dof};
use super::report::Report;
use super::scan::Token;
use super::write::names;
use crate::escape;
use crate::text::{ParsedNumber, Rule, TextError};

/// Limits that are being parsed.
pub(super) struct Limits<'a> {
    field: Token<'a>,
    /// At most as many as a bone can have.
    values: Vec<f64>,
    count: usize,
    /// The previous value, if it is a lower limit.
    lower: Option<Token<'a>>,
    pub(super) keep: bool,
}

impl<'a> Limits<'a> {
    /// Starts with no limits; they are discarded at the end unless `keep` is set.
    pub(super) fn new(field: Token<'a>, keep: bool) -> Self {
        Self {
            field,
            values: Vec::new(),
            count: 0,
            lower: None,
            keep,
        }
    }

    pub(super) fn push(&mut self, token: Token<'a>, report: &mut Report) -> Result<(), TextError> {
        let upper = self.lower.is_some();
        let none = if upper {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        let infinite = |name: &str| token.is(name);
        let value = match token.classify() {
            ParsedNumber::Finite(value) => value,
            ParsedNumber::NonFinite if infinite("inf") || infinite("+inf") => f64::INFINITY,
            ParsedNumber::NonFinite if infinite("-inf") => f64::NEG_INFINITY,
            other => {
                let rule = match other {
                    ParsedNumber::NonFinite => Rule::NonFinite,
                    _ => Rule::ExpectedNumber,
                };
                let expected = "a number, inf or -inf for a limit";
                let error = token.error(rule, expected, token.shown());
                report.fault(error, "read as no limit")?;
                none
            }
        };
        if upper && self.values.last().is_some_and(|&lower| lower > value) && self.keep {
            let problem = format!("a lower limit above the upper {}; kept", token.shown());
            report.warn_line(token.line, problem);
        }
        self.lower = if upper { None } else { Some(token) };
        self.count += 1;
        if self.values.len() < 2 * Dof::ALL.len() {
            self.values.push(value);
        }
        Ok(())
    }

    pub(super) fn finish(
        self,
        bone: &AsfBone,
        report: &mut Report,
    ) -> Result<Vec<[f64; 2]>, TextError> {
        if !self.keep {
            return Ok(Vec::new());
        }
        let due = bone.dof.len();
        if self.count != 2 * due {
            let s = if due == 1 { "" } else { "s" };
            let error = self.field.error(
                Rule::LimitsCount,
                format!(
                    "{due} pair{s} of limits ({}) for bone {}",
                    names(&bone.dof),
                    escape::text(&bone.name)
                ),
                format!("{} values", self.count),
            );
            report.fault(error, "the limits are ignored")?;
            return Ok(Vec::new());
        }
        Ok(self
            .values
            .chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .collect())
    }
}
