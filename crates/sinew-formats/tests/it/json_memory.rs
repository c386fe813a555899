//! Small files of JSON and XML that want much memory: the peak of the whole process stays below a stated
//! bound.
//!
//! One test, because the peak belongs to the process: the cases come in the order of their bounds.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::own_process::{self, in_own_process};
use sinew_formats::limits::{MAX_TRACKS, MAX_VARIANT_KEYS, MAX_XML_ATTRIBUTES, MAX_XML_NODES};
use sinew_formats::{json, xml};

/// The peak memory of this process in megabytes.
fn peak() -> u64 {
    own_process::peak_kilobytes() >> 10
}

fn stays_below(megabytes: u64, what: &str, text: &str, read: impl Fn(&[u8]) -> bool) {
    let outcome = if read(text.as_bytes()) {
        "read"
    } else {
        "refused"
    };
    let (peak, size) = (peak(), text.len() >> 20);
    common::say(&format!(
        "memory: {what}: {size} MB, peak {peak} MB, {outcome}"
    ));
    assert!(peak < megabytes, "{what}: {peak} MB, not {megabytes}");
}

/// An animation with a list of equal entries in place of the `*`, made without room for anything else.
fn in_json(list: &str, entry: &str, count: usize) -> String {
    let (before, after) = list.split_once('*').unwrap();
    let mut text = String::with_capacity((entry.len() + 1) * count + 1000);
    text.push_str("{\"format\":\"sinew-motion\",\"version\":2,\"animations\":[{");
    text.push_str(before);
    for index in 0..count {
        text.push_str(if index == 0 { "" } else { "," });
        text.push_str(entry);
    }
    text.push_str(after);
    text.push_str("}]}");
    text
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
fn read_hostile_files(part: usize) {
    let bound = |megabytes: u64| megabytes / part as u64 + 40;
    let in_animation = |text: &str| format!("<animation length='1'>{text}</animation>");
    let as_json = |bytes: &[u8]| json::read_bytes(bytes).is_ok();
    let as_xml = |bytes: &[u8]| xml::read_bytes(bytes).is_ok();

    stays_below(
        bound(200),
        "nothing but <",
        &"<".repeat((64 << 20) / part),
        as_xml,
    );
    stays_below(
        bound(200),
        "nothing but =",
        &"=".repeat((64 << 20) / part),
        as_xml,
    );
    let many = in_json("\"tracks\":[*]", "{\"joint\":\"\"}", 8 * MAX_TRACKS / part);
    stays_below(bound(300), "tracks", &many, as_json);
    drop(many);
    let triggers = in_json("\"triggers\":[*]", "{\"time\":0}", MAX_TRACKS / part);
    stays_below(bound(300), "triggers", &triggers, as_json);
    let texts = "\"variants\":[{\"name\":\"\",\"type\":\"text\",\"rate\":1,\"values\":[*]}]";
    let texts = in_json(texts, "\"\"", MAX_VARIANT_KEYS / part + 1);
    // One too many is refused, a part of them is read.
    let texts_bound = if part == 1 { bound(500) } else { bound(900) };
    stays_below(texts_bound, "texts", &texts, as_json);
    drop(texts);

    let attributes = MAX_XML_ATTRIBUTES / 4 / part;
    let elements = "<a b='' c='' d='' e=''/>".repeat(attributes - 1);
    stays_below(bound(900), "attributes", &in_animation(&elements), as_xml);
    drop(elements);
    let elements = "<a/>".repeat((MAX_XML_NODES - 2) / part);
    stays_below(bound(900), "elements", &in_animation(&elements), as_xml);
    drop(elements);

    let keys = "\"variants\":[{\"name\":\"\",\"type\":\"float\",\"interpolation\":\"tangent_spline\",\"keys\":[*]}]";
    let keys = in_json(keys, "[0,0,0,0]", MAX_VARIANT_KEYS / part);
    stays_below(bound(1400), "keys with tangents", &keys, as_json);
}
