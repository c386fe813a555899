//! Animation keys as bytes: the selection of channels, and their times.

use super::data::{Data, F32, bounds, bytes_of};
use super::json::{
    AnimationJson, AnimationNote, ChannelJson, ExtrasJson, LoopNote, SamplerJson, TargetJson,
    TimesNote,
};
use super::morphs::{self, MorphNode};
use super::notes;
use crate::Warnings;
use sinew::animation::{Channel, ChannelValue, Interpolation, KeyTimes, LoopMotion};
use sinew::glam::{Quat, Vec3};
use sinew::math::GroundTransform;
use sinew::{Animation, Joint, Skeleton};
use std::collections::HashMap;

/// Settings for writing keys.
#[derive(Clone, Copy, Default)]
pub(in crate::gltf) struct KeySettings<'a> {
    /// Whether channels that never leave the rest pose are written too. An edited document has them for a reason:
    /// some players leave nodes that an animation does not mention in their last pose.
    pub(in crate::gltf) keep_rest: bool,
    /// Nodes with morph targets.
    pub(in crate::gltf) morphs: &'a [MorphNode],
}

/// Writes animations into one view; channels with the same times share them.
pub(super) struct KeyWriter<'a> {
    data: &'a mut Data,
    settings: KeySettings<'a>,
    view: u32,
    times: HashMap<TimesKey, u32>,
}

/// Identity of a list of times.
#[derive(PartialEq, Eq, Hash)]
enum TimesKey {
    Uniform { rate: u64, count: usize },
    Listed(Vec<u32>),
}

/// The channels of one joint; of several tracks with the same name the last one is used.
#[derive(Clone, Copy, Default)]
struct JointChannels<'a> {
    position: Option<&'a Channel<Vec3>>,
    rotation: Option<&'a Channel<Quat>>,
    scale: Option<&'a Channel<Vec3>>,
}

/// A glTF channel: increasing times, and numbers.
pub(super) struct ChannelKeys {
    pub(super) times: Vec<f32>,
    /// Keys per second, if the times match that rate.
    pub(super) rate: Option<f64>,
    pub(super) interpolation: Interpolation,
    pub(super) numbers: Vec<f32>,
}

/// The keys of one joint's translation, rotation, scale or weights.
struct ChannelTarget {
    joint: usize,
    path: &'static str,
    kind: &'static str,
    /// Number of components of an element.
    width: usize,
    keys: ChannelKeys,
}

/// A value as a list of numbers.
pub(super) trait Numbers: ChannelValue {
    const KIND: &'static str;
    const WIDTH: usize;
    fn put(self, numbers: &mut Vec<f32>);
    /// Returns whether it is the same position or rotation.
    fn is_same(self, other: Self) -> bool;
}

impl Numbers for Vec3 {
    const KIND: &'static str = "VEC3";
    const WIDTH: usize = 3;

    fn put(self, numbers: &mut Vec<f32>) {
        numbers.extend(self.to_array());
    }

    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

impl Numbers for Quat {
    const KIND: &'static str = "VEC4";
    const WIDTH: usize = 4;

    fn put(self, numbers: &mut Vec<f32>) {
        numbers.extend(self.to_array());
    }

    fn is_same(self, other: Self) -> bool {
        self == other || self.to_array() == other.to_array().map(|n| -n)
    }
}

impl<'a> KeyWriter<'a> {
    pub(super) fn new(data: &'a mut Data, settings: KeySettings<'a>) -> Self {
        let view = data.view(None, None);
        Self {
            data,
            settings,
            view,
            times: HashMap::new(),
        }
    }

