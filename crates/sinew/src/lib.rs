//! Skeletal animation for 2D and 3D: the runtime that a game links.
//!
//! ```text
//! .amc .bvh .glb ─sinew-formats─▶ Skeleton + Animation ─sample─▶ Pose ─blend─▶ Pose ─local_to_model─▶ ModelPose
//! .skf ──────────sinew-formats─▶ Armature + ArmatureState ─animate─▶ ─construct─▶ ─DrawList─▶ engine
//! AnimationSet ─▶ AnimationController ─ PoseBinding, ArmatureBinding, TargetBinding ─▶ Pose, ArmatureState, Scene
//! ```
//!
//! Data is plain, stages are functions, callers own the buffers. No clock, no I/O, no threads, no globals, `no_std`,
//! no `unsafe`. Playing never panics and never allocates.
//!
//! # Modules
//! * the root: [`Skeleton`] of [`Joint`]s ([`JointIndex`]), [`Pose`], [`ModelPose`], [`Transform`]; [`Animation`],
//!   [`AnimationIndex`], [`Sampler`], [`PackedAnimation`], [`PackedCursor`]; [`AnimationSet`], [`AnimationController`],
//!   [`AnimationParameters`], [`ControllerState`], [`PoseBinding`], [`Character`], [`Crowd`], [`Inertia`]; the stages
//!   [`sample()`], [`blend()`] of [`BlendLayer`]s, [`local_to_model()`], [`skinning_palette`]
//!   * [`animation`]: tracks, channels, key times, variants, triggers, loop motion
//!   * [`skeleton`], [`pose`]: joints, sides; local and model-space poses
//!   * [`mod@sample`], [`packed`]: keyed animations; compressed ones, and [`packed::keyframes`], the keyframe codec
//!   * [`mod@blend`]: weighted average, layers, joint weights, additive poses
//!   * [`mod@local_to_model`]: model-space matrices, skinning
//!   * [`control`]: parameters, state, differences, masks, bindings, root trajectories, `explain`
//!   * [`scene`]: a tree of nodes with attributes as an animation target
//!   * [`ik`], [`inertia`]: two-bone IK, foot locking; inertialization (Bollo 2018)
//!   * [`registration`]: evaluates registration curves (Kovar and Gleicher 2003), blends along them
//!   * [`anatomy`]: limbs, foot contacts, bounds, the root motion joint
//!   * [`crowd`]: many characters over few animations
//!   * [`pose_hash`]: hashes of poses, to compare machines
//!   * [`math`]: quaternions, transforms, Euler angles with a fixed order of operations
//!   * `skelform`: 2D armatures, `animate`, `construct`, draw lists (feature `skelform`)
//!   * `guide`: the controller, explained with examples that run
//!
//! `sinew-author` prepares animations before the game: edit, measure, compress, register, loop, foot-skate cleanup.
//! `sinew-formats` reads and writes files, `sinew-draw` renders.
//!
//! # Pages
//! [Cookbook], [2D characters], [motion capture], [the controller], [registration and blending], [compression],
//! [file formats], [determinism], [performance].
//!
//! [Cookbook]: https://github.com/sinew-anim/sinew/blob/main/docs/cookbook.md
//! [2D characters]: https://github.com/sinew-anim/sinew/blob/main/docs/characters-2d.md
//! [motion capture]: https://github.com/sinew-anim/sinew/blob/main/docs/mocap.md
//! [the controller]: https://github.com/sinew-anim/sinew/blob/main/docs/controller.md
//! [registration and blending]: https://github.com/sinew-anim/sinew/blob/main/docs/registration-and-blending.md
//! [compression]: https://github.com/sinew-anim/sinew/blob/main/docs/compression.md
//! [file formats]: https://github.com/sinew-anim/sinew/blob/main/docs/formats.md
//! [determinism]: https://github.com/sinew-anim/sinew/blob/main/docs/determinism.md
//! [performance]: https://github.com/sinew-anim/sinew/blob/main/docs/performance.md
//!
//! # 3D
//! A [`Skeleton`] of [`Joint`]s has a rest pose; an [`Animation`] has one track of keys per joint. Two joints, the upper
//! of which rotates by 90 degrees in a second:
//!
//! ```
//! use sinew::glam::{Quat, Vec3};
//! use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
//! use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
//!
//! let joint = |name: &str, parent, position| Joint {
//!     name: name.into(),
//!     parent,
//!     rest: Transform::from_position(position),
//!     tip: None,
//! };
//! let skeleton = Skeleton::new(vec![
//!     joint("shoulder", None, Vec3::ZERO),
//!     joint("hand", Some(JointIndex(0)), Vec3::X),
//! ])?;
//!
//! let half = std::f32::consts::FRAC_1_SQRT_2;
//! let quarter = Quat::from_xyzw(0.0, 0.0, half, half);
//! let mut raise = Animation::new("raise", 1.0);
//! raise.tracks.push(TransformTrack {
//!     rotation: Some(Channel::new(
//!         KeyTimes::listed([0.0, 1.0])?,
//!         vec![Quat::IDENTITY, quarter],
//!         Interpolation::Linear,
//!     )?),
//!     ..TransformTrack::new("shoulder")
//! });
//!
//! let hand = skeleton.find("hand").expect("it has one");
//! let mut sampler = Sampler::new(&skeleton, &raise);
//! let position = sampler.model_at(0.5).position(hand);
//! assert!((position - Vec3::new(half, half, 0.0)).length() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`sample()`] and [`local_to_model()`] do the same with buffers of your own; [`blend()`] averages poses, and
//! [`skinning_palette`] makes the matrices for a mesh.
//!
//! # 2D
//! A character with one bone that rotates by 90 degrees in ten frames:
//!
//! ```
//! use sinew::skelform::{
//!     AnimationData, AnimationFrame, Armature, ArmatureData, ArmaturePose, BoneData, ConstructSettings, Element, KeyData,
//!     animate, construct,
//! };
//! use sinew::skelform::curve::Preset;
//! use std::f32::consts::FRAC_PI_2;
//!
//! let key = |frame, value| KeyData {
//!     frame,
//!     bone: 0,
//!     element: Element::Rotation,
//!     value,
//!     text: String::new(),
//!     ease: Preset::SineInOut.ease(),
//! };
//! let armature = Armature::new(ArmatureData {
//!     bones: vec![BoneData { name: "arm".into(), ..BoneData::default() }],
//!     animations: vec![AnimationData {
//!         name: "raise".into(),
//!         frame_rate: 60,
//!         keys: vec![key(0, 0.0), key(10, FRAC_PI_2)],
//!     }],
//!     ..ArmatureData::default()
//! })?;
//!
//! let raise = armature.find_animation("raise").expect("it was just made");
//! let mut state = armature.new_state();
//! let mut pose = ArmaturePose::new(&armature);
//! animate(&armature, &mut state, &[AnimationFrame::new(raise, 5.0)])?;
//! construct(&armature, &mut state, &ConstructSettings::default(), &mut pose)?;
//!
//! let arm = pose.bone(armature.find_bone("arm").expect("it has one")).expect("and a pose");
//! assert!((arm.rotation() - FRAC_PI_2 / 2.0).abs() < 1e-4);
//! # Ok::<(), sinew::skelform::ArmatureError>(())
//! ```
//!
//! # Many animations at once
//! An [`AnimationController`] plays any number of animations: crossfades, layers, masks, additive blending, triggers, sync
//! groups, root motion. [`PoseBinding`] applies it to a skeleton, `ArmatureBinding` to a 2D character,
//! [`control::TargetBinding`] to a [`scene::Scene`] or to any [`control::AnimationTarget`]. The `guide` explains it.
//!
//! # Conventions
//! Seconds, radians counter-clockwise, right-handed, y-up, metres; 2D lengths are pixels. Quaternions are x, y, z, w;
//! matrices multiply column vectors. A *model* ([`Skeleton`], [`Animation`], `Armature`) is immutable and shared by
//! `Arc`; a *state* ([`ControllerState`], `ArmatureState`) belongs to one character. It is small plain data; saved and
//! restored, play continues bit for bit.
//!
//! The same input gives the same bits on every machine, given the same version of `libm`: trigonometry goes through it,
//! sums have a fixed order, nothing uses fused multiply-add. glam's quaternion products do not keep that promise;
//! [`math`] has products that do.
//!
//! # Features
//! | feature | what it adds |
//! |---|---|
//! | `std` (default) | finds the widest SIMD instructions at run time; without it, those of the build's target are used |
//! | `skelform` (default) | the 2D runtime |
//! | `serde` | serializable states |
//! | `mint` | conversions of glam's types to other maths crates |
//! | `rayon` | crowds on all cores |
//!
//! # Limits
//! [`Skeleton::new`], [`animation::Channel::new`] and `Armature::new` reject invalid data, so that playing cannot fail.
//! Numbers so large that `f32` overflows give infinite or NaN poses.

