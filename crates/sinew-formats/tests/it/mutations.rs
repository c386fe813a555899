//! Good characters with values replaced, removed, moved and repeated at random: they are refused or
//! play, and nothing panics.

use crate::common::make;
use crate::common::play;
use play::play;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use sinew_formats::skf;
use std::path::Path;

/// One change to a place of a character.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    /// What stands at another place.
    Copy(Index),
    /// Once more, as the next entry of its list.
    Repeat,
}

fn change() -> impl Strategy<Value = Change> {
    let values = vec![
        json!(null),
        json!(true),
        json!(""),
        json!("Arc"),
        json!("Texture"),
        json!([]),
        json!({}),
        json!([[]]),
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(3),
        json!(1e9),
        json!(-1e9),
        json!(3e38),
        json!(1e-40),
        json!(1e39),
        json!(0.5),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(4294967296u64),
        json!(16777216),
        json!({ "x": 0, "y": 0 }),
        json!({ "x": null }),
        json!([0, 1, 2]),
        json!([2, 1, 0, 9]),
    ];
    prop_oneof![
        5 => select(values).prop_map(Change::Replace),
        2 => Just(Change::Remove),
        2 => any::<Index>().prop_map(Change::Copy),
        1 => Just(Change::Repeat),
    ]
}

/// The characters that are changed: the saved ones, which are of several versions.
fn characters() -> Vec<Value> {
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/saved/skf");
    let mut files: Vec<_> = std::fs::read_dir(saved)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let json = files
        .iter()
        .filter_map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).ok());
    [make::character()].into_iter().chain(json).collect()
}

/// The paths of everything in a value.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |key: &dyn std::fmt::Display, value: &Value| {
        let path = format!("{at}/{key}");
        paths(value, &path, found);
        found.push(path);
    };
    match value {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(i, value)| visit(&i, value)),
        Value::Object(map) => map.iter().for_each(|(key, value)| visit(key, value)),
        _ => {}
    }
}

fn apply(json: &mut Value, at: &Index, change: Change) {
    let mut all = Vec::new();
    paths(json, "", &mut all);
    if all.is_empty() {
        return;
    }
    let path = at.get(&all);
    let (parent, key) = path.rsplit_once('/').unwrap();
    match change {
        Change::Replace(value) => *json.pointer_mut(path).unwrap() = value,
        Change::Copy(from) => {
            let value = json.pointer(from.get(&all).as_str()).unwrap().clone();
            *json.pointer_mut(path).unwrap() = value;
        }
        Change::Remove => match json.pointer_mut(parent).unwrap() {
            Value::Array(list) => drop(list.remove(key.parse().unwrap())),
            Value::Object(map) => drop(map.remove(key)),
            _ => unreachable!("only lists and objects have parts"),
        },
        Change::Repeat => {
            if let Value::Array(list) = json.pointer_mut(parent).unwrap() {
                let index: usize = key.parse().unwrap();
                list.insert(index, list[index].clone());
            }
        }
    }
}

fn refused_or_plays(mut json: Value, changes: Vec<(Index, Change)>) -> Result<(), TestCaseError> {
    for (at, change) in changes {
        apply(&mut json, &at, change);
    }
    match skf::read_json(json.to_string().as_bytes()) {
        Ok(character) => {
            play(&character.armature);
            let mut data = character.armature.data().clone();
            // Files in an archive have one name each.
            for (index, atlas) in data.atlases.iter_mut().enumerate() {
                atlas.filename = index.to_string();
            }
            let pictures = vec![Vec::new(); data.atlases.len()];
            let bytes = skf::write_bytes(&data, &pictures).unwrap();
            let again = skf::read_bytes(&bytes).unwrap();
            prop_assert_eq!(again.armature.bone_count(), data.bones.len());
        }
        Err(error) => prop_assert!(
            error.to_string().starts_with("armature.json: ")
                || error.to_string().contains("is too large"),
            "{}",
            error
        ),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn changed_characters_are_refused_or_play(
        json in select(characters()),
        changes in vec((any::<Index>(), change()), 1..8),
    ) {
        refused_or_plays(json, changes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    #[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
    fn changed_characters_are_refused_or_play_exhaustively(
        json in select(characters()),
        changes in vec((any::<Index>(), change()), 1..8),
    ) {
        refused_or_plays(json, changes)?;
    }
}
