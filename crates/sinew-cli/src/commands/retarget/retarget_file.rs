//! Retargeting of one file.

use super::target::Target;
use super::{RetargetFormat, character, compare, figure};
use crate::args::{BatchArgs, IkPart, RetargetArgs, RootPart};
use crate::commands::convert::convert_file::{Claims, with_motion_name};
use crate::commands::convert::find::Job;
use crate::commands::motion_output::MotionOutput;
use crate::commands::retarget::roles::Roles;
use crate::error::CliError;
use crate::resume::{Recipe, Records, hash};
use crate::{input, output};
use sinew::skelform::AnimationData;
use sinew::{Animation, Skeleton};
use sinew_author::retarget::character::{CharacterReport, CharacterSettings};
use sinew_author::retarget::{RetargetReport, RetargetSettings, RootTarget};
use sinew_formats::{MotionFile, Warnings};
use std::path::{Path, PathBuf};

/// The result of retargeting a file.
#[derive(Default)]
pub(super) struct RetargetedFile {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) is_skipped: bool,
    pub(super) motions: Vec<RetargetedMotion>,
    /// Why nothing is written: missing roles, or limits of quality that are exceeded.
    pub(super) refused: Vec<String>,
    /// The roles of the source's skeletons.
    pub(super) roles: Vec<Roles>,
    /// What the reader repaired or ignored.
    pub(super) warnings: Warnings,
    /// What the output cannot hold.
    pub(super) losses: Warnings,
}

impl RetargetedFile {
    pub(super) fn is_refused(&self) -> bool {
        !self.refused.is_empty()
    }
}

/// A motion of a file and its result.
pub(super) struct RetargetedMotion {
    pub(super) name: String,
    pub(super) skeleton: Skeleton,
    pub(super) source: Animation,
    pub(super) result: RetargetResult,
}

/// A motion on the target.
pub(super) enum RetargetResult {
    Figure {
        animation: Box<Animation>,
        report: RetargetReport,
    },
    Character {
        animation: AnimationData,
        report: CharacterReport,
    },
}

/// What all inputs have in common.
pub(super) struct Retargeting<'a> {
    pub(super) args: &'a RetargetArgs,
    pub(super) target: &'a Target,
    pub(super) figure_settings: RetargetSettings,
    pub(super) character_settings: CharacterSettings,
    /// All options that affect outputs, for `--resume`.
    options: String,
}

impl<'a> Retargeting<'a> {
    pub(super) fn new(args: &'a RetargetArgs, target: &'a Target) -> Result<Self, CliError> {
        let has = |part| args.ik.contains(&part) && !args.no_cleanup;
        let figure_settings = RetargetSettings {
            rest: args.rest,
            scale: args.scale.0,
            root: match args.root {
                RootPart::Hips => RootTarget::Hips,
                RootPart::Reference => RootTarget::Reference,
            },
            feet: has(IkPart::Feet),
            hands: has(IkPart::Hands),
            ..RetargetSettings::default()
        };
        let options = match args.batch.resume {
            true => options(args),
            false => String::new(),
        };
        Ok(Self {
            args,
            target,
            figure_settings,
            character_settings: character::settings(args)?,
            options,
        })
    }

    /// Retargets the motions of a file; writes nothing.
    pub(super) fn retarget_file(&self, path: &Path) -> Result<RetargetedFile, CliError> {
        let files = input::read_each_skeleton(path, &self.args.source)?;
        self.retarget_motions(path, files)
    }

