//! The error bound: an upper bound of the distance of two animations at every time of a piece.
//!
//! Over a span of a piece, taken as the unit of time, a point `v` of a joint's ball moves along `A v + o` in the one
//! animation and along `Â v + ô` in the other. Its error vector `e(s)` differs from the line between its values at the
//! ends of the span by at most `max |e''| / 8` (the error of linear interpolation), so that
//!
//! ```text
//! error(s)  ≤  max(error(0), error(1)) + C / 8,      C = max |(ô - o)''| + r max ‖(Â - A)''‖
//! ```
//!
//! and `C` follows joint by joint, from parent to child, from bounds of the local curves. Halving a span divides `C` by
//! about four, so spans are halved until the bound is tight enough: most need no halving, and a piece costs about two
//! poses. `docs/error-bound.md` has the statement and the proof; names here are those of the page.

use super::curves::{JointCurve, Quaternion, RotationCurve, Vector, VectorBounds, VectorCurve};
use super::verify::Precision;
use crate::measure::{SHELL, ball_error_squared};
use alloc::vec::Vec;
use sinew::skeleton::Skeleton;

/// Halvings of a piece, at most. After that the bound still holds, only less tightly.
const MAX_HALVINGS: u32 = 12;

/// A span whose bound is at most this factor above the lower limit is not halved: that could gain no more than 1 %.
const TIGHT_ENOUGH: f64 = 1.01;

/// The points that are measured on a joint.
#[derive(Clone, Copy, Debug)]
struct Ball {
    parent: Option<usize>,
    radius: f64,
    /// Of a joint that is not a leaf.
    tip: Option<Vector>,
}

/// Both animations at one time.
#[derive(Clone, Debug, Default)]
struct BodyState {
    joints: Vec<JointState>,
    /// The largest error.
    largest: f64,
}

/// A joint of both animations at one time.
#[derive(Clone, Copy, Debug, Default)]
struct JointState {
    /// Local rotations, of any sign.
    expected: Quaternion,
    found: Quaternion,
    /// The matrix columns and the origin in model space, of the first animation.
    axes: [Vector; 3],
    origin: Vector,
    /// Second minus first animation.
    axes_off: [Vector; 3],
    origin_off: Vector,
    error: f64,
}

/// Bounds of a joint over a span, in model space: of the first animation's matrix and its two derivatives, of the
/// difference of both matrices and its derivatives, of the second derivative of the difference of origins, and of value
/// errors without known derivatives (slack).
#[derive(Clone, Copy, Debug, Default)]
struct JointBounds {
    axes: [f64; 3],
    axes_off: [f64; 3],
    origin_off_bend: f64,
    slack_axes: f64,
    slack_origin: f64,
}

/// The error of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceError {
    /// An upper bound of the error at every time of the piece.
    pub(super) bound: f64,
    /// A lower limit of `bound`, however finely the piece is subdivided: the errors at evaluated times, plus slack.
    pub(super) least: f64,
    /// The largest evaluated error, with its joint and time.
    pub(super) largest: f64,
    pub(super) joint: usize,
    pub(super) s: f64,
}

/// Bounds the error of pieces.
pub(super) struct ErrorBound {
    balls: Vec<Ball>,
    /// Buffers for reuse.
    spare: Vec<BodyState>,
    bounds: Vec<JointBounds>,
    rigid: Vec<bool>,
    /// By joint, the largest error so far, without and with slack.
    pub(super) joints: Vec<f64>,
    pub(super) joints_with_slack: Vec<f64>,
    /// Times that were evaluated.
    pub(super) evaluations: usize,
    /// The largest error so far, without and with slack.
    largest: f64,
    least: f64,
    /// The end of the previous piece, which is the beginning of the next if both animations are continuous.
    last: Option<BodyState>,
}

