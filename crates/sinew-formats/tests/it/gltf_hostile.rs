//! glTF files whose channels, accessors, views and buffers say what cannot be: each is refused with a
//! sentence that says where and what.

use crate::gltf_common;
use gltf_common::{keyed, parse, refusal, warnings, with_nodes};
use sinew_formats::gltf::{GltfSettings, read_bytes_with};

/// A file with one node that one channel moves.
fn animated(sampler: &str, target: &str, accessors: &str, rest: &str) -> String {
    let rest = format!(
        ", \"animations\": [{{\"samplers\": [{sampler}], \"channels\": [{{\"sampler\": 0, \
         \"target\": {target}}}]}}], \"accessors\": [{accessors}]{rest}"
    );
    with_nodes("{\"name\": \"n\"}", &rest)
}

const TIME: &str =
    "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 1, \"min\": [0], \"max\": [0]}";
const VECTOR: &str = "{\"type\": \"VEC3\", \"componentType\": 5126, \"count\": 1}";

#[test]
fn channels_that_cannot_be_read_are_named_by_their_path() {
    let sampler = "{\"input\": 0, \"output\": 1}";
    let scale = "{\"node\": 0, \"path\": \"scale\"}";
    let two = format!("{TIME}, {VECTOR}");
    for (sampler, target, accessors, expected) in [
        (
            "",
            scale,
            &*two,
            "animations[0].channels[0].sampler: refers to sampler 0, but there are 0",
        ),
        (
            sampler,
            "{\"node\": 1, \"path\": \"scale\"}",
            &two,
            "animations[0].channels[0].target.node: refers to node 1, but there are 1",
        ),
        (
            "{\"input\": 2, \"output\": 1}",
            scale,
            &two,
            "animations[0].samplers[0].input: refers to accessor 2, but there are 2",
        ),
        (
            "{\"input\": 0, \"output\": 2}",
            scale,
            &two,
            "animations[0].samplers[0].output: refers to accessor 2, but there are 2",
        ),
        (
            "{\"input\": 1, \"output\": 1}",
            scale,
            &two,
            "accessors[1]: expected SCALAR of FLOAT, found VEC3 of FLOAT",
        ),
        (
            "{\"input\": 0, \"output\": 0}",
            scale,
            &two,
            "accessors[0]: expected VEC3 of FLOAT, found SCALAR of FLOAT",
        ),
        (
            sampler,
            "{\"node\": 0, \"path\": \"rotation\"}",
            &two,
            "accessors[1]: expected VEC4 of FLOAT or normalized bytes or shorts, found VEC3 of FLOAT",
        ),
        (
            "{\"input\": 0, \"output\": 1, \"interpolation\": \"CUBIC\"}",
            scale,
            &two,
            "animations[0].samplers[0].interpolation: expected LINEAR, STEP or CUBICSPLINE, found \"CUBIC\"",
        ),
        (
            "{\"input\": 0, \"output\": 1, \"interpolation\": \"CUBICSPLINE\"}",
            scale,
            &two,
            "animations[0].samplers[0]: 1 key times were given, but 1 numbers of cubics, three of which make a key",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 0}",
            "accessors[0].count: expected at least 1, found 0",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5124, \"count\": 1}",
            "accessors[0]: expected SCALAR of FLOAT, found SCALAR of component type 5124",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 18446744073709551615}",
            "accessors[0]: the count of numbers is too large: 18446744073709551615, at most 4194304 are allowed",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 4294967296}",
            "accessors[0]: the count of numbers is too large: 4294967296, at most 4194304 are allowed",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 1, \"bufferView\": 0}",
            "accessors[0].bufferView: refers to view 0, but there are 0",
        ),
        (
            sampler,
            scale,
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 2, \"min\": [0], \"max\": [0]}, {\"type\": \"VEC3\", \"componentType\": 5126, \"count\": 1}",
            "animations[0].samplers[0]: 2 key times were given, but 1 values",
        ),
        (
            sampler,
            "{\"node\": 0, \"path\": \"rotation\"}",
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 1}, {\"type\": \"VEC4\", \"componentType\": 5126, \"count\": 1}",
            "animations[0].samplers[0]: the value of key 0 cannot be used: Quat(0.0, 0.0, 0.0, 0.0)",
        ),
        (
            sampler,
            "{\"node\": 0, \"path\": \"weights\"}",
            "{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 2}, {\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 3}",
            "animations[0].samplers[0].output: expected as many weights for each of 2 keys, found 3 numbers",
        ),
    ] {
        assert_eq!(refusal(&animated(sampler, target, accessors, "")), expected);
    }
}

