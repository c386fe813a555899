//! Detection of a JSON format from the keys of its outermost object.

use super::Format;

/// Top-level keys that only glTF has. `asset` is required there, but may come last if a program sorts keys.
const GLTF: [&[u8]; 16] = [
    b"asset",
    b"accessors",
    b"bufferViews",
    b"buffers",
    b"cameras",
    b"extensionsRequired",
    b"extensionsUsed",
    b"images",
    b"materials",
    b"meshes",
    b"nodes",
    b"samplers",
    b"scene",
    b"scenes",
    b"skins",
    b"skeletons",
];

/// Top-level keys that only a character has.
const CHARACTER: [&[u8]; 9] = [
    b"armature",
    b"armatures",
    b"atlases",
    b"baked_ik",
    b"bones",
    b"ik_families",
    b"ik_root_ids",
    b"styles",
    b"visuals",
];

/// The largest number of bytes kept of a key, or of the value of `format`; each known one is shorter.
const MAX_TEXT_BYTES: usize = 32;

/// The largest number of keys kept for a message.
const MAX_MESSAGE_KEYS: usize = 6;

/// Scans JSON incrementally until a key of the outermost object identifies the format. Takes one step per byte and
/// stores only the current key and a few keys for a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopKeys {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Whether the next top-level string is a key.
    key_next: bool,
    /// The current top-level string.
    text: Vec<u8>,
    is_format: bool,
    found: Option<Format>,
    is_over: bool,
    first_keys: Vec<String>,
}

impl TopKeys {
    /// Scans the next bytes; returns the format once it is known.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Option<Format> {
        for &byte in bytes {
            if self.found.is_some() || self.is_over {
                break;
            }
            self.step(byte);
        }
        self.found
    }

    /// Returns whether the outermost object is closed, so that no more keys follow.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the first keys of the outermost object, for a message.
    pub(crate) fn first_keys(&self) -> &[String] {
        &self.first_keys
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_text = false;
                if self.depth == 1 {
                    self.end_of_text();
                }
                return;
            }
            if self.depth == 1 && self.text.len() <= MAX_TEXT_BYTES {
                self.text.push(byte);
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.text.clear();
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.key_next = self.depth == 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_over = self.depth == 0;
            }
            b',' if self.depth == 1 => self.key_next = true,
            b':' if self.depth == 1 => self.key_next = false,
            _ => {}
        }
    }

    fn end_of_text(&mut self) {
        let text = self.text.as_slice();
        if !self.key_next {
            if self.is_format && text == b"sinew-motion" {
                self.found = Some(Format::Json);
            } else if self.is_format && text == b"sinew-roles" {
                self.found = Some(Format::Roles);
            }
            self.is_format = false;
            return;
        }
        self.is_format = text == b"format";
        if self.first_keys.len() < MAX_MESSAGE_KEYS {
            self.first_keys
                .push(String::from_utf8_lossy(text).into_owned());
        }
        if GLTF.contains(&text) {
            self.found = Some(Format::Gltf);
        } else if CHARACTER.contains(&text) {
            self.found = Some(Format::Skf);
        } else if text == b"joints" {
            self.found = Some(Format::Json);
        } else if text == b"roles" {
            self.found = Some(Format::Roles);
        }
    }
}
