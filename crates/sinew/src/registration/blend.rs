//! Blends motions along a registration curve.

use super::curve::RegistrationCurve;
use super::motion::BlendError;
use super::motion::Motion;
use crate::anatomy::root_motion_joint;
use crate::blend::{BlendLayer, blend};
use crate::math::{GroundTransform, wrapped};
use crate::math::{
    Transform, quat_inverse, quat_mul, quat_negate, quat_normalize, quat_rotate, quat_slerp,
};
use crate::pose::{JointCountMismatch, Pose};
use crate::sample::{Binding, sample};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// Weights are clamped to 0 to 1 extended by this on both sides: further extrapolation bends limbs unnaturally.
const BEYOND: f64 = 0.2;

/// The maximum step in seconds: all curves have ended by then.
const LONGEST_STEP: f64 = 1e12;

/// The minimum advance of the position, as a share of the advance of the slowest motion.
const LEAST_ADVANCE: f64 = 0.1;

/// Iterations of the mean of three or more rotations. Two are exact to a thousandth of a degree for rotations within
/// a quarter turn.
const MEAN_ROUNDS: usize = 3;

/// The state of a character on a curve. Plain data: saved and restored, playback continues bit-identically.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlendPlace {
    /// The position on the curve, from 0 to 1.
    pub position: f64,
    /// The ground transform of the reference motion.
    pub ground: GroundTransform,
}

/// Motions that are blended along a [`RegistrationCurve`], for any number of characters.
///
/// Two motions are blended as by [`blend`](crate::blend()), more by the Karcher mean of their rotations, independent
/// of their order. Weights may change from step to step. Time advances at the weighted mean of the motions' rates, so
/// a single motion plays at its own speed; the root motion is the weighted mean of those of the motions. Weights are
/// clamped to -0.2 to 1.2 and then normalized to sum to 1. Construction allocates, stepping does not.
///
/// An in-place loop moves by its [`looping`](crate::Animation::looping).
#[derive(Clone, Debug)]
pub struct MotionBlend<'a> {
    curve: &'a RegistrationCurve,
    motions: Vec<Motion<'a>>,
    bindings: Vec<Binding>,
    rests: Vec<Pose>,
    poses: Vec<Pose>,
    /// The root motion joint of the reference and its ancestors, upwards.
    carriers: Vec<JointIndex>,
    roots: Vec<JointIndex>,
    weights: Vec<f64>,
    /// The ground transform accumulated by the loop of each motion; the identity if it is not a loop.
    led: Vec<GroundTransform>,
    /// The ground transform of each motion.
    moves: Vec<GroundTransform>,
}

