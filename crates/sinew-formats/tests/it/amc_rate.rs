//! Motions at wrong frame rates are doubted, motions at right ones are not.

use crate::common;
use crate::common::acclaim;
use acclaim::{ASF, good_files, read_amc, read_asf, skeleton_of};
use sinew_formats::amc::{self, Amc, FrameRun};
use sinew_formats::asf::{Asf, Dof, Units};

/// What is said of a motion's rate when it is multiplied.
fn doubt(asf: &Asf, amc: &Amc, factor: f64) -> Option<String> {
    let amc = Amc {
        frame_rate: amc.frame_rate * factor,
        ..amc.clone()
    };
    let motion = amc::to_motion(asf, amc, Units::CmuMetres).unwrap();
    let mut list = motion.warnings.list().iter();
    let found = list.find(|warning| warning.place == "frame rate");
    found.map(|warning| warning.problem.clone())
}

/// A figure that jumps half a metre high, again and again, as gravity has it at a rate.
fn jumper(rate: f64) -> (Asf, Amc) {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    let mut amc = Amc::new(&asf, rate);
    let frames = (rate * 4.0) as u32;
    amc.frames = vec![FrameRun {
        first: 1,
        count: frames,
    }];
    let units = 0.45 / 0.0254;
    for track in &mut amc.tracks {
        for (dof, values) in track.dofs.iter().zip(&mut track.values) {
            let value = |frame: u32| match dof {
                Dof::Ty => {
                    // A jump each second, of 0.64 seconds.
                    let t = (f64::from(frame) / rate).fract();
                    units * (1.0 + (0.5 * 9.81 * t * (0.6386 - t)).max(0.0))
                }
                _ => 0.0,
            };
            *values = (0..frames).map(value).collect();
        }
    }
    (asf, amc)
}

#[test]
fn the_frame_rate_is_estimated_from_a_jump() {
    for rate in [30.0, 60.0, 120.0] {
        let (asf, amc) = jumper(rate);
        // As tall as a person, so that it is taken for one.
        let mut asf = asf;
        asf.bones[0].length = 12.0;
        assert_eq!(doubt(&asf, &amc, 1.0), None, "{rate}");
        for (factor, speed) in [(2.0, "fast"), (4.0, "fast"), (0.5, "slow"), (0.25, "slow")] {
            let text = doubt(&asf, &amc, factor).unwrap_or_else(|| panic!("{rate} {factor}"));
            let end = format!(
                "at {} frames per second the motion looks too {speed}, its rate may be about {rate}",
                rate * factor
            );
            assert!(text.ends_with(&end), "{text}");
        }
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_motions_have_rate_warnings_only_at_wrong_rates() {
    /// Captures that fall faster than gravity at 120, so that their rate must have been another; and a
    /// walk that says no rate and takes half a second at 120.
    const OTHER: [&str; 4] = ["backflip", "charleston1", "charleston2", "jmocap/walk"];
    let factors = [1.0, 2.0, 4.0, 0.5, 0.25];
    let mut doubted = [0; 5];
    let mut clips = 0;
    for path in good_files("amc") {
        if path
            .components()
            .any(|part| part.as_os_str() == "synthetic")
        {
            continue;
        }
        let asf = read_asf(&std::fs::read(skeleton_of(&path)).unwrap(), true).unwrap();
        let amc = read_amc(&std::fs::read(&path).unwrap(), &asf, true).unwrap();
        let name = path.with_extension("");
        if OTHER.iter().any(|other| name.ends_with(other)) {
            assert!(doubt(&asf, &amc, 1.0).is_some(), "{}", path.display());
            continue;
        }
        clips += 1;
        for (count, factor) in doubted.iter_mut().zip(factors) {
            let doubt = doubt(&asf, &amc, factor);
            assert!(
                factor != 1.0 || doubt.is_none(),
                "{}: {doubt:?}",
                path.display()
            );
            *count += usize::from(doubt.is_some());
        }
    }
    common::say(&format!(
        "amc rates: of {clips} motions {doubted:?} are doubted at {factors:?} times their rate"
    ));
    assert!(clips > 0, "the corpus has no motions");
    let least = [0, 28, 35, 10, 8];
    assert!(
        doubted
            .iter()
            .zip(least)
            .all(|(count, least)| *count >= least)
    );
}
