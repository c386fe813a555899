//! Records poses as an animation, with its foot contacts.
//!
//! [`Recorder`] collects a key per frame and joint and drops channels that never leave the rest pose. [`PlantRecorder`] follows the
//! constraint matches of a blend: a match is active while the position is between the weighted means of its beginnings and ends. A
//! blend of a planted foot with one that has left the ground lifts the foot; held down, it would drag the body down. So a plant
//! ends where the foot is higher than the height threshold above its lowest point
//! (`docs/decisions/2026-11-16-registration.md`, *Feet that a mix lifts*).

use super::bake::BlendedMotion;
use crate::DEFAULT_FRAME_RATE;
use crate::contacts::PlantSettings;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::{Animation, Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::pose::Pose;
use sinew::registration::BlendError;
use sinew::registration::Motion;
use sinew::registration::PlantMatch;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames of a baked animation, at most.
pub(super) const MAX_FRAMES: usize = 200_000;

/// Frames per second of an animation baked from motions: the highest of their rates.
pub(super) fn rate(motions: &[Motion<'_>]) -> f64 {
    let rates = (motions.iter()).filter_map(|motion| motion.animation.frame_rate);
    let usable = rates.filter(|rate| rate.is_finite() && (1.0..=1000.0).contains(rate));
    usable
        .fold(None, |best: Option<f64>, rate| {
            Some(best.map_or(rate, |best| best.max(rate)))
        })
        .unwrap_or(DEFAULT_FRAME_RATE)
}

/// Records poses as an animation.
pub(super) struct Recorder<'a> {
    skeleton: &'a Skeleton,
    rate: f64,
    positions: Vec<f64>,
    places: Vec<Vec<Vec3>>,
    rotations: Vec<Vec<Quat>>,
    scales: Vec<Vec<Vec3>>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, rate: f64) -> Self {
        let joints = skeleton.len();
        Self {
            skeleton,
            rate,
            positions: Vec::new(),
            places: alloc::vec![Vec::new(); joints],
            rotations: alloc::vec![Vec::new(); joints],
            scales: alloc::vec![Vec::new(); joints],
        }
    }

    pub(super) fn frames(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn push(&mut self, pose: &Pose, position: f64) {
        self.positions.push(position);
        for joint in 0..self.skeleton.len() {
            let transform = pose.get(JointIndex::from(joint));
            self.places[joint].push(transform.position);
            self.rotations[joint].push(transform.rotation);
            self.scales[joint].push(transform.scale);
        }
    }

    /// The animation of all poses, with the plants that `plants` finds in it.
    pub(super) fn finish(
        self,
        name: String,
        plants: impl FnOnce(&Skeleton, &Animation) -> Vec<Plant>,
    ) -> Result<BlendedMotion, BlendError> {
        let count = self.frames().max(1);
        let times = KeyTimes::uniform(self.rate, count)?;
        let mut animation = Animation::new(name, times.last());
        animation.frame_rate = Some(self.rate);
        let joints = self.skeleton.joints().iter();
        let channels = self.places.into_iter().zip(self.rotations).zip(self.scales);
        for (joint, ((places, rotations), scales)) in joints.zip(channels) {
            let mut track = TransformTrack::new(joint.name.clone());
            // A channel that equals the rest pose throughout needs no keys.
            let rests = |values: &[Vec3], rest: Vec3| values.iter().all(|value| *value == rest);
            if !rests(&places, joint.rest.position) {
                track.position = Some(Channel::new(times.clone(), places, Interpolation::Linear)?);
            }
            if !(rotations.iter()).all(|rotation| *rotation == joint.rest.rotation) {
                track.rotation = Some(Channel::new(
                    times.clone(),
                    rotations,
                    Interpolation::Linear,
                )?);
            }
            if !rests(&scales, joint.rest.scale) {
                track.scale = Some(Channel::new(times.clone(), scales, Interpolation::Linear)?);
            }
            if !track.is_empty() {
                animation.tracks.push(track);
            }
        }
        let plants = plants(self.skeleton, &animation);
        Ok(BlendedMotion {
            animation,
            plants,
            positions: self.positions,
        })
    }
}

/// The spans between two frames in which a foot is below the height threshold of a planted foot. Spans closer than the gap of
/// [`PlantSettings`] are joined.
fn planted_spans(
    (end, joint): (LimbEnd, JointIndex),
    [first, last]: [usize; 2],
    sampler: &mut Sampler<'_>,
    rate: f64,
) -> Vec<[usize; 2]> {
    let settings = PlantSettings::default();
    let high = match end {
        LimbEnd::Heel => settings.heel_height,
        LimbEnd::Ball => settings.height,
        LimbEnd::Hand => return alloc::vec![[first, last]],
    };
    let mut height = |frame: usize| {
        let time = (frame as f64 / rate) as f32;
        sampler.model_at(time).position(joint).y
    };
    let heights: Vec<f32> = (first..=last).map(&mut height).collect();
    let lowest = heights.iter().copied().fold(f32::INFINITY, f32::min);
    let gap = (f64::from(settings.gap) * rate) as usize;
    let mut spans: Vec<[usize; 2]> = Vec::new();
    let down = heights.iter().enumerate();
    for (offset, _) in down.filter(|(_, height)| **height <= lowest + high) {
        let frame = first + offset;
        match spans.last_mut() {
            Some([_, to]) if frame - *to <= gap + 1 => *to = frame,
            _ => spans.push([frame, frame]),
        }
    }
    spans.retain(|[from, to]| to > from);
    spans
}

/// Records the plants of a blend, frame by frame.
pub(super) struct PlantRecorder<'a> {
    matches: &'a [PlantMatch],
    rate: f64,
    /// For each match, its first and last frame.
    spans: Vec<Option<[usize; 2]>>,
    is_over: Vec<bool>,
    /// Plants of single motions before and after the blend.
    unblended: Vec<Plant>,
}

