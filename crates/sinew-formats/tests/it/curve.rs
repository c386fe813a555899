//! Registration curves as files of their own and within packed files.

use crate::pack_common;
use pack_common::one;
use sinew::JointIndex;
use sinew::anatomy::LimbEnd;
use sinew::math::GroundTransform;
use sinew::packed::Packing;
use sinew::registration::{
    LoopCycle, MotionFingerprint, PlantMatch, RegisteredMotion, RegistrationCurve, RegistrationData,
};
use sinew::skeleton::Side;
use sinew_formats::curve::{MARKER_COUNT, read, read_bytes, write_bytes};
use sinew_formats::gltf::{GltfWriteSettings, write_gltf};
use sinew_formats::pack::{self, PackView};

fn curve() -> RegistrationCurve {
    let motion = |name: &str, pace: f64| RegisteredMotion {
        name: name.into(),
        times: vec![0.1, 0.4 * pace, 1.0 * pace, 4.0 / 3.0 * pace, 2.0 * pace],
        angles: vec![0.1, -0.2, 1.0 / 3.0],
        xs: vec![0.0, 1e-17, 0.5],
        zs: vec![-3.25, 0.1, 0.2],
        cycle: None,
        fingerprint: Some(MotionFingerprint {
            length: 2.5,
            moments: vec![vec![[0.0, 0.9, 1.0 / 3.0], [0.1, 0.5, 0.5]]; 2],
        }),
    };
    let plant = |end, side| PlantMatch {
        end,
        side,
        joint: JointIndex(4),
        spans: vec![[0.0, 0.25], [0.1, 1.0 / 3.0]],
    };
    RegistrationCurve::from_data(RegistrationData {
        motions: vec![motion("walk", 1.0), motion("run \"fast\"", 0.7)],
        reference: 1,
        plants: vec![
            plant(LimbEnd::Heel, Side::Left),
            plant(LimbEnd::Ball, Side::Right),
            plant(LimbEnd::Hand, Side::Middle),
        ],
        distance: 0.1234567890123,
    })
    .unwrap()
}

fn text_of(curve: &RegistrationCurve) -> String {
    String::from_utf8(write_bytes(curve)).unwrap()
}

