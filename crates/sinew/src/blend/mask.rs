//! Joint masks: a weight per joint.

use crate::simd::LANES;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;

/// A mask: a weight from 0 to 1 for each joint of a skeleton.
///
/// Create it once and share it; only construction allocates. It is a [`control::Mask`](crate::control::Mask) resolved
/// for one skeleton: that one has names, so it serves every skeleton, armature and scene, and a controller turns it into
/// this one when it binds; kernels read this one eight joints at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct JointWeights {
    /// In blocks of eight joints as in a pose, the last block padded with zeros.
    blocks: Vec<[f32; LANES]>,
    len: usize,
}

impl JointWeights {
    /// Creates a mask from one weight per joint, in joint order. Clamped to 0 to 1; NaN is 0.
    pub fn new(weights: &[f32]) -> Self {
        let mut mask = Self::zeros(weights.len());
        for (joint, &weight) in weights.iter().enumerate() {
            mask.set(joint.into(), weight);
        }
        mask
    }

    /// Sets `inside` for the subtree of a joint and `outside` for all others; the subtree of a joint out of range is
    /// empty.
    pub fn subtree(skeleton: &Skeleton, joint: JointIndex, inside: f32, outside: f32) -> Self {
        let below = skeleton.subtree(joint);
        let mut mask = Self::zeros(skeleton.len());
        for index in 0..skeleton.len() {
            let weight = if below.contains(&index) {
                inside
            } else {
                outside
            };
            mask.set(index.into(), weight);
        }
        mask
    }

    /// Sets 1 for the subtree of a joint and 0 for all others, with a linear ramp over the first `ramp` levels: with
    /// 3, a quarter for the joint itself, then a half and three quarters for its descendants, and 1 below. The ramp
    /// spreads the border of a layer over several joints; a spine takes one to three. With 0 it is [`Self::subtree`].
    /// The subtree of a joint out of range is empty.
    pub fn subtree_ramp(skeleton: &Skeleton, joint: JointIndex, ramp: u32) -> Self {
        let mut mask = Self::zeros(skeleton.len());
        for (index, weight) in ramp_weights(skeleton, joint, ramp) {
            mask.set(index, weight);
        }
        mask
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the weight of a joint; 0 out of range.
    pub fn get(&self, joint: JointIndex) -> f32 {
        let block = self.blocks.get(joint.index() / LANES);
        block.map_or(0.0, |block| block[joint.index() % LANES])
    }

    /// Sets the weight of a joint, clamped as in [`JointWeights::new`]; ignored out of range.
    pub fn set(&mut self, joint: JointIndex, weight: f32) {
        if joint.index() < self.len
            && let Some(block) = self.blocks.get_mut(joint.index() / LANES)
        {
            block[joint.index() % LANES] = share(weight);
        }
    }

    /// Returns the weights in blocks of eight joints.
    #[inline(always)]
    pub(super) fn blocks(&self) -> &[[f32; LANES]] {
        &self.blocks
    }

    fn zeros(len: usize) -> Self {
        Self {
            blocks: alloc::vec![[0.0; LANES]; len.div_ceil(LANES)],
            len,
        }
    }
}

/// Returns the subtree of a joint, with weights that rise over its first `ramp` levels.
pub(crate) fn ramp_weights(
    skeleton: &Skeleton,
    joint: JointIndex,
    ramp: u32,
) -> impl Iterator<Item = (JointIndex, f32)> {
    let below = skeleton.subtree(joint);
    let depth = move |mut ancestor: JointIndex| {
        let mut depth = 0_u32;
        while ancestor != joint && depth < ramp {
            match skeleton.joint(ancestor).and_then(|current| current.parent) {
                Some(parent) => ancestor = parent,
                None => break,
            }
            depth += 1;
        }
        depth
    };
    let levels = ramp.saturating_add(1) as f32;
    below.map(move |index| {
        let descendant = JointIndex::from(index);
        let step = depth(descendant).saturating_add(1) as f32;
        (descendant, (step / levels).min(1.0))
    })
}

/// Clamps a weight to 0 to 1; NaN is 0.
#[inline(always)]
pub(super) fn share(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::skeleton::Joint;

    #[test]
    fn weights_that_are_none_count_as_the_nearest_that_is() {
        let weights = [-1.0, f32::NAN, f32::NEG_INFINITY, 7.0, f32::INFINITY, 0.25];
        let mask = JointWeights::new(&weights);
        let weights: Vec<f32> = (0..7).map(|joint| mask.get(joint.into())).collect();
        assert_eq!(weights, [0.0, 0.0, 0.0, 1.0, 1.0, 0.25, 0.0]);
        assert_eq!(mask.len(), 6);
        assert!(JointWeights::new(&[]).is_empty());
    }

    #[test]
    fn joints_out_of_range_are_not_set() {
        let mut mask = JointWeights::new(&[0.5; 9]);
        let before = mask.clone();
        for joint in [9, 15, 16, usize::MAX] {
            mask.set(joint.into(), 1.0);
            assert_eq!(mask.get(joint.into()), 0.0);
        }
        assert_eq!(mask, before);
    }

    #[test]
    fn a_subtree_is_a_joint_and_what_hangs_on_it() {
        let joint = |index: u32, parent: Option<u32>| Joint {
            name: alloc::format!("{index}"),
            parent: parent.map(JointIndex),
            rest: Transform::IDENTITY,
            tip: None,
        };
        let parents = [None, Some(0), Some(1), Some(0)];
        let joints = (0..)
            .zip(parents)
            .map(|(index, parent)| joint(index, parent));
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let arm = JointWeights::subtree(&skeleton, JointIndex(1), 1.0, 0.25);
        assert_eq!(arm, JointWeights::new(&[0.25, 1.0, 1.0, 0.25]));
        let empty = JointWeights::subtree(&skeleton, JointIndex(9), 1.0, 0.0);
        assert_eq!(empty, JointWeights::new(&[0.0; 4]));
        let ramp = |joint, ramp| JointWeights::subtree_ramp(&skeleton, JointIndex(joint), ramp);
        assert_eq!(ramp(9, 2), empty);
        assert_eq!(ramp(1, 0), JointWeights::new(&[0.0, 1.0, 1.0, 0.0]));
        assert_eq!(ramp(1, 1), JointWeights::new(&[0.0, 0.5, 1.0, 0.0]));
        assert_eq!(ramp(0, 3), JointWeights::new(&[0.25, 0.5, 0.75, 0.5]));
        assert_eq!(
            ramp(3, u32::MAX),
            JointWeights::new(&[0.0, 0.0, 0.0, 2.0_f32.powi(-32)])
        );
    }
}
