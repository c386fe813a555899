//! The keyframe codec: keys on Catmull-Rom curves, with 48-bit rotations.
//!
//! ```text
//! Skeleton + Animation ─fit─▶ KeyedAnimation ─sample─▶ Pose
//!                              │        ▲
//!                              └─ bytes ┘
//! ```
//!
//! [`fit`] keeps the frames of a motion that a smooth curve through them needs, and no more, so that no point of the figure
//! exceeds an error that the caller gives. A key is a frame number and the joint's rotation in 48 bits
//! ([`Quat48`](sinew::packed::keyframes::Quat48)), or its position or scale in 16 bits per number. Curves are Catmull-Rom splines
//! whose knots are the keys' times (Barry and Goldman, A Recursive Evaluation Algorithm for a Class of Catmull-Rom Splines,
//! SIGGRAPH 1988).
//!
//! `source` samples the animation, `reduce` finds the error that removing each frame would cause, `tolerance` searches the keys.

mod fit;
mod reduce;
mod source;
mod tolerance;

pub use fit::{FitError, FitSettings, fit};