impl<'a> PlantRecorder<'a> {
    pub(super) fn new(matches: &'a [PlantMatch], rate: f64) -> Self {
        Self {
            matches,
            rate,
            spans: alloc::vec![None; matches.len()],
            is_over: alloc::vec![false; matches.len()],
            unblended: Vec::new(),
        }
    }

    /// Records a frame. A match begins at the weighted mean of its beginnings, ends at that of its ends, and does not begin
    /// again.
    pub(super) fn record_frame(&mut self, frame: usize, position: f64, weights: &[f64]) {
        let states = self
            .matches
            .iter()
            .zip(&mut self.spans)
            .zip(&mut self.is_over);
        for ((plant, span), is_over) in states {
            let [from, to] = plant.span(weights);
            if *is_over || position < from {
                continue;
            }
            if position > to {
                *is_over = true;
                continue;
            }
            match span {
                Some([_, last]) => *last = frame,
                None => *span = Some([frame, frame]),
            }
        }
    }

    /// Adds the plants of a single motion between two of its times, delayed by `later` seconds.
    pub(super) fn add_plants(&mut self, plants: &[Plant], [from, to]: [f64; 2], later: f64) {
        for plant in plants {
            let start = f64::from(plant.span.start).max(from);
            let end = f64::from(plant.span.end).min(to);
            if end > start {
                self.unblended.push(Plant {
                    span: (start + later) as f32..(end + later) as f32,
                    ..plant.clone()
                });
            }
        }
    }

    /// The plants of the recorded animation.
    pub(super) fn finish(self, skeleton: &Skeleton, animation: &Animation) -> Vec<Plant> {
        let mut sampler = Sampler::new(skeleton, animation);
        let time = |frame: usize| (frame as f64 / self.rate) as f32;
        let mut plants = self.unblended;
        plants.retain_mut(|plant| {
            plant.span.end = plant.span.end.min(animation.length);
            plant.span.start < plant.span.end
        });
        for (plant, span) in self.matches.iter().zip(&self.spans) {
            let Some(span) = *span else {
                continue;
            };
            let end = (plant.end, plant.joint);
            for [from, to] in planted_spans(end, span, &mut sampler, self.rate) {
                plants.push(Plant {
                    end: plant.end,
                    side: plant.side,
                    joint: plant.joint,
                    span: time(from)..time(to),
                });
            }
        }
        join(plants, 1.5 / self.rate as f32)
    }
}

/// Joins plants of one limb end that are at most `gap` seconds apart.
fn join(mut plants: Vec<Plant>, gap: f32) -> Vec<Plant> {
    plants.sort_by(|a, b| {
        (a.joint, a.end)
            .cmp(&(b.joint, b.end))
            .then(a.span.start.total_cmp(&b.span.start))
    });
    let mut joined: Vec<Plant> = Vec::with_capacity(plants.len());
    for plant in plants {
        match joined.last_mut() {
            Some(last)
                if (last.joint, last.end) == (plant.joint, plant.end)
                    && plant.span.start - last.span.end <= gap =>
            {
                last.span.end = last.span.end.max(plant.span.end);
            }
            _ => joined.push(plant),
        }
    }
    joined.sort_by(|a, b| a.span.start.total_cmp(&b.span.start));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plants_that_follow_each_other_are_one() {
        let plant = |from: f32, to: f32| Plant {
            end: sinew::anatomy::LimbEnd::Ball,
            side: sinew::skeleton::Side::Left,
            joint: JointIndex(3),
            span: from..to,
        };
        let plants = alloc::vec![plant(0.5, 0.8), plant(0.0, 0.2), plant(0.21, 0.4)];
        let joined = join(plants, 0.02);
        assert_eq!(joined, [plant(0.0, 0.4), plant(0.5, 0.8)]);
    }

    #[test]
    fn a_foot_stands_where_it_is_down_however_often_it_is_lifted() {
        let joint = sinew::skeleton::Joint {
            name: "ball".into(),
            parent: None,
            rest: sinew::Transform::IDENTITY,
            tip: None,
        };
        let skeleton = Skeleton::new(alloc::vec![joint]).unwrap();
        let rate = 100.0;
        // Down, up for two frames, down, up for long, down again.
        let heights = (0..60).map(|frame| match frame {
            10 | 11 | 20..40 => 0.1,
            _ => 0.01,
        });
        let mut recorder = Recorder::new(&skeleton, rate);
        let mut pose = Pose::rest(&skeleton);
        for height in heights {
            pose.set_position(JointIndex(0), Vec3::new(0.0, height, 0.0));
            recorder.push(&pose, 0.0);
        }
        let blended = recorder.finish("lifted".into(), |_, _| Vec::new()).unwrap();
        let mut sampler = Sampler::new(&skeleton, &blended.animation);
        let mut stands = |end| planted_spans((end, JointIndex(0)), [2, 55], &mut sampler, rate);
        let ball = stands(LimbEnd::Ball);
        assert_eq!(ball, [[2, 19], [40, 55]]);
        let hand = stands(LimbEnd::Hand);
        assert_eq!(hand, [[2, 55]]);
    }
}
