//! The error bound: the largest distance of two animations at any time of a piece. `docs/error-bound.md` has the
//! statement and the proof; names here are those of the page.
//!
//! Over a part of a piece, taken as the unit of time, a point `v` of a joint's ball moves along `A v + o` in the one
//! animation and along `Â v + ô` in the other. Its error vector `e(s)` differs from the line between its values at
//! the ends of the part by at most `max |e''| / 8`, so that
//!
//! ```text
//! error(s)  ≤  max(error(0), error(1)) + C / 8,      C = max |(ô - o)''| + r max ‖(Â - A)''‖
//! ```
//!
//! and `C` follows joint by joint from bounds of the local curves. Halving the part divides `C` by about four.

use super::curves::{JointCurve, Quaternion, RotationCurve, Vector, VectorBounds, VectorCurve};
use super::verify::Precision;
use crate::measure::{SHELL, ball_error_squared};
use alloc::vec::Vec;
use sinew::skeleton::Skeleton;

/// Halvings of a piece, at most. What is not resolved then is bounded all the same, only less closely.
const MOST_HALVINGS: u32 = 12;

/// A part whose bound is at most this much above the least possible is not halved: nothing much would be gained.
const CLOSE: f64 = 1.01;

/// What is measured on a joint, and where it hangs.
#[derive(Clone, Copy, Debug)]
struct Ball {
    parent: Option<usize>,
    radius: f64,
    /// Of a joint that is no leaf.
    tip: Option<Vector>,
}

/// Both animations at a moment.
#[derive(Clone, Debug, Default)]
struct Moment {
    joints: Vec<JointMoment>,
    /// The largest error.
    largest: f64,
}

/// A joint of both animations at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct JointMoment {
    /// Local rotations, not aligned.
    expected: Quaternion,
    found: Quaternion,
    /// Columns in the model's frame of the first animation, and the origin.
    axes: [Vector; 3],
    origin: Vector,
    /// What the second animation has more.
    axes_off: [Vector; 3],
    origin_off: Vector,
    error: f64,
}

/// Bounds of a joint over a part: of the first animation's matrix and its derivatives, of the difference of both, of
/// the second derivative of the difference of origins, and value errors of no known derivative.
#[derive(Clone, Copy, Debug, Default)]
struct JointBounds {
    axes: [f64; 3],
    axes_off: [f64; 3],
    origin_off_bend: f64,
    slack_axes: f64,
    slack_origin: f64,
}

/// What is found of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceError {
    /// No error is larger anywhere in the piece.
    pub(super) bound: f64,
    /// A lower limit of the bound, however finely pieces are subdivided: the errors at sampled times, plus slack.
    pub(super) least: f64,
    /// An error that occurs, with its joint and place.
    pub(super) largest: f64,
    pub(super) joint: usize,
    pub(super) s: f64,
}

/// Bounds the error of pieces.
pub(super) struct ErrorBound {
    balls: Vec<Ball>,
    /// Moments that are in use are moved out.
    spare: Vec<Moment>,
    bounds: Vec<JointBounds>,
    rigid: Vec<bool>,
    /// By joints, the largest error found so far, and with its slack.
    pub(super) joints: Vec<f64>,
    pub(super) joints_with_slack: Vec<f64>,
    /// Moments that were evaluated.
    pub(super) moments: usize,
    /// The largest error found so far, and with its slack.
    largest: f64,
    least: f64,
    /// The end of the piece before, which is the beginning of the next where both animations are continuous.
    last: Option<Moment>,
}

