//! A controller on a 2D character.
//!
//! In SkelForm, elements that nothing animates are at rest. On the lowest layer with an animation of the character,
//! such an animation therefore defines the whole character: its keys, and the rest state elsewhere. Crossfades within
//! that layer are smooth regardless of which elements the two animate. All other animations, on higher layers or of
//! variant tracks, change only the elements they have keys for. See `docs/decisions/2026-11-16-controller-2d.md` for
//! the reasons.

use super::armature_clip::{ArmatureClip, NumberSample, number_target};
use super::controller::LayerSharing;
use super::explain::Contribution;
use super::filter::{Filters, SkippedAnimations, find_mask, find_start, weights};
use super::set::AnimationSet;
use super::warning::WarningList;
use super::{AnimationController, AnimationParameters, BindingWarning, BlendMode};
use crate::blend::{is_full, shared_weight};
use crate::math::shortest_angle;
use crate::skelform::{
    Armature, ArmatureError, ArmatureState, BONE_FIELDS, BoneIndex, BoneState, Element,
    NumberTarget, StepTarget, TINT_FIELDS,
};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The index of the rotation among the numbers of a bone.
const ROTATION: usize = core::mem::offset_of!(BoneState, rotation) / size_of::<f32>();

/// Applies a controller to states of a 2D character: fades, layers, weights, additive blending, start bones and
/// triggers for SkelForm's animations.
///
/// A single animation gives the result of [`animate`](crate::skelform::animate()). On the lowest playing layer, an
/// animation of the character defines the whole character, at rest where it has no keys; the first has full weight and
/// the next ones are blended over it. Animations on higher layers change only the elements they have keys for.
/// Rotations are blended along the shorter arc, other numbers linearly; textures, draw order, visibility and IK
/// settings change as soon as an animation has any weight.
///
/// Animations of variant tracks also play, and change the elements they have keys for. The path of an element is
/// `Bone Name/@/Element`, or `Root/Arm/Hand/@/Element` if bone names are ambiguous, with the names of [`Element`]:
/// numbers are floats, `Zindex` an int, `Texture`, `IkConstraint` and `IkMode` texts, `Hidden` and `MimicTarget` bools.
/// Start bones and masks apply to them too.
///
/// One binding serves any number of characters in turn; clone it for another thread. It rebinds when given a
/// controller with another set. Otherwise it does no name lookups and no allocations, except for a start bone or mask
/// that it sees for the first time.
#[derive(Clone, Debug)]
pub struct ArmatureBinding {
    /// Treats the rest pose as an animation of full weight below all others: an animation that is the first to change
    /// an element fades in from rest. Otherwise the first animation to change an element is applied at full weight, whatever its
    /// weight.
    pub rest_is_base: bool,
    armature: Arc<Armature>,
    set: Arc<AnimationSet>,
    /// The bound clip of each animation; `None` for those of another character.
    clips: Vec<Option<ArmatureClip>>,
    filters: Filters,
    owners: Owners,
    base: BaseFields,
    /// The shares of the animations of a layer that are still to be applied.
    above: FieldShares,
    /// A sample of one animation, for the whole character.
    sample: ArmatureState,
    skipped: SkippedAnimations,
    warnings: WarningList,
}

/// The bone of each visual and each IK family.
#[derive(Clone, Debug)]
struct Owners {
    visuals: Vec<usize>,
    families: Vec<usize>,
}

impl ArmatureBinding {
    /// Binds all animations of a set.
    pub fn new(set: &Arc<AnimationSet>, armature: &Arc<Armature>) -> Self {
        let mut binding = Self {
            rest_is_base: false,
            armature: armature.clone(),
            set: set.clone(),
            clips: Vec::new(),
            filters: Filters::default(),
            owners: Owners::new(armature),
            base: BaseFields::new(armature),
            above: FieldShares::new(armature),
            sample: armature.new_state(),
            skipped: SkippedAnimations::default(),
            warnings: WarningList::default(),
        };
        binding.bind();
        binding
    }

    /// Returns the character.
    pub fn armature(&self) -> &Arc<Armature> {
        &self.armature
    }

