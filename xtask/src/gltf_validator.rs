//! `cargo xtask gltf-validate`: has the Khronos validator look at what we write.
//!
//! Every motion that can be read, of `samples/` and of the folder that `SINEW_CORPUS` names, is written
//! as GLB; so are motions made to be difficult. glTF files are also edited and written with everything else that they
//! have; the validator must find no error or warning there that it does not find in the file as it was. The
//! validator is the npm package `gltf-validator`, which is installed below `target/`. Where Node is missing nothing
//! is done.

use crate::{Result, root};
use sinew::animation::{Channel, Interpolation, KeyTimes, MetaValue, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_author::edit::resample;
use sinew_formats::gltf::{GltfSettings, GltfSource, GltfWriteSettings, write_bytes, write_gltf};
use sinew_formats::{MotionSettings, read_motion};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that results are known for.
const PACKAGE: &str = "gltf-validator@2.0.0-dev.3.10";

/// Looks at every file of a folder, tells what is wrong, counts the rest.
const SCRIPT: &str = r#"
const fs = require('fs'), path = require('path'), validator = require('gltf-validator');
(async () => {
  const folder = process.argv[2], sources = JSON.parse(fs.readFileSync('sources.json', 'utf8'));
  const known = async (source) => {
    const bytes = new Uint8Array(fs.readFileSync(source));
    const beside = (uri) => fs.promises.readFile(path.join(path.dirname(source), decodeURIComponent(uri)))
      .then((content) => new Uint8Array(content));
    const report = await validator.validateBytes(bytes, { maxIssues: 1000, externalResourceFunction: beside });
    return report.issues.messages.map(({ code }) => code);
  };
  let kept = 0;
  const total = { files: 0, numErrors: 0, numWarnings: 0, numInfos: 0, numHints: 0 };
  const lesser = {};
  for (const name of fs.readdirSync(folder).sort()) {
    const bytes = new Uint8Array(fs.readFileSync(path.join(folder, name)));
    const report = await validator.validateBytes(bytes, { maxIssues: 1000 });
    total.files += 1;
    const old = sources[name] ? await known(sources[name]) : [];
    if (sources[name]) kept += 1;
    for (const { code, message, severity, pointer } of report.issues.messages) {
      // What was wrong with the source may be wrong with the result.
      if (old.includes(code)) { old.splice(old.indexOf(code), 1); continue; }
      total[['numErrors', 'numWarnings', 'numInfos', 'numHints'][severity]] += 1;
      if (severity < 2) console.log(`${name}: ${severity ? 'warning' : 'error'} ${code} ${pointer || ''}: ${message}`);
      else lesser[code] = (lesser[code] || 0) + 1;
    }
  }
  console.log(`${total.files} files, ${kept} of them edited glTF files: ${total.numErrors} errors, ${total.numWarnings} warnings, ` +
    `${total.numInfos} infos, ${total.numHints} hints`);
  for (const code of Object.keys(lesser).sort()) console.log(`  ${code}: ${lesser[code]}`);
  process.exit(total.numErrors + total.numWarnings ? 1 : 0);
})();
"#;

/// Writes and validates everything there is.
pub(crate) fn run() -> Result<()> {
    let mut sources = motions_below(&root().join("samples"))?;
    if let Some(corpus) = std::env::var_os("SINEW_CORPUS") {
        sources.extend(motions_below(Path::new(&corpus))?);
    }
    let mut skipped = 0_usize;
    let read = sources.iter().filter_map(|path| {
        let Ok(file) = read_motion(path, &MotionSettings::default()) else {
            skipped += 1;
            return None;
        };
        let settings = GltfWriteSettings::default();
        let glb = write_bytes(&file.skeleton, &file.animations, &settings);
        let name = format!("{}.glb", path.display());
        Some(
            glb.map(|bytes| Written::new(name, bytes))
                .map_err(Into::into),
        )
    });
    let made = difficult()?.into_iter();
    let made = made.map(|(name, bytes)| Ok(Written::new(name, bytes)));
    let edited = sources.iter().flat_map(|path| edited(path));
    if !validate(made.chain(read).chain(edited))? {
        println!("Node is not installed: nothing was validated");
        return Ok(());
    }
    println!(
        "{} motion files, of which {skipped} cannot be read",
        sources.len()
    );
    Ok(())
}

/// A file that was written.
pub(crate) struct Written {
    name: String,
    bytes: Vec<u8>,
    /// The glTF file that it is an edited form of.
    source: Option<PathBuf>,
}

impl Written {
    fn new(name: String, bytes: Vec<u8>) -> Self {
        Self {
            name,
            bytes,
            source: None,
        }
    }
}

/// A glTF file with its animations edited and everything else kept, as both kinds of glTF file.
fn edited(path: &Path) -> Vec<Result<Written>> {
    let settings = GltfSettings::default();
    let Ok(source) = GltfSource::read(path, &settings) else {
        return Vec::new();
    };
    let Ok(file) = source.motion() else {
        return Vec::new();
    };
    let animations = file
        .animations
        .iter()
        .map(|animation| resample(animation, 24.0));
    let animations: Vec<Animation> = animations.collect();
    let written = [
        ("glb", source.write_glb(&file.skeleton, &animations)),
        ("gltf", source.write_gltf(&file.skeleton, &animations)),
    ];
    let written = written.into_iter().map(|(ending, written)| {
        let name = format!("{}-edited.{ending}", path.display());
        // A buffer that is missing was missing before.
        Ok(written.ok().map(|written| Written {
            name,
            bytes: written.bytes,
            source: Some(path.to_owned()),
        }))
    });
    written.filter_map(Result::transpose).collect()
}

/// Has the validator look at files; false when there is no Node to run it.
///
/// # Errors
/// When it finds an error or a warning in any of them, other than those of their sources.
pub(crate) fn validate(files: impl IntoIterator<Item = Result<Written>>) -> Result<bool> {
    let has = |program: &str| {
        let found = Command::new(program).arg("--version").output();
        found.is_ok_and(|output| output.status.success())
    };
    if !(has("node") && has("npm")) {
        return Ok(false);
    }
    let home = root().join("target/gltf-validator");
    std::fs::create_dir_all(&home)?;
    if !home.join("node_modules/gltf-validator").is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-save", "--prefix", ".", PACKAGE]);
        let status = npm.current_dir(&home).status()?;
        if !status.success() {
            return Err(format!("npm install {PACKAGE}: {status}").into());
        }
    }
    std::fs::write(home.join("validate.js"), SCRIPT)?;
    let folder = home.join("files");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let mut sources = serde_json::Map::new();
    for (index, file) in files.into_iter().enumerate() {
        let Written {
            name,
            bytes,
            source,
        } = file?;
        // The end of a path tells which file it is.
        let end: Vec<char> = name.chars().rev().take(100).collect();
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '_'
            }
        };
        let name: String = end.into_iter().rev().map(plain).collect();
        let name = format!("{index:04}-{name}");
        std::fs::write(folder.join(&name), bytes)?;
        if let Some(source) = source {
            let source = source.canonicalize()?;
            sources.insert(name, source.display().to_string().into());
        }
    }
    let sources = serde_json::Value::Object(sources).to_string();
    std::fs::write(home.join("sources.json"), sources)?;
    let mut node = Command::new("node");
    let status = node
        .args(["validate.js", "files"])
        .current_dir(&home)
        .status()?;
    std::fs::remove_dir_all(&folder)?;
    if status.success() {
        Ok(true)
    } else {
        Err("the validator is not content".into())
    }
}

