//! Every bit of small files turned over: an error, or animations whose poses are finite.

use crate::common;
use crate::common::play_pack;
use crate::pack_common;
use pack_common::{PACKINGS, one};
use sinew::simd::SimdLevel;
use sinew::{PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_formats::pack::{self, PackView};

/// Half frames `stride` apart, the ends and beyond both, at every level.
fn sample(animation: &PackedAnimation<'_>, skeleton: &Skeleton, stride: usize) {
    let mut pose = Pose::rest(skeleton);
    for level in SimdLevel::all() {
        let mut cursor = PackedCursor::new();
        for step in (-1..=40).step_by(stride).chain([0, 1, 40]) {
            let time = step as f32 / 60.0;
            animation
                .sample_with(level, time, &mut cursor, &mut pose)
                .unwrap();
            assert!(pose.is_finite(), "{} at {time}", animation.packing());
        }
    }
    play_pack::sample(animation, skeleton, &mut PackedCursor::new());
}

#[test]
fn no_flipped_bit_causes_a_panic_or_an_infinite_pose() {
    assert_flips_are_harmless(8);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn no_flipped_bit_causes_a_panic_or_an_infinite_pose_exhaustively() {
    assert_flips_are_harmless(1);
}

/// Flips every bit, and samples what is read at half frames `stride` apart.
fn assert_flips_are_harmless(stride: usize) {
    for packing in PACKINGS {
        let bytes = pack::write_bytes(&one(packing, 2, 12)).unwrap();
        let (mut refused, mut read) = (0, 0);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let plain = PackView::read(&flipped);
            assert!(plain.is_err(), "bit {bit} of {packing} is in no checksum");
            play_pack::reseal_checksums(&mut flipped);
            match PackView::read(&flipped) {
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
                Ok(view) => {
                    for (skeleton, animation) in view.animations() {
                        sample(animation, &view.skeletons()[*skeleton], stride);
                    }
                    read += 1;
                }
            }
        }
        assert!(refused > 0 && read > 0);
        common::say(&format!(
            "flips: {packing}, {} bytes: with checksums set right {refused} refused, {read} read",
            bytes.len()
        ));
    }
}
