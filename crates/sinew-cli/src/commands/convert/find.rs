//! Which files to convert, and where they go.

use crate::args::{ConvertArgs, OutFormat};
use crate::error::CliError;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) input: PathBuf,
    /// Where it goes; files that hold several motions add the motions' names where the format holds but
    /// one.
    pub(super) output: PathBuf,
}

/// What there is to do.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) to: OutFormat,
    pub(super) jobs: Vec<Job>,
    /// What was asked for but cannot be found or opened.
    pub(super) missing: Vec<(PathBuf, String)>,
}

impl OutFormat {
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Json => "json",
        }
    }

    fn from_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        [Self::Bvh, Self::Glb, Self::Gltf, Self::Json]
            .into_iter()
            .find(|format| format.ending() == ending)
    }
}

/// An input, and the folder that its place in the output is counted from.
struct Found {
    input: PathBuf,
    below: PathBuf,
}

/// Finds the inputs and gives each its output.
pub(super) fn plan(args: &ConvertArgs) -> Result<Plan, CliError> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for input in &args.inputs {
        if let Err(problem) = find(input, &mut found) {
            missing.push((input.clone(), problem));
        }
    }
    let out_file = args.out.as_deref().filter(|out| is_file_name(out, args.to));
    let to = match (args.to, out_file.and_then(OutFormat::from_ending)) {
        (Some(to), _) => to,
        (None, Some(to)) => to,
        (None, None) => {
            return Err(usage(
                "--to",
                "expected a format: bvh, glb, gltf or json, or --out FILE with such an ending",
            ));
        }
    };
    if let Some(out) = out_file {
        let is_one = found.len() == 1 && args.inputs.len() == 1 && !args.inputs[0].is_dir();
        if !is_one && missing.is_empty() {
            let problem = format!(
                "{} inputs do not go into one file; expected the name of a folder",
                found.len()
            );
            return Err(usage(&out.display().to_string(), &problem));
        }
        let jobs = found.into_iter().map(|found| Job {
            input: found.input,
            output: out.to_owned(),
        });
        let jobs = jobs.collect();
        return Ok(Plan { to, jobs, missing });
    }
    let mut jobs: Vec<Job> = found
        .into_iter()
        .map(|found| Job {
            output: output(&found, args.out.as_deref(), to),
            input: found.input,
        })
        .collect();
    jobs.sort_by(|a, b| a.input.cmp(&b.input));
    jobs.dedup_by(|a, b| a.input == b.input);
    part(&mut jobs, to);
    Ok(Plan { to, jobs, missing })
}

fn usage(path: &str, problem: &str) -> CliError {
    CliError::Unusable {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}

/// Whether an output is meant as a file: it is no folder and ends as a format does.
fn is_file_name(out: &Path, to: Option<OutFormat>) -> bool {
    let trailing = out.to_string_lossy().ends_with(std::path::is_separator);
    let format = OutFormat::from_ending(out);
    !trailing && !out.is_dir() && format.is_some() && (to.is_none() || to == format)
}

fn find(input: &Path, found: &mut Vec<Found>) -> Result<(), String> {
    if input.is_dir() {
        return walk(input, found);
    }
    if input.exists() {
        found.push(Found {
            input: input.to_owned(),
            below: input.parent().unwrap_or(Path::new("")).to_owned(),
        });
        return Ok(());
    }
    let text = input.to_string_lossy();
    if !text.contains(['*', '?', '[']) {
        return Err("there is no such file or folder".to_owned());
    }
    let paths = glob::glob(&text).map_err(|error| format!("not a pattern: {error}"))?;
    let below = before_pattern(input);
    let before = found.len();
    for path in paths {
        let path = path.map_err(|error| error.to_string())?;
        if path.is_file() {
            found.push(Found {
                input: path,
                below: below.clone(),
            });
        }
    }
    if found.len() == before {
        return Err("no file matches the pattern".to_owned());
    }
    Ok(())
}

/// The folders of a pattern before its first wildcard.
fn before_pattern(pattern: &Path) -> PathBuf {
    let is_plain = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '['])
    };
    let parts = pattern.parent().unwrap_or(Path::new("")).components();
    parts.take_while(is_plain).collect()
}

