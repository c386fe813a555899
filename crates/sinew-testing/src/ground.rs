//! Moves over the ground.

use sinew::Transform;
use sinew::math::GroundTransform;
use sinew::math::{quat_inverse, quat_mul};

/// What moves one transform to another over the ground.
pub fn between(from: &Transform, to: &Transform) -> GroundTransform {
    let turn = quat_mul(to.rotation, quat_inverse(from.rotation));
    let angle = 2.0 * f64::from(turn.y).atan2(turn.w.into());
    let turned = GroundTransform {
        angle,
        ..GroundTransform::IDENTITY
    };
    let [x, z] = turned.apply([from.position.x.into(), from.position.z.into()]);
    GroundTransform {
        angle,
        x: f64::from(to.position.x) - x,
        z: f64::from(to.position.z) - z,
    }
}
