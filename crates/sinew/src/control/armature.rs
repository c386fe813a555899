//! A controller on a 2D character.
//!
//! The animations of a character play as SkelForm plays them, and what SkelForm says of elements that
//! nothing animates holds here too: they are at rest. So every animation on the lowest layer that plays
//! shows the whole character, at rest where it has no keys, and fading from one to another is smooth
//! whatever they animate. Animations on the layers above change what they have keys for, and additive ones
//! add to what is there. One animation alone gives what [`animate`](crate::animate) gives.
//!
//! Rotations are blended the shorter way, other numbers along a line; textures, draw order, visibility and
//! IK settings change as soon as an animation has any weight.
//!
//! Animations of variant tracks play too. The path of an element is `Bone Name/@/Element`, or
//! `Root/Arm/Hand/@/Element` where names do not tell bones apart, with the names of [`Element`]: numbers are
//! floats, `Zindex` an int, `Texture`, `IkConstraint` and `IkMode` texts, `Hidden` and `MimicTarget` bools.

use super::armature_clip::{ArmatureClip, number_target};
use super::blend::is_full;
use super::explain::Contribution;
use super::filter::{Filters, check_start_bone, weights};
use super::set::AnimationSet;
use super::warning::WarningList;
use super::{AnimationController, AnimationParameters, BindingWarning, BlendMode};
use crate::armature::{
    Armature, ArmatureError, ArmatureState, BONE_FIELDS, BoneIndex, BoneState, Element,
    NumberTarget, StepTarget, TINT_FIELDS,
};
use crate::math::shortest_angle;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Position of the rotation among a bone's numbers.
const ROTATION: usize = core::mem::offset_of!(BoneState, rot) / size_of::<f32>();

/// Applies a controller to states of a 2D character: fades, layers, weights, additive blending, start bones
/// and triggers for SkelForm's animations.
///
/// Made once, it serves any number of characters in turn; clone it for another thread. It binds again when
/// it meets a controller with another set; otherwise nothing is looked up by letters and nothing allocates,
/// but for a start bone or mask that it has not met before.
///
/// Every animation on the lowest layer that plays shows the whole character, at rest where it has no keys;
/// those on the layers above change what they have keys for. One animation alone gives what
/// [`animate`](crate::animate) gives. Variant tracks named `Bone Name/@/PositionX`, and so on with the
/// names of [`Element`], play too.
#[derive(Clone, Debug)]
pub struct ArmatureBinding {
    armature: Arc<Armature>,
    set: Arc<AnimationSet>,
    /// What each animation does to the character; `None` for those of another one.
    clips: Vec<Option<ArmatureClip>>,
    filters: Filters,
    owners: Owners,
    /// Whether an animation on the lowest layer gave a bone its numbers.
    started: Vec<bool>,
    /// One animation, whole.
    sample: ArmatureState,
    warnings: WarningList,
}

/// The bone that each visual and each IK family belongs to.
#[derive(Clone, Debug)]
struct Owners {
    visuals: Vec<usize>,
    families: Vec<usize>,
}

impl ArmatureBinding {
    /// Binds all animations of a set.
    pub fn new(set: &Arc<AnimationSet>, armature: &Arc<Armature>) -> Self {
        let mut binding = Self {
            armature: armature.clone(),
            set: set.clone(),
            clips: Vec::new(),
            filters: Filters::default(),
            owners: Owners::new(armature),
            started: alloc::vec![false; armature.bone_count()],
            sample: armature.new_state(),
            warnings: WarningList::default(),
        };
        binding.bind();
        binding
    }

    /// The character.
    pub fn armature(&self) -> &Arc<Armature> {
        &self.armature
    }

    /// What found nothing to animate. Each is listed once.
    pub fn warnings(&self) -> &[BindingWarning] {
        self.warnings.as_slice()
    }