/// Every motion below a folder. Skeletons are not motions; they are read with theirs.
fn walk(folder: &Path, found: &mut Vec<Found>) -> Result<(), String> {
    let before = found.len();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries = fs::read_dir(&current).map_err(|error| error.to_string())?;
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            let path = entry.path();
            // A link to a folder may lead back up.
            let kind = entry.file_type().map_err(|error| error.to_string())?;
            if kind.is_dir() {
                folders.push(path);
            } else if is_motion(&path) {
                found.push(Found {
                    input: path,
                    below: folder.to_owned(),
                });
            }
        }
    }
    if found.len() == before {
        return Err("there is no .amc, .bvh, .gltf or .glb file in this folder".to_owned());
    }
    Ok(())
}

fn is_motion(path: &Path) -> bool {
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("amc" | "bvh" | "gltf" | "glb"))
}

fn output(found: &Found, folder: Option<&Path>, to: OutFormat) -> PathBuf {
    let output = match folder {
        Some(folder) => {
            let inside = found.input.strip_prefix(&found.below).ok();
            let inside = inside
                .map(Path::to_owned)
                .or_else(|| found.input.file_name().map(PathBuf::from));
            folder.join(inside.unwrap_or_default())
        }
        None => found.input.clone(),
    };
    output.with_extension(to.ending())
}

/// Two inputs that would go to one file, as `walk.amc` and `walk.bvh` do, or an input that would be
/// written over, keep their whole names: `walk.amc.glb`, `walk.bvh.glb`.
fn part(jobs: &mut [Job], to: OutFormat) {
    let mut count: HashMap<PathBuf, usize> = HashMap::new();
    for job in jobs.iter() {
        *count.entry(job.output.clone()).or_default() += 1;
    }
    for job in jobs {
        let clashes = count.get(&job.output).is_some_and(|&count| count > 1);
        if clashes || job.output == job.input {
            let name = job.input.file_name().unwrap_or_default().to_string_lossy();
            job.output.set_file_name(format!("{name}.{}", to.ending()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(input: &str, to: OutFormat, folder: Option<&str>, below: &str) -> Job {
        let found = Found {
            input: input.into(),
            below: below.into(),
        };
        Job {
            output: output(&found, folder.map(Path::new), to),
            input: input.into(),
        }
    }

    #[test]
    fn outputs_keep_their_place_below_the_input_folder() {
        let output = |input, folder, below| job(input, OutFormat::Glb, folder, below).output;
        assert_eq!(
            output("a/b/c.amc", Some("out"), "a"),
            Path::new("out/b/c.glb")
        );
        assert_eq!(output("a/c.amc", Some("out"), "a"), Path::new("out/c.glb"));
        assert_eq!(output("a/b/c.d.amc", None, "a"), Path::new("a/b/c.d.glb"));
    }

    #[test]
    fn patterns_begin_where_their_first_wildcard_is() {
        let before = |text: &str| before_pattern(Path::new(text));
        assert_eq!(before("mocap/**/*.amc"), Path::new("mocap"));
        assert_eq!(before("*.amc"), Path::new(""));
        assert_eq!(before("/a/b?/c/*.amc"), Path::new("/a"));
    }

    #[test]
    fn no_two_inputs_go_to_one_file_and_none_is_written_over() {
        let mut jobs = vec![
            job("a/walk.amc", OutFormat::Bvh, None, "a"),
            job("a/walk.glb", OutFormat::Bvh, None, "a"),
            job("a/run.bvh", OutFormat::Bvh, None, "a"),
            job("a/idle.amc", OutFormat::Bvh, None, "a"),
        ];
        part(&mut jobs, OutFormat::Bvh);
        let outputs: Vec<String> = jobs
            .iter()
            .map(|j| j.output.display().to_string())
            .collect();
        assert_eq!(
            outputs,
            [
                "a/walk.amc.bvh",
                "a/walk.glb.bvh",
                "a/run.bvh.bvh",
                "a/idle.bvh"
            ]
        );
    }
}
