//! The cycle of a foot in walking and running: contact, flat, heel off, toe off, swing.
//!
//! Phases count from 0 at contact to 1 at the next contact of the same foot. On the ground the foot rolls
//! about its heel, lies flat and rolls about its ball, so that nothing slides; the swing is a curve that
//! leaves and meets these with their own speed.

use super::body::Foot;
use super::curve::{Key, Spline, one_sided, passing, quintic, still};
use super::figure::{Hand, TOE_OUT};
use sinew::glam::DVec3;

/// What a foot does, in phases, degrees and metres.
pub(super) struct Step<'a> {
    /// From contact to contact of the same foot.
    pub(super) stride: f64,
    /// How the foot points at contact, and how fast that changes by phase.
    pub(super) contact: (f64, f64),
    /// When it lies flat, when its heel rises, when it leaves the ground.
    pub(super) flat: f64,
    pub(super) heel_off: f64,
    pub(super) toe_off: f64,
    /// Its pitch between heel off and toe off, then the last and its slope there.
    pub(super) push: &'a [(f64, f64)],
    pub(super) leave: (f64, f64),
    /// Its pitch in the swing.
    pub(super) pitch: &'a [(f64, f64)],
    /// The ankle's height in the swing.
    pub(super) height: &'a [(f64, f64)],
    /// How far the ankle is ahead in the swing, of where it stood flat.
    pub(super) travel: &'a [(f64, f64)],
    /// How far the foot is swung out at most on its way.
    pub(super) outward: f64,
}

/// A foot's cycle.
pub(super) struct FootCycle {
    stride: f64,
    contact: Key,
    flat: f64,
    heel_off: f64,
    toe_off: f64,
    outward: f64,
    push: Spline,
    pitch: Spline,
    aside: Spline,
    height: Spline,
    travel: Spline,
    bend: Spline,
}

impl FootCycle {
    pub(super) fn new(step: &Step<'_>) -> Self {
        let flat_line = |value| Spline::new(&[(0.0, value), (1.0, value)], 0.0, 0.0);
        let mut push = vec![(step.heel_off, 0.0)];
        push.extend_from_slice(step.push);
        push.push((step.toe_off, step.leave.0));
        let mut cycle = Self {
            stride: step.stride,
            contact: passing(0.0, step.contact.0, step.contact.1),
            flat: step.flat,
            heel_off: step.heel_off,
            toe_off: step.toe_off,
            outward: step.outward,
            push: Spline::new(&push, 0.0, step.leave.1),
            pitch: flat_line(0.0),
            aside: flat_line(0.0),
            height: flat_line(0.0),
            travel: flat_line(0.0),
            bend: flat_line(0.0),
        };
        let between =
            |(first, first_slope): (f64, f64), keys: &[(f64, f64)], (last, last_slope)| {
                let mut points = vec![(step.toe_off, first)];
                points.extend_from_slice(keys);
                points.push((1.0, last));
                Spline::new(&points, first_slope, last_slope)
            };
        let start = |f: fn(Foot) -> f64| one_sided(|p| f(cycle.stance(p)), step.toe_off, -1.0);
        let end = |f: fn(Foot) -> f64| one_sided(|p| f(cycle.stance(p)), 0.0, 1.0);
        let pitch = between(start(|foot| foot.pitch), step.pitch, end(|foot| foot.pitch));
        let height = between(
            start(|foot| foot.ankle.y),
            step.height,
            end(|foot| foot.ankle.y),
        );
        let (from, (to, to_slope)) = (start(|foot| foot.ankle.z), end(|foot| foot.ankle.z));
        let travel = between(from, step.travel, (to + step.stride, to_slope));
        let aside = between(start(|foot| foot.ankle.x), &[], end(|foot| foot.ankle.x));
        let swing = 1.0 - step.toe_off;
        let (bend, slope) = start(|foot| foot.bend);
        let loose = [
            (step.toe_off + 0.3 * swing, 0.3 * bend),
            (step.toe_off + 0.6 * swing, 0.0),
        ];
        let bend = between((bend, slope), &loose, (0.0, 0.0));
        (cycle.pitch, cycle.bend) = (pitch, bend);
        (cycle.aside, cycle.height, cycle.travel) = (aside, height, travel);
        cycle
    }

    /// The left foot on the ground at a phase up to toe off, its ankle over the origin while it is flat.
    fn stance(&self, phase: f64) -> Foot {
        let pitch = if phase < self.flat {
            quintic(phase, &[self.contact, still(self.flat, 0.0)])
        } else if phase < self.heel_off {
            0.0
        } else {
            self.push.at(phase)
        };
        Foot::flat(DVec3::ZERO, TOE_OUT).rolled(pitch)
    }

    /// The left foot at a phase from 0 to 1; the ankle's place as in [`stance`](Self::stance), one stride on at 1.
    pub(super) fn at(&self, phase: f64) -> Foot {
        if phase <= self.toe_off {
            return self.stance(phase);
        }
        let through = (phase - self.toe_off) / (1.0 - self.toe_off);
        let out = 16.0 * through * through * (1.0 - through) * (1.0 - through);
        Foot {
            ankle: DVec3::new(
                self.aside.at(phase) + self.outward * out,
                self.height.at(phase),
                self.travel.at(phase),
            ),
            heading: TOE_OUT,
            pitch: self.pitch.at(phase),
            bend: self.bend.at(phase),
        }
    }
}

/// Both feet at a frame, each on a line beside the middle by `track`. The pelvis is over a flat foot's ankle
/// at the phase `over`, and at z = 0 in frame 0.
pub(super) fn feet(
    foot: &FootCycle,
    frame: usize,
    cycle: usize,
    over: f64,
    track: f64,
) -> [Foot; 2] {
    Hand::BOTH.map(|side| {
        let (strides, phase) = phase(frame, cycle, side);
        let mut foot_pose = foot.at(phase);
        foot_pose.ankle.x = side.sign() * (track + foot_pose.ankle.x);
        foot_pose.ankle.z += foot.stride * (strides + over);
        foot_pose.heading *= side.sign();
        foot_pose
    })
}

/// How many strides a foot has behind it at a frame, halves for the right one, and in which phase of the
/// next it is. A cycle has `cycle` frames, an even number; the left foot makes contact in frame 0.
pub(super) fn phase(frame: usize, cycle: usize, side: Hand) -> (f64, f64) {
    let (frame, ahead) = match side {
        Hand::Left => (frame, 0.0),
        Hand::Right => (frame + cycle / 2, 0.5),
    };
    (
        (frame / cycle) as f64 - ahead,
        (frame % cycle) as f64 / cycle as f64,
    )
}
