//! What became of a state: differences, as data and in bytes.

use control::{A, B, C, Dice, busy, odd, odd_second, play, set, state_of, stopped};
use sinew::control::{ControllerDiff, DiffError, StateBytesError};
use sinew::{Animation, AnimationController, ControllerState};
use sinew_testing::control;

/// From another state, by bytes and as data.
fn assert_difference(now: &ControllerState, base: &ControllerState) -> usize {
    let diff = now.diff(base);
    let mut applied = base.clone();
    applied.apply_diff(&diff).unwrap();
    assert_eq!(&applied, now);
    let bytes = diff.to_bytes(base, &set()).unwrap();
    assert_eq!(ControllerDiff::from_bytes(&bytes, base, &set()), Ok(diff));
    bytes.len()
}

#[test]
fn a_difference_turns_one_state_into_the_other() {
    let base = busy();
    let nothing = ControllerState::default();
    let mut later = base.clone();
    later.update(0.3);
    let mut reordered = base.state().clone();
    reordered.animations.rotate_left(1);
    let mut fewer = base.state().clone();
    fewer.animations.remove(1);
    let mut more = base.clone();
    let walk = play(&more, A).looped().layer(3);
    more.play_new(walk, 0.5).unwrap();
    let states = [
        nothing,
        base.state().clone(),
        later.state().clone(),
        reordered,
        fewer,
        more.state().clone(),
        state_of(vec![odd(), odd_second()]),
    ];
    for now in &states {
        for base in &states {
            let size = assert_difference(now, base);
            assert_eq!(size == 7, now == base);
        }
    }
}

#[test]
fn a_difference_contains_only_changes() {
    let base = busy();
    let size = |change: &dyn Fn(&mut AnimationController)| {
        let mut now = base.clone();
        change(&mut now);
        assert_difference(now.state(), base.state())
    };
    assert_eq!(size(&|_| ()), 7);
    // A new speed for the second of four: keep one, change one.
    assert_eq!(
        size(&|c| _ = c.update_animation_speed(B, 2.0)),
        7 + 1 + 1 + 2 + 4
    );
    // One less: keep two, drop one.
    assert_eq!(size(&|c| _ = c.remove_animation(2).unwrap()), 7 + 1 + 1);
    // One more: keep four, insert one with two bytes for itself.
    let walk = play(&base, A).looped();
    let add = |c: &mut AnimationController| _ = c.play_new(walk.clone(), 0.0).unwrap();
    assert_eq!(size(&add), 7 + 1 + 1 + 2 + 1);
}

#[test]
fn an_expected_state_needs_no_difference() {
    let mut server = busy();
    let mut expected = server.state().clone();
    for _ in 0..60 {
        server.update(0.05);
        expected.advance(0.05);
        assert_eq!(&expected, server.state());
        assert!(server.state().diff(&expected).is_empty());
        assert_eq!(assert_difference(server.state(), &expected), 7);
    }
    assert_eq!(server.num_animations(), 2);
}

#[test]
fn a_difference_from_another_state_is_refused() {
    let base = busy();
    let mut now = base.clone();
    now.update(0.1);
    let diff = now.state().diff(base.state());
    let bytes = diff.to_bytes(base.state(), &set()).unwrap();
    let mut other = base.clone();
    other.update(0.01);
    let mut state = other.state().clone();
    let refused = state.apply_diff(&diff);
    assert!(matches!(refused, Err(DiffError::BaseMismatch { .. })));
    assert_eq!(&state, other.state());
    assert!(diff.to_bytes(other.state(), &set()).is_err());
    let mut longer = set();
    longer.add(Animation::new("extra", 1.0)).unwrap();
    for (base, set) in [(other.state(), &set()), (base.state(), &longer)] {
        let error = ControllerDiff::from_bytes(&bytes, base, set).unwrap_err();
        assert!(matches!(
            error,
            StateBytesError::BaseMismatch { offset: 1, .. }
        ));
    }
}

