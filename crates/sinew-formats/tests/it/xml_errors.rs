//! XML animations that are cut off or broken: each is refused with a sentence that says where and what, or
//! read with a warning, and none makes the reader panic.

use crate::common;
use proptest::prelude::*;
use sinew_formats::limits::MAX_XML_NODES;
use sinew_formats::xml::{XmlError, read, read_bytes};

fn refusal(text: &str) -> String {
    common::refusal(text, read_bytes(text.as_bytes()))
}

fn warnings(text: &str) -> Vec<String> {
    common::warning_texts(&read_bytes(text.as_bytes()).unwrap().warnings)
}

fn animation(inside: &str) -> String {
    format!("<animation length=\"1\">\n{inside}\n</animation>")
}

/// An animation with everything in it.
const SMALL: &str = r#"<?xml version="1.0"?>
<animation name="all" length="2">
  <!-- a hinge that turns -->
  <transform name="hinge" position="true" rotation="true" scale="true" weight="0.5" scaleweight="1">
    <keyframe time="0" position="0 1 2" rotation="1 0 0 0" scale="1 1 1"/>
    <keyframe time="1" position="0 1 3" rotation="0 90 0" scale="2 2 2"/>
  </transform>
  <variant name="@Light/Color" type="Color" interpolation="spline" tension="0.7" weight="0.25">
    <keyframe time="0" value="1 1 1"/>
    <keyframe time="1" value="1 0 0 0.5"/>
  </variant>
  <variant name="@/X" type="Float" interpolation="cubicspline">
    <keyframe time="0" value="0"><intangent value="0"/><outtangent value="20"/></keyframe>
    <keyframe time="1" value="10"><intangent value="0"/><outtangent value="0"/></keyframe>
  </variant>
  <trigger normalizedtime="0.5" type="String" value="creak"/>
  <metadata name="Looped" type="Bool" value="true"/>
</animation>
"#;

#[test]
fn files_that_are_no_animation_are_refused_with_the_reason() {
    for (text, expected) in [
        (
            "",
            "line 1, column 1: the document does not have a root node",
        ),
        ("{}", "line 1, column 1: unknown token"),
        (
            "<animation",
            "line 1, column 11: the document does not have a root node",
        ),
        (
            "\n<scene/>",
            "line 2, column 1: expected <animation>, found <scene>",
        ),
        (
            "<animation/>",
            "line 1, column 1, animation: expected a length in seconds, found none",
        ),
        (
            "<animation length=\"\"/>",
            "line 1, column 1, animation: expected a length in seconds, found none",
        ),
        (
            "<animation length=\"long\"/>",
            "line 1, column 12, animation, length: expected a number, found \"long\"",
        ),
        (
            "<animation length=\"inf\"/>",
            "line 1, column 12, animation, length: expected a number, found \"inf\"",
        ),
        (
            "<animation length=\"-1\"/>",
            "line 1, column 12, animation, length: expected a length that is not negative, found -1",
        ),
        (
            "<animation length=\"1\" length=\"2\"/>",
            "line 1, column 23: attribute 'length' is already defined",
        ),
        (
            "<animation length=\"1\">\n</animations>",
            "line 2, column 1: expected 'animation' tag, not 'animations'",
        ),
        (
            "<animation length=\"&one;\"/>",
            "line 1, column 20: unknown entity reference 'one'",
        ),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
    let error = read("/nowhere/x.xml").unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/x.xml: cannot read the file: "));
    let error = read_bytes(b"<animation\n a='\xff'/>")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "line 2, column 5: expected UTF-8, found the byte 0xff"
    );
}

#[test]
fn custom_entities_are_refused() {
    let laughs = "<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;&b;'>]><animation length='1'>&c;</animation>";
    assert_eq!(refusal(laughs), "line 1, column 1: XML with DTD detected");
    let outside = "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><animation length='1'/>";
    assert_eq!(refusal(outside), "line 1, column 1: XML with DTD detected");
}

#[test]
fn an_animation_cut_off_at_any_length_is_refused() {
    assert_eq!(warnings(SMALL), [""; 0]);
    let end = SMALL.trim_end().len();
    for length in 0..end {
        let error = read_bytes(&SMALL.as_bytes()[..length]).unwrap_err();
        assert!(
            matches!(error, XmlError::Syntax { .. }),
            "{length}: {error}"
        );
    }
    assert!(refusal(&format!("{SMALL}x")).starts_with("line "));
}

#[test]
fn an_animation_with_any_bit_flipped_is_refused_or_plays() {
    common::turn_each_bit(SMALL, |bytes| {
        read_bytes(bytes)?.animation.check().unwrap();
        Ok::<_, XmlError>(())
    });
}

