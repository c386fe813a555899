//! Conversion of channels and samplers to animations.

use super::accessor::{AccessorReader, Shape};
use super::document::{Animation as Source, Sampler};
use super::error::{entry, invalid};
use super::frames::{self, FrameGrid};
use super::morphs::with_own_names;
use super::nodes::{Joints, start_of};
use super::rest::{UNIT_TOLERANCE, length};
use super::{GltfError, times};
use crate::motion::MIN_FRAME_RATE;
use crate::{Warnings, escape, json};
use sinew::animation::{
    AnimationError, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack, VariantTrack,
};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, JointIndex};
use std::collections::{BTreeMap, HashMap};

/// Maximum frame rate of a clip fitted from keys of different channels: a few keys close together would cause
/// millions of frames.
const MAX_FITTED_RATE: f64 = 1000.0;

/// Shared state of the animations of one file.
pub(super) struct Context<'r, 'a> {
    pub(super) reader: &'r mut AccessorReader<'a>,
    pub(super) joints: &'r Joints,
    pub(super) warnings: &'r mut Warnings,
    /// Times by accessor.
    times: HashMap<u32, KeyTimes>,
    /// Number of morph weight tracks so far.
    pub(super) morph_tracks: usize,
    /// Total number of their keys.
    pub(super) morph_keys: usize,
}

pub(super) fn read(
    reader: &mut AccessorReader<'_>,
    joints: &Joints,
    warnings: &mut Warnings,
) -> Result<Vec<Animation>, GltfError> {
    let sources = &reader.document.animations;
    let mut context = Context {
        reader,
        joints,
        warnings,
        times: HashMap::new(),
        morph_tracks: 0,
        morph_keys: 0,
    };
    let sources = sources.iter().enumerate();
    sources
        .map(|(index, source)| context.animation(index, source))
        .collect()
}

/// The values of a channel: part of a track.
enum ChannelValues {
    Position(Channel<Vec3>),
    Rotation(Channel<Quat>),
    Scale(Channel<Vec3>),
    Weights(Vec<VariantTrack>),
}

impl ChannelValues {
    fn times(&self) -> Option<&KeyTimes> {
        match self {
            Self::Position(channel) | Self::Scale(channel) => Some(channel.times()),
            Self::Rotation(channel) => Some(channel.times()),
            Self::Weights(tracks) => tracks.first().map(VariantTrack::times),
        }
    }
}

