//! Which format a file is in, told by its content.

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
        }
    }

    /// Whether files of it hold motion in three dimensions, or a skeleton for it.
    pub fn is_motion(self) -> bool {
        self != Self::Skf
    }
}

/// Bytes that are looked at to tell one JSON file from another.
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

/// Tells the format of a file from its first bytes; `None` when it is none of them.
///
/// It looks at how a file begins and never says that the rest is in order.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"glTF") {
        return Some(Format::Glb);
    }
    if bytes.starts_with(b"PK") {
        return Some(Format::Skf);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let word = first_word(bytes)?;
    if word.starts_with(b"{") {
        return Some(json(bytes));
    }
    if starts_like(word, b"HIERARCHY") {
        return Some(Format::Bvh);
    }
    if word.starts_with(b":") {
        let is_asf = ASF_SECTIONS
            .iter()
            .any(|section| word.eq_ignore_ascii_case(section));
        return Some(if is_asf { Format::Asf } else { Format::Amc });
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

/// glTF must say what made it; characters have bones.
fn json(bytes: &[u8]) -> Format {
    let look = bytes.get(..LOOK).unwrap_or(bytes);
    let at = |name: &[u8]| look.windows(name.len()).position(|window| window == name);
    match (at(b"\"asset\""), at(b"\"bones\"").or(at(b"\"armatures\""))) {
        (Some(_), None) => Format::Gltf,
        (Some(asset), Some(bones)) if asset < bones => Format::Gltf,
        (None, None) if at(b"\"nodes\"").or(at(b"\"buffers\"")).is_some() => Format::Gltf,
        _ => Format::Skf,
    }
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
            b"12x",
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
            (b" {\n\"asset\": {\"version\": \"2.0\"}}", Format::Gltf),
            (b"{\"nodes\": []}", Format::Gltf),
            (b"hierarchy\nROOT hips", Format::Bvh),
            (b"\xef\xbb\xbfHIERARCHY\r\n", Format::Bvh),
            (b"# AST/ASF file\r\n:version 1.10", Format::Asf),
            (b"\n  :UNITS\n", Format::Asf),
            (b"#!OML:ASF F:\\07.asf\n:FULLY-SPECIFIED\n", Format::Amc),
            (b":SAMPLES-PER-SECOND 30", Format::Amc),
            (b"#DUMMY\r17\rroot 0 0 0", Format::Amc),
        ] {
            assert_eq!(detect(bytes), Some(format), "{bytes:?}");
        }
    }
}
