//! Which format a JSON file is in, by the keys of its outermost object.

use super::Format;

/// Keys that only glTF has at the top. `asset` is required there, but may come last where a program sorts keys.
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

/// Keys that only a character has at the top.
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

/// Bytes of a key or of the value of `format` that are kept: every known one is shorter.
const KEPT: usize = 32;

/// Keys that are kept for a message.
const TOLD: usize = 6;

/// Follows a JSON text, piece by piece, until a key of its outermost object tells the format. The work is one step per
/// byte, and nothing is kept but the key at hand and a few keys for a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopKeys {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Whether the next text at the top is a key.
    key_next: bool,
    /// The text at hand, while at the top.
    text: Vec<u8>,
    is_format: bool,
    found: Option<Format>,
    is_over: bool,
    told: Vec<String>,
}

impl TopKeys {
    /// Reads the next bytes; the format once it is known.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Option<Format> {
        for &byte in bytes {
            if self.found.is_some() || self.is_over {
                break;
            }
            self.step(byte);
        }
        self.found
    }

    /// Whether the outermost object is closed, so that nothing follows that could tell.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The first keys of the outermost object, for a message.
    pub(crate) fn told(&self) -> &[String] {
        &self.told
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
            if self.depth == 1 && self.text.len() <= KEPT {
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
            }
            self.is_format = false;
            return;
        }
        self.is_format = text == b"format";
        if self.told.len() < TOLD {
            self.told.push(String::from_utf8_lossy(text).into_owned());
        }
        if GLTF.contains(&text) {
            self.found = Some(Format::Gltf);
        } else if CHARACTER.contains(&text) {
            self.found = Some(Format::Skf);
        } else if text == b"joints" {
            self.found = Some(Format::Json);
        }
    }
}
