//! Search for the skeleton of a motion by file names.

use std::fmt;
use std::path::{Path, PathBuf};

use super::header::SKELETON_COMMENT;
use crate::asf::scan::{Lines, Tokens, decode, text_of};
use crate::escape;
use std::io::Read;

/// Number of bytes at the beginning of a motion that are searched for the name of its skeleton.
const HEADER_BYTES: u64 = 64 << 10;

/// Maximum number of listed files per folder.
const MAX_LISTED: usize = 10_000;

/// Maximum number of names in a message.
const MAX_SHOWN: usize = 8;

/// No skeleton, or several candidates, were found for a motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsfNotFound {
    /// Path of the motion.
    pub amc: PathBuf,
    /// Searched paths, in order of preference.
    pub looked_for: Vec<PathBuf>,
    /// Equally likely skeletons.
    pub candidates: Vec<PathBuf>,
    /// Folders with more than 10,000 files. They were not listed completely, so only an exact match would have been
    /// accepted.
    pub not_all_listed: Vec<PathBuf>,
}

impl fmt::Display for AsfNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amc = escape::name(&self.amc.to_string_lossy());
        if self.candidates.is_empty() {
            write!(f, "{amc}: no ASF skeleton found; searched for ")?;
            list(f, &self.looked_for)?;
        } else {
            write!(f, "{amc}: several ASF skeletons are equally likely: ")?;
            list(f, &self.candidates)?;
        }
        if !self.not_all_listed.is_empty() {
            write!(
                f,
                "; not all of the more than {MAX_LISTED} files were listed in "
            )?;
            list(f, &self.not_all_listed)?;
        }
        f.write_str("; name it with --asf FILE")
    }
}

impl std::error::Error for AsfNotFound {}

fn list(f: &mut fmt::Formatter<'_>, paths: &[PathBuf]) -> fmt::Result {
    for (index, path) in paths.iter().take(MAX_SHOWN).enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}{}", escape::name(&path.to_string_lossy()))?;
    }
    match paths.len().saturating_sub(MAX_SHOWN) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

/// Finds the skeleton of a motion, by its name or header, in its folder and then in the parent folder: `walk.asf` for
/// `walk.amc`; the file that `:ASF-FILE` or CMU's first comment names; the longest name that is a prefix of the
/// motion's at a word boundary (`07.asf` for `07_05-walk.amc`, and also `07-walk.asf`, omitting words); the only
/// `.asf` of the folder. Names are case-insensitive, but an exact match is preferred.
///
/// Lists a folder only if it has no exact match, and at most 10,000 files: in a larger folder a candidate that is
/// merely the likeliest or the only one seen is not accepted. Reads at most 64 kB of the motion; an unreadable motion
/// counts as one without a header.
///
/// # Errors
/// If there is none, or several equally likely ones, or a folder has too many files.
pub fn find_asf(amc: &Path) -> Result<PathBuf, AsfNotFound> {
    let mut header = Vec::new();
    if let Ok(file) = std::fs::File::open(amc) {
        // A partial read is sufficient.
        let _ = file.take(HEADER_BYTES).read_to_end(&mut header);
    }
    find_asf_of(amc, &header)
}

/// Like [`find_asf`], for a motion in memory.
pub(super) fn find_asf_of(amc: &Path, bytes: &[u8]) -> Result<PathBuf, AsfNotFound> {
    let header = bytes.get(..HEADER_BYTES as usize).unwrap_or(bytes);
    let stem = amc.file_stem().unwrap_or_default().to_string_lossy();
    let named = named_in(header);
    let here = amc.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let mut folders = vec![here.clone()];
    // Only the system can resolve `..` of a relative path.
    folders.push(match here.parent() {
        Some(above) if here.file_name().is_some() => above.to_path_buf(),
        _ => here.join(".."),
    });
    let mut missing = AsfNotFound {
        amc: amc.to_owned(),
        looked_for: Vec::new(),
        candidates: Vec::new(),
        not_all_listed: Vec::new(),
    };
    let wanted = wanted_names(&stem, named.as_deref());
    for folder in folders {
        if let Some(path) = exact(&folder, &wanted) {
            return Ok(path);
        }
        let Listing {
            skeletons,
            is_whole,
        } = Listing::of(&folder);
        for name in &wanted {
            let same = |path: &&PathBuf| file_name(path).eq_ignore_ascii_case(name);
            if let Some(path) = skeletons.iter().find(same) {
                return Ok(path.clone());
            }
        }
        missing
            .looked_for
            .extend(wanted.iter().map(|name| folder.join(name)));
        missing.looked_for.push(folder.join("*.asf"));
        if !is_whole {
            missing.not_all_listed.push(folder);
        }
        // A file that was not listed, here or nearer to the motion, may be likelier.
        if !missing.not_all_listed.is_empty() {
            if skeletons.is_empty() {
                continue;
            }
            missing.candidates = skeletons;
            return Err(missing);
        }
        let mut likely: Vec<_> = skeletons
            .iter()
            .filter_map(|path| Some((likeness(&stem, &file_stem(path))?, path)))
            .collect();
        likely.sort();
        match likely.as_slice() {
            [.., (second, a), (first, b)] if first == second => {
                missing.candidates.extend([(*a).clone(), (*b).clone()]);
                return Err(missing);
            }
            [.., (_, path)] => return Ok((*path).clone()),
            [] => {}
        }
        match skeletons.as_slice() {
            [only] => return Ok(only.clone()),
            [] => {}
            several => {
                missing.candidates.extend(several.iter().cloned());
                return Err(missing);
            }
        }
    }
    Err(missing)
}

