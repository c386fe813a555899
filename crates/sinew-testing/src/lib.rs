//! What the tests of several crates share: small characters and rigs, an exact reference in `f64` for packed animations,
//! an allocator that counts, the folder of real files.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::should_implement_trait,
    reason = "tests stop at the first surprise"
)]

pub mod characters;
pub mod control;
pub mod corpus;
pub mod counting;
pub mod exact;
pub mod feet;
pub mod ground;
pub mod motion;
pub mod packed;
pub mod variants;
pub mod wrap;
