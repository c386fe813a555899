//! Keys on Catmull-Rom curves, with rotations in 48 bits: the keyframe codec.
//!
//! What is kept is a frame's number and the joint's rotation in 48 bits ([`Quat48`]), or its position or scale in 16 bits
//! per number. Curves are Catmull-Rom splines whose knots are the keys' times (Barry and Goldman, "A recursive evaluation
//! algorithm for a class of Catmull-Rom splines", 1988). `sinew-author` fits them.

pub(crate) mod bytes;
pub(crate) mod curve;
pub(crate) mod keyed;
pub(crate) mod quat48;

pub use bytes::KeyedBytesError;
pub use keyed::KeyedAnimation;
pub use quat48::Quat48;

/// Most frames of an animation: key times are 16-bit numbers.
pub const MAX_FRAMES: usize = 65_536;
