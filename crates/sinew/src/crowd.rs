//! Crowds: many characters over few animations.
//!
//! ```text
//! [CrowdLayer; N] per character ── sample x N ── blend ── local_to_model ──▶ CrowdPose, or matrices
//! ```
//!
//! A [`Crowd`] takes each character through all stages while its poses are in the L1 cache, and writes only the
//! result. It stores nothing per character.
//!
//! ```
//! use sinew_author::compress::{CompressSettings, Profile, compress};
//! use sinew::{Animation, Crowd, Joint, Skeleton, Transform};
//! use sinew::crowd::{CrowdLayer, CrowdScratch};
//!
//! let skeleton = Skeleton::new(vec![Joint {
//!     name: "hips".into(),
//!     parent: None,
//!     rest: Transform::IDENTITY,
//!     tip: None,
//! }])?;
//! let settings = CompressSettings { profile: Profile::Fast, ..Default::default() };
//! let walk = compress(&skeleton, &Animation::default(), &settings)?;
//! let crowd = Crowd::new(&skeleton, [&walk])?;
//!
//! // A thousand characters, each a little later than the one before.
//! let characters: Vec<_> = (0..1000)
//!     .map(|index| [CrowdLayer { animation: 0, time: 0.01 * index as f32, weight: 1.0 }])
//!     .collect();
//! let mut scratch = CrowdScratch::new();
//! let mut highest = 0.0_f32;
//! crowd.for_each(&characters, &mut scratch, |character| highest = highest.max(character.model[0].w_axis.y));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::blend::{BlendLayer, blend_with};
use crate::local_to_model::local_to_model_into;
use crate::packed::PackedCursor;
use crate::packed::{PackedAnimation, Packing};
use crate::pose::{JointCountMismatch, Pose};
use crate::simd::SimdLevel;
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use glam::Mat4;

/// An animation played by a character of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrowdLayer {
    /// Its index among the crowd's animations. Ignored if out of range.
    pub animation: u32,
    /// The time in seconds; see [`PackedAnimation::sample`].
    pub time: f32,
    /// The weight relative to the character's other layers; see [`blend`](crate::blend()). Layers of weight zero cost
    /// nothing. A single layer of weight 0.1 or more is used unscaled.
    pub weight: f32,
}

/// The pose of a character of a crowd.
#[derive(Clone, Copy, Debug)]
pub struct CrowdPose<'a> {
    /// Its index in the list of characters.
    pub character: usize,
    /// The local pose.
    pub pose: &'a Pose,
    /// The model-space matrices.
    pub model: &'a [Mat4],
}

/// An error of writing the matrices of a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{characters} characters of {joints} joints need {} matrices; there is room for {room}", characters.saturating_mul(*joints))]
pub struct CrowdBufferError {
    /// The number of characters.
    pub characters: usize,
    /// The number of joints of each.
    pub joints: usize,
    /// The length of the buffer, in matrices.
    pub room: usize,
}

impl CrowdBufferError {
    fn check(characters: usize, joints: usize, room: usize) -> Result<(), Self> {
        if characters.checked_mul(joints) == Some(room) {
            return Ok(());
        }
        Err(Self {
            characters,
            joints,
            room,
        })
    }
}

/// A skeleton and the animations that characters play on it. Borrowed, and shared by threads.
///
/// Animations of [`Packing::Fast`] cost the same at any time. Those of [`Packing::Small`] are decoded in segments;
/// characters are then processed in the order of their dominant layer, so characters at similar times share a
/// segment.
#[derive(Clone, Debug)]
pub struct Crowd<'a> {
    skeleton: &'a Skeleton,
    animations: Vec<&'a PackedAnimation<'a>>,
    rest: Pose,
    level: SimdLevel,
    /// Whether the order of characters matters.
    has_small: bool,
}

/// Buffers for [`Crowd`]s: for each thread a few poses, and a cursor per layer and animation. Empty until first used.
/// Reuse it for every frame, so that [`Crowd::for_each`] and [`Crowd::models`] do not allocate.
#[derive(Clone, Debug, Default)]
pub struct CrowdScratch {
    buffers: Vec<ThreadBuffers>,
}

impl CrowdScratch {
    /// Creates empty buffers.
    pub const fn new() -> Self {
        Self {
            buffers: Vec::new(),
        }
    }

