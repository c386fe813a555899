//! Frame boundaries: frame numbers, gaps, and bones missing in a frame.

use super::GapPolicy;
use super::model::{Amc, AmcTrack, FrameRun};
use super::parse::{AmcFrame, AmcReader, dofs_of};
use super::rows::ReadProgress;
use crate::asf::scan::{Token, Tokens};
use crate::escape;
use crate::limits::MAX_COORDINATE;
use crate::text::{Rule, TextError};

impl AmcReader<'_> {
    pub(super) fn frame_number(
        &mut self,
        token: Token<'_>,
        mut tokens: Tokens<'_>,
    ) -> Result<(), TextError> {
        let expected = "the number of a frame, alone in its line";
        if let Some(more) = tokens.next() {
            let found = format!("{} after {}", more.shown(), token.shown());
            return Err(more.error(Rule::BadFrameNumber, expected, found));
        }
        let digits = token.text.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(token.text).ok();
        let number = number
            .filter(|_| digits)
            .and_then(|text| text.parse::<u32>().ok());
        let Some(number) = number else {
            let expected = format!("the number of a frame, 0 to {}", u32::MAX);
            return Err(token.error(Rule::BadFrameNumber, expected, token.shown()));
        };
        let mut gap = 0;
        match self.frame {
            None => self.header.finish(
                &mut self.amc,
                self.asf.units.angle,
                self.settings.frame_rate,
                token.line,
                &mut self.report,
            ),
            Some(before) => {
                self.end_frame(before)?;
                gap = self.check_number(token, number, before.number)?;
            }
        }
        self.next = 0;
        self.ordinal += 1;
        self.frame = Some(AmcFrame {
            number,
            line: token.line,
            gap,
        });
        Ok(())
    }

    /// Returns the number of missing frames before this one.
    fn check_number(
        &mut self,
        token: Token<'_>,
        number: u32,
        before: u32,
    ) -> Result<u32, TextError> {
        let Some(left_out) = number
            .checked_sub(before)
            .and_then(|way| way.checked_sub(1))
        else {
            let error = token.error(
                Rule::BadFrameNumber,
                format!("a frame number above {before}"),
                number.to_string(),
            );
            self.report
                .fault(error, "frames are kept in the file's order")?;
            return Ok(0);
        };
        if left_out == 0 {
            return Ok(0);
        }
        let due = u64::from(before) + 1;
        let s = if left_out == 1 { "" } else { "s" };
        let done = match self.settings.gaps {
            GapPolicy::Error => {
                let expected = format!("frame {due}");
                let found = format!("frame {number}: {left_out} frame{s} missing");
                return Err(token.error(Rule::FrameGap, expected, found));
            }
            GapPolicy::Compact => "they take no time",
            GapPolicy::HoldLast => "filled with the previous frame",
            GapPolicy::Interpolate => "interpolated",
        };
        let problem = format_args!("{left_out} frame{s} missing before frame {number}; {done}");
        self.report.warn(token, problem);
        Ok(match self.settings.gaps {
            GapPolicy::HoldLast | GapPolicy::Interpolate => left_out,
            GapPolicy::Error | GapPolicy::Compact => 0,
        })
    }

    /// Ends a frame that another one follows: missing bones are held.
    fn end_frame(&mut self, frame: AmcFrame) -> Result<(), TextError> {
        if self.seen_now != self.movable.len() {
            if !self.report.lenient {
                return Err(self.missing_error(Rule::MissingBoneInFrame, frame));
            }
            self.hold_missing(frame)?;
        }
        self.commit(frame)
    }

    /// Iterates over the movable tracks without values in the frame.
    fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let current = self.ordinal;
        let tracks = self.movable.iter().copied();
        tracks.filter(move |&track| self.seen.get(track) != Some(&current))
    }

    fn name_of(&self, track: usize) -> String {
        let bone = track
            .checked_sub(1)
            .and_then(|bone| self.asf.bones.get(bone));
        escape::text(bone.map_or("root", |bone| bone.name.as_str()))
    }

    fn missing_error(&self, rule: Rule, frame: AmcFrame) -> TextError {
        let count = self.missing().count();
        let mut list: Vec<_> = self
            .missing()
            .take(5)
            .map(|track| self.name_of(track))
            .collect();
        if count > list.len() {
            list.push(format!("{} more", count - list.len()));
        }
        let end = match rule {
            Rule::TruncatedFrame => ", where the file ends",
            _ => "",
        };
        TextError {
            rule,
            line: frame.line,
            column: 0,
            expected: format!("{} bones in frame {}", self.movable.len(), frame.number),
            found: format!("{}{end}: without {}", self.seen_now, list.join(", ")),
        }
    }

    fn hold_missing(&mut self, frame: AmcFrame) -> Result<(), TextError> {
        let missing: Vec<usize> = self.missing().collect();
        let is_first = self.rows.count() == 0;
        for track in missing {
            let slots = self.slots.get(track).copied().unwrap_or_default();
            let range = slots.first..slots.first + slots.count;
            let (previous, row) = self.rows.previous_and_row();
            if let (Some(from), Some(to)) = (previous.get(range.clone()), row.get_mut(range)) {
                to.copy_from_slice(from);
            }
            if self.warn_once(track) {
                let error = TextError {
                    rule: Rule::MissingBoneInFrame,
                    line: frame.line,
                    column: 0,
                    expected: format!("bone {} in frame {}", self.name_of(track), frame.number),
                    found: "none".to_owned(),
                };
                let remedy = if is_first {
                    "its rest pose is used wherever it is missing"
                } else {
                    "its last pose is held wherever it is missing"
                };
                self.report.fault(error, remedy)?;
            }
        }
        Ok(())
    }

    /// Commits a complete frame.
    pub(super) fn commit(&mut self, frame: AmcFrame) -> Result<(), TextError> {
        let room = self.max_frames.saturating_sub(self.rows.count());
        if frame.gap as usize >= room {
            return Err(TextError {
                rule: Rule::TooLarge,
                line: frame.line,
                column: 0,
                expected: format!(
                    "at most {} frames from a file of this size",
                    self.max_frames
                ),
                found: "more".to_owned(),
            });
        }
        let row = self.rows.row();
        for &slot in &self.moves {
            if row
                .get(slot)
                .is_some_and(|value| value.abs() > MAX_COORDINATE)
            {
                return Err(TextError {
                    rule: Rule::TooLarge,
                    line: frame.line,
                    column: 0,
                    expected: format!("positions and lengths within {MAX_COORDINATE:e}"),
                    found: format!("more in frame {}", frame.number),
                });
            }
        }
        let share = ReadProgress {
            read: self.offset,
            total: self.bytes.len(),
        };
        if frame.gap > 0 {
            let turns = (self.settings.gaps == GapPolicy::Interpolate).then(|| self.turns());
            self.rows.fill(frame.gap, turns.as_deref(), share);
        }
        self.rows.commit(share);
        let first = frame.number - frame.gap;
        let count = frame.gap + 1;
        match self.amc.frames.last_mut() {
            Some(run) if run.first.checked_add(run.count) == Some(first) => run.count += count,
            _ => self.amc.frames.push(FrameRun { first, count }),
        }
        self.seen_now = 0;
        self.next = 0;
        Ok(())
    }

    /// Returns the size of a full turn for each value of a frame, 0 for values that are not angles.
    fn turns(&self) -> Vec<f64> {
        let turn = self.amc.angle.turn();
        let dofs = dofs_of(self.asf).flatten();
        dofs.map(|dof| if dof.is_rotation() { turn } else { 0.0 })
            .collect()
    }

    pub(super) fn finish(mut self) -> Result<Amc, TextError> {
        if let Some(frame) = self.frame {
            self.last_frame(frame)?;
        }
        if self.rows.count() == 0 {
            let found = match (self.bytes.is_empty(), self.frame) {
                (true, _) => "nothing",
                (false, None) => "no frame",
                (false, Some(_)) => "no complete frame",
            };
            return Err(TextError {
                rule: Rule::EmptyFile,
                line: 1,
                column: 0,
                expected: "an AMC motion with at least one frame".to_owned(),
                found: found.to_owned(),
            });
        }
        let mut channels = self.rows.finish().into_iter();
        self.amc.tracks = dofs_of(self.asf)
            .map(|dofs| AmcTrack {
                dofs: dofs.to_vec(),
                values: channels.by_ref().take(dofs.len()).collect(),
            })
            .collect();
        if let Some(problem) = super::suspicious_angles(&self.amc) {
            self.report.warn_line(self.header.angle_line(), problem);
        }
        self.amc.warnings = self.report.warnings;
        Ok(self.amc)
    }

    /// Ends the last frame of the file: complete, truncated, or without the bones that all frames lack.
    fn last_frame(&mut self, frame: AmcFrame) -> Result<(), TextError> {
        if self.seen_now == self.movable.len() {
            return self.commit(frame);
        }
        let error = self.missing_error(Rule::TruncatedFrame, frame);
        let before = self.ordinal.saturating_sub(1);
        let was_there = |track: usize| before > 0 && self.seen.get(track) == Some(&before);
        if !self.report.lenient || self.missing().any(was_there) {
            return self.report.fault(error, "the frame is ignored");
        }
        self.hold_missing(frame)?;
        self.commit(frame)
    }
}
