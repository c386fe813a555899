//! A controller on anything: nodes that move, attributes that change.

use super::blend::blend_variant;
use super::explain::Contribution;
use super::filter::check_start_bone;
use super::moment::{Moment, Told};
use super::set::{AnimationSet, Clip};
use super::source::{Mover, PackedClips};
use super::warning::WarningList;
use super::{
    AnimationController, AnimationParameters, AttributePath, BindingProblem, BindingWarning,
    PathError,
};
use crate::animation::{Channels, Variant, VariantTrack, VariantType};
use crate::math::Transform;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Pairs of start bone and mask that are remembered for an animation, unless more play: a game that makes up
/// names while it plays does not fill the memory.
const MAX_BOUND: usize = 64;

/// Something with nodes that transform tracks move and attributes that variant tracks change: what an
/// engine implements to be animated by a [`TargetBinding`].
///
/// Attributes alone are enough; the rest has defaults.
pub trait AnimationTarget {
    /// How a node is known once it was found by name.
    type Node: Clone + Ord;
    /// How an attribute is known once it was found by its path.
    type Attribute: Clone + Ord;

    /// Another number than before when names may lead elsewhere, as after adding, removing or renaming a
    /// node; and another one for each target that a binding is used with in turn, unless names lead to the
    /// same in all of them. Tracks are bound again when it changes.
    fn revision(&self) -> u64 {
        0
    }

    /// The node of an animation's start bone. By default that is how any node is found.
    fn find_start_bone(&self, name: &str) -> Option<Self::Node> {
        self.find_node(name, None)
    }

    /// The node that a transform track of this name moves: one at or below `start`, where that is given.
    fn find_node(&self, name: &str, start: Option<&Self::Node>) -> Option<Self::Node> {
        let _ = (name, start);
        None
    }

    /// Moves a node: those channels that `channels` has.
    fn set_transform(&mut self, node: &Self::Node, transform: Transform, channels: Channels) {
        let _ = (node, transform, channels);
    }

    /// The attribute at a path, and its type.
    ///
    /// # Errors
    /// What there is not; [`AttributePath`] makes the errors.
    fn find_attribute(
        &self,
        path: &AttributePath<'_>,
    ) -> Result<(Self::Attribute, VariantType), PathError> {
        Err(path.no_such_attribute())
    }

    /// Changes an attribute, to a value of its type.
    fn set_attribute(&mut self, attribute: &Self::Attribute, value: &Variant) {
        let _ = (attribute, value);
    }

    /// Puts bones to rest; for [`TargetBinding::reset_skeleton`].
    fn reset_skeleton(&mut self) {}
}

/// Applies a controller to an [`AnimationTarget`] whose nodes are known as `N` and attributes as `A`.
///
/// Tracks are bound when their animation is first played, and again after the set or the target's
/// [`revision`](AnimationTarget::revision) changed. Otherwise nothing is looked up by letters and nothing
/// allocates. Compressed animations play as those of tracks do, with a [`PackedCursor`](crate::PackedCursor) each. All
/// values are worked out before any is written; nodes are written before attributes.
#[derive(Clone, Debug)]
pub struct TargetBinding<N, A> {
    /// Puts bones to rest before animations are applied.
    pub reset_skeleton: bool,
    set: Arc<AnimationSet>,
    revision: u64,
    /// For each animation, its tracks with each start bone and mask that it was played with.
    bound: Vec<Vec<Bound>>,
    packed: PackedClips,
    nodes: Slots<N, NodeValue>,
    attributes: Slots<A, Option<Variant>>,
    warnings: WarningList,
}

/// Hears of the weight, sample and result of an animation on the attribute of a slot.
type Tell<'t, 'c> =
    &'t mut dyn FnMut((usize, &'c AnimationParameters), usize, (f32, Variant, Variant));

/// The tracks of one animation, with one start bone and one mask.
#[derive(Clone, Debug)]
struct Bound {
    /// The numbers of the start bone and the mask.
    names: (u64, u64),
    tracks: Vec<BoundTrack>,
    variants: Vec<BoundVariant>,
}

#[derive(Clone, Copy, Debug)]
struct BoundTrack {
    mover: Mover,
    slot: usize,
    /// What the mask leaves.
    weight: f32,
}

#[derive(Clone, Copy, Debug)]
struct BoundVariant {
    track: usize,
    slot: usize,
}

/// What animations make of a node.
#[derive(Clone, Copy, Debug)]
struct NodeValue {
    transform: Transform,
    started: [bool; 3],
}

/// A value per node or attribute that anything animates.
#[derive(Clone, Debug)]
struct Slots<K, V> {
    list: Vec<(K, V)>,
    places: BTreeMap<K, usize>,
}

