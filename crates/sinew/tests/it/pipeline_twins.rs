//! Blending, forward kinematics and skinning: at every SIMD level of the machine the bits of the scalar
//! reference, and what holds for blends of any poses.

use counting::allocations;
use proptest::prelude::*;
use sinew::blend::{
    JointWeights, add_pose, add_pose_with, blend_with, subtract_pose, subtract_pose_with,
};
use sinew::glam::{Mat4, Quat, Vec3};
use sinew::local_to_model::{inverse_binds, local_to_model_with, skinning_palette_with};
use sinew::math::{quat_angle, quat_dot, quat_negate, quat_normalize};
use sinew::pose::JointCountMismatch;
use sinew::simd::SimdLevel;
use sinew::{
    BlendLayer, Joint, JointIndex, ModelPose, Pose, Skeleton, Transform, blend, local_to_model,
};
use sinew_testing::counting;

/// One, around half a block, around a block, and many; no skeleton has none.
const SIZES: [usize; 7] = [1, 3, 4, 5, 8, 9, 67];

/// Numbers from -1 to 1 that look random.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 8_388_608.0 - 1.0
    }

    fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn quat(&mut self) -> Quat {
        let [x, y, z, w] = [self.next(), self.next(), self.next(), self.next()];
        quat_normalize(Quat::from_xyzw(x, y, z, w))
    }

    fn transform(&mut self) -> Transform {
        Transform {
            position: self.vec3() * 3.0,
            rotation: self.quat(),
            scale: self.vec3() + Vec3::splat(0.5),
        }
    }
}

