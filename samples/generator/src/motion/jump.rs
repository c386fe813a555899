//! A standing jump forward with both legs: crouch, take-off, free flight, landing, upright again.
//!
//! The pelvis stands for the centre of mass: from take-off to landing it falls freely.

use super::body::{Arm, Attitude, Body, Foot};
use super::clip::Clip;
use super::curve::{Key, Spline, one_sided, passing, quintic, still};
use super::figure::{Figure, Hand};
use sinew::glam::DVec3;

const RATE: f64 = 120.0;
/// Seconds.
const LENGTH: f64 = 2.5;
const GRAVITY: f64 = 9.81;

/// When the crouch begins and is deepest, and when the feet leave.
const CROUCH: f64 = 0.15;
const DEEPEST: f64 = 0.62;
const TAKE_OFF: f64 = 0.94;
/// The pelvis at take-off: how high, how far ahead of where it stood, and its speed up and ahead.
const OFF: (f64, f64) = (1.025, 0.155);
const SPEED: (f64, f64) = (2.1, 1.0);
/// The pelvis' height at landing.
const LAND_HEIGHT: f64 = 0.935;
/// How far the feet land ahead of the pelvis.
const LAND_AHEAD: f64 = 0.2;
/// Seconds from landing to the deepest bend, and on to standing.
const ABSORB: f64 = 0.26;
const RISE: f64 = 0.8;

/// The height of the pelvis of one who stands.
const STAND: f64 = 0.961;

fn flight() -> f64 {
    let up = SPEED.0;
    (up + libm::sqrt(up * up + 2.0 * GRAVITY * (OFF.0 - LAND_HEIGHT))) / GRAVITY
}

fn landing() -> f64 {
    TAKE_OFF + flight()
}

/// Where the ankles are after the jump.
fn place() -> f64 {
    OFF.1 + SPEED.1 * flight() + LAND_AHEAD
}

/// The pelvis, height and way ahead, at a time.
fn pelvis(t: f64) -> (f64, f64) {
    let (up, ahead) = SPEED;
    if (TAKE_OFF..landing()).contains(&t) {
        let t = t - TAKE_OFF;
        return (OFF.0 + up * t - 0.5 * GRAVITY * t * t, OFF.1 + ahead * t);
    }
    let key = |time, value, slope, bend| Key {
        time,
        value,
        slope,
        bend,
    };
    if t < TAKE_OFF {
        let height = [
            still(CROUCH, STAND),
            key(DEEPEST, 0.70, 0.0, 9.0),
            key(TAKE_OFF, OFF.0, up, -GRAVITY),
        ];
        let way = [
            still(CROUCH, 0.03),
            passing(DEEPEST, -0.045, 0.1),
            passing(TAKE_OFF, OFF.1, ahead),
        ];
        return (quintic(t, &height), quintic(t, &way));
    }
    let (down, end) = (up - GRAVITY * flight(), landing());
    let height = [
        key(end, LAND_HEIGHT, down, -GRAVITY),
        key(end + ABSORB, 0.665, 0.0, 10.0),
        still(end + ABSORB + RISE, STAND),
    ];
    let way = [
        passing(end, place() - LAND_AHEAD, ahead),
        passing(end + ABSORB + 0.05, place() - 0.065, 0.12),
        still(end + ABSORB + RISE, place() + 0.03),
    ];
    (quintic(t, &height), quintic(t, &way))
}

/// A foot on its way: on the ground, through the air, on the ground.
struct Feet {
    push: Spline,
    settle: Spline,
    aside: Spline,
    height: Spline,
    way: Spline,
    pitch: Spline,
    bend: Spline,
}

impl Feet {
    fn new() -> Self {
        let (off, end) = (TAKE_OFF, landing());
        let level = Spline::new(&[(0.0, 0.0), (1.0, 0.0)], 0.0, 0.0);
        let mut feet = Self {
            push: Spline::new(
                &[(off - 0.2, 0.0), (off - 0.09, -13.0), (off, -52.0)],
                0.0,
                -480.0,
            ),
            settle: Spline::new(&[(end, -16.0), (end + 0.09, 0.0)], 300.0, 0.0),
            aside: level.clone(),
            height: level.clone(),
            way: level.clone(),
            pitch: level.clone(),
            bend: level,
        };
        let air = |f: fn(Foot) -> f64, keys: &[(f64, f64)]| {
            let (first, first_slope) = one_sided(|t| f(feet.ground(t)), off, -1.0);
            let (last, last_slope) = one_sided(|t| f(feet.ground(t)), end, 1.0);
            let mut points = vec![(off, first)];
            points.extend(keys.iter().map(|&(t, value)| (off + t, value)));
            points.push((end, last));
            Spline::new(&points, first_slope, last_slope)
        };
        let aside = air(|foot| foot.ankle.x, &[]);
        let height = air(
            |foot| foot.ankle.y,
            &[
                (0.05, 0.232),
                (0.12, 0.375),
                (0.214, 0.46),
                (0.33, 0.37),
                (0.41, 0.222),
            ],
        );
        let way = air(
            |foot| foot.ankle.z,
            &[
                (0.05, 0.118),
                (0.12, 0.18),
                (0.214, 0.34),
                (0.33, 0.585),
                (0.41, 0.725),
            ],
        );
        let pitch = air(
            |foot| foot.pitch,
            &[(0.06, -68.0), (0.14, -62.0), (0.25, -34.0), (0.36, -14.0)],
        );
        let bend = air(|foot| foot.bend, &[(0.12, 12.0), (0.25, 2.0), (0.36, 6.0)]);
        (feet.aside, feet.height, feet.way) = (aside, height, way);
        (feet.pitch, feet.bend) = (pitch, bend);
        feet
    }

