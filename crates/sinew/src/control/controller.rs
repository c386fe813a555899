//! The animation controller: the list of playing animations and its update.

use super::parameters::{AnimationParameters, FadeMode, check_unique, duration};
use super::set::AnimationSet;
use super::sync::{self, SyncStep};
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, ControlError};
use crate::animation::{AnimationIndex, Trigger};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The inertial fades that a controller started. An [`Inertia`](crate::Inertia) smooths a switch when the count
/// changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InertialSwitch {
    /// The number of inertial fades so far; wraps around.
    pub count: u32,
    /// The duration of the last one, in seconds.
    pub seconds: f32,
}

impl InertialSwitch {
    pub(super) fn record(&mut self, seconds: f32) {
        self.count = self.count.wrapping_add(1);
        self.seconds = seconds;
    }

    /// Returns whether both have the same bits.
    pub(super) fn has_same_bits(&self, other: &Self) -> bool {
        self.count == other.count && self.seconds.to_bits() == other.seconds.to_bits()
    }

    pub(super) fn check(&self) -> Result<(), ControlError> {
        if self.seconds.is_finite() && self.seconds >= 0.0 {
            return Ok(());
        }
        Err(ControlError::Number {
            field: "inertial_switch.seconds",
            value: self.seconds,
            expected: "a finite number of seconds, not negative",
        })
    }
}

/// The state of a controller: plain data that can be cloned, compared, saved and restored at any time.
///
/// Animations are indices into the controller's set. [`to_bytes`](Self::to_bytes) stores the set's
/// [fingerprint](AnimationSet::fingerprint); store it too if you serialize a state yourself.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ControllerState {
    /// The playing animations, in the order in which they were added.
    pub animations: Vec<AnimationParameters>,
    /// Incremented by the first [`update`](AnimationController::update) after a manual change.
    pub revision: u32,
    /// Whether anything was changed manually since the last update.
    pub is_dirty: bool,
    /// The last [inertial](super::FadeMode::Inertial) fade.
    #[cfg_attr(feature = "serde", serde(default))]
    pub inertial_switch: InertialSwitch,
}

impl ControllerState {
    /// Advances the state by `dt` seconds like [`AnimationController::update`], without a controller and without
    /// triggers: a receiver's prediction of a state that it was sent. Allocates only for sync groups, whose animations
    /// are synchronized by normalized time here. If the set has registrations, use [`Self::advance_with`].
    pub fn advance(&mut self, dt: f32) {
        self.advance_reporting(dt, None, &mut Vec::new(), |_| {});
    }

    /// Like [`Self::advance`], with the registrations of a set, as a controller of that set advances.
    pub fn advance_with(&mut self, set: &AnimationSet, dt: f32) {
        self.advance_reporting(dt, Some(set), &mut Vec::new(), |_| {});
    }

    /// Like [`Self::advance_with`]; also reports each time step. `steps` is a buffer for sync groups.
    pub(super) fn advance_reporting(
        &mut self,
        dt: f32,
        set: Option<&AnimationSet>,
        steps: &mut Vec<Option<SyncStep>>,
        mut report: impl FnMut(PlayheadStep<'_>),
    ) {
        let dt = if dt > 0.0 { dt.min(f32::MAX) } else { 0.0 };
        if self.is_dirty {
            self.is_dirty = false;
            self.revision = self.revision.wrapping_add(1);
        }
        sync::steps(&self.animations, dt, set, steps);
        let mut steps = steps.iter().copied();
        let mut kept_count = 0;
        let inertial_switch = &mut self.inertial_switch;
        self.animations.retain_mut(|parameters| {
            let before = parameters.applied_weight();
            let step = steps.next().flatten();
            let advance = parameters.advance(dt, step.map(|step| step.range));
            if let Some(seconds) = advance.inertial_switch {
                inertial_switch.record(seconds);
            }
            if let Some(range) = advance.range {
                // An animation that becomes invisible in this update was visible during it.
                let after = parameters.applied_weight();
                let weight = if advance.inertial_switch.is_some() {
                    before
                } else {
                    after
                };
                report(PlayheadStep {
                    parameters,
                    range,
                    weight,
                    leads: step.is_none_or(|step| step.leads),
                    kept: (!advance.removed).then_some(kept_count),
                });
            }
            kept_count += u32::from(!advance.removed);
            !advance.removed
        });
    }
}

/// The time step of an animation in an update.
pub(super) struct PlayheadStep<'a> {
    pub(super) parameters: &'a AnimationParameters,
    pub(super) range: ScalarRange,
    /// The weight of the step.
    weight: f32,
    /// Whether the animation leads its sync group; `true` without a sync group.
    leads: bool,
    /// The position in the list after the update; `None` if the animation was removed.
    kept: Option<u32>,
}

