//! Transforms of joints as functions of time, in pieces on which each is one formula.
//!
//! A *piece* is a stretch of time that contains no key of the source and no row of the packed animation. On it, every
//! position and scale is a cubic (mostly a line) and every rotation is one of [`RotationCurve`]. Curves know their
//! value and bounds of their first two derivatives, which is what [`bound`](super::bound) works with; everything is
//! `f64`.

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
    /// Coordinates of a [`Chart`](sinew::internal::packed::Chart) on the line from one to the other, and its map.
    Chart {
        from: Vector,
        to: Vector,
        map: [[f64; 4]; 4],
    },
    /// A cubic, normalised; coefficients of 1, s, s² and s³.
    Cubic([[f64; 4]; 4]),
}

/// Bounds over a part of a piece, with the part taken as the unit of time. The path of the quaternion `x` on the
/// unit sphere has speed `|x'|` from `slowest` to `fastest`, and its acceleration along the sphere, `|x'' + |x'|² x|`,
/// is at most `bend`: 0 for slerp, which is an even turn.
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
    core::array::from_fn(|at| a[at] * s + b[at] * t)
}

pub(super) fn normalized(q: [f64; 4]) -> Quaternion {
    let length = length(&q);
    if length > 0.0 {
        q.map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// The angle between unit quaternions, from 0 to π: exact for near and for opposite ones.
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

/// A chart's coordinates as a unit quaternion: [`Chart`](sinew::internal::packed::Chart).
pub(super) fn charted(u: &Vector, map: &[[f64; 4]; 4]) -> Quaternion {
    let quarter = 0.25 * dot(u, u);
    let x = [u[0], u[1], u[2], 1.0 - quarter];
    normalized(map.map(|row| dot(&row, &x)))
}

impl RotationCurve {
    /// Slerp the shorter way.
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

    /// The part from `s0` to `s1`, of which `s` runs from 0 to 1 again.
    pub(super) fn part(self, s0: f64, s1: f64) -> Self {
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
            Self::Chart { from, to, map } => Self::Chart {
                from: weighted(&from, 1.0 - s0, &to, s0),
                to: weighted(&from, 1.0 - s1, &to, s1),
                map,
            },
            Self::Cubic(cubic) => Self::Cubic(part_of_cubic(&cubic, s0, s1)),
        }
    }

    pub(super) fn at(&self, s: f64) -> Quaternion {
        match self {
            Self::Constant(q) => *q,
            Self::Slerp { from, .. } if s == 0.0 => *from,
            Self::Slerp { to, .. } if s == 1.0 => *to,
            Self::Slerp { from, to, angle } => slerp(from, to, *angle, s),
            Self::Chart { from, to, map } => charted(&weighted(from, 1.0 - s, to, s), map),
            Self::Cubic(cubic) => normalized(cubic_at(cubic, s)),
        }
    }

    /// Half of the largest angle of the rotation's turn over the piece, where it is known; what rounding of the ratio
    /// is multiplied with.
    pub(super) fn turn(&self) -> f64 {
        match self {
            Self::Constant(_) => 0.0,
            Self::Slerp { angle, .. } => *angle,
            Self::Chart { from, to, .. } => length(&weighted(to, 1.0, from, -1.0)),
            Self::Cubic(cubic) => cubic_speed(cubic, 0.0, 1.0),
        }
    }

    /// Bounds over the part from `s0` to `s1`.
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
            // The chart is a stereographic projection, conformal with the factor 1 / n, n = 1 + |u|²/4. A line in it
            // that is run through at the speed |Δ| has the speed |Δ| / n on the sphere, and from the Christoffel
            // symbols of that metric the acceleration |Δ|² |u| / (2 n²) along it.
            Self::Chart { from, to, .. } => {
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
    core::array::from_fn(|at| a[at] + s * (b[at] + s * (c[at] + s * d[at])))
}

fn cubic_slope<const N: usize>(cubic: &[[f64; N]; 4], s: f64) -> [f64; N] {
    let [_, b, c, d] = cubic;
    core::array::from_fn(|at| b[at] + s * (2.0 * c[at] + 3.0 * s * d[at]))
}

/// The largest `|q'|` from `s0` to `s1`: at the ends, and as much more as a parabola may rise between.
fn cubic_speed<const N: usize>(cubic: &[[f64; N]; 4], s0: f64, s1: f64) -> f64 {
    let ends = length(&cubic_slope(cubic, s0)).max(length(&cubic_slope(cubic, s1)));
    let width = s1 - s0;
    ends + 0.75 * width * width * length(&cubic[3])
}

/// The largest `|q''|` from `s0` to `s1`: it is linear.
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

/// The Hermite cubic from `a` to `b` with the slopes `out` and `into`.
pub(super) fn hermite<const N: usize>(
    a: [f64; N],
    out: [f64; N],
    b: [f64; N],
    into: [f64; N],
) -> [[f64; N]; 4] {
    [
        a,
        out,
        core::array::from_fn(|at| 3.0 * (b[at] - a[at]) - 2.0 * out[at] - into[at]),
        core::array::from_fn(|at| 2.0 * (a[at] - b[at]) + out[at] + into[at]),
    ]
}

/// A position or scale over a piece: coefficients of 1, s, s² and s³.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorCurve(pub(super) [Vector; 4]);

/// Bounds of a vector and its first two derivatives over a part of a piece, with the part taken as the unit of time.
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

    pub(super) fn part(self, s0: f64, s1: f64) -> Self {
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
        Self(core::array::from_fn(|at| {
            weighted(&self.0[at], 1.0, &other.0[at], -1.0)
        }))
    }

    /// Bounds over the part from `s0` to `s1`.
    pub(super) fn bounds(&self, s0: f64, s1: f64) -> VectorBounds {
        if self.0[1..] == [[0.0; 3]; 3] {
            // As most positions are.
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
    /// How much rounding in `f32` may move the joint's axes, per unit of length, and the joint itself; and what its
    /// rotation may be off by other than by rounding.
    pub(super) slack: Slack,
}

/// Value errors that no derivative is known of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slack {
    /// Of the 3x3 matrix, in the spectral norm.
    pub(super) axes: f64,
    /// In metres.
    pub(super) origin: f64,
}
