//! One file per subcommand.

pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod info;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod render;
pub(crate) mod validate;
