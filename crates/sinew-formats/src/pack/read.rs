//! Reading.

use super::directory::{self, SectionKind};
use super::error::PackError;
use super::{Pack, PackEntry, animation, curve, skeleton};
use crate::file::{FileError, load};
use crate::limits::MAX_PACK_CURVE_BYTES;
use sinew::registration::RegistrationCurve;
use sinew::{PackedAnimation, Skeleton};
use std::path::Path;
use std::sync::Arc;

/// A `.sinew` file whose bytes are elsewhere: mapped into memory, part of the program, or just read.
///
/// Motions that are packed small or fast borrow these bytes where they begin at a multiple of four.
#[derive(Clone, Debug)]
pub struct PackView<'a> {
    skeletons: Vec<Arc<Skeleton>>,
    animations: Vec<(usize, PackedAnimation<'a>)>,
    curves: Vec<RegistrationCurve>,
}

impl<'a> PackView<'a> {
    /// Checks the bytes of a whole file, so that nothing can go wrong when its animations are sampled.
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

    /// The skeletons, at least one.
    pub fn skeletons(&self) -> &[Arc<Skeleton>] {
        &self.skeletons
    }

    /// The animations in the order of the file, each with the number of its skeleton, which there is.
    pub fn animations(&self) -> &[(usize, PackedAnimation<'a>)] {
        &self.animations
    }

    /// Registration curves between animations, in the order of the file.
    pub fn curves(&self) -> &[RegistrationCurve] {
        &self.curves
    }

    /// The first animation of that name, and its skeleton.
    pub fn find(&self, name: &str) -> Option<(&Arc<Skeleton>, &PackedAnimation<'a>)> {
        let mut all = self.animations.iter();
        let (skeleton, animation) = all.find(|(_, animation)| animation.name() == name)?;
        Some((self.skeletons.get(*skeleton)?, animation))
    }

    /// The same, borrowing nothing.
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

/// Reads the bytes of a file; [`PackView::read`], borrowing nothing.
///
/// # Errors
/// [`PackError`], with the place, what was expected and what was found.
pub fn read_bytes(bytes: &[u8]) -> Result<Pack, PackError> {
    Ok(PackView::read(bytes)?.into_owned())
}

/// Reads a file.
///
/// # Errors
/// [`FileError`], with the path and what is wrong.
pub fn read(path: impl AsRef<Path>) -> Result<Pack, FileError<PackError>> {
    let path = path.as_ref();
    let read = || read_bytes(&load(path)?);
    read().map_err(FileError::at(path))
}