    /// Returns the tracks and names without a target, each once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies the playing animations of a controller to a state; elements that nothing animates are at rest. Call it
    /// instead of [`animate`](crate::skelform::animate()), before [`construct`](crate::skelform::construct()). Returns
    /// a warning for each playing animation that is not applied because its start bone or mask does not exist.
    ///
    /// # Errors
    /// If the state is of another armature.
    pub fn apply(
        &mut self,
        controller: &AnimationController,
        state: &mut ArmatureState,
    ) -> Result<&[BindingWarning], ArmatureError> {
        self.armature.check_state(state)?;
        self.rebind(controller.animation_set());
        state.copy_animated(self.armature.rest());
        self.base.clear();
        self.base.all = self.rest_is_base;
        self.skipped.start();
        let (mut base_layer, mut is_empty) = (None, !self.rest_is_base);
        let mut shared_layer = None;
        for (_, parameters) in controller.application_order() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let is_shared = self.find_above(controller, parameters, base_layer, &mut shared_layer);
            let Some(Some(clip)) = self.clips.get(parameters.animation.index()) else {
                continue;
            };
            let (armature, owners, base) = (&self.armature, &self.owners, &mut self.base);
            let shares = match self.filters.weights(filter) {
                Ok(shares) => shares,
                Err(unresolved) => {
                    self.skipped.add(unresolved, parameters);
                    continue;
                }
            };
            let share = |bone: usize| shares.map_or(1.0, |shares| shares.get(bone.into()));
            let role = role(clip, parameters, &mut base_layer);
            let above = &mut self.above;
            if is_shared {
                above.add((armature, owners), clip, parameters, role, share, -1.0);
            }
            let above = is_shared.then_some(&*above);
            match role {
                Role::WholeCharacter if is_empty && shares.is_none() => {
                    base.all = true;
                    clip.for_each_number(armature, parameters, |sampled| {
                        *number_mut(state, sampled.target) = sampled.value;
                    });
                    clip.for_each_step(armature, parameters, |target, value| {
                        state.set_step(target, value);
                    });
                }
                Role::WholeCharacter => {
                    let sample = &mut self.sample;
                    sample.copy_animated(armature.rest());
                    clip.for_each_number(armature, parameters, |sampled| {
                        *number_mut(sample, sampled.target) = sampled.value;
                    });
                    clip.for_each_step(armature, parameters, |target, value| {
                        sample.set_step(target, value);
                    });
                    let weights = (weight, above);
                    blend_whole((armature, owners), sample, base, state, share, weights);
                }
                Role::KeyedElements => {
                    clip.for_each_number(armature, parameters, |sampled| {
                        let share = share(owners.of_number(sampled.target));
                        if share <= 0.0 {
                            return;
                        }
                        let above = above.map_or(0.0, |above| above.of(sampled.target));
                        let weight = match base.has(sampled.target) {
                            true => shared_weight(weight * sampled.weight * share, above),
                            false => 1.0,
                        };
                        base.set(sampled.target);
                        let number = number_mut(state, sampled.target);
                        *number = lerp(sampled.target, *number, sampled.value, weight);
                    });
                    clip.for_each_step(armature, parameters, |target, value| {
                        if share(owners.of_step(target)) > 0.0 {
                            state.set_step(target, value);
                        }
                    });
                }
                Role::Additive => clip.for_each_number(armature, parameters, |sampled| {
                    let share = share(owners.of_number(sampled.target));
                    if share > 0.0 && base.has(sampled.target) {
                        let weight = weight * sampled.weight * share;
                        let number = number_mut(state, sampled.target);
                        *number += (sampled.value - sampled.first) * weight;
                    }
                }),
            }
            is_empty = false;
        }
        Ok(self.skipped.finish())
    }

    /// Returns whether other animations share the layer of an animation. For the first of a layer it sums the shares
    /// of all of them, number by number; `layer` caches the last layer queried. `base_layer` is the layer that defines
    /// the whole character, if known yet.
    fn find_above(
        &mut self,
        controller: &AnimationController,
        parameters: &AnimationParameters,
        mut base_layer: Option<u32>,
        layer: &mut Option<(u32, bool)>,
    ) -> bool {
        let sharing = match controller.layer_sharing(parameters, self.rest_is_base, layer) {
            LayerSharing::First(sharing) => sharing,
            LayerSharing::Cached(is_shared) => return is_shared,
        };
        self.above.clear();
        for instance in sharing {
            let filter = self.filter(instance);
            let clip = self.clips.get(instance.animation.index());
            if let (Some(Some(clip)), Ok(shares)) = (clip, self.filters.weights(filter)) {
                let share = |bone: usize| shares.map_or(1.0, |shares| shares.get(bone.into()));
                let role = role(clip, instance, &mut base_layer);
                let character = (&*self.armature, &self.owners);
                self.above.add(character, clip, instance, role, share, 1.0);
            }
        }
        true
    }

    /// Returns the contribution of each animation to an element of a bone, in the order of application. Only for
    /// interpolated elements; others are simply set. Allocates.
    pub fn explain(
        &mut self,
        controller: &AnimationController,
        bone: BoneIndex,
        element: Element,
    ) -> Vec<Contribution> {
        self.rebind(controller.animation_set());
        let mut list = Vec::new();
        let Some(target) = number_target(&self.armature, bone.index(), element) else {
            return list;
        };
        let rest = number_of(self.armature.rest(), target);
        let (mut result, mut has_base, mut base_layer) = (rest, self.rest_is_base, None);
        let mut shared_layer = None;
        for (index, parameters) in controller.application_order() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let is_shared = self.find_above(controller, parameters, base_layer, &mut shared_layer);
            let Some(Some(clip)) = self.clips.get(parameters.animation.index()) else {
                continue;
            };
            let Ok(shares) = self.filters.weights(filter) else {
                continue;
            };
            let role = role(clip, parameters, &mut base_layer);
            let share = |bone: usize| shares.map_or(1.0, |shares| shares.get(bone.into()));
            if is_shared {
                let character = (&*self.armature, &self.owners);
                let above = &mut self.above;
                above.add(character, clip, parameters, role, share, -1.0);
            }
            let above = if is_shared {
                self.above.of(target)
            } else {
                0.0
            };
            let share = share(bone.index());
            if share <= 0.0 {
                continue;
            }
            let mut samples: Vec<NumberSample> = Vec::new();
            clip.for_each_number(&self.armature, parameters, |sample| {
                if sample.target == target {
                    samples.push(sample);
                }
            });
            if role == Role::WholeCharacter {
                // The last of several tracks is used; without a track, the rest value.
                let value = samples.last().map_or(rest, |sample| sample.value);
                samples = alloc::vec![NumberSample {
                    target,
                    value,
                    first: value,
                    weight: 1.0,
                }];
            }
            for sample in samples {
                let weight = match role {
                    _ if has_base => shared_weight(weight * sample.weight * share, above),
                    Role::Additive => continue,
                    _ => 1.0,
                };
                has_base = true;
                result = match role {
                    Role::Additive => result + (sample.value - sample.first) * weight,
                    _ => lerp(target, result, sample.value, weight),
                };
                let animation = (index, parameters);
                list.push(Contribution::new(
                    animation,
                    element.name(),
                    [weight, above as f32],
                    sample.value,
                    result,
                ));
            }
        }
        list
    }

    fn rebind(&mut self, set: &Arc<AnimationSet>) {
        if !Arc::ptr_eq(set, &self.set) {
            self.set = set.clone();
            self.bind();
        }
    }

    fn bind(&mut self) {
        self.filters.clear();
        self.warnings.clear();
        let (set, armature, warnings) = (&self.set, &self.armature, &mut self.warnings);
        let clips = set.indices();
        let clips = clips.map(|index| ArmatureClip::bind(set, index, armature, warnings));
        self.clips = clips.collect();
    }

    /// Returns the filter of an animation; `None` without one.
    fn filter(&mut self, parameters: &AnimationParameters) -> Option<usize> {
        let (armature, set) = (&self.armature, &self.set);
        self.filters.find(parameters, &mut self.warnings, || {
            let start = find_start(parameters, |name| armature.find_bone(name))?;
            let mask = find_mask(parameters, set, |name| armature.find_bone(name).is_some())?;
            let bones = armature.data().bones.iter();
            let bones = bones.map(|bone| (bone.name.as_str(), bone.parent));
            Ok(weights(bones, start.map(BoneIndex::index), mask))
        })
    }
}

