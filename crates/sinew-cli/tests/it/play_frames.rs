//! `sinew play` to JSON: what plays when, what fires, and the poses.

use crate::common;
use common::Folder;
use common::play::{self, CROSSFADE, assert_playing, at, script};
use serde_json::Value;

/// The numbers of a pose.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values().flat_map(numbers).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

#[test]
fn half_way_through_a_crossfade_both_have_half_the_weight() {
    let frames = Folder::new().frames(CROSSFADE, "20");
    assert_playing(at(&frames, 0.45), &[("idle@0", 1.0)]);
    // The command is carried out before the picture of its time.
    assert_playing(at(&frames, 0.5), &[("idle@0", 1.0), ("run@0", 0.0)]);
    assert_playing(at(&frames, 0.75), &[("idle@0", 0.5), ("run@0", 0.5)]);
    assert_playing(at(&frames, 0.9), &[("idle@0", 0.2), ("run@0", 0.8)]);
    assert_playing(at(&frames, 1.0), &[("run@0", 1.0)]);
    let run = &at(&frames, 1.25)["playing"][0];
    assert!((run["time"].as_f64().unwrap() - 0.75).abs() < 1e-5, "{run}");
    assert_eq!((&run["instance"], &run["target"]), (&0.into(), &1.into()));
    assert_eq!(frames["frames"].as_array().unwrap().len(), 31);
}

#[test]
fn a_blended_pose_lies_between_its_two() {
    let folder = Folder::new();
    let alone = |name: &str, time: f64| {
        let fields =
            r#""animations": [{ "file": "sample:run", "in_place": true }], "duration": 1,"#;
        let timeline =
            format!(r#"{{ "at": 0, "play_new": "{name}", "looped": true, "time": {time} }}"#);
        let frames = folder.frames(&script("sample:idle", fields, &timeline), "10");
        frames["frames"][0]["pose"][0]["position"].clone()
    };
    let frames = folder.frames(CROSSFADE, "20");
    let mixed = numbers(&at(&frames, 0.75)["pose"][0]["position"]);
    let (from, to) = (numbers(&alone("idle", 0.75)), numbers(&alone("run", 0.25)));
    for ((mixed, from), to) in mixed.iter().zip(from).zip(to) {
        assert!(
            (mixed - (from + to) * 0.5).abs() < 1e-4,
            "{mixed} {from} {to}"
        );
    }
}

#[test]
fn frames_do_not_depend_on_how_many_there_are() {
    let folder = Folder::new();
    for (name, text) in [("pip", play::PIP), ("figure", play::FIGURE)] {
        let text = text.replace("../pip.skf", "sample");
        let text = text.replace("../motion/figure.asf", "sample:idle");
        let text = ["idle", "walk", "run", "wave"]
            .iter()
            .fold(text, |text, motion| {
                text.replace(
                    &format!("../motion/{motion}.amc"),
                    &format!("sample:{motion}"),
                )
            });
        let few = folder.frames(&text, "4");
        let many = folder.frames(&text, "60");
        let odd = folder.frames(&text, "12");
        let list = few["frames"].as_array().unwrap();
        assert!(list.len() > 20);
        for frame in list {
            let time = frame["time"].as_f64().unwrap();
            for other in [at(&many, time), at(&odd, time)] {
                assert_eq!(frame["playing"], other["playing"], "{name} at {time}");
                assert_eq!(frame["pose"], other["pose"], "{name} at {time}");
            }
        }
        let fired = |frames: &Value| -> usize {
            let list = frames["frames"].as_array().unwrap();
            list.iter()
                .map(|frame| frame["triggers"].as_array().unwrap().len())
                .sum()
        };
        assert_eq!(fired(&few), fired(&many), "{name}");
        assert!(fired(&few) > 0, "{name}");
    }
}

#[test]
fn triggers_fire_in_the_frame_that_passes_them() {
    let fields = r#""triggers": [
        { "animation": "idle", "time": 0.5, "data": "tick" },
        { "animation": "idle", "normalized": 0.25, "data": 7 },
        { "animation": "idle", "time": 0.9, "data": true }], "duration": 2,"#;
    let timeline = r#"{ "at": 0, "play_new": "idle", "looped": true }"#;
    let frames = Folder::new().frames(&script("sample", fields, timeline), "10");
    let fired: Vec<(f64, &Value)> = frames["frames"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|frame| {
            let list = frame["triggers"].as_array().unwrap().iter();
            list.map(|trigger| (frame["time"].as_f64().unwrap(), &trigger["data"]))
        })
        .collect();
    // Pip idles for three seconds.
    assert_eq!(fired.len(), 3, "{fired:?}");
    assert_eq!(fired[0], (0.5, &"tick".into()));
    assert_eq!((fired[1].1, fired[2].1), (&7.0.into(), &true.into()));
    assert!(fired[2].0 > 0.7 && fired[1].0 < 1.0);
}

