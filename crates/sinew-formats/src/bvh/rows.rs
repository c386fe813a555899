//! Parser of `MOTION`: the number of frames, the frame time, and a row of numbers per frame.
//!
//! Rows are a stream of numbers: a row may span several lines and a line may hold several rows. The stated number of
//! rows is untrusted, so no more memory is allocated than the remaining bytes can hold numbers.

use super::BvhSettings;
use super::cursor::{BvhCursor, is_space};
use crate::limits::{MAX_MOTION_FRAMES, MAX_MOTION_VALUES};
use crate::text::{ParsedNumber, Rule, TextError, number};
use crate::warning::Warnings;

/// Valid frame times in seconds: from a million frames per second to one per day.
pub(super) const FRAME_TIMES: std::ops::RangeInclusive<f64> = 1e-6..=86_400.0;

/// Maximum length of a frame time that is kept as text.
const MAX_FRAME_TIME_TEXT: usize = 64;

/// The content of `MOTION`.
pub(super) struct MotionRows {
    pub(super) frame_time: f64,
    pub(super) frame_time_text: String,
    pub(super) frames: usize,
    /// Values, channel by channel.
    pub(super) values: Vec<f64>,
}

/// Reads the text after the word `MOTION`, with rows of `channels` numbers.
pub(super) fn read(
    cursor: &mut BvhCursor<'_>,
    channels: usize,
    settings: &BvhSettings,
    warnings: &mut Warnings,
) -> Result<MotionRows, TextError> {
    let header = header(cursor, settings, warnings)?;
    let mut rows = FrameRows::with_room(cursor, channels, header.frames)?;
    rows.read(cursor)?;
    if rows.frames < header.frames && channels > 0 {
        rows.too_few(cursor, &header, settings, warnings)?;
    }
    if rows.frames == 0 {
        let problem = "there are no frames, the skeleton has no motion";
        warnings.add("MOTION", "Frames", problem);
    }
    rows.extra(cursor, warnings);
    rows.close_gaps();
    Ok(MotionRows {
        frame_time: header.frame_time,
        frame_time_text: header.frame_time_text,
        frames: rows.frames,
        values: rows.values,
    })
}

struct MotionHeader {
    frames: usize,
    frame_time: f64,
    frame_time_text: String,
    /// Offset of the rows.
    end: usize,
}

/// Reads `Frames:` and `Frame Time:`, in either order.
fn header(
    cursor: &mut BvhCursor<'_>,
    settings: &BvhSettings,
    warnings: &mut Warnings,
) -> Result<MotionHeader, TextError> {
    let mut frames = None;
    let mut time = None;
    loop {
        if let (Some(frames), Some((frame_time, frame_time_text))) = (frames, &time) {
            return Ok(MotionHeader {
                frames,
                frame_time: *frame_time,
                frame_time_text: String::clone(frame_time_text),
                end: cursor.byte_offset,
            });
        }
        cursor.skip();
        let byte_offset = cursor.byte_offset;
        let word = cursor.heading();
        let is_keyword = |keyword: &str| word.eq_ignore_ascii_case(keyword.as_bytes());
        let is_time = is_keyword("FrameTime")
            || (is_keyword("Frame") && cursor.heading().eq_ignore_ascii_case(b"Time"));
        if is_keyword("Frames") && frames.is_none() {
            cursor.colon();
            frames = Some(frame_count(cursor)?);
        } else if is_time && time.is_none() {
            cursor.colon();
            time = Some(frame_time(cursor, settings, warnings)?);
        } else {
            let expected = match (frames, &time) {
                (None, None) => "Frames: or Frame Time:",
                (None, Some(_)) => "Frames:",
                (Some(_), _) => "Frame Time:",
            };
            return Err(cursor.error(
                Rule::MissingField,
                byte_offset,
                expected,
                cursor.shown(byte_offset),
            ));
        }
    }
}

fn frame_count(cursor: &mut BvhCursor<'_>) -> Result<usize, TextError> {
    let expected = "a number of frames";
    let (count, byte_offset) = cursor.number(expected)?;
    // Beyond 2^53 `f64` is not exact for integers. No file has that many frames.
    if !(0.0..=9e15).contains(&count) || count % 1.0 != 0.0 {
        return Err(cursor.error(
            Rule::BadFrameNumber,
            byte_offset,
            expected,
            cursor.shown(byte_offset),
        ));
    }
    Ok(count as usize)
}

