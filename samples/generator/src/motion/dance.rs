//! A turn of 360 degrees to the left in eight steps, around a small circle and back to where it began.

use super::body::{Arm, Attitude, Body, Foot};
use super::clip::Clip;
use super::curve::{Spline, one_sided, smooth, wave};
use super::figure::{Figure, Hand};
use super::space::{about_y, rotate};
use sinew::glam::DVec3;

const RATE: f64 = 60.0;
/// Frames after which it begins anew.
const CYCLE: usize = 240;
/// Steps of each foot; left and right take turns.
const STEPS: usize = 4;
/// The radius of the circle, and how far each foot is beside it.
const RADIUS: f64 = 0.2;
const TRACK: f64 = 0.1;
/// What part of the time between two steps of a foot it is lifted.
const LIFT: f64 = 0.64;

/// The middle between the feet when the figure heads so. The circle is to the left.
fn middle(heading: f64) -> DVec3 {
    DVec3::new(RADIUS, 0.0, 0.0) - rotate(about_y(heading), DVec3::new(RADIUS, 0.0, 0.0))
}

/// A foot flat on the ground, where it belongs when the figure heads so.
fn placed(heading: f64, side: Hand) -> Foot {
    let aside = rotate(about_y(heading), DVec3::new(TRACK * side.sign(), 0.0, 0.0));
    Foot::flat(middle(heading) + aside, heading + 6.0 * side.sign())
}

/// A step from one place to another: up over the ball, through the air, down on the ball.
struct Stride {
    from: Foot,
    to: Foot,
    x: Spline,
    y: Spline,
    z: Spline,
    pitch: Spline,
    bend: Spline,
}

/// When, of a lift from 0 to 1, the foot is in the air.
const AIR: (f64, f64) = (0.22, 0.82);

impl Stride {
    fn new(from: Foot, to: Foot) -> Self {
        let level = Spline::new(&[(0.0, 0.0), (1.0, 0.0)], 0.0, 0.0);
        let mut step = Self {
            from,
            to,
            x: level.clone(),
            y: level.clone(),
            z: level.clone(),
            pitch: level.clone(),
            bend: level,
        };
        let (off, on) = AIR;
        let air = |f: fn(Foot) -> f64, keys: &[(f64, f64)]| {
            let (first, first_slope) = one_sided(|t| f(step.ground(t)), off, -1.0);
            let (last, last_slope) = one_sided(|t| f(step.ground(t)), on, 1.0);
            let mut points = vec![(off, first)];
            points.extend_from_slice(keys);
            points.push((on, last));
            Spline::new(&points, first_slope, last_slope)
        };
        let x = air(|foot| foot.ankle.x, &[]);
        let y = air(|foot| foot.ankle.y, &[(0.52, 0.185)]);
        let z = air(|foot| foot.ankle.z, &[]);
        let pitch = air(|foot| foot.pitch, &[(0.52, -26.0)]);
        let bend = air(|foot| foot.bend, &[(0.52, 6.0)]);
        (step.x, step.y, step.z, step.pitch, step.bend) = (x, y, z, pitch, bend);
        step
    }

    fn ground(&self, t: f64) -> Foot {
        let (off, on) = AIR;
        if t <= off {
            let s = t / off;
            self.from.rolled(-36.0 * s * s * (1.5 - 0.5 * s))
        } else {
            let s = (1.0 - t) / (1.0 - on);
            self.to.rolled(-24.0 * s * s * (1.5 - 0.5 * s))
        }
    }

    /// The foot at a time from 0, when its heel rises, to 1, when it is flat again.
    fn at(&self, t: f64) -> Foot {
        let (off, on) = AIR;
        let mut foot = self.ground(t);
        if t > off && t < on {
            let turned = smooth((t - off) / (on - off));
            foot.ankle = DVec3::new(self.x.at(t), self.y.at(t), self.z.at(t));
            foot.heading = self.from.heading + (self.to.heading - self.from.heading) * turned;
            foot.pitch = self.pitch.at(t);
            foot.bend = self.bend.at(t);
        }
        foot
    }
}

