//! Any bytes as a skeleton file: an error with a place, or a skeleton that can be written and read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew_formats::asf::{self, AsfSettings, Units};

fuzz_target!(|bytes: &[u8]| {
    for lenient in [false, true] {
        let settings = AsfSettings { lenient };
        match asf::read_bytes(bytes, &settings) {
            Ok(skeleton) => {
                for units in [Units::CmuMetres, Units::Literal, Units::Raw] {
                    let _ = asf::to_skeleton(&skeleton, units);
                }
                let written = asf::write_bytes(&skeleton);
                let again = asf::read_bytes(&written, &AsfSettings { lenient: true });
                let again = again.unwrap_or_else(|error| panic!("our own ASF is refused: {error}"));
                assert_eq!(again.bones.len(), skeleton.bones.len());
            }
            Err(error) => assert!(error.line > 0 && !error.found.is_empty()),
        }
    }
});
