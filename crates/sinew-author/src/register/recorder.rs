//! Poses as they come, kept as an animation, with the feet that stand in it.

use super::bake::Blended;
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

    /// The animation of all poses, with the plants that are found in it.
    pub(super) fn finish(
        self,
        name: String,
        plants: impl FnOnce(&Skeleton, &Animation) -> Vec<Plant>,
    ) -> Result<Blended, BlendError> {
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
        let plants = plants(self.skeleton, &animation);
        Ok(Blended {
            animation,
            plants,
            positions: self.positions,
        })
    }
}

/// The parts of a stretch of frames in which a foot is no higher than one that stands. A mix of a foot that stands and
/// one that has left the ground lifts it; held down longer, it would drag the body down.
fn standing(
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
    let mut parts: Vec<[usize; 2]> = Vec::new();
    let down = heights.iter().enumerate();
    for (at, _) in down.filter(|(_, height)| **height <= lowest + high) {
        let frame = first + at;
        match parts.last_mut() {
            Some([_, to]) if frame - *to <= gap + 1 => *to = frame,
            _ => parts.push([frame, frame]),
        }
    }
    parts.retain(|[from, to]| to > from);
    parts
}

/// Which feet stand when, as frames go by.
pub(super) struct PlantRecorder<'a> {
    matches: &'a [PlantMatch],
    rate: f64,
    /// For each match, the frames from its beginning to its end.
    spans: Vec<Option<[usize; 2]>>,
    is_over: Vec<bool>,
    parts: Vec<Plant>,
}

impl<'a> PlantRecorder<'a> {
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

    /// What stands in the animation that came of it.
    pub(super) fn finish(self, skeleton: &Skeleton, animation: &Animation) -> Vec<Plant> {
        let mut sampler = Sampler::new(skeleton, animation);
        let time = |frame: usize| (frame as f64 / self.rate) as f32;
        let mut plants = self.parts;
        plants.retain_mut(|own| {
            own.span.end = own.span.end.min(animation.length);
            own.span.start < own.span.end
        });
        for (own, span) in self.matches.iter().zip(&self.spans) {
            let Some(span) = *span else {
                continue;
            };
            let end = (own.end, own.joint);
            for [from, to] in standing(end, span, &mut sampler, self.rate) {
                plants.push(Plant {
                    end: own.end,
                    side: own.side,
                    joint: own.joint,
                    span: time(from)..time(to),
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
        let mut stands = |end| standing((end, JointIndex(0)), [2, 55], &mut sampler, rate);
        let ball = stands(LimbEnd::Ball);
        assert_eq!(ball, [[2, 19], [40, 55]]);
        let hand = stands(LimbEnd::Hand);
        assert_eq!(hand, [[2, 55]]);
    }
}
