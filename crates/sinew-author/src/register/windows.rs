//! Sums of pairs of frames along a time warp, and of windows of them.
//!
//! Each frame `i` of the first motion is paired with the time `w(i)` of the second. [`WarpedPairs`] weights a window by a raised
//! cosine, `½ (1 + cos(π k / (reach + 1)))`, which does not jump when a frame enters it; [`EvenWindows`] is unweighted, from
//! running sums, at the cost of two additions per window. Sums of windows are sums of the frames' own ([`AlignmentSums`]), so that
//! each pair of frames is evaluated once, however many windows it is in.

use super::point_cloud::{PointCloud, PointCloudFrame};
use super::procrustes::AlignmentSums;
use super::time_warp::TimeWarp;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// Every frame of the first motion that a warp covers, with the corresponding time of the second.
pub(super) struct WarpedPairs {
    first: usize,
    /// The position of each frame on the curve, and the second motion's time there, in frames.
    times: Vec<(f64, f64)>,
    /// The weights of a window, from its middle on.
    weights: Vec<f64>,
}

impl WarpedPairs {
    /// Windows have `reach` frames to either side, weighted by a raised cosine.
    pub(super) fn new(warp: &TimeWarp, reach: usize) -> Self {
        let first = libm::rint(warp.first.at(0.0)) as usize;
        let last = libm::rint(warp.first.at(1.0)) as usize;
        let mut times = Vec::with_capacity(last.saturating_sub(first) + 1);
        let mut u = 0.0;
        for frame in first..=last {
            // Newton's method from the previous frame: one frame further along the slope.
            if frame > first {
                u = warp
                    .first
                    .find_near(frame as f64, u + 1.0 / warp.first.slope(u));
            }
            times.push((u, warp.second.at(u)));
        }
        let weight = |step: usize| 0.5 * (1.0 + libm::cos(PI * step as f64 / (reach + 1) as f64));
        Self {
            first,
            times,
            weights: (0..=reach).map(weight).collect(),
        }
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// The position of a frame, counted from the first.
    pub(super) fn position(&self, frame: usize) -> f64 {
        self.times[frame].0
    }

    /// About `count` evenly spaced frames, the first and the last included.
    pub(super) fn spread(&self, count: usize) -> impl Iterator<Item = usize> {
        let last = self.len().saturating_sub(1);
        let steps = count.clamp(1, last.max(1));
        (0..=steps).map(move |step| step * last / steps)
    }

    /// The sums of all pairs, with the second motion `offset` frames later. Frames without a partner have weight zero.
    pub(super) fn sums(&self, a: &PointCloud, b: &PointCloud, offset: f64) -> Vec<AlignmentSums> {
        let (mut first, mut second) = (PointCloudFrame::default(), PointCloudFrame::default());
        let pairs = self.times.iter().enumerate();
        pairs
            .map(|(frame, &(_, time))| {
                let mut sums = AlignmentSums::default();
                let time = time + offset;
                if (0.0..=(b.frames - 1) as f64).contains(&time) {
                    a.interpolate((self.first + frame) as f64, &mut first);
                    b.interpolate(time, &mut second);
                    sums.add(&first, &second, 1.0);
                }
                sums
            })
            .collect()
    }

    /// The weighted sums of the window around a frame, cut at the ends.
    pub(super) fn window(&self, sums: &[AlignmentSums], frame: usize) -> AlignmentSums {
        let mut window = AlignmentSums::default();
        let first = frame.saturating_sub(self.weights.len() - 1);
        let near = sums.iter().enumerate().skip(first);
        for (other, sums) in
            near.take_while(|(other, _)| other.abs_diff(frame) < self.weights.len())
        {
            window.add_times(sums, self.weights[other.abs_diff(frame)]);
        }
        window
    }
}

/// Sums over unweighted windows, by differences of running sums.
pub(super) struct EvenWindows {
    /// The sums of all frames before each one; of all frames at the end.
    running: Vec<AlignmentSums>,
    reach: usize,
}

impl EvenWindows {
    /// Windows have `reach` frames to either side, cut at the ends.
    pub(super) fn new(sums: &[AlignmentSums], reach: usize) -> Self {
        let mut running = Vec::with_capacity(sums.len() + 1);
        let mut sum = AlignmentSums::default();
        running.push(sum);
        for frame in sums {
            sum.add_times(frame, 1.0);
            running.push(sum);
        }
        Self { running, reach }
    }

    /// The sums of the window around a frame.
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
