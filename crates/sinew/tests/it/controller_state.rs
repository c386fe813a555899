//! What a controller is doing, saved and restored.

use control::{A, busy, play, set, stopped};
use sinew::{AnimationController, ControllerState};
use sinew_testing::control;

#[test]
fn a_refused_state_leaves_the_controller_unchanged() {
    let mut controller = busy();
    let before = controller.state().clone();
    let mut bad = before.clone();
    bad.animations[2].speed = f32::INFINITY;
    assert!(controller.restore(bad).is_err());
    assert_eq!(controller.state(), &before);
}

/// S89.
#[test]
fn a_restored_state_keeps_values_order_and_instances() {
    let mut saved = busy();
    saved.remove_animation(0).unwrap();
    let mut restored = stopped();
    restored.restore(saved.state().clone()).unwrap();
    assert_eq!(restored.state(), saved.state());
    let order = |controller: &AnimationController| -> Vec<usize> {
        controller
            .application_order()
            .map(|(index, _)| index)
            .collect()
    };
    assert_eq!(order(&restored), order(&saved));
    // The instance that is left keeps its index, and the one that comes gets the free one.
    let walk = play(&saved, A);
    let index = restored.play_new(walk, 0.0).unwrap();
    let indices = |index: usize| restored.animations()[index].instance_index;
    assert_eq!((indices(1), indices(index)), (1, 0));
}

/// Plays on, with something done by hand in between, and tells every number to the bit.
fn future(mut controller: AnimationController) -> Vec<ControllerState> {
    let mut states = Vec::new();
    for step in 0..20 {
        if step == 7 {
            let walk = play(&controller, A).looped();
            controller.play_existing_exclusive(walk, 0.25).unwrap();
        }
        controller.update(0.07);
        states.push(controller.state().clone());
    }
    states
}

#[test]
fn a_state_restored_from_bytes_continues_to_the_bit() {
    let mut controller = busy();
    for _ in 0..30 {
        let expected = format!("{:?}", future(controller.clone()));
        let mut restored = stopped();
        let bytes = controller.state().to_bytes(&set());
        restored
            .restore(ControllerState::from_bytes(&bytes, &set()).unwrap())
            .unwrap();
        assert_eq!(format!("{:?}", future(restored)), expected);
        controller.update(0.04);
    }
}

#[test]
fn a_state_restored_through_serde_continues_to_the_bit() {
    let mut controller = busy();
    for _ in 0..30 {
        let expected = format!("{:?}", future(controller.clone()));
        let saved = serde_json::to_string(controller.state()).unwrap();
        let mut restored = stopped();
        restored
            .restore(serde_json::from_str(&saved).unwrap())
            .unwrap();
        assert_eq!(format!("{:?}", future(restored)), expected);
        controller.update(0.04);
    }
    let state = control::state_of(vec![control::odd()]);
    let saved = serde_json::to_string(&state).unwrap();
    assert_eq!(
        serde_json::from_str::<ControllerState>(&saved).unwrap(),
        state
    );
}