#[test]
fn every_command_does_what_its_function_does() {
    let timeline = r#"
        { "at": 0, "play_new": "idle", "looped": true, "weight": 0.5 },
        { "at": 0, "play_new_exclusive": "walk", "layer": 1, "looped": true, "keep_on_zero_weight": true },
        { "at": 0.5, "fade": "walk", "weight": 0.25, "seconds": 0.5 },
        { "at": 1, "update_animation_weight": "idle", "weight": 0.75 },
        { "at": 1, "update_animation_speed": "idle", "speed": 2 },
        { "at": 1, "update_animation_time": "idle", "time": 1 },
        { "at": 1.5, "play_existing": "wave", "layer": 1, "time_range": [0.5, 1.5], "time": 1, "ping_pong": true },
        { "at": 2, "stop_layer_except": "wave", "layer": 1 },
        { "at": 2.5, "play_new": "jump", "layer": 2, "additive": true, "start_bone": "head", "auto_fade_out": 0.5, "speed": 4 },
        { "at": 3.5, "stop_layer": 1, "fade": 0.5 },
        { "at": 4, "stop_all": true }"#;
    let frames = Folder::new().frames(&script("sample", r#""duration": 5,"#, timeline), "8");
    let is = |time, expected: &[(&str, f64)]| assert_playing(at(&frames, time), expected);
    is(0.0, &[("idle@0", 0.5), ("walk@1", 1.0)]);
    is(0.75, &[("idle@0", 0.5), ("walk@1", 0.625)]);
    is(1.0, &[("idle@0", 0.75), ("walk@1", 0.25)]);
    is(1.5, &[("idle@0", 0.75), ("walk@1", 0.25), ("wave@1", 1.0)]);
    is(2.0, &[("idle@0", 0.75), ("wave@1", 1.0)]);
    // The jump takes 0.4 s at that speed, then fades.
    is(
        3.125,
        &[("idle@0", 0.75), ("wave@1", 1.0), ("jump@2", 0.55)],
    );
    is(3.75, &[("idle@0", 0.75), ("wave@1", 0.5)]);
    is(4.0, &[]);
    let time = |time, which: usize| {
        at(&frames, time)["playing"][which]["time"]
            .as_f64()
            .unwrap()
    };
    assert!((time(1.25, 0) - 1.5).abs() < 1e-4);
    // Up to the end of its range and half of the way back.
    assert!((time(2.25, 1) - 1.25).abs() < 1e-4, "{}", time(2.25, 1));
}

#[test]
fn masks_and_start_bones_leave_the_rest_alone() {
    let folder = Folder::new();
    let fields = r#""masks": { "face": { "below": "head" }, "arm": { "weights": { "near_arm": 1 } } }, "duration": 1,"#;
    let pose = |over: &str| {
        let timeline = format!(r#"{{ "at": 0, "play_new": "idle", "looped": true }}{over}"#);
        let frames = folder.frames(&script("sample", fields, &timeline), "10");
        let names = frames["bones"].as_array().unwrap().clone();
        let pose = at(&frames, 0.5)["pose"].as_array().unwrap().clone();
        (names, pose)
    };
    let (names, plain) = pose("");
    let changed = |over: &str| -> Vec<String> {
        let (_, pose) = pose(over);
        let pairs = names.iter().zip(plain.iter().zip(&pose));
        let changed = pairs.filter(|(_, (plain, pose))| plain != pose);
        changed
            .map(|(name, _)| name.as_str().unwrap().to_owned())
            .collect()
    };
    let whole = changed(r#", { "at": 0, "play_new": "wave", "layer": 1 }"#);
    let face = changed(r#", { "at": 0, "play_new": "wave", "layer": 1, "mask": "face" }"#);
    let arm = changed(r#", { "at": 0, "play_new": "wave", "layer": 1, "mask": "arm" }"#);
    let head = changed(r#", { "at": 0, "play_new": "wave", "layer": 1, "start_bone": "head" }"#);
    assert!(whole.iter().any(|name| name == "near_arm") && whole.iter().any(|name| name == "head"));
    assert_eq!(arm, ["near_arm"]);
    assert_eq!(face, head);
    assert!(
        face.len() < whole.len() && !face.contains(&"near_arm".to_owned()),
        "{face:?}"
    );
}

#[test]
fn a_play_lasts_until_a_second_after_the_last_command_and_all_has_ended() {
    let folder = Folder::new();
    let seconds = |timeline: &str| {
        let frames = folder.frames(&script("sample", "", timeline), "5");
        frames["seconds"].as_f64().unwrap()
    };
    assert_eq!(
        seconds(r#"{ "at": 0.5, "play_new": "idle", "looped": true }"#),
        1.5
    );
    // Pip waves for 2.2 s.
    let waved = seconds(r#"{ "at": 1, "play_new": "wave" }"#);
    assert!((waved - 3.2).abs() < 0.01, "{waved}");
    let faded = seconds(r#"{ "at": 1, "play_new": "wave", "auto_fade_out": 0.5 }"#);
    assert!((faded - 3.7).abs() < 0.01, "{faded}");
    assert_eq!(
        seconds(r#"{ "at": 0, "play_new": "wave", "speed": 0 }"#),
        1.0
    );
}

#[test]
fn files_are_found_from_the_folder_of_the_script() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("deep/motions")).unwrap();
    folder.write("deep/motions/a.bvh", common::mocap::BVH);
    let text = script(
        "motions/a.bvh",
        r#""animations": [{ "name": "b", "file": "motions/a.bvh" }],"#,
        r#"{ "at": 0, "play_new": "a", "looped": true }, { "at": 0.5, "play_new": "b", "looped": true }"#,
    );
    folder.write("deep/script.json", text);
    folder.run_fine(&["play", "deep/script.json", "--out", "x.json"]);
    assert!(folder.path("x.json").exists());
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let folder = Folder::new();
    folder.frames(CROSSFADE, "30");
    let first = std::fs::read(folder.path("frames.json")).unwrap();
    folder.frames(CROSSFADE, "30");
    assert_eq!(std::fs::read(folder.path("frames.json")).unwrap(), first);
}

#[test]
fn a_character_plays_files_of_variant_tracks_too() {
    let folder = Folder::new();
    let nod = r#"{ "format": "sinew-motion", "version": 2, "animations": [{ "name": "nod", "length": 1,
        "variants": [{ "name": "head/@/Rotation", "type": "float", "keys": [[0, 0], [1, 1]] }],
        "triggers": [{ "time": 0.4, "data": "down" }] }] }"#;
    folder.write("nod.json", nod);
    let timeline = r#"{ "at": 0, "play_new": "idle", "looped": true },
        { "at": 0, "play_new": "nod", "layer": 1, "keep_on_completion": true }"#;
    let frames = folder.frames(
        &script("sample", r#""animations": ["nod.json"],"#, timeline),
        "10",
    );
    let head = frames["bones"].as_array().unwrap();
    let head = head.iter().position(|name| name == "head").unwrap();
    let turned = at(&frames, 0.5)["pose"][head]["rotation"].as_f64().unwrap();
    assert!((turned - 0.5).abs() < 1e-5, "{turned}");
    assert_eq!(at(&frames, 0.4)["triggers"][0]["data"], "down");
}

#[test]
fn a_trigger_at_the_time_of_a_frame_is_in_it_at_any_rate() {
    let folder = Folder::new();
    let script = r#"{ "format": "sinew-play", "version": 1, "model": "sample:walk", "duration": 0.5,
        "triggers": [{ "animation": "walk", "time": 0.2, "data": "step" },
                     { "animation": "walk", "time": 0.201, "data": "late" }],
        "timeline": [{ "at": 0, "play_new": "walk" }] }"#;
    folder.write("step.json", script);
    for fps in [5.0_f64, 10.0, 30.0, 90.0] {
        folder.run_fine(&["play", "step.json", "--out=f.json", &format!("--fps={fps}")]);
        let text = std::fs::read_to_string(folder.path("f.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut fired = Vec::new();
        for frame in json["frames"].as_array().unwrap() {
            for trigger in frame["triggers"].as_array().unwrap() {
                let data = trigger["data"].as_str().unwrap().to_owned();
                fired.push((data, frame["time"].as_f64().unwrap()));
            }
        }
        let next = ((0.201 * fps).ceil() / fps * 1e6).round() / 1e6;
        assert_eq!(fired.len(), 2, "{fps}: {fired:?}");
        assert!((fired[0].1 - 0.2).abs() < 1e-6, "{fps}: {fired:?}");
        assert!((fired[1].1 - next).abs() < 1e-5, "{fps}: {fired:?}");
    }
}
