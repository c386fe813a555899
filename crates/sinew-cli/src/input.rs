//! Files that commands take, the built-in sample among them.

use crate::error::CliError;
use sinew::{AnimationIndex, StyleIndex};
use sinew_formats::skf::{self, ReadSettings, Skf};
use std::path::{Path, PathBuf};

/// The built-in character, made by the project's own generator.
const SAMPLE: &[u8] = include_bytes!("../../../samples/pip.skf");

/// What to type for the built-in character.
pub(crate) const SAMPLE_NAME: &str = "sample";

/// A character and where it came from.
pub(crate) struct Character {
    pub(crate) skf: Skf,
    /// As the user gave it.
    pub(crate) path: PathBuf,
}

/// Reads a file, or the built-in sample when its name is given and no such file exists.
pub(crate) fn read(path: &Path, settings: ReadSettings) -> Result<Character, CliError> {
    let is_sample = path.as_os_str() == SAMPLE_NAME && !path.exists();
    let skf = if is_sample {
        skf::read_bytes_with(SAMPLE, settings).map_err(CliError::Sample)?
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

fn there_are<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("{:?}", name.trim())).collect();
    if names.is_empty() {
        format!("the file has no {what}")
    } else {
        format!("it has {}", names.join(", "))
    }
}
