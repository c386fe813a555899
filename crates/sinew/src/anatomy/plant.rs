//! Foot and hand contacts.

use crate::skeleton::{JointIndex, Side};
use core::ops::Range;

/// What stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LimbEnd {
    /// The heel, by its ankle.
    Heel,
    /// The ball of a foot: where its toes begin, or its tip where it has none.
    Ball,
    /// A hand, by its wrist.
    Hand,
}

/// From when to when a heel, a ball or a hand stands still.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plant {
    /// What stands.
    pub end: LimbEnd,
    /// On which side.
    pub side: Side,
    /// The joint that stands: ankle, toes or wrist; the foot's where it has no toes and stands on its tip.
    pub joint: JointIndex,
    /// From when to when, in seconds; the first and the last moment belong to it. In an animation with a
    /// [`looping`](crate::Animation::looping) it may end after the animation's length, and then continues from the beginning.
    pub span: Range<f32>,
}

impl Plant {
    /// Its span within an animation of `length` seconds; two where it continues from the end of a loop at its
    /// beginning.
    pub fn spans(&self, length: f32) -> impl Iterator<Item = Range<f32>> {
        let Range { start, end } = self.span;
        let rest = (start < length && length < end).then_some(0.0..end - length);
        let end = if rest.is_some() { length } else { end };
        core::iter::once(start..end).chain(rest)
    }
}
