//! Broken bytes: every truncation and many changes of small files give an error or a result.

use crate::common::acclaim;
#[allow(dead_code, reason = "no real files here")]
use acclaim::{AMC, ASF, read_amc, read_asf};
use proptest::prelude::*;
use sinew_formats::amc::{self, AmcSettings, GapPolicy};
use sinew_formats::asf::{self, Asf, Units};

/// A skeleton with every kind of degree of freedom.
const ALL: &str = "\
:units angle rad
:root order tx ty tz rx ry rz l axis zyx position 0 1 0 orientation 1 2 3
:bonedata
begin name a direction 0 1 0 length 1 axis 1 2 3 xzy dof tx ty tz rx ry rz l end
begin name b direction 1 0 0 length 1 axis 0 0 0 yzx dof l end
:hierarchy begin
root a
a b
end
";

const ALL_MOTION: &str = ":fully-specified
1
root 1 2 3 4 5 6 7
a 1 2 3 4 5 6 7
b 1
4
a 1 2 3 4 5 6 7
b 2
root 1 2 3 4 5 6 7
";

/// Reads and converts in all ways, for what must not happen.
fn drive(asf: &[u8], amc: &[u8]) {
    for lenient in [false, true] {
        let Ok(asf) = read_asf(asf, lenient) else {
            continue;
        };
        asf::to_skeleton(&asf, Units::CmuMetres).unwrap();
        read_asf(&asf::write_bytes(&asf), true).unwrap();
        drive_motion(&asf, amc, lenient);
    }
}

fn drive_motion(asf: &Asf, bytes: &[u8], lenient: bool) {
    for gaps in [
        GapPolicy::Compact,
        GapPolicy::HoldLast,
        GapPolicy::Interpolate,
    ] {
        let settings = AmcSettings {
            lenient,
            gaps,
            ..AmcSettings::default()
        };
        let Ok(amc) = amc::read_bytes(bytes, asf, &settings) else {
            continue;
        };
        let frames = amc.frame_count();
        assert!(
            amc.tracks
                .iter()
                .flat_map(|track| &track.values)
                .all(|v| v.len() == frames)
        );
        // Wide gaps are many frames; they were made, which is enough.
        if frames < 1000 {
            amc::to_motion(asf, amc, Units::CmuMetres).unwrap();
        }
    }
}

#[test]
fn every_truncation_gives_an_error_or_a_result() {
    for (asf, amc) in [(ASF, AMC), (ALL, ALL_MOTION)] {
        for end in 0..asf.len() {
            drive(&asf.as_bytes()[..end], amc.as_bytes());
        }
        for end in 0..amc.len() {
            drive(asf.as_bytes(), &amc.as_bytes()[..end]);
        }
    }
}

#[test]
fn every_byte_may_be_replaced_by_any_significant_byte() {
    let telling = b"\0\n\r \t#:-+.0919eEnNl(\xff\xc3\"";
    for (asf, amc) in [(ASF, AMC), (ALL, ALL_MOTION)] {
        for index in 0..asf.len() {
            for &byte in telling {
                let mut bytes = asf.as_bytes().to_vec();
                bytes[index] = byte;
                drive(&bytes, amc.as_bytes());
            }
        }
        let skeleton = read_asf(asf.as_bytes(), false).unwrap();
        for index in 0..amc.len() {
            for &byte in telling {
                let mut bytes = amc.as_bytes().to_vec();
                bytes[index] = byte;
                drive_motion(&skeleton, &bytes, true);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_give_an_error_or_a_result(bytes: Vec<u8>) {
        drive(&bytes, &bytes);
        drive(ASF.as_bytes(), &bytes);
    }

    #[test]
    fn any_lines_of_valid_words_give_an_error_or_a_result(
        lines in proptest::collection::vec(prop::sample::select(vec![
            "1", "2", "3", "9", "4294967295", "root 1 2 3 4 5 6", "femur 1 2 3", "tibia 4", "tibia", "foot 1",
            ":DEGREES", ":FULLY-SPECIFIED", "other 1", "# x", "", "tibia 1e300", "root 1 2 3", "\u{fc} 1",
        ]), 0..40)
    ) {
        let text = lines.join("\n");
        drive(ASF.as_bytes(), text.as_bytes());
        let text = text.replace('\n', "\r\n");
        drive(ASF.as_bytes(), text.as_bytes());
    }

    /// The slow way alone is what a file gives whose bones are in another order in each frame; the
    /// quick way must give the same.
    #[test]
    fn the_fast_and_the_general_line_reader_agree(values in proptest::collection::vec(-400.0f64..400.0, 30)) {
        let asf = read_asf(ASF.as_bytes(), false).unwrap();
        let mut quick = String::new();
        let mut slow = String::new();
        for (frame, v) in values.chunks(10).enumerate() {
            let root = format!("root {} {} {} {} {} {}\n", v[0], v[1], v[2], v[3], v[4], v[5]);
            let femur = format!("femur {:.4} {:e} {}\n", v[6], v[7], v[8]);
            let tibia = format!("tibia {:.3}\n", v[9]);
            quick += &format!("{}\n{root}{femur}{tibia}", frame + 1);
            // A comment that touches a number sends its line the slow way.
            let slowly = |line: &str| line.replace('\n', "#x\n");
            slow += &format!("{}\n{}{}{}", frame + 1, slowly(&root), slowly(&femur), slowly(&tibia));
        }
        let quick = read_amc(quick.as_bytes(), &asf, false).unwrap();
        let slow = read_amc(slow.as_bytes(), &asf, false).unwrap();
        prop_assert_eq!(quick.tracks, slow.tracks);
    }
}
