//! Input files of commands, including the built-in samples.

use crate::args::{SourceArgs, UpAxis};
use crate::error::CliError;
use crate::names::{did_you_mean, nearest, no_such};
use sinew::Animation;
use sinew::skelform::{ArmatureAnimationIndex, StyleIndex};
use sinew_formats::gltf::{GltfSettings, GltfSource};
use sinew_formats::limits::MAX_FILE_BYTES;
use sinew_formats::pack::{self, Pack};
use sinew_formats::skf::{self, ReadSettings, Skf};
use sinew_formats::{
    FileError, Format, MotionError, MotionFile, MotionSettings, Warnings, amc, asf, describe,
    detect, load_file, read_animations_bytes, read_motion, read_motion_bytes, read_motions_bytes,
};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the built-in character.
pub(crate) const SAMPLE_NAME: &str = "sample";

/// The prefix of the names of built-in motions.
const MOTION_PREFIX: &str = "sample:";

/// A file of any format.
pub(crate) enum Input {
    Character(Character),
    Motion(Motion),
}

/// A character and its path.
pub(crate) struct Character {
    pub(crate) skf: Skf,
    /// As given by the user.
    pub(crate) path: PathBuf,
}

/// Motions on a skeleton, and their path.
pub(crate) struct Motion {
    pub(crate) file: MotionFile,
    /// Further skeletons of a packed file, with their motions.
    pub(crate) others: Vec<MotionFile>,
    pub(crate) format: Format,
    /// As given by the user.
    pub(crate) path: PathBuf,
    /// The bytes of a packed file.
    pub(crate) packed: Option<Vec<u8>>,
    /// The source glTF file.
    pub(crate) gltf: Option<GltfSource>,
}

impl Input {
    pub(crate) fn warnings(&self) -> &Warnings {
        match self {
            Self::Character(character) => &character.skf.warnings,
            Self::Motion(motion) => &motion.file.warnings,
        }
    }
}

/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// The name of standard input in messages, and the base of the names of its motions and outputs.
const STANDARD_INPUT_NAME: &str = "stdin";

/// Returns whether an input is standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// A loaded file.
#[derive(Debug)]
pub(crate) struct LoadedFile {
    /// As given by the user, or `stdin`.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl LoadedFile {
    /// Returns the format, detected from content; `None` if it is not supported.
    pub(crate) fn format(&self) -> Option<Format> {
        detect(&self.bytes)
    }
}

/// Reads a whole file, or standard input for `-`.
pub(crate) fn load(path: &Path) -> Result<LoadedFile, CliError> {
    if is_stdin(path) {
        return load_stdin();
    }
    let bytes = load_file(path).map_err(|error| match &error.source {
        MotionError::Io(source) if source.kind() == io::ErrorKind::NotFound => no_such_file(path),
        _ => CliError::from(error),
    })?;
    Ok(LoadedFile {
        path: path.to_owned(),
        bytes,
    })
}

fn load_stdin() -> Result<LoadedFile, CliError> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    let path = PathBuf::from(STANDARD_INPUT_NAME);
    if IS_READ.swap(true, Ordering::Relaxed) {
        let problem = "standard input can be used for one input only";
        return Err(CliError::unusable(&path, problem));
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::unusable(&path, format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let problem = format!("larger than {MAX_FILE_BYTES} bytes");
        return Err(CliError::unusable(&path, problem));
    }
    Ok(LoadedFile { path, bytes })
}

/// Returns the glTF file of an input, whose meshes and other contents are kept; `None` if its skeleton is replaced.
pub(crate) fn gltf_source(loaded: &LoadedFile, source: &SourceArgs) -> Option<GltfSource> {
    let is_gltf = matches!(loaded.format(), Some(Format::Gltf | Format::Glb));
    let whole_scene = source.whole_scene;
    (is_gltf && source.skeleton.is_none()).then(|| {
        let settings = GltfSettings { whole_scene };
        GltfSource::of_file(&loaded.path, loaded.bytes.clone(), &settings)
    })
}

/// The largest number of files in a folder that are compared with a missing name.
const MAX_LISTED: usize = 10_000;

/// Returns the error of a missing file, with a suggestion.
pub(crate) fn no_such_file(path: &Path) -> CliError {
    CliError::unusable(path, format!("no such file{}", meant_file(path)))
}

