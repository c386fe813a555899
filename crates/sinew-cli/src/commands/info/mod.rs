//! `sinew info`: prints the contents of a file.

mod character;
mod motion;
mod packed;

use crate::Outcome;
use crate::args::InfoArgs;
use crate::error::CliError;
use crate::input::{self, Input};
use crate::pose_hashes::{self, NamedHash};
use crate::report::{self, bold, dim};
use serde_json::Value;
use sinew_formats::Warnings;
use sinew_formats::skf::ReadSettings;
use sinew_formats::{FileError, pack};

pub(crate) fn run(args: &InfoArgs) -> Result<Outcome, CliError> {
    let input = input::open(&args.file, ReadSettings { pictures: false }, &args.source)?;
    let hashes = args
        .hash
        .then(|| pose_hashes::of_input(&input))
        .transpose()?;
    let add_json = |mut json: Value| {
        if let Some(hashes) = &hashes {
            json["pose_hashes"] = pose_hashes::json(hashes).into();
        }
        json
    };
    let hash_rows = hashes.as_deref().map_or(String::new(), hash_rows);
    match (&input, args.json) {
        (Input::Character(character), true) => {
            report::print_json(&add_json(character::json(character)))?;
        }
        (Input::Character(character), false) => {
            report::print(&(character::text(character) + &hash_rows))?;
        }
        (Input::Motion(motion), is_json) => {
            let mut json = is_json.then(|| motion::json(motion));
            let mut text = String::new();
            if json.is_none() {
                text = motion::text(motion);
            }
            if let Some(bytes) = &motion.packed {
                let pack = pack::read_bytes(bytes).map_err(|source| FileError {
                    path: motion.path.clone(),
                    source,
                })?;
                let bytes = bytes.len() as u64;
                match &mut json {
                    Some(json) => json["packed"] = packed::json(&pack, bytes),
                    None => {
                        for row in packed::rows(&pack, bytes) {
                            text += &row;
                            text.push('\n');
                        }
                    }
                }
            }
            match json {
                Some(json) => report::print_json(&add_json(json))?,
                None => report::print(&(text + &hash_rows))?,
            }
        }
    }
    Ok(Outcome::Fine)
}

fn hash_rows(hashes: &[NamedHash]) -> String {
    let rows = hashes.iter().map(|(name, hash)| {
        let name = report::plain_text(name);
        format!("  {name} {}\n", dim(pose_hashes::text(*hash)))
    });
    let rows: String = rows.collect();
    format!("{}\n{rows}", heading("Pose hashes", hashes.len()))
}

fn heading(what: &str, count: usize) -> String {
    format!("{} {}", bold(what), dim(count))
}

fn warning_rows(warnings: &Warnings) -> Vec<String> {
    let mut rows = vec![heading("Warnings", warnings.count())];
    rows.extend(warnings.list().iter().map(|warning| format!("  {warning}")));
    if warnings.more() > 0 {
        rows.push(format!("  … and {} more", warnings.more()));
    }
    rows
}

/// Formats a tree, one line per node, described by `row`.
fn tree(parents: &[Option<usize>], row: impl Fn(usize) -> String) -> Vec<String> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut roots = Vec::new();
    for (index, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(index),
            None => roots.push(index),
        }
    }
    // Depth first, with a stack instead of recursion: a hostile file may be ten thousand bones deep.
    let mut rows = Vec::new();
    let mut open: Vec<(usize, String, String)> = roots
        .iter()
        .rev()
        .map(|&root| (root, "  ".to_owned(), "  ".to_owned()))
        .collect();
    while let Some((node, branch, indent)) = open.pop() {
        rows.push(dim(branch) + &row(node));
        for (position, &child) in children[node].iter().enumerate().rev() {
            let last = position + 1 == children[node].len();
            let (branch, below) = if last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            // Limits the indentation of deep trees.
            let indent = if indent.chars().count() > 120 {
                "  … ".to_owned()
            } else {
                indent.clone()
            };
            open.push((
                child,
                format!("{indent}{branch}"),
                format!("{indent}{below}"),
            ));
        }
    }
    rows
}
