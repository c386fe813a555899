//! A controller on any target: nodes with transforms and attributes with values.

use super::clip::{ClipTrack, PackedClips};
use super::controller::LayerSharing;
use super::explain::{Contribution, JointHistory};
use super::filter::{SkippedAnimations, UnresolvedName, find_mask, find_start};
use super::set::{AnimationSet, Clip};
use super::warning::WarningList;
use super::{
    AnimationController, AnimationParameters, AttributePath, BindingProblem, BindingWarning,
    BlendMode, PathError,
};
use crate::animation::{
    Animation, Channels, Variant, VariantInterpolation, VariantTrack, VariantType,
};
use crate::blend::{LayerOperation, overlay_joint, shared_weight};
use crate::math::Transform;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The number of pairs of start bone and mask that are cached per animation, unless more play. Limits the memory of a
/// game that generates names at run time.
const MAX_BOUND: usize = 64;

/// A target with nodes that transform tracks move and attributes that variant tracks change. Engines implement it to
/// be animated by a [`TargetBinding`].
///
/// Only the attribute functions are required; the others have defaults.
pub trait AnimationTarget {
    /// The handle of a node, found by name.
    type Node: Clone + Ord;
    /// The handle of an attribute, found by path.
    type Attribute: Clone + Ord;

    /// Returns a number that changes when names may resolve differently, such as after a node was added, removed or
    /// renamed. It must also differ between targets that share a binding, unless names resolve to the same in all of
    /// them. Tracks are bound again when it changes.
    fn revision(&self) -> u64 {
        0
    }

    /// Finds the node of a start bone. By default the same as any node.
    fn find_start_bone(&self, name: &str) -> Option<Self::Node> {
        self.find_node(name, None)
    }

    /// Finds the node that a transform track of this name moves: at or below `start` if given.
    fn find_node(&self, name: &str, start: Option<&Self::Node>) -> Option<Self::Node> {
        let _ = (name, start);
        None
    }

    /// Sets those channels of a node's transform that `channels` contains.
    fn set_transform(&mut self, node: &Self::Node, transform: Transform, channels: Channels) {
        let _ = (node, transform, channels);
    }

    /// Finds the attribute at a path, and its type.
    ///
    /// # Errors
    /// If the path does not resolve; [`AttributePath`] creates the errors.
    fn find_attribute(
        &self,
        path: &AttributePath<'_>,
    ) -> Result<(Self::Attribute, VariantType), PathError> {
        Err(path.no_such_attribute())
    }

    /// Sets an attribute to a value of its type.
    fn set_attribute(&mut self, attribute: &Self::Attribute, value: &Variant) {
        let _ = (attribute, value);
    }

    /// Resets bones to rest; for [`TargetBinding::reset_skeleton`].
    fn reset_skeleton(&mut self) {}

    /// Returns the rest transform of a node, for [`TargetBinding::rest_is_base`]; `None` if it has none.
    fn rest_transform(&self, node: &Self::Node) -> Option<Transform> {
        let _ = node;
        None
    }
}

/// Applies a controller to an [`AnimationTarget`] with node handles `N` and attribute handles `A`.
///
/// Tracks are bound when their animation is first played, and again after the set or the target's
/// [`revision`](AnimationTarget::revision) changed. Otherwise there are no name lookups and no allocations. Compressed
/// animations play like keyframed ones, with a [`PackedCursor`](crate::PackedCursor) each. All values are computed
/// before any is written; nodes are written before attributes.
#[derive(Clone, Debug)]
pub struct TargetBinding<N, A> {
    /// Resets bones to rest before animations are applied.
    pub reset_skeleton: bool,
    /// Treats the rest transforms of nodes as an animation of full weight below all others: an animation that is the
    /// first to move a node fades in from rest. Applies to nodes with a
    /// [`rest_transform`](AnimationTarget::rest_transform); attributes have none.
    pub rest_is_base: bool,
    set: Arc<AnimationSet>,
    revision: u64,
    /// The bound tracks of each animation, for each start bone and mask that it was played with.
    bound: Vec<Vec<BoundAnimation>>,
    packed: PackedClips,
    nodes: SlotTable<N, NodeValue>,
    attributes: SlotTable<A, AttributeValue>,
    skipped: SkippedAnimations,
    warnings: WarningList,
}