/// Suggests a file beside the missing one, or a built-in sample.
pub(crate) fn meant_file(path: &Path) -> String {
    let asked = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new(""));
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = fs::read_dir(here).into_iter().flatten().flatten();
    let names = entries.take(MAX_LISTED);
    let mut names: Vec<String> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    if folder.as_os_str().is_empty() {
        names.push(SAMPLE_NAME.to_owned());
        names.extend(sample_motion_names());
    }
    match nearest(&asked, names.iter().map(String::as_str)) {
        Some(name) => format!(" (did you mean {}?)", folder.join(name).display()),
        None => String::new(),
    }
}

/// Opens a file of any format, standard input for `-`, or a built-in sample if no file of that name exists. All
/// commands read motions the same: files with an obvious remedy are repaired with a warning, unless `--strict` is
/// given.
pub(crate) fn open(
    path: &Path,
    settings: ReadSettings,
    source: &SourceArgs,
) -> Result<Input, CliError> {
    if let Some(name) = sample_motion_name(path) {
        return Ok(Input::Motion(sample_motion(name)?));
    }
    if is_sample(path) {
        return Ok(Input::Character(read(path, settings)?));
    }
    open_loaded(load(path)?, settings, source)
}

/// Like [`open`], for a loaded file.
pub(crate) fn open_loaded(
    loaded: LoadedFile,
    settings: ReadSettings,
    source: &SourceArgs,
) -> Result<Input, CliError> {
    // Without a known signature the extension decides, for a useful error message.
    match loaded.format().or_else(|| Format::from_name(&loaded.path)) {
        Some(format) if format.is_motion() => open_motion(loaded, format, source),
        Some(_) => Ok(Input::Character(read_loaded(loaded, settings)?)),
        None => {
            let problem = format!(
                "expected a SkelForm character or a motion (ASF, AMC, BVH, glTF, GLB, JSON, XML or .sinew), found {}",
                describe(&loaded.bytes)
            );
            Err(CliError::unusable(&loaded.path, problem))
        }
    }
}

/// Returns whether a path names the built-in character and no file.
fn is_sample(path: &Path) -> bool {
    path.as_os_str() == SAMPLE_NAME && !path.exists()
}

/// Opens a motion; rejects characters.
pub(crate) fn open_only_motion(path: &Path, source: &SourceArgs) -> Result<Motion, CliError> {
    match open(path, ReadSettings { pictures: false }, source)? {
        Input::Motion(motion) => Ok(motion),
        Input::Character(_) => Err(CliError::Unusable {
            path: path.display().to_string(),
            problem: "expected a motion (AMC, BVH, glTF or GLB), found a SkelForm character"
                .to_owned(),
        }),
    }
}

fn open_motion(loaded: LoadedFile, format: Format, source: &SourceArgs) -> Result<Input, CliError> {
    let mut files = each_skeleton(&loaded, source)?;
    let others = files.split_off(1.min(files.len()));
    let Some(file) = files.pop() else {
        return Err(CliError::unusable(&loaded.path, "no skeleton found"));
    };
    let is_packed = format == Format::Sinew;
    let gltf = gltf_source(&loaded, source);
    Ok(Input::Motion(Motion {
        file,
        others,
        format,
        path: loaded.path,
        packed: is_packed.then_some(loaded.bytes),
        gltf,
    }))
}

/// Returns the settings for reading motion files.
pub(crate) fn settings(source: &SourceArgs) -> MotionSettings {
    MotionSettings {
        lenient: !source.strict,
        frame_rate: source.source_fps,
        units: source.units.unwrap_or_default(),
        asf: source.asf.clone(),
        z_up: source.up == UpAxis::Z,
        whole_scene: source.whole_scene,
        ..MotionSettings::default()
    }
}

/// Returns whether a motion that `--strict` rejects can be read without it.
pub(crate) fn is_repairable(path: &Path, source: &SourceArgs) -> bool {
    let settings = MotionSettings {
        lenient: true,
        ..settings(source)
    };
    !is_stdin(path) && read_motion(path, &settings).is_ok()
}

/// Returns the name of the built-in motion of a path, unless a file of that name exists.
fn sample_motion_name(path: &Path) -> Option<&str> {
    let name = path.to_str()?.strip_prefix(MOTION_PREFIX)?;
    (!path.exists()).then_some(name)
}

/// Returns whether a path names a built-in motion and no file.
pub(crate) fn is_sample_motion(path: &Path) -> bool {
    sample_motion_name(path).is_some()
}