/// The time step of an animation that is still in the list.
#[derive(Clone, Copy, Debug)]
struct KeptStep {
    /// The position before the update; sorts the steps of kept and removed animations.
    order: u32,
    index: u32,
    range: ScalarRange,
    weight: f32,
}

/// The time step of an animation that was removed.
#[derive(Clone, Debug)]
struct RemovedStep {
    order: u32,
    parameters: AnimationParameters,
    range: ScalarRange,
    weight: f32,
}

/// A trigger that fired in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredTrigger<'a> {
    /// The animation of the trigger.
    pub animation: AnimationIndex,
    /// The instance of the animation.
    pub instance_index: u32,
    /// The weight of the animation, 0 to 1; the weight before the update if an inertial fade ended the animation in
    /// it.
    pub weight: f32,
    /// Whether the animation leads its sync group, that is, has the highest visible weight. In a blend of a walk and a
    /// run with a trigger per footstep each, the triggers of the leader are one per footstep. Always `true` without a
    /// sync group.
    pub leads: bool,
    /// The trigger.
    pub trigger: &'a Trigger,
}

#[derive(Clone, Copy, Debug)]
struct TriggerRecord {
    animation: AnimationIndex,
    instance_index: u32,
    weight: f32,
    leads: bool,
    trigger: usize,
    /// The distance in time to the trigger when it was first passed, and whether an end of the range was crossed
    /// before.
    passed: (f64, bool),
}

/// Plays any number of animations concurrently, with fades, layers, loops and sync groups.
///
/// It owns the list of playing animations and advances their times. A binding applies them:
/// [`PoseBinding`](super::PoseBinding) to skeletons, `ArmatureBinding` to 2D characters,
/// [`TargetBinding`](super::TargetBinding) to anything else.
///
/// ```
/// use std::sync::Arc;
/// use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
///
/// let mut set = AnimationSet::new();
/// let walk = set.add(Animation::new("walk", 1.2))?;
/// let run = set.add(Animation::new("run", 0.8))?;
/// let set = Arc::new(set);
///
/// let mut controller = AnimationController::new(set.clone());
/// controller.play_new(AnimationParameters::new(&set, walk).looped(), 0.0)?;
/// controller.update(0.5);
/// controller.play_existing_exclusive(AnimationParameters::new(&set, run).looped(), 0.5)?;
/// controller.update(0.25);
/// let weights: Vec<f32> = controller.animations().iter().map(|a| a.weight).collect();
/// assert_eq!(weights, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnimationController {
    set: Arc<AnimationSet>,
    pub(super) state: ControllerState,
    /// Positions in the list, sorted by layer.
    order: Vec<u32>,
    fired: Vec<TriggerRecord>,
    /// The time steps of the last update.
    kept_steps: Vec<KeptStep>,
    removed_steps: Vec<RemovedStep>,
    /// A buffer for the time steps of sync groups.
    steps: Vec<Option<SyncStep>>,
    free: FreeIndices,
}

impl AnimationController {
    /// Creates a controller that plays nothing.
    pub fn new(set: Arc<AnimationSet>) -> Self {
        Self {
            set,
            state: ControllerState::default(),
            order: Vec::new(),
            fired: Vec::new(),
            kept_steps: Vec::new(),
            removed_steps: Vec::new(),
            steps: Vec::new(),
            free: FreeIndices::default(),
        }
    }