    /// Rotations of `animation` must have aligned signs; texts are taken from `named`. Nodes have the indices of
    /// joints.
    pub(super) fn animation<'n>(
        &mut self,
        skeleton: &Skeleton,
        animation: &Animation,
        named: &'n Animation,
        sync_markers: &'n [f64],
        warnings: &mut Warnings,
    ) -> AnimationJson<'n> {
        let mut channels = vec![JointChannels::default(); skeleton.len()];
        for track in &animation.tracks {
            let joint = skeleton.find(&track.name);
            if let Some(channels) = joint.and_then(|joint| channels.get_mut(joint.index())) {
                channels.position = track.position.as_ref().or(channels.position);
                channels.rotation = track.rotation.as_ref().or(channels.rotation);
                channels.scale = track.scale.as_ref().or(channels.scale);
            }
        }
        let keep_rest = self.settings.keep_rest;
        let mut found = Vec::new();
        for (index, (joint, channels)) in skeleton.joints().iter().zip(channels).enumerate() {
            let rest = joint.rest;
            let position = keys(channels.position, rest.position, keep_rest);
            let rotation = keys(channels.rotation, rest.rotation, keep_rest);
            let scale = keys(channels.scale, rest.scale, keep_rest);
            found
                .extend(position.map(|keys| ChannelTarget::of::<Vec3>(index, "translation", keys)));
            found.extend(rotation.map(|keys| ChannelTarget::of::<Quat>(index, "rotation", keys)));
            found.extend(scale.map(|keys| ChannelTarget::of::<Vec3>(index, "scale", keys)));
        }
        let mut is_written = vec![false; animation.variants.len()];
        for node in self.settings.morphs {
            let keys = morphs::weights(node, animation, &mut is_written, warnings);
            found.extend(keys.map(|keys| ChannelTarget {
                joint: node.joint,
                path: "weights",
                kind: "SCALAR",
                width: 1,
                keys,
            }));
        }
        if found.iter().all(|target| target.keys.times.len() == 1) {
            hold(skeleton.joints().first(), animation.length, &mut found);
        }
        let ends = found
            .iter()
            .filter_map(|target| target.keys.times.last().copied());
        let end = ends.fold(0.0, f32::max);
        let mut written = AnimationJson {
            name: &named.name,
            channels: Vec::new(),
            samplers: Vec::new(),
            extras: ExtrasJson {
                sinew: AnimationNote {
                    frame_rate: animation.frame_rate.filter(|rate| rate.is_finite()),
                    length: (end != animation.length && animation.length.is_finite())
                        .then(|| f64::from(animation.length)),
                    looping: animation
                        .looping
                        .filter(LoopMotion::is_finite)
                        .map(loop_note),
                    metadata: &named.metadata,
                    sync_markers,
                    notes: notes::of(skeleton, animation, &is_written),
                },
            },
        };
        for target in found {
            let input = self.times(&target.keys);
            let count = target.keys.numbers.len() / target.width;
            let interpolation = target.keys.interpolation;
            let bytes = bytes_of(target.keys.numbers);
            let output = self
                .data
                .accessor(self.view, F32, target.kind, count, &bytes);
            written.channels.push(ChannelJson {
                sampler: written.samplers.len() as u32,
                target: TargetJson {
                    node: target.joint as u32,
                    path: target.path,
                },
            });
            written.samplers.push(SamplerJson {
                input,
                interpolation: match interpolation {
                    Interpolation::Step => "STEP",
                    Interpolation::Linear => "LINEAR",
                    Interpolation::Cubic => "CUBICSPLINE",
                },
                output,
            });
        }
        written
    }

    /// Returns the accessor of a channel's times, shared with channels of the same times.
    fn times(&mut self, keys: &ChannelKeys) -> u32 {
        let key = match keys.rate {
            Some(rate) => TimesKey::Uniform {
                rate: rate.to_bits(),
                count: keys.times.len(),
            },
            None => TimesKey::Listed(keys.times.iter().map(|time| time.to_bits()).collect()),
        };
        if let Some(&accessor) = self.times.get(&key) {
            return accessor;
        }
        let bytes = bytes_of(keys.times.iter().copied());
        let count = keys.times.len();
        let accessor = self.data.accessor(self.view, F32, "SCALAR", count, &bytes);
        if let Some(accessor) = self.data.last() {
            let times: Vec<[f32; 1]> = keys.times.iter().map(|&time| [time]).collect();
            (accessor.min, accessor.max) = bounds(&times);
            accessor.extras = keys.rate.map(|rate| ExtrasJson {
                sinew: TimesNote { rate },
            });
        }
        self.times.insert(key, accessor);
        accessor
    }
}

fn loop_note(looping: LoopMotion) -> LoopNote {
    let GroundTransform { angle, x, z } = looping.per_cycle;
    LoopNote {
        angle,
        x,
        z,
        in_place: looping.in_place,
    }
}

impl ChannelTarget {
    fn of<T: Numbers>(joint: usize, path: &'static str, keys: ChannelKeys) -> Self {
        Self {
            joint,
            path,
            kind: T::KIND,
            width: T::WIDTH,
            keys,
        }
    }
}

/// Adds a constant channel if nothing moves: the last key defines the length of a glTF animation.
fn hold(root: Option<&Joint>, length: f32, found: &mut Vec<ChannelTarget>) {
    if found.is_empty() {
        let rest = root.map_or(Quat::IDENTITY, |root| root.rest.rotation);
        let keys = ChannelKeys {
            times: vec![0.0],
            rate: None,
            interpolation: Interpolation::Step,
            numbers: rest.to_array().to_vec(),
        };
        found.push(ChannelTarget::of::<Quat>(0, "rotation", keys));
    }
    if let Some(ChannelTarget { keys, .. }) = found.first_mut()
        && length.is_finite()
        && keys.times.first().is_some_and(|&time| time < length)
    {
        keys.times.push(length);
        keys.rate = None;
        keys.numbers.extend_from_within(..);
    }
}

