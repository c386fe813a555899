//! Archives that are damaged, cut off, or made to harm: each gives an error that says so.

use crate::common::make;
use crate::common::play;
use make::{DEFLATED, STORED, bone, character, jpeg, png, skf_of, zip};
use play::play;
use serde_json::json;
use sinew_formats::limits;
use sinew_formats::skf::{self, Skf, SkfError};

fn refused(bytes: &[u8]) -> String {
    match skf::read_bytes(bytes) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("was read"),
    }
}

fn said(character: &Skf) -> Vec<String> {
    let warnings = character.warnings.list().iter();
    warnings.map(ToString::to_string).collect()
}

/// An archive small enough to be damaged at every byte.
fn small(method: zip::CompressionMethod) -> Vec<u8> {
    let json = json!({ "bones": [bone(0, "A", -1)] }).to_string();
    let json = json.as_bytes();
    zip(method, &[("armature.json", json), ("editor.json", b"{}")])
}

/// Overwrites a field in every header: where it stands in a local and in a central one.
fn patch(bytes: &mut [u8], local: usize, central: usize, value: &[u8]) {
    for index in 0..bytes.len() - 4 {
        let field = match &bytes[index..index + 4] {
            b"PK\x03\x04" => index + local,
            b"PK\x01\x02" => index + central,
            _ => continue,
        };
        bytes[field..field + value.len()].copy_from_slice(value);
    }
}

const FLAGS: (usize, usize) = (6, 8);
const METHOD: (usize, usize) = (8, 10);
const PACKED_SIZE: (usize, usize) = (18, 20);
const SIZE: (usize, usize) = (22, 24);

/// Valid JSON of exactly this many bytes, nearly all of them blanks.
fn blank_json(bytes: u64) -> Vec<u8> {
    let mut json = b"{\"bones\":[]}".to_vec();
    json.resize(usize::try_from(bytes).unwrap(), b' ');
    json
}

#[test]
fn an_archive_cut_off_anywhere_is_refused() {
    for method in [STORED, DEFLATED] {
        let whole = small(method);
        assert!(skf::read_bytes(&whole).is_ok());
        for length in 0..whole.len() {
            let error = skf::read_bytes(&whole[..length]).unwrap_err();
            match (length, &error) {
                (0, SkfError::Empty) | (1, SkfError::NotSkf { .. }) => {}
                (_, SkfError::Truncated { bytes }) => assert_eq!(*bytes, length),
                // Only the list of files itself is cut.
                (_, SkfError::Archive(_)) => assert!(length + 22 > whole.len()),
                _ => panic!("{length} of {}: {error}", whole.len()),
            }
        }
    }
}

#[test]
fn a_nested_archive_is_not_mistaken_for_a_truncated_one() {
    let (inner, json) = (small(STORED), character().to_string());
    let entries: [(&str, &[u8]); 2] = [("inner.skf", &inner), ("armature.json", json.as_bytes())];
    let whole = zip(STORED, &entries);
    assert_eq!(skf::read_bytes(&whole).unwrap().armature.bone_count(), 5);
    for length in 0..whole.len() {
        assert!(skf::read_bytes(&whole[..length]).is_err(), "{length}");
    }
}

#[test]
fn an_archive_damaged_anywhere_never_panics() {
    let mut read = 0;
    for method in [STORED, DEFLATED] {
        let whole = small(method);
        for index in 0..whole.len() {
            for flip in [0x01, 0x20, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[index] ^= flip;
                if let Ok(character) = skf::read_bytes(&damaged) {
                    play(&character.armature);
                    read += 1;
                }
            }
        }
    }
    assert!(read > 0, "times and attributes may change");
}