fn frame_time(
    cursor: &mut BvhCursor<'_>,
    settings: &BvhSettings,
    warnings: &mut Warnings,
) -> Result<(f64, String), TextError> {
    let (time, byte_offset) = cursor.number("the seconds of a frame")?;
    let written = cursor
        .bytes()
        .get(byte_offset..cursor.byte_offset)
        .unwrap_or_default();
    let text = match std::str::from_utf8(written) {
        Ok(text) if text.len() <= MAX_FRAME_TIME_TEXT => text.to_owned(),
        _ => time.to_string(),
    };
    if FRAME_TIMES.contains(&time) {
        return Ok((time, text));
    }
    match settings.frame_rate {
        Some(frame_rate) => {
            let problem = format!("{text} s is not a valid frame time, {frame_rate} fps is used");
            warnings.add("MOTION", "Frame Time", problem);
            Ok((time, text))
        }
        None => {
            let expected = "seconds of a frame, from 0.000001 to 86400";
            Err(cursor.error(
                Rule::BadFrameTime,
                byte_offset,
                expected,
                cursor.shown(byte_offset),
            ))
        }
    }
}

struct FrameRows {
    channels: usize,
    /// Number of frames with allocated memory, at most the stated number.
    room: usize,
    /// Number of complete frames.
    frames: usize,
    /// Number of values of the incomplete frame.
    rest: usize,
    /// Offset of the last number.
    last: usize,
    values: Vec<f64>,
}

impl FrameRows {
    fn with_room(
        cursor: &BvhCursor<'_>,
        channels: usize,
        frames: usize,
    ) -> Result<Self, TextError> {
        // A number takes at least one byte and a separator.
        let numbers = cursor.remaining() / 2 + 1;
        let room = match channels {
            0 => 0,
            _ => frames.min(numbers / channels + 1),
        };
        if room > MAX_MOTION_FRAMES || room * channels > MAX_MOTION_VALUES {
            let expected =
                format!("at most {MAX_MOTION_FRAMES} frames and {MAX_MOTION_VALUES} numbers");
            let found = format!("{frames} frames of {channels} numbers");
            return Err(cursor.line_error(Rule::TooLarge, cursor.byte_offset, expected, found));
        }
        Ok(Self {
            channels,
            room,
            frames: 0,
            rest: 0,
            last: cursor.byte_offset.saturating_sub(1),
            values: vec![0.0; room * channels],
        })
    }

    /// Reads rows until the allocated frames are full or the text ends.
    fn read(&mut self, cursor: &mut BvhCursor<'_>) -> Result<(), TextError> {
        let bytes = cursor.bytes();
        let mut byte_offset = cursor.byte_offset;
        while self.frames < self.room {
            let mut slot = self.frames;
            for read in 0..self.channels {
                while bytes.get(byte_offset).is_some_and(|&byte| is_space(byte)) {
                    byte_offset += 1;
                }
                let (value, end) = match number(bytes, byte_offset, is_space) {
                    (ParsedNumber::Finite(value), end) => (value, end),
                    (other, _) => {
                        cursor.byte_offset = byte_offset;
                        match unusual(cursor, other)? {
                            Some(value) => (value, cursor.byte_offset),
                            None => {
                                self.rest = read;
                                return Ok(());
                            }
                        }
                    }
                };
                self.last = byte_offset;
                byte_offset = end;
                if let Some(place) = self.values.get_mut(slot) {
                    *place = value;
                }
                slot += self.room;
            }
            self.frames += 1;
        }
        cursor.byte_offset = byte_offset;
        Ok(())
    }

