//! The root motion of loops.

use crate::math::{GroundTransform, Transform, dquat_from_quat, dquat_rotate};
use glam::DVec3;

/// The ground motion of a character per cycle of a loop.
///
/// In playback, the pose at time `t` of cycle `n` (both from 0) is the sampled pose at `t` transformed by
/// [`placement`](Self::placement)`(n + t / length)`. It keeps the speed of a loop that was made in-place.
///
/// The edits of `sinew-author` update it: `mirror` reflects it, `move_root` transforms it, `trim` shortens or drops
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopMotion {
    /// From the beginning of a cycle to that of the next, in model space: radians counter-clockwise about +Y, then
    /// metres along x and z.
    pub per_cycle: GroundTransform,
    /// Whether this motion was removed from the keys, evenly over the cycle, so that the player has to move the
    /// character. Otherwise the keys contain it: the last pose is the first one transformed by `per_cycle`.
    pub in_place: bool,
}

/// The tolerance for a transform to count as a ground transform, as a share of the vertical axis or of a
/// displacement: the rounding of rotations in `f32`.
const LEVEL: f64 = 1e-6;

impl LoopMotion {
    /// Returns the ground transform, `cycles` after the loop began, of the pose sampled at the fraction of `cycles`:
    /// of the whole cycles, and if in-place also of the current one.
    pub fn placement(&self, cycles: f64) -> GroundTransform {
        let held_by_keys = if self.in_place {
            0.0
        } else {
            cycles - libm::floor(cycles)
        };
        self.per_cycle.fraction(cycles - held_by_keys)
    }

    /// Returns whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let GroundTransform { angle, x, z } = self.per_cycle;
        angle.is_finite() && x.is_finite() && z.is_finite()
    }

    /// Returns this motion mirrored across axis `axis` (0 to 2) in model space; the mirror plane crosses the axis at
    /// `plane`. It is the conjugate of the transform with the reflection.
    #[doc(hidden)]
    pub fn mirrored(&self, axis: usize, plane: f64) -> Self {
        let reflect = |[x, z]: [f64; 2]| match axis {
            0 => [2.0 * plane - x, z],
            2 => [x, 2.0 * plane - z],
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

    /// Returns this motion if every pose is transformed by `offset`: the conjugate with `offset`. `None` if that is
    /// not a ground transform, because `offset` tilts the vertical or scales x and z differently.
    #[doc(hidden)]
    pub fn moved(&self, offset: &Transform) -> Option<Self> {
        let rotation = dquat_from_quat(offset.rotation);
        let scale = offset.scale.as_dvec3();
        let GroundTransform { angle, x, z } = self.per_cycle;
        if libm::sin(0.5 * angle).abs() < LEVEL {
            // Whole turns commute with any offset; a displacement is left.
            let DVec3 { x, y, z } = dquat_rotate(rotation, DVec3::new(x, 0.0, z) * scale);
            let is_level = y.abs() <= LEVEL * (x.abs() + z.abs()).max(LEVEL);
            return is_level.then_some(Self {
                per_cycle: GroundTransform { angle, x, z },
                ..*self
            });
        }
        let up = dquat_rotate(rotation, DVec3::Y).y;
        let is_even = (scale.x - scale.z).abs() <= LEVEL * scale.x.abs() && scale.x != 0.0;
        if up.abs() < 1.0 - LEVEL || !is_even {
            return None;
        }
        // The model's origin in the frame that the offset maps from.
        let position = offset.position.as_dvec3();
        let origin = dquat_rotate(rotation.conjugate(), -position) / scale;
        let [x, z] = self.per_cycle.apply([origin.x, origin.z]);
        let moved_origin = DVec3::new(x, origin.y, z) * scale;
        let translation = dquat_rotate(rotation, moved_origin) + position;
        // Upside down, left turns become right turns.
        let angle = if up > 0.0 { angle } else { -angle };
        let moved = Self {
            per_cycle: GroundTransform {
                angle,
                x: translation.x,
                z: translation.z,
            },
            ..*self
        };
        moved.is_finite().then_some(moved)
    }

    /// Returns the motion of a part of the cycle of relative length `share`. In-place motion is even, so a part has
    /// its share; otherwise the keys contain it, a part is not a loop, and the result is `None`.
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
