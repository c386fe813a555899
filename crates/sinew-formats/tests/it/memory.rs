//! Small files that want much memory: the peak of the whole process stays below a stated bound.
//!
//! One test, because the peak belongs to the process: the cases come in the order of their bounds.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::make;
use crate::common::own_process::{self, in_own_process};
use make::{STORED, character, zip};
use serde_json::json;
use sinew_formats::limits::{MAX_EDITOR_BYTES, MAX_JSON_BYTES, MAX_PICTURE_PIXELS};
use sinew_formats::skf;

/// The peak memory of this process in megabytes.
fn peak() -> u64 {
    own_process::peak_kilobytes() >> 10
}

fn stays_below(megabytes: u64, what: &str, bytes: &[u8]) {
    // Whether it is read or refused is the matter of other tests.
    let read = skf::read_bytes(bytes).is_ok();
    let peak = peak();
    common::say(&format!(
        "memory: {what}: peak {peak} MB, {}",
        if read { "read" } else { "refused" }
    ));
    assert!(peak < megabytes, "{what}: {peak} MB, not {megabytes}");
}

/// As many of a text as fit, with commas between them.
fn filled(start: &str, text: &str, end: &str, bytes: u64) -> String {
    let count = (bytes as usize - start.len() - end.len()) / (text.len() + 1);
    format!("{start}{}{end}", vec![text; count].join(","))
}

/// A grey picture of blocks that take two bits for each component, as far as its bytes go.
fn jpeg(side: u16, components: u8, progressive: bool, bytes_of_blocks: usize) -> Vec<u8> {
    let [high, low] = side.to_be_bytes();
    let kind = if progressive { 0xc2 } else { 0xc0 };
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xdb, 0, 67, 0];
    bytes.extend([8; 64]);
    bytes.extend([0xff, kind, 0, 8 + 3 * components, 8, high, low, high, low]);
    bytes.push(components);
    for component in 0..components {
        bytes.extend([component + 1, 0x11, 0]);
    }
    for table in [0x00, 0x10] {
        bytes.extend([0xff, 0xc4, 0, 20, table, 1]);
        bytes.extend([0; 16]);
    }
    bytes.extend([0xff, 0xda, 0, 6 + 2 * components, components]);
    for component in 0..components {
        bytes.extend([component + 1, 0]);
    }
    bytes.extend([0, if progressive { 0 } else { 63 }, 0]);
    bytes.resize(bytes.len() + bytes_of_blocks, 0);
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// A picture that says how large it is and holds nothing.
fn hollow_png(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &[]).unwrap();
    drop(writer);
    bytes
}

fn with_picture(picture: &[u8]) -> Vec<u8> {
    let json = character().to_string();
    let entries: [(&str, &[u8]); 2] = [("armature.json", json.as_bytes()), ("atlas0.png", picture)];
    zip(STORED, &entries)
}

fn with_notes(armature: &str, notes: &str) -> Vec<u8> {
    let entries: [(&str, &[u8]); 2] = [
        ("armature.json", armature.as_bytes()),
        ("editor.json", notes.as_bytes()),
    ];
    zip(STORED, &entries)
}

#[test]
fn hostile_files_stay_within_their_memory_bound() {
    in_own_process(
        concat!(
            module_path!(),
            "::hostile_files_stay_within_their_memory_bound"
        ),
        || read_hostile_files(4),
    );
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn hostile_files_stay_within_their_memory_bound_exhaustively() {
    in_own_process(
        concat!(
            module_path!(),
            "::hostile_files_stay_within_their_memory_bound_exhaustively"
        ),
        || read_hostile_files(1),
    );
}

/// Reads files of a `part`-th of what the limits allow, in a `part`-th of the memory beside that of the process itself.
fn read_hostile_files(part: u64) {
    let bound = |megabytes: u64| megabytes / part + 40;
    let side = MAX_PICTURE_PIXELS.isqrt() as u16;
    let hollow = hollow_png(side.into());
    stays_below(50, "hollow PNG", &with_picture(&hollow));
    for progressive in [false, true] {
        for (side, components) in [(side, 3), (side, 1), (65_500, 3)] {
            let hollow = jpeg(side, components, progressive, 64);
            stays_below(50, "hollow JPEG", &with_picture(&hollow));
        }
    }

    let notes = filled("[", "{\"\":0}", "]", MAX_EDITOR_BYTES / part);
    let small = json!({ "bones": [] }).to_string();
    stays_below(
        bound(200),
        "smallest objects in notes",
        &with_notes(&small, &notes),
    );
    let keys = "{\"bones\":[{}],\"animations\":[{\"keyframes\":[";
    let json = filled(keys, "{}", "]}]}", MAX_JSON_BYTES / part);
    stays_below(bound(200), "empty keys", &with_notes(&json, &notes));

    // All the pixels that a file may have, in little more than the bytes that they need.
    let side = (MAX_PICTURE_PIXELS / part).isqrt() as u16;
    let grey = make::png(side.into(), side.into(), [7; 4]);
    stays_below(bound(600), "largest PNG", &with_picture(&grey));
    drop(grey);
    for progressive in [false, true] {
        let picture = jpeg(side, 3, progressive, 1 << 20);
        stays_below(bound(600), "largest JPEG", &with_picture(&picture));
    }

    for (limit, what, text) in [
        (600, "smallest lists", "[0]"),
        (1000, "smallest objects", "{\"\":0}"),
    ] {
        let json = filled("{\"bones\":[],\"x\":[", text, "]}", MAX_JSON_BYTES / part);
        stays_below(bound(limit), what, &with_notes(&json, &notes));
    }
}
