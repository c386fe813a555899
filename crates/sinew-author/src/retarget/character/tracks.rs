//! The tracks of the new animation: wanted values, reduced to keys.

use super::angles::unwrap;
use super::reduce::{played, reduce};
use super::rig::{Rig, World};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec2;
use sinew::skelform::curve::Ease;
use sinew::skelform::{ArmatureData, Element, KeyData};

/// The factor of tolerances while a foot is planted, for what moves it: two bones that are turned by a tenth of a degree move the
/// ankle of a leg of 100 pixels by a third of a pixel.
const PLANTED_SHARE: f64 = 0.4;

/// A track that is never this far from the setup pose has no keys.
const SAME: f64 = 1e-5;

/// How far keys may be from wanted values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerances {
    /// In radians.
    pub(super) angle: f64,
    /// In pixels.
    pub(super) position: f64,
}

/// An animation being written. The rig shows what the keys so far play.
#[derive(Clone, Debug)]
pub(super) struct Tracks<'a> {
    pub(super) rig: Rig<'a>,
    pub(super) keys: Vec<KeyData>,
    pub(super) frames: usize,
    /// The number of tracks.
    pub(super) count: usize,
    tolerances: Tolerances,
    keyed: Vec<(usize, Element)>,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(data: &'a ArmatureData, frames: usize, tolerances: Tolerances) -> Self {
        Self {
            rig: Rig::new(data, frames),
            keys: Vec::new(),
            frames,
            count: 0,
            tolerances,
            keyed: Vec::new(),
        }
    }

    /// Returns whether an element of a bone has a track already.
    pub(super) fn has(&self, bone: usize, element: Element) -> bool {
        self.keyed.contains(&(bone, element))
    }

    /// Keys an element with values for each frame; more exactly in `planted` frames. Values that are not finite, and elements with
    /// keys, are ignored.
    pub(super) fn key(
        &mut self,
        bone: usize,
        element: Element,
        values: Vec<f64>,
        planted: &[Range<usize>],
    ) {
        let largest = f64::from(f32::MAX);
        if self.has(bone, element)
            || values
                .iter()
                .any(|value| !value.is_finite() || value.abs() > largest)
        {
            return;
        }
        let setup = self.rig.setup(bone, element);
        if values.iter().all(|value| (value - setup).abs() <= SAME) {
            return;
        }
        let tolerance = match element {
            Element::Rotation => self.tolerances.angle,
            Element::PositionX | Element::PositionY => self.tolerances.position,
            // A scale moves the end of a bone of some hundred pixels.
            _ => self.tolerances.position * 0.01,
        };
        let mut exact = alloc::vec![false; values.len()];
        for span in planted {
            let end = span.end.min(exact.len());
            if let Some(frames) = exact.get_mut(span.start..end) {
                frames.fill(true);
            }
        }
        let frames = reduce(&values, |frame| {
            tolerance * if exact[frame] { PLANTED_SHARE } else { 1.0 }
        });
        for &frame in &frames {
            self.keys.push(KeyData {
                frame: frame as u32,
                bone,
                element,
                value: values[frame] as f32,
                text: String::new(),
                ease: Ease::Linear,
            });
        }
        self.rig.set(bone, element, played(&values, &frames));
        self.count += 1;
        self.keyed.push((bone, element));
    }

    /// Keys the rotation of a bone, given in the world.
    pub(super) fn key_rotation(&mut self, bone: usize, world: &[f64], planted: &[Range<usize>]) {
        let parents = self.rig.parent_worlds(bone);
        let mut local: Vec<f64> = parents
            .iter()
            .zip(world)
            .map(|(parent, &rotation)| self.rig.local_rotation(bone, parent, rotation))
            .collect();
        unwrap(&mut local, self.rig.setup(bone, Element::Rotation));
        self.key(bone, Element::Rotation, local, planted);
    }

    /// Keys the position of a bone, given in the world.
    pub(super) fn key_position(&mut self, bone: usize, world: &[DVec2], planted: &[Range<usize>]) {
        let parents: Vec<World> = self.rig.parent_worlds(bone);
        let local: Option<Vec<DVec2>> = parents
            .iter()
            .zip(world)
            .map(|(parent, &position)| self.rig.local_position(parent, position))
            .collect();
        let Some(local) = local else {
            return;
        };
        let x = local.iter().map(|position| position.x).collect();
        let y = local.iter().map(|position| position.y).collect();
        self.key(bone, Element::PositionX, x, planted);
        self.key(bone, Element::PositionY, y, planted);
    }
}
