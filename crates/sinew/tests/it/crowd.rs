//! Crowds are what sampling, blending and chaining give one character at a time, to the bit, and allocate nothing
//! once warm.

use counting::allocations;
use sinew::crowd::{CrowdBufferError, CrowdLayer, CrowdScratch};
use sinew::glam::Mat4;
use sinew::packed::Packing;
use sinew::pose::JointCountMismatch;
use sinew::simd::SimdLevel;
use sinew::{
    BlendLayer, Crowd, ModelPose, PackedAnimation, PackedCursor, Pose, Skeleton, blend,
    local_to_model,
};
use sinew_author::compress::Profile;
use sinew_testing::counting;
use sinew_testing::packed::{Build, Motion, Shape, packed};

/// A skeleton with animations of every packing.
fn cast() -> (Skeleton, Vec<PackedAnimation<'static>>) {
    let skeleton = Build::new(31, Shape::Limbs).skeleton(1);
    let plans = [
        (Motion::Captured, 1e-4, Profile::Fast, Packing::Fast),
        (Motion::Captured, 1e-4, Profile::Small, Packing::Small),
        (Motion::Sway, 1e-3, Profile::Keyframes, Packing::Keyframes),
        (Motion::Squash, 0.0, Profile::Small, Packing::Plain),
    ];
    let clips = plans.map(|(motion, max_error, profile, packing)| {
        let animation = motion.animation(&skeleton, 200, 60.0, 4);
        let packed = packed(&skeleton, &animation, max_error, profile).unwrap();
        assert_eq!(packed.packing(), packing);
        packed
    });
    (skeleton, clips.into())
}

fn characters<const N: usize>(count: usize) -> Vec<[CrowdLayer; N]> {
    let mut seed = 7_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 16_777_216.0
    };
    let mut layer = || CrowdLayer {
        // One of them is not there.
        animation: (random() * 5.0) as u32,
        time: random() * 4.0 - 0.3,
        // Some weigh nothing.
        weight: (random() * 1.3 - 0.3).max(0.0),
    };
    (0..count)
        .map(|_| core::array::from_fn(|_| layer()))
        .collect()
}

