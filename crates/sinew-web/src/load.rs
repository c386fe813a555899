//! Loading of files of any format.

use crate::error::{Describe, Problem, Result};
use crate::table::{Object, add};
use sinew_formats::{Format, describe, detect};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
#[cfg(any(feature = "two", feature = "three"))]
use std::sync::Arc;
use wasm_bindgen::prelude::*;

#[cfg(feature = "three")]
use crate::motion::MotionModel;
#[cfg(feature = "three")]
use sinew_formats::{MotionFile, gltf, pack};

thread_local! {
    /// Files that the next file may refer to.
    static FILES: RefCell<BTreeMap<String, Vec<u8>>> = RefCell::default();
}

/// Forgets the companion files.
#[wasm_bindgen]
pub fn clear_files() {
    FILES.with_borrow_mut(BTreeMap::clear);
}

/// Adds a companion file for the next [`load`].
#[wasm_bindgen]
pub fn add_file(name: String, bytes: Vec<u8>) {
    FILES.with_borrow_mut(|files| files.insert(name, bytes));
}

/// How a file is read.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "all"),
    allow(dead_code, reason = "settings of other readers")
)]
pub(crate) struct LoadSettings {
    pub(crate) lenient: bool,
    pub(crate) z_up: bool,
    pub(crate) metres: Option<f64>,
    pub(crate) fps: Option<f64>,
    pub(crate) skeleton: usize,
}

/// Loads a file; returns the handle of its model. `flags`: 1 lenient, 2 z-up. `metres` and `fps` are ignored unless
/// positive.
#[wasm_bindgen]
pub fn load(
    name: &str,
    bytes: &[u8],
    flags: u32,
    metres: f64,
    fps: f64,
    skeleton: u32,
) -> Result<u32> {
    let positive = |number: f64| (number > 0.0 && number.is_finite()).then_some(number);
    let settings = LoadSettings {
        lenient: flags & 1 != 0,
        z_up: flags & 2 != 0,
        metres: positive(metres),
        fps: positive(fps),
        skeleton: skeleton as usize,
    };
    let files = FILES.take();
    let object =
        load_object(name, bytes, &settings, &files).map_err(|problem| problem.in_file(name))?;
    add(object)
}

fn load_object(
    name: &str,
    bytes: &[u8],
    settings: &LoadSettings,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Object> {
    let by_name = || Format::from_name(Path::new(name));
    let Some(format) = detect(bytes).or_else(by_name) else {
        return Err(Problem::new(
            "unsupported",
            format_args!(
                "expected a character or motion file, found {}",
                describe(bytes)
            ),
        ));
    };
    match format {
        #[cfg(feature = "two")]
        Format::Skf => {
            let file = sinew_formats::skf::read_encoded(bytes).map_err(|error| error.describe())?;
            Ok(Object::Character(Arc::new(
                crate::character::CharacterModel::new(name, file),
            )))
        }
        #[cfg(feature = "three")]
        Format::Sinew => {
            let pack = pack::read_bytes(bytes).map_err(|error| error.describe())?;
            Ok(Object::Motion(Arc::new(MotionModel::from_pack(
                name,
                pack,
                settings.skeleton,
                settings.z_up,
            )?)))
        }
        #[cfg(feature = "three")]
        Format::Gltf | Format::Glb => {
            let read = gltf::read_bytes_with_nodes(bytes, &Default::default(), &mut |uri| {
                find_file(files, uri).cloned().ok_or_else(|| {
                    let problem = format!("the file {uri} is needed too");
                    std::io::Error::new(std::io::ErrorKind::NotFound, problem)
                })
            });
            let (file, joint_of_node) = read.map_err(|error| error.describe())?;
            let mut nodes = vec![-1; file.skeleton.len()];
            for (node, joint) in joint_of_node.iter().enumerate() {
                if let Some(slot) = joint.and_then(|joint| nodes.get_mut(joint.index())) {
                    *slot = node as i32;
                }
            }
            finish(name, format, file, Some(nodes), settings)
        }
        #[cfg(feature = "acclaim")]
        Format::Asf => read_one(name, format, bytes, settings),
        #[cfg(feature = "acclaim")]
        Format::Amc => {
            let Some((asf_name, asf)) = find_asf(name, files) else {
                return Err(Problem::new(
                    "missing-file",
                    "its skeleton, an .asf file, is needed too",
                ));
            };
            let in_asf = |problem: Problem| problem.in_file(asf_name);
            let asf = read_asf(asf, settings).map_err(in_asf)?;
            let amc = sinew_formats::amc::AmcSettings {
                lenient: settings.lenient,
                frame_rate: settings.fps,
                ..Default::default()
            };
            let amc = sinew_formats::amc::read_bytes(bytes, &asf, &amc)
                .map_err(|error| error.describe())?;
            let mut file = sinew_formats::amc::to_motion(&asf, amc, units(settings))
                .map_err(|error| error.describe())?;
            let mut warnings = asf.warnings.clone();
            warnings.extend(&file.warnings);
            file.warnings = warnings;
            name_after_file(name, &mut file);
            finish(name, format, file, None, settings)
        }
        #[cfg(feature = "bvh")]
        Format::Bvh => read_one(name, format, bytes, settings),
        #[cfg(feature = "json")]
        Format::Json => {
            let file = sinew_formats::json::read_bytes(bytes).map_err(|error| error.describe())?;
            let skeleton = match file.skeleton {
                Some(skeleton) => skeleton,
                None => find_skeleton(settings, files)?,
            };
            let file = MotionFile {
                skeleton,
                animations: file.animations,
                warnings: file.warnings,
            };
            finish(name, format, file, None, settings)
        }
        #[cfg(feature = "xml")]
        Format::Xml => {
            let file = sinew_formats::xml::read_bytes(bytes).map_err(|error| error.describe())?;
            let file = MotionFile {
                skeleton: find_skeleton(settings, files)?,
                animations: vec![file.animation],
                warnings: file.warnings,
            };
            finish(name, format, file, None, settings)
        }
        other => {
            let _ = (settings, files);
            let name = other.name();
            Err(Problem::new(
                "unsupported",
                format_args!("this build has no reader for {name} files"),
            ))
        }
    }
}

#[cfg(feature = "three")]
fn finish(
    name: &str,
    format: Format,
    mut file: MotionFile,
    nodes: Option<Vec<i32>>,
    settings: &LoadSettings,
) -> Result<Object> {
    if settings.z_up {
        file.turn_z_up();
    }
    let model = MotionModel::from_file(name, format, file, nodes)?;
    Ok(Object::Motion(Arc::new(model)))
}

/// Reads a file that needs no other.
#[cfg(any(feature = "acclaim", feature = "bvh"))]
fn read_one(name: &str, format: Format, bytes: &[u8], settings: &LoadSettings) -> Result<Object> {
    use sinew_formats::{LengthUnits, MotionReadError, MotionSettings, read_motion_bytes};
    let motion = MotionSettings {
        lenient: settings.lenient,
        frame_rate: settings.fps,
        units: settings
            .metres
            .map_or(LengthUnits::Usual, LengthUnits::Metres),
        z_up: settings.z_up,
        ..MotionSettings::default()
    };
    let file = read_motion_bytes(Path::new(name), bytes, &motion).map_err(|error| match error {
        MotionReadError::File(error) => error.describe(),
        other => Problem::format(other),
    })?;
    Ok(Object::Motion(Arc::new(MotionModel::from_file(
        name, format, file, None,
    )?)))
}

/// Returns the companion file of a name, whatever folder it is in.
#[cfg(feature = "three")]
fn find_file<'a>(files: &'a BTreeMap<String, Vec<u8>>, uri: &str) -> Option<&'a Vec<u8>> {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let decoded = percent_decoded(uri);
    files.get(uri).or_else(|| files.get(&decoded)).or_else(|| {
        files
            .iter()
            .find(|(name, _)| last(name) == last(&decoded))
            .map(|(_, bytes)| bytes)
    })
}

