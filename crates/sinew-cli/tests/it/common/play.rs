//! Scripts to give the program.

use super::Folder;
use serde_json::Value;

/// The scripts that come with the samples.
pub(crate) const PIP: &str = include_str!("../../../../../samples/play/pip.json");
pub(crate) const FIGURE: &str = include_str!("../../../../../samples/play/figure.json");

/// The built-in figure goes from idling to running between 0.5 and 1 s.
pub(crate) const CROSSFADE: &str = r#"{
  "format": "sinew-play", "version": 1, "model": "sample:idle", "duration": 1.5,
  "animations": [{ "file": "sample:run", "in_place": true }],
  "timeline": [
    { "at": 0, "play_new": "idle", "looped": true },
    { "at": 0.5, "play_existing_exclusive": "run", "fade": 0.5, "looped": true }
  ]
}"#;

/// A script on the built-in character or figure, with more fields and a timeline.
pub(crate) fn script(model: &str, fields: &str, timeline: &str) -> String {
    format!(
        r#"{{ "format": "sinew-play", "version": 1, "model": "{model}", {fields} "timeline": [{timeline}] }}"#
    )
}

impl Folder {
    /// Plays a script and reads the frames.
    pub(crate) fn frames(&self, script: &str, fps: &str) -> Value {
        self.write("script.json", script);
        self.run_fine(&["play", "script.json", "--out", "frames.json", "--fps", fps]);
        let text = std::fs::read_to_string(self.path("frames.json")).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["format"], "sinew-play-frames");
        assert_eq!(json["version"], 1);
        json
    }
}

/// The frame at a time.
pub(crate) fn at(frames: &Value, time: f64) -> &Value {
    let list = frames["frames"].as_array().unwrap();
    let same = |frame: &&Value| (frame["time"].as_f64().unwrap() - time).abs() < 1e-9;
    list.iter()
        .find(same)
        .unwrap_or_else(|| panic!("no frame at {time}"))
}

/// What plays in a frame: names with their layers, and weights.
pub(crate) fn playing(frame: &Value) -> Vec<(String, f64)> {
    let list = frame["playing"].as_array().unwrap();
    let name_and_weight = |playing: &Value| {
        let name = playing["name"].as_str().unwrap();
        (
            format!("{name}@{}", playing["layer"]),
            playing["weight"].as_f64().unwrap(),
        )
    };
    list.iter().map(name_and_weight).collect()
}

/// Whether animations play with these weights, to rounding.
pub(crate) fn assert_playing(frame: &Value, expected: &[(&str, f64)]) {
    let playing = playing(frame);
    let same = |(playing, expected): (&(String, f64), &(&str, f64))| {
        playing.0 == expected.0 && (playing.1 - expected.1).abs() < 1e-5
    };
    let is_same = playing.len() == expected.len() && playing.iter().zip(expected).all(same);
    assert!(is_same, "{playing:?} is not {expected:?}");
}