/// One character by hand.
fn expected(
    skeleton: &Skeleton,
    clips: &[PackedAnimation<'static>],
    layers: &[CrowdLayer],
) -> (Pose, ModelPose) {
    let rest = Pose::rest(skeleton);
    let mut poses = Vec::new();
    for layer in layers {
        if let Some(clip) = clips.get(layer.animation as usize)
            && layer.weight > 0.0
        {
            let mut pose = rest.clone();
            clip.sample(layer.time, &mut PackedCursor::new(), &mut pose)
                .unwrap();
            poses.push((pose, layer.weight));
        }
    }
    let blended = match &poses[..] {
        [(pose, weight)] if *weight >= 0.1 => pose.clone(),
        _ => {
            let layers = poses
                .iter()
                .map(|(pose, weight)| BlendLayer::new(pose, *weight));
            let mut blended = rest.clone();
            blend(&layers.collect::<Vec<_>>(), &rest, &mut blended).unwrap();
            blended
        }
    };
    let mut model = ModelPose::new(skeleton);
    local_to_model(skeleton, &blended, &mut model).unwrap();
    (blended, model)
}

fn bits(matrices: &[Mat4]) -> Vec<[u32; 16]> {
    let bits = |matrix: &Mat4| matrix.to_cols_array().map(f32::to_bits);
    matrices.iter().map(bits).collect()
}

fn check<const N: usize>(count: usize) {
    let (skeleton, clips) = cast();
    let characters = characters::<N>(count);
    let expected: Vec<_> = characters
        .iter()
        .map(|layers| expected(&skeleton, &clips, layers))
        .collect();
    for level in SimdLevel::all() {
        let crowd = Crowd::new(&skeleton, &clips).unwrap().with_level(level);
        let mut scratch = CrowdScratch::new();
        let mut seen = vec![0; count];
        crowd.for_each(&characters, &mut scratch, |character| {
            let (pose, model) = &expected[character.character];
            assert_eq!(
                character.pose, pose,
                "{} of {N} layers",
                character.character
            );
            assert_eq!(bits(character.model), bits(model.matrices()));
            seen[character.character] += 1;
        });
        assert!(seen.iter().all(|&times| times == 1), "each once");
        let mut models = vec![Mat4::ZERO; count * skeleton.len()];
        crowd
            .models(&characters, &mut scratch, &mut models)
            .unwrap();
        let all: Vec<_> = expected
            .iter()
            .flat_map(|(_, model)| bits(model.matrices()))
            .collect();
        assert_eq!(bits(&models), all);
    }
}

#[test]
fn a_crowd_refuses_other_skeletons_and_short_buffers() {
    let (skeleton, clips) = cast();
    let other = Build::new(9, Shape::Limbs).skeleton(1);
    let refused = Crowd::new(&other, &clips).err();
    assert_eq!(
        refused.map(|error| error.to_string()),
        Some(
            JointCountMismatch {
                expected: 9,
                pose: 31
            }
            .to_string()
        )
    );
    let crowd = Crowd::new(&skeleton, &clips).unwrap();
    let mut out = vec![Mat4::ZERO; 61];
    let refused = crowd.models(&characters::<1>(2), &mut CrowdScratch::new(), &mut out);
    let room = CrowdBufferError {
        characters: 2,
        joints: 31,
        room: 61,
    };
    assert_eq!(refused, Err(room));
    assert_eq!(
        room.to_string(),
        "2 characters of 31 joints need 62 matrices; there is room for 61"
    );
}

#[test]
fn a_crowd_equals_its_characters_one_at_a_time() {
    check::<1>(70);
    check::<2>(200);
    check::<5>(70);
    check::<3>(0);
}

#[test]
fn a_character_without_layers_rests() {
    let (skeleton, clips) = cast();
    let crowd = Crowd::new(&skeleton, &clips).unwrap();
    let rest = Pose::rest(&skeleton);
    let none: [CrowdLayer; 0] = [];
    let mut seen = 0;
    crowd.for_each(&[none, none], &mut CrowdScratch::new(), |character| {
        assert_eq!(*character.pose, rest);
        seen += 1;
    });
    assert_eq!(seen, 2);
}

#[test]
fn one_scratch_buffer_serves_crowds_of_all_sizes() {
    let (skeleton, clips) = cast();
    let small = Build::new(9, Shape::Limbs).skeleton(1);
    let animation = Motion::Captured.animation(&small, 30, 60.0, 4);
    let clip = [packed(&small, &animation, 1e-4, Profile::Fast).unwrap()];
    let mut scratch = CrowdScratch::new();
    for _ in 0..2 {
        let crowd = Crowd::new(&skeleton, &clips).unwrap();
        crowd.for_each(&characters::<2>(9), &mut scratch, |character| {
            assert_eq!(character.model.len(), 31)
        });
        let crowd = Crowd::new(&small, &clip).unwrap();
        crowd.for_each(&characters::<3>(9), &mut scratch, |character| {
            assert_eq!(character.model.len(), 9)
        });
    }
}

#[test]
fn a_frame_allocates_nothing_once_warm() {
    let (skeleton, clips) = cast();
    let crowd = Crowd::new(&skeleton, &clips).unwrap();
    let characters = characters::<2>(100);
    let mut models = vec![Mat4::ZERO; 100 * skeleton.len()];
    let mut scratch = CrowdScratch::new();
    let mut frame = || {
        crowd
            .models(&characters, &mut scratch, &mut models)
            .unwrap();
        crowd.for_each(&characters, &mut scratch, |_| ());
    };
    assert_ne!(allocations(&mut frame), 0, "the counter counts");
    assert_eq!(allocations(&mut frame), 0);
}

#[test]
fn all_cores_give_the_same_bits() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (skeleton, clips) = cast();
    let crowd = Crowd::new(&skeleton, &clips).unwrap();
    for count in [0, 1, 31, 500] {
        let characters = characters::<2>(count);
        let mut scratch = CrowdScratch::new();
        let mut one = vec![Mat4::ZERO; count * skeleton.len()];
        let mut all = one.clone();
        crowd.models(&characters, &mut scratch, &mut one).unwrap();
        crowd
            .par_models(&characters, &mut scratch, &mut all)
            .unwrap();
        assert_eq!(bits(&one), bits(&all));
        let seen = AtomicUsize::new(0);
        crowd.par_for_each(&characters, &mut scratch, |character| {
            let first = character.character * skeleton.len();
            assert_eq!(
                bits(character.model),
                bits(&one[first..first + skeleton.len()])
            );
            seen.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(seen.into_inner(), count);
        let short = crowd.par_models(&characters, &mut scratch, &mut [Mat4::ZERO; 7]);
        assert!(short.is_err());
    }
}
