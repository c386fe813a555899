//! What happens to the animations of a document: unchanged ones stay as they are, byte for byte; of others the channels
//! are written anew, and what motions do not hold is merged from the source.

use super::lists::Lists;
use super::raw::{RawObject, list, list_to_json};
use super::source_error;
use crate::gltf::GltfWriteError;
use crate::gltf::document::{self, Document};
use crate::gltf::write::json::AnimationJson;
use crate::gltf::write::{KeySettings, MorphNode, write_keys};
use crate::{Warnings, escape};
use sinew::{Animation, Skeleton};

/// The treatment of an animation.
enum Edit {
    /// It stays unchanged.
    Kept(usize),
    /// Its channels are written; the rest is taken from the source.
    Written {
        source: Option<usize>,
        /// Channels of the source that animate neither transforms nor weights, and stay.
        foreign: Vec<usize>,
    },
}

pub(super) struct Edits(Vec<Edit>);

impl Edits {
    pub(super) fn of(document: &Document<'_>, before: &[Animation], after: &[Animation]) -> Self {
        let source = |index: usize, name: &str| {
            if before.len() == after.len() {
                return Some(index);
            }
            let mut same = (0..before.len()).filter(|&index| before[index].name == name);
            same.next().filter(|_| same.next().is_none())
        };
        let edits = after.iter().enumerate().map(|(index, animation)| {
            let source = source(index, &animation.name);
            let original = source.and_then(|source| before.get(source));
            match (source, original) {
                (Some(source), Some(original)) if original == animation => Edit::Kept(source),
                (source, original) => {
                    // With the same length, times are the same.
                    let is_in_time =
                        original.is_some_and(|original| original.length == animation.length);
                    let foreign = source.filter(|_| is_in_time);
                    let foreign =
                        foreign.map_or(Vec::new(), |source| foreign_channels(document, source));
                    Edit::Written { source, foreign }
                }
            }
        });
        Self(edits.collect())
    }

    /// Warns of channels that motions do not support and that cannot stay.
    pub(super) fn warn(
        &self,
        document: &Document<'_>,
        animations: &[Animation],
        warnings: &mut Warnings,
    ) {
        for (edit, animation) in self.0.iter().zip(animations) {
            let Edit::Written {
                source: Some(source),
                foreign,
            } = edit
            else {
                continue;
            };
            let lost = foreign_channels(document, *source).len() - foreign.len();
            if lost > 0 {
                let place = format!("animation {}", escape::text(&animation.name));
                let problem = format!(
                    "{lost} that move no node are not kept, since the animation's times change"
                );
                warnings.add(place, "channels", problem);
            }
        }
    }

    /// Iterates over the accessors of unchanged content.
    pub(super) fn kept_accessors(&self, document: &Document<'_>) -> impl Iterator<Item = u32> {
        let mut kept = Vec::new();
        for edit in &self.0 {
            let (source, channels) = match edit {
                Edit::Kept(source) => (Some(*source), None),
                Edit::Written { source, foreign } => (*source, Some(foreign)),
            };
            let Some(animation) = source.and_then(|source| document.animations.get(source)) else {
                continue;
            };
            let samplers: Vec<u32> = match channels {
                None => (0..animation.samplers.len() as u32).collect(),
                Some(channels) => {
                    let channels = channels.iter().filter_map(|&at| animation.channels.get(at));
                    channels.map(|channel| channel.sampler).collect()
                }
            };
            for sampler in samplers {
                if let Some(sampler) = animation.samplers.get(sampler as usize) {
                    kept.extend([sampler.input, sampler.output]);
                }
            }
        }
        kept.into_iter()
    }