    /// Retargets a file and writes the result, unless it is up to date.
    pub(super) fn convert(
        &self,
        index: usize,
        job: &Job,
        to: RetargetFormat,
        claims: &Claims,
        records: &Records,
    ) -> Result<RetargetedFile, CliError> {
        let loaded = match input::is_sample_motion(&job.input) {
            true => None,
            false => Some(input::load(&job.input)?),
        };
        let bytes = loaded.as_ref().map_or(&[][..], |loaded| &loaded.bytes);
        let recipe = Recipe::new(&self.options, &job.input, bytes, &self.args.source);
        if records.is_done(&job.output, &recipe) {
            return Ok(RetargetedFile {
                outputs: vec![job.output.clone()],
                is_skipped: true,
                ..RetargetedFile::default()
            });
        }
        claims.claim(&job.output, index)?;
        job.check(&job.output)?;
        let files = match &loaded {
            Some(loaded) => input::each_skeleton(loaded, &self.args.source)?,
            None => input::read_each_skeleton(&job.input, &self.args.source)?,
        };
        let mut file = self.retarget_motions(&job.input, files)?;
        if file.is_refused() {
            return Ok(file);
        }
        for (path, motions) in outputs(&file.motions, job, to) {
            claims.claim(&path, index)?;
            job.check(&path)?;
            let (bytes, losses) = self.encode_motions(motions, to, &job.input)?;
            file.losses.extend(&losses);
            job.write(&path, &bytes)?;
            records.add(&path, &recipe, &bytes);
            file.outputs.push(path);
        }
        Ok(file)
    }

    fn retarget_motions(
        &self,
        path: &Path,
        files: Vec<MotionFile>,
    ) -> Result<RetargetedFile, CliError> {
        let mut done = RetargetedFile::default();
        let mut found = Vec::new();
        for file in files {
            done.warnings.extend(&file.warnings);
            let roles = Roles::of_skeleton(&file.skeleton, self.args.source_map.as_deref())?;
            done.refused.extend(roles.problems("source"));
            let is_chosen = |animation: &&Animation| match &self.args.animation {
                Some(name) => animation.name == *name,
                None => true,
            };
            found.extend(
                file.animations
                    .iter()
                    .map(|animation| animation.name.clone()),
            );
            for animation in file.animations.iter().filter(is_chosen) {
                if done.is_refused() || self.target.roles().is_incomplete() {
                    continue;
                }
                let result = match self.target {
                    Target::Figure(target) => {
                        figure::retarget(self, path, (&file.skeleton, animation), &roles, target)?
                    }
                    Target::Character(target) => character::retarget(
                        self,
                        path,
                        (&file.skeleton, animation),
                        &roles,
                        target,
                    )?,
                };
                done.motions.push(RetargetedMotion {
                    name: animation.name.clone(),
                    skeleton: file.skeleton.clone(),
                    source: animation.clone(),
                    result,
                });
            }
            done.roles.push(roles);
        }
        done.refused.extend(self.target.roles().problems("target"));
        if done.motions.is_empty() && !done.is_refused() {
            return Err(match &self.args.animation {
                Some(name) => {
                    input::missing_name(path, "animation", name, found.iter().map(String::as_str))
                }
                None => CliError::unusable(path, "no animation found"),
            });
        }
        if !self.args.force {
            let violations = done.motions.iter().flat_map(RetargetedMotion::violations);
            done.refused.extend(violations);
        }
        Ok(done)
    }

    /// Encodes the motions of several files as one.
    pub(super) fn encode(
        &self,
        files: &[&RetargetedFile],
        to: RetargetFormat,
        out: &Path,
    ) -> Result<(Vec<u8>, Warnings), CliError> {
        let motions = files.iter().flat_map(|file| &file.motions);
        self.encode_motions(motions, to, out)
    }

    /// Encodes motions; error messages refer to `path`.
    fn encode_motions<'m>(
        &self,
        motions: impl IntoIterator<Item = &'m RetargetedMotion>,
        to: RetargetFormat,
        path: &Path,
    ) -> Result<(Vec<u8>, Warnings), CliError> {
        match (self.target, to) {
            (Target::Figure(target), RetargetFormat::Motion(format)) => {
                figure::encode(target, motions, format, self.args, path)
            }
            (Target::Character(target), RetargetFormat::Character) => {
                character::encode(target, motions, self.args, path)
            }
            _ => Err(CliError::unusable(
                path,
                "a skeleton is not written as .skf, nor a character as anything else",
            )),
        }
    }

    /// Draws the first motion of a file.
    pub(super) fn draw(
        &self,
        file: &RetargetedFile,
        out: &Path,
        form: MotionOutput,
    ) -> Result<(), CliError> {
        let Some(motion) = file.motions.first() else {
            return Ok(());
        };
        match (self.target, &motion.result) {
            (Target::Figure(target), RetargetResult::Figure { animation, .. }) => {
                figure::draw(target, animation, out, form)
            }
            (Target::Character(target), RetargetResult::Character { animation, .. }) => {
                character::draw(target, animation, out, form)
            }
            _ => Ok(()),
        }
    }

    /// Draws source and target side by side, if that is asked for.
    pub(super) fn compare(&self, file: &RetargetedFile) -> Result<(), CliError> {
        match (&self.args.compare, file.motions.first()) {
            (Some(path), Some(motion)) => compare::draw(self, motion, path),
            _ => Ok(()),
        }
    }
}

