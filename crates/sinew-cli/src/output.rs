//! Writing files whole or not at all.

use crate::error::CliError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes `bytes` to `path`: under a temporary name beside it, then renamed, so that nobody ever sees
/// half a file. Missing folders are made.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_with(path, |file| file.write_all(bytes)).map_err(CliError::write(path))
}

/// Tells before any work is done that `path` cannot be written: a folder has its name, or a file
/// stands where one of its folders would be.
pub(crate) fn check(path: &Path) -> Result<(), CliError> {
    let failed = |kind, problem: String| {
        let error = io::Error::new(kind, problem);
        Err(CliError::write(path)(error))
    };
    if path.is_dir() {
        return failed(io::ErrorKind::IsADirectory, "it is a folder".to_owned());
    }
    let mut above = path.ancestors().skip(1);
    match above.find(|above| above.exists() && !above.is_dir()) {
        Some(file) => failed(
            io::ErrorKind::NotADirectory,
            format!("{} is not a folder", file.display()),
        ),
        None => Ok(()),
    }
}

/// A path that is the same for all ways of writing it, whether or not it exists yet.
pub(crate) fn key(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    let path = key_of_folder(parent).join(name);
    fs::canonicalize(&path).unwrap_or(path)
}

/// As [`key`], for a folder of which the last parts may not exist yet.
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
            // Folders that are still to be made are no links, so that going up leads back.
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

/// Removes what interrupted runs left in a folder: temporary files of processes that are gone.
pub(crate) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let mut parts = name.rsplit('.');
        let (ending, count, process) = (parts.next(), parts.next(), parts.next());
        let is_number = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_ours = ending == Some("part") && is_number(count) && is_number(process);
        // Where the system does not tell, a process counts as gone.
        let lives = process.is_some_and(|id| Path::new("/proc").join(id).exists());
        if is_ours && !lives {
            // One that cannot be removed harms nobody.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
    }
    let temporary = temporary_name(path)?;
    let mut file = File::create(&temporary)?;
    let written = fill(&mut file).and_then(|()| file.flush());
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "expected the name of a file")
    })?;
    // Two threads may be at files of one name in two folders that are one.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.{count}.part", std::process::id()));
    Ok(path.with_file_name(temporary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/file.bin");
        write(&path, b"first").unwrap();
        let failed = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
