//! Files that commands take, the built-in samples among them.

use crate::args::{SourceArgs, UpAxis};
use crate::error::CliError;
use sinew::{Animation, AnimationIndex, Skeleton, StyleIndex};
use sinew_formats::limits::MAX_MOTION_VALUES;
use sinew_formats::pack::{self, Pack};
use sinew_formats::skf::{self, ReadSettings, Skf};
use sinew_formats::{
    Format, MotionFile, MotionSettings, Warnings, amc, asf, detect_file, read_animations,
    read_motion,
};
use std::path::{Path, PathBuf};

/// What to type for the built-in character.
pub(crate) const SAMPLE_NAME: &str = "sample";

/// What to type before the name of a built-in motion.
const MOTION_PREFIX: &str = "sample:";

/// A file of any format.
pub(crate) enum Input {
    Character(Character),
    Motion(Motion),
}

/// A character and where it came from.
pub(crate) struct Character {
    pub(crate) skf: Skf,
    /// As the user gave it.
    pub(crate) path: PathBuf,
}

/// Motions on a skeleton and where they came from.
pub(crate) struct Motion {
    pub(crate) file: MotionFile,
    /// What else a packed file has: further skeletons, with their motions.
    pub(crate) others: Vec<MotionFile>,
    pub(crate) format: Format,
    /// As the user gave it.
    pub(crate) path: PathBuf,
}

impl Input {
    pub(crate) fn warnings(&self) -> &Warnings {
        match self {
            Self::Character(character) => &character.skf.warnings,
            Self::Motion(motion) => &motion.file.warnings,
        }
    }
}

/// Opens a file of any format, or a built-in sample when its name is given and no such file exists.
/// Motions are read leniently: whoever looks at a file would rather see it than not.
pub(crate) fn open(
    path: &Path,
    settings: ReadSettings,
    source: &SourceArgs,
) -> Result<Input, CliError> {
    if path.exists() {
        // What is no motion is read as a character, whose reader says what is wrong with it.
        return match detect_file(path)? {
            Some(format) if format.is_motion() => open_motion(path, format, source),
            None => match Format::from_name(path).filter(|format| format.is_motion()) {
                Some(format) => open_motion(path, format, source),
                None => Ok(Input::Character(read(path, settings)?)),
            },
            _ => Ok(Input::Character(read(path, settings)?)),
        };
    }
    match path
        .to_str()
        .and_then(|name| name.strip_prefix(MOTION_PREFIX))
    {
        Some(name) => Ok(Input::Motion(sample_motion(name)?)),
        None => Ok(Input::Character(read(path, settings)?)),
    }
}

/// Opens a motion, which a character is not.
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

fn open_motion(path: &Path, format: Format, source: &SourceArgs) -> Result<Input, CliError> {
    let mut files = read_each_skeleton(path, source, true)?;
    let others = files.split_off(1.min(files.len()));
    let Some(file) = files.pop() else {
        return Err(CliError::unusable(path, "it has no skeleton"));
    };
    Ok(Input::Motion(Motion {
        file,
        others,
        format,
        path: path.to_owned(),
    }))
}

/// How motion files are read.
pub(crate) fn settings(source: &SourceArgs, lenient: bool) -> MotionSettings {
    MotionSettings {
        lenient,
        fps: source.source_fps,
        units: source.units.unwrap_or_default(),
        asf: source.asf.clone(),
        z_up: source.up == UpAxis::Z,
        whole_scene: source.whole_scene,
        ..MotionSettings::default()
    }
}

/// Whether a path is the name of a built-in motion and of no file.
pub(crate) fn is_sample_motion(path: &Path) -> bool {
    let name = path.to_str().unwrap_or_default();
    name.starts_with(MOTION_PREFIX) && !path.exists()
}

/// Reads a motion file, or a built-in motion by its name; on the skeleton of another file if one is given.
pub(crate) fn read_any_motion(
    path: &Path,
    source: &SourceArgs,
    lenient: bool,
) -> Result<MotionFile, CliError> {
    let settings = settings(source, lenient);
    match &source.skeleton {
        Some(other) => {
            let (animations, warnings) = read_any_animations(path, &settings)?;
            Ok(MotionFile {
                skeleton: read_motion_or_sample(other, &settings)?.skeleton,
                animations,
                warnings,
            })
        }
        None => read_motion_or_sample(path, &settings),
    }
}

/// Reads a motion file as [`read_any_motion`] does, but for every skeleton of it: a packed file may have
/// several. Never empty.
pub(crate) fn read_each_skeleton(
    path: &Path,
    source: &SourceArgs,
    lenient: bool,
) -> Result<Vec<MotionFile>, CliError> {
    let is_packed = matches!(detect_file(path), Ok(Some(Format::Sinew)));
    if is_packed && source.skeleton.is_none() {
        let pack = pack::read_file(path)?;
        if pack.skeletons.len() > 1 {
            return unpack(path, &pack);
        }
    }
    Ok(vec![read_any_motion(path, source, lenient)?])
}