impl<'a> MotionBlend<'a> {
    /// Creates a blend of motions, in the order of the curve's; poses are of the first one's skeleton.
    ///
    /// # Errors
    /// If the number of motions differs from that of the curve, or their skeletons have different hierarchies.
    pub fn new(curve: &'a RegistrationCurve, motions: &[Motion<'a>]) -> Result<Self, BlendError> {
        let (Some(first), true) = (motions.first(), curve.len() == motions.len()) else {
            return Err(BlendError::Motions {
                expected: curve.len(),
                found: motions.len(),
            });
        };
        for other in motions {
            super::compare_skeletons(first.skeleton, other.skeleton)?;
        }
        let count = motions.len();
        let rests: Vec<Pose> = motions.iter().map(|own| Pose::rest(own.skeleton)).collect();
        let reference = motions.get(curve.reference()).unwrap_or(first);
        Ok(Self {
            carriers: carriers(*reference),
            poses: rests.clone(),
            rests,
            curve,
            motions: motions.to_vec(),
            bindings: motions
                .iter()
                .map(|own| own.animation.bind(own.skeleton))
                .collect(),
            roots: first.skeleton.roots().collect(),
            weights: alloc::vec![0.0; count],
            led: alloc::vec![GroundTransform::IDENTITY; count],
            moves: alloc::vec![GroundTransform::IDENTITY; count],
        })
    }

    /// Returns the curve.
    pub fn curve(&self) -> &'a RegistrationCurve {
        self.curve
    }

    /// Returns the skeleton of the poses.
    pub fn skeleton(&self) -> &'a Skeleton {
        self.motions[0].skeleton
    }

    /// Returns the ground transform of each motion in the last step.
    pub fn moves(&self) -> &[GroundTransform] {
        &self.moves
    }

    /// Advances by `dt` seconds and computes the pose. Returns the seconds that passed: fewer if the curve ends. One
    /// weight per motion; missing weights are 0, and if none is above 0 the first motion is used. With 0 seconds it
    /// computes the pose at the current position.
    ///
    /// # Errors
    /// If the pose has another number of joints.
    pub fn step(
        &mut self,
        place: &mut BlendPlace,
        weights: &[f64],
        dt: f64,
        pose: &mut Pose,
    ) -> Result<f64, BlendError> {
        JointCountMismatch::check(self.skeleton().len(), pose.len())?;
        self.take_weights(weights);
        let before = place.position.clamp(0.0, 1.0);
        let (position, passed) = self.advance(before, dt);
        // Motions of weight zero are not sampled, except for the position of the reference.
        for (motion, own) in self.motions.iter().enumerate() {
            if self.weights[motion] != 0.0 || motion == self.curve.reference() {
                let (time, led) = self.curve.sample_time(motion, position);
                self.led[motion] = led;
                // Joints without keys are reset to rest, because the last step transformed them.
                self.poses[motion].copy_from(&self.rests[motion]);
                sample(
                    own.animation,
                    &self.bindings[motion],
                    time as f32,
                    &mut self.poses[motion],
                )?;
                if let Some(ground) = own.placement(time) {
                    lay(
                        &mut self.poses[motion],
                        &self.carriers,
                        &self.roots,
                        &ground,
                    );
                }
            }
        }
        place.ground = self.vote(place.ground, before, position);
        place.position = position;
        for (motion, own) in self.moves.iter_mut().enumerate() {
            let laid = self.curve.alignment(motion, position).then(&place.ground);
            *own = self.led[motion].then(&laid);
        }
        self.mix(pose)?;
        Ok(passed)
    }

    fn take_weights(&mut self, weights: &[f64]) {
        for (at, own) in self.weights.iter_mut().enumerate() {
            let weight = weights.get(at).copied().unwrap_or(0.0);
            *own = if weight.is_nan() {
                0.0
            } else {
                weight.clamp(-BEYOND, 1.0 + BEYOND)
            };
        }
        let sum: f64 = self.weights.iter().sum();
        // Weights of both signs may sum to almost zero, and cannot be normalized then.
        let has_negative = self.weights.iter().any(|own| *own < 0.0);
        let least = if has_negative { BEYOND } else { 0.0 };
        if sum > least {
            // Normalized weights may exceed the limits again.
            for own in &mut self.weights {
                *own = (*own / sum).clamp(-BEYOND, 1.0 + BEYOND);
            }
            let sum: f64 = self.weights.iter().sum();
            for own in &mut self.weights {
                *own /= sum;
            }
        } else {
            self.weights.fill(0.0);
            self.weights[0] = 1.0;
        }
    }

    /// Returns the position `dt` seconds later, and the seconds until there.
    fn advance(&self, position: f64, dt: f64) -> (f64, f64) {
        if !(dt > 0.0 && position < 1.0) {
            return (position, 0.0);
        }
        let dt = dt.min(LONGEST_STEP);
        // The advance of each motion alone.
        let (mut step, mut least) = (0.0, f64::INFINITY);
        for (motion, weight) in self.weights.iter().enumerate() {
            if *weight != 0.0 {
                let alone = self.ahead(motion, position, dt);
                step += weight * alone;
                least = least.min(alone);
            }
        }
        let step = step.max(LEAST_ADVANCE * least);
        if position + step >= 1.0 {
            return (1.0, dt * (1.0 - position) / step);
        }
        (position + step, dt)
    }

    /// Returns the advance of a motion alone; beyond the end extrapolated at its last rate.
    fn ahead(&self, motion: usize, position: f64, dt: f64) -> f64 {
        let left = self.curve.time(motion, 1.0) - self.curve.time(motion, position);
        if dt >= left {
            return 1.0 - position + (dt - left) / self.curve.pace(motion, 1.0);
        }
        self.curve.position_after(motion, position, dt) - position
    }

    /// Returns the ground transform of the reference at a position: the weighted mean of the transforms for which
    /// each motion would continue its own root motion.
    fn vote(&self, ground: GroundTransform, before: f64, position: f64) -> GroundTransform {
        let reference = self.curve.reference();
        let pose = &self.poses[reference];
        let up = self.carriers.iter();
        let root = up.fold(Vec3::ZERO, |point, joint| pose.get(*joint).apply(point));
        let here = self.led[reference].apply([f64::from(root.x), f64::from(root.z)]);
        let (mut turn, mut place) = (0.0, [0.0; 2]);
        for (motion, weight) in self.weights.iter().enumerate() {
            if *weight == 0.0 {
                continue;
            }
            let own = self.curve.alignment(motion, before).then(&ground);
            let vote = self.curve.alignment(motion, position).inverse().then(&own);
            turn += weight * wrapped(vote.angle - ground.angle);
            let voted = vote.apply(here);
            for axis in 0..2 {
                place[axis] += weight * voted[axis];
            }
        }
        let turned = GroundTransform {
            angle: ground.angle + turn,
            ..GroundTransform::IDENTITY
        };
        let [x, z] = turned.apply(here);
        GroundTransform {
            x: place[0] - x,
            z: place[1] - z,
            ..turned
        }
    }

    /// Blends all poses, with their roots at the ground transforms of their motions.
    fn mix(&mut self, pose: &mut Pose) -> Result<(), BlendError> {
        for (own, to) in self.poses.iter_mut().zip(&self.moves) {
            lay(own, &self.carriers, &self.roots, to);
        }
        if let ([first, second], [a, b]) = (self.poses.as_slice(), self.weights.as_slice())
            && *a >= 0.0
            && *b >= 0.0
        {
            let layers = [
                BlendLayer::new(first, *a as f32),
                BlendLayer::new(second, *b as f32),
            ];
            return Ok(blend(&layers, first, pose)?);
        }
        for joint in (0..pose.len()).map(JointIndex::from) {
            let parts = self.poses.iter().zip(&self.weights);
            let parts = parts.map(|(own, weight)| (own.get(joint), *weight as f32));
            pose.set(joint, mean(parts));
        }
        Ok(())
    }
}

