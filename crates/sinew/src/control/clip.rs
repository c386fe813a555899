//! Clips as bindings play them: joint tracks, keyframed or packed, and their samples.

use super::AnimationParameters;
use super::set::{AnimationSet, Clip};
use super::trajectory::{RootSample, positions_agree, rotations_agree};
use crate::animation::AnimationIndex;
use crate::animation::{Animation, Channel, ChannelWeights, Channels, TransformTrack};
use crate::blend::{BlendMode, JointLayer};
use crate::math::Transform;
use crate::packed::PackedCursor;
use crate::packed::{Encoding, PackedAnimation};
use crate::pose::Pose;
use crate::sample::SampleTime;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::Vec3;

/// The number of poses of a packed clip that are compared to find the root motion joint.
const EXTENT_SAMPLES: u16 = 32;

/// The track of one joint in a clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipTrack {
    /// The index of the track, or of the joint of a packed animation.
    pub(super) index: u32,
    /// The channels that it animates.
    pub(super) channels: Channels,
    weights: ChannelWeights,
}

impl ClipTrack {
    /// Returns the weights of position, rotation and scale; `None` for channels that it does not animate.
    #[inline]
    pub(super) fn weights(&self) -> [Option<f32>; 3] {
        let (channels, weights) = (&self.channels, &self.weights);
        [
            channels.position.then_some(weights.position),
            channels.rotation.then_some(weights.rotation),
            channels.scale.then_some(weights.scale),
        ]
    }

    /// Returns the transform of the joint at the start of the clip, the reference of additive layers.
    pub(super) fn first(&self, tracks: &[TransformTrack]) -> Transform {
        // A clip track always refers to the tracks that it was created from.
        let track = &tracks[self.index as usize];
        let rest = Transform::IDENTITY;
        Transform {
            position: track
                .position
                .as_ref()
                .map_or(rest.position, Channel::first),
            rotation: track
                .rotation
                .as_ref()
                .map_or(rest.rotation, Channel::first),
            scale: track.scale.as_ref().map_or(rest.scale, Channel::first),
        }
    }
}

impl AnimationParameters {
    /// Returns the time at which an animation of this length is sampled.
    pub(super) fn sample_time<'a>(&self, length: f32) -> SampleTime<'a> {
        let seconds = self.time.value().clamp(0.0, length);
        match self.wraps() {
            true => SampleTime::looped(seconds, length),
            false => SampleTime::once(seconds),
        }
    }
}

/// A clip at a time, for bindings that process it joint by joint.
pub(super) enum ClipSample<'a> {
    /// Keyframed tracks.
    Keyed(&'a [TransformTrack], SampleTime<'a>),
    /// Poses of the skeleton that it was packed for: at the time, and at the start.
    Packed(&'a Pose, &'a Pose),
}

impl ClipSample<'_> {
    /// Returns the layer of a track for its joint. `weight` is the weight of the animation times that of the mask,
    /// `above` the sum of the shares blended over it.
    pub(super) fn layer(
        &self,
        track: &ClipTrack,
        mode: BlendMode,
        weight: f32,
        above: Option<[f64; 3]>,
    ) -> JointLayer {
        let is_additive = mode == BlendMode::Additive;
        let (sample, base) = match self {
            Self::Keyed(tracks, time) => {
                let sample = time.transform(&tracks[track.index as usize]);
                (sample, is_additive.then(|| track.first(tracks)))
            }
            Self::Packed(sample, first) => {
                let joint = JointIndex(track.index);
                (sample.get(joint), is_additive.then(|| first.get(joint)))
            }
        };
        JointLayer {
            sample,
            base,
            weight,
            tracks: track.weights(),
            above,
        }
    }
}

impl Clip {
    /// Returns the animation; for a packed one everything except its motion. `None` for those of a 2D character.
    pub(super) fn info(&self) -> Option<&Animation> {
        match self {
            Self::Keyed(animation) => Some(animation),
            Self::Packed { animation, .. } => Some(animation.info()),
            Self::Armature(..) => None,
        }
    }

    /// Returns the keyframed tracks, if any. Packed animations that keep their source play from its tracks, so they
    /// loop as the source does.
    pub(super) fn tracks(&self) -> Option<&[TransformTrack]> {
        match self {
            Self::Keyed(animation) => Some(&animation.tracks),
            Self::Packed { animation, .. } => match &animation.encoding {
                Encoding::Plain(plain) => Some(&plain.animation.tracks),
                Encoding::Samples(_) | Encoding::Keys(_) => None,
            },
            Self::Armature(..) => None,
        }
    }

