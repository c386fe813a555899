//! The controller: which animations play, and what time does to them.

use super::parameters::{AnimationParameters, FadeMode, check_unique, duration};
use super::set::AnimationSet;
use super::sync::{self, SyncStep};
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, ControlError};
use crate::animation::{AnimationIndex, Trigger};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The inertial fades that a controller started: an [`Inertia`](crate::Inertia) smooths a switch when the count changes.
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

    /// Whether both have the same bits.
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

/// What a controller is doing: plain data, to be cloned, compared, saved and restored in mid-play.
///
/// Animations are positions in the controller's set. [`to_bytes`](Self::to_bytes) notes the set's
/// [fingerprint](AnimationSet::fingerprint); whoever saves a state in another way does well to keep that
/// beside it.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ControllerState {
    /// The playing animations, in the order in which they were added.
    pub animations: Vec<AnimationParameters>,
    /// Rises with the first [`update`](AnimationController::update) after something was changed by hand.
    pub revision: u32,
    /// Something was changed by hand since the last update.
    pub is_dirty: bool,
    /// The last [inertial](super::FadeMode::Inertial) fade.
    #[cfg_attr(feature = "serde", serde(default))]
    pub inertial_switch: InertialSwitch,
}

impl ControllerState {
    /// Lets `dt` seconds pass as [`AnimationController::update`] does, without a controller and without
    /// triggers: what a receiver expects of a state that it was sent. Allocates for sync groups only, whose
    /// animations are in step by their share of the time range here; where the set has registrations, use
    /// [`Self::advance_with`].
    pub fn advance(&mut self, dt: f32) {
        self.pass(dt, None, &mut Vec::new(), |_| {});
    }

    /// The same with the registrations of a set, as a controller of that set does.
    pub fn advance_with(&mut self, set: &AnimationSet, dt: f32) {
        self.pass(dt, Some(set), &mut Vec::new(), |_| {});
    }

    /// The same, and shows each way that a time went. `steps` is room for the ways of groups.
    pub(super) fn pass(
        &mut self,
        dt: f32,
        set: Option<&AnimationSet>,
        steps: &mut Vec<Option<SyncStep>>,
        mut went: impl FnMut(Went<'_>),
    ) {
        let dt = if dt > 0.0 { dt.min(f32::MAX) } else { 0.0 };
        if self.is_dirty {
            self.is_dirty = false;
            self.revision = self.revision.wrapping_add(1);
        }
        sync::steps(&self.animations, dt, set, steps);
        let mut steps = steps.iter().copied();
        let mut kept = 0;
        let inertial_switch = &mut self.inertial_switch;
        self.animations.retain_mut(|parameters| {
            let before = parameters.applied_weight();
            let step = steps.next().flatten();
            let advance = parameters.advance(dt, step.map(|step| step.range));
            if let Some(seconds) = advance.inertial_switch {
                inertial_switch.record(seconds);
            }
            if let Some(range) = advance.range {
                // What jumps out of sight in this update was in sight on the way.
                let after = parameters.applied_weight();
                let weight = if advance.inertial_switch.is_some() {
                    before
                } else {
                    after
                };
                went(Went {
                    parameters,
                    range,
                    weight,
                    leads: step.is_none_or(|step| step.leads),
                    kept: (!advance.removed).then_some(kept),
                });
            }
            kept += u32::from(!advance.removed);
            !advance.removed
        });
    }
}

/// The way that the time of an animation went in an update.
pub(super) struct Went<'a> {
    pub(super) parameters: &'a AnimationParameters,
    pub(super) range: ScalarRange,
    /// How much the way counts.
    weight: f32,
    /// Whether it leads its sync group; what is in none leads itself.
    leads: bool,
    /// Where it is in the list after that; `None` for what has gone.
    kept: Option<u32>,
}

/// The same of one that is in the list.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Ways are in the order in which animations were in the list.
    order: u32,
    index: u32,
    range: ScalarRange,
    weight: f32,
}