/// The skeletons of a packed file, each with its motions.
pub(crate) fn unpack(path: &Path, pack: &Pack) -> Result<Vec<MotionFile>, CliError> {
    let files = pack.skeletons.iter().map(|skeleton| MotionFile {
        skeleton: Skeleton::clone(skeleton),
        animations: Vec::new(),
        warnings: Warnings::default(),
    });
    let mut files: Vec<MotionFile> = files.collect();
    // A few bytes can stand for hours in which nothing moves.
    let mut room = MAX_MOTION_VALUES;
    for entry in &pack.animations {
        let Some(file) = files.get_mut(entry.skeleton) else {
            continue;
        };
        let moments = entry.animation.moment_count();
        // A transform is ten numbers.
        let values = moments.saturating_mul(10 * file.skeleton.len());
        room = room.checked_sub(values).ok_or_else(|| {
            let problem = format!(
                "its motions are more than the {MAX_MOTION_VALUES} numbers that are unpacked at once; \
                 compress them into several files"
            );
            CliError::unusable(path, problem)
        })?;
        let animation = entry.animation.to_animation(&file.skeleton);
        file.animations
            .push(animation.map_err(|error| CliError::unusable(path, error))?);
    }
    Ok(files)
}

/// Reads the animations of a file, which may have no skeleton, or those of a built-in motion.
pub(crate) fn read_any_animations(
    path: &Path,
    settings: &MotionSettings,
) -> Result<(Vec<Animation>, Warnings), CliError> {
    if is_sample_motion(path) {
        let file = read_motion_or_sample(path, settings)?;
        return Ok((file.animations, file.warnings));
    }
    Ok(read_animations(path, settings)?)
}

fn read_motion_or_sample(path: &Path, settings: &MotionSettings) -> Result<MotionFile, CliError> {
    let name = path
        .to_str()
        .and_then(|name| name.strip_prefix(MOTION_PREFIX));
    match name {
        Some(name) if is_sample_motion(path) => Ok(sample_motion(name)?.file),
        _ => Ok(read_motion(path, settings)?),
    }
}

/// The names of the built-in motions, as they are typed.
pub(crate) fn sample_motion_names() -> impl Iterator<Item = String> {
    sinew_samples::MOTIONS
        .iter()
        .map(|(name, _)| format!("{MOTION_PREFIX}{name}"))
}

/// A built-in motion.
pub(crate) fn sample_motion(name: &str) -> Result<Motion, CliError> {
    let path = PathBuf::from(format!("{MOTION_PREFIX}{name}"));
    let Some(bytes) = sinew_samples::motion(name) else {
        let names: Vec<String> = sample_motion_names().collect();
        return Err(CliError::Unusable {
            path: path.display().to_string(),
            problem: format!(
                "there is no such file, and the built-in motions are {}",
                names.join(", ")
            ),
        });
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
    })
}

impl Motion {
    /// Puts the skeleton first that has an animation of that name, where the first has none.
    pub(crate) fn turn_to(&mut self, name: Option<&str>) {
        let has = |file: &MotionFile| {
            file.animations
                .iter()
                .any(|own| Some(own.name.as_str()) == name)
        };
        if has(&self.file) {
            return;
        }
        if let Some(other) = self.others.iter_mut().find(|other| has(other)) {
            std::mem::swap(&mut self.file, other);
        }
    }

    /// The animation of that name, or the first; `None` when none is asked for and there is none.
    pub(crate) fn animation(&self, name: Option<&str>) -> Result<Option<&Animation>, CliError> {
        let animations = &self.file.animations;
        let Some(name) = name else {
            return Ok(animations.first());
        };
        let found = animations.iter().find(|animation| animation.name == name);
        found.map(Some).ok_or_else(|| CliError::NoAnimation {
            path: self.path.display().to_string(),
            asked: name.to_owned(),
            there: {
                let others = self.others.iter().flat_map(|other| &other.animations);
                let all = animations.iter().chain(others);
                there_are("animations", all.map(|a| a.name.as_str()))
            },
        })
    }
}

/// Reads a character, or the built-in one when its name is given and no such file exists.
pub(crate) fn read(path: &Path, settings: ReadSettings) -> Result<Character, CliError> {
    let is_sample = path.as_os_str() == SAMPLE_NAME && !path.exists();
    let skf = if is_sample {
        skf::read_bytes_with(sinew_samples::PIP, settings).map_err(CliError::Sample)?
    } else {
        skf::read_with(path, settings)?
    };
    Ok(Character {
        skf,
        path: path.to_owned(),
    })
}

impl Character {
    /// The animation of that name, or the first; `None` when none is asked for and there is none.
    pub(crate) fn animation(&self, name: Option<&str>) -> Result<Option<AnimationIndex>, CliError> {
        let armature = &self.skf.armature;
        let Some(name) = name else {
            return Ok((!armature.animations().is_empty()).then_some(AnimationIndex(0)));
        };
        let found = armature.find_animation(name);
        found.map(Some).ok_or_else(|| CliError::NoAnimation {
            path: self.path.display().to_string(),
            asked: name.to_owned(),
            there: there_are("animations", armature.animations().iter().map(|a| a.name())),
        })
    }

    /// The named styles, then those worn by default.
    pub(crate) fn styles(&self, names: &[String]) -> Result<Vec<StyleIndex>, CliError> {
        let armature = &self.skf.armature;
        let mut styles = Vec::new();
        for name in names {
            let style = armature.find_style(name).ok_or_else(|| CliError::NoStyle {
                path: self.path.display().to_string(),
                asked: name.clone(),
                there: there_are(
                    "styles",
                    armature.data().styles.iter().map(|s| s.name.as_str()),
                ),
            })?;
            styles.push(style);
        }
        styles.extend(armature.default_styles());
        Ok(styles)
    }
}

pub(crate) fn there_are<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("{:?}", name.trim())).collect();
    if names.is_empty() {
        format!("the file has no {what}")
    } else {
        format!("it has {}", names.join(", "))
    }
}