/// Called with evaluated times, and the errors of all joints there.
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
            evaluations: 0,
            largest: 0.0,
            least: 0.0,
            last: None,
        }
    }

    /// Bounds the error over a piece. Spans are halved until their bound is as tight as `precision` asks.
    /// `is_continuous` says that the piece begins where the previous one ended; `observe` is called with every time
    /// that is evaluated, in order, and the errors of all joints there.
    pub(super) fn piece(
        &mut self,
        expected: &[JointCurve],
        found: &[JointCurve],
        is_continuous: bool,
        precision: Precision,
        observe: Option<ErrorObserver<'_, f64>>,
    ) -> PieceError {
        for (index, ball) in self.balls.iter().enumerate() {
            let above = ball.parent.is_none_or(|parent| self.rigid[parent]);
            let is_rigid = expected[index].scale.is_none() && found[index].scale.is_none();
            self.rigid[index] = above && is_rigid;
        }
        // Halving evaluates times out of order, so they are sorted at the end.
        let mut observed: Vec<(f64, Vec<f64>)> = Vec::new();
        let is_observed = observe.is_some();
        let mut result = PieceError {
            bound: 0.0,
            least: 0.0,
            largest: 0.0,
            joint: 0,
            s: 0.0,
        };
        let mut evaluate = |bound: &mut Self, s: f64, result: &mut PieceError| {
            let state = bound.evaluate(expected, found, s);
            if is_observed {
                observed.push((s, state.joints.iter().map(|joint| joint.error).collect()));
            }
            if state.largest > result.largest {
                let mut joints = state.joints.iter();
                result.largest = state.largest;
                result.joint = joints
                    .position(|joint| joint.error == state.largest)
                    .unwrap_or(0);
                result.s = s;
            }
            state
        };
        let first = match self.last.take().filter(|_| is_continuous) {
            Some(mut last) => {
                // The same poses by other formulas: quaternion signs must be those of this piece's curves.
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
        // A stack of the ends of spans that are not yet bounded, from late to early, with their halvings and the bound
        // of the span that they were halved from. Each begins where the one bounded before ended.
        let mut begin = (0.0, first);
        let mut pending = alloc::vec![(1.0, last, 0, f64::INFINITY)];
        while let Some((s1, end, halvings, parent_bound)) = pending.pop() {
            // A bound of the parent span holds for its halves.
            let mut span = self.span(expected, found, (begin.0, &begin.1), (s1, &end));
            span.bound = span.bound.min(parent_bound);
            span.least = span.least.min(parent_bound);
            self.least = self.least.max(span.least);
            // As long as no error above the limit is found, the question is whether there is one.
            let close = if self.largest > precision.limit && !precision.is_limit_final {
                TIGHT_ENOUGH * self.least
            } else {
                (TIGHT_ENOUGH * self.least).min(precision.limit)
            };
            let is_final = span.bound <= precision.enough.max(close)
                || halvings == MAX_HALVINGS
                || precision.is_limit_final && result.least > precision.limit;
            result.least = result.least.max(span.least);
            if is_final || precision.is_limit_final && span.least > precision.limit {
                result.bound = result.bound.max(span.bound);
                let (_, done) = core::mem::replace(&mut begin, (s1, end));
                self.spare.push(done);
            } else {
                let middle = 0.5 * (begin.0 + s1);
                let state = evaluate(self, middle, &mut result);
                pending.push((s1, end, halvings + 1, span.bound));
                pending.push((middle, state, halvings + 1, span.bound));
            }
        }
        self.last = Some(begin.1);
        if let Some(observe) = observe {
            observed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (s, errors) in &observed {
                observe(*s, errors);
            }
        }
        result
    }

    /// Evaluates both animations at `s`, by forward kinematics.
    fn evaluate(&mut self, expected: &[JointCurve], found: &[JointCurve], s: f64) -> BodyState {
        let mut state = self.spare.pop().unwrap_or_default();
        state.joints.clear();
        state.largest = 0.0;
        self.evaluations += 1;
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
            // The difference is carried along the chain instead of subtracting two large results, so that small
            // differences keep their digits: Â b̂ - A b = (Â - A) b̂ + A (b̂ - b).
            let difference = |a: &Vector, b: &Vector| [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            let joint = match ball.parent {
                None => JointState {
                    axes,
                    origin: p,
                    axes_off: core::array::from_fn(|i| difference(&axes[i], &other_axes[i])),
                    origin_off: difference(&p, &other_p),
                    ..JointState::default()
                },
                Some(parent) => {
                    let above = state.joints[parent];
                    let off = |a: &Vector, b: &Vector| {
                        add(
                            &times(&above.axes_off, b),
                            &times(&above.axes, &difference(a, b)),
                        )
                    };
                    JointState {
                        axes: core::array::from_fn(|i| times(&above.axes, &axes[i])),
                        origin: add(&times(&above.axes, &p), &above.origin),
                        axes_off: core::array::from_fn(|i| off(&axes[i], &other_axes[i])),
                        origin_off: add(&off(&p, &other_p), &above.origin_off),
                        ..JointState::default()
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
            // NaN counts as infinite.
            let error = if squared >= 0.0 {
                libm::sqrt(squared)
            } else {
                f64::INFINITY
            };
            state.joints.push(JointState {
                expected: q,
                found: r,
                error,
                ..joint
            });
            state.largest = state.largest.max(error);
            self.joints[index] = self.joints[index].max(error);
        }
        self.largest = self.largest.max(state.largest);
        state
    }

    /// Bounds the error between two times.
    fn span(
        &mut self,
        expected: &[JointCurve],
        found: &[JointCurve],
        (s0, begin): (f64, &BodyState),
        (s1, end): (f64, &BodyState),
    ) -> SpanError {
        let mut span = SpanError {
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
            let joint_bounds = local.below(&above, from, to, self.rigid[index]);
            let bend =
                |radius: f64| joint_bounds.origin_off_bend + radius * joint_bounds.axes_off[2];
            let slack = |radius: f64| joint_bounds.slack_origin + radius * joint_bounds.slack_axes;
            let reach = match &ball.tip {
                Some(tip) => ball.radius.max(super::curves::length(tip)),
                None => ball.radius,
            };
            let least = from.error.max(to.error) + slack(reach);
            let bound = least + 0.125 * bend(reach);
            self.bounds[index] = joint_bounds;
            self.joints_with_slack[index] = self.joints_with_slack[index].max(least);
            span.least = span.least.max(least);
            // NaN counts as infinite.
            span.bound = if bound >= 0.0 {
                span.bound.max(bound)
            } else {
                f64::INFINITY
            };
        }
        span
    }
}

/// The error between two times; see [`PieceError`].
struct SpanError {
    bound: f64,
    least: f64,
}

/// Bounds of a joint's local curves over a span: a matrix and its two derivatives, in the spectral norm.
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
        (s0, from): (f64, &JointState),
        (s1, to): (f64, &JointState),
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

    /// Bounds in model space, from the parent's and from the joint at both ends.
    fn below(
        &self,
        above: &JointBounds,
        from: &JointState,
        to: &JointState,
        is_rigid: bool,
    ) -> JointBounds {
        // Â b̂ - A b = (Â - A) b̂ + A (b̂ - b), and its derivatives.
        let (a, b) = (
            product(&above.axes_off, &self.other_axes),
            product(&above.axes, &self.axes_off),
        );
        let mut axes_off: [f64; 3] = core::array::from_fn(|order| a[order] + b[order]);
        // Bounds that add up along the chain are loose; the exact values at the ends and the second derivative often
        // give less: |f| ≤ max at the ends + max |f''| / 8, |f'| ≤ |f(1) - f(0)| + max |f''| / 2.
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

/// Bounds of a product and its first two derivatives, from those of its factors (product rule).
fn product(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[0] * b[0],
        a[1] * b[0] + a[0] * b[1],
        a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2],
    ]
}

/// Bounds of the difference of two rotation matrices and its derivatives, from the curves of their quaternions.
///
/// With `D = x̂ - x`, the quaternions in one hemisphere where the span begins, and `x'' = -|x'|² x + bend`:
/// `|D''| ≤ |x'|² |D| + max ||x̂'|² - |x'|²| + both bends`, `|D| ≤ max at the ends + max |D''| / 8` and
/// `|D'| ≤ |D(1) - D(0)| + max |D''| / 2`. `R v = x v x*`, so that `(R̂ - R) v = D v x̂* + x v D*`.
fn rotation_off(
    turn: &super::curves::RotationBounds,
    other: &super::curves::RotationBounds,
    from: &JointState,
    to: &JointState,
) -> [f64; 3] {
    let sign = if (0..4)
        .map(|i| from.expected[i] * from.found[i])
        .sum::<f64>()
        < 0.0
    {
        -1.0
    } else {
        1.0
    };
    let difference = |joint: &JointState| -> Quaternion {
        core::array::from_fn(|i| sign * joint.found[i] - joint.expected[i])
    };
    let (begin, end) = (difference(from), difference(to));
    let length = super::curves::length::<4>;
    let ends = length(&begin).max(length(&end));
    let change = length(&core::array::from_fn(|i| end[i] - begin[i]));
    let squared = |speed: f64| speed * speed;
    let speeds = (squared(other.fastest) - squared(turn.slowest))
        .max(squared(turn.fastest) - squared(other.slowest))
        .max(0.0);
    let uneven = speeds + turn.bend + other.bend;
    // |D| ≤ ends + (|x'|² |D| + uneven) / 8, solved for |D|; unit quaternions are at most 2 apart.
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

/// The value error of a rotation that is evaluated in `f32`, plus `other`.
pub(super) fn rounding_of(rotation: &RotationCurve, other: f64) -> f64 {
    // A rotation turns by twice the quaternion's angle, and `f32` rounds the interpolation ratio to some 2⁻²².
    2.0 * ROUNDING + 8.0 * rotation.turn() * f64::from(f32::EPSILON) + other
}

/// The largest distance of a quaternion sampled in `f32` from the exact one: the rounding of some twenty operations
/// with numbers up to 1. A test of `curve_sources` holds the decoder to it.
pub(super) const ROUNDING: f64 = 4.5e-7;
