//! Large `.sinew` files: the peak of the whole process stays below a stated bound, and motions are used where they
//! are.
//!
//! One test, because the peak belongs to the process: the cases come in the order of their bounds.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::own_process::{self, in_own_process};
use crate::common::play_pack;
use crate::pack_common;
use pack_common::{packed, skeleton};
use sinew::Animation;
use sinew::packed::Packing;
use sinew_formats::limits::{MAX_JOINTS, MAX_PACK_JOINTS};
use sinew_formats::pack::{self, Pack, PackEntry, PackView};
use std::sync::Arc;

/// The peak memory of this process in megabytes.
fn peak() -> u64 {
    own_process::peak_kilobytes() >> 10
}

/// Reads a file; how many megabytes more than before were needed at most.
fn grows(what: &str, bytes: &[u8], is_read: bool) -> u64 {
    let before = peak();
    let read = PackView::read(bytes);
    assert_eq!(read.is_ok(), is_read, "{what}: {:?}", read.err());
    let grown = peak() - before;
    let size = bytes.len() >> 20;
    common::say(&format!("memory: {what}: {size} MB, {grown} MB more"));
    grown
}

/// A file of joints whose positions are told in fixed widths: so many segments, each with these widths, and so
/// many slices of 8 lanes for each. Anchors have so many bits.
fn fast(joints: u32, segments: u32, widths: u8, slices: u32, anchor: u8) -> Vec<u8> {
    let tree = skeleton(joints);
    let still = packed(&tree, &Animation::new("still", 1.0), Packing::Plain);
    let pack = Pack {
        animations: vec![PackEntry {
            skeleton: 0,
            animation: still,
        }],
        skeletons: vec![Arc::new(tree)],
        ..Pack::default()
    };
    let mut file = pack::write_bytes(&pack).unwrap();
    let start = pack_common::section(&file, 1);
    let groups = (3 * joints).div_ceil(8);
    // One anchor more than there are segments, and four slices of zeros.
    let anchors = (u32::from(anchor) * groups * (segments + 1)).div_ceil(8);
    let slices = segments * slices + anchors + 4;
    file.truncate(start + 32);
    file.reserve((segments * groups + slices * 8) as usize + 100_000);
    let numbers = |file: &mut Vec<u8>, numbers: &[u32]| {
        file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    };
    numbers(&mut file, &[1, joints, 0, 0]);
    file.extend(30f64.to_le_bytes());
    numbers(&mut file, &[segments * 16]);
    for _ in 0..joints {
        file.extend(0x0f01u16.to_le_bytes());
    }
    // Where they are, nowhere interpolated by slerp, and how coarsely.
    file.resize(file.len() + 12 * joints as usize + 1, 0);
    file.resize(file.len() + 3 * joints as usize, 80);
    for component in 0..3 * joints as u16 {
        file.extend(component.to_le_bytes());
    }
    // The widths of anchors.
    file.resize(file.len() + groups as usize, anchor);
    file.resize(file.len() + (segments * groups) as usize, widths);
    // The motion begins at a multiple of four.
    file.resize(file.len().next_multiple_of(4), 0);
    numbers(&mut file, &[slices]);
    file.resize(file.len() + (slices as usize - 4) * 8, 0x5a);
    // The last slices are zero.
    file.resize(file.len() + 32, 0);
    let body = (file.len() - start - 32) as u32;
    file.extend(b"still");
    let length = (file.len() - start) as u64;
    file[start + 16..start + 20].copy_from_slice(&body.to_le_bytes());
    file[64 + 16..64 + 24].copy_from_slice(&length.to_le_bytes());
    play_pack::reseal(&mut file);
    file
}

#[test]
fn large_files_stay_within_their_memory_bound() {
    in_own_process(
        concat!(
            module_path!(),
            "::large_files_stay_within_their_memory_bound"
        ),
        || {
            let hollow = fast(64, 1 << 18, 0, 0, 0);
            let size = hollow.len() as u64 >> 20;
            assert!(grows("nothing but widths", &hollow, true) < 13 * size + 10);
            drop(hollow);
            let narrow = fast(64, 1 << 17, 0, 0, 1);
            let size = narrow.len() as u64 >> 20;
            assert!(grows("widths and a bit per anchor", &narrow, true) < 13 * size + 10);
            drop(narrow);

            // 24 bits for each of 15 rows and the anchor: 45 slices of 8 lanes, and 3.
            let large = fast(1, 250_000, 0xff, 45, 24);
            let size = large.len() as u64 >> 20;
            assert!(grows("used where it is when aligned", &large, true) < size / 3);
            let mut moved = vec![0; large.len() + 1];
            moved[1..].copy_from_slice(&large);
            // Bytes need no alignment.
            assert!(grows("used where it is when not", &moved[1..], true) < size / 3);
            drop((large, moved));

            let tree = skeleton(MAX_JOINTS as u32);
            let still = packed(&tree, &Animation::new("still", 1.0), Packing::Plain);
            let many = Pack {
                animations: vec![
                    PackEntry {
                        skeleton: 0,
                        animation: still,
                    };
                    MAX_PACK_JOINTS / MAX_JOINTS
                ],
                skeletons: vec![Arc::new(tree)],
                ..Pack::default()
            };
            let bytes = pack::write_bytes(&many).unwrap();
            drop(many);
            assert!(bytes.len() < 1 << 20);
            assert!(grows("many small animations of many joints", &bytes, true) < 400);
            common::say(&format!("memory: {} MB in all", peak()));
            assert!(peak() < 1200);
        },
    );
}