    fn buffers(&mut self, count: usize) -> &mut [ThreadBuffers] {
        if self.buffers.len() < count {
            self.buffers.resize_with(count, ThreadBuffers::default);
        }
        &mut self.buffers[..count]
    }
}

impl<'a> Crowd<'a> {
    /// Creates a crowd on a skeleton.
    ///
    /// # Errors
    /// If an animation was packed for another number of joints.
    pub fn new(
        skeleton: &'a Skeleton,
        animations: impl IntoIterator<Item = &'a PackedAnimation<'a>>,
    ) -> Result<Self, JointCountMismatch> {
        let animations: Vec<_> = animations.into_iter().collect();
        for animation in &animations {
            JointCountMismatch::check(skeleton.len(), animation.joint_count())?;
        }
        let is_small = |animation: &&PackedAnimation<'_>| animation.packing() == Packing::Small;
        Ok(Self {
            skeleton,
            rest: Pose::rest(skeleton),
            level: SimdLevel::best(),
            has_small: animations.iter().any(is_small),
            animations,
        })
    }

    /// Sets an explicit SIMD level, for tests and benchmarks; results are bit-identical.
    #[doc(hidden)]
    pub fn with_level(mut self, level: SimdLevel) -> Self {
        self.level = level;
        self
    }

    /// Calls a function with the pose of each character, in unspecified order.
    pub fn for_each<const N: usize>(
        &self,
        characters: &[[CrowdLayer; N]],
        scratch: &mut CrowdScratch,
        mut visit: impl FnMut(CrowdPose<'_>),
    ) {
        for buffers in scratch.buffers(1) {
            self.for_each_from(characters, 0, buffers, &mut visit);
        }
    }

    /// Writes the model-space matrices of each character's joints, one character after the other.
    ///
    /// # Errors
    /// If the length of the buffer is not the total number of joints.
    pub fn models<const N: usize>(
        &self,
        characters: &[[CrowdLayer; N]],
        scratch: &mut CrowdScratch,
        out: &mut [Mat4],
    ) -> Result<(), CrowdBufferError> {
        CrowdBufferError::check(characters.len(), self.skeleton.len(), out.len())?;
        for buffers in scratch.buffers(1) {
            self.models_of(characters, buffers, out);
        }
        Ok(())
    }

    fn for_each_from<const N: usize>(
        &self,
        characters: &[[CrowdLayer; N]],
        first: usize,
        buffers: &mut ThreadBuffers,
        visit: &mut impl FnMut(CrowdPose<'_>),
    ) {
        let mut model = core::mem::take(&mut buffers.model);
        model.resize(self.skeleton.len(), Mat4::IDENTITY);
        self.poses(characters, buffers, |character, pose| {
            local_to_model_into(self.level, self.skeleton, pose, &mut model);
            visit(CrowdPose {
                character: first + character,
                pose,
                model: &model,
            });
        });
        buffers.model = model;
    }

    fn models_of<const N: usize>(
        &self,
        characters: &[[CrowdLayer; N]],
        buffers: &mut ThreadBuffers,
        out: &mut [Mat4],
    ) {
        let joints = self.skeleton.len();
        self.poses(characters, buffers, |character, pose| {
            if let Some(model) = out.get_mut(character * joints..(character + 1) * joints) {
                local_to_model_into(self.level, self.skeleton, pose, model);
            }
        });
    }

    /// Computes the local pose of each character.
    fn poses<const N: usize>(
        &self,
        characters: &[[CrowdLayer; N]],
        buffers: &mut ThreadBuffers,
        mut visit: impl FnMut(usize, &Pose),
    ) {
        buffers.make_room(self, N);
        if self.has_small {
            let mut order = core::mem::take(&mut buffers.order);
            order.clear();
            order.extend(0..characters.len());
            order.sort_unstable_by_key(|&character| dominant_layer(&characters[character]));
            for &character in &order {
                visit(character, self.pose(&characters[character], buffers));
            }
            buffers.order = order;
        } else {
            for (character, layers) in characters.iter().enumerate() {
                visit(character, self.pose(layers, buffers));
            }
        }
    }

    fn pose<'p, const N: usize>(
        &'p self,
        layers: &[CrowdLayer; N],
        buffers: &'p mut ThreadBuffers,
    ) -> &'p Pose {
        let Some((blended, poses)) = buffers.poses.split_first_mut() else {
            return &self.rest;
        };
        let mut weights = [0.0; N];
        let (mut count, mut last) = (0, 0);
        for (index, layer) in layers.iter().enumerate() {
            let animation = layer.animation as usize;
            let Some(packed) = self.animations.get(animation) else {
                continue;
            };
            if layer.weight > 0.0 {
                let cursor = &mut buffers.cursors[index * self.animations.len() + animation];
                // All are of the same skeleton.
                let _ = packed.sample_with(self.level, layer.time, cursor, &mut poses[index]);
                weights[index] = layer.weight;
                (count, last) = (count + 1, index);
            }
        }
        if count == 1 && weights[last] >= crate::blend::REST_BELOW {
            return &poses[last];
        }
        let layers =
            core::array::from_fn::<_, N, _>(|index| BlendLayer::new(&poses[index], weights[index]));
        let _ = blend_with(self.level, &layers, &self.rest, blended);
        blended
    }
}

