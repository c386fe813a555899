//! Sampling animations into a character's state.
//!
//! Input: [`Armature`], a list of [`Play`] → output: bone fields, tints, draw order, textures,
//! visibility and IK settings of an [`ArmatureState`]. Nothing allocates.

use super::tracks::{BitSet, Timeline};
use super::{Armature, ArmatureError, ArmatureState};
use crate::animation::AnimationIndex;
use crate::skelform::curve::Handles;

/// One animation at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Which animation.
    pub animation: AnimationIndex,
    /// Which frame; fractions lie between frames. After its last key a track holds the last value. Before
    /// its first key a number that is interpolated holds the first value; what changes in steps
    /// (visibility, draw order, texture, IK settings) is as without the track. NaN counts as 0.
    pub frame: f32,
    /// Over how many frames the state moves to the animation instead of jumping there, 0 to jump.
    ///
    /// This is SkelForm's smoothing: it counts frames from each track's previous key and is applied
    /// to the state as it is, so its effect depends on how often `animate` is called, and a track whose
    /// first key is still to come does not move at all. For a fade
    /// that takes a given time use [`super::ArmatureCrossfade`].
    pub smooth_frames: f32,
}

impl Play {
    /// `animation` at `frame`, without smoothing.
    pub fn new(animation: AnimationIndex, frame: f32) -> Self {
        Self {
            animation,
            frame,
            smooth_frames: 0.0,
        }
    }

    /// The same with smoothing.
    pub fn smooth(self, smooth_frames: f32) -> Self {
        Self {
            smooth_frames,
            ..self
        }
    }
}

impl From<(AnimationIndex, f32, f32)> for Play {
    /// Animation, frame, smooth frames: the order of SkelForm's own `animate`.
    fn from((animation, frame, smooth_frames): (AnimationIndex, f32, f32)) -> Self {
        Self {
            animation,
            frame,
            smooth_frames,
        }
    }
}

/// Sets `state` to what the animations show, in order: where two animate the same element the later
/// one wins. Elements that none of them animates return to rest. Without animations everything does.
///
/// ```
/// # use sinew::skelform::{Armature, ArmatureData, Play, animate};
/// # let armature = Armature::new(ArmatureData::default()).unwrap();
/// let mut state = armature.new_state();
/// # let walk = match armature.find_animation("walk") { Some(walk) => walk, None => return };
/// animate(&armature, &mut state, &[Play::new(walk, 12.5)]).unwrap();
/// ```
///
/// # Errors
/// [`ArmatureError::StateMismatch`] when `state` was made for another armature,
/// [`ArmatureError::NoSuchAnimation`] when a play names one that is not there. `state` is then as it
/// was.
pub fn animate(
    armature: &Armature,
    state: &mut ArmatureState,
    plays: &[Play],
) -> Result<(), ArmatureError> {
    armature.check_state(state)?;
    for play in plays {
        armature.check_animation(play.animation)?;
    }

    // Elements without interpolation return to rest at once, and a track sets one only from its first key
    // on, so all of them are reset first.
    let rest = armature.rest();
    state.hidden.copy_from_slice(&rest.hidden);
    state.visuals.copy_from_slice(&rest.visuals);
    state.ik.copy_from_slice(&rest.ik);

    // Likewise for numbers, unless smoothing needs to know what they were.
    let smooths = plays.iter().any(|play| play.smooth_frames > 0.0);
    if !smooths {
        state.bones.copy_from_slice(&rest.bones);
        state.tints.copy_from_slice(&rest.tints);
    }
    for play in plays {
        let animation = &armature.animations()[play.animation.index()];
        let frame = if play.frame.is_nan() { 0.0 } else { play.frame };
        let bones: &mut [f32] = bytemuck::cast_slice_mut(&mut state.bones);
        for timeline in &animation.bones {
            sample(timeline, frame, play.smooth_frames, bones);
        }
        let tints: &mut [f32] = bytemuck::cast_slice_mut(&mut state.tints);
        for timeline in &animation.tints {
            sample(timeline, frame, play.smooth_frames, tints);
        }
        animation.each_step(frame, |target, value| state.set_step(target, value));
    }
    if smooths {
        let weight = smoothing(plays[0].frame, plays[0].smooth_frames);
        let animation = |play: &Play| &armature.animations()[play.animation.index()];
        let bones = plays.iter().map(|play| &animation(play).animated_bones);
        let tints = plays.iter().map(|play| &animation(play).animated_tints);
        reset(&mut state.bones, &rest.bones, weight, bones);
        reset(&mut state.tints, &rest.tints, weight, tints);
    }
    Ok(())
}

/// How far smoothing moves a field towards its value; `None` for all the way.
fn smoothing(current: f32, smooth_frames: f32) -> Option<f32> {
    if smooth_frames > 0.0 && current < smooth_frames {
        Some(Handles::ZERO.progress(current.max(0.0) / smooth_frames))
    } else {
        None
    }
}

/// Writes the value of every track of a timeline.
fn sample(timeline: &Timeline, frame: f32, smooth_frames: f32, fields: &mut [f32]) {
    let at = timeline.locate(frame);
    let tracks = timeline
        .targets
        .iter()
        .zip(timeline.row(at.prev))
        .zip(timeline.row(at.next));

    // Between two keys each value is a mix; on a key, before the first and after the last it is the
    // key's own to the bit. Both neighbours are the same key there.
    match (at.mix, smoothing(at.current, smooth_frames)) {
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

/// Moves every number that no animation has a track for towards rest.
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
