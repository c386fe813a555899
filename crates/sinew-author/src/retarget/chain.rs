//! The best assignment of an ordered list of labels to joints along one path of a tree.
//!
//! `best[j][k]` is the largest sum of scores of labels k, k + 1, … on joints of a path that begins at joint j or below:
//!
//! ```text
//! best[j][k] = max( score(j, k) + max over children c of best[c][k + 1],    joint j plays label k
//!                   max over children c of best[c][k],                      joint j plays nothing
//!                   best[j][k + 1] )                                        nothing plays label k
//! ```
//!
//! This is the classic dynamic program for aligning two sequences without crossings (Needleman and Wunsch 1970, without
//! gap costs), over a tree instead of a sequence. Joints come after their parents, so a pass from the last to the first
//! finds all values without recursion. A greedy choice would take `LeftShoulder` for the upper arm of a skeleton in
//! which it is the clavicle; here `LeftArm` below it makes that impossible. Cost: joints times labels, in time and
//! memory.

use super::body_tree::BodyTree;
use alloc::vec::Vec;

/// The maximum number of labels.
pub(super) const MAX_LABELS: usize = 4;

/// What the best assignment does with a joint and a label.
#[derive(Clone, Copy)]
enum Step {
    /// The joint plays the label.
    Use,
    /// The joint plays nothing.
    Pass,
    /// Nothing plays the label.
    Skip,
}

/// Returns the joint of each label with the largest sum of scores, labels in order along one path from a root to a
/// leaf. Scores below `min_score` count as none. Of equal assignments the one whose joints are nearest to the root.
pub(super) fn best_chain(
    tree: &BodyTree,
    labels: usize,
    min_score: f32,
    score: impl Fn(usize, usize) -> f32,
) -> [Option<usize>; MAX_LABELS] {
    let labels = labels.min(MAX_LABELS);
    let mut best = alloc::vec![[0.0_f32; MAX_LABELS + 1]; tree.len()];
    let mut steps = alloc::vec![[Step::Skip; MAX_LABELS]; tree.len()];
    // The largest value of a child, and that child.
    let mut below = alloc::vec![[(0.0_f32, None::<usize>); MAX_LABELS + 1]; tree.len()];
    for joint in (0..tree.len()).rev() {
        for label in (0..labels).rev() {
            let value = score(joint, label);
            let used = value + below[joint][label + 1].0;
            let (passed, child) = below[joint][label];
            let skipped = best[joint][label + 1];
            let (largest, step) = if value >= min_score && used >= passed.max(skipped) {
                (used, Step::Use)
            } else if child.is_some() && passed > skipped {
                (passed, Step::Pass)
            } else {
                (skipped, Step::Skip)
            };
            best[joint][label] = largest;
            steps[joint][label] = step;
        }
        if let Some(parent) = tree.parent(joint) {
            for label in 0..labels {
                let known = &mut below[parent][label];
                // Children are met from the last to the first; the first of equal ones is kept.
                if best[joint][label] > 0.0 && best[joint][label] >= known.0 {
                    *known = (best[joint][label], Some(joint));
                }
            }
        }
    }
    let roots: Vec<usize> = (0..tree.len())
        .filter(|joint| tree.parent(*joint).is_none())
        .collect();
    let mut result = [None; MAX_LABELS];
    let first = roots.into_iter().reduce(|known, root| {
        if best[root][0] > best[known][0] {
            root
        } else {
            known
        }
    });
    let (mut next, mut label) = (first, 0);
    while let Some(joint) = next
        && label < labels
    {
        match steps[joint][label] {
            Step::Use => {
                result[label] = Some(joint);
                next = below[joint][label + 1].1;
                label += 1;
            }
            Step::Pass => next = below[joint][label].1,
            Step::Skip => label += 1,
        }
    }
    result
}

/// A label of the trunk between hips and head.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TrunkPart {
    Spine,
    Chest,
    Neck,
}

/// Returns the part of each joint of a path with the largest sum of scores: any number of spine joints, at most one
/// chest, any number of neck joints, in this order. Scores below `min_score` count as none.
pub(super) fn best_trunk(
    path: &[usize],
    min_score: f32,
    score: impl Fn(usize, TrunkPart) -> f32,
) -> Vec<Option<TrunkPart>> {
    /// Before the chest, the chest was used, in the neck.
    const STATES: usize = 3;
    let choices = [
        (TrunkPart::Spine, [Some(0), None, None]),
        (TrunkPart::Chest, [Some(1), None, None]),
        (TrunkPart::Neck, [Some(2), Some(2), Some(2)]),
    ];
    let mut best = alloc::vec![[0.0_f32; STATES]; path.len() + 1];
    let mut chosen = alloc::vec![[None::<(TrunkPart, usize)>; STATES]; path.len()];
    for (index, &joint) in path.iter().enumerate().rev() {
        for state in 0..STATES {
            let mut largest = best[index + 1][state];
            for (part, next_states) in choices {
                let Some(next) = next_states[state] else {
                    continue;
                };
                let value = score(joint, part);
                let total = value + best[index + 1][next];
                if value >= min_score && total > largest {
                    largest = total;
                    chosen[index][state] = Some((part, next));
                }
            }
            best[index][state] = largest;
        }
    }
    let mut state = 0;
    let mut parts = Vec::with_capacity(path.len());
    for choice in &chosen {
        let choice = choice[state];
        parts.push(choice.map(|(part, _)| part));
        state = choice.map_or(state, |(_, next)| next);
    }
    parts
}