#![no_std]

extern crate alloc;

pub mod anatomy;
pub mod animation;
pub mod blend;
pub(crate) mod byte_cursor;
pub mod control;
pub mod crowd;
#[cfg(feature = "skelform")]
#[doc = include_str!("guide.md")]
pub mod guide {}
pub mod ik;
pub mod inertia;
#[doc(hidden)]
pub mod internal;
pub mod local_to_model;
pub mod math;
pub mod packed;
pub mod pose;
pub mod pose_hash;
pub mod registration;
pub mod sample;
pub mod scene;
#[doc(hidden)]
pub mod simd;
pub mod skeleton;
#[cfg(feature = "skelform")]
pub mod skelform;
pub(crate) mod state_bytes;

pub use animation::{Animation, AnimationIndex};
pub use blend::{BlendLayer, blend};
pub use control::{
    AnimationController, AnimationParameters, AnimationSet, Character, ControllerState, PoseBinding,
};
pub use crowd::Crowd;
pub use glam;
pub use inertia::Inertia;
pub use local_to_model::{local_to_model, skinning_palette};
pub use math::Transform;
pub use packed::{PackedAnimation, PackedCursor};
pub use pose::{ModelPose, Pose};
pub use sample::{Sampler, sample};
pub use skeleton::{Joint, JointIndex, Skeleton};