/// Chains, branches and more than one root.
fn skeleton(joints: usize) -> Skeleton {
    let mut numbers = Numbers(joints as u32);
    let mut path: Vec<usize> = Vec::new();
    let joint = |index: usize| {
        let keep = match index % 7 {
            _ if index.is_multiple_of(23) => 0,
            0 => 1,
            3 => path.len() / 2 + 1,
            _ => path.len(),
        };
        path.truncate(keep);
        let parent = path.last().map(|&parent| JointIndex::from(parent));
        path.push(index);
        Joint {
            name: format!("joint {index}"),
            parent,
            rest: numbers.transform(),
            tip: None,
        }
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

/// Every joint somewhere, with the values that are special: no rotation at all, zeros of both signs.
fn pose(skeleton: &Skeleton, seed: u32) -> Pose {
    let mut numbers = Numbers(seed);
    let mut pose = Pose::rest(skeleton);
    for joint in 0..skeleton.len() {
        let mut transform = numbers.transform();
        match (joint as u32 + seed) % 11 {
            0 => transform.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            1 => transform.rotation = Quat::from_xyzw(-0.0, 0.0, -0.0, -1.0),
            2 => transform.rotation = Quat::from_xyzw(1e-30, 1e-30, 0.0, 0.0),
            3 => transform.position = Vec3::new(-0.0, 0.0, -0.0),
            4 => transform.scale = Vec3::new(0.0, -0.0, 1e-20),
            _ => {}
        }
        pose.set(joint.into(), transform);
    }
    pose
}

/// The same rotations by the other quaternions.
fn turned_about(pose: &Pose) -> Pose {
    let mut other = pose.clone();
    for joint in (0..pose.len()).map(JointIndex::from) {
        other.set_rotation(joint, quat_negate(pose.rotation(joint)));
    }
    other
}

fn weights(joints: usize, seed: u32) -> JointWeights {
    let mut numbers = Numbers(seed);
    // A third each are 0 and 1.
    let weights: Vec<f32> = (0..joints).map(|_| numbers.next() * 1.5 + 0.5).collect();
    JointWeights::new(&weights)
}

fn pose_bits(pose: &Pose) -> Vec<[u32; 10]> {
    let bits = |joint: usize| {
        let transform = pose.get(joint.into());
        let ([a, b, c], [d, e, f, g]) =
            (transform.position.to_array(), transform.rotation.to_array());
        let [h, i, j] = transform.scale.to_array();
        [a, b, c, d, e, f, g, h, i, j].map(f32::to_bits)
    };
    (0..pose.len()).map(bits).collect()
}

fn matrix_bits(matrices: &[Mat4]) -> Vec<[u32; 16]> {
    let bits = |matrix: &Mat4| matrix.to_cols_array().map(f32::to_bits);
    matrices.iter().map(bits).collect()
}

/// Runs `stage` at every level and on every size; what it gives must not depend on the level.
fn same_at_all_levels<T: PartialEq + std::fmt::Debug>(
    mut stage: impl FnMut(SimdLevel, &Skeleton) -> T,
) {
    assert!(SimdLevel::all().count() >= 1);
    for joints in SIZES {
        let skeleton = skeleton(joints);
        let expected = stage(SimdLevel::OFF, &skeleton);
        for level in SimdLevel::all() {
            let found = stage(level, &skeleton);
            assert_eq!(found, expected, "{joints} joints, {}", level.name());
        }
    }
}

#[test]
fn buffers_of_another_size_are_refused_and_unchanged() {
    let (small, large) = (skeleton(3), skeleton(9));
    let (three, nine) = (Pose::rest(&small), Pose::rest(&large));
    let (mut out, mask) = (nine.clone(), weights(3, 1));
    let wrong = Err(JointCountMismatch {
        expected: 9,
        pose: 3,
    });
    let good = BlendLayer::new(&nine, 1.0);
    let masked = BlendLayer {
        joints: Some(&mask),
        ..good
    };
    assert_eq!(blend(&[good], &three, &mut out), wrong);
    assert_eq!(
        blend(&[good, BlendLayer::new(&three, 0.0)], &nine, &mut out),
        wrong
    );
    assert_eq!(blend(&[good, masked], &nine, &mut out), wrong);
    assert_eq!(add_pose(&mut out, &three, 1.0, None), wrong);
    assert_eq!(add_pose(&mut out, &nine, 1.0, Some(&mask)), wrong);
    assert_eq!(subtract_pose(&three, &nine, &mut out), wrong);
    assert_eq!(subtract_pose(&nine, &three, &mut out), wrong);
    assert_eq!(
        local_to_model(&large, &three, &mut ModelPose::new(&large)),
        wrong
    );
    assert_eq!(
        local_to_model(&large, &nine, &mut ModelPose::new(&small)),
        wrong
    );
    assert_eq!(pose_bits(&out), pose_bits(&nine));
}

#[test]
fn two_poses_blend_to_the_same_bits_at_all_simd_levels() {
    for shares in [
        [0.3, 0.7],
        [1.0, 0.0],
        [0.0, 0.02],
        [0.05, 0.04],
        [2.0, 5e5],
        [1e-30, 1.0],
    ] {
        same_at_all_levels(|level, skeleton| {
            let (a, b) = (pose(skeleton, 1), pose(skeleton, 2));
            let (mut out, rest) = (a.clone(), Pose::rest(skeleton));
            let layers = [
                BlendLayer::new(&a, shares[0]),
                BlendLayer::new(&b, shares[1]),
            ];
            blend_with(level, &layers, &rest, &mut out).unwrap();
            pose_bits(&out)
        });
    }
}

#[test]
fn masked_layers_blend_to_the_same_bits_at_all_simd_levels() {
    for count in 0..=5 {
        same_at_all_levels(|level, skeleton| {
            let poses: Vec<Pose> = (0..count).map(|seed| pose(skeleton, seed)).collect();
            let masks: Vec<JointWeights> = (0..count)
                .map(|seed| weights(skeleton.len(), seed))
                .collect();
            let layers: Vec<BlendLayer<'_>> = (0..count as usize)
                .map(|layer| BlendLayer {
                    pose: &poses[layer],
                    weight: [0.5, 0.0, 0.04, f32::NAN, 1.0][layer],
                    joints: (layer % 3 != 1).then_some(&masks[layer]),
                })
                .collect();
            let rest = Pose::rest(skeleton);
            let mut out = pose(skeleton, 77);
            blend_with(level, &layers, &rest, &mut out).unwrap();
            pose_bits(&out)
        });
    }
}

#[test]
fn additive_poses_are_made_and_added_to_the_same_bits_at_all_simd_levels() {
    for weight in [0.0, 0.3, 1.0, -4.0, 9.0, f32::NAN] {
        same_at_all_levels(|level, skeleton| {
            let (from, to) = (pose(skeleton, 3), turned_about(&pose(skeleton, 4)));
            let mask = weights(skeleton.len(), 5);
            let mut difference = from.clone();
            subtract_pose_with(level, &to, &from, &mut difference).unwrap();
            let (mut all, mut some) = (pose(skeleton, 6), pose(skeleton, 7));
            add_pose_with(level, &mut all, &difference, weight, None).unwrap();
            add_pose_with(level, &mut some, &difference, weight, Some(&mask)).unwrap();
            [difference, all, some].map(|pose| pose_bits(&pose))
        });
    }
}

#[test]
fn matrices_are_the_same_bits_at_all_simd_levels() {
    for seed in 0..12 {
        same_at_all_levels(|level, skeleton| {
            let pose = pose(skeleton, seed);
            let mut model = ModelPose::new(skeleton);
            local_to_model_with(level, skeleton, &pose, &mut model).unwrap();
            let binds = inverse_binds(skeleton);
            let mut palette = vec![Mat4::ZERO; skeleton.len()];
            skinning_palette_with(level, &model, &binds, &mut palette).unwrap();
            [model.matrices(), &palette].map(matrix_bits)
        });
    }
}

#[test]
fn overflowing_matrices_keep_their_last_row_at_all_simd_levels() {
    let skeleton = skeleton(9);
    let mut pose = Pose::rest(&skeleton);
    for joint in 0..9 {
        pose.set_position(joint.into(), Vec3::splat(f32::MAX));
        pose.set_scale(joint.into(), Vec3::new(f32::MAX, -f32::MAX, f32::MAX));
    }
    for level in SimdLevel::all() {
        let mut model = ModelPose::new(&skeleton);
        local_to_model_with(level, &skeleton, &pose, &mut model).unwrap();
        assert!(!model.is_finite());
        for matrix in model.matrices() {
            let row = matrix.to_cols_array_2d().map(|column| column[3].to_bits());
            assert_eq!(
                row,
                [0.0f32, 0.0, 0.0, 1.0].map(f32::to_bits),
                "{}",
                level.name()
            );
        }
    }
}

#[test]
fn a_model_matrix_is_the_parents_times_the_local_one() {
    let skeleton = skeleton(67);
    let pose = pose(&skeleton, 6);
    let mut model = ModelPose::new(&skeleton);
    local_to_model(&skeleton, &pose, &mut model).unwrap();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let local = pose.get(index.into()).to_mat4();
        let expected = joint
            .parent
            .map_or(local, |parent| model.matrix(parent) * local);
        let size = expected
            .to_cols_array()
            .iter()
            .fold(1.0f32, |a, b| a.max(b.abs()));
        assert!(
            model
                .matrix(index.into())
                .abs_diff_eq(expected, 1e-6 * size)
        );
    }
}

#[test]
fn without_weight_joints_rest() {
    let skeleton = skeleton(9);
    let (moved, rest) = (pose(&skeleton, 1), Pose::rest(&skeleton));
    for weight in [0.0, -1.0, f32::NAN] {
        let mut out = moved.clone();
        blend(&[BlendLayer::new(&moved, weight)], &rest, &mut out).unwrap();
        assert_eq!(pose_bits(&out), pose_bits(&rest));
    }
    let mut out = moved.clone();
    blend(&[], &rest, &mut out).unwrap();
    assert_eq!(pose_bits(&out), pose_bits(&rest));

    let none = JointWeights::new(&[0.0; 9]);
    let masked = BlendLayer {
        joints: Some(&none),
        ..BlendLayer::new(&moved, 1.0)
    };
    blend(&[masked], &rest, &mut out).unwrap();
    near(&out, &rest, 1e-6);
}

#[test]
fn weights_below_a_tenth_blend_with_the_rest_pose() {
    let skeleton = skeleton(1);
    let rest = Pose::rest(&skeleton);
    let mut moved = rest.clone();
    moved.set_position(0.into(), rest.position(0.into()) + Vec3::X);
    let mut out = rest.clone();
    blend(&[BlendLayer::new(&moved, 0.05)], &rest, &mut out).unwrap();
    let way = out.position(0.into()) - rest.position(0.into());
    assert!((way - Vec3::X * 0.5).length() < 1e-6);
    blend(&[BlendLayer::new(&moved, 0.1)], &rest, &mut out).unwrap();
    assert_eq!(out.position(0.into()), moved.position(0.into()));
}

#[test]
fn two_rotations_blend_the_shorter_way() {
    let skeleton = skeleton(1);
    let rest = Pose::rest(&skeleton);
    let (mut a, mut b, mut out) = (rest.clone(), rest.clone(), rest.clone());
    let quarter = Quat::from_xyzw(0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt());
    a.set_rotation(0.into(), Quat::IDENTITY);
    for turn in [quarter, quat_negate(quarter)] {
        b.set_rotation(0.into(), turn);
        blend(
            &[BlendLayer::new(&a, 1.0), BlendLayer::new(&b, 1.0)],
            &rest,
            &mut out,
        )
        .unwrap();
        let half = quat_angle(Quat::IDENTITY, out.rotation(0.into()));
        assert!((half - std::f32::consts::FRAC_PI_4).abs() < 1e-6);
    }
}

#[test]
fn no_stage_allocates() {
    let skeleton = skeleton(67);
    let (a, b, rest) = (
        pose(&skeleton, 1),
        pose(&skeleton, 2),
        Pose::rest(&skeleton),
    );
    let (mut out, mut model) = (rest.clone(), ModelPose::new(&skeleton));
    let (mask, binds) = (weights(67, 3), inverse_binds(&skeleton));
    let mut palette = binds.clone();
    let layers = [
        BlendLayer::new(&a, 0.5),
        BlendLayer::new(&b, 0.5),
        BlendLayer {
            joints: Some(&mask),
            ..BlendLayer::new(&a, 1.0)
        },
    ];
    for level in SimdLevel::all() {
        let count = allocations(|| {
            for count in 0..=3 {
                blend_with(level, &layers[..count], &rest, &mut out).unwrap();
            }
            subtract_pose_with(level, &a, &b, &mut out).unwrap();
            add_pose_with(level, &mut out, &a, 0.5, Some(&mask)).unwrap();
            local_to_model_with(level, &skeleton, &out, &mut model).unwrap();
            skinning_palette_with(level, &model, &binds, &mut palette).unwrap();
        });
        assert_eq!(count, 0, "{}", level.name());
    }
}

/// A pose whose rotations are rotations.
fn sound(skeleton: &Skeleton, seed: u32) -> Pose {
    let mut numbers = Numbers(seed);
    let mut pose = Pose::rest(skeleton);
    for joint in 0..skeleton.len() {
        pose.set(joint.into(), numbers.transform());
    }
    pose
}

fn near(a: &Pose, b: &Pose, tolerance: f32) {
    for joint in (0..a.len()).map(JointIndex::from) {
        let (a, b) = (a.get(joint), b.get(joint));
        assert!(
            (a.position - b.position).length() < tolerance,
            "{a:?} {b:?}"
        );
        assert!((a.scale - b.scale).length() < tolerance, "{a:?} {b:?}");
        assert!(
            quat_angle(a.rotation, b.rotation) < tolerance,
            "{a:?} {b:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_pose_blended_with_itself_is_itself(seed: u32, a in 0.05f32..2.0, b in 0.05f32..2.0) {
        let skeleton = skeleton(9);
        let (one, rest) = (sound(&skeleton, seed), Pose::rest(&skeleton));
        let other = turned_about(&one);
        let mut out = rest.clone();
        blend(&[BlendLayer::new(&one, a), BlendLayer::new(&other, b)], &rest, &mut out).unwrap();
        near(&out, &one, 3e-6);
    }

    #[test]
    fn two_layers_blend_the_same_in_either_order(seed: u32, a in 0.0f32..1.0, b in 0.0f32..1.0) {
        let skeleton = skeleton(9);
        let (one, other) = (sound(&skeleton, seed), sound(&skeleton, seed ^ 0x5555));
        let rest = Pose::rest(&skeleton);
        let (mut out, mut back) = (rest.clone(), rest.clone());
        let layers = [BlendLayer::new(&one, a), BlendLayer::new(&other, b)];
        // With the rest pose in it, a third rotation may be nearer to the one than to the other.
        prop_assume!(a + b >= 0.1);
        blend(&layers, &rest, &mut out).unwrap();
        blend(&[layers[1], layers[0]], &rest, &mut back).unwrap();
        for joint in (0..9).map(JointIndex::from) {
            // Between opposite rotations both ways are equally short.
            let dot = quat_dot(one.rotation(joint), other.rotation(joint)).abs();
            let tolerance = 1e-6 / dot.max(1e-3) + 2e-6;
            prop_assert!(quat_angle(out.rotation(joint), back.rotation(joint)) < tolerance);
            prop_assert!((out.position(joint) - back.position(joint)).length() < 4e-6);
            prop_assert!((out.scale(joint) - back.scale(joint)).length() < 4e-6);
        }
    }

    #[test]
    fn near_rotations_blend_the_same_in_any_order(seed: u32) {
        let skeleton = skeleton(9);
        let rest = Pose::rest(&skeleton);
        let base = sound(&skeleton, seed);
        let poses = [1, 2, 3].map(|step| {
            let mut near = base.clone();
            let mut numbers = Numbers(seed ^ step);
            for joint in (0..9).map(JointIndex::from) {
                let [x, y, z, w] = base.rotation(joint).to_array();
                let off = numbers.vec3() * 0.2;
                near.set_rotation(joint, quat_normalize(Quat::from_xyzw(x + off.x, y + off.y, z + off.z, w)));
            }
            near
        });
        let [a, b, c] = [(0, 0.5), (1, 0.2), (2, 0.7)].map(|(i, w): (usize, f32)| BlendLayer::new(&poses[i], w));
        let (mut out, mut other) = (rest.clone(), rest.clone());
        blend(&[a, b, c], &rest, &mut out).unwrap();
        for order in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            blend(&order, &rest, &mut other).unwrap();
            near(&out, &other, 4e-6);
        }
    }

    #[test]
    fn a_difference_added_to_its_reference_is_the_pose(seed: u32) {
        let skeleton = skeleton(9);
        let (from, to) = (sound(&skeleton, seed), sound(&skeleton, seed ^ 0x3333));
        let mut difference = from.clone();
        subtract_pose(&to, &from, &mut difference).unwrap();
        let mut sum = from.clone();
        add_pose(&mut sum, &difference, 1.0, None).unwrap();
        near(&sum, &to, 4e-6);
        let mut none = from.clone();
        add_pose(&mut none, &difference, 0.0, None).unwrap();
        near(&none, &from, 2e-6);
    }
}
