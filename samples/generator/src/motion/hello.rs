//! A wave of the right hand, by one who stands at ease.

use super::body::Arm;
use super::clip::Clip;
use super::curve::{plateau, smooth, wave};
use super::figure::Figure;
use super::idle::standing;

const RATE: f64 = 60.0;
/// Frames after which it begins anew.
const CYCLE: usize = 216;
/// When the arm begins to rise, is up, begins to sink and hangs again, in seconds.
const RAISE: (f64, f64) = (0.15, 0.85);
const LOWER: (f64, f64) = (2.55, 3.4);
/// Seconds of one swing to and fro.
const SWING: f64 = 0.46;

fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// The raised arm at a time.
fn raised(t: f64) -> Arm {
    let amount = plateau(t, RAISE.1 - 0.25, LOWER.0 + 0.15, 0.4);
    let swing = amount * wave(t - RAISE.1, 1.0 / SWING, 0.0);
    // The hand follows the forearm.
    let hand = amount * wave(t - RAISE.1, 1.0 / SWING, 0.09);
    Arm {
        swing: 12.0,
        spread: 76.0 + 3.0 * swing,
        twist: -56.0 - 4.0 * swing,
        elbow: 92.0 + 19.0 * swing,
        pronate: 28.0,
        wrist: -8.0,
        tilt: 15.0 * hand,
        curl: 6.0,
        shoulder: (0.0, 14.0),
    }
}

pub(super) fn wave_hand(figure: &Figure) -> Clip {
    Clip::new("wave", RATE, CYCLE, |frame| {
        let frame = frame % CYCLE;
        let (t, phase) = (frame as f64 / RATE, frame as f64 / CYCLE as f64);
        let between = |(from, to): (f64, f64)| smooth((t - from) / (to - from));
        let up = between(RAISE) * (1.0 - between(LOWER));
        // The hand comes last on the way up; on the way down all fall together.
        let late = smooth((t - RAISE.0 - 0.12) / (RAISE.1 - RAISE.0)) * (1.0 - between(LOWER));
        let mut body = standing(
            0.35 + 0.25 * wave(phase, 1.0, 0.5) + 0.3 * up,
            -wave(phase, 1.0, 0.0),
            phase,
        );
        let (low, high) = (body.arms[1], raised(t));
        body.arms[1] = Arm {
            swing: mix(low.swing, high.swing, up) + 22.0 * up * (1.0 - up),
            spread: mix(low.spread, high.spread, up),
            twist: mix(low.twist, high.twist, up),
            elbow: mix(low.elbow, high.elbow, up) + 70.0 * up * (1.0 - up),
            pronate: mix(low.pronate, high.pronate, late),
            wrist: mix(low.wrist, high.wrist, late),
            tilt: mix(low.tilt, high.tilt, late),
            curl: mix(low.curl, high.curl, late),
            shoulder: (
                mix(low.shoulder.0, high.shoulder.0, up),
                mix(low.shoulder.1, high.shoulder.1, up),
            ),
        };
        body.chest.list += 2.5 * up;
        body.chest.heading += 3.0 * up;
        body.head.list -= 4.0 * up;
        body.head.lean -= 3.0 * up;
        figure.solve(&body)
    })
}