/// Called with the weight, the shares above, the sample and the result of an animation on the attribute of a slot.
type AttributeReport<'t, 'c> =
    &'t mut dyn FnMut((usize, &'c AnimationParameters), usize, ([f32; 2], Variant, Variant));

/// The tracks of one animation, bound for one start bone and one mask.
#[derive(Clone, Debug)]
struct BoundAnimation {
    /// The hashes of the start bone and the mask.
    names: (u64, u64),
    /// The reason if it is not applied.
    unresolved: Option<UnresolvedName>,
    tracks: Vec<BoundVariantTrack>,
    variants: Vec<BoundVariant>,
}

#[derive(Clone, Copy, Debug)]
struct BoundVariantTrack {
    track: ClipTrack,
    slot: usize,
    /// The weight from the mask.
    weight: f32,
}

#[derive(Clone, Copy, Debug)]
struct BoundVariant {
    track: usize,
    slot: usize,
}

/// The animated value of a node.
#[derive(Clone, Copy, Debug)]
struct NodeValue {
    transform: Transform,
    /// The channels that an animation has set.
    has_value: [bool; 3],
    /// For each channel, the shares of the animations of a layer that are still to be applied.
    above: [f64; 3],
}

/// The animated value of an attribute.
#[derive(Clone, Debug, Default)]
struct AttributeValue {
    /// `None` if no animation has set it.
    value: Option<Variant>,
    above: f64,
}

/// A value for each animated node or attribute.
#[derive(Clone, Debug)]
struct SlotTable<K, V> {
    list: Vec<(K, V)>,
    places: BTreeMap<K, usize>,
}

impl<K: Clone + Ord, V> SlotTable<K, V> {
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

    /// Returns the slot of a key; adds one with this value if there is none.
    fn place(&mut self, key: K, value: V) -> usize {
        let list = &mut self.list;
        *self.places.entry(key).or_insert_with_key(|key| {
            list.push((key.clone(), value));
            list.len() - 1
        })
    }
}

impl<N: Clone + Ord, A: Clone + Ord> TargetBinding<N, A> {
    /// Creates a binding without bound tracks.
    pub fn new(set: &Arc<AnimationSet>) -> Self {
        Self {
            reset_skeleton: false,
            rest_is_base: false,
            skipped: SkippedAnimations::default(),
            set: set.clone(),
            revision: 0,
            bound: Vec::new(),
            packed: PackedClips::default(),
            nodes: SlotTable::new(),
            attributes: SlotTable::new(),
            warnings: WarningList::default(),
        }
    }

