//! Measures of foot skate: how far planted ends slide, and what the cleanup changes besides.
//!
//! A plant's slide is the length of its path over the ground and its largest distance from the mean position. Accelerations are
//! second differences, `(p₂ - 2 p₁ + p₀) · rate²`. The cost is one model-space pose per frame and animation.

use super::cleanup::frames_of;
use alloc::vec::Vec;
use glam::{DVec3, Vec3};
use sinew::anatomy::{Contact, Limb};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::internal::horizontal;
use sinew::sample::Sampler;
use sinew::skeleton::Skeleton;

/// The movement of a planted limb end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slide {
    /// The length of its path over the ground, in metres.
    pub path: f32,
    /// The largest distance from its mean position, height included, in metres.
    pub deviation: f32,
}

/// The slide of a plant before and after the cleanup.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlantReport {
    /// The plant.
    pub plant: Plant,
    /// In the source.
    pub before: Slide,
    /// In the result.
    pub after: Slide,
}

/// Foot skate of a motion before and after cleanup, and the corrections.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CleanReport {
    /// The plants that were within the motion, in the order given.
    pub plants: Vec<PlantReport>,
    /// The largest depth of a ball below its planted height in the result, in metres, before and after.
    pub penetration: [f32; 2],
    /// The largest shift of the body, in metres.
    pub body_shift: f32,
    /// The largest relative change of a bone's length.
    pub stretch: f32,
    /// The largest distance of a planted end from its target, in metres; 0 if all limbs reach.
    pub miss: f32,
    /// The largest acceleration of a joint or tip in the source, in metres per second squared.
    pub acceleration: f32,
    /// The largest difference of a joint's or tip's acceleration from that in the source.
    pub added_acceleration: f32,
}

impl CleanReport {
    /// The largest slide of all plants of a kind of limb end, before and after.
    pub fn worst(&self, end: LimbEnd) -> [Slide; 2] {
        let mut worst = [Slide::default(); 2];
        for report in (self.plants.iter()).filter(|report| report.plant.end == end) {
            for (worst, slide) in worst.iter_mut().zip([report.before, report.after]) {
                worst.path = worst.path.max(slide.path);
                worst.deviation = worst.deviation.max(slide.deviation);
            }
        }
        worst
    }
}

/// The slide of each plant. Zero for plants outside the motion and of joints that are not the end of a limb.
pub fn measure_slides(skeleton: &Skeleton, animation: &Animation, plants: &[Plant]) -> Vec<Slide> {
    let mut limbs = sinew::anatomy::find_legs(skeleton);
    limbs.extend(sinew::anatomy::find_arms(skeleton));
    let (rate, count) = crate::measure::frames(animation);
    let tracks = ContactTracks::new(skeleton, animation, plants, &limbs, (rate, count));
    let plants = plants.iter().zip(tracks.by_plant());
    plants
        .map(|(plant, track)| slide(planted_points(plant, track, rate)))
        .collect()
}

/// Compares a motion with the result of its cleanup.
pub(super) fn measure(
    skeleton: &Skeleton,
    source: &Animation,
    result: &Animation,
    plants: &[Plant],
    limbs: &[Limb],
    rate: f64,
    count: usize,
) -> CleanReport {
    let before = ContactTracks::new(skeleton, source, plants, limbs, (rate, count));
    let after = ContactTracks::new(skeleton, result, plants, limbs, (rate, count));
    let mut report = CleanReport::default();
    for (plant, (before, after)) in plants.iter().zip(before.by_plant().zip(after.by_plant())) {
        let source = planted_points(plant, before, rate);
        let cleaned = planted_points(plant, after, rate);
        if source.is_empty() {
            continue;
        }
        report.plants.push(PlantReport {
            plant: plant.clone(),
            before: slide(source),
            after: slide(cleaned),
        });
        if plant.end != LimbEnd::Ball {
            continue;
        }
        let ground = mean(cleaned).y;
        let depth = |track: &[DVec3]| {
            let lowest = track
                .iter()
                .map(|point| point.y)
                .fold(f64::INFINITY, f64::min);
            (ground - lowest).max(0.0) as f32
        };
        for (deepest, track) in report.penetration.iter_mut().zip([before, after]) {
            *deepest = deepest.max(depth(track));
        }
    }
    let [acceleration, added] = accelerations(skeleton, source, result, rate, count);
    report.acceleration = acceleration;
    report.added_acceleration = added;
    report
}

