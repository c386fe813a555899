//! Finds the files to convert or compress, and their outputs.

use crate::args::OutFormat;
use crate::error::CliError;
use crate::input;
use crate::output::{STANDARD_OUTPUT, is_stdout, key};
use crate::walk;
use clap::ValueEnum;
use sinew_formats::Format;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A format of output files, known by its extension.
pub(crate) trait OutputFormat: Copy + PartialEq {
    /// What the user can do if no format is given.
    const EXPECTED: &'static str;

    /// Returns the extension.
    fn ending(self) -> &'static str;

    /// Returns the format of a file by its extension.
    fn from_ending(path: &Path) -> Option<Self>;
}

/// The requested inputs and outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanRequest<'a, F = OutFormat> {
    pub(crate) inputs: &'a [PathBuf],
    /// The output format; by default from the extension of `out`.
    pub(crate) to: Option<F>,
    pub(crate) out: Option<&'a Path>,
    /// Whether several inputs may be written to one file.
    pub(crate) may_gather: bool,
    /// Whether folders are searched for packed motions only, or for all others: a packed motion beside its source is a
    /// copy of it.
    pub(crate) packed: bool,
}

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) input: PathBuf,
    /// The output path. If the format holds a single motion, motion names are added for files with several.
    pub(crate) output: PathBuf,
    /// Whether the output is in a folder that is created if missing.
    pub(crate) in_folder: bool,
}

impl Job {
    /// Checks before any work that an output can be written.
    pub(crate) fn check(&self, output: &Path) -> Result<(), CliError> {
        if self.in_folder {
            crate::output::check_in_folder(output)
        } else {
            crate::output::check(output)
        }
    }

    /// Writes an output of the job.
    pub(crate) fn write(&self, output: &Path, bytes: &[u8]) -> Result<(), CliError> {
        if self.in_folder {
            output.parent().map_or(Ok(()), crate::output::make_folder)?;
        }
        crate::output::write(output, bytes)
    }
}

/// The jobs and the files that are skipped or missing.
#[derive(Debug)]
pub(crate) struct Plan<F = OutFormat> {
    pub(crate) to: F,
    /// Sorted by input name. Outputs are unique and never an input, unless all inputs are written to one file.
    pub(crate) jobs: Vec<Job>,
    /// Inputs that cannot be found or opened.
    pub(crate) missing: Vec<(PathBuf, String)>,
    /// The common output file, if there are or may be several inputs.
    pub(crate) combined: Option<PathBuf>,
    /// Files found in folders or by patterns that already have the output format and would be written beside
    /// themselves.
    pub(crate) left_out: Vec<PathBuf>,
}

impl OutputFormat for OutFormat {
    const EXPECTED: &'static str =
        "expected a format: bvh, glb, gltf, json or sinew, or --out FILE with such an extension";

    fn ending(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Json => "json",
            Self::Sinew => "sinew",
        }
    }

    fn from_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::value_variants()
            .iter()
            .copied()
            .find(|format| format.ending() == ending)
    }
}

impl OutFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Bvh => Format::Bvh,
            Self::Glb => Format::Glb,
            Self::Gltf => Format::Gltf,
            Self::Json => Format::Json,
            Self::Sinew => Format::Sinew,
        }
    }

    pub(crate) fn is_gltf(self) -> bool {
        matches!(self, Self::Glb | Self::Gltf)
    }
}

/// An input and the folder to which its output path is relative.
struct FoundInput {
    input: PathBuf,
    below: PathBuf,
    /// Whether it was given by name.
    is_named: bool,
}

/// Finds the inputs and assigns their outputs.
pub(crate) fn plan<F: OutputFormat>(args: &PlanRequest<'_, F>) -> Result<Plan<F>, CliError> {
    let mut search = Search {
        found: Vec::new(),
        missing: Vec::new(),
        out: args.out.map(key),
        packed: args.packed,
    };
    for input in args.inputs {
        search.find(input);
    }
    let Search { found, missing, .. } = search;
    // Standard input is written to standard output by default.
    let piped = args.out.is_none() && args.inputs.iter().any(|input| input::is_stdin(input));
    let out_file = if piped {
        Some(Path::new(STANDARD_OUTPUT))
    } else {
        out_file(args)?
    };
    let to = match (args.to, out_file.and_then(F::from_ending)) {
        (Some(to), _) | (None, Some(to)) => to,
        (None, None) => return Err(usage("--to", F::EXPECTED)),
    };
    if let Some(out) = out_file {
        let is_several = args.inputs.len() > 1
            || found.len() > 1
            || args.inputs.iter().any(|path| path.is_dir());
        if is_several && (!args.may_gather || is_stdout(out)) {
            let problem = if is_stdout(out) {
                "cannot write several inputs to standard output; use a folder"
            } else {
                "cannot write several inputs to one file; use a folder"
            };
            return Err(usage(&out.display().to_string(), problem));
        }
        let mut known = HashSet::new();
        let found = found
            .into_iter()
            .filter(|found| known.insert(key(&found.input)));
        let jobs = found.map(|found| Job {
            input: found.input,
            output: out.to_owned(),
            in_folder: false,
        });
        let mut jobs: Vec<Job> = jobs.collect();
        jobs.sort_by(|a, b| a.input.cmp(&b.input));
        return Ok(Plan {
            to,
            jobs,
            missing,
            combined: is_several.then(|| out.to_owned()),
            left_out: Vec::new(),
        });
    }
    let (jobs, left_out) = assign(found, args.out, to);
    Ok(Plan {
        to,
        jobs,
        missing,
        combined: None,
        left_out,
    })
}