    /// Returns the animation set.
    pub fn animation_set(&self) -> &Arc<AnimationSet> {
        &self.set
    }

    /// Replaces the animation set, for example after an animation was edited. A time range that ends with the
    /// animation is adapted to its length in the new set.
    ///
    /// # Errors
    /// If the new set lacks a playing animation at the same index and with the same name, or a mask in use. The
    /// controller then stays unchanged.
    pub fn replace_set(&mut self, set: Arc<AnimationSet>) -> Result<(), ControlError> {
        for instance in &self.state.animations {
            instance.check(&set)?;
            if self.set.name(instance.animation) != set.name(instance.animation) {
                return Err(ControlError::AnimationMismatch {
                    animation: instance.animation.0,
                    expected: self.set.name(instance.animation).unwrap_or("").into(),
                    found: set.name(instance.animation).unwrap_or("").into(),
                });
            }
        }
        for instance in &mut self.state.animations {
            let lengths = [&self.set, &set].map(|set| set.length(instance.animation));
            if let [Some(old), Some(new)] = lengths
                && instance.time.max() == old
            {
                instance.time = WrappedScalar::new(instance.time.value(), instance.time.min(), new);
            }
        }
        self.set = set;
        self.free.is_known = false;
        self.clear_results();
        Ok(())
    }

    /// Returns the state, for saving.
    pub fn state(&self) -> &ControllerState {
        &self.state
    }

    /// Restores a saved state.
    ///
    /// # Errors
    /// If the state refers to animations or masks that the set lacks, has numbers that are not finite, or has two
    /// instances of one animation with the same index. The controller then stays unchanged.
    pub fn restore(&mut self, state: ControllerState) -> Result<(), ControlError> {
        for parameters in &state.animations {
            parameters.check(&self.set)?;
        }
        check_unique(&state.animations)?;
        state.inertial_switch.check()?;
        self.state = state;
        self.free.is_known = false;
        self.clear_results();
        self.sort();
        Ok(())
    }

    /// Advances by `dt` seconds: times, fades, and the removal of ended animations. Afterwards
    /// [`triggers`](Self::triggers) returns the triggers that fired, and bindings apply the result. Negative and NaN
    /// count as 0. Does not allocate unless more animations play, more triggers fire or more animations end in one
    /// update than ever before.
    pub fn update(&mut self, dt: f32) {
        self.clear_results();
        let before = self.state.animations.len();
        let (set, fired) = (&self.set, &mut self.fired);
        let (kept_steps, removed_steps, mut order) =
            (&mut self.kept_steps, &mut self.removed_steps, 0);
        self.state
            .advance_reporting(dt, Some(set), &mut self.steps, |step| {
                let (parameters, range, weight) = (step.parameters, step.range, step.weight);
                order += 1;
                match step.kept {
                    Some(index) => kept_steps.push(KeptStep {
                        order,
                        index,
                        range,
                        weight,
                    }),
                    None => removed_steps.push(RemovedStep {
                        order,
                        parameters: parameters.clone(),
                        range,
                        weight,
                    }),
                }
                let animation = parameters.animation;
                let length = set.length(animation).unwrap_or(0.0);
                let start = fired.len();
                for (trigger, candidate) in set.triggers(animation).iter().enumerate() {
                    let time = candidate.time.min(length);
                    if range.contains(time, false, true) {
                        fired.push(TriggerRecord {
                            animation,
                            instance_index: parameters.instance_index,
                            weight,
                            leads: step.leads,
                            trigger,
                            passed: range.distance_to(time),
                        });
                    }
                }
                // The index of the trigger keeps triggers at the same time in their order.
                if fired.len() > start + 1 {
                    fired[start..].sort_unstable_by(|a, b| {
                        let key = |event: &TriggerRecord| (event.passed.1, event.trigger);
                        a.passed.0.total_cmp(&b.passed.0).then(key(a).cmp(&key(b)))
                    });
                }
            });
        if before != self.state.animations.len() {
            self.free.is_known = false;
            self.sort();
        }
    }