/// The positions of planted limb ends, frame by frame.
struct ContactTracks {
    /// The track of each plant; `None` for joints that are not the end of a limb.
    track_of_plant: Vec<Option<usize>>,
    tracks: Vec<Vec<DVec3>>,
}

impl ContactTracks {
    fn new(
        skeleton: &Skeleton,
        animation: &Animation,
        plants: &[Plant],
        limbs: &[Limb],
        (rate, count): (f64, usize),
    ) -> Self {
        let mut contacts: Vec<Contact> = Vec::new();
        let mut track_of_plant = Vec::with_capacity(plants.len());
        for plant in plants {
            track_of_plant.push(contact(plant, limbs).map(|contact| {
                let known = contacts.iter().position(|known| *known == contact);
                known.unwrap_or_else(|| {
                    contacts.push(contact);
                    contacts.len() - 1
                })
            }));
        }
        let mut tracks: Vec<Vec<DVec3>> = contacts.iter().map(|_| Vec::new()).collect();
        let mut sampler = Sampler::new(skeleton, animation);
        for frame in 0..count {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            let model = sampler.model_at(time);
            for (track, contact) in tracks.iter_mut().zip(&contacts) {
                track.push(model.point(contact.joint, contact.offset).as_dvec3());
            }
        }
        Self {
            track_of_plant,
            tracks,
        }
    }

    /// The track of each plant.
    fn by_plant(&self) -> impl Iterator<Item = &[DVec3]> {
        let track = |index: &Option<usize>| index.and_then(|index| self.tracks.get(index));
        self.track_of_plant
            .iter()
            .map(move |index| track(index).map_or(&[][..], Vec::as_slice))
    }
}

fn contact(plant: &Plant, limbs: &[Limb]) -> Option<Contact> {
    limbs.iter().find_map(|limb| {
        let is_end = limb.end == plant.joint && limb.is_arm == (plant.end == LimbEnd::Hand);
        match plant.end {
            LimbEnd::Ball => limb.ball.filter(|ball| ball.joint == plant.joint),
            _ => is_end.then_some(Contact {
                joint: limb.end,
                offset: Vec3::ZERO,
            }),
        }
    })
}

fn planted_points<'a>(plant: &Plant, track: &'a [DVec3], rate: f64) -> &'a [DVec3] {
    let frames = frames_of(&[plant.span.start, plant.span.end], rate, track.len());
    frames
        .and_then(|frames| track.get(frames))
        .unwrap_or_default()
}

fn mean(points: &[DVec3]) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for point in points {
        sum += *point;
    }
    sum * (1.0 / points.len().max(1) as f64)
}

fn slide(points: &[DVec3]) -> Slide {
    let middle = mean(points);
    let steps = points.windows(2).map(|pair| match pair {
        [a, b] => horizontal(*b - *a).length(),
        _ => 0.0,
    });
    let distances = points.iter().map(|point| (*point - middle).length());
    Slide {
        path: steps.sum::<f64>() as f32,
        deviation: distances.fold(0.0, f64::max) as f32,
    }
}

/// The largest acceleration of a point in the source, and the largest difference in the result.
fn accelerations(
    skeleton: &Skeleton,
    source: &Animation,
    result: &Animation,
    rate: f64,
    count: usize,
) -> [f32; 2] {
    let mut samplers = [source, result].map(|animation| Sampler::new(skeleton, animation));
    // The last three frames of both, point by point.
    let mut known: [[Vec<DVec3>; 3]; 2] = Default::default();
    let mut largest = [0.0; 2];
    for frame in 0..count {
        let time = ((frame as f64 / rate) as f32).min(source.length);
        for (sampler, known) in samplers.iter_mut().zip(&mut known) {
            known.rotate_left(1);
            known[2].clear();
            known[2].extend(sampler.points_at(time).map(Vec3::as_dvec3));
        }
        if frame < 2 {
            continue;
        }
        let [before, after] = &known;
        for point in 0..before[2].len() {
            let acceleration = |frames: &[Vec<DVec3>; 3]| {
                let [first, second, third] = frames;
                (third[point] - second[point] * 2.0 + first[point]) * (rate * rate)
            };
            let (before, after) = (acceleration(before), acceleration(after));
            largest[0] = f64::max(largest[0], before.length());
            largest[1] = f64::max(largest[1], (after - before).length());
        }
    }
    largest.map(|acceleration| acceleration as f32)
}
