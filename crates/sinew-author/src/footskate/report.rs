//! How much feet slide, and what keeping them from it costs.

use super::cleanup::frames_of;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::anatomy::{Contact, Limb};
use sinew::anatomy::{LimbEnd, Plant};
use sinew::animation::Animation;
use sinew::internal::V3;
use sinew::sample::Sampler;
use sinew::skeleton::Skeleton;

/// How far something that stands moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slide {
    /// The length of its way over the ground, in metres.
    pub path: f32,
    /// The largest distance from its mean place, height included, in metres.
    pub deviation: f32,
}

/// A plant and what was done about it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlantReport {
    /// The plant.
    pub plant: Plant,
    /// As it was.
    pub before: Slide,
    /// As it is.
    pub after: Slide,
}

/// What cleaning did to a motion.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CleanReport {
    /// The plants that were within the motion, in the order given.
    pub plants: Vec<PlantReport>,
    /// The farthest that a ball was below the lowest of its planted places at any time, in metres, before and
    /// after; both by where it is planted after.
    pub penetration: [f32; 2],
    /// The largest move of the body, in metres.
    pub body_shift: f32,
    /// The largest share by which a bone got longer or shorter.
    pub stretch: f32,
    /// The farthest that a planted end is from where it should be, in metres; 0 where limbs reach.
    pub miss: f32,
    /// The largest acceleration of a joint or tip in the source, in metres per second squared.
    pub acceleration: f32,
    /// The largest difference of a joint's or tip's acceleration from what it was.
    pub added_acceleration: f32,
}

impl CleanReport {
    /// The largest slide of all plants of an end, before and after.
    pub fn worst(&self, end: LimbEnd) -> [Slide; 2] {
        let mut worst = [Slide::default(); 2];
        for own in self.plants.iter().filter(|own| own.plant.end == end) {
            for (worst, own) in worst.iter_mut().zip([own.before, own.after]) {
                worst.path = worst.path.max(own.path);
                worst.deviation = worst.deviation.max(own.deviation);
            }
        }
        worst
    }
}

/// How far an end slides on its plants: the way over the ground and the distance from the mean, plant by plant.
/// Plants outside the motion, and of joints that end no limb, do not slide.
pub fn measure_slides(skeleton: &Skeleton, animation: &Animation, plants: &[Plant]) -> Vec<Slide> {
    let mut limbs = sinew::anatomy::find_legs(skeleton);
    limbs.extend(sinew::anatomy::find_arms(skeleton));
    let (rate, count) = crate::measure::frames(animation);
    let tracks = Tracks::new(skeleton, animation, plants, &limbs, (rate, count));
    let each = plants.iter().zip(tracks.each());
    each.map(|(plant, track)| slide(part(plant, track, rate)))
        .collect()
}

/// Everything that can be measured by comparing a motion with what came of it.
pub(super) fn measure(
    skeleton: &Skeleton,
    source: &Animation,
    result: &Animation,
    plants: &[Plant],
    limbs: &[Limb],
    rate: f64,
    count: usize,
) -> CleanReport {
    let before = Tracks::new(skeleton, source, plants, limbs, (rate, count));
    let after = Tracks::new(skeleton, result, plants, limbs, (rate, count));
    let mut report = CleanReport::default();
    for (plant, (before, after)) in plants.iter().zip(before.each().zip(after.each())) {
        let (own, cleaned) = (part(plant, before, rate), part(plant, after, rate));
        if own.is_empty() {
            continue;
        }
        report.plants.push(PlantReport {
            plant: plant.clone(),
            before: slide(own),
            after: slide(cleaned),
        });
        if plant.end != LimbEnd::Ball {
            continue;
        }
        let ground = mean(cleaned).y;
        let depth = |track: &[V3]| {
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

/// Where the ends that plants are of are, frame by frame.
struct Tracks {
    /// The track of each plant; none for joints that end no limb.
    of: Vec<Option<usize>>,
    tracks: Vec<Vec<V3>>,
}

impl Tracks {
    fn new(
        skeleton: &Skeleton,
        animation: &Animation,
        plants: &[Plant],
        limbs: &[Limb],
        (rate, count): (f64, usize),
    ) -> Self {
        let mut contacts: Vec<Contact> = Vec::new();
        let mut of = Vec::with_capacity(plants.len());
        for plant in plants {
            of.push(contact(plant, limbs).map(|contact| {
                let known = contacts.iter().position(|known| *known == contact);
                known.unwrap_or_else(|| {
                    contacts.push(contact);
                    contacts.len() - 1
                })
            }));
        }
        let mut tracks: Vec<Vec<V3>> = contacts.iter().map(|_| Vec::new()).collect();
        let mut sampler = Sampler::new(skeleton, animation);
        for frame in 0..count {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            let model = sampler.model_at(time);
            for (track, contact) in tracks.iter_mut().zip(&contacts) {
                track.push(V3::from_vec3(model.point(contact.joint, contact.offset)));
            }
        }
        Self { of, tracks }
    }

    /// Plant by plant.
    fn each(&self) -> impl Iterator<Item = &[V3]> {
        let track = |at: &Option<usize>| at.and_then(|at| self.tracks.get(at));
        self.of
            .iter()
            .map(move |at| track(at).map_or(&[][..], Vec::as_slice))
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

fn part<'a>(plant: &Plant, track: &'a [V3], rate: f64) -> &'a [V3] {
    let frames = frames_of(&[plant.span.start, plant.span.end], rate, track.len());
    frames
        .and_then(|frames| track.get(frames))
        .unwrap_or_default()
}

fn mean(points: &[V3]) -> V3 {
    let mut sum = V3::ZERO;
    for point in points {
        sum += *point;
    }
    sum * (1.0 / points.len().max(1) as f64)
}

fn slide(points: &[V3]) -> Slide {
    let middle = mean(points);
    let steps = points.windows(2).map(|pair| match pair {
        [a, b] => (*b - *a).level().length(),
        _ => 0.0,
    });
    let distances = points.iter().map(|point| (*point - middle).length());
    Slide {
        path: steps.sum::<f64>() as f32,
        deviation: distances.fold(0.0, f64::max) as f32,
    }
}

/// The largest acceleration of a point, and the largest difference to what it was.
fn accelerations(
    skeleton: &Skeleton,
    source: &Animation,
    result: &Animation,
    rate: f64,
    count: usize,
) -> [f32; 2] {
    let mut samplers = [source, result].map(|animation| Sampler::new(skeleton, animation));
    // The last three frames of both, point by point.
    let mut known: [[Vec<V3>; 3]; 2] = Default::default();
    let mut largest = [0.0; 2];
    for frame in 0..count {
        let time = ((frame as f64 / rate) as f32).min(source.length);
        for (sampler, known) in samplers.iter_mut().zip(&mut known) {
            known.rotate_left(1);
            known[2].clear();
            known[2].extend(sampler.points_at(time).map(V3::from_vec3));
        }
        if frame < 2 {
            continue;
        }
        let [own, other] = &known;
        for point in 0..own[2].len() {
            let acceleration = |of: &[Vec<V3>; 3]| {
                (of[2][point] - of[1][point] * 2.0 + of[0][point]) * (rate * rate)
            };
            let (own, other) = (acceleration(own), acceleration(other));
            largest[0] = f64::max(largest[0], own.length());
            largest[1] = f64::max(largest[1], (other - own).length());
        }
    }
    largest.map(|acceleration| acceleration as f32)
}