impl RetargetedMotion {
    /// Returns the limits of quality that the result exceeds.
    pub(super) fn violations(&self) -> Vec<String> {
        let violations: Vec<String> = match &self.result {
            RetargetResult::Figure { report, .. } => {
                let violations = report.violations();
                violations.iter().map(ToString::to_string).collect()
            }
            RetargetResult::Character { report, .. } => character::violations(report),
        };
        let named = violations.into_iter();
        named.map(|text| format!("{}: {text}", self.name)).collect()
    }

    /// Returns what the result lacks.
    pub(super) fn warnings(&self) -> Vec<String> {
        match &self.result {
            RetargetResult::Figure { report, .. } => {
                report.warnings.iter().map(ToString::to_string).collect()
            }
            RetargetResult::Character { report, .. } => report.warnings.clone(),
        }
    }
}

/// The names of the animations of an output.
pub(super) struct OutputNames<'a> {
    args: &'a RetargetArgs,
    /// The names of the animations that the target has.
    existing: Vec<&'a str>,
    added: Vec<String>,
}

impl<'a> OutputNames<'a> {
    pub(super) fn new(args: &'a RetargetArgs, existing: impl Iterator<Item = &'a str>) -> Self {
        Self {
            args,
            existing: existing.collect(),
            added: Vec::new(),
        }
    }

    /// Returns the name of a new animation, numbered if it is taken.
    pub(super) fn add(&mut self, name: &str) -> String {
        let wanted = self.args.name.as_deref().unwrap_or(name);
        let is_taken = |name: &str| {
            let is_existing = !self.args.replace && self.existing.contains(&name);
            is_existing || self.added.iter().any(|added| added == name)
        };
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let free = names.find(|name| !is_taken(name)).unwrap_or_default();
        self.added.push(free.clone());
        free
    }

    /// Returns whether an animation of the target is replaced.
    pub(super) fn replaces(&self, name: &str) -> bool {
        self.args.replace && self.added.iter().any(|added| added == name)
    }
}

/// Returns the files to write with their motions: a BVH file takes one motion, any other format all.
fn outputs<'m>(
    motions: &'m [RetargetedMotion],
    job: &Job,
    to: RetargetFormat,
) -> Vec<(PathBuf, &'m [RetargetedMotion])> {
    let is_split = to == RetargetFormat::Motion(crate::args::OutFormat::Bvh) && motions.len() > 1;
    if !is_split || output::is_stdout(&job.output) {
        return vec![(job.output.clone(), motions)];
    }
    let names: Vec<&str> = motions.iter().map(|motion| motion.name.as_str()).collect();
    let single = motions.chunks(1).enumerate();
    single
        .map(|(index, motion)| (with_motion_name(&job.output, index, &names), motion))
        .collect()
}

/// Returns all options that affect the output, with the contents of the files that they name.
fn options(args: &RetargetArgs) -> String {
    let read = [
        Some(&args.onto),
        args.map.as_ref(),
        args.source_map.as_ref(),
    ];
    let hashes = read
        .into_iter()
        .flatten()
        .map(|path| hash(&std::fs::read(path).unwrap_or_default()));
    let hashes: Vec<String> = hashes.collect();
    let options = RetargetArgs {
        inputs: Vec::new(),
        out: None,
        compare: None,
        save_map: None,
        dark: false,
        force: false,
        json: false,
        batch: BatchArgs::default(),
        ..args.clone()
    };
    format!("{options:?} {hashes:?}")
}
