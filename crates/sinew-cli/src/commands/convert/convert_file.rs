//! Conversion of one file.

use super::find::{Job, OutputFormat};
use crate::args::{BatchArgs, ConvertArgs, OutFormat, UpAxis};
use crate::commands::compress::pack_of;
use crate::error::CliError;
use crate::image_writer::safe_file_name;
use crate::input::LoadedFile;
use crate::resume::{Recipe, Records};
use crate::{input, output};
use sinew::anatomy::root_motion_joint;
use sinew::glam::Vec3;
use sinew::registration::RegistrationCurve;
use sinew::{Animation, Sampler, Skeleton, Transform};
use sinew_author::compress::CompressSettings;
use sinew_author::edit::{FrameGrid, mirror, move_root, resample, trim};
use sinew_formats::gltf::GltfSource;
use sinew_formats::limits::MAX_MOTION_FRAMES;
use sinew_formats::pack::{Pack, PackEntry};
use sinew_formats::{Format, MotionFile, Warnings, bvh, gltf, json, pack, timing_note};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The result of converting a file.
#[derive(Debug, Default)]
pub(super) struct ConvertedFile {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) is_skipped: bool,
    pub(super) skeletons: usize,
    /// Joints of the largest skeleton.
    pub(super) joints: usize,
    pub(super) frames: usize,
    pub(super) fps: Option<f64>,
    pub(super) seconds: f64,
    pub(super) input_bytes: u64,
    pub(super) output_bytes: u64,
    /// Warnings of the reader: repairs and ignored content.
    pub(super) warnings: Warnings,
    /// Content that edits or the format changed or lost.
    pub(super) losses: Warnings,
    /// The error bound of packed motions in metres.
    pub(super) max_error: Option<f32>,
}

/// The output files of each input. Prevents that two inputs write the same file or that an input is overwritten.
#[derive(Debug)]
pub(crate) struct Claims {
    outputs: Mutex<HashMap<PathBuf, usize>>,
    /// The identities of all inputs.
    inputs: Vec<FileIdentity>,
    /// Whether inputs may be overwritten.
    force: bool,
}

impl Claims {
    /// Assigns planned outputs to their jobs. `others` are read besides the inputs of the jobs.
    pub(crate) fn new<'a>(
        jobs: &'a [Job],
        others: impl IntoIterator<Item = &'a PathBuf>,
        force: bool,
    ) -> Self {
        let planned = jobs.iter().enumerate();
        let planned = planned.map(|(index, job)| (output::key(&job.output), index));
        let inputs = jobs.iter().map(|job| &job.input).chain(others);
        Self {
            outputs: Mutex::new(planned.collect()),
            inputs: inputs.filter_map(|path| identity(path)).collect(),
            force,
        }
    }

    /// Claims a file for a job; rejects files of other jobs and inputs.
    pub(crate) fn claim(&self, path: &Path, job: usize) -> Result<(), CliError> {
        let is_input = || identity(path).is_some_and(|file| self.inputs.contains(&file));
        if !self.force && is_input() {
            let problem = "would overwrite an input; choose another --out, or use --force";
            return Err(CliError::unusable(path, problem));
        }
        let mut claims = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match *claims.entry(output::key(path)).or_insert(job) {
            owner if owner == job => Ok(()),
            _ => Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: "another input has the same output; use another folder for one of them"
                    .to_owned(),
            }),
        }
    }
}

/// The identity of a file, independent of its path: device and inode number, which links share.
#[cfg(unix)]
type FileIdentity = (u64, u64);

/// The identity of a file, independent of its path.
#[cfg(not(unix))]
type FileIdentity = PathBuf;

/// Returns the identity of an existing file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((about.dev(), about.ino()))
}

/// Returns the identity of an existing file.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<FileIdentity> {
    fs::canonicalize(path).ok()
}

