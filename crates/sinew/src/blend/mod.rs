//! Blending: several poses as one, and differences of poses added to others.
//!
//! `reference` is the specification, `kernel` the same eight joints wide; both give the same bits.
//!
//! ```text
//! Pose, weight, JointWeights ─┐
//! Pose, weight, JointWeights ─┼─ blend ──▶ Pose ── add_pose ──▶ Pose
//! rest Pose ──────────────────┘                       ▲
//! Pose, reference Pose ────── subtract_pose ──▶ difference
//! ```
//!
//! `layer` lays one pose over another, for what plays animations in layers.

mod kernel;
mod layer;
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

/// Where the weights of a joint sum to less than this, the rest pose fills up what is missing. A single layer
/// that is faded out so goes to rest within the last tenth of its weight and does not jump at zero. Larger,
/// and weights that were meant as shares of each other would mix with the rest pose; smaller, and the way to
/// rest would be too quick to see. ozz-animation has the same number.
pub(crate) const REST_BELOW: f32 = 0.1;

/// Weights above this count as this much, so that sums stay finite.
const MOST_WEIGHT: f32 = 1e6;

/// A pose among others that are blended.
#[derive(Clone, Copy, Debug)]
pub struct BlendLayer<'a> {
    /// Where joints are in this layer. Rotations are unit quaternions.
    pub pose: &'a Pose,
    /// Its share, relative to the other layers': from 0 to a million. Less counts as 0, more as a million,
    /// NaN as 0.
    pub weight: f32,
    /// How much it counts joint by joint, on top of `weight`; everywhere the same where there is none.
    pub joints: Option<&'a JointWeights>,
}

impl<'a> BlendLayer<'a> {
    /// A pose that counts the same for all joints.
    pub const fn new(pose: &'a Pose, weight: f32) -> Self {
        Self {
            pose,
            weight,
            joints: None,
        }
    }

    /// The weight as it counts.
    #[inline(always)]
    fn share(&self) -> f32 {
        // NaN is not above zero.
        if self.weight > 0.0 {
            self.weight.min(MOST_WEIGHT)
        } else {
            0.0
        }
    }

    /// The number of joints all parts have, if it is `expected`.
    fn check(&self, expected: usize) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(expected, self.pose.len())?;
        self.joints.map_or(Ok(()), |joints| {
            JointCountMismatch::check(expected, joints.len())
        })
    }
}

/// The weighted mean of poses, joint by joint. Does not allocate.
///
/// Weights are relative: 1 and 3 are a quarter and three quarters, 0.5 alone is the whole. Where those of a
/// joint sum to less than 0.1, the rest pose counts for what is missing to that, so that where they are all
/// zero the joint rests. Positions and scales are means of numbers; rotations are summed in the order of the
/// layers, each the shorter way from the sum so far, and normalised, which for two layers is what is called
/// nlerp. A rotation whose sum has no length becomes the identity. Layers of weight zero are not looked at;
/// without any other the result is a copy of `rest`.
///
/// # Errors
/// When something was made for another number of joints than `out`.
pub fn blend(
    layers: &[BlendLayer<'_>],
    rest: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    blend_with(SimdLevel::best(), layers, rest, out)
}

/// As [`blend`], with instructions of your choice.
///
/// # Errors
/// As [`blend`].
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
    match two(layers) {
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

/// What leads from one pose to another: a pose that [`add_pose`] can add to any third. Joints that are the
/// same in both are at the identity. Does not allocate.
///
/// Positions are differences. Rotations are the turn from `reference` to `pose` in the parent's frame, as in
/// a controller's additive mode. Scales are differences too, counted from 1.
///
/// # Errors
/// When the poses have another number of joints than `out`.
pub fn subtract_pose(
    pose: &Pose,
    reference: &Pose,
    out: &mut Pose,
) -> Result<(), JointCountMismatch> {
    subtract_pose_with(SimdLevel::best(), pose, reference, out)
}

/// As [`subtract_pose`], with instructions of your choice.
///
/// # Errors
/// As [`subtract_pose`].
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

/// Adds a difference that [`subtract_pose`] made. Does not allocate.
///
/// `weight` is from 0, nothing, to 1, all of it; what is outside, and NaN, counts as the nearer of them or
/// as 0. With `joints`, each joint has its own share of it. Part of a turn is the normalised mean with no
/// turn, the shorter way. Rotations come out normalised.
///
/// # Errors
/// When something was made for another number of joints than `pose`.
pub fn add_pose(
    pose: &mut Pose,
    difference: &Pose,
    weight: f32,
    joints: Option<&JointWeights>,
) -> Result<(), JointCountMismatch> {
    add_pose_with(SimdLevel::best(), pose, difference, weight, joints)
}

/// As [`add_pose`], with instructions of your choice.
///
/// # Errors
/// As [`add_pose`].
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

/// The layers that count.
#[inline(always)]
fn active<'a, 'b>(layers: &'b [BlendLayer<'a>]) -> impl Iterator<Item = &'b BlendLayer<'a>> {
    layers.iter().filter(|layer| layer.weight > 0.0)
}

/// The poses and shares of layers that are two, the same for all joints, and enough to keep the rest pose out:
/// the most common blend by far.
#[inline(always)]
fn two<'a>(layers: &[BlendLayer<'a>]) -> Option<(&'a Pose, &'a Pose, [f32; 2])> {
    let mut active = active(layers);
    let (a, b) = (active.next()?, active.next()?);
    let sum = a.share() + b.share();
    let is_plain = active.next().is_none() && a.joints.is_none() && b.joints.is_none();
    (is_plain && sum >= REST_BELOW).then(|| (a.pose, b.pose, [a.share() / sum, b.share() / sum]))
}