/// Returns the sort key of a character: the animation and time of its dominant layer.
fn dominant_layer<const N: usize>(layers: &[CrowdLayer; N]) -> (u32, u32) {
    let mut dominant = CrowdLayer::default();
    for layer in layers {
        if layer.weight > dominant.weight {
            dominant = *layer;
        }
    }
    // Nonnegative floats sort like their bits.
    (dominant.animation, dominant.time.to_bits())
}

/// The buffers of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadBuffers {
    /// By layer, then by animation.
    cursors: Vec<PackedCursor>,
    /// The blended pose, then one per layer.
    poses: Vec<Pose>,
    model: Vec<Mat4>,
    order: Vec<usize>,
}

impl ThreadBuffers {
    fn make_room(&mut self, crowd: &Crowd<'_>, layers: usize) {
        let cursors = layers * crowd.animations.len();
        if self.cursors.len() < cursors {
            self.cursors.resize_with(cursors, PackedCursor::new);
        }
        if self.poses.len() < layers + 1 {
            self.poses.resize_with(layers + 1, || crowd.rest.clone());
        }
        for pose in &mut self.poses {
            if pose.len() != crowd.rest.len() {
                pose.copy_from(&crowd.rest);
            }
        }
    }
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::{Crowd, CrowdBufferError, CrowdLayer, CrowdPose, CrowdScratch};
    use glam::Mat4;
    use rayon::prelude::*;

    /// Chunks per thread, so one slow chunk does not delay all.
    const CHUNKS_PER_THREAD: usize = 4;

    /// The minimum number of characters per chunk.
    const MIN_CHUNK: usize = 32;

    /// Returns the number of characters per chunk.
    fn chunk_size(characters: usize) -> usize {
        characters
            .div_ceil(CHUNKS_PER_THREAD * rayon::current_num_threads())
            .max(MIN_CHUNK)
    }

    impl Crowd<'_> {
        /// As [`Self::for_each`], on all threads of rayon's pool.
        pub fn par_for_each<const N: usize>(
            &self,
            characters: &[[CrowdLayer; N]],
            scratch: &mut CrowdScratch,
            visit: impl Fn(CrowdPose<'_>) + Sync,
        ) {
            let size = chunk_size(characters.len());
            let buffers = scratch
                .buffers(characters.len().div_ceil(size))
                .par_iter_mut();
            let chunks = characters.par_chunks(size).zip(buffers).enumerate();
            chunks.for_each(|(index, (characters, buffers))| {
                self.for_each_from(characters, index * size, buffers, &mut |pose: CrowdPose<
                    '_,
                >| {
                    visit(pose)
                });
            });
        }

        /// As [`Self::models`], on all threads of rayon's pool.
        ///
        /// # Errors
        /// As [`Self::models`].
        pub fn par_models<const N: usize>(
            &self,
            characters: &[[CrowdLayer; N]],
            scratch: &mut CrowdScratch,
            out: &mut [Mat4],
        ) -> Result<(), CrowdBufferError> {
            let joints = self.skeleton.len();
            CrowdBufferError::check(characters.len(), joints, out.len())?;
            if joints == 0 {
                return Ok(());
            }
            let size = chunk_size(characters.len());
            let buffers = scratch
                .buffers(characters.len().div_ceil(size))
                .par_iter_mut();
            let models = out.par_chunks_mut(size * joints);
            let chunks = characters.par_chunks(size).zip(buffers).zip(models);
            chunks
                .for_each(|((characters, buffers), out)| self.models_of(characters, buffers, out));
            Ok(())
        }
    }
}
