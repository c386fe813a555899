//! What retargeting to a character did, in numbers.

use super::Facing;
use crate::retarget::Role;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use sinew::skelform::AnimationData;

/// A motion on a character.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterResult {
    /// The animation. A loop of `n` frames has its last key at `n - 1`: players show the first frame after it.
    pub animation: AnimationData,
    /// How well the motion fits the plane.
    pub report: CharacterReport,
}

/// How well a motion fits the plane of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterReport {
    /// The angle of the view from the side view towards the front view, in degrees; the mean if the view follows the body.
    pub view_degrees: f32,
    /// The direction that the character looks in.
    pub facing: Facing,
    /// Pixels per metre.
    pub scale: f32,
    /// The number of frames.
    pub frames: usize,
    /// Whether the animation loops.
    pub is_loop: bool,
    /// The mean horizontal speed that `in_place` removed, in pixels per second; 0 otherwise.
    pub removed_speed: f32,
    /// How much each limb is foreshortened.
    pub foreshortening: Vec<Foreshortening>,
    /// When a limb points so much towards the viewer or away that its angle was interpolated.
    pub unreliable: Vec<UnreliableSpan>,
    /// When the body turns more than 60 degrees from its mean direction, in seconds.
    pub turned: Vec<Range<f32>>,
    /// How far planted feet move.
    pub drift: Drift,
    /// The largest amount by which the hips were lowered so that planted feet are reached, in pixels.
    pub lowered: f32,
    /// The number of keys if every frame had one in each track.
    pub keys_before: usize,
    /// The number of keys of the animation.
    pub keys_after: usize,
    /// What could not be done as asked, in sentences.
    pub warnings: Vec<String>,
}

/// How much a limb is foreshortened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foreshortening {
    /// The bone of the limb.
    pub role: Role,
    /// The mean of projected length over true length, 0 to 1.
    pub mean: f32,
    /// The smallest.
    pub min: f32,
}

/// A time in which the angle of a limb is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreliableSpan {
    /// The bone of the limb.
    pub role: Role,
    /// The span, in seconds.
    pub span: Range<f32>,
}

/// How far the point on which a planted foot rolls moves: the heel while the toes are up, the toes while the heel is up.
/// Measured on the reduced keys, as they are played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// The number of foot plants.
    pub plants: usize,
    /// The largest distance from its mean position within a plant, in pixels of a character that is 300 pixels high.
    pub max: f32,
    /// The mean over the plants of the largest distance, in the same unit.
    pub mean: f32,
}