#[test]
fn a_damaged_picture_is_missing_and_the_rest_is_read() {
    let json = character().to_string();
    let mut jpg = jpeg(&[1, 2, 3]);
    jpg.truncate(30);
    let mut cut = png(64, 64, [1, 2, 3, 4]);
    cut.truncate(60);
    for (picture, problem) in [
        (&b""[..], "expected a PNG or JPEG picture, found \"\""),
        (
            b"GIF89a",
            "expected a PNG or JPEG picture, found \"GIF89a\"",
        ),
        (b"\x89PNG", "damaged PNG: "),
        (&cut, "damaged PNG: "),
        (b"\xff\xd8", "damaged JPEG: "),
        (&jpg, "damaged JPEG: "),
    ] {
        let entries: [(&str, &[u8]); 2] =
            [("armature.json", json.as_bytes()), ("atlas0.png", picture)];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        assert_eq!(character.atlases, [None]);
        assert!(play(&character.armature));
        let said = said(&character);
        assert!(
            said[0].starts_with(&format!("atlas, atlas0.png: {problem}")),
            "{said:?}"
        );
        assert!(
            said[0].ends_with("; its textures are not drawn"),
            "{said:?}"
        );
    }
}

#[test]
fn a_picture_damaged_anywhere_never_panics() {
    let json = character().to_string();
    let pictures = [png(3, 3, [1, 2, 3, 4]), jpeg(&[1, 200, 3])];
    for picture in pictures {
        for index in 0..picture.len() {
            for flip in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = picture.clone();
                damaged[index] ^= flip;
                let entries: [(&str, &[u8]); 2] =
                    [("armature.json", json.as_bytes()), ("atlas0.png", &damaged)];
                let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
                assert_eq!(character.atlases[0].is_none(), !said(&character).is_empty());
            }
        }
    }
}

#[test]
fn a_picture_that_is_not_there_is_named() {
    let json = character().to_string();
    let archive = zip(STORED, &[("armature.json", json.as_bytes())]);
    let character = skf::read_bytes(&archive).unwrap();
    let expected = "atlas, atlas0.png: not in the archive; its textures are not drawn";
    assert_eq!(said(&character), [expected]);
}

/// The start of a picture of this size, without its pixels.
fn hollow_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = png::Encoder::new(&mut bytes, width, height);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &[]).unwrap();
    drop(writer);
    bytes
}

#[test]
fn the_pixel_limit_counts_all_pictures_even_damaged_ones() {
    let side = limits::MAX_PICTURE_PIXELS.isqrt() as u32;
    let mut json = character();
    let atlas = |name: &str| json!({ "filename": name, "size": { "x": 1, "y": 1 } });
    json["atlases"] = json!([atlas("wide"), atlas("full"), atlas("one")]);
    let json = json.to_string();
    let entries: [(&str, &[u8]); 4] = [
        ("armature.json", json.as_bytes()),
        ("wide", &hollow_png(side + 1, side)),
        ("full", &hollow_png(side, side)),
        ("one", &png(1, 1, [1, 2, 3, 4])),
    ];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let said = said(&character);
    let left = limits::MAX_PICTURE_PIXELS;
    let wide = format!(
        "atlas, wide: {} x {side} pixels are too many, {left} are left;",
        side + 1
    );
    assert!(said[0].starts_with(&wide), "{said:?}");
    assert!(
        said[1].starts_with("atlas, full: damaged PNG: "),
        "{said:?}"
    );
    assert!(
        said[2].starts_with("atlas, one: 1 x 1 pixels are too many, 0 are left;"),
        "{said:?}"
    );
}

#[test]
fn a_zip_bomb_is_refused_unread() {
    let bomb = zip(
        DEFLATED,
        &[("armature.json", &blank_json(limits::MAX_JSON_BYTES))],
    );
    assert!(bomb.len() < 100_000);
    let error = skf::read_bytes(&bomb).unwrap_err();
    assert!(matches!(error, SkfError::Bomb { .. }));
    let error = error.to_string();
    assert!(error.starts_with("armature.json: "), "{error}");
    let rest = "bytes unpack to more than 200 times as much; refused as a zip bomb";
    assert!(error.ends_with(rest), "{error}");
}

