//! Resampling keeps both ends of every motion: loops stay loops, and nothing is cut off, in memory and in BVH files.

use sinew::Sampler;
use sinew_author::edit::{FrameGrid, resample};
use sinew_author::measure::loop_gap;
use sinew_formats::bvh::{self, BvhSettings, BvhWriteSettings};
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{corpus_files, say};

const RATES: [f64; 6] = [24.0, 25.0, 30.0, 50.0, 60.0, 119.88];

/// Frames of files that are taken as they are; longer ones are cut, for the time it takes.
const LONGEST: f32 = 20.0;

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_motion_keeps_its_ends_and_its_loop_gap_at_every_rate() {
    let (mut files, mut motions, mut tried, mut loops, mut worst) = (0, 0, 0, 0, 0.0_f32);
    let reading = BvhSettings {
        lenient: true,
        frame_rate: None,
        scale: 0.01,
    };
    let mut paths = corpus_files("bvh", &["bvh"]);
    paths.extend(corpus_files("gltf", &["gltf", "glb"]));
    paths.extend(corpus_files("asf-amc", &["amc"]));
    for path in paths {
        let settings = MotionSettings {
            lenient: true,
            ..MotionSettings::default()
        };
        let Ok(file) = read_motion(&path, &settings) else {
            continue;
        };
        files += 1;
        let skeleton = &file.skeleton;
        for animation in &file.animations {
            let animation = sinew_author::edit::trim(animation, 0.0..animation.length.min(LONGEST));
            if animation.length <= 0.0 || animation.tracks.is_empty() {
                continue;
            }
            motions += 1;
            let before = loop_gap(skeleton, &animation);
            for rate in RATES {
                let what = format!("{} {:?} at {rate}", path.display(), animation.name);
                let resampled = resample(&animation, rate);
                let grid = FrameGrid::of(&animation, rate);
                assert_eq!(resampled.frame_rate, Some(grid.rate), "{what}");
                let added = f64::from(resampled.length - animation.length);
                assert!(
                    added > -1e-5 && added < 1.0 / grid.rate + 1e-5,
                    "{what}: {added}"
                );
                let after = loop_gap(skeleton, &resampled);
                let size = 1.0 + before.travel.length() + before.distance;
                let off = (after.distance - before.distance).abs() / size;
                assert!(off < 1e-4, "{what}: {before:?} {after:?}");
                worst = worst.max(off);
                tried += 1;
                if (grid.rate - rate).abs() > 1e-9 * rate {
                    // A loop, or shorter than a frame: it is as long as it was.
                    loops += 1;
                    assert!(added.abs() < 1e-5, "{what}: {added}");
                }
                let ends = [
                    (&animation, animation.length),
                    (&resampled, resampled.length),
                ];
                let ends = ends.map(|(animation, time)| {
                    let mut sampler = Sampler::new(skeleton, animation);
                    sampler.points_at(time).collect::<Vec<_>>()
                });
                for (a, b) in ends[0].iter().zip(&ends[1]) {
                    assert!(
                        (*a - *b).length() < 1e-4 * size * (1.0 + a.length()),
                        "{what}"
                    );
                }
            }
            // As BVH, at the rate that the writer chooses.
            let Ok(text) = bvh::write_bytes(skeleton, &animation, &BvhWriteSettings::default())
            else {
                continue;
            };
            let again = bvh::read_bytes(&text, &reading).unwrap();
            let again = again.into_motion(&reading).unwrap();
            let again = &again.animations[0];
            let (length, rate) = (animation.length, again.frame_rate.unwrap());
            let added = f64::from(again.length - length);
            let what = format!("{} {:?} as BVH", path.display(), animation.name);
            assert!(
                added > -1e-4 && added < 1.0 / rate + 1e-4,
                "{what}: {added}"
            );
        }
    }
    say(&format!(
        "{motions} motions of {files} files, {tried} times resampled, {loops} of these at a rate that divides a \
         loop; gap off by {worst:e} at most"
    ));
    assert!(files > 100 && loops > 20, "{files} {loops}");
}
