//! One sign for each rotation.

use sinew::animation::{Animation, Interpolation};

/// Of the two quaternions of each rotation key, takes the one nearer to the key before.
///
/// Lines turn the shorter way regardless when they are sampled; compression and other programs mix
/// quaternions number by number and would spin. Cubics are number by number here too: the sign of a key
/// is part of the curve, so they are left as they are.
pub fn align_hemispheres(animation: &mut Animation) {
    for track in &mut animation.tracks {
        if let Some(rotation) = &mut track.rotation
            && rotation.interpolation() != Interpolation::Cubic
        {
            rotation.align();
        }
    }
}