/// Every file below a folder whose name says that it holds motion.
fn motions_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(ending, Some("amc" | "asf" | "bvh" | "gltf" | "glb")) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Motions with everything that a file can have, and with next to nothing.
fn difficult() -> Result<Vec<(String, Vec<u8>)>> {
    let joint = |name: &str, parent: Option<u32>, rest: Transform, tip: Option<Vec3>| Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest,
        tip,
    };
    let turned = Transform {
        position: Vec3::new(0.1, -0.2, 0.3),
        rotation: Quat::from_xyzw(0.5, -0.5, 0.5, -0.5),
        scale: Vec3::new(1.5, 0.5, -2.0),
    };
    let flat = Transform {
        scale: Vec3::new(1.0, 0.0, 1.0),
        ..Transform::IDENTITY
    };
    let up = Transform::from_position(Vec3::Y);
    let rich = Skeleton::new(vec![
        joint("hips", None, up, None),
        joint("LeftLeg", Some(0), turned, None),
        joint("LeftFoot", Some(1), up, Some(Vec3::Z)),
        joint("RightLeg", Some(0), flat, Some(Vec3::ZERO)),
        joint("prop", None, Transform::IDENTITY, Some(Vec3::Y)),
    ])?;
    let gone = Skeleton::new(vec![joint("flat", None, flat, None)])?;
    let poor = Skeleton::new(vec![joint("only", None, Transform::IDENTITY, None)])?;
    // More joints than a byte counts, more vertices than 16 bits do.
    let long = (0..3000_u32).map(|i| joint(&format!("{i}"), i.checked_sub(1), up, None));
    let long = Skeleton::new(long.collect())?;
    let animations = [
        keyed(Interpolation::Linear)?,
        keyed(Interpolation::Cubic)?,
        still()?,
    ];
    let mut files = Vec::new();
    for (name, skeleton) in [
        ("rich", &rich),
        ("gone", &gone),
        ("poor", &poor),
        ("long", &long),
    ] {
        for mesh in [true, false] {
            let settings = GltfWriteSettings {
                mesh,
                ..GltfWriteSettings::default()
            };
            let glb = write_bytes(skeleton, &animations, &settings)?;
            files.push((format!("{name}-{mesh}.glb"), glb));
            let alone = write_bytes(skeleton, &[], &settings)?;
            files.push((format!("{name}-{mesh}-alone.glb"), alone));
            let text = write_gltf(skeleton, &animations, &settings)?;
            files.push((format!("{name}-{mesh}.gltf"), text.into_bytes()));
        }
    }
    Ok(files)
}

