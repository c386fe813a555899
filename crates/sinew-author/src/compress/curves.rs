//! The transforms of a joint as functions of time, piece by piece, with bounds of their derivatives.
//!
//! A *piece* is an interval of time without a key of the source or a sample of the packed animation inside; `s` runs over
//! it from 0 to 1. On it, every position and scale is a cubic (mostly a line) and every rotation is one of
//! [`RotationCurve`]. Each curve gives its value and bounds of its first two derivatives, which is what
//! [`bound`](super::bound) needs:
//!
//! ```text
//! slerp            |x'| = ω,            acceleration along the sphere 0
//! line of MRP      |x'| = |Δ| / n,      |Δ|² |u| / (2 n²),      n = 1 + |u|²/4
//! normalized cubic |x'| ≤ |q'| / |q|,   ≤ |q''| / |q| + 2 |x'|²
//! ```
//!
//! `docs/error-bound.md`, *One rotation*, derives them. Everything is `f64`; evaluating and bounding take constant
//! time.

/// A vector.
pub(super) type Vector = [f64; 3];

/// A unit quaternion: x, y, z, w.
pub(super) type Quaternion = [f64; 4];

/// A rotation over a piece, of which `s` runs from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum RotationCurve {
    Constant(Quaternion),
    /// Slerp; `to` is in the hemisphere of `from`, and `angle` is between the quaternions.
    Slerp {
        from: Quaternion,
        to: Quaternion,
        angle: f64,
    },
    /// MRP coordinates on the line from one to the other, and the matrix of their frame.
    MrpLine {
        from: Vector,
        to: Vector,
        map: [[f64; 4]; 4],
    },
    /// A cubic, normalized; coefficients of 1, s, s² and s³.
    Cubic([[f64; 4]; 4]),
}

/// Bounds over a span of a piece, with the span taken as the unit of time. The path of the quaternion `x` on the unit
/// sphere has speed `|x'|` from `slowest` to `fastest`, and its acceleration along the sphere, `|x'' + |x'|² x|`, is at
/// most `bend`: 0 for slerp, which has constant angular velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RotationBounds {
    pub(super) slowest: f64,
    pub(super) fastest: f64,
    pub(super) bend: f64,
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn length<const N: usize>(a: &[f64; N]) -> f64 {
    libm::sqrt(dot(a, a))
}

fn weighted<const N: usize>(a: &[f64; N], s: f64, b: &[f64; N], t: f64) -> [f64; N] {
    core::array::from_fn(|i| a[i] * s + b[i] * t)
}