#[test]
fn many_and_deeply_nested_elements_are_refused() {
    let deep = 300_000;
    let text = animation(&format!("{}{}", "<a>".repeat(deep), "</a>".repeat(deep)));
    assert_eq!(warnings(&text), ["a 0: not part of an animation; ignored"]);
    let many = animation(&"<a/>".repeat(MAX_XML_NODES));
    assert!(refusal(&many).starts_with("there are too many elements: "));
    // Blanks between elements are nodes too.
    let many = animation(&"<a/> ".repeat(MAX_XML_NODES - 10));
    assert!(refusal(&many).starts_with("there are too many elements: "));
    let attributes: String = (0..100_000).map(|i| format!(" a{i}='' ")).collect();
    assert_eq!(
        refusal(&format!("<animation length='1' {attributes}/>")),
        "an element has too many attributes: 100001, at most 64 are allowed"
    );
    // Many keys without what they need are warned of in time that grows with them, not with their square.
    let tracks = "<transform name='a'/>".repeat(100_000);
    let keys = "<keyframe/>".repeat(100_000);
    let text = animation(&format!(
        "{tracks}<variant name='b' type='Int'>{keys}</variant>"
    ));
    let file = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(file.warnings.count(), 300_000);
}

#[test]
fn invalid_values_are_refused_with_their_place() {
    for (inside, expected) in [
        (
            "<transform name='a' position='1'><keyframe time='x' position='1 2 3'/></transform>",
            "line 2, column 44, transform 0 \"a\", keyframe 0, time: expected a number, found \"x\"",
        ),
        (
            "<transform name='a' position='1'><keyframe time='-1'/></transform>",
            "line 2, column 44, transform 0 \"a\", keyframe 0, time: expected a time that is not negative, found -1",
        ),
        (
            "<transform name='a' position='1'>\n<keyframe time='0'/> <keyframe time='1' position='1 2'/></transform>",
            "line 3, column 41, transform 0 \"a\", keyframe 1, position: expected 3 numbers, found \"1 2\"",
        ),
        (
            "<transform name='a' position='1'><keyframe time='0' position='1 2 3 4'/></transform>",
            "line 2, column 53, transform 0 \"a\", keyframe 0, position: expected 3 numbers, found \"1 2 3 4\"",
        ),
        (
            "<transform name='a' position='1'><keyframe time='0' position='1 2 nan'/></transform>",
            "line 2, column 53, transform 0 \"a\", keyframe 0, position: expected finite numbers, found \"1 2 nan\"",
        ),
        (
            "<transform name='a' rotation='1'><keyframe time='0' rotation='1 2'/></transform>",
            "line 2, column 53, transform 0 \"a\", keyframe 0, rotation: expected 4 numbers, w x y z, or 3 angles, found \"1 2\"",
        ),
        (
            "<transform name='a' rotation='1'><keyframe time='0' rotation='0 0 0 0'/></transform>",
            "line 2, column 1, transform 0 \"a\": the value of key 0 cannot be used: Quat(0.0, 0.0, 0.0, 0.0)",
        ),
        (
            "<transform name='a' weight='-1'><keyframe/></transform>",
            "line 2, column 21, transform 0 \"a\", weight: expected a weight that is not negative, found -1",
        ),
        (
            "<transform name='a'><keyframe/></transform><variant name='b' type='Int'><keyframe time='0' value='1.5'/></variant>",
            "line 2, column 92, variant 0 \"b\", keyframe 0, value: expected a whole number of 32 bits, found \"1.5\"",
        ),
        (
            "<variant name='b' type='Int64'><keyframe time='0' value='9223372036854775808'/></variant>",
            "line 2, column 51, variant 0 \"b\", keyframe 0, value: expected a whole number of 64 bits, found \"9223372036854775808\"",
        ),
        (
            "<variant name='b' type='Float'><keyframe time='0' value='1 2'/></variant>",
            "line 2, column 51, variant 0 \"b\", keyframe 0, value: expected a number, found \"1 2\"",
        ),
        (
            "<variant name='b' type='Double'><keyframe time='0' value='inf'/></variant>",
            "line 2, column 52, variant 0 \"b\", keyframe 0, value: expected a finite number, found inf",
        ),
        (
            "<variant name='b' type='Color'><keyframe time='0' value='1 2'/></variant>",
            "line 2, column 51, variant 0 \"b\", keyframe 0, value: expected 4 numbers, found \"1 2\"",
        ),
        (
            "<variant name='b' type='IntRect'><keyframe time='0' value='1 2 3'/></variant>",
            "line 2, column 53, variant 0 \"b\", keyframe 0, value: expected 4 whole numbers, found \"1 2 3\"",
        ),
        (
            "<variant name='b' type='Float' interpolation='cubicspline'><keyframe time='0' value='1'><intangent value='x'/></keyframe></variant>",
            "line 2, column 100, variant 0 \"b\", keyframe 0, intangent 0, value: expected a number, found \"x\"",
        ),
        (
            "<variant name='b' type='Float' tension='x'/>",
            "line 2, column 32, variant 0 \"b\", tension: expected a number, found \"x\"",
        ),
        (
            "<trigger time='-1'/>",
            "line 2, column 10, trigger 0, time: expected a time that is finite and not negative, found -1",
        ),
        (
            "<trigger time='0'/><trigger normalizedtime='-1'/>",
            "line 2, column 29, trigger 1, normalizedtime: expected a time that is finite and not negative, found -1",
        ),
        (
            "<trigger time='0' type='Int' value='x'/>",
            "line 2, column 30, trigger 0, value: expected a whole number of 32 bits, found \"x\"",
        ),
        (
            "<metadata name='a' type='Float' value='x'/>",
            "line 2, column 33, metadata 0 \"a\", value: expected a number, found \"x\"",
        ),
    ] {
        assert_eq!(refusal(&animation(inside)), expected, "{inside}");
    }
}