/// Converts one file.
pub(super) fn convert(
    index: usize,
    job: &Job,
    to: OutFormat,
    args: &ConvertArgs,
    claims: &Claims,
    records: &Records,
) -> Result<ConvertedFile, CliError> {
    let input = LoadedInput::load(&job.input)?;
    let recipe = Recipe::new(&options(to, args), &job.input, input.bytes(), &args.source);
    if records.is_done(&job.output, &recipe) {
        return Ok(ConvertedFile {
            outputs: vec![job.output.clone()],
            is_skipped: true,
            ..ConvertedFile::default()
        });
    }
    claims.claim(&job.output, index)?;
    job.check(&job.output)?;
    let mut files = input.each_skeleton(&job.input, args)?;
    let mut losses = Warnings::default();
    for file in &mut files {
        for animation in &mut file.animations {
            *animation = edit(&job.input, animation, &file.skeleton, args, &mut losses)?;
            losses.extend(&sinew_formats::losses(
                to.format(),
                &file.skeleton,
                animation,
            ));
        }
    }
    let source = match &input {
        LoadedInput::File(loaded) => input::gltf_source(loaded, &args.source),
        LoadedInput::Sample => None,
    };
    if let Some(source) = source.as_ref().filter(|_| !to.is_gltf()) {
        add_contents(source, &motion_only_reason(to), &mut losses);
    }
    let outputs = outputs(&files, job, to);
    if output::is_stdout(&job.output) && outputs.len() > 1 {
        let problem = format!(
            "cannot write {} motions to standard output as {}; use a folder or another format",
            outputs.len(),
            to.ending().to_uppercase(),
        );
        return Err(CliError::unusable(&job.input, problem));
    }
    let (mut written, mut done) = (0, 0);
    for (path, groups) in &outputs {
        claims.claim(path, index)?;
        if records.is_done(path, &recipe) {
            done += 1;
            continue;
        }
        job.check(path)?;
        let settings = gltf::GltfWriteSettings {
            mesh: !args.no_mesh,
            ..gltf::GltfWriteSettings::default()
        };
        let kept = source.as_ref().filter(|_| to.is_gltf());
        let kept = kept.map(|source| encode_kept(source, groups, &job.input, to, &mut losses));
        let bytes = match kept.transpose()?.flatten() {
            Some(bytes) => bytes,
            None if to == OutFormat::Sinew => {
                encode_packed(groups, input.kept_curves(args), &job.input)?
            }
            None => encode(groups, &job.input, to, &settings)?,
        };
        job.write(path, &bytes)?;
        records.add(path, &recipe, &bytes);
        written += bytes.len() as u64;
    }
    let animations = || files.iter().flat_map(|file| &file.animations);
    let longest = animations().max_by(|a, b| a.length.total_cmp(&b.length));
    Ok(ConvertedFile {
        is_skipped: done == outputs.len(),
        outputs: outputs.into_iter().map(|(path, _)| path).collect(),
        skeletons: files.len(),
        joints: files
            .iter()
            .map(|file| file.skeleton.len())
            .max()
            .unwrap_or(0),
        frames: animations().map(Animation::frame_count).sum(),
        fps: longest.and_then(|animation| animation.frame_rate),
        seconds: animations().map(|a| f64::from(a.length)).sum(),
        input_bytes: input.bytes().len() as u64,
        output_bytes: written,
        // Only packed files have several skeletons, and they have no warnings.
        warnings: files
            .into_iter()
            .next()
            .map(|file| file.warnings)
            .unwrap_or_default(),
        losses,
        max_error: (to == OutFormat::Sinew).then(|| CompressSettings::default().max_error),
    })
}

/// An input, read once; built-in motions have no file.
enum LoadedInput {
    File(LoadedFile),
    Sample,
}

impl LoadedInput {
    fn load(path: &Path) -> Result<Self, CliError> {
        if input::is_sample_motion(path) {
            return Ok(Self::Sample);
        }
        Ok(Self::File(input::load(path)?))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::File(loaded) => &loaded.bytes,
            Self::Sample => &[],
        }
    }

    fn each_skeleton(&self, path: &Path, args: &ConvertArgs) -> Result<Vec<MotionFile>, CliError> {
        match self {
            Self::File(loaded) => input::each_skeleton(loaded, &args.source),
            Self::Sample => input::read_each_skeleton(path, &args.source),
        }
    }

    /// Returns the registration curves of a packed file if its motions stay unchanged.
    fn kept_curves(&self, args: &ConvertArgs) -> Vec<RegistrationCurve> {
        let is_turned = args.source.up == UpAxis::Z;
        let is_edited = is_turned || args.trim.is_some() || args.mirror || args.center;
        match self {
            Self::File(loaded) if !is_edited && loaded.format() == Some(Format::Sinew) => {
                input::pack_of_loaded(loaded).map_or(Vec::new(), |pack| pack.curves)
            }
            _ => Vec::new(),
        }
    }
}

