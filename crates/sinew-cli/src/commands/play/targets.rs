//! The targets of a script: the model, its animations, and masks.

use super::node::{ScriptError, ScriptValue};
use super::script::{AnimationEntry, MaskEntry, MaskParts, Script, TriggerEntry, TriggerTime};
use crate::args::SourceArgs;
use crate::error::CliError;
use crate::input::{self, Character, Input};
use crate::names::{no_such, quote};
use crate::report;
use sinew::animation::{Channel, Interpolation};
use sinew::control::Mask;
use sinew::glam::Vec3;
use sinew::{Animation, AnimationIndex, AnimationSet, Skeleton};
use sinew_formats::skf::ReadSettings;
use sinew_formats::{Warning, Warnings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The body that moves.
pub(crate) enum TargetBody {
    Character(Box<Character>),
    Skeleton(Arc<Skeleton>),
}

/// A body and its animations.
pub(crate) struct PlayTargets {
    pub(crate) body: TargetBody,
    set: Arc<AnimationSet>,
    /// The names of the masks.
    pub(crate) masks: Vec<String>,
    /// Warnings of readers, with the file.
    pub(crate) warnings: Vec<(PathBuf, Warning)>,
}

impl PlayTargets {
    /// Opens all files of a script. Readers report errors of files; errors of the script are reported with `script`,
    /// its path.
    pub(crate) fn new(
        script: &Script<'_>,
        path: &Path,
        pictures: bool,
        source: &SourceArgs,
    ) -> Result<Self, CliError> {
        let in_script = |source: ScriptError| CliError::Script {
            path: path.to_owned(),
            source: source.into(),
        };
        let model = input::open(&script.model, ReadSettings { pictures }, source)?;
        report::warnings(&script.model, model.warnings());
        let warnings = of_file(&script.model, model.warnings());
        let mut set = AnimationSet::new();
        let body = match model {
            Input::Character(character) => {
                set = AnimationSet::of_armature(&character.skf.armature);
                TargetBody::Character(Box::new(character))
            }
            Input::Motion(motion) => {
                for animation in motion.file.animations {
                    let name = animation.name.clone();
                    // An invalid animation or a duplicate name is reported where it is used.
                    let _ = set.add_as(name, animation);
                }
                TargetBody::Skeleton(Arc::new(motion.file.skeleton))
            }
        };
        let mut targets = Self {
            body,
            set: Arc::new(AnimationSet::new()),
            masks: Vec::new(),
            warnings,
        };
        let mut model_animations = set.indices().collect();
        for entry in &script.animations {
            for (name, animation) in targets.read(entry, path, source)? {
                add(&mut set, &mut model_animations, &name, animation)
                    .map_err(|problem| in_script(ScriptError::new(entry.place.clone(), problem)))?;
            }
        }
        for entry in &script.masks {
            let mask = targets.mask(entry).map_err(in_script)?;
            set.set_mask(entry.name, mask);
            targets.masks.push(entry.name.to_owned());
        }
        for entry in &script.triggers {
            add_trigger(&mut set, entry).map_err(in_script)?;
        }
        targets.set = Arc::new(set);
        Ok(targets)
    }

    pub(crate) fn set(&self) -> &Arc<AnimationSet> {
        &self.set
    }

    /// Returns the animation that a part of a script names.
    pub(crate) fn animation(&self, value: &ScriptValue<'_>) -> Result<AnimationIndex, ScriptError> {
        find(&self.set, value)
    }

    /// Returns a time in seconds within an animation.
    pub(crate) fn time_within(
        &self,
        value: &ScriptValue<'_>,
        animation: AnimationIndex,
    ) -> Result<f32, ScriptError> {
        time_within(&self.set, value, animation)
    }

    /// Returns the name of a bone or joint if it exists.
    pub(crate) fn bone<'a>(
        &self,
        value: &ScriptValue<'_>,
        name: &'a str,
    ) -> Result<&'a str, ScriptError> {
        if self.bones().any(|bone| bone == name) {
            return Ok(name);
        }
        Err(value.error(no_such(
            "bone",
            name,
            self.bones().collect::<Vec<_>>().into_iter(),
        )))
    }

    /// Returns the names of all bones or joints, parents before children.
    pub(crate) fn bones(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.body {
            TargetBody::Character(character) => {
                let bones = character.skf.armature.data().bones.iter();
                Box::new(bones.map(|bone| bone.name.as_str()))
            }
            TargetBody::Skeleton(skeleton) => {
                Box::new(skeleton.joints().iter().map(|joint| joint.name.as_str()))
            }
        }
    }

    fn mask(&self, entry: &MaskEntry<'_>) -> Result<Mask, ScriptError> {
        match &entry.parts {
            MaskParts::Below(value, name) => {
                let name = self.bone(value, name)?;
                let below = match &self.body {
                    TargetBody::Character(character) => {
                        Mask::bone_subtree(&character.skf.armature, name)
                    }
                    TargetBody::Skeleton(skeleton) => Mask::subtree(skeleton, name),
                };
                // The name was found above.
                Ok(below.unwrap_or_else(Mask::none))
            }
            MaskParts::Weights(weights) => {
                let mut mask = Mask::none();
                for (value, name, weight) in weights {
                    mask = mask.with(self.bone(value, name)?, *weight);
                }
                Ok(mask)
            }
        }
    }

    /// Returns the animations of a file with their assigned names.
    fn read(
        &mut self,
        entry: &AnimationEntry,
        script: &Path,
        source: &SourceArgs,
    ) -> Result<Vec<(String, Animation)>, CliError> {
        let wrong = |problem: String| CliError::Script {
            path: script.to_owned(),
            source: ScriptError::new(entry.place.clone(), problem).into(),
        };
        let settings = input::settings(source);
        let (mut animations, warnings) = input::read_any_animations(&entry.file, &settings)?;
        report::warnings(&entry.file, &warnings);
        self.warnings.extend(of_file(&entry.file, &warnings));
        if let Some(name) = &entry.animation {
            let names: Vec<String> = animations
                .iter()
                .map(|animation| animation.name.clone())
                .collect();
            animations.retain(|animation| animation.name == *name);
            animations.truncate(1);
            if animations.is_empty() {
                let names = names.iter().map(String::as_str);
                return Err(wrong(no_such("animation", name, names)));
            }
        }
        if entry.in_place {
            let TargetBody::Skeleton(skeleton) = &self.body else {
                return Err(wrong("\"in_place\" applies to 3D motions".to_owned()));
            };
            for animation in &mut animations {
                stay_in_place(animation, skeleton);
            }
        }
        let stem = entry.file.file_stem().unwrap_or_default().to_string_lossy();
        let stem = stem.strip_prefix("sample:").unwrap_or(&stem);
        match (animations.len(), &entry.name) {
            (0, _) => Err(wrong("no animation found".to_owned())),
            (1, name) => {
                let name = name
                    .as_deref()
                    .or(entry.animation.as_deref())
                    .unwrap_or(stem);
                Ok(animations
                    .into_iter()
                    .map(|animation| (name.to_owned(), animation))
                    .collect())
            }
            (count, Some(_)) => {
                let names: Vec<String> = animations
                    .iter()
                    .map(|animation| quote(&animation.name))
                    .collect();
                Err(wrong(format!(
                    "the file has {count} animations; select one with \"animation\": {}",
                    names.join(", ")
                )))
            }
            (_, None) => Ok(animations
                .into_iter()
                .map(|animation| (animation.name.clone(), animation))
                .collect()),
        }
    }
}

