//! Builds for other targets: no `std`, WebAssembly under Node, aarch64 under emulation.
//!
//! A target that rustup has is used as it is, and one that it can install is installed. Where rustup cannot (a machine
//! without access to its servers), Debian's compiler for browsers serves: its package of sources builds the standard
//! library once into `target/portable`.

use crate::{Result, root, target_folder};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Most of the code is not optimized: compiling takes longer than running.
const PROFILE: [(&str, &str); 2] = [
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
];

/// The kernels are optimized where they run: emulated without, they take minutes.
const KERNELS: [&str; 3] = ["sinew", "libm", "sinew-determinism"];

/// The packages of Debian's compiler for browsers, and where it is.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library/std";

/// How to build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Optimize as for a release.
    release: bool,
    /// Use Debian's compiler even if rustup has the target.
    debian: bool,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        for argument in arguments {
            match *argument {
                "--release" => options.release = true,
                "--debian" => options.debian = true,
                _ => return Err(format!("unknown option {argument}").into()),
            }
        }
        Ok(options)
    }
}

/// Builds a program without `std` for a microcontroller, on which there is none.
pub(crate) fn no_std(options: Options) -> Result<()> {
    let target = "thumbv7em-none-eabihf";
    let Some(toolchain) = Toolchain::find(target, &["core", "alloc"], options)? else {
        return Ok(());
    };
    let mut cargo = toolchain.cargo("build", options, "");
    run(cargo.args(["--package", "sinew-no-std"]))?;
    println!("sinew builds without std for {target}");
    Ok(())
}

/// Compares the hashes in WebAssembly under Node, without and with SIMD.
pub(crate) fn wasm(options: Options) -> Result<()> {
    let target = "wasm32-unknown-unknown";
    let Some(toolchain) = Toolchain::find(target, &["std", "panic_abort"], options)? else {
        return Ok(());
    };
    if !available(&[("node", "nodejs")])? {
        return Ok(());
    }
    for (name, flags) in [("scalar", ""), ("simd128", "-C target-feature=+simd128")] {
        println!("{target}, {name}:");
        let mut cargo = toolchain.cargo("rustc", options, flags);
        cargo.args(optimized_kernels());
        cargo.args(["--package", "sinew-determinism"]);
        run(cargo.args(["--lib", "--crate-type", "cdylib"]))?;
        let module = toolchain.built(options, "sinew_determinism.wasm");
        let script = root().join("crates/sinew-determinism/run.mjs");
        run(Command::new("node").arg(script).arg(module))?;
    }
    Ok(())
}

/// Compares the hashes on aarch64, emulated on other machines.
pub(crate) fn aarch64(options: Options) -> Result<()> {
    let target = "aarch64-unknown-linux-gnu";
    let Some(toolchain) = Toolchain::find(target, &["std", "panic_abort"], options)? else {
        return Ok(());
    };
    let is_native = cfg!(target_arch = "aarch64");
    let programs = [
        (
            "aarch64-linux-gnu-gcc",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        ),
        ("qemu-aarch64-static", "qemu-user-static"),
    ];
    if !is_native && !available(&programs)? {
        return Ok(());
    }
    println!("{target}:");
    let mut cargo = toolchain.cargo("build", options, "");
    cargo.args(optimized_kernels());
    run(cargo.args(["--package", "sinew-determinism"]))?;
    let program = toolchain.built(options, "sinew-determinism");
    if is_native {
        return run(&mut Command::new(program));
    }
    let mut emulator = Command::new("qemu-aarch64-static");
    run(emulator.args(["-L", "/usr/aarch64-linux-gnu"]).arg(program))
}

/// Options of Cargo that optimize [`KERNELS`] in the development profile.
fn optimized_kernels() -> impl Iterator<Item = String> {
    let option = |name| format!("--config=profile.dev.package.{name}.opt-level=1");
    KERNELS.into_iter().map(option)
}

/// A compiler that has a target.
struct Toolchain {
    target: &'static str,
    /// The folder with the standard library that Debian's compiler built. `None` for rustup's compiler.
    sysroot: Option<PathBuf>,
}