fn usage(path: &str, problem: &str) -> CliError {
    CliError::Unusable {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}

/// Returns the output if it is a file: not a folder, and with the extension of a format.
fn out_file<'a, F: OutputFormat>(args: &PlanRequest<'a, F>) -> Result<Option<&'a Path>, CliError> {
    let Some(out) = args.out else {
        return Ok(None);
    };
    if is_stdout(out) {
        return Ok(Some(out));
    }
    let trailing = out.to_string_lossy().ends_with(std::path::is_separator);
    match (F::from_ending(out), args.to) {
        _ if trailing || out.is_dir() => Ok(None),
        (Some(ending), Some(to)) if ending != to => Err(usage(
            &out.display().to_string(),
            &format!(
                "the extension is {}, but --to is {}; end the name of a folder with /",
                ending.ending(),
                to.ending()
            ),
        )),
        (Some(_), _) => Ok(Some(out)),
        (None, _) => Ok(None),
    }
}

/// A search for inputs.
struct Search {
    found: Vec<FoundInput>,
    missing: Vec<(PathBuf, String)>,
    /// The key of the output folder; its files are outputs, not inputs.
    out: Option<PathBuf>,
    /// Whether to search for packed motions.
    packed: bool,
}

impl Search {
    fn find(&mut self, input: &Path) {
        if input.is_dir() {
            return self.walk(input);
        }
        if input.exists() || input::is_sample_motion(input) {
            self.found.push(FoundInput {
                input: input.to_owned(),
                below: input.parent().unwrap_or(Path::new("")).to_owned(),
                is_named: true,
            });
            return;
        }
        if input::is_stdin(input) {
            self.found.push(FoundInput {
                input: input.to_owned(),
                below: PathBuf::new(),
                is_named: true,
            });
            return;
        }
        if !walk::is_pattern(&input.to_string_lossy()) {
            let problem = format!("no such file or folder{}", input::meant_file(input));
            return self.miss(input, problem);
        }
        match walk::matching(input) {
            Ok(found) if found.files.is_empty() && found.problems.is_empty() => {
                self.miss(input, "no file matches the pattern");
            }
            Ok(found) => self.add(found, &walk::before_pattern(input)),
            Err(error) => self.miss(input, format!("invalid pattern: {error}")),
        }
    }

    fn add(&mut self, found: walk::FoundFiles, below: &Path) {
        self.found
            .extend(found.files.into_iter().map(|input| FoundInput {
                input,
                below: below.to_owned(),
                is_named: false,
            }));
        self.missing.extend(found.problems);
    }

    fn miss(&mut self, path: &Path, problem: impl ToString) {
        self.missing.push((path.to_owned(), problem.to_string()));
    }

    /// Finds every motion below a folder. Skips skeletons, which are read with their motions. Continues if something
    /// cannot be opened.
    fn walk(&mut self, folder: &Path) {
        let wanted = |path: &Path| is_wanted(path, self.packed);
        let found = walk::below(folder, self.out.as_deref(), &wanted);
        if found.files.is_empty() && found.problems.is_empty() {
            let problem = if self.packed {
                "no .sinew file in this folder"
            } else {
                "no .amc, .bvh, .gltf or .glb file in this folder"
            };
            return self.miss(folder, problem);
        }
        self.add(found, folder);
    }
}

/// Returns whether a file has the extension of a motion, packed or not; skeleton files do not count.
fn is_wanted(path: &Path, packed: bool) -> bool {
    match Format::from_name(path) {
        None | Some(Format::Asf) => false,
        Some(Format::Sinew) => packed,
        Some(format) => format.is_motion() && !packed,
    }
}

