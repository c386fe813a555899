//! Parser of `HIERARCHY`: the joints, read iteratively with a stack of open joints.

use super::cursor::BvhCursor;
use super::raw::{BvhChannel, BvhJoint};
use crate::escape;
use crate::limits::{MAX_JOINT_DEPTH, MAX_JOINTS};
use crate::names::Names;
use crate::text::{Rule, TextError};
use crate::warning::Warnings;

/// Keywords allowed in a joint.
const IN_A_JOINT: &str = "OFFSET, CHANNELS, JOINT, End Site or \"}\"";

/// Reads up to and including the word `MOTION`.
pub(super) fn read(
    cursor: &mut BvhCursor<'_>,
    warnings: &mut Warnings,
) -> Result<Vec<BvhJoint>, TextError> {
    begin(cursor)?;
    let mut reader = BvhHierarchyReader {
        cursor,
        warnings,
        names: Names::default(),
        joints: Vec::new(),
        open: Vec::new(),
        channels: 0,
        further_ends: 0,
    };
    while reader.next()? {}
    Ok(reader.joints)
}

/// Reads the word `HIERARCHY`.
fn begin(cursor: &mut BvhCursor<'_>) -> Result<(), TextError> {
    cursor.skip();
    let byte_offset = cursor.byte_offset;
    let word = cursor.word();
    if word.eq_ignore_ascii_case(b"HIERARCHY") {
        return Ok(());
    }
    let rule = if word.is_empty() {
        Rule::EmptyFile
    } else {
        Rule::NotThisFormat
    };
    Err(cursor.error(rule, byte_offset, "HIERARCHY", cursor.shown(byte_offset)))
}

/// A joint whose closing brace has not been read yet.
struct OpenJoint {
    joint: usize,
    /// Offset of its `ROOT` or `JOINT`.
    byte_offset: usize,
    has_offset: bool,
    has_channels: bool,
    has_children: bool,
}

struct BvhHierarchyReader<'c, 'a> {
    cursor: &'c mut BvhCursor<'a>,
    warnings: &'c mut Warnings,
    names: Names,
    joints: Vec<BvhJoint>,
    open: Vec<OpenJoint>,
    channels: usize,
    /// Number of end sites that are not the first of their joint.
    further_ends: usize,
}

impl BvhHierarchyReader<'_, '_> {
    /// Reads one item; returns false after `MOTION`.
    fn next(&mut self) -> Result<bool, TextError> {
        self.cursor.skip();
        let byte_offset = self.cursor.byte_offset;
        let word = self.cursor.word();
        let is_keyword = |keyword: &str| word.eq_ignore_ascii_case(keyword.as_bytes());
        if self.open.is_empty() {
            if is_keyword("ROOT") {
                self.joint(byte_offset)?;
            } else if is_keyword("MOTION") && !self.joints.is_empty() {
                return Ok(false);
            } else {
                return Err(self.no_root(byte_offset, word));
            }
        } else if is_keyword("OFFSET") {
            self.offset(byte_offset)?;
        } else if is_keyword("CHANNELS") {
            self.channels(byte_offset)?;
        } else if is_keyword("JOINT") {
            self.joint(byte_offset)?;
        } else if is_keyword("End") || is_keyword("EndSite") {
            self.end_site(byte_offset, is_keyword("End"))?;
        } else if word == b"}" {
            self.close(byte_offset)?;
        } else {
            return Err(self.not_in_a_joint(byte_offset, word));
        }
        Ok(true)
    }

    #[cold]
    fn no_root(&self, byte_offset: usize, word: &[u8]) -> TextError {
        let (rule, expected) = match (word.is_empty(), self.joints.is_empty()) {
            (_, true) => (Rule::MissingSection, "ROOT"),
            (true, false) => (Rule::MissingSection, "MOTION"),
            (false, false) => (Rule::BadStructure, "ROOT or MOTION"),
        };
        self.cursor
            .error(rule, byte_offset, expected, self.cursor.shown(byte_offset))
    }

