//! When heels, balls of feet and hands stand still on the ground.

use crate::contacts::detect::{Holds, Keep, low_height, lowest_around, spans, speed};
use crate::measure::{each_frame, frames};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;
use sinew::anatomy::root_motion_joint;
use sinew::anatomy::{Contact, Limb, find_arms, find_legs};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::skeleton::{JointIndex, Side, Skeleton};

/// What counts as standing still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantSettings {
    /// Metres per second below which the end of a limb may stand, while the body walks or stays.
    pub walk_speed: f32,
    /// The same while the body runs: a foot that lands fast hardly ever stops.
    pub run_speed: f32,
    /// Metres above its own lowest height of about a second up to which a ball or a hand may stand.
    pub height: f32,
    /// The same for a heel. It rises long before it is fast, and a foot that is held flat until then drags the
    /// body down.
    pub heel_height: f32,
    /// How many times as fast it may get while it goes on standing.
    pub hysteresis: f32,
    /// The shortest time on the ground, in seconds.
    pub shortest: f32,
    /// Gaps that are shorter do not count, in seconds. Of 31 feet of captured walks and runs the longest gap within a contact
    /// is 0.07 s, and the shortest swing between two contacts 0.33 s.
    pub gap: f32,
    /// Whether hands are looked for too.
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

/// The share of frames that are lower than where a limb stands: noise of the capture.
const LOW_SHARE: f32 = 0.02;

/// Seconds before and after a moment within which the ground is searched: longer than a stride or a jump, so that
/// there is a contact in it. Captured ground wanders by several centimetres over a few steps.
const GROUND_REACH: f64 = 0.7;

/// How far above its lowest height of the whole motion an end may stand at most, in metres: what is higher is held up.
const GROUND_SLACK: f32 = 0.12;

/// Speeds of the root over the ground, in metres per second: up to the first the body walks, from the second on
/// it runs, between them it is something of both. People change over at about 2.
const GAIT: [f64; 2] = [1.7, 2.3];

/// Seconds before and after a moment that the root's speed is the mean of: a step, so that its sway does not
/// count.
const GAIT_REACH: f64 = 0.25;

/// When the feet, and if asked the hands, of a motion stand still, limb by limb and in order of time.
///
/// An end is planted while it is slow and near its lowest height. How slow depends on the root's speed over the
/// ground in the mean of half a second: up to 1.7 m/s [`walk_speed`](PlantSettings::walk_speed) counts, from
/// 2.3 m/s on [`run_speed`](PlantSettings::run_speed), and between them what lies between. The lowest height
/// is that of about a second, but not below that of the whole motion without 2 % of its frames, and not much above; for
/// hands it is that of the lowest foot. A motion on the spot, whose feet slide back under it, has no plants, unless it is
/// a loop whose [`looping`](Animation::looping) says how it moves. In a loop a foot that stands across the seam is one
/// plant.
///
/// Empty for a motion of less than three frames, without legs, or with numbers that are not finite.
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
    let mut tracks: Vec<Vec<Vec3>> = ends.iter().map(|_| Vec::with_capacity(count)).collect();
    let mut body: Vec<Vec3> = Vec::with_capacity(count);
    let mut is_finite = true;
    // What moves the figure of a loop that was put on the spot.
    let moved = animation.looping.filter(|looping| looping.in_place);
    each_frame(skeleton, animation, |time, model| {
        let share = f64::from(time) / f64::from(animation.length).max(1e-9);
        let ground = moved.map(|looping| looping.per_cycle.fraction(share));
        let place = |point: Vec3| {
            let Some(ground) = &ground else {
                return point;
            };
            let [x, z] = ground.apply([point.x.into(), point.z.into()]);
            Vec3::new(x as f32, point.y, z as f32)
        };
        for (track, (_, _, contact)) in tracks.iter_mut().zip(&ends) {
            let point = place(model.point(contact.joint, contact.offset));
            is_finite &= point.is_finite();
            track.push(point);
        }
        body.push(place(model.position(root)));
    });
    if !is_finite {
        return Vec::new();
    }
    let limits = speed_limits(&body, rate, settings);
    let feet = ends.iter().zip(&tracks);
    let floor = feet
        .filter(|((end, _, _), _)| *end == LimbEnd::Ball)
        .map(|(_, track)| low_height(track, LOW_SHARE))
        .fold(f32::INFINITY, f32::min);
    let keep = Keep {
        shortest: settings.shortest,
        gap: settings.gap,
    };
    let mut plants = Vec::new();
    for ((end, side, contact), track) in ends.iter().zip(&tracks) {
        let high = match end {
            LimbEnd::Heel => settings.heel_height,
            _ => settings.height,
        };
        let low = low_height(track, LOW_SHARE);
        let around = lowest_around(track, (GROUND_REACH * rate) as usize);
        let ground = |frame: usize| match end {
            LimbEnd::Hand if floor.is_finite() => floor,
            // Below what is usual there is no ground, only a fault of the capture.
            _ => around[frame]
                .max(low)
                .min(low + (GROUND_SLACK - high).max(0.0)),
        };
        let holds = |frame: usize| {
            let share = speed(track, rate, frame) / limits[frame];
            match track[frame].y - ground(frame) <= high {
                true if share <= 1.0 => Holds::Yes,
                true if share <= f64::from(settings.hysteresis) => Holds::Still,
                _ => Holds::No,
            }
        };
        let is_loop = animation.looping.is_some();
        let spans = spans(track.len(), rate, is_loop, &keep, holds);
        plants.extend(spans.into_iter().map(|span| Plant {
            end: *end,
            side: *side,
            joint: contact.joint,
            span,
        }));
    }
    plants
}

