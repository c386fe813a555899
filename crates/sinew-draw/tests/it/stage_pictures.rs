//! Pictures of figures on a stage of plots and of charts, byte for byte as when somebody last looked at them.
//!
//! Cases are in `stage/`; how pairs of files work is told in `common/golden.rs`.

use crate::common::golden;
use crate::common::stage_case;
use stage_case::Case;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("stage")
}

#[test]
fn every_picture_is_as_expected() {
    golden::assert_as_expected(&folder(), |path| Ok(Case::read(path)?.draw()));
}

#[test]
fn expected_pictures_are_small_enough_to_keep() {
    golden::assert_small(&folder());
}
