//! Poses as they come, kept as an animation, with the feet that stand in it.

use super::matches::PlantMatch;
use super::offline::{BlendError, Blended};
use super::settings::Motion;
use crate::animation::{Animation, Channel, Interpolation, KeyTimes, TransformTrack};
use crate::feet::{LimbEnd, Plant, PlantSettings};
use crate::pose::Pose;
use crate::sample::Sampler;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// How many frames an animation has at most.
pub(super) const MAX_FRAMES: usize = 200_000;

/// Frames per second where no motion has a rate.
const USUAL_RATE: f64 = 60.0;

/// Frames per second of what is made of motions: those of the one that has most.
pub(super) fn rate(motions: &[Motion<'_>]) -> f64 {
    let rates = motions.iter().filter_map(|own| own.animation.frame_rate);
    let usable = rates.filter(|rate| rate.is_finite() && (1.0..=1000.0).contains(rate));
    usable
        .fold(None, |best: Option<f64>, own| {
            Some(best.map_or(own, |best| best.max(own)))
        })
        .unwrap_or(USUAL_RATE)
}

/// Poses as an animation.
pub(super) struct Recorder<'a> {
    skeleton: &'a Skeleton,
    rate: f64,
    positions: Vec<f64>,
    places: Vec<Vec<Vec3>>,
    turns: Vec<Vec<Quat>>,
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
            turns: alloc::vec![Vec::new(); joints],
            scales: alloc::vec![Vec::new(); joints],
        }
    }

    pub(super) fn frames(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn push(&mut self, pose: &Pose, position: f64) {
        self.positions.push(position);
        for joint in 0..self.skeleton.len() {
            let own = pose.get(JointIndex::from(joint));
            self.places[joint].push(own.position);
            self.turns[joint].push(own.rotation);
            self.scales[joint].push(own.scale);
        }
    }

    pub(super) fn finish(self, name: String, plants: Vec<Plant>) -> Result<Blended, BlendError> {
        let count = self.frames().max(1);
        let times = KeyTimes::uniform(self.rate, count)?;
        let mut animation = Animation::new(name, times.last());
        animation.frame_rate = Some(self.rate);
        let joints = self.skeleton.joints().iter();
        let channels = self.places.into_iter().zip(self.turns).zip(self.scales);
        for (joint, ((places, turns), scales)) in joints.zip(channels) {
            let mut track = TransformTrack::new(joint.name.clone());
            // What rests all the time needs no keys.
            let rests = |values: &[Vec3], rest: Vec3| values.iter().all(|own| *own == rest);
            if !rests(&places, joint.rest.position) {
                track.position = Some(Channel::new(times.clone(), places, Interpolation::Linear)?);
            }
            if !turns.iter().all(|own| *own == joint.rest.rotation) {
                track.rotation = Some(Channel::new(times.clone(), turns, Interpolation::Linear)?);
            }
            if !rests(&scales, joint.rest.scale) {
                track.scale = Some(Channel::new(times.clone(), scales, Interpolation::Linear)?);
            }
            if !track.is_empty() {
                animation.tracks.push(track);
            }
        }
        let settings = PlantSettings::default();
        let mut sampler = Sampler::new(self.skeleton, &animation);
        let plants = plants.into_iter();
        let plants = plants.filter_map(|own| standing(own, &mut sampler, self.rate, &settings));
        let plants = plants.collect();
        Ok(Blended {
            animation,
            plants,
            positions: self.positions,
        })
    }
}