/// The same of one that has gone.
#[derive(Clone, Debug)]
struct Gone {
    order: u32,
    parameters: AnimationParameters,
    range: ScalarRange,
    weight: f32,
}

/// A trigger that an update passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredTrigger<'a> {
    /// The animation that it belongs to.
    pub animation: AnimationIndex,
    /// Which of several that play it.
    pub instance_index: u32,
    /// The weight that its animation was applied with, 0 to 1; where an inertial fade ended it in this update, the
    /// weight before.
    pub weight: f32,
    /// Whether its animation leads its sync group: the one of the group that is seen most. Of a walk and a run that are
    /// mixed, each with a trigger per footstep, the leader's triggers are one footstep each. Always `true` for what is
    /// in no sync group.
    pub leads: bool,
    /// The trigger.
    pub trigger: &'a Trigger,
}

#[derive(Clone, Copy, Debug)]
struct Fired {
    animation: AnimationIndex,
    instance_index: u32,
    weight: f32,
    leads: bool,
    trigger: usize,
    /// How far the time had gone when it was first passed, and whether that was across an end of its range.
    passed: (f64, bool),
}

/// Plays any number of animations at once: fades, layers, loops, one after the other and over each other.
///
/// It keeps the list and lets time pass; a binding ([`PoseBinding`](super::PoseBinding) for skeletons,
/// `ArmatureBinding` for 2D characters, [`TargetBinding`](super::TargetBinding) for
/// anything else) applies what is in it.
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
    /// Positions in the list by layer.
    order: Vec<u32>,
    fired: Vec<Fired>,
    /// What the last update did to the times of animations.
    ways: Vec<Way>,
    gone: Vec<Gone>,
    /// Room for the ways of sync groups.
    steps: Vec<Option<SyncStep>>,
    free: FreeIndices,
}

impl AnimationController {
    /// A controller that plays nothing yet.
    pub fn new(set: Arc<AnimationSet>) -> Self {
        Self {
            set,
            state: ControllerState::default(),
            order: Vec::new(),
            fired: Vec::new(),
            ways: Vec::new(),
            gone: Vec::new(),
            steps: Vec::new(),
            free: FreeIndices::default(),
        }
    }

    /// The animations that it can play.
    pub fn animation_set(&self) -> &Arc<AnimationSet> {
        &self.set
    }

    /// Goes on with another set, such as one with an edited animation. What plays to the end of an animation
    /// plays to its end in the other set, if it is longer or shorter there.
    ///
    /// # Errors
    /// When something plays that the other set does not have at the same position and under the same name,
    /// or a mask that it does not have; nothing changes then.
    pub fn replace_set(&mut self, set: Arc<AnimationSet>) -> Result<(), ControlError> {
        for own in &self.state.animations {
            own.check(&set)?;
            if self.set.name(own.animation) != set.name(own.animation) {
                return Err(ControlError::OtherAnimation {
                    animation: own.animation.0,
                    expected: self.set.name(own.animation).unwrap_or("").into(),
                    found: set.name(own.animation).unwrap_or("").into(),
                });
            }
        }
        for own in &mut self.state.animations {
            let lengths = [&self.set, &set].map(|set| set.length(own.animation));
            if let [Some(old), Some(new)] = lengths
                && own.time.max() == old
            {
                own.time = WrappedScalar::new(own.time.value(), own.time.min(), new);
            }
        }
        self.set = set;
        self.free.is_known = false;
        self.forget();
        Ok(())
    }

