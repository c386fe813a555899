//! The npm package and the viewer page: built by the workspace of `crates/sinew-web` and by the scripts of `web/`.

use crate::{Result, root, web_sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is built and committed.
const BUILT: &str = "crates/sinew-viewer/dist";

/// Builds the WebAssembly modules, the npm package and the viewer page. With `check`, fails if the committed page
/// differs from the built one, and puts the committed one back.
pub(crate) fn run(check: bool) -> Result<()> {
    if check {
        web_sources::check(&root())?;
    }
    let committed = read_all(&root().join(BUILT))?;
    let web = root().join("web");
    step(Command::new("npm").arg("ci").current_dir(&web))?;
    // The sources of the standard library: it is built for size.
    step(Command::new("rustup").args(["component", "add", "rust-src"]))?;
    step(Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"]))?;
    let mut build = Command::new(env!("CARGO"));
    build.args([
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "sinew-web-build",
        "--",
    ]);
    build.arg(std::path::absolute(web.join("wasm"))?);
    if check {
        // For the tests in the browser, which compare its poses with the native ones.
        build.arg("--scalar");
    }
    step(build.current_dir(root().join("crates/sinew-web")))?;
    step(Command::new("node").arg("build.mjs").current_dir(&web))?;
    let tools = tools(&root())?;
    let tools: Vec<(&str, &str)> = tools
        .iter()
        .map(|(name, version)| (*name, &**version))
        .collect();
    web_sources::write(&root(), &tools)?;
    if !check {
        return Ok(());
    }
    let built = read_all(&root().join(BUILT))?;
    let names: Vec<&PathBuf> = committed.keys().chain(built.keys()).collect();
    let differs = |name: &&&PathBuf| committed.get(**name) != built.get(**name);
    if let Some(name) = names.iter().find(differs) {
        let name = name.display();
        for (path, bytes) in &committed {
            std::fs::write(root().join(BUILT).join(path), bytes)?;
        }
        return Err(
            format!("{BUILT}/{name} is not what its sources give; run `cargo xtask web`").into(),
        );
    }
    println!("{BUILT}: {} files are what their sources give", built.len());
    Ok(())
}

/// Returns the names and versions of the tools that decide on the bytes of the page. Node runs some of them, and is not
/// one.
fn tools(root: &Path) -> Result<Vec<(&'static str, String)>> {
    let rustc = Command::new("rustc").arg("--version").output()?;
    let mut tools = vec![(
        "compiler",
        String::from_utf8(rustc.stdout)?.trim().to_owned(),
    )];
    let lock = std::fs::read_to_string(root.join("crates/sinew-web/Cargo.lock"))?;
    let package = "name = \"wasm-bindgen-cli-support\"\nversion = \"";
    tools.push(("wasm-bindgen", text_after(&lock, package)?));
    for name in ["binaryen", "esbuild", "@gfx/zopfli"] {
        let manifest = root
            .join("web/node_modules")
            .join(name)
            .join("package.json");
        let manifest = std::fs::read_to_string(manifest)?;
        tools.push((name, text_after(&manifest, "\"version\": \"")?));
    }
    Ok(tools)
}

/// Returns the text between `start` and the next quote.
fn text_after(text: &str, start: &str) -> Result<String> {
    let rest = text.split_once(start).map(|(_, rest)| rest);
    let version = rest.and_then(|rest| rest.split('"').next());
    Ok(version
        .ok_or_else(|| format!("{start} is missing"))?
        .to_owned())
}

/// Runs a command; fails if it does.
fn step(command: &mut Command) -> Result<()> {
    // The compiler of this program must not decide which one builds the rest.
    let status = command
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed").into())
    }
}

/// Reads the files of a folder; none if it does not exist.
fn read_all(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(files);
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_file() {
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            files.insert(name, std::fs::read(&path)?);
        }
    }
    Ok(files)
}
