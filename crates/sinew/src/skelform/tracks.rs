//! Keyframes compiled into tracks.
//!
//! Input: the keys of an [`AnimationData`], in any order → output: an [`ArmatureAnimation`] whose sampling
//! costs nothing per key. Tracks that have their keys at the same times with the same easing share a
//! [`Timeline`]: the search and the Bezier solver run once for all of them, and their values lie side
//! by side per key. Characters are keyed in whole poses, so a dozen tracks often share one timeline.

use super::state::{BONE_FIELDS, BoneState, TINT_FIELDS, TextureName};
use super::times::FrameLookup;
use super::{AnimationData, ArmatureData, Element, IkConstraint, IkMode, KeyData, Tint};
use crate::skelform::curve::{Ease, Handles};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// An animation of an [`super::Armature`], ready to play.
#[derive(Clone, Debug)]
pub struct ArmatureAnimation {
    name: String,
    fps: u32,
    last_frame: Option<u32>,
    key_count: usize,
    /// Tracks that move bones; targets count through all bones' [`BoneState`] as flat numbers.
    pub(super) bones: Box<[Timeline]>,
    /// Tracks that tint; targets count through all visuals' [`Tint`] as flat numbers.
    pub(super) tints: Box<[Timeline]>,
    pub(super) steps: Box<[StepTrack]>,
    /// One bit per flat bone number: whether this animation has a track for it.
    pub(super) animated_bones: BitSet,
    /// One bit per flat tint number.
    pub(super) animated_tints: BitSet,
}

impl ArmatureAnimation {
    /// Name as the file has it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Frames per second; 0 stands still.
    pub fn fps(&self) -> u32 {
        self.fps
    }

    /// The frame of the last key, `None` when there are no keys.
    pub fn last_frame(&self) -> Option<u32> {
        self.last_frame
    }

    /// How many keys the animation was made from.
    pub fn key_count(&self) -> usize {
        self.key_count
    }

    /// How many (bone, element) pairs are animated.
    pub fn track_count(&self) -> usize {
        let interpolated = self
            .bones
            .iter()
            .chain(&self.tints)
            .map(|t| t.targets.len());
        interpolated.sum::<usize>() + self.steps.len()
    }

    /// Seconds from the first frame to the end of the last one; 0 without keys or rate.
    pub fn seconds(&self) -> f64 {
        match self.last_frame {
            Some(last) if self.fps > 0 => (f64::from(last) + 1.0) / f64::from(self.fps),
            _ => 0.0,
        }
    }
}

/// An interpolated number of a character, by its place in the flat list of all bones' or all tints' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NumberTarget {
    Bone(usize),
    Tint(usize),
}

impl ArmatureAnimation {
    /// Tells every interpolated number at a frame, and the value of its first key.
    #[inline]
    pub(crate) fn each_number(&self, frame: f32, mut tell: impl FnMut(NumberTarget, f32, f32)) {
        for timeline in &self.bones {
            timeline.each(frame, |target, value, first| {
                tell(NumberTarget::Bone(target), value, first);
            });
        }
        for timeline in &self.tints {
            timeline.each(frame, |target, value, first| {
                tell(NumberTarget::Tint(target), value, first);
            });
        }
    }

    /// Calls `set` with the value of every step track at `frame`: that of the last key at or before it.
    ///
    /// A track whose first key is still to come has no value: the editor then shows what the character has
    /// without the track. Interpolated tracks differ, they hold their first key's value.
    pub(crate) fn each_step(&self, frame: f32, mut set: impl FnMut(StepTarget, u32)) {
        for track in &self.steps {
            if let Some(key) = track.times.last_until(frame) {
                set(track.target, track.values[key]);
            }
        }
    }
}

/// Where a frame lies among the keys of a [`Timeline`].
#[derive(Clone, Copy)]
pub(super) struct Between {
    /// The key before, or on it.
    pub(super) prev: usize,
    /// The key after; the same one before the first and after the last.
    pub(super) next: usize,
    /// Frames since the key before.
    pub(super) current: f32,
    /// How much of the key after there is; `None` where both are the same, whose value it is to the bit.
    pub(super) mix: Option<f32>,
}