    /// Returns the last inertial fade, which an [`Inertia`](crate::Inertia) smooths.
    /// [`PoseBinding::apply_smooth`](super::PoseBinding::apply_smooth) handles it.
    pub fn inertial_switch(&self) -> InertialSwitch {
        self.state.inertial_switch
    }

    /// Returns the time steps of the last update, including those of removed animations, each with a sort key and its
    /// weight.
    pub(super) fn playhead_steps(
        &self,
    ) -> impl Iterator<Item = (u32, &AnimationParameters, ScalarRange, f32)> {
        let kept_steps = self.kept_steps.iter().filter_map(|step| {
            let instance = self.state.animations.get(step.index as usize)?;
            Some((step.order, instance, step.range, step.weight))
        });
        let removed_steps = self.removed_steps.iter();
        kept_steps.chain(
            removed_steps.map(|step| (step.order, &step.parameters, step.range, step.weight)),
        )
    }

    /// Invalidates the free instance indices after they changed.
    pub(super) fn invalidate_free_indices(&mut self) {
        self.free.is_known = false;
    }

    /// Discards the results of the last update.
    pub(super) fn clear_results(&mut self) {
        self.fired.clear();
        self.kept_steps.clear();
        self.removed_steps.clear();
    }

    /// Returns the triggers that the last [`update`](Self::update) fired, by animation in list order, then in the
    /// order in which they were first passed. A trigger that was passed several times is returned once. At the seam of
    /// a loop a trigger at the end precedes one at the beginning; the reverse for backward playback.
    pub fn triggers(&self) -> impl Iterator<Item = FiredTrigger<'_>> {
        self.fired.iter().filter_map(|fired| {
            Some(FiredTrigger {
                animation: fired.animation,
                instance_index: fired.instance_index,
                weight: fired.weight,
                leads: fired.leads,
                trigger: self.set.triggers(fired.animation).get(fired.trigger)?,
            })
        })
    }

    /// Returns the playing animations in the order of application: by layer, then in the order in which they were
    /// added.
    pub fn application_order(&self) -> impl Iterator<Item = (usize, &AnimationParameters)> {
        self.order.iter().filter_map(|&index| {
            let index = index as usize;
            Some((index, self.state.animations.get(index)?))
        })
    }

    /// Returns whether the weight of an animation is a share of its layer: if it is set to, or on the lowest layer if
    /// the rest pose is the base. Only the rest pose is below that layer, and a crossfade must not reveal it.
    pub(super) fn shares(&self, instance: &AnimationParameters, rest_is_base: bool) -> bool {
        let is_seen = |instance: &AnimationParameters| {
            instance.blend_mode == BlendMode::Lerp && instance.applied_weight() > 0.0
        };
        let lowest = || {
            let mut applied = self.application_order().map(|(_, instance)| instance);
            applied
                .find(|instance| is_seen(instance))
                .map(|instance| instance.layer)
        };
        instance.is_sharing()
            || (rest_is_base && is_seen(instance) && lowest() == Some(instance.layer))
    }

    /// Returns whether other animations share the layer of an animation. For the first of a layer it returns them all,
    /// so that a binding sums their shares once. `layer` caches the last layer queried and whether it is shared.
    pub(super) fn layer_sharing(
        &self,
        parameters: &AnimationParameters,
        rest_is_base: bool,
        layer: &mut Option<(u32, bool)>,
    ) -> LayerSharing<impl Iterator<Item = &AnimationParameters>> {
        if !self.shares(parameters, rest_is_base) {
            return LayerSharing::Cached(false);
        }
        if let Some((_, is_shared)) = layer.filter(|(known, _)| *known == parameters.layer) {
            return LayerSharing::Cached(is_shared);
        }
        let sharing = self.sharing(parameters.layer, rest_is_base);
        *layer = Some((parameters.layer, sharing.is_some()));
        sharing.map_or(LayerSharing::Cached(false), LayerSharing::First)
    }

    /// Returns the animations that share a layer if there are at least two; a single one has no others above it.
    fn sharing(
        &self,
        layer: u32,
        rest_is_base: bool,
    ) -> Option<impl Iterator<Item = &AnimationParameters>> {
        let of_layer = move || {
            let start = self
                .order
                .partition_point(|&index| self.layer_of(index) < Some(layer));
            let rest = self.order[start..].iter();
            rest.map_while(move |&index| {
                let instance = self.state.animations.get(index as usize)?;
                (instance.layer == layer).then_some(instance)
            })
        };
        let sharing =
            move || of_layer().filter(move |instance| self.shares(instance, rest_is_base));
        (sharing().nth(1).is_some()).then(sharing)
    }

    fn layer_of(&self, index: u32) -> Option<u32> {
        Some(self.state.animations.get(index as usize)?.layer)
    }

    /// Returns the number of manual changes that [`update`](Self::update) has counted.
    pub fn revision(&self) -> u32 {
        self.state.revision
    }

    // Low-level API: the list itself.

    /// Returns the number of playing animations.
    pub fn num_animations(&self) -> usize {
        self.state.animations.len()
    }

    /// Returns the playing animations in the order in which they were added.
    pub fn animations(&self) -> &[AnimationParameters] {
        &self.state.animations
    }

    /// Returns the parameters of a playing animation; `None` if out of range.
    pub fn animation_parameters(&self, index: usize) -> Option<&AnimationParameters> {
        self.state.animations.get(index)
    }

    /// Appends an animation to the list unchanged, with the smallest free instance index. If others of its sync group
    /// play, it takes their time. Returns its position.
    ///
    /// # Errors
    /// If the set has no such animation or mask, or a number is not finite.
    pub fn add_animation(
        &mut self,
        mut parameters: AnimationParameters,
    ) -> Result<usize, ControlError> {
        parameters.check(&self.set)?;
        if self.state.animations.len() >= u32::MAX as usize {
            return Err(ControlError::TooMany);
        }
        let animations = &self.state.animations;
        if !self.free.is_known {
            self.free.fill(animations, self.set.len());
        }
        parameters.instance_index = self.free.take(parameters.animation);
        sync::join(animations, &self.set, &mut parameters);
        let (layer, index) = (parameters.layer, animations.len());
        self.state.animations.push(parameters);
        self.state.is_dirty = true;
        // After all others of its layer.
        let animations = &self.state.animations;
        let place = match self.order.last() {
            Some(&last) if animations[last as usize].layer > layer => self
                .order
                .partition_point(|&position| animations[position as usize].layer <= layer),
            _ => self.order.len(),
        };
        self.order.insert(place, index as u32);
        Ok(index)
    }

    /// Replaces the parameters of a playing animation; modify a copy of
    /// [`animation_parameters`](Self::animation_parameters). Returns whether anything changed.
    ///
    /// # Errors
    /// If nothing plays at `index`, the animation or instance index differs, the set has no such mask, or a number is
    /// not finite. The controller then stays unchanged.
    pub fn update_animation(
        &mut self,
        index: usize,
        parameters: AnimationParameters,
    ) -> Result<bool, ControlError> {
        let instance = self.instance(index)?;
        if !instance.is_mergeable(&parameters) {
            return Err(ControlError::IdentityChanged {
                index,
                animation: instance.animation.0,
                instance_index: instance.instance_index,
            });
        }
        parameters.check(&self.set)?;
        if self.state.animations[index] == parameters {
            return Ok(false);
        }
        self.state.animations[index] = parameters;
        self.state.is_dirty = true;
        self.sort();
        Ok(true)
    }

    /// Removes a playing animation immediately, without a fade.
    ///
    /// # Errors
    /// If nothing plays at `index`.
    pub fn remove_animation(&mut self, index: usize) -> Result<AnimationParameters, ControlError> {
        self.instance(index)?;
        let removed = self.state.animations.remove(index);
        self.free.is_known = false;
        let (removed_index, removed_steps) = (index as u32, &mut self.removed_steps);
        self.kept_steps.retain_mut(|step| {
            if step.index == removed_index {
                removed_steps.push(RemovedStep {
                    order: step.order,
                    parameters: removed.clone(),
                    range: step.range,
                    weight: step.weight,
                });
                return false;
            }
            step.index -= u32::from(step.index > removed_index);
            true
        });
        self.state.is_dirty = true;
        self.sort();
        Ok(removed)
    }

    // Building blocks of the medium-level API.

    /// Changes a playing animation and records whether anything changed. `change` must set finite numbers only.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut AnimationParameters)) {
        if let Some(instance) = self.state.animations.get_mut(index) {
            let before = instance.clone();
            change(instance);
            self.state.is_dirty |= *instance != before;
        }
    }

    pub(super) fn instance(&self, index: usize) -> Result<&AnimationParameters, ControlError> {
        let count = self.state.animations.len();
        let found = self.state.animations.get(index);
        found.ok_or(ControlError::NoSuchInstance { index, count })
    }

    /// Sorts `order` by layer; stable within a layer.
    pub(super) fn sort(&mut self) {
        let animations = &self.state.animations;
        self.order.clear();
        self.order.extend(0..animations.len() as u32);
        let layer = |index: u32| {
            animations
                .get(index as usize)
                .map(|instance| instance.layer)
        };
        self.order
            .sort_unstable_by_key(|&index| (layer(index), index));
    }
}