    #[cold]
    fn not_in_a_joint(&self, byte_offset: usize, word: &[u8]) -> TextError {
        if BvhChannel::from_word(word).is_some() {
            let expected = "as many channels as CHANNELS states";
            let found = format!("one more, {}", self.cursor.shown(byte_offset));
            return self
                .cursor
                .error(Rule::TooManyValues, byte_offset, expected, found);
        }
        if word.is_empty() || word.eq_ignore_ascii_case(b"MOTION") {
            let (joint, line) = self.innermost();
            let expected = format!("\"}}\" for joint {joint} of line {line}");
            let found = self.cursor.shown(byte_offset);
            return self
                .cursor
                .error(Rule::BadStructure, byte_offset, expected, found);
        }
        let found = self.cursor.shown(byte_offset);
        self.cursor
            .error(Rule::BadStructure, byte_offset, IN_A_JOINT, found)
    }

    /// Returns the innermost open joint, escaped for display, and its line.
    fn innermost(&self) -> (String, usize) {
        let open = self.open.last();
        let joint = open.and_then(|open| self.joints.get(open.joint));
        let name = joint.map_or(String::new(), |joint| escape::text(&joint.name));
        let line = open.map_or(0, |open| self.cursor.line_and_column(open.byte_offset).0);
        (name, line)
    }

    /// Reads `ROOT` or `JOINT`, a name and a brace.
    fn joint(&mut self, byte_offset: usize) -> Result<(), TextError> {
        self.room_for_one_more(byte_offset)?;
        if self.open.len() >= MAX_JOINT_DEPTH {
            let expected = format!("joints at most {MAX_JOINT_DEPTH} deep");
            let found = "one deeper";
            return Err(self
                .cursor
                .error(Rule::TooLarge, byte_offset, expected, found));
        }
        let written = self.cursor.name()?;
        self.brace()?;
        let name = self.names.take(&written);
        if name != written {
            let place = format!("joint {}", escape::text(&written));
            let problem = format!(
                "another joint has this name, this one is called {}",
                escape::text(&name)
            );
            self.warnings.add(place, "", problem);
        }
        let parent = self.open.last_mut().map(|open| {
            open.has_children = true;
            open.joint
        });
        self.open.push(OpenJoint {
            joint: self.joints.len(),
            byte_offset,
            has_offset: false,
            has_channels: false,
            has_children: false,
        });
        self.joints.push(BvhJoint {
            name,
            parent,
            offset: [0.0; 3],
            channels: Vec::new(),
            first_channel: self.channels,
            ends: Vec::new(),
        });
        Ok(())
    }

    /// Checks the joint limit. All end sites but the first of a joint become joints.
    fn room_for_one_more(&self, byte_offset: usize) -> Result<(), TextError> {
        if self.joints.len() + self.further_ends < MAX_JOINTS {
            return Ok(());
        }
        let expected = format!("at most {MAX_JOINTS} joints, with end sites beyond one for each");
        Err(self
            .cursor
            .error(Rule::TooLarge, byte_offset, expected, "one more"))
    }

    fn brace(&mut self) -> Result<(), TextError> {
        self.cursor.skip();
        let byte_offset = self.cursor.byte_offset;
        if self.cursor.word() == b"{" {
            return Ok(());
        }
        let found = self.cursor.shown(byte_offset);
        Err(self
            .cursor
            .error(Rule::BadStructure, byte_offset, "\"{\"", found))
    }

    fn three_numbers(&mut self) -> Result<[f64; 3], TextError> {
        let mut numbers = [0.0; 3];
        for number in &mut numbers {
            *number = self.cursor.number("a number of an OFFSET")?.0;
        }
        Ok(numbers)
    }

    fn offset(&mut self, byte_offset: usize) -> Result<(), TextError> {
        let offset = self.three_numbers()?;
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        if open.has_offset {
            let expected = "one OFFSET for each joint";
            return Err(self.cursor.error(
                Rule::DuplicateSection,
                byte_offset,
                expected,
                "a second",
            ));
        }
        open.has_offset = true;
        if let Some(joint) = self.joints.get_mut(open.joint) {
            joint.offset = offset;
        }
        Ok(())
    }

    fn channels(&mut self, byte_offset: usize) -> Result<(), TextError> {
        let channels = self.channel_list()?;
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        if open.has_channels {
            let expected = "one CHANNELS for each joint";
            return Err(self.cursor.error(
                Rule::DuplicateSection,
                byte_offset,
                expected,
                "a second",
            ));
        }
        // Rows follow the order of joints. If a child came first, readers would disagree about the order of values.
        if open.has_children {
            let expected = "CHANNELS before the joint's children";
            return Err(self.cursor.error(
                Rule::BadStructure,
                byte_offset,
                expected,
                "it after one",
            ));
        }
        open.has_channels = true;
        self.channels += channels.len();
        if let Some(joint) = self.joints.get_mut(open.joint) {
            joint.channels = channels;
        }
        Ok(())
    }

