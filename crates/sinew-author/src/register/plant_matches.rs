//! Which feet stand in all motions at once.

use crate::contacts::{PlantSettings, find_plants};
use alloc::vec::Vec;
use sinew::anatomy::LimbEnd;
use sinew::registration::Motion;
use sinew::registration::PlantMatch;
use sinew::registration::RegistrationCurve;
use sinew::skeleton::{JointIndex, Side};

/// Plants shorter than this are none, in seconds: two frames of film.
const SHORTEST: f64 = 1.0 / 30.0;

/// Plants of one foot that are no farther apart than this are one, in seconds: what a detector misses at a seam.
const SEAM: f64 = 0.05;

/// A stretch of a motion in which an end stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) motion: usize,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Span {
    fn meets(&self, other: &Self) -> bool {
        self.motion != other.motion && self.from < other.to && other.from < self.to
    }
}

/// Finds the plants of all motions and matches them.
pub(super) fn match_plants(curve: &RegistrationCurve, motions: &[Motion<'_>]) -> Vec<PlantMatch> {
    // Ends in the order in which they are found, each with its stretches.
    let mut ends: Vec<((LimbEnd, Side, JointIndex), Vec<Span>)> = Vec::new();
    for (motion, own) in motions.iter().enumerate() {
        for ((end, side, joint), [from, to]) in plants_within(curve, motion, *own) {
            let span = Span {
                motion,
                from: curve.position(motion, from),
                to: curve.position(motion, to),
            };
            let key = (end, side, joint);
            match ends.iter_mut().find(|(own, _)| *own == key) {
                Some((_, spans)) => spans.push(span),
                None => ends.push((key, alloc::vec![span])),
            }
        }
    }
    let mut matches = Vec::new();
    for ((end, side, joint), spans) in ends {
        for spans in matched(spans, motions.len()) {
            matches.push(PlantMatch {
                end,
                side,
                joint,
                spans,
            });
        }
    }
    let start = |own: &PlantMatch| own.spans.iter().fold(1.0, |least, span| span[0].min(least));
    matches.sort_by(|a, b| start(a).total_cmp(&start(b)));
    matches
}

/// The plants of a motion within the times that a curve covers. A loop is planted again in every cycle; a foot that
/// is planted across its seam is planted once.
fn plants_within(
    curve: &RegistrationCurve,
    motion: usize,
    own: Motion<'_>,
) -> Vec<((LimbEnd, Side, JointIndex), [f64; 2])> {
    let (first, last) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
    let found = find_plants(own.skeleton, own.animation, &PlantSettings::default());
    let mut plants: Vec<((LimbEnd, Side, JointIndex), [f64; 2])> = Vec::new();
    let cycles = match curve.cycle(motion) {
        Some(cycle) => [-cycle.seconds, 0.0, cycle.seconds].to_vec(),
        None => alloc::vec![0.0],
    };
    for later in cycles {
        // Where cycles are not repeated, what continues from the end of a loop at its beginning is two spans.
        let length = match curve.cycle(motion) {
            Some(_) => f32::INFINITY,
            None => own.animation.length,
        };
        let spans = found.iter().flat_map(|plant| {
            let spans = plant.spans(length);
            spans.map(move |span| (plant, span))
        });
        for (plant, span) in spans {
            let from = f64::from(span.start) + later;
            let to = f64::from(span.end) + later;
            let key = (plant.end, plant.side, plant.joint);
            let before = plants
                .iter_mut()
                .find(|(own, span)| *own == key && from - span[1] < SEAM && to > span[0]);
            match before {
                Some((_, span)) => span[1] = span[1].max(to),
                None => plants.push((key, [from, to])),
            }
        }
    }
    for (_, [from, to]) in &mut plants {
        (*from, *to) = (from.max(first), to.min(last));
    }
    plants.retain(|(_, [from, to])| to - from >= SHORTEST);
    plants
}

/// Stretches that overlap, one of each motion. Where several of one motion overlap one of another, that one is
/// cut between them; what has no partner in some motion goes.
pub(super) fn matched(mut spans: Vec<Span>, motions: usize) -> Vec<Vec<[f64; 2]>> {
    loop {
        spans.sort_by(|a, b| a.from.total_cmp(&b.from).then(a.motion.cmp(&b.motion)));
        let groups = groups(&spans);
        let doubled = groups.iter().find_map(|group| {
            group.iter().enumerate().find_map(|(at, &first)| {
                let next = group[at + 1..]
                    .iter()
                    .find(|&&other| spans[other].motion == spans[first].motion)?;
                Some((group, first, *next))
            })
        });
        let Some((group, first, next)) = doubled else {
            let complete = groups.iter().filter(|group| group.len() == motions);
            return complete
                .map(|group| {
                    let mut own: Vec<&Span> = group.iter().map(|&at| &spans[at]).collect();
                    own.sort_by_key(|span| span.motion);
                    own.iter().map(|span| [span.from, span.to]).collect()
                })
                .collect();
        };
        let cut = 0.5 * (spans[first].to + spans[next].from);
        let motion = spans[first].motion;
        let mut parts = Vec::new();
        for &at in group {
            let own = &mut spans[at];
            if own.motion != motion && own.from < cut && cut < own.to {
                parts.push(Span { from: cut, ..*own });
                own.to = cut;
            }
        }
        if parts.is_empty() {
            // They only touch: the shorter of the two goes.
            let length = |at: usize| spans[at].to - spans[at].from;
            let gone = if length(first) < length(next) {
                first
            } else {
                next
            };
            spans.remove(gone);
        }
        spans.append(&mut parts);
    }
}

/// Positions of stretches that hang together by overlaps.
fn groups(spans: &[Span]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut is_taken = alloc::vec![false; spans.len()];
    for start in 0..spans.len() {
        if is_taken[start] {
            continue;
        }
        is_taken[start] = true;
        let mut group = alloc::vec![start];
        let mut at = 0;
        while let Some(&own) = group.get(at) {
            for other in 0..spans.len() {
                if !is_taken[other] && spans[own].meets(&spans[other]) {
                    is_taken[other] = true;
                    group.push(other);
                }
            }
            at += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(motion: usize, from: f64, to: f64) -> Span {
        Span { motion, from, to }
    }

    #[test]
    fn what_overlaps_in_every_motion_is_matched() {
        let spans = alloc::vec![span(0, 0.0, 0.535), span(1, 0.0, 0.236), span(1, 0.8, 0.9)];
        assert_eq!(matched(spans, 2), [[[0.0, 0.535], [0.0, 0.236]]]);
    }

    #[test]
    fn what_has_no_partner_in_some_motion_goes() {
        let spans = alloc::vec![span(0, 0.0, 0.5), span(1, 0.2, 0.6)];
        assert!(matched(spans.clone(), 3).is_empty());
        assert_eq!(matched(spans, 2).len(), 1);
        assert!(matched(Vec::new(), 2).is_empty());
    }

    #[test]
    fn a_long_stretch_is_cut_between_two_short_ones() {
        let spans = alloc::vec![span(0, 0.0, 0.2), span(0, 0.4, 0.7), span(1, 0.1, 0.6)];
        let found = matched(spans, 2);
        assert_eq!(found.len(), 2);
        let cut = 0.5 * (0.2 + 0.4);
        assert_eq!(found[0], [[0.0, 0.2], [0.1, cut]]);
        assert_eq!(found[1], [[0.4, 0.7], [cut, 0.6]]);
    }

    #[test]
    fn a_match_is_active_by_the_weights() {
        let own = PlantMatch {
            end: LimbEnd::Ball,
            side: Side::Left,
            joint: JointIndex(0),
            spans: alloc::vec![[0.0, 0.4], [0.2, 0.6]],
        };
        let [from, to] = own.span(&[0.25, 0.75]);
        assert!((from - 0.15).abs() < 1e-12 && (to - 0.55).abs() < 1e-12);
    }
}
