//! A happy greeting: up goes the far paw, shut go the eyes, and everything else joins in.

use super::clip::Clip;
use crate::rig::{BEFORE_THE_FACE, Bones};
use sinew::skelform::{AnimationData, ArmatureData, Element};

const PERIOD: u32 = 132;

/// The paw is up from here to there.
const UP: u32 = 24;
const DOWN: u32 = 100;

/// Frames from one side of a wave to the other.
const BEAT: u32 = 9;

/// Writes the animation.
pub(super) fn wave(rig: &ArmatureData, bones: &Bones) -> AnimationData {
    let mut clip = Clip::new(rig, "wave", PERIOD);
    arm(&mut clip, bones);
    body(&mut clip, bones);
    face(&mut clip, bones);
    followers(&mut clip, bones);
    for (i, sparkle) in bones.sparkles.into_iter().enumerate() {
        twinkle(&mut clip, sparkle, UP + 8 + 14 * i as u32);
    }
    clip.finish()
}

fn arm(clip: &mut Clip<'_>, bones: &Bones) {
    let arm = bones.far_arm;
    clip.turn(
        arm.upper,
        &[
            (0, 0.0),
            (10, -14.0),
            (UP, 76.0),
            (UP + 10, 66.0),
            (DOWN - 8, 70.0),
            (DOWN + 14, -8.0),
            (DOWN + 22, 0.0),
        ],
    );
    let mut keys = vec![(0, 0.0), (12, 10.0), (UP, 20.0)];
    let waves = (DOWN - UP) / BEAT - 1;
    for i in 0..waves {
        let frame = UP + 5 + BEAT * i;
        keys.push((frame, if i % 2 == 0 { 66.0 } else { 2.0 }));
    }
    keys.extend([(DOWN + 6, 24.0), (DOWN + 20, 0.0)]);
    clip.turn(arm.fore, &keys);
    // Short arms have to stretch to be seen beside so large a head.
    clip.shift(
        arm.upper,
        &[
            (0, 0.0, 0.0),
            (UP, 12.0, 6.0),
            (DOWN - 8, 12.0, 6.0),
            (DOWN + 16, 0.0, 0.0),
        ],
    );
    clip.squash(
        arm.upper,
        &[
            (0, 1.0, 1.0),
            (10, 0.95, 1.0),
            (UP, 1.4, 1.0),
            (DOWN - 8, 1.36, 1.0),
            (DOWN + 14, 1.0, 1.0),
        ],
    );
    // The raised paw passes before the cheek and is out of the body's shade.
    clip.zindex_during(arm.upper, BEFORE_THE_FACE, 16, DOWN + 4);
    for (element, full) in [
        (Element::TintR, 0.18),
        (Element::TintG, 0.24),
        (Element::TintB, 0.20),
    ] {
        let lit = [
            (0, 0.0),
            (12, 0.0),
            (UP, full),
            (DOWN - 6, full),
            (DOWN + 10, 0.0),
        ];
        clip.track(
            arm.upper,
            element,
            &lit.map(|(f, v)| (f, v, super::clip::smooth())),
        );
    }
    clip.turn(
        bones.near_arm.upper,
        &[
            (0, 0.0),
            (10, 6.0),
            (UP + 4, -22.0),
            (DOWN - 6, -18.0),
            (DOWN + 18, 0.0),
        ],
    );
    clip.turn(
        bones.near_arm.fore,
        &[(0, 0.0), (UP + 8, 26.0), (DOWN, 22.0), (DOWN + 22, 0.0)],
    );
}

fn body(clip: &mut Clip<'_>, bones: &Bones) {
    // A dip before, a bounce on every wave.
    let mut hips = vec![(0, 0.0, 0.0), (10, 0.0, -9.0), (UP, -4.0, 3.0)];
    let mut squash = vec![(0, 1.0, 1.0), (10, 1.045, 0.945), (UP - 2, 0.965, 1.045)];
    for beat in 0..3 {
        let start = UP + 8 + beat * 2 * BEAT;
        hips.extend([(start, -5.0, -5.0), (start + BEAT, -4.0, 1.5)]);
        squash.extend([(start, 1.02, 0.975), (start + BEAT, 0.99, 1.015)]);
    }
    hips.extend([
        (DOWN + 4, -2.0, 0.0),
        (DOWN + 14, 0.0, -6.0),
        (DOWN + 24, 0.0, 0.0),
    ]);
    squash.extend([(DOWN + 14, 1.025, 0.97), (DOWN + 24, 1.0, 1.0)]);
    clip.shift(bones.hips, &hips);
    clip.squash(bones.body, &squash);
    clip.turn(
        bones.torso,
        &[
            (0, 0.0),
            (10, -4.0),
            (UP, 8.0),
            (DOWN - 6, 7.0),
            (DOWN + 14, -2.0),
            (DOWN + 24, 0.0),
        ],
    );
    clip.turn(
        bones.head,
        &[
            (0, 0.0),
            (12, -6.0),
            (UP + 3, 6.0),
            (UP + 22, 2.0),
            (UP + 40, 7.0),
            (UP + 58, 2.5),
            (DOWN + 8, -3.0),
            (DOWN + 24, 0.0),
        ],
    );
    clip.shift(
        bones.head,
        &[
            (0, 0.0, 0.0),
            (13, 2.0, -6.0),
            (UP + 2, -2.0, 6.0),
            (DOWN - 4, -2.0, 3.0),
            (DOWN + 17, 0.0, -4.0),
            (DOWN + 27, 0.0, 0.0),
        ],
    );
    clip.squash(
        bones.shadow,
        &[
            (0, 1.0, 1.0),
            (10, 1.05, 1.0),
            (UP, 0.98, 1.0),
            (DOWN + 14, 1.03, 1.0),
        ],
    );
}

