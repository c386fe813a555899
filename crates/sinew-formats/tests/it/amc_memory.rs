//! A long motion is read in at most three times the room of the animation that it becomes.
//!
//! One test, because the peak belongs to the process.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::own_process::{in_own_process, peak_kilobytes};
use sinew_formats::amc::{self, AmcSettings};
use std::fmt::Write as _;
use std::io::Write as _;

/// As many bones and degrees of freedom as the files from CMU have.
const DOFS: [&str; 28] = [
    "rx ry rz", "rx ry rz", "rx ry rz", "rx ry rz", "rx ry rz", "rx ry rz", "ry rz", "rx ry rz",
    "rx", "ry", "rx rz", "rx", "rx rz", "ry rz", "rx ry rz", "rx", "ry", "rx rz", "rx", "rx rz",
    "rx ry rz", "rx", "rx rz", "rx", "rx ry rz", "rx", "rx rz", "rx",
];

#[test]
fn a_long_motion_takes_three_times_its_animation_at_most() {
    in_own_process(
        concat!(
            module_path!(),
            "::a_long_motion_takes_three_times_its_animation_at_most"
        ),
        || {
            let folder = tempfile::TempDir::new().unwrap();
            let mut asf = ":root\norder TX TY TZ RX RY RZ\n:bonedata\n".to_owned();
            for (bone, dofs) in DOFS.iter().enumerate() {
                writeln!(
            asf,
            "begin name somebone{bone} direction 0 1 0 length 1 axis 0 0 20 XYZ\ndof {dofs}\nend"
        )
        .unwrap();
            }
            asf += ":hierarchy\nbegin\nroot somebone0\n";
            for bone in 1..DOFS.len() {
                writeln!(asf, "somebone{} somebone{bone}", bone - 1).unwrap();
            }
            asf += "end\n";
            std::fs::write(folder.path().join("a.asf"), asf).unwrap();

            // Written frame by frame, so that the text is never in memory as a whole.
            let path = folder.path().join("a.amc");
            let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
            let frames = 60_000u32;
            writeln!(file, ":FULLY-SPECIFIED\n:DEGREES").unwrap();
            let mut value = 0.0;
            let mut next = || {
                value = (value + 0.37123f64) % 90.0;
                value
            };
            for frame in 1..=frames {
                writeln!(
                    file,
                    "{frame}\nroot 1.2345 17.123 {:.4} 1.5 {:.4} 3.5",
                    next(),
                    next()
                )
                .unwrap();
                for (bone, dofs) in DOFS.iter().enumerate() {
                    write!(file, "somebone{bone}").unwrap();
                    for _ in dofs.split(' ') {
                        write!(file, " {:.5}", next()).unwrap();
                    }
                    writeln!(file).unwrap();
                }
            }
            drop(file);
            let text = std::fs::metadata(&path).unwrap().len();

            let before = peak_kilobytes();
            let motion = amc::read(&path, None, &AmcSettings::default()).unwrap();
            let peak = (peak_kilobytes() - before) << 10;
            let tracks = &motion.animations[0].tracks;
            let keys = |count: usize, size: usize| (count * size) as u64;
            let animation: u64 = tracks
                .iter()
                .map(|track| {
                    let positions = track.position.as_ref().map_or(0, |c| c.values().len());
                    let rotations = track.rotation.as_ref().map_or(0, |c| c.values().len());
                    keys(positions, 12) + keys(rotations, 16)
                })
                .sum();
            assert_eq!(motion.animations[0].frame_count(), frames as usize);
            let times = peak as f64 / animation as f64;
            common::say(&format!(
                "amc memory: {} MB of text become an animation of {} MB; peak {} MB, {times:.2} times the animation",
                text >> 20,
                animation >> 20,
                peak >> 20
            ));
            assert!(peak > animation, "the peak was not measured");
            assert!(times <= 3.0);
        },
    );
}
