//! What an animation says of joints, whether it has keys for them or is packed.

use super::AnimationParameters;
use super::moment::{JointWeight, Moment, Placed, Told};
use super::set::{AnimationSet, Clip};
use super::trajectory::{RootSample, positions_agree, rotations_agree};
use crate::animation::AnimationIndex;
use crate::animation::{
    Animation, Channel, ChannelValue, ChannelWeights, Channels, TransformTrack,
};
use crate::packed::PackedCursor;
use crate::packed::{Body, PackedAnimation};
use crate::pose::Pose;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// A channel of an animation.
pub(super) trait Value<'a, T> {
    /// What it is at a moment.
    fn at(&self, moment: &Moment<'a>) -> T;
    /// What it is at its beginning, from which additive blending counts.
    fn first(&self) -> T;
    /// Where a moment lies after the last key of a loop, on the way back to the first: those two, and how far it is
    /// from the one to the other.
    fn seam(&self, moment: &Moment<'a>) -> Option<([T; 2], f32)> {
        let _ = moment;
        None
    }
}

impl<'a, T: ChannelValue> Value<'a, T> for &'a Channel<T> {
    #[inline]
    fn at(&self, moment: &Moment<'a>) -> T {
        Channel::at(self, moment.locate(self.times()))
    }

    #[inline]
    fn first(&self) -> T {
        Channel::first(self)
    }

    fn seam(&self, moment: &Moment<'a>) -> Option<([T; 2], f32)> {
        let segment = moment.locate(self.times());
        let values = self.values();
        let ends = [values[segment.from], values[segment.to]];
        (segment.to < segment.from).then_some((ends, segment.ratio))
    }
}

/// A channel that was sampled.
pub(super) struct Sampled<T> {
    now: T,
    first: T,
}

impl<T: ChannelValue> Value<'_, T> for Sampled<T> {
    #[inline]
    fn at(&self, _: &Moment<'_>) -> T {
        self.now
    }

    #[inline]
    fn first(&self) -> T {
        self.first
    }
}

/// Poses of a packed clip that are compared to find the joint that travels.
const EXTENT_SAMPLES: u16 = 32;

/// What an animation says of one joint.
pub(super) struct Said<V, R> {
    pub(super) position: Option<V>,
    pub(super) rotation: Option<R>,
    pub(super) scale: Option<V>,
    pub(super) weights: ChannelWeights,
}

/// One of the things that move a joint in an animation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    /// The position of a track, or a joint of a packed animation.
    at: u32,
    /// What is moved.
    pub(super) channels: Channels,
    pub(super) weights: ChannelWeights,
}

impl Mover {
    /// Whether both are one mover of one clip.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.at == other.at
    }

    /// Whether it is what moves this joint in a packed animation.
    pub(super) fn is_of(&self, joint: JointIndex) -> bool {
        self.at == joint.0
    }
}

/// Where the motion of an animation is found.
pub(super) enum Source<'a> {
    /// In tracks of keys.
    Tracks(&'a [TransformTrack]),
    /// In poses of the skeleton that it was packed for.
    Poses { now: &'a Pose, first: &'a Pose },
}

impl<'a> Source<'a> {
    /// Applies what it says of a joint to what has position, rotation and scale.
    #[inline]
    pub(super) fn apply(
        &self,
        moment: &Moment<'a>,
        mover: &Mover,
        weight: JointWeight<'_>,
        is: &mut impl Placed,
        started: &mut [bool; 3],
    ) {
        match *self {
            Self::Tracks(tracks) => {
                moment.apply(&of_tracks(tracks, mover), weight, is, started);
            }
            Self::Poses { now, first } => {
                moment.apply(&of_poses(now, first, mover), weight, is, started);
            }
        }
    }

    /// Applies what it says of a joint and lists what each channel did. `at` says which animation this is.
    pub(super) fn explain(
        &self,
        moment: &Moment<'a>,
        mover: &Mover,
        at: (usize, &AnimationParameters),
        weight: JointWeight<'_>,
        told: &mut Told,
    ) {
        match *self {
            Self::Tracks(tracks) => moment.explain(at, &of_tracks(tracks, mover), weight, told),
            Self::Poses { now, first } => {
                moment.explain(at, &of_poses(now, first, mover), weight, told);
            }
        }
    }
}

/// What tracks say of the joint that a mover moves.
#[inline]
pub(super) fn of_tracks<'a>(
    tracks: &'a [TransformTrack],
    mover: &Mover,
) -> Said<&'a Channel<Vec3>, &'a Channel<Quat>> {
    // A mover is of the tracks that it was made of.
    let track = &tracks[mover.at as usize];
    Said {
        position: track.position.as_ref(),
        rotation: track.rotation.as_ref(),
        scale: track.scale.as_ref(),
        weights: mover.weights,
    }
}