#[test]
fn decreasing_or_non_finite_times_are_named_by_their_key() {
    for (times, expected) in [
        ([-1.0, 0.0, 1.0], "key 0 is at -1 seconds"),
        ([0.0, 2.0, 1.0], "key 2 is at 1 seconds"),
        ([0.0, f32::NAN, 1.0], "key 1 is at NaN seconds"),
        ([0.0, 1.0, f32::INFINITY], "key 2 is at inf seconds"),
    ] {
        let error = refusal(&keyed(&times, &[]));
        let rule = "; times are finite, not negative and do not fall";
        assert_eq!(
            error,
            format!("animations[0].samplers[0].input: {expected}{rule}")
        );
    }
    let twice = keyed(&[0.0, 1.0, 1.0], &[]);
    assert_eq!(
        warnings(&twice),
        ["accessors[1]: keys 1 and 2 have the same time; the last one is used"]
    );
}

#[test]
fn views_and_accessors_out_of_bounds_are_refused() {
    let times = [0.0, 0.5, 1.5];
    assert!(
        parse(keyed(&times, &[]).as_bytes())
            .unwrap()
            .warnings
            .is_empty()
    );
    // The file has views of 128 bytes (matrices) and of 48 (three times, three vectors).
    for (from, to, expected) in [
        (
            "\"byteLength\":48",
            "\"byteLength\":49",
            "bufferViews[1]: expected a part of the 176 bytes of buffer 0, found 49 bytes from byte 128",
        ),
        (
            "\"byteLength\":48",
            "\"byteLength\":18446744073709551615",
            "bufferViews[1]: expected a part of the 176 bytes of buffer 0, found 18446744073709551615 bytes from byte 128",
        ),
        (
            "\"byteLength\":48",
            "\"byteLength\":44",
            "accessors[2]: expected elements inside the 44 bytes of its view, found 3 elements of 12 bytes, each 12 bytes after the other, from byte 12",
        ),
        (
            "\"byteOffset\":12",
            "\"byteOffset\":18446744073709551610",
            "accessors[2]: expected elements inside the 48 bytes of its view, found 3 elements of 12 bytes, each 12 bytes after the other, from byte 18446744073709551610",
        ),
        (
            "\"byteLength\":48",
            "\"byteLength\":48,\"byteStride\":3",
            "bufferViews[1].byteStride: expected a stride from 4 to 252, for accessors[1], found 3",
        ),
        (
            "\"byteLength\":48",
            "\"byteLength\":48,\"byteStride\":16",
            "accessors[2]: expected elements inside the 48 bytes of its view, found 3 elements of 12 bytes, each 16 bytes after the other, from byte 12",
        ),
        (
            "\"buffer\":0,\"byteOffset\":128",
            "\"buffer\":1,\"byteOffset\":128",
            "bufferViews[1].buffer: refers to buffer 1, but there are 1",
        ),
        (
            "\"byteLength\":176}",
            "\"byteLength\":177}",
            "buffers[0]: expected 177 bytes, found 176",
        ),
        (
            "\"byteLength\":176}",
            "\"byteLength\":9999999999}",
            "buffers[0] is too large: 9999999999, at most 268435456 are allowed",
        ),
        (
            ";base64,",
            ",",
            "buffers[0]: expected a data: URI in base64, found \"data:application/octet-stream\"",
        ),
        (
            "base64,",
            "base64,*",
            "buffers[0]: its base64 cannot be decoded: Invalid symbol 42, offset 0.",
        ),
        (
            "data:application",
            "http://x",
            "buffers[0]: \"http://x/octet-stream;base64,",
        ),
    ] {
        let json = keyed(&times, &[(from, to)]);
        let error = refusal(&json);
        assert!(error.starts_with(expected), "{to}: {error}");
    }
}