/// Returns the first of these names that exists in a folder, with its extension in lower or upper case.
fn exact(folder: &Path, names: &[String]) -> Option<PathBuf> {
    let capital = |name: &String| Path::new(name).with_extension("ASF");
    let mut paths = names
        .iter()
        .flat_map(|name| [folder.join(name), folder.join(capital(name))]);
    paths.find(|path| path.is_file())
}

/// Returns the exact candidate names of the skeleton, the likeliest first.
fn wanted_names(stem: &str, named: Option<&str>) -> Vec<String> {
    let mut names = vec![format!("{stem}.asf")];
    if let Some(name) = named {
        names.push(name.to_owned());
    }
    // Each prefix of the motion's name that ends at a word boundary, the longest first.
    let cuts: Vec<usize> = stem
        .match_indices(is_joint)
        .map(|(offset, _)| offset)
        .collect();
    for &cut in cuts.iter().rev().filter(|cut| **cut > 0) {
        names.push(format!("{}.asf", &stem[..cut]));
    }
    names
}

/// Returns whether a character separates words of a name.
fn is_joint(c: char) -> bool {
    matches!(c, '_' | '-' | ' ' | '.')
}

/// Scores a skeleton name for a motion: the number of letters of the skeleton's words, if the motion's name has them
/// all in this order and begins with the first; else `None`.
fn likeness(motion: &str, skeleton: &str) -> Option<usize> {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(is_joint).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    // `charleston1` matches `charleston`, but `071` does not match `07`.
    let begins = |long: &String, short: &String| {
        long.strip_prefix(short.as_str()).is_some_and(|rest| {
            let lettered = short.ends_with(|c: char| !c.is_ascii_digit());
            rest.is_empty() || lettered && rest.chars().all(|c| c.is_ascii_digit())
        })
    };
    let motion = words(motion);
    let skeleton = words(skeleton);
    if !begins(motion.first()?, skeleton.first()?) {
        return None;
    }
    let mut rest = motion.iter();
    for word in &skeleton {
        rest.find(|other| begins(other, word))?;
    }
    Some(skeleton.iter().map(String::len).sum())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn file_stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The skeletons of a folder, sorted; empty if it cannot be listed.
struct Listing {
    skeletons: Vec<PathBuf>,
    /// Whether every file was listed.
    is_whole: bool,
}

impl Listing {
    fn of(folder: &Path) -> Self {
        let listed = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let Ok(mut entries) = std::fs::read_dir(listed) else {
            return Self {
                skeletons: Vec::new(),
                is_whole: true,
            };
        };
        let names = entries
            .by_ref()
            .take(MAX_LISTED)
            .flatten()
            .map(|entry| entry.file_name());
        let mut skeletons: Vec<PathBuf> = names
            .map(|name| folder.join(name))
            .filter(|path| {
                path.extension()
                    .is_some_and(|end| end.eq_ignore_ascii_case("asf"))
            })
            .collect();
        skeletons.sort();
        Self {
            skeletons,
            is_whole: entries.next().is_none(),
        }
    }
}

/// Returns the skeleton file name in a motion's header.
fn named_in(header: &[u8]) -> Option<String> {
    let mut lines = Lines::new(header);
    let mut comment = None;
    while let Ok(Some(line)) = lines.next() {
        let text = line.text.trim_ascii();
        if let Some((start, rest)) = text.split_at_checked(SKELETON_COMMENT.len())
            && start.eq_ignore_ascii_case(SKELETON_COMMENT)
        {
            comment = comment.or_else(|| last_part(&decode(rest.trim_ascii())));
            continue;
        }
        let mut tokens = Tokens::new(line);
        match tokens.next() {
            None => {}
            Some(token) if token.is(":asf-file") => {
                if let Some(name) = last_part(&text_of(tokens.rest())) {
                    return Some(name);
                }
            }
            Some(token) if token.text.starts_with(b":") => {}
            Some(_) => break,
        }
    }
    comment
}

/// Returns the file name of a path of any system, with the skeleton extension.
fn last_part(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\', ':']).next()?.trim();
    if name.is_empty() || name == "." || name == ".." {
        return None;
    }
    let has_ending = name.len() > 4
        && name.is_char_boundary(name.len() - 4)
        && name[name.len() - 4..].eq_ignore_ascii_case(".asf");
    Some(if has_ending {
        name.to_owned()
    } else {
        format!("{name}.asf")
    })
}
