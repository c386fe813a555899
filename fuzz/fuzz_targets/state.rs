//! Any bytes as a controller's state, as a difference to one, as inertia and as a whole character: an error with a
//! place, or a state that continues and is written back as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet, Character, ControllerState, Inertia, Joint, JointIndex, Pose, PoseBinding, Skeleton, Transform};
use sinew::control::ControllerDiff;
use std::sync::{Arc, LazyLock};

static SET: LazyLock<Arc<AnimationSet>> = LazyLock::new(|| {
    let mut set = AnimationSet::new();
    for (name, length) in [("walk", 1.2), ("run", 0.8), ("still", 0.0)] {
        let mut animation = Animation::new(name, length);
        animation.add_trigger_normalized(0.5, name);
        let added = set.add(animation);
        assert!(added.is_ok());
    }
    Arc::new(set)
});

static SKELETON: LazyLock<Arc<Skeleton>> = LazyLock::new(|| {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest: Transform::IDENTITY,
        tip: None,
    };
    let joints = vec![joint("hips", None), joint("leg", Some(0)), joint("foot", Some(1))];
    Arc::new(Skeleton::new(joints).expect("it is one"))
});

/// Inertia, and a character that has it.
fn smooth(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    if choice % 2 == 0 {
        // Real bytes begin with a version and the number of joints.
        let real = Inertia::new(&SKELETON).to_bytes(&SKELETON);
        let bytes = [&real[..2], bytes].concat();
        let Ok(mut inertia) = Inertia::from_bytes(&bytes, &SKELETON) else {
            return;
        };
        let written = inertia.to_bytes(&SKELETON);
        let again = Inertia::from_bytes(&written, &SKELETON).expect("what is written is read");
        assert_eq!(again.to_bytes(&SKELETON), written);
        let mut pose = Pose::rest(&SKELETON);
        for dt in [0.0, 0.01, 1e9] {
            inertia.apply(&mut pose, dt).expect("it is of this skeleton");
        }
        return;
    }
    // The controller that a real character begins with, then anything.
    let real = Character::new(&SET, &SKELETON).to_bytes(&SKELETON);
    let controller = 2 + usize::from(real[1]);
    let bytes = [&real[..controller], bytes].concat();
    if let Ok(mut character) = Character::from_bytes(&bytes, &SET, &SKELETON) {
        let written = character.to_bytes(&SKELETON);
        let again = Character::from_bytes(&written, &SET, &SKELETON);
        let again = again.expect("what is written is read");
        assert_eq!(again.to_bytes(&SKELETON), written);
        let mut binding = PoseBinding::new(&SET, &SKELETON);
        for dt in [0.0, 0.01, 1e9] {
            character.update(&mut binding, dt).expect("it is of this skeleton");
        }
    }
}

fn play(state: ControllerState) {
    let mut controller = AnimationController::new(SET.clone());
    controller.restore(state.clone()).expect("what is read is sound");
    let bytes = state.to_bytes(&SET);
    let again = ControllerState::from_bytes(&bytes, &SET).expect("what is written is read");
    assert_eq!(again, state);
    for dt in [0.0, 0.01, 1e9] {
        controller.update(dt);
        for playing in controller.animations() {
            assert!(playing.time.value() >= playing.time.min() && playing.time.value() <= playing.time.max());
            assert!(playing.weight.is_finite());
        }
    }
}

/// The bytes after the checksum that real ones have after their version, which no fuzzer guesses. The first of them
/// tells which version it is: the one of real bytes or the next.
fn headed(real: &[u8], bytes: &[u8]) -> Vec<u8> {
    let (Some((version, rest)), Some((choice, bytes))) = (real.split_first(), bytes.split_first())
    else {
        return real.to_vec();
    };
    let sum = rest.get(..4).unwrap_or(rest);
    [&[version + choice % 2], sum, bytes].concat()
}

fuzz_target!(|bytes: &[u8]| {
    smooth(bytes);
    let real = ControllerState::default().to_bytes(&SET);
    if let Ok(state) = ControllerState::from_bytes(&headed(&real, bytes), &SET) {
        play(state);
    }
    let mut base = ControllerState::default();
    for animation in SET.indices() {
        base.animations
            .push(AnimationParameters::new(&SET, animation).looped());
    }
    let real = base.diff(&base).to_bytes(&base, &SET);
    let real = real.expect("it is of this base");
    if let Ok(diff) = ControllerDiff::from_bytes(&headed(&real, bytes), &base, &SET) {
        base.apply_diff(&diff).expect("what is read fits");
        play(base);
    }
});