    /// Builds the JSON of the animations; keys are added to `lists`.
    #[expect(
        clippy::too_many_arguments,
        reason = "one call, of what one file consists of"
    )]
    pub(super) fn write(
        &self,
        root: &RawObject,
        skeleton: &Skeleton,
        animations: &[Animation],
        nodes: &[u32],
        morphs: &[MorphNode],
        lists: &mut Lists,
        warnings: &mut Warnings,
    ) -> Result<Vec<String>, GltfWriteError> {
        let sources = list(root.get("animations")).map_err(source_error)?;
        let edited = self.0.iter().zip(animations);
        let edited = edited.filter(|(edit, _)| matches!(edit, Edit::Written { .. }));
        let edited: Vec<&Animation> = edited.map(|(_, animation)| animation).collect();
        let settings = KeySettings {
            keep_rest: true,
            morphs,
        };
        let (mut written, keys) = write_keys(skeleton, &edited, &settings, warnings);
        if !edited.is_empty() {
            let (buffer, offset) = lists.storage.add(&keys.buffer);
            let mut views = Vec::new();
            for mut view in keys.views {
                view.buffer = buffer as u32;
                view.byte_offset += offset;
                let json = serde_json::to_string(&view).map_err(source_error)?;
                views.push(lists.views.add(json) as u32);
            }
            let mut accessors = Vec::new();
            for mut accessor in keys.accessors {
                let view = views.get(accessor.buffer_view as usize);
                accessor.buffer_view = view.copied().unwrap_or(0);
                let json = serde_json::to_string(&accessor).map_err(source_error)?;
                accessors.push(lists.accessors.add(json) as u32);
            }
            for animation in &mut written {
                place(animation, nodes, &accessors);
            }
        }
        let mut written = written.iter();
        let mut all = Vec::new();
        for edit in &self.0 {
            let (source, foreign) = match edit {
                Edit::Kept(source) => {
                    all.extend(sources.get(*source).cloned());
                    continue;
                }
                Edit::Written { source, foreign } => (source, foreign),
            };
            let Some(animation) = written.next() else {
                continue;
            };
            let source = source.and_then(|source| Some((source, sources.get(source)?)));
            let json = match source {
                Some((index, json)) => merged(json, index, foreign, animation, warnings),
                None => serde_json::to_string(animation),
            };
            let json = json.map_err(source_error)?;
            all.push(json);
        }
        Ok(all)
    }
}

/// Returns channels that animate no node, or an unsupported property.
fn foreign_channels(document: &Document<'_>, animation: usize) -> Vec<usize> {
    let channels = document.animations.get(animation);
    let channels = channels.map_or(&[][..], |animation| &animation.channels);
    let is_foreign = |channel: &document::Channel<'_>| {
        let known = ["translation", "rotation", "scale", "weights"];
        channel.target.node.is_none() || !known.contains(&&*channel.target.path)
    };
    let channels = channels.iter().enumerate();
    let foreign = channels.filter(|(_, channel)| is_foreign(channel));
    foreign.map(|(index, _)| index).collect()
}

/// Maps channels to the nodes and accessors of the document: from joints and from indices of new accessors.
fn place(animation: &mut AnimationJson<'_>, nodes: &[u32], accessors: &[u32]) {
    let entry = |list: &[u32], index: u32| list.get(index as usize).copied().unwrap_or(0);
    for channel in &mut animation.channels {
        channel.target.node = entry(nodes, channel.target.node);
    }
    for sampler in &mut animation.samplers {
        sampler.input = entry(accessors, sampler.input);
        sampler.output = entry(accessors, sampler.output);
    }
}

/// Merges an animation of the source with new channels, and with its own channels that stay.
fn merged(
    json: &str,
    index: usize,
    foreign: &[usize],
    animation: &AnimationJson<'_>,
    warnings: &mut Warnings,
) -> Result<String, serde_json::Error> {
    let mut object = RawObject::parse(json)?;
    let (before, samplers_before) = (list(object.get("channels"))?, list(object.get("samplers"))?);
    let channels = animation.channels.iter().map(serde_json::to_string);
    let mut channels: Vec<String> = channels.collect::<Result<_, _>>()?;
    let samplers = animation.samplers.iter().map(serde_json::to_string);
    let mut samplers: Vec<String> = samplers.collect::<Result<_, _>>()?;
    for &channel in foreign {
        let Some(channel) = before.get(channel) else {
            continue;
        };
        let mut channel = RawObject::parse(channel)?;
        let sampler: usize = serde_json::from_str(channel.get("sampler").unwrap_or("0"))?;
        if let Some(sampler) = samplers_before.get(sampler) {
            channel.set("sampler", samplers.len().to_string());
            samplers.push(sampler.clone());
            channels.push(channel.to_json());
        }
    }
    object.set("channels", list_to_json(&channels));
    object.set("samplers", list_to_json(&samplers));
    // An unnamed animation is named by its index.
    let unnamed = object.get("name").is_none() && animation.name == format!("animation_{index}");
    if !unnamed {
        object.set("name", serde_json::to_string(animation.name)?);
    }
    match RawObject::parse(object.get("extras").unwrap_or("{}")) {
        Ok(mut extras) => {
            extras.set("sinew", serde_json::to_string(&animation.extras.sinew)?);
            object.set("extras", extras.to_json());
        }
        Err(_) => {
            let problem =
                "not an object, so frame rate, triggers and other data are not written to it";
            warnings.add(format_args!("animations[{index}]"), "extras", problem);
        }
    }
    Ok(object.to_json())
}
