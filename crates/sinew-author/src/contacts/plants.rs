//! Finds foot and hand contacts: when heels, balls of feet and hands are planted.
//!
//! A limb end is planted while it is slow and near the ground:
//!
//! ```text
//! speed  ≤ limit(gait)               limit from walk_speed to run_speed as the root goes from 1.7 to 2.3 m/s
//! height ≤ ground + height           ground: the lowest height within 0.7 s, clamped to the motion's own
//! ```
//!
//! with hysteresis in speed (`detect`). The ground is local because captured ground drifts by centimetres over a few steps; the
//! limit depends on the gait because a runner's foot hardly ever stops. The cost is one model-space pose per frame.

use crate::contacts::detect::{
    SpanFilter, ThresholdState, low_height, lowest_around, spans, speed,
};
use crate::measure::{for_each_frame, frames};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;
use sinew::anatomy::root_motion_joint;
use sinew::anatomy::{Contact, Limb, find_arms, find_legs};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::math::GroundTransform;
use sinew::skeleton::{JointIndex, Side, Skeleton};

/// Thresholds of a foot contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantSettings {
    /// The speed threshold of a contact while the body walks or stays, in metres per second.
    pub walk_speed: f32,
    /// The speed threshold while the body runs, in metres per second: a foot that lands fast hardly ever stops.
    pub run_speed: f32,
    /// The height threshold of a ball or hand above its lowest height of about a second, in metres.
    pub height: f32,
    /// The height threshold of a heel, in metres. A heel rises long before it is fast, and a foot that is held flat until
    /// then drags the body down.
    pub heel_height: f32,
    /// A contact lasts until the speed exceeds this many times the threshold.
    pub hysteresis: f32,
    /// Shorter contacts are ignored, in seconds.
    pub shortest: f32,
    /// Contacts with a shorter gap between them are joined, in seconds. Of 31 feet of captured walks and runs the longest gap
    /// within a contact is 0.07 s, and the shortest swing between two contacts 0.33 s.
    pub gap: f32,
    /// Whether hand contacts are found too.
    pub hands: bool,
}

impl Default for PlantSettings {
    fn default() -> Self {
        Self {
            walk_speed: 0.5,
            run_speed: 1.2,
            height: 0.055,
            heel_height: 0.02,
            hysteresis: 1.5,
            shortest: 0.04,
            gap: 0.08,
            hands: false,
        }
    }
}

/// The share of frames that are below the ground: noise of the capture.
const NOISE_SHARE: f32 = 0.02;

/// Seconds before and after a frame within which the ground is searched: longer than a stride or a jump, so that
/// there is a contact in it. Captured ground drifts by several centimetres over a few steps.
const GROUND_SECONDS: f64 = 0.7;

/// The largest height of a contact above the lowest height of the whole motion, in metres: higher limbs are held up.
const GROUND_SLACK: f32 = 0.12;

/// Speeds of the root over the ground, in metres per second: up to the first the body walks, from the second on it runs;
/// thresholds are interpolated between them. People change from walking to running at about 2.
const GAIT_SPEEDS: [f64; 2] = [1.7, 2.3];

/// Seconds before and after a frame over which the root's speed is averaged: a step, so that its sway cancels.
const GAIT_SECONDS: f64 = 0.25;

/// Finds when feet, and optionally hands, are planted, limb by limb and in order of time.
///
/// A limb end is planted while it is slow and near its lowest height. The speed threshold depends on the root's speed over
/// the ground, averaged over half a second: up to 1.7 m/s it is [`walk_speed`](PlantSettings::walk_speed), from 2.3 m/s on
/// [`run_speed`](PlantSettings::run_speed), interpolated between. The lowest height is that of about a second, but not below
/// the 2 % quantile of the whole motion, and not much above it; for hands it is that of the lowest foot. A motion in place,
/// whose feet slide back under it, has no plants, unless it is a loop whose [`looping`](Animation::looping) states its
/// travel. In a loop a foot that is planted across the seam has one plant.
///
/// Empty for a motion of less than three frames, without legs, or with values that are not finite.
pub fn find_plants(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &PlantSettings,
) -> Vec<Plant> {
    let ends = ends(skeleton, settings.hands);
    let (rate, count) = frames(animation);
    if count < 3 {
        return Vec::new();
    }
    let root = root_motion_joint(skeleton, animation);
    let track = |&(end, side, contact): &(LimbEnd, Side, Contact)| ContactTrack {
        end,
        side,
        joint: contact.joint,
        points: Vec::with_capacity(count),
    };
    let mut tracks: Vec<ContactTrack> = ends.iter().map(track).collect();
    let mut body: Vec<Vec3> = Vec::with_capacity(count);
    for_each_frame(skeleton, animation, |time, model| {
        let place = TravelInPlace::new(animation, time);
        for (track, (_, _, contact)) in tracks.iter_mut().zip(&ends) {
            let point = model.point(contact.joint, contact.offset);
            track.points.push(place.apply(point));
        }
        body.push(place.apply(model.position(root)));
    });
    plants_of_tracks(&tracks, &body, rate, animation.looping.is_some(), settings)
}

/// The path of a limb end that can be planted.
#[derive(Clone, Debug)]
pub(crate) struct ContactTrack {
    pub(crate) end: LimbEnd,
    pub(crate) side: Side,
    pub(crate) joint: JointIndex,
    /// By frame, in model space.
    pub(crate) points: Vec<Vec3>,
}

/// The travel of a loop that is stored in place, up to a time.
pub(crate) struct TravelInPlace(Option<GroundTransform>);

