//! `sinew play`: what is wrong with a script is told with its place, and nothing is written.

use crate::common;
use common::Folder;
use common::play::{CROSSFADE, script};

/// Plays a script and expects an error that mentions all of `said`.
fn refused(text: &str, said: &[&str]) {
    let folder = Folder::new();
    folder.write("s.json", text);
    let said = [&["s.json: "], said].concat();
    folder.run_refused(&["play", "s.json", "--out=x.json"], &said);
    assert_eq!(folder.files(), ["s.json"], "{text}");
}

/// The same for a timeline on the built-in character.
fn timeline_refused(timeline: &str, said: &[&str]) {
    refused(&script("sample", "", timeline), said);
}

#[test]
fn what_is_no_json_is_refused_with_line_and_column() {
    refused("", &["line 1, column 0", "invalid JSON"]);
    refused("{\n  \"format\": ,\n}", &["line 2, column 13"]);
    refused(
        "\"text\"",
        &["expected a script: an object, found \"text\""],
    );
    refused("[1, 2]", &["expected a script: an object, found a list"]);
}

#[test]
fn what_is_no_script_or_of_another_version_is_refused() {
    refused("{}", &["missing \"format\"", "sinew-play"]);
    refused(
        r#"{ "format": "gltf" }"#,
        &["format: expected \"sinew-play\", found \"gltf\""],
    );
    refused(
        r#"{ "format": "sinew-play", "version": 2 }"#,
        &["version: expected 1", "found 2"],
    );
    let text = CROSSFADE.replace("\"duration\"", "\"duratoin\"");
    refused(
        &text,
        &["duratoin: ", "did you mean \"duration\"?", "timeline"],
    );
    let text = CROSSFADE.replace("\"duration\": 1.5", "\"duration\": 1.5, \"duration\": 2");
    refused(&text, &["duration: duplicate field"]);
    refused(
        &CROSSFADE.replace("1.5", "0"),
        &["duration: expected seconds", "found 0"],
    );
    refused(
        &CROSSFADE.replace("1.5", "9999"),
        &["duration: expected seconds", "600"],
    );
    refused(
        &script("sample", "", ""),
        &["timeline: expected at least one command"],
    );
}