/// Pairs warnings with their file.
fn of_file(path: &Path, warnings: &Warnings) -> Vec<(PathBuf, Warning)> {
    let list = warnings.list().iter();
    list.map(|warning| (path.to_owned(), warning.clone()))
        .collect()
}

/// Adds an animation; it may replace one of the model's own, which come first.
fn add(
    set: &mut AnimationSet,
    model_animations: &mut BTreeSet<AnimationIndex>,
    name: &str,
    animation: Animation,
) -> Result<(), String> {
    let added = match set.find(name) {
        // Only once: a further animation of that name is a duplicate.
        Some(index) if model_animations.remove(&index) => set.replace(index, animation),
        _ => set.add_as(name, animation).map(|_| ()),
    };
    added.map_err(|error| error.to_string())
}

fn add_trigger(set: &mut AnimationSet, entry: &TriggerEntry<'_>) -> Result<(), ScriptError> {
    let animation = find(set, &entry.animation)?;
    let length = set.length(animation).unwrap_or(0.0);
    let time = match &entry.time {
        TriggerTime::Seconds(time) => time_within(set, time, animation)?,
        TriggerTime::Normalized(fraction) => fraction * length,
    };
    let added = set.add_trigger(animation, time, entry.data.clone());
    added.map_err(|error| ScriptError::new(entry.place.clone(), error.to_string()))
}

fn time_within(
    set: &AnimationSet,
    value: &ScriptValue<'_>,
    animation: AnimationIndex,
) -> Result<f32, ScriptError> {
    let name = set.name(animation).unwrap_or_default();
    value.time_within(name, set.length(animation).unwrap_or(0.0))
}

fn find(set: &AnimationSet, value: &ScriptValue<'_>) -> Result<AnimationIndex, ScriptError> {
    let name = value.text("the name of an animation")?;
    set.find(name).ok_or_else(|| {
        let names: Vec<&str> = set.indices().filter_map(|index| set.name(index)).collect();
        value.error(no_such("animation", name, names.into_iter()))
    })
}

/// Removes the ground motion of the roots; their x and z keep the sway around a steady walk.
fn stay_in_place(animation: &mut Animation, skeleton: &Skeleton) {
    let length = animation.length.max(1e-6);
    for root in skeleton.roots() {
        let name = skeleton.joint(root).map(|joint| joint.name.as_str());
        let track = animation
            .tracks
            .iter_mut()
            .find(|track| Some(track.name.as_str()) == name);
        let Some((track, channel)) = track
            .and_then(|track| Some((track.position.take()?, track)))
            .map(|(c, t)| (t, c))
        else {
            continue;
        };
        let (first, last) = (channel.sample(0.0), channel.sample(animation.length));
        let displacement = Vec3::new(last.x - first.x, 0.0, last.z - first.z);
        let start = Vec3::new(first.x, 0.0, first.z);
        let remove =
            |(time, position): (f32, Vec3)| position - start - displacement * (time / length);
        let values: Vec<Vec3> = channel.keys().map(remove).collect();
        // Cubic keys become linear: their tangents include the removed motion.
        let interpolation = match channel.interpolation() {
            Interpolation::Step => Interpolation::Step,
            Interpolation::Linear | Interpolation::Cubic => Interpolation::Linear,
        };
        track.position = Channel::new(channel.times().clone(), values, interpolation)
            .ok()
            .or(Some(channel));
    }
}
