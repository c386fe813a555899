//! The plane that a motion is projected onto.
//!
//! The plane is vertical and spanned by `right`, which becomes +x of the character, and the vertical. With the body's left axis
//! `l` and forward axis `f = l × up`, both horizontal unit vectors, and the angle `a` from the side view towards the front view
//!
//! ```text
//! right  = ±f cos a + l sin a        + if the character faces right, - if it faces left
//! viewer = right × up                points at the viewer
//! ```

use super::source::{SIDES, Source};
use super::{Facing, View};
use crate::retarget::{BodyPart, Role};
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DVec2, DVec3};

/// A body that turns farther than this from its mean direction is reported, in radians.
const TURN_LIMIT: f64 = 60.0 * core::f64::consts::PI / 180.0;

/// Steps of the search for the best view, in degrees.
const SEARCH_STEP: i32 = 2;

/// The mean of unit vectors below which they have no common direction.
const MIN_AGREEMENT: f64 = 0.3;

/// Bones of limbs, and the joints that they lead to.
pub(super) const LIMB_BONES: [(BodyPart, BodyPart); 4] = [
    (BodyPart::UpperLeg, BodyPart::LowerLeg),
    (BodyPart::LowerLeg, BodyPart::Foot),
    (BodyPart::UpperArm, BodyPart::LowerArm),
    (BodyPart::LowerArm, BodyPart::Hand),
];

/// The plane at every frame.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    right: Vec<DVec3>,
    /// The angle from the side view, in degrees.
    pub(super) degrees: f64,
    /// When the body turns away from its mean direction, in frames.
    pub(super) turned: Vec<Range<usize>>,
    /// Whether the body looks in all directions, so that it has no mean one.
    pub(super) has_no_direction: bool,
}

impl Plane {
    /// Chooses the plane.
    pub(super) fn new(source: &Source, view: View, facing: Facing, follow_turn: bool) -> Self {
        let shown = source.shown.clone();
        let sum: DVec3 = source.lateral[shown.clone()].iter().sum();
        let mean = sum.normalize_or(DVec3::X);
        let agreement = sum.length() / shown.len().max(1) as f64;
        let lateral: Vec<DVec3> = if follow_turn {
            smooth_directions(source, mean)
        } else {
            alloc::vec![mean; source.len()]
        };
        let plane_at = |degrees: f64| -> Vec<DVec3> {
            let (sine, cosine) = libm::sincos(degrees.to_radians());
            let forward = |left: DVec3| left.cross(DVec3::Y) * facing.sign();
            let right = lateral
                .iter()
                .map(|&left| forward(left) * cosine + left * sine);
            right.collect()
        };
        let degrees = match view {
            View::Side => 0.0,
            View::Front => 90.0,
            View::Angle(degrees) => f64::from(degrees),
            View::Auto => best_angle(source, plane_at),
        };
        let is_turned = |frame: usize| {
            let left = source.lateral[frame];
            left != DVec3::ZERO && left.dot(mean) < libm::cos(TURN_LIMIT)
        };
        Self {
            right: plane_at(degrees),
            degrees,
            turned: if follow_turn {
                Vec::new()
            } else {
                spans(shown, is_turned)
            },
            has_no_direction: !follow_turn && agreement < MIN_AGREEMENT,
        }
    }

    /// Projects a direction or a difference of points.
    pub(super) fn project(&self, frame: usize, vector: DVec3) -> DVec2 {
        DVec2::new(self.right[frame].dot(vector), vector.y)
    }

    /// Returns how much nearer to the viewer the end of a vector is than its beginning.
    pub(super) fn depth(&self, frame: usize, vector: DVec3) -> f64 {
        self.right[frame].cross(DVec3::Y).dot(vector)
    }

    /// Returns the path of a point along the plane, from the first frame that becomes a key. The path of a plane that turns
    /// with the body is the sum of the steps within it.
    pub(super) fn path(&self, frames: &[DVec3], first: usize) -> Vec<f64> {
        let mut path = alloc::vec![0.0; frames.len()];
        for frame in 1..frames.len() {
            let step = frames[frame] - frames[frame - 1];
            let right = (self.right[frame] + self.right[frame - 1]) * 0.5;
            path[frame] = path[frame - 1] + right.dot(step);
        }
        let start = path.get(first).copied().unwrap_or(0.0);
        for place in &mut path {
            *place -= start;
        }
        path
    }
}

/// Returns the spans of frames in which something holds.
pub(super) fn spans(frames: Range<usize>, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for frame in frames.filter(|&frame| holds(frame)) {
        match found.last_mut() {
            Some(last) if last.end == frame => last.end = frame + 1,
            _ => found.push(frame..frame + 1),
        }
    }
    found
}

/// Averages the body's direction over half a second, so that the view does not swing with hips and shoulders.
fn smooth_directions(source: &Source, mean: DVec3) -> Vec<DVec3> {
    let reach = (source.rate * 0.25) as usize;
    let last = source.len().saturating_sub(1);
    let mut sums = Vec::with_capacity(source.len() + 1);
    let mut sum = DVec3::ZERO;
    sums.push(sum);
    for &direction in &source.lateral {
        sum += direction;
        sums.push(sum);
    }
    let mut previous = mean;
    let frames = 0..source.len();
    let smoothed = frames.map(|frame| {
        let (from, to) = (frame.saturating_sub(reach), (frame + reach).min(last));
        previous = (sums[to + 1] - sums[from]).normalize_or(previous);
        previous
    });
    smoothed.collect()
}

/// Returns the angle with the largest mean foreshortening ratio; of equals the one nearest to the side view.
fn best_angle(source: &Source, plane_at: impl Fn(f64) -> Vec<DVec3>) -> f64 {
    let mut best = (f64::NEG_INFINITY, 0.0);
    let steps = 90 / SEARCH_STEP;
    // 0, 2, -2, 4, -4, …: the first of equals is the nearest.
    let order = (0..=steps).flat_map(|step| [step, -step]);
    for step in order {
        let degrees = f64::from(step * SEARCH_STEP);
        let right = plane_at(degrees);
        let ratio = mean_ratio(source, &right);
        if ratio > best.0 + 1e-9 {
            best = (ratio, degrees);
        }
    }
    best.1
}

fn mean_ratio(source: &Source, right: &[DVec3]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for (part, next) in LIMB_BONES {
        for side in SIDES {
            let tracks = (
                source.point(Role { part, side }),
                source.point(Role { part: next, side }),
            );
            let (Some(from), Some(to)) = tracks else {
                continue;
            };
            for frame in source.shown.clone() {
                let bone = to.frames[frame] - from.frames[frame];
                let length = bone.length();
                if length > 0.0 {
                    sum += DVec2::new(right[frame].dot(bone), bone.y).length() / length;
                    count += 1;
                }
            }
        }
    }
    if count > 0 { sum / count as f64 } else { 0.0 }
}