/// Is given times that are evaluated, and the errors of all joints there.
pub(super) type ErrorObserver<'a, Time> = &'a mut (dyn FnMut(Time, &[f64]) + 'a);

impl ErrorBound {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints().iter().enumerate();
        let balls = joints.map(|(index, joint)| {
            let tip = joint.tip.map(|tip| tip.to_array().map(f64::from));
            let is_leaf = skeleton.is_leaf(index.into());
            Ball {
                parent: joint.parent.map(|parent| parent.index()),
                radius: match tip {
                    Some(tip) if is_leaf => SHELL.max(super::curves::length(&tip)),
                    _ => SHELL,
                },
                tip: tip.filter(|_| !is_leaf),
            }
        });
        Self {
            balls: balls.collect(),
            spare: Vec::new(),
            bounds: alloc::vec![JointBounds::default(); skeleton.len()],
            rigid: alloc::vec![true; skeleton.len()],
            joints: alloc::vec![0.0; skeleton.len()],
            joints_with_slack: alloc::vec![0.0; skeleton.len()],
            moments: 0,
            largest: 0.0,
            least: 0.0,
            last: None,
        }
    }

    /// Bounds the error over a piece. Parts whose bound is near enough are not subdivided, nor is a
    /// piece in which an error above the limit is found. `is_continuous` says that the piece begins where the one before
    /// ended; `each` is given every moment that is evaluated, in order, and the errors of all joints there.
    pub(super) fn piece(
        &mut self,
        expected: &[JointCurve],
        found: &[JointCurve],
        is_continuous: bool,
        precision: Precision,
        each: Option<ErrorObserver<'_, f64>>,
    ) -> PieceError {
        for (index, ball) in self.balls.iter().enumerate() {
            let above = ball.parent.is_none_or(|parent| self.rigid[parent]);
            let is_rigid = expected[index].scale.is_none() && found[index].scale.is_none();
            self.rigid[index] = above && is_rigid;
        }
        // Moments that are evaluated come out of order.
        let mut told: Vec<(f64, Vec<f64>)> = Vec::new();
        let is_told = each.is_some();
        let mut result = PieceError {
            bound: 0.0,
            least: 0.0,
            largest: 0.0,
            joint: 0,
            s: 0.0,
        };
        let mut evaluate = |own: &mut Self, s: f64, result: &mut PieceError| {
            let moment = own.moment(expected, found, s);
            if is_told {
                told.push((s, moment.joints.iter().map(|joint| joint.error).collect()));
            }
            if moment.largest > result.largest {
                let mut joints = moment.joints.iter();
                result.largest = moment.largest;
                result.joint = joints
                    .position(|joint| joint.error == moment.largest)
                    .unwrap_or(0);
                result.s = s;
            }
            moment
        };
        let first = match self.last.take().filter(|_| is_continuous) {
            Some(mut last) => {
                // The same place, by other curves: rotations are those of this piece.
                for (joint, (expected, found)) in
                    last.joints.iter_mut().zip(expected.iter().zip(found))
                {
                    joint.expected = expected.rotation.at(0.0);
                    joint.found = found.rotation.at(0.0);
                }
                result.largest = last.largest;
                last
            }
            None => evaluate(self, 0.0, &mut result),
        };
        let last = evaluate(self, 1.0, &mut result);
        // Parts that are not yet bounded, each with its end; the beginning is that of the one bounded before.
        let mut begin = (0.0, first);
        let mut ahead = alloc::vec![(1.0, last, 0, f64::INFINITY)];
        while let Some((s1, end, halvings, whole)) = ahead.pop() {
            // What bounds the whole bounds its parts.
            let mut part = self.part(expected, found, (begin.0, &begin.1), (s1, &end));
            part.bound = part.bound.min(whole);
            part.least = part.least.min(whole);
            self.least = self.least.max(part.least);
            // As long as no error above the limit is found, whether there is one is of interest.
            let close = if self.largest > precision.limit && !precision.is_limit_final {
                CLOSE * self.least
            } else {
                (CLOSE * self.least).min(precision.limit)
            };
            let is_enough = part.bound <= precision.enough.max(close)
                || halvings == MOST_HALVINGS
                || precision.is_limit_final && result.least > precision.limit;
            result.least = result.least.max(part.least);
            if is_enough || precision.is_limit_final && part.least > precision.limit {
                result.bound = result.bound.max(part.bound);
                let (_, done) = core::mem::replace(&mut begin, (s1, end));
                self.spare.push(done);
            } else {
                let middle = 0.5 * (begin.0 + s1);
                let moment = evaluate(self, middle, &mut result);
                ahead.push((s1, end, halvings + 1, part.bound));
                ahead.push((middle, moment, halvings + 1, part.bound));
            }
        }
        self.last = Some(begin.1);
        if let Some(each) = each {
            told.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (s, errors) in &told {
                each(*s, errors);
            }
        }
        result
    }

    /// Both animations at `s`.
    fn moment(&mut self, expected: &[JointCurve], found: &[JointCurve], s: f64) -> Moment {
        let mut moment = self.spare.pop().unwrap_or_default();
        moment.joints.clear();
        moment.largest = 0.0;
        self.moments += 1;
        for (index, ball) in self.balls.iter().enumerate() {
            let (a, b) = (&expected[index], &found[index]);
            let (q, r) = (a.rotation.at(s), b.rotation.at(s));
            let mut axes = matrix(&q);
            let mut other_axes = matrix(&r);
            for (axes, scale) in [(&mut axes, &a.scale), (&mut other_axes, &b.scale)] {
                if let Some(scale) = scale {
                    for (column, scale) in axes.iter_mut().zip(scale.at(s)) {
                        *column = column.map(|number| number * scale);
                    }
                }
            }
            let (p, other_p) = (a.position.at(s), b.position.at(s));
            // What the second has more is computed as such, so that small differences stay exact:
            // Â b̂ - A b = (Â - A) b̂ + A (b̂ - b).
            let difference = |a: &Vector, b: &Vector| [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            let joint = match ball.parent {
                None => JointMoment {
                    axes,
                    origin: p,
                    axes_off: core::array::from_fn(|at| difference(&axes[at], &other_axes[at])),
                    origin_off: difference(&p, &other_p),
                    ..JointMoment::default()
                },
                Some(parent) => {
                    let above = moment.joints[parent];
                    let off = |a: &Vector, b: &Vector| {
                        add(
                            &times(&above.axes_off, b),
                            &times(&above.axes, &difference(a, b)),
                        )
                    };
                    JointMoment {
                        axes: core::array::from_fn(|at| times(&above.axes, &axes[at])),
                        origin: add(&times(&above.axes, &p), &above.origin),
                        axes_off: core::array::from_fn(|at| off(&axes[at], &other_axes[at])),
                        origin_off: add(&off(&p, &other_p), &above.origin_off),
                        ..JointMoment::default()
                    }
                }
            };
            let is_rigid = self.rigid[index];
            let mut squared =
                ball_error_squared(joint.origin_off, &joint.axes_off, ball.radius, is_rigid);
            if let Some(tip) = &ball.tip {
                let off = add(&times(&joint.axes_off, tip), &joint.origin_off);
                squared = squared.max(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
            }
            // NaN is infinitely far off.
            let error = if squared >= 0.0 {
                libm::sqrt(squared)
            } else {
                f64::INFINITY
            };
            moment.joints.push(JointMoment {
                expected: q,
                found: r,
                error,
                ..joint
            });
            moment.largest = moment.largest.max(error);
            self.joints[index] = self.joints[index].max(error);
        }
        self.largest = self.largest.max(moment.largest);
        moment
    }

    /// Bounds the error between two moments.
    fn part(
        &mut self,
        expected: &[JointCurve],
        found: &[JointCurve],
        (s0, begin): (f64, &Moment),
        (s1, end): (f64, &Moment),
    ) -> PartError {
        let mut part = PartError {
            bound: 0.0,
            least: 0.0,
        };
        for (index, ball) in self.balls.iter().enumerate() {
            let (a, b) = (&expected[index], &found[index]);
            let (from, to) = (&begin.joints[index], &end.joints[index]);
            let local = LocalBounds::new(a, b, (s0, from), (s1, to));
            let above = match ball.parent {
                Some(parent) => self.bounds[parent],
                None => JointBounds {
                    axes: [1.0, 0.0, 0.0],
                    ..JointBounds::default()
                },
            };
            let own = local.below(&above, from, to, self.rigid[index]);
            let bend = |radius: f64| own.origin_off_bend + radius * own.axes_off[2];
            let slack = |radius: f64| own.slack_origin + radius * own.slack_axes;
            let reach = match &ball.tip {
                Some(tip) => ball.radius.max(super::curves::length(tip)),
                None => ball.radius,
            };
            let least = from.error.max(to.error) + slack(reach);
            let bound = least + 0.125 * bend(reach);
            self.bounds[index] = own;
            self.joints_with_slack[index] = self.joints_with_slack[index].max(least);
            part.least = part.least.max(least);
            // NaN is infinitely far off.
            part.bound = if bound >= 0.0 {
                part.bound.max(bound)
            } else {
                f64::INFINITY
            };
        }
        part
    }
}

/// What is found between two moments: as [`PieceError`].
struct PartError {
    bound: f64,
    least: f64,
}

/// Bounds of a joint's local curves over a part: a matrix and its derivatives, in the spectral norm.
struct LocalBounds {
    /// Of the first animation.
    axes: [f64; 3],
    /// Of the second.
    other_axes: [f64; 3],
    /// Of the difference.
    axes_off: [f64; 3],
    other_position: VectorBounds,
    position_off: VectorBounds,
    slack: super::curves::Slack,
}

impl LocalBounds {
    fn new(
        a: &JointCurve,
        b: &JointCurve,
        (s0, from): (f64, &JointMoment),
        (s1, to): (f64, &JointMoment),
    ) -> Self {
        let turns = (a.rotation.bounds(s0, s1), b.rotation.bounds(s0, s1));
        // R' = [w] R with |w| = 2 |x'|, R'' = ([w'] + [w]²) R.
        let matrix_bounds = |turn: &super::curves::RotationBounds| {
            let speed = 2.0 * turn.fastest;
            [1.0, speed, speed * speed + 2.0 * turn.bend]
        };
        let (turn, other_turn) = (matrix_bounds(&turns.0), matrix_bounds(&turns.1));
        let turn_off = rotation_off(&turns.0, &turns.1, from, to);
        let position_off = b.position.minus(&a.position).bounds(s0, s1);
        let mut bounds = Self {
            axes: turn,
            other_axes: other_turn,
            axes_off: turn_off,
            other_position: b.position.bounds(s0, s1),
            position_off,
            slack: b.slack,
        };
        if a.scale.is_some() || b.scale.is_some() {
            let scale = a.scale.unwrap_or(VectorCurve::ONE);
            let other_scale = b.scale.unwrap_or(VectorCurve::ONE);
            let scale_off = other_scale.minus(&scale).bounds(s0, s1);
            let [scale, other_scale] = [scale, other_scale].map(|scale| {
                let bounds = scale.bounds(s0, s1);
                [bounds.size, bounds.speed, bounds.bend]
            });
            let scale_off = [scale_off.size, scale_off.speed, scale_off.bend];
            bounds.axes = product(&turn, &scale);
            bounds.other_axes = product(&other_turn, &other_scale);
            // R̂ Ŝ - R S = (R̂ - R) Ŝ + R (Ŝ - S).
            let (a, b) = (product(&turn_off, &other_scale), product(&turn, &scale_off));
            bounds.axes_off = core::array::from_fn(|order| a[order] + b[order]);
        }
        bounds
    }

    /// Bounds in the model's frame, given the parent's there and the joint at both ends.
    fn below(
        &self,
        above: &JointBounds,
        from: &JointMoment,
        to: &JointMoment,
        is_rigid: bool,
    ) -> JointBounds {
        // Â b̂ - A b = (Â - A) b̂ + A (b̂ - b), and its derivatives.
        let (a, b) = (
            product(&above.axes_off, &self.other_axes),
            product(&above.axes, &self.axes_off),
        );
        let mut axes_off: [f64; 3] = core::array::from_fn(|order| a[order] + b[order]);
        // What is known at the ends is closer than what adds up along the chain.
        let norm = |columns: &[Vector; 3]| {
            let squares: f64 = columns.iter().flatten().map(|number| number * number).sum();
            libm::sqrt(if is_rigid { 0.5 * squares } else { squares })
        };
        let change: [Vector; 3] = core::array::from_fn(|column| {
            core::array::from_fn(|row| to.axes_off[column][row] - from.axes_off[column][row])
        });
        let squares: f64 = change.iter().flatten().map(|number| number * number).sum();
        let ends = norm(&from.axes_off).max(norm(&to.axes_off));
        axes_off[0] = axes_off[0].min(ends + 0.125 * axes_off[2]);
        axes_off[1] = axes_off[1].min(libm::sqrt(squares) + 0.5 * axes_off[2]);
        let (l, l_off) = (&self.other_position, &self.position_off);
        let of_parent = product(&above.axes_off, &[l.size, l.speed, l.bend]);
        let of_own = product(&above.axes, &[l_off.size, l_off.speed, l_off.bend]);
        JointBounds {
            axes: product(&above.axes, &self.axes),
            axes_off,
            origin_off_bend: above.origin_off_bend + of_parent[2] + of_own[2],
            slack_axes: above.slack_axes * self.other_axes[0]
                + (above.axes[0] + above.axes_off[0]) * self.slack.axes * self.other_axes[0],
            slack_origin: above.slack_origin
                + above.slack_axes * l.size
                + (above.axes[0] + above.axes_off[0]) * self.slack.origin,
        }
    }
}

/// Bounds of a product and its first two derivatives, from those of its factors.
fn product(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[0] * b[0],
        a[1] * b[0] + a[0] * b[1],
        a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2],
    ]
}

