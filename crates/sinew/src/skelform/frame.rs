//! The frame of an animation, from a frame count or a time.

use super::ArmatureAnimation;

/// The behaviour past the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Stops at the end in the direction of play.
    Once,
    /// Restarts after the last frame was shown for its duration: the period is `last + 1` frames. As in SkelForm's
    /// runtimes and exports.
    #[default]
    Loop,
    /// Restarts on reaching the last frame: the period is `last` frames, for animations whose last frame equals their
    /// first. As in SkelForm's editor.
    LoopSeamless,
}

/// Playback settings of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameSettings {
    /// Plays from the last frame to the first.
    pub reverse: bool,
    /// The behaviour past the end.
    pub repeat: Repeat,
}

/// Maps a running frame count into the animation: loops or clamps it, then reverses it.
///
/// The result is within 0 to the last frame. Whole frames stay whole, fractions stay fractions (within the pause of
/// [`Repeat::Loop`] between last frame and first, the last frame is shown); negative counts loop backwards; NaN and
/// animations without keys give 0.
pub fn format_frame(frame: f64, animation: &ArmatureAnimation, settings: FrameSettings) -> f32 {
    let Some(last) = animation.last_frame().map(f64::from) else {
        return 0.0;
    };
    let wrapped = match settings.repeat {
        Repeat::Once => frame,
        Repeat::Loop => wrap(frame, last + 1.0),
        Repeat::LoopSeamless => wrap(frame, last),
    };
    // NaN fails the comparison and an infinite count has no position in a loop: both are 0.
    let within = if wrapped > 0.0 {
        wrapped.min(last)
    } else {
        0.0
    };
    let frame = if settings.reverse {
        last - within
    } else {
        within
    };
    // Whole frames of any animation are exact in 32 bits.
    frame as f32
}

/// Returns `frame` modulo `period`, never negative; 0 for an empty period.
fn wrap(frame: f64, period: f64) -> f64 {
    if period > 0.0 && frame.is_finite() {
        let rest = libm::fmod(frame, period);
        if rest < 0.0 { rest + period } else { rest }
    } else {
        0.0
    }
}

/// Returns the whole frame that an animation shows `seconds` after its start.
///
/// Exact at frame boundaries: half a second at 60 frames per second is frame 30, although products such as 0.5 · 60
/// may be slightly below the integer.
///
/// ```
/// # use sinew::skelform::{AnimationData, Armature, ArmatureData, Element, FrameSettings, KeyData, time_frame};
/// # use sinew::skelform::curve::Ease;
/// # let key = KeyData { frame: 99, bone: 0, element: Element::Rotation, value: 0.0,
/// #     text: String::new(), ease: Ease::Linear };
/// # let armature = Armature::new(ArmatureData {
/// #     bones: vec![Default::default()],
/// #     animations: vec![AnimationData { name: "walk".into(), frame_rate: 60, keys: vec![key] }],
/// #     ..Default::default()
/// # }).unwrap();
/// let walk = &armature.animations()[0];
/// assert_eq!(time_frame(0.5, walk, FrameSettings::default()), 30.0);
/// ```
pub fn time_frame(seconds: f64, animation: &ArmatureAnimation, settings: FrameSettings) -> f32 {
    let frames = seconds * f64::from(animation.frame_rate());
    format_frame(libm::floor(frames + BOUNDARY), animation, settings)
}

/// Returns the frame with its fraction that an animation shows `seconds` after its start: for sampling between
/// frames. Equals [`time_frame`] at whole frames.
pub fn time_frame_exact(
    seconds: f64,
    animation: &ArmatureAnimation,
    settings: FrameSettings,
) -> f32 {
    let frames = seconds * f64::from(animation.frame_rate());
    format_frame(
        frames.max(libm::floor(frames + BOUNDARY)),
        animation,
        settings,
    )
}

/// The tolerance below a whole frame for a time to count as that frame. Clocks in nanoseconds and 32-bit floats are
/// slightly early; a thousandth of a frame covers the latter for minutes and is not visible.
const BOUNDARY: f64 = 1e-3;
