//! Foot and hand contacts.

use crate::skeleton::{JointIndex, Side};
use core::ops::Range;

/// The end of a limb that can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LimbEnd {
    /// The heel, by its ankle.
    Heel,
    /// The ball of a foot: the base of its toes, or its tip without toes.
    Ball,
    /// A hand, by its wrist.
    Hand,
}

/// A plant: the time span in which a heel, a ball or a hand does not move.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plant {
    /// The planted limb end.
    pub end: LimbEnd,
    /// Its side.
    pub side: Side,
    /// The planted joint: ankle, toes or wrist. For a foot without toes, its last joint.
    pub joint: JointIndex,
    /// The span in seconds, both ends included. In an animation with a [`looping`](crate::Animation::looping) it may
    /// end after the animation's length, and then continues from the beginning.
    pub span: Range<f32>,
}

impl Plant {
    /// Returns its spans within an animation of `length` seconds; two if it continues over the end of a loop.
    pub fn spans(&self, length: f32) -> impl Iterator<Item = Range<f32>> {
        let Range { start, end } = self.span;
        let rest = (start < length && length < end).then_some(0.0..end - length);
        let end = if rest.is_some() { length } else { end };
        core::iter::once(start..end).chain(rest)
    }
}