/// A foot at a frame. It is lifted about the times when the figure heads as it did halfway between the
/// places that the foot leaves and reaches.
fn foot(frame: usize, side: Hand) -> Foot {
    let turn = 360.0 / STEPS as f64;
    let late = match side {
        Hand::Left => 0.0,
        Hand::Right => 0.5,
    };
    let steps = STEPS as f64 * frame as f64 / CYCLE as f64 - late + 0.5;
    let whole = libm::floor(steps);
    let place = |step: f64| placed(turn * (step + late - 0.5), side);
    let t = (steps - whole - 0.5) / LIFT + 0.5;
    if t <= 0.0 {
        place(whole)
    } else if t >= 1.0 {
        place(whole + 1.0)
    } else {
        Stride::new(place(whole), place(whole + 1.0)).at(t)
    }
}

fn arm(side: f64, p: f64) -> Arm {
    let beat = p * STEPS as f64;
    let rise = side * wave(beat, 0.5, 0.3);
    let flow = side * wave(beat, 0.5, 0.45);
    Arm {
        swing: 20.0 + 8.0 * wave(beat, 2.0, 0.2),
        spread: 58.0 + 16.0 * rise,
        twist: -4.0 - 12.0 * rise,
        elbow: 42.0 + 14.0 * flow + 5.0 * wave(beat, 2.0, 0.1),
        pronate: 34.0 - 12.0 * flow,
        wrist: -6.0 - 16.0 * flow,
        tilt: 4.0 * rise,
        curl: 14.0,
        shoulder: (2.0, 5.0 + 3.0 * rise),
    }
}

fn body(frame: usize) -> Body {
    let p = (frame % CYCLE) as f64 / CYCLE as f64;
    // Left lifts when `beat` is whole, right half a beat later.
    let beat = p * STEPS as f64;
    let turned = 360.0 * frame as f64 / CYCLE as f64;
    let heading = turned + 5.0 * wave(beat, 2.0, 0.3);
    // While the left foot is lifted the weight is on the right.
    let weight = -wave(beat, 1.0, 0.0);
    let sway = rotate(about_y(turned), DVec3::new(0.042 * weight, 0.0, 0.012));
    let height = 0.936 + 0.014 * wave(beat, 2.0, 0.02);
    let attitude = |heading, lean, list| Attitude {
        heading,
        lean,
        list,
    };
    Body {
        pelvis: middle(turned) + sway + DVec3::new(0.0, height, 0.0),
        hips: attitude(
            heading + 4.0 * wave(beat, 1.0, 0.1),
            3.0,
            5.0 * -wave(beat, 1.0, 0.04),
        ),
        chest: attitude(
            heading - 7.0 * wave(beat, 1.0, 0.08),
            2.0 + 1.5 * wave(beat, 2.0, 0.2),
            5.0 * wave(beat, 1.0, 0.1) + 3.0,
        ),
        head: attitude(
            heading + 10.0 - 4.0 * wave(beat, 1.0, 0.15),
            1.0 + 2.0 * wave(beat, 2.0, 0.25),
            3.0 * wave(beat, 1.0, 0.2),
        ),
        feet: Hand::BOTH.map(|side| foot(frame, side)),
        arms: [arm(1.0, p), arm(-1.0, p)],
    }
}

pub(super) fn dance(figure: &Figure) -> Clip {
    let mut turns = 0.0;
    let mut last = 0.0;
    Clip::new("dance-turn", RATE, CYCLE, |frame| {
        let mut row = figure.solve(&body(frame));
        // The heading goes on beyond half a turn instead of jumping to the other side.
        if let Some(heading) = row[0].last_mut() {
            turns += 360.0 * libm::round((last - *heading - turns) / 360.0);
            *heading += turns;
            last = *heading;
        }
        row
    })
}
