//! A jump on the spot: crouch, leap, hang, land, settle.

use super::clip::{Clip, FALL, Mark, RISE, smooth};
use crate::rig::Bones;
use sinew::skelform::curve::{Ease, Preset};
use sinew::skelform::{AnimationData, ArmatureData, Element};

const PERIOD: u32 = 96;

/// The crouch is deepest.
const CROUCH: u32 = 15;
/// The toes leave the ground.
const LEAP: u32 = 23;
/// The highest point.
const TOP: u32 = 39;
/// The toes touch the ground.
const LAND: u32 = 55;
/// The landing is deepest.
const ABSORB: u32 = 60;
/// Back up, a touch too far.
const RECOVER: u32 = 71;
/// At rest.
const REST: u32 = 84;

/// How high the hips fly above where they leave the ground.
const HEIGHT: f32 = 150.0;
/// How high the hips stand over rest with the legs stretched.
const STRETCH: f32 = 10.0;

/// Writes the animation.
pub(super) fn jump(rig: &ArmatureData, bones: &Bones) -> AnimationData {
    let mut clip = Clip::new(rig, "jump", PERIOD);
    trunk(&mut clip, bones);
    feet(&mut clip, bones);
    arms(&mut clip, bones);
    face(&mut clip, bones);
    followers(&mut clip, bones);
    ground(&mut clip, bones);
    clip.finish()
}

fn trunk(clip: &mut Clip<'_>, bones: &Bones) {
    clip.track(
        bones.hips,
        Element::PositionY,
        &[
            (0, 0.0, smooth()),
            (CROUCH, -37.0, smooth()),
            (CROUCH + 3, -38.0, smooth()),
            (LEAP, STRETCH, Preset::SineIn.ease()),
            (TOP, STRETCH + HEIGHT, RISE),
            (LAND, 0.0, FALL),
            (ABSORB, -36.0, Preset::SineOut.ease()),
            (RECOVER, 2.0, smooth()),
            (REST, 0.0, smooth()),
        ],
    );
    clip.squash(
        bones.body,
        &[
            (0, 1.0, 1.0),
            (CROUCH, 1.13, 0.86),
            (LEAP, 0.92, 1.12),
            (TOP, 1.0, 1.0),
            (LAND - 2, 0.94, 1.08),
            (ABSORB, 1.13, 0.85),
            (RECOVER, 0.97, 1.04),
            (REST, 1.0, 1.0),
        ],
    );
    clip.turn(
        bones.torso,
        &[
            (0, 0.0),
            (CROUCH, -13.0),
            (LEAP, 5.0),
            (TOP, 0.0),
            (LAND, -3.0),
            (ABSORB + 1, -11.0),
            (RECOVER, 2.0),
            (REST, 0.0),
        ],
    );
    clip.turn(
        bones.head,
        &[
            (0, 0.0),
            (CROUCH, 4.0),
            (LEAP - 1, -6.0),
            (LEAP + 6, 7.0),
            (TOP + 2, 2.0),
            (LAND, -5.0),
            (ABSORB + 3, 7.0),
            (RECOVER + 3, -2.5),
            (REST + 4, 0.0),
        ],
    );
    clip.shift(
        bones.head,
        &[
            (0, 0.0, 0.0),
            (CROUCH + 1, 3.0, -18.0),
            (LEAP, 0.0, 8.0),
            (TOP, 0.0, 2.0),
            (LAND, 0.0, 6.0),
            (ABSORB + 2, 3.0, -20.0),
            (RECOVER + 2, 0.0, 6.0),
            (REST + 2, 0.0, 0.0),
        ],
    );
    clip.squash(
        bones.head,
        &[
            (0, 1.0, 1.0),
            (CROUCH + 1, 1.045, 0.955),
            (LEAP + 1, 0.965, 1.04),
            (TOP, 1.0, 1.0),
            (LAND, 0.98, 1.025),
            (ABSORB + 2, 1.06, 0.935),
            (RECOVER + 2, 0.985, 1.015),
            (REST, 1.0, 1.0),
        ],
    );
    clip.shift(
        bones.collar,
        &[
            (0, 0.0, 0.0),
            (CROUCH, 2.0, -11.0),
            (LEAP, 0.0, 9.0),
            (TOP, 0.0, 0.0),
            (LAND, 0.0, 6.0),
            (ABSORB, 2.0, -14.0),
            (RECOVER, 0.0, 4.0),
            (REST, 0.0, 0.0),
        ],
    );
}

