//! Which feet stand when, guessed from how high and how fast they are.

use super::{Holds, Keep, ancestors, body_root, each_frame, frames, low_height, spans, speed};
use crate::animation::Animation;
use crate::local_to_model::local_to_model;
use crate::pose::{ModelPose, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// What counts as standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Metres above the lowest height of about a second, up to which the foot may be on the ground.
    /// Captured toes wander by one or two centimetres while they stand, and the ground itself by several
    /// over a few steps.
    pub height: f32,
    /// Metres per second up to which a foot may be standing. A planted foot of a real walk creeps with
    /// up to 0.1; a swinging one passes 3.
    pub speed: f32,
    /// Seconds: shorter contacts and shorter gaps between contacts are taken for noise.
    pub shortest: f32,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            height: 0.04,
            speed: 0.4,
            shortest: 0.05,
        }
    }
}

/// When a foot stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// The joint at the foot's front: the toes' where there are any.
    pub joint: JointIndex,
    /// From when to when, in seconds.
    pub spans: Vec<Range<f32>>,
}

/// Feet are within this share of the rest pose's height from its lowest point.
const FOOT_ZONE: f32 = 0.12;

/// The share of frames that a foot's standing height is above: few enough that noise does not count,
/// and many enough that a single step does.
const LOW_SHARE: f32 = 0.05;

/// Seconds before and after a moment among which the ground is looked for: longer than a stride or a
/// jump, so that there is a contact in it.
const GROUND_REACH: f64 = 0.7;

/// How far above the height that it stands at most a foot may be to stand at all, in metres: what is
/// higher is held up.
const GROUND_SLACK: f32 = 0.12;

/// The lowest leaves of the rest pose, and when each stands on the ground.
///
/// A foot stands while it is slow and near its lowest height of about a second. It is a guess: a foot
/// that never touches the ground is taken to stand wherever it is lowest and still.
pub fn foot_contacts(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &ContactSettings,
) -> Vec<FootContacts> {
    let feet = feet(skeleton);
    let (rate, count) = frames(animation);
    if count < 3 || feet.is_empty() {
        return Vec::new();
    }
    let mut tracks: Vec<Vec<Vec3>> = feet.iter().map(|_| Vec::with_capacity(count)).collect();
    each_frame(skeleton, animation, |_, model| {
        for (track, &joint) in tracks.iter_mut().zip(&feet) {
            track.push(sole(skeleton, model, joint));
        }
    });
    let found = feet
        .iter()
        .zip(&tracks)
        .map(|(&joint, track)| FootContacts {
            joint,
            spans: stands(track, rate, settings),
        });
    found.collect()
}

/// Where a foot touches the ground: the middle between a toe's joint and its tip.
fn sole(skeleton: &Skeleton, model: &ModelPose, joint: JointIndex) -> Vec3 {
    let at = model.position(joint);
    model
        .tip(skeleton, joint)
        .map_or(at, |tip| (at + tip) * 0.5)
}

/// The leaves near the ground of the rest pose.
fn feet(skeleton: &Skeleton) -> Vec<JointIndex> {
    let mut model = ModelPose::new(skeleton);
    // The pose is made for this skeleton.
    let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    let height = |joint| sole(skeleton, &model, joint).y;
    let root = body_root(skeleton);
    let is_above = |joint: &JointIndex| ancestors(skeleton, root).any(|above| above == *joint);
    let joints = || {
        (0..skeleton.len())
            .map(JointIndex::from)
            .filter(|joint| !is_above(joint))
    };
    let low = joints().map(height).fold(f32::INFINITY, f32::min);
    let high = joints().map(height).fold(f32::NEG_INFINITY, f32::max);
    let zone = low + (high - low) * FOOT_ZONE;
    joints()
        .filter(|&joint| skeleton.is_leaf(joint) && height(joint) <= zone)
        .collect()
}

fn stands(track: &[Vec3], rate: f64, settings: &ContactSettings) -> Vec<Range<f32>> {
    let low = low_height(track, LOW_SHARE);
    let ground = lowest_around(track, (GROUND_REACH * rate) as usize);
    let keep = Keep {
        shortest: settings.shortest,
        gap: settings.shortest,
    };
    spans(track.len(), rate, &keep, |frame| {
        let height = track[frame].y;
        // Below what is usual there is no ground, only a fault of the capture.
        let is_near = height <= ground[frame].max(low) + settings.height;
        let is_slow = speed(track, rate, frame) <= f64::from(settings.speed);
        if is_near && height <= low + GROUND_SLACK && is_slow {
            Holds::Yes
        } else {
            Holds::No
        }
    })
}

/// The lowest height within `reach` frames of each frame.
fn lowest_around(track: &[Vec3], reach: usize) -> Vec<f32> {
    // Frames that may be the lowest yet: each is lower than those before it.
    let mut rising: VecDeque<usize> = VecDeque::new();
    let mut next = 0;
    let lowest = |frame: usize| {
        while next < track.len() && next <= frame + reach {
            while rising
                .back()
                .is_some_and(|&last| track[last].y >= track[next].y)
            {
                rising.pop_back();
            }
            rising.push_back(next);
            next += 1;
        }
        while rising.front().is_some_and(|&first| first + reach < frame) {
            rising.pop_front();
        }
        rising
            .front()
            .map_or(track[frame].y, |&first| track[first].y)
    };
    (0..track.len()).map(lowest).collect()
}
