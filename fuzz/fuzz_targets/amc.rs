//! Any bytes as a motion, on a skeleton of ours or on one that stands before it, parted by a line of
//! `====`: an error with a place, or a motion that plays.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew_formats::amc::{self, AmcSettings, GapPolicy};
use sinew_formats::asf::{self, Asf, AsfSettings, Units};
use std::sync::LazyLock;

static FIGURE: LazyLock<Asf> = LazyLock::new(|| {
    let bytes = include_bytes!("../../samples/motion/figure.asf");
    asf::read_bytes(bytes, &AsfSettings::default()).expect("our own sample")
});

const GAPS: [GapPolicy; 4] = [
    GapPolicy::Error,
    GapPolicy::Compact,
    GapPolicy::HoldLast,
    GapPolicy::Interpolate,
];

fuzz_target!(|bytes: &[u8]| {
    let parting = b"\n====\n";
    let at = bytes.windows(parting.len()).position(|window| window == parting);
    let given = at.and_then(|at| asf::read_bytes(&bytes[..at], &AsfSettings { lenient: true }).ok());
    let (skeleton, motion) = match (&given, at) {
        (Some(given), Some(at)) => (given, &bytes[at + parting.len()..]),
        _ => (&*FIGURE, bytes),
    };
    for lenient in [false, true] {
        let settings = AmcSettings {
            lenient,
            gaps: GAPS[bytes.len() % GAPS.len()],
            ..AmcSettings::default()
        };
        match amc::read_bytes(motion, skeleton, &settings) {
            Ok(read) => {
                if let Ok(file) = amc::to_motion(skeleton, read, Units::CmuMetres) {
                    play_motion::play(&file);
                }
            }
            Err(error) => assert!(error.line > 0 && !error.found.is_empty()),
        }
    }
});