/// The feet push off over the toes, tuck up in flight and reach for the ground.
fn feet(clip: &mut Clip<'_>, bones: &Bones) {
    for (target, tuck, back, late) in [
        (bones.near_leg.target, 14.0, -10.0, 0),
        (bones.far_leg.target, 24.0, 6.0, 1),
    ] {
        let flight = STRETCH + HEIGHT;
        let y: [Mark; 8] = [
            (0, 0.0, smooth()),
            (LEAP - 5, 0.0, smooth()),
            (LEAP, 24.0, Preset::SineIn.ease()),
            (TOP - 2 + late, flight + tuck, RISE),
            (LAND - 6, (flight + tuck) * 0.34, FALL),
            (LAND, 0.0, Ease::Linear),
            (ABSORB, 0.0, smooth()),
            (PERIOD - 1, 0.0, smooth()),
        ];
        clip.track(target, Element::PositionY, &y);
        clip.track(
            target,
            Element::PositionX,
            &[
                (0, 0.0, smooth()),
                (LEAP - 5, 0.0, smooth()),
                (LEAP, 21.0, Preset::SineIn.ease()),
                (TOP, back, smooth()),
                (LAND, 2.0, smooth()),
                (ABSORB, 2.0, smooth()),
                (REST, 0.0, smooth()),
            ],
        );
        clip.turn(
            target,
            &[
                (0, 0.0),
                (LEAP - 5, 0.0),
                (LEAP, -34.0),
                (LEAP + 5, -46.0),
                (TOP + 2, -14.0),
                (LAND - 4, 12.0),
                (LAND + 1, 0.0),
                (PERIOD - 1, 0.0),
            ],
        );
    }
}

/// Back in the crouch, thrown up in the leap, down on landing.
fn arms(clip: &mut Clip<'_>, bones: &Bones) {
    for (arm, forward, up) in [(bones.near_arm, 1.0, -92.0), (bones.far_arm, 1.0, 84.0)] {
        clip.turn(
            arm.upper,
            &[
                (0, 0.0),
                (CROUCH + 1, -46.0 * forward),
                (LEAP + 3, up),
                (TOP + 4, up * 0.8),
                (LAND + 1, up * 1.02),
                (ABSORB + 3, 22.0 * forward),
                (RECOVER + 3, -8.0),
                (REST + 4, 0.0),
            ],
        );
        clip.turn(
            arm.fore,
            &[
                (0, 0.0),
                (CROUCH + 2, 20.0),
                (LEAP + 1, 30.0),
                (LEAP + 8, -10.0),
                (LAND, 4.0),
                (ABSORB + 5, 30.0),
                (RECOVER + 6, 0.0),
            ],
        );
        clip.shift(
            arm.upper,
            &[
                (0, 0.0, 0.0),
                (CROUCH, 3.0, -9.0),
                (LEAP, 0.0, 10.0),
                (LAND, 0.0, 6.0),
                (ABSORB, 3.0, -11.0),
                (RECOVER, 0.0, 3.0),
                (REST, 0.0, 0.0),
            ],
        );
    }
}

fn face(clip: &mut Clip<'_>, bones: &Bones) {
    for eye in bones.eyes {
        clip.texture(
            eye,
            &[
                (0, "eye_open"),
                (CROUCH - 2, "eye_half"),
                (CROUCH, "eye_closed"),
                (LEAP - 3, "eye_half"),
                (LEAP - 1, "eye_open"),
                (TOP - 4, "eye_happy"),
                (LAND - 4, "eye_half"),
                (LAND, "eye_closed"),
                (ABSORB + 5, "eye_half"),
                (ABSORB + 8, "eye_open"),
            ],
        );
    }
    clip.texture(
        bones.mouth,
        &[
            (0, "mouth_smile"),
            (5, "mouth_neutral"),
            (LEAP - 2, "mouth_open"),
            (LAND, "mouth_neutral"),
            (ABSORB + 8, "mouth_smile"),
        ],
    );
    for brow in bones.brows {
        clip.shift(
            brow,
            &[
                (0, 0.0, 0.0),
                (CROUCH, 2.0, -7.0),
                (LEAP + 2, 0.0, 9.0),
                (TOP, 0.0, 7.0),
                (LAND + 1, 0.0, -2.0),
                (RECOVER, 0.0, 3.0),
                (REST, 0.0, 0.0),
            ],
        );
    }
    clip.shift(
        bones.face,
        &[
            (0, 0.0, 0.0),
            (CROUCH, 3.0, 5.0),
            (LEAP + 3, 1.0, 7.0),
            (TOP + 4, 2.0, -3.0),
            (LAND, 2.0, -6.0),
            (ABSORB + 3, 2.0, 3.0),
            (REST, 0.0, 0.0),
        ],
    );
    for cheek in bones.cheeks {
        clip.fade(
            cheek,
            &[(0, 0.6), (LEAP, 0.6), (TOP, 0.95), (LAND, 0.8), (REST, 0.6)],
        );
    }
    // Delight at the top.
    for (i, sparkle) in bones.sparkles.into_iter().enumerate() {
        let start = TOP - 6 + 4 * i as u32;
        clip.show_during(sparkle, start, start + 18);
        clip.squash(
            sparkle,
            &[
                (start, 0.3, 0.3),
                (start + 6, 1.0, 1.0),
                (start + 18, 0.2, 0.2),
            ],
        );
        clip.turn(sparkle, &[(start, -25.0), (start + 18, 30.0)]);
    }
}

