//! One sign for each rotation.

use super::Animation;

/// Of the two quaternions of each rotation key, takes the one nearer to the key before.
///
/// Sampling turns the shorter way regardless; splines, compression and other programs mix quaternions
/// number by number and would spin.
pub fn align_hemispheres(animation: &mut Animation) {
    for track in &mut animation.tracks {
        if let Some(rotation) = &mut track.rotation {
            rotation.align();
        }
    }
}
