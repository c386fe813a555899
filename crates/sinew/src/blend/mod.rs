//! Blending: weighted averages of poses, and additive blending.
//!
//! `reference` is the specification, `kernel` the same with eight lanes; both are bit-identical.
//!
//! ```text
//! Pose, weight, JointWeights ─┐
//! Pose, weight, JointWeights ─┼─ blend ──▶ Pose ── add_pose ──▶ Pose
//! rest Pose ──────────────────┘                       ▲
//! Pose, reference Pose ────── subtract_pose ──▶ difference
//! ```
//!
//! `layer` blends one pose over another, for layered playback.

mod kernel;
pub(crate) mod layer;
mod mask;
mod reference;
mod slerp;

pub use layer::BlendMode;
#[cfg(feature = "skelform")]
pub(crate) use layer::is_full;
pub(crate) use layer::{
    ChannelSet, JointLayer, LayerChannels, LayerOperation, LayerShares, LayerWeights, PoseLayer,
    overlay, overlay_joint, shared_weight,
};
pub use mask::JointWeights;
pub(crate) use mask::ramp_weights;

use crate::pose::{JointCountMismatch, Pose};
use crate::simd::{self, SimdLevel};

/// If the weights of a joint sum to less than this, the rest pose gets the difference as its weight. A single layer
/// that fades out so blends to rest within the last tenth of its weight, without a jump at zero. A larger threshold
/// would mix relative weights with the rest pose; a smaller one would make the transition too fast. ozz-animation
/// uses the same value.
pub(crate) const REST_BELOW: f32 = 0.1;

/// The maximum weight, so sums stay finite.
const MAX_WEIGHT: f32 = 1e6;

/// A pose to be blended.
#[derive(Clone, Copy, Debug)]
pub struct BlendLayer<'a> {
    /// The pose of this layer. Rotations are unit quaternions.
    pub pose: &'a Pose,
    /// The weight relative to the other layers, clamped to 0 to one million; NaN is 0.
    pub weight: f32,
    /// A factor per joint, multiplied by `weight`; 1 if `None`.
    pub joints: Option<&'a JointWeights>,
}

impl<'a> BlendLayer<'a> {
    /// Creates a layer with the same weight for all joints.
    pub const fn new(pose: &'a Pose, weight: f32) -> Self {
        Self {
            pose,
            weight,
            joints: None,
        }
    }

    /// Returns the clamped weight.
    #[inline(always)]
    fn share(&self) -> f32 {
        // NaN is not above zero.
        if self.weight > 0.0 {
            self.weight.min(MAX_WEIGHT)
        } else {
            0.0
        }
    }

    /// Checks that all parts have `expected` joints.
    fn check(&self, expected: usize) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(expected, self.pose.len())?;
        self.joints.map_or(Ok(()), |joints| {
            JointCountMismatch::check(expected, joints.len())
        })
    }
}

