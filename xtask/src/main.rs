//! Chores of the project. Without arguments it lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for its developers"
)]

mod api;
mod builds;
mod gltf_validator;
mod lines;
mod modules;
mod rust_source;
mod targets;
mod web;
mod web_sources;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use targets::Options;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: cargo xtask samples           make the files in samples/ anew
       cargo xtask samples --check   fail if they differ from what the generator makes
       cargo xtask gltf-validate     have the Khronos validator look at what we write, given Node
       cargo xtask toolchain         fail unless the compiler is the stated minimum version
       cargo xtask features          fail if packages want different features of a dependency
       cargo xtask api               list the public API of every published library in docs/api
       cargo xtask api --check       fail if the listing differs
       cargo xtask modules           fail if top-level modules of a crate depend on each other in a cycle
       cargo xtask lines [folder]    count lines of every crate, here or in another checkout of the project
       cargo xtask web               build the npm package and the viewer page; needs Node and npm
       cargo xtask web --check       fail if the committed page differs from what is built
       cargo xtask no-std            build without std, for a microcontroller
       cargo xtask wasm              compare hashes of poses in WebAssembly, under Node
       cargo xtask aarch64           compare hashes of poses on aarch64, emulated
                                     these three take --release and --debian (Debian's compiler)
       cargo xtask ci                run what .ci/run runs";

fn main() -> ExitCode {
    if api::is_rustdoc() {
        return api::rustdoc();
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["samples"] => samples(false),
        ["samples", "--check"] => samples(true),
        ["gltf-validate"] => gltf_validator::run(),
        ["toolchain"] => builds::toolchain(),
        ["features"] => builds::features(),
        ["api"] => api::run(false),
        ["api", "--check"] => api::run(true),
        ["modules"] => modules::run(),
        ["lines"] => lines::run(&root()),
        ["lines", folder] => lines::run(Path::new(folder)),
        ["no-std", options @ ..] => Options::parse(options).and_then(targets::no_std),
        ["wasm", options @ ..] => Options::parse(options).and_then(targets::wasm),
        ["aarch64", options @ ..] => Options::parse(options).and_then(targets::aarch64),
        ["web"] => web::run(false),
        ["web", "--check"] => web::run(true),
        ["ci"] => ci(),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of all builds.
fn target_folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(folder)
}

/// Makes the sample files, or checks that they are as the generator makes them.
fn samples(check: bool) -> Result<()> {
    let pip = sinew_samples_generator::pip();
    let mut pictures = Vec::new();
    for atlas in &pip.atlases {
        pictures.push(sinew_draw::encode_png(atlas)?);
    }
    let made = sinew_formats::skf::write_bytes(&pip.data, &pictures)?;
    let mut files = vec![("pip.skf".to_owned(), made)];
    files.extend(sinew_samples_generator::motion::files()?);
    for (name, made) in files {
        let path = root().join("samples").join(&name);
        if !check {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, &made)?;
            println!("samples/{name}: {} bytes", made.len());
        } else if std::fs::read(&path).map_err(|error| format!("samples/{name}: {error}"))? != made
        {
            return Err(format!(
                "samples/{name} differs from what the generator makes; run `cargo xtask samples`"
            )
            .into());
        }
    }
    Ok(())
}

fn ci() -> Result<()> {
    let status = Command::new("bash")
        .arg(".ci/run")
        .current_dir(root())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(".ci/run: {status}").into())
    }
}
