//! Several input motions of one command.

use crate::args::SourceArgs;
use crate::error::CliError;
use crate::{input, report};
use sinew::registration::Motion;
use sinew::{Animation, Skeleton};
use sinew_formats::Warnings;
use sinew_formats::gltf::GltfSource;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The largest number of motions of one command.
const MAX_MOTIONS: usize = 32;

/// A motion of the command line.
pub(crate) struct InputMotion {
    /// As given by the user.
    pub(crate) path: PathBuf,
    pub(crate) skeleton: Skeleton,
    /// With a unique name.
    pub(crate) animation: Animation,
    /// The source glTF file.
    pub(crate) gltf: Option<GltfSource>,
    /// Warnings of the reader: repairs and ignored content.
    pub(crate) warnings: Warnings,
}

impl InputMotion {
    pub(crate) fn motion(&self) -> Motion<'_> {
        Motion::new(&self.skeleton, &self.animation)
    }

    pub(crate) fn name(&self) -> &str {
        &self.animation.name
    }
}

/// Reads an animation of a file: by name, or the first.
pub(crate) fn open_one(
    path: &Path,
    animation: Option<&str>,
    source: &SourceArgs,
) -> Result<InputMotion, CliError> {
    let mut motion = input::open_only_motion(path, source)?;
    motion.select_skeleton(animation);
    report::warnings(path, &motion.file.warnings);
    let Some(chosen) = motion.animation(animation)?.cloned() else {
        return Err(CliError::unusable(path, "no animation found"));
    };
    Ok(InputMotion {
        path: path.to_owned(),
        skeleton: motion.file.skeleton,
        animation: chosen,
        gltf: motion.gltf,
        warnings: motion.file.warnings,
    })
}

/// Reads one animation of each file: the named ones, in order, or the first of each.
pub(crate) fn open(
    inputs: &[PathBuf],
    animations: &[String],
    source: &SourceArgs,
) -> Result<Vec<InputMotion>, CliError> {
    if let [only] = inputs {
        return Err(CliError::unusable(
            only,
            "expected at least two motions, found one",
        ));
    }
    if inputs.len() > MAX_MOTIONS {
        return Err(CliError::Unusable {
            path: format!("{} motions", inputs.len()),
            problem: format!("expected at most {MAX_MOTIONS}"),
        });
    }
    if !animations.is_empty() && animations.len() != inputs.len() {
        return Err(CliError::Unusable {
            path: format!("--animation {}", animations.join(" --animation ")),
            problem: format!("expected one for each of the {} inputs", inputs.len()),
        });
    }
    let numbered = inputs.iter().enumerate();
    let chosen: Result<Vec<InputMotion>, CliError> = numbered
        .map(|(index, path)| open_one(path, animations.get(index).map(String::as_str), source))
        .collect();
    let mut chosen = chosen?;
    make_names_unique(&mut chosen);
    Ok(chosen)
}

/// Renames motions of equal names after their files; adds numbers if these are equal too.
fn make_names_unique(chosen: &mut [InputMotion]) {
    let is_alone = |chosen: &[InputMotion], name: &str| {
        chosen
            .iter()
            .filter(|input| input.animation.name == name)
            .count()
            < 2
            && !name.is_empty()
    };
    let alike: Vec<bool> = chosen
        .iter()
        .map(|input| !is_alone(chosen, input.name()))
        .collect();
    for (input, _) in chosen.iter_mut().zip(&alike).filter(|(_, alike)| **alike) {
        let stem = input.path.file_stem().unwrap_or_default().to_string_lossy();
        input.animation.name = stem.replace("sample:", "");
    }
    let alike: Vec<bool> = chosen
        .iter()
        .map(|input| !is_alone(chosen, input.name()))
        .collect();
    let numbered = chosen.iter_mut().zip(&alike).enumerate();
    for (index, (input, _)) in numbered.filter(|(_, (_, alike))| **alike) {
        input.animation.name = format!("{} {}", input.animation.name, index + 1);
    }
}

/// Returns the glTF file of each motion; `None` if an earlier motion has the same file, so that its other contents are
/// listed once.
pub(crate) fn gltf_files(chosen: &[InputMotion]) -> Vec<Option<&GltfSource>> {
    let mut known = HashSet::new();
    let files = chosen.iter().map(|input| {
        let is_new = known.insert(crate::output::key(&input.path));
        input.gltf.as_ref().filter(|_| is_new)
    });
    files.collect()
}

/// Reports what the output loses of each motion, with the file of the motion.
pub(crate) fn report_losses(chosen: &[InputMotion], losses: &[Warnings]) {
    for (input, lost) in chosen.iter().zip(losses) {
        report::losses(&input.path, lost);
    }
}

/// Rejects an output that would overwrite an input.
pub(crate) fn check_not_input(
    path: &Path,
    inputs: &[PathBuf],
    option: &str,
) -> Result<(), CliError> {
    if crate::output::is_stdout(path) {
        return Ok(());
    }
    let key = crate::output::key(path);
    if inputs.iter().any(|input| crate::output::key(input) == key) {
        let problem = format!("would overwrite an input; choose another {option}");
        return Err(CliError::unusable(path, problem));
    }
    crate::output::check(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    fn input(path: &str, name: &str) -> InputMotion {
        InputMotion {
            path: path.into(),
            skeleton: Skeleton::new(vec![Joint {
                name: "root".into(),
                parent: None,
                rest: Transform::IDENTITY,
                tip: None,
            }])
            .unwrap(),
            animation: Animation::new(name, 1.0),
            gltf: None,
            warnings: Warnings::default(),
        }
    }

    #[test]
    fn every_motion_has_a_name_of_its_own() {
        let mut all = [
            input("a/walk.bvh", "take"),
            input("b/run.bvh", "take"),
            input("jump.bvh", "jump"),
            input("c/walk.bvh", "take"),
            input("idle.bvh", ""),
        ];
        make_names_unique(&mut all);
        let names: Vec<&str> = all.iter().map(InputMotion::name).collect();
        assert_eq!(names, ["walk 1", "run", "jump", "walk 4", "idle"]);
    }
}