/// An animation with keys at even times, at odd ones, and two at one time.
fn keyed(interpolation: Interpolation) -> Result<Animation> {
    let even = KeyTimes::uniform(30_000.0 / 1001.0, 4)?;
    let odd = KeyTimes::listed([0.0, 0.0, 1.0, 1.0])?;
    let places = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let turns = [
        [0.0, 0.0, 0.0, 1.0],
        [-0.6, 0.0, 0.0, -0.8],
        [0.0, 0.6, 0.8, 0.0],
        [0.0, 1.0, 0.0, 0.0],
    ];
    let turns: Vec<Quat> = turns.into_iter().map(Quat::from_array).collect();
    let mut hips = TransformTrack::new("hips");
    hips.position = Some(Channel::new(even.clone(), places.clone(), interpolation)?);
    hips.rotation = Some(Channel::new(even, turns.clone(), interpolation)?);
    let mut leg = TransformTrack::new("LeftLeg");
    leg.scale = Some(Channel::new(odd.clone(), places, Interpolation::Step)?);
    leg.rotation = Some(Channel::new(odd, turns, interpolation)?);
    let mut animation = Animation::new("keys", 5.0);
    animation.tracks = vec![hips, leg];
    animation.frame_rate = Some(30_000.0 / 1001.0);
    let endless = MetaValue::Number(f64::INFINITY);
    animation.metadata.insert("endless".into(), endless);
    Ok(animation)
}

/// An animation in which nothing moves.
fn still() -> Result<Animation> {
    let mut hips = TransformTrack::new("hips");
    hips.position = Some(Channel::constant(Vec3::Y)?);
    let mut animation = Animation::new("", 2.0);
    animation.tracks = vec![hips];
    Ok(animation)
}
