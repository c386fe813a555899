//! Real glTF files: what each says, and what is wrong with those that were made to be wrong.
//!
//! Files are found through `SINEW_CORPUS`.

use crate::common;
use common::{corpus_files, required_corpus, say};
use sinew::animation::{Interpolation, KeyTimes};
use sinew::glam::{Quat, Vec3};
use sinew::math::quat_angle;
use sinew::{ModelPose, Pose, local_to_model, sample};
use sinew_formats::MotionFile;
use sinew_formats::Severity;
use sinew_formats::gltf::{GltfSettings, read};
use std::path::PathBuf;

/// Every glTF file of the corpus that is meant to be read.
fn good() -> Vec<PathBuf> {
    let folders = ["gltf/khronos-samples", "gltf/khronos-generator"];
    let files = folders.map(|folder| corpus_files(folder, &["gltf", "glb"]));
    files.concat()
}

fn sample_file(name: &str) -> MotionFile {
    let path = required_corpus().join("gltf").join(name);
    read(&path, &GltfSettings::default()).unwrap()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_good_file_is_read_and_every_frame_is_finite() {
    let (mut joints, mut animations, mut frames) = (0, 0, 0);
    let files = good();
    for path in &files {
        let file = read(path, &GltfSettings::default()).unwrap();
        let skeleton = &file.skeleton;
        joints += skeleton.len();
        let mut pose = Pose::rest(skeleton);
        let mut model = ModelPose::new(skeleton);
        for animation in &file.animations {
            animations += 1;
            let binding = animation.bind(skeleton);
            assert!(
                binding.joints().iter().all(Option::is_some),
                "{}",
                path.display()
            );
            for step in 0..=100 {
                let time = animation.length * step as f32 / 100.0;
                sample(animation, &binding, time, &mut pose).unwrap();
                local_to_model(skeleton, &pose, &mut model).unwrap();
                assert!(model.is_finite(), "{} at {time}", path.display());
                frames += 1;
            }
        }
        for warning in file.warnings.list() {
            let problem = warning.problem.as_str();
            let expected = problem.starts_with("missing; named node_")
                || problem.starts_with("keys are on no common frame rate");
            assert_eq!(warning.severity, Severity::Note, "{}", path.display());
            assert!(expected, "{}: {warning}", path.display());
        }
    }
    say(&format!(
        "{} good glTF files: {joints} joints, {animations} animations, {frames} poses",
        files.len()
    ));
}

/// Joints, animations, and the first animation's name, length and frame rate.
type Facts = (&'static str, usize, usize, &'static str, f32, Option<f64>);

const FACTS: [Facts; 12] = [
    (
        "khronos-samples/CesiumMan.glb",
        21,
        1,
        "animation_0",
        2.0,
        Some(24.0),
    ),
    (
        "khronos-samples/Fox.glb",
        25,
        3,
        "Survey",
        3.416_666_7,
        Some(24.0),
    ),
    (
        "khronos-samples/RiggedFigure.gltf",
        21,
        1,
        "animation_0",
        1.25,
        None,
    ),
    (
        "khronos-samples/RiggedSimple.glb",
        4,
        1,
        "animation_0",
        2.083_333_3,
        Some(24.0),
    ),
    (
        "khronos-samples/BoxAnimated.glb",
        3,
        1,
        "animation_0",
        3.708_33,
        None,
    ),
    (
        "khronos-samples/SimpleSkin.gltf",
        2,
        1,
        "animation_0",
        5.5,
        None,
    ),
    (
        "khronos-samples/AnimatedTriangle.gltf",
        1,
        1,
        "animation_0",
        1.0,
        None,
    ),
    (
        "khronos-samples/AnimatedMorphCube.glb",
        1,
        1,
        "Square",
        4.2,
        Some(30.0),
    ),
    (
        "khronos-samples/InterpolationTest.glb",
        9,
        9,
        "Step Scale",
        2.0,
        None,
    ),
    (
        "khronos-generator/Animation_NodeMisc_02.gltf",
        1,
        1,
        "animation_0",
        6.0,
        None,
    ),
    (
        "khronos-generator/Animation_NodeMisc_03.gltf",
        1,
        1,
        "animation_0",
        0.0,
        None,
    ),
    (
        "khronos-generator/Animation_Skin_06.gltf",
        2,
        0,
        "",
        0.0,
        None,
    ),
];

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn files_have_the_expected_joints_and_animations() {
    for (name, joints, animations, first, length, rate) in FACTS {
        let file = sample_file(name);
        assert_eq!(file.skeleton.len(), joints, "{name}");
        assert_eq!(file.animations.len(), animations, "{name}");
        let found = file.animations.first();
        let found = found.map_or(("", 0.0, None), |a| {
            (a.name.as_str(), a.length, a.frame_rate)
        });
        assert_eq!(found, (first, length, rate), "{name}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn channels_with_one_list_of_times_share_it() {
    let fox = sample_file("khronos-samples/Fox.glb");
    let walk = &fox.animations[1];
    assert_eq!((walk.name.as_str(), walk.frame_rate), ("Walk", Some(24.0)));
    let rotations = walk
        .tracks
        .iter()
        .filter_map(|track| track.rotation.as_ref());
    let mut count = 0;
    for rotation in rotations {
        assert_eq!(rotation.times(), &KeyTimes::uniform(24.0, 18).unwrap());
        assert_eq!(rotation.times().rate(), Some(24.0));
        count += 1;
    }
    assert!(count >= 20, "{count}");
    let run = &fox.animations[2];
    assert_eq!(run.frame_rate, None);
}

/// Numbers worked out by hand from the keys in the file.
///
/// Keys are at 0, 0.5, 1, 1.5 and 2 seconds. A cubic's slopes are per second, so they count half here.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn step_linear_and_cubic_keys_match_values_computed_by_hand() {
    let file = sample_file("khronos-samples/InterpolationTest.glb");
    let find = |name: &str| {
        let found = file
            .animations
            .iter()
            .find(|animation| animation.name == name);
        &found.unwrap().tracks[0]
    };
    let near = |a: Vec3, b: Vec3| (a - b).length() < 1e-6;
    let channels = ["Step", "Linear", "CubicSpline"].map(|kind| {
        let translation = find(&format!("{kind} Translation"))
            .position
            .clone()
            .unwrap();
        let scale = find(&format!("{kind} Scale")).scale.clone().unwrap();
        let rotation = find(&format!("{kind} Rotation")).rotation.clone().unwrap();
        (translation, scale, rotation)
    });
    let kinds = [
        Interpolation::Step,
        Interpolation::Linear,
        Interpolation::Cubic,
    ];
    for ((translation, scale, rotation), kind) in channels.iter().zip(kinds) {
        let found = [
            translation.interpolation(),
            scale.interpolation(),
            rotation.interpolation(),
        ];
        assert_eq!(found, [kind; 3]);
        assert_eq!(translation.times(), &KeyTimes::uniform(2.0, 5).unwrap());
        // On keys all ways agree.
        for (key, value) in translation.values().iter().enumerate() {
            assert!(near(translation.sample(key as f32 * 0.5), *value));
        }
    }
    let [step, linear, cubic] = &channels;
    // A quarter of the way, where a cubic without slopes has gone 3/16 - 2/64 = 0.15625.
    let time = 0.125;
    for ((translation, scale, _), translated, scaled) in [
        (step, Vec3::new(0.0, 6.8, 0.0), 1.0),
        (linear, Vec3::new(-3.4, 7.8, 0.0), 0.75),
        (cubic, Vec3::new(3.4, 7.425, 0.0), 0.843_75),
    ] {
        assert!(near(translation.sample(time), translated));
        assert!(near(scale.sample(time), Vec3::splat(scaled)));
    }
    // From no turn to -45 degrees about z: a quarter of it is -11.25. The cubic has slopes of 1 in w:
    // z = 0.15625 * -0.382683 and w = 0.84375 + 0.140625 / 2 + 0.15625 * 0.923880 - 0.046875 / 2.
    for ((_, _, rotation), z, w) in [
        (step, 0.0, 1.0),
        (linear, -0.098_017_14, 0.995_184_7),
        (cubic, -0.057_677_13, 0.998_335_3),
    ] {
        let found = rotation.sample(time);
        assert!(
            quat_angle(found, Quat::from_xyzw(0.0, 0.0, z, w)) < 1e-6,
            "{found}"
        );
    }
    // Halfway between the second and the third key a step has not moved on.
    assert!(near(step.0.sample(0.75), Vec3::new(0.0, 10.8, 0.0)));
    assert!(near(linear.0.sample(0.75), Vec3::new(-3.4, 8.8, 0.0)));
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn normalized_bytes_are_the_rotations_that_floats_are() {
    let floats = sample_file("khronos-generator/Animation_SamplerType_00.gltf");
    let bytes = sample_file("khronos-generator/Animation_SamplerType_01.gltf");
    let [floats, bytes] =
        [floats, bytes].map(|file| file.animations[0].tracks[0].rotation.clone().unwrap());
    assert_eq!(floats.values().len(), 5);
    for (a, b) in floats.values().iter().zip(bytes.values()) {
        // A byte tells 1/127 apart, of which half is lost; twice that in angle.
        assert!(quat_angle(*a, *b) < 2.0 / 127.0, "{a} {b}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn morph_weights_are_kept_unchanged() {
    let file = sample_file("khronos-samples/SimpleMorph.gltf");
    let [first, second] = &file.animations[0].variants[..] else {
        panic!("it has two shapes");
    };
    assert_eq!(first.name, "node_0/@AnimatedModel/Morphs/0");
    assert_eq!(second.name, "node_0/@AnimatedModel/Morphs/1");
    for (track, expected) in [
        (first, [0.0, 0.0, 1.0, 1.0, 0.0]),
        (second, [0.0, 1.0, 1.0, 0.0, 0.0]),
    ] {
        assert_eq!(*track.times(), KeyTimes::uniform(1.0, 5).unwrap());
        assert_eq!(
            track.values(),
            expected.map(sinew::animation::Variant::Float)
        );
        assert_eq!(
            track.interpolation(),
            sinew::animation::VariantInterpolation::Linear
        );
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn sparse_accessors_replace_the_elements_that_they_list() {
    let file = sample_file("khronos-generator/Accessor_Sparse_00.gltf");
    let tracks = &file.animations[0].tracks;
    let times = |track: usize| -> Vec<f32> {
        tracks[track]
            .position
            .as_ref()
            .unwrap()
            .times()
            .iter()
            .collect()
    };
    // The second channel's times are the first's, but for one.
    assert_eq!(times(0), [0.0, 1.0, 2.0]);
    assert_eq!(times(1), [0.0, 1.5, 2.0]);
    let values = [0.3, -0.3, 0.3].map(|y| Vec3::new(0.0, y, 0.0));
    for track in tracks {
        assert_eq!(track.position.as_ref().unwrap().values(), values);
    }
}

/// What comes of a file: warnings other than of nodes without a name, or the start of an error.
type Outcome = Result<&'static [&'static str], &'static str>;

/// What comes of each file of the Khronos validator's own tests, most of which were made to be invalid.
const VALIDATOR: [(&str, Outcome); 26] = [
    (
        "animation/channel_duplicate_targets.gltf",
        Ok(&[
            "animations[0].channels[1], target: an earlier channel moves the scale of node 0; this one is used",
            "animations[1].channels[0], target: it moves \"scale\" of no node; ignored",
            "animations[1].channels[1], target: it moves \"scale\" of no node; ignored",
        ]),
    ),
    (
        "animation/channel_node_no_morphs.gltf",
        Ok(&[
            "animations[0].channels[0], target: it moves the weights of node 0, which has no mesh",
        ]),
    ),
    (
        "animation/custom_property.gltf",
        Ok(&[
            "animations[0], customProperty: not a property of glTF; ignored",
            "animations[0].samplers[0], customProperty: not a property of glTF; ignored",
            "animations[0].channels[0].target, customProperty: not a property of glTF; ignored",
            "animations[0].channels[0], customProperty: not a property of glTF; ignored",
        ]),
    ),
    (
        "animation/empty_array.gltf",
        Err("there is no node that could be a joint"),
    ),
    // Its buffer is nowhere, so its strides are never met.
    (
        "animation/sampler_bufferview_bytestride.gltf",
        Err("buffers[0]: it has no uri, and there is no chunk with its bytes"),
    ),
    (
        "animation/sampler_input_format_invalid.gltf",
        Err("accessors[0]: expected SCALAR of FLOAT, found SCALAR of UNSIGNED_INT"),
    ),
    (
        "animation/sampler_input_no_bounds.gltf",
        Ok(&["accessors[0], min and max: times of keys should have them; read without"]),
    ),
    (
        "animation/sampler_output_format_invalid.gltf",
        Err("accessors[1]: expected VEC3 of FLOAT, found VEC4 of FLOAT"),
    ),
    (
        "animation/unresolved_channel_target.gltf",
        Err("animations[0].channels[0].target.node: refers to node 0, but there are 0"),
    ),
    (
        "animation/unresolved_sampler_input.gltf",
        Err("animations[0].samplers[0].input: refers to accessor 1, but there are 1"),
    ),
    (
        "animation/unresolved_sampler_output.gltf",
        Err("animations[0].samplers[0].output: refers to accessor 1, but there are 1"),
    ),
    // Valid for a validator that does not look at the numbers, which are all zero.
    (
        "animation/valid.gltf",
        Ok(&["accessors[0]: keys 0 and 1 have the same time; the last one is used"]),
    ),
    // Their buffers are not in the corpus.
    (
        "animation_data/invalid_input_values.gltf",
        Err("buffers[0]: \"invalid_input_values.bin\" cannot be read: "),
    ),
    (
        "animation_data/quaternion_cubic_non_unit_values.gltf",
        Err("buffers[0]: \"quaternion_cubic_non_unit_values.bin\" cannot be read: "),
    ),
    (
        "skin/buffer_view_bytestride.gltf",
        Ok(&[
            "skins[0], inverseBindMatrices: their view has a stride; they are for meshes and not read",
        ]),
    ),
    (
        "skin/custom_property.gltf",
        Ok(&["skins[0], customProperty: not a property of glTF; ignored"]),
    ),
    (
        "skin/empty_array.gltf",
        Err("there is no node that could be a joint"),
    ),
    (
        "skin/empty_joints_array.gltf",
        Err("there is no node that could be a joint"),
    ),
    (
        "skin/empty_object.gltf",
        Err("line 6, column 9, skins[0]: expected a field `joints`, found none"),
    ),
    (
        "skin/ibm_invalid_format.gltf",
        Ok(&[
            "skins[0], inverseBindMatrices: they are not MAT4 of FLOAT; they are for meshes and not read",
        ]),
    ),
    // What is wrong with these two is about meshes.
    ("skin/ignored_local_transform.gltf", Ok(&[])),
    ("skin/ignored_parent_transform.gltf", Ok(&[])),
    (
        "skin/no_joints_in_scene.gltf",
        Ok(&["nodes[0]: it moves, but is not in the scene; used nevertheless"]),
    ),
    (
        "skin/unresolved_ibm.gltf",
        Err("skins[0].inverseBindMatrices: refers to accessor 0, but there are 0"),
    ),
    (
        "skin/unresolved_skeleton.gltf",
        Err("skins[0].skeleton: refers to node 1, but there are 1"),
    ),
    ("skin/valid.gltf", Ok(&[])),
];

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn each_file_of_the_validators_tests_has_its_expected_error_or_warning() {
    let corpus = required_corpus();
    for (name, expected) in VALIDATOR {
        let path = corpus.join("gltf/khronos-validator").join(name);
        match (read(&path, &GltfSettings::default()), expected) {
            (Ok(file), Ok(expected)) => {
                let warnings = file.warnings.list().iter().map(ToString::to_string);
                let warnings = warnings.filter(|warning| !warning.contains("named node_"));
                assert_eq!(warnings.collect::<Vec<_>>(), expected, "{name}");
            }
            (Err(error), Err(expected)) => {
                let error = error.source.to_string();
                assert!(error.starts_with(expected), "{name}: {error}");
            }
            (found, _) => panic!("{name}: {found:?}"),
        }
    }
    say(&format!(
        "{} files of the validator's tests",
        VALIDATOR.len()
    ));
}