pub(super) fn normalized(q: [f64; 4]) -> Quaternion {
    let length = length(&q);
    if length > 0.0 {
        q.map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// The angle between unit quaternions, from 0 to π. Unlike `acos` of the dot product it is accurate near 0 and π.
fn angle_between(a: &Quaternion, b: &Quaternion) -> f64 {
    let sum = weighted(a, 1.0, b, 1.0);
    let difference = weighted(a, 1.0, b, -1.0);
    2.0 * libm::atan2(length(&difference), length(&sum))
}

fn slerp(from: &Quaternion, to: &Quaternion, angle: f64, s: f64) -> Quaternion {
    let sine = libm::sin(angle);
    if sine < 1e-6 {
        return normalized(weighted(from, 1.0 - s, to, s));
    }
    let (a, b) = (
        libm::sin((1.0 - s) * angle) / sine,
        libm::sin(s * angle) / sine,
    );
    normalized(weighted(from, a, to, b))
}

/// The unit quaternion of MRP coordinates in a frame ([`MrpFrame`](sinew::internal::packed::MrpFrame)).
pub(super) fn mrp_to_quat(u: &Vector, map: &[[f64; 4]; 4]) -> Quaternion {
    let quarter = 0.25 * dot(u, u);
    let x = [u[0], u[1], u[2], 1.0 - quarter];
    normalized(map.map(|row| dot(&row, &x)))
}

impl RotationCurve {
    /// Slerp along the shorter arc.
    pub(super) fn slerp(from: Quaternion, to: Quaternion) -> Self {
        let to = if dot(&from, &to) < 0.0 {
            to.map(|number| -number)
        } else {
            to
        };
        let angle = angle_between(&from, &to);
        if angle == 0.0 {
            Self::Constant(from)
        } else {
            Self::Slerp { from, to, angle }
        }
    }

    /// The curve from `s0` to `s1`, reparametrized to 0 to 1.
    pub(super) fn subcurve(self, s0: f64, s1: f64) -> Self {
        if s0 == 0.0 && s1 == 1.0 {
            return self;
        }
        match self {
            Self::Constant(_) => self,
            Self::Slerp { from, to, angle } => Self::Slerp {
                from: slerp(&from, &to, angle, s0),
                to: slerp(&from, &to, angle, s1),
                angle: angle * (s1 - s0),
            },
            Self::MrpLine { from, to, map } => Self::MrpLine {
                from: weighted(&from, 1.0 - s0, &to, s0),
                to: weighted(&from, 1.0 - s1, &to, s1),
                map,
            },
            Self::Cubic(cubic) => Self::Cubic(part_of_cubic(&cubic, s0, s1)),
        }
    }

    /// The rotation at `s`.
    pub(super) fn at(&self, s: f64) -> Quaternion {
        match self {
            Self::Constant(q) => *q,
            Self::Slerp { from, .. } if s == 0.0 => *from,
            Self::Slerp { to, .. } if s == 1.0 => *to,
            Self::Slerp { from, to, angle } => slerp(from, to, *angle, s),
            Self::MrpLine { from, to, map } => mrp_to_quat(&weighted(from, 1.0 - s, to, s), map),
            Self::Cubic(cubic) => normalized(cubic_at(cubic, s)),
        }
    }

    /// An upper bound of half the angle that the rotation turns over the piece: rounding of the interpolation ratio is
    /// multiplied by it.
    pub(super) fn turn(&self) -> f64 {
        match self {
            Self::Constant(_) => 0.0,
            Self::Slerp { angle, .. } => *angle,
            Self::MrpLine { from, to, .. } => length(&weighted(to, 1.0, from, -1.0)),
            Self::Cubic(cubic) => cubic_speed(cubic, 0.0, 1.0),
        }
    }

    /// Bounds over the span from `s0` to `s1`.
    pub(super) fn bounds(&self, s0: f64, s1: f64) -> RotationBounds {
        match self {
            Self::Constant(_) => RotationBounds::default(),
            Self::Slerp { angle, .. } => {
                let speed = angle * (s1 - s0);
                RotationBounds {
                    slowest: speed,
                    fastest: speed,
                    bend: 0.0,
                }
            }
            // MRP are a stereographic projection, conformal with the factor 1 / n, n = 1 + |u|²/4. A line that is
            // traversed at the speed |Δ| has the speed |Δ| / n on the sphere, and from the Christoffel symbols of that
            // metric the acceleration |Δ|² |u| / (2 n²) along it.
            Self::MrpLine { from, to, .. } => {
                let (a, b) = (
                    weighted(from, 1.0 - s0, to, s0),
                    weighted(from, 1.0 - s1, to, s1),
                );
                let step = weighted(&b, 1.0, &a, -1.0);
                let speed_squared = dot(&step, &step);
                let speed = libm::sqrt(speed_squared);
                // |u| is convex: largest at an end, smallest where the line is nearest to the origin.
                let largest = length(&a).max(length(&b));
                let nearest = if speed_squared > 0.0 {
                    let s = (-dot(&a, &step) / speed_squared).clamp(0.0, 1.0);
                    length(&weighted(&a, 1.0, &step, s))
                } else {
                    largest
                };
                let n = |u: f64| 1.0 + 0.25 * u * u;
                RotationBounds {
                    slowest: speed / n(largest),
                    fastest: speed / n(nearest),
                    bend: 0.5 * speed_squared * largest / (n(nearest) * n(nearest)),
                }
            }
            // For x = q / |q|: |x'| ≤ |q'| / |q|, and x'' + |x'|² x = (P q'' - 2 (x·q') x') / |q| with P the projection
            // orthogonal to x.
            Self::Cubic(cubic) => {
                let width = s1 - s0;
                let speed = width * cubic_speed(cubic, s0, s1);
                let q = length(&cubic_at(cubic, 0.5 * (s0 + s1))) - 0.5 * speed;
                if q <= 0.0 {
                    return RotationBounds {
                        slowest: 0.0,
                        fastest: f64::INFINITY,
                        bend: f64::INFINITY,
                    };
                }
                let second = width * width * cubic_acceleration(cubic, s0, s1);
                let fastest = speed / q;
                RotationBounds {
                    slowest: 0.0,
                    fastest,
                    bend: second / q + 2.0 * fastest * fastest,
                }
            }
        }
    }
}

fn cubic_at<const N: usize>(cubic: &[[f64; N]; 4], s: f64) -> [f64; N] {
    let [a, b, c, d] = cubic;
    core::array::from_fn(|i| a[i] + s * (b[i] + s * (c[i] + s * d[i])))
}

fn cubic_slope<const N: usize>(cubic: &[[f64; N]; 4], s: f64) -> [f64; N] {
    let [_, b, c, d] = cubic;
    core::array::from_fn(|i| b[i] + s * (2.0 * c[i] + 3.0 * s * d[i]))
}

/// A bound of `|q'|` from `s0` to `s1`: its largest value at the ends, plus `max |q'''| width² / 8 = 6 |d| width² / 8`.
fn cubic_speed<const N: usize>(cubic: &[[f64; N]; 4], s0: f64, s1: f64) -> f64 {
    let ends = length(&cubic_slope(cubic, s0)).max(length(&cubic_slope(cubic, s1)));
    let width = s1 - s0;
    ends + 0.75 * width * width * length(&cubic[3])
}

/// The largest `|q''|` from `s0` to `s1`: `q''` is linear, so its length is largest at an end.
fn cubic_acceleration<const N: usize>(cubic: &[[f64; N]; 4], s0: f64, s1: f64) -> f64 {
    let second = |s: f64| length(&weighted(&cubic[2], 2.0, &cubic[3], 6.0 * s));
    second(s0).max(second(s1))
}

/// Coefficients of the cubic from `s0` to `s1`.
fn part_of_cubic<const N: usize>(cubic: &[[f64; N]; 4], s0: f64, s1: f64) -> [[f64; N]; 4] {
    let width = s1 - s0;
    let half_second = weighted(&cubic[2], 1.0, &cubic[3], 3.0 * s0);
    [
        cubic_at(cubic, s0),
        cubic_slope(cubic, s0).map(|number| number * width),
        half_second.map(|number| number * width * width),
        cubic[3].map(|number| number * width * width * width),
    ]
}

/// The coefficients of the Hermite cubic from `a` to `b` with the slopes `out` and `into`.
pub(super) fn hermite<const N: usize>(
    a: [f64; N],
    out: [f64; N],
    b: [f64; N],
    into: [f64; N],
) -> [[f64; N]; 4] {
    [
        a,
        out,
        core::array::from_fn(|i| 3.0 * (b[i] - a[i]) - 2.0 * out[i] - into[i]),
        core::array::from_fn(|i| 2.0 * (a[i] - b[i]) + out[i] + into[i]),
    ]
}

/// A position or scale over a piece: coefficients of 1, s, s² and s³.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorCurve(pub(super) [Vector; 4]);

/// Bounds of a vector and its first two derivatives over a span of a piece, with the span taken as the unit of time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VectorBounds {
    pub(super) size: f64,
    pub(super) speed: f64,
    pub(super) bend: f64,
}

impl VectorCurve {
    pub(super) const ONE: Self = Self::constant([1.0; 3]);

    pub(super) const fn constant(value: Vector) -> Self {
        Self([value, [0.0; 3], [0.0; 3], [0.0; 3]])
    }

    pub(super) fn line(from: Vector, to: Vector) -> Self {
        Self([from, weighted(&to, 1.0, &from, -1.0), [0.0; 3], [0.0; 3]])
    }

    pub(super) fn subcurve(self, s0: f64, s1: f64) -> Self {
        if s0 == 0.0 && s1 == 1.0 {
            self
        } else {
            Self(part_of_cubic(&self.0, s0, s1))
        }
    }

    pub(super) fn at(&self, s: f64) -> Vector {
        cubic_at(&self.0, s)
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|i| {
            weighted(&self.0[i], 1.0, &other.0[i], -1.0)
        }))
    }

    /// Bounds over the span from `s0` to `s1`.
    pub(super) fn bounds(&self, s0: f64, s1: f64) -> VectorBounds {
        if self.0[1..] == [[0.0; 3]; 3] {
            // Constant, as most positions are.
            return VectorBounds {
                size: length(&self.0[0]),
                ..VectorBounds::default()
            };
        }
        let width = s1 - s0;
        let bend = width * width * cubic_acceleration(&self.0, s0, s1);
        VectorBounds {
            size: length(&self.at(s0)).max(length(&self.at(s1))) + 0.125 * bend,
            speed: width * cubic_speed(&self.0, s0, s1),
            bend,
        }
    }
}

/// A joint over a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointCurve {
    pub(super) position: VectorCurve,
    pub(super) rotation: RotationCurve,
    /// `None` where it is 1 throughout.
    pub(super) scale: Option<VectorCurve>,
    /// Value errors of `f32` rounding, and of the decoder's slerp approximation.
    pub(super) slack: Slack,
}

/// Value errors without known derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slack {
    /// Of the 3x3 matrix, in the spectral norm.
    pub(super) axes: f64,
    /// In metres.
    pub(super) origin: f64,
}
