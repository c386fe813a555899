//! The hashes that the browser runtime must give, in `web/test/hashes.json`, and files of every format to hash.
//!
//! `UPDATE_GOLDEN=1` rewrites them, then fails.

use sinew::pose_hash::{hash_animation, hash_armature, hash_packed};
use sinew::registration::RegistrationCurve;
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_author::edit::trim;
use sinew_formats::gltf::GltfWriteSettings;
use sinew_formats::pack::{Pack, PackEntry, PackView};
use sinew_formats::{MotionSettings, curve, gltf, json, pack, read_animations, read_motion, skf};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares bytes with a committed file, or writes it.
fn golden(path: &str, bytes: &[u8]) -> Result {
    let full = root().join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&full, bytes)?;
    }
    let committed = std::fs::read(&full).map_err(|error| format!("{path}: {error}"))?;
    assert!(
        committed == bytes,
        "{path} differs; UPDATE_GOLDEN=1 rewrites it"
    );
    Ok(())
}

/// An animation without a skeleton, which moves two joints of the figure.
const XML: &str = r#"<animation name="nod" length="1">
  <transform name="head" rotation="true">
    <keyframe time="0" rotation="1 0 0 0"/>
    <keyframe time="0.5" rotation="0.9689124 0.247404 0 0"/>
    <keyframe time="1" rotation="1 0 0 0"/>
  </transform>
  <trigger time="0.5" type="String" value="lowest"/>
</animation>
"#;

/// Writes a part of the wave in every format.
fn files() -> Result {
    let motion = read_motion(
        root().join("samples/motion/wave.amc"),
        &MotionSettings::default(),
    )?;
    let skeleton = motion.skeleton;
    let mut wave = trim(&motion.animations[0], 1.0..1.25);
    wave.metadata = sinew::animation::Metadata::default();
    wave.add_trigger(0.125, sinew::animation::Variant::from("hand up"));
    let animations = [wave];
    let settings = GltfWriteSettings::default();
    let glb = gltf::write_bytes(&skeleton, &animations, &settings)?;
    golden("web/test/files/wave.glb", &glb)?;
    let text = gltf::write_gltf(&skeleton, &animations, &settings)?;
    // With the buffer in a file of its own.
    let (before, rest) = text.split_once("data:").ok_or("no buffer")?;
    let (_, after) = rest.split_once('"').ok_or("no end")?;
    golden(
        "web/test/files/wave.gltf",
        format!("{before}the%20wave.bin\"{after}").as_bytes(),
    )?;
    let json_length = u32::from_le_bytes(glb[12..16].try_into()?) as usize;
    golden("web/test/files/the wave.bin", &glb[28 + json_length..])?;
    let written = json::write_bytes(&skeleton, &animations);
    golden("web/test/files/wave.json", &written)?;
    golden("web/test/files/nod.xml", XML.as_bytes())?;
    let skeleton = Arc::new(skeleton);
    for (name, profile) in [
        ("small", Profile::Small),
        ("fast", Profile::Fast),
        ("keyframes", Profile::Keyframes),
    ] {
        let settings = CompressSettings {
            profile,
            // 48-bit rotations reach no 0.1 mm.
            max_error: 0.001,
        };
        let pack = Pack {
            skeletons: vec![skeleton.clone()],
            animations: vec![PackEntry {
                skeleton: 0,
                animation: compress(&skeleton, &animations[0], &settings)?,
            }],
            curves: vec![RegistrationCurve::even([("wave", 0.25), ("other", 0.5)])],
        };
        let path = format!("web/test/files/wave-{name}.sinew");
        golden(&path, &pack::write_bytes(&pack)?)?;
    }
    let even = RegistrationCurve::even([("walk", 1.0), ("run", 2.0)]);
    golden("web/test/files/curve.json", &curve::write_bytes(&even))
}

#[test]
fn the_committed_files_and_hashes_are_current() -> Result {
    files()?;
    let mut hashes: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |file: &str, index: usize, hash: u64| {
        hashes.insert(format!("{file}#{index}"), format!("{hash:016x}"));
    };
    let pip = skf::read_bytes(sinew_samples::PIP)?.armature;
    for index in 0..pip.animations().len() {
        let hash = hash_armature(&pip, index.into())?;
        add("samples/pip.skf", index, hash);
    }
    let mut motions = Vec::new();
    for folder in ["samples/motion", "web/test/files"] {
        let mut names: Vec<String> = std::fs::read_dir(root().join(folder))?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_>>()?;
        names.sort();
        motions.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
    }
    let figure = read_motion(
        root().join("samples/motion/figure.asf"),
        &MotionSettings::default(),
    )?;
    for file in motions {
        let path = root().join(&file);
        let bytes = std::fs::read(&path)?;
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("sinew") => {
                let view = PackView::read(&bytes)?;
                for (index, (skeleton, packed)) in view.animations().iter().enumerate() {
                    add(
                        &file,
                        index,
                        hash_packed(&view.skeletons()[*skeleton], packed),
                    );
                }
            }
            // A registration curve has no poses.
            Some("json") if curve::read_bytes(&bytes).is_ok() => {}
            Some("xml") => {
                let (animations, _) = read_animations(&path, &MotionSettings::default())?;
                add(&file, 0, hash_animation(&figure.skeleton, &animations[0]));
            }
            Some("bin" | "asf") => {}
            _ if file.ends_with("curve.json") => {}
            Some("gltf") => {
                // The name of its buffer is percent-encoded.
                let motion = read_motion(&path, &MotionSettings::default())?;
                add(
                    &file,
                    0,
                    hash_animation(&motion.skeleton, &motion.animations[0]),
                );
            }
            _ => {
                let motion = read_motion(&path, &MotionSettings::default())?;
                for (index, animation) in motion.animations.iter().enumerate() {
                    add(&file, index, hash_animation(&motion.skeleton, animation));
                }
            }
        }
    }
    let lines: Vec<String> = hashes
        .iter()
        .map(|(file, hash)| format!("  \"{file}\": \"{hash}\""))
        .collect();
    golden(
        "web/test/hashes.json",
        format!("{{\n{}\n}}\n", lines.join(",\n")).as_bytes(),
    )
}
