//! Standing: breath, blinks, a look ahead, a twitch of the ear, a slow tail.

use super::clip::Clip;
use crate::rig::Bones;
use sinew::skelform::{AnimationData, ArmatureData, Element};

/// Three seconds: two breaths.
const PERIOD: u32 = 180;
const BREATHS: u32 = 2;

/// When the near ear twitches.
const TWITCH: u32 = 96;

/// Writes the animation.
pub(super) fn idle(rig: &ArmatureData, bones: &Bones) -> AnimationData {
    let mut clip = Clip::new(rig, "idle", PERIOD);
    breathe(&mut clip, bones);
    look(&mut clip, bones);
    blink(&mut clip, bones);
    ears(&mut clip, bones);
    // The wave runs down the tail: each bone a little later and a little wider.
    for (i, &bone) in bones.tail.iter().enumerate() {
        let i = i as f32;
        clip.swing(bone, 0.9 + 0.16 * i, BREATHS, 20.0 + 6.0 * i);
    }
    for (i, &bone) in bones.cape.iter().enumerate() {
        clip.swing(bone, 1.2, BREATHS, 50.0 + 8.0 * i as f32);
    }
    clip.finish()
}

fn breathe(clip: &mut Clip<'_>, bones: &Bones) {
    let breath = PERIOD / BREATHS;
    let cycle = |out: (f32, f32), full: (f32, f32), late: u32| {
        [0, breath].map(|start| {
            [
                (start + late, out.0, out.1),
                (start + late + breath * 4 / 9, full.0, full.1),
            ]
        })
    };
    clip.shift(bones.hips, cycle((0.0, -2.5), (0.0, 0.0), 0).as_flattened());
    clip.squash(
        bones.body,
        cycle((1.012, 0.985), (0.992, 1.028), 0).as_flattened(),
    );
    clip.shift(bones.head, cycle((0.0, -1.0), (0.0, 3.5), 4).as_flattened());
    clip.shift(
        bones.collar,
        cycle((0.0, -1.0), (0.0, 2.5), 2).as_flattened(),
    );
    clip.swing_track(bones.near_arm.upper, Element::PositionY, 1.4, BREATHS, 42.0);
    clip.swing_track(bones.far_arm.upper, Element::PositionY, 1.4, BREATHS, 42.0);
    clip.swing(bones.near_arm.upper, 2.2, BREATHS, 48.0);
    clip.swing(bones.near_arm.fore, 2.5, BREATHS, 56.0);
    clip.swing(bones.far_arm.upper, -2.2, BREATHS, 48.0);
    clip.swing(bones.torso, 0.7, BREATHS, 30.0);
    clip.swing_track(bones.shadow, Element::ScaleX, 0.008, BREATHS, 0.0);
    clip.swing_track(bones.sprout_target, Element::PositionX, 4.2, BREATHS, 64.0);
    clip.swing_track(bones.sprout_target, Element::PositionY, 1.8, BREATHS, 50.0);
}

/// Something ahead is worth a look, then Pip is back.
fn look(clip: &mut Clip<'_>, bones: &Bones) {
    clip.turn(
        bones.head,
        &[(0, 1.5), (36, 1.0), (58, -3.0), (104, -3.5), (134, 1.5)],
    );
    clip.shift(
        bones.face,
        &[
            (0, -1.0, 0.0),
            (36, -1.0, 0.0),
            (54, 5.0, 2.0),
            (104, 5.0, 2.5),
            (128, -2.0, -1.0),
        ],
    );
    for brow in bones.brows {
        clip.shift(
            brow,
            &[
                (36, 0.0, 0.0),
                (54, 1.0, 5.0),
                (104, 1.0, 4.0),
                (124, 0.0, 0.0),
            ],
        );
    }
}

/// Once going into the look, twice coming back.
fn blink(clip: &mut Clip<'_>, bones: &Bones) {
    for eye in bones.eyes {
        let mut keys = vec![(0, "eye_open")];
        for frame in [40, 112, 124] {
            keys.extend([
                (frame, "eye_half"),
                (frame + 2, "eye_closed"),
                (frame + 6, "eye_half"),
                (frame + 8, "eye_open"),
            ]);
        }
        clip.texture(eye, &keys);
    }
    clip.texture(
        bones.mouth,
        &[
            (0, "mouth_smile"),
            (52, "mouth_neutral"),
            (108, "mouth_smile"),
        ],
    );
}

fn ears(clip: &mut Clip<'_>, bones: &Bones) {
    clip.turn(
        bones.near_ear[0],
        &[
            (0, 0.0),
            (TWITCH - 36, -3.0),
            (TWITCH, -3.0),
            (TWITCH + 3, 7.0),
            (TWITCH + 7, -5.0),
            (TWITCH + 10, 4.0),
            (TWITCH + 16, 0.0),
        ],
    );
    clip.turn(
        bones.near_ear[2],
        &[
            (0, 0.0),
            (TWITCH + 1, -4.0),
            (TWITCH + 5, 10.0),
            (TWITCH + 9, -6.0),
            (TWITCH + 13, 5.0),
            (TWITCH + 22, 0.0),
        ],
    );
    clip.swing(bones.near_ear[3], 3.0, BREATHS, 40.0);
    clip.turn(
        bones.far_ear[0],
        &[(0, 0.0), (58, 4.0), (104, 4.0), (130, 0.0)],
    );
    clip.swing(bones.far_ear[3], -3.0, BREATHS, 46.0);
}