/// Bounds of the difference of two rotation matrices and its derivatives, from the curves of their quaternions.
///
/// With `D = x̂ - x`, the quaternions aligned where the part begins, and `x'' = -|x'|² x + bend`:
/// `|D''| ≤ |x'|² |D| + max ||x̂'|² - |x'|²| + both bends`, `|D| ≤ max at the ends + max |D''| / 8` and
/// `|D'| ≤ |D(1) - D(0)| + max |D''| / 2`. `R v = x v x*`, so that `(R̂ - R) v = D v x̂* + x v D*`.
fn rotation_off(
    turn: &super::curves::RotationBounds,
    other: &super::curves::RotationBounds,
    from: &JointMoment,
    to: &JointMoment,
) -> [f64; 3] {
    let sign = if (0..4)
        .map(|at| from.expected[at] * from.found[at])
        .sum::<f64>()
        < 0.0
    {
        -1.0
    } else {
        1.0
    };
    let difference = |joint: &JointMoment| -> Quaternion {
        core::array::from_fn(|at| sign * joint.found[at] - joint.expected[at])
    };
    let (begin, end) = (difference(from), difference(to));
    let length = super::curves::length::<4>;
    let ends = length(&begin).max(length(&end));
    let change = length(&core::array::from_fn(|at| end[at] - begin[at]));
    let squared = |speed: f64| speed * speed;
    let speeds = (squared(other.fastest) - squared(turn.slowest))
        .max(squared(turn.fastest) - squared(other.slowest))
        .max(0.0);
    let uneven = speeds + turn.bend + other.bend;
    // |D| ≤ ends + (|x'|² |D| + uneven) / 8; nothing is further apart than 2.
    let share = 1.0 - 0.125 * squared(turn.fastest);
    let size = if share > 0.0 {
        ((ends + 0.125 * uneven) / share).min(2.0)
    } else {
        2.0
    };
    let bend = squared(turn.fastest) * size + uneven;
    let speed = change + 0.5 * bend;
    let both = turn.fastest + other.fastest;
    let accelerations = squared(turn.fastest) + turn.bend + squared(other.fastest) + other.bend;
    [
        2.0 * size,
        2.0 * speed + size * both,
        2.0 * bend + 2.0 * speed * both + size * accelerations,
    ]
}

/// The columns of a rotation matrix.
fn matrix([x, y, z, w]: &Quaternion) -> [Vector; 3] {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        [1.0 - (yy + zz), xy + wz, xz - wy],
        [xy - wz, 1.0 - (xx + zz), yz + wx],
        [xz + wy, yz - wx, 1.0 - (xx + yy)],
    ]
}

fn times(columns: &[Vector; 3], v: &Vector) -> Vector {
    core::array::from_fn(|row| {
        columns[0][row] * v[0] + columns[1][row] * v[1] + columns[2][row] * v[2]
    })
}

fn add(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Rounding of a curve that is evaluated in `f32`, and what else its value may be off by.
pub(super) fn rounding_of(rotation: &RotationCurve, other: f64) -> f64 {
    // The rotation turns by twice the quaternion's angle, and `f32` rounds what becomes of the ratio to some 2⁻²².
    2.0 * ROUNDING + 8.0 * rotation.turn() * f64::from(f32::EPSILON) + other
}

/// How far a quaternion that is sampled is from the exact one, at most, as the length of their difference: rounding in
/// `f32` of some twenty operations with numbers up to 1.
pub(super) const ROUNDING: f64 = 4.5e-7;