    /// Applies what a controller plays to a state; what nothing animates is at rest. Takes the place of
    /// [`animate`](crate::animate), before [`construct`](crate::construct).
    ///
    /// # Errors
    /// When the state belongs to another armature.
    pub fn apply(
        &mut self,
        controller: &AnimationController,
        state: &mut ArmatureState,
    ) -> Result<(), ArmatureError> {
        self.armature.check_state(state)?;
        self.rebind(controller.set());
        state.copy_animated(self.armature.rest());
        self.started.fill(false);
        let mut base_layer = None;
        for (_, parameters) in controller.applied() {
            let weight = parameters.applied_weight();
            if weight <= 0.0 {
                continue;
            }
            let filter = self.filter(parameters);
            let Some(Some(clip)) = self.clips.get(parameters.animation.index()) else {
                continue;
            };
            let shares = self.filters.weights(filter);
            let share = |bone: usize| shares.map_or(1.0, |shares| shares[bone]);
            match parameters.blend_mode {
                BlendMode::Lerp if base_layer.is_none() && shares.is_none() => {
                    base_layer = Some(parameters.layer);
                    self.started.fill(true);
                    clip.each_number(&self.armature, parameters, |sampled| {
                        *number_mut(state, sampled.target) = sampled.value;
                    });
                    clip.each_step(&self.armature, parameters, |target, value| {
                        state.set_step(target, value);
                    });
                }
                BlendMode::Lerp if base_layer.is_none_or(|base| base == parameters.layer) => {
                    base_layer = Some(parameters.layer);
                    let sample = &mut self.sample;
                    sample.copy_animated(self.armature.rest());
                    clip.each_number(&self.armature, parameters, |sampled| {
                        *number_mut(sample, sampled.target) = sampled.value;
                    });
                    clip.each_step(&self.armature, parameters, |target, value| {
                        sample.set_step(target, value);
                    });
                    let started = &mut self.started;
                    blend_whole(
                        (&self.armature, &self.owners),
                        sample,
                        started,
                        state,
                        share,
                        weight,
                    );
                }
                BlendMode::Lerp => {
                    clip.each_number(&self.armature, parameters, |sampled| {
                        let share = share(self.owners.of_number(sampled.target));
                        let number = number_mut(state, sampled.target);
                        let weight = weight * sampled.weight * share;
                        if share > 0.0 {
                            *number = lerp(sampled.target, *number, sampled.value, weight);
                        }
                    });
                    clip.each_step(&self.armature, parameters, |target, value| {
                        if share(self.owners.of_step(target)) > 0.0 {
                            state.set_step(target, value);
                        }
                    });
                }
                BlendMode::Additive if base_layer.is_some() => {
                    clip.each_number(&self.armature, parameters, |sampled| {
                        let share = share(self.owners.of_number(sampled.target));
                        let weight = weight * sampled.weight * share;
                        let more = (sampled.value - sampled.first) * weight;
                        *number_mut(state, sampled.target) += more;
                    });
                }
                BlendMode::Additive => {}
            }
        }
        Ok(())
    }

