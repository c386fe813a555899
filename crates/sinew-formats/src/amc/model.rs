//! What a motion file says, in its own units: one list of values for each degree of freedom.

use crate::asf::{AngleUnit, Asf, Dof};
use crate::warning::Warnings;

/// Frames per second of a motion whose file says nothing: those of CMU's files.
pub const DEFAULT_RATE: f64 = 120.0;

/// Where a motion's frame rate is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateSource {
    /// The file says it with `:SAMPLES-PER-SECOND`.
    File,
    /// Nothing says it: [`DEFAULT_RATE`].
    #[default]
    Default,
    /// The caller said it.
    Caller,
}

/// Frames with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRun {
    /// The number of the first.
    pub first: u32,
    /// How many there are, at least 1.
    pub count: u32,
}

/// The values of a bone or of the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AmcTrack {
    /// What the values are, in the order of the skeleton; empty for a bone that does not move.
    pub dofs: Vec<Dof>,
    /// For each of `dofs` the values of all frames, in the file's units.
    pub values: Vec<Vec<f64>>,
}

/// A motion file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Amc {
    /// Frames per second.
    pub frame_rate: f64,
    /// Where that is from.
    pub rate_source: RateSource,
    /// What angles are written in.
    pub angle: AngleUnit,
    /// The numbers of the frames, in their order.
    pub frames: Vec<FrameRun>,
    /// The root's values, then those of each bone in the order of [`Asf::bones`].
    pub tracks: Vec<AmcTrack>,
    /// What else the header says, keyword without its colon in lower case and text: `asf-file`,
    /// `frame-range`, … and `oml:asf`, a comment of CMU's files that names the skeleton.
    pub metadata: Vec<(String, String)>,
    /// What was repaired or ignored.
    pub warnings: Warnings,
}

impl Amc {
    /// A motion without frames on a skeleton, at a frame rate: to be filled in code.
    pub fn new(asf: &Asf, frame_rate: f64) -> Self {
        let track = |dofs: &[Dof]| AmcTrack {
            dofs: dofs.to_vec(),
            values: vec![Vec::new(); dofs.len()],
        };
        let bones = asf.bones.iter().map(|bone| track(&bone.dof));
        Self {
            frame_rate,
            rate_source: RateSource::Caller,
            angle: asf.units.angle,
            tracks: std::iter::once(track(&asf.root.order))
                .chain(bones)
                .collect(),
            ..Self::default()
        }
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.iter().map(|run| run.count as usize).sum()
    }

    /// The numbers of the frames, one by one.
    pub fn frame_numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let runs = self.frames.iter();
        runs.flat_map(|run| (0..run.count).map(|index| run.first.saturating_add(index)))
    }

    /// The values of one degree of freedom: of the root for `None`, else of a bone of [`Asf::bones`].
    /// None when it does not move so.
    pub fn channel(&self, bone: Option<usize>, dof: Dof) -> Option<&[f64]> {
        let track = self
            .tracks
            .get(bone.map_or(0, |bone| bone.saturating_add(1)))?;
        let slot = track.dofs.iter().position(|&listed| listed == dof)?;
        track.values.get(slot).map(Vec::as_slice)
    }
}