/// Returns the keys of a channel; `None` if it never leaves the rest pose, unless `keep_rest` is set.
fn keys<T: Numbers>(channel: Option<&Channel<T>>, rest: T, keep_rest: bool) -> Option<ChannelKeys> {
    let channel = channel?;
    let first = *channel.values().first()?;
    if is_constant(channel, first) {
        let mut numbers = Vec::new();
        first.put(&mut numbers);
        return (keep_rest || !first.is_same(rest)).then(|| ChannelKeys {
            times: vec![channel.times().get(0)],
            rate: None,
            interpolation: alone(channel.interpolation()),
            numbers,
        });
    }
    let (kept, times) = rising(channel.times());
    let rate = channel
        .times()
        .rate()
        .filter(|_| times.len() == channel.times().len());
    let is_alone = times.len() == 1;
    let mut numbers = Vec::with_capacity(times.len() * T::WIDTH);
    for key in kept {
        let value = channel.values().get(key).copied();
        let slopes = [channel.in_tangents(), channel.out_tangents()];
        let [into, out] = slopes.map(|slopes| slopes.get(key).copied().filter(|_| !is_alone));
        for number in [into, value, out].into_iter().flatten() {
            number.put(&mut numbers);
        }
    }
    Some(ChannelKeys {
        times,
        rate,
        interpolation: if is_alone {
            alone(channel.interpolation())
        } else {
            channel.interpolation()
        },
        numbers,
    })
}

/// Returns the interpolation of a single key: a cubic needs two.
pub(super) fn alone(interpolation: Interpolation) -> Interpolation {
    match interpolation {
        Interpolation::Cubic => Interpolation::Step,
        other => other,
    }
}

/// Returns whether a channel is constant.
fn is_constant<T: Numbers>(channel: &Channel<T>, first: T) -> bool {
    let slopes = channel.in_tangents().iter().chain(channel.out_tangents());
    let flat = |slope: &T| *slope == T::sum(*slope, 0.0, *slope, 0.0);
    channel.values().len() == 1
        || channel.values().iter().all(|&value| value == first) && slopes.copied().all(|s| flat(&s))
}

/// Returns the keys to write and their times, which glTF requires to be strictly increasing. Of keys at the same time
/// the last one keeps it and the first one, which ends the segment before, is moved slightly earlier; those between
/// have no effect.
pub(super) fn rising(times: &KeyTimes) -> (Vec<usize>, Vec<f32>) {
    let mut kept: Vec<usize> = Vec::with_capacity(times.len());
    let mut written: Vec<f32> = Vec::with_capacity(times.len());
    for (key, time) in times.iter().enumerate() {
        // glTF does not allow negative zero.
        let time = time + 0.0;
        if written.last() == Some(&time) {
            let before = time.next_down();
            let budget = match written
                .len()
                .checked_sub(2)
                .and_then(|index| written.get(index))
            {
                Some(&earlier) => before > earlier,
                None => before >= 0.0,
            };
            match written.last_mut() {
                Some(last) if budget => *last = before,
                _ => {
                    kept.pop();
                    written.pop();
                }
            }
        }
        kept.push(key);
        written.push(time);
    }
    (kept, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_stand_still_are_made_to_rise() {
        let rise = |times: &[f32]| rising(&KeyTimes::listed(times).expect("they do not fall"));
        assert_eq!(rise(&[0.0, 1.0, 2.0]), (vec![0, 1, 2], vec![0.0, 1.0, 2.0]));
        let jump = (vec![0, 1, 2, 3], vec![0.0, 1.0_f32.next_down(), 1.0, 2.0]);
        assert_eq!(rise(&[0.0, 1.0, 1.0, 2.0]), jump);
        let jump = (vec![0, 1, 3], vec![0.0, 1.0_f32.next_down(), 1.0]);
        assert_eq!(rise(&[0.0, 1.0, 1.0, 1.0]), jump);
        assert_eq!(rise(&[0.0, 0.0, 1.0]), (vec![1, 2], vec![0.0, 1.0]));
        for times in [&[0.5, 0.5][..], &[-0.0, 1.0], &[0.0; 9], &[3.0; 9]] {
            let (kept, times) = rise(times);
            assert_eq!(kept.len(), times.len());
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
            assert!(times[0].is_sign_positive());
        }
    }
}
