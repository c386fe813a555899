//! Foot-skate cleanup of a whole motion.

use super::body_shift::{LimbTargets, body_moves};
use super::key_writer::KeyWriter;
use super::report::{CleanReport, measure};
use super::targets::{PlantedFrames, Target, TargetSettings, find_targets};
use crate::measure::dense_rate;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use sinew::anatomy::root_motion_joint;
use sinew::anatomy::{Limb, find_arms, find_legs};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::ik::TwoBoneSettings;
use sinew::internal::ancestors;
use sinew::internal::{LimbFrame, World};
use sinew::internal::{V3, quat_exp64};
use sinew::math::Rotation64;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames that are cleaned, at most: more than two hours at 120 per second.
const MAX_FRAMES: usize = 1_000_000;

/// How feet are cleaned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CleanSettings {
    /// Seconds before and after a plant within which its correction fades, from 0 to 10.
    pub fade: f32,
    /// Seconds to either side over which the body's move is smoothed, from 0 to 10.
    pub smooth: f32,
    /// Whether the ground is level: all plants of a heel or ball are then put at one height, and feet in the
    /// air do not sink below it. Otherwise each plant is at the height that it has.
    pub is_level: bool,
    /// How legs reach what is almost too far.
    pub legs: TwoBoneSettings,
}

impl Default for CleanSettings {
    fn default() -> Self {
        Self {
            fade: 0.25,
            smooth: 0.15,
            is_level: true,
            legs: TwoBoneSettings::default(),
        }
    }
}

/// Why feet cannot be cleaned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CleanError {
    /// No limb of the skeleton has two bones and an end.
    #[error("the skeleton has no leg or arm of two bones")]
    NoLimbs,
    /// A motion has hardly any frames, or too many.
    #[error("{name:?} has {frames} frames; expected 3 to 1000000")]
    Frames {
        /// Its name.
        name: String,
        /// Its frames, as far as they can be counted.
        frames: usize,
    },
    /// A joint is nowhere.
    #[error("{name:?} puts a joint nowhere at {time} seconds: a number is not finite")]
    NotFinite {
        /// The name of the motion.
        name: String,
        /// When.
        time: f32,
    },
    /// A setting is no number that can be used.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f32,
        /// What it could be.
        expected: &'static str,
    },
}

/// A motion whose feet stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleaned {
    /// The motion.
    pub animation: Animation,
    /// What was done to it.
    pub report: CleanReport,
}

/// Keeps planted feet and hands where they are planted.
///
/// 1. A plant is at the mean of where its end is over its time, at the height of the ground; a heel that
///    stands together with a ball is as far from it as the foot is long.
/// 2. Ankles go where heel or ball stand with the foot turned as it is; where both stand the foot lies flat
///    between them and rolls smoothly before and after.
/// 3. The body moves as little as it must for all ends to be within reach, smoothly.
/// 4. Legs and arms are solved as two bones; see [`solve_two_bone`](sinew::ik::solve_two_bone).
/// 5. Corrections fade before and after a plant, leaving and arriving with their speed.
///
/// The result has the frame rate, keys, triggers and metadata of the motion; channels of legs, and of the joint
/// that carries the body, have a key on every frame. A motion with fewer than 24 frames per second is looked at,
/// and keyed, a whole number of times per frame. Frames that nothing corrects keep their bits. Plants outside
/// the motion and of joints that end no limb are left out, and overlapping ones of one joint are one.
///
/// Scales must be the same along all axes for feet to be exactly where they should.
///
/// # Errors
/// When there are no limbs, hardly any frames, numbers that are not finite, or settings out of range.
pub fn clean_feet(
    skeleton: &Skeleton,
    animation: &Animation,
    plants: &[Plant],
    settings: &CleanSettings,
) -> Result<Cleaned, CleanError> {
    check(settings)?;
    let (limbs, stands) = planted_limbs(skeleton, animation, plants)?;
    let sampled = SampledLimb::of(skeleton, animation, &limbs)?;
    let (rate, count) = (sampled.rate, sampled.count);
    let targets: Vec<Vec<Target>> = limbs
        .iter()
        .zip(&stands)
        .zip(&sampled.limbs)
        .map(|((limb, stands), frames)| {
            let stands = stands.frames(rate, count);
            let settings = TargetSettings {
                rate,
                fade: settings.fade.into(),
                is_level: settings.is_level,
                is_hand: limb.is_arm,
            };
            find_targets(frames, &stands, &settings)
        })
        .collect();
    let reaching: Vec<LimbTargets<'_>> = sampled
        .limbs
        .iter()
        .zip(&targets)
        .map(|(frames, targets)| LimbTargets { frames, targets })
        .collect();
    let moves = body_moves(&reaching, count, rate, settings.smooth.into());

    let mut edited = KeyWriter::new(rate, count);
    let mut largest = Largest::default();
    move_body(skeleton, animation, &limbs, &sampled, &moves, &mut edited);
    for ((limb, frames), targets) in limbs.iter().zip(&sampled.limbs).zip(&targets) {
        solve_limb(
            limb,
            frames,
            targets,
            &moves,
            settings,
            &mut edited,
            &mut largest,
        );
    }
    let result = edited.onto(skeleton, animation);
    let mut report = measure(skeleton, animation, &result, plants, &limbs, rate, count);
    report.body_shift = moves.iter().map(|shift| shift.length()).fold(0.0, f64::max) as f32;
    report.stretch = largest.stretch as f32;
    report.miss = largest.miss as f32;
    Ok(Cleaned {
        animation: result,
        report,
    })
}

