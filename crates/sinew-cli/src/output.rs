//! Writes outputs: files, atomically, devices, and standard output.

use crate::error::CliError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

/// The name of standard output.
pub(crate) const STANDARD_OUTPUT: &str = "-";

/// The largest number of links followed; the kernel's own limit.
const MAX_LINKS: usize = 40;

/// The prefix of temporary files, `.sinew-PROCESS-RANDOM.part`. The name is short, so that it fits beside any output
/// name, and unique to this program.
const PREFIX: &str = ".sinew-";
const ENDING: &str = ".part";

/// Returns whether an output is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STANDARD_OUTPUT
}

/// Writes `bytes` to `path`.
///
/// A file is written atomically: under a temporary name in the same folder, synchronized to disk and renamed, so that
/// no partial file is ever visible, even after a power failure. A replaced file keeps its permissions; for a link the
/// target is replaced. Pipes and devices are written directly. `-` is standard output. The folder must exist; see
/// [`make_folder`].
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    if is_stdout(path) {
        let mut out = io::stdout().lock();
        return Ok(out.write_all(bytes).and_then(|()| out.flush())?);
    }
    check(path)?;
    write_with(path, |file| file.write_all(bytes)).map_err(CliError::write(path))
}

/// Checks before any work that `path` can be written: it is not a folder, its folder exists, and none of its folders is
/// a file.
pub(crate) fn check(path: &Path) -> Result<(), CliError> {
    if is_stdout(path) {
        return Ok(());
    }
    check_above(path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            let problem = format!(
                "the folder {} does not exist; create it first",
                folder.display()
            );
            Err(write_error(path, io::ErrorKind::NotFound, problem))
        }
        _ => Ok(()),
    }
}

/// Like [`check`], for a file in an output folder that [`make_folder`] will create.
pub(crate) fn check_in_folder(path: &Path) -> Result<(), CliError> {
    check_above(path)?;
    path.parent().map_or(Ok(()), check_folder)
}

fn write_error(path: &Path, kind: io::ErrorKind, problem: String) -> CliError {
    CliError::write(path)(io::Error::new(kind, problem))
}

fn check_above(path: &Path) -> Result<(), CliError> {
    if path.is_dir() {
        let problem = "it is a folder".to_owned();
        return Err(write_error(path, io::ErrorKind::IsADirectory, problem));
    }
    let mut above = path.ancestors().skip(1);
    match above.find(|above| above.exists() && !above.is_dir()) {
        Some(file) => {
            let problem = format!("{} is not a folder", file.display());
            Err(write_error(path, io::ErrorKind::NotADirectory, problem))
        }
        None => Ok(()),
    }
}

/// Rejects a new folder directly below the root of the file system, which is probably a mistyped path.
fn check_folder(folder: &Path) -> Result<(), CliError> {
    let mut missing = folder.ancestors().take_while(|above| !above.exists());
    let topmost = missing.by_ref().last();
    match topmost.and_then(|folder| Some((folder, folder.parent()?))) {
        Some((topmost, root)) if root.has_root() && root.parent().is_none() => {
            let problem = format!(
                "the folder {} does not exist; create it first",
                topmost.display()
            );
            Err(write_error(folder, io::ErrorKind::NotFound, problem))
        }
        _ => Ok(()),
    }
}

/// Creates an output folder and its parents.
pub(crate) fn make_folder(folder: &Path) -> Result<(), CliError> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    let mut here_and_above = folder.ancestors();
    if let Some(file) = here_and_above.find(|above| above.exists() && !above.is_dir()) {
        let problem = format!("{} is not a folder", file.display());
        return Err(write_error(folder, io::ErrorKind::NotADirectory, problem));
    }
    check_folder(folder)?;
    fs::create_dir_all(folder).map_err(CliError::write(folder))
}

/// Returns a canonical path, whether or not it exists yet.
pub(crate) fn key(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let Some(name) = path.file_name() else {
        return path.to_owned();
    };
    let path = key_of_folder(folder_of(path)).join(name);
    fs::canonicalize(&path).unwrap_or(path)
}

/// Like [`key`], for a folder whose last components may not exist yet.
fn key_of_folder(folder: &Path) -> PathBuf {
    let existing = folder.ancestors().find_map(|above| {
        let above_or_here = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        };
        Some((above, fs::canonicalize(above_or_here).ok()?))
    });
    match existing {
        Some((above, whole)) => {
            let rest = folder.strip_prefix(above).unwrap_or(Path::new(""));
            // Folders that do not exist yet are not links, so `..` leads to the parent.
            rest.components().fold(whole, |mut path, part| {
                match part {
                    Component::ParentDir => drop(path.pop()),
                    Component::CurDir => {}
                    part => path.push(part),
                }
                path
            })
        }
        None => folder.to_owned(),
    }
}

/// Removes temporary files of interrupted runs from a folder.
pub(crate) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(process_of);
        // Without `/proc`, a process counts as ended.
        let is_left = process.is_some_and(|id| !Path::new("/proc").join(id).exists());
        if is_left {
            // A failed removal does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the process of a temporary file; `None` for other files.
fn process_of(name: &str) -> Option<&str> {
    let inner = name.strip_prefix(PREFIX)?.strip_suffix(ENDING)?;
    let (process, random) = inner.split_once('-')?;
    let is_random = !random.is_empty() && random.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_number = !process.is_empty() && process.bytes().all(|b| b.is_ascii_digit());
    (is_number && is_random).then_some(process)
}

/// Returns the target of a path: itself, or the end of a chain of links, which need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
        if !is_link {
            return Ok(path);
        }
        let next = fs::read_link(&path)?;
        // A relative link is relative to its folder.
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let target = target(path)?;
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|about| !about.is_file()) {
        // A pipe or a device cannot be replaced.
        let mut file = OpenOptions::new().write(true).open(&target)?;
        return fill(&mut file).and_then(|()| file.flush());
    }
    let mut temporary = match create_temporary(&target) {
        Ok(created) => created,
        // The file may be writable although the folder is not.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && existing.is_some() => {
            let mut file = OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(&target)?;
            return fill(&mut file).and_then(|()| file.sync_all());
        }
        Err(error) => return Err(error),
    };
    let file = temporary.as_file_mut();
    if let Some(about) = &existing {
        file.set_permissions(about.permissions())?;
    }
    fill(file)?;
    file.sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    // The new name reaches the disk too. Not every file system supports this, and the content is already safe.
    let _ = File::open(folder_of(&target)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Creates a new temporary file beside another; it is removed when dropped.
fn create_temporary(path: &Path) -> io::Result<NamedTempFile> {
    if path.file_name().is_none() {
        let problem = "expected a file name";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(ENDING);
    // Unlike `tempfile_in`, this grants the usual permissions and does not put the temporary name into errors.
    builder.make_in(folder_of(path), |path| File::create_new(path))
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.bin");
        write(&path, b"first").unwrap();
        let failed = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_our_own_temporary_files_are_known_as_such() {
        assert_eq!(process_of(".sinew-123-x4Y.part"), Some("123"));
        for other in [
            "take.1.2.part",
            ".sinew-1.part",
            ".sinew-a-1.part",
            ".sinew--.part",
            "sinew-1-2.part",
            ".sinew-1-2.partial",
        ] {
            assert_eq!(process_of(other), None, "{other}");
        }
    }
}
