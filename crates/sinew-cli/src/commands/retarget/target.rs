//! What motions are retargeted onto: a figure, which is a skeleton with an optional glTF file, or a 2D character.

use super::RetargetFormat;
use super::roles::Roles;
use crate::args::{OutFormat, RetargetArgs, SourceArgs};
use crate::error::CliError;
use crate::input::{self, Character, Input};
use crate::output;
use sinew::{Animation, Skeleton};
use sinew_formats::Format;
use sinew_formats::gltf::GltfSource;
use sinew_formats::skf::ReadSettings;
use std::path::Path;

/// The target of all motions.
pub(super) enum Target {
    Figure(Box<FigureTarget>),
    Character(Box<CharacterTarget>),
}

/// A skeleton, and the glTF file that it is from.
pub(super) struct FigureTarget {
    pub(super) name: String,
    pub(super) skeleton: Skeleton,
    /// The animations that its file has.
    pub(super) animations: Vec<Animation>,
    pub(super) gltf: Option<GltfSource>,
    pub(super) format: Format,
    pub(super) roles: Roles,
}

/// A 2D character, and the file that it is from.
pub(super) struct CharacterTarget {
    pub(super) name: String,
    pub(super) character: Character,
    pub(super) bytes: Vec<u8>,
    pub(super) roles: Roles,
}

impl Target {
    /// Reads the target and finds its roles.
    pub(super) fn open(args: &RetargetArgs) -> Result<Self, CliError> {
        let path = &args.onto;
        let source = SourceArgs {
            units: args.onto_units,
            up: args.onto_up,
            strict: args.source.strict,
            ..SourceArgs::default()
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.replace("sample:", "");
        match input::open(path, ReadSettings { pictures: true }, &source)? {
            Input::Motion(motion) => {
                crate::report::warnings(path, &motion.file.warnings);
                let roles = Roles::of_skeleton(&motion.file.skeleton, args.map.as_deref())?;
                Ok(Self::Figure(Box::new(FigureTarget {
                    name,
                    skeleton: motion.file.skeleton,
                    animations: motion.file.animations,
                    gltf: motion.gltf,
                    format: motion.format,
                    roles,
                })))
            }
            Input::Character(character) => {
                crate::report::warnings(path, &character.skf.warnings);
                let armature = &character.skf.armature;
                let roles = Roles::of_character(armature, args.map.as_deref(), args.facing)?;
                let bytes = match input::sample_file(path)? {
                    Some((_, bytes)) => bytes.to_owned(),
                    None => input::load(path)?.bytes,
                };
                Ok(Self::Character(Box::new(CharacterTarget {
                    name,
                    character,
                    bytes,
                    roles,
                })))
            }
        }
    }

    pub(super) fn roles(&self) -> &Roles {
        match self {
            Self::Figure(figure) => &figure.roles,
            Self::Character(character) => &character.roles,
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Figure(figure) => &figure.name,
            Self::Character(character) => &character.name,
        }
    }

    /// Returns the format of outputs.
    pub(super) fn format(&self, args: &RetargetArgs) -> Result<RetargetFormat, CliError> {
        match (self, args.to) {
            (Self::Character(_), None) => Ok(RetargetFormat::Character),
            (Self::Character(_), Some(_)) => Err(CliError::Unusable {
                path: "--to".to_owned(),
                problem: "the target is a 2D character, which is written as .skf".to_owned(),
            }),
            (Self::Figure(_), Some(to)) => Ok(RetargetFormat::Motion(to)),
            (Self::Figure(figure), None) => {
                use super::OutputFormat;
                let from_out = args.out.as_deref().and_then(OutFormat::from_ending);
                Ok(RetargetFormat::Motion(
                    from_out.unwrap_or_else(|| figure.default_format()),
                ))
            }
        }
    }

    /// Writes the roles of the target for editing.
    pub(super) fn save_map(&self, path: &Path) -> Result<(), CliError> {
        output::check(path)?;
        output::write(path, &self.roles().to_bytes())
    }
}

impl FigureTarget {
    /// The format of the file, or GLB if it cannot be written.
    fn default_format(&self) -> OutFormat {
        match self.format {
            Format::Bvh => OutFormat::Bvh,
            Format::Gltf => OutFormat::Gltf,
            Format::Json => OutFormat::Json,
            Format::Sinew => OutFormat::Sinew,
            _ => OutFormat::Glb,
        }
    }
}
