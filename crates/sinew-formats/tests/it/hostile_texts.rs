//! Texts made to flood or to command the screen: whatever is said of a file is short and harmless.

use crate::common::make;
use make::{DEFLATED, STORED, character, jpeg, png, zip};
use serde_json::{Value, json};
use sinew_formats::skf;

/// The longest that may be said of one thing: a few names of 80 characters, each escaped to ten.
const MAX_SAID: usize = 4000;

/// Clears the screen, turns the line around, and does not end.
fn evil() -> String {
    format!("\u{1b}[2J\u{202e}\n{}", "x".repeat(3000))
}

/// Everything that is said of a file must be fit to be shown.
fn says(bytes: &[u8]) -> Vec<String> {
    let said = match skf::read_bytes(bytes) {
        Ok(character) => {
            let lint = skf::lint(&character);
            let warnings = character.warnings.list().iter().chain(lint.list());
            warnings.map(ToString::to_string).collect()
        }
        Err(error) => vec![error.to_string()],
    };
    for said in &said {
        assert!(said.len() < MAX_SAID, "{} bytes", said.len());
        let harmful = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!said.contains(harmful), "{said:?}");
    }
    assert!(!said.is_empty());
    said
}

/// Replaces everything that `change` names in the good character, one at a time.
fn with(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut json = character();
    change(&mut json);
    says(json.to_string().as_bytes())
}

#[test]
fn messages_truncate_values_of_any_kind() {
    let long = vec![1; 100_000];
    for value in [json!(evil()), json!(long), json!({ "a": long })] {
        let key = |field: &str| {
            with(|c| {
                c["animations"][0]["keyframes"][9]["value_str"] = 7.into();
                c["animations"][0]["keyframes"][1][field] = value.clone();
            })
        };
        for field in [
            "value",
            "element",
            "frame",
            "bone_id",
            "start_handle",
            "is_snap",
        ] {
            key(field);
        }
        for field in ["bone_ids", "constraint", "mode", "target_id"] {
            with(|c| {
                c["inverse_kinematics"][0][field] = value.clone();
                c["bones"][0]["pos"] = 7.into();
            });
        }
        with(|c| c["inverse_kinematics"][0]["bone_ids"] = json!([value, value]));
    }
}

#[test]
fn messages_truncate_and_escape_names_and_texts() {
    let shown = "\"\\u{1b}[2J\\u{202e}\\nxxx";
    for said in [
        with(|c| {
            c["bones"][1]["name"] = evil().into();
            c["bones"][1]["rot"] = "x".into();
        }),
        with(|c| {
            c["animations"][0]["name"] = evil().into();
            c["animations"][0]["fps"] = 0.into();
        }),
        with(|c| c["animations"][0]["keyframes"][9]["value_str"] = evil().into()),
        with(|c| c["animations"][0]["keyframes"][0]["element"] = evil().into()),
        with(|c| c["visuals"][0]["tex"] = evil().into()),
        with(|c| c["animations"][0]["keyframes"][8]["value_str"] = evil().into()),
        with(|c| c["styles"] = json!([{ "name": evil(), "textures": [{ "atlas_idx": 9 }] }])),
    ] {
        assert!(said[0].contains(shown), "{said:?}");
        assert!(said[0].len() < 250, "{said:?}");
    }
}

#[test]
fn messages_truncate_and_escape_file_names() {
    let mut json = character();
    json["atlases"][0]["filename"] = evil().into();
    let json = json.to_string();
    let armature = ("armature.json", json.as_bytes());
    let shown = "\\u{1b}[2J\\u{202e}\\nxxx";
    let name = evil();
    let bomb = vec![0; 4 << 20];
    for picture in [&png(1, 1, [0; 4])[..], &jpeg(&[1])[..1], &bomb, b""] {
        let files = [armature, (&name, picture), ("missing", b"")];
        let archive = zip(DEFLATED, &files);
        if picture.len() > 100 || !picture.starts_with(b"\x89PNG") {
            assert!(says(&archive)[0].contains(shown));
        }
    }
    // Not there, above its limit, in a folder, leading out, within another.
    assert!(says(&zip(STORED, &[armature]))[0].contains(shown));
    let folder = format!("{}/armature.json", evil());
    says(&zip(STORED, &[(&folder, json.as_bytes())]));
    let out = format!("../{}", evil());
    says(&zip(STORED, &[armature, (&out, b"")]));
    let nested = format!("{}.skf", evil());
    says(&zip(STORED, &[armature, (&nested, b"")]));
    for other in [name, nested, out] {
        let said = says(&zip(STORED, &[(&other, b"")]));
        assert!(said[0].contains(shown), "{said:?}");
    }
}
