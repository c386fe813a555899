//! Settings of retargeting to a character.

use crate::SettingError;
use alloc::string::String;

/// The direction from which the body is seen. The viewer is level with the body in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum View {
    /// Along the body's mean lateral axis.
    #[default]
    Side,
    /// Against the body's mean forward axis.
    Front,
    /// Degrees from the side view (0) towards the front view (90); negative towards the back.
    Angle(f32),
    /// The angle at which thighs, shins, upper and lower arms are foreshortened least.
    Auto,
}

/// The direction that a character seen from the side looks in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Towards -x; its left side is near the viewer.
    Left,
    /// Towards +x; its right side is near the viewer.
    Right,
}

impl Facing {
    /// The x coordinate of the direction, -1 or 1.
    pub(super) const fn sign(self) -> f64 {
        match self {
            Self::Left => -1.0,
            Self::Right => 1.0,
        }
    }
}

/// Settings of [`retarget_to_character`](super::retarget_to_character).
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterSettings {
    /// The view.
    pub view: View,
    /// Whether the view follows the body as it turns, so that it is always seen from the same side.
    pub follow_turn: bool,
    /// The direction that the character is drawn in; `None` detects it from its knees, elbows, feet and face.
    pub facing: Option<Facing>,
    /// Whether limbs that point towards the viewer or away become shorter, down to 0.35 of their length. Otherwise they keep
    /// it.
    pub foreshorten: bool,
    /// Whether the character stays where it is horizontally.
    pub in_place: bool,
    /// Whether limbs that pass each other in depth swap their draw order.
    pub draw_order: bool,
    /// Frames per second; `None` is that of the character's first animation, 30 without one.
    pub frame_rate: Option<u32>,
    /// The largest error of a rotation that reducing keys may cause, in degrees.
    pub angle_tolerance: f32,
    /// The largest error of a position that reducing keys may cause, in pixels.
    pub position_tolerance: f32,
    /// The name of the animation; `None` is that of the source.
    pub name: Option<String>,
}

impl Default for CharacterSettings {
    fn default() -> Self {
        Self {
            view: View::Side,
            follow_turn: false,
            facing: None,
            foreshorten: false,
            in_place: false,
            draw_order: false,
            frame_rate: None,
            angle_tolerance: 0.25,
            position_tolerance: 0.25,
            name: None,
        }
    }
}

impl CharacterSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let tolerance = |what, value: f32| {
            if value.is_finite() && value >= 0.0 {
                return Ok(());
            }
            Err(SettingError {
                what,
                value: value.into(),
                expected: "a finite number that is not negative",
            })
        };
        tolerance("angle_tolerance", self.angle_tolerance)?;
        tolerance("position_tolerance", self.position_tolerance)?;
        if let View::Angle(degrees) = self.view
            && !degrees.is_finite()
        {
            return Err(SettingError {
                what: "view",
                value: degrees.into(),
                expected: "a finite angle in degrees",
            });
        }
        if self.frame_rate == Some(0) {
            return Err(SettingError {
                what: "frame_rate",
                value: 0.0,
                expected: "1 or more",
            });
        }
        Ok(())
    }
}
