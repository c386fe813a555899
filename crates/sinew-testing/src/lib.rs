//! What the tests of several crates share: small characters and rigs, an exact reference in `f64` for packed animations,
//! an allocator that counts.
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
pub mod counting;
pub mod exact;
pub mod feet;
pub mod ground;
pub mod motion;
pub mod packed;
pub mod variants;
pub mod wrap;

/// The examples of README.md, of the pages in `docs` and of the crates' README files. They run in this crate's folder.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../sinew/README.md")]
    mod sinew_readme {}
    #[doc = include_str!("../../sinew-author/README.md")]
    mod sinew_author_readme {}
    #[doc = include_str!("../../sinew-formats/README.md")]
    mod sinew_formats_readme {}
    #[doc = include_str!("../../../docs/characters-2d.md")]
    mod characters_2d {}
    #[doc = include_str!("../../../docs/compression.md")]
    mod compression {}
    #[doc = include_str!("../../../docs/controller.md")]
    mod controller {}
    #[doc = include_str!("../../../docs/cookbook.md")]
    mod cookbook {}
    #[doc = include_str!("../../../docs/determinism.md")]
    mod determinism {}
    #[doc = include_str!("../../../docs/formats.md")]
    mod formats {}
    #[doc = include_str!("../../../docs/mocap.md")]
    mod mocap {}
    #[doc = include_str!("../../../docs/performance.md")]
    mod performance {}
    #[doc = include_str!("../../../docs/registration-and-blending.md")]
    mod registration_and_blending {}
}