    /// What it is doing, to be saved.
    pub fn state(&self) -> &ControllerState {
        &self.state
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// When the state names animations or masks that the set lacks, has numbers that are not finite, or two
    /// instances of one animation with one index; nothing changes then.
    pub fn restore(&mut self, state: ControllerState) -> Result<(), ControlError> {
        for parameters in &state.animations {
            parameters.check(&self.set)?;
        }
        check_unique(&state.animations)?;
        state.inertial_switch.check()?;
        self.state = state;
        self.free.is_known = false;
        self.forget();
        self.sort();
        Ok(())
    }

    /// Lets `dt` seconds pass: times move on, weights fade, what has ended goes. Then
    /// [`triggers`](Self::triggers) has what was passed on the way, and bindings apply the rest. What is
    /// negative or not a number counts as 0. Does not allocate unless more animations play, more triggers fire
    /// or more animations end at once than ever before.
    pub fn update(&mut self, dt: f32) {
        self.forget();
        let before = self.state.animations.len();
        let (set, fired) = (&self.set, &mut self.fired);
        let (ways, gone, mut order) = (&mut self.ways, &mut self.gone, 0);
        self.state.pass(dt, Some(set), &mut self.steps, |went| {
            let (parameters, range, weight) = (went.parameters, went.range, went.weight);
            order += 1;
            match went.kept {
                Some(index) => ways.push(Way {
                    order,
                    index,
                    range,
                    weight,
                }),
                None => gone.push(Gone {
                    order,
                    parameters: parameters.clone(),
                    range,
                    weight,
                }),
            }
            let animation = parameters.animation;
            let length = set.length(animation).unwrap_or(0.0);
            let start = fired.len();
            for (trigger, own) in set.triggers(animation).iter().enumerate() {
                let time = own.time.min(length);
                if range.contains(time, false, true) {
                    fired.push(Fired {
                        animation,
                        instance_index: parameters.instance_index,
                        weight,
                        leads: went.leads,
                        trigger,
                        passed: range.distance_to(time),
                    });
                }
            }
            // The trigger's index keeps those of one time in their order.
            if fired.len() > start + 1 {
                fired[start..].sort_unstable_by(|a, b| {
                    let key = |own: &Fired| (own.passed.1, own.trigger);
                    a.passed.0.total_cmp(&b.passed.0).then(key(a).cmp(&key(b)))
                });
            }
        });
        if before != self.state.animations.len() {
            self.free.is_known = false;
            self.sort();
        }
    }

    /// The last inertial fade, which an [`Inertia`](crate::Inertia) smooths.
    /// [`PoseBinding::apply_smooth`](super::PoseBinding::apply_smooth) looks after it.
    pub fn inertial_switch(&self) -> InertialSwitch {
        self.state.inertial_switch
    }

    /// The ways that times went in the last update, of what has gone since too, each with a number that tells their
    /// order and with its weight then.
    pub(super) fn ways(
        &self,
    ) -> impl Iterator<Item = (u32, &AnimationParameters, ScalarRange, f32)> {
        let here = self.ways.iter().filter_map(|way| {
            let own = self.state.animations.get(way.index as usize)?;
            Some((way.order, own, way.range, way.weight))
        });
        let gone = self.gone.iter();
        here.chain(gone.map(|gone| (gone.order, &gone.parameters, gone.range, gone.weight)))
    }

    /// Instance indices have changed.
    pub(super) fn forget_indices(&mut self) {
        self.free.is_known = false;
    }

    /// What the last update told is of no use.
    pub(super) fn forget(&mut self) {
        self.fired.clear();
        self.ways.clear();
        self.gone.clear();
    }

    /// The triggers that the last [`update`](Self::update) passed: for each animation in the order of the
    /// list, in the order in which they were first passed, each once however often that was. Across the seam of a loop
    /// one at the end comes before one at the beginning, and the other way round for what plays backwards.
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

    /// The playing animations in the order in which they are applied: by layer, then as they were added.
    pub fn applied(&self) -> impl Iterator<Item = (usize, &AnimationParameters)> {
        self.order.iter().filter_map(|&index| {
            let index = index as usize;
            Some((index, self.state.animations.get(index)?))
        })
    }

    /// Whether the weight of an animation is a share of its layer: where it says so, and on the lowest layer where the
    /// rest pose is the base. There nothing but rest is below, and a crossfade must not show it.
    pub(super) fn shares(&self, own: &AnimationParameters, rest_is_base: bool) -> bool {
        let is_seen = |own: &AnimationParameters| {
            own.blend_mode == BlendMode::Lerp && own.applied_weight() > 0.0
        };
        let lowest = || {
            let mut applied = self.applied().map(|(_, own)| own);
            applied.find(|own| is_seen(own)).map(|own| own.layer)
        };
        own.is_sharing() || (rest_is_base && is_seen(own) && lowest() == Some(own.layer))
    }

    /// Whether others share the layer of an animation with it; for the first of a layer, which they are, so that a binding
    /// adds up their shares once. `layer` is the layer that this was asked for last, and whether it is shared.
    pub(super) fn layer_sharing(
        &self,
        parameters: &AnimationParameters,
        rest_is_base: bool,
        layer: &mut Option<(u32, bool)>,
    ) -> LayerSharing<impl Iterator<Item = &AnimationParameters>> {
        if !self.shares(parameters, rest_is_base) {
            return LayerSharing::Known(false);
        }
        if let Some((_, is_shared)) = layer.filter(|(known, _)| *known == parameters.layer) {
            return LayerSharing::Known(is_shared);
        }
        let sharing = self.sharing(parameters.layer, rest_is_base);
        *layer = Some((parameters.layer, sharing.is_some()));
        sharing.map_or(LayerSharing::Known(false), LayerSharing::First)
    }

    /// Those that share a layer, of which there are at least two: otherwise nothing is above any of them.
    fn sharing(
        &self,
        layer: u32,
        rest_is_base: bool,
    ) -> Option<impl Iterator<Item = &AnimationParameters>> {
        let of_layer = move || {
            let start = self
                .order
                .partition_point(|&own| self.layer_of(own) < Some(layer));
            let rest = self.order[start..].iter();
            rest.map_while(move |&index| {
                let own = self.state.animations.get(index as usize)?;
                (own.layer == layer).then_some(own)
            })
        };
        let sharing = move || of_layer().filter(move |own| self.shares(own, rest_is_base));
        (sharing().nth(1).is_some()).then(sharing)
    }

    fn layer_of(&self, index: u32) -> Option<u32> {
        Some(self.state.animations.get(index as usize)?.layer)
    }

    /// Counts the changes made by hand, as [`update`](Self::update) saw them.
    pub fn revision(&self) -> u32 {
        self.state.revision
    }

    // The low level: the list as it is.

    /// How many animations are playing.
    pub fn num_animations(&self) -> usize {
        self.state.animations.len()
    }

    /// The playing animations, in the order in which they were added.
    pub fn animations(&self) -> &[AnimationParameters] {
        &self.state.animations
    }

    /// One of the playing animations; `None` out of range.
    pub fn animation_parameters(&self, index: usize) -> Option<&AnimationParameters> {
        self.state.animations.get(index)
    }

    /// Adds an animation at the end of the list, as it is; its instance index is the smallest that no other
    /// instance of it has. Where others of its sync group play, its time is theirs. Returns its position.
    ///
    /// # Errors
    /// When the set has no such animation or mask, or a number is not finite.
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
        // Behind all others of its layer.
        let animations = &self.state.animations;
        let place = match self.order.last() {
            Some(&last) if animations[last as usize].layer > layer => self
                .order
                .partition_point(|&own| animations[own as usize].layer <= layer),
            _ => self.order.len(),
        };
        self.order.insert(place, index as u32);
        Ok(index)
    }