/// Returns the root motion joint of a motion and its ancestors, upwards.
pub fn carriers(motion: Motion<'_>) -> Vec<JointIndex> {
    let carrier = root_motion_joint(motion.skeleton, motion.animation);
    let above = |joint: &JointIndex| motion.skeleton.joint(*joint)?.parent;
    core::iter::successors(Some(carrier), above).collect()
}

/// Applies a ground transform to a pose. It changes the root motion joint and not its ancestors, so poses can be
/// blended joint by joint.
pub fn lay(
    pose: &mut Pose,
    carriers: &[JointIndex],
    roots: &[JointIndex],
    ground: &GroundTransform,
) {
    let Some((&carrier, above)) = carriers.split_first() else {
        return;
    };
    let top = above.last().unwrap_or(&carrier);
    for &root in roots.iter().filter(|root| *root != top) {
        pose.set(root, ground.move_transform(&pose.get(root)));
    }
    let outer = above.iter().map(|joint| pose.get(*joint));
    let Some(outer) = outer.reduce(|inner, outer| outer.then_after(&inner)) else {
        pose.set(carrier, ground.move_transform(&pose.get(carrier)));
        return;
    };
    let moved = ground.move_transform(&outer.then_after(&pose.get(carrier)));
    let back = quat_inverse(outer.rotation);
    let own = Transform {
        position: quat_rotate(back, moved.position - outer.position) / outer.scale,
        rotation: quat_mul(back, moved.rotation),
        scale: moved.scale / outer.scale,
    };
    // Descendants of a joint of zero scale have no finite transform.
    if own.is_finite() {
        pose.set(carrier, own);
    }
}

