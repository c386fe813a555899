//! Any bytes as a controller's state, and as a difference to one: an error with a place, or a state that
//! plays on and is written back as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, ControllerDiff,
    ControllerState,
};
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

fn play(state: ControllerState) {
    let mut controller = AnimationController::new(SET.clone());
    controller.restore(state.clone()).expect("what is read is sound");
    let bytes = state.to_bytes(&SET);
    let again = ControllerState::from_bytes(&SET, &bytes).expect("what is written is read");
    assert_eq!(again, state);
    for dt in [0.0, 0.01, 1e9] {
        controller.update(dt);
        for own in controller.animations() {
            assert!(own.time.value() >= own.time.min() && own.time.value() <= own.time.max());
            assert!(own.weight.is_finite());
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
    let real = ControllerState::default().to_bytes(&SET);
    if let Ok(state) = ControllerState::from_bytes(&SET, &headed(&real, bytes)) {
        play(state);
    }
    let mut base = ControllerState::default();
    for animation in SET.indices() {
        base.animations
            .push(AnimationParameters::new(&SET, animation).looped());
    }
    let real = base.diff(&base).to_bytes(&base, &SET);
    let real = real.expect("it is of this base");
    if let Ok(diff) = ControllerDiff::from_bytes(&base, &SET, &headed(&real, bytes)) {
        base.apply_diff(&diff).expect("what is read fits");
        play(base);
    }
});