/// What poses say of the joint that a mover moves.
#[inline]
pub(super) fn of_poses(
    now: &Pose,
    first: &Pose,
    mover: &Mover,
) -> Said<Sampled<Vec3>, Sampled<Quat>> {
    let joint = JointIndex(mover.at);
    Said {
        position: mover.channels.position.then(|| Sampled {
            now: now.position(joint),
            first: first.position(joint),
        }),
        rotation: mover.channels.rotation.then(|| Sampled {
            now: now.rotation(joint),
            first: first.rotation(joint),
        }),
        scale: mover.channels.scale.then(|| Sampled {
            now: now.scale(joint),
            first: first.scale(joint),
        }),
        weights: mover.weights,
    }
}

impl Clip {
    /// The animation, of which packed ones have everything but the motion; `None` for those of a 2D character.
    pub(super) fn notes(&self) -> Option<&Animation> {
        match self {
            Self::Keyed(animation) => Some(animation),
            Self::Packed { animation, .. } => Some(animation.notes()),
            Self::Armature(..) => None,
        }
    }

    /// The tracks, where there are any: packed animations that are kept as their source is play from those, so
    /// that they loop as it does.
    fn tracks(&self) -> Option<&[TransformTrack]> {
        match self {
            Self::Keyed(animation) => Some(&animation.tracks),
            Self::Packed { animation, .. } => match &animation.body {
                Body::Plain(plain) => Some(&plain.animation.tracks),
                Body::Rows(_) | Body::Keys(_) => None,
            },
            Self::Armature(..) => None,
        }
    }

    /// What moves one joint, at each of some times. Sampled without loops, so that the last frame is not the first.
    pub(super) fn sample_root(
        &self,
        mover: &Mover,
        times: impl Iterator<Item = f32>,
        mut add: impl FnMut(RootSample),
    ) {
        if let Some(tracks) = self.tracks() {
            let said = of_tracks(tracks, mover);
            for time in times {
                add(RootSample {
                    position: said.position.map(|channel| channel.sample(time)),
                    rotation: said.rotation.map(|channel| channel.sample(time)),
                });
            }
            return;
        }
        let joint = JointIndex(mover.at);
        self.sample_poses(times, |pose| {
            add(RootSample {
                position: mover.channels.position.then(|| pose.position(joint)),
                rotation: mover.channels.rotation.then(|| pose.rotation(joint)),
            });
        });
    }

    /// The poses of a packed clip at each of some times.
    fn sample_poses(&self, times: impl Iterator<Item = f32>, mut add: impl FnMut(&Pose)) {
        let Self::Packed {
            animation,
            skeleton,
        } = self
        else {
            return;
        };
        let (mut pose, mut cursor) = (Pose::rest(skeleton), PackedCursor::new());
        for time in times {
            // The pose is as large as the animation's own.
            let _ = animation.sample(time, &mut cursor, &mut pose);
            add(&pose);
        }
    }

    /// Whether everything but the joint of one mover is at the end as it is at the start.
    pub(super) fn closes(&self, root: &Mover) -> bool {
        let Some(notes) = self.notes() else {
            return false;
        };
        if let Some(tracks) = self.tracks() {
            let mut others = tracks.iter().zip(0_u32..).filter(|(_, at)| *at != root.at);
            return others.all(|(track, _)| {
                let position = track.position.as_ref().is_none_or(|channel| {
                    positions_agree(channel.first(), channel.sample(notes.length))
                });
                let rotation = track.rotation.as_ref().is_none_or(|channel| {
                    rotations_agree(channel.first(), channel.sample(notes.length))
                });
                position && rotation
            });
        }
        let (mut first, mut agree) = (None::<Pose>, true);
        self.sample_poses([0.0, notes.length].into_iter(), |pose| {
            let Some(first) = &first else {
                first = Some(pose.clone());
                return;
            };
            agree = (0..pose.len()).all(|at| {
                let joint = JointIndex::from(at);
                let [a, b] = [first.get(joint), pose.get(joint)];
                joint.0 == root.at
                    || (positions_agree(a.position, b.position)
                        && rotations_agree(a.rotation, b.rotation))
            });
        });
        agree
    }

    /// What moves the root joint: of all movers that have positions the one that gets farthest over the ground, the
    /// first of equals. `None` where nothing has positions.
    pub(super) fn root_mover(&self) -> Option<Mover> {
        let movers = self.movers();
        let mut movers: Vec<(Mover, [Vec3; 2])> = movers
            .into_iter()
            .filter(|(_, mover)| mover.channels.position)
            .map(|(_, mover)| (mover, [Vec3::INFINITY, Vec3::NEG_INFINITY]))
            .collect();
        let widen = |[least, most]: &mut [Vec3; 2], position: Vec3| {
            *least = least.min(position);
            *most = most.max(position);
        };
        if let Some(tracks) = self.tracks() {
            for (mover, extent) in &mut movers {
                let position = of_tracks(tracks, mover).position;
                for value in position.iter().flat_map(|channel| channel.values()) {
                    widen(extent, *value);
                }
            }
        } else {
            let length = self.notes().map_or(0.0, |notes| notes.length);
            let times = (0..=EXTENT_SAMPLES).map(|at| length * (at as f32 / EXTENT_SAMPLES as f32));
            self.sample_poses(times, |pose| {
                for (mover, extent) in &mut movers {
                    widen(extent, pose.position(JointIndex(mover.at)));
                }
            });
        }
        let farthest = movers.into_iter().map(|(mover, [least, most])| {
            let size = most - least;
            (mover, size.x * size.x + size.z * size.z)
        });
        let farthest = farthest.reduce(|best, own| if own.1 > best.1 { own } else { best });
        farthest.map(|(mover, _)| mover)
    }

