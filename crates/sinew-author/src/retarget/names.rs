//! Names of joints: from `mixamorig:LeftForeArm` to "the lower arm, left".
//!
//! A name is split into words at separators, at digits and where the case changes; full-width letters become ASCII;
//! the namespace (`mixamorig:`), prefixes of exporters (`Bip01 `, `CC_Base_`, `J_Bip_C_`) and their numbers (`_09`)
//! are removed; the side (`Left`, `_l`, `.L`, `lfemur`, `左`) is taken out. The remaining words, joined, are the key of
//! the tables in [`super::words`]. Names of which only a part is a known word count for less.
//!
//! Cost: linear in the length of the name times the number of known words; names are cut at [`MAX_WORDS`] words.

use super::role::BodyPart;
use super::words;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use sinew::skeleton::Side;

/// Words of a name that are used; longer names are no joints of bodies.
const MAX_WORDS: usize = 12;

/// The score of a name of which only a part is a known word: `HeroForeArm`.
const PARTIAL: f32 = 0.85;

/// The factor for the second and later of numbered joints of a part that one joint plays: `upperleg02`.
const LATER: f32 = 0.8;

/// The side in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSide {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
    /// The side towards the viewer of a 2D character.
    Near,
    /// The side away from the viewer of a 2D character.
    Far,
}

/// The name of a joint, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct JointName {
    /// The words without side, prefixes and digits, lower case.
    words: Vec<String>,
    /// The words, joined.
    key: String,
    /// The side, if the name has one.
    side: Option<NameSide>,
    /// The first number after the words.
    number: Option<u32>,
    /// Whether a word excludes it from every role: `ik_foot_l`, `lowerarm_twist_01_l`.
    is_helper: bool,
}

impl JointName {
    /// Takes a name apart.
    pub fn new(name: &str) -> Self {
        let mut split = split(name);
        split.truncate(MAX_WORDS);
        let mut side = None;
        let mut number = None;
        let mut words: Vec<String> = Vec::new();
        for word in split {
            if let Ok(digits) = word.parse::<u32>() {
                let has_word = words
                    .iter()
                    .any(|word| !words::NOISE.contains(&word.as_str()));
                if has_word && number.is_none() {
                    number = Some(digits);
                }
            } else if let Some(found) = side_of_word(&word)
                && side.is_none()
            {
                side = Some(found);
            } else {
                words.push(word);
            }
        }
        without_noise(&mut words);
        let mut key = words.concat();
        if side.is_none()
            && let Some((found, rest)) = side_in_word(&key)
        {
            side = Some(found);
            words = alloc::vec![rest.to_owned()];
            key = rest.to_owned();
        }
        // MakeHuman begins the names of joints that only connect others with two underscores.
        let is_known = words::parts_of(&key, side.is_some()).is_some();
        let is_helper =
            name.starts_with("__") || (!is_known && words.iter().any(|word| is_helper_word(word)));
        Self {
            words,
            key,
            side,
            number,
            is_helper,
        }
    }

    /// Returns the words without side, prefixes and digits, joined: `forearm`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the side in the name.
    pub fn side(&self) -> Option<NameSide> {
        self.side
    }

    /// Returns the number in the name: 2 for `Spine2`.
    pub fn number(&self) -> Option<u32> {
        self.number
    }

    /// Returns whether a word excludes it from every role.
    pub fn is_helper(&self) -> bool {
        self.is_helper
    }

    /// Returns whether one of its words is in a list.
    #[cfg(feature = "skelform")]
    pub(super) fn has_word(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }

    /// Returns the side of the body, given the side that is near the viewer.
    pub fn body_side(&self, near: Side) -> Option<Side> {
        let other = match near {
            Side::Left => Side::Right,
            _ => Side::Left,
        };
        self.side.map(|side| match side {
            NameSide::Left => Side::Left,
            NameSide::Right => Side::Right,
            NameSide::Near => near,
            NameSide::Far => other,
        })
    }

    /// Returns how well the name names a part of the body, 0 to 1, regardless of the side and of other joints.
    pub fn score(&self, part: BodyPart) -> f32 {
        if self.is_helper || (self.side.is_some() && !part.is_sided()) {
            return 0.0;
        }
        let is_finger = |word: &String| words::FINGERS.contains(&word.as_str());
        let exact = words::parts_of(&self.key, self.side.is_some());
        let (parts, factor) = match exact {
            Some(parts) => (parts, 1.0),
            None if self.words.iter().any(is_finger) => {
                return f32::from(u8::from(part == BodyPart::Finger));
            }
            None => match self.partial() {
                Some(parts) => (parts, PARTIAL),
                None => return 0.0,
            },
        };
        let found = parts.iter().find(|(known, _)| *known == part);
        let score = found.map_or(0.0, |(_, score)| score * factor);
        // `leg_2` and `leg_3` may be the lower leg and the foot; `upperleg02` is only a part of the upper leg.
        let is_first_part = matches!(
            part,
            BodyPart::Clavicle | BodyPart::UpperArm | BodyPart::UpperLeg
        );
        let is_single = !part.is_chain() && part != BodyPart::Chest;
        let is_later = self.number.is_some_and(|number| number > 1);
        if is_later && is_single && (is_first_part || score >= PARTIAL) {
            score * LATER
        } else {
            score
        }
    }

