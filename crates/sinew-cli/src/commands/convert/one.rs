//! Converting one file.

use super::find::Job;
use crate::args::{ConvertArgs, OutFormat};
use crate::commands::compress::pack_of;
use crate::error::CliError;
use crate::input::Loaded;
use crate::resume::{Recipe, Records};
use crate::studio::plain;
use crate::{input, output};
use sinew::compress::CompressSettings;
use sinew::glam::Vec3;
use sinew::register::RegistrationCurve;
use sinew::{
    Animation, Sampler, Skeleton, Transform, mirror, move_root, resample, root_motion_joint, trim,
};
use sinew_formats::limits::MAX_MOTION_FRAMES;
use sinew_formats::pack::{Pack, PackEntry};
use sinew_formats::{Format, MotionFile, Warnings, bvh, gltf, pack, write_json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What came of a file.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) skipped: bool,
    pub(super) skeletons: usize,
    /// Of the largest skeleton.
    pub(super) joints: usize,
    pub(super) frames: usize,
    pub(super) fps: Option<f64>,
    pub(super) seconds: f64,
    pub(super) input_bytes: u64,
    pub(super) output_bytes: u64,
    pub(super) warnings: Warnings,
    /// How far packed motions may be off, in metres.
    pub(super) packed_within: Option<f32>,
}

/// Which files are written for which input, so that no two inputs write one.
#[derive(Debug)]
pub(super) struct Claims(Mutex<HashMap<PathBuf, usize>>);

impl Claims {
    /// What is planned belongs to its job.
    pub(super) fn new(jobs: &[Job]) -> Self {
        let planned = jobs.iter().enumerate();
        let planned = planned.map(|(index, job)| (output::key(&job.output), index));
        Self(Mutex::new(planned.collect()))
    }

    /// Claims a file for a job; refuses what belongs to another.
    fn claim(&self, path: &Path, job: usize) -> Result<(), CliError> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *claims.entry(output::key(path)).or_insert(job) {
            owner if owner == job => Ok(()),
            _ => Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: "another input goes to this file; convert one of them to another folder"
                    .to_owned(),
            }),
        }
    }
}

/// Converts one file.
pub(super) fn convert(
    index: usize,
    job: &Job,
    to: OutFormat,
    args: &ConvertArgs,
    claims: &Claims,
    records: &Records,
) -> Result<Done, CliError> {
    let input = Input::load(&job.input)?;
    let recipe = Recipe::new(&options(to, args), &job.input, input.bytes(), &args.source);
    if records.is_done(&job.output, &recipe) {
        return Ok(Done {
            outputs: vec![job.output.clone()],
            skipped: true,
            ..Done::default()
        });
    }
    job.check(&job.output)?;
    let mut files = input.each_skeleton(&job.input, args)?;
    for file in &mut files {
        for animation in &mut file.animations {
            *animation = edit(&job.input, animation, &file.skeleton, args)?;
        }
    }
    let outputs = outputs(&files, job, to);
    if output::is_stdout(&job.output) && outputs.len() > 1 {
        let problem = format!(
            "{} motions do not go to standard output as one {}; choose a folder, or another format",
            outputs.len(),
            to.ending().to_uppercase(),
        );
        return Err(CliError::unusable(&job.input, problem));
    }
    let (mut written, mut done) = (0, 0);
    for (path, parts) in &outputs {
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
        let bytes = match to {
            OutFormat::Sinew => encode_packed(parts, input.kept_curves(args), &job.input)?,
            _ => encode(parts, &job.input, to, &settings)?,
        };
        job.write(path, &bytes)?;
        records.add(path, &recipe, &bytes);
        written += bytes.len() as u64;
    }
    let animations = || files.iter().flat_map(|file| &file.animations);
    let longest = animations().max_by(|a, b| a.length.total_cmp(&b.length));
    Ok(Done {
        skipped: done == outputs.len(),
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
        // Only packed files have several skeletons, and these no warnings.
        warnings: files
            .into_iter()
            .next()
            .map(|file| file.warnings)
            .unwrap_or_default(),
        packed_within: (to == OutFormat::Sinew).then(|| CompressSettings::default().max_error),
    })
}

/// An input, read once; a built-in motion has no file.
enum Input {
    File(Loaded),
    Sample,
}

impl Input {
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
            Self::File(loaded) => input::each_skeleton(loaded, &args.source, args.lenient),
            Self::Sample => input::read_each_skeleton(path, &args.source, args.lenient),
        }
    }

    /// The registrations of a packed file, where its motions stay what they are.
    fn kept_curves(&self, args: &ConvertArgs) -> Vec<RegistrationCurve> {
        let is_edited = args.trim.is_some() || args.mirror || args.center;
        match self {
            Self::File(loaded) if !is_edited && loaded.format() == Some(Format::Sinew) => {
                input::pack_of_loaded(loaded).map_or(Vec::new(), |pack| pack.curves)
            }
            _ => Vec::new(),
        }
    }
}

/// Everything about a call that changes what is written.
fn options(to: OutFormat, args: &ConvertArgs) -> String {
    let options = ConvertArgs {
        inputs: Vec::new(),
        to: Some(to),
        out: None,
        resume: false,
        jobs: None,
        json: false,
        ..args.clone()
    };
    format!("{options:?}")
}

