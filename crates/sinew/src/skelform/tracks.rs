//! Compiles keyframes into tracks.
//!
//! Input: the keys of an [`AnimationData`], in any order → output: an [`ArmatureAnimation`] whose sampling cost does
//! not depend on the number of keys. Tracks with the same key times and easing share a [`Timeline`]: the search and
//! the Bezier solver run once for all of them, and their values are adjacent per key. Characters are usually keyed in
//! whole poses, so a dozen tracks often share one timeline.

use super::state::{BONE_FIELDS, BoneState, TINT_FIELDS, TextureName};
use super::times::FrameLookup;
use super::{AnimationData, ArmatureData, Element, IkConstraint, IkMode, KeyData, Tint};
use crate::skelform::curve::{Ease, Handles};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A compiled animation of an [`super::Armature`].
#[derive(Clone, Debug)]
pub struct ArmatureAnimation {
    name: String,
    frame_rate: u32,
    last_frame: Option<u32>,
    key_count: usize,
    /// Tracks of bones; targets are flat indices into all bones' [`BoneState`] fields.
    pub(super) bones: Box<[Timeline]>,
    /// Tracks of tints; targets are flat indices into all visuals' [`Tint`] fields.
    pub(super) tints: Box<[Timeline]>,
    pub(super) steps: Box<[StepTrack]>,
    /// One bit per flat bone field: whether this animation has a track for it.
    pub(super) animated_bones: BitSet,
    /// One bit per flat tint field.
    pub(super) animated_tints: BitSet,
}

impl ArmatureAnimation {
    /// Returns the name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the frames per second; 0 does not advance.
    pub fn frame_rate(&self) -> u32 {
        self.frame_rate
    }

    /// Returns the frame of the last key; `None` without keys.
    pub fn last_frame(&self) -> Option<u32> {
        self.last_frame
    }

    /// Returns the number of source keys.
    pub fn key_count(&self) -> usize {
        self.key_count
    }

    /// Returns the number of animated (bone, element) pairs.
    pub fn track_count(&self) -> usize {
        let interpolated = self
            .bones
            .iter()
            .chain(&self.tints)
            .map(|t| t.targets.len());
        interpolated.sum::<usize>() + self.steps.len()
    }

    /// Returns the seconds from the first frame to the end of the last one; 0 without keys or rate.
    pub fn seconds(&self) -> f64 {
        match self.last_frame {
            Some(last) if self.frame_rate > 0 => {
                (f64::from(last) + 1.0) / f64::from(self.frame_rate)
            }
            _ => 0.0,
        }
    }
}

/// An interpolated number of a character, as a flat index into all bones' or all tints' fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NumberTarget {
    Bone(usize),
    Tint(usize),
}

impl ArmatureAnimation {
    /// Calls `visit` with every interpolated number at a frame, and the value of its first key.
    #[inline]
    pub(crate) fn for_each_number(
        &self,
        frame: f32,
        mut visit: impl FnMut(NumberTarget, f32, f32),
    ) {
        for timeline in &self.bones {
            timeline.for_each_value(frame, |target, value, first| {
                visit(NumberTarget::Bone(target), value, first);
            });
        }
        for timeline in &self.tints {
            timeline.for_each_value(frame, |target, value, first| {
                visit(NumberTarget::Tint(target), value, first);
            });
        }
    }

    /// Calls `set` with the value of every step track at `frame`: that of the last key at or before it.
    ///
    /// A track before its first key has no value: the editor then shows the character without the track. Interpolated
    /// tracks hold their first key's value instead.
    pub(crate) fn for_each_step(&self, frame: f32, mut set: impl FnMut(StepTarget, u32)) {
        for track in &self.steps {
            if let Some(key) = track.times.last_until(frame) {
                set(track.target, track.values[key]);
            }
        }
    }
}

/// The position of a frame among the keys of a [`Timeline`].
#[derive(Clone, Copy)]
pub(super) struct KeyInterval {
    /// The key at or before the frame.
    pub(super) prev: usize,
    /// The key after it; the same one outside the keys.
    pub(super) next: usize,
    /// Frames since the preceding key.
    pub(super) current: f32,
    /// The weight of the following key; `None` if both are the same, whose value is then exact.
    pub(super) mix: Option<f32>,
}

impl Timeline {
    #[inline]
    pub(super) fn locate(&self, frame: f32) -> KeyInterval {
        let keys = self.times.around(frame);
        let start = self.times.frame(keys.prev);
        let span = self.times.frame(keys.next) - start;
        let current = frame - start;
        KeyInterval {
            prev: keys.prev,
            next: keys.next,
            current,
            mix: (span > 0.0).then(|| self.eases[keys.next].progress(current / span)),
        }
    }

