//! What start bones and masks leave of a body.

use super::warning::WarningList;
use super::{AnimationParameters, BindingProblem, Mask};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Pairs of start bone and mask that are remembered. A game that makes up more names than this while it
/// plays has the oldest looked up again.
const MAX_FILTERS: usize = 64;

/// For each start bone and mask that was met, a weight per joint or bone.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters(Vec<Filter>);

#[derive(Clone, Debug)]
struct Filter {
    /// The numbers of the start bone and the mask.
    names: (u64, u64),
    /// Copies of a binding share them.
    weights: Arc<[f32]>,
}

impl Filters {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Which filter an animation plays through; `None` for none. `make` is asked for the weights of one that
    /// was not met before.
    pub(super) fn find(
        &mut self,
        parameters: &AnimationParameters,
        make: impl FnOnce() -> Arc<[f32]>,
    ) -> Option<usize> {
        let (start_bone, mask) = (&parameters.start_bone, &parameters.mask);
        if start_bone.is_empty() && mask.is_empty() {
            return None;
        }
        let names = (start_bone.hash(), mask.hash());
        let known = self.0.iter().position(|own| own.names == names);
        if known.is_some() {
            return known;
        }
        let weights = make();
        if self.0.len() >= MAX_FILTERS {
            self.0.remove(0);
        }
        self.0.push(Filter { names, weights });
        Some(self.0.len() - 1)
    }

    /// The weights of a filter.
    pub(super) fn weights(&self, filter: Option<usize>) -> Option<&[f32]> {
        Some(&self.0.get(filter?)?.weights)
    }
}

/// The weights of what is at or below a start bone, by a mask. `names` are the names and parents of
/// everything, parents before children; `start` is where the start bone is.
pub(super) fn weights<'a>(
    names: impl Iterator<Item = (&'a str, Option<usize>)>,
    start: Option<usize>,
    mask: Option<&Mask>,
) -> Arc<[f32]> {
    let mut inside: Vec<bool> = Vec::new();
    let mut weights = Vec::new();
    for (at, (name, parent)) in names.enumerate() {
        let by_parent = parent.is_some_and(|parent| inside[parent]);
        let is_inside = start.is_none_or(|start| start == at || by_parent);
        inside.push(is_inside);
        weights.push(match is_inside {
            true => mask.map_or(1.0, |mask| mask.weight(name)),
            false => 0.0,
        });
    }
    weights.into()
}

/// Notes once that a start bone is not there.
pub(super) fn check_start_bone(
    parameters: &AnimationParameters,
    is_there: bool,
    warnings: &mut WarningList,
) {
    if is_there || parameters.start_bone.is_empty() {
        return;
    }
    let name = parameters.start_bone.as_str();
    warnings.add(parameters.animation, name, BindingProblem::NoSuchStartBone);
}