fn check(settings: &CleanSettings) -> Result<(), CleanError> {
    let numbers = [
        ("the fade", settings.fade, 10.0, "0 to 10 seconds"),
        ("the smoothing", settings.smooth, 10.0, "0 to 10 seconds"),
        ("the soft share", settings.legs.soft, 0.5, "0 to 0.5"),
        ("the stretch", settings.legs.stretch, 1.0, "0 to 1"),
    ];
    for (what, value, most, expected) in numbers {
        if !(0.0..=most).contains(&value) {
            return Err(CleanError::Setting {
                what,
                value,
                expected,
            });
        }
    }
    Ok(())
}

/// The plants of a limb, in seconds.
#[derive(Clone, Debug, Default)]
struct Spans {
    end: Vec<[f32; 2]>,
    ball: Vec<[f32; 2]>,
}

impl Spans {
    fn frames(&self, rate: f64, count: usize) -> PlantedFrames {
        let frames = |spans: &[[f32; 2]]| {
            let each = spans.iter();
            each.filter_map(|span| frames_of(span, rate, count))
                .collect()
        };
        PlantedFrames {
            end: frames(&self.end),
            ball: frames(&self.ball),
        }
    }
}

/// The frames within a span of seconds; `None` where there are none.
pub(super) fn frames_of(
    &[start, end]: &[f32; 2],
    rate: f64,
    count: usize,
) -> Option<RangeInclusive<usize>> {
    let last = count.checked_sub(1)? as f64;
    // Neither holds for what is no number.
    if !(start <= end && start <= f32::MAX) {
        return None;
    }
    let from = libm::ceil(f64::from(start) * rate - 1e-3).max(0.0);
    let to = libm::floor(f64::from(end) * rate + 1e-3).min(last);
    (from <= to).then_some(from as usize..=to as usize)
}

/// The limbs of a skeleton with the plants of each.
fn planted_limbs(
    skeleton: &Skeleton,
    animation: &Animation,
    plants: &[Plant],
) -> Result<(Vec<Limb>, Vec<Spans>), CleanError> {
    let mut limbs = find_legs(skeleton);
    if plants.iter().any(|plant| plant.end == LimbEnd::Hand) {
        limbs.extend(find_arms(skeleton));
    }
    if limbs.is_empty() {
        return Err(CleanError::NoLimbs);
    }
    let mut spans: Vec<Spans> = limbs.iter().map(|_| Spans::default()).collect();
    // Only loops continue from the beginning.
    let length = animation
        .looping
        .map_or(f32::INFINITY, |_| animation.length);
    let spans_of = |plant: &Plant| plant.spans(length).collect::<Vec<_>>();
    let all = plants
        .iter()
        .flat_map(|plant| spans_of(plant).into_iter().map(move |span| (plant, span)));
    for (plant, span) in all {
        let span = [span.start, span.end];
        let is_inside = span[0] <= span[1] && span[1] >= 0.0 && span[0] <= animation.length;
        for (limb, spans) in limbs.iter().zip(&mut spans).filter(|_| is_inside) {
            let ball = limb.ball.map(|ball| ball.joint);
            match plant.end {
                LimbEnd::Ball if ball == Some(plant.joint) => spans.ball.push(span),
                LimbEnd::Heel if !limb.is_arm && limb.end == plant.joint => spans.end.push(span),
                LimbEnd::Hand if limb.is_arm && limb.end == plant.joint => spans.end.push(span),
                _ => {}
            }
        }
    }
    Ok((limbs, spans))
}

/// What is known of a motion's limbs, frame by frame.
struct SampledLimb {
    rate: f64,
    count: usize,
    /// By limbs, then by frames.
    limbs: Vec<Vec<LimbFrame>>,
    /// How what the carrying joint hangs on is turned and scaled.
    above: Vec<(Rotation64, V3)>,
    carrier: JointIndex,
}