/// The sharing state of an animation's layer; see [`AnimationController::layer_sharing`].
pub(super) enum LayerSharing<I> {
    /// Shared by these animations, whose shares are not summed yet.
    First(I),
    /// As found for the last animation of the layer.
    Cached(bool),
}

/// The free instance indices of each animation. Taking the smallest one `n` times costs O(n) in total; it is refilled
/// after instances were removed. Does not allocate once as many animations played before.
#[derive(Clone, Debug, Default)]
struct FreeIndices {
    is_known: bool,
    /// The instance indices in use when it was filled, sorted by animation and index.
    used: Vec<(AnimationIndex, u32)>,
    /// For each animation of the set: the lower bound of the free indices, and the next entry of `used`.
    next: Vec<(u32, usize)>,
}

impl FreeIndices {
    fn fill(&mut self, animations: &[AnimationParameters], count: usize) {
        self.used.clear();
        let used = animations.iter();
        self.used
            .extend(used.map(|instance| (instance.animation, instance.instance_index)));
        self.used.sort_unstable();
        self.next.clear();
        self.next.resize(count, (0, usize::MAX));
        for (position, (animation, _)) in self.used.iter().enumerate().rev() {
            if let Some((_, entry)) = self.next.get_mut(animation.index()) {
                *entry = position;
            }
        }
        self.is_known = true;
    }

    /// Takes and returns the smallest free index of an animation. There are always more indices than instances.
    fn take(&mut self, animation: AnimationIndex) -> u32 {
        let Some((next, entry)) = self.next.get_mut(animation.index()) else {
            return 0;
        };
        while let Some(&(used_animation, index)) = self.used.get(*entry)
            && used_animation == animation
            && index <= *next
        {
            *next += u32::from(index == *next);
            *entry += 1;
        }
        let index = *next;
        *next = index.saturating_add(1);
        index
    }
}

/// Returns a valid weight or speed; `None` if not finite.
pub(super) fn number(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

/// Prepares a fade-in: the weight starts at 0, unless the fade has no duration or is inertial.
pub(super) fn start_fade_in(
    mut parameters: AnimationParameters,
    seconds: f32,
) -> AnimationParameters {
    let seconds = duration(seconds);
    if seconds > 0.0 && parameters.fade_mode == FadeMode::Cross {
        parameters.weight = 0.0;
        parameters.target_weight_delay = seconds;
    }
    parameters
}
