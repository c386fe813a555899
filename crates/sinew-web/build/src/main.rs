//! Builds the WebAssembly modules of the npm package and their JavaScript: `sinew-web-build OUT [--scalar]`, in this
//! workspace.
//!
//! Three builds, whose JavaScript is the same: all readers, 2D only, 3D only. With `--scalar` also all readers without
//! SIMD, in `OUT/test`: tests compare its poses with the others. Paths are remapped, versions are pinned by
//! the lock files, so that the same sources give the same bytes.

use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// File name, features and target features of each build.
const BUILDS: [(&str, &str, &str); 4] = [
    ("sinew", "all", SIMD),
    ("sinew_2d", "two", SIMD),
    ("sinew_3d", "three", SIMD),
    ("test/sinew_scalar", "all", SCALAR),
];

const SIMD: &str = "-Ctarget-feature=+simd128";
const SCALAR: &str = "-Ctarget-feature=-simd128";

/// What the modules may use: everything that browsers have had since 2023.
const WASM_OPT: [&str; 10] = [
    "-O3",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-debug",
    "--strip-producers",
];

fn main() -> Result<()> {
    let out = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let with_scalar = std::env::args_os().any(|argument| argument == "--scalar");
    std::fs::create_dir_all(out.join("test"))?;
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or("no folder")?;
    let root = crate_folder.ancestors().nth(2).ok_or("no root")?;
    let mut script: Option<String> = None;
    for (name, feature, target_feature) in BUILDS {
        if target_feature == SCALAR && !with_scalar {
            continue;
        }
        let built = compile(crate_folder, root, feature, target_feature)?;
        let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
        bindgen
            .web(true)?
            .typescript(true)
            .omit_default_module_path(true)
            .reset_state_function(true);
        bindgen
            .remove_name_section(true)
            .remove_producers_section(true)
            .out_name("sinew");
        let module = std::fs::read(built)?;
        let mut output = bindgen.input_bytes("sinew", module).generate_output()?;
        let wasm = output.wasm_mut().emit_wasm();
        match &script {
            None => {
                std::fs::write(out.join("sinew.js"), output.js())?;
                std::fs::write(out.join("sinew.d.ts"), output.ts().ok_or("no types")?)?;
                script = Some(output.js().to_owned());
            }
            Some(script) => check_imports(script, output.js())?,
        }
        let path = out.join(format!("{name}_bg.wasm"));
        std::fs::write(&path, wasm)?;
        optimize(root, &path)?;
    }
    Ok(())
}

/// Compiles the library with one set of features; returns the module.
fn compile(folder: &Path, root: &Path, feature: &str, target_feature: &str) -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    // The messages and places of panics, which become traps, are an eighth of the module: the standard library is built
    // without them.
    let flags = [
        target_feature,
        "-Zunstable-options",
        "-Cpanic=immediate-abort",
        "-Zlocation-detail=none",
        // What runs every frame is inlined by attributes, in the code itself. Whatever else the compiler inlines at
        // `opt-level = 3` makes the modules 7 % larger.
        "-Cllvm-args=-inline-threshold=10",
    ];
    let mut flags: Vec<String> = flags.map(str::to_owned).to_vec();
    let sysroot = Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir(folder)
        .output()?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let sources = fixed_path(root)?;
    for (from, to) in [
        (Some(root.to_owned()), "/sinew"),
        (Some(sources.clone()), "/sinew"),
        (home, "/cargo"),
        (Some(sysroot), "/rust"),
    ] {
        if let Some(from) = from {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        }
    }
    let status = Command::new(env!("CARGO"))
        .current_dir(folder)
        .args(["build", "--locked", "--release"])
        .arg("--manifest-path")
        .arg(sources.join("crates/sinew-web/Cargo.toml"))
        .args(["--target", "wasm32-unknown-unknown"])
        .args([
            "--no-default-features",
            "--features",
            feature,
            "--target-dir",
        ])
        .arg(folder.join("target/wasm"))
        .args([
            "-Zbuild-std=std,panic_abort",
            "-Zbuild-std-features=optimize_for_size",
        ])
        // The pinned compiler is a stable one.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env_remove("RUSTFLAGS")
        .env("CARGO_INCREMENTAL", "0")
        .status()?;
    if !status.success() {
        return Err("the build failed".into());
    }
    Ok(folder.join("target/wasm/wasm32-unknown-unknown/release/sinew_web.wasm"))
}

/// Returns a path of the repository that is the same for every checkout: a symbolic link. The paths of packages outside
/// their workspace are part of the hashes in symbol names, which decide on the order of functions.
fn fixed_path(root: &Path) -> Result<PathBuf> {
    let link = std::env::temp_dir().join("sinew-web-sources");
    // It may point to another checkout, or not exist.
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(root, &link)
        .map_err(|error| format!("{}: {error}", link.display()))?;
    Ok(link)
}

/// Fails if the script of the first build lacks something that another build imports.
fn check_imports(script: &str, other: &str) -> Result<()> {
    let imports = |script: &str| -> Vec<String> {
        let lines = script.lines().map(str::trim);
        let lines =
            lines.filter(|line| line.starts_with("__wbg") || line.starts_with("__wbindgen"));
        lines
            .map(|line| line.split(['(', ':']).next().unwrap_or(line).to_owned())
            .collect()
    };
    let has = imports(script);
    for import in imports(other) {
        if !has.contains(&import) {
            return Err(format!("the builds differ: one imports {import}").into());
        }
    }
    Ok(())
}

/// Optimizes a module in place with the pinned version of binaryen.
fn optimize(root: &Path, path: &Path) -> Result<()> {
    let tool = root.join("web/node_modules/binaryen/bin/wasm-opt");
    let status = Command::new("node")
        .arg(tool)
        .arg(path)
        .arg("-o")
        .arg(path)
        .args(WASM_OPT)
        .status()?;
    if !status.success() {
        return Err("wasm-opt failed".into());
    }
    Ok(())
}