#[test]
fn damaged_differences_give_an_error_or_a_valid_state() {
    let base = busy();
    let mut now = base.clone();
    let walk = play(&now, A).looped().layer(3).start_bone("Hips");
    now.play_new(walk, 0.5).unwrap();
    now.remove_animation(1).unwrap();
    now.update_animation_speed(C, 3.0);
    let (base, now) = (base.state().clone(), now.state().clone());
    let bytes = now.diff(&base).to_bytes(&base, &set()).unwrap();
    let try_out = |bytes: &[u8]| {
        let diff = ControllerDiff::from_bytes(bytes, &base, &set())?;
        let mut state = base.clone();
        state.apply_diff(&diff).unwrap();
        stopped().restore(state).unwrap();
        Ok::<_, StateBytesError>(())
    };
    assert_eq!(try_out(&bytes), Ok(()));
    for end in 0..bytes.len() {
        assert!(matches!(
            try_out(&bytes[..end]),
            Err(StateBytesError::End { .. })
        ));
    }
    assert!(matches!(
        try_out(&[&bytes[..], &[0]].concat()),
        Err(StateBytesError::Extra { count: 1, .. })
    ));
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        _ = try_out(&flipped);
    }
    let mut dice = Dice(5);
    for _ in 0..20_000 {
        let mut bytes = bytes[..5].to_vec();
        let length = dice.below(30);
        bytes.extend((0..length).map(|_| dice.bits() as u8 & [0xff, 0x0f][dice.below(2) as usize]));
        _ = try_out(&bytes);
    }
    // A change and an insertion from elsewhere of what has a delay that cannot be.
    for tag in [2, 3 | 1 << 2] {
        let late = [&bytes[..5], &[0, 1, tag, 1 << 4], &(-1.0_f32).to_le_bytes()].concat();
        let refused = try_out(&late);
        assert!(matches!(refused, Err(StateBytesError::Unplayable { .. })));
    }
    // Keeping and dropping more than there are, by far.
    for tag in [0xfc, 0xfd] {
        let many = [&bytes[..5], &[0, 1, tag, 0xff, 0xff, 0xff, 0x7f]].concat();
        assert!(matches!(try_out(&many), Err(StateBytesError::Value { .. })));
    }
}

#[test]
fn a_difference_round_trips_through_serde_and_a_modified_one_is_refused() {
    let base = busy();
    let mut now = base.clone();
    now.update_animation_speed(B, 3.0);
    let diff = now.state().diff(base.state());
    let saved = serde_json::to_string(&diff).unwrap();
    assert_eq!(
        serde_json::from_str::<ControllerDiff>(&saved).unwrap(),
        diff
    );
    assert!(saved.contains(r#"{"Keep":1}"#), "{saved}");
    for step in [r#"{"Keep":2}"#, r#"{"Keep":4000000000}"#, r#"{"Drop":4}"#] {
        let tampered = saved.replace(r#"{"Keep":1}"#, step);
        let tampered: ControllerDiff = serde_json::from_str(&tampered).unwrap();
        let mut state = base.state().clone();
        assert!(matches!(
            state.apply_diff(&tampered),
            Err(DiffError::Step { count: 4, .. })
        ));
        assert_eq!(&state, base.state());
        assert!(tampered.to_bytes(base.state(), &set()).is_err());
    }
}

#[test]
fn a_step_over_zero_entries_is_refused() {
    let base = ControllerState::default();
    let empty = base.diff(&base).to_bytes(&base, &set()).unwrap();
    let (head, count) = empty.split_at(empty.len() - 1);
    assert_eq!(count, [0]);
    for step in [0, 1] {
        let bytes = [head, &[1, step]].concat();
        let refused = ControllerDiff::from_bytes(&bytes, &base, &set()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "at 7: expected a step over one or more, found none"
        );
    }
}