impl<K: Clone + Ord, V> Slots<K, V> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.places.clear();
    }

    /// The place of a key; where it has none yet it gets one with this value.
    fn place(&mut self, key: K, value: V) -> usize {
        let list = &mut self.list;
        *self.places.entry(key).or_insert_with_key(|key| {
            list.push((key.clone(), value));
            list.len() - 1
        })
    }
}

impl<N: Clone + Ord, A: Clone + Ord> TargetBinding<N, A> {
    /// A binding to which nothing is bound yet.
    pub fn new(set: &Arc<AnimationSet>) -> Self {
        Self {
            reset_skeleton: false,
            set: set.clone(),
            revision: 0,
            bound: Vec::new(),
            packed: PackedClips::default(),
            nodes: Slots::new(),
            attributes: Slots::new(),
            warnings: WarningList::default(),
        }
    }

    /// Tracks of animations played so far that found nothing to animate. Each is listed once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies what a controller plays to the target. What nothing animates stays as it is.
    pub fn apply<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        controller: &AnimationController,
        target: &mut T,
    ) {
        self.prepare(controller, target);
        if self.reset_skeleton {
            target.reset_skeleton();
        }
        for (_, value) in &mut self.nodes.list {
            value.started = [false; 3];
        }
        for (_, value) in &mut self.attributes.list {
            *value = None;
        }
        self.evaluate(controller, None);
        for (node, value) in &self.nodes.list {
            let [position, rotation, scale] = value.started;
            let channels = Channels {
                position,
                rotation,
                scale,
            };
            if channels != Channels::default() {
                target.set_transform(node, value.transform, channels);
            }
        }
        for (attribute, value) in &self.attributes.list {
            if let Some(value) = value {
                target.set_attribute(attribute, value);
            }
        }
    }

    /// How a node came to be where [`Self::apply`] puts it: what each animation did to it, in the order in
    /// which they were applied. Allocates.
    pub fn explain_node<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        controller: &AnimationController,
        target: &T,
        node: &N,
    ) -> Vec<Contribution> {
        self.prepare(controller, target);
        let Some(&slot) = self.nodes.places.get(node) else {
            return Vec::new();
        };
        let mut told = Told::default();
        for (index, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            let clip = self.set.clip(parameters.animation);
            let notes = clip.and_then(Clip::notes).filter(|_| weight > 0.0);
            let (Some(bound), Some(notes)) = (find(&self.bound, parameters), notes) else {
                continue;
            };
            let moment = Moment::new(parameters, notes);
            let source = self.packed.source(&self.set, parameters.animation, &moment);
            let Some(source) = source else { continue };
            for own in bound.tracks.iter().filter(|own| own.slot == slot) {
                let weight = weight * own.weight;
                source.explain(&moment, &own.mover, (index, parameters), weight, &mut told);
            }
        }
        told.list
    }

    /// How an attribute came to its value, likewise; empty when the path leads nowhere.
    pub fn explain_attribute<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        controller: &AnimationController,
        target: &T,
        path: &str,
    ) -> Vec<Contribution> {
        self.prepare(controller, target);
        let found = AttributePath::parse(path).and_then(|path| target.find_attribute(&path));
        let slot = found
            .ok()
            .and_then(|(attribute, _)| self.attributes.places.get(&attribute).copied());
        for (_, value) in &mut self.attributes.list {
            *value = None;
        }
        let mut list = Vec::new();
        let mut tell = |at: (usize, &_), own, (weight, value, result): (f32, Variant, Variant)| {
            if Some(own) == slot {
                list.push(Contribution::new(at, "attribute", weight, value, result));
            }
        };
        self.evaluate(controller, Some(&mut tell));
        list
    }

    /// Works out every value; `tell` hears of what is done to attributes.
    fn evaluate<'c>(
        &mut self,
        controller: &'c AnimationController,
        mut tell: Option<Tell<'_, 'c>>,
    ) {
        for (index, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let clip = self.set.clip(parameters.animation);
            let (Some(bound), Some(notes)) =
                (find(&self.bound, parameters), clip.and_then(Clip::notes))
            else {
                continue;
            };
            let moment = Moment::new(parameters, notes);
            let source = self.packed.source(&self.set, parameters.animation, &moment);
            let Some(source) = source else { continue };
            for own in &bound.tracks {
                let (_, slot) = &mut self.nodes.list[own.slot];
                source.apply(
                    &moment,
                    &own.mover,
                    weight * own.weight,
                    &mut slot.transform,
                    &mut slot.started,
                );
            }
            for own in &bound.variants {
                let track = &notes.variants[own.track];
                let (_, slot) = &mut self.attributes.list[own.slot];
                let sample = moment.variant(track);
                let told = tell.is_some().then(|| sample.clone());
                let blended = blend_variant(
                    parameters.blend_mode,
                    slot.as_ref(),
                    track.interpolation(),
                    sample,
                    track.first(),
                    weight * track.weight,
                );
                if let Some((value, weight)) = blended {
                    if let (Some(tell), Some(told)) = (&mut tell, told) {
                        tell((index, parameters), own.slot, (weight, told, value.clone()));
                    }
                    *slot = Some(value);
                }
            }
        }
    }

    /// Binds whatever plays and is not bound.
    fn prepare<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        controller: &AnimationController,
        target: &T,
    ) {
        let set = controller.animation_set();
        if !Arc::ptr_eq(set, &self.set) || target.revision() != self.revision {
            self.set = set.clone();
            self.revision = target.revision();
            self.bound.clear();
            self.packed.clear();
            self.nodes.clear();
            self.attributes.clear();
            self.warnings.clear();
        }
        self.bound.resize_with(set.len(), Vec::new);
        let most = MAX_BOUND.max(controller.num_animations() + 1);
        // Where so many were met that they are forgotten, those that play are bound again.
        for _ in 0..2 {
            for (_, parameters) in controller.applied() {
                if find(&self.bound, parameters).is_some() {
                    continue;
                }
                let bound = self.bind(parameters, target);
                if let Some(all) = self.bound.get_mut(parameters.animation.index()) {
                    if all.len() >= most {
                        all.clear();
                    }
                    all.push(bound);
                }
            }
        }
    }

    fn bind<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        parameters: &AnimationParameters,
        target: &T,
    ) -> Bound {
        let set = self.set.clone();
        let animation = parameters.animation;
        let mut bound = Bound {
            names: names(parameters),
            tracks: Vec::new(),
            variants: Vec::new(),
        };
        let clip = set.clip(animation);
        let Some((clip, notes)) = clip.and_then(|clip| Some((clip, clip.notes()?))) else {
            let name = set.name(animation).unwrap_or("");
            self.warnings
                .add(animation, name, BindingProblem::OtherArmature);
            return bound;
        };
        self.packed.add(&set, animation);
        let start = match parameters.start_bone.as_str() {
            "" => None,
            name => target.find_start_bone(name),
        };
        check_start_bone(parameters, start.is_some(), &mut self.warnings);
        let mask = set.mask(parameters.mask.as_str());
        let movers = clip.movers();
        // For each bound track, which of the movers it is.
        let mut moved = Vec::new();
        for (at, &(name, mover)) in movers.iter().enumerate() {
            let Some(node) = target.find_node(name, start.as_ref()) else {
                // What lies outside the start bone is left out on purpose.
                if start.is_none() || target.find_node(name, None).is_none() {
                    self.warnings
                        .add(animation, name, BindingProblem::NoSuchNode);
                }
                continue;
            };
            let weight = mask.map_or(1.0, |mask| mask.weight(name));
            if weight <= 0.0 {
                continue;
            }
            let none = NodeValue {
                transform: Transform::IDENTITY,
                started: [false; 3],
            };
            let slot = self.nodes.place(node, none);
            moved.push((slot, at));
            bound.tracks.push(BoundTrack {
                mover,
                slot,
                weight,
            });
        }
        for (at, track) in notes.variants.iter().enumerate() {
            match find_attribute(target, track) {
                Ok(attribute) => bound.variants.push(BoundVariant {
                    track: at,
                    slot: self.attributes.place(attribute, None),
                }),
                Err(problem) => self.warnings.add(animation, &track.name, problem),
            }
        }
        for (_, at) in repeated(moved.into_iter()) {
            let (name, _) = movers[at];
            self.warnings
                .add(animation, name, BindingProblem::SameTarget);
        }
        let variants = bound.variants.iter().map(|own| (own.slot, own.track));
        for (_, track) in repeated(variants) {
            let name = &notes.variants[track].name;
            self.warnings
                .add(animation, name, BindingProblem::SameTarget);
        }
        bound
    }
}

/// The numbers of an animation's start bone and mask.
fn names(parameters: &AnimationParameters) -> (u64, u64) {
    (parameters.start_bone.hash(), parameters.mask.hash())
}

fn find<'b>(bound: &'b [Vec<Bound>], parameters: &AnimationParameters) -> Option<&'b Bound> {
    let names = names(parameters);
    let mut all = bound.get(parameters.animation.index())?.iter();
    all.find(|bound| bound.names == names)
}

/// The attribute that a track changes, if it is of the track's type.
fn find_attribute<T: AnimationTarget>(
    target: &T,
    track: &VariantTrack,
) -> Result<T::Attribute, BindingProblem> {
    let path = AttributePath::parse(&track.name)?;
    let (attribute, kind) = target.find_attribute(&path)?;
    if kind == track.kind() {
        Ok(attribute)
    } else {
        Err(BindingProblem::Type {
            track: track.kind(),
            attribute: kind,
        })
    }
}

/// Those pairs of slot and track before which another has the same slot.
fn repeated(slots: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut slots: Vec<(usize, usize)> = slots.collect();
    slots.sort_unstable();
    let pairs = slots.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| pair[1]).collect()
}
