//! Foot-skate cleanup of a whole motion: removes foot skate (Kovar, Schreiner and Gleicher 2002).
//!
//! Samples the limbs, finds their targets (`targets`), shifts the body (`body_shift`), solves each limb as two bones and writes the
//! frames that changed as keys (`key_writer`). Everything is computed in model space in `f64`; the root shift and the joint rotations
//! are converted to local space at the end. The cost is linear in the number of frames but for the smoothing of the body shift.

use super::body_shift::{LimbTargets, body_shifts};
use super::key_writer::KeyWriter;
use super::report::{CleanReport, measure};
use super::targets::{ContactPoints, PlantedFrames, Target, TargetSettings, find_targets};
use crate::error::{NotFiniteError, SettingError};
use crate::measure::dense_rate;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use glam::{DQuat, DVec3};
use sinew::anatomy::root_motion_joint;
use sinew::anatomy::{Limb, find_arms, find_legs};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::ik::TwoBoneSettings;
use sinew::internal::ancestors;
use sinew::internal::quat_exp;
use sinew::internal::{LimbFrame, ModelPose64};
use sinew::math::{dquat_rotate, dquat_to_quat};
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames that are cleaned, at most: more than two hours at 120 per second.
const MAX_FRAMES: usize = 1_000_000;

/// Settings of [`clean_feet`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CleanSettings {
    /// Seconds before and after a plant within which its correction fades, from 0 to 10.
    pub fade: f32,
    /// Seconds to either side over which the body's shift is smoothed, from 0 to 10.
    pub smooth: f32,
    /// Whether the ground is level: all plants of a heel or ball are then at one height, and feet in the air do not sink
    /// below it. Otherwise each plant keeps its own height.
    pub is_level: bool,
    /// Settings of two-bone IK for legs close to full extension.
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
    /// The skeleton has no limb of two bones and an end.
    #[error("the skeleton has no leg or arm of two bones")]
    NoLimbs,
    /// A motion has too few frames, or too many.
    #[error("{name:?} has {frames} frames; expected 3 to 1000000")]
    Frames {
        /// Its name.
        name: String,
        /// Its frames, as far as they can be counted.
        frames: usize,
    },
    /// The position of a joint is NaN, infinite or too far away.
    #[error(transparent)]
    NotFinite(#[from] NotFiniteError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// A motion after foot-skate cleanup.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanedMotion {
    /// The motion.
    pub animation: Animation,
    /// Foot skate before and after, and the corrections.
    pub report: CleanReport,
}