/// Returns all options that affect the output.
fn options(to: OutFormat, args: &ConvertArgs) -> String {
    let options = ConvertArgs {
        inputs: Vec::new(),
        to: Some(to),
        out: None,
        force: false,
        batch: BatchArgs::default(),
        json: false,
        ..args.clone()
    };
    format!("{options:?}")
}

/// Lists the meshes and other contents of a glTF file that are dropped, and why.
pub(crate) fn add_contents(source: &GltfSource, why: &str, losses: &mut Warnings) {
    let contents = source.other_contents();
    let contents = contents
        .iter()
        .map(|(what, count)| format!("{count} {what}"));
    let contents: Vec<String> = contents.collect();
    if !contents.is_empty() {
        let problem = format!("{}: {why}; not kept", contents.join(", "));
        losses.add("file", "", problem);
    }
}

/// Returns the reason why a format other than glTF drops meshes.
pub(crate) fn motion_only_reason(to: OutFormat) -> String {
    format!("{} stores only motion", to.ending().to_uppercase())
}

/// Encodes a glTF file with edited animations and all other contents unchanged; returns `None` if the joints differ.
pub(crate) fn encode_kept(
    source: &GltfSource,
    groups: &[MotionGroup<'_>],
    input: &Path,
    to: OutFormat,
    losses: &mut Warnings,
) -> Result<Option<Vec<u8>>, CliError> {
    let Some(&(skeleton, animations)) = groups.first() else {
        return Ok(None);
    };
    let written = match to {
        OutFormat::Gltf => source.write_gltf(skeleton, animations),
        _ => source.write_glb(skeleton, animations),
    };
    match written {
        Ok(written) => {
            losses.extend(&written.warnings);
            Ok(Some(written.bytes))
        }
        Err(gltf::GltfWriteError::OtherSkeleton) => {
            add_contents(source, "the joints differ from those of the file", losses);
            Ok(None)
        }
        Err(error) => Err(format_error(input, to, &error)),
    }
}

/// Trims, mirrors, centers and resamples, in this order.
fn edit(
    path: &Path,
    animation: &Animation,
    skeleton: &Skeleton,
    args: &ConvertArgs,
    losses: &mut Warnings,
) -> Result<Animation, CliError> {
    let place = format!("animation {:?}", animation.name);
    let mut result = animation.clone();
    if let Some(group) = args.trim {
        group
            .check(animation)
            .map_err(|problem| CliError::unusable(path, problem))?;
        result = trim(&result, group.from..group.to);
    }
    if args.mirror {
        result = mirror(&result, skeleton).map_err(|error| CliError::Unusable {
            path: path.display().to_string(),
            problem: error.to_string(),
        })?;
        if !animation.variants.is_empty() {
            let problem = "morph weights and other variant tracks are not mirrored";
            losses.add(&place, "variants", problem);
        }
    }
    if args.center {
        let root = root_motion_joint(skeleton, &result);
        let position = Sampler::new(skeleton, &result).model_at(0.0).position(root);
        let back = Transform::from_position(Vec3::new(-position.x, 0.0, -position.z));
        move_root(&mut result, skeleton, &back);
    }
    if let Some(fps) = args.fps {
        let frames = f64::from(result.length) * fps;
        if frames > MAX_MOTION_FRAMES as f64 {
            return Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: format!(
                    "{frames:.0} frames exceed the limit of {MAX_MOTION_FRAMES}; use a lower --fps"
                ),
            });
        }
        let note = timing_note(&result, fps, FrameGrid::of(&result, fps));
        if let Some(note) = note {
            losses.add(&place, "frames", note);
        }
        result = resample(&result, fps);
    }
    if animation.looping.is_some() && result.looping.is_none() {
        let problem = "a trimmed loop does not loop; its ground motion per cycle is not kept";
        losses.add(&place, "looping", problem);
    }
    Ok(result)
}

/// A skeleton and its motions.
pub(crate) type MotionGroup<'a> = (&'a Skeleton, &'a [Animation]);

