//! Crossfades between poses: linear or smoothstep, from a frozen or a playing source, and inertialization.
//!
//! `shown = (1 - w) source + w target` with slerp for rotations and the weight `w = s` or `w = 3s² - 2s³`, where `s` is
//! the elapsed share of the duration. A linear weight changes velocities suddenly at both ends, smoothstep does not. A frozen
//! source stops suddenly; a playing one costs its samples. Inertialization ([`Inertia`], Bollo 2018) needs no source:
//! the offset of the shown pose from the target decays to zero. One slerp per joint and pose.

use alloc::vec::Vec;
use sinew::math::{quat_slerp, smoothstep};
use sinew::pose::{JointCountMismatch, Pose};
use sinew::{Inertia, Skeleton, Transform};

/// The weight of the target motion over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrossfadeCurve {
    /// Linear: the velocity is discontinuous at both ends.
    Linear,
    /// Smoothstep: `3s² - 2s³`.
    #[default]
    Smooth,
}

/// The source that the target motion is blended with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrossfadeSource {
    /// The pose that was shown at the switch.
    Frozen,
    /// The source motion, which continues.
    Playing,
    /// Nothing: [`Inertia`] smooths the switch.
    #[default]
    Inertial,
}

/// A crossfade from one motion to another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseCrossfade {
    /// The duration in seconds. Zero, negative and NaN switch immediately.
    pub seconds: f32,
    /// The weight over time; ignored by inertialization.
    pub curve: CrossfadeCurve,
    /// The source that the target is blended with.
    pub source: CrossfadeSource,
}

impl Default for PoseCrossfade {
    fn default() -> Self {
        Self {
            seconds: 0.25,
            curve: CrossfadeCurve::default(),
            source: CrossfadeSource::default(),
        }
    }
}

impl PoseCrossfade {
    /// Returns the weight of the target motion after `elapsed` seconds, 0 to 1.
    pub fn weight(&self, elapsed: f32) -> f32 {
        let ratio = match elapsed / self.seconds {
            _ if self.seconds.is_nan() || self.seconds <= 0.0 => 1.0,
            ratio if ratio > 0.0 => ratio.min(1.0),
            // Before the start, and for a NaN time.
            _ => 0.0,
        };
        match self.curve {
            CrossfadeCurve::Linear => ratio,
            CrossfadeCurve::Smooth => smoothstep(ratio.into()) as f32,
        }
    }
}

/// One character whose motion is switched by a [`PoseCrossfade`]. Plain data.
///
/// A frozen source is the pose that was shown, so a switch during another one is continuous. With a playing source it
/// is not: only two motions are blended.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseTransition {
    fade: PoseCrossfade,
    elapsed: f32,
    shown: Vec<Transform>,
    frozen: Vec<Transform>,
    inertia: Inertia,
}

impl PoseTransition {
    /// Creates one for a skeleton. Nothing else allocates.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest: Vec<_> = skeleton.joints().iter().map(|joint| joint.rest).collect();
        Self {
            fade: PoseCrossfade {
                seconds: 0.0,
                ..PoseCrossfade::default()
            },
            elapsed: 0.0,
            shown: rest.clone(),
            frozen: rest,
            inertia: Inertia::new(skeleton),
        }
    }

    /// Starts a crossfade: the next pose is of another motion.
    pub fn switch(&mut self, fade: PoseCrossfade) {
        self.fade = fade;
        self.elapsed = 0.0;
        self.frozen.clone_from(&self.shown);
        if fade.source == CrossfadeSource::Inertial {
            self.inertia.switch(fade.seconds);
        } else {
            self.inertia.reset();
        }
    }

    /// Turns the pose of the target motion into the pose to show, `dt` seconds after the last one. `source_pose` is the pose of
    /// the source motion, used by [`CrossfadeSource::Playing`] only.
    ///
    /// # Errors
    /// If a pose has another number of joints.
    pub fn apply(
        &mut self,
        source_pose: &Pose,
        pose: &mut Pose,
        dt: f32,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.shown.len(), pose.len())?;
        JointCountMismatch::check(self.shown.len(), source_pose.len())?;
        if dt > 0.0 {
            self.elapsed += dt;
        }
        let weight = self.fade.weight(self.elapsed);
        if weight < 1.0 && self.fade.source != CrossfadeSource::Inertial {
            for (index, frozen) in self.frozen.iter().enumerate() {
                let joint = index.into();
                let from = match self.fade.source {
                    CrossfadeSource::Playing => source_pose.get(joint),
                    _ => *frozen,
                };
                pose.set(joint, mixed(&from, &pose.get(joint), weight));
            }
        }
        self.inertia.apply(pose, dt)?;
        for (index, shown) in self.shown.iter_mut().enumerate() {
            *shown = pose.get(index.into());
        }
        Ok(())
    }
}

fn mixed(from: &Transform, to: &Transform, weight: f32) -> Transform {
    Transform {
        position: from.position * (1.0 - weight) + to.position * weight,
        rotation: quat_slerp(from.rotation, to.rotation, weight),
        scale: from.scale * (1.0 - weight) + to.scale * weight,
    }
}
