//! Compression of several files into one.

use super::compress_file::{CompressedFile, Packed, pack_file};
use super::{CompressRow, Results};
use crate::args::CompressArgs;
use crate::commands::convert::find::Plan;
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use rayon::prelude::*;
use sinew::PackedAnimation;
use sinew::packed::PackedBytesError;
use sinew_formats::pack::{self, Pack, PackEntry};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Compresses all inputs into one file; each skeleton is stored once. Writes nothing if an input fails, because an
/// incomplete file would go unnoticed.
pub(super) fn gather(plan: &Plan, out: &Path, args: &CompressArgs) -> Result<Results, CliError> {
    let progress = Progress::new("compressing", plan.jobs.len());
    let packed = plan.jobs.par_iter().map(|job| {
        let packed = pack_file(&job.input, args);
        progress.add(1);
        packed
    });
    let packed: Vec<Result<Packed, CliError>> = packed.collect();
    let good = plan.jobs.iter().zip(&packed);
    let good = good.filter_map(|(job, packed)| {
        let motions = &packed.as_ref().ok()?.motions;
        let names = motions.iter().map(|motion| motion.name.clone());
        Some((job.input.as_path(), names.collect::<Vec<_>>()))
    });
    let mut names = names_of(&good.collect::<Vec<_>>()).into_iter();

    let mut pack = Pack::default();
    let mut rows = Vec::new();
    for (job, packed) in plan.jobs.iter().zip(packed) {
        let result = packed.and_then(|mut packed| {
            for motion in &mut packed.motions {
                motion.name = names.next().unwrap_or_default();
            }
            add(&mut pack, &packed).map_err(|error| CliError::unusable(&job.input, error))?;
            Ok(CompressedFile {
                output: out.to_owned(),
                is_skipped: false,
                motions: packed.motions,
                file_bytes: 0,
                time: packed.time,
                warnings: packed.file.warnings,
                losses: packed.losses,
            })
        });
        rows.push(CompressRow {
            input: job.input.clone(),
            result: result.map_err(|error| error.to_string()),
        });
    }
    let is_whole = plan.missing.is_empty() && rows.iter().all(|row| row.result.is_ok());
    let gathered = if is_whole {
        let bytes = pack::write_bytes(&pack).map_err(|error| CliError::unusable(out, error))?;
        output::write(out, &bytes)?;
        Some((out.to_owned(), bytes.len() as u64))
    } else {
        None
    };
    Ok(Results {
        rows,
        gathered,
        pictures: Vec::new(),
        seconds: 0.0,
    })
}

/// Adds the motions of a file under their assigned names.
fn add(pack: &mut Pack, packed: &Packed) -> Result<(), PackedBytesError> {
    for (index, skeleton) in packed.pack.skeletons.iter().enumerate() {
        let known = pack.skeletons.iter().position(|known| known == skeleton);
        let place = known.unwrap_or_else(|| {
            pack.skeletons.push(Arc::clone(skeleton));
            pack.skeletons.len() - 1
        });
        let entries = packed.pack.animations.iter().zip(&packed.motions);
        for (entry, facts) in entries.filter(|(entry, _)| entry.skeleton == index) {
            let animation = if entry.animation.name() == facts.name {
                entry.animation.clone()
            } else {
                let mut info = entry.animation.info().clone();
                info.name.clone_from(&facts.name);
                let bytes = sinew_author::packed::to_bytes(&entry.animation);
                PackedAnimation::from_bytes(&bytes, skeleton, info)?.into_owned()
            };
            pack.animations.push(PackEntry {
                skeleton: place,
                animation,
            });
        }
    }
    Ok(())
}

/// Assigns a unique name to each motion of each file, in order; players find motions by name. A motion keeps its name
/// if it is unique; otherwise the file name, then folders, then a number are added.
fn names_of(files: &[(&Path, Vec<String>)]) -> Vec<String> {
    let motions = || {
        files
            .iter()
            .flat_map(|(path, names)| names.iter().map(move |name| (*path, name, names.len())))
    };
    let with = |file: String, name: &str, count: usize| match count {
        1 => file,
        _ => format!("{file}/{name}"),
    };
    let plain: Vec<String> = motions().map(|(_, name, _)| name.clone()).collect();
    let short = motions().map(|(path, name, count)| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        with(stem.into_owned(), name, count)
    });
    let long = motions().map(|(path, name, count)| {
        let path = path.with_extension("").to_string_lossy().replace('\\', "/");
        with(path, name, count)
    });
    let ways = [plain, short.collect(), long.collect()];
    let mut names: Vec<String> = ways[0].clone();
    for way in &ways[1..] {
        let is_twice = repeated(&names);
        for ((name, is_twice), other) in names.iter_mut().zip(is_twice).zip(way) {
            if is_twice {
                name.clone_from(other);
            }
        }
    }
    let mut taken = HashSet::new();
    for name in &mut names {
        let first = name.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            *name = format!("{first}-{number}");
        }
    }
    names
}

/// Returns which names occur more than once.
fn repeated(names: &[String]) -> Vec<bool> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let counts = names.iter().map(|name| counts[name.as_str()] > 1);
    counts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[(&str, &[&str])]) -> Vec<String> {
        let files = files.iter().map(|(path, names)| {
            let names = names.iter().map(|&name| name.to_owned());
            (Path::new(*path), names.collect())
        });
        names_of(&files.collect::<Vec<_>>())
    }

    #[test]
    fn names_of_their_own_are_kept() {
        let files: [(&str, &[&str]); 2] = [("a.glb", &["walk", "run"]), ("b.bvh", &["b"])];
        assert_eq!(names(&files), ["walk", "run", "b"]);
    }

    #[test]
    fn what_is_called_alike_is_told_apart_by_its_file() {
        let files: [(&str, &[&str]); 3] = [
            ("walk.glb", &["mixamo.com"]),
            ("run.glb", &["mixamo.com"]),
            ("two.glb", &["mixamo.com", "jump"]),
        ];
        assert_eq!(names(&files), ["walk", "run", "two/mixamo.com", "jump"]);
        let files: [(&str, &[&str]); 2] = [("a/walk.amc", &["walk"]), ("b/walk.amc", &["walk"])];
        assert_eq!(names(&files), ["a/walk", "b/walk"]);
    }

    #[test]
    fn what_is_still_alike_is_numbered() {
        let files: [(&str, &[&str]); 2] = [("a.glb", &["x", "x"]), ("a.bvh", &["a/x"])];
        assert_eq!(names(&files), ["a/x", "a/x-2", "a"]);
    }
}
