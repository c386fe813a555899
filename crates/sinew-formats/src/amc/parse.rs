//! Parser of the frames of a motion file.
//!
//! A line has two parsers. The slow one tokenizes it, implements every rule and reports every error. The fast one
//! only handles the usual lines: the bone at this position in the previous frame, with as many numbers as it has
//! degrees of freedom, or the number of the next frame. It leaves anything else to the slow one.

use super::AmcSettings;
use super::digits::finite;
use super::header::AmcHeader;
use super::model::Amc;
use super::rows::AmcRows;
use crate::asf::report::Report;
use crate::asf::scan::{Line, Token, Tokens, decode, is_space, long_line};
use crate::asf::{Asf, Dof, names};
use crate::limits::{
    MAX_HELD_VALUES, MAX_LINE_BYTES, MAX_MOTION_FRAMES, MAX_MOTION_VALUES, MAX_WARNINGS,
};
use crate::text::{ParsedNumber, Rule, TextError, without_bom};
use std::collections::{HashMap, HashSet};

/// Range of a track's values in a frame. Track 0 is the root, track `i + 1` is bone `i`.
#[derive(Clone, Copy, Default)]
pub(super) struct ChannelSlots {
    pub(super) first: usize,
    pub(super) count: usize,
}

/// A bone with its spelling in the frames.
#[derive(Clone, Copy)]
pub(super) struct ExpectedBone<'a> {
    name: &'a [u8],
    track: usize,
}

/// The current frame.
#[derive(Clone, Copy)]
pub(super) struct AmcFrame {
    pub(super) number: u32,
    pub(super) line: usize,
    /// Number of missing frames before it.
    pub(super) gap: u32,
}

/// The state of the parser.
pub(super) struct AmcReader<'a> {
    pub(super) asf: &'a Asf,
    pub(super) settings: &'a AmcSettings,
    pub(super) report: Report,
    pub(super) bytes: &'a [u8],
    /// Offset and number of the next line.
    pub(super) offset: usize,
    pub(super) line: usize,
    pub(super) header: AmcHeader,
    pub(super) amc: Amc,
    pub(super) slots: Vec<ChannelSlots>,
    pub(super) exact: HashMap<&'a str, usize>,
    pub(super) folded: HashMap<String, usize>,
    /// Bones in the order of the first frame, and the position of each track in it.
    pub(super) order: Vec<ExpectedBone<'a>>,
    pub(super) places: Vec<Option<usize>>,
    /// Expected next index in `order`.
    pub(super) next: usize,
    /// Ordinal of the current frame, from 1.
    pub(super) ordinal: usize,
    /// Ordinal of the last frame in which each track occurred.
    pub(super) seen: Vec<usize>,
    pub(super) seen_now: usize,
    /// Tracks that have values in each frame.
    pub(super) movable: Vec<usize>,
    pub(super) frame: Option<AmcFrame>,
    pub(super) rows: AmcRows,
    pub(super) max_frames: usize,
    pub(super) moves: Vec<usize>,
    pub(super) warned: Vec<bool>,
    pub(super) unknown: HashSet<String>,
}

/// Reads a whole file.
pub(super) fn parse(bytes: &[u8], asf: &Asf, settings: &AmcSettings) -> Result<Amc, TextError> {
    let mut reader = AmcReader::new(without_bom(bytes), asf, settings);
    while reader.offset < reader.bytes.len() {
        if !reader.quick_line()? {
            reader.slow_line()?;
        }
    }
    reader.finish()
}

/// Iterates over the degrees of freedom of each track.
pub(super) fn dofs_of(asf: &Asf) -> impl Iterator<Item = &[Dof]> {
    let bones = asf.bones.iter().map(|bone| bone.dof.as_slice());
    std::iter::once(asf.root.order.as_slice()).chain(bones)
}

#[inline(always)]
fn ends_token(byte: u8) -> bool {
    byte == b' ' || byte == b'\n' || byte == b'\r' || is_space(byte)
}

