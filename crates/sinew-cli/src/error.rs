//! Errors of the program.

use sinew::skelform::ArmatureError;
use sinew_draw::{GifError, PngError, SheetError};
use sinew_formats::pack::PackError;
use sinew_formats::skf::SkfError;
use sinew_formats::{FileError, MotionError, MotionReadError};
use std::io;
use std::path::{Path, PathBuf};

/// An error of a command. The text includes that of its cause.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Read(#[from] FileError<SkfError>),
    #[error(transparent)]
    ReadMotion(Box<MotionReadError>),
    #[error(transparent)]
    Open(#[from] FileError<MotionError>),
    #[error(transparent)]
    ReadPack(Box<FileError<PackError>>),
    #[error("the built-in sample: {0}")]
    Sample(#[source] SkfError),
    #[error("{}: {source}", path.display())]
    Script {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("{path}: {problem}")]
    Unusable { path: String, problem: String },
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Armature(#[from] ArmatureError),
    #[error("{}: {source}", path.display())]
    Gif { path: PathBuf, source: GifError },
    #[error("{}: {source}", path.display())]
    Png { path: PathBuf, source: PngError },
    #[error(transparent)]
    Sheet(#[from] SheetError),
    #[error("cannot write to standard output: {0}")]
    Stdout(#[from] io::Error),
}

impl From<MotionReadError> for CliError {
    fn from(error: MotionReadError) -> Self {
        Self::ReadMotion(Box::new(error))
    }
}

impl From<FileError<PackError>> for CliError {
    fn from(error: FileError<PackError>) -> Self {
        Self::ReadPack(Box::new(error))
    }
}

impl CliError {
    pub(crate) fn unusable(path: &Path, problem: impl ToString) -> Self {
        Self::Unusable {
            path: path.display().to_string(),
            problem: problem.to_string(),
        }
    }

    /// The error of requesting two outputs on standard output.
    pub(crate) fn json_and_stdout() -> Self {
        Self::Unusable {
            path: "--out -".to_owned(),
            problem: "--json also prints to standard output; use a file".to_owned(),
        }
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::packed::{PackedBytesError, PackedProblem};
    use sinew_formats::pack::{PackError, Section};

    #[test]
    fn an_error_contains_the_text_of_its_cause_once() {
        let cause = PackedBytesError {
            offset: 62,
            problem: PackedProblem::Number {
                what: "position",
                expected: "a number within 1e15 of 0".to_owned(),
                found: "2e17".to_owned(),
            },
        };
        let error = CliError::from(sinew_formats::FileError {
            path: "walk.sinew".into(),
            source: PackError::Motion {
                offset: 704,
                section: Section::Animation(0),
                source: Box::new(cause),
            },
        });
        assert_eq!(
            error.to_string(),
            "walk.sinew: byte 766, animation 0: the position is 2e17; expected a number within 1e15 of 0"
        );
    }
}