#[test]
fn sparse_accessors_that_reach_out_are_refused() {
    let times = [0.0, 0.5, 1.5];
    let sparse = |sparse: &str| {
        let to = format!("\"sparse\":{sparse},\"type\":\"SCALAR\"");
        keyed(&times, &[("\"type\":\"SCALAR\"", &to)])
    };
    // Its view begins with the times, whose first bytes are 0 and whose others are large.
    for (json, expected) in [
        (
            "{\"count\":1,\"indices\":{\"bufferView\":9,\"componentType\":5121},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse.indices.bufferView: refers to view 9, but there are 2",
        ),
        (
            "{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":9}}",
            "accessors[1].sparse.values.bufferView: refers to view 9, but there are 2",
        ),
        (
            "{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5126},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse.indices.componentType: expected UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT, found FLOAT",
        ),
        (
            "{\"count\":2,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse.indices: expected indices that rise, found 0 after 0",
        ),
        (
            "{\"count\":1,\"indices\":{\"bufferView\":1,\"byteOffset\":4,\"componentType\":5125},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse.indices: expected indices below 3, found 1056964608",
        ),
        (
            "{\"count\":99,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse.indices: expected elements inside the 48 bytes of its view, found 99 elements of 1 bytes, each 1 bytes after the other, from byte 0",
        ),
        (
            "{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":1,\"byteOffset\":46}}",
            "accessors[1].sparse.values: expected elements inside the 48 bytes of its view, found 1 elements of 4 bytes, each 4 bytes after the other, from byte 46",
        ),
        (
            "{\"count\":18446744073709551615,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":1}}",
            "accessors[1].sparse: the count of numbers is too large: 18446744073709551615, at most 4194480 are allowed",
        ),
    ] {
        assert_eq!(refusal(&sparse(json)), expected);
    }
}

#[test]
fn unknown_properties_are_ignored_with_a_warning() {
    let pointer = "{\"path\": \"pointer\", \"extensions\": {\"KHR_animation_pointer\": {\"pointer\": \"/nodes/0/scale\"}}}";
    let two = format!("{TIME}, {VECTOR}");
    let sampler = "{\"input\": 0, \"output\": 1, \"colour\": 3}";
    let required = ", \"extensionsRequired\": [\"KHR_animation_pointer\", \"KHR_draco_mesh_compression\", \"ACME_bones\"]";
    let json = animated(sampler, pointer, &two, required);
    assert_eq!(
        warnings(&json),
        [
            "animations[0].samplers[0], colour: not a property of glTF; ignored",
            "extensionsRequired: \"ACME_bones\" is required but unknown; read without",
            "animations[0].channels[0], target: it moves \"pointer\" of no node; ignored",
        ]
    );
    let odd = animated(sampler, "{\"node\": 0, \"path\": \"colour\"}", &two, "");
    let last = "animations[0].channels[0], target.path: \"colour\" is unknown; ignored";
    assert_eq!(warnings(&odd)[1..], [last]);
}

