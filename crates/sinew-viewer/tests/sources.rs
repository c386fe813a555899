//! The committed page belongs to the sources of the repository.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "../../../xtask/src/web_sources.rs"]
mod web_sources;

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Needs no tools: only hashes are compared. If it fails, `cargo xtask web` builds the page anew.
#[test]
fn the_page_is_built_from_the_sources() {
    if let Err(problem) = web_sources::check(root()) {
        panic!("{problem}");
    }
}

#[test]
fn changed_added_and_removed_sources_and_a_changed_page_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for path in [
        "Cargo.toml",
        "crates/sinew-viewer/dist/viewer.html",
        "crates/sinew-web/src/lib.rs",
        "crates/sinew-web/target/junk",
        "crates/sinew/Cargo.toml",
        "crates/sinew/src/math/quat.rs",
        "web/src/core.ts",
        "web/package-lock.json",
        "web/node_modules/x/y.js",
    ] {
        write(path, path);
    }
    let lock = "[[package]]\nname = \"sinew\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"glam\"\nsource = \"r\"\n";
    write("crates/sinew-web/Cargo.lock", lock);
    let problem = || web_sources::check(folder.path()).unwrap_err();
    assert!(problem().contains("cargo xtask web"), "{}", problem());

    let listing = web_sources::listing(folder.path(), &[("rustc", "1.95.0")]).unwrap();
    assert!(listing.contains("# rustc 1.95.0\n"), "{listing}");
    // The hash of the text "web/src/core.ts", as sha256sum prints it.
    let core =
        "7b7a3853f093f97d50887248889a8f11453fa725df9e3e03025090bb76bab3f1  web/src/core.ts\n";
    assert!(listing.contains(core), "{listing}");
    assert!(
        !listing.contains("junk") && !listing.contains("y.js"),
        "{listing}"
    );
    write(web_sources::SOURCES, &listing);
    assert_eq!(web_sources::check(folder.path()), Ok(()));

    write("crates/sinew/src/math/quat.rs", "changed");
    write("web/src/added.ts", "");
    fs::remove_file(folder.path().join("web/package-lock.json")).unwrap();
    write("crates/sinew-viewer/dist/viewer.html", "changed");
    for path in [
        "crates/sinew/src/math/quat.rs",
        "web/src/added.ts",
        "web/package-lock.json",
        "viewer.html",
    ] {
        assert!(problem().contains(path), "{path}: {}", problem());
    }
    assert!(!problem().contains("core.ts"), "{}", problem());
}
