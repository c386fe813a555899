//! Packed animations as bytes: what [`PackedAnimation::from_bytes`](sinew::PackedAnimation::from_bytes) reads.
//!
//! The layout is defined by the readers in `sinew`: `packed/bytes.rs`, `packed/plain.rs` and
//! `packed/keyframes/bytes.rs`. Only offline tools write packed animations, so a game does not link the writers.
//! `sinew-formats` puts the bytes into a `.sinew` file.

mod bytes;
pub mod keyframes;
mod plain;

pub use bytes::{byte_len, to_bytes};

pub(crate) use bytes::joint_len;
pub(crate) use plain::{joint_len as plain_joint_len, plain};