impl Context<'_, '_> {
    fn animation(&mut self, index: usize, source: &Source<'_>) -> Result<Animation, GltfError> {
        let place = format!("animations[{index}]");
        let name = match source.name.as_deref() {
            None | Some("") => format!("animation_{index}"),
            Some(name) => start_of(&place, name, self.warnings).to_owned(),
        };
        let mut tracks: BTreeMap<JointIndex, TransformTrack> = BTreeMap::new();
        let mut variants: BTreeMap<JointIndex, Vec<VariantTrack>> = BTreeMap::new();
        let mut without_joint = Vec::new();
        let mut end = 0.0_f32;
        let mut frames = Frames::default();
        for (c, channel) in source.channels.iter().enumerate() {
            let path = format!("{place}.channels[{c}]");
            let sampler = format!("{path}.sampler");
            let sampler = entry(sampler, "sampler", &source.samplers, channel.sampler)?;
            let Some(node) = channel.target.node else {
                let to = escape::text(&channel.target.path);
                let problem = format!("it moves {to} of no node; ignored");
                self.warnings.add(&path, "target", problem);
                continue;
            };
            let joint = self.joints.of_node.get(node as usize).copied().flatten();
            let Some((joint, name)) =
                joint.and_then(|joint| Some((joint, &self.joints.skeleton.joint(joint)?.name)))
            else {
                continue;
            };
            let sampler_path = format!("{place}.samplers[{}]", channel.sampler);
            let values = match &*channel.target.path {
                "translation" => ChannelValues::Position(self.vectors(&sampler_path, sampler)?),
                "scale" => ChannelValues::Scale(self.vectors(&sampler_path, sampler)?),
                "rotation" => ChannelValues::Rotation(self.rotations(&sampler_path, sampler)?),
                "weights" => {
                    self.check_weights(&path, node);
                    ChannelValues::Weights(self.weights(&sampler_path, sampler, joint)?)
                }
                other => {
                    let problem = format!("{} is unknown; ignored", escape::text(other));
                    self.warnings.add(&path, "target.path", problem);
                    continue;
                }
            };
            if let Some(times) = values.times() {
                end = end.max(times.last());
                frames.add(times, interpolation(&sampler_path, sampler)?);
            }
            let track = tracks
                .entry(joint)
                .or_insert_with(|| TransformTrack::new(name));
            let was_set = match values {
                ChannelValues::Position(channel) => track.position.replace(channel).is_some(),
                ChannelValues::Rotation(channel) => track.rotation.replace(channel).is_some(),
                ChannelValues::Scale(channel) => track.scale.replace(channel).is_some(),
                ChannelValues::Weights(tracks) => variants.insert(joint, tracks).is_some(),
            };
            if was_set {
                let what = escape::name(&channel.target.path);
                let problem =
                    format!("an earlier channel moves the {what} of node {node}; this one is used");
                self.warnings.add(&path, "target", problem);
            }
        }
        if source.channels.is_empty() {
            self.warnings.add(&place, "channels", "the list is empty");
        }
        let extras = &source.extras;
        let notes = match &extras.notes {
            Some(json) => self.notes(&place, json),
            None => Animation::default(),
        };
        for track in notes.tracks {
            let joint = self.joints.skeleton.find(&track.name);
            match joint.and_then(|joint| tracks.get_mut(&joint)) {
                Some(with_keys) => with_keys.weights = track.weights,
                None if joint.is_none() => without_joint.push(track),
                None => {}
            }
        }
        let grid = if extras.ours { None } else { frames.grid() };
        if let Some(grid) = grid.as_ref().filter(|grid| !grid.is_exact) {
            put_on_frames(&mut tracks, &mut variants, grid);
            self.say_moved(&place, grid);
            // The last key, on its frame.
            end = grid.end(end);
        } else if grid.is_none() && !extras.ours && frames.is_motion() {
            let problem = "keys are on no common frame rate: formats of frames (BVH, .sinew) hold it sampled, which \
                           --fps of `sinew convert` decides";
            self.warnings.note(&place, "", problem);
        }
        let variants = variants.into_values().flatten().chain(notes.variants);
        let written = extras.length.map(|length| length as f32);
        Ok(Animation {
            name,
            length: written
                .filter(|l| l.is_finite() && *l >= 0.0)
                .unwrap_or(end),
            tracks: tracks
                .into_values()
                .chain(without_joint)
                .filter(|track| !track.is_empty())
                .collect(),
            variants: with_own_names(variants, &place, self.warnings),
            triggers: notes.triggers,
            metadata: extras.metadata.clone(),
            looping: extras.looping,
            frame_rate: if extras.ours {
                extras
                    .frame_rate
                    .filter(|rate| rate.is_finite() && *rate > 0.0)
            } else {
                grid.map(|grid| grid.rate)
            },
        })
    }

    /// Reads the notes that our writer stores for an animation, with the keys of joints that the skeleton lacks; default if
    /// they are damaged.
    fn notes(&mut self, place: &str, json: &str) -> Animation {
        let problem = match json::read_bytes(json.as_bytes()) {
            Ok(mut file) if file.animations.len() == 1 => {
                return file.animations.pop().unwrap_or_default();
            }
            Ok(file) => format!("expected one animation, found {}", file.animations.len()),
            Err(error) => error.to_string(),
        };
        let problem = format!("{problem}; ignored");
        self.warnings.add(place, "extras.sinew.notes", problem);
        Animation::default()
    }