/// The part of a plant in which a foot is no higher than one that stands. A mix of a foot that stands and one that has
/// left the ground lifts it; held down longer, it would drag the body down.
fn standing(
    plant: Plant,
    sampler: &mut Sampler<'_>,
    rate: f64,
    settings: &PlantSettings,
) -> Option<Plant> {
    let high = match plant.end {
        LimbEnd::Heel => settings.heel_height,
        LimbEnd::Ball => settings.height,
        LimbEnd::Hand => return Some(plant),
    };
    let frame = |time: f32| (f64::from(time) * rate + 0.5) as usize;
    let time = |frame: usize| (frame as f64 / rate) as f32;
    let (first, last) = (frame(plant.span.start), frame(plant.span.end));
    let heights: Vec<f32> = (first..=last)
        .map(|frame| sampler.model_at(time(frame)).position(plant.joint).y)
        .collect();
    let lower = |a: &usize, b: &usize| heights[*a].total_cmp(&heights[*b]);
    let lowest = (0..heights.len()).min_by(lower)?;
    let is_down = |height: &&f32| **height <= heights[lowest] + high;
    let before = heights[..lowest].iter().rev().take_while(is_down).count();
    let after = heights[lowest..].iter().take_while(is_down).count();
    let [from, to] = [first + lowest - before, first + lowest + after.max(1) - 1];
    (to > from).then(|| Plant {
        // What is all down keeps its bits.
        span: if from == first && to == last {
            plant.span
        } else {
            time(from)..time(to)
        },
        ..plant
    })
}

/// Which feet stand when, as frames go by.
pub(super) struct Marks<'a> {
    matches: &'a [PlantMatch],
    rate: f64,
    /// For each match, the frames from its beginning to its end.
    spans: Vec<Option<[usize; 2]>>,
    is_over: Vec<bool>,
    parts: Vec<Plant>,
}

impl<'a> Marks<'a> {
    pub(super) fn new(matches: &'a [PlantMatch], rate: f64) -> Self {
        Self {
            matches,
            rate,
            spans: alloc::vec![None; matches.len()],
            is_over: alloc::vec![false; matches.len()],
            parts: Vec::new(),
        }
    }

    /// A match begins when its weighted beginning is passed, ends with its weighted end, and never begins again.
    pub(super) fn see(&mut self, frame: usize, position: f64, weights: &[f64]) {
        let states = self
            .matches
            .iter()
            .zip(&mut self.spans)
            .zip(&mut self.is_over);
        for ((own, span), is_over) in states {
            let [from, to] = own.span(weights);
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

    /// Plants of one motion alone within a stretch of it, `later` seconds later.
    pub(super) fn add_part(&mut self, plants: &[Plant], [from, to]: [f64; 2], later: f64) {
        for own in plants {
            let start = f64::from(own.span.start).max(from);
            let end = f64::from(own.span.end).min(to);
            if end > start {
                self.parts.push(Plant {
                    span: (start + later) as f32..(end + later) as f32,
                    ..own.clone()
                });
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Plant> {
        let time = |frame: usize| (frame as f64 / self.rate) as f32;
        let mut plants = self.parts;
        for (own, span) in self.matches.iter().zip(&self.spans) {
            if let Some([first, last]) = *span
                && last > first
            {
                plants.push(Plant {
                    end: own.end,
                    side: own.side,
                    joint: own.joint,
                    span: time(first)..time(last),
                });
            }
        }
        join(plants, 1.5 / self.rate as f32)
    }
}

/// Plants of one end that follow each other within a gap, as one.
fn join(mut plants: Vec<Plant>, gap: f32) -> Vec<Plant> {
    plants.sort_by(|a, b| {
        (a.joint, a.end)
            .cmp(&(b.joint, b.end))
            .then(a.span.start.total_cmp(&b.span.start))
    });
    let mut joined: Vec<Plant> = Vec::with_capacity(plants.len());
    for own in plants {
        match joined.last_mut() {
            Some(last)
                if (last.joint, last.end) == (own.joint, own.end)
                    && own.span.start - last.span.end <= gap =>
            {
                last.span.end = last.span.end.max(own.span.end);
            }
            _ => joined.push(own),
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
            end: crate::feet::LimbEnd::Ball,
            side: crate::skeleton::Side::Left,
            joint: JointIndex(3),
            span: from..to,
        };
        let plants = alloc::vec![plant(0.5, 0.8), plant(0.0, 0.2), plant(0.21, 0.4)];
        let joined = join(plants, 0.02);
        assert_eq!(joined, [plant(0.0, 0.4), plant(0.5, 0.8)]);
    }
}
