//! A root's OFFSET and its position channels.

use crate::bvh_common::motion;
use sinew::Sampler;

/// A stick of one metre whose root has an offset of a metre, and is at these heights in its channels, in centimetres.
fn stick(up: usize, heights: &[f64]) -> String {
    let vector = |length: f64| {
        let mut v = [0.0; 3];
        v[up] = length;
        format!("{} {} {}", v[0], v[1], v[2])
    };
    let mut text = format!(
        "HIERARCHY\nROOT Hips\n{{\n OFFSET {}\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
         Yrotation\n JOINT Leg\n {{\n  OFFSET {}\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {{\n   \
         OFFSET {}\n  }}\n }}\n}}\nMOTION\nFrames: {}\nFrame Time: 0.0333333\n",
        vector(100.0),
        vector(-50.0),
        vector(-50.0),
        heights.len()
    );
    for height in heights {
        text += &format!("{} 0 0 0 0 0 0\n", vector(*height));
    }
    text
}

/// Where the root is at each frame, in centimetres.
fn read(up: usize, heights: &[f64]) -> Vec<f64> {
    let file = motion(stick(up, heights).as_bytes());
    let animation = &file.animations[0];
    let mut sampler = Sampler::new(&file.skeleton, animation);
    (0..heights.len())
        .map(|frame| {
            let place = sampler
                .model_at(animation.frame_time(frame))
                .position(0.into());
            f64::from(place[up]) * 100.0
        })
        .collect()
}

/// A body that holds its offset in its channels stays on the ground however low or high it begins: a crouch, a jump or
/// a lost first frame does not lift it by its own height.
#[test]
fn the_first_frame_does_not_decide_about_the_offset() {
    for up in [1, 2] {
        for first in (-20..=200).step_by(3) {
            let mut heights = vec![100.0; 20];
            heights[0] = f64::from(first);
            heights[1] = 0.5 * (heights[0] + 100.0);
            heights[7] = 93.0;
            let found = read(up, &heights);
            for (found, height) in found.iter().zip(&heights) {
                assert!(
                    (found - height).abs() < 1e-3,
                    "{up}: from {first}: {found} for {height}"
                );
            }
        }
        // Channels that count from the offset.
        for first in (-120..=120).step_by(3) {
            let mut heights = vec![0.0; 20];
            heights[0] = f64::from(first);
            heights[9] = -12.0;
            let found = read(up, &heights);
            for (found, height) in found.iter().zip(&heights) {
                assert!(
                    (found - height - 100.0).abs() < 1e-3,
                    "{up}: from {first}: {found} for {height}"
                );
            }
        }
    }
}

/// The four clips that begin at 50, 89, 91 and 100 % of the offset and reach it: all stay on the ground.
#[test]
fn clips_that_reach_their_offset_include_it() {
    for first in [50.0, 89.0, 91.0, 100.0] {
        let found = read(1, &[first, 99.0, 100.0]);
        assert!((found[2] - 100.0).abs() < 1e-3, "{first}: {found:?}");
    }
}

/// Between the two readings there is one change, where a clip is half an offset high: as far from the one as from the
/// other.
#[test]
fn the_reading_changes_once_at_half_the_offset() {
    let added = |height: f64| (read(1, &[height; 5])[0] - height).abs() > 50.0;
    for height in 0..=199 {
        assert_eq!(added(f64::from(height)), height <= 50, "{height}");
    }
}