/// Reads a motion on its skeleton, or on that of another file if given.
pub(crate) fn motion_of(loaded: &LoadedFile, source: &SourceArgs) -> Result<MotionFile, CliError> {
    let settings = settings(source);
    let LoadedFile { path, bytes } = loaded;
    match &source.skeleton {
        Some(other) => {
            let (animations, warnings) = read_animations_bytes(path, bytes, &settings)?;
            Ok(MotionFile {
                skeleton: read_motion_or_sample(other, &settings)?.skeleton,
                animations,
                warnings,
            })
        }
        None => Ok(read_motion_bytes(path, bytes, &settings)?),
    }
}

/// Reads a motion file, or a built-in motion by its name; on the skeleton of another file if given.
pub(crate) fn read_any_motion(path: &Path, source: &SourceArgs) -> Result<MotionFile, CliError> {
    let Some(name) = sample_motion_name(path) else {
        return motion_of(&load(path)?, source);
    };
    let file = sample_motion(name)?.file;
    Ok(match &source.skeleton {
        Some(other) => MotionFile {
            skeleton: read_motion_or_sample(other, &settings(source))?.skeleton,
            ..file
        },
        None => file,
    })
}

/// Reads all skeletons of a motion file like [`read_any_motion`]: a packed file may have several. Never empty.
pub(crate) fn read_each_skeleton(
    path: &Path,
    source: &SourceArgs,
) -> Result<Vec<MotionFile>, CliError> {
    if is_sample_motion(path) {
        return Ok(vec![read_any_motion(path, source)?]);
    }
    each_skeleton(&load(path)?, source)
}

/// Like [`read_each_skeleton`], for a loaded file.
pub(crate) fn each_skeleton(
    loaded: &LoadedFile,
    source: &SourceArgs,
) -> Result<Vec<MotionFile>, CliError> {
    if source.skeleton.is_some() {
        return Ok(vec![motion_of(loaded, source)?]);
    }
    let LoadedFile { path, bytes } = loaded;
    Ok(read_motions_bytes(path, bytes, &settings(source))?)
}

/// Returns the packed motions of a loaded file.
pub(crate) fn pack_of_loaded(loaded: &LoadedFile) -> Result<Pack, CliError> {
    pack::read_bytes(&loaded.bytes).map_err(|source| {
        CliError::from(FileError {
            path: loaded.path.clone(),
            source,
        })
    })
}

/// Reads the animations of a file, which may have no skeleton, or of a built-in motion.
pub(crate) fn read_any_animations(
    path: &Path,
    settings: &MotionSettings,
) -> Result<(Vec<Animation>, Warnings), CliError> {
    if is_sample_motion(path) {
        let file = read_motion_or_sample(path, settings)?;
        return Ok((file.animations, file.warnings));
    }
    let LoadedFile { path, bytes } = load(path)?;
    Ok(read_animations_bytes(&path, &bytes, settings)?)
}

fn read_motion_or_sample(path: &Path, settings: &MotionSettings) -> Result<MotionFile, CliError> {
    match sample_motion_name(path) {
        Some(name) => Ok(sample_motion(name)?.file),
        None => {
            let LoadedFile { path, bytes } = load(path)?;
            Ok(read_motion_bytes(&path, &bytes, settings)?)
        }
    }
}

/// Returns the file name and bytes of the built-in sample that a path names, unless a file of that name exists.
pub(crate) fn sample_file(path: &Path) -> Result<Option<(String, &'static [u8])>, CliError> {
    if is_sample(path) {
        return Ok(Some(("pip.skf".to_owned(), sinew_samples::PIP)));
    }
    let Some(name) = sample_motion_name(path) else {
        return Ok(None);
    };
    match sinew_samples::motion(name) {
        Some(bytes) => Ok(Some((format!("{name}.amc"), bytes))),
        None => sample_motion(name).map(|_| None),
    }
}

/// Returns whether a path has the form of the name of a built-in sample.
#[cfg(feature = "viewer")]
pub(crate) fn is_sample_name(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text == SAMPLE_NAME || text.starts_with(MOTION_PREFIX)
}

/// Returns the names of the built-in motions, with prefix.
pub(crate) fn sample_motion_names() -> impl Iterator<Item = String> {
    sinew_samples::MOTIONS
        .iter()
        .map(|(name, _)| format!("{MOTION_PREFIX}{name}"))
}