    /// The left foot when it stands before take-off and from landing on.
    fn ground(&self, t: f64) -> Foot {
        if t <= TAKE_OFF {
            Foot::flat(DVec3::new(0.1, 0.0, 0.0), 6.0).rolled(self.push.at(t))
        } else {
            Foot::flat(DVec3::new(0.1, 0.0, place()), 6.0).rolled(self.settle.at(t))
        }
    }

    fn at(&self, t: f64, side: Hand) -> Foot {
        let mut foot = self.ground(t);
        if t > TAKE_OFF && t < landing() {
            foot.ankle.x = self.aside.at(t);
            foot.ankle.y = self.height.at(t);
            foot.ankle.z = self.way.at(t);
            foot.pitch = self.pitch.at(t);
            foot.bend = self.bend.at(t);
        }
        foot.ankle.x *= side.sign();
        foot.heading *= side.sign();
        foot
    }
}

/// What goes through keys at times from the beginning, from take-off and from landing on.
fn through(before: &[(f64, f64)], air: &[(f64, f64)], after: &[(f64, f64)]) -> Spline {
    let mut points = before.to_vec();
    points.extend(air.iter().map(|&(t, value)| (TAKE_OFF + t, value)));
    points.extend(after.iter().map(|&(t, value)| (landing() + t, value)));
    Spline::new(&points, 0.0, 0.0)
}

pub(super) fn jump(figure: &Figure) -> Clip {
    let feet = Feet::new();
    let hips = through(
        &[(0.05, 2.0), (0.35, 13.0), (0.62, 30.0), (0.80, 22.0)],
        &[(0.02, 6.0), (0.2, 4.0), (0.4, 15.0)],
        &[
            (0.1, 24.0),
            (0.27, 32.0),
            (0.6, 18.0),
            (0.95, 4.0),
            (1.1, 2.0),
        ],
    );
    let chest = through(
        &[(0.05, 2.0), (0.35, 24.0), (0.62, 49.0), (0.80, 33.0)],
        &[(0.02, 2.0), (0.2, 8.0), (0.4, 20.0)],
        &[
            (0.1, 36.0),
            (0.27, 48.0),
            (0.6, 27.0),
            (0.95, 4.0),
            (1.1, 2.0),
        ],
    );
    let head = through(
        &[(0.05, 3.0), (0.35, 8.0), (0.62, 16.0), (0.80, 4.0)],
        &[(0.02, -6.0), (0.2, 6.0), (0.4, 16.0)],
        &[
            (0.1, 18.0),
            (0.27, 22.0),
            (0.6, 10.0),
            (0.95, 3.0),
            (1.1, 3.0),
        ],
    );
    // The chest leans: an arm that hangs swings forward against it.
    let swing = through(
        &[(0.05, 2.0), (0.22, 14.0), (0.58, -34.0), (0.72, -14.0)],
        &[(-0.05, 78.0), (0.08, 118.0), (0.25, 100.0), (0.42, 70.0)],
        &[
            (0.12, 50.0),
            (0.32, 26.0),
            (0.62, 14.0),
            (0.9, 5.0),
            (1.1, 2.0),
        ],
    );
    let elbow = through(
        &[(0.05, 16.0), (0.25, 30.0), (0.58, 14.0), (0.75, 38.0)],
        &[(0.0, 42.0), (0.2, 34.0), (0.4, 30.0)],
        &[
            (0.12, 34.0),
            (0.35, 42.0),
            (0.7, 26.0),
            (1.0, 17.0),
            (1.1, 16.0),
        ],
    );
    let spread = through(
        &[(0.05, 7.0), (0.58, 14.0)],
        &[(0.0, 14.0), (0.25, 26.0), (0.42, 30.0)],
        &[(0.2, 24.0), (0.6, 12.0), (1.1, 7.0)],
    );
    Clip::new("jump", RATE, (LENGTH * RATE) as usize, |frame| {
        let t = frame as f64 / RATE;
        let (height, way) = pelvis(t);
        let lean = |lean: f64| Attitude {
            lean,
            ..Attitude::default()
        };
        let arm = |lag: f64| Arm {
            swing: swing.at(t - lag),
            spread: spread.at(t - lag),
            twist: 10.0,
            elbow: elbow.at(t - lag),
            pronate: 18.0,
            wrist: 4.0,
            tilt: 0.0,
            curl: 26.0,
            shoulder: (0.06 * swing.at(t - lag), 3.0 + 0.07 * swing.at(t - lag)),
        };
        figure.solve(&Body {
            pelvis: DVec3::new(0.0, height, way),
            hips: lean(hips.at(t)),
            chest: lean(chest.at(t)),
            head: lean(head.at(t)),
            feet: Hand::BOTH.map(|side| feet.at(t, side)),
            arms: [arm(0.0), arm(0.012)],
        })
    })
}