#[test]
fn external_files_are_requested_by_their_uri() {
    let json = keyed(
        &[0.0, 0.5, 1.5],
        &[("data:application/octet-stream;base64,", "keys.bin?")],
    );
    let mut asked = Vec::new();
    let read = read_bytes_with(json.as_bytes(), &GltfSettings::default(), &mut |uri| {
        asked.push(uri.to_owned());
        Ok(vec![0; 176])
    });
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("keys.bin?"));
    // All keys are at 0.
    assert_eq!(read.unwrap().animations[0].length, 0.5);
    assert!(refusal(&json).contains("bytes in memory have no external files"));
}

#[test]
fn many_channels_of_one_accessor_are_counted() {
    let channel = "{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"scale\"}}";
    let rest = format!(
        ", \"animations\": [{{\"samplers\": [{{\"input\": 0, \"output\": 1}}], \"channels\": [{}]}}], \
         \"accessors\": [{{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": 10000}}, \
         {{\"type\": \"VEC3\", \"componentType\": 5126, \"count\": 10000}}]",
        vec![channel; 100_000].join(",")
    );
    assert_eq!(
        refusal(&with_nodes("{\"name\": \"n\"}", &rest)),
        "accessors[1]: the count of numbers is too large: 4210000, at most 4194304 are allowed"
    );
}

/// Weights of one node, of which accessors without bytes say that there are many.
fn weights(nodes: &str, node: usize, times: usize, values: usize) -> String {
    let accessor = |count: usize| {
        format!("{{\"type\": \"SCALAR\", \"componentType\": 5126, \"count\": {count}}}")
    };
    let rest = format!(
        ", \"animations\": [{{\"samplers\": [{{\"input\": 0, \"output\": 1}}], \"channels\": \
         [{{\"sampler\": 0, \"target\": {{\"node\": {node}, \"path\": \"weights\"}}}}]}}], \
         \"accessors\": [{}, {}]",
        accessor(times),
        accessor(values)
    );
    with_nodes(nodes, &rest)
}

#[test]
fn more_morph_weights_than_targets_are_refused() {
    let one = "{\"name\": \"a\", \"mesh\": 0}";
    let file = parse(weights(one, 0, 1, 50_000).as_bytes()).unwrap();
    assert_eq!(file.animations[0].variants.len(), 50_000);
    assert_eq!(
        refusal(&weights(one, 0, 1, 50_001)),
        "animations[0].samplers[0].output: the count of tracks of weights is too large: 50001, at most \
         50000 are allowed"
    );
    let deep: Vec<_> = (1..1_000)
        .map(|child| format!("{{\"mesh\": 0, \"children\": [{child}]}}"))
        .collect();
    let deep = deep.join(",") + ",{\"mesh\": 0}";
    assert_eq!(
        refusal(&weights(&deep, 999, 1, 1)),
        "animations[0].samplers[0]: expected a node whose path has at most 4096 bytes, found a longer \
         one"
    );
}

#[test]
fn morph_weights_of_nodes_with_equal_paths_have_unique_names() {
    let nodes = "{\"name\": \"a\", \"children\": [1]}, {\"name\": \"b\", \"mesh\": 0}, \
                 {\"name\": \"a/b\", \"mesh\": 0}";
    let json = weights(nodes, 1, 1, 1);
    let channel = "{\"sampler\": 0, \"target\": {\"node\": 1, \"path\": \"weights\"}}";
    let both = format!("{channel}, {}", channel.replace(": 1", ": 2"));
    assert!(json.contains(channel));
    let file = parse(json.replace(channel, &both).as_bytes()).unwrap();
    assert_eq!(file.animations[0].check(), Ok(()));
    let names: Vec<_> = file.animations[0]
        .variants
        .iter()
        .map(|track| track.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "a/b/@AnimatedModel/Morphs/0",
            "a/b/@AnimatedModel/Morphs/0_2"
        ]
    );
    let warning = file.warnings.list().last().unwrap().to_string();
    assert_eq!(
        warning,
        "animations[0], channels: weights of two nodes are called \"a/b/@AnimatedModel/Morphs/0\"; one \
         is called \"a/b/@AnimatedModel/Morphs/0_2\""
    );
}