/// Blends poses: the weighted average of each joint. Does not allocate.
///
/// Weights are relative: 1 and 3 are a quarter and three quarters, 0.5 alone is the whole. If those of a joint sum to
/// less than 0.1, the rest pose gets the difference as its weight, so a joint of zero weight is at rest. Positions
/// and scales are arithmetic means. Rotations are summed in the order of the layers, each with the sign nearer to the
/// sum so far, and normalized; for two layers this is nlerp. A rotation whose sum has zero length becomes the
/// identity. Layers of weight zero are ignored; without any other the result is a copy of `rest`.
///
/// # Errors
/// If a part has another number of joints than `out`.
pub fn blend(
    layers: &[BlendLayer<'_>],
    rest: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    blend_with(SimdLevel::best(), layers, rest, out)
}

/// [`blend`] with an explicit SIMD level, for tests and benchmarks.
#[doc(hidden)]
pub fn blend_with(
    level: SimdLevel,
    layers: &[BlendLayer<'_>],
    rest: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(out.len(), rest.len())?;
    for layer in layers {
        layer.check(out.len())?;
    }
    if active(layers).next().is_none() {
        out.copy_from(rest);
        return Ok(());
    }
    match two_layers(layers) {
        Some((a, b, shares)) => simd::dispatch!(
            level,
            off => reference::blend(layers, rest, out),
            simd => kernel::blend_two(simd, a.blocks(), b.blocks(), shares, out.blocks_mut())
        ),
        None => simd::dispatch!(
            level,
            off => reference::blend(layers, rest, out),
            simd => kernel::blend(simd, layers, rest.blocks(), out.blocks_mut())
        ),
    }
    Ok(())
}

/// Computes the difference from `reference` to `pose`: an additive pose for [`add_pose`]. Joints that are equal in
/// both are the identity. Does not allocate.
///
/// Positions are differences. Rotations are `pose · reference⁻¹` in parent space, as in a controller's additive mode.
/// Scales are 1 plus the difference.
///
/// # Errors
/// If a pose has another number of joints than `out`.
pub fn subtract_pose(
    pose: &Pose,
    reference: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    subtract_pose_with(SimdLevel::best(), pose, reference, out)
}

/// [`subtract_pose`] with an explicit SIMD level, for tests and benchmarks.
#[doc(hidden)]
pub fn subtract_pose_with(
    level: SimdLevel,
    pose: &Pose,
    reference: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(out.len(), pose.len())?;
    JointCountMismatch::check(out.len(), reference.len())?;
    simd::dispatch!(
        level,
        off => reference::subtract(pose, reference, out),
        simd => kernel::subtract(simd, pose.blocks(), reference.blocks(), out.blocks_mut())
    );
    Ok(())
}

/// Adds an additive pose computed by [`subtract_pose`]. Does not allocate.
///
/// `weight` is clamped to 0 to 1; NaN is 0. `joints` are factors per joint. A partial rotation is nlerp from the
/// identity along the shorter arc. Rotations are normalized.
///
/// # Errors
/// If a part has another number of joints than `pose`.
pub fn add_pose(
    pose: &mut Pose,
    difference: &Pose,
    weight: f32,
    joints: Option<&JointWeights>,
) -> Result<(), JointCountMismatch> {
    add_pose_with(SimdLevel::best(), pose, difference, weight, joints)
}

/// [`add_pose`] with an explicit SIMD level, for tests and benchmarks.
#[doc(hidden)]
pub fn add_pose_with(
    level: SimdLevel,
    pose: &mut Pose,
    difference: &Pose,
    weight: f32,
    joints: Option<&JointWeights>,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(pose.len(), difference.len())?;
    if let Some(joints) = joints {
        JointCountMismatch::check(pose.len(), joints.len())?;
    }
    let weight = mask::share(weight);
    simd::dispatch!(
        level,
        off => reference::add(pose, difference, weight, joints),
        simd => kernel::add(simd, pose.blocks_mut(), difference.blocks(), weight, joints)
    );
    Ok(())
}

/// Returns the layers of nonzero weight.
#[inline(always)]
fn active<'a, 'b>(layers: &'b [BlendLayer<'a>]) -> impl Iterator<Item = &'b BlendLayer<'a>> {
    layers.iter().filter(|layer| layer.weight > 0.0)
}

/// Returns the poses and normalized weights of exactly two layers without joint weights whose sum excludes the rest
/// pose: the most common blend.
#[inline(always)]
fn two_layers<'a>(layers: &[BlendLayer<'a>]) -> Option<(&'a Pose, &'a Pose, [f32; 2])> {
    let mut active = active(layers);
    let (a, b) = (active.next()?, active.next()?);
    let sum = a.share() + b.share();
    let is_plain = active.next().is_none() && a.joints.is_none() && b.joints.is_none();
    (is_plain && sum >= REST_BELOW).then(|| (a.pose, b.pose, [a.share() / sum, b.share() / sum]))
}