    /// Notes by how much keys were moved, if it is more than rounding.
    fn say_moved(&mut self, place: &str, grid: &FrameGrid) {
        let FrameGrid { rate, .. } = grid;
        if grid.shift > 0.0 {
            let problem = format!(
                "frames of {rate:.6} per second begin {:.2} ms after one that is counted from 0; moved to it",
                1e3 * grid.shift
            );
            self.warnings.note(place, "", problem);
        }
        if grid.jitter > 0.0 {
            let problem = format!(
                "keys are up to {:.1} % of a frame off {rate:.6} frames per second; snapped to their frames",
                100.0 * grid.jitter
            );
            self.warnings.note(place, "", problem);
        }
    }

    /// Returns the times of a sampler; samplers with the same accessor share them.
    pub(super) fn times(
        &mut self,
        path: &str,
        sampler: &Sampler<'_>,
    ) -> Result<KeyTimes, GltfError> {
        if let Some(times) = self.times.get(&sampler.input) {
            return Ok(times.clone());
        }
        let path = format!("{path}.input");
        let numbers = self
            .reader
            .numbers(&path, sampler.input, Shape::TIME, self.warnings)?;
        let place = format!("accessors[{}]", sampler.input);
        let accessor = self.reader.document.accessors.get(sampler.input as usize);
        let bounded = accessor.is_some_and(|a| a.min.is_some() && a.max.is_some());
        if !bounded {
            let problem = "times of keys should have them; read without";
            self.warnings.add(&place, "min and max", problem);
        }
        let written = accessor.and_then(|accessor| accessor.extras.as_ref()?.rate);
        let rate = times::rate(&numbers, written);
        if let Some(key) = numbers
            .windows(2)
            .position(|pair| matches!(pair, [a, b] if a == b))
        {
            let problem = format!(
                "keys {key} and {} have the same time; the last one is used",
                key + 1
            );
            self.warnings.add(&place, "", problem);
        }
        let times = match rate {
            Some(rate) => KeyTimes::uniform(rate, numbers.len()),
            None => KeyTimes::listed(numbers),
        };
        let times = times.map_err(|source| GltfError::Animation { path, source })?;
        self.times.insert(sampler.input, times.clone());
        Ok(times)
    }

    fn vectors(&mut self, path: &str, sampler: &Sampler<'_>) -> Result<Channel<Vec3>, GltfError> {
        let times = self.times(path, sampler)?;
        let output = format!("{path}.output");
        let numbers = self
            .reader
            .numbers(&output, sampler.output, Shape::VECTOR, self.warnings)?;
        let (values, _) = numbers.as_chunks::<3>();
        let values = values.iter().copied().map(Vec3::from_array).collect();
        channel(path, times, values, interpolation(path, sampler)?)
    }

    fn rotations(&mut self, path: &str, sampler: &Sampler<'_>) -> Result<Channel<Quat>, GltfError> {
        let times = self.times(path, sampler)?;
        let output = format!("{path}.output");
        let numbers =
            self.reader
                .numbers(&output, sampler.output, Shape::ROTATION, self.warnings)?;
        let (values, _) = numbers.as_chunks::<4>();
        let interpolation = interpolation(path, sampler)?;
        // The middle one of a cubic's three values per key is the rotation.
        let (skip, step) = if interpolation == Interpolation::Cubic {
            (1, 3)
        } else {
            (0, 1)
        };
        let lengths = values
            .iter()
            .skip(skip)
            .step_by(step)
            .map(|&value| length(value));
        let mut off = lengths
            .enumerate()
            .filter(|(_, length)| (length - 1.0).abs() > UNIT_TOLERANCE);
        if let Some((key, length)) = off.next() {
            let more = off.count();
            let more = if more > 0 {
                format!(" (and {more} more)")
            } else {
                String::new()
            };
            let problem =
                format!("the rotation of key {key} is of length {length:.4}{more}; normalized");
            self.warnings.add(path, "output", problem);
        }
        let values = values.iter().copied().map(Quat::from_array).collect();
        channel(path, times, values, interpolation)
    }
}

