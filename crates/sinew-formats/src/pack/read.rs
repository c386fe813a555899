//! Reader of `.sinew` files.

use super::directory::{self, SectionKind};
use super::error::PackError;
use super::{Pack, PackEntry, animation, curve, skeleton};
use crate::file::{FileError, load};
use crate::limits::MAX_PACK_CURVE_BYTES;
use sinew::registration::RegistrationCurve;
use sinew::{PackedAnimation, Skeleton};
use std::path::Path;
use std::sync::Arc;

/// A `.sinew` file with borrowed bytes: memory-mapped, embedded in the program, or read.
///
/// Motions of the small and fast profiles borrow these bytes if they are aligned to four.
#[derive(Clone, Debug)]
pub struct PackView<'a> {
    skeletons: Vec<Arc<Skeleton>>,
    animations: Vec<(usize, PackedAnimation<'a>)>,
    curves: Vec<RegistrationCurve>,
}

impl<'a> PackView<'a> {
    /// Validates the bytes of a file, so that sampling its animations cannot fail.
    ///
    /// # Errors
    /// [`PackError`], with the place, what was expected and what was found.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PackError> {
        let sections = directory::read(bytes)?;
        let of = |kind: SectionKind| sections.iter().filter(move |entry| entry.kind == kind);
        let mut skeletons = Vec::new();
        for entry in of(SectionKind::Skeleton) {
            skeletons.push(Arc::new(skeleton::read(entry)?));
        }
        if skeletons.is_empty() {
            return Err(directory::no_skeleton(sections.len()));
        }
        let mut animations = Vec::new();
        let mut budget = animation::PackBudget::default();
        for entry in of(SectionKind::Animation) {
            animations.push(animation::read(entry, &skeletons, &mut budget)?);
        }
        let mut budget = MAX_PACK_CURVE_BYTES;
        let curves = of(SectionKind::Curve).map(|entry| curve::read(entry, &mut budget));
        Ok(Self {
            skeletons,
            animations,
            curves: curves.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the skeletons, at least one.
    pub fn skeletons(&self) -> &[Arc<Skeleton>] {
        &self.skeletons
    }

    /// Returns the animations in file order, each with the valid index of its skeleton.
    pub fn animations(&self) -> &[(usize, PackedAnimation<'a>)] {
        &self.animations
    }

    /// Returns the registration curves between animations, in file order.
    pub fn curves(&self) -> &[RegistrationCurve] {
        &self.curves
    }

    /// Returns the first animation with a name, and its skeleton.
    pub fn find(&self, name: &str) -> Option<(&Arc<Skeleton>, &PackedAnimation<'a>)> {
        let mut all = self.animations.iter();
        let (skeleton, animation) = all.find(|(_, animation)| animation.name() == name)?;
        Some((self.skeletons.get(*skeleton)?, animation))
    }

    /// Converts to an owned pack.
    pub fn into_owned(self) -> Pack {
        let entry = |(skeleton, animation): (usize, PackedAnimation<'a>)| PackEntry {
            skeleton,
            animation: animation.into_owned(),
        };
        Pack {
            skeletons: self.skeletons,
            animations: self.animations.into_iter().map(entry).collect(),
            curves: self.curves,
        }
    }
}

/// Reads the bytes of a file; like [`PackView::read`], but owned.
///
/// # Errors
/// [`PackError`], with the place, what was expected and what was found.
pub fn read_bytes(bytes: &[u8]) -> Result<Pack, PackError> {
    Ok(PackView::read(bytes)?.into_owned())
}

/// Reads a file.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(path: impl AsRef<Path>) -> Result<Pack, FileError<PackError>> {
    let path = path.as_ref();
    let read = || read_bytes(&load(path)?);
    read().map_err(FileError::at(path))
}
