//! A controller on a 2D character.
//!
//! In SkelForm, elements that nothing animates are at rest. On the lowest layer with an animation of the character,
//! such an animation therefore defines the whole character: its keys, and the rest state elsewhere. Crossfades within
//! that layer are smooth regardless of which elements the two animate. All other animations, on higher layers or of
//! variant tracks, change only the elements they have keys for. See `docs/decisions/2026-11-16-controller-2d.md` for
//! the reasons.

use super::armature_clip::{ArmatureClip, Sampled, number_target};
use super::controller::LayerSharing;
use super::explain::Contribution;
use super::filter::{Filters, NotApplied, find_mask, find_start, weights};
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
const ROTATION: usize = core::mem::offset_of!(BoneState, rot) / size_of::<f32>();

/// Applies a controller to states of a 2D character: fades, layers, weights, additive blending, start bones and
/// triggers for SkelForm's animations.
///
/// A single animation gives the result of [`animate`](crate::skelform::animate()). On the lowest playing layer, an
/// animation of the character defines the whole character, at rest where it has no keys; the first counts in full and
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
    /// an element fades in from rest. Otherwise the first animation to change an element counts in full, whatever its
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
    above: Above,
    /// A sample of one animation, for the whole character.
    sample: ArmatureState,
    not_applied: NotApplied,
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
            above: Above::new(armature),
            sample: armature.new_state(),
            not_applied: NotApplied::default(),
            warnings: WarningList::default(),
        };
        binding.bind();
        binding
    }

    /// Returns the character.
    pub fn armature(&self) -> &Arc<Armature> {
        &self.armature
    }

    /// Returns the tracks and names that found nothing to animate, each once.
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
        self.not_applied.start();
        let (mut base_layer, mut is_empty) = (None, !self.rest_is_base);
        let mut shared_layer = None;
        for (_, parameters) in controller.applied() {
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
                    self.not_applied.add(unresolved, parameters);
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
                Role::Whole if is_empty && shares.is_none() => {
                    base.all = true;
                    clip.each_number(armature, parameters, |sampled| {
                        *number_mut(state, sampled.target) = sampled.value;
                    });
                    clip.each_step(armature, parameters, |target, value| {
                        state.set_step(target, value);
                    });
                }
                Role::Whole => {
                    let sample = &mut self.sample;
                    sample.copy_animated(armature.rest());
                    clip.each_number(armature, parameters, |sampled| {
                        *number_mut(sample, sampled.target) = sampled.value;
                    });
                    clip.each_step(armature, parameters, |target, value| {
                        sample.set_step(target, value);
                    });
                    let weights = (weight, above);
                    blend_whole((armature, owners), sample, base, state, share, weights);
                }
                Role::Part => {
                    clip.each_number(armature, parameters, |sampled| {
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
                    clip.each_step(armature, parameters, |target, value| {
                        if share(owners.of_step(target)) > 0.0 {
                            state.set_step(target, value);
                        }
                    });
                }
                Role::More => clip.each_number(armature, parameters, |sampled| {
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
        Ok(self.not_applied.finish())
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
            LayerSharing::Known(is_shared) => return is_shared,
        };
        self.above.clear();
        for own in sharing {
            let filter = self.filter(own);
            let clip = self.clips.get(own.animation.index());
            if let (Some(Some(clip)), Ok(shares)) = (clip, self.filters.weights(filter)) {
                let share = |bone: usize| shares.map_or(1.0, |shares| shares.get(bone.into()));
                let role = role(clip, own, &mut base_layer);
                let character = (&*self.armature, &self.owners);
                self.above.add(character, clip, own, role, share, 1.0);
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
        let (mut is, mut has_base, mut base_layer) = (rest, self.rest_is_base, None);
        let mut shared_layer = None;
        for (index, parameters) in controller.applied() {
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
            let mut found: Vec<Sampled> = Vec::new();
            clip.each_number(&self.armature, parameters, |sampled| {
                if sampled.target == target {
                    found.push(sampled);
                }
            });
            if role == Role::Whole {
                // The last of several tracks counts, and rest without a track.
                let value = found.last().map_or(rest, |sampled| sampled.value);
                found = alloc::vec![Sampled {
                    target,
                    value,
                    first: value,
                    weight: 1.0,
                }];
            }
            for sampled in found {
                let weight = match role {
                    _ if has_base => shared_weight(weight * sampled.weight * share, above),
                    Role::More => continue,
                    _ => 1.0,
                };
                has_base = true;
                is = match role {
                    Role::More => is + (sampled.value - sampled.first) * weight,
                    _ => lerp(target, is, sampled.value, weight),
                };
                let at = (index, parameters);
                list.push(Contribution::new(
                    at,
                    element.name(),
                    [weight, above as f32],
                    sampled.value,
                    is,
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
        for (at, bone) in data.bones.iter().enumerate().rev() {
            if let Some(visual) = bone.visual {
                owners.visuals[visual] = at;
            }
            if let Some(family) = bone.ik_family {
                owners.families[family] = at;
            }
        }
        owners
    }

    fn of_number(&self, target: NumberTarget) -> usize {
        match target {
            NumberTarget::Bone(at) => at / BONE_FIELDS,
            NumberTarget::Tint(at) => self.visuals[at / TINT_FIELDS],
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
        NumberTarget::Bone(at) => &mut bytemuck::cast_slice_mut(&mut state.bones)[at],
        NumberTarget::Tint(at) => &mut bytemuck::cast_slice_mut(&mut state.tints)[at],
    }
}

#[inline]
fn number_of(state: &ArmatureState, target: NumberTarget) -> f32 {
    match target {
        NumberTarget::Bone(at) => bytemuck::cast_slice::<_, f32>(&state.bones)[at],
        NumberTarget::Tint(at) => bytemuck::cast_slice::<_, f32>(&state.tints)[at],
    }
}

/// The effect of an animation on a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It defines the whole character.
    Whole,
    /// It changes the elements it has keys for.
    Part,
    /// It is additive.
    More,
}

/// Returns the role of an animation. On the lowest layer with an animation of the character, those define the whole.
fn role(
    clip: &ArmatureClip,
    parameters: &AnimationParameters,
    base_layer: &mut Option<u32>,
) -> Role {
    match (parameters.blend_mode, clip) {
        (BlendMode::Additive, _) => Role::More,
        (BlendMode::Lerp, ArmatureClip::Own(_))
            if *base_layer.get_or_insert(parameters.layer) == parameters.layer =>
        {
            Role::Whole
        }
        _ => Role::Part,
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
                NumberTarget::Bone(at) => self.bones[at / BONE_FIELDS][at % BONE_FIELDS],
                NumberTarget::Tint(at) => self.tints[at / TINT_FIELDS][at % TINT_FIELDS],
            }
    }

    fn set(&mut self, target: NumberTarget) {
        if self.all {
            return;
        }
        self.any = true;
        match target {
            NumberTarget::Bone(at) => self.bones[at / BONE_FIELDS][at % BONE_FIELDS] = true,
            NumberTarget::Tint(at) => self.tints[at / TINT_FIELDS][at % TINT_FIELDS] = true,
        }
    }
}

/// For each number of a character, the shares of the animations of a layer that are still to be applied.
#[derive(Clone, Debug)]
struct Above {
    bones: Vec<[f64; BONE_FIELDS]>,
    tints: Vec<[f64; TINT_FIELDS]>,
}

impl Above {
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
            NumberTarget::Bone(at) => self.bones[at / BONE_FIELDS][at % BONE_FIELDS],
            NumberTarget::Tint(at) => self.tints[at / TINT_FIELDS][at % TINT_FIELDS],
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
            Role::Whole => {
                for (bone, data) in armature.data().bones.iter().enumerate() {
                    let own = sign * f64::from(weight * share(bone));
                    let bone = self.bones[bone].iter_mut();
                    let tints = data.visual.map(|visual| self.tints[visual].iter_mut());
                    for above in bone.chain(tints.into_iter().flatten()) {
                        *above += own;
                    }
                }
            }
            Role::Part => clip.each_number(armature, parameters, |sampled| {
                let share = share(owners.of_number(sampled.target));
                let own = sign * f64::from(weight * sampled.weight * share);
                match sampled.target {
                    NumberTarget::Bone(at) => {
                        self.bones[at / BONE_FIELDS][at % BONE_FIELDS] += own;
                    }
                    NumberTarget::Tint(at) => {
                        self.tints[at / TINT_FIELDS][at % TINT_FIELDS] += own;
                    }
                }
            }),
            Role::More => {}
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
    (weight, above): (f32, Option<&Above>),
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
        let (own, from) = (&mut state.bones[bone], &sample.bones[bone]);
        if is_full(weight) {
            *own = *from;
        } else if all && above.is_none() {
            own.pos += (from.pos - own.pos) * weight;
            own.rot += shortest_angle(own.rot, from.rot) * weight;
            own.scale += (from.scale - own.scale) * weight;
        } else {
            let own: &mut [f32; BONE_FIELDS] = bytemuck::cast_mut(own);
            let from: &[f32; BONE_FIELDS] = bytemuck::cast_ref(from);
            for at in 0..BONE_FIELDS {
                let target = NumberTarget::Bone(bone * BONE_FIELDS + at);
                let weight = weight_of(target, !all && !base.bones[bone][at]);
                own[at] = lerp(target, own[at], from[at], weight);
            }
        }
        if let Some(visual) = data.visual {
            let own: &mut [f32; TINT_FIELDS] = bytemuck::cast_mut(&mut state.tints[visual]);
            let from: &[f32; TINT_FIELDS] = bytemuck::cast_ref(&sample.tints[visual]);
            for at in 0..TINT_FIELDS {
                let target = NumberTarget::Tint(visual * TINT_FIELDS + at);
                let weight = weight_of(target, !all && !base.tints[visual][at]);
                own[at] = lerp(target, own[at], from[at], weight);
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
    let way = match target {
        NumberTarget::Bone(at) if at % BONE_FIELDS == ROTATION => shortest_angle(from, to),
        _ => to - from,
    };
    from + way * weight
}