impl SampledLimb {
    fn of(skeleton: &Skeleton, animation: &Animation, limbs: &[Limb]) -> Result<Self, CleanError> {
        let rate = dense_rate(animation);
        let frames = f64::from(animation.length) * rate + 1.0 + 1e-3;
        let count = frames as usize;
        if !(3..=MAX_FRAMES).contains(&count) {
            return Err(CleanError::Frames {
                name: animation.name.clone(),
                frames: count,
            });
        }
        let carrier = carrier(skeleton, animation, limbs);
        let mut sampled = Self {
            rate,
            count,
            limbs: limbs.iter().map(|_| Vec::with_capacity(count)).collect(),
            above: Vec::with_capacity(count),
            carrier,
        };
        let mut sampler = Sampler::new(skeleton, animation);
        let mut world = World::new(skeleton);
        for frame in 0..count {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            world.fill(skeleton, sampler.pose_at(time));
            if !world.is_finite() {
                return Err(CleanError::NotFinite {
                    name: animation.name.clone(),
                    time,
                });
            }
            for (limb, frames) in limbs.iter().zip(&mut sampled.limbs) {
                frames.push(world.limb(skeleton, limb));
            }
            sampled.above.push(world.above(skeleton, carrier));
        }
        Ok(sampled)
    }
}

/// The joint that is moved to move the body: the one that carries the root motion, or the root above it when not all
/// limbs hang on it.
fn carrier(skeleton: &Skeleton, animation: &Animation, limbs: &[Limb]) -> JointIndex {
    let holds_all = |joint: &JointIndex| {
        let below = skeleton.subtree(*joint);
        limbs.iter().all(|limb| below.contains(&limb.upper.index()))
    };
    let root = root_motion_joint(skeleton, animation);
    let mut above = core::iter::once(root).chain(ancestors(skeleton, root));
    above.find(holds_all).unwrap_or(root)
}

fn move_body(
    skeleton: &Skeleton,
    animation: &Animation,
    limbs: &[Limb],
    sampled: &SampledLimb,
    moves: &[V3],
    edited: &mut KeyWriter,
) {
    let joint = sampled.carrier;
    // Moves of a body that carries no limb would do nothing.
    if limbs.is_empty() || skeleton.joint(joint).is_none() {
        return;
    }
    let mut sampler = Sampler::new(skeleton, animation);
    for (frame, shift) in moves
        .iter()
        .enumerate()
        .filter(|(_, shift)| is_felt(**shift))
    {
        let (turn, scale) = sampled.above[frame];
        let local = shift.turned(turn.inverse());
        let local = V3::new(local.x / scale.x, local.y / scale.y, local.z / scale.z);
        let time = ((frame as f64 / sampled.rate) as f32).min(animation.length);
        let own = V3::from_vec3(sampler.pose_at(time).position(joint));
        if local.is_finite() {
            edited.set_position(joint, frame, (own + local).to_vec3());
        }
    }
}

/// Whether a correction is more than rounding.
fn is_felt(correction: V3) -> bool {
    correction.length() > 1e-9
}

/// The most that limbs had to do.
#[derive(Clone, Copy, Debug, Default)]
struct Largest {
    stretch: f64,
    miss: f64,
}

fn solve_limb(
    limb: &Limb,
    frames: &[LimbFrame],
    targets: &[Target],
    moves: &[V3],
    settings: &CleanSettings,
    edited: &mut KeyWriter,
    largest: &mut Largest,
) {
    let mut bend = V3::ZERO;
    for frame in frames {
        bend += frame.bend();
    }
    let toes = limb
        .ball
        .map(|ball| ball.joint)
        .filter(|joint| *joint != limb.end);
    for (index, (frame, shift)) in frames.iter().zip(moves).enumerate() {
        let target = targets.get(index);
        let (end, foot) = target.map_or((frame.end, V3::ZERO), |target| (target.end, target.foot));
        if !is_felt(end - frame.end) && !is_felt(foot) && !is_felt(*shift) {
            continue;
        }
        // An arm that never stands goes where the body goes; a foot stays where it is, or it would sink into the ground
        // with the body.
        if targets.is_empty() && limb.is_arm {
            continue;
        }
        let chain = frame.chain(bend);
        let solved = chain.solve(end - *shift, &settings.legs);
        let turns = frame.local_turns(solved.upper, solved.lower, quat_exp64(foot));
        let joints = [Some(limb.upper), Some(limb.middle), Some(limb.end), toes];
        for (joint, turn) in joints.into_iter().zip(turns) {
            if let Some(joint) = joint {
                edited.set_rotation(joint, index, turn.to_quat());
            }
        }
        for (joint, stretch) in [limb.middle, limb.end].into_iter().zip(solved.stretch) {
            if (stretch - 1.0).abs() > 1e-9 {
                edited.scale_position(joint, index, stretch as f32);
            }
            largest.stretch = largest.stretch.max((stretch - 1.0).abs());
        }
        if target.is_some_and(|target| target.is_planted) {
            largest.miss = largest.miss.max(solved.miss);
        }
    }
}
