//! Samples animations into a character's state.
//!
//! Input: [`Armature`], a list of [`AnimationFrame`] → output: bone fields, tints, draw order, textures, visibility and
//! IK settings of an [`ArmatureState`]. Does not allocate.

use super::tracks::{BitSet, Timeline};
use super::{Armature, ArmatureAnimationIndex, ArmatureError, ArmatureState};
use crate::skelform::curve::Handles;

/// An animation at a frame, an input of [`animate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimationFrame {
    /// The animation.
    pub animation: ArmatureAnimationIndex,
    /// The frame; fractions are between frames. After its last key a track holds the last value. Before its first key
    /// an interpolated track holds the first value; step tracks (visibility, draw order, texture, IK settings) are
    /// ignored. NaN is 0.
    pub frame: f32,
    /// The number of frames over which the state moves to the animation; 0 is immediate.
    ///
    /// This is SkelForm's smoothing: it counts frames from each track's previous key and is applied to the current
    /// state, so its effect depends on how often `animate` is called, and a track before its first key does not move.
    /// For a fade of a given duration use [`super::ArmatureCrossfade`].
    pub smooth_frames: f32,
}

impl AnimationFrame {
    /// Samples `animation` at `frame`, without smoothing.
    pub fn new(animation: ArmatureAnimationIndex, frame: f32) -> Self {
        Self {
            animation,
            frame,
            smooth_frames: 0.0,
        }
    }

    /// Sets the smoothing in frames.
    pub fn smooth(self, smooth_frames: f32) -> Self {
        Self {
            smooth_frames,
            ..self
        }
    }
}

impl From<(ArmatureAnimationIndex, f32, f32)> for AnimationFrame {
    /// Animation, frame, smooth frames: the order of SkelForm's own `animate`.
    fn from((animation, frame, smooth_frames): (ArmatureAnimationIndex, f32, f32)) -> Self {
        Self {
            animation,
            frame,
            smooth_frames,
        }
    }
}

/// Samples the animations into `state`, in order: if two animate the same element the later one wins. Elements that
/// none animates return to rest.
///
/// ```
/// # use sinew::skelform::{AnimationFrame, Armature, ArmatureData, animate};
/// # let armature = Armature::new(ArmatureData::default()).unwrap();
/// let mut state = armature.new_state();
/// # let walk = match armature.find_animation("walk") { Some(walk) => walk, None => return };
/// animate(&armature, &mut state, &[AnimationFrame::new(walk, 12.5)]).unwrap();
/// ```
///
/// # Errors
/// [`ArmatureError::StateMismatch`] if `state` is of another armature, [`ArmatureError::NoSuchAnimation`] if an
/// animation does not exist. `state` is then unchanged.
pub fn animate(
    armature: &Armature,
    state: &mut ArmatureState,
    frames: &[AnimationFrame],
) -> Result<(), ArmatureError> {
    armature.check_state(state)?;
    for entry in frames {
        armature.check_animation(entry.animation)?;
    }

    // Step elements return to rest immediately, and a track sets one only from its first key on, so all are reset
    // first.
    let rest = armature.rest();
    state.hidden.copy_from_slice(&rest.hidden);
    state.visuals.copy_from_slice(&rest.visuals);
    state.ik.copy_from_slice(&rest.ik);

    // The same for interpolated elements, unless smoothing needs their previous values.
    let smooths = frames.iter().any(|entry| entry.smooth_frames > 0.0);
    if !smooths {
        state.bones.copy_from_slice(&rest.bones);
        state.tints.copy_from_slice(&rest.tints);
    }
    for entry in frames {
        let animation = &armature.animations()[entry.animation.index()];
        let frame = if entry.frame.is_nan() {
            0.0
        } else {
            entry.frame
        };
        let bones: &mut [f32] = bytemuck::cast_slice_mut(&mut state.bones);
        for timeline in &animation.bones {
            sample(timeline, frame, entry.smooth_frames, bones);
        }
        let tints: &mut [f32] = bytemuck::cast_slice_mut(&mut state.tints);
        for timeline in &animation.tints {
            sample(timeline, frame, entry.smooth_frames, tints);
        }
        animation.for_each_step(frame, |target, value| state.set_step(target, value));
    }
    if smooths {
        let weight = smoothing(frames[0].frame, frames[0].smooth_frames);
        let animation = |entry: &AnimationFrame| &armature.animations()[entry.animation.index()];
        let bones = frames.iter().map(|entry| &animation(entry).animated_bones);
        let tints = frames.iter().map(|entry| &animation(entry).animated_tints);
        reset(&mut state.bones, &rest.bones, weight, bones);
        reset(&mut state.tints, &rest.tints, weight, tints);
    }
    Ok(())
}

/// Returns the ratio by which smoothing moves a field to its value; `None` for 1.
fn smoothing(current: f32, smooth_frames: f32) -> Option<f32> {
    if smooth_frames > 0.0 && current < smooth_frames {
        Some(Handles::ZERO.progress(current.max(0.0) / smooth_frames))
    } else {
        None
    }
}

/// Writes the value of every track of a timeline.
fn sample(timeline: &Timeline, frame: f32, smooth_frames: f32, fields: &mut [f32]) {
    let interval = timeline.locate(frame);
    let tracks = timeline
        .targets
        .iter()
        .zip(timeline.row(interval.prev))
        .zip(timeline.row(interval.next));

    // Between two keys each value is interpolated; on a key and outside the keys it is the key's value exactly, and
    // both neighbours are that key.
    match (interval.mix, smoothing(interval.current, smooth_frames)) {
        (None, None) => {
            for ((&target, _), &value) in tracks {
                fields[target as usize] = value;
            }
        }
        (Some(mix), None) => {
            for ((&target, &from), &to) in tracks {
                fields[target as usize] = from + (to - from) * mix;
            }
        }
        (mix, Some(weight)) => {
            for ((&target, &from), &to) in tracks {
                let value = mix.map_or(to, |mix| from + (to - from) * mix);
                let field = &mut fields[target as usize];
                *field += (value - *field) * weight;
            }
        }
    }
}

/// Moves every number without a track towards rest.
fn reset<'a, T: bytemuck::Pod>(
    fields: &mut [T],
    rest: &[T],
    weight: Option<f32>,
    animated: impl Iterator<Item = &'a BitSet> + Clone,
) {
    let fields: &mut [f32] = bytemuck::cast_slice_mut(fields);
    let rest: &[f32] = bytemuck::cast_slice(rest);
    for (word, (fields, rest)) in fields.chunks_mut(64).zip(rest.chunks(64)).enumerate() {
        let animated = animated.clone().fold(0, |all, set| all | set.word(word));
        for (bit, (field, &rest)) in fields.iter_mut().zip(rest).enumerate() {
            if animated >> bit & 1 == 0 {
                *field = match weight {
                    None => rest,
                    Some(weight) => *field + (rest - *field) * weight,
                };
            }
        }
    }
}