fn face(clip: &mut Clip<'_>, bones: &Bones) {
    for eye in bones.eyes {
        clip.texture(
            eye,
            &[
                (0, "eye_open"),
                (14, "eye_half"),
                (17, "eye_happy"),
                (DOWN + 2, "eye_half"),
                (DOWN + 5, "eye_open"),
            ],
        );
    }
    clip.texture(
        bones.mouth,
        &[
            (0, "mouth_smile"),
            (15, "mouth_open"),
            (DOWN + 4, "mouth_smile"),
        ],
    );
    for cheek in bones.cheeks {
        clip.fade(
            cheek,
            &[
                (0, 0.6),
                (12, 0.6),
                (UP + 4, 1.0),
                (DOWN - 8, 1.0),
                (DOWN + 26, 0.6),
            ],
        );
        clip.squash(
            cheek,
            &[
                (0, 1.0, 1.0),
                (14, 1.0, 1.0),
                (UP, 1.2, 1.2),
                (DOWN, 1.2, 1.2),
                (DOWN + 14, 1.0, 1.0),
            ],
        );
    }
    for brow in bones.brows {
        clip.shift(
            brow,
            &[
                (0, 0.0, 0.0),
                (11, 0.0, -3.0),
                (UP, -1.0, 7.0),
                (DOWN - 4, -1.0, 6.0),
                (DOWN + 12, 0.0, 0.0),
            ],
        );
    }
    clip.shift(
        bones.face,
        &[
            (0, 0.0, 0.0),
            (12, 3.0, -3.0),
            (UP, 3.0, 4.0),
            (DOWN, 3.0, 3.0),
            (DOWN + 16, 0.0, 0.0),
        ],
    );
}

fn followers(clip: &mut Clip<'_>, bones: &Bones) {
    for (ear, side) in [(bones.near_ear, 1.0), (bones.far_ear, -1.0)] {
        // Back in the dip, then perked up.
        clip.turn(
            ear[0],
            &[
                (0, 0.0),
                (12, 6.0 * side),
                (UP + 2, -9.0 * side),
                (DOWN - 6, -7.0 * side),
                (DOWN + 16, 3.0 * side),
                (DOWN + 26, 0.0),
            ],
        );
        clip.turn(
            ear[3],
            &[
                (0, 0.0),
                (14, 6.0 * side),
                (UP + 8, -12.0 * side),
                (DOWN, -8.0 * side),
                (DOWN + 24, 0.0),
            ],
        );
    }
    // The tail wags at twice the speed of the paw.
    for (i, &bone) in bones.tail.iter().enumerate() {
        let (late, size) = (i as u32, 1.8 + 0.22 * i as f32);
        let mut keys = vec![(0, 0.0), (12 + late, if i == 0 { 8.0 } else { 1.5 })];
        for wag in 0..8 {
            keys.push((
                UP + late + wag * BEAT,
                if wag % 2 == 0 { -size } else { size },
            ));
        }
        keys.push((DOWN + 6 + late, -1.0));
        keys.push((DOWN + 18 + late, 0.0));
        clip.turn(bone, &keys);
    }
    for (i, &bone) in bones.cape.iter().enumerate() {
        let late = 2 * i as u32;
        clip.turn(
            bone,
            &[
                (0, 0.0),
                (12 + late, 3.0),
                (UP + 4 + late, -5.0),
                (UP + 26 + late, 0.0),
                (UP + 46 + late, -2.5),
                (DOWN + 2 + late, 0.0),
                (DOWN + 16 + late, 2.0),
            ],
        );
    }
    clip.shift(
        bones.sprout_target,
        &[
            (0, 0.0, 0.0),
            (13, 2.4, -9.0),
            (UP + 4, -8.4, 4.8),
            (UP + 16, 6.0, -4.8),
            (UP + 30, -7.2, 2.4),
            (UP + 46, 6.0, -3.6),
            (UP + 62, -6.0, 1.8),
            (DOWN + 18, 4.8, -7.2),
            (DOWN + 28, 0.0, 0.0),
        ],
    );
}

/// A sparkle that pops, turns and goes.
fn twinkle(clip: &mut Clip<'_>, sparkle: usize, start: u32) {
    clip.show_during(sparkle, start, start + 36);
    clip.squash(
        sparkle,
        &[
            (start, 0.3, 0.3),
            (start + 8, 1.15, 1.15),
            (start + 24, 0.9, 0.9),
            (start + 36, 0.2, 0.2),
        ],
    );
    clip.turn(sparkle, &[(start, -30.0), (start + 36, 40.0)]);
}
