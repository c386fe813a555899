//! Playing motions along a curve allocates nothing: counted by the allocator itself.

use crate::register_common;
use register_common::Clip;
use sinew::Pose;
use sinew::registration::{BlendPlace, MotionBlend};
use sinew_author::register::{RegisterMode, RegisterSettings, register};
use sinew_testing::counting::allocations;

#[test]
fn a_step_of_a_blend_allocates_nothing() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let settings = RegisterSettings {
        mode: RegisterMode::Local,
        ..RegisterSettings::default()
    };
    let pair = [walk.motion(), run.motion()];
    let curve = register(&pair, &settings).unwrap();
    let three = [walk.motion(), run.motion(), run.motion()];
    let both = register(&three, &settings).unwrap();
    let mut pose = Pose::rest(&walk.skeleton);
    for (curve, motions, weights) in [
        (&curve, &pair[..], &[0.3, 0.7][..]),
        (&both, &three[..], &[0.3, 0.3, 0.4][..]),
    ] {
        let mut blend = MotionBlend::new(curve, motions).unwrap();
        let count = allocations(|| {
            let mut place = BlendPlace::default();
            while place.position < 1.0 {
                blend.step(&mut place, weights, 0.01, &mut pose).unwrap();
            }
        });
        assert_eq!(count, 0, "{} motions", motions.len());
    }
}