    /// Replaces the parameters of a playing animation, best those that
    /// [`animation_parameters`](Self::animation_parameters) gave with some changed. Whether anything changed.
    ///
    /// # Errors
    /// When there is none at `index`, the animation or instance index is another, the set has no such mask,
    /// or a number is not finite; nothing changes then.
    pub fn update_animation(
        &mut self,
        index: usize,
        parameters: AnimationParameters,
    ) -> Result<bool, ControlError> {
        let own = self.instance(index)?;
        if !own.is_mergeable(&parameters) {
            return Err(ControlError::IdentityChanged {
                index,
                animation: own.animation.0,
                instance_index: own.instance_index,
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

    /// Removes a playing animation at once, without a fade.
    ///
    /// # Errors
    /// When there is none at `index`.
    pub fn remove_animation(&mut self, index: usize) -> Result<AnimationParameters, ControlError> {
        self.instance(index)?;
        let removed = self.state.animations.remove(index);
        self.free.is_known = false;
        let (at, gone) = (index as u32, &mut self.gone);
        self.ways.retain_mut(|way| {
            if way.index == at {
                gone.push(Gone {
                    order: way.order,
                    parameters: removed.clone(),
                    range: way.range,
                    weight: way.weight,
                });
                return false;
            }
            way.index -= u32::from(way.index > at);
            true
        });
        self.state.is_dirty = true;
        self.sort();
        Ok(removed)
    }

    // What the medium level is made of.

    /// Changes a playing animation and remembers whether that made a difference. The numbers that `change`
    /// puts in are finite.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut AnimationParameters)) {
        if let Some(own) = self.state.animations.get_mut(index) {
            let before = own.clone();
            change(own);
            self.state.is_dirty |= *own != before;
        }
    }

    pub(super) fn instance(&self, index: usize) -> Result<&AnimationParameters, ControlError> {
        let count = self.state.animations.len();
        let found = self.state.animations.get(index);
        found.ok_or(ControlError::NoSuchInstance { index, count })
    }

    /// Puts the list in order of layers; within one they stay in theirs.
    pub(super) fn sort(&mut self) {
        let animations = &self.state.animations;
        self.order.clear();
        self.order.extend(0..animations.len() as u32);
        let layer = |index: u32| animations.get(index as usize).map(|own| own.layer);
        self.order
            .sort_unstable_by_key(|&index| (layer(index), index));
    }
}

/// Whether the layer of an animation is shared; see [`AnimationController::layer_sharing`].
pub(super) enum LayerSharing<I> {
    /// It is, by these, whose shares are not added up yet.
    First(I),
    Known(bool),
}

/// For each animation, which instance indices are free. Taking the smallest one `n` times costs time in proportion to `n`
/// overall; it is filled anew after instances were removed. Does not allocate once as many were playing.
#[derive(Clone, Debug, Default)]
struct FreeIndices {
    is_known: bool,
    /// Animations and the instance indices that were taken when it was filled, in order.
    taken: Vec<(AnimationIndex, u32)>,
    /// For each animation of the set: all indices below are taken, and which entry of `taken` comes next.
    next: Vec<(u32, usize)>,
}

impl FreeIndices {
    fn fill(&mut self, animations: &[AnimationParameters], count: usize) {
        self.taken.clear();
        let taken = animations.iter();
        self.taken
            .extend(taken.map(|own| (own.animation, own.instance_index)));
        self.taken.sort_unstable();
        self.next.clear();
        self.next.resize(count, (0, usize::MAX));
        for (at, (animation, _)) in self.taken.iter().enumerate().rev() {
            if let Some((_, entry)) = self.next.get_mut(animation.index()) {
                *entry = at;
            }
        }
        self.is_known = true;
    }

    /// The smallest free index of an animation of the set, which is taken then. Fewer instances play than there are
    /// indices.
    fn take(&mut self, animation: AnimationIndex) -> u32 {
        let Some((next, entry)) = self.next.get_mut(animation.index()) else {
            return 0;
        };
        while let Some(&(own, index)) = self.taken.get(*entry)
            && own == animation
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

/// A number that a weight or speed can be; `None` for what is not finite.
pub(super) fn number(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

/// Fades a new animation in: it starts at weight 0, unless there is no time to fade or the body flows over.
pub(super) fn faded_in(mut parameters: AnimationParameters, seconds: f32) -> AnimationParameters {
    let seconds = duration(seconds);
    if seconds > 0.0 && parameters.fade_mode == FadeMode::Cross {
        parameters.weight = 0.0;
        parameters.target_weight_delay = seconds;
    }
    parameters
}