    /// Samples the joint of a track at some times, without looping, so that the last frame is distinct from the first.
    pub(super) fn sample_root(
        &self,
        track: &ClipTrack,
        times: impl Iterator<Item = f32>,
        mut add: impl FnMut(RootSample),
    ) {
        if let Some(tracks) = self.tracks() {
            let keys = &tracks[track.index as usize];
            for time in times {
                add(RootSample {
                    position: keys.position.as_ref().map(|channel| channel.sample(time)),
                    rotation: keys.rotation.as_ref().map(|channel| channel.sample(time)),
                });
            }
            return;
        }
        let joint = JointIndex(track.index);
        self.sample_poses(times, |pose| {
            add(RootSample {
                position: track.channels.position.then(|| pose.position(joint)),
                rotation: track.channels.rotation.then(|| pose.rotation(joint)),
            });
        });
    }

    /// Samples a packed clip at some times.
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
            // The pose has the animation's number of joints.
            let _ = animation.sample(time, &mut cursor, &mut pose);
            add(&pose);
        }
    }

    /// Returns whether all joints except that of one track end where they start.
    pub(super) fn closes(&self, root: &ClipTrack) -> bool {
        let Some(info) = self.info() else {
            return false;
        };
        if let Some(tracks) = self.tracks() {
            let others = tracks.iter().zip(0_u32..);
            let mut others = others.filter(|(_, index)| *index != root.index);
            return others.all(|(track, _)| {
                let position = track.position.as_ref().is_none_or(|channel| {
                    positions_agree(channel.first(), channel.sample(info.length))
                });
                let rotation = track.rotation.as_ref().is_none_or(|channel| {
                    rotations_agree(channel.first(), channel.sample(info.length))
                });
                position && rotation
            });
        }
        let (mut first, mut agree) = (None::<Pose>, true);
        self.sample_poses([0.0, info.length].into_iter(), |pose| {
            let Some(first) = &first else {
                first = Some(pose.clone());
                return;
            };
            agree = (0..pose.len()).all(|index| {
                let joint = JointIndex::from(index);
                let [a, b] = [first.get(joint), pose.get(joint)];
                joint.0 == root.index
                    || (positions_agree(a.position, b.position)
                        && rotations_agree(a.rotation, b.rotation))
            });
        });
        agree
    }

    /// Returns the track of the root joint: of all tracks with positions the one that moves farthest over the ground,
    /// the first on a tie. `None` if no track has positions.
    pub(super) fn root_track(&self) -> Option<ClipTrack> {
        let mut extents: Vec<(ClipTrack, [Vec3; 2])> = self
            .joint_tracks()
            .into_iter()
            .filter(|(_, track)| track.channels.position)
            .map(|(_, track)| (track, [Vec3::INFINITY, Vec3::NEG_INFINITY]))
            .collect();
        let widen = |[min, max]: &mut [Vec3; 2], position: Vec3| {
            *min = min.min(position);
            *max = max.max(position);
        };
        if let Some(tracks) = self.tracks() {
            for (track, extent) in &mut extents {
                let position = &tracks[track.index as usize].position;
                for value in position.iter().flat_map(|channel| channel.values()) {
                    widen(extent, *value);
                }
            }
        } else {
            let length = self.info().map_or(0.0, |info| info.length);
            let times =
                (0..=EXTENT_SAMPLES).map(|index| length * (index as f32 / EXTENT_SAMPLES as f32));
            self.sample_poses(times, |pose| {
                for (track, extent) in &mut extents {
                    widen(extent, pose.position(JointIndex(track.index)));
                }
            });
        }
        let spans = extents.into_iter().map(|(track, [min, max])| {
            let size = max - min;
            (track, size.x * size.x + size.z * size.z)
        });
        let farthest = spans.reduce(|best, span| if span.1 > best.1 { span } else { best });
        farthest.map(|(track, _)| track)
    }

    /// Returns the joint tracks with their names. Packed animations have the weights of their source tracks.
    pub(super) fn joint_tracks(&self) -> Vec<(&str, ClipTrack)> {
        let packed = match self {
            Self::Packed {
                animation,
                skeleton,
            } => Some((animation, skeleton)),
            _ => None,
        };
        let info = packed.map_or(&[][..], |(animation, _)| &animation.info().tracks);
        let weights: BTreeMap<&str, ChannelWeights> = info
            .iter()
            .map(|track| (&*track.name, track.weights))
            .collect();
        if let Some(tracks) = self.tracks() {
            let tracks = tracks.iter().zip(0..).map(|(track, index)| {
                let weights = match packed {
                    Some(_) => weights.get(&*track.name).copied().unwrap_or_default(),
                    None => track.weights,
                };
                let channels = track.channels();
                (
                    &*track.name,
                    ClipTrack {
                        index,
                        channels,
                        weights,
                    },
                )
            });
            return tracks.collect();
        }
        let joints = packed.iter().flat_map(|(animation, skeleton)| {
            let joints = skeleton.joints().iter().zip(0..);
            joints
                .map(|(joint, index)| (&*joint.name, index, animation.channels(JointIndex(index))))
        });
        let animated = joints.filter(|(_, _, channels)| *channels != Channels::default());
        let tracks = animated.map(|(name, index, channels)| {
            let weights = weights.get(name).copied().unwrap_or_default();
            (
                name,
                ClipTrack {
                    index,
                    channels,
                    weights,
                },
            )
        });
        tracks.collect()
    }
}