/// Keeps planted feet and hands where they are planted.
///
/// 1. A plant is at the mean position of its limb end, at the height of the ground; a heel that is planted together with a
///    ball is at the length of the foot from it.
/// 2. Ankles follow from the planted heel or ball with the foot's rotation; where both are planted the foot lies flat
///    between them and rolls smoothly before and after.
/// 3. The body shifts as little as necessary for all limbs to reach, smoothly.
/// 4. Legs and arms are solved as two bones; see [`solve_two_bone`](sinew::ik::solve_two_bone).
/// 5. Corrections fade before and after a plant, with continuous velocity.
///
/// The result has the frame rate, keys, triggers and metadata of the motion; channels of legs, and of the joint that shifts
/// the body, have a key on every frame. A motion with fewer than 24 frames per second is sampled, and keyed, a whole number
/// of times per frame. Frames without corrections keep their bits. Plants outside the motion and of joints that are not the
/// end of a limb are ignored; overlapping plants of one joint are merged.
///
/// Scales must be uniform for feet to be exactly on their targets.
///
/// # Errors
/// If there are no limbs, too few frames, values that are not finite, or settings out of range.
pub fn clean_feet(
    skeleton: &Skeleton,
    animation: &Animation,
    plants: &[Plant],
    settings: &CleanSettings,
) -> Result<CleanedMotion, CleanError> {
    check(settings)?;
    let (limbs, planted) = planted_limbs(skeleton, animation, plants)?;
    let sampled = SampledLimbs::of(skeleton, animation, &limbs)?;
    let (rate, count) = (sampled.rate, sampled.count);
    let targets: Vec<Vec<Target>> = limbs
        .iter()
        .zip(&planted)
        .zip(&sampled.limbs)
        .map(|((limb, planted), frames)| {
            let planted = planted.frames(rate, count);
            let settings = TargetSettings {
                rate,
                fade: settings.fade.into(),
                is_level: settings.is_level,
                is_hand: limb.is_arm,
                rolls: None,
            };
            let points: Vec<ContactPoints> = frames.iter().map(ContactPoints::of).collect();
            find_targets(frames, &points, &planted, &settings)
        })
        .collect();
    let reaching: Vec<LimbTargets<'_>> = sampled
        .limbs
        .iter()
        .zip(&targets)
        .map(|(frames, targets)| LimbTargets { frames, targets })
        .collect();
    let start = alloc::vec![DVec3::ZERO; count];
    let shifts = body_shifts(&reaching, start, rate, settings.smooth.into());

    let mut edited = KeyWriter::new(rate, count);
    let mut largest = LargestCorrections::default();
    shift_body(skeleton, animation, &limbs, &sampled, &shifts, &mut edited);
    for ((limb, frames), targets) in limbs.iter().zip(&sampled.limbs).zip(&targets) {
        solve_limb(
            limb,
            frames,
            targets,
            &shifts,
            settings,
            &mut edited,
            &mut largest,
        );
    }
    let result = edited.onto(skeleton, animation);
    let mut report = measure(skeleton, animation, &result, plants, &limbs, rate, count);
    report.body_shift = shifts
        .iter()
        .map(|shift| shift.length())
        .fold(0.0, f64::max) as f32;
    report.stretch = largest.stretch as f32;
    report.miss = largest.miss as f32;
    Ok(CleanedMotion {
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
            return Err(CleanError::Setting(SettingError {
                what,
                value: value.into(),
                expected,
            }));
        }
    }
    Ok(())
}

/// The plants of a limb, in seconds.
#[derive(Clone, Debug, Default)]
struct LimbPlants {
    end: Vec<[f32; 2]>,
    ball: Vec<[f32; 2]>,
}

impl LimbPlants {
    fn frames(&self, rate: f64, count: usize) -> PlantedFrames {
        let frames = |spans: &[[f32; 2]]| {
            let frames = spans.iter();
            let frames = frames.filter_map(|span| frames_of(span, rate, count));
            frames.collect()
        };
        PlantedFrames {
            end: frames(&self.end),
            ball: frames(&self.ball),
        }
    }
}

/// The frames within a span of seconds; `None` if there are none.
pub(crate) fn frames_of(
    &[start, end]: &[f32; 2],
    rate: f64,
    count: usize,
) -> Option<RangeInclusive<usize>> {
    let last = count.checked_sub(1)? as f64;
    // Both are false for NaN.
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
) -> Result<(Vec<Limb>, Vec<LimbPlants>), CleanError> {
    let mut limbs = find_legs(skeleton);
    if plants.iter().any(|plant| plant.end == LimbEnd::Hand) {
        limbs.extend(find_arms(skeleton));
    }
    if limbs.is_empty() {
        return Err(CleanError::NoLimbs);
    }
    let mut spans: Vec<LimbPlants> = limbs.iter().map(|_| LimbPlants::default()).collect();
    // Only loops wrap around.
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

/// A motion's limbs, frame by frame.
struct SampledLimbs {
    rate: f64,
    count: usize,
    /// By limb, then by frame.
    limbs: Vec<Vec<LimbFrame>>,
    /// By frame, rotation and scale above the root joint.
    above: Vec<(DQuat, DVec3)>,
    root_joint: JointIndex,
}

impl SampledLimbs {
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
        let root_joint = root_joint(skeleton, animation, limbs);
        let mut sampled = Self {
            rate,
            count,
            limbs: limbs.iter().map(|_| Vec::with_capacity(count)).collect(),
            above: Vec::with_capacity(count),
            root_joint,
        };
        let mut sampler = Sampler::new(skeleton, animation);
        let mut world = ModelPose64::new(skeleton);
        for frame in 0..count {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            world.fill(skeleton, sampler.pose_at(time));
            if !world.is_finite() {
                return Err(CleanError::NotFinite(NotFiniteError {
                    name: animation.name.clone(),
                    time,
                }));
            }
            for (limb, frames) in limbs.iter().zip(&mut sampled.limbs) {
                frames.push(world.limb(skeleton, limb));
            }
            sampled
                .above
                .push(world.parent_rotation_scale(skeleton, root_joint));
        }
        Ok(sampled)
    }
}

