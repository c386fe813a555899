//! Writing files whole or not at all.

use crate::error::CliError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
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
