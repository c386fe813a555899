//! Skeletal animation for 2D and 3D: from file to pose to picture.
//!
//! Data is plain, stages are functions, callers own the buffers. No clock, no I/O, no threads, no
//! globals, `no_std`: this crate computes, [`sinew-formats`](../sinew_formats) reads files and
//! [`sinew-draw`](../sinew_draw) makes pictures.
//!
//! ```text
//! .skf ─formats─▶ Armature (shared) + ArmatureState ─animate─▶ construct ─▶ DrawList ─▶ draw / engine
//! ```
//!
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
//! # Conventions
//! Seconds, radians counter-clockwise, y-up; 2D lengths are pixels. A *model* ([`Armature`]) is what a
//! file says, immutable and shared by `Arc`; a *state* ([`ArmatureState`]) is what one character is
//! doing: small, cloneable, and continuing bit for bit when saved and restored. The same input gives
//! the same bits on every machine, given the same version of `libm`: trigonometry goes through it, sums
//! have a fixed order, nothing uses fused multiply-add.
//!
//! # Features
//! | feature | what for |
//! |---|---|
//! | `serde` | save and restore states |
//! | `mint` | conversions of glam's types for engines on another maths crate |
//!
//! # Limits
//! Playing never panics and never allocates; a file's nonsense is caught by [`Armature::new`]. Numbers
//! so large that `f32` overflows give poses that are not finite.

#![no_std]

extern crate alloc;

mod animation;
pub mod armature;
pub mod curve;
mod image;
mod local_to_model;
pub mod math;
mod measure;
mod pose;
mod sample;
mod skeleton;

pub use animation::*;
pub use armature::*;
pub use glam;
pub use image::Image;
pub use local_to_model::local_to_model;
pub use math::Transform;
pub use measure::*;
pub use pose::{JointCountMismatch, ModelPose, Pose};
pub use sample::{Binding, Sampler, sample};
pub use skeleton::{Joint, JointIndex, Side, Sides, Skeleton, SkeletonError};
