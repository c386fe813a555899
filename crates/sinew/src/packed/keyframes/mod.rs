//! The keyframe codec: keys on Catmull-Rom curves, with 48-bit rotations.
//!
//! A key is a frame number and the joint's rotation in 48 bits ([`Quat48`]), or its position or scale quantized to 16
//! bits per number. Curves are Catmull-Rom splines whose knots are the key times (Barry and Goldman, "A recursive
//! evaluation algorithm for a class of Catmull-Rom splines", 1988). `sinew-author` fits them.

pub(crate) mod bytes;
pub(crate) mod curve;
pub(crate) mod keyed;
pub(crate) mod quat48;

pub use bytes::KeyedBytesError;
pub use keyed::KeyedAnimation;
pub use quat48::Quat48;

/// The maximum number of frames: key times are 16-bit integers.
pub const MAX_FRAMES: usize = 65_536;
