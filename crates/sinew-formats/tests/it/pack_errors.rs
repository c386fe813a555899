//! What is no `.sinew` file is refused, with a place.

use crate::common::play_pack;
use crate::pack_common;
use pack_common::{motion, one, packed, section, skeleton, with_notes, word};
use sinew::Animation;
use sinew::packed::Packing;
use sinew_formats::limits::{MAX_JOINTS, MAX_PACK_JOINTS};
use sinew_formats::pack::{self, Pack, PackEntry, PackError, PackView, Section};
use std::sync::Arc;

fn small() -> Vec<u8> {
    pack::write_bytes(&one(Packing::Small, 3, 20)).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    PackView::read(bytes).unwrap_err().to_string()
}

/// What is said of a file with one `u32` changed and all checksums right.
fn refused_with(offset: usize, number: u32) -> String {
    let mut bytes = small();
    bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
    play_pack::reseal_checksums(&mut bytes);
    refused(&bytes)
}

#[test]
fn files_of_another_kind_are_refused_at_their_first_bytes() {
    assert_eq!(refused(b""), "expected a .sinew file, found an empty file");
    assert_eq!(
        refused(b"HIERARCHY"),
        "expected a .sinew file, found \"HIERARCH\""
    );
    assert_eq!(
        refused(b"\x8bSNW\r"),
        "expected a .sinew file, found only its first 5 bytes"
    );
    let bytes = small();
    let as_text = String::from_utf8_lossy(&bytes).into_owned();
    for changed in [
        [&b"\x8bSNW\n\x1a\n"[..], &bytes[8..]].concat(),
        [&b"\x8bSNW\r\r\n\x1a\r\n"[..], &bytes[8..]].concat(),
        [&b"\x0bSNW\r\n\x1a\n"[..], &bytes[8..]].concat(),
        as_text.into_bytes(),
    ] {
        let error = refused(&changed);
        assert!(error.contains("as by a transfer of text"), "{error}");
    }
}

#[test]
fn other_versions_flags_and_kinds_are_refused() {
    assert_eq!(refused_with(8, 2), "version: expected 1, found 2");
    assert_eq!(
        refused_with(12, 4),
        "byte 12, header: expected flags of 0, found 0x4"
    );
    assert_eq!(
        refused_with(32, 3),
        "byte 32, directory: expected a kind of section: 1 (skeleton), 2 (animation) or one that may be \
         skipped, 0x80000000 and above, found 0x3"
    );
    assert_eq!(
        refused_with(36, 1),
        "byte 36, directory: expected flags of 0, found 0x1"
    );
    assert_eq!(
        refused_with(60, 1),
        "byte 60, directory: expected reserved field of 0, found 0x1"
    );
}

#[test]
fn empty_sections_may_be_omitted() {
    let mut bytes = small();
    bytes[64 + 3] = 0x80;
    play_pack::reseal_checksums(&mut bytes);
    let view = PackView::read(&bytes).unwrap();
    assert_eq!((view.skeletons().len(), view.animations().len()), (1, 0));
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    let error = refused(&bytes);
    assert!(
        error.starts_with("section 1, ") && error.contains("damaged"),
        "{error}"
    );
}

#[test]
fn damaged_sections_are_named() {
    let bytes = small();
    let [first, second] = [0, 1].map(|place| section(&bytes, place));
    for (offset, section) in [
        (24, Section::Directory),
        (29, Section::Directory),
        (90, Section::Directory),
        (first, Section::Skeleton(0)),
        (second + 40, Section::Animation(0)),
        (bytes.len() - 1, Section::Animation(0)),
    ] {
        let mut bytes = bytes.clone();
        bytes[offset] ^= 0x10;
        match PackView::read(&bytes) {
            Err(PackError::Damaged { section: found, .. }) => {
                assert_eq!(found, section, "{offset}")
            }
            // A count that the file has no room for is found before the checksum of what it counts.
            Err(PackError::Invalid { .. }) if offset == 24 => {}
            other => panic!("{offset}: {other:?}"),
        }
    }
    let padding = second - 1;
    let mut bytes = bytes;
    bytes[padding] = 7;
    assert_eq!(
        refused(&bytes),
        format!("byte {padding}, padding before section 1: expected zeros, found 0x07")
    );
}

