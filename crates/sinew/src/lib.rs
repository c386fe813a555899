//! Skeletal animation for 2D and 3D: from file to pose to picture.
//!
//! Data is plain, stages are functions, callers own the buffers. No clock, no I/O, no threads, no
//! globals, `no_std`: this crate computes, [`sinew-formats`](../sinew_formats) reads files and
//! [`sinew-draw`](../sinew_draw) makes pictures.
//!
//! ```text
//! .skf ─formats─▶ Armature (shared) + ArmatureState ─animate─▶ construct ─▶ DrawList ─▶ draw / engine
//! .amc .bvh .glb ─formats─▶ Skeleton + Animation ─sample─▶ Pose ─local_to_model─▶ ModelPose ─▶ draw / engine
//!         AnimationController ─ PoseBinding, ArmatureBinding ─▶ Pose, ArmatureState: many at once
//! ```
//!
//! # In two dimensions
//! A character with one bone that turns a quarter in ten frames:
//!
//! ```
//! use sinew::{
//!     AnimationData, Armature, ArmatureData, BoneData, ConstructSettings, Constructed, Element,
//!     KeyData, Play, animate, construct, curve::Preset,
//! };
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
//!         fps: 60,
//!         keys: vec![key(0, 0.0), key(10, FRAC_PI_2)],
//!     }],
//!     ..ArmatureData::default()
//! })?;
//!
//! let raise = armature.find_animation("raise").expect("it was just made");
//! let mut state = armature.new_state();
//! let mut pose = Constructed::new(&armature);
//! animate(&armature, &mut state, &[Play::new(raise, 5.0)])?;
//! construct(&armature, &mut state, &ConstructSettings::default(), &mut pose)?;
//!
//! let arm = pose.bone(armature.find_bone("arm").expect("it has one")).expect("and a pose");
//! assert!((arm.rot() - FRAC_PI_2 / 2.0).abs() < 1e-4);
//! # Ok::<(), sinew::ArmatureError>(())
//! ```
//!
//! # In three dimensions
//! A [`Skeleton`] of [`Joint`]s rests in a pose; an [`Animation`] moves it by named tracks of keys. Two
//! joints, the upper of which turns a quarter in a second:
//!
//! ```
//! use sinew::glam::{Quat, Vec3};
//! use sinew::{
//!     Animation, Channel, Interpolation, Joint, JointIndex, KeyTimes, Sampler, Skeleton, Transform,
//!     TransformTrack,
//! };
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
//! let at = sampler.model_at(0.5).position(hand);
//! assert!((at - Vec3::new(half, half, 0.0)).length() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`sample`] and [`local_to_model`] do the same with buffers of your own. [`resample`], [`trim`],
//! [`mirror`], [`move_root`], [`align_hemispheres`] and [`remove_constant`] edit animations; [`extent`],
//! [`root_motion_joint`], [`loop_gap`] and [`ground_velocity`] measure them, and [`feet::find_plants`] finds foot contacts.
//!
//! # Many animations at once
//! An [`AnimationController`] plays any set of animations: fades, layers, blending, start bones, triggers.
//! [`PoseBinding`] applies it to a skeleton, [`ArmatureBinding`] to a 2D character, [`TargetBinding`] to a
//! [`Scene`] or to whatever implements [`AnimationTarget`]. The [`guide`] explains it with examples.
//!
//! # Motions that flow into each other
//! [`register`](mod@register) finds which moments of motions belong together, and mixes them or goes over from one to the other
//! along that; [`feet`] keeps feet where they stand; [`cycle`] makes loops; [`Inertia`] takes the jump out of any
//! switch. In a controller, sync groups, inertial fades and root motion do so while playing.
//!
//! # Conventions
//! Seconds, radians counter-clockwise, right-handed, y-up, metres; 2D lengths are pixels. Quaternions
//! are x, y, z, w; matrices multiply columns. A *model* ([`Armature`], [`Skeleton`], [`Animation`]) is
//! what a file says, immutable and shared by `Arc`; a *state* ([`ArmatureState`], [`ControllerState`]) is what one character is
//! doing: small, cloneable, and continuing bit for bit when saved and restored. The same input gives
//! the same bits on every machine, given the same version of `libm`: trigonometry goes through it, sums
//! have a fixed order, nothing uses fused multiply-add. glam's own quaternion products do not keep that
//! promise; [`math`] has some that do.
//!
//! # Features
//! | feature | what for |
//! |---|---|
//! | `std` (default) | kernels find the widest SIMD registers of the machine; without it, those of the build's target |
//! | `serde` | save and restore states |
//! | `mint` | conversions of glam's types for engines on another maths crate |
//!
//! # Limits
//! Playing never panics and never allocates; a file's nonsense is caught by [`Armature::new`],
//! [`Skeleton::new`] and [`Channel::new`]. Numbers
//! so large that `f32` overflows give poses that are not finite.

#![no_std]

extern crate alloc;

mod animation;
pub mod armature;
mod blend;
pub mod compress;
mod control;
mod crowd;
pub mod curve;
pub mod cycle;
pub mod feet;
#[doc = include_str!("guide.md")]
pub mod guide {}
mod image;
mod inertia;
mod local_to_model;
pub mod math;
mod measure;
mod packed;
mod pose;
pub mod register;
mod sample;
mod scene;
mod simd;
mod skeleton;

pub use animation::*;
pub use armature::*;
pub use blend::{
    BlendLayer, JointWeights, add_pose, add_pose_with, blend, blend_with, subtract_pose,
    subtract_pose_with,
};
pub use control::*;
pub use crowd::{Crowd, CrowdLayer, CrowdPose, CrowdRoom, CrowdScratch};
pub use glam;
pub use image::Image;
pub use inertia::{Crossfade, CrossfadeCurve, CrossfadeSource, Inertia, PoseTransition};
pub use local_to_model::{
    inverse_binds, local_to_model, local_to_model_with, skinning_palette, skinning_palette_with,
};
pub use math::Transform;
pub use measure::*;
pub use packed::{
    ChannelPacking, JointCost, PackedAnimation, PackedBytesError, PackedProblem, Packing,
};
pub use pose::{JointCountMismatch, ModelPose, Pose};
pub use sample::{Binding, PackedCursor, Sampler, sample};
pub use scene::*;
pub use simd::SimdLevel;
pub use skeleton::{Joint, JointIndex, Side, Sides, Skeleton, SkeletonError};