#[test]
fn repaired_and_omitted_parts_have_a_warning() {
    for (inside, expected) in [
        ("<sound/>", "sound 0: not part of an animation; ignored"),
        (
            "<transform/>",
            "transform 0, name: missing; the track is ignored",
        ),
        (
            "<variant type='Int'/>",
            "variant 0, name: missing; the track is ignored",
        ),
        (
            "<transform name='a'/>",
            "transform 0 \"a\": it has no keys; ignored",
        ),
        (
            "<variant name='a' type='Int'/>",
            "variant 0 \"a\": it has no keys; ignored",
        ),
        (
            "<variant name='a' type='ResourceRef'><keyframe time='0' value='Model;a.mdl'/></variant>",
            "variant 0 \"a\", type: \"ResourceRef\" is not a type that can be animated; the track is ignored",
        ),
        (
            "<variant name='a'/>",
            "variant 0 \"a\", type: \"\" is not a type that can be animated; the track is ignored",
        ),
        (
            "<variant name='a' type='Int' interpolation='bezier'><keyframe time='0' value='1'/></variant>",
            "variant 0 \"a\", interpolation: \"bezier\" is unknown; linear is used",
        ),
        (
            "<variant name='a' type='Int' speed='1'><keyframe time='0' value='1'/></variant>",
            "variant 0 \"a\", speed: unknown; ignored",
        ),
        (
            "<variant name='a' type='Int'><keyframe value='1'/></variant>",
            "variant 0 \"a\", keyframe 0, time: missing; 0 is used",
        ),
        (
            "<variant name='a' type='Int'><keyframe time='0'/></variant>",
            "variant 0 \"a\", keyframe 0, value: missing; the default is used",
        ),
        (
            "<variant name='a' type='Int'><key/><keyframe time='0' value='1'/></variant>",
            "variant 0 \"a\", key 0: not part of a track; ignored",
        ),
        (
            "<transform name='a'><keyframe time='0' position='1 2 3'/></transform>",
            "transform 0 \"a\", position: keys have it, but the track lacks position=\"true\"; ignored",
        ),
        (
            "<transform name='a' scale='true'><keyframe time='0'/><keyframe time='1' scale=''/></transform>",
            "transform 0 \"a\", keyframe 0, scale: missing in 2 keys of the track; the default is used",
        ),
        (
            "<variant name='a' type='Float' interpolation='cubicspline'><keyframe time='0' value='1'><intangent value='1'/></keyframe></variant>",
            "variant 0 \"a\", keyframe 0, outtangent: missing; zero is used",
        ),
        (
            "<variant name='a' type='Int'><keyframe time='0' value='1'/></variant><variant name='a' type='Int'><keyframe time='0' value='2'/></variant>",
            "variant 1 \"a\": an earlier track has this name; the last one is used",
        ),
        (
            "<trigger type='Int' value='1'/>",
            "trigger 0, time: missing; the trigger is ignored",
        ),
        (
            "<trigger time='0' type='Buffer' value='1 2'/>",
            "trigger 0, type: \"Buffer\" is unknown; kept as a text",
        ),
        (
            "<metadata value='1'/>",
            "metadata 0, name: missing; ignored",
        ),
    ] {
        assert_eq!(warnings(&animation(inside)), [expected], "{inside}");
    }
}

proptest! {
    #[test]
    fn any_change_of_an_animation_is_refused_or_plays(
        at in 0..SMALL.len(),
        with in any::<Vec<u8>>(),
        cut in 0_usize..8,
    ) {
        let mut bytes = SMALL.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with);
        match read_bytes(&bytes) {
            Ok(file) => prop_assert_eq!(file.animation.check(), Ok(())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
