//! XML animations and what they mean.

use sinew::Animation;
use sinew::animation::{ChannelWeights, MetaValue, Variant, VariantInterpolation, VariantTrack};
use sinew::glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};
use sinew::math::quat_rotate;
use sinew_formats::{json, xml};

fn animation(inside: &str) -> Animation {
    let text = format!("<animation name='a' length='4'>{inside}</animation>");
    let file = xml::read_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(file.warnings.is_empty(), "{:?}", file.warnings.list());
    file.animation
}

fn variant(attributes: &str, keys: &str) -> VariantTrack {
    let inside = format!("<variant name='v' {attributes}>{keys}</variant>");
    animation(&inside).variants.remove(0)
}

fn number(value: &Variant) -> f64 {
    value.numbers()[0]
}

#[test]
fn a_sliding_door_slides() {
    let text = "<?xml version=\"1.0\"?>
<animation length=\"1.0\">
  <variant name=\"Left/@/Position\" type=\"Vector3\" interpolation=\"spline\" tension=\"0.7\">
    <keyframe time=\"0.0\" value=\"-0.5 1.0 0.0\"/>
    <keyframe time=\"1.0\" value=\"-1.5 1.0 0.0\"/>
  </variant>
</animation>";
    let file = xml::read_bytes(text.as_bytes()).unwrap();
    assert!(file.warnings.is_empty());
    assert_eq!(file.animation.length, 1.0);
    let door = file.animation.variant("Left/@/Position").unwrap();
    let tension = 0.7;
    assert_eq!(
        door.interpolation(),
        VariantInterpolation::TensionSpline { tension }
    );
    for (time, x) in [(0.25, -0.65625), (0.5, -1.0), (0.75, -1.34375)] {
        let expected = Vec3::new(x, 1.0, 0.0);
        assert_eq!(door.sample(time, 1.0, false), expected.into(), "{time}");
    }
    // And as JSON it is the same.
    let again = json::write_bytes(None, std::slice::from_ref(&file.animation));
    let again = json::read_bytes(&again).unwrap();
    assert_eq!(again.animations, [file.animation]);
}

#[test]
fn transform_tracks_have_exactly_the_named_channels() {
    let moving = animation(
        "<transform name='Quad 2' position='true' rotation='false'>
           <keyframe time='2' position='1 1 0'/>
           <keyframe time='0.0' position='0 1 0'/>
           <keyframe time='0.5' position='-1 1 0'/>
           <keyframe time='1.5' position='1 1 0'/>
         </transform>",
    );
    let track = moving.track("Quad 2").unwrap();
    assert!(track.rotation.is_none() && track.scale.is_none());
    assert_eq!(track.weights, ChannelWeights::default());
    let position = track.position.as_ref().unwrap();
    assert_eq!(
        position.times().iter().collect::<Vec<_>>(),
        [0.0, 0.5, 1.5, 2.0]
    );
    for (time, x) in [(0.25, -0.5), (0.5, -1.0), (1.0, 0.0), (1.5, 1.0)] {
        assert_eq!(position.sample(time), Vec3::new(x, 1.0, 0.0), "{time}");
    }
}

