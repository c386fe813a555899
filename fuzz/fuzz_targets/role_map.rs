//! Any bytes as a role map: an error with a place, or a map that is written and read back as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew::skeleton::Side;
use sinew_formats::role_map::{read_bytes, write_bytes};

/// Names of joints; two are equal, as bones of characters may be.
const JOINTS: [&str; 8] = ["Hips", "Spine", "Chest", "Head", "LeftArm", "RightArm", "bone", "bone"];

fuzz_target!(|bytes: &[u8]| {
    let Ok(map) = read_bytes(bytes, &JOINTS, Side::Right) else {
        return;
    };
    for found in map.assignments() {
        assert!(found.joints.iter().all(|joint| *joint < JOINTS.len()));
        assert!((0.0..=1.0).contains(&found.confidence));
    }
    let read = read_bytes(&write_bytes(&map, &JOINTS), &JOINTS, Side::Right);
    assert_eq!(read.expect("what is written is read"), map);
});
