//! The content of a motion file, in its own units: one list of values per degree of freedom.

use crate::asf::{AngleUnit, Asf, Dof};
use crate::warning::Warnings;

/// Default frames per second: those of CMU's files.
pub const DEFAULT_RATE: f64 = 120.0;

/// Source of a motion's frame rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateSource {
    /// `:SAMPLES-PER-SECOND` in the file.
    File,
    /// The default, [`DEFAULT_RATE`].
    #[default]
    Default,
    /// The caller's settings.
    Caller,
}

/// A run of frames with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRun {
    /// First frame number.
    pub first: u32,
    /// Number of frames, at least 1.
    pub count: u32,
}

/// Values of a bone or of the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AmcTrack {
    /// Degrees of freedom of the values, in the order of the skeleton; empty for a bone that does not move.
    pub dofs: Vec<Dof>,
    /// Values of all frames for each of `dofs`, in the file's units.
    pub values: Vec<Vec<f64>>,
}

/// A motion file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Amc {
    /// Frames per second.
    pub frame_rate: f64,
    /// Source of the frame rate.
    pub rate_source: RateSource,
    /// Unit of angles.
    pub angle: AngleUnit,
    /// Frame numbers, in file order.
    pub frames: Vec<FrameRun>,
    /// Values of the root, then of each bone in the order of [`Asf::bones`].
    pub tracks: Vec<AmcTrack>,
    /// Other header entries, a keyword in lower case without its colon and a text: `asf-file`, `frame-range`, … and
    /// `oml:asf`, a comment of CMU's files that names the skeleton.
    pub metadata: Vec<(String, String)>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

impl Amc {
    /// Creates a motion without frames for a skeleton, at a frame rate.
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

    /// Returns the number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.iter().map(|run| run.count as usize).sum()
    }

    /// Iterates over the frame numbers.
    pub fn frame_numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let runs = self.frames.iter();
        runs.flat_map(|run| (0..run.count).map(|index| run.first.saturating_add(index)))
    }

    /// Returns the values of one degree of freedom: of the root for `None`, else of a bone of [`Asf::bones`]. `None`
    /// if it does not have this degree of freedom.
    pub fn channel(&self, bone: Option<usize>, dof: Dof) -> Option<&[f64]> {
        let track = self
            .tracks
            .get(bone.map_or(0, |bone| bone.saturating_add(1)))?;
        let slot = track.dofs.iter().position(|&listed| listed == dof)?;
        track.values.get(slot).map(Vec::as_slice)
    }
}