    /// Reads the number of channels, then their names.
    fn channel_list(&mut self) -> Result<Vec<BvhChannel>, TextError> {
        let (count, byte_offset) = self.cursor.number("the number of channels")?;
        let known = (0..=6).find(|&known| f64::from(known) == count);
        let Some(count) = known else {
            let found = self.cursor.shown(byte_offset);
            let expected = "0 to 6 channels";
            return Err(self
                .cursor
                .error(Rule::BadDof, byte_offset, expected, found));
        };
        let mut channels = Vec::new();
        for index in 0..count {
            self.cursor.skip();
            let byte_offset = self.cursor.byte_offset;
            let word = self.cursor.word();
            let Some(channel) = BvhChannel::from_word(word) else {
                return Err(self.no_channel(byte_offset, word, index, count));
            };
            if channels.contains(&channel) {
                let expected = "each channel once";
                let found = format!("{} again", self.cursor.shown(byte_offset));
                return Err(self
                    .cursor
                    .error(Rule::BadDof, byte_offset, expected, found));
            }
            channels.push(channel);
        }
        Ok(channels)
    }

    #[cold]
    fn no_channel(&self, byte_offset: usize, word: &[u8], index: i32, count: i32) -> TextError {
        let keywords: [&[u8]; 8] = [
            b"", b"{", b"}", b"OFFSET", b"JOINT", b"End", b"EndSite", b"MOTION",
        ];
        let found = self.cursor.shown(byte_offset);
        if keywords
            .iter()
            .any(|keyword| word.eq_ignore_ascii_case(keyword))
        {
            let expected = format!("{count} channels");
            let found = format!("{index}, then {found}");
            return self
                .cursor
                .error(Rule::TooFewValues, byte_offset, expected, found);
        }
        let expected = "a channel (Xposition, …, Zrotation)";
        self.cursor
            .error(Rule::BadDof, byte_offset, expected, found)
    }

    /// Reads `End Site`, an optional ignored name, and the offset.
    fn end_site(&mut self, byte_offset: usize, in_two_words: bool) -> Result<(), TextError> {
        let joint = self.open.last().map(|open| open.joint);
        let joint = joint.and_then(|joint| self.joints.get(joint));
        if joint.is_some_and(|joint| !joint.ends.is_empty()) {
            self.room_for_one_more(byte_offset)?;
            self.further_ends += 1;
        }
        self.cursor.skip();
        let after = self.cursor.byte_offset;
        let rest = self.cursor.until_brace();
        let site = rest
            .get(..4)
            .is_some_and(|s| s.eq_ignore_ascii_case(b"Site"));
        if in_two_words && !site {
            let found = self.cursor.shown(after);
            return Err(self
                .cursor
                .error(Rule::BadStructure, after, "Site after End", found));
        }
        self.brace()?;
        self.cursor.skip();
        let offset_at = self.cursor.byte_offset;
        if !self.cursor.word().eq_ignore_ascii_case(b"OFFSET") {
            let expected = "the OFFSET of an End Site";
            let found = self.cursor.shown(offset_at);
            return Err(self
                .cursor
                .error(Rule::MissingField, offset_at, expected, found));
        }
        let end = self.three_numbers()?;
        self.cursor.skip();
        let close_at = self.cursor.byte_offset;
        if self.cursor.word() != b"}" {
            let expected = "\"}\" after the OFFSET of an End Site";
            let found = self.cursor.shown(close_at);
            return Err(self
                .cursor
                .error(Rule::BadStructure, close_at, expected, found));
        }
        let joint = self.open.last().map(|open| open.joint);
        if let Some(joint) = joint.and_then(|joint| self.joints.get_mut(joint)) {
            joint.ends.push(end);
        }
        Ok(())
    }

    fn close(&mut self, byte_offset: usize) -> Result<(), TextError> {
        if self.open.last().is_some_and(|open| !open.has_offset) {
            let (joint, line) = self.innermost();
            let expected = format!("an OFFSET in joint {joint} of line {line}");
            return Err(self
                .cursor
                .error(Rule::MissingField, byte_offset, expected, "none"));
        }
        self.open.pop();
        Ok(())
    }
}