/// When a foot is on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// The joint of its ball; the ankle where it has none.
    pub joint: JointIndex,
    /// On which side.
    pub side: Side,
    /// From when to when, in seconds and in order of time; see [`Plant::span`].
    pub spans: Vec<Range<f32>>,
}

/// The contacts of each foot, in the order of [`find_legs`]: of its ball, which stays where it is while the heel rises,
/// or of its ankle where it has no ball. `plants` are those of [`find_plants`].
pub fn foot_contacts(skeleton: &Skeleton, plants: &[Plant]) -> Vec<FootContacts> {
    let contacts = |leg: &Limb| {
        let (end, joint) = match leg.ball {
            Some(ball) => (LimbEnd::Ball, ball.joint),
            None => (LimbEnd::Heel, leg.end),
        };
        let own = plants
            .iter()
            .filter(|plant| plant.end == end && plant.joint == joint);
        FootContacts {
            joint,
            side: leg.side,
            spans: own.map(|plant| plant.span.clone()).collect(),
        }
    };
    find_legs(skeleton).iter().map(contacts).collect()
}

/// What can stand, where, limb by limb.
fn ends(skeleton: &Skeleton, with_hands: bool) -> Vec<(LimbEnd, Side, Contact)> {
    let mut ends = Vec::new();
    let at = |joint| Contact {
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
            ends.push((LimbEnd::Heel, side, at(end)));
        }
        ends.extend(ball.map(|ball| (LimbEnd::Ball, side, ball)));
    }
    if with_hands {
        let hands = find_arms(skeleton).into_iter();
        ends.extend(hands.map(|arm| (LimbEnd::Hand, arm.side, at(arm.end))));
    }
    ends
}

/// How fast a standing foot may be at each frame.
fn speed_limits(body: &[Vec3], rate: f64, settings: &PlantSettings) -> Vec<f64> {
    let reach = (GAIT_REACH * rate) as usize;
    let last = body.len().saturating_sub(1);
    let (walk, run) = (
        f64::from(settings.walk_speed),
        f64::from(settings.run_speed),
    );
    let limit = |frame: usize| {
        let (from, to) = (frame.saturating_sub(reach), (frame + reach).min(last));
        let way = body[to] - body[from];
        let seconds = (to - from).max(1) as f64 / rate;
        let speed = f64::from(Vec3::new(way.x, 0.0, way.z).length()) / seconds;
        let share = ((speed - GAIT[0]) / (GAIT[1] - GAIT[0])).clamp(0.0, 1.0);
        walk + (run - walk) * share
    };
    (0..body.len()).map(limit).collect()
}