impl Owners {
    fn new(armature: &Armature) -> Self {
        let data = armature.data();
        let mut owners = Self {
            visuals: alloc::vec![0; data.visuals.len()],
            families: alloc::vec![0; data.ik_families.len()],
        };
        // In reverse, so that the first of several bones with one name is kept.
        for (bone_index, bone) in data.bones.iter().enumerate().rev() {
            if let Some(visual) = bone.visual {
                owners.visuals[visual] = bone_index;
            }
            if let Some(family) = bone.ik_family {
                owners.families[family] = bone_index;
            }
        }
        owners
    }

    fn of_number(&self, target: NumberTarget) -> usize {
        match target {
            NumberTarget::Bone(field) => field / BONE_FIELDS,
            NumberTarget::Tint(field) => self.visuals[field / TINT_FIELDS],
        }
    }

    fn of_step(&self, target: StepTarget) -> usize {
        match target {
            StepTarget::Hidden(bone) => bone as usize,
            StepTarget::Zindex(visual) | StepTarget::Texture(visual) => {
                self.visuals[visual as usize]
            }
            StepTarget::IkConstraint(family)
            | StepTarget::IkMode(family)
            | StepTarget::MimicTarget(family) => self.families[family as usize],
        }
    }
}

#[inline]
fn number_mut(state: &mut ArmatureState, target: NumberTarget) -> &mut f32 {
    match target {
        NumberTarget::Bone(field) => &mut bytemuck::cast_slice_mut(&mut state.bones)[field],
        NumberTarget::Tint(field) => &mut bytemuck::cast_slice_mut(&mut state.tints)[field],
    }
}

