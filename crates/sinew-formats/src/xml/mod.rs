//! Urho3D and rbfx animations as XML: `<animation name="open" length="1">`.
//!
//! ```text
//! <animation name= length=>
//!   <transform name= position="true" rotation="true" scale="true" weight=>
//!     <keyframe time= position="x y z" rotation="w x y z" scale="x y z"/>
//!   <variant name= type= interpolation= tension= weight=>
//!     <keyframe time= value=> <intangent value=/> <outtangent value=/> </keyframe>
//!   <trigger time= | normalizedtime= type= value=/>
//!   <metadata name= type= value=/>
//! ```
//!
//! Vectors are numbers separated by spaces. Rotations are w, x, y, z, or three angles in degrees about x, y and z, of
//! which z is applied first, then x, then y. A transform track has the channels that its flags name; `weight` applies
//! to all three, `positionweight`, `rotationweight` and `scaleweight` to one. `interpolation` is `none`, `linear`,
//! `spline` (with a `tension`) or `cubicspline` (with tangents of its keys, per segment in the file and per second
//! after reading).
//!
//! Urho3D's frames are left-handed: x right, y up, z *forward*. Values are not converted, so on a right-handed
//! skeleton they are mirrored front to back. The file holds no skeleton.
//!
//! Missing values of a key are a zero position, no rotation and a scale of 1. Keys are sorted by time together with
//! their tangents. Tracks without a name, without keys or of types that no [`Variant`](sinew::animation::Variant) has
//! are discarded, and of two with the same name the last one is used, with a warning each. Metadata that is not a
//! number, flag or text is kept as text; `FrameRate` also sets the animation's frame rate.
//!
//! ```
//! use sinew_formats::xml;
//!
//! let file = xml::read_bytes(br#"<animation length="1">
//!     <variant name="Door/@/Position" type="Vector3" interpolation="spline" tension="0.7">
//!         <keyframe time="0" value="-0.5 1 0"/>
//!         <keyframe time="1" value="-1.5 1 0"/>
//!     </variant>
//! </animation>"#)?;
//! let door = &file.animation.variants[0];
//! assert_eq!(door.sample(0.25, 1.0, false), sinew::glam::Vec3::new(-0.65625, 1.0, 0.0).into());
//! # Ok::<(), xml::XmlError>(())
//! ```

mod element;
mod error;
mod notes;
mod prescan;
mod tracks;
mod value;

pub use error::XmlError;

use crate::file::{FileError, load};
use crate::limits::{MAX_FILE_BYTES, MAX_XML_NODES};
use crate::text::without_bom;
use crate::{Warnings, escape};
use element::Element;
use error::{check_size, wrong_xml};
use sinew::Animation;
use sinew::animation::MetaValue;
use std::path::Path;

/// The content of a file.
#[derive(Clone, Debug)]
pub struct XmlFile {
    /// The animation; it passes [`Animation::check`].
    pub animation: Animation,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

/// Reads a file. An animation without a name is named after the file.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(path: impl AsRef<Path>) -> Result<XmlFile, FileError<XmlError>> {
    let path = path.as_ref();
    let bytes = load(path)
        .map_err(XmlError::from)
        .map_err(FileError::at(path))?;
    read_loaded(path, &bytes)
}

/// Like [`read`], from the bytes of the file.
pub(crate) fn read_loaded(path: &Path, bytes: &[u8]) -> Result<XmlFile, FileError<XmlError>> {
    let mut file = read_bytes(bytes).map_err(FileError::at(path))?;
    if file.animation.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        file.animation.name = stem.to_string_lossy().into_owned();
    }
    Ok(file)
}

/// Reads the bytes of a file.
///
/// # Errors
/// [`XmlError`], with the line, the column and the problem.
pub fn read_bytes(bytes: &[u8]) -> Result<XmlFile, XmlError> {
    check_size("the file", bytes.len(), MAX_FILE_BYTES as usize)?;
    let bytes = without_bom(bytes);
    let text = error::text_of(bytes)?;
    prescan::check(text)?;
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_XML_NODES as u32,
        ..roxmltree::ParsingOptions::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| wrong_xml(text, &error))?;
    let mut warnings = Warnings::default();
    let root = Element::root(&document);
    let animation = read_animation(&root, &mut warnings)?;
    Ok(XmlFile {
        animation,
        warnings,
    })
}

fn read_animation(root: &Element<'_>, warnings: &mut Warnings) -> Result<Animation, XmlError> {
    if root.tag() != "animation" {
        let (line, column) = root.position();
        return Err(XmlError::NotAnimation {
            line,
            column,
            found: format!("<{}>", escape::name(root.tag())),
        });
    }
    root.knows(&["name", "length"], warnings);
    let Some(length) = root.number("length")? else {
        return Err(root.invalid("a length in seconds", "none"));
    };
    if length < 0.0 {
        return Err(root.invalid_at("length", "a length that is not negative", length));
    }
    let mut animation = Animation::new(root.text("name").unwrap_or_default(), length);
    let mut transforms = tracks::UniqueTracks::default();
    let mut variants = tracks::UniqueTracks::default();
    for child in root.children() {
        match child.tag() {
            "transform" => {
                let track = tracks::read_transform(&child, warnings)?;
                transforms.add(&child, track, |track| &track.name, warnings);
            }
            "variant" => {
                let track = tracks::read_variant(&child, length, warnings)?;
                variants.add(&child, track, |track| &track.name, warnings);
            }
            "trigger" => {
                let trigger = notes::read_trigger(&child, length, warnings)?;
                animation.triggers.extend(trigger);
            }
            "metadata" => {
                if let Some((name, value)) = notes::read_metadata(&child, warnings)? {
                    animation.metadata.insert(name, value);
                }
            }
            _ => warnings.add(child.place(), "", "not part of an animation; ignored"),
        }
    }
    animation.tracks = transforms.list;
    animation.variants = variants.list;
    animation.triggers.sort_by(|a, b| a.time.total_cmp(&b.time));
    if let Some(MetaValue::Number(rate)) = animation.metadata.get("FrameRate")
        && rate.is_finite()
        && *rate > 0.0
    {
        animation.frame_rate = Some(*rate);
    }
    animation.check().map_err(|error| root.unplayable(error))?;
    Ok(animation)
}
