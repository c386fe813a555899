//! What files are called and what they say never steers the terminal.

use crate::common;
use common::Folder;
use common::mocap::BVH;
use std::fs;

/// Sets the title of a window, clears the screen, rings, and writes from right to left; the same with C1 controls.
const STEERING: &str = "e\x1b]0;title\x07\x1b[2J\u{9b}31m\u{202e}\u{2066}e";

/// No output of any command has a control character but line breaks and, where colours are forced, our own colours.
#[test]
fn names_and_contents_of_files_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let bvh = format!("{STEERING}.bvh");
    let skf = format!("{STEERING}.skf");
    let script = format!("{STEERING}.json");
    let said = BVH
        .replace("Head", STEERING)
        .replace("LeftLeg", "Left\x1b[31mLeg");
    folder.write(&bvh, &said);
    folder.write("broken.bvh", said.replace("CHANNELS 3", STEERING));
    let mut data = common::square();
    data.bones[0].name = STEERING.into();
    data.styles[0].name = STEERING.into();
    data.visuals[0].texture = STEERING.into();
    folder.write(&skf, common::skf(&data));
    let text = format!(
        r#"{{ "format": "sinew-play", "version": 1, "model": {0}, "animations": [{0}],
             "timeline": [{{ "at": 0, "play_new": {0} }}] }}"#,
        serde_json::to_string(STEERING).unwrap()
    );
    folder.write(&script, text);
    let packed = format!("{STEERING}.sinew");
    let missing = format!("{STEERING}-missing.bvh");
    let out = format!("--out={STEERING}.png");
    let svg = format!("--out={STEERING}.svg");
    let glb = format!("--out={STEERING}.glb");
    let animation = format!("--animation={STEERING}");
    let calls: Vec<Vec<&str>> = vec![
        vec!["info", &bvh],
        vec!["info", &bvh, "--json"],
        vec!["info", &skf],
        vec!["info", &missing],
        vec!["info", &missing, "--json"],
        vec!["validate", &bvh, &skf, &missing, "broken.bvh"],
        vec!["validate", "."],
        vec!["validate", &bvh, &skf, &missing, "--json"],
        vec!["compress", &bvh, &missing],
        vec!["verify", &packed, &bvh],
        vec!["verify", &packed, &missing],
        vec!["verify", ".", "."],
        vec!["convert", &bvh, &glb],
        vec!["convert", &bvh, &missing, "--to=glb", "--out=o"],
        vec!["decompress", &packed, "--to=bvh", "--out=o"],
        vec!["render", &bvh, "--frame=0", "--size=20", &out],
        vec!["render", &bvh, "--frame=99", "--size=20"],
        vec!["render", &bvh, &animation, "--trails=nose"],
        vec!["render", &skf, "--frame=0", "--size=20", "--overlay", &out],
        vec!["render", &skf, &animation],
        vec!["render", &skf, &bvh],
        vec!["plot", &bvh, &svg],
        vec!["plot", &bvh, "--joint", STEERING, &svg],
        vec!["plot", &bvh, "--joint=nose"],
        vec!["bench", &bvh, "--quick"],
        vec!["bench", &bvh, "--quick", &animation],
        vec!["loop", &bvh],
        vec!["loop", &missing],
        vec!["register", &bvh, &bvh],
        vec!["register", &bvh, &missing],
        vec!["blend", &bvh, &bvh, "--weight=0.5", &glb],
        vec!["play", &script],
        vec!["play", &missing],
        vec![STEERING],
    ];
    for args in &calls {
        for colour in ["0", "1"] {
            let mut command = folder.command();
            let output = command
                .env("CLICOLOR_FORCE", colour)
                .args(args)
                .output()
                .unwrap();
            for stream in [output.stdout, output.stderr] {
                let text = String::from_utf8(stream).unwrap();
                let text = without_colours(&text);
                let steers =
                    |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2066}".contains(c);
                assert!(!text.contains(steers), "{args:?}: {text:?}");
                assert!(!text.contains("panicked"), "{args:?}: {text:?}");
            }
        }
    }
    assert!(fs::exists(folder.path(&packed)).unwrap());
}

/// A text without the escape sequences that only set a style, as the program's own do, each of which is reset on the
/// same line.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((style, rest)) if style.bytes().all(|b| b.is_ascii_digit() || b == b';') => {
                out += rest;
            }
            _ => {
                out += "\x1b[";
                out += part;
            }
        }
    }
    out
}