#[inline]
fn number_of(state: &ArmatureState, target: NumberTarget) -> f32 {
    match target {
        NumberTarget::Bone(field) => bytemuck::cast_slice::<_, f32>(&state.bones)[field],
        NumberTarget::Tint(field) => bytemuck::cast_slice::<_, f32>(&state.tints)[field],
    }
}

/// The effect of an animation on a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It defines the whole character.
    WholeCharacter,
    /// It changes the elements it has keys for.
    KeyedElements,
    /// It is additive.
    Additive,
}

/// Returns the role of an animation. On the lowest layer with an animation of the character, those define the whole.
fn role(
    clip: &ArmatureClip,
    parameters: &AnimationParameters,
    base_layer: &mut Option<u32>,
) -> Role {
    match (parameters.blend_mode, clip) {
        (BlendMode::Additive, _) => Role::Additive,
        (BlendMode::Lerp, ArmatureClip::Native(_))
            if *base_layer.get_or_insert(parameters.layer) == parameters.layer =>
        {
            Role::WholeCharacter
        }
        _ => Role::KeyedElements,
    }
}

/// The numbers of a character that an animation has set.
#[derive(Clone, Debug)]
struct BaseFields {
    /// All of them, regardless of the lists.
    all: bool,
    /// The lists contain at least one.
    any: bool,
    bones: Vec<[bool; BONE_FIELDS]>,
    tints: Vec<[bool; TINT_FIELDS]>,
}

impl BaseFields {
    fn new(armature: &Armature) -> Self {
        Self {
            all: false,
            any: false,
            bones: alloc::vec![[false; BONE_FIELDS]; armature.bone_count()],
            tints: alloc::vec![[false; TINT_FIELDS]; armature.data().visuals.len()],
        }
    }

    fn clear(&mut self) {
        self.all = false;
        if core::mem::take(&mut self.any) {
            self.bones.fill([false; BONE_FIELDS]);
            self.tints.fill([false; TINT_FIELDS]);
        }
    }

    fn has(&self, target: NumberTarget) -> bool {
        self.all
            || match target {
                NumberTarget::Bone(field) => self.bones[field / BONE_FIELDS][field % BONE_FIELDS],
                NumberTarget::Tint(field) => self.tints[field / TINT_FIELDS][field % TINT_FIELDS],
            }
    }

    fn set(&mut self, target: NumberTarget) {
        if self.all {
            return;
        }
        self.any = true;
        match target {
            NumberTarget::Bone(field) => {
                self.bones[field / BONE_FIELDS][field % BONE_FIELDS] = true
            }
            NumberTarget::Tint(field) => {
                self.tints[field / TINT_FIELDS][field % TINT_FIELDS] = true
            }
        }
    }
}

/// For each number of a character, the shares of the animations of a layer that are still to be applied.
#[derive(Clone, Debug)]
struct FieldShares {
    bones: Vec<[f64; BONE_FIELDS]>,
    tints: Vec<[f64; TINT_FIELDS]>,
}

impl FieldShares {
    fn new(armature: &Armature) -> Self {
        Self {
            bones: alloc::vec![[0.0; BONE_FIELDS]; armature.bone_count()],
            tints: alloc::vec![[0.0; TINT_FIELDS]; armature.data().visuals.len()],
        }
    }

    fn clear(&mut self) {
        self.bones.fill([0.0; BONE_FIELDS]);
        self.tints.fill([0.0; TINT_FIELDS]);
    }

    fn of(&self, target: NumberTarget) -> f64 {
        match target {
            NumberTarget::Bone(field) => self.bones[field / BONE_FIELDS][field % BONE_FIELDS],
            NumberTarget::Tint(field) => self.tints[field / TINT_FIELDS][field % TINT_FIELDS],
        }
    }