#[test]
fn every_truncated_file_is_refused() {
    for packing in pack_common::PACKINGS {
        let bytes = pack::write_bytes(&one(packing, 3, 20)).unwrap();
        for length in 0..bytes.len() {
            assert!(PackView::read(&bytes[..length]).is_err(), "{length}");
            let mut sealed = bytes[..length].to_vec();
            play_pack::reseal(&mut sealed);
            assert!(PackView::read(&sealed).is_err(), "{length} with checksums");
        }
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = small();
    let length = bytes.len();
    bytes.push(0);
    assert_eq!(
        refused(&bytes),
        format!(
            "byte 16, header: expected the stated {length} bytes, found {}",
            length + 1
        )
    );
    play_pack::reseal(&mut bytes);
    assert_eq!(
        refused(&bytes),
        format!("byte {length}, padding before section 2: expected its end, found 1 bytes more")
    );
    bytes.resize(length + 4096, 0);
    play_pack::reseal(&mut bytes);
    assert!(refused(&bytes).ends_with("expected its end, found 4096 bytes more"));
}

#[test]
fn counts_that_the_bytes_cannot_hold_are_refused() {
    let bytes = small();
    let [first, second] = [0, 1].map(|place| section(&bytes, place));
    let body = second + 32;
    let fields = [
        ("sections", 24),
        ("offset", 40),
        ("offset, high", 44),
        ("length", 48),
        ("length, high", 52),
        ("joints", first),
        ("tips", first + 4),
        ("names", first + 8),
        ("reserved", first + 12),
        ("first parent", first + 16),
        ("first name", first + 16 + 12),
        ("skeleton", second),
        ("motion", second + 16),
        ("name", second + 20),
        ("info", second + 24),
        ("reserved", second + 28),
        ("packing", body),
        ("joints of the motion", body + 4),
        ("rows", body + 24),
    ];
    for (what, at) in fields {
        for number in [
            u32::MAX,
            u32::MAX - 1,
            1 << 31,
            1 << 24,
            word(&bytes, at).wrapping_add(1),
        ] {
            let is_root = what == "first parent" && number == u32::MAX;
            // One byte more of the next name, and one row more in the same segment.
            let is_near = number < 1000 && matches!(what, "first name" | "rows");
            if is_root || is_near {
                continue;
            }
            let error = refused_with(at, number);
            assert!(!error.contains("damaged"), "{what}: {error}");
        }
    }
    let error = refused_with(first, MAX_JOINTS as u32 + 1);
    assert_eq!(
        error,
        format!("byte {first}, skeleton 0: expected 1 to 4096 joints, found 4097")
    );
}

#[test]
fn counts_within_each_packing_are_checked() {
    for packing in pack_common::PACKINGS {
        let bytes = pack::write_bytes(&one(packing, 3, 20)).unwrap();
        let mut refused = 0;
        let body = section(&bytes, 1) + 32;
        let end = body + word(&bytes, body - 16) as usize;
        // Every four bytes of the motion as the largest numbers there are.
        for offset in body..end - 3 {
            for number in [u32::MAX, u32::MAX >> 1, 1 << 24] {
                let mut bytes = bytes.clone();
                bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
                play_pack::reseal_checksums(&mut bytes);
                if let Ok(view) = PackView::read(&bytes) {
                    let mut cursor = sinew::PackedCursor::new();
                    let (skeleton, animation) = view.find("walk").unwrap();
                    play_pack::sample(animation, skeleton, &mut cursor);
                } else {
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "{packing}");
    }
}

#[test]
fn invalid_numbers_are_refused() {
    let bytes = small();
    let [first, second] = [0, 1].map(|place| section(&bytes, place));
    let rest = first + 16 + 3 * 8;
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e20] {
        for offset in [rest, rest + 12, rest + 28, rest + 3 * 40 + 4] {
            let error = refused_with(offset, number.to_bits());
            assert!(
                error.starts_with(&format!("byte {offset}, skeleton 0: expected ")),
                "{error}"
            );
        }
    }
    for number in [f32::NAN, f32::INFINITY, -1.0] {
        let offset = second + 4;
        assert_eq!(
            refused_with(offset, number.to_bits()),
            format!(
                "byte {offset}, animation 0: expected length in seconds that is finite and not negative, \
                 found {number}"
            )
        );
    }
    let high = |number: f64| (number.to_bits() >> 32) as u32;
    for number in [f64::INFINITY, -30.0, -0.0] {
        let error = refused_with(second + 12, high(number));
        assert!(
            error.contains("a frame rate above zero, or 0 for none"),
            "{error}"
        );
    }
}

#[test]
fn invalid_skeletons_are_refused() {
    let first = section(&small(), 0);
    let error = refused_with(first + 16 + 4, 2);
    assert!(error.contains("does not follow its parent"), "{error}");
    // The first name as long as none.
    let error = refused_with(first + 16 + 12, 0);
    assert!(error.contains("has no name"), "{error}");
    let mut bytes = small();
    let tips = first + 16 + 3 * 48;
    let names = tips + 16 * word(&bytes, first + 4) as usize;
    bytes[names] = 0xff;
    play_pack::reseal_checksums(&mut bytes);
    assert!(refused(&bytes).contains("name of a joint in UTF-8"));
}

#[test]
fn invalid_metadata_is_refused() {
    let skeleton = skeleton(1);
    let mut source = motion(&skeleton, "walk", 20);
    source.add_trigger(0.1, "step");
    let pack = Pack {
        animations: vec![PackEntry {
            skeleton: 0,
            animation: packed(&skeleton, &source, Packing::Small),
        }],
        skeletons: vec![Arc::new(skeleton)],
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains("\"triggers\""), "{text}");
    for (from, to, expected) in [
        ("\"step\"", "\"step\\", "the info: line "),
        (
            "\"tracks\"",
            "\"trucks\"",
            "expected info without faults, found ",
        ),
        (
            "\"up\": \"y\"",
            "\"up\": \"z\"",
            "expected \"y\", found \"z\"",
        ),
        ("\"animations\"", "\"animatIons\"", "expected info "),
    ] {
        let offset = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes());
        let mut bytes = bytes.clone();
        bytes[offset.unwrap()..][..from.len()].copy_from_slice(to.as_bytes());
        play_pack::reseal_checksums(&mut bytes);
        let error = refused(&bytes);
        assert!(
            error.contains(", animation 0: ") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn packs_that_cannot_be_read_are_not_written() {
    let written = |pack: &Pack| pack::write_bytes(pack).unwrap_err().to_string();
    assert_eq!(
        written(&Pack::default()),
        "directory cannot be written: expected 1 to 100000 skeletons, animations and curves, at least one \
         skeleton, found 0, 0 and 0"
    );
    let mut other = one(Packing::Small, 3, 20);
    other.animations[0].skeleton = 1;
    assert_eq!(
        written(&other),
        "animation 0 cannot be written: expected a skeleton below 1, found 1"
    );
    other.skeletons.push(Arc::new(skeleton(4)));
    assert_eq!(
        written(&other),
        "animation 0 cannot be written: expected 4 joints, as its skeleton has, found 3"
    );
    let large = Pack {
        skeletons: vec![Arc::new(skeleton(MAX_JOINTS as u32 + 1))],
        animations: Vec::new(),
        ..Pack::default()
    };
    assert!(written(&large).contains("expected 1 to 4096 joints, found 4097"));
    let tree = skeleton(2);
    let name = "x".repeat(5000);
    let long = Pack {
        animations: vec![PackEntry {
            skeleton: 0,
            animation: packed(&tree, &with_notes(motion(&tree, &name, 20)), Packing::Small),
        }],
        skeletons: vec![Arc::new(tree)],
        ..Pack::default()
    };
    assert!(written(&long).contains("a name of at most 4096 bytes, found 5000"));
}

#[test]
fn animations_of_more_joints_than_a_file_may_have_are_refused() {
    let tree = skeleton(MAX_JOINTS as u32);
    let still = packed(&tree, &Animation::new("still", 1.0), Packing::Plain);
    let many = Pack {
        animations: vec![
            PackEntry {
                skeleton: 0,
                animation: still,
            };
            MAX_PACK_JOINTS / MAX_JOINTS + 1
        ],
        skeletons: vec![Arc::new(tree)],
        ..Pack::default()
    };
    let error = pack::write_bytes(&many).unwrap_err().to_string();
    assert!(
        error.contains("animation 1024: expected at most 4194304 joints"),
        "{error}"
    );
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.sinew");
    let missing = pack::read(&path).unwrap_err().to_string();
    assert!(
        missing.contains("walk.sinew: cannot read the file: "),
        "{missing}"
    );
    std::fs::write(&path, b"walk").unwrap();
    let error = pack::read(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: expected a .sinew file, found \"walk\"", path.display())
    );
    let error = sinew_formats::read_motion(&path, &Default::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("walk.sinew: expected a .sinew file, found \"walk\"")
    );
}