#[test]
fn files_that_are_no_curve_are_refused_with_place_and_reason() {
    let good = text_of(&curve());
    let change = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let refused = [
        (
            String::new(),
            "line 1, column 1: expected a value, found the end of the text",
        ),
        ("[1, 2]".to_owned(), "expected"),
        (
            "{}".to_owned(),
            "expected JSON with \"format\": \"sinew-curve\", found none",
        ),
        (
            change("sinew-curve", "sinew-motion"),
            "found \"sinew-motion\"",
        ),
        (
            change("\"version\": 2", "\"version\": 1"),
            "version: expected 2",
        ),
        (
            change("\"reference\": 1", "\"reference\": 2"),
            "the reference is motion 2; there are 2",
        ),
        (
            change("\"reference\": 1", "\"reference\": -1"),
            "line 4, column 16, reference: expected usize, found -1",
        ),
        (
            change("\"heel\"", "\"nose\""),
            "plants[0].end: expected `heel`, `ball` or `hand`, found \"nose\"",
        ),
        (
            change("0.4,", "7.4,"),
            "motion 0 has times that do not rise",
        ),
        (
            change("0.4,", "1e999,"),
            "motions[0].times[1]: expected a number of 64 bits, found 1e999",
        ),
        (change("0.25", "1.25"), "plant 0 must have one span"),
        (
            change("\"distance\": 0", "\"distance\": -0"),
            "the distance is not",
        ),
        (
            format!("{good} x"),
            "expected the end of the text, found \"x\"",
        ),
    ];
    for (text, said) in refused {
        let error = read_bytes(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    for end in 0..good.len() - 2 {
        assert!(read_bytes(&good.as_bytes()[..end]).is_err(), "{end}");
    }
    let error = read("no/such/curve.json").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no/such/curve.json: cannot read")
    );
}

#[test]
fn curves_round_trip_bit_for_bit() {
    let written = curve();
    let text = text_of(&written);
    assert_eq!(read_bytes(text.as_bytes()).unwrap(), written);
    let with_mark = format!("\u{feff}{text}");
    assert_eq!(read_bytes(with_mark.as_bytes()).unwrap(), written);
    // Markers are there for others.
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let markers = json["motions"][0]["markers"].as_array().unwrap();
    assert_eq!(markers.len(), MARKER_COUNT);
    assert_eq!(markers[0].as_f64(), Some(written.time(0, 0.0)));
    assert_eq!(
        markers[MARKER_COUNT - 1].as_f64(),
        Some(written.time(0, 1.0))
    );
}

#[test]
fn packed_files_carry_curves() {
    let mut pack = one(Packing::Small, 3, 20);
    let without = pack::write_bytes(&pack).unwrap();
    assert!(PackView::read(&without).unwrap().curves().is_empty());
    pack.curves = vec![curve(), curve()];
    let bytes = pack::write_bytes(&pack).unwrap();
    assert_eq!(PackView::read(&bytes).unwrap().curves(), pack.curves);
    assert_eq!(pack::read_bytes(&bytes).unwrap().curves, pack.curves);
    // A reader that knows nothing of curves may leave them out.
    assert_eq!(pack_common::word(&bytes, 32 + 2 * 32), 0x8000_0001);
    for end in 0..bytes.len() {
        assert!(PackView::read(&bytes[..end]).is_err(), "{end}");
    }
    let offset = bytes
        .windows(11)
        .position(|part| part == b"sinew-curve")
        .unwrap();
    let mut damaged = bytes.clone();
    damaged[offset] = b'S';
    let error = PackView::read(&damaged).unwrap_err().to_string();
    assert!(
        error.contains("curve 0") && error.contains("damaged"),
        "{error}"
    );
}

#[test]
fn sync_markers_are_written_to_the_extras_of_their_animations() {
    let pack = one(Packing::Plain, 3, 20);
    let skeleton = &pack.skeletons[0];
    let walk = sinew_author::compress::decompress(&pack.animations[0].animation, skeleton).unwrap();
    let settings = GltfWriteSettings {
        sync_markers: vec![vec![0.0, 0.25, 1.5], vec![f64::NAN]],
        ..GltfWriteSettings::default()
    };
    let three = [walk.clone(), walk.clone(), walk];
    let text = write_gltf(skeleton, &three, &settings).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let markers =
        |animation: usize| &json["animations"][animation]["extras"]["sinew"]["sync_markers"];
    assert_eq!(*markers(0), serde_json::json!([0.0, 0.25, 1.5]));
    assert!(markers(1).is_null() && markers(2).is_null());
}

/// Two loops, the second of which is half a cycle behind the first.
fn cyclic() -> RegistrationCurve {
    let motion = |name: &str, start: f64, seconds: f64| RegisteredMotion {
        name: name.into(),
        times: [0.0, 0.2, 0.8, 1.0]
            .map(|time| start + time * seconds)
            .to_vec(),
        angles: vec![0.0; 3],
        xs: vec![0.0; 3],
        zs: vec![0.0; 3],
        cycle: Some(LoopCycle {
            seconds,
            ground_transform: GroundTransform {
                angle: 0.1,
                x: 0.2,
                z: 1.0 / 3.0,
            },
        }),
        fingerprint: None,
    };
    RegistrationCurve::from_data(RegistrationData {
        motions: vec![motion("walk", 0.0, 1.1), motion("run", 0.35, 0.7)],
        distance: 0.1,
        ..RegistrationData::default()
    })
    .unwrap()
}

/// A curve of loops is kept in every form: as JSON, in `.sinew` files and as markers of glTF animations, whose last
/// marker is the first one a cycle later.
#[test]
fn curves_of_loops_are_kept_bit_for_bit() {
    let written = cyclic();
    assert!(written.is_cyclic() && !curve().is_cyclic());
    let text = text_of(&written);
    assert_eq!(read_bytes(text.as_bytes()).unwrap(), written);
    let mut pack = one(Packing::Small, 3, 20);
    pack.curves = vec![written.clone(), curve()];
    let bytes = pack::write_bytes(&pack).unwrap();
    assert_eq!(pack::read_bytes(&bytes).unwrap().curves, pack.curves);
    let markers = written.markers(1, MARKER_COUNT);
    assert!((markers[0] - 0.35).abs() < 1e-12);
    assert!((markers[MARKER_COUNT - 1] - markers[0] - 0.7).abs() < 1e-12);
    assert!(markers.windows(2).all(|pair| pair[0] < pair[1]));
    // Every moment has a position, whichever cycle it is in.
    for time in [0.36, 0.6, 1.0] {
        let here = written.position(1, time);
        assert!(
            (written.position(1, time + 0.7) - here).abs() < 1e-9,
            "{time}"
        );
        assert!(
            (written.position(1, time - 1.4) - here).abs() < 1e-9,
            "{time}"
        );
    }
    let (time, led) = written.sample_time(1, 1.0);
    assert!((time - 0.35).abs() < 1e-9 && (led.z - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn curves_of_loops_that_do_not_close_are_refused() {
    let good = text_of(&cyclic());
    for (from, to, said) in [
        (
            "\"seconds\": 1.1",
            "\"seconds\": 1.2",
            "times that rise by one cycle",
        ),
        ("\"seconds\": 1.1", "\"seconds\": 0", "seconds above zero"),
        ("\"cycle\"", "\"cycles\"", "motion 0 has no cycle"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = read_bytes(good.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}