#[test]
fn small_entries_may_expand_as_they_like() {
    let bytes = blank_json(limits::EXPANSION_FREE_BYTES);
    assert!(skf::read_bytes(&zip(DEFLATED, &[("armature.json", &bytes)])).is_ok());
}

#[test]
fn an_entry_above_its_limit_is_refused() {
    let most = limits::MAX_JSON_BYTES;
    let bytes = blank_json(most + 1);
    let expected = |what: &str| {
        format!(
            "{what} is too large: {}, at most {most} are allowed",
            most + 1
        )
    };
    let archive = zip(STORED, &[("armature.json", &bytes)]);
    assert_eq!(refused(&archive), expected("armature.json"));
    assert_eq!(refused(&bytes), expected("armature.json"));
}

#[test]
fn a_false_stated_size_does_not_pass_the_limit() {
    let bytes = blank_json(limits::MAX_JSON_BYTES);
    let mut lower = zip(DEFLATED, &[("armature.json", &bytes)]);
    patch(&mut lower, SIZE.0, SIZE.1, &10u32.to_le_bytes());
    assert!(refused(&lower).starts_with("armature.json: "));

    let mut higher = small(DEFLATED);
    patch(&mut higher, SIZE.0, SIZE.1, &i32::MAX.to_le_bytes());
    let most = limits::MAX_JSON_BYTES;
    let expected = format!(
        "armature.json is too large: {}, at most {most} are allowed",
        i32::MAX
    );
    assert_eq!(refused(&higher), expected);

    // A packed size beyond the end of the file.
    let mut beyond = small(STORED);
    patch(
        &mut beyond,
        PACKED_SIZE.0,
        PACKED_SIZE.1,
        &i32::MAX.to_le_bytes(),
    );
    refused(&beyond);
}

#[test]
fn zip_bombs_in_unused_entries_are_ignored() {
    let json = character().to_string();
    let bomb = blank_json(limits::MAX_JSON_BYTES);
    let mut notes = blank_json(limits::MAX_EDITOR_BYTES);
    notes.push(b' ');
    let entries: [(&str, &[u8]); 4] = [
        ("armature.json", json.as_bytes()),
        ("editor.json", &notes),
        ("atlas0.png", &bomb),
        ("readme.md", &bomb),
    ];
    let character = skf::read_bytes(&zip(DEFLATED, &entries)).unwrap();
    let said = said(&character);
    assert_eq!(said.len(), 2);
    assert!(
        said[0].starts_with("archive, editor.json: editor.json is too large: 1048577, "),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("at most 1048576 are allowed; ignored"),
        "{said:?}"
    );
    assert!(
        said[1].starts_with("atlas, atlas0.png: atlas0.png: "),
        "{said:?}"
    );
    assert!(
        said[1].contains("refused as a zip bomb; its textures"),
        "{said:?}"
    );
}

#[test]
fn the_unpacked_size_is_counted_over_the_whole_archive() {
    let blob = vec![b'x'; 60 << 20];
    let atlas = json!({ "filename": "blob", "size": { "x": 1, "y": 1 } });
    let json = json!({ "bones": [], "atlases": vec![atlas; 10] }).to_string();
    let entries: [(&str, &[u8]); 2] = [("armature.json", json.as_bytes()), ("blob", &blob)];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let said = said(&character);
    assert!(
        said[7].contains("expected a PNG or JPEG picture"),
        "{said:?}"
    );
    let left = limits::MAX_UNPACKED_BYTES - 8 * blob.len() as u64 - json.len() as u64;
    let expected = format!(
        "blob is too large: {}, at most {left} are allowed",
        blob.len()
    );
    assert!(said[8].contains(&expected), "{said:?}");
}

