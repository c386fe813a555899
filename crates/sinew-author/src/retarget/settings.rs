//! Settings of retargeting.

use super::error::RetargetError;
use crate::error::SettingError;

/// Which poses of the two skeletons correspond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RestAlignment {
    /// The limbs of the target are rotated until their bones point as those of the source do at rest: a T-pose onto an
    /// A-pose.
    #[default]
    Auto,
    /// The rest poses as they are in the files.
    File,
    /// The limbs of both are rotated into a T-pose: arms to the sides, legs down, feet forward.
    TPose,
    /// As [`Auto`](Self::Auto), with a frame of the motion instead of the source's rest pose; from 0, at the motion's
    /// own rate. Only for [`retarget`](super::retarget()), which has the motion.
    Frame(u32),
}

/// What the travel of the target is relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RootTarget {
    /// The world: the hips follow the scaled path of the source's hips, wherever the joints above them are.
    #[default]
    Hips,
    /// The target's reference joint, which stays where it is at rest: the path starts from its position.
    Reference,
}

/// Settings of [`retarget`](super::retarget()) and [`Retargeter`](super::Retargeter).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct RetargetSettings {
    /// Which poses of the two skeletons correspond.
    pub rest: RestAlignment,
    /// The scale of travel and of the places of feet and hands, above 0 and at most 1000. `None`: the ratio of the leg
    /// lengths.
    pub scale: Option<f32>,
    /// What the travel is relative to.
    pub root: RootTarget,
    /// Whether planted feet are kept in place by inverse kinematics; only for [`retarget`](super::retarget()).
    pub feet: bool,
    /// Whether hands follow the scaled path of the source's hands by inverse kinematics; only for
    /// [`retarget`](super::retarget()).
    pub hands: bool,
    /// Seconds before and after a plant within which its correction fades, from 0 to 10.
    pub fade: f32,
}

impl Default for RetargetSettings {
    fn default() -> Self {
        Self {
            rest: RestAlignment::Auto,
            scale: None,
            root: RootTarget::Hips,
            feet: true,
            hands: false,
            fade: 0.25,
        }
    }
}

impl RetargetSettings {
    /// Checks the numbers.
    pub(super) fn check(&self) -> Result<(), RetargetError> {
        let setting = |what, value: f32, expected| {
            Err(RetargetError::Setting(SettingError {
                what,
                value: value.into(),
                expected,
            }))
        };
        if let Some(scale) = self.scale
            && !(scale > 0.0 && scale <= 1000.0)
        {
            return setting("the scale", scale, "a number above 0, at most 1000");
        }
        if !(0.0..=10.0).contains(&self.fade) {
            return setting("the fade", self.fade, "0 to 10 seconds");
        }
        Ok(())
    }
}
