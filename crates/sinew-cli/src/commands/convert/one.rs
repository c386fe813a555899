//! Converting one file.

use super::find::Job;
use crate::args::{ConvertArgs, OutFormat};
use crate::error::CliError;
use crate::studio::plain;
use crate::{input, output};
use sinew::glam::Vec3;
use sinew::{
    Animation, JointIndex, Sampler, Skeleton, Transform, mirror, move_root, resample, trim,
};
use sinew_formats::amc::find_asf;
use sinew_formats::limits::MAX_MOTION_FRAMES;
use sinew_formats::{
    Format, MotionFile, Warnings, bvh, detect_file, gltf, read_motion, write_json,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What came of a file.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) skipped: bool,
    pub(super) joints: usize,
    pub(super) frames: usize,
    pub(super) fps: Option<f64>,
    pub(super) seconds: f64,
    pub(super) input_bytes: u64,
    pub(super) output_bytes: u64,
    pub(super) warnings: Warnings,
}

/// Converts one file.
pub(super) fn convert(job: &Job, to: OutFormat, args: &ConvertArgs) -> Result<Done, CliError> {
    if args.resume && is_done(job, args) {
        return Ok(Done {
            outputs: vec![job.output.clone()],
            skipped: true,
            joints: 0,
            frames: 0,
            fps: None,
            seconds: 0.0,
            input_bytes: 0,
            output_bytes: 0,
            warnings: Warnings::default(),
        });
    }
    if args.resume {
        remove_leftovers(&job.output);
    }
    output::check(&job.output)?;
    let mut file = read_motion(&job.input, &input::settings(&args.source, args.lenient))?;
    for animation in &mut file.animations {
        *animation = edit(&job.input, animation, &file.skeleton, args)?;
    }
    let written = write(&file, job, to, args)?;
    let longest = file
        .animations
        .iter()
        .max_by(|a, b| a.length.total_cmp(&b.length));
    Ok(Done {
        outputs: written.iter().map(|(path, _)| path.clone()).collect(),
        skipped: false,
        joints: file.skeleton.len(),
        frames: file.animations.iter().map(Animation::frame_count).sum(),
        fps: longest.and_then(|animation| animation.frame_rate),
        seconds: file.animations.iter().map(|a| f64::from(a.length)).sum(),
        input_bytes: fs::metadata(&job.input).map_or(0, |about| about.len()),
        output_bytes: written.iter().map(|(_, bytes)| *bytes as u64).sum(),
        warnings: file.warnings,
    })
}

/// Whether the output is there and no older than what it is made from. Outputs appear whole or not at
/// all, so what is there is complete.
fn is_done(job: &Job, args: &ConvertArgs) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let newest_source = || -> Option<SystemTime> {
        let input = time(&job.input)?;
        let is_amc = matches!(detect_file(&job.input), Ok(Some(Format::Amc)));
        let skeleton = match &args.source.asf {
            Some(given) => Some(given.clone()),
            None if is_amc => find_asf(&job.input).ok(),
            None => None,
        };
        Some(
            skeleton
                .and_then(|path| time(&path))
                .map_or(input, |asf| asf.max(input)),
        )
    };
    match (time(&job.output), newest_source()) {
        (Some(output), Some(source)) => output >= source,
        _ => false,
    }
}

/// Removes what an interrupted run left of this output.
fn remove_leftovers(output: &Path) {
    let (Some(folder), Some(name)) = (output.parent(), output.file_name()) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let start = format!("{}.", name.to_string_lossy());
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let middle = name
            .strip_prefix(&start)
            .and_then(|rest| rest.strip_suffix(".part"));
        if middle.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit())) {
            // A leftover that cannot be removed harms nobody.
            let _ = fs::remove_file(entry.path());
        }
    }
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
        if part.from > animation.length {
            return Err(CliError::Unusable {
                path: path.display().to_string(),
                problem: format!(
                    "--trim begins at {} s, but {:?} is {} s long",
                    part.from, animation.name, animation.length
                ),
            });
        }
        result = trim(&result, part.from..part.to);
    }
    if args.mirror {
        result = mirror(&result, skeleton).map_err(|error| CliError::Unusable {
            path: path.display().to_string(),
            problem: error.to_string(),
        })?;
    }
    if args.center {
        let at = Sampler::new(skeleton, &result)
            .model_at(0.0)
            .position(JointIndex(0));
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

/// Writes the file or files; gives their paths and sizes.
fn write(
    file: &MotionFile,
    job: &Job,
    to: OutFormat,
    args: &ConvertArgs,
) -> Result<Vec<(PathBuf, usize)>, CliError> {
    let (skeleton, animations) = (&file.skeleton, &file.animations);
    let settings = gltf::GltfWriteSettings {
        mesh: !args.no_mesh,
        ..gltf::GltfWriteSettings::default()
    };
    let failed = |error: &dyn std::error::Error| CliError::Unusable {
        path: job.input.display().to_string(),
        problem: format!(
            "cannot be written as {}: {error}",
            to.ending().to_uppercase()
        ),
    };
    let put = |path: &Path, bytes: &[u8]| -> Result<(PathBuf, usize), CliError> {
        output::write(path, bytes)?;
        Ok((path.to_owned(), bytes.len()))
    };
    match to {
        OutFormat::Glb => {
            let bytes = gltf::write_glb(skeleton, animations, &settings).map_err(|e| failed(&e))?;
            Ok(vec![put(&job.output, &bytes)?])
        }
        OutFormat::Gltf => {
            let text = gltf::write_gltf(skeleton, animations, &settings).map_err(|e| failed(&e))?;
            Ok(vec![put(&job.output, text.as_bytes())?])
        }
        OutFormat::Json => Ok(vec![put(
            &job.output,
            write_json(skeleton, animations).as_bytes(),
        )?]),
        OutFormat::Bvh => {
            let still = [Animation::new("rest", 0.0)];
            let animations = if animations.is_empty() {
                &still[..]
            } else {
                animations
            };
            let settings = bvh::BvhWriteSettings::default();
            let mut written = Vec::new();
            for (index, animation) in animations.iter().enumerate() {
                let text = bvh::write(skeleton, animation, &settings).map_err(|e| failed(&e))?;
                // The format holds one motion: of several, each goes to a file of its own.
                let path = if animations.len() == 1 {
                    job.output.clone()
                } else {
                    named(&job.output, index, animations)
                };
                written.push(put(&path, text.as_ref())?);
            }
            Ok(written)
        }
    }
}

/// `fox.bvh` for the motion `Run` becomes `fox-Run.bvh`; with a number where two are called alike.
fn named(output: &Path, index: usize, animations: &[Animation]) -> PathBuf {
    let name = plain(&animations[index].name);
    let twice = animations
        .iter()
        .filter(|other| plain(&other.name) == name)
        .count()
        > 1;
    let number = if twice || name.is_empty() {
        format!("-{index}")
    } else {
        String::new()
    };
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let ending = output.extension().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{stem}-{name}{number}.{ending}"))
}
