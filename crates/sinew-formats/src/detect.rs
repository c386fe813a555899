//! Detection of file formats from content or file name.

mod json_keys;

use crate::escape;
use crate::limits::MAX_FILE_BYTES;
use crate::text::without_bom;
use json_keys::TopKeys;
use std::io::{self, Read};
use std::path::Path;

/// A readable file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A SkelForm character: an archive, or `armature.json`.
    Skf,
    /// An Acclaim skeleton.
    Asf,
    /// An Acclaim motion.
    Amc,
    /// A Biovision motion (BVH).
    Bvh,
    /// glTF as JSON.
    Gltf,
    /// glTF in its binary container.
    Glb,
    /// Sinew's JSON motions; see the module `json`.
    Json,
    /// An Urho3D or rbfx animation; see the module `xml`.
    Xml,
    /// Packed animations; see the module `pack`.
    Sinew,
    /// A role map for retargeting; see the module `role_map`.
    Roles,
}

impl Format {
    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skf => "SkelForm",
            Self::Asf => "ASF",
            Self::Amc => "AMC",
            Self::Bvh => "BVH",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
            Self::Json => "JSON",
            Self::Xml => "XML",
            Self::Sinew => "sinew",
            Self::Roles => "role map",
        }
    }

    /// Returns the format of a file name extension, case-insensitive: `asf`, `amc`, `bvh`, `gltf`, `glb`, `skf`,
    /// `skfe`, `sinew`. Returns `None` for others, including the ambiguous `json` and `xml`.
    pub fn from_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "asf" => Some(Self::Asf),
            "amc" => Some(Self::Amc),
            "bvh" => Some(Self::Bvh),
            "gltf" => Some(Self::Gltf),
            "glb" => Some(Self::Glb),
            "skf" | "skfe" => Some(Self::Skf),
            "sinew" => Some(Self::Sinew),
            _ => None,
        }
    }

    /// Returns whether files of this format hold 3D motion, or a skeleton for it.
    pub fn is_motion(self) -> bool {
        !matches!(self, Self::Skf | Self::Roles)
    }
}

/// Magic bytes of packed animations. As in PNG, a non-ASCII byte, both styles of line ends and a DOS end-of-file
/// character detect text-mode transfers.
pub(crate) const PACK_MAGIC: [u8; 8] = *b"\x8bSNW\r\n\x1a\n";

/// Number of bytes inspected to distinguish JSON formats, and a skeleton from a motion.
const LOOK: usize = 1 << 16;

/// Keywords that begin a section of a skeleton file.
const ASF_SECTIONS: [&[u8]; 8] = [
    b":version",
    b":name",
    b":units",
    b":documentation",
    b":root",
    b":bonedata",
    b":hierarchy",
    b":skin",
];

/// Keywords of the header of a motion file.
const AMC_WORDS: [&[u8]; 7] = [
    b":fully-specified",
    b":degrees",
    b":radians",
    b":samples-per-second",
    b":frame-range",
    b":asf-file",
    b":asf-path",
];

/// Detects the format of a file from its first bytes; `None` if it is unknown.
///
/// Inspects the beginning of a file and does not validate the rest. For JSON, `bytes` must include a key of the
/// outermost object that is unique to one format; [`detect_reader`] reads until it finds one.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"glTF") {
        return Some(Format::Glb);
    }
    if bytes.starts_with(&PACK_MAGIC) {
        return Some(Format::Sinew);
    }
    if bytes.starts_with(b"PK") {
        return Some(Format::Skf);
    }
    let bytes = without_bom(bytes);
    let word = first_word(bytes)?;
    if word.starts_with(b"{") {
        return json(bytes);
    }
    if word.starts_with(b"<") {
        return is_xml_animation(bytes).then_some(Format::Xml);
    }
    if starts_like(word, b"HIERARCHY") {
        return Some(Format::Bvh);
    }
    if word.starts_with(b":") {
        return Some(acclaim(bytes));
    }
    // A motion without a header begins with its first frame number.
    word.iter().all(u8::is_ascii_digit).then_some(Format::Amc)
}

