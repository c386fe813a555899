//! JSON files as people write them, and what they mean.

use sinew::Animation;
use sinew::animation::{Interpolation, MetaValue, Variant, VariantInterpolation, VariantTrack};
use sinew::glam::{IVec2, Quat, Vec2, Vec3, Vec4};
use sinew::math::quat_rotate;
use sinew_formats::json::{JsonFile, read_bytes, write_bytes};

fn file(rest: &str) -> JsonFile {
    let text = format!("{{\"format\": \"sinew-motion\", \"version\": 2, {rest}}}");
    let file = read_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(file.warnings.is_empty(), "{:?}", file.warnings.list());
    file
}

fn animation(fields: &str) -> Animation {
    let mut file = file(&format!("\"animations\": [{{{fields}}}]"));
    file.animations.remove(0)
}

fn variant(fields: &str) -> VariantTrack {
    let mut animation = animation(&format!("\"variants\": [{{\"name\": \"a\", {fields}}}]"));
    animation.variants.remove(0)
}

fn floats(fields: &str) -> VariantTrack {
    variant(&format!("\"type\": \"float\", {fields}"))
}

#[test]
fn the_smallest_file_is_read() {
    let empty = read_bytes(b"\xef\xbb\xbf {\"version\":2,\"format\":\"sinew-motion\"}").unwrap();
    assert!(empty.skeleton.is_none() && empty.animations.is_empty());
    assert_eq!(animation(""), Animation::new("", 0.0));
    let joints = file(
        "\"joints\": [{\"name\": \"a\"}, {\"name\": \"b\", \"parent\": \"a\"}, {\"name\": \"c\", \"parent\": 1}, {\"name\": \"d\", \"parent\": null}]",
    );
    let skeleton = joints.skeleton.unwrap();
    let parents: Vec<_> = skeleton
        .joints()
        .iter()
        .map(|joint| joint.parent.map(|p| p.0))
        .collect();
    assert_eq!(parents, [None, Some(0), Some(1), None]);
    assert_eq!(skeleton.joints()[0].rest, sinew::Transform::IDENTITY);
}

#[test]
fn keys_are_the_same_however_they_are_written() {
    let forms = [
        r#""interpolation": "linear", "keys": [[0, [1, 2, 3]], [0.5, [4, 5, 6]], [1, [7, 8, 9]]]"#,
        r#""keys": [[0, [1, 2, 3]], [0.5, [4, 5, 6]], [1, [7, 8, 9]]]"#,
        r#""times": [0, 0.5, 1], "values": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]"#,
        r#""values": [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "rate": 2"#,
    ];
    let channels = forms.map(|form| {
        let fields = format!("\"tracks\": [{{\"joint\": \"a\", \"position\": {{{form}}}}}]");
        let animation = animation(&fields);
        assert_eq!(animation.length, 1.0);
        animation.tracks[0].position.clone().unwrap()
    });
    for channel in &channels {
        assert_eq!(channel, &channels[0]);
        assert_eq!(channel.interpolation(), Interpolation::Linear);
        assert_eq!(channel.sample(0.25), Vec3::new(2.5, 3.5, 4.5));
    }
    assert_eq!(channels[3].times().rate(), Some(2.0));
    assert_eq!(channels[0].times().rate(), None);
}

