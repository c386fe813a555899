//! Aligns the signs of quaternion keys: `q` and `-q` are the same rotation, but not to an interpolation number by number.

use sinew::animation::{Animation, Interpolation};

/// Replaces each rotation key by its negative if that is nearer to the key before.
///
/// Sampling a linear channel takes the shorter arc regardless; compression and other programs interpolate quaternions number by
/// number and would spin. A cubic is interpolated number by number here too: the sign of a key is part of the curve, so
/// cubics are not changed.
pub fn align_hemispheres(animation: &mut Animation) {
    for track in &mut animation.tracks {
        if let Some(rotation) = &mut track.rotation
            && rotation.interpolation() != Interpolation::Cubic
        {
            rotation.align();
        }
    }
}