impl Timeline {
    #[inline]
    pub(super) fn locate(&self, frame: f32) -> Between {
        let keys = self.times.around(frame);
        let start = self.times.frame(keys.prev);
        let span = self.times.frame(keys.next) - start;
        let current = frame - start;
        Between {
            prev: keys.prev,
            next: keys.next,
            current,
            mix: (span > 0.0).then(|| self.eases[keys.next].progress(current / span)),
        }
    }

    /// The values of all tracks at a key.
    #[inline]
    pub(super) fn row(&self, key: usize) -> &[f32] {
        let columns = self.targets.len();
        &self.values[key * columns..(key + 1) * columns]
    }

    /// Tells the target, value and first value of each track at a frame.
    #[inline]
    fn each(&self, frame: f32, mut tell: impl FnMut(usize, f32, f32)) {
        let at = self.locate(frame);
        let tracks = self.targets.iter().zip(self.row(0));
        let values = self.row(at.prev).iter().zip(self.row(at.next));
        for ((&target, &first), (&from, &to)) in tracks.zip(values) {
            let value = at.mix.map_or(to, |mix| from + (to - from) * mix);
            tell(target as usize, value, first);
        }
    }
}

/// Interpolated tracks with common key times and easing.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    pub(super) times: FrameLookup,
    /// How each key is arrived at.
    pub(super) eases: Box<[Ease]>,
    /// The flat number that each track writes.
    pub(super) targets: Box<[u32]>,
    /// One row per key, one column per track.
    pub(super) values: Box<[f32]>,
}

/// What a track without interpolation sets.
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
    /// A z-index, a texture name, or a position in an enum, as the target demands.
    pub(super) values: Box<[u32]>,
}

/// A set of small numbers, one bit each.
#[derive(Clone, Debug)]
pub(super) struct BitSet(Box<[u64]>);

impl BitSet {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)].into())
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// 64 members at a time; outside the set nothing is a member.
    pub(super) fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }
}

/// Compiles one animation. `texture_name` turns a texture's name into its number.
///
/// Keys that address something the bone does not have (a tint without a visual, an IK setting
/// without a family) are left out: there is nothing to set.
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
        // Stable, so of several keys at one frame the file's last one holds.
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
        fps: animation.fps,
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

/// Position of an element's number within [`BoneState`].
pub(crate) fn bone_field(element: Element) -> Option<usize> {
    let bytes = match element {
        Element::PositionX => core::mem::offset_of!(BoneState, pos),
        Element::PositionY => core::mem::offset_of!(BoneState, pos) + size_of::<f32>(),
        Element::Rotation => core::mem::offset_of!(BoneState, rot),
        Element::ScaleX => core::mem::offset_of!(BoneState, scale),
        Element::ScaleY => core::mem::offset_of!(BoneState, scale) + size_of::<f32>(),
        _ => return None,
    };
    Some(bytes / size_of::<f32>())
}

/// Position of an element's number within [`Tint`].
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
        // Whatever is not FABRIK is an arc: that is how the editor tells them apart.
        Element::IkMode => IkMode::from_name(&key.text).unwrap_or(IkMode::Arc) as u32,
        _ => u32::from(key.value != 0.0),
    }
}

/// Collects tracks and finds those that can share a timeline.
#[derive(Default)]
struct TimelineBuilder {
    by_shape: BTreeMap<Vec<[u32; 6]>, Vec<TrackColumn>>,
}

/// One track: its target and its value at each key.
struct TrackColumn {
    target: u32,
    values: Vec<f32>,
}

impl TimelineBuilder {
    fn add(&mut self, target: usize, keys: &[&KeyData]) {
        let shape = keys.iter().enumerate().map(|(i, key)| {
            // The first key is never arrived at, so its easing must not keep tracks apart.
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
                // Between equal values every curve is the value: holding it spares the solver.
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

/// A key's time and easing as plain bits, so that equal ones compare equal and NaN does no harm.
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
