//! A walk at 1.27 m/s: 109 steps a minute, strides of 1.4 m.
//!
//! Joint curves after Winter, *Biomechanics and Motor Control of Human Movement*, and Perry, *Gait
//! Analysis*; the movements of the pelvis after Saunders, Inman and Eberhart (1953).

use super::body::{Arm, Attitude, Body};
use super::clip::Clip;
use super::curve::{Spline, harmonics_of, smooth, sum_of, wave};
use super::figure::{Figure, Hand, SHANK, THIGH};
use super::gait::{FootCycle, Step, feet, phase};
use super::space::cos;
use sinew::glam::DVec3;

/// Frames from contact to contact of the same foot, at 120 per second.
const CYCLE: usize = 132;
const CYCLES: usize = 3;
const STRIDE: f64 = 1.38;
/// The phase at which the pelvis passes over the left foot's ankle.
const OVER: f64 = 0.236;
/// From the middle to the line on which a foot's ankle walks.
const TRACK: f64 = 0.048;
/// When both feet are on the ground: from contact to the other foot's toe off.
const TOE_OFF: f64 = 0.62;
const DOUBLE: f64 = TOE_OFF - 0.5;

fn cycle() -> FootCycle {
    FootCycle::new(&Step {
        stride: STRIDE,
        contact: (20.0, -200.0),
        flat: 0.115,
        heel_off: 0.32,
        toe_off: TOE_OFF,
        push: &[(0.44, -8.0), (0.52, -25.0), (0.58, -48.0)],
        leave: (-67.0, -380.0),
        pitch: &[(0.71, -62.0), (0.79, -23.0), (0.88, 6.0), (0.96, 21.0)],
        height: &[(0.70, 0.216), (0.80, 0.156), (0.91, 0.098)],
        travel: &[(0.94, 1.261)],
        outward: 0.012,
    })
}

/// The knee of the leg that carries, by phase from contact to toe off.
fn carrying_knee() -> Spline {
    Spline::new(
        &[
            (0.0, 13.0),
            (0.06, 16.0),
            (0.13, 18.5),
            (0.25, 13.5),
            (0.33, 9.0),
            (0.40, 9.0),
            (0.46, 16.5),
            (0.53, 30.0),
            (0.62, 46.0),
        ],
        150.0,
        250.0,
    )
}

/// How much of the weight is on the foot of this phase. It begins to come over just before contact.
fn load(phase: f64) -> f64 {
    let early = 0.09;
    let since = (phase + early) % 1.0;
    smooth(since / DOUBLE) * (1.0 - smooth((since - 0.5) / DOUBLE))
}

pub(super) struct Walk {
    foot: FootCycle,
    /// The pelvis' height by phase.
    height: Vec<(f64, f64, f64)>,
}

impl Walk {
    pub(super) fn new() -> Self {
        let mut walk = Self {
            foot: cycle(),
            height: Vec::new(),
        };
        let knee = carrying_knee();
        // The height at which the carrying leg's knee bends as published, mixed by load while both carry.
        let height_over = |frame: usize| {
            let body = walk.body(frame, 0.0);
            let mut height = 0.0;
            for (index, side) in Hand::BOTH.into_iter().enumerate() {
                let phase = phase(frame, CYCLE, side).1;
                let weight = load(phase);
                if weight > 0.0 {
                    let bent = 180.0 - knee.at((phase + 0.1) % 1.0 - 0.1);
                    let leg =
                        libm::sqrt(THIGH * THIGH + SHANK * SHANK - 2.0 * THIGH * SHANK * cos(bent));
                    let way = body.feet[index].ankle - body.hip(side);
                    let level = way.x * way.x + way.z * way.z;
                    height += weight * (way.y + libm::sqrt(leg * leg - level));
                }
            }
            height
        };
        let heights: Vec<f64> = (0..CYCLE).map(height_over).collect();
        walk.height = harmonics_of(&heights, &[2, 4, 6]);
        walk
    }

    /// The posture of a frame with the pelvis at a height.
    fn body(&self, frame: usize, height: f64) -> Body {
        let t = frame as f64 / CYCLE as f64;
        let p = phase(frame, CYCLE, Hand::Left).1;
        Body {
            pelvis: DVec3::new(
                0.02 * wave(p, 1.0, 0.29),
                height,
                STRIDE * t + 0.009 * wave(p, 2.0, 0.12),
            ),
            hips: Attitude {
                heading: -5.5 * wave(p, 1.0, 0.985),
                lean: 3.0 + 1.2 * wave(p, 2.0, 0.05),
                list: 4.5 * wave(p, 1.0, 0.2) + 0.8 * wave(p, 3.0, 0.13),
            },
            chest: Attitude {
                heading: 5.5 * wave(p, 1.0, 0.03),
                lean: 3.0 + 1.0 * wave(p, 2.0, 0.1),
                list: -1.8 * wave(p, 1.0, 0.24),
            },
            head: Attitude {
                heading: 1.2 * wave(p, 1.0, 0.03),
                lean: 2.0 - 1.2 * wave(p, 2.0, 0.06),
                list: -0.6 * wave(p, 1.0, 0.22),
            },
            feet: feet(&self.foot, frame, CYCLE, OVER, TRACK),
            arms: Hand::BOTH.map(|side| arm(phase(frame, CYCLE, side).1)),
        }
    }
}

/// An arm by the phase of the foot of its side: back at contact, ahead half a cycle later.
fn arm(p: f64) -> Arm {
    let swing = -wave(p, 1.0, 0.02) - 0.08 * wave(p, 2.0, 0.06);
    let forearm = -wave(p, 1.0, 0.06);
    Arm {
        swing: -2.0 + 19.0 * swing,
        spread: 7.0 - 1.5 * swing,
        twist: 12.0 + 5.0 * forearm,
        elbow: 25.0 + 11.0 * forearm,
        pronate: 18.0 + 5.0 * forearm,
        wrist: 6.0 - 4.0 * wave(p, 1.0, 0.12),
        tilt: -3.0,
        curl: 28.0 + 3.0 * forearm,
        shoulder: (2.5 * swing, 0.0),
    }
}

pub(super) fn walk(figure: &Figure) -> Clip {
    let walk = Walk::new();
    Clip::new("walk", 120.0, CYCLE * CYCLES, |frame| {
        let phase = frame % CYCLE;
        let height = sum_of(&walk.height, phase as f64 / CYCLE as f64);
        figure.solve(&walk.body(frame, height))
    })
}
