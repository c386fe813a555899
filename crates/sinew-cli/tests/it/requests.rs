//! Requests that cannot be met: out of range, mistyped, for machines; and what the program says of itself.

use crate::common;
use common::Folder;
use common::mocap::BVH;

/// A frame or a time that a motion does not have is refused, and the error names those that it has.
#[test]
fn frames_and_times_out_of_range_are_refused_with_the_range() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    for frame in ["-1", "10000", "3.5"] {
        let args = ["render", "walk.bvh", "--frame", frame];
        folder.run_refused(&args, &[frame, "frames 0 to 3"]);
    }
    for frame in ["-0.5", "1000"] {
        let args = ["render", "sample", "--animation=walk", "--frame", frame];
        folder.run_refused(&args, &["out of range", "frames 0 to "]);
    }
    for args in [
        ["render", "walk.bvh", "--trim=5..6"],
        ["render", "walk.bvh", "--trim=0..6"],
        ["plot", "walk.bvh", "--trim=5.."],
        ["plot", "walk.bvh", "--trim=0..9"],
    ] {
        folder.run_refused(
            &args,
            &["--trim", "is 0.1 s long", "expected a range from 0 to"],
        );
    }
    let trim = ["convert", "walk.bvh", "--to=glb", "--trim=0..9"];
    folder.run_refused_row(&trim, &["expected a range from 0 to"]);
    for (option, range) in [
        ("--fps=0", "0.001 to 1000"),
        ("--size=9000", "1 to 8192"),
        ("--contact-sheet=401", "1 to 400"),
    ] {
        folder.run_refused(&["render", "walk.bvh", option], &[range]);
    }
    assert_eq!(folder.files(), ["walk.bvh"]);
}

/// A name that is nearly right is suggested, whatever it is the name of.
#[test]
fn mistyped_names_are_suggested() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    folder.run_fine(&["compress", "walk.bvh"]);
    for (args, meant) in [
        (
            &["render", "sample", "--animation=wlak"][..],
            "did you mean \"walk\"?",
        ),
        (
            &["render", "sample", "--style=Wintr"],
            "did you mean \"Winter\"?",
        ),
        (
            &["render", "walk.bvh", "--animation=wakl"],
            "did you mean \"walk\"?",
        ),
        (
            &["render", "walk.bvh", "--trails=Hed"],
            "did you mean \"Head\"?",
        ),
        (
            &["plot", "walk.bvh", "--joint=LeftLg"],
            "did you mean \"LeftLeg\"?",
        ),
        (
            &["verify", "walk.sinew", "walk.bvh", "--animation=wolk"],
            "did you mean \"walk\"?",
        ),
        (&["info", "sample:wlak"], "did you mean \"sample:walk\"?"),
        (&["info", "wlak.bvh"], "did you mean walk.bvh?"),
        (&["info", "smaple"], "did you mean sample?"),
        (&["bench", "walk.bhv"], "did you mean walk.bvh?"),
        (
            &["verify", "walk.sniew", "walk.bvh"],
            "did you mean walk.sinew?",
        ),
        (&["inof", "walk.bvh"], "'info'"),
        (&["convert", "walk.bvh", "--to=jsn"], "'json'"),
        (&["render", "walk.bvh", "--animaton=x"], "'--animation'"),
    ] {
        folder.run_refused(args, &[meant]);
    }
    for args in [
        &["validate", "wlak.bvh"][..],
        &["convert", "wlak.bvh", "--to=glb"],
    ] {
        let run = folder.run(args);
        assert!(
            run.stdout.contains("did you mean walk.bvh?"),
            "{args:?}: {run:?}"
        );
    }
}

/// With `--json` an error is JSON on standard output, be it of a file, of an option or of a name.
#[test]
fn errors_are_json_where_json_is_asked_for() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    for (args, said) in [
        (&["info", "gone.bvh", "--json"][..], "gone.bvh"),
        (&["render", "sample", "--animation=hop", "--json"], "hop"),
        (&["plot", "walk.bvh", "--joint=nose", "--json"], "nose"),
        (&["bench", "gone.bvh", "--json"], "gone.bvh"),
        (
            &["verify", "gone.sinew", "walk.bvh", "--json"],
            "gone.sinew",
        ),
        (&["convert", "walk.bvh", "--json"], "--to"),
        (&["render", "walk.bvh", "--fps=0", "--json"], "0.001"),
        (
            &["render", "walk.bvh", "--no-such-option", "--json"],
            "--no-such-option",
        ),
        (&["register", "walk.bvh", "gone.bvh", "--json"], "gone.bvh"),
        (
            &[
                "blend",
                "walk.bvh",
                "gone.bvh",
                "--weight=0.5",
                "--out=x.glb",
                "--json",
            ],
            "gone.bvh",
        ),
        (&["loop", "gone.bvh", "--json"], "gone.bvh"),
        (&["play", "gone.json", "--json"], "gone.json"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
        let error = run.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(said), "{args:?}: {error}");
        assert!(!error.contains('\u{1b}'), "{args:?}: {error}");
    }
}

/// The program calls itself what it is called.
#[test]
fn the_version_is_of_sinew() {
    let run = Folder::new().run_fine(&["--version"]);
    assert_eq!(run.stdout, format!("sinew {}\n", env!("CARGO_PKG_VERSION")));
}

/// Every shell gets completions that know the commands and their options.
#[test]
fn completions_know_commands_and_options() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = folder.run_fine(&["completions", shell]);
        for known in ["decompress", "contact-sheet"] {
            assert!(run.stdout.contains(known), "{shell}: {known}");
        }
    }
    folder.run_refused(&["completions", "basch"], &["bash"]);
}

/// There is a manual page for the program and for each command, with its options.
#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let page = folder.run_fine(&["man"]).stdout;
    assert!(page.contains(".TH sinew 1"), "{page}");
    folder.run_fine(&["man", "--out=man"]);
    let help = folder.run_fine(&["help"]).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        let path = folder.path(&format!("man/sinew-{name}.1"));
        let page = std::fs::read_to_string(path).expect(name);
        assert!(
            page.contains(&format!(".TH sinew-{name} 1")),
            "{name}: {page}"
        );
    }
    let render = std::fs::read_to_string(folder.path("man/sinew-render.1")).unwrap();
    assert!(render.contains("contact\\-sheet"));
}

/// A joint that a profile cannot keep is named, not numbered.
#[test]
fn bench_names_joints() {
    let folder = Folder::new();
    let run = folder.run_fine(&["bench", "sample:walk", "--quick", "--json"]);
    let missing = run.json()["missing"].to_string();
    assert!(
        missing.contains("keyframes") || missing.contains("keyframes"),
        "{missing}"
    );
    assert!(!missing.contains("joint "), "{missing}");
    assert!(
        missing.contains("is ") && missing.contains(" at frame "),
        "{missing}"
    );
}

/// Where threads cannot be started, everything is done on one.
///
/// A thread whose stack is larger than the address space cannot be started, which needs no special rights.
#[cfg(target_os = "linux")]
#[test]
fn without_threads_everything_works() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    for args in [
        &["render", "walk.bvh", "--size=40"][..],
        &[
            "render",
            "sample",
            "--animation=walk",
            "--fps=4",
            "--size=40",
            "--out=pip.gif",
        ],
        &["convert", "walk.bvh", "--to=glb", "--jobs=2"],
        &["compress", "walk.bvh"],
        &["register", "sample:walk", "sample:run"],
        &["bench", "walk.bvh", "--quick"],
    ] {
        let mut command = folder.command();
        command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
        let output = command.args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    }
}