/// Cuts, mirrors, moves and resamples, in this order.
fn edit(
    path: &Path,
    animation: &Animation,
    skeleton: &Skeleton,
    args: &ConvertArgs,
) -> Result<Animation, CliError> {
    let mut result = animation.clone();
    if let Some(part) = args.trim {
        part.check(animation)
            .map_err(|problem| CliError::unusable(path, problem))?;
        result = trim(&result, part.from..part.to);
    }
    if args.mirror {
        result = mirror(&result, skeleton).map_err(|error| CliError::Unusable {
            path: path.display().to_string(),
            problem: error.to_string(),
        })?;
    }
    if args.center {
        let root = root_motion_joint(skeleton, &result);
        let at = Sampler::new(skeleton, &result).model_at(0.0).position(root);
        let back = Transform::from_position(Vec3::new(-at.x, 0.0, -at.z));
        move_root(&mut result, skeleton, &back);
    }
    if let Some(fps) = args.fps {
        let frames = f64::from(result.length) * fps;
        if frames > MAX_MOTION_FRAMES as f64 {
            return Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: format!(
                    "{frames:.0} frames are more than the {MAX_MOTION_FRAMES} that are allowed; choose a \
                     lower --fps"
                ),
            });
        }
        result = resample(&result, fps);
    }
    Ok(result)
}

/// A skeleton and motions on it.
pub(crate) type Part<'a> = (&'a Skeleton, &'a [Animation]);

/// The files to write, and what goes into each: everything into a packed one; else a skeleton with its motions
/// into each, and into each BVH one motion.
fn outputs<'a>(files: &'a [MotionFile], job: &Job, to: OutFormat) -> Vec<(PathBuf, Vec<Part<'a>>)> {
    let parts = files
        .iter()
        .map(|file| (&file.skeleton, file.animations.as_slice()));
    let parts: Vec<Part<'a>> = match to {
        OutFormat::Bvh => parts.flat_map(singly).collect(),
        _ => parts.collect(),
    };
    if to == OutFormat::Sinew || parts.len() < 2 {
        return vec![(job.output.clone(), parts)];
    }
    let names: Vec<String> = match to {
        OutFormat::Bvh => {
            let own = parts.iter().map(|(_, animations)| animations.first());
            own.map(|own| own.map_or(String::new(), |own| own.name.clone()))
                .collect()
        }
        _ => (0..parts.len())
            .map(|index| format!("skeleton-{index}"))
            .collect(),
    };
    let each = parts.into_iter().enumerate();
    each.map(|(index, part)| (named(&job.output, index, &names), vec![part]))
        .collect()
}

/// A part for each motion; one without any where there is none.
fn singly<'a>((skeleton, animations): Part<'a>) -> Vec<Part<'a>> {
    match animations {
        [] => vec![(skeleton, animations)],
        _ => {
            let each = animations.iter().map(std::slice::from_ref);
            each.map(|one| (skeleton, one)).collect()
        }
    }
}

/// The bytes of a file; `input` is what errors are about.
pub(crate) fn encode(
    parts: &[Part<'_>],
    input: &Path,
    to: OutFormat,
    settings: &gltf::GltfWriteSettings,
) -> Result<Vec<u8>, CliError> {
    let Some(&(skeleton, animations)) = parts.first() else {
        return Err(CliError::unusable(input, "it has no skeleton"));
    };
    let failed = |error: &dyn std::error::Error| not_written(input, to, error);
    match to {
        OutFormat::Glb => {
            gltf::write_glb(skeleton, animations, settings).map_err(|error| failed(&error))
        }
        OutFormat::Gltf => {
            let text = gltf::write_gltf(skeleton, animations, settings);
            text.map(String::into_bytes).map_err(|error| failed(&error))
        }
        OutFormat::Json => Ok(write_json(skeleton, animations).into_bytes()),
        OutFormat::Sinew => encode_packed(parts, Vec::new(), input),
        OutFormat::Bvh => {
            let settings = bvh::BvhWriteSettings::default();
            let text = bvh::write(skeleton, animations.first(), &settings);
            text.map_err(|error| failed(&error))
        }
    }
}

fn not_written(input: &Path, to: OutFormat, error: &dyn std::error::Error) -> CliError {
    CliError::Unusable {
        path: input.display().to_string(),
        problem: format!(
            "cannot be written as {}: {error}",
            to.ending().to_uppercase()
        ),
    }
}

fn encode_packed(
    parts: &[Part<'_>],
    curves: Vec<RegistrationCurve>,
    input: &Path,
) -> Result<Vec<u8>, CliError> {
    let failed = |error: &dyn std::error::Error| not_written(input, OutFormat::Sinew, error);
    let mut pack = Pack {
        curves,
        ..Pack::default()
    };
    for (index, &(skeleton, animations)) in parts.iter().enumerate() {
        let own = pack_of(skeleton, animations, &CompressSettings::default())
            .map_err(|error| failed(&error))?;
        pack.skeletons.extend(own.skeletons);
        pack.animations
            .extend(own.animations.into_iter().map(|entry| PackEntry {
                skeleton: index,
                ..entry
            }));
    }
    pack::write_bytes(&pack).map_err(|error| failed(&error))
}

/// `fox.bvh` for the motion `Run` becomes `fox-Run.bvh`; with a number where two are called alike, or differ in
/// capitals alone, which not every file system tells apart.
pub(crate) fn named(output: &Path, index: usize, names: &[impl AsRef<str>]) -> PathBuf {
    let name = plain(names.get(index).map_or("", AsRef::as_ref));
    let small = name.to_lowercase();
    let same = names
        .iter()
        .filter(|other| plain(other.as_ref()).to_lowercase() == small);
    let number = if same.count() > 1 || name.is_empty() {
        format!("-{index}")
    } else {
        String::new()
    };
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let ending = output.extension().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{stem}-{name}{number}.{ending}"))
}
