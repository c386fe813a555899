//! Layers of poses: the kernel against the reference, and the rules on numbers that can be checked by hand.

use sinew::blend::JointWeights;
use sinew::glam::{Quat, Vec3};
use sinew::internal::layer::{
    ChannelSet, LayerChannels, LayerShares, LayerWeights, PoseLayer, overlay_with,
};
use sinew::math::quat_normalize;
use sinew::simd::SimdLevel;
use sinew::{Joint, JointIndex, Pose, Skeleton, Transform};

/// Pseudo-random numbers.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// From 0 to 1.
    fn ratio(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / 16_777_216.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.ratio(), self.ratio() - 0.5, 3.0 * self.ratio())
    }

    fn transform(&mut self) -> Transform {
        let [x, y, z, w] = [0; 4].map(|_| self.ratio() - 0.5);
        Transform {
            position: self.vector(),
            rotation: quat_normalize(Quat::from_xyzw(x, y, z, w)),
            scale: self.vector(),
        }
    }

    fn pose(&mut self, skeleton: &Skeleton) -> Pose {
        let mut pose = Pose::rest(skeleton);
        for joint in 0..skeleton.len() {
            pose.set(joint.into(), self.transform());
        }
        pose
    }

    fn flags(&mut self) -> [bool; 3] {
        [0; 3].map(|_| !self.bits().is_multiple_of(3))
    }

    fn pick(&mut self, numbers: &[f32]) -> f32 {
        numbers[self.bits() as usize % numbers.len()]
    }
}

fn skeleton(joint_count: usize) -> Skeleton {
    let joint = |index: usize| Joint {
        name: format!("joint {index}"),
        parent: index.checked_sub(1).map(JointIndex::from),
        rest: Transform::IDENTITY,
        tip: None,
    };
    Skeleton::new((0..joint_count).map(joint).collect()).unwrap()
}

fn channels(numbers: &mut RandomNumbers, joint_count: usize) -> LayerChannels {
    let mut channels = LayerChannels::new(joint_count);
    let is_weighted = numbers.bits().is_multiple_of(2);
    for joint in 0..joint_count {
        let weights = numbers.flags().map(|is_animated| {
            let weight = match is_weighted {
                true => numbers.pick(&[0.0, 0.25, 1.0, 1.0, 1.5]),
                false => 1.0,
            };
            is_animated.then_some(weight)
        });
        channels.insert(joint.into(), weights);
    }
    channels
}

fn pose_bits(pose: &Pose) -> Vec<[u32; 10]> {
    let bits = |joint: usize| {
        let Transform {
            position,
            rotation,
            scale,
        } = pose.get(joint.into());
        let ([px, py, pz], [x, y, z, w]) = (position.to_array(), rotation.to_array());
        let [sx, sy, sz] = scale.to_array();
        [px, py, pz, x, y, z, w, sx, sy, sz].map(f32::to_bits)
    };
    (0..pose.len()).map(bits).collect()
}

#[test]
fn the_kernel_is_the_reference_to_the_bit() {
    for joint_count in [1, 3, 8, 9, 31, 67] {
        let skeleton = skeleton(joint_count);
        let numbers = &mut RandomNumbers(joint_count as u64 + 1);
        for case in 0..200 {
            let (sample, base) = (numbers.pose(&skeleton), numbers.pose(&skeleton));
            let start = numbers.pose(&skeleton);
            let channels = channels(numbers, joint_count);
            let masks: Vec<f32> = (0..joint_count)
                .map(|_| numbers.pick(&[0.0, 0.3, 0.7, 1.0]))
                .collect();
            let masks = JointWeights::new(&masks);
            let weights = LayerWeights {
                weight: numbers.pick(&[1e-6, 0.2, 0.6, 0.999_999_5, 1.0]),
                joints: (case % 2 == 0).then_some(&masks),
                channels: &channels,
            };
            let mut above = LayerShares::new(joint_count);
            let above_channels = self::channels(numbers, joint_count);
            above.add(&LayerWeights {
                weight: numbers.pick(&[0.0, 0.4, 1.0]),
                joints: None,
                channels: &above_channels,
            });
            let layer = PoseLayer {
                sample: &sample,
                base: (case % 3 == 0).then_some(&base),
                weights,
                above: (case % 5 < 2).then_some(&above),
            };
            let mut has_value = ChannelSet::new(joint_count);
            for joint in 0..joint_count {
                has_value.insert(joint.into(), numbers.flags());
            }
            let (mut expected, mut expected_values) = (start.clone(), has_value.clone());
            overlay_with(SimdLevel::OFF, &layer, &mut expected_values, &mut expected);
            for level in SimdLevel::all() {
                let (mut found, mut found_values) = (start.clone(), has_value.clone());
                overlay_with(level, &layer, &mut found_values, &mut found);
                let name = level.name();
                assert_eq!(found_values, expected_values, "{joint_count} {case} {name}");
                assert_eq!(
                    pose_bits(&found),
                    pose_bits(&expected),
                    "{joint_count} {case} {name}"
                );
            }
        }
    }
}

#[test]
fn no_joints_are_no_work() {
    let skeleton = skeleton(1);
    let sample = Pose::rest(&skeleton);
    let channels = LayerChannels::new(0);
    let layer = PoseLayer {
        sample: &sample,
        base: None,
        weights: LayerWeights {
            weight: 1.0,
            joints: None,
            channels: &channels,
        },
        above: None,
    };
    for level in SimdLevel::all() {
        let (mut has_value, mut pose) = (ChannelSet::new(0), sample.clone());
        overlay_with(level, &layer, &mut has_value, &mut pose);
        assert_eq!(pose, sample);
    }
}

/// Applied in order, layers of one level contribute their shares.
#[test]
fn layers_of_a_level_count_as_their_shares() {
    let skeleton = skeleton(1);
    let joint = JointIndex(0);
    let pose_at = |x: f32| {
        let mut pose = Pose::rest(&skeleton);
        pose.set_position(joint, Vec3::X * x);
        pose
    };
    let mut channels = LayerChannels::new(1);
    channels.insert(joint, [Some(1.0), None, None]);
    for (mask, shares, expected) in [
        (0.5, [0.5, 0.5], 3.0),
        (1.0, [0.5, 0.5], 6.0),
        (1.0, [0.25, 0.25], 3.0),
    ] {
        let masks = JointWeights::new(&[mask]);
        let weights = shares.map(|weight| LayerWeights {
            weight,
            joints: Some(&masks),
            channels: &channels,
        });
        let mut above = LayerShares::new(1);
        weights.iter().for_each(|weights| above.add(weights));
        let (mut has_value, mut pose) = (ChannelSet::new(1), pose_at(0.0));
        has_value.fill(true);
        for (sample, weights) in [pose_at(8.0), pose_at(4.0)].iter().zip(weights) {
            above.subtract(&weights);
            let layer = PoseLayer {
                sample,
                base: None,
                weights,
                above: Some(&above),
            };
            overlay_with(SimdLevel::best(), &layer, &mut has_value, &mut pose);
        }
        assert!((pose.position(joint).x - expected).abs() < 1e-5);
        assert_eq!(above.get(joint), [0.0; 3]);
    }
}
