//! What pairs of frames along a warp sum to, and windows of them.

use super::point_cloud::{PointCloud, PointCloudFrame};
use super::procrustes::AlignmentSums;
use super::time_warp::TimeWarp;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// Every frame of the first motion that a warp covers, with the moment of the second that belongs to it.
///
/// Sums over windows are sums of frames' own, so that each pair of frames is read once, however many windows it
/// is in.
pub(super) struct WarpedPairs {
    first: usize,
    /// The position of each frame, and the second motion's moment there, in frames.
    moments: Vec<(f64, f64)>,
    /// What frames beside the middle of a window count, from the middle on.
    weights: Vec<f64>,
}

impl WarpedPairs {
    /// Windows reach so many frames to either side; their weights fall off like a cosine.
    pub(super) fn new(warp: &TimeWarp, reach: usize) -> Self {
        let first = libm::rint(warp.first.at(0.0)) as usize;
        let last = libm::rint(warp.first.at(1.0)) as usize;
        let mut moments = Vec::with_capacity(last.saturating_sub(first) + 1);
        let mut u = 0.0;
        for frame in first..=last {
            // One moment is near the one before.
            if frame > first {
                u = warp
                    .first
                    .find_near(frame as f64, u + 1.0 / warp.first.slope(u));
            }
            moments.push((u, warp.second.at(u)));
        }
        let share = |off: usize| 0.5 * (1.0 + libm::cos(PI * off as f64 / (reach + 1) as f64));
        Self {
            first,
            moments,
            weights: (0..=reach).map(share).collect(),
        }
    }

    /// How many frames there are.
    pub(super) fn len(&self) -> usize {
        self.moments.len()
    }

    /// The position of a frame, counted from the first.
    pub(super) fn position(&self, frame: usize) -> f64 {
        self.moments[frame].0
    }

    /// Frames that are spread evenly, about so many, the last among them.
    pub(super) fn spread(&self, count: usize) -> impl Iterator<Item = usize> {
        let last = self.len().saturating_sub(1);
        let steps = count.clamp(1, last.max(1));
        (0..=steps).map(move |step| step * last / steps)
    }

    /// The sums of all pairs, the second motion `off` frames later. Pairs without a partner weigh nothing.
    pub(super) fn sums(&self, a: &PointCloud, b: &PointCloud, off: f64) -> Vec<AlignmentSums> {
        let (mut own, mut other) = (PointCloudFrame::default(), PointCloudFrame::default());
        let pairs = self.moments.iter().enumerate();
        pairs
            .map(|(frame, &(_, moment))| {
                let mut sums = AlignmentSums::default();
                let at = moment + off;
                if (0.0..=(b.frames - 1) as f64).contains(&at) {
                    a.between((self.first + frame) as f64, &mut own);
                    b.between(at, &mut other);
                    sums.add(&own, &other, 1.0);
                }
                sums
            })
            .collect()
    }

    /// The sums of the window about a frame, as far as there are frames.
    pub(super) fn window(&self, sums: &[AlignmentSums], frame: usize) -> AlignmentSums {
        let mut window = AlignmentSums::default();
        let first = frame.saturating_sub(self.weights.len() - 1);
        let near = sums.iter().enumerate().skip(first);
        for (other, own) in near.take_while(|(other, _)| other.abs_diff(frame) < self.weights.len())
        {
            window.add_times(own, self.weights[other.abs_diff(frame)]);
        }
        window
    }
}

/// Sums over even windows, at the cost of two frames each.
pub(super) struct EvenWindows {
    /// Of all frames before each one, and of all at the end.
    running: Vec<AlignmentSums>,
    reach: usize,
}

impl EvenWindows {
    /// Windows reach so many frames to either side, as far as there are frames.
    pub(super) fn new(sums: &[AlignmentSums], reach: usize) -> Self {
        let mut running = Vec::with_capacity(sums.len() + 1);
        let mut sum = AlignmentSums::default();
        running.push(sum);
        for own in sums {
            sum.add_times(own, 1.0);
            running.push(sum);
        }
        Self { running, reach }
    }

    /// The sums of the window about a frame.
    pub(super) fn window(&self, frame: usize) -> AlignmentSums {
        let last = self.running.len() - 1;
        let mut window = self.running[(frame + self.reach + 1).min(last)];
        window.add_times(
            &self.running[frame.saturating_sub(self.reach).min(last)],
            -1.0,
        );
        window
    }
}
