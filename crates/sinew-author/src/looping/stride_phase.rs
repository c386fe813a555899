//! Which foot is ahead, so that half a cycle is not taken for a whole one.
//!
//! After half a stride a walk is nearly its own mirror image: if few joints distinguish the legs, as in a rig of mostly
//! fingers, half a cycle is near by the mean of all joints. The *stride*, how far the left foot is ahead of the right
//! perpendicular to the hips, then has the opposite sign. Strides around two frames differ if their root-mean-square difference
//! exceeds a quarter of the stride's range around them. A comparison takes time linear in the window.

use alloc::vec::Vec;
use glam::Vec3;
use sinew::anatomy::find_legs;
use sinew::anatomy::rest_bounds;
use sinew::animation::Animation;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Side, Sides, Skeleton};

/// The smallest range of a stride, as a share of the skeleton's size.
const MIN_STRIDE: f32 = 0.05;

/// The root-mean-square difference at which strides are of another phase, as a share of their range: half a cycle differs by
/// 0.35 or more of it, one stride from the next by 0.1.
const OPPOSITE_SHARE: f32 = 0.25;

/// The distance by which the left foot of each pair is ahead of the right, frame by frame, in metres.
pub(super) struct Strides {
    pairs: Vec<Vec<f32>>,
    /// Strides with a smaller range are ignored, in metres.
    min_stride: f32,
}

impl Strides {
    /// The strides of a motion at `frames` frames of a rate.
    pub(super) fn new(
        skeleton: &Skeleton,
        animation: &Animation,
        rate: f64,
        frames: usize,
    ) -> Self {
        let sides = Sides::of(skeleton);
        let legs = find_legs(skeleton);
        let partner = |joint: JointIndex| legs.iter().find(|leg| leg.end == sides.partner(joint));
        let left = legs.iter().filter(|leg| leg.side == Side::Left);
        let legs: Vec<_> = left
            .filter_map(|leg| Some((leg, partner(leg.end)?)))
            .collect();
        let mut pairs: Vec<Vec<f32>> = legs.iter().map(|_| Vec::with_capacity(frames)).collect();
        let mut sampler = Sampler::new(skeleton, animation);
        for frame in 0..if legs.is_empty() { 0 } else { frames } {
            let model = sampler.model_at(((frame as f64 / rate) as f32).min(animation.length));
            for ((left, right), strides) in legs.iter().zip(&mut pairs) {
                let across = model.position(left.upper) - model.position(right.upper);
                let ahead = across.cross(Vec3::Y).normalize_or_zero();
                let between = model.position(left.end) - model.position(right.end);
                strides.push(between.dot(ahead));
            }
        }
        let size = rest_bounds(skeleton).map_or(0.0, |bounds| bounds.size().max_element());
        Self {
            pairs,
            min_stride: MIN_STRIDE * size,
        }
    }

    /// Whether the strides of some pair of feet differ around two frames.
    pub(super) fn differ(&self, start: usize, end: usize, reach: usize) -> bool {
        let lag = end - start;
        let reach = reach.max(lag / 4);
        self.pairs.iter().any(|strides| {
            let last = strides.len().saturating_sub(1);
            // The range is taken over a whole lag more on either side: half a cycle need not have both feet ahead.
            let around = strides.get(start.saturating_sub(lag)..=(end + lag).min(last));
            let around = around.unwrap_or_default().iter().copied();
            let range = (f32::INFINITY, f32::NEG_INFINITY);
            let (low, high) = around.fold(range, |(low, high), stride| {
                (low.min(stride), high.max(stride))
            });
            let spread = high - low;
            if spread.is_nan() || spread <= self.min_stride {
                return false;
            }
            let before = reach.min(start);
            let after = reach.min(last.saturating_sub(end));
            let (mut sum, mut count) = (0.0, 0);
            for step in 0..=before + after {
                let first = strides.get(start - before + step);
                if let (Some(a), Some(b)) = (first, strides.get(end - before + step)) {
                    sum += (a - b) * (a - b);
                    count += 1;
                }
            }
            sum > OPPOSITE_SHARE * OPPOSITE_SHARE * spread * spread * count as f32
        })
    }
}
