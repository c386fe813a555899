//! Files of version 1, frozen: they are read for ever, to the same poses.
//!
//! `UPDATE_GOLDEN=1 cargo test -p sinew-formats --test it pack_golden` writes files that are not there, then fails;
//! it never changes one that is. When the compressor improves, `the_current_writer_reproduces_the_current_files` fails: reading must
//! stay as it is, writing may change. Then files of another name are added to `GOLDEN`, and `is_current` of the
//! old ones becomes `false`; old files and their hashes stay.

use crate::common::play_pack;
use crate::pack_common;
use pack_common::one;
use sinew::packed::Packing;
use sinew::simd::SimdLevel;
use sinew::{PackedCursor, Pose};
use sinew_formats::pack::{self, Pack, PackView};
use std::path::PathBuf;

struct Golden {
    name: &'static str,
    packing: Packing,
    /// Of all poses at frames and half frames.
    hash: u64,
    /// Whether the compressor of today makes it.
    is_current: bool,
}

const fn golden(name: &'static str, packing: Packing, hash: u64) -> Golden {
    Golden {
        name,
        packing,
        hash,
        is_current: true,
    }
}

const GOLDEN: [Golden; 5] = [
    // Its stated error was measured at fewer moments, on fewer points.
    Golden {
        is_current: false,
        ..golden(
            "pack-v1-keys.sinew",
            Packing::Keyframes,
            0x251e_9517_4929_62db,
        )
    },
    golden("pack-v1-plain.sinew", Packing::Plain, 0x7058_d26c_ad68_1392),
    golden("pack-v1-small.sinew", Packing::Small, 0x00a2_1894_7bc0_f84c),
    // It was the smallest when sizes were rounded to 32 bytes.
    Golden {
        is_current: false,
        ..golden("pack-v1-fast.sinew", Packing::Fast, 0x1632_0821_4119_ea6a)
    },
    golden(
        "pack-v1-fast-slices.sinew",
        Packing::Fast,
        0x6981_b077_351f_9c35,
    ),
];

impl Golden {
    fn path(&self) -> PathBuf {
        let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        tests.join("golden").join(self.name)
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// What it was made of: a tree of nine joints that swings for 70 frames, with info of every kind.
    fn source(&self) -> Pack {
        one(self.packing, 9, 70)
    }
}

/// FNV-1a of the numbers of all poses.
fn hash(view: &PackView<'_>, level: SimdLevel) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (skeleton, animation) in view.animations() {
        let mut pose = Pose::rest(&view.skeletons()[*skeleton]);
        let mut cursor = PackedCursor::new();
        for step in 0..=140 {
            let time = step as f32 / 60.0;
            animation
                .sample_with(level, time, &mut cursor, &mut pose)
                .unwrap();
            for byte in play_pack::bits(&pose)
                .into_iter()
                .flatten()
                .flat_map(u32::to_le_bytes)
            {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    hash
}

#[test]
fn frozen_files_are_read_to_the_same_poses() {
    let mut made = Vec::new();
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for golden in GOLDEN
        .iter()
        .filter(|golden| is_update && !golden.path().exists())
    {
        let bytes = pack::write_bytes(&golden.source()).unwrap();
        std::fs::write(golden.path(), &bytes).unwrap();
        let hash = hash(&PackView::read(&bytes).unwrap(), SimdLevel::OFF);
        made.push(format!("{}: {hash:#x}", golden.name));
    }
    assert!(made.is_empty(), "made, with these hashes: {made:#?}");
    for golden in &GOLDEN {
        let bytes = golden.bytes();
        let view = PackView::read(&bytes).unwrap();
        for level in SimdLevel::all() {
            let found = hash(&view, level);
            assert_eq!(
                found, golden.hash,
                "{}: {found:#x} at {level:?}",
                golden.name
            );
        }
        play_pack::play(&view);
        let (_, walk) = view.find("walk").unwrap();
        assert_eq!(walk.packing(), golden.packing);
        let source = golden.source();
        assert_eq!(view.skeletons(), source.skeletons);
        assert_eq!(walk.info(), source.animations[0].animation.info());
    }
}

#[test]
fn frozen_files_are_written_as_they_are() {
    for golden in &GOLDEN {
        let bytes = golden.bytes();
        let again = pack::write_bytes(&pack::read_bytes(&bytes).unwrap()).unwrap();
        assert!(again == bytes, "{} is written differently", golden.name);
    }
}

#[test]
fn the_current_writer_reproduces_the_current_files() {
    for golden in GOLDEN.iter().filter(|golden| golden.is_current) {
        let bytes = pack::write_bytes(&golden.source()).unwrap();
        assert!(
            bytes == golden.bytes(),
            "{} is made differently",
            golden.name
        );
    }
}
