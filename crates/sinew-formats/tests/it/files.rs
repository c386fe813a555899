//! Files on disk: `write` and `read` of every format, and errors with the path.

use crate::common::acclaim::{AMC, ASF, read_amc, read_asf};
use crate::pack_common::{motion, one, skeleton};
use sinew::packed::Packing;
use sinew_formats::amc::AmcSettings;
use sinew_formats::bvh::BvhWriteSettings;
use sinew_formats::gltf::GltfWriteSettings;
use sinew_formats::{
    MotionSettings, WriteError, amc, asf, bvh, gltf, json, pack, read_motion, skf,
};

#[test]
fn motion_files_on_disk_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let skeleton = skeleton(5);
    let animation = motion(&skeleton, "swing", 20);
    let animations = std::slice::from_ref(&animation);
    let settings = GltfWriteSettings::default();
    gltf::write(path("a.glb"), &skeleton, animations, &settings).unwrap();
    gltf::write(path("a.GLTF"), &skeleton, animations, &settings).unwrap();
    bvh::write(
        path("a.bvh"),
        &skeleton,
        &animation,
        &BvhWriteSettings::default(),
    )
    .unwrap();
    json::write(path("a.json"), &skeleton, animations).unwrap();
    pack::write(path("a.sinew"), &one(Packing::Small, 5, 20)).unwrap();
    for name in ["a.glb", "a.GLTF", "a.bvh", "a.json", "a.sinew"] {
        let file = read_motion(path(name), &MotionSettings::default()).unwrap();
        assert_eq!(file.animations.len(), 1, "{name}");
        assert_eq!(file.skeleton.len(), 5, "{name}");
    }
    assert!(std::fs::read(path("a.glb")).unwrap().starts_with(b"glTF"));
    assert!(std::fs::read(path("a.GLTF")).unwrap().starts_with(b"{"));

    let leg = read_asf(ASF.as_bytes(), false).unwrap();
    let walk = read_amc(AMC.as_bytes(), &leg, false).unwrap();
    asf::write(path("leg.asf"), &leg).unwrap();
    amc::write(path("leg.amc"), &leg, &walk).unwrap();
    let file = amc::read(path("leg.amc"), None, &AmcSettings::default()).unwrap();
    assert_eq!(file.animations.len(), 1);
}

#[test]
fn characters_on_disk_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.skf");
    let data = sinew::skelform::ArmatureData::default();
    skf::write(&path, &data, &[]).unwrap();
    assert_eq!(skf::read(&path).unwrap().armature.data().bones.len(), 0);
    let error = skf::write(&path, &data, &[Vec::new()]).unwrap_err();
    assert!(matches!(error.source, WriteError::Content(_)));
    let expected = format!(
        "{}: the character has 0 atlases, but 1 pictures were given",
        path.display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let error = json::write("/nowhere/a.json", None, &[]).unwrap_err();
    assert!(matches!(error.source, WriteError::Io(_)));
    let start = "/nowhere/a.json: cannot write the file: ";
    assert!(error.to_string().starts_with(start), "{error}");
}
