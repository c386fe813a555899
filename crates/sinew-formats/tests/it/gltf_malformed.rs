//! glTF files that are cut off or broken: each is refused with a sentence that says where and what, or
//! read with a warning, and none makes the reader panic.

use crate::gltf_common;
use gltf_common::{keyed, parse, refusal, small_glb, warnings, with_nodes};
use proptest::prelude::*;
use sinew::glam::{Quat, Vec3};
use sinew_formats::gltf::{GltfError, GltfSettings, read, read_bytes};

#[test]
fn files_that_are_no_gltf_are_refused_with_the_reason() {
    let expected = "expected a .glb container (starting with \"glTF\") or .gltf JSON (starting with \
                    \"{\"), found ";
    for (bytes, found) in [
        (&b""[..], "nothing"),
        (b"   ", "\"   \""),
        (
            b"PK\x03\x04 a zip file, not glTF",
            "\"PK\\u{3}\\u{4} a zip file,\"",
        ),
        (b"[]", "\"[]\""),
        (b"glT", "\"glT\""),
        (
            b"version https://git-lfs.github.com",
            "\"version https://\"",
        ),
    ] {
        let error = parse(bytes).unwrap_err().to_string();
        assert_eq!(error, format!("{expected}{found}"));
    }
    let error = read("/nowhere/x.glb", &GltfSettings::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/nowhere/x.glb: cannot read the file: ")
    );
}

#[test]
fn a_container_cut_off_at_any_length_is_refused() {
    let whole = small_glb();
    assert!(parse(&whole).unwrap().warnings.is_empty());
    for length in 0..whole.len() {
        let error = parse(&whole[..length]).unwrap_err();
        if length >= 4 {
            assert!(
                matches!(error, GltfError::Container { .. }),
                "{length}: {error}"
            );
        }
        // With a length that agrees, so that the cut is met later.
        let mut agreed = whole[..length].to_vec();
        if let Some(field) = agreed.get_mut(8..12) {
            field.copy_from_slice(&(length as u32).to_le_bytes());
            assert!(parse(&agreed).is_err(), "{length}");
        }
    }
    let mut longer = whole.clone();
    longer.extend_from_slice(b"more");
    let file = parse(&longer).unwrap();
    let warning = file.warnings.list()[0].to_string();
    assert_eq!(warning, "GLB container: 4 bytes behind its end; ignored");
}

#[test]
fn a_broken_container_is_named_by_its_byte() {
    let whole = small_glb();
    let with = |index: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[index..index + bytes.len()].copy_from_slice(bytes);
        parse(&changed).unwrap_err().to_string()
    };
    assert_eq!(
        with(4, &[1, 0, 0, 0]),
        "GLB container, byte 4: expected version 2, found 1"
    );
    assert_eq!(
        with(8, &[3, 0, 0, 0]),
        "GLB container, byte 8: expected a length of at least 12 bytes, found 3"
    );
    let length = whole.len();
    assert_eq!(
        with(8, &[255; 4]),
        format!(
            "GLB container, byte 8: expected 4294967295 bytes, found {length} bytes; it is cut off"
        )
    );
    assert_eq!(
        with(12, &[255; 4]),
        format!(
            "GLB container, byte 12: expected a chunk of 4294967295 bytes, found {} bytes",
            length - 20
        )
    );
    assert_eq!(
        with(16, b"NOSJ"),
        "GLB container, byte 16: expected a chunk of \"JSON\", found \"NOSJ\""
    );
    let json = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    assert_eq!(
        with(20 + json + 4, b"JUNK"),
        "buffers[0]: it has no uri, and there is no chunk with its bytes"
    );
}

#[test]
fn malformed_json_is_named_by_line_column_and_path() {
    for (json, expected) in [
        (
            "{",
            "line 1, column 2: expected a key in quotes, found the end of the text",
        ),
        (
            "{\n  \"asset\": {,}\n}",
            "line 2, column 13, asset: expected a key in quotes, found \",\"",
        ),
        (
            "{}",
            "line 1, column 1: expected a field `asset`, found none",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"}} x",
            "line 1, column 31: expected the end of the text, found \"x\"",
        ),
        (
            "{\"asset\": {\"version\": 2}}",
            "line 1, column 23, asset.version: expected a text, found 2",
        ),
        (
            "{\"asset\": {\"version\": \"1.0\"}}",
            "asset.version: expected glTF 2.0, found \"1.0\"",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\", \"minVersion\": \"2.1\"}}",
            "asset.version: expected glTF 2.0, found \"2.1\"",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"}}",
            "there is no node that could be a joint",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}, {\"children\": [0, -1]}]}",
            "line 1, column 62, nodes[1].children[1]: expected u32, found -1",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"matrix\": [1, 2]}]}",
            "line 1, column 52, nodes[0].matrix: expected an array of length 16, found 2 entries",
        ),
    ] {
        assert_eq!(refusal(json), expected, "{json}");
    }
}

