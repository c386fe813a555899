//! The plain cross-fade between poses, and inertia in its place, to be compared.

use alloc::vec::Vec;
use sinew::math::quat_slerp;
use sinew::pose::{JointCountMismatch, Pose};
use sinew::{Inertia, Skeleton, Transform};

/// How the share of the coming motion rises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrossfadeCurve {
    /// Evenly: with a jerk at either end.
    Linear,
    /// Slowly at first and at last: `3s² - 2s³`.
    #[default]
    Smooth,
}

/// What of the motion that goes is mixed with the one that comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrossfadeSource {
    /// The pose that was shown at the switch, which stands still.
    Frozen,
    /// The motion, which goes on.
    Playing,
    /// Nothing: what was shown goes on by [`Inertia`].
    #[default]
    Inertial,
}

/// How one motion becomes another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseCrossfade {
    /// How long it takes, in seconds; at zero, negative and NaN the other motion is there at once.
    pub seconds: f32,
    /// How the share of the coming motion rises; inertia has a curve of its own.
    pub curve: CrossfadeCurve,
    /// What is mixed.
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
    /// The share of the coming motion after `elapsed` seconds, 0 to 1.
    pub fn weight(&self, elapsed: f32) -> f32 {
        let part = match elapsed / self.seconds {
            _ if self.seconds.is_nan() || self.seconds <= 0.0 => 1.0,
            part if part > 0.0 => part.min(1.0),
            _ => 0.0,
        };
        match self.curve {
            CrossfadeCurve::Linear => part,
            CrossfadeCurve::Smooth => part * part * (3.0 - 2.0 * part),
        }
    }
}

/// One character whose motion is switched by a [`PoseCrossfade`]. Plain data.
///
/// What is frozen is what was shown, so that a switch in the middle of another does not jump. A playing source does
/// jump then: one motion goes and one comes, and a third has no place.
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
    /// For a character of a skeleton. The only place that allocates.
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

    /// The next pose is of another motion.
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

    /// Makes of the pose of the coming motion the one that is shown `dt` seconds after the last. `going` is that of the
    /// motion that goes; only [`CrossfadeSource::Playing`] looks at it.
    ///
    /// # Errors
    /// When a pose is of a skeleton of another size.
    pub fn apply(
        &mut self,
        going: &Pose,
        pose: &mut Pose,
        dt: f32,
    ) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.shown.len(), pose.len())?;
        JointCountMismatch::check(self.shown.len(), going.len())?;
        if dt > 0.0 {
            self.elapsed += dt;
        }
        let weight = self.fade.weight(self.elapsed);
        if weight < 1.0 && self.fade.source != CrossfadeSource::Inertial {
            for (at, frozen) in self.frozen.iter().enumerate() {
                let joint = at.into();
                let from = match self.fade.source {
                    CrossfadeSource::Playing => going.get(joint),
                    _ => *frozen,
                };
                pose.set(joint, mixed(&from, &pose.get(joint), weight));
            }
        }
        self.inertia.apply(pose, dt)?;
        for (at, shown) in self.shown.iter_mut().enumerate() {
            *shown = pose.get(at.into());
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
