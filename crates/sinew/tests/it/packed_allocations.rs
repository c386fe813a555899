//! Playing packed animations allocates nothing once cursors are warm: counted by the allocator itself.

use counting::allocations;
use sinew::blend::blend_with;
use sinew::local_to_model::{inverse_binds, local_to_model_with, skinning_palette_with};
use sinew::packed::Packing;
use sinew::simd::SimdLevel;
use sinew::{BlendLayer, ModelPose, PackedCursor, Pose};
use sinew_author::compress::Profile;
use sinew_testing::counting;
use sinew_testing::packed::{Build, Motion, Shape, packed};

#[test]
fn sampling_blending_and_skinning_allocate_nothing_once_warm() {
    let skeleton = Build::new(67, Shape::Limbs).skeleton(1);
    let plans = [
        (Motion::Captured, 1e-4, Profile::Small, Packing::Small),
        (Motion::Captured, 1e-4, Profile::Fast, Packing::Fast),
        (Motion::Sway, 1e-3, Profile::Keyframes, Packing::Keyframes),
        (Motion::Squash, 0.0, Profile::Small, Packing::Plain),
        (Motion::Still, 1e-3, Profile::Small, Packing::Small),
    ];
    let clips = plans.map(|(motion, max_error, profile, packing)| {
        let animation = motion.animation(&skeleton, 200, 60.0, 4);
        let packed = packed(&skeleton, &animation, max_error, profile).unwrap();
        assert_eq!(packed.packing(), packing);
        packed
    });
    let rest = Pose::rest(&skeleton);
    let (mut a, mut b, mut out) = (rest.clone(), rest.clone(), rest.clone());
    let mut model = ModelPose::new(&skeleton);
    let binds = inverse_binds(&skeleton);
    let mut palette = binds.clone();
    for level in SimdLevel::all() {
        for first in &clips {
            for second in &clips {
                // A cursor each, as characters have, and one that both share.
                let mut cursors = [const { PackedCursor::new() }; 3];
                let mut frame = |time: f32| {
                    let [cursor, other, shared] = &mut cursors;
                    first.sample_with(level, time, cursor, &mut a).unwrap();
                    second
                        .sample_with(level, time * 0.7, other, &mut b)
                        .unwrap();
                    first.sample_with(level, time, shared, &mut a).unwrap();
                    second.sample_with(level, time, shared, &mut b).unwrap();
                    let layers = [BlendLayer::new(&a, 0.3), BlendLayer::new(&b, 0.7)];
                    blend_with(level, &layers, &rest, &mut out).unwrap();
                    local_to_model_with(level, &skeleton, &out, &mut model).unwrap();
                    skinning_palette_with(level, &model, &binds, &mut palette).unwrap();
                };
                frame(0.0);
                let count = allocations(|| {
                    for tick in 0..80 {
                        frame((tick * 37 % 80) as f32 * 0.045 - 0.1);
                    }
                });
                assert_eq!(
                    count,
                    0,
                    "{} and {} with {}",
                    first.packing(),
                    second.packing(),
                    level.name()
                );
            }
        }
    }
    let count = allocations(|| {
        let mut cold = PackedCursor::new();
        clips[0].sample(0.0, &mut cold, &mut a).unwrap();
    });
    assert_ne!(count, 0, "the counter counts");
}