/// Replaces %20 and the like.
#[cfg(feature = "three")]
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let code = (first == b'%').then(|| others.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = others.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(feature = "acclaim")]
fn name_after_file(name: &str, file: &mut MotionFile) {
    if let (Some(animation), Some(stem)) =
        (file.animations.first_mut(), Path::new(name).file_stem())
    {
        animation.name = stem.to_string_lossy().into_owned();
    }
}

#[cfg(feature = "acclaim")]
fn units(settings: &LoadSettings) -> sinew_formats::asf::Units {
    use sinew_formats::asf::Units;
    settings
        .metres
        .map_or(Units::CmuMetres, Units::MetresPerUnit)
}

#[cfg(feature = "acclaim")]
fn read_asf(bytes: &[u8], settings: &LoadSettings) -> Result<sinew_formats::asf::Asf> {
    let lenient = settings.lenient;
    let settings = sinew_formats::asf::AsfSettings { lenient };
    sinew_formats::asf::read_bytes(bytes, &settings).map_err(|error| error.describe())
}

/// Finds the skeleton of an AMC: of several, the one whose name begins like that of the motion (`01.asf` of `01_02.amc`).
#[cfg(feature = "acclaim")]
fn find_asf<'a>(name: &str, files: &'a BTreeMap<String, Vec<u8>>) -> Option<(&'a str, &'a [u8])> {
    let stem = |name: &str| {
        let stem = Path::new(name).file_stem();
        stem.map(|stem| stem.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    };
    let motion = stem(name);
    let skeletons = files
        .iter()
        .filter(|(_, bytes)| detect(bytes) == Some(Format::Asf));
    let likeness = |name: &str| {
        let skeleton = stem(name);
        let likeness = skeleton
            .bytes()
            .zip(motion.bytes())
            .take_while(|(a, b)| a == b);
        likeness.count()
    };
    skeletons
        .max_by_key(|(name, _)| likeness(name))
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
}

/// Returns the skeleton of the first companion file that has one.
#[cfg(any(feature = "json", feature = "xml"))]
fn find_skeleton(
    settings: &LoadSettings,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<sinew::Skeleton> {
    let none = BTreeMap::new();
    for (name, bytes) in files {
        // A companion's own companions are beside it, except that it is not its own.
        let others = if detect(bytes) == Some(Format::Xml) {
            &none
        } else {
            files
        };
        if detect(bytes) == Some(Format::Json) {
            let read = sinew_formats::json::read_bytes(bytes).ok();
            if let Some(skeleton) = read.and_then(|file| file.skeleton) {
                return Ok(skeleton);
            }
            continue;
        }
        if let Ok(Object::Motion(model)) = load_object(name, bytes, settings, others) {
            return Ok(sinew::Skeleton::clone(model.skeleton()));
        }
    }
    Err(Problem::new(
        "missing-file",
        "it holds animations without a skeleton; a file with the skeleton is needed too",
    ))
}