    /// What moves joints, with their names.
    pub(super) fn movers(&self) -> Vec<(&str, Mover)> {
        let (Self::Keyed(_), Some(tracks)) = (self, self.tracks()) else {
            return self.packed_movers();
        };
        let movers = tracks.iter().zip(0..).map(|(track, at)| {
            let mover = Mover {
                at,
                channels: track.channels(),
                weights: track.weights,
            };
            (&*track.name, mover)
        });
        movers.collect()
    }

    fn packed_movers(&self) -> Vec<(&str, Mover)> {
        let Self::Packed {
            animation,
            skeleton,
        } = self
        else {
            return Vec::new();
        };
        let weights = animation.notes().tracks.iter();
        let weights: BTreeMap<&str, ChannelWeights> =
            weights.map(|track| (&*track.name, track.weights)).collect();
        let mover = |(name, at, channels): (_, u32, Channels)| {
            let weights = weights.get(name).copied().unwrap_or_default();
            let mover = Mover {
                at,
                channels,
                weights,
            };
            (name, mover)
        };
        match self.tracks() {
            Some(tracks) => {
                let tracks = tracks.iter().zip(0..);
                let tracks = tracks.map(|(track, at)| (&*track.name, at, track.channels()));
                tracks.map(mover).collect()
            }
            None => {
                let joints = skeleton.joints().iter().zip(0..);
                let joints =
                    joints.map(|(own, at)| (&*own.name, at, animation.channels(JointIndex(at))));
                let moved = joints.filter(|(_, _, channels)| *channels != Channels::default());
                moved.map(mover).collect()
            }
        }
    }
}

/// What a binding keeps for the packed animations of a set: what each is at its beginning, a cursor for each,
/// since for small ones that holds a stretch of rows, and one pose for all.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedClips {
    clips: Vec<Option<PackedClip>>,
    now: Option<Pose>,
}

#[derive(Clone, Debug)]
struct PackedClip {
    animation: Arc<PackedAnimation<'static>>,
    cursor: PackedCursor,
    /// Copies of a binding share it.
    first: Arc<Pose>,
}

impl PackedClips {
    pub(super) fn clear(&mut self) {
        self.clips.clear();
        self.now = None;
    }

    /// Makes ready to play an animation, if it is packed. Its cursor gets its room when it is first played, so that
    /// a binding is no larger than what is played on it.
    pub(super) fn add(&mut self, set: &AnimationSet, animation: AnimationIndex) {
        let Some(
            clip @ Clip::Packed {
                animation: packed,
                skeleton,
            },
        ) = set.clip(animation)
        else {
            return;
        };
        if clip.tracks().is_some() {
            return;
        }
        if self.clips.len() < set.len() {
            self.clips.resize_with(set.len(), || None);
        }
        if let Some(place @ None) = self.clips.get_mut(animation.index()) {
            let clip = PackedClip::new(packed, skeleton);
            // Grows to the largest.
            self.now
                .get_or_insert_with(|| (*clip.first).clone())
                .copy_from(&clip.first);
            *place = Some(clip);
        }
    }

    /// Joints of the skeleton that an animation was packed for; `None` for those that are played from tracks.
    pub(super) fn joint_count(&self, animation: AnimationIndex) -> Option<usize> {
        let clip = self.clips.get(animation.index())?.as_ref()?;
        Some(clip.animation.joint_count())
    }

    /// Where the motion of an animation is found at a moment; `None` for those of a 2D character, and for packed
    /// ones that were not added.
    #[inline]
    pub(super) fn source<'a>(
        &'a mut self,
        set: &'a AnimationSet,
        animation: AnimationIndex,
        moment: &Moment<'_>,
    ) -> Option<Source<'a>> {
        if let Some(tracks) = set.clip(animation)?.tracks() {
            return Some(Source::Tracks(tracks));
        }
        let clip = self.clips.get_mut(animation.index())?.as_mut()?;
        let now = self.now.as_mut()?;
        clip.sample(moment.time_in_loop(), now);
        Some(Source::Poses {
            now,
            first: &clip.first,
        })
    }
}

impl PackedClip {
    /// An animation and its skeleton, which have the same number of joints.
    fn new(animation: &Arc<PackedAnimation<'static>>, skeleton: &Skeleton) -> Self {
        let mut first = Pose::rest(skeleton);
        let _ = animation.sample(0.0, &mut PackedCursor::new(), &mut first);
        Self {
            animation: animation.clone(),
            cursor: PackedCursor::new(),
            first: Arc::new(first),
        }
    }

    fn sample(&mut self, time: f32, now: &mut Pose) {
        if now.len() != self.first.len() {
            now.copy_from(&self.first);
        }
        // The pose is as large as the animation's own.
        let _ = self.animation.sample(time, &mut self.cursor, now);
    }
}
