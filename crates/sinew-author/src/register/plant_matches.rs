//! Constraint matches: which feet are planted in all motions at once (Kovar and Gleicher 2003).
//!
//! Plants of each motion become intervals of positions on the curve. Intervals of one limb end that overlap form a group; a group
//! with one interval of every motion is a match. If several plants of one motion overlap one of another, that one is cut half-way
//! between them, and groups are formed again. Groups that miss a motion are discarded. The number of plants is small, so groups
//! are found by comparing all pairs.

use crate::contacts::{PlantSettings, find_plants};
use alloc::vec::Vec;
use sinew::anatomy::LimbEnd;
use sinew::registration::Motion;
use sinew::registration::PlantMatch;
use sinew::registration::RegistrationCurve;
use sinew::skeleton::{JointIndex, Side};

/// Plants shorter than this are ignored, in seconds: a frame of video.
const MIN_PLANT_SECONDS: f64 = 1.0 / 30.0;

/// Plants of one foot closer than this are joined, in seconds: what a detector misses at a seam.
const MAX_SEAM_SECONDS: f64 = 0.05;

/// A plant of a motion, by positions on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlantSpan {
    pub(super) motion: usize,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl PlantSpan {
    fn overlaps(&self, other: &Self) -> bool {
        self.motion != other.motion && self.from < other.to && other.from < self.to
    }
}