/// The data that a binding keeps for the packed animations of a set: the first pose and a cursor for each, because the
/// cursor of a small packing caches decoded samples, and one pose to sample into.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedClips {
    clips: Vec<Option<PackedClip>>,
    sample: Option<Pose>,
}

#[derive(Clone, Debug)]
struct PackedClip {
    animation: Arc<PackedAnimation<'static>>,
    cursor: PackedCursor,
    /// Shared by clones of a binding.
    first: Arc<Pose>,
}

impl PackedClips {
    pub(super) fn clear(&mut self) {
        self.clips.clear();
        self.sample = None;
    }

    /// Adds an animation if it is packed. Its cursor allocates when it is first played, so the size of a binding
    /// depends on what it plays.
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
            // Grows to the largest number of joints.
            self.sample
                .get_or_insert_with(|| (*clip.first).clone())
                .copy_from(&clip.first);
            *place = Some(clip);
        }
    }

    /// Returns the number of joints that an animation was packed for; `None` for those played from tracks.
    pub(super) fn joint_count(&self, animation: AnimationIndex) -> Option<usize> {
        let clip = self.clips.get(animation.index())?.as_ref()?;
        Some(clip.animation.joint_count())
    }

    /// Returns the first pose of an animation; `None` for those played from tracks.
    pub(super) fn first(&self, animation: AnimationIndex) -> Option<&Pose> {
        Some(&self.clips.get(animation.index())?.as_ref()?.first)
    }

    /// Samples an animation into a pose of the skeleton that it was packed for. Does nothing for animations that were
    /// not added.
    pub(super) fn sample_into(&mut self, animation: AnimationIndex, time: f32, pose: &mut Pose) {
        if let Some(Some(clip)) = self.clips.get_mut(animation.index()) {
            // The caller's pose has the animation's number of joints.
            let _ = clip.animation.sample(time, &mut clip.cursor, pose);
        }
    }

    /// Samples an animation into a pose of the skeleton that it was packed for; `None` for animations that were not
    /// added.
    pub(super) fn sample_pose(&mut self, animation: AnimationIndex, time: f32) -> Option<&Pose> {
        let clip = self.clips.get_mut(animation.index())?.as_mut()?;
        let sample = self.sample.as_mut()?;
        if sample.len() != clip.first.len() {
            sample.copy_from(&clip.first);
        }
        // The pose has the animation's number of joints.
        let _ = clip.animation.sample(time, &mut clip.cursor, sample);
        Some(sample)
    }

    /// Returns an animation at a time, for processing joint by joint; `None` for those of a 2D character, and for
    /// packed ones that were not added.
    pub(super) fn sample<'a>(
        &'a mut self,
        set: &'a AnimationSet,
        animation: AnimationIndex,
        time: SampleTime<'a>,
    ) -> Option<ClipSample<'a>> {
        if let Some(tracks) = set.clip(animation)?.tracks() {
            return Some(ClipSample::Keyed(tracks, time));
        }
        self.sample_pose(animation, time.wrapped_seconds())?;
        Some(ClipSample::Packed(
            self.sample.as_ref()?,
            self.first(animation)?,
        ))
    }
}

impl PackedClip {
    /// Creates the clip of an animation and its skeleton, which have the same number of joints.
    fn new(animation: &Arc<PackedAnimation<'static>>, skeleton: &Skeleton) -> Self {
        let mut first = Pose::rest(skeleton);
        let _ = animation.sample(0.0, &mut PackedCursor::new(), &mut first);
        Self {
            animation: animation.clone(),
            cursor: PackedCursor::new(),
            first: Arc::new(first),
        }
    }
}