#[test]
fn rotations_are_w_first_or_angles_about_z_then_x_then_y() {
    let turn = |text: &str| {
        let inside = format!(
            "<transform name='a' rotation='yes'><keyframe time='0' rotation='{text}'/></transform>"
        );
        animation(&inside).tracks[0]
            .rotation
            .as_ref()
            .unwrap()
            .first()
    };
    assert_eq!(turn("0.8 0 0.6 0"), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
    let close = |a: Vec3, b: Vec3| assert!((a - b).length() < 1e-6, "{a} {b}");
    close(quat_rotate(turn("0 90 0"), Vec3::X), Vec3::NEG_Z);
    // z first: x goes to y; then about x: y goes to z; then about y: z goes to x.
    close(quat_rotate(turn("90 90 90"), Vec3::X), Vec3::X);
    // z first: y goes to -x, which x leaves; then about y: -x goes to z.
    close(quat_rotate(turn("90 90 90"), Vec3::Y), Vec3::Z);
}

#[test]
fn channel_weights_apply_to_all_channels_or_to_one() {
    let weights = |attributes: &str| {
        animation(&format!(
            "<transform name='a' {attributes}><keyframe time='0'/></transform>"
        ))
        .tracks[0]
            .weights
    };
    let made = |position, rotation, scale| ChannelWeights {
        position,
        rotation,
        scale,
    };
    assert_eq!(weights("weight='0.5'"), made(0.5, 0.5, 0.5));
    assert_eq!(weights("rotationweight='0'"), made(1.0, 0.0, 1.0));
    assert_eq!(
        weights("weight='0.5' positionweight='2' scaleweight='3'"),
        made(2.0, 0.5, 3.0)
    );
    let track = variant(
        "type='Float' weight='0.25'",
        "<keyframe time='0' value='1'/>",
    );
    assert_eq!(track.weight, 0.25);
}

#[test]
fn values_of_every_type_are_read() {
    for (kind, text, value) in [
        ("Bool", "true", Variant::Bool(true)),
        ("bool", "false", Variant::Bool(false)),
        ("Int", "-3", Variant::Int(-3)),
        (
            "Int64",
            "9007199254740993",
            Variant::Int64(9_007_199_254_740_993),
        ),
        ("Float", " 0.1 ", Variant::Float(0.1)),
        ("Double", "0.1", Variant::Double(0.1)),
        ("Vector2", "1 2", Vec2::new(1.0, 2.0).into()),
        ("Vector3", " 1  2 3", Vec3::new(1.0, 2.0, 3.0).into()),
        ("Vector4", "1 2 3 4", Vec4::new(1.0, 2.0, 3.0, 4.0).into()),
        ("Quaternion", "1 0 0 0", Quat::IDENTITY.into()),
        ("Quaternion", "0 0 0", Quat::IDENTITY.into()),
        (
            "Color",
            "1 0.5 0",
            Variant::Color(Vec4::new(1.0, 0.5, 0.0, 1.0)),
        ),
        (
            "Color",
            "1 0.5 0 0",
            Variant::Color(Vec4::new(1.0, 0.5, 0.0, 0.0)),
        ),
        ("IntVector2", "1 -2", IVec2::new(1, -2).into()),
        ("IntVector3", "1 2 3", IVec3::new(1, 2, 3).into()),
        ("IntRect", "1 2 3 4", IVec4::new(1, 2, 3, 4).into()),
        ("String", "a &lt; b", Variant::from("a < b")),
        ("String", "", Variant::from("")),
    ] {
        let key = format!("<keyframe time='0.5' value='{text}'/>");
        let track = variant(&format!("type='{kind}'"), &key);
        assert_eq!(track.values(), std::slice::from_ref(&value), "{kind}");
        let trigger = format!("<trigger time='1' type='{kind}' value='{text}'/>");
        assert_eq!(animation(&trigger).triggers[0].data, value, "{kind}");
    }
}

#[test]
fn splines_have_the_tangents_of_their_keys_even_when_sorted() {
    let keys = "<keyframe time='1' value='10'><intangent value='0'/><outtangent value='7'/></keyframe>
                <keyframe time='0' value='0'><intangent value='5'/><outtangent value='20'/></keyframe>";
    let track = variant("type='Float' interpolation='CubicSpline'", keys);
    assert_eq!(number(&track.sample(0.5, 1.0, false)), 7.5);
    assert_eq!(number(&track.sample(0.25, 1.0, false)), 4.375);
    let tangents: Vec<_> = track
        .keys()
        .map(|key| (key.in_tangent, key.out_tangent))
        .collect();
    let pair = |a: f32, b: f32| (Some(Variant::Float(a)), Some(Variant::Float(b)));
    // The segment from the last key back to the first takes three seconds.
    let third = |number: f64| (number * (1.0 / 3.0)) as f32;
    assert_eq!(tangents, [pair(third(5.0), 20.0), pair(0.0, third(7.0))]);
}

/// Tangents in files are per segment, however long it is; tracks have them per second. A loop's gap is a segment too.
#[test]
fn tangents_per_segment_become_tangents_per_second() {
    let keys = "<keyframe time='0' value='0'><intangent value='8'/><outtangent value='20'/></keyframe>
                <keyframe time='2' value='10'><intangent value='0'/><outtangent value='16'/></keyframe>";
    let track = variant("type='Float' interpolation='CubicSpline'", keys);
    assert_eq!(number(&track.sample(1.0, 4.0, false)), 7.5);
    assert_eq!(number(&track.sample(0.5, 4.0, false)), 4.375);
    assert_eq!(
        number(&track.sample(3.0, 4.0, true)),
        5.0 + (16.0 - 8.0) / 8.0
    );
}

#[test]
fn interpolations_are_what_the_type_allows() {
    let keys = "<keyframe time='0' value='10'/><keyframe time='0.4' value='20'/>";
    for interpolation in ["linear", "spline"] {
        let track = variant(&format!("type='Int' interpolation='{interpolation}'"), keys);
        assert_eq!(track.interpolation(), VariantInterpolation::Linear);
        assert_eq!(track.sample(0.3, 1.0, false), Variant::Int(17));
    }
    let held = variant("type='Int' interpolation='none'", keys);
    assert_eq!(held.sample(0.3, 1.0, false), Variant::Int(10));
    let text = variant("type='String'", keys);
    assert_eq!(text.interpolation(), VariantInterpolation::None);
    let usual = variant("type='Float' interpolation='spline'", keys);
    let tension = 0.5;
    assert_eq!(
        usual.interpolation(),
        VariantInterpolation::TensionSpline { tension }
    );
}

#[test]
fn triggers_are_sorted_and_may_be_fractions_of_the_length() {
    let found = animation(
        "<trigger time='3' type='String' value='late'/><trigger normalizedtime='0.5' type='Int' value='7'/>
         <trigger time='2' value='same'/><trigger time='0'/>",
    );
    let triggers: Vec<_> = found
        .triggers
        .iter()
        .map(|t| (t.time, t.data.clone()))
        .collect();
    let expected = [
        (0.0, Variant::from("")),
        (2.0, Variant::Int(7)),
        (2.0, Variant::from("same")),
        (3.0, Variant::from("late")),
    ];
    assert_eq!(triggers, expected);
}

#[test]
fn metadata_keeps_its_type_or_becomes_text() {
    let found = animation(
        "<metadata name='Looped' type='Bool' value='true'/><metadata name='FrameRate' type='Float' value='30'/>
         <metadata name='Model' type='String' value='a.mdl'/><metadata name='Count' type='Int' value='-2'/>
         <metadata name='RootLinearVelocity' type='Vector3' value='0 0 1.5'/>
         <metadata name='ParentTracks' type='StringVector'><string value='hips'/><string value='spine'/></metadata>
         <metadata name='Plain' value='x'/>",
    );
    assert_eq!(found.frame_rate, Some(30.0));
    let expected = [
        ("Count", MetaValue::Number(-2.0)),
        ("FrameRate", MetaValue::Number(30.0)),
        ("Looped", MetaValue::Flag(true)),
        ("Model", MetaValue::Text("a.mdl".into())),
        ("ParentTracks", MetaValue::Text("hips;spine".into())),
        ("Plain", MetaValue::Text("x".into())),
        ("RootLinearVelocity", MetaValue::Text("0 0 1.5".into())),
    ];
    let found: Vec<_> = found.metadata.into_iter().collect();
    assert_eq!(
        found,
        expected.map(|(name, value)| (name.to_owned(), value))
    );
}
