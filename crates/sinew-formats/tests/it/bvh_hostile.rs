//! Files cut and changed anywhere: an error or a motion, never a panic, and no more memory than their
//! size justifies.

use crate::bvh_common;
use crate::common;
#[cfg(target_os = "linux")]
use crate::common::own_process::{self, in_own_process};
use bvh_common::{GOOD, LENIENT, STRICT, changed, places};
use proptest::prelude::*;
use sinew_formats::bvh::{BvhSettings, BvhWriteSettings, read_bytes, write_bytes};

/// Reads and uses whatever the bytes are.
fn reads_or_refuses(bytes: &[u8]) -> bool {
    let mut read = false;
    for settings in [STRICT, LENIENT] {
        let Ok(bvh) = read_bytes(bytes, &settings) else {
            continue;
        };
        let frames = bvh.frame_count();
        assert_eq!(
            bvh.channel(0).len(),
            if bvh.channel_count() > 0 { frames } else { 0 }
        );
        let all = (0..bvh.channel_count()).flat_map(|channel| bvh.channel(channel));
        assert!(all.copied().all(f64::is_finite));
        if let Ok(file) = bvh.into_motion(&settings) {
            read = true;
            let animation = file.animations.first();
            assert_eq!(animation.is_some(), frames > 0);
            places(&file.skeleton, animation);
            if let Ok(text) = write_bytes(&file.skeleton, animation, &BvhWriteSettings::default()) {
                let again = read_bytes(&text, &STRICT);
                let again =
                    again.unwrap_or_else(|error| panic!("our own file is refused: {error}"));
                assert_eq!(again.frame_count(), frames.max(1));
            }
        }
    }
    read
}

#[test]
fn a_file_cut_anywhere_is_read_or_refused() {
    let mut read = 0;
    for length in 0..=GOOD.len() {
        read += usize::from(reads_or_refuses(&GOOD.as_bytes()[..length]));
    }
    // The whole file; without its last line end; without its last digits; lenient: without rows.
    assert!((4..80).contains(&read), "{read}");
    for length in 0..=GOOD.len() {
        let bytes = &GOOD.as_bytes()[..length];
        let strict = read_bytes(bytes, &STRICT).is_ok();
        // The last number, 10.5, may lose what follows its first digit.
        assert_eq!(strict, length + 4 >= GOOD.len(), "{length}");
    }
}

#[test]
fn a_file_with_any_byte_changed_is_read_or_refused() {
    let mut bytes = GOOD.as_bytes().to_vec();
    for index in 0..bytes.len() {
        let good = bytes[index];
        for other in [
            0, b' ', b'\n', b'{', b'}', b'#', b'-', b'.', b'9', b'e', 0x80, 0xff,
        ] {
            bytes[index] = other;
            reads_or_refuses(&bytes);
        }
        for bit in 0..8 {
            bytes[index] = good ^ (1 << bit);
            reads_or_refuses(&bytes);
        }
        bytes[index] = good;
    }
    assert!(reads_or_refuses(&bytes));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        reads_or_refuses(&bytes);
        let mut after_head = GOOD.split("0 90").next().unwrap().as_bytes().to_vec();
        after_head.extend(&bytes);
        reads_or_refuses(&after_head);
    }

    #[test]
    fn words_in_any_order_are_read_or_refused(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "HIERARCHY", "ROOT", "JOINT", "End", "Site", "OFFSET", "CHANNELS", "MOTION", "Frames:",
            "Frame", "Time:", "{", "}", "0", "1", "3", "-2.5", "Xrotation", "Yposition", "a", "#", "\n",
        ]), 0..60)
    ) {
        reads_or_refuses(format!("HIERARCHY ROOT a {{ OFFSET 0 0 0 {}", words.join(" ")).as_bytes());
    }

    #[test]
    fn pieces_in_any_order_are_read_or_refused(pieces in proptest::collection::vec((0usize..400, 0usize..60), 1..20)) {
        let mut bytes = Vec::new();
        for (start, length) in pieces {
            let start = start.min(GOOD.len());
            let end = (start + length).min(GOOD.len());
            bytes.extend(&GOOD.as_bytes()[start..end]);
        }
        reads_or_refuses(&bytes);
    }
}

#[test]
fn hostile_files_take_time_in_proportion_to_their_size() {
    // Each would take minutes were any of it quadratic.
    let hashes = format!("HIERARCHY ROOT a {{ {}", "#a ".repeat(1 << 20));
    let comments = format!("HIERARCHY\n{}", "  #\n".repeat(1 << 20));
    let blanks = format!("HIERARCHY{}#", " ".repeat(1 << 22));
    let extra = format!("{GOOD}{}", "# 1\n1 #\n".repeat(1 << 19));
    let equal = "JOINT a { OFFSET 0 0 0 } ".repeat(4_000);
    let equal =
        format!("HIERARCHY ROOT a {{ OFFSET 0 0 0 {equal} }} MOTION Frames: 0 FrameTime: 1");
    let short = changed("Frames: 2", "Frames: 9999999") + &"1 2\n".repeat(1 << 20);
    let digits = changed("0 90 2", &"9".repeat(1 << 22));
    for text in [hashes, comments, blanks, extra, equal, short, digits] {
        for settings in [STRICT, LENIENT] {
            if let Ok(bvh) = read_bytes(text.as_bytes(), &settings) {
                assert!(bvh.warnings.count() > 0);
            }
        }
    }
}

/// The peak memory of this process in megabytes.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    own_process::peak_kilobytes() >> 10
}

#[test]
#[cfg(target_os = "linux")]
fn stated_but_missing_frames_allocate_nothing() {
    in_own_process(
        concat!(
            module_path!(),
            "::stated_but_missing_frames_allocate_nothing"
        ),
        || {
            for frames in ["4294967295", "9000000000000000", "10000000"] {
                let text = changed("Frames: 2", &format!("Frames: {frames}"));
                let bvh = read_bytes(text.as_bytes(), &LENIENT).unwrap();
                assert_eq!(bvh.frame_count(), 2);
            }
            // Four bytes of memory for each byte of the smallest numbers, and the same again as keys.
            let rows = "0 0 0 0 0 0 0 0 0\n".repeat(500_000);
            let text = changed("Frames: 2", "Frames: 500002") + &rows;
            let bvh = read_bytes(text.as_bytes(), &STRICT).unwrap();
            assert_eq!(bvh.frame_count(), 500_002);
            bvh.into_motion(&STRICT).unwrap();
            let peak = peak();
            common::say(&format!(
                "bvh memory: {} MB of rows, peak {peak} MB",
                text.len() >> 20
            ));
            assert!(peak < 300, "{peak} MB");
        },
    );
}

#[test]
fn a_frame_rate_of_the_settings_does_not_admit_invalid_numbers() {
    let settings = BvhSettings {
        frame_rate: Some(30.0),
        ..LENIENT
    };
    for time in ["nan", "x", "1.#INF"] {
        let text = changed("0.0333333", time);
        assert!(read_bytes(text.as_bytes(), &settings).is_err(), "{time}");
    }
}