impl Toolchain {
    /// Finds or installs a compiler. Prints why and returns `None` if there is none, which is an error in CI.
    fn find(target: &'static str, crates: &[&str], options: Options) -> Result<Option<Self>> {
        if !options.debian && (has_target(target)? || rustup_adds(target)?) {
            let sysroot = None;
            return Ok(Some(Self { target, sysroot }));
        }
        if !is_debian_compiler_installed() && !apt_installs(&DEBIAN_PACKAGES) {
            let reason = format!("no compiler for {target}: run `rustup target add {target}`");
            return skip(&reason).map(|()| None);
        }
        let sysroot = Some(debian_sysroot(target, crates)?);
        Ok(Some(Self { target, sysroot }))
    }

    fn target_folder(&self) -> PathBuf {
        match self.sysroot {
            None => target_folder(),
            // Apart, so that two compilers do not replace what the other built.
            Some(_) => target_folder().join("portable"),
        }
    }

    /// Where a build puts a file.
    fn built(&self, options: Options, name: &str) -> PathBuf {
        let profile = if options.release { "release" } else { "debug" };
        let folder = self.target_folder().join(self.target);
        folder.join(profile).join(name)
    }

    /// A subcommand of Cargo with the compiler, its flags, the linker and the profile.
    fn cargo(&self, subcommand: &str, options: Options, flags: &str) -> Command {
        let mut flags = flags.to_owned();
        let mut cargo = match &self.sysroot {
            None => Command::new(env!("CARGO")),
            Some(sysroot) => {
                flags.push_str(&format!(" --sysroot {}", sysroot.display()));
                debian_cargo()
            }
        };
        let variable = |suffix: &str| {
            let target = self.target.replace('-', "_").to_uppercase();
            format!("CARGO_TARGET_{target}_{suffix}")
        };
        cargo.env(variable("RUSTFLAGS"), flags.trim());
        if let Some(linker) = linker(self.target) {
            cargo.env(variable("LINKER"), linker);
        }
        cargo.env("CARGO_TARGET_DIR", self.target_folder());
        cargo.current_dir(root());
        cargo.envs(PROFILE).arg(subcommand);
        cargo.args(["--target", self.target]);
        if options.release {
            cargo.arg("--release");
        }
        cargo
    }
}

/// The linker of a target, if it is not the compiler's own choice.
fn linker(target: &str) -> Option<PathBuf> {
    match target {
        "aarch64-unknown-linux-gnu" if cfg!(not(target_arch = "aarch64")) => {
            Some("aarch64-linux-gnu-gcc".into())
        }
        // Debian's compiler has none for WebAssembly.
        "wasm32-unknown-unknown" => {
            let linker = host_folder().ok()?.join("bin/rust-lld");
            linker.exists().then_some(linker)
        }
        _ => None,
    }
}

/// Where rustup's compiler keeps what is for the host.
fn host_folder() -> Result<PathBuf> {
    let rustc = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .output()?;
    let folder = PathBuf::from(String::from_utf8(rustc.stdout)?.trim());
    Ok(folder.parent().ok_or("rustc has no folder")?.to_owned())
}

/// Whether the compiler has the core library of a target.
fn has_target(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    let folder = String::from_utf8(rustc.output()?.stdout)?;
    Ok(has_core(Path::new(folder.trim())))
}