    /// Returns the tracks, of animations played so far, without a target, each once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies the playing animations of a controller to the target. Everything else keeps its value. Returns a
    /// warning for each playing animation that is not applied because its start bone or mask does not exist.
    pub fn apply<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        controller: &AnimationController,
        target: &mut T,
    ) -> &[BindingWarning] {
        self.prepare(controller, target);
        if self.reset_skeleton {
            target.reset_skeleton();
        }
        for (node, value) in &mut self.nodes.list {
            value.has_value = [false; 3];
            let rest = self.rest_is_base.then(|| target.rest_transform(node));
            if let Some(rest) = rest.flatten() {
                value.transform = rest;
                value.has_value = [true; 3];
            }
        }
        for (_, slot) in &mut self.attributes.list {
            slot.value = None;
        }
        self.evaluate(controller, None);
        for (node, value) in &self.nodes.list {
            let [position, rotation, scale] = value.has_value;
            let channels = Channels {
                position,
                rotation,
                scale,
            };
            if channels != Channels::default() {
                target.set_transform(node, value.transform, channels);
            }
        }
        for (attribute, slot) in &self.attributes.list {
            if let Some(value) = &slot.value {
                target.set_attribute(attribute, value);
            }
        }
        self.skipped.finish()
    }

    /// Returns the contribution of each animation to the transform that [`Self::apply`] gives a node, in the order of
    /// application. Allocates.
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
        let rest = self.rest_is_base.then(|| target.rest_transform(node));
        let mut history = JointHistory::new(rest.flatten());
        let mut shared_layer = None;
        for (index, parameters) in controller.application_order() {
            let weight = parameters.applied_weight();
            let is_shared = self.find_above(controller, parameters, &mut shared_layer);
            let clip = self.set.clip(parameters.animation);
            let info = clip.and_then(Clip::info).filter(|_| weight > 0.0);
            let (Some(bound), Some(info)) = (find(&self.bound, parameters), info) else {
                continue;
            };
            let time = parameters.sample_time(info.length);
            let sample = self.packed.sample(&self.set, parameters.animation, time);
            let (Some(sample), None) = (sample, bound.unresolved) else {
                continue;
            };
            if is_shared {
                bound.add_shares(weight, info, &mut self.nodes, &mut self.attributes, -1.0);
            }
            let (_, value) = &self.nodes.list[slot];
            let above = is_shared.then_some(value.above);
            let mode = parameters.blend_mode;
            for bound_track in bound
                .tracks
                .iter()
                .filter(|bound_track| bound_track.slot == slot)
            {
                let layer =
                    sample.layer(&bound_track.track, mode, weight * bound_track.weight, above);
                history.overlay((index, parameters), &layer);
            }
        }
        history.list
    }

    /// Returns the contribution of each animation to the value of an attribute; empty if the path does not resolve.
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
        for (_, slot) in &mut self.attributes.list {
            slot.value = None;
        }
        let mut list = Vec::new();
        let mut report = |animation: (usize, &_),
                          written_slot,
                          (weight, value, result): (_, Variant, Variant)| {
            if Some(written_slot) == slot {
                list.push(Contribution::new(
                    animation,
                    "attribute",
                    weight,
                    value,
                    result,
                ));
            }
        };
        self.evaluate(controller, Some(&mut report));
        list
    }

    /// Computes every value; `report` is called for each change of an attribute.
    fn evaluate<'c>(
        &mut self,
        controller: &'c AnimationController,
        mut report: Option<AttributeReport<'_, 'c>>,
    ) {
        self.skipped.start();
        let mut shared_layer = None;
        for (index, parameters) in controller.application_order() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let is_shared = self.find_above(controller, parameters, &mut shared_layer);
            let clip = self.set.clip(parameters.animation);
            let (Some(bound), Some(info)) =
                (find(&self.bound, parameters), clip.and_then(Clip::info))
            else {
                continue;
            };
            if let Some(unresolved) = bound.unresolved {
                self.skipped.add(unresolved, parameters);
                continue;
            }
            let time = parameters.sample_time(info.length);
            let sample = self.packed.sample(&self.set, parameters.animation, time);
            let Some(sample) = sample else { continue };
            let mode = parameters.blend_mode;
            if is_shared {
                bound.add_shares(weight, info, &mut self.nodes, &mut self.attributes, -1.0);
            }
            for bound_track in &bound.tracks {
                let (_, slot) = &mut self.nodes.list[bound_track.slot];
                let above = is_shared.then_some(slot.above);
                let layer =
                    sample.layer(&bound_track.track, mode, weight * bound_track.weight, above);
                overlay_joint(&layer, &mut slot.transform, &mut slot.has_value);
            }
            let time = parameters.sample_time(info.length);
            for bound_variant in &bound.variants {
                let track = &info.variants[bound_variant.track];
                let (_, slot) = &mut self.attributes.list[bound_variant.slot];
                let sample = track.at(time.locate(track.times()));
                let reported = report.is_some().then(|| sample.clone());
                let above = if is_shared { slot.above } else { 0.0 };
                let blended = overlay_variant(
                    mode,
                    slot.value.as_ref(),
                    track.interpolation(),
                    sample,
                    track.first(),
                    shared_weight(weight * track.weight, above),
                );
                if let Some((value, weight)) = blended {
                    if let (Some(report), Some(reported)) = (&mut report, reported) {
                        let weights = [weight, above as f32];
                        report(
                            (index, parameters),
                            bound_variant.slot,
                            (weights, reported, value.clone()),
                        );
                    }
                    slot.value = Some(value);
                }
            }
        }
    }

    /// Returns whether other animations share the layer of an animation. For the first of a layer it sums the shares
    /// of all of them, by node and attribute; `layer` caches the last layer queried.
    fn find_above(
        &mut self,
        controller: &AnimationController,
        parameters: &AnimationParameters,
        layer: &mut Option<(u32, bool)>,
    ) -> bool {
        let sharing = match controller.layer_sharing(parameters, self.rest_is_base, layer) {
            LayerSharing::First(sharing) => sharing,
            LayerSharing::Cached(is_shared) => return is_shared,
        };
        for (_, slot) in &mut self.nodes.list {
            slot.above = [0.0; 3];
        }
        for (_, slot) in &mut self.attributes.list {
            slot.above = 0.0;
        }
        for instance in sharing {
            let clip = self.set.clip(instance.animation);
            let bound = find(&self.bound, instance).filter(|bound| bound.unresolved.is_none());
            if let (Some(bound), Some(info)) = (bound, clip.and_then(Clip::info)) {
                let weight = instance.applied_weight();
                bound.add_shares(weight, info, &mut self.nodes, &mut self.attributes, 1.0);
            }
        }
        true
    }

    /// Binds the playing animations that are not bound yet.
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
        let capacity = MAX_BOUND.max(controller.num_animations() + 1);
        // If the cache overflows and is cleared, the playing animations are bound again.
        for _ in 0..2 {
            for (_, parameters) in controller.application_order() {
                if find(&self.bound, parameters).is_some() {
                    continue;
                }
                let bound = self.bind(parameters, target);
                if let Some(cached) = self.bound.get_mut(parameters.animation.index()) {
                    if cached.len() >= capacity {
                        cached.clear();
                    }
                    cached.push(bound);
                }
            }
        }
    }

    fn bind<T: AnimationTarget<Node = N, Attribute = A>>(
        &mut self,
        parameters: &AnimationParameters,
        target: &T,
    ) -> BoundAnimation {
        let set = self.set.clone();
        let animation = parameters.animation;
        let mut bound = BoundAnimation {
            names: names(parameters),
            unresolved: None,
            tracks: Vec::new(),
            variants: Vec::new(),
        };
        let clip = set.clip(animation);
        let Some((clip, info)) = clip.and_then(|clip| Some((clip, clip.info()?))) else {
            let name = set.name(animation).unwrap_or("");
            self.warnings
                .add(animation, name, BindingProblem::ArmatureMismatch);
            return bound;
        };
        self.packed.add(&set, animation);
        let start = find_start(parameters, |name| target.find_start_bone(name));
        let is_node = |name: &str| target.find_node(name, None).is_some();
        let mask = find_mask(parameters, &set, is_node);
        let (start, mask) = match (start, mask) {
            (Ok(start), Ok(mask)) => (start, mask),
            (Err(unresolved), _) | (_, Err(unresolved)) => {
                let warning = unresolved.warning(parameters);
                self.warnings.add(animation, &warning.name, warning.problem);
                bound.unresolved = Some(unresolved);
                return bound;
            }
        };
        let tracks = clip.joint_tracks();
        // For each bound track, its index.
        let mut moved = Vec::new();
        for (index, &(name, track)) in tracks.iter().enumerate() {
            let Some(node) = target.find_node(name, start.as_ref()) else {
                // Tracks outside the start bone are excluded on purpose.
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
            let unset = NodeValue {
                transform: Transform::IDENTITY,
                has_value: [false; 3],
                above: [0.0; 3],
            };
            let slot = self.nodes.place(node, unset);
            moved.push((slot, index));
            bound.tracks.push(BoundVariantTrack {
                track,
                slot,
                weight,
            });
        }
        for (index, track) in info.variants.iter().enumerate() {
            match find_attribute(target, track) {
                Ok(attribute) => bound.variants.push(BoundVariant {
                    track: index,
                    slot: self.attributes.place(attribute, AttributeValue::default()),
                }),
                Err(problem) => self.warnings.add(animation, &track.name, problem),
            }
        }
        for (_, index) in duplicates(moved.into_iter()) {
            let (name, _) = tracks[index];
            self.warnings
                .add(animation, name, BindingProblem::SameTarget);
        }
        let variants = bound
            .variants
            .iter()
            .map(|variant| (variant.slot, variant.track));
        for (_, track) in duplicates(variants) {
            let name = &info.variants[track].name;
            self.warnings
                .add(animation, name, BindingProblem::SameTarget);
        }
        bound
    }
}

