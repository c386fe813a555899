//! File access, and errors with the path of the file.

use crate::escape;
use crate::limits::MAX_FILE_BYTES;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An error with the path of its file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", escape::path(path))]
pub struct FileError<E> {
    /// Path of the file.
    pub path: PathBuf,
    /// The error.
    pub source: E,
}

impl<E> FileError<E> {
    /// Returns a function that adds `path` to an error, for `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self {
            path: path.to_owned(),
            source,
        }
    }
}

/// An error of writing a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The content cannot be represented: the error of the format's `write_bytes`.
    #[error(transparent)]
    Content(Box<dyn std::error::Error + Send + Sync>),
    /// The file could not be created or written.
    #[error("cannot write the file: {0}")]
    Io(#[from] std::io::Error),
}

/// Writes the result of a format's `write_bytes`.
pub(crate) fn save<E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
    bytes: Result<Vec<u8>, E>,
) -> Result<(), FileError<WriteError>> {
    let bytes = bytes.map_err(|error| WriteError::Content(Box::new(error)));
    let written = bytes.and_then(|bytes| Ok(std::fs::write(path, bytes)?));
    written.map_err(FileError::at(path))
}

/// Like [`save`], for infallible formats.
pub(crate) fn save_bytes(path: &Path, bytes: Vec<u8>) -> Result<(), FileError<WriteError>> {
    save(path, Ok::<_, std::convert::Infallible>(bytes))
}

/// Reads the bytes of a file. Fails if there are more than [`MAX_FILE_BYTES`]: before reading if the length is known,
/// else one byte above the limit.
pub(crate) fn load(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    check_length(length)?;
    let mut bytes = Vec::with_capacity(length as usize);
    // A device reports no length, and a file may grow.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    check_length(bytes.len() as u64)?;
    Ok(bytes)
}

fn check_length(length: u64) -> std::io::Result<()> {
    if length <= MAX_FILE_BYTES {
        return Ok(());
    }
    let problem = format!("the file is too large: {length}, at most {MAX_FILE_BYTES} are allowed");
    Err(std::io::Error::new(
        std::io::ErrorKind::FileTooLarge,
        problem,
    ))
}