fn has_core(folder: &Path) -> bool {
    let Ok(files) = std::fs::read_dir(folder) else {
        return false;
    };
    files.flatten().any(|file| {
        let name = file.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

/// Whether rustup is there and installs a target.
fn rustup_adds(target: &str) -> Result<bool> {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]).stderr(Stdio::null());
    let is_added = rustup.status().is_ok_and(|status| status.success());
    // Without access to the servers it can succeed and install nothing.
    Ok(is_added && has_target(target)?)
}

fn is_debian_compiler_installed() -> bool {
    let has = |path: &str| Path::new(path).exists();
    has(DEBIAN_CARGO) && has(DEBIAN_RUSTC) && has(DEBIAN_SOURCES)
}

/// Installs packages. Returns `false` where there is no apt, or no right to install.
fn apt_installs(packages: &[&str]) -> bool {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        command.args(arguments).stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    println!("installing {}", packages.join(", "));
    apt(&["update"]) && apt(&install)
}

/// Finds programs by name, and installs the packages of those that are missing: several, with spaces between.
fn available(programs: &[(&str, &str)]) -> Result<bool> {
    let is_missing = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null());
        command.stderr(Stdio::null()).status().is_err()
    };
    let missing = programs.iter().filter(|(program, _)| is_missing(program));
    let packages = missing.flat_map(|(_, packages)| packages.split(' '));
    let packages: Vec<&str> = packages.collect();
    if packages.is_empty() || apt_installs(&packages) {
        return Ok(true);
    }
    skip(&format!("missing: {}", packages.join(", ")))?;
    Ok(false)
}

/// Prints that a check is skipped. In CI that is an error: a check that did not run proves nothing.
fn skip(reason: &str) -> Result<()> {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        return Err(reason.into());
    }
    println!("SKIPPED: {reason}");
    Ok(())
}

/// Debian's cargo and compiler, without what `cargo run` and rustup set for the programs that they start.
fn debian_cargo() -> Command {
    let mut cargo = Command::new(DEBIAN_CARGO);
    for variable in ["CARGO", "LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
        cargo.env_remove(variable);
    }
    cargo.env("RUSTC", DEBIAN_RUSTC);
    cargo
}

/// Builds the standard library of a target once for each version of Debian's compiler. Returns a folder to be used as
/// `--sysroot`.
fn debian_sysroot(target: &str, crates: &[&str]) -> Result<PathBuf> {
    let version = Command::new(DEBIAN_RUSTC).arg("-vV").output()?.stdout;
    let folder = target_folder().join("portable").join("std").join(target);
    let sysroot = folder.join("sysroot");
    let stamp = folder.join("version");
    if std::fs::read(&stamp).is_ok_and(|built| built == version) {
        return Ok(sysroot);
    }
    println!("building {} for {target}", crates.join(", "));
    let _ = std::fs::remove_dir_all(&folder);
    // An empty package of its own workspace.
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "#![no_std]\n")?;
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    let mut cargo = debian_cargo();
    cargo.current_dir(&folder);
    cargo.env("RUSTC_BOOTSTRAP", "1");
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
    cargo.args(["build", "--quiet", "--release", "--target", target]);
    run(cargo.arg(format!("-Zbuild-std={}", crates.join(","))))?;

    let libraries = sysroot.join("lib/rustlib").join(target).join("lib");
    std::fs::create_dir_all(&libraries)?;
    let built = folder.join("target").join(target).join("release/deps");
    for file in std::fs::read_dir(built)? {
        let path = file?.path();
        let is_library = path
            .extension()
            .is_some_and(|extension| extension == "rlib");
        let name = path.file_name().unwrap_or_default();
        if is_library && !name.to_string_lossy().starts_with("libempty-") {
            std::fs::copy(&path, libraries.join(name))?;
        }
    }
    std::fs::remove_dir_all(folder.join("target"))?;
    std::fs::write(stamp, version)?;
    Ok(sysroot)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{:?}: {status}", command.get_program()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_options_are_errors() {
        assert!(Options::parse(&["--fast"]).is_err());
        let options = Options::parse(&["--debian", "--release"]).unwrap();
        assert!(options.debian && options.release);
    }

    #[test]
    fn a_folder_without_a_core_library_has_no_target() {
        assert!(!has_core(Path::new("no such folder")));
        assert!(!has_core(&root().join("xtask/src")));
        assert!(has_core(&host_folder().unwrap().join("lib")));
    }

    #[test]
    fn targets_that_do_not_exist_are_not_there() {
        assert!(!has_target("abacus-unknown-none").unwrap());
    }
}