    /// Handles fewer rows than stated: an error, or if lenient as many rows as there are.
    #[cold]
    fn too_few(
        &mut self,
        cursor: &BvhCursor<'_>,
        header: &MotionHeader,
        settings: &BvhSettings,
        warnings: &mut Warnings,
    ) -> Result<(), TextError> {
        // Memory was allocated for what the bytes can hold, so all text was read.
        let odd = odd_line(cursor, header.end, self.channels);
        let found = match (odd, self.rest) {
            (Some((_, _, words)), _) => format!("{words} in this line"),
            (None, 0) => count(self.frames, "frame"),
            (None, rest) => format!(
                "{} and {}",
                count(self.frames, "frame"),
                count(rest, "number")
            ),
        };
        if !settings.lenient {
            let rule = match (odd, self.rest) {
                (Some(_), _) => Rule::ValueCount,
                (None, 0) => Rule::TooFewValues,
                (None, _) => Rule::TruncatedFrame,
            };
            let expected = match odd {
                Some(_) => format!("{} in each row", count(self.channels, "number")),
                None => format!(
                    "{} of {}",
                    count(header.frames, "frame"),
                    count(self.channels, "number")
                ),
            };
            let byte_offset = odd.map_or(self.last, |(byte_offset, _, _)| byte_offset);
            return Err(cursor.line_error(rule, byte_offset, expected, found));
        }
        // Rows after one with a missing number would be read with shifted values.
        if let Some((byte_offset, rows_before, _)) = odd {
            self.frames = self.frames.min(rows_before);
            let line = cursor.line_and_column(byte_offset).0;
            let problem = format!(
                "{} due, {found}; the motion ends after {} of {} frames",
                count(self.channels, "number"),
                self.frames,
                header.frames
            );
            warnings.add(format!("line {line}"), "", problem);
        } else {
            let problem = format!(
                "{} of {} due, found {found}; the motion ends there",
                count(header.frames, "frame"),
                count(self.channels, "number")
            );
            warnings.add("MOTION", "Frames", problem);
        }
        Ok(())
    }

    /// Warns of text after the last row.
    fn extra(&self, cursor: &mut BvhCursor<'_>, warnings: &mut Warnings) {
        let mut words = 0usize;
        while !cursor.word().is_empty() {
            words += 1;
        }
        if words > 0 {
            let problem = format!(
                "{} of {} due, {} more follow; they are ignored",
                count(self.frames, "frame"),
                count(self.channels, "number"),
                count(words, "word")
            );
            warnings.add("MOTION", "Frames", problem);
        }
    }

    /// Compacts the channels if there are fewer frames than allocated.
    fn close_gaps(&mut self) {
        if self.frames < self.room {
            for channel in 1..self.channels {
                let from = channel * self.room;
                self.values
                    .copy_within(from..from + self.frames, channel * self.frames);
            }
            self.values.truncate(self.channels * self.frames);
        }
    }
}

/// Formats a count: `1 frame`, `2 frames`.
fn count(count: usize, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

/// Handles non-numbers in a row: a comment followed by a number, the end, or an error.
#[cold]
fn unusual(cursor: &mut BvhCursor<'_>, what: ParsedNumber) -> Result<Option<f64>, TextError> {
    let start = cursor.byte_offset;
    cursor.skip();
    if cursor.remaining() == 0 {
        return Ok(None);
    }
    let mut byte_offset = start;
    let mut what = what;
    let mut end = byte_offset;
    if cursor.byte_offset != start {
        byte_offset = cursor.byte_offset;
        (what, end) = number(cursor.bytes(), byte_offset, is_space);
    }
    let expected = "a number";
    match what {
        ParsedNumber::Finite(value) => {
            cursor.byte_offset = end;
            Ok(Some(value))
        }
        ParsedNumber::NonFinite => Err(cursor.error(
            Rule::NonFinite,
            byte_offset,
            expected,
            cursor.shown(byte_offset),
        )),
        ParsedNumber::Not => Err(cursor.error(
            Rule::ExpectedNumber,
            byte_offset,
            expected,
            cursor.shown(byte_offset),
        )),
    }
}

/// Finds the first line that does not hold exactly one row, if the first lines do: its offset, the number of rows
/// before it, and its number of words. `None` if rows are not lines.
fn odd_line(
    cursor: &BvhCursor<'_>,
    start: usize,
    channels: usize,
) -> Option<(usize, usize, usize)> {
    let text = cursor.bytes().get(start..).unwrap_or_default();
    let mut offset = start;
    let mut rows = 0;
    for line in text.split(|&byte| byte == b'\n' || byte == b'\r') {
        let begin = offset;
        offset += line.len() + 1;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let words = line
            .split(|&byte| is_space(byte))
            .filter(|word| !word.is_empty())
            .count();
        if words != channels {
            return (rows > 0).then_some((begin, rows, words));
        }
        rows += 1;
    }
    None
}
