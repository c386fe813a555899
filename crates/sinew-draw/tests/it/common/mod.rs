//! Shared by several test modules.

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod golden;
pub(crate) mod stage_case;
pub(crate) mod svg;
pub(crate) mod walker;
pub(crate) mod weights;
