//! What the program says about itself.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};

#[test]
fn the_help_of_every_command_shows_examples() {
    let folder = Folder::new();
    let help = folder.run_fine(&["--help"]).stdout;
    let commands = help.split_once("Commands:\n").unwrap().1;
    let commands = commands.split_once("\n\n").unwrap().0;
    let names = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|&name| name != "help").collect();
    assert!(names.contains(&"render"), "{names:?}");
    for name in names {
        let help = folder.run_fine(&[name, "--help"]).stdout;
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let example = format!("sinew {name}");
        assert!(examples.contains(&example), "{help}");
    }
}

#[test]
fn without_arguments_the_help_is_shown_as_an_error() {
    let run = Folder::new().run::<&str>(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Examples:"), "{}", run.stderr);
}

#[test]
fn the_examples_on_the_first_page_are_understood() {
    let folder = Folder::new();
    folder.write("hero.skf", common::PIP);
    folder.write("07.asf", FIGURE);
    folder.write("07_05.amc", WALK);
    std::fs::create_dir(folder.path("mocap")).unwrap();
    folder.write("mocap/a.bvh", BVH);
    std::fs::create_dir(folder.path("characters")).unwrap();
    folder.write("characters/pip.skf", common::PIP);
    folder.write("script.json", common::play::CROSSFADE);
    let help = folder.run_fine(&["--help"]).stdout;
    let examples = help
        .lines()
        .filter_map(|line| line.trim().strip_prefix("sinew "));
    let mut tried = 0;
    for example in
        examples.filter(|e| !e.starts_with("demo") && !e.starts_with("view") && !e.contains('*'))
    {
        // Two spaces or more part the command from what is said about it.
        let command = example.split("  ").next().unwrap();
        let mut args: Vec<&str> = command.split_whitespace().collect();
        if ["render", "play"].contains(&args[0]) {
            args.extend(["--size", "40"]);
        }
        folder.run_fine(&args);
        tried += 1;
    }
    assert!(tried >= 3, "{help}");
    for made in [
        "hero-walk.gif",
        "07_05.png",
        "script.gif",
        "07_05-lfoot.svg",
        "07_05.sinew",
        "out/a.glb",
    ] {
        assert!(folder.path(made).exists(), "{made} in {:?}", folder.files());
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_what_was_expected() {
    let folder = Folder::new();
    let refused: [(&[&str], &str); 10] = [
        (&["--size", "0"], "pixels from 1 to 8192"),
        (&["--size", "9000"], "pixels from 1 to 8192"),
        (&["--size", "12x"], "pixels from 1 to 8192"),
        (&["--fps", "0"], "from 0.001 to 1000"),
        (&["--fps", "nan"], "from 0.001 to 1000"),
        (&["--frame", "nan"], "a frame number"),
        (&["--background", "mauve"], "#rrggbb"),
        (&["--overlay=nose"], "bones, targets, names"),
        (&["--contact-sheet=0"], "from 1 to 400"),
        (
            &["--contact-sheet=3", "--frame", "1"],
            "cannot be used with",
        ),
    ];
    for (args, expected) in refused {
        folder.run_refused(&[&["render", "sample"], args].concat(), &[expected]);
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}