/// Assigns a unique output to each input.
///
/// Beside the inputs, files that already have the output format are skipped and returned unless they were given by
/// name: they may be outputs of an earlier run. `walk.amc` and `walk.bvh` would have the same output and keep their
/// whole names, `walk.amc.glb` and `walk.bvh.glb`, and so does an output that would overwrite an input. Remaining
/// conflicts are numbered.
fn assign<F: OutputFormat>(
    found: Vec<FoundInput>,
    folder: Option<&Path>,
    to: F,
) -> (Vec<Job>, Vec<PathBuf>) {
    let is_made = |found: &FoundInput| F::from_ending(&found.input) == Some(to);
    let (mut found, left_out): (Vec<FoundInput>, Vec<FoundInput>) = found
        .into_iter()
        .partition(|found| found.is_named || folder.is_some() || !is_made(found));
    let left_out = left_out.into_iter().map(|found| found.input).collect();
    found.sort_by(|a, b| a.input.cmp(&b.input));
    let mut inputs = HashSet::new();
    found.retain(|found| inputs.insert(key(&found.input)));

    let first: Vec<PathBuf> = found.iter().map(|f| output(f, folder, to)).collect();
    let keys: Vec<PathBuf> = first.iter().map(|path| key(path)).collect();
    let mut wanted = std::collections::HashMap::new();
    for key in &keys {
        *wanted.entry(key).or_insert(0usize) += 1;
    }
    let mut taken: HashSet<PathBuf> = inputs.clone();
    let free = |index: &usize| wanted[&keys[*index]] == 1 && !inputs.contains(&keys[*index]);
    taken.extend(
        (0..keys.len())
            .filter(free)
            .map(|index| keys[index].clone()),
    );
    let jobs = found.into_iter().enumerate().map(|(index, found)| {
        let mut output = first[index].clone();
        if !free(&index) {
            let name = found.input.file_name().unwrap_or_default();
            output = whole_name(&output, name, 1, to);
            let mut number = 1;
            while !taken.insert(key(&output)) {
                number += 1;
                output = whole_name(&output, name, number, to);
            }
        }
        Job {
            input: found.input,
            output,
            in_folder: folder.is_some(),
        }
    });
    (jobs.collect(), left_out)
}

/// Returns `walk.amc.glb`, or `walk.amc-2.glb` for a second one.
fn whole_name(
    output: &Path,
    input: &std::ffi::OsStr,
    number: usize,
    to: impl OutputFormat,
) -> PathBuf {
    let mut name = OsString::from(input);
    if number > 1 {
        name.push(format!("-{number}"));
    }
    name.push(format!(".{}", to.ending()));
    output.with_file_name(name)
}

fn output(found: &FoundInput, folder: Option<&Path>, to: impl OutputFormat) -> PathBuf {
    let output = match folder {
        Some(folder) => {
            let inside = found.input.strip_prefix(&found.below).ok();
            let inside = inside.or(found.input.file_name().map(Path::new));
            folder.join(inside.unwrap_or(Path::new("")))
        }
        None => found.input.clone(),
    };
    if input::is_sample_motion(&found.input) {
        // Some file systems do not allow colons.
        let name = found.input.to_string_lossy().replace(':', "-");
        return output.with_file_name(format!("{name}.{}", to.ending()));
    }
    output.with_extension(to.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(input: &str, below: &str) -> FoundInput {
        FoundInput {
            input: input.into(),
            below: below.into(),
            is_named: true,
        }
    }

    #[test]
    fn outputs_keep_their_place_below_the_input_folder() {
        let output = |input, folder: Option<&str>, below| {
            output(&found(input, below), folder.map(Path::new), OutFormat::Glb)
        };
        assert_eq!(
            output("a/b/c.amc", Some("out"), "a"),
            Path::new("out/b/c.glb")
        );
        assert_eq!(output("a/c.amc", Some("out"), "a"), Path::new("out/c.glb"));
        assert_eq!(output("a/b/c.d.amc", None, "a"), Path::new("a/b/c.d.glb"));
    }

    #[test]
    fn no_two_inputs_go_to_one_file_and_none_is_written_over() {
        let outputs = |inputs: &[&str], folder: Option<&str>, to| -> Vec<String> {
            let below = |input: &str| Path::new(input).parent().unwrap().display().to_string();
            let found = inputs.iter().map(|input| found(input, &below(input)));
            let (jobs, _) = assign(found.collect(), folder.map(Path::new), to);
            jobs.iter()
                .map(|job| job.output.display().to_string())
                .collect()
        };
        assert_eq!(
            outputs(
                &["a/idle.amc", "a/run.bvh", "a/walk.amc", "a/walk.glb"],
                None,
                OutFormat::Bvh
            ),
            [
                "a/idle.bvh",
                "a/run.bvh.bvh",
                "a/walk.amc.bvh",
                "a/walk.glb.bvh"
            ]
        );
        assert_eq!(
            outputs(
                &["x/walk.bvh", "y/walk.bvh", "z/walk.bvh"],
                Some("o"),
                OutFormat::Glb
            ),
            ["o/walk.bvh.glb", "o/walk.bvh-2.glb", "o/walk.bvh-3.glb"]
        );
        assert_eq!(
            outputs(
                &["k/w.bvh", "k/w.bvh.bvh", "k/w.gltf"],
                Some("o"),
                OutFormat::Glb
            ),
            ["o/w.bvh-2.glb", "o/w.bvh.glb", "o/w.gltf.glb"]
        );
        // A file given by two paths is one input.
        assert_eq!(
            outputs(&["w.bvh", "./w.bvh"], Some("."), OutFormat::Bvh),
            ["./w.bvh.bvh"]
        );
    }
}