/// Returns the weighted mean of transforms; weights sum to 1.
fn mean(parts: impl Iterator<Item = (Transform, f32)> + Clone) -> Transform {
    let mut used = parts.clone().filter(|(_, weight)| *weight != 0.0);
    let Some((first, _)) = used.next() else {
        return Transform::IDENTITY;
    };
    let Some((second, weight)) = used.next() else {
        return first;
    };
    let rotation = if used.next().is_none() {
        quat_slerp(first.rotation, second.rotation, weight)
    } else {
        mean_rotation(parts.clone().map(|(own, weight)| (own.rotation, weight)))
    };
    let (mut position, mut scale) = (Vec3::ZERO, Vec3::ZERO);
    for (own, weight) in parts {
        position += own.position * weight;
        scale += own.scale * weight;
    }
    Transform {
        position,
        rotation,
        scale,
    }
}

/// Returns the weighted average of rotations, the Karcher mean: the rotation from which the weighted differences of all rotations sum to zero.
fn mean_rotation(parts: impl Iterator<Item = (Quat, f32)> + Clone) -> Quat {
    let heaviest = parts
        .clone()
        .fold((Quat::IDENTITY, f32::NEG_INFINITY), |best, own| {
            if own.1 > best.1 { own } else { best }
        });
    let mut mean = heaviest.0;
    for _ in 0..MEAN_ROUNDS {
        let back = quat_inverse(mean);
        let mut off = Vec3::ZERO;
        for (rotation, weight) in parts.clone() {
            let own = quat_mul(back, rotation);
            let own = if own.w < 0.0 { quat_negate(own) } else { own };
            let axis = Vec3::new(own.x, own.y, own.z);
            let sine = libm::sqrtf(axis.dot(axis));
            let half = libm::atan2f(sine, own.w);
            // Half the angle over its sine; 1 at zero.
            let share = if sine > 1e-7 { half / sine } else { 1.0 };
            off += axis * (share * weight);
        }
        let half = libm::sqrtf(off.dot(off));
        let share = if half > 1e-7 {
            libm::sinf(half) / half
        } else {
            1.0
        };
        let turn = off * share;
        let own = Quat::from_xyzw(turn.x, turn.y, turn.z, libm::cosf(half));
        mean = quat_normalize(quat_mul(mean, own));
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_angle;

    fn about(axis: Vec3, angle: f32) -> Quat {
        let axis = axis / libm::sqrtf(axis.dot(axis)) * libm::sinf(0.5 * angle);
        Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cosf(0.5 * angle))
    }

    #[test]
    fn the_mean_of_two_rotations_is_on_the_way_between_them() {
        let (a, b) = (about(Vec3::X, 0.3), about(Vec3::new(1.0, 2.0, 0.5), 1.4));
        for weight in [0.0, 0.25, 0.5, 1.0] {
            let mean = mean_rotation([(a, 1.0 - weight), (b, weight)].into_iter());
            assert!(
                quat_angle(mean, quat_slerp(a, b, weight)) < 1e-4,
                "{weight}"
            );
        }
    }

    #[test]
    fn the_mean_of_three_rotations_is_the_same_in_any_order_and_sign() {
        let all = [
            (about(Vec3::X, 0.9), 0.5),
            (about(Vec3::Y, -0.7), 0.3),
            (about(Vec3::Z, 0.8), 0.2),
        ];
        let mean = mean_rotation(all.into_iter());
        let turned = [all[2], (quat_negate(all[0].0), 0.5), all[1]];
        assert!(quat_angle(mean, mean_rotation(turned.into_iter())) < 1e-4);
        // The differences from the mean sum to zero.
        let off: Vec3 = all
            .iter()
            .map(|(own, weight)| {
                let own = quat_mul(quat_inverse(mean), *own);
                let axis = Vec3::new(own.x, own.y, own.z);
                let sine = libm::sqrtf(axis.dot(axis));
                axis / sine * libm::atan2f(sine, own.w) * *weight
            })
            .sum();
        assert!(off.length() < 1e-4, "{off}");
    }
}