/// Returns the files to write with their contents: a packed file takes everything, a BVH file one motion, any other
/// format one skeleton with its motions.
fn outputs<'a>(
    files: &'a [MotionFile],
    job: &Job,
    to: OutFormat,
) -> Vec<(PathBuf, Vec<MotionGroup<'a>>)> {
    let groups = files
        .iter()
        .map(|file| (&file.skeleton, file.animations.as_slice()));
    let groups: Vec<MotionGroup<'a>> = match to {
        OutFormat::Bvh => groups.flat_map(group_per_motion).collect(),
        _ => groups.collect(),
    };
    if to == OutFormat::Sinew || groups.len() < 2 {
        return vec![(job.output.clone(), groups)];
    }
    let names: Vec<String> = match to {
        OutFormat::Bvh => {
            let animation = groups.iter().map(|(_, animations)| animations.first());
            animation
                .map(|animation| {
                    animation.map_or(String::new(), |animation| animation.name.clone())
                })
                .collect()
        }
        _ => (0..groups.len())
            .map(|index| format!("skeleton-{index}"))
            .collect(),
    };
    let numbered = groups.into_iter().enumerate();
    numbered
        .map(|(index, group)| (with_motion_name(&job.output, index, &names), vec![group]))
        .collect()
}

/// Returns a part for each motion; a single part if there are no motions.
fn group_per_motion<'a>((skeleton, animations): MotionGroup<'a>) -> Vec<MotionGroup<'a>> {
    match animations {
        [] => vec![(skeleton, animations)],
        _ => {
            let single = animations.iter().map(std::slice::from_ref);
            single.map(|animation| (skeleton, animation)).collect()
        }
    }
}

/// Encodes a file; error messages refer to `input`.
pub(crate) fn encode(
    groups: &[MotionGroup<'_>],
    input: &Path,
    to: OutFormat,
    settings: &gltf::GltfWriteSettings,
) -> Result<Vec<u8>, CliError> {
    let Some(&(skeleton, animations)) = groups.first() else {
        return Err(CliError::unusable(input, "no skeleton found"));
    };
    let failed = |error: &dyn std::error::Error| format_error(input, to, error);
    match to {
        OutFormat::Glb => {
            gltf::write_bytes(skeleton, animations, settings).map_err(|error| failed(&error))
        }
        OutFormat::Gltf => {
            let text = gltf::write_gltf(skeleton, animations, settings);
            text.map(String::into_bytes).map_err(|error| failed(&error))
        }
        OutFormat::Json => Ok(json::write_bytes(skeleton, animations)),
        OutFormat::Sinew => encode_packed(groups, Vec::new(), input),
        OutFormat::Bvh => {
            let settings = bvh::BvhWriteSettings::default();
            let text = bvh::write_bytes(skeleton, animations.first(), &settings);
            text.map_err(|error| failed(&error))
        }
    }
}

fn format_error(input: &Path, to: OutFormat, error: &dyn std::error::Error) -> CliError {
    CliError::Unusable {
        path: input.display().to_string(),
        problem: format!(
            "cannot be written as {}: {error}",
            to.ending().to_uppercase()
        ),
    }
}

fn encode_packed(
    groups: &[MotionGroup<'_>],
    curves: Vec<RegistrationCurve>,
    input: &Path,
) -> Result<Vec<u8>, CliError> {
    let failed = |error: &dyn std::error::Error| format_error(input, OutFormat::Sinew, error);
    let mut pack = Pack {
        curves,
        ..Pack::default()
    };
    for (index, &(skeleton, animations)) in groups.iter().enumerate() {
        let part_pack = pack_of(skeleton, animations, &CompressSettings::default())
            .map_err(|error| failed(&error))?;
        pack.skeletons.extend(part_pack.skeletons);
        pack.animations
            .extend(part_pack.animations.into_iter().map(|entry| PackEntry {
                skeleton: index,
                ..entry
            }));
    }
    pack::write_bytes(&pack).map_err(|error| failed(&error))
}

/// Adds the motion name: `fox.bvh` for `Run` becomes `fox-Run.bvh`. Adds a number if two names are equal ignoring case,
/// because some file systems ignore case.
pub(crate) fn with_motion_name(output: &Path, index: usize, names: &[impl AsRef<str>]) -> PathBuf {
    let name = safe_file_name(names.get(index).map_or("", AsRef::as_ref));
    let small = name.to_lowercase();
    let same = names
        .iter()
        .filter(|other| safe_file_name(other.as_ref()).to_lowercase() == small);
    let number = if same.count() > 1 || name.is_empty() {
        format!("-{index}")
    } else {
        String::new()
    };
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let ending = output.extension().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{stem}-{name}{number}.{ending}"))
}