/// Detects the format of the data of a reader, and returns its first 64 KiB for [`describe`].
///
/// For JSON it reads until a key of the outermost object identifies the format, in any key order, at most
/// [`MAX_FILE_BYTES`] and without storing them.
///
/// # Errors
/// If reading fails.
pub fn detect_reader(mut reader: impl Read) -> io::Result<(Option<Format>, Vec<u8>)> {
    let mut beginning = Vec::new();
    reader
        .by_ref()
        .take(LOOK as u64)
        .read_to_end(&mut beginning)?;
    let is_whole = beginning.len() < LOOK;
    let text = without_bom(&beginning);
    let is_json = first_word(text).is_some_and(|word| word.starts_with(b"{"));
    if !is_json || is_whole {
        return Ok((detect(&beginning), beginning));
    }
    let mut keys = TopKeys::default();
    let mut found = keys.push(text);
    let mut chunk = vec![0; LOOK];
    let mut left = MAX_FILE_BYTES;
    while found.is_none() && !keys.is_over() && left > 0 {
        let read = match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        left = left.saturating_sub(read as u64);
        found = keys.push(chunk.get(..read).unwrap_or_default());
    }
    Ok((found.or_else(|| detect(&beginning)), beginning))
}

/// Magic bytes and descriptions of other common file types.
const OTHERS: [(&[u8], &str); 22] = [
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ", "a program (Windows)"),
    (b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
    (b"#!", "a script"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"RIFF", "a RIFF file (sound, film or WebP)"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (
        b"Kaydara FBX Binary",
        "an FBX file; export it as glTF or BVH",
    ),
    (b"; FBX", "an FBX file; export it as glTF or BVH"),
    (b"BLENDER", "a Blender file; export it as glTF or BVH"),
    (b"#usda", "a USD file; export it as glTF"),
    (b"PXR-USDC", "a USD file; export it as glTF"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
];

/// Describes a file of an unsupported format from its first bytes, for a message: `a program (ELF)`.
pub fn describe(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, name)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return (*name).to_owned();
    }
    let text = without_bom(bytes);
    let start = text.trim_ascii_start();
    if start.starts_with(b"{") {
        let mut keys = TopKeys::default();
        keys.push(text);
        let shown_keys: Vec<String> = keys
            .first_keys()
            .iter()
            .map(|key| escape::text(key))
            .collect();
        return match shown_keys.is_empty() {
            true => "a JSON object without keys".to_owned(),
            false => format!("a JSON object with the keys {}", shown_keys.join(", ")),
        };
    }
    if start.starts_with(b"[") {
        return "a JSON list".to_owned();
    }
    if start.starts_with(b"<") {
        let name = xml_element(text);
        return match name {
            b"" => "XML without an element".to_owned(),
            name => format!(
                "XML whose first element is {}",
                escape::text(&String::from_utf8_lossy(name))
            ),
        };
    }
    let start = text.get(..40).unwrap_or(text);
    let is_control = |byte: &u8| *byte < 32 && !b"\t\r\n\x0c".contains(byte);
    if start.iter().any(is_control) {
        let bytes = start.iter().take(8).map(|byte| format!("{byte:02x}"));
        return format!(
            "binary data that begins with {}",
            bytes.collect::<Vec<_>>().join(" ")
        );
    }
    escape::text(&String::from_utf8_lossy(start))
}

fn starts_like(word: &[u8], name: &[u8]) -> bool {
    word.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Returns the first word outside of comments.
fn first_word(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        if rest.first()? != &b'#' {
            break;
        }
        let end = rest.iter().position(|byte| b"\r\n".contains(byte))?;
        rest = rest.get(end..)?;
    }
    let end = rest.iter().position(u8::is_ascii_whitespace);
    rest.get(..end.unwrap_or(rest.len()))
}

/// The first known keyword at the start of a line decides, since either format may begin with application-specific
/// keywords. Without one, a frame number alone on its line identifies a motion.
fn acclaim(bytes: &[u8]) -> Format {
    let look = bytes.get(..LOOK).unwrap_or(bytes);
    let mut has_frames = false;
    for line in look.split(|byte| b"\r\n".contains(byte)) {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let Some(word) = words.next() else {
            continue;
        };
        let is_word = |name: &&[u8]| word.eq_ignore_ascii_case(name);
        if ASF_SECTIONS.iter().any(is_word) {
            return Format::Asf;
        }
        if AMC_WORDS.iter().any(is_word) {
            return Format::Amc;
        }
        has_frames |= word.iter().all(u8::is_ascii_digit) && words.next().is_none();
    }
    if has_frames { Format::Amc } else { Format::Asf }
}

/// Detects the format from the top-level keys; without a known one, from field names of Sinew's JSON.
fn json(bytes: &[u8]) -> Option<Format> {
    let found = TopKeys::default().push(bytes);
    let look = bytes.get(..LOOK).unwrap_or(bytes);
    let has = |name: &[u8]| look.windows(name.len()).any(|window| window == name);
    // Sinew's JSON, truncated, with keys sorted by another program.
    found.or((has(b"\"frame_rate\"") || has(b"\"tracks\"")).then_some(Format::Json))
}

/// Returns whether the root element of an XML file is `<animation>`.
fn is_xml_animation(bytes: &[u8]) -> bool {
    xml_element(bytes) == b"animation"
}

/// Returns the name of the root element of an XML file, after the prolog; empty if there is none.
fn xml_element(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes.get(..LOOK).unwrap_or(bytes).trim_ascii_start();
    loop {
        let end = if rest.starts_with(b"<!--") {
            after(rest, b"-->")
        } else if rest.starts_with(b"<?") {
            after(rest, b"?>")
        } else if starts_like(rest, b"<!DOCTYPE") {
            // A DOCTYPE may have an internal subset in brackets.
            let plain = rest.iter().position(|byte| b"[>".contains(byte));
            match plain.and_then(|offset| rest.get(offset)) {
                Some(b'[') => after(rest, b"]").and_then(|rest| after(rest, b">")),
                Some(_) => after(rest, b">"),
                None => None,
            }
        } else {
            break;
        };
        rest = end.unwrap_or_default().trim_ascii_start();
    }
    let name = rest.strip_prefix(b"<").unwrap_or_default();
    let end = name
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
    name.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Returns the bytes after the first `end`.
fn after<'a>(bytes: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    let found = bytes.windows(end.len()).position(|window| window == end)?;
    bytes.get(found.saturating_add(end.len())..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_format_is_none() {
        for bytes in [
            &b""[..],
            b" \n",
            b"# only a comment",
            b"hello",
            b"\x7fELF",
            b"\xef\xbb\xbf",
            b"\x8bSNW\n\x1a\n",
            b"12x",
            b"<",
            b"<!--",
            b"<?xml version=\"1.0\"?>",
            b"<animation",
            b"<animations>",
            b"<scene><animation length=\"1\"/></scene>",
            b"<!DOCTYPE html><html>",
            b"{\"format\"",
            b"{\"name\": \"asset\", \"scripts\": {\"bones\": 1}}",
        ] {
            assert_eq!(detect(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn every_format_is_known_by_its_beginning() {
        for (bytes, format) in [
            (&b"PK\x03\x04"[..], Format::Skf),
            (b"{\"version\":\"0.7.0\",\"bones\":[]}", Format::Skf),
            (b"{\"armatures\":[]}", Format::Skf),
            (b"{\"format\": \"sinew-roles\", \"version\"", Format::Roles),
            (b"{\"version\": 1, \"roles\": {}}", Format::Roles),
            (b"glTF\x02\0\0\0", Format::Glb),
            (b"\x8bSNW\r\n\x1a\n", Format::Sinew),
            (b" {\n\"asset\": {\"version\": \"2.0\"}}", Format::Gltf),
            (b"{\"nodes\": []}", Format::Gltf),
            (b"hierarchy\nROOT hips", Format::Bvh),
            (b"\xef\xbb\xbfHIERARCHY\r\n", Format::Bvh),
            (b"# AST/ASF file\r\n:version 1.10", Format::Asf),
            (b"\n  :UNITS\n", Format::Asf),
            (b"#!OML:ASF F:\\07.asf\n:FULLY-SPECIFIED\n", Format::Amc),
            (b":SAMPLES-PER-SECOND 30", Format::Amc),
            (b"#DUMMY\r17\rroot 0 0 0", Format::Amc),
            (b"<animation length=\"1\">", Format::Xml),
            (b"\xef\xbb\xbf<animation>", Format::Xml),
            (
                b"<!DOCTYPE animation [<!ENTITY a \"b\">]><animation>",
                Format::Xml,
            ),
            (b"<?xml?><!doctype animation><animation/>", Format::Xml),
            (
                b"<?xml version=\"1.0\"?>\n<!-- <scene> -->\n\t<animation\n",
                Format::Xml,
            ),
        ] {
            assert_eq!(detect(bytes), Some(format), "{bytes:?}");
        }
    }

    #[test]
    fn json_of_ours_says_so_itself() {
        for (text, format) in [
            (r#"{"format":"sinew-motion"}"#, Format::Json),
            // Sorted keys, the last of them beyond the inspected prefix.
            (
                r#"{"animations":[{"frame_rate":120.0,"length":1"#,
                Format::Json,
            ),
            (
                r#"{ "a": [{}], "format" : "sinew-motion", "asset": {} }"#,
                Format::Json,
            ),
            (r#"{"format": "sinew-motion", "bones"#, Format::Json),
            (r#"{"a\"": "}", "format": "sinew-motion"}"#, Format::Json),
            (r#"{"asset": {"format": "sinew-motion"}}"#, Format::Gltf),
            (r#"{"asset": "format", "x": "sinew-motion"}"#, Format::Gltf),
            (
                r#"{"bones": [], "format": "other", "x": "sinew-motion"}"#,
                Format::Skf,
            ),
            (
                r#"{"animations": [{"bones": 1}], "asset": {}}"#,
                Format::Gltf,
            ),
            (
                r#"{"animations": [{"asset": "x}{]["}], "bones": []}"#,
                Format::Skf,
            ),
        ] {
            assert_eq!(detect(text.as_bytes()), Some(format), "{text}");
        }
    }

    #[test]
    fn keywords_of_some_programs_own_decide_nothing() {
        for (bytes, format) in [
            (&b":vendor junk\n:version 1.10\n"[..], Format::Asf),
            (b":vendor\r\n 17\r\n:Units\r\n", Format::Asf),
            (b":vendor :degrees\n:bonedata\n", Format::Asf),
            (b":vendor\n# :degrees\n  :root\n", Format::Asf),
            (
                b":vendor junk\n:FULLY-SPECIFIED\n:DEGREES\n1\n",
                Format::Amc,
            ),
            (b":vendor junk\r:asf-file a.asf\r", Format::Amc),
            (b":vendor junk\n1\nroot 0 0 0\n", Format::Amc),
            (b":vendor junk\n1 2 3\n", Format::Asf),
            (b":vendor", Format::Asf),
        ] {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(detect(bytes), Some(format), "{text:?}");
        }
        let mut far = b":vendor\n".repeat(LOOK / 8);
        far.extend(b":degrees\n1\n");
        assert_eq!(detect(&far), Some(Format::Asf));
    }

    #[test]
    fn names_promise_formats() {
        for (name, format) in [
            ("a.asf", Some(Format::Asf)),
            ("takes/07_05.AMC", Some(Format::Amc)),
            ("a.b.bvh", Some(Format::Bvh)),
            ("a.gltf", Some(Format::Gltf)),
            ("a.Glb", Some(Format::Glb)),
            ("a.skf", Some(Format::Skf)),
            ("a.skfe", Some(Format::Skf)),
            ("a.sinew", Some(Format::Sinew)),
            ("armature.json", None),
            ("door.xml", None),
            ("asf", None),
            (".bvh", None),
            ("a.bvh.gz", None),
            ("", None),
        ] {
            assert_eq!(Format::from_name(Path::new(name)), format, "{name:?}");
        }
    }
}