    /// Returns the parts of the longest sequence of words that is known; of equal ones the first.
    fn partial(&self) -> Option<&'static [(BodyPart, f32)]> {
        let mut best: Option<(usize, &'static [(BodyPart, f32)])> = None;
        for start in 0..self.words.len() {
            let mut sequence = String::new();
            for word in self.words.iter().skip(start) {
                sequence.push_str(word);
                let Some(parts) = words::parts_of(&sequence, self.side.is_some()) else {
                    continue;
                };
                if best.is_none_or(|(length, _)| sequence.len() > length) {
                    best = Some((sequence.len(), parts));
                }
            }
        }
        best.map(|(_, parts)| parts)
    }
}

/// Takes the names of a skeleton apart. Numbers that an exporter appended to all joints (`b_LeftHand_011`) are removed:
/// every name ends in one, and no two are equal.
pub(super) fn joint_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<JointName> {
    let numbers = names.clone().filter_map(exporter_number);
    let mut numbers: Vec<u32> = numbers.collect();
    let count = names.clone().count();
    let numbered = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    // Two or three joints above the body are often added by a later exporter.
    let is_exported = numbered > 8 && numbered + 3 >= count && numbers.len() == numbered;
    let parse = |name: &str| match exporter_number(name) {
        Some(_) if is_exported => {
            let end = name.rfind('_').unwrap_or(name.len());
            JointName::new(&name[..end])
        }
        _ => JointName::new(name),
    };
    names.map(parse).collect()
}

/// Returns the number after the last underscore, if only digits follow it.
fn exporter_number(name: &str) -> Option<u32> {
    let (_, digits) = name.rsplit_once('_')?;
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits {
        digits.parse().ok()
    } else {
        None
    }
}

/// Splits a name into lower-case words and numbers, after its namespace.
fn split(name: &str) -> Vec<String> {
    let local = name.rsplit([':', '|', '：']).find(|rest| !rest.is_empty());
    let letters: Vec<char> = local.unwrap_or(name).chars().map(to_ascii).collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = None;
    for (index, &letter) in letters.iter().enumerate() {
        let next = letters.get(index + 1).copied();
        let is_new = before.is_some_and(|before: char| is_boundary(before, letter, next));
        if (is_new || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
        if letter.is_alphanumeric() || letter == 'ー' {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns whether a word begins at `letter`: after digits, before digits, at a capital after small letters, at the
/// last of several capitals (`LHip`), around the Japanese words for left, right and twist.
fn is_boundary(before: char, letter: char, next: Option<char>) -> bool {
    let is_apart = |letter: char| "左右捩親".contains(letter);
    let kind = |letter: char| (letter.is_ascii_digit(), letter.is_ascii_alphabetic());
    kind(before) != kind(letter)
        || is_apart(letter) && !(letter == '親' && next == Some('指'))
        || is_apart(before) && !(before == '親' && letter == '指')
        || letter.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_uppercase()
                    && next.is_some_and(|next| next.is_ascii_lowercase()))
}

/// Returns the ASCII form of a full-width letter or digit.
fn to_ascii(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        _ => letter,
    }
}

fn side_of_word(word: &str) -> Option<NameSide> {
    match word {
        "l" | "left" | "lft" | "hidari" | "左" => Some(NameSide::Left),
        "r" | "right" | "rgt" | "migi" | "右" => Some(NameSide::Right),
        "near" => Some(NameSide::Near),
        "far" => Some(NameSide::Far),
        _ => None,
    }
}

/// Returns the side at the beginning or the end of a word that is otherwise known: `lfemur`, `fingerleft`.
fn side_in_word(word: &str) -> Option<(NameSide, &str)> {
    if words::parts_of(word, false).is_some() {
        return None;
    }
    let is_known = |rest: &str| words::parts_of(rest, true).is_some();
    for (text, side) in [
        ("left", NameSide::Left),
        ("right", NameSide::Right),
        ("l", NameSide::Left),
        ("r", NameSide::Right),
    ] {
        if let Some(rest) = word.strip_prefix(text)
            && is_known(rest)
        {
            return Some((side, rest));
        }
    }
    for (text, side) in [("left", NameSide::Left), ("right", NameSide::Right)] {
        if let Some(rest) = word.strip_suffix(text)
            && is_known(rest)
        {
            return Some((side, rest));
        }
    }
    None
}

fn is_helper_word(word: &str) -> bool {
    words::HELPERS.contains(&word)
}

/// Removes words without meaning, unless nothing would remain. `joint` after `hip` and `shoulder`, and `base` after
/// other words than `cc`, are kept.
fn without_noise(words: &mut Vec<String>) {
    let is_noise = |index: usize, word: &str| {
        let before = index.checked_sub(1).and_then(|index| words.get(index));
        let before = before.map_or("", String::as_str);
        match word {
            "joint" => !matches!(before, "hip" | "shoulder"),
            "base" => before == "cc",
            _ => words::NOISE.contains(&word),
        }
    };
    let kept = words.iter().enumerate();
    let kept: Vec<String> = kept
        .filter(|(index, word)| !is_noise(*index, word))
        .map(|(_, word)| word.clone())
        .collect();
    if !kept.is_empty() {
        *words = kept;
    } else if words.len() > 1 {
        words.truncate(1);
    }
}
