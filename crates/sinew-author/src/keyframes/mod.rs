//! Keys on Catmull-Rom curves, with rotations in 48 bits.
//!
//! ```text
//! Skeleton + Animation ─fit─▶ KeyedAnimation ─sample─▶ Pose
//!                              │        ▲
//!                              └─ bytes ┘
//! ```
//!
//! [`fit`] keeps the frames of a motion that a smooth curve through them needs, and no more, so that no
//! point of the figure is further off than a distance that the caller gives. What is kept is a frame's
//! number and the joint's rotation in 48 bits ([`Quat48`](sinew::packed::keyframes::Quat48)), or its position or scale in 16 bits per
//! number. Curves are Catmull-Rom splines whose knots are the keys' times (Barry and Goldman, "A
//! recursive evaluation algorithm for a class of Catmull-Rom splines", 1988).

mod fit;
mod reduce;
mod source;
mod tolerance;

pub use fit::{FitError, FitSettings, fit};