/// The joint that shifts the body: the root-motion joint, or its first ancestor from which all limbs descend.
fn root_joint(skeleton: &Skeleton, animation: &Animation, limbs: &[Limb]) -> JointIndex {
    let holds_all = |joint: &JointIndex| {
        let below = skeleton.subtree(*joint);
        limbs.iter().all(|limb| below.contains(&limb.upper.index()))
    };
    let root = root_motion_joint(skeleton, animation);
    let mut above = core::iter::once(root).chain(ancestors(skeleton, root));
    above.find(holds_all).unwrap_or(root)
}

fn shift_body(
    skeleton: &Skeleton,
    animation: &Animation,
    limbs: &[Limb],
    sampled: &SampledLimbs,
    shifts: &[DVec3],
    edited: &mut KeyWriter,
) {
    let joint = sampled.root_joint;
    if limbs.is_empty() || skeleton.joint(joint).is_none() {
        return;
    }
    let mut sampler = Sampler::new(skeleton, animation);
    for (frame, shift) in shifts
        .iter()
        .enumerate()
        .filter(|(_, shift)| is_significant(**shift))
    {
        // From model space to the space of the root joint's parent.
        let (rotation, scale) = sampled.above[frame];
        let local = dquat_rotate(rotation.conjugate(), *shift) / scale;
        let time = ((frame as f64 / sampled.rate) as f32).min(animation.length);
        let position = sampler.pose_at(time).position(joint).as_dvec3();
        if local.is_finite() {
            edited.set_position(joint, frame, (position + local).as_vec3());
        }
    }
}

/// Whether a correction is more than rounding.
fn is_significant(correction: DVec3) -> bool {
    correction.length() > 1e-9
}

/// The largest corrections of any limb.
#[derive(Clone, Copy, Debug, Default)]
struct LargestCorrections {
    stretch: f64,
    miss: f64,
}

fn solve_limb(
    limb: &Limb,
    frames: &[LimbFrame],
    targets: &[Target],
    shifts: &[DVec3],
    settings: &CleanSettings,
    edited: &mut KeyWriter,
    largest: &mut LargestCorrections,
) {
    let mut bend = DVec3::ZERO;
    for frame in frames {
        bend += frame.bend();
    }
    let toes = limb
        .ball
        .map(|ball| ball.joint)
        .filter(|joint| *joint != limb.end);
    for (index, (frame, shift)) in frames.iter().zip(shifts).enumerate() {
        let target = targets.get(index);
        let (end, foot) =
            target.map_or((frame.end, DVec3::ZERO), |target| (target.end, target.foot));
        if !is_significant(end - frame.end) && !is_significant(foot) && !is_significant(*shift) {
            continue;
        }
        // An arm that is never planted follows the body; a foot stays, or it would sink into the ground with the body.
        if targets.is_empty() && limb.is_arm {
            continue;
        }
        let chain = frame.chain(bend);
        let solved = chain.solve(end - *shift, &settings.legs);
        let turns = frame.local_rotations(solved.upper, solved.lower, quat_exp(foot));
        let joints = [Some(limb.upper), Some(limb.middle), Some(limb.end), toes];
        for (joint, turn) in joints.into_iter().zip(turns) {
            if let Some(joint) = joint {
                edited.set_rotation(joint, index, dquat_to_quat(turn));
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
