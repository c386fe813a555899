//! Archives whose central directory is wrong: each is read once and refused with a message.

use crate::common::make;
use make::{DEFLATED, STORED, bone, character, zip};
use serde_json::json;
use sinew_formats::limits;
use sinew_formats::skf::{self, SkfError};

fn refused(bytes: &[u8]) -> String {
    match skf::read_bytes(bytes) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("was read"),
    }
}

fn small() -> Vec<u8> {
    let json = json!({ "bones": [bone(0, "A", -1)] }).to_string();
    zip(DEFLATED, &[("armature.json", json.as_bytes())])
}

/// Numbers one after the other, each of as many bytes as stated.
fn record(mark: &[u8], numbers: &[(u64, usize)]) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    for (number, length) in numbers {
        bytes.extend(&number.to_le_bytes()[..*length]);
    }
    bytes
}

/// The record that ends an archive.
fn end(count: u64, size: u64, start: u64, comment: u64) -> Vec<u8> {
    let counts = [(0, 2), (0, 2), (count, 2), (count, 2)];
    let rest = [(size, 4), (start, 4), (comment, 2)];
    record(b"PK\x05\x06", &[&counts[..], &rest].concat())
}

/// The two records that come before it where numbers may need 64 bits.
fn long_end(count: u64, size: u64, start: u64) -> Vec<u8> {
    let versions = [(44, 8), (45, 2), (45, 2), (0, 4), (0, 4)];
    let list = [(count, 8), (count, 8), (size, 8), (start, 8)];
    let mut bytes = record(b"PK\x06\x06", &[&versions[..], &list].concat());
    bytes.extend(record(b"PK\x06\x07", &[(0, 4), (start + size, 8), (1, 4)]));
    bytes
}

/// One file of a list, without a name or bytes.
fn header(extra: &[u8]) -> Vec<u8> {
    let mut bytes = b"PK\x01\x02".to_vec();
    bytes.resize(30, 0);
    bytes.extend(u16::try_from(extra.len()).unwrap().to_le_bytes());
    bytes.resize(46, 0);
    bytes.extend(extra);
    bytes
}

/// The size and the start of an archive's list, and where its end record begins.
fn list_of(archive: &[u8]) -> (u64, u64, usize) {
    let list_offset = archive.len() - 22;
    let number = |index: usize| u32::from_le_bytes(archive[index..index + 4].try_into().unwrap());
    (
        number(list_offset + 12).into(),
        number(list_offset + 16).into(),
        list_offset,
    )
}

#[test]
fn only_the_last_end_record_is_used() {
    let mut bytes = small();
    assert!(skf::read_bytes(&bytes).is_ok());
    let (size, start, list_offset) = list_of(&bytes);
    bytes.extend(end(9, size, start, 0));
    let expected = "the archive is cut off: ";
    assert!(refused(&bytes).starts_with(expected));
    // One that ends where the file ends counts more than a later one inside its comment.
    let mut comment = small();
    let inside = end(9, size, start, 0);
    comment[list_offset + 20] = inside.len() as u8 + 3;
    comment.extend(inside);
    comment.extend([0; 3]);
    assert!(skf::read_bytes(&comment).is_ok());
}

#[test]
fn many_end_records_are_no_more_work_than_one() {
    // Each says that the list has one file more than it has, so none of them can be read.
    let count = limits::MAX_ARCHIVE_ENTRIES - 1;
    let mut bytes = b"PK\x03\x04".to_vec();
    bytes.resize(30, 0);
    let list = header(&[]).repeat(count);
    bytes.extend(&list);
    let last = end(count as u64 + 1, list.len() as u64, 30, 0);
    bytes.extend(last.repeat(20_000));
    let expected = format!("the archive is cut off: {} bytes", bytes.len());
    assert!(refused(&bytes).starts_with(&expected));
}

#[test]
fn the_number_of_files_is_checked_before_they_are_listed() {
    let most = limits::MAX_ARCHIVE_ENTRIES;
    let what = "the number of files in the archive is too large";
    let start = b"PK\x03\x04";
    let plain = [&start[..], &end(9999, 0, 4, 0)].concat();
    assert_eq!(
        refused(&plain),
        format!("{what}: 9999, at most {most} are allowed")
    );
    let long = long_end(1 << 40, 0, 4);
    let long = [&start[..], &long, &end(0xffff, 0, 4, 0)].concat();
    assert_eq!(
        refused(&long),
        format!("{what}: {}, at most {most} are allowed", 1u64 << 40)
    );
}

