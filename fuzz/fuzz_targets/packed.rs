//! Any bytes as the motion of a packed animation: the first tells how many joints there are and which packing it
//! is. And as a keyed animation by itself.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_pack.rs"]
mod play_pack;

use libfuzzer_sys::fuzz_target;
use sinew::packed::keyframes::KeyedAnimation;
use sinew::{
    Animation, Joint, JointIndex, PackedAnimation, PackedCursor, Pose, Skeleton, Transform,
};

fn chain(count: u32) -> Skeleton {
    let joint = |index: u32| Joint {
        name: index.to_string(),
        parent: index.checked_sub(1).map(JointIndex),
        rest: Transform::IDENTITY,
        tip: None,
    };
    Skeleton::new((0..count).map(joint).collect()).expect("a chain is a skeleton")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let (joints, packing) = (u32::from(first >> 2) % 20 + 1, u32::from(first & 3));
    let skeleton = chain(joints);
    let mut body = rest.to_vec();
    if let Some(head) = body.first_chunk_mut::<8>() {
        head[..4].copy_from_slice(&packing.to_le_bytes());
        head[4..].copy_from_slice(&joints.to_le_bytes());
    }
    let info = Animation::new("any", 1.5);
    if let Ok(animation) = PackedAnimation::from_bytes(&body, &skeleton, info.clone()) {
        play_pack::sample(&animation, &skeleton, &mut PackedCursor::new());
        assert_eq!(sinew_author::measure::joint_costs(&animation).len(), skeleton.len());
        let written = sinew_author::packed::to_bytes(&animation);
        let again = PackedAnimation::from_bytes(&written, &skeleton, info);
        let again = again.expect("it was just written");
        assert!(sinew_author::packed::to_bytes(&again) == written);
    }
    if let Ok(keyed) = KeyedAnimation::read(bytes) {
        assert_eq!(KeyedAnimation::read(&sinew_author::packed::keyframes::to_bytes(&keyed)).as_ref(), Ok(&keyed));
        if keyed.joint_count() < 1_000 {
            let mut pose = Pose::rest(&chain(keyed.joint_count() as u32));
            for time in [0.0, 0.3, 1.0, 1e30, f32::NAN, f32::NEG_INFINITY] {
                assert_eq!(keyed.sample(time, &mut pose), Ok(()));
                assert_eq!(keyed.sample_looped(time, &mut pose), Ok(()));
                assert!(pose.is_finite());
            }
        }
    }
});