#[test]
fn names_that_are_not_there_are_refused_with_those_that_are() {
    let play = |more: &str| format!(r#"{{ "at": 0, "play_new": "walk"{more} }}"#);
    timeline_refused(
        r#"{ "at": 0, "play_new": "wlak" }"#,
        &[
            "timeline[0].play_new: no animation \"wlak\"",
            "did you mean \"walk\"?",
            "\"idle\", \"walk\", \"wave\", \"jump\"",
        ],
    );
    timeline_refused(
        &play(r#", "start_bone": "Head""#),
        &[
            "timeline[0].start_bone: no bone \"Head\"",
            "did you mean \"head\"?",
            "\"root\", \"shadow\"",
        ],
    );
    timeline_refused(
        &play(r#", "mask": "up""#),
        &["timeline[0].mask: no mask \"up\"; there are none"],
    );
    let masks = |masks: &str| script("sample", &format!(r#""masks": {{ {masks} }},"#), &play(""));
    refused(
        &masks(r#""up": { "below": "spine" }"#),
        &["masks.up.below: no bone \"spine\""],
    );
    refused(
        &masks(r#""up": { "weights": { "haed": 1 } }"#),
        &["masks.up.weights.haed: ", "did you mean \"head\"?"],
    );
    refused(
        &masks(r#""up": { "weights": { "head": 2 } }"#),
        &["masks.up.weights.head: expected a weight from 0 to 1, found 2"],
    );
    refused(&masks(r#""up": {}"#), &["masks.up: expected one of"]);
    let triggers =
        |trigger: &str| script("sample", &format!(r#""triggers": [{trigger}],"#), &play(""));
    refused(
        &triggers(r#"{ "animation": "hop", "time": 1 }"#),
        &["triggers[0].animation: no animation \"hop\""],
    );
    refused(
        &triggers(r#"{ "animation": "walk" }"#),
        &["triggers[0]: expected one of \"time\""],
    );
    refused(
        &triggers(r#"{ "animation": "walk", "time": 1, "data": [] }"#),
        &["triggers[0].data: expected a text, a number"],
    );
}

/// A time that an animation does not have is refused, with the place in the script and the animation's length. The
/// built-in character walks for two thirds of a second and idles for 3 s.
#[test]
fn times_out_of_range_are_refused_with_the_range() {
    let length = "the length of \"walk\"";
    for time in ["-0.5", "-1e-9", "0.667", "9", "1e30"] {
        let trigger = format!(
            r#""triggers": [{{ "animation": "idle", "time": 3 }}, {{ "animation": "walk", "time": {time} }}],"#
        );
        refused(
            &script("sample", &trigger, r#"{ "at": 0, "play_new": "walk" }"#),
            &[
                "triggers[1].time: expected seconds from 0 to 0.6666667",
                length,
                "found ",
            ],
        );
        timeline_refused(
            &format!(r#"{{ "at": 0, "play_new": "walk", "time": {time} }}"#),
            &[
                "timeline[0].time: expected seconds from 0 to 0.6666667",
                length,
                "found ",
            ],
        );
        timeline_refused(
            &format!(r#"{{ "at": 0, "play_new": "walk", "time_range": [0, {time}] }}"#),
            &[
                "timeline[0].time_range[1]: expected seconds from 0 to 0.6666667",
                length,
            ],
        );
        timeline_refused(
            &format!(
                r#"{{ "at": 0, "play_new": "walk" }},
                   {{ "at": 0.5, "update_animation_time": "walk", "time": {time} }}"#
            ),
            &[
                "timeline[1].time: expected seconds from 0 to 0.6666667",
                length,
            ],
        );
    }
    timeline_refused(
        r#"{ "at": 0, "play_new": "walk", "time_range": [0.25, 0.5], "time": 0.6 }"#,
        &["timeline[0].time: expected seconds within \"time_range\", 0.25 to 0.5, found 0.6"],
    );
    // Seconds that are no place in an animation have a limit of their own.
    for field in ["fade", "auto_fade_out"] {
        for seconds in ["-1", "601", "1e300"] {
            timeline_refused(
                &format!(r#"{{ "at": 0, "play_new": "walk", "{field}": {seconds} }}"#),
                &[&format!(
                    "timeline[0].{field}: expected seconds from 0 to 600, found "
                )],
            );
        }
    }
    // JSON has no numbers that are not finite.
    for number in ["NaN", "-Infinity", "1e999"] {
        timeline_refused(
            &format!(r#"{{ "at": {number}, "play_new": "walk" }}"#),
            &["line 1, column ", "invalid JSON"],
        );
    }
    // Both ends are within.
    for time in ["0", "0.6666667"] {
        let folder = Folder::new();
        let timeline = format!(r#"{{ "at": 0, "play_new": "walk", "time": {time} }}"#);
        let trigger =
            format!(r#""triggers": [{{ "animation": "walk", "time": {time} }}], "duration": 0.5,"#);
        folder.frames(&script("sample", &trigger, &timeline), "4");
    }
}

#[test]
fn commands_that_are_wrong_are_refused_with_their_place() {
    let wrong: [(&str, &[&str]); 14] = [
        (
            "5",
            &["timeline[0]: expected a command: an object, found 5"],
        ),
        (
            r#"{ "play_new": "walk" }"#,
            &["timeline[0]: missing \"at\""],
        ),
        (
            r#"{ "at": -1, "play_new": "walk" }"#,
            &["timeline[0].at: expected seconds from 0", "found -1"],
        ),
        (
            r#"{ "at": 0 }"#,
            &["timeline[0]: expected a command", "play_new", "stop_all"],
        ),
        (
            r#"{ "at": 0, "play_nwe": "walk" }"#,
            &["timeline[0]: expected a command (did you mean \"play_new\"?)"],
        ),
        (
            r#"{ "at": 0, "stop": "walk", "play_new": "walk" }"#,
            &["found play_new and stop"],
        ),
        (
            r#"{ "at": 0, "play_new": "walk", "fade": "slow" }"#,
            &["found play_new and fade"],
        ),
        (
            r#"{ "at": 0, "play_new": "walk", "fade": true }"#,
            &["timeline[0].fade: expected seconds", "found true"],
        ),
        (
            r#"{ "at": 0, "stop": "walk", "layer": 1 }"#,
            &[
                "timeline[0].layer: unknown field",
                "expected at, stop, fade",
            ],
        ),
        (
            r#"{ "at": 0, "play_new": "walk", "layer": 1.5 }"#,
            &["timeline[0].layer: expected a layer, a whole number, found 1.5"],
        ),
        (
            r#"{ "at": 0, "play_new": "walk", "time_range": [1] }"#,
            &["timeline[0].time_range: expected [min, max]"],
        ),
        (
            r#"{ "at": 0, "play_new": "walk", "time_range": [0.5, 0.25] }"#,
            &["timeline[0].time_range: expected min below max"],
        ),
        (
            r#"{ "at": 0, "fade": "walk" }"#,
            &["timeline[0]: missing \"weight\""],
        ),
        (
            r#"{ "at": 0, "stop_all": false }"#,
            &["timeline[0].stop_all: expected true, found false"],
        ),
    ];
    for (timeline, said) in wrong {
        timeline_refused(timeline, said);
    }
    // The second of two, and one that is too late.
    timeline_refused(
        r#"{ "at": 0, "play_new": "walk" }, { "at": 1, "stop": 3 }"#,
        &["timeline[1].stop: expected the name of an animation, found 3"],
    );
    let late = script(
        "sample",
        r#""duration": 1,"#,
        r#"{ "at": 2, "play_new": "walk" }"#,
    );
    refused(&late, &["timeline[0].at: ", "found 2"]);
    let many = vec![r#"{ "at": 0, "play_new": "walk" }"#; 1001].join(", ");
    timeline_refused(
        &many,
        &["timeline: expected at most 1000 commands, found 1001"],
    );
    let crowd = vec![r#"{ "at": 0, "play_new": "walk" }"#; 101].join(", ");
    timeline_refused(
        &crowd,
        &["timeline[100]: more than 100 animations play at once"],
    );
}

#[test]
fn files_that_are_wrong_are_refused_with_their_names() {
    let folder = Folder::new();
    folder.write("text.bvh", "no motion at all");
    let play = r#"{ "at": 0, "play_new": "walk" }"#;
    let check = |model: &str, animations: &str, said: &[&str]| {
        let fields = format!(r#""animations": [{animations}],"#);
        folder.write("s.json", script(model, &fields, play));
        folder.run_refused(&["play", "s.json", "--out=x.json"], said);
    };
    check("missing.skf", "", &["missing.skf"]);
    check("sample:hop", "", &["sample:hop", "sample:walk"]);
    check("sample:walk", r#""missing.bvh""#, &["missing.bvh"]);
    check("sample:walk", r#""text.bvh""#, &["text.bvh"]);
    check(
        "sample:walk",
        r#""sample:run", "sample:run""#,
        &["s.json: animations[1]: two animations are called \"run\""],
    );
    check(
        "sample:walk",
        r#"{ "name": "x" }"#,
        &["animations[0]: missing \"file\""],
    );
    check(
        "sample:walk",
        r#"{ "file": "sample:run", "animation": "hop" }"#,
        &["animations[0]: no animation \"hop\""],
    );
    check(
        "sample",
        r#"{ "file": "sample:run", "in_place": true }"#,
        &["animations[0]: \"in_place\" applies to 3D motions"],
    );
    assert_eq!(folder.files(), ["s.json", "text.bvh"]);
}

#[test]
fn outputs_that_cannot_be_are_refused_before_anything_is_played() {
    let folder = Folder::new();
    folder.write("s.json", CROSSFADE);
    let wrong: [(&[&str], &[&str]); 8] = [
        (&["--out=x.mp4"], &["x.mp4", ".gif, .png or .json"]),
        (&["--weights=w.gif"], &["w.gif", ".svg or .png"]),
        (&["--out=s.json"], &["s.json", "overwrite"]),
        (&["--out=x.png", "--weights=x.png"], &["x.png", "overwrite"]),
        (
            &["--out=x.gif", "--contact-sheet=4"],
            &["x.gif", "--contact-sheet"],
        ),
        (
            &["--out=x.gif", "--fps=60"],
            &["x.gif", "50 frames per second"],
        ),
        (&["--out=s.json/x.gif"], &["s.json is not a folder"]),
        (
            &["--out=x.gif", "--style=Winter"],
            &["--style applies to 2D characters"],
        ),
    ];
    for (args, said) in wrong {
        folder.run_refused(&[&["play", "s.json"], args].concat(), said);
    }
    folder.write(
        "pip.json",
        script("sample", "", r#"{ "at": 0, "play_new": "walk" }"#),
    );
    folder.run_refused(
        &["play", "pip.json", "--view=side"],
        &["--view applies to 3D motions"],
    );
    folder.run_refused(&["play", "missing.json"], &["missing.json: no such file"]);
    assert_eq!(folder.files(), ["pip.json", "s.json"]);
}

#[test]
fn bytes_that_are_no_text_or_too_many_are_refused() {
    let folder = Folder::new();
    folder.write("s.json", b"{ \"format\": \"\xff\" }");
    folder.run_refused(&["play", "s.json"], &["UTF-8", "offset 13"]);
    folder.write("s.json", " ".repeat((1 << 20) + 1));
    folder.run_refused(&["play", "s.json"], &["at most 1048576 bytes"]);
    folder.write("s.json", "[".repeat(100_000));
    folder.run_refused(&["play", "s.json"], &["line 1, column 128"]);
}

#[test]
fn a_script_cut_at_any_length_is_refused() {
    let folder = Folder::new();
    let text = script(
        "sample",
        "",
        r#"{ "at": 0, "play_new": "walk", "fade": 0.5 }"#,
    );
    for end in 0..text.len() {
        folder.write("s.json", &text[..end]);
        folder.run_refused(
            &["play", "s.json", "--out=x.json"],
            &["s.json: line 1, column "],
        );
    }
    folder.write("s.json", &text);
    folder.run_fine(&["play", "s.json", "--out=x.json", "--fps=1"]);
}

#[test]
fn what_would_steer_a_terminal_is_shown_not_obeyed() {
    let folder = Folder::new();
    folder.write(
        "s.json",
        script(
            "sample",
            "",
            r#"{ "at": 0, "play_new": "\u001b[31m\u202e" }"#,
        ),
    );
    let run = folder.run_refused(
        &["play", "s.json", "--out=x.json"],
        &["\\u{1b}[31m\\u{202e}"],
    );
    assert!(!run.stderr.contains('\x1b'));
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out=walk.json"]);
    let script = r#"{ "format": "sinew-play", "version": 1, "model": "walk.json",
        "animations": ["walk.json"], "timeline": [{ "at": 0, "play_new": "walk" }] }"#;
    folder.write("script.json", script);
    let before = std::fs::read(folder.path("walk.json")).unwrap();
    let here = folder.path("script.json");
    std::fs::create_dir(folder.path("sub")).unwrap();
    for out in [
        "--out=script.json",
        "--out=./script.json",
        &format!("--out={}", here.display()),
        "--out=walk.json",
        "--out=sub/../walk.json",
    ] {
        folder.run_refused(&["play", "script.json", out], &["overwrite"]);
    }
    let both = ["play", "script.json", "--out=x.png", "--weights=./x.png"];
    folder.run_refused(&both, &["overwrite"]);
    assert_eq!(std::fs::read(folder.path("walk.json")).unwrap(), before);
    assert_eq!(std::fs::read(here).unwrap(), script.as_bytes());
}

#[test]
fn two_files_of_one_name_are_one_too_many() {
    let folder = Folder::new();
    let script = r#"{ "format": "sinew-play", "version": 1, "model": "sample",
        "animations": [{ "name": "walk", "file": "nod.json" }, { "name": "walk", "file": "nod.json" }],
        "timeline": [{ "at": 0, "play_new": "walk" }] }"#;
    folder.write("script.json", script);
    let nod = r#"{ "format": "sinew-motion", "version": 2, "animations": [{ "name": "nod", "variants": [
        { "name": "head/@/Rotation", "type": "float", "keys": [[0, 0], [1, 1]] }] }] }"#;
    folder.write("nod.json", nod);
    folder.run_refused(
        &["play", "script.json"],
        &["animations[1]", "two animations are called \"walk\""],
    );
}
