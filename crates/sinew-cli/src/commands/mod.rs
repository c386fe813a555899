//! One file per subcommand.

pub(crate) mod demo;
pub(crate) mod info;
pub(crate) mod render;
pub(crate) mod validate;