impl<'a> AmcReader<'a> {
    fn new(bytes: &'a [u8], asf: &'a Asf, settings: &'a AmcSettings) -> Self {
        let tracks = asf.bones.len() + 1;
        let mut slots = Vec::with_capacity(tracks);
        // Values of the virtual frame before the first.
        let mut rest = Vec::new();
        let mut moves = Vec::new();
        let lengths = std::iter::once(0.0).chain(asf.bones.iter().map(|bone| bone.length));
        for (dofs, length) in dofs_of(asf).zip(lengths) {
            slots.push(ChannelSlots {
                first: rest.len(),
                count: dofs.len(),
            });
            for dof in dofs {
                if !dof.is_rotation() {
                    moves.push(rest.len());
                }
                rest.push(if *dof == Dof::Length { length } else { 0.0 });
            }
        }
        let mut exact = HashMap::new();
        let mut folded = HashMap::new();
        for (index, bone) in asf.bones.iter().enumerate() {
            exact.entry(bone.name.as_str()).or_insert(index + 1);
            let name = bone.name.to_ascii_lowercase();
            folded.entry(name).or_insert(index + 1);
        }
        exact.insert("root", 0);
        folded.insert("root".to_owned(), 0);
        // One value per byte of the file, or the number of free ones.
        let values = bytes.len().clamp(MAX_HELD_VALUES, MAX_MOTION_VALUES);
        Self {
            asf,
            settings,
            report: Report::new(settings.lenient),
            bytes,
            offset: 0,
            line: 1,
            header: AmcHeader::default(),
            amc: Amc::default(),
            movable: (0..tracks)
                .filter(|track| slots.get(*track).is_some_and(|slots| slots.count > 0))
                .collect(),
            slots,
            exact,
            folded,
            order: Vec::new(),
            places: vec![None; tracks],
            next: 0,
            ordinal: 0,
            seen: vec![0; tracks],
            seen_now: 0,
            frame: None,
            max_frames: (values / rest.len().max(1)).min(MAX_MOTION_FRAMES),
            rows: AmcRows::new(rest),
            moves,
            warned: vec![false; tracks],
            unknown: HashSet::new(),
        }
    }

    /// Reads the expected bone's line, or the next frame number. Returns whether the line was one of these.
    #[inline]
    fn quick_line(&mut self) -> Result<bool, TextError> {
        let bytes = self.bytes;
        let Some(&expected) = self.order.get(self.next) else {
            return self.quick_number();
        };
        let start = self.offset;
        let name_end = start + expected.name.len();
        if bytes.get(start..name_end) != Some(expected.name) {
            return self.quick_number();
        }
        let Some(&slots) = self.slots.get(expected.track) else {
            return Ok(false);
        };
        let current = self.ordinal;
        if self.seen.get(expected.track) == Some(&current) || self.frame.is_none() {
            return Ok(false);
        }
        let Some(values) = self
            .rows
            .row()
            .get_mut(slots.first..slots.first + slots.count)
        else {
            return Ok(false);
        };
        let mut offset = name_end;
        for value in values {
            // At least one space: otherwise this is only a prefix of the name.
            if !bytes.get(offset).is_some_and(|&byte| is_space(byte)) {
                return Ok(false);
            }
            offset += 1;
            while bytes.get(offset).is_some_and(|&byte| is_space(byte)) {
                offset += 1;
            }
            let Some((found, end)) = finite(bytes, offset, ends_token) else {
                return Ok(false);
            };
            *value = found;
            offset = end;
        }
        if !self.end_line(offset)? {
            return Ok(false);
        }
        if let Some(seen) = self.seen.get_mut(expected.track) {
            *seen = current;
        }
        self.seen_now += 1;
        self.next += 1;
        Ok(true)
    }