impl TravelInPlace {
    pub(crate) fn new(animation: &Animation, time: f32) -> Self {
        let looping = animation.looping.filter(|looping| looping.in_place);
        let share = f64::from(time) / f64::from(animation.length).max(1e-9);
        Self(looping.map(|looping| looping.per_cycle.fraction(share)))
    }

    pub(crate) fn apply(&self, point: Vec3) -> Vec3 {
        let Some(ground) = &self.0 else {
            return point;
        };
        let [x, z] = ground.apply([point.x.into(), point.z.into()]);
        Vec3::new(x as f32, point.y, z as f32)
    }
}

/// The plants of limb ends by their paths, track by track; see [`find_plants`]. `body` is the path of the root. Empty if a
/// number is not finite.
pub(crate) fn plants_of_tracks(
    tracks: &[ContactTrack],
    body: &[Vec3],
    rate: f64,
    is_loop: bool,
    settings: &PlantSettings,
) -> Vec<Plant> {
    if body.len() < 3
        || !tracks
            .iter()
            .all(|t| t.points.iter().all(|p| p.is_finite()))
    {
        return Vec::new();
    }
    let limits = speed_limits(body, rate, settings);
    let balls = tracks.iter().filter(|track| track.end == LimbEnd::Ball);
    let floor = balls
        .map(|track| low_height(&track.points, NOISE_SHARE))
        .fold(f32::INFINITY, f32::min);
    let keep = SpanFilter {
        shortest: settings.shortest,
        gap: settings.gap,
    };
    let mut plants = Vec::new();
    for ContactTrack {
        end,
        side,
        joint,
        points: track,
    } in tracks
    {
        let high = match end {
            LimbEnd::Heel => settings.heel_height,
            _ => settings.height,
        };
        let low = low_height(track, NOISE_SHARE);
        let around = lowest_around(track, (GROUND_SECONDS * rate) as usize);
        let ground = |frame: usize| match end {
            LimbEnd::Hand if floor.is_finite() => floor,
            // Frames below the quantile are faults of the capture, not ground.
            _ => around[frame]
                .max(low)
                .min(low + (GROUND_SLACK - high).max(0.0)),
        };
        let holds = |frame: usize| {
            let share = speed(track, rate, frame) / limits[frame];
            match track[frame].y - ground(frame) <= high {
                true if share <= 1.0 => ThresholdState::Begins,
                true if share <= f64::from(settings.hysteresis) => ThresholdState::Continues,
                _ => ThresholdState::Ends,
            }
        };
        let spans = spans(track.len(), rate, is_loop, &keep, holds);
        plants.extend(spans.into_iter().map(|span| Plant {
            end: *end,
            side: *side,
            joint: *joint,
            span,
        }));
    }
    plants
}

/// When a foot is on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// The joint of its ball; the ankle if it has none.
    pub joint: JointIndex,
    /// The side of the body.
    pub side: Side,
    /// Start and end of each contact, in seconds and in order of time; see [`Plant::span`].
    pub spans: Vec<Range<f32>>,
}

/// The contacts of each foot, in the order of [`find_legs`]: of its ball, which stays while the heel rises, or of its ankle if
/// it has no ball. `plants` are those of [`find_plants`].
pub fn foot_contacts(skeleton: &Skeleton, plants: &[Plant]) -> Vec<FootContacts> {
    let contacts = |leg: &Limb| {
        let (end, joint) = match leg.ball {
            Some(ball) => (LimbEnd::Ball, ball.joint),
            None => (LimbEnd::Heel, leg.end),
        };
        let foot_plants = plants
            .iter()
            .filter(|plant| plant.end == end && plant.joint == joint);
        FootContacts {
            joint,
            side: leg.side,
            spans: foot_plants.map(|plant| plant.span.clone()).collect(),
        }
    };
    find_legs(skeleton).iter().map(contacts).collect()
}

/// The limb ends that can be planted, limb by limb.
fn ends(skeleton: &Skeleton, with_hands: bool) -> Vec<(LimbEnd, Side, Contact)> {
    let mut ends = Vec::new();
    let origin = |joint| Contact {
        joint,
        offset: Vec3::ZERO,
    };
    for Limb {
        side,
        end,
        ball,
        has_heel,
        ..
    } in find_legs(skeleton)
    {
        if has_heel {
            ends.push((LimbEnd::Heel, side, origin(end)));
        }
        ends.extend(ball.map(|ball| (LimbEnd::Ball, side, ball)));
    }
    if with_hands {
        let hands = find_arms(skeleton).into_iter();
        ends.extend(hands.map(|arm| (LimbEnd::Hand, arm.side, origin(arm.end))));
    }
    ends
}

/// The speed threshold at each frame.
fn speed_limits(body: &[Vec3], rate: f64, settings: &PlantSettings) -> Vec<f64> {
    let reach = (GAIT_SECONDS * rate) as usize;
    let last = body.len().saturating_sub(1);
    let (walk, run) = (
        f64::from(settings.walk_speed),
        f64::from(settings.run_speed),
    );
    let limit = |frame: usize| {
        let (from, to) = (frame.saturating_sub(reach), (frame + reach).min(last));
        let travel = body[to] - body[from];
        let seconds = (to - from).max(1) as f64 / rate;
        let speed = f64::from(Vec3::new(travel.x, 0.0, travel.z).length()) / seconds;
        let share = ((speed - GAIT_SPEEDS[0]) / (GAIT_SPEEDS[1] - GAIT_SPEEDS[0])).clamp(0.0, 1.0);
        walk + (run - walk) * share
    };
    (0..body.len()).map(limit).collect()
}
