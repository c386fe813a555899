//! Pictures of figures on a stage of plots and of charts, byte for byte as when somebody last looked at them.
//!
//! Cases are in `stage/`; how pairs of files work is told in `common/golden.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests stop at the first surprise"
)]

#[path = "common/compare.rs"]
mod compare;
#[path = "common/golden.rs"]
mod golden;
#[path = "common/stage_case.rs"]
mod stage_case;
#[path = "common/walker.rs"]
mod walker;
#[path = "common/weights.rs"]
mod weights;

use stage_case::Case;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stage")
}

#[test]
fn every_picture_is_as_expected() {
    golden::assert_as_expected(&folder(), |path| Ok(Case::read(path)?.draw()));
}

#[test]
fn expected_pictures_are_small_enough_to_keep() {
    golden::assert_small(&folder());
}
