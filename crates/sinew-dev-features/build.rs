//! Nothing: a build script makes the build-dependencies of `Cargo.toml` count.

fn main() {}