/// Finds the plants of all motions and matches them.
pub(super) fn match_plants(curve: &RegistrationCurve, motions: &[Motion<'_>]) -> Vec<PlantMatch> {
    // Limb ends in the order in which they are found, each with its plants.
    let mut ends: Vec<((LimbEnd, Side, JointIndex), Vec<PlantSpan>)> = Vec::new();
    for (index, motion) in motions.iter().enumerate() {
        for ((end, side, joint), [from, to]) in plants_within(curve, index, *motion) {
            let span = PlantSpan {
                motion: index,
                from: curve.position(index, from),
                to: curve.position(index, to),
            };
            let key = (end, side, joint);
            match ends.iter_mut().find(|(known, _)| *known == key) {
                Some((_, spans)) => spans.push(span),
                None => ends.push((key, alloc::vec![span])),
            }
        }
    }
    let mut matches = Vec::new();
    for ((end, side, joint), spans) in ends {
        for spans in match_spans(spans, motions.len()) {
            matches.push(PlantMatch {
                end,
                side,
                joint,
                spans,
            });
        }
    }
    let start = |plant: &PlantMatch| {
        let spans = plant.spans.iter();
        spans.fold(1.0, |least, span| span[0].min(least))
    };
    matches.sort_by(|a, b| start(a).total_cmp(&start(b)));
    matches
}

/// The plants of a motion within the times that a curve covers. Plants of a loop repeat with every cycle; a foot that is
/// planted across the seam has one plant.
fn plants_within(
    curve: &RegistrationCurve,
    index: usize,
    motion: Motion<'_>,
) -> Vec<((LimbEnd, Side, JointIndex), [f64; 2])> {
    let (first, last) = (curve.time(index, 0.0), curve.time(index, 1.0));
    let found = find_plants(motion.skeleton, motion.animation, &PlantSettings::default());
    let mut plants: Vec<((LimbEnd, Side, JointIndex), [f64; 2])> = Vec::new();
    let cycles = match curve.cycle(index) {
        Some(cycle) => [-cycle.seconds, 0.0, cycle.seconds].to_vec(),
        None => alloc::vec![0.0],
    };
    for later in cycles {
        // If cycles are not repeated, a plant across the seam is two spans.
        let length = match curve.cycle(index) {
            Some(_) => f32::INFINITY,
            None => motion.animation.length,
        };
        let spans = found.iter().flat_map(|plant| {
            let spans = plant.spans(length);
            spans.map(move |span| (plant, span))
        });
        for (plant, span) in spans {
            let from = f64::from(span.start) + later;
            let to = f64::from(span.end) + later;
            let key = (plant.end, plant.side, plant.joint);
            let before = plants.iter_mut().find(|(known, span)| {
                *known == key && from - span[1] < MAX_SEAM_SECONDS && to > span[0]
            });
            match before {
                Some((_, span)) => span[1] = span[1].max(to),
                None => plants.push((key, [from, to])),
            }
        }
    }
    for (_, [from, to]) in &mut plants {
        (*from, *to) = (from.max(first), to.min(last));
    }
    plants.retain(|(_, [from, to])| to - from >= MIN_PLANT_SECONDS);
    plants
}

/// Groups of overlapping spans, one of each motion. If several of one motion overlap one of another, that one is cut
/// between them; groups that miss a motion are discarded.
pub(super) fn match_spans(mut spans: Vec<PlantSpan>, motions: usize) -> Vec<Vec<[f64; 2]>> {
    loop {
        spans.sort_by(|a, b| a.from.total_cmp(&b.from).then(a.motion.cmp(&b.motion)));
        let overlap_groups = overlap_groups(&spans);
        let doubled = overlap_groups.iter().find_map(|group| {
            group.iter().enumerate().find_map(|(index, &first)| {
                let next = group[index + 1..]
                    .iter()
                    .find(|&&other| spans[other].motion == spans[first].motion)?;
                Some((group, first, *next))
            })
        });
        let Some((group, first, next)) = doubled else {
            let complete = overlap_groups.iter().filter(|group| group.len() == motions);
            return complete
                .map(|group| {
                    let mut members: Vec<&PlantSpan> =
                        group.iter().map(|&index| &spans[index]).collect();
                    members.sort_by_key(|span| span.motion);
                    members.iter().map(|span| [span.from, span.to]).collect()
                })
                .collect();
        };
        let cut = 0.5 * (spans[first].to + spans[next].from);
        let motion = spans[first].motion;
        let mut later_halves = Vec::new();
        for &index in group {
            let span = &mut spans[index];
            if span.motion != motion && span.from < cut && cut < span.to {
                later_halves.push(PlantSpan { from: cut, ..*span });
                span.to = cut;
            }
        }
        if later_halves.is_empty() {
            // Nothing spans the gap between the two: the shorter one is discarded.
            let length = |index: usize| spans[index].to - spans[index].from;
            let shorter = if length(first) < length(next) {
                first
            } else {
                next
            };
            spans.remove(shorter);
        }
        spans.append(&mut later_halves);
    }
}

/// The connected components of overlapping spans, as indices.
fn overlap_groups(spans: &[PlantSpan]) -> Vec<Vec<usize>> {
    let mut overlap_groups: Vec<Vec<usize>> = Vec::new();
    let mut is_taken = alloc::vec![false; spans.len()];
    for start in 0..spans.len() {
        if is_taken[start] {
            continue;
        }
        is_taken[start] = true;
        let mut group = alloc::vec![start];
        let mut next = 0;
        while let Some(&member) = group.get(next) {
            for other in 0..spans.len() {
                if !is_taken[other] && spans[member].overlaps(&spans[other]) {
                    is_taken[other] = true;
                    group.push(other);
                }
            }
            next += 1;
        }
        group.sort_unstable();
        overlap_groups.push(group);
    }
    overlap_groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(motion: usize, from: f64, to: f64) -> PlantSpan {
        PlantSpan { motion, from, to }
    }

    #[test]
    fn what_overlaps_in_every_motion_is_matched() {
        let spans = alloc::vec![span(0, 0.0, 0.535), span(1, 0.0, 0.236), span(1, 0.8, 0.9)];
        assert_eq!(match_spans(spans, 2), [[[0.0, 0.535], [0.0, 0.236]]]);
    }

    #[test]
    fn what_has_no_partner_in_some_motion_goes() {
        let spans = alloc::vec![span(0, 0.0, 0.5), span(1, 0.2, 0.6)];
        assert!(match_spans(spans.clone(), 3).is_empty());
        assert_eq!(match_spans(spans, 2).len(), 1);
        assert!(match_spans(Vec::new(), 2).is_empty());
    }

    #[test]
    fn a_long_stretch_is_cut_between_two_short_ones() {
        let spans = alloc::vec![span(0, 0.0, 0.2), span(0, 0.4, 0.7), span(1, 0.1, 0.6)];
        let found = match_spans(spans, 2);
        assert_eq!(found.len(), 2);
        let cut = 0.5 * (0.2 + 0.4);
        assert_eq!(found[0], [[0.0, 0.2], [0.1, cut]]);
        assert_eq!(found[1], [[0.4, 0.7], [cut, 0.6]]);
    }

    #[test]
    fn a_match_is_active_by_the_weights() {
        let plant = PlantMatch {
            end: LimbEnd::Ball,
            side: Side::Left,
            joint: JointIndex(0),
            spans: alloc::vec![[0.0, 0.4], [0.2, 0.6]],
        };
        let [from, to] = plant.span(&[0.25, 0.75]);
        assert!((from - 0.15).abs() < 1e-12 && (to - 0.55).abs() < 1e-12);
    }
}