    /// Adds `sign` times the shares of an animation.
    fn add(
        &mut self,
        (armature, owners): (&Armature, &Owners),
        clip: &ArmatureClip,
        parameters: &AnimationParameters,
        role: Role,
        share: impl Fn(usize) -> f32,
        sign: f64,
    ) {
        let weight = parameters.applied_weight();
        match role {
            Role::WholeCharacter => {
                for (bone, data) in armature.data().bones.iter().enumerate() {
                    let signed_share = sign * f64::from(weight * share(bone));
                    let bone = self.bones[bone].iter_mut();
                    let tints = data.visual.map(|visual| self.tints[visual].iter_mut());
                    for above in bone.chain(tints.into_iter().flatten()) {
                        *above += signed_share;
                    }
                }
            }
            Role::KeyedElements => clip.for_each_number(armature, parameters, |sampled| {
                let share = share(owners.of_number(sampled.target));
                let signed_share = sign * f64::from(weight * sampled.weight * share);
                match sampled.target {
                    NumberTarget::Bone(field) => {
                        self.bones[field / BONE_FIELDS][field % BONE_FIELDS] += signed_share;
                    }
                    NumberTarget::Tint(field) => {
                        self.tints[field / TINT_FIELDS][field % TINT_FIELDS] += signed_share;
                    }
                }
            }),
            Role::Additive => {}
        }
    }
}

/// Blends a whole character into a state, bone by bone; numbers without a value yet are copied.
fn blend_whole(
    (armature, owners): (&Armature, &Owners),
    sample: &ArmatureState,
    base: &mut BaseFields,
    state: &mut ArmatureState,
    share: impl Fn(usize) -> f32,
    (weight, above): (f32, Option<&FieldShares>),
) {
    let all = base.all;
    base.any |= !all;
    for (bone, data) in armature.data().bones.iter().enumerate() {
        let share = share(bone);
        if share <= 0.0 {
            continue;
        }
        let weight = weight * share;
        let weight_of = |target: NumberTarget, is_new: bool| match above {
            _ if is_new => 1.0,
            Some(above) => shared_weight(weight, above.of(target)),
            None => weight,
        };
        let (current, sampled) = (&mut state.bones[bone], &sample.bones[bone]);
        if is_full(weight) {
            *current = *sampled;
        } else if all && above.is_none() {
            current.position += (sampled.position - current.position) * weight;
            current.rotation += shortest_angle(current.rotation, sampled.rotation) * weight;
            current.scale += (sampled.scale - current.scale) * weight;
        } else {
            let current: &mut [f32; BONE_FIELDS] = bytemuck::cast_mut(current);
            let sampled: &[f32; BONE_FIELDS] = bytemuck::cast_ref(sampled);
            for field in 0..BONE_FIELDS {
                let target = NumberTarget::Bone(bone * BONE_FIELDS + field);
                let weight = weight_of(target, !all && !base.bones[bone][field]);
                current[field] = lerp(target, current[field], sampled[field], weight);
            }
        }
        if let Some(visual) = data.visual {
            let current: &mut [f32; TINT_FIELDS] = bytemuck::cast_mut(&mut state.tints[visual]);
            let sampled: &[f32; TINT_FIELDS] = bytemuck::cast_ref(&sample.tints[visual]);
            for field in 0..TINT_FIELDS {
                let target = NumberTarget::Tint(visual * TINT_FIELDS + field);
                let weight = weight_of(target, !all && !base.tints[visual][field]);
                current[field] = lerp(target, current[field], sampled[field], weight);
            }
            state.visuals[visual] = sample.visuals[visual];
        }
        if !all {
            base.bones[bone] = [true; BONE_FIELDS];
            if let Some(visual) = data.visual {
                base.tints[visual] = [true; TINT_FIELDS];
            }
        }
        if let Some(family) = data.ik_family
            && owners.families[family] == bone
        {
            state.ik[family] = sample.ik[family];
        }
        state.hidden[bone] = sample.hidden[bone];
    }
}

/// Interpolates two numbers: along the shorter arc for rotations, linearly otherwise.
#[inline]
fn lerp(target: NumberTarget, from: f32, to: f32, weight: f32) -> f32 {
    if is_full(weight) {
        return to;
    }
    let difference = match target {
        NumberTarget::Bone(field) if field % BONE_FIELDS == ROTATION => shortest_angle(from, to),
        _ => to - from,
    };
    from + difference * weight
}