pub(super) fn interpolation(path: &str, sampler: &Sampler<'_>) -> Result<Interpolation, GltfError> {
    Ok(match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        Some(other) => {
            let expected = "LINEAR, STEP or CUBICSPLINE";
            return Err(invalid(
                format!("{path}.interpolation"),
                expected,
                escape::text(other),
            ));
        }
    })
}

fn channel<T: ChannelValue>(
    path: &str,
    times: KeyTimes,
    values: Vec<T>,
    interpolation: Interpolation,
) -> Result<Channel<T>, GltfError> {
    let made = if interpolation == Interpolation::Cubic {
        let (triples, rest) = values.as_chunks::<3>();
        if !rest.is_empty() {
            Err(AnimationError::Count {
                what: "numbers of cubics, three of which make a key",
                times: times.len(),
                values: values.len(),
            })
        } else {
            let column = |index: usize| triples.iter().map(|triple| triple[index]).collect();
            Channel::cubic(times, column(1), column(0), column(2))
        }
    } else {
        Channel::new(times, values, interpolation)
    };
    made.map_err(|source| GltfError::Animation {
        path: path.to_owned(),
        source,
    })
}

/// Detects whether a clip is a sequence of frames: all keys of channels with more than two are on frames, and no
/// channel is cubic. Two keys only define a start and an end.
#[derive(Default)]
struct Frames {
    channels: Vec<KeyTimes>,
    bends: bool,
}

impl Frames {
    fn add(&mut self, times: &KeyTimes, interpolation: Interpolation) {
        self.bends |= interpolation == Interpolation::Cubic && times.len() > 1;
        if times.len() > 2 && self.channels.last() != Some(times) {
            self.channels.push(times.clone());
        }
    }

    fn grid(&self) -> Option<FrameGrid> {
        if self.bends {
            return None;
        }
        // Times that match a rate exactly stay unchanged.
        let first = self.channels.first()?.rate();
        if let Some(rate) = first
            && self.channels.iter().all(|times| times.rate() == first)
        {
            return (rate >= MIN_FRAME_RATE).then_some(FrameGrid::exact(rate));
        }
        frames::fit(self.channels.iter())
            .filter(|grid| (MIN_FRAME_RATE..=MAX_FITTED_RATE).contains(&grid.rate))
    }

    /// Returns whether there is motion to fit frames to.
    fn is_motion(&self) -> bool {
        self.bends || !self.channels.is_empty()
    }
}

/// Snaps the keys of all tracks to the frames of a clip, so that channels with a key on each have even times.
fn put_on_frames(
    tracks: &mut BTreeMap<JointIndex, TransformTrack>,
    variants: &mut BTreeMap<JointIndex, Vec<VariantTrack>>,
    grid: &FrameGrid,
) {
    for track in tracks.values_mut() {
        track.position = track
            .position
            .take()
            .map(|channel| on_frames(channel, grid));
        track.rotation = track
            .rotation
            .take()
            .map(|channel| on_frames(channel, grid));
        track.scale = track.scale.take().map(|channel| on_frames(channel, grid));
    }
    if grid.shift > 0.0 {
        for track in variants.values_mut().flatten() {
            let moved = grid.moved(track.times());
            let keys = track.keys().collect();
            let moved = moved.and_then(|times| {
                VariantTrack::with_times(track.name.clone(), track.interpolation(), times, keys)
                    .ok()
            });
            if let Some(moved) = moved {
                *track = moved;
            }
        }
    }
}

fn on_frames<T: ChannelValue>(channel: Channel<T>, grid: &FrameGrid) -> Channel<T> {
    let is_there = channel.times().rate() == Some(grid.rate) && grid.shift == 0.0;
    if is_there || channel.values().len() < 2 {
        return channel;
    }
    let Some((times, lead)) = grid.times(channel.times()) else {
        return channel;
    };
    let mut values = vec![channel.first(); lead];
    values.extend_from_slice(channel.values());
    Channel::new(times, values, channel.interpolation()).unwrap_or(channel)
}
