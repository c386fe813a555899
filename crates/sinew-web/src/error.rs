//! Errors, with the fields that the readers state.

use sinew_formats::FileError;
use std::fmt::Display;
use wasm_bindgen::JsValue;

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// An error on its way to JavaScript.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    code: &'static str,
    message: String,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    offset: Option<u64>,
    expected: String,
    found: String,
}

impl Problem {
    pub(crate) fn new(code: &'static str, message: impl Display) -> Self {
        Self {
            code,
            message: message.to_string(),
            ..Self::default()
        }
    }

    pub(crate) fn argument(message: impl Display) -> Self {
        Self::new("argument", message)
    }

    pub(crate) fn format(message: impl Display) -> Self {
        Self::new("format", message)
    }

    /// Names the file; the message begins with it.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        if !self.message.starts_with(file) {
            self.message = format!("{file}: {}", self.message);
        }
        if self.file.is_empty() {
            self.file = file.to_owned();
        }
        self
    }

    fn at(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }

    #[cfg(feature = "three")]
    fn offset(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    fn expected(mut self, expected: impl Display, found: impl Display) -> Self {
        self.expected = expected.to_string();
        self.found = found.to_string();
        self
    }

    fn too_large(mut self, is: bool) -> Self {
        if is {
            self.code = "too-large";
        }
        self
    }
}

impl From<Problem> for JsValue {
    fn from(problem: Problem) -> Self {
        let number =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let fields = [
            problem.code.to_owned(),
            problem.message,
            problem.file,
            number(problem.line.map(|line| line as u64)),
            number(problem.column.map(|column| column as u64)),
            number(problem.offset),
            problem.expected,
            problem.found,
        ];
        Self::from_str(&fields.map(|field| field.replace('\x1f', " ")).join("\x1f"))
    }
}

/// The errors of all readers.
pub(crate) trait Describe {
    fn describe(&self) -> Problem;
}

impl<E: Describe> Describe for FileError<E> {
    fn describe(&self) -> Problem {
        let mut problem = self.source.describe();
        problem.file = self.path.to_string_lossy().into_owned();
        problem
    }
}

#[cfg(feature = "two")]
impl Describe for sinew_formats::skf::SkfError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Json {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::Shape {
                expected, found, ..
            } => problem.expected(expected, found),
            Self::NotSkf { found } => problem.expected("a .skf archive or armature.json", found),
            Self::TooLarge { .. } | Self::Bomb { .. } => problem.too_large(true),
            _ => problem,
        }
    }
}

#[cfg(feature = "three")]
impl Describe for sinew_formats::gltf::GltfError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Container {
                offset,
                expected,
                found,
            } => problem.offset(*offset as u64).expected(expected, found),
            Self::Json {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::Invalid {
                expected, found, ..
            } => problem.expected(expected, found),
            Self::Version { found } => problem.expected("glTF 2.0", found),
            Self::TooLarge { .. } => problem.too_large(true),
            Self::Buffer { .. } => Problem::new("missing-file", self),
            _ => problem,
        }
    }
}

#[cfg(feature = "three")]
impl Describe for sinew_formats::json::JsonError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Animation { line, column, .. } => problem.at(*line, *column),
            Self::Syntax {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::Invalid {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::NotThisFormat { found } => {
                problem.expected("\"format\": \"sinew-motion\"", found)
            }
            _ => problem.too_large(matches!(self, Self::TooLarge { .. })),
        }
    }
}

#[cfg(feature = "three")]
impl Describe for sinew_formats::curve::CurveError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Syntax {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::NotThisFormat { found } => problem.expected("\"format\": \"sinew-curve\"", found),
            _ => problem.too_large(matches!(self, Self::TooLarge { .. })),
        }
    }
}

#[cfg(feature = "three")]
impl Describe for sinew_formats::pack::PackError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Damaged {
                offset,
                expected,
                found,
                ..
            } => problem.offset(*offset).expected(
                format_args!("checksum {expected:08x}"),
                format_args!("{found:08x}"),
            ),
            Self::Invalid {
                offset,
                expected,
                found,
                ..
            } => problem.offset(*offset).expected(expected, found),
            Self::Motion { offset, source, .. } => {
                problem.offset(offset.saturating_add(source.offset as u64))
            }
            Self::Skeleton { offset, .. }
            | Self::Notes { offset, .. }
            | Self::Curve { offset, .. } => problem.offset(*offset),
            _ => problem.too_large(matches!(self, Self::TooLarge { .. } | Self::TooLong { .. })),
        }
    }
}

#[cfg(feature = "xml")]
impl Describe for sinew_formats::xml::XmlError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self);
        match self {
            Self::Syntax { line, column, .. } | Self::Animation { line, column, .. } => {
                problem.at(*line, *column)
            }
            Self::Invalid {
                line,
                column,
                expected,
                found,
                ..
            } => problem.at(*line, *column).expected(expected, found),
            Self::NotAnimation {
                line,
                column,
                found,
            } => problem.at(*line, *column).expected("an animation", found),
            _ => problem.too_large(matches!(self, Self::TooLarge { .. })),
        }
    }
}

#[cfg(any(feature = "acclaim", feature = "bvh"))]
impl Describe for sinew_formats::TextError {
    fn describe(&self) -> Problem {
        let problem = Problem::format(self).at(self.line, self.column);
        problem
            .expected(&self.expected, &self.found)
            .too_large(self.rule == sinew_formats::Rule::TooLarge)
    }
}

#[cfg(any(feature = "acclaim", feature = "bvh"))]
impl Describe for sinew_formats::MotionError {
    fn describe(&self) -> Problem {
        match self {
            Self::Text(error) => error.describe(),
            other => Problem::format(other),
        }
    }
}
