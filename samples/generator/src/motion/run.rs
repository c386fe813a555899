//! A run at 3 m/s: 176 steps a minute, strides of 2.05 m, a flight after each step.
//!
//! The pelvis stands for the centre of mass. In flight it falls freely; on the ground a force of half a
//! sine over time carries it, as in the spring-mass model of running.

use super::body::{Arm, Attitude, Body};
use super::clip::Clip;
use super::curve::wave;
use super::figure::{Figure, Hand};
use super::gait::{FootCycle, Step, feet, phase};
use sinew::glam::DVec3;
use std::f64::consts::PI;

/// Frames from contact to contact of the same foot, at 120 per second.
const CYCLE: usize = 82;
const CYCLES: usize = 3;
const RATE: f64 = 120.0;
const STRIDE: f64 = 2.05;
/// The phase at which the pelvis passes over the left foot's ankle.
const OVER: f64 = 0.105;
/// From the middle to the line on which a foot's ankle runs.
const TRACK: f64 = 0.035;
const TOE_OFF: f64 = 0.36;
/// The pelvis' height at contact and at toe off.
const CONTACT_HEIGHT: f64 = 0.938;
/// The acceleration of free fall, m/s².
const GRAVITY: f64 = 9.81;

fn cycle() -> FootCycle {
    FootCycle::new(&Step {
        stride: STRIDE,
        contact: (9.0, -130.0),
        flat: 0.06,
        heel_off: 0.12,
        toe_off: TOE_OFF,
        push: &[(0.19, -9.0), (0.27, -31.0)],
        leave: (-66.0, -480.0),
        pitch: &[
            (0.42, -84.0),
            (0.48, -89.0),
            (0.56, -85.0),
            (0.65, -68.0),
            (0.75, -31.0),
            (0.85, 0.0),
            (0.94, 13.0),
        ],
        height: &[
            (0.405, 0.215),
            (0.46, 0.315),
            (0.55, 0.415),
            (0.65, 0.385),
            (0.75, 0.265),
            (0.85, 0.155),
            (0.94, 0.100),
        ],
        travel: &[
            (0.405, 0.160),
            (0.46, 0.262),
            (0.55, 0.55),
            (0.65, 1.02),
            (0.75, 1.50),
            (0.85, 1.865),
            (0.94, 1.985),
        ],
        outward: 0.015,
    })
}

/// The pelvis' height over [`CONTACT_HEIGHT`] at a phase of half a cycle, 0 at contact.
fn bounce(phase: f64) -> f64 {
    let step = 0.5 * CYCLE as f64 / RATE;
    let contact = TOE_OFF * CYCLE as f64 / RATE;
    let t = phase * CYCLE as f64 / RATE;
    if t < contact {
        // Twice integrated: a force that lifts for as long as gravity pulls through a whole step.
        let swing = libm::sin(PI * t / contact);
        -GRAVITY * step * contact / (2.0 * PI) * swing + 0.5 * GRAVITY * t * (contact - t)
    } else {
        0.5 * GRAVITY * (t - contact) * (step - t)
    }
}

fn body(foot: &FootCycle, frame: usize) -> Body {
    let p = phase(frame, CYCLE, Hand::Left).1;
    Body {
        pelvis: DVec3::new(
            0.012 * wave(p, 1.0, 0.18),
            CONTACT_HEIGHT + bounce(p % 0.5),
            STRIDE * frame as f64 / CYCLE as f64,
        ),
        hips: Attitude {
            heading: -6.0 * wave(p, 1.0, 0.93),
            lean: 8.0 - 2.0 * wave(p, 2.0, 0.15),
            list: 4.0 * wave(p, 1.0, 0.14),
        },
        chest: Attitude {
            heading: 10.0 * wave(p, 1.0, 0.96),
            lean: 8.0 - 1.5 * wave(p, 2.0, 0.40),
            list: -2.0 * wave(p, 1.0, 0.18),
        },
        head: Attitude {
            heading: 1.5 * wave(p, 1.0, 0.96),
            lean: 4.0 - 1.5 * wave(p, 2.0, 0.15),
            list: -0.8 * wave(p, 1.0, 0.18),
        },
        feet: feet(foot, frame, CYCLE, OVER, TRACK),
        arms: Hand::BOTH.map(|side| arm(phase(frame, CYCLE, side).1)),
    }
}

/// An arm by the phase of the foot of its side: back shortly after contact.
fn arm(p: f64) -> Arm {
    let swing = -wave(p, 1.0, 0.98);
    let forearm = -wave(p, 1.0, 0.03);
    Arm {
        swing: -12.0 + 33.0 * swing + 3.0 * wave(p, 2.0, 0.0),
        spread: 11.0 - 4.0 * swing,
        twist: 15.0 + 8.0 * forearm,
        elbow: 92.0 + 12.0 * forearm,
        pronate: 8.0,
        wrist: 4.0 + 4.0 * wave(p, 2.0, 0.1),
        tilt: 4.0,
        curl: 58.0,
        shoulder: (5.0 * swing, 2.0),
    }
}

pub(super) fn run(figure: &Figure) -> Clip {
    let foot = cycle();
    Clip::new("run", RATE, CYCLE * CYCLES, |frame| {
        figure.solve(&body(&foot, frame))
    })
}
