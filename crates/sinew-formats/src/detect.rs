//! Which format a file is in, told by its content or promised by its name.

use std::path::Path;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A SkelForm character: an archive, or `armature.json`.
    Skf,
    /// An Acclaim skeleton.
    Asf,
    /// An Acclaim motion.
    Amc,
    /// A Biovision motion.
    Bvh,
    /// glTF as text.
    Gltf,
    /// glTF in its binary container.
    Glb,
    /// Motions as JSON of our own; see [`crate::json`].
    Json,
    /// An Urho3D or rbfx animation; see [`crate::xml`].
    Xml,
    /// Packed animations; see [`crate::pack`].
    Sinew,
}

impl Format {
    /// What people call it.
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
        }
    }

    /// The format that the ending of a file's name promises, in capitals or not: `asf`, `amc`, `bvh`,
    /// `gltf`, `glb`, `skf`, `skfe`, `sinew`. `None` for others, `json` and `xml` among them, which may be anything.
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

    /// Whether files of it hold motion in three dimensions, or a skeleton for it.
    pub fn is_motion(self) -> bool {
        self != Self::Skf
    }
}

/// Bytes that are looked at to tell one JSON file from another, and a skeleton from a motion.
const LOOK: usize = 1 << 16;

/// Words that begin a section of a skeleton file.
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

/// Words of the header of a motion file.
const AMC_WORDS: [&[u8]; 7] = [
    b":fully-specified",
    b":degrees",
    b":radians",
    b":samples-per-second",
    b":frame-range",
    b":asf-file",
    b":asf-path",
];

/// Tells the format of a file from its first bytes; `None` when it is none of them.
///
/// It looks at how a file begins and never says that the rest is in order.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"glTF") {
        return Some(Format::Glb);
    }
    if bytes.starts_with(&crate::pack::MAGIC) {
        return Some(Format::Sinew);
    }
    if bytes.starts_with(b"PK") {
        return Some(Format::Skf);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let word = first_word(bytes)?;
    if word.starts_with(b"{") {
        return Some(json(bytes));
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
    // A motion without a header begins with the number of its first frame.
    word.iter().all(u8::is_ascii_digit).then_some(Format::Amc)
}

fn starts_like(word: &[u8], name: &[u8]) -> bool {
    word.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The first word that is in no comment.
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

/// The first known keyword that begins a line decides, for either format may begin with keywords of
/// some program's own. Without one, a frame number alone on its line makes a motion.
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
        let is = |name: &&[u8]| word.eq_ignore_ascii_case(name);
        if ASF_SECTIONS.iter().any(is) {
            return Format::Asf;
        }
        if AMC_WORDS.iter().any(is) {
            return Format::Amc;
        }
        has_frames |= word.iter().all(u8::is_ascii_digit) && words.next().is_none();
    }
    if has_frames { Format::Amc } else { Format::Asf }
}

/// Ours says so; glTF must say what made it; characters have bones.
fn json(bytes: &[u8]) -> Format {
    let look = bytes.get(..LOOK).unwrap_or(bytes);
    if is_ours(look) {
        return Format::Json;
    }
    let at = |name: &[u8]| look.windows(name.len()).position(|window| window == name);
    match (at(b"\"asset\""), at(b"\"bones\"").or(at(b"\"armatures\""))) {
        (Some(_), None) => Format::Gltf,
        (Some(asset), Some(bones)) if asset < bones => Format::Gltf,
        (None, None) if at(b"\"nodes\"").or(at(b"\"buffers\"")).is_some() => Format::Gltf,
        // Ours, written by a program that sorts fields.
        (None, None) if at(b"\"frame_rate\"").or(at(b"\"tracks\"")).is_some() => Format::Json,
        _ => Format::Skf,
    }
}

/// Whether a JSON object has the field `"format": "sinew-motion"`, no deeper than itself.
fn is_ours(object: &[u8]) -> bool {
    let mut rest = object;
    let mut depth = 0_usize;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let (text, after) = json_text(rest);
                rest = after;
                let value = after.trim_ascii_start().strip_prefix(b":");
                if let (1, b"format", Some(value)) = (depth, text, value) {
                    return value.trim_ascii_start().starts_with(b"\"sinew-motion\"");
                }
            }
            _ => {}
        }
    }
    false
}

/// What stands before the closing quote, and behind it.
fn json_text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut escaped = false;
    let end = bytes.iter().position(|byte| {
        let is_end = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_end
    });
    let end = end.unwrap_or(bytes.len());
    let after = bytes.get(end.saturating_add(1)..).unwrap_or_default();
    (bytes.get(..end).unwrap_or_default(), after)
}

/// Whether the first element of an XML file is `<animation>`.
fn is_xml_animation(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(..LOOK).unwrap_or(bytes).trim_ascii_start();
    loop {
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            b"?>"
        } else {
            break;
        };
        let found = rest.windows(end.len()).position(|window| window == end);
        let after = found.and_then(|at| rest.get(at.saturating_add(end.len())..));
        rest = after.unwrap_or_default().trim_ascii_start();
    }
    let after = rest.strip_prefix(b"<animation").unwrap_or_default();
    after
        .first()
        .is_some_and(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte))
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
            // Fields in order of their names, and the last of them far away.
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
            (r#"{"format"#, Format::Skf),
            (r#"{"format":"#, Format::Skf),
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
