//! An animation bound to a 2D character.

use super::set::{AnimationSet, Clip};
use super::warning::WarningList;
use super::{AnimationParameters, AttributePath, BindingProblem, PathError};
use crate::animation::{AnimationIndex, KeyTimes, Variant, VariantTrack, VariantType};
use crate::skelform::{
    Armature, ArmatureAnimation, ArmatureAnimationIndex, BONE_FIELDS, Element, FrameSettings,
    IkConstraint, IkMode, NumberTarget, Repeat, StepTarget, TINT_FIELDS, bone_field, step_target,
    time_frame_exact, tint_field,
};
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// An animation of a set, bound to a character.
#[derive(Clone, Debug)]
pub(super) enum ArmatureClip {
    /// An animation of the character.
    Native(ArmatureAnimationIndex),
    /// Variant tracks of a keyframed or packed animation.
    Keyed {
        clip: Clip,
        numbers: Vec<NumberTrack>,
        steps: Vec<VariantStepTrack>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct NumberTrack {
    track: usize,
    target: NumberTarget,
}

/// A track of step values, as the numbers that a state stores.
#[derive(Clone, Debug)]
pub(super) struct VariantStepTrack {
    target: StepTarget,
    times: KeyTimes,
    values: Vec<u32>,
}

/// The sampled number of an animation.
#[derive(Clone, Copy)]
pub(super) struct NumberSample {
    pub(super) target: NumberTarget,
    pub(super) value: f32,
    /// The value of the track's first key.
    pub(super) first: f32,
    /// The weight of the track.
    pub(super) weight: f32,
}

impl ArmatureClip {
    /// Binds the tracks of an animation to elements; `None` if it is of another character.
    pub(super) fn bind(
        set: &AnimationSet,
        index: AnimationIndex,
        armature: &Arc<Armature>,
        warnings: &mut WarningList,
    ) -> Option<Self> {
        let mut warn = |name: &str, problem: BindingProblem| {
            warnings.add(index, name, problem);
        };
        let clip = set.clip(index)?;
        let Some(info) = clip.info() else {
            if let Clip::Armature(owner, animation) = clip
                && Arc::ptr_eq(owner, armature)
            {
                return Some(Self::Native(*animation));
            }
            warn(
                set.name(index).unwrap_or(""),
                BindingProblem::ArmatureMismatch,
            );
            return None;
        };
        for (name, _) in clip.joint_tracks() {
            warn(name, BindingProblem::NotIn2d);
        }
        let (mut numbers, mut steps) = (Vec::new(), Vec::new());
        let (mut seen_numbers, mut seen_steps) = (BTreeSet::new(), BTreeSet::new());
        for (variant_index, track) in info.variants.iter().enumerate() {
            match find(armature, &track.name).and_then(|(bone, element)| {
                bind_track(armature, bone, element, track).map(|target| (target, element))
            }) {
                Ok((ArmatureTarget::Number(target), _)) => {
                    if !seen_numbers.insert(target) {
                        warn(&track.name, BindingProblem::SameTarget);
                    }
                    numbers.push(NumberTrack {
                        track: variant_index,
                        target,
                    });
                }
                Ok((ArmatureTarget::Step(target), element)) => {
                    if !seen_steps.insert(target) {
                        warn(&track.name, BindingProblem::SameTarget);
                    }
                    let values = track.values().iter();
                    let values = values.map(|value| {
                        step_value(armature, element, value).unwrap_or_else(|| {
                            let value = alloc::format!("{value}");
                            warn(&track.name, BindingProblem::NoSuchValue { value });
                            unknown_value(element)
                        })
                    });
                    steps.push(VariantStepTrack {
                        target,
                        values: values.collect(),
                        times: track.times().clone(),
                    });
                }
                Err(problem) => warn(&track.name, problem),
            }
        }
        Some(Self::Keyed {
            clip: clip.clone(),
            numbers,
            steps,
        })
    }

    /// Calls a function for every interpolated number.
    #[inline]
    pub(super) fn for_each_number(
        &self,
        armature: &Armature,
        parameters: &AnimationParameters,
        mut visit: impl FnMut(NumberSample),
    ) {
        match self {
            Self::Native(index) => {
                let animation = &armature.animations()[index.index()];
                let frame = frame(animation, parameters);
                animation.for_each_number(frame, |target, value, first| {
                    visit(NumberSample {
                        target,
                        value,
                        first,
                        weight: 1.0,
                    });
                });
            }
            Self::Keyed { clip, numbers, .. } => {
                let Some(info) = clip.info() else { return };
                let time = parameters.sample_time(info.length);
                for number in numbers {
                    let track = &info.variants[number.track];
                    let segment = time.locate(track.times());
                    if let (Variant::Float(value), &Variant::Float(first)) =
                        (track.at(segment), track.first())
                    {
                        visit(NumberSample {
                            target: number.target,
                            value,
                            first,
                            weight: track.weight,
                        });
                    }
                }
            }
        }
    }

    /// Calls a function for every step value.
    pub(super) fn for_each_step(
        &self,
        armature: &Armature,
        parameters: &AnimationParameters,
        mut visit: impl FnMut(StepTarget, u32),
    ) {
        match self {
            Self::Native(index) => {
                let animation = &armature.animations()[index.index()];
                animation.for_each_step(frame(animation, parameters), visit);
            }
            Self::Keyed { clip, steps, .. } => {
                let Some(info) = clip.info() else { return };
                let time = parameters.sample_time(info.length);
                for step in steps {
                    visit(step.target, step.values[time.locate(&step.times).from]);
                }
            }
        }
    }
}

/// Returns the frame of an animation at the time of an instance.
fn frame(animation: &ArmatureAnimation, parameters: &AnimationParameters) -> f32 {
    let settings = FrameSettings {
        reverse: false,
        repeat: Repeat::Once,
    };
    let seconds = f64::from(parameters.time.value());
    time_frame_exact(seconds, animation, settings)
}

enum ArmatureTarget {
    Number(NumberTarget),
    Step(StepTarget),
}

/// Finds the bone and element of a path.
fn find(armature: &Armature, path: &str) -> Result<(usize, Element), BindingProblem> {
    let path = AttributePath::parse(path)?;
    let bones = &armature.data().bones;
    let names: Vec<&str> = path.nodes().collect();
    let bone = match &names[..] {
        [name] => armature.find_bone(name).map(|bone| bone.index()),
        [] => None,
        _ => (0..bones.len()).find(|&bone| {
            // From the bone up, name by name, to a root.
            let mut current = Some(bone);
            let fits = names.iter().rev().all(|name| {
                let found = current.filter(|&current| bones[current].name == *name);
                current = found.and_then(|current| bones[current].parent);
                found.is_some()
            });
            fits && current.is_none()
        }),
    };
    let bone = bone.ok_or_else(|| path.no_such_node())?;
    if !path.component.is_empty() {
        return Err(path.no_such_component().into());
    }
    let mut elements = Element::ALL.into_iter();
    let element = elements
        .find(|element| element.name().eq_ignore_ascii_case(path.attribute))
        .filter(|_| path.sub.is_none());
    Ok((bone, element.ok_or_else(|| path.no_such_attribute())?))
}

fn bind_track(
    armature: &Armature,
    bone: usize,
    element: Element,
    track: &VariantTrack,
) -> Result<ArmatureTarget, BindingProblem> {
    let kind = match element {
        _ if element.is_interpolated() => VariantType::Float,
        Element::Zindex => VariantType::Int,
        Element::Texture | Element::IkConstraint | Element::IkMode => VariantType::Text,
        _ => VariantType::Bool,
    };
    if track.kind() != kind {
        return Err(BindingProblem::Type {
            track: track.kind(),
            attribute: kind,
        });
    }
    let data = &armature.data().bones[bone];
    number_target(armature, bone, element)
        .map(ArmatureTarget::Number)
        .or_else(|| {
            step_target(element, bone, data.visual, data.ik_family).map(ArmatureTarget::Step)
        })
        .ok_or_else(|| {
            PathError::NoSuchAttribute {
                attribute: element.name().into(),
            }
            .into()
        })
}

/// Returns the index of an element's number; `None` if the bone has no such number.
pub(super) fn number_target(
    armature: &Armature,
    bone: usize,
    element: Element,
) -> Option<NumberTarget> {
    let data = armature.data().bones.get(bone)?;
    if let Some(field) = bone_field(element) {
        return Some(NumberTarget::Bone(bone * BONE_FIELDS + field));
    }
    let field = tint_field(element)?;
    Some(NumberTarget::Tint(data.visual? * TINT_FIELDS + field))
}

/// Converts a value to the number that a state stores; `None` if it is unknown.
fn step_value(armature: &Armature, element: Element, value: &Variant) -> Option<u32> {
    match (element, value) {
        (Element::Zindex, Variant::Int(value)) => Some(*value as u32),
        (Element::Texture, Variant::Text(name)) => armature.texture_number(name).map(|name| name.0),
        (Element::IkConstraint, Variant::Text(name)) => {
            IkConstraint::from_name(name).map(|constraint| constraint as u32)
        }
        (Element::IkMode, Variant::Text(name)) => IkMode::from_name(name).map(|mode| mode as u32),
        (_, Variant::Bool(value)) => Some(u32::from(*value)),
        _ => None,
    }
}

/// Returns the replacement of an unknown value: no texture, or the default of a setting.
fn unknown_value(element: Element) -> u32 {
    match element {
        Element::Texture => crate::skelform::TextureName::NONE.0,
        Element::IkConstraint => IkConstraint::default() as u32,
        // Everything except FABRIK is an arc, as in files.
        Element::IkMode => IkMode::Arc as u32,
        _ => 0,
    }
}