    /// Reads the number of the next frame. Returns whether the line was one.
    #[inline]
    fn quick_number(&mut self) -> Result<bool, TextError> {
        let Some(frame) = self.frame else {
            return Ok(false);
        };
        let mut offset = self.offset;
        let mut found = 0u32;
        while let Some(digit) = self.bytes.get(offset).map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            let Some(more) = found
                .checked_mul(10)
                .and_then(|n| n.checked_add(u32::from(digit)))
            else {
                return Ok(false);
            };
            found = more;
            offset += 1;
        }
        // All bones seen, consecutive, and no bone with this number as its name.
        if offset == self.offset
            || self.seen_now != self.movable.len()
            || frame.number.checked_add(1) != Some(found)
            || self.order.is_empty()
        {
            return Ok(false);
        }
        let line = self.line;
        if !self.end_line(offset)? {
            return Ok(false);
        }
        self.commit(frame)?;
        self.ordinal += 1;
        self.frame = Some(AmcFrame {
            number: found,
            line,
            gap: 0,
        });
        Ok(true)
    }

    /// Advances to the next line if only spaces follow `at` on this one.
    #[inline(always)]
    fn end_line(&mut self, mut offset: usize) -> Result<bool, TextError> {
        while self.bytes.get(offset).is_some_and(|&byte| is_space(byte)) {
            offset += 1;
        }
        let next = match self.bytes.get(offset) {
            Some(b'\n') => offset + 1,
            Some(b'\r') if self.bytes.get(offset + 1) == Some(&b'\n') => offset + 2,
            Some(b'\r') => offset + 1,
            Some(_) => return Ok(false),
            None => offset,
        };
        if offset - self.offset > MAX_LINE_BYTES {
            return Err(long_line(self.line, offset - self.offset));
        }
        self.offset = next;
        self.line += 1;
        Ok(true)
    }

    /// Reads any line.
    fn slow_line(&mut self) -> Result<(), TextError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let text = &rest[..end.unwrap_or(rest.len())];
        let line = Line {
            number: self.line,
            text,
        };
        let is_last = end.is_none();
        let ending = match rest.get(text.len()..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        if text.len() > MAX_LINE_BYTES {
            return Err(long_line(self.line, text.len()));
        }
        self.offset += text.len() + ending;
        self.line += 1;
        let mut tokens = Tokens::new(line);
        let Some(first) = tokens.next() else {
            if self.frame.is_none() {
                self.header.comment(line);
            }
            return Ok(());
        };
        if first.text.starts_with(b":") {
            return self.keyword(first, tokens);
        }
        let digits = first.text.iter().all(u8::is_ascii_digit);
        if digits && tokens.peek().is_none() {
            return self.frame_number(first, tokens);
        }
        if let Some(track) = self.find(first.text) {
            return self.bone(first, track, tokens, is_last);
        }
        if !matches!(
            first.classify(),
            ParsedNumber::Not | ParsedNumber::NonFinite
        ) {
            return self.frame_number(first, tokens);
        }
        self.stranger(first)
    }

    fn keyword(&mut self, keyword: Token<'_>, tokens: Tokens<'_>) -> Result<(), TextError> {
        if self.frame.is_none() {
            return self.header.keyword(keyword, tokens, &mut self.report);
        }
        let error = keyword.error(
            Rule::BadStructure,
            "a bone or the number of a frame",
            format!("{}, which must precede the frames", keyword.shown()),
        );
        self.report.fault(error, "ignored")
    }

    /// Returns the track of a bone by name, exact or case-insensitive.
    fn find(&self, name: &[u8]) -> Option<usize> {
        let name = decode(name);
        let exact = self.exact.get(name.as_str());
        exact
            .or_else(|| self.folded.get(&name.to_ascii_lowercase()))
            .copied()
    }

    /// Handles a word that is neither a bone nor a number.
    fn stranger(&mut self, name: Token<'_>) -> Result<(), TextError> {
        if self.frame.is_none() {
            return Err(self.before_frames(name));
        }
        let error = name.error(Rule::UnknownBone, "a bone of the skeleton", name.shown());
        if !self.report.lenient {
            return Err(error);
        }
        // Once per name, and for at most as many names as warnings are kept.
        if self.unknown.len() < MAX_WARNINGS && self.unknown.insert(decode(name.text)) {
            self.report.fault(error, "ignored in all frames")?;
        }
        Ok(())
    }

    fn before_frames(&self, name: Token<'_>) -> TextError {
        if self.header.begun {
            let expected = "the number of a frame before the first bone";
            name.error(Rule::DataBeforeFrame, expected, name.shown())
        } else {
            let expected = "`:FULLY-SPECIFIED` of an AMC motion, or the number of a frame";
            name.error(Rule::NotThisFormat, expected, name.shown())
        }
    }

    fn bone(
        &mut self,
        name: Token<'a>,
        track: usize,
        tokens: Tokens<'_>,
        is_last: bool,
    ) -> Result<(), TextError> {
        if self.frame.is_none() {
            return Err(self.before_frames(name));
        }
        let asf = self.asf;
        let bone = track.checked_sub(1).and_then(|bone| asf.bones.get(bone));
        let dofs = bone.map_or(asf.root.order.as_slice(), |bone| bone.dof.as_slice());
        if dofs.is_empty() {
            let error = name.error(
                Rule::UnexpectedBone,
                "a bone that moves",
                format!("{}, which has no `dof` in the skeleton", name.shown()),
            );
            if self.warn_once(track) {
                self.report.fault(error, "ignored in all frames")?;
            }
            return Ok(());
        }
        let current = self.ordinal;
        let Some(seen) = self.seen.get_mut(track) else {
            return Ok(());
        };
        if *seen == current {
            return Err(name.error(
                Rule::DuplicateBoneInFrame,
                "each bone once in a frame",
                format!("{} again", name.shown()),
            ));
        }
        let count = tokens.clone().count();
        // A truncated file ends in a line that is too short, or in an incomplete number.
        if is_last && self.report.lenient && count < dofs.len() {
            return Ok(());
        }
        *seen = current;
        self.seen_now += 1;
        self.values(name, track, dofs, tokens, count)?;
        self.learn(name.text, track);
        Ok(())
    }

    fn values(
        &mut self,
        name: Token<'_>,
        track: usize,
        dofs: &[Dof],
        tokens: Tokens<'_>,
        count: usize,
    ) -> Result<(), TextError> {
        let first = self.slots.get(track).map_or(0, |slots| slots.first);
        let row = self.rows.row().get_mut(first..).unwrap_or_default();
        for (token, (value, dof)) in tokens.clone().zip(row.iter_mut().zip(dofs)) {
            *value = token.number(&format!("{dof} of bone {}", name.shown()))?;
        }
        if count == dofs.len() {
            return Ok(());
        }
        let s = if dofs.len() == 1 { "" } else { "s" };
        let wrong_token = tokens.clone().nth(dofs.len()).unwrap_or(name);
        Err(wrong_token.error(
            Rule::ValueCount,
            format!(
                "{} value{s} ({}) for bone {}",
                dofs.len(),
                names(dofs),
                name.shown()
            ),
            count.to_string(),
        ))
    }

    /// Records the order of the first frame, and the expected next bone.
    fn learn(&mut self, name: &'a [u8], track: usize) {
        let Some(place) = self.places.get_mut(track) else {
            return;
        };
        let place = *place.get_or_insert_with(|| {
            self.order.push(ExpectedBone { name, track });
            self.order.len() - 1
        });
        self.next = place + 1;
    }

    /// Returns whether this is the first warning about a bone.
    pub(super) fn warn_once(&mut self, track: usize) -> bool {
        let warned = self.warned.get_mut(track);
        warned.is_some_and(|warned| !std::mem::replace(warned, true))
    }
}