    /// Returns the values of all tracks at a key.
    #[inline]
    pub(super) fn row(&self, key: usize) -> &[f32] {
        let columns = self.targets.len();
        &self.values[key * columns..(key + 1) * columns]
    }

    /// Calls `visit` with the target, value and first value of each track at a frame.
    #[inline]
    fn for_each_value(&self, frame: f32, mut visit: impl FnMut(usize, f32, f32)) {
        let interval = self.locate(frame);
        let tracks = self.targets.iter().zip(self.row(0));
        let values = self.row(interval.prev).iter().zip(self.row(interval.next));
        for ((&target, &first), (&from, &to)) in tracks.zip(values) {
            let value = interval.mix.map_or(to, |mix| from + (to - from) * mix);
            visit(target as usize, value, first);
        }
    }
}

/// Interpolated tracks with common key times and easing.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    pub(super) times: FrameLookup,
    /// The easing into each key.
    pub(super) eases: Box<[Ease]>,
    /// The flat field index of each track.
    pub(super) targets: Box<[u32]>,
    /// One row per key, one column per track.
    pub(super) values: Box<[f32]>,
}

/// The target of a track without interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StepTarget {
    Hidden(u32),
    Zindex(u32),
    Texture(u32),
    IkConstraint(u32),
    IkMode(u32),
    MimicTarget(u32),
}

/// A track whose value changes at its keys and is unset before the first.
#[derive(Clone, Debug)]
pub(super) struct StepTrack {
    pub(super) target: StepTarget,
    pub(super) times: FrameLookup,
    /// A z-index, a texture name, or an enum index, depending on the target.
    pub(super) values: Box<[u32]>,
}

/// A set of small integers, one bit each.
#[derive(Clone, Debug)]
pub(super) struct BitSet(Box<[u64]>);

impl BitSet {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)].into())
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Returns 64 members at a time; zeros outside the set.
    pub(super) fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }
}

/// Compiles one animation. `texture_name` converts a texture's name to its index.
///
/// Keys of elements that the bone does not have (a tint without a visual, an IK setting without a family) are
/// ignored.
pub(super) fn compile(
    animation: &AnimationData,
    armature: &ArmatureData,
    texture_name: &dyn Fn(&str) -> TextureName,
) -> ArmatureAnimation {
    let mut tracks: BTreeMap<(usize, Element), Vec<&KeyData>> = BTreeMap::new();
    for key in &animation.keys {
        tracks.entry((key.bone, key.element)).or_default().push(key);
    }
    let mut bones = TimelineBuilder::default();
    let mut tints = TimelineBuilder::default();
    let mut steps = Vec::new();
    let mut animated_bones = BitSet::new(armature.bones.len() * BONE_FIELDS);
    let mut animated_tints = BitSet::new(armature.visuals.len() * TINT_FIELDS);

    for ((bone, element), mut keys) in tracks {
        // Stable, so of several keys at one frame the file's last one is used.
        keys.sort_by_key(|key| key.frame);
        let visual = armature.bones[bone].visual;
        let family = armature.bones[bone].ik_family;
        if let Some(field) = bone_field(element) {
            let target = bone * BONE_FIELDS + field;
            animated_bones.insert(target);
            bones.add(target, &keys);
        } else if let Some(channel) = tint_field(element) {
            let Some(visual) = visual else { continue };
            let target = visual * TINT_FIELDS + channel;
            animated_tints.insert(target);
            tints.add(target, &keys);
        } else {
            let Some(target) = step_target(element, bone, visual, family) else {
                continue;
            };
            let values = keys
                .iter()
                .map(|key| step_value(key, texture_name))
                .collect();
            steps.push(StepTrack {
                target,
                times: times_of(&keys),
                values,
            });
        }
    }

    ArmatureAnimation {
        name: animation.name.clone(),
        frame_rate: animation.frame_rate,
        last_frame: animation.keys.iter().map(|key| key.frame).max(),
        key_count: animation.keys.len(),
        bones: bones.finish(),
        tints: tints.finish(),
        steps: steps.into(),
        animated_bones,
        animated_tints,
    }
}

fn times_of(keys: &[&KeyData]) -> FrameLookup {
    FrameLookup::new(keys.iter().map(|key| key.frame as f32).collect())
}

/// Returns the index of an element within [`BoneState`].
pub(crate) fn bone_field(element: Element) -> Option<usize> {
    let bytes = match element {
        Element::PositionX => core::mem::offset_of!(BoneState, position),
        Element::PositionY => core::mem::offset_of!(BoneState, position) + size_of::<f32>(),
        Element::Rotation => core::mem::offset_of!(BoneState, rotation),
        Element::ScaleX => core::mem::offset_of!(BoneState, scale),
        Element::ScaleY => core::mem::offset_of!(BoneState, scale) + size_of::<f32>(),
        _ => return None,
    };
    Some(bytes / size_of::<f32>())
}

