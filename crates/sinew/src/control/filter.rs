//! Joint weights from start bones and masks.

use super::warning::WarningList;
use super::{AnimationParameters, AnimationSet, BindingProblem, BindingWarning, Mask};
use crate::blend::JointWeights;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The number of cached pairs of start bone and mask. If a game generates more names than this, the oldest are looked
/// up again.
const MAX_FILTERS: usize = 64;

/// A cache of joint weights by start bone and mask.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters(Vec<Filter>);

#[derive(Clone, Debug)]
struct Filter {
    /// The hashes of the start bone and the mask.
    names: (u64, u64),
    resolved: FilterResult,
}

/// The result of resolving a start bone and a mask: a weight per joint or bone, shared by clones of a binding, or an
/// error if one of them does not resolve, so that nothing is animated.
pub(super) type FilterResult = Result<Arc<JointWeights>, UnresolvedName>;

/// A start bone or mask that does not resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnresolvedName {
    StartBone,
    Mask,
}

impl UnresolvedName {
    /// Returns the name that does not resolve, and the problem.
    fn problem(self, parameters: &AnimationParameters) -> (&str, BindingProblem) {
        match self {
            Self::StartBone => (
                parameters.start_bone.as_str(),
                BindingProblem::NoSuchStartBone,
            ),
            Self::Mask => (parameters.mask.as_str(), BindingProblem::NoSuchMask),
        }
    }

    pub(super) fn warning(self, parameters: &AnimationParameters) -> BindingWarning {
        let (name, problem) = self.problem(parameters);
        BindingWarning {
            animation: parameters.animation,
            name: name.into(),
            problem,
        }
    }

    /// Returns whether a warning is about this problem of an animation.
    fn matches(self, warning: &BindingWarning, parameters: &AnimationParameters) -> bool {
        let (name, problem) = self.problem(parameters);
        warning.animation == parameters.animation
            && warning.problem == problem
            && warning.name == name
    }
}

/// The animations that were not applied because a start bone or mask does not resolve. Does not allocate if they are
/// the same as last time.
#[derive(Clone, Debug, Default)]
pub(super) struct SkippedAnimations {
    list: Vec<BindingWarning>,
    count: usize,
}

impl SkippedAnimations {
    pub(super) fn start(&mut self) {
        self.count = 0;
    }

    pub(super) fn add(&mut self, unresolved: UnresolvedName, parameters: &AnimationParameters) {
        let known = self.list.get(self.count);
        if !known.is_some_and(|known| unresolved.matches(known, parameters)) {
            self.list.truncate(self.count);
            self.list.push(unresolved.warning(parameters));
        }
        self.count += 1;
    }

    pub(super) fn finish(&mut self) -> &[BindingWarning] {
        self.list.truncate(self.count);
        &self.list
    }
}

impl Filters {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the filter of an animation; `None` without one. `make` resolves a new filter; a failure is added to
    /// `warnings`.
    pub(super) fn find(
        &mut self,
        parameters: &AnimationParameters,
        warnings: &mut WarningList,
        make: impl FnOnce() -> FilterResult,
    ) -> Option<usize> {
        let (start_bone, mask) = (&parameters.start_bone, &parameters.mask);
        if start_bone.is_empty() && mask.is_empty() {
            return None;
        }
        let names = (start_bone.hash(), mask.hash());
        let known = self.0.iter().position(|filter| filter.names == names);
        if known.is_some() {
            return known;
        }
        let resolved = make();
        if let Err(unresolved) = resolved {
            let warning = unresolved.warning(parameters);
            warnings.add(warning.animation, &warning.name, warning.problem);
        }
        if self.0.len() >= MAX_FILTERS {
            self.0.remove(0);
        }
        self.0.push(Filter { names, resolved });
        Some(self.0.len() - 1)
    }

    /// Returns the weights of a filter; `None` if all weights are 1.
    ///
    /// # Errors
    /// If a start bone or mask does not resolve.
    pub(super) fn weights(
        &self,
        filter: Option<usize>,
    ) -> Result<Option<&JointWeights>, UnresolvedName> {
        let filter = filter.and_then(|filter| self.0.get(filter));
        match filter.map(|filter| &filter.resolved) {
            None => Ok(None),
            Some(Ok(weights)) => Ok(Some(weights)),
            Some(Err(unresolved)) => Err(*unresolved),
        }
    }
}

/// Returns the mask of an animation, if it has one. It must be in the set, and `is_known` must know at least one of
/// its names.
pub(super) fn find_mask<'s>(
    parameters: &AnimationParameters,
    set: &'s AnimationSet,
    is_known: impl Fn(&str) -> bool,
) -> Result<Option<&'s Mask>, UnresolvedName> {
    if parameters.mask.is_empty() {
        return Ok(None);
    }
    let mask = set
        .mask(parameters.mask.as_str())
        .ok_or(UnresolvedName::Mask)?;
    let mut names = mask.names().peekable();
    if names.peek().is_some() && !names.any(is_known) {
        return Err(UnresolvedName::Mask);
    }
    Ok(Some(mask))
}

/// Returns the start bone of an animation, if it has one.
pub(super) fn find_start<T>(
    parameters: &AnimationParameters,
    find: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, UnresolvedName> {
    match parameters.start_bone.as_str() {
        "" => Ok(None),
        name => find(name).map(Some).ok_or(UnresolvedName::StartBone),
    }
}

/// Returns the weights of a start bone and its descendants, times those of a mask. `names` are all names and parents,
/// parents before children; `start` is the index of the start bone.
pub(super) fn weights<'a>(
    names: impl Iterator<Item = (&'a str, Option<usize>)>,
    start: Option<usize>,
    mask: Option<&Mask>,
) -> Arc<JointWeights> {
    let mut inside: Vec<bool> = Vec::new();
    let mut weights = Vec::new();
    for (index, (name, parent)) in names.enumerate() {
        let by_parent = parent.is_some_and(|parent| inside[parent]);
        let is_inside = start.is_none_or(|start| start == index || by_parent);
        inside.push(is_inside);
        weights.push(match is_inside {
            true => mask.map_or(1.0, |mask| mask.weight(name)),
            false => 0.0,
        });
    }
    Arc::new(JointWeights::new(&weights))
}