#[test]
fn archives_with_a_zip64_end_record_are_read() {
    let whole = small();
    let (size, start, list_offset) = list_of(&whole);
    for short in [
        end(1, size, start, 0),
        end(0xffff, u32::MAX.into(), u32::MAX.into(), 0),
    ] {
        let bytes = [&whole[..list_offset], &long_end(1, size, start), &short].concat();
        assert_eq!(skf::read_bytes(&bytes).unwrap().armature.bone_count(), 1);
    }
}

#[test]
fn entries_with_zip64_sizes_are_read() {
    let json = character().to_string();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(STORED)
        .large_file(true);
    writer.start_file("armature.json", options).unwrap();
    std::io::Write::write_all(&mut writer, json.as_bytes()).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    assert!(skf::read_bytes(&bytes).is_ok());

    // The list itself may leave its numbers to the longer ones, which then must be there.
    let (size, start, list_offset) = list_of(&bytes);
    let (size, start) = (size as usize, start as usize);
    let length = json.len() as u64;
    let extra = record(&[1, 0], &[(24, 2), (length, 8), (length, 8), (0, 8)]);
    let mut list = bytes[start..start + size].to_vec();
    list[20..28].fill(0xff);
    list[42..46].fill(0xff);
    let name = 46 + "armature.json".len();
    for (extra, is_read) in [(&extra[..], true), (&extra[..20], false), (&[], false)] {
        let mut list = list[..name].to_vec();
        list[30..32].copy_from_slice(&u16::try_from(extra.len()).unwrap().to_le_bytes());
        list.extend(extra);
        bytes.truncate(start);
        bytes.extend(&list);
        bytes.extend(end(1, list.len() as u64, start as u64, 0));
        assert_eq!(skf::read_bytes(&bytes).is_ok(), is_read);
    }
    assert!(list_offset > start);
}

#[test]
fn a_truncated_directory_is_refused() {
    let start = [0; 30];
    let list = [header(&[]), header(&[7; 5]), b"PK\x01\x02".to_vec()].concat();
    let bytes = [
        b"PK\x03\x04",
        &start[4..],
        &list,
        &end(3, list.len() as u64, 30, 0),
    ]
    .concat();
    assert_eq!(
        refused(&bytes),
        "the archive is damaged: its list of 3 files is cut off at file 2"
    );
    // It lies behind its own end.
    let bytes = [&b"PK\x03\x04"[..], &end(1, 90, 30, 0)].concat();
    assert_eq!(
        refused(&bytes),
        "the archive is damaged: its list of files reaches past its end"
    );
}

#[test]
fn an_entry_at_a_wrong_offset_is_refused_by_name() {
    let whole = small();
    let (_, start, list_offset) = list_of(&whole);
    let offset = start as usize + 42;
    for place in [1, list_offset as u32, u32::MAX - 1] {
        let mut bytes = whole.clone();
        bytes[offset..offset + 4].copy_from_slice(&place.to_le_bytes());
        assert_eq!(
            refused(&bytes),
            "armature.json: cannot be unpacked: its bytes are not at the offset in the directory"
        );
    }
}

#[test]
fn of_two_files_of_one_name_the_later_is_read() {
    let json = |bones: i64| {
        let bones: Vec<_> = (0..bones).map(|id| bone(id, "A", -1)).collect();
        json!({ "bones": bones }).to_string()
    };
    let (one, two) = (json(1), json(2));
    let entries: [(&str, &[u8]); 2] = [
        ("armature.json", one.as_bytes()),
        ("armature.jsox", two.as_bytes()),
    ];
    let mut bytes = zip(STORED, &entries);
    while let Some(at) = bytes.windows(13).position(|w| w == b"armature.jsox") {
        bytes[at + 12] = b'n';
    }
    assert_eq!(skf::read_bytes(&bytes).unwrap().armature.bone_count(), 2);
}

#[test]
fn a_truncated_deflated_entry_is_refused() {
    let whole = small();
    let mut bytes = whole.clone();
    let packed = 30 + "armature.json".len();
    bytes[packed + 4..packed + 12].fill(0xff);
    let error = skf::read_bytes(&bytes).unwrap_err();
    assert!(matches!(error, SkfError::Unpack { .. }), "{error}");
}