#[test]
fn rotations_may_be_in_degrees() {
    let turn = |value: &str| {
        let fields = format!(
            "\"tracks\": [{{\"joint\": \"a\", \"rotation\": {{\"keys\": [[0, {value}]]}}}}]"
        );
        animation(&fields).tracks[0]
            .rotation
            .as_ref()
            .unwrap()
            .first()
    };
    let close = |a: Vec3, b: Vec3| assert!((a - b).length() < 1e-6, "{a} {b}");
    let quarter = turn(r#"{"degrees": [0, 90, 0]}"#);
    close(quat_rotate(quarter, Vec3::X), Vec3::NEG_Z);
    // About x, then about the new y: z goes where the new y-turn takes it.
    let both = turn(r#"{"degrees": [90, 90, 0], "order": "XYZ"}"#);
    close(quat_rotate(both, Vec3::Z), Vec3::X);
    close(quat_rotate(both, Vec3::Y), Vec3::Z);
    let other = turn(r#"{"order": "yxz", "degrees": [90, 90, 0]}"#);
    close(quat_rotate(other, Vec3::Z), Vec3::NEG_Y);
    close(quat_rotate(other, Vec3::Y), Vec3::X);
    // Quaternions are normalized unless they are of length 1 already.
    assert_eq!(turn("[0, 0, 3, 4]"), Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
}

#[test]
fn cubics_have_slopes_or_are_smooth() {
    let with = |keys: &str| {
        let fields = format!(
            "\"tracks\": [{{\"joint\": \"a\", \"scale\": {{\"interpolation\": \"cubic\", \"keys\": [{keys}]}}}}]"
        );
        animation(&fields).tracks[0].scale.clone().unwrap()
    };
    let spline_curve =
        with("[0, [0, 0, 0], [9, 9, 9], [2, 0, 0]], [2, [2, 0, 0], [0, 0, 0], [9, 9, 9]]");
    assert_eq!(spline_curve.out_tangents()[0], Vec3::new(2.0, 0.0, 0.0));
    assert_eq!(spline_curve.sample(1.0), Vec3::new(1.5, 0.0, 0.0));
    let smooth = with("[0, [0, 0, 0]], [1, [1, 0, 0]], [2, [2, 0, 0]]");
    assert!((smooth.sample(0.25) - Vec3::new(0.25, 0.0, 0.0)).length() < 1e-6);
}

#[test]
fn keys_and_triggers_may_be_in_any_order() {
    let text = r#"{"format": "sinew-motion", "version": 2, "animations": [{
        "tracks": [{"joint": "a", "position": {"interpolation": "cubic", "keys": [
            [1, [2, 0, 0], [3, 0, 0], [4, 0, 0]], [0.5, [1, 0, 0], [5, 0, 0], [6, 0, 0]], [0.5, [7, 0, 0], [8, 0, 0], [9, 0, 0]]
        ]}}],
        "triggers": [{"time": 0.75, "data": 1}, {"normalized": 0.5, "data": 2}, {"time": 0.5, "data": 3}, {"time": 0}]
    }]}"#;
    let file = read_bytes(text.as_bytes()).unwrap();
    let animation = &file.animations[0];
    let channel = animation.tracks[0].position.as_ref().unwrap();
    let xs = |values: &[Vec3]| values.iter().map(|v| v.x).collect::<Vec<_>>();
    assert_eq!(channel.times().iter().collect::<Vec<_>>(), [0.5, 0.5, 1.0]);
    assert_eq!(xs(channel.values()), [1.0, 7.0, 2.0]);
    assert_eq!(xs(channel.in_tangents()), [5.0, 8.0, 3.0]);
    assert_eq!(xs(channel.out_tangents()), [6.0, 9.0, 4.0]);
    let triggers: Vec<_> = animation
        .triggers
        .iter()
        .map(|t| (t.time, t.data.clone()))
        .collect();
    let expected = [
        (0.0, Variant::from("")),
        (0.5, 2.0_f32.into()),
        (0.5, 3.0_f32.into()),
        (0.75, 1.0_f32.into()),
    ];
    assert_eq!(triggers, expected);
}

#[test]
fn negative_zero_is_read_as_zero() {
    let zeros = "\"tracks\": [{\"joint\": \"a\", \"scale\": {\"keys\": [[1, [9, 9, 9]], [0, [1, 1, 1]], [-0.0, [2, 2, 2]]]}}], \"triggers\": [{\"time\": 0, \"data\": 1}, {\"time\": -0.0, \"data\": 2}]";
    let text =
        format!("{{\"format\": \"sinew-motion\", \"version\": 2, \"animations\": [{{{zeros}}}]}}");
    let animation = &read_bytes(text.as_bytes()).unwrap().animations[0];
    let scale = animation.tracks[0].scale.as_ref().unwrap();
    let xs: Vec<_> = scale.values().iter().map(|value| value.x).collect();
    assert_eq!(xs, [1.0, 2.0, 9.0]);
    assert_eq!(animation.triggers[1].data, Variant::Float(2.0));
}

#[test]
fn the_length_is_the_last_key_or_trigger() {
    let keys = "\"tracks\": [{\"joint\": \"a\", \"position\": {\"keys\": [[2, [0, 0, 0]]]}}]";
    assert_eq!(animation(keys).length, 2.0);
    assert_eq!(animation(&format!("{keys}, \"length\": 0.5")).length, 0.5);
    assert_eq!(
        animation(&format!("{keys}, \"triggers\": [{{\"time\": 3}}]")).length,
        3.0
    );
    let normalized = animation(&format!("{keys}, \"triggers\": [{{\"normalized\": 1}}]"));
    assert_eq!((normalized.length, normalized.triggers[0].time), (2.0, 2.0));
}

#[test]
fn values_of_every_type_are_read() {
    for (kind, json, value) in [
        ("bool", "true", Variant::Bool(true)),
        ("int", "-3", Variant::Int(-3)),
        (
            "int64",
            "9007199254740993",
            Variant::Int64(9_007_199_254_740_993),
        ),
        ("float", "0.1", Variant::Float(0.1)),
        ("double", "0.1", Variant::Double(0.1)),
        ("vec2", "[1, 2]", Vec2::new(1.0, 2.0).into()),
        ("vec3", "[1, 2, 3]", Vec3::new(1.0, 2.0, 3.0).into()),
        ("vec4", "[1, 2, 3, 4]", Vec4::new(1.0, 2.0, 3.0, 4.0).into()),
        ("quat", "[0, 0, 0, 1]", Quat::IDENTITY.into()),
        ("quat", "{\"degrees\": [0, 0, 0]}", Quat::IDENTITY.into()),
        (
            "color",
            "[1, 0.5, 0, 1]",
            Variant::Color(Vec4::new(1.0, 0.5, 0.0, 1.0)),
        ),
        ("ivec2", "[1, -2]", IVec2::new(1, -2).into()),
        (
            "ivec3",
            "[1, 2, 3]",
            sinew::glam::IVec3::new(1, 2, 3).into(),
        ),
        (
            "int_rect",
            "[1, 2, 3, 4]",
            sinew::glam::IVec4::new(1, 2, 3, 4).into(),
        ),
        ("text", "\"a\\nb\"", Variant::from("a\nb")),
    ] {
        let track = variant(&format!("\"type\": \"{kind}\", \"keys\": [[0.5, {json}]]"));
        assert_eq!(track.values(), std::slice::from_ref(&value), "{kind}");
        let fields =
            format!("\"triggers\": [{{\"time\": 1, \"type\": \"{kind}\", \"data\": {json}}}]");
        assert_eq!(animation(&fields).triggers[0].data, value, "{kind}");
    }
    for (json, value) in [
        ("\"step\"", Variant::from("step")),
        ("false", Variant::Bool(false)),
        ("3", Variant::Float(3.0)),
        ("[1, 2]", Vec2::new(1.0, 2.0).into()),
        ("[1, 2, 3]", Vec3::new(1.0, 2.0, 3.0).into()),
        ("[1, 2, 3, 4]", Vec4::new(1.0, 2.0, 3.0, 4.0).into()),
        ("{\"number\": \"-inf\"}", Variant::Float(f32::NEG_INFINITY)),
    ] {
        let fields = format!("\"triggers\": [{{\"time\": 1, \"data\": {json}}}]");
        assert_eq!(animation(&fields).triggers[0].data, value, "{json}");
    }
}

#[test]
fn metadata_is_a_text_a_number_or_a_flag() {
    let animation =
        animation(r#""metadata": {"a": "b", "n": 1.5, "i": {"number": "inf"}, "f": false}"#);
    let found: Vec<_> = animation.metadata.into_iter().collect();
    let expected = [
        ("a", MetaValue::Text("b".into())),
        ("f", MetaValue::Flag(false)),
        ("i", MetaValue::Number(f64::INFINITY)),
        ("n", MetaValue::Number(1.5)),
    ];
    assert_eq!(
        found,
        expected.map(|(name, value)| (name.to_owned(), value))
    );
}

fn number(value: &Variant) -> f64 {
    value.numbers()[0]
}

#[test]
fn looped_linear_tracks_return_to_the_first_key() {
    let track = floats("\"keys\": [[0, 0], [1, 10]]");
    for (time, looped, expected) in [
        (0.5, true, 5.0),
        (1.0, true, 10.0),
        (1.5, true, 5.0),
        (1.75, true, 2.5),
        (2.0, true, 0.0),
        (1.5, false, 10.0),
        (2.0, false, 10.0),
    ] {
        assert_eq!(
            number(&track.sample(time, 2.0, looped)),
            expected,
            "{time} {looped}"
        );
    }
    let jump = floats("\"keys\": [[0, 1], [0.5, 2], [0.5, 8], [1, 4]]");
    for (time, expected) in [(0.25, 1.5), (0.5, 8.0), (0.75, 6.0), (1.0, 4.0)] {
        assert_eq!(number(&jump.sample(time, 1.0, false)), expected, "{time}");
    }
    let one = floats("\"keys\": [[0.5, 7]]");
    for time in [0.0, 0.5, 0.9] {
        for looped in [false, true] {
            assert_eq!(number(&one.sample(time, 1.0, looped)), 7.0);
        }
    }
}

#[test]
fn the_last_key_of_a_looped_colour_may_differ_from_the_first() {
    let track = variant(
        "\"type\": \"color\", \"keys\": [[0, [1, 1, 1, 1]], [0.99, [1, 1, 1, 1]], [1, [0, 0, 0, 0]]]",
    );
    let time = 1.0 + 5e-7;
    assert_eq!(track.sample(time, 1.0, false), Variant::Color(Vec4::ZERO));
    assert_eq!(track.sample(time, 1.0, true), Variant::Color(Vec4::ONE));
}

#[test]
fn splines_follow_tension_or_tangents() {
    let spline =
        floats("\"interpolation\": \"tension_spline\", \"rate\": 1, \"values\": [0, 1, 3, 2]");
    assert_eq!(
        spline.interpolation(),
        VariantInterpolation::TensionSpline { tension: 0.5 }
    );
    for (time, expected) in [(0.5, 0.3125), (1.5, 2.125), (1.25, 1.5)] {
        assert_eq!(number(&spline.sample(time, 3.0, false)), expected, "{time}");
    }
    let door = variant(
        "\"type\": \"vec3\", \"interpolation\": \"tension_spline\", \"tension\": 0.7, \"keys\": [[0, [-0.5, 1, 0]], [1, [-1.5, 1, 0]]]",
    );
    for (time, expected) in [(0.25, -0.65625), (0.5, -1.0), (0.75, -1.34375)] {
        assert_eq!(number(&door.sample(time, 1.0, false)), expected, "{time}");
    }
    let quick =
        floats("\"interpolation\": \"tangent_spline\", \"keys\": [[0, 0, 0, 20], [1, 10, 0, 0]]");
    assert_eq!(number(&quick.sample(0.5, 1.0, false)), 7.5);
    assert_eq!(number(&quick.sample(0.25, 1.0, false)), 4.375);
    let slow =
        floats("\"interpolation\": \"tangent_spline\", \"keys\": [[0, 0, 0, 10], [2, 10, 0, 0]]");
    assert_eq!(number(&slow.sample(1.0, 2.0, false)), 7.5);
    let without = floats("\"interpolation\": \"tangent_spline\", \"keys\": [[0, 0], [1, 10]]");
    assert_eq!(number(&without.sample(0.5, 1.0, false)), 0.0);
    let columns = floats(
        "\"interpolation\": \"tangent_spline\", \"rate\": 1, \"values\": [0, 10], \"in_tangents\": [0, 0], \"out_tangents\": [20, 0]",
    );
    assert_eq!(columns, quick);
}

#[test]
fn interpolated_integers_are_truncated_and_texts_hold() {
    let up = variant("\"type\": \"int\", \"keys\": [[0, 10], [0.4, 20]]");
    assert_eq!(up.sample(0.3, 1.0, false), Variant::Int(17));
    let down = variant("\"type\": \"int\", \"keys\": [[0, -10], [0.4, -20]]");
    assert_eq!(down.sample(0.3, 1.0, false), Variant::Int(-17));
    let text = variant("\"type\": \"text\", \"keys\": [[0, \"A\"], [0.4, \"B\"]]");
    assert_eq!(text.interpolation(), VariantInterpolation::None);
    assert_eq!(text.sample(0.3, 1.0, false), Variant::from("A"));
    assert_eq!(text.sample(0.4, 1.0, false), Variant::from("B"));
    let turn = animation(
        "\"tracks\": [{\"joint\": \"a\", \"rotation\": {\"keys\": [[0, {\"degrees\": [0, 0, 0]}], [1, {\"degrees\": [0, 270, 0]}]]}}]",
    );
    let halfway = turn.tracks[0].rotation.as_ref().unwrap().sample(0.5);
    let seen = quat_rotate(halfway, Vec3::X);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!(
        (seen - Vec3::new(half, 0.0, half)).length() < 1e-5,
        "{seen}"
    );
}

#[test]
fn what_is_written_can_be_edited() {
    let text = r#"{
  "format": "sinew-motion",
  "version": 2,
  "units": "metres",
  "up": "y",
  "animations": [
    {
      "name": "open \"it\"",
      "length": 1.5,
      "metadata": {
        "Looped": true,
        "speed": 0.25
      },
      "tracks": [
        {"joint": "hinge", "weights": {"position": 1, "rotation": 0.5, "scale": 1},
          "position": {"interpolation": "linear", "rate": 30, "values": [[0,1,0],[0,1.25,0]]},
          "rotation": {"interpolation": "step", "keys": [
            [0, [0, 0, 0, 1]],
            [0.5, [0, 0.6, 0, 0.8]]]}}
      ],
      "variants": [
        {"name": "@Light/Color", "type": "color", "interpolation": "tension_spline", "tension": 0.7, "weight": 0.5, "keys": [
            [0, [1, 1, 1, 1]],
            [1, [1, 0, 0, 1]]]}
      ],
      "triggers": [
        {"time": 0.5, "data": "creak"},
        {"time": 1, "type": "int", "data": 3}
      ]
    }
  ]
}
"#;
    let file = read_bytes(text.as_bytes()).unwrap();
    assert!(file.warnings.is_empty());
    let written = |animations| String::from_utf8(write_bytes(None, animations)).unwrap();
    assert_eq!(written(&file.animations), text);
    assert_eq!(written(&[]).lines().count(), 7);
}
