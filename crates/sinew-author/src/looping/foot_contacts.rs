//! Feet of a loop: it is put after itself, so that feet are seen to stand across the seam.

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

/// Seconds before and after the turn that is kept, at least: as far as corrections reach.
const AROUND: f64 = 1.2;

/// A loop several times in a row.
struct RepeatedContacts {
    animation: Animation,
    plants: Vec<Plant>,
    /// Which turn is kept.
    kept: usize,
    /// Frames of a turn.
    frames: usize,
}

/// How many places of joints are looked at, at most: some 400 MB. Feet of longer loops stay as they are.
const MOST_PLACES: usize = 10_000_000;

impl RepeatedContacts {
    fn new(
        skeleton: &Skeleton,
        body: &LoopFrames,
        ground_transform: &GroundTransform,
        settings: &LoopSettings,
    ) -> Option<Self> {
        let frames = body.count().checked_sub(1)?;
        let kept = libm::ceil(AROUND / body.length()).clamp(1.0, 64.0) as usize;
        let turns = 2 * kept + 1;
        let count = turns * frames + 1;
        if count.saturating_mul(skeleton.len()) > MOST_PLACES {
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
            let turn = (frame / frames).min(turns - 1);
            body.pose(
                skeleton,
                frame - turn * frames,
                &ground_transform.fraction(turn as f64),
                &mut pose,
            );
            for joint in 0..skeleton.len() {
                positions[joint].push(pose.position(joint.into()));
                rotations[joint].push(pose.rotation(joint.into()));
                scales[joint].push(pose.scale(joint.into()));
            }
        }
        let times = KeyTimes::uniform(body.rate, count).ok()?;
        let mut animation = Animation::new("loop", times.last());
        animation.frame_rate = Some(body.rate);
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

    /// The largest slide of a ball that stands in the turn that is kept.
    fn slide(&self, skeleton: &Skeleton, animation: &Animation, length: f64) -> Slide {
        let slides = measure_slides(skeleton, animation, &self.plants);
        let (from, to) = (self.kept as f64 * length, (self.kept + 1) as f64 * length);
        let mut most = Slide::default();
        for (plant, slide) in self.plants.iter().zip(slides) {
            let is_kept = f64::from(plant.span.end) > from && f64::from(plant.span.start) < to;
            if is_kept && plant.end == LimbEnd::Ball {
                most.path = most.path.max(slide.path);
                most.deviation = most.deviation.max(slide.deviation);
            }
        }
        most
    }
}

/// Whether a foot stands all the time, so that the figure goes nowhere.
pub(super) fn stays(
    skeleton: &Skeleton,
    body: &LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> bool {
    let length = body.length();
    RepeatedContacts::new(skeleton, body, ground_transform, settings).is_some_and(|again| {
        let mut balls = again
            .plants
            .iter()
            .filter(|plant| plant.end == LimbEnd::Ball);
        balls.any(|plant| f64::from(plant.span.end - plant.span.start) >= length)
    })
}

/// How far balls slide.
pub(super) fn slides(
    skeleton: &Skeleton,
    body: &LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> [Slide; 2] {
    let again = RepeatedContacts::new(skeleton, body, ground_transform, settings);
    let slide = again.map(|again| again.slide(skeleton, &again.animation, body.length()));
    [slide.unwrap_or_default(); 2]
}

/// Keeps feet where they stand; how far balls slide before and after.
pub(super) fn clean(
    skeleton: &Skeleton,
    body: &mut LoopFrames,
    ground_transform: &GroundTransform,
    settings: &LoopSettings,
) -> Result<[Slide; 2], CycleError> {
    let Some(again) = RepeatedContacts::new(skeleton, body, ground_transform, settings) else {
        return Ok(Default::default());
    };
    let length = body.length();
    let before = again.slide(skeleton, &again.animation, length);
    if again.plants.is_empty() || find_legs(skeleton).is_empty() {
        return Ok([before; 2]);
    }
    let cleaned = clean_feet(skeleton, &again.animation, &again.plants, &settings.feet)?;
    let after = again.slide(skeleton, &cleaned.animation, length);
    let mut sampler = Sampler::new(skeleton, &cleaned.animation);
    let on = ground_transform.fraction(again.kept as f64);
    for frame in 0..again.frames {
        let time = ((again.kept * again.frames + frame) as f64 / body.rate) as f32;
        body.set_pose(skeleton, frame, &on, sampler.pose_at(time));
    }
    // The end is the beginning.
    let root = body.root;
    for (index, places) in body.joints.iter_mut().enumerate() {
        let first = places.first().copied();
        if let (Some(first), Some(end)) = (first, places.last_mut()) {
            *end = if JointIndex::from(index) == root {
                first.moved(ground_transform)
            } else {
                first
            };
        }
    }
    Ok([before, after])
}
