//! Foot contacts of a loop: it is repeated, so that plants across the seam are seen and cleaned as one.
//!
//! The loop is unrolled to an odd number of cycles, at least 1.2 s before and after the middle one, which is as far as corrections
//! of foot-skate cleanup reach. Plants are found and cleaned in all of it, and the middle cycle is kept: both of its ends have seen
//! the same neighbours, so it still closes. The cost is that of [`clean_feet`] for all cycles.

use super::LoopSettings;
use super::find::CycleError;
use super::loop_frames::LoopFrames;
use crate::contacts::find_plants;
use crate::footskate::{Slide, clean_feet, measure_slides};
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::anatomy::{LimbEnd, Plant, find_legs};
use sinew::animation::{Animation, Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::math::GroundTransform;
use sinew::pose::Pose;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Seconds before and after the cycle that is kept, at least: as far as corrections reach.
const MARGIN_SECONDS: f64 = 1.2;

/// A loop several times in a row.
struct RepeatedLoop {
    animation: Animation,
    plants: Vec<Plant>,
    /// The index of the cycle that is kept.
    kept: usize,
    /// Frames of a cycle.
    frames: usize,
}

/// Transforms of the repeated loop, at most: some 400 MB. Feet of longer loops are not cleaned.
const MAX_TRANSFORMS: usize = 10_000_000;

impl RepeatedLoop {
    fn new(
        skeleton: &Skeleton,
        loop_frames: &LoopFrames,
        ground_transform: &GroundTransform,
        settings: &LoopSettings,
    ) -> Option<Self> {
        let frames = loop_frames.count().checked_sub(1)?;
        let kept = libm::ceil(MARGIN_SECONDS / loop_frames.length()).clamp(1.0, 64.0) as usize;
        let cycles = 2 * kept + 1;
        let count = cycles * frames + 1;
        if count.saturating_mul(skeleton.len()) > MAX_TRANSFORMS {
            return None;
        }
        let mut positions: Vec<Vec<Vec3>> = Vec::new();
        let mut rotations: Vec<Vec<Quat>> = Vec::new();
        let mut scales: Vec<Vec<Vec3>> = Vec::new();
        for _ in 0..skeleton.len() {
            positions.push(Vec::with_capacity(count));
            rotations.push(Vec::with_capacity(count));
            scales.push(Vec::with_capacity(count));
        }
        let mut pose = Pose::rest(skeleton);
        for frame in 0..count {
            let cycle = (frame / frames).min(cycles - 1);
            loop_frames.pose(
                skeleton,
                frame - cycle * frames,
                &ground_transform.fraction(cycle as f64),
                &mut pose,
            );
            for joint in 0..skeleton.len() {
                positions[joint].push(pose.position(joint.into()));
                rotations[joint].push(pose.rotation(joint.into()));
                scales[joint].push(pose.scale(joint.into()));
            }
        }
        let times = KeyTimes::uniform(loop_frames.rate, count).ok()?;
        let mut animation = Animation::new("loop", times.last());
        animation.frame_rate = Some(loop_frames.rate);
        let channels = positions.into_iter().zip(rotations).zip(scales);
        for (joint, ((positions, rotations), scales)) in skeleton.joints().iter().zip(channels) {
            let lines = Interpolation::Linear;
            animation.tracks.push(TransformTrack {
                position: Some(Channel::new(times.clone(), positions, lines).ok()?),
                rotation: Some(Channel::new(times.clone(), rotations, lines).ok()?),
                scale: Some(Channel::new(times.clone(), scales, lines).ok()?),
                ..TransformTrack::new(&joint.name)
            });
        }
        let plants = find_plants(skeleton, &animation, &settings.plants);
        Some(Self {
            animation,
            plants,
            kept,
            frames,
        })
    }

    /// The largest slide of a planted ball in the cycle that is kept.
    fn slide(&self, skeleton: &Skeleton, animation: &Animation, length: f64) -> Slide {
        let slides = measure_slides(skeleton, animation, &self.plants);
        let (from, to) = (self.kept as f64 * length, (self.kept + 1) as f64 * length);
        let mut largest = Slide::default();
        for (plant, slide) in self.plants.iter().zip(slides) {
            let is_kept = f64::from(plant.span.end) > from && f64::from(plant.span.start) < to;
            if is_kept && plant.end == LimbEnd::Ball {
                largest.path = largest.path.max(slide.path);
                largest.deviation = largest.deviation.max(slide.deviation);
            }
        }
        largest
    }
}

/// Whether a foot is planted throughout, so that the loop does not travel.
pub(super) fn is_planted_throughout(
    skeleton: &Skeleton,
    loop_frames: &LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> bool {
    let length = loop_frames.length();
    RepeatedLoop::new(skeleton, loop_frames, ground_transform, settings).is_some_and(|repeated| {
        let mut balls = repeated
            .plants
            .iter()
            .filter(|plant| plant.end == LimbEnd::Ball);
        balls.any(|plant| f64::from(plant.span.end - plant.span.start) >= length)
    })
}

/// The largest slide of a planted ball, without cleanup.
pub(super) fn slides(
    skeleton: &Skeleton,
    loop_frames: &LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> [Slide; 2] {
    let repeated = RepeatedLoop::new(skeleton, loop_frames, ground_transform, settings);
    let slide = repeated
        .map(|repeated| repeated.slide(skeleton, &repeated.animation, loop_frames.length()));
    [slide.unwrap_or_default(); 2]
}

/// Cleans foot skate. Returns the largest slide of a planted ball before and after.
pub(super) fn clean(
    skeleton: &Skeleton,
    loop_frames: &mut LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> Result<[Slide; 2], CycleError> {
    let Some(repeated) = RepeatedLoop::new(skeleton, loop_frames, ground_transform, settings)
    else {
        return Ok(Default::default());
    };
    let length = loop_frames.length();
    let before = repeated.slide(skeleton, &repeated.animation, length);
    if repeated.plants.is_empty() || find_legs(skeleton).is_empty() {
        return Ok([before; 2]);
    }
    let cleaned = clean_feet(
        skeleton,
        &repeated.animation,
        &repeated.plants,
        &settings.feet,
    )?;
    let after = repeated.slide(skeleton, &cleaned.animation, length);
    let mut sampler = Sampler::new(skeleton, &cleaned.animation);
    let on = ground_transform.fraction(repeated.kept as f64);
    for frame in 0..repeated.frames {
        let time = ((repeated.kept * repeated.frames + frame) as f64 / loop_frames.rate) as f32;
        loop_frames.set_pose(skeleton, frame, &on, sampler.pose_at(time));
    }
    // The last frame is the first one again.
    let root = loop_frames.root;
    for (index, transforms) in loop_frames.joints.iter_mut().enumerate() {
        let first = transforms.first().copied();
        if let (Some(first), Some(end)) = (first, transforms.last_mut()) {
            *end = if JointIndex::from(index) == root {
                first.moved(ground_transform)
            } else {
                first
            };
        }
    }
    Ok([before, after])
}