    /// How an element of a bone came to its value: what each animation did to it, in the order in which they
    /// were applied. For elements that are interpolated; others are simply set. Allocates.
    pub fn explain(
        &mut self,
        controller: &AnimationController,
        bone: BoneIndex,
        element: Element,
    ) -> Vec<Contribution> {
        self.rebind(controller.set());
        let mut list = Vec::new();
        let Some(target) = number_target(&self.armature, bone.index(), element) else {
            return list;
        };
        let rest = number_of(self.armature.rest(), target);
        let (mut is, mut started, mut base_layer) = (rest, false, None);
        for (index, parameters) in controller.applied() {
            let filter = self.filter(parameters);
            let shares = self.filters.weights(filter);
            let share = shares.map_or(1.0, |shares| shares[bone.index()]);
            let own = parameters.applied_weight();
            let Some(Some(clip)) = self.clips.get(parameters.animation.index()) else {
                continue;
            };
            let is_lerp = parameters.blend_mode == BlendMode::Lerp;
            if is_lerp && own > 0.0 {
                base_layer.get_or_insert(parameters.layer);
            }
            if own <= 0.0 || share <= 0.0 || base_layer.is_none() {
                continue;
            }
            let mut tell = |weight: f32, value: f32, is: f32| {
                let at = (index, parameters);
                list.push(Contribution::new(at, element.name(), weight, value, is));
            };
            if is_lerp && base_layer == Some(parameters.layer) {
                let mut value = rest;
                clip.each_number(&self.armature, parameters, |sampled| {
                    if sampled.target == target {
                        value = sampled.value;
                    }
                });
                let weight = if started { own * share } else { 1.0 };
                started = true;
                is = lerp(target, is, value, weight);
                tell(weight, value, is);
                continue;
            }
            clip.each_number(&self.armature, parameters, |sampled| {
                if sampled.target == target {
                    let weight = own * sampled.weight * share;
                    is = if is_lerp {
                        lerp(target, is, sampled.value, weight)
                    } else {
                        is + (sampled.value - sampled.first) * weight
                    };
                    tell(weight, sampled.value, is);
                }
            });
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

    /// Which filter an animation plays through; `None` for none.
    fn filter(&mut self, parameters: &AnimationParameters) -> Option<usize> {
        let (armature, set, warnings) = (&self.armature, &self.set, &mut self.warnings);
        self.filters.find(parameters, || {
            let start = match parameters.start_bone.as_str() {
                "" => None,
                name => armature.find_bone(name).map(BoneIndex::index),
            };
            check_start_bone(parameters, start.is_some(), warnings);
            let bones = armature.data().bones.iter();
            let bones = bones.map(|bone| (bone.name.as_str(), bone.parent));
            weights(bones, start, set.mask(parameters.mask.as_str()))
        })
    }
}

impl Owners {
    fn new(armature: &Armature) -> Self {
        let data = armature.data();
        let owner = |is: &dyn Fn(&crate::armature::BoneData) -> bool| {
            data.bones.iter().position(is).unwrap_or(0)
        };
        let visuals = 0..data.visuals.len();
        let families = 0..data.ik_families.len();
        Self {
            visuals: visuals
                .map(|visual| owner(&|bone| bone.visual == Some(visual)))
                .collect(),
            families: families
                .map(|family| owner(&|bone| bone.ik_family == Some(family)))
                .collect(),
        }
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

/// Blends a whole character into a state, bone by bone; those that have nothing yet take it as it is.
fn blend_whole(
    (armature, owners): (&Armature, &Owners),
    sample: &ArmatureState,
    started: &mut [bool],
    state: &mut ArmatureState,
    share: impl Fn(usize) -> f32,
    weight: f32,
) {
    let bones = &armature.data().bones;
    for (bone, (started, data)) in started.iter_mut().zip(bones).enumerate() {
        let share = share(bone);
        if share <= 0.0 {
            continue;
        }
        let weight = if *started { weight * share } else { 1.0 };
        let full = is_full(weight);
        *started = true;
        let (own, from) = (&mut state.bones[bone], &sample.bones[bone]);
        if full {
            *own = *from;
        } else {
            own.pos += (from.pos - own.pos) * weight;
            own.rot += shortest_angle(own.rot, from.rot) * weight;
            own.scale += (from.scale - own.scale) * weight;
        }
        if let Some(visual) = data.visual {
            let (own, from) = (&mut state.tints[visual], &sample.tints[visual]);
            if full {
                *own = *from;
            } else {
                let own: &mut [f32; TINT_FIELDS] = bytemuck::cast_mut(own);
                let from: &[f32; TINT_FIELDS] = bytemuck::cast_ref(from);
                for (own, from) in own.iter_mut().zip(from) {
                    *own += (from - *own) * weight;
                }
            }
            state.visuals[visual] = sample.visuals[visual];
        }
        if let Some(family) = data.ik_family
            && owners.families[family] == bone
        {
            state.ik[family] = sample.ik[family];
        }
        state.hidden[bone] = sample.hidden[bone];
    }
}

/// From one number to another: the shorter way for rotations, a line for all else.
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
