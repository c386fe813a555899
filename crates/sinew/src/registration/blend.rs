//! Blends motions along a registration curve (Kovar and Gleicher, Flexible automatic motion blending with registration
//! curves, 2003).
//!
//! A step of `dt` seconds from position `u`, with weights `w[i]` of sum 1, times `t[i](u)` and alignments `A[i](u)`:
//!
//! 1. Time. Alone, motion `i` would advance by `du[i]`, with `t[i](u + du[i]) = t[i](u) + dt`. The position advances by
//!    `Σ w[i] du[i]`, so a single motion plays at its own speed.
//! 2. Sample. Each motion at its time.
//! 3. Ground. Motion `i` is placed by `A[i](u)` and then by the ground transform `G` of the reference. It would continue
//!    its own root motion with `G[i] = A[i](u')⁻¹ A[i](u) G` at the new position `u'` (transforms are applied from left to
//!    right). The new `G` is the weighted mean of these: of angles, and of where they put the root.
//! 4. Pose. The weighted average per joint; see [`MotionBlend`].
//!
//! The cost is a sample per motion of nonzero weight and a blend of as many poses. Two motions use the kernel of
//! [`crate::blend()`]; more need the trigonometry of a Karcher mean per joint.

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
    root_chain: Vec<JointIndex>,
    roots: Vec<JointIndex>,
    weights: Vec<f64>,
    /// The ground transform accumulated by the loop of each motion; the identity if it is not a loop.
    cycle_transforms: Vec<GroundTransform>,
    /// The ground transform of each motion.
    ground_transforms: Vec<GroundTransform>,
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
        for motion in motions {
            super::compare_skeletons(first.skeleton, motion.skeleton)?;
        }
        let count = motions.len();
        let rests: Vec<Pose> = motions
            .iter()
            .map(|motion| Pose::rest(motion.skeleton))
            .collect();
        let reference = motions.get(curve.reference()).unwrap_or(first);
        Ok(Self {
            root_chain: root_chain(*reference),
            poses: rests.clone(),
            rests,
            curve,
            motions: motions.to_vec(),
            bindings: motions
                .iter()
                .map(|motion| motion.animation.bind(motion.skeleton))
                .collect(),
            roots: first.skeleton.roots().collect(),
            weights: alloc::vec![0.0; count],
            cycle_transforms: alloc::vec![GroundTransform::IDENTITY; count],
            ground_transforms: alloc::vec![GroundTransform::IDENTITY; count],
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
    pub fn ground_transforms(&self) -> &[GroundTransform] {
        &self.ground_transforms
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
        self.set_weights(weights);
        let before = place.position.clamp(0.0, 1.0);
        let (position, passed) = self.advance(before, dt);
        // Motions of weight zero are not sampled, except for the position of the reference.
        for (index, motion) in self.motions.iter().enumerate() {
            if self.weights[index] != 0.0 || index == self.curve.reference() {
                let (time, cycle_transform) = self.curve.sample_time(index, position);
                self.cycle_transforms[index] = cycle_transform;
                // Joints without keys are reset to rest, because the last step transformed them.
                self.poses[index].copy_from(&self.rests[index]);
                sample(
                    motion.animation,
                    &self.bindings[index],
                    time as f32,
                    &mut self.poses[index],
                )?;
                if let Some(ground) = motion.placement(time) {
                    apply_ground(
                        &mut self.poses[index],
                        &self.root_chain,
                        &self.roots,
                        &ground,
                    );
                }
            }
        }
        place.ground = self.reference_ground(place.ground, before, position);
        place.position = position;
        for (index, transform) in self.ground_transforms.iter_mut().enumerate() {
            let aligned = self.curve.alignment(index, position).then(&place.ground);
            *transform = self.cycle_transforms[index].then(&aligned);
        }
        self.blend_poses(pose)?;
        Ok(passed)
    }

    fn set_weights(&mut self, weights: &[f64]) {
        for (index, weight) in self.weights.iter_mut().enumerate() {
            let requested = weights.get(index).copied().unwrap_or(0.0);
            *weight = if requested.is_nan() {
                0.0
            } else {
                requested.clamp(-BEYOND, 1.0 + BEYOND)
            };
        }
        let sum: f64 = self.weights.iter().sum();
        // Weights of both signs may sum to almost zero, and cannot be normalized then.
        let has_negative = self.weights.iter().any(|weight| *weight < 0.0);
        let min_sum = if has_negative { BEYOND } else { 0.0 };
        if sum > min_sum {
            // Normalized weights may exceed the limits again.
            for weight in &mut self.weights {
                *weight = (*weight / sum).clamp(-BEYOND, 1.0 + BEYOND);
            }
            let sum: f64 = self.weights.iter().sum();
            for weight in &mut self.weights {
                *weight /= sum;
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
        let (mut step, mut slowest) = (0.0, f64::INFINITY);
        for (motion, weight) in self.weights.iter().enumerate() {
            if *weight != 0.0 {
                let alone = self.advance_alone(motion, position, dt);
                step += weight * alone;
                slowest = slowest.min(alone);
            }
        }
        // With negative weights the mean may be zero or negative, and the curve would never end.
        let step = step.max(LEAST_ADVANCE * slowest);
        if position + step >= 1.0 {
            return (1.0, dt * (1.0 - position) / step);
        }
        (position + step, dt)
    }

    /// Returns the advance of a motion alone; beyond the end extrapolated at its last rate.
    fn advance_alone(&self, motion: usize, position: f64, dt: f64) -> f64 {
        let left = self.curve.time(motion, 1.0) - self.curve.time(motion, position);
        if dt >= left {
            return 1.0 - position + (dt - left) / self.curve.pace(motion, 1.0);
        }
        self.curve.position_after(motion, position, dt) - position
    }

    /// Returns the ground transform of the reference at a position: the weighted mean of the transforms for which
    /// each motion would continue its own root motion.
    fn reference_ground(
        &self,
        ground: GroundTransform,
        before: f64,
        position: f64,
    ) -> GroundTransform {
        let reference = self.curve.reference();
        let pose = &self.poses[reference];
        let up = self.root_chain.iter();
        let root = up.fold(Vec3::ZERO, |point, joint| pose.get(*joint).apply(point));
        let root_position =
            self.cycle_transforms[reference].apply([f64::from(root.x), f64::from(root.z)]);
        let (mut turn, mut place) = (0.0, [0.0; 2]);
        for (motion, weight) in self.weights.iter().enumerate() {
            if *weight == 0.0 {
                continue;
            }
            let ground_before = self.curve.alignment(motion, before).then(&ground);
            let vote = self
                .curve
                .alignment(motion, position)
                .inverse()
                .then(&ground_before);
            // As differences to the present angle, which are small: angles themselves differ by whole turns.
            turn += weight * wrapped(vote.angle - ground.angle);
            let voted = vote.apply(root_position);
            for axis in 0..2 {
                place[axis] += weight * voted[axis];
            }
        }
        let turned = GroundTransform {
            angle: ground.angle + turn,
            ..GroundTransform::IDENTITY
        };
        // The translation with which the turned root is at the mean place. A mean of translations would depend on
        // where the origin is, and swing the character about it.
        let [x, z] = turned.apply(root_position);
        GroundTransform {
            x: place[0] - x,
            z: place[1] - z,
            ..turned
        }
    }

    /// Blends all poses, with their roots at the ground transforms of their motions.
    fn blend_poses(&mut self, pose: &mut Pose) -> Result<(), BlendError> {
        for (source, transform) in self.poses.iter_mut().zip(&self.ground_transforms) {
            apply_ground(source, &self.root_chain, &self.roots, transform);
        }
        // The kernel clamps negative weights to 0, so extrapolation is joint by joint.
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
            let transforms = self.poses.iter().zip(&self.weights);
            let transforms = transforms.map(|(source, weight)| (source.get(joint), *weight as f32));
            pose.set(joint, mean_transform(transforms));
        }
        Ok(())
    }
}

/// Returns the root motion joint of a motion and its ancestors, upwards.
pub fn root_chain(motion: Motion<'_>) -> Vec<JointIndex> {
    let carrier = root_motion_joint(motion.skeleton, motion.animation);
    let above = |joint: &JointIndex| motion.skeleton.joint(*joint)?.parent;
    core::iter::successors(Some(carrier), above).collect()
}

/// Applies a ground transform to a pose. It changes the root motion joint and not its ancestors, so poses can be
/// blended joint by joint.
///
/// With the product `O` of the ancestors, the joint's local transform `L` becomes `O⁻¹ G O L`, so that its model-space
/// transform becomes `G O L`. Exact if the scales of ancestors are uniform.
pub fn apply_ground(
    pose: &mut Pose,
    root_chain: &[JointIndex],
    roots: &[JointIndex],
    ground: &GroundTransform,
) {
    let Some((&carrier, above)) = root_chain.split_first() else {
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
    let inverse = quat_inverse(outer.rotation);
    let local = Transform {
        position: quat_rotate(inverse, moved.position - outer.position) / outer.scale,
        rotation: quat_mul(inverse, moved.rotation),
        scale: moved.scale / outer.scale,
    };
    // Descendants of a joint of zero scale have no finite transform.
    if local.is_finite() {
        pose.set(carrier, local);
    }
}

/// Returns the weighted mean of transforms; weights sum to 1.
fn mean_transform(transforms: impl Iterator<Item = (Transform, f32)> + Clone) -> Transform {
    let mut used = transforms.clone().filter(|(_, weight)| *weight != 0.0);
    let Some((first, _)) = used.next() else {
        return Transform::IDENTITY;
    };
    let Some((second, weight)) = used.next() else {
        return first;
    };
    let rotation = if used.next().is_none() {
        quat_slerp(first.rotation, second.rotation, weight)
    } else {
        karcher_mean(
            transforms
                .clone()
                .map(|(transform, weight)| (transform.rotation, weight)),
        )
    };
    let (mut position, mut scale) = (Vec3::ZERO, Vec3::ZERO);
    for (transform, weight) in transforms {
        position += transform.position * weight;
        scale += transform.scale * weight;
    }
    Transform {
        position,
        rotation,
        scale,
    }
}

/// Returns the weighted average of rotations, the Karcher mean: the rotation from which the weighted differences of all
/// rotations sum to zero.
///
/// The iteration `m ← m exp(Σ w[i] log(m⁻¹ q[i]))` (Buss and Fillmore, Spherical averages and applications to spherical
/// splines and interpolation, 2001), from the heaviest rotation. Vectors are of half the angle, as in the quaternions
/// themselves, so the factor 2 of log and exp cancels.
fn karcher_mean(rotations: impl Iterator<Item = (Quat, f32)> + Clone) -> Quat {
    let heaviest =
        rotations
            .clone()
            .fold((Quat::IDENTITY, f32::NEG_INFINITY), |best, candidate| {
                if candidate.1 > best.1 {
                    candidate
                } else {
                    best
                }
            });
    let mut mean = heaviest.0;
    for _ in 0..MEAN_ROUNDS {
        let inverse = quat_inverse(mean);
        let mut sum = Vec3::ZERO;
        for (rotation, weight) in rotations.clone() {
            let difference = quat_mul(inverse, rotation);
            // `q` and `-q` are the same rotation; the one with `w >= 0` is the shorter arc.
            let difference = if difference.w < 0.0 {
                quat_negate(difference)
            } else {
                difference
            };
            let axis = Vec3::new(difference.x, difference.y, difference.z);
            let sine = libm::sqrtf(axis.dot(axis));
            let half = libm::atan2f(sine, difference.w);
            // Half the angle over its sine; 1 at zero.
            let share = if sine > 1e-7 { half / sine } else { 1.0 };
            sum += axis * (share * weight);
        }
        let half = libm::sqrtf(sum.dot(sum));
        let share = if half > 1e-7 {
            libm::sinf(half) / half
        } else {
            1.0
        };
        let turn = sum * share;
        let step = Quat::from_xyzw(turn.x, turn.y, turn.z, libm::cosf(half));
        mean = quat_normalize(quat_mul(mean, step));
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
            let mean = karcher_mean([(a, 1.0 - weight), (b, weight)].into_iter());
            assert!(
                quat_angle(mean, quat_slerp(a, b, weight)) < 1e-4,
                "{weight}"
            );
        }
    }

    #[test]
    fn the_mean_of_three_rotations_is_the_same_in_any_order_and_sign() {
        let rotations = [
            (about(Vec3::X, 0.9), 0.5),
            (about(Vec3::Y, -0.7), 0.3),
            (about(Vec3::Z, 0.8), 0.2),
        ];
        let mean = karcher_mean(rotations.into_iter());
        let turned = [
            rotations[2],
            (quat_negate(rotations[0].0), 0.5),
            rotations[1],
        ];
        assert!(quat_angle(mean, karcher_mean(turned.into_iter())) < 1e-4);
        // The differences from the mean sum to zero.
        let sum: Vec3 = rotations
            .iter()
            .map(|(rotation, weight)| {
                let difference = quat_mul(quat_inverse(mean), *rotation);
                let axis = Vec3::new(difference.x, difference.y, difference.z);
                let sine = libm::sqrtf(axis.dot(axis));
                axis / sine * libm::atan2f(sine, difference.w) * *weight
            })
            .sum();
        assert!(sum.length() < 1e-4, "{sum}");
    }
}
