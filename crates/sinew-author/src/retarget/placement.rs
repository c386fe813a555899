//! Placements on the ground, and the cycles of a loop one after another.
//!
//! Corrections of feet fade and are smoothed over neighbouring frames. At the seam of a loop these are frames of the cycle before
//! and of the cycle after, moved by the travel of a cycle, `G`:
//!
//! ```text
//! frame      … L-1    0  1  …  L-1  L    1  2 …      L: the last frame, which is G · frame 0
//! moved by     G⁻¹    -  -  …   -   -    G  G …
//! ```
//!
//! so a loop is extended by [`MARGIN`] to both sides, and corrected as a motion that does not repeat.

use super::points::POINT_COUNT;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use sinew::internal::LimbFrame;
use sinew::math::{GroundTransform, dquat_rotate, rotation_y};

/// Seconds by which a loop is extended: more than a fade and the smoothing of the hips together.
const MARGIN: f64 = 1.0;

/// A rotation about the vertical axis and a shift along the ground, in the target's space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub(super) rotation: DQuat,
    pub(super) offset: DVec3,
}

impl Placement {
    /// The ground transform of the source, for points that are scaled and then shifted by `origin`.
    pub(super) fn new(ground: &GroundTransform, scale: f64, origin: DVec3) -> Self {
        let rotation = rotation_y(ground.angle);
        let travel = DVec3::new(ground.x, 0.0, ground.z) * scale;
        let origin = DVec3::new(origin.x, 0.0, origin.z);
        Self {
            rotation,
            offset: travel + origin - dquat_rotate(rotation, origin),
        }
    }

    pub(super) fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self {
            rotation,
            offset: -dquat_rotate(rotation, self.offset),
        }
    }

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        dquat_rotate(self.rotation, point) + self.offset
    }

    pub(super) fn limb(&self, frame: &LimbFrame) -> LimbFrame {
        LimbFrame {
            upper: self.point(frame.upper),
            middle: self.point(frame.middle),
            end: self.point(frame.end),
            ball: self.point(frame.ball),
            rotations: frame.rotations.map(|rotation| self.rotation * rotation),
            parent_rotations: frame.parent_rotations.map(|r| self.rotation * r),
        }
    }
}

/// The frames of a motion, extended at both ends if it is a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtendedFrames {
    /// The number of frames of the motion.
    count: usize,
    /// The frames that are added at each end.
    margin: usize,
    /// The travel of a cycle and its inverse; `None` if the motion is not a loop.
    cycle: Option<[Placement; 2]>,
}

impl ExtendedFrames {
    /// `cycle` is the travel of the target in a cycle of a loop.
    pub(super) fn new(count: usize, rate: f64, cycle: Option<Placement>) -> Self {
        let last = count.saturating_sub(1);
        // A loop of one frame has no neighbours.
        let cycle = cycle.filter(|_| last > 0);
        Self {
            count,
            margin: cycle.map_or(0, |_| ((MARGIN * rate) as usize).clamp(1, last)),
            cycle: cycle.map(|cycle| [cycle, cycle.inverse()]),
        }
    }

    /// The number of frames, extended.
    pub(super) fn len(&self) -> usize {
        self.count + 2 * self.margin
    }

    /// The last frame of the motion, and so the frames in a cycle.
    pub(super) fn last(&self) -> usize {
        self.count.saturating_sub(1)
    }

    /// Whether the motion is a loop.
    pub(super) fn is_loop(&self) -> bool {
        self.cycle.is_some()
    }

    /// The placement of the cycle before (-1), of the cycle after (1); `None` for the motion itself.
    pub(super) fn placement(&self, cycle: isize) -> Option<&Placement> {
        let [forward, back] = self.cycle.as_ref()?;
        match cycle {
            0 => None,
            1.. => Some(forward),
            _ => Some(back),
        }
    }

    /// The frame of the motion and the cycle of an extended frame.
    pub(super) fn source(&self, index: usize) -> (usize, isize) {
        let last = self.last();
        if index < self.margin {
            // `margin` is at most `last`.
            (last - (self.margin - index), -1)
        } else if index - self.margin > last {
            (index - self.margin - last, 1)
        } else {
            (index - self.margin, 0)
        }
    }

    /// The extended frames of a range of frames of the motion, `cycle` cycles later, as far as they exist. The range may go past
    /// the last frame.
    pub(super) fn range(&self, start: usize, end: usize, cycle: isize) -> core::ops::Range<usize> {
        let place = |frame: usize| {
            let frame = (frame + self.margin) as isize + cycle * self.last() as isize;
            frame.clamp(0, self.len() as isize) as usize
        };
        place(start)..place(end + 1)
    }

    /// A limb at all extended frames.
    pub(super) fn limbs<'a>(&self, limbs: &'a [LimbFrame]) -> Cow<'a, [LimbFrame]> {
        if !self.is_loop() {
            return Cow::Borrowed(limbs);
        }
        let extended = (0..self.len()).filter_map(|index| {
            let (frame, cycle) = self.source(index);
            let limb = limbs.get(frame)?;
            Some(match self.placement(cycle) {
                Some(placement) => placement.limb(limb),
                None => *limb,
            })
        });
        Cow::Owned(extended.collect())
    }

    /// Points at an extended frame.
    pub(super) fn points(
        &self,
        points: &[[DVec3; POINT_COUNT]],
        index: usize,
    ) -> [DVec3; POINT_COUNT] {
        let (frame, cycle) = self.source(index);
        let Some(points) = points.get(frame) else {
            return [DVec3::ZERO; POINT_COUNT];
        };
        match self.placement(cycle) {
            Some(placement) => points.map(|point| placement.point(point)),
            None => *points,
        }
    }

    /// Takes the values of the motion itself.
    pub(super) fn cut<T: Copy>(&self, extended: &[T]) -> Vec<T> {
        let own = extended.get(self.margin..self.margin + self.count);
        own.unwrap_or_default().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_other_cycles_are_moved_by_the_travel() {
        let ground = GroundTransform {
            angle: 0.5,
            x: 1.0,
            z: 2.0,
        };
        let cycle = Placement::new(&ground, 2.0, DVec3::ZERO);
        let frames = ExtendedFrames::new(11, 4.0, Some(cycle));
        assert_eq!(frames.len(), 11 + 2 * 4);
        let sources: Vec<_> = (0..frames.len())
            .map(|index| frames.source(index))
            .collect();
        assert_eq!(sources[..5], [(6, -1), (7, -1), (8, -1), (9, -1), (0, 0)]);
        assert_eq!(sources[13..16], [(9, 0), (10, 0), (1, 1)]);
        assert_eq!(frames.range(9, 12, 0), 13..17);
        assert_eq!(frames.range(9, 12, -1), 3..7);
        assert_eq!(frames.range(9, 12, 1), 19..19);
        let points: Vec<_> = (0..11)
            .map(|frame| [DVec3::new(f64::from(frame), 0.0, 0.0); POINT_COUNT])
            .collect();
        let moved = frames.points(&points, 15)[0];
        assert!((moved - cycle.point(DVec3::X)).length() < 1e-12);
        let back = frames.points(&points, 0)[0];
        assert!((cycle.point(back) - points[6][0]).length() < 1e-12);
    }

    #[test]
    fn a_motion_that_does_not_repeat_is_not_extended() {
        let frames = ExtendedFrames::new(11, 4.0, None);
        assert_eq!((frames.len(), frames.source(10)), (11, (10, 0)));
        assert_eq!(frames.range(4, 30, 0), 4..11);
        assert!(frames.cut(&[1, 2, 3]).is_empty());
    }
}