impl BoundAnimation {
    /// Adds `sign` times the shares of the animation, by node and attribute.
    fn add_shares<N, A>(
        &self,
        weight: f32,
        info: &Animation,
        nodes: &mut SlotTable<N, NodeValue>,
        attributes: &mut SlotTable<A, AttributeValue>,
        sign: f64,
    ) {
        for bound_track in &self.tracks {
            let (_, slot) = &mut nodes.list[bound_track.slot];
            for (track, above) in bound_track.track.weights().into_iter().zip(&mut slot.above) {
                if let Some(track) = track {
                    *above += sign * f64::from(weight * bound_track.weight * track);
                }
            }
        }
        for bound_variant in &self.variants {
            let (_, slot) = &mut attributes.list[bound_variant.slot];
            slot.above += sign * f64::from(weight * info.variants[bound_variant.track].weight);
        }
    }
}

/// Returns the hashes of an animation's start bone and mask.
fn names(parameters: &AnimationParameters) -> (u64, u64) {
    (parameters.start_bone.hash(), parameters.mask.hash())
}

fn find<'b>(
    bound: &'b [Vec<BoundAnimation>],
    parameters: &AnimationParameters,
) -> Option<&'b BoundAnimation> {
    let names = names(parameters);
    let mut candidates = bound.get(parameters.animation.index())?.iter();
    candidates.find(|bound| bound.names == names)
}

/// Finds the attribute of a track, if it has the track's type.
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

/// Returns those pairs of slot and track whose slot occurs in an earlier pair.
fn duplicates(slots: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut slots: Vec<(usize, usize)> = slots.collect();
    slots.sort_unstable();
    let pairs = slots.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| pair[1]).collect()
}

/// Blends `sample` over a variant. Returns the result and the applied weight; `None` if nothing is applied. `value` is
/// `None` if no animation has set it, `base` is the first key of the track. Values with step interpolation replace the
/// previous one at any weight.
fn overlay_variant(
    mode: BlendMode,
    value: Option<&Variant>,
    interpolation: VariantInterpolation,
    sample: Variant,
    base: &Variant,
    weight: f32,
) -> Option<(Variant, f32)> {
    let holds = interpolation == VariantInterpolation::None;
    match (mode.operation(value.is_some(), weight)?, value) {
        (LayerOperation::Lerp, Some(value)) if !holds => {
            Some((value.lerp(&sample, weight), weight))
        }
        (LayerOperation::Add, Some(value)) => Some((value.add(&sample, base, weight), weight)),
        _ => Some((sample, 1.0)),
    }
}
