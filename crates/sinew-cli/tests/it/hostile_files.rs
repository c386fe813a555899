//! Files that are damaged or mean harm: an error, never a panic.

use crate::common;
use common::{Folder, PIP};

/// Bytes that look like nothing, the same in every run.
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        // The multiplier and increment of Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn what_is_no_character_is_refused_by_every_command() {
    let zip_and_noise = [b"PK\x03\x04".to_vec(), noise(3000, 1)].concat();
    let deep = "[".repeat(100_000);
    let files: [(&str, Vec<u8>); 8] = [
        ("empty.skf", Vec::new()),
        ("one.skf", vec![b'P']),
        ("noise.skf", noise(5000, 7)),
        ("zip-and-noise.skf", zip_and_noise),
        ("text.skf", b"buy milk".to_vec()),
        ("brace.skf", b"{".to_vec()),
        ("deep.skf", format!("{{\"bones\":{deep}").into_bytes()),
        (
            "lfs.skf",
            b"version https://git-lfs.github.com/spec/v1\n".to_vec(),
        ),
    ];
    let folder = Folder::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
        folder.run_refused(&["info", name], &[name]);
        folder.run_refused(&["render", name, "--size=20"], &[name]);
        assert_eq!(folder.run(&["validate", name]).code, Some(1));
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn a_character_that_is_cut_off_is_refused() {
    let folder = Folder::new();
    for kept in [1, 4, 100, PIP.len() / 2, PIP.len() - 30, PIP.len() - 1] {
        folder.write("cut.skf", &PIP[..kept]);
        folder.run_refused(&["info", "cut.skf"], &["cut.skf"]);
        folder.run_refused(&["render", "cut.skf", "--size=20"], &["cut.skf"]);
    }
    assert_eq!(folder.files(), ["cut.skf"]);
}

#[test]
fn a_character_with_damaged_bytes_is_drawn_or_refused() {
    let folder = Folder::new();
    let places = noise(16, 99);
    for (i, &place) in places.iter().enumerate() {
        let mut bytes = PIP.to_vec();
        let at = (i * 256 + usize::from(place)) * bytes.len() / (256 * places.len());
        bytes[at] ^= 0x55;
        folder.write("hurt.skf", bytes);
        // It may still be readable: all that counts is that the program ends in order.
        let run = folder.run(&["render", "hurt.skf", "--frame=0", "--size=20"]);
        assert!(matches!(run.code, Some(0 | 2)), "byte {at}: {run:?}");
    }
}
