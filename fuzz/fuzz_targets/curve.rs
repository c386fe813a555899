//! Any bytes as a registration curve in JSON: an error with a place, or a curve that plays and is written back as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew::registration::{BlendPlace, Motion, MotionBlend, RegistrationCurve};
use sinew::{Animation, Joint, Pose, Skeleton, Transform};
use sinew_formats::curve::{read_bytes, write_bytes};
use std::sync::LazyLock;

static BODY: LazyLock<(Skeleton, Animation)> = LazyLock::new(|| {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.into(),
        parent: parent.map(sinew::JointIndex),
        rest: Transform::IDENTITY,
        tip: None,
    };
    let joints = vec![joint("hip", None), joint("knee", Some(0))];
    let skeleton = Skeleton::new(joints).expect("it is a body");
    (skeleton, Animation::new("still", 1.0))
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(curve) = read_bytes(bytes) else {
        return;
    };
    let again = RegistrationCurve::from_data(curve.to_data());
    assert_eq!(again.as_ref(), Ok(&curve));
    let read = read_bytes(&write_bytes(&curve));
    assert_eq!(read.expect("what is written is read"), curve);
    let (skeleton, animation) = &*BODY;
    let motions = vec![Motion::new(skeleton, animation); curve.len()];
    let Ok(mut blend) = MotionBlend::new(&curve, &motions) else {
        return;
    };
    let weights = vec![0.5; curve.len()];
    let mut pose = Pose::rest(skeleton);
    let mut place = BlendPlace::default();
    for dt in [0.0, 0.01, 0.3, 1e9] {
        let before = place.position;
        blend.step(&mut place, &weights, dt, &mut pose).expect("the pose is of the body");
        assert!(place.position >= before && place.position <= 1.0);
    }
});