#[test]
fn damaged_entries_count_towards_the_limit() {
    // Nearly all of it unpacks before the mistake at its end.
    let noise = (0..30u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 29) as u8);
    let blob: Vec<u8> = noise.collect();
    let atlas = json!({ "filename": "blob", "size": { "x": 1, "y": 1 } });
    let json = json!({ "bones": [], "atlases": vec![atlas; 30] }).to_string();
    let entries: [(&str, &[u8]); 2] = [("armature.json", json.as_bytes()), ("blob", &blob)];
    let mut archive = zip(DEFLATED, &entries);
    let list = archive
        .windows(4)
        .rposition(|w| w == b"PK\x01\x02")
        .unwrap();
    let first = archive[..list].windows(4).rposition(|w| w == b"PK\x01\x02");
    archive[first.unwrap() - 100..first.unwrap() - 20].fill(0xff);
    let character = skf::read_bytes(&archive).unwrap();
    let said = said(&character);
    assert!(said[0].contains("blob: cannot be unpacked"), "{said:?}");
    assert!(said[29].contains("blob is too large"), "{said:?}");
}

#[test]
fn encrypted_and_unknown_entries_are_refused_by_name() {
    let mut encrypted = small(STORED);
    patch(&mut encrypted, FLAGS.0, FLAGS.1, &[1, 0]);
    let error = refused(&encrypted);
    assert!(
        error.starts_with("armature.json: cannot be unpacked: "),
        "{error}"
    );
    assert!(error.ends_with("it is encrypted"), "{error}");
    // BZip2, and a method that does not exist.
    for method in [12u16, 77] {
        let mut unknown = small(STORED);
        patch(&mut unknown, METHOD.0, METHOD.1, &method.to_le_bytes());
        let error = refused(&unknown);
        assert!(
            error.starts_with("armature.json: cannot be unpacked: "),
            "{error}"
        );
    }
}

#[test]
fn a_wrong_checksum_is_refused() {
    let mut wrong = small(STORED);
    let offset = wrong.windows(5).position(|w| w == b"bones").unwrap();
    wrong[offset] = b'B';
    let error = refused(&wrong);
    assert_eq!(
        error,
        "armature.json: cannot be unpacked: its checksum is wrong"
    );
}

#[test]
fn too_many_entries_are_refused() {
    let names: Vec<String> = (0..=limits::MAX_ARCHIVE_ENTRIES)
        .map(|i| i.to_string())
        .collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let expected =
        "the number of files in the archive is too large: 1001, at most 1000 are allowed";
    assert_eq!(refused(&zip(STORED, &entries)), expected);
}

#[test]
fn entry_names_outside_the_archive_are_ignored() {
    for name in [
        "../atlas0.png",
        "/atlas0.png",
        "C:\\atlas0.png",
        "a/../../atlas0.png",
        "\\atlas0.png",
    ] {
        let mut json = character();
        json["atlases"][0]["filename"] = name.into();
        let json = json.to_string();
        let entries: [(&str, &[u8]); 2] = [
            ("armature.json", json.as_bytes()),
            (name, &png(64, 64, [1, 2, 3, 4])),
        ];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        assert_eq!(character.atlases, [None], "{name}");
        let expected = [
            format!("archive, entry {name:?}: its name leads out of the archive; ignored"),
            format!(
                "atlas, {}: not in the archive; its textures are not drawn",
                name.replace('\\', "\\\\")
            ),
        ];
        assert_eq!(said(&character), expected);
    }
    let json = character().to_string();
    let error = refused(&zip(STORED, &[("../armature.json", json.as_bytes())]));
    assert_eq!(
        error,
        "there is no armature.json in the archive; it holds ../armature.json"
    );
}

#[test]
fn a_character_within_a_character_is_ignored() {
    let (json, inner) = (character().to_string(), skf_of(&character()));
    let entries: [(&str, &[u8]); 3] = [
        ("inner.skf", &inner),
        ("armature.json", json.as_bytes()),
        ("atlas0.png", &png(64, 64, [1, 2, 3, 4])),
    ];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let expected = "archive, entry \"inner.skf\": a character within a character; ignored";
    assert_eq!(said(&character), [expected]);
    assert_eq!(
        refused(&zip(STORED, &[("readme.md", b""), ("inner.skf", &inner)])),
        "there is no armature.json in the archive; it holds another character, inner.skf: unpack that one first"
    );
}