#[test]
fn nodes_that_are_no_tree_are_refused() {
    for (nodes, rest, expected) in [
        (
            "{\"children\": [7]}",
            "",
            "nodes[0].children[0]: refers to node 7, but there are 1",
        ),
        (
            "{\"children\": [0]}",
            "",
            "nodes[0]: expected a node in a tree, found one that is below itself",
        ),
        (
            "{}, {\"children\": [2]}, {\"children\": [1]}",
            "",
            "nodes[1]: expected a node in a tree, found one that is below itself",
        ),
        (
            "{\"children\": [2]}, {\"children\": [2]}, {}",
            "",
            "nodes[1].children[0]: expected a node without a parent, found node 2, which is a child of node 0",
        ),
        (
            "{\"children\": [1, 1]}, {}",
            "",
            "nodes[0].children[1]: expected a node without a parent, found node 1, which is a child of node 0",
        ),
        (
            "{}",
            ", \"scene\": 1, \"scenes\": [{}]",
            "scene: refers to scene 1, but there are 1",
        ),
        (
            "{}",
            ", \"scenes\": [{\"nodes\": [3]}]",
            "scenes[0].nodes[0]: refers to node 3, but there are 1",
        ),
        (
            "{}",
            ", \"skins\": [{\"joints\": [0, 4]}]",
            "skins[0].joints[1]: refers to node 4, but there are 1",
        ),
        (
            "{}",
            ", \"scenes\": [{}]",
            "there is no node that could be a joint",
        ),
        (
            "{\"translation\": [0, 1e39, 0]}",
            "",
            "line 1, column 61, nodes[0].translation[1]: expected a number of 32 bits, found 1e39",
        ),
        (
            "{\"rotation\": [0, 0, 0, 0]}",
            "",
            "nodes[0].rotation: expected a rotation of length 1, found [0.0, 0.0, 0.0, 0.0]",
        ),
    ] {
        assert_eq!(refusal(&with_nodes(nodes, rest)), expected);
    }
}

#[test]
fn repairable_nodes_are_repaired_with_a_warning() {
    let nodes = r#"{"name": "a", "rotation": [0, 0, 0, 2]}, {"name": "a"}, {}, {"name": "a_2"},
        {"name": "m", "matrix": [1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]},
        {"name": "n", "matrix": [0,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,2], "scale": [1, 1, 1]}"#;
    let json = with_nodes(nodes, "");
    assert_eq!(
        warnings(&json),
        [
            "nodes[0], rotation: a rotation of length 2.0000; normalized",
            "nodes[1], name: \"a\" is not unique; named \"a_2\"",
            "nodes[2], name: missing; named node_2",
            "nodes[3], name: \"a_2\" is not unique; named \"a_2_2\"",
            "nodes[4], matrix: it shears; the shear is lost",
            "nodes[5], matrix: overrides a translation, rotation or scale, which are ignored",
            "nodes[5], matrix: its last row is not 0 0 0 1; read as if it were",
            "nodes[5], matrix: it flattens an axis to nothing, or is too large; its rotation is lost",
        ]
    );
    let file = parse(json.as_bytes()).unwrap();
    let names: Vec<&str> = file
        .skeleton
        .joints()
        .iter()
        .map(|j| j.name.as_str())
        .collect();
    assert_eq!(names, ["a", "a_2", "node_2", "a_2_2", "m", "n"]);
    assert_eq!(file.skeleton.joints()[0].rest.rotation, Quat::IDENTITY);
    assert_eq!(
        file.skeleton.joints()[5].rest.position,
        Vec3::new(5.0, 0.0, 0.0)
    );
}

#[test]
fn deep_and_wide_trees_take_linear_time() {
    let chain = |count: usize| {
        let nodes: Vec<String> = (1..=count)
            .map(|n| {
                if n < count {
                    format!("{{\"name\": \"x\", \"children\": [{n}]}}")
                } else {
                    "{}".into()
                }
            })
            .collect();
        with_nodes(&nodes.join(","), "")
    };
    assert_eq!(parse(chain(1024).as_bytes()).unwrap().skeleton.len(), 1024);
    assert_eq!(
        refusal(&chain(90_000)),
        "nodes[1024]: the depth of nesting is too large: 1025, at most 1024 are allowed"
    );
    let many = with_nodes(&vec!["{\"name\": \"x\"}"; 4096].join(","), "");
    assert_eq!(parse(many.as_bytes()).unwrap().skeleton.len(), 4096);
    let many = with_nodes(&vec!["{}"; 4097].join(","), "");
    assert_eq!(
        refusal(&many),
        "the number of joints is too large: 4097, at most 4096 are allowed"
    );
    let endless = with_nodes(&vec!["{}"; 100_001].join(","), "");
    let error = refusal(&endless);
    assert!(
        error.ends_with(", nodes: more than 100000 entries"),
        "{error}"
    );
}

#[test]
fn a_whole_scene_is_read_on_request() {
    let nodes = r#"{"name": "a", "children": [1, 2]}, {"name": "b"}, {"name": "c"}, {"name": "d"}"#;
    let json = with_nodes(
        nodes,
        ", \"scenes\": [{\"nodes\": [0]}], \"skins\": [{\"joints\": [2]}]",
    );
    let names = |whole_scene| -> Vec<String> {
        let file = read_bytes(json.as_bytes(), &GltfSettings { whole_scene }).unwrap();
        let joints = file.skeleton.joints().iter();
        joints.map(|joint| joint.name.clone()).collect()
    };
    assert_eq!(names(false), ["a", "c"]);
    assert_eq!(names(true), ["a", "b", "c"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_bytes_never_panic(at in 0_usize..2000, byte: u8, second in 0_usize..2000, other: u8) {
        let mut bytes = small_glb();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes[second % length] = other;
        if let Ok(file) = parse(&bytes) {
            for joint in file.skeleton.joints() {
                prop_assert!(joint.rest.is_finite());
            }
        }
    }

    #[test]
    fn changed_json_never_panics(at in 0_usize..2000, text in "[-0-9\\[\\]{}\",:aeE. ]{1,4}") {
        let mut json = keyed(&[0.0, 0.5, 1.5], &[]);
        let at = at % json.len();
        let end = (at + text.len()).min(json.len());
        json.replace_range(at..end, &text);
        let _ = parse(json.as_bytes());
    }

    #[test]
    fn any_bytes_never_panic(bytes: Vec<u8>) {
        prop_assert!(parse(&bytes).is_err());
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        glb.extend_from_slice(&bytes);
        prop_assert!(parse(&glb).is_err());
    }
}