/// Returns the index of an element within [`Tint`].
pub(crate) fn tint_field(element: Element) -> Option<usize> {
    let bytes = match element {
        Element::TintR => core::mem::offset_of!(Tint, r),
        Element::TintG => core::mem::offset_of!(Tint, g),
        Element::TintB => core::mem::offset_of!(Tint, b),
        Element::TintA => core::mem::offset_of!(Tint, a),
        _ => return None,
    };
    Some(bytes / size_of::<f32>())
}

pub(crate) fn step_target(
    element: Element,
    bone: usize,
    visual: Option<usize>,
    family: Option<usize>,
) -> Option<StepTarget> {
    let visual = visual.map(|v| v as u32);
    let family = family.map(|f| f as u32);
    match element {
        Element::Hidden => Some(StepTarget::Hidden(bone as u32)),
        Element::Zindex => visual.map(StepTarget::Zindex),
        Element::Texture => visual.map(StepTarget::Texture),
        Element::IkConstraint => family.map(StepTarget::IkConstraint),
        Element::IkMode => family.map(StepTarget::IkMode),
        Element::MimicTarget => family.map(StepTarget::MimicTarget),
        _ => None,
    }
}

fn step_value(key: &KeyData, texture_name: &dyn Fn(&str) -> TextureName) -> u32 {
    match key.element {
        Element::Zindex => (key.value as i32) as u32,
        Element::Texture => texture_name(&key.text).0,
        Element::IkConstraint => IkConstraint::from_name(&key.text).unwrap_or_default() as u32,
        // Anything but FABRIK is an arc, as in the editor.
        Element::IkMode => IkMode::from_name(&key.text).unwrap_or(IkMode::Arc) as u32,
        _ => u32::from(key.value != 0.0),
    }
}

/// Collects tracks and finds those that can share a timeline.
#[derive(Default)]
struct TimelineBuilder {
    by_shape: BTreeMap<Vec<[u32; 6]>, Vec<TrackColumn>>,
}

/// A track: its target and its value at each key.
struct TrackColumn {
    target: u32,
    values: Vec<f32>,
}

impl TimelineBuilder {
    fn add(&mut self, target: usize, keys: &[&KeyData]) {
        let shape = keys.iter().enumerate().map(|(i, key)| {
            // The easing of the first key is unused and must not prevent sharing.
            let ease = if i == 0 { Ease::Linear } else { key.ease };
            shape_of(key.frame, ease)
        });
        self.by_shape
            .entry(shape.collect())
            .or_default()
            .push(TrackColumn {
                target: target as u32,
                values: keys.iter().map(|key| key.value).collect(),
            });
    }

    fn finish(self) -> Box<[Timeline]> {
        let timelines = self.by_shape.into_iter().map(|(shape, columns)| {
            let rests = |key: usize| columns.iter().all(|c| c.values[key - 1] == c.values[key]);
            let eases = shape.iter().enumerate().map(|(key, shape)| {
                // Between equal values every curve is constant: a step skips the solver.
                if key > 0 && rests(key) {
                    Ease::Step
                } else {
                    ease_of(shape)
                }
            });
            Timeline {
                times: FrameLookup::new(shape.iter().map(|key| key[0] as f32).collect()),
                eases: eases.collect(),
                targets: columns.iter().map(|c| c.target).collect(),
                values: (0..shape.len())
                    .flat_map(|key| columns.iter().map(move |c| c.values[key]))
                    .collect(),
            }
        });
        timelines.collect()
    }
}

/// Returns a key's time and easing as plain bits, so equal ones compare equal, NaN included.
fn shape_of(frame: u32, ease: Ease) -> [u32; 6] {
    match ease {
        Ease::Step => [frame, 0, 0, 0, 0, 0],
        Ease::Linear => [frame, 1, 0, 0, 0, 0],
        Ease::Bezier(Handles { start, end }) => {
            let bits = [start.x, start.y, end.x, end.y].map(f32::to_bits);
            [frame, 2, bits[0], bits[1], bits[2], bits[3]]
        }
    }
}

fn ease_of(shape: &[u32; 6]) -> Ease {
    match shape[1] {
        0 => Ease::Step,
        1 => Ease::Linear,
        _ => {
            let h = [shape[2], shape[3], shape[4], shape[5]].map(f32::from_bits);
            Ease::Bezier(Handles::new(h[0], h[1], h[2], h[3]))
        }
    }
}