/// Ears, tail, cape and sprout are dragged along: down on the way up, up on the way down.
fn followers(clip: &mut Clip<'_>, bones: &Bones) {
    for (ear, side) in [(bones.near_ear, 1.0), (bones.far_ear, -1.0)] {
        for (i, &bone) in ear.iter().enumerate() {
            let (late, size) = (2 * i as u32, side * (0.75 - 0.1 * i as f32));
            clip.turn(
                bone,
                &[
                    (0, 0.0),
                    (CROUCH + late, -5.0 * size),
                    (LEAP + 2 + late, 13.0 * size),
                    (TOP + late, 2.0 * size),
                    (LAND - 1 + late, -10.0 * size),
                    (ABSORB + 3 + late, 7.0 * size),
                    (RECOVER + 2 + late, -3.0 * size),
                    (PERIOD - 4, 0.0),
                ],
            );
        }
    }
    for (i, &bone) in bones.tail.iter().enumerate() {
        let (late, size) = (i as u32, if i == 0 { 1.8 } else { 0.75 });
        clip.turn(
            bone,
            &[
                (0, 0.0),
                (CROUCH + late / 2, -6.0 * size),
                (LEAP + 2 + late, 8.5 * size),
                (TOP + late, 1.0 * size),
                (LAND + late, -7.0 * size),
                (ABSORB + 6 + late, 5.0 * size),
                (RECOVER + 4 + late, -2.0 * size),
                (PERIOD - 2, 0.0),
            ],
        );
    }
    for (i, &bone) in bones.cape.iter().enumerate() {
        let (late, size) = (i as u32, if i == 0 { 1.4 } else { 1.0 });
        clip.turn(
            bone,
            &[
                (0, 0.0),
                (CROUCH + late, 3.0 * size),
                (LEAP + 3 + late, 6.0 * size),
                (TOP + late, -6.0 * size),
                (LAND + late, -10.0 * size),
                (ABSORB + 6 + late, 4.0 * size),
                (RECOVER + 8 + late, -3.0 * size),
                (PERIOD - 2, 0.0),
            ],
        );
    }
    clip.shift(
        bones.sprout_target,
        &[
            (0, 0.0, 0.0),
            (CROUCH + 1, 2.4, -8.4),
            (LEAP + 2, -4.0, -12.0),
            (TOP, 0.0, 2.4),
            (LAND + 1, 3.6, 6.0),
            (ABSORB + 3, 8.0, -13.0),
            (RECOVER, -6.0, 3.6),
            (REST - 2, 3.6, -4.8),
            (PERIOD - 3, 0.0, 0.0),
        ],
    );
}

/// The shadow shrinks and pales with height; dust flies where Pip comes down.
fn ground(clip: &mut Clip<'_>, bones: &Bones) {
    let shadow = |full: f32, high: f32, low: f32| -> [Mark; 6] {
        [
            (0, 0.0, smooth()),
            (CROUCH, low, smooth()),
            (LEAP, full, smooth()),
            (TOP, high, RISE),
            (LAND, full, FALL),
            (ABSORB, low, smooth()),
        ]
    };
    clip.track(bones.shadow, Element::ScaleX, &shadow(0.0, -0.45, 0.09));
    clip.track(bones.shadow, Element::ScaleY, &shadow(0.0, -0.35, 0.0));
    clip.track(bones.shadow, Element::TintA, &shadow(0.0, -0.55, 0.0));
    for (puff, side) in bones.puffs.into_iter().zip([-1.0, 1.0]) {
        clip.show_during(puff, LAND, LAND + 26);
        let out = Preset::SineOut.ease();
        clip.track(
            puff,
            Element::PositionX,
            &[(LAND, -10.0 * side, out), (LAND + 26, 44.0 * side, out)],
        );
        clip.track(
            puff,
            Element::PositionY,
            &[(LAND, 0.0, out), (LAND + 26, 16.0, out)],
        );
        clip.squash(
            puff,
            &[
                (LAND, 0.4, 0.4),
                (LAND + 10, 1.1, 1.1),
                (LAND + 26, 1.25, 1.25),
            ],
        );
        clip.fade(puff, &[(LAND, 0.95), (LAND + 12, 0.8), (LAND + 26, 0.0)]);
    }
}