#[test]
fn archives_without_a_character_list_their_content() {
    let none = "there is no armature.json in the archive; it";
    assert_eq!(refused(&zip(STORED, &[])), format!("{none} is empty"));
    let other = zip(STORED, &[("a.txt", b""), ("b/c.txt", b"")]);
    assert_eq!(refused(&other), format!("{none} holds a.txt, b/c.txt"));
}

#[test]
fn files_of_other_kinds_are_refused_by_their_first_bytes() {
    let start = "expected a .skf archive (a zip file, starting with \"PK\") or armature.json (starting with \"{\"), found";
    let picture = refused(&png(1, 1, [0; 4]));
    assert_eq!(
        picture,
        format!("{start} \"\\x89PNG\\r\\n\\x1a\\n\\x00\\x00\\x00\\r\"")
    );
    assert_eq!(refused(b"hello"), format!("{start} \"hello\""));
    assert_eq!(refused(b"[]"), format!("{start} \"[]\""));
    for nothing in [&b""[..], b" \n\t", b"\xef\xbb\xbf"] {
        assert_eq!(
            refused(nothing),
            "the file is empty; expected a .skf archive"
        );
    }
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    assert!(refused(pointer).starts_with("this is a Git LFS pointer"));
}

#[test]
fn other_ends_and_beginnings_are_refused_or_read_but_never_panic() {
    let whole = small(STORED);
    let mut longer = whole.clone();
    longer.extend([0; 100]);
    let mut shifted = b"PK".to_vec();
    shifted.extend(&whole);
    let mut doubled = whole.clone();
    doubled.extend(&whole);
    for bytes in [longer, shifted, doubled] {
        if let Ok(character) = skf::read_bytes(&bytes) {
            assert_eq!(character.armature.bone_count(), 1);
        }
    }
    refused(b"PK\x05\x06");
    refused(&[&b"PK\x05\x06"[..], &[0xff; 18]].concat());
    refused(&[&b"PK\x05\x06"[..], &[0; 18]].concat());
}

#[test]
fn paths_that_are_not_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.skf");
    for path in [missing.as_path(), folder.path()] {
        let error = skf::read(path).unwrap_err();
        assert!(matches!(error.source, SkfError::Io(_)), "{error}");
        let expected = format!("{}: cannot read the file: ", path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    let empty = folder.path().join("empty.skf");
    std::fs::write(&empty, b"").unwrap();
    let expected = format!(
        "{}: the file is empty; expected a .skf archive",
        empty.display()
    );
    assert_eq!(skf::read(&empty).unwrap_err().to_string(), expected);
}

#[test]
fn a_file_above_its_limit_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.skf");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(limits::MAX_FILE_BYTES + 1).unwrap();
    let error = skf::read(&path).unwrap_err().to_string();
    let most = limits::MAX_FILE_BYTES;
    let expected = format!(
        "the file is too large: {}, at most {most} are allowed",
        most + 1
    );
    assert!(error.ends_with(&expected), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_without_an_end_is_refused() {
    let error = skf::read("/dev/zero").unwrap_err().to_string();
    assert!(
        error.starts_with("/dev/zero: cannot read the file: the file is too large: "),
        "{error}"
    );
}

#[test]
fn the_same_name_twice_is_not_written() {
    let mut data = skf::read_bytes(&skf_of(&character()))
        .unwrap()
        .armature
        .data()
        .clone();
    data.atlases.push(data.atlases[0].clone());
    let error = skf::write_bytes(&data, &[vec![1], vec![2]]).unwrap_err();
    assert!(matches!(error, SkfError::Archive(_)), "{error}");
}
