//! The ground motion of loops.

use crate::math::{GroundTransform, Rotation64, Transform};

/// How far one cycle of a loop carries the figure over the ground.
///
/// Played over and over, the pose at time `t` of cycle `n` (both from 0) is the sampled pose at `t` moved by
/// [`placement`](Self::placement)`(n + t / length)`. Without this a loop that was put on the spot shows no
/// trace of how fast its figure walks.
///
/// The edits of `sinew-author` keep it true: `mirror` reflects it, `move_root` moves it, `trim` shortens or drops it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopMotion {
    /// From the beginning of a cycle to the beginning of the next, in the model's frame: radians
    /// counter-clockwise about +Y, and then metres along x and z.
    pub per_cycle: GroundTransform,
    /// Whether this motion was taken out of the keys, evenly over the cycle, so that the figure stays on the
    /// spot and whoever plays the loop has to move it. Otherwise the keys hold it: the last pose is the first
    /// one moved by `per_cycle`.
    pub in_place: bool,
}

/// How much of the vertical axis, or of a displacement, may be lost in a move that is said to stay on the
/// ground: the rounding of rotations in `f32`.
const LEVEL: f64 = 1e-6;

impl LoopMotion {
    /// The move over the ground of the pose that is sampled at the fraction of `cycles`, after that many
    /// cycles since the loop began: of the whole cycles, and in place also of the part of the current one.
    pub fn placement(&self, cycles: f64) -> GroundTransform {
        let held_by_keys = if self.in_place {
            0.0
        } else {
            cycles - libm::floor(cycles)
        };
        self.per_cycle.fraction(cycles - held_by_keys)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let GroundTransform { angle, x, z } = self.per_cycle;
        angle.is_finite() && x.is_finite() && z.is_finite()
    }

    /// This motion seen in a mirror across axis `axis` (0 to 2) of the model's frame, which crosses that axis
    /// at `at`: the conjugate of the move with the reflection.
    #[doc(hidden)]
    pub fn mirrored(&self, axis: usize, at: f64) -> Self {
        let reflect = |[x, z]: [f64; 2]| match axis {
            0 => [2.0 * at - x, z],
            2 => [x, 2.0 * at - z],
            _ => [x, z],
        };
        let [x, z] = reflect(self.per_cycle.apply(reflect([0.0, 0.0])));
        let angle = if axis == 1 {
            self.per_cycle.angle
        } else {
            -self.per_cycle.angle
        };
        Self {
            per_cycle: GroundTransform { angle, x, z },
            ..*self
        }
    }

    /// This motion once every pose is moved by `offset`: `offset` undone, the motion, `offset` again. `None`
    /// if that is no move over the ground, because `offset` tilts the vertical or scales x and z differently.
    #[doc(hidden)]
    pub fn moved(&self, offset: &Transform) -> Option<Self> {
        let turn = Rotation64::from_quat(offset.rotation);
        let scale = offset.scale.to_array().map(f64::from);
        let scaled = |v: [f64; 3]| [0, 1, 2].map(|axis| v[axis] * scale[axis]);
        let GroundTransform { angle, x, z } = self.per_cycle;
        if libm::sin(0.5 * angle).abs() < LEVEL {
            // Whole turns are undone by any offset; what is left is a displacement.
            let [x, y, z] = turn.rotate(scaled([x, 0.0, z]));
            let is_level = y.abs() <= LEVEL * (x.abs() + z.abs()).max(LEVEL);
            return is_level.then_some(Self {
                per_cycle: GroundTransform { angle, x, z },
                ..*self
            });
        }
        let up = turn.rotate([0.0, 1.0, 0.0])[1];
        let is_even = (scale[0] - scale[2]).abs() <= LEVEL * scale[0].abs() && scale[0] != 0.0;
        if up.abs() < 1.0 - LEVEL || !is_even {
            return None;
        }
        let origin = offset.position.to_array().map(f64::from);
        let inverse = turn.inverse().rotate(origin.map(|number| -number));
        let [x, z] = self
            .per_cycle
            .apply([inverse[0] / scale[0], inverse[2] / scale[2]]);
        let [x, _, z] = turn.rotate(scaled([x, inverse[1] / scale[1], z]));
        // Upside down, what turned to the left turns to the right.
        let angle = if up > 0.0 { angle } else { -angle };
        let moved = Self {
            per_cycle: GroundTransform {
                angle,
                x: x + origin[0],
                z: z + origin[2],
            },
            ..*self
        };
        moved.is_finite().then_some(moved)
    }

    /// The motion of a part of the cycle that is `share` of its length. In place the motion is even, so a part
    /// has its share; otherwise the keys hold it, and a part is no loop: `None`.
    #[doc(hidden)]
    pub fn part(&self, share: f64) -> Option<Self> {
        if (share - 1.0).abs() < LEVEL {
            return Some(*self);
        }
        self.in_place.then(|| Self {
            per_cycle: self.per_cycle.fraction(share),
            in_place: true,
        })
    }
}
