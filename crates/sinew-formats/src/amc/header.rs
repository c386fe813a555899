//! The header before the first frame.

use super::model::{Amc, DEFAULT_RATE, RateSource};
use crate::asf::AngleUnit;
use crate::asf::report::Report;
use crate::asf::scan::{Line, Token, Tokens, decode, text_of};
use crate::text::{Rule, TextError};

/// Valid frame rates in frames per second. Times of any motion are then finite and distinct.
const RATES: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// Maximum number of kept header entries. Real files have three.
const MAX_ENTRIES: usize = 100;

/// Prefix of the comment by which CMU's files name their skeleton.
pub(super) const SKELETON_COMMENT: &[u8] = b"#!OML:ASF";

/// The content of the header.
#[derive(Default)]
pub(super) struct AmcHeader {
    /// Whether there was a keyword.
    pub(super) begun: bool,
    fully_specified: bool,
    angle: Option<(AngleUnit, usize)>,
    rate: Option<f64>,
    metadata: Vec<(String, String)>,
}

impl AmcHeader {
    /// Handles a line that is only a comment.
    pub(super) fn comment(&mut self, line: Line<'_>) {
        let text = line.text.trim_ascii_start();
        if let Some((start, rest)) = text.split_at_checked(SKELETON_COMMENT.len())
            && start.eq_ignore_ascii_case(SKELETON_COMMENT)
        {
            self.keep("oml:asf", decode(rest.trim_ascii()));
        }
    }

    /// Handles a line that begins with a keyword.
    pub(super) fn keyword(
        &mut self,
        keyword: Token<'_>,
        tokens: Tokens<'_>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        let first = !std::mem::replace(&mut self.begun, true);
        if first && (keyword.is(":version") || keyword.is(":units") || keyword.is(":root")) {
            return Err(keyword.error(
                Rule::NotThisFormat,
                "`:FULLY-SPECIFIED` of an AMC motion",
                format!("{}, which begins an ASF skeleton", keyword.shown()),
            ));
        }
        if keyword.is(":fully-specified") {
            self.fully_specified = true;
        } else if keyword.is(":degrees") {
            self.set_angle(AngleUnit::Degrees, keyword, report)?;
        } else if keyword.is(":radians") {
            self.set_angle(AngleUnit::Radians, keyword, report)?;
        } else if keyword.is(":samples-per-second") {
            self.set_rate(keyword, tokens.peek())?;
        } else {
            let text = text_of(tokens.rest());
            // The other forms of motion in the definition were never published; each begins with a keyword alone on
            // its line.
            if text.is_empty() {
                return Err(keyword.error(
                    Rule::UnsupportedFormat,
                    "`:FULLY-SPECIFIED`, the one form of motion that is supported",
                    keyword.shown(),
                ));
            }
            let name = decode(keyword.text.strip_prefix(b":").unwrap_or(keyword.text));
            self.keep(&name.to_ascii_lowercase(), text);
        }
        Ok(())
    }

    fn keep(&mut self, name: &str, text: String) {
        if self.metadata.len() < MAX_ENTRIES {
            self.metadata.push((name.to_owned(), text));
        }
    }

    fn set_angle(
        &mut self,
        unit: AngleUnit,
        keyword: Token<'_>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        match self.angle {
            Some((other, _)) if other != unit => {
                let error = keyword.error(
                    Rule::BadUnit,
                    format!("one unit of angles; {} are set above", other.name()),
                    keyword.shown(),
                );
                report.fault(error, "the first one is used")
            }
            Some(_) => Ok(()),
            None => {
                self.angle = Some((unit, keyword.line));
                Ok(())
            }
        }
    }

    fn set_rate(&mut self, keyword: Token<'_>, value: Option<Token<'_>>) -> Result<(), TextError> {
        let Some(value) = value else {
            return Err(keyword.error(
                Rule::TooFewValues,
                format!("1 value after {}", keyword.shown()),
                "none",
            ));
        };
        let rate = value.number("the frames per second")?;
        if !RATES.contains(&rate) {
            return Err(value.error(
                Rule::BadFrameTime,
                "between 0.001 and 1000000 frames per second",
                value.shown(),
            ));
        }
        self.rate = Some(rate);
        Ok(())
    }

    /// Returns the line that sets the unit of angles, or 1.
    pub(super) fn angle_line(&self) -> usize {
        self.angle.map_or(1, |(_, line)| line)
    }

    /// Copies the header to the motion once the first frame is reached.
    pub(super) fn finish(
        &mut self,
        amc: &mut Amc,
        skeleton_angle: AngleUnit,
        caller_rate: Option<f64>,
        line: usize,
        report: &mut Report,
    ) {
        if !self.fully_specified {
            report.warn_line(
                line,
                "no `:FULLY-SPECIFIED` before the first frame; read as if it were there",
            );
        }
        amc.angle = match self.angle {
            Some((unit, line)) => {
                if unit != skeleton_angle {
                    let (ours, theirs) = (unit.name(), skeleton_angle.name());
                    let problem = format!(
                        "angles in {ours}, but the skeleton's are in {theirs}; {ours} are used"
                    );
                    report.warn_line(line, problem);
                }
                unit
            }
            None => skeleton_angle,
        };
        (amc.frame_rate, amc.rate_source) = match (caller_rate, self.rate) {
            (Some(rate), _) if RATES.contains(&rate) => (rate, RateSource::Caller),
            (caller, file) => {
                if let Some(rate) = caller {
                    let problem =
                        format!("{rate} frames per second were requested, which is out of range");
                    report.warn_line(line, problem);
                }
                match file {
                    Some(rate) => (rate, RateSource::File),
                    None => (DEFAULT_RATE, RateSource::Default),
                }
            }
        };
        amc.metadata = std::mem::take(&mut self.metadata);
    }
}
