//! Standing at ease: breath, and weight that goes from one leg to the other.

use super::body::{Arm, Attitude, Body, Foot};
use super::clip::Clip;
use super::curve::wave;
use super::figure::Figure;
use sinew::glam::DVec3;

const RATE: f64 = 60.0;
/// Frames after which it begins anew.
const CYCLE: usize = 360;
/// Breaths in a cycle of six seconds.
const BREATHS: f64 = 2.0;

/// Where the feet stand: left, right.
pub(super) fn feet() -> [Foot; 2] {
    [
        Foot::flat(DVec3::new(0.105, 0.0, 0.015), 10.0),
        Foot::flat(DVec3::new(-0.105, 0.0, -0.035), -14.0),
    ]
}

/// How it stands: `shift` is the weight, from -1 on the right leg to 1 on the left, `breath` is from -1 to
/// 1, and `look` is where the head is on a slow round, a phase.
pub(super) fn standing(shift: f64, breath: f64, look: f64) -> Body {
    // Who stands on one leg sinks into that hip and lets the other knee go.
    let arm = |side: f64| Arm {
        swing: 1.0 + 1.0 * breath,
        spread: 7.0 + 1.0 * breath - 1.2 * side * shift,
        twist: 16.0 + 2.0 * side * shift,
        elbow: 17.0 + 1.5 * breath + 2.0 * side * shift,
        pronate: 20.0,
        wrist: 5.0,
        tilt: -2.0,
        curl: 30.0 + 1.5 * breath,
        shoulder: (0.5 - 0.6 * breath, 1.0 + 1.4 * breath),
    };
    Body {
        pelvis: DVec3::new(
            0.036 * shift,
            0.9635 - 0.0035 * shift * shift + 0.001 * breath,
            -0.002 + 0.004 * wave(look, 1.0, 0.3),
        ),
        hips: Attitude {
            heading: -2.0 - 2.5 * shift,
            lean: 2.0 - 0.3 * breath,
            list: 3.4 * shift,
        },
        chest: Attitude {
            heading: -1.0 + 1.0 * shift,
            lean: 1.5 - 1.3 * breath,
            list: -1.8 * shift,
        },
        head: Attitude {
            heading: -2.0 + 6.0 * wave(look, 1.0, 0.42) + 1.5 * wave(look, 2.0, 0.1),
            lean: 3.0 - 0.4 * breath + 0.8 * wave(look, 1.0, 0.6),
            list: 0.8 * wave(look, 1.0, 0.2) - shift,
        },
        feet: feet(),
        arms: [arm(1.0), arm(-1.0)],
    }
}

/// Weight that rests on one leg, goes over, and rests on the other.
pub(super) fn shift(phase: f64) -> f64 {
    1.12 * wave(phase, 1.0, 0.0) - 0.12 * wave(phase, 3.0, 0.0)
}

pub(super) fn idle(figure: &Figure) -> Clip {
    Clip::new("idle", RATE, CYCLE, |frame| {
        let phase = (frame % CYCLE) as f64 / CYCLE as f64;
        // Breathing out takes longer than breathing in.
        let turns = BREATHS * phase;
        let breath = -wave(turns + 0.05 * wave(turns, 1.0, 0.25), 1.0, 0.0);
        figure.solve(&standing(shift(phase), breath, phase))
    })
}