/// Returns a built-in motion.
pub(crate) fn sample_motion(name: &str) -> Result<Motion, CliError> {
    let path = PathBuf::from(format!("{MOTION_PREFIX}{name}"));
    let Some(bytes) = sinew_samples::motion(name) else {
        let names: Vec<String> = sample_motion_names().collect();
        let typed = path.to_string_lossy();
        let maybe = did_you_mean(&typed, names.iter().map(String::as_str));
        let all = names.join(", ");
        let problem = format!("no such file{maybe}; the built-in motions are {all}");
        return Err(CliError::unusable(&path, problem));
    };
    let failed = |error: &dyn std::error::Error| CliError::Unusable {
        path: path.display().to_string(),
        problem: error.to_string(),
    };
    let figure = asf::read_bytes(sinew_samples::FIGURE, &asf::AsfSettings::default())
        .map_err(|e| failed(&e))?;
    let motion = amc::read_bytes(bytes, &figure, &amc::AmcSettings::default());
    let motion = motion.map_err(|error| failed(&error))?;
    let mut file =
        amc::to_motion(&figure, motion, asf::Units::default()).map_err(|error| failed(&error))?;
    for animation in &mut file.animations {
        animation.name = name.to_owned();
    }
    Ok(Motion {
        file,
        others: Vec::new(),
        format: Format::Amc,
        path,
        packed: None,
        gltf: None,
    })
}

impl Motion {
    /// Moves the skeleton that has an animation of that name to the front, unless the first has one.
    pub(crate) fn select_skeleton(&mut self, name: Option<&str>) {
        let has = |file: &MotionFile| {
            file.animations
                .iter()
                .any(|animation| Some(animation.name.as_str()) == name)
        };
        if has(&self.file) {
            return;
        }
        if let Some(other) = self.others.iter_mut().find(|other| has(other)) {
            std::mem::swap(&mut self.file, other);
        }
    }

    /// Returns the animation of that name, or the first; `None` if there is none and no name is given.
    pub(crate) fn animation(&self, name: Option<&str>) -> Result<Option<&Animation>, CliError> {
        let animations = &self.file.animations;
        let Some(name) = name else {
            return Ok(animations.first());
        };
        let found = animations.iter().find(|animation| animation.name == name);
        found.map(Some).ok_or_else(|| {
            let others = self.others.iter().flat_map(|other| &other.animations);
            let all = animations.iter().chain(others);
            missing_name(&self.path, "animation", name, all.map(|a| a.name.as_str()))
        })
    }
}

/// Reads a character, or the built-in one if no file of that name exists.
pub(crate) fn read(path: &Path, settings: ReadSettings) -> Result<Character, CliError> {
    if !is_sample(path) {
        return read_loaded(load(path)?, settings);
    }
    let skf = skf::read_bytes_with(sinew_samples::PIP, settings).map_err(CliError::Sample)?;
    let path = path.to_owned();
    Ok(Character { skf, path })
}

fn read_loaded(loaded: LoadedFile, settings: ReadSettings) -> Result<Character, CliError> {
    let LoadedFile { path, bytes } = loaded;
    match skf::read_bytes_with(&bytes, settings) {
        Ok(skf) => Ok(Character { skf, path }),
        Err(source) => Err(CliError::Read(FileError { path, source })),
    }
}

impl Character {
    /// Returns the animation of that name, or the first; `None` if there is none and no name is given.
    pub(crate) fn animation(
        &self,
        name: Option<&str>,
    ) -> Result<Option<ArmatureAnimationIndex>, CliError> {
        let armature = &self.skf.armature;
        let Some(name) = name else {
            return Ok((!armature.animations().is_empty()).then_some(ArmatureAnimationIndex(0)));
        };
        let found = armature.find_animation(name);
        found.map(Some).ok_or_else(|| {
            let names = armature.animations().iter().map(|a| a.name());
            missing_name(&self.path, "animation", name, names)
        })
    }

    /// Returns the named styles, followed by the default ones.
    pub(crate) fn styles(&self, names: &[String]) -> Result<Vec<StyleIndex>, CliError> {
        let armature = &self.skf.armature;
        let mut styles = Vec::new();
        for name in names {
            let style = armature.find_style(name).ok_or_else(|| {
                let names = armature.data().styles.iter().map(|s| s.name.as_str());
                missing_name(&self.path, "style", name, names)
            })?;
            styles.push(style);
        }
        styles.extend(armature.default_styles());
        Ok(styles)
    }
}

/// Returns the error of a missing name, with a suggestion and the available names.
pub(crate) fn missing_name<'a>(
    path: &Path,
    what: &str,
    asked: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> CliError {
    CliError::unusable(path, no_such(what, asked, names))
}
