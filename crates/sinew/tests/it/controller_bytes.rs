//! What a controller is doing, in bytes.

use control::{A, B, Dice, busy, odd, odd_second, set, state_of, stopped};
use sinew::control::{ControlError, StateBytesError, WrappedScalar};
use sinew::{Animation, AnimationIndex, AnimationParameters, AnimationSet, ControllerState};
use sinew_testing::control;

fn read(bytes: &[u8]) -> Result<ControllerState, StateBytesError> {
    ControllerState::from_bytes(bytes, &set())
}

/// Any state that bytes give can be restored, and is the one that its own bytes give.
fn assert_sound(bytes: &[u8]) {
    if let Ok(state) = read(bytes) {
        stopped().restore(state.clone()).unwrap();
        assert_eq!(read(&state.to_bytes(&set())), Ok(state));
    }
}

#[test]
fn truncated_and_extended_bytes_are_refused() {
    let state = state_of(vec![odd(), AnimationParameters::new(&set(), A)]);
    let mut bytes = state.to_bytes(&set());
    for end in 0..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(
            matches!(error, StateBytesError::End { .. }),
            "{end}: {error}"
        );
    }
    let end = bytes.len();
    bytes.extend([0, 0]);
    let extra = StateBytesError::Extra {
        offset: end,
        count: 2,
    };
    assert_eq!(read(&bytes), Err(extra));
}

#[test]
fn every_flipped_bit_gives_an_error_or_a_valid_state() {
    let states = [
        state_of(vec![odd()]),
        busy().state().clone(),
        ControllerState::default(),
    ];
    for bytes in states.map(|state| state.to_bytes(&set())) {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_sound(&flipped);
            for other in (bit + 1..bytes.len() * 8).step_by(13) {
                let mut flipped = flipped.clone();
                flipped[other / 8] ^= 1 << (other % 8);
                assert_sound(&flipped);
            }
        }
    }
}

#[test]
fn random_bytes_are_an_error_or_a_valid_state() {
    let mut dice = Dice(3);
    let start = ControllerState::default().to_bytes(&set());
    for _ in 0..20_000 {
        let mut bytes = start[..5].to_vec();
        let length = dice.below(40);
        bytes.extend((0..length).map(|_| dice.bits() as u8 & [0xff, 0x0f][dice.below(2) as usize]));
        assert_sound(&bytes);
    }
}

#[test]
fn a_count_beyond_the_bytes_is_refused_before_allocation() {
    let mut bytes = ControllerState::default().to_bytes(&set());
    bytes.pop();
    for count in [&[1][..], &[0x80, 1], &[0xff, 0xff, 0xff, 0xff, 0x0f]] {
        let bytes = [&bytes, count].concat();
        assert!(matches!(read(&bytes), Err(StateBytesError::End { .. })));
    }
    // Nor do numbers of too many bits, or without an end.
    for count in [&[0xff, 0xff, 0xff, 0xff, 0x1f][..], &[0x80; 12]] {
        let bytes = [&bytes, count].concat();
        assert!(matches!(read(&bytes), Err(StateBytesError::Value { .. })));
    }
    // A name that is longer than what follows.
    let mut named = AnimationParameters::new(&set(), A);
    named.start_bone = "x".into();
    let mut bytes = state_of(vec![named]).to_bytes(&set());
    let offset = bytes.len() - 2;
    assert_eq!(bytes[offset..], [1, b'x']);
    bytes.splice(offset.., [0xff, 0xff, 0xff, 0xff, 0x0f, b'x']);
    assert!(matches!(read(&bytes), Err(StateBytesError::End { .. })));
}

#[test]
fn errors_state_offset_and_reason() {
    let good = state_of(vec![AnimationParameters::new(&set(), B)]).to_bytes(&set());
    let with = |offset: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[offset] = byte;
        read(&bytes).unwrap_err().to_string()
    };
    assert_eq!(
        with(0, 9),
        "at 0: expected the version of a state, 1, found 9"
    );
    let other = with(1, good[1] ^ 1);
    assert!(
        other.starts_with("at 1: the state is of a set with fingerprint 0x"),
        "{other}"
    );
    assert_eq!(
        with(7, 3),
        "the bytes up to 9 are not a state that can be played: there is no animation 3; the set has 3"
    );
    assert_eq!(
        with(8, 2),
        "the bytes end at 9; expected 4 more at 9, for a time"
    );
    assert_eq!(
        with(8, 0x80 | 8),
        "the bytes end at 9; expected 1 more at 9, for flags"
    );
    let mut late = good.clone();
    late[8] = 2;
    late.extend(1.5_f32.to_le_bytes());
    assert_eq!(
        read(&late).unwrap_err().to_string(),
        "at 8: expected a time within its range, found 1.5 between 0 and 0.75"
    );
    late.splice(9.., f32::NAN.to_le_bytes());
    assert_eq!(
        read(&late).unwrap_err().to_string(),
        "at 9: expected a time, found NaN"
    );
}

#[test]
fn states_that_cannot_be_played_are_refused_by_bytes_and_controllers_alike() {
    let plain = AnimationParameters::new(&set(), A);
    let mut late = plain.clone();
    late.target_weight_delay = -1.0;
    let mut unknown = plain.clone();
    unknown.animation = AnimationIndex(3);
    let lists = [
        vec![plain.clone(), plain.clone()],
        vec![plain.clone(), late],
        vec![unknown],
        vec![plain.mask("legs")],
    ];
    for list in lists {
        let state = state_of(list);
        let refused = stopped().restore(state.clone()).unwrap_err();
        match read(&state.to_bytes(&set())) {
            Err(StateBytesError::Unplayable { reason, .. }) => {
                assert_eq!(reason, refused.to_string());
            }
            other => panic!("{other:?}"),
        }
    }
    let same = ControlError::SameInstance {
        animation: 0,
        instance_index: 0,
    };
    let twice = vec![AnimationParameters::new(&set(), A); 2];
    assert_eq!(stopped().restore(state_of(twice)), Err(same));
}

#[test]
fn bytes_of_another_set_are_refused() {
    let bytes = busy().state().to_bytes(&set());
    let mut longer = set();
    longer.add(Animation::new("extra", 1.0)).unwrap();
    let mut slower = AnimationSet::new();
    for (name, length) in [("walk", 1.25), ("run", 0.75), ("wave", 2.5)] {
        slower.add(Animation::new(name, length)).unwrap();
    }
    for other in [longer, slower, AnimationSet::new()] {
        let error = StateBytesError::SetMismatch {
            offset: 1,
            expected: other.fingerprint(),
            found: set().fingerprint(),
        };
        assert_eq!(ControllerState::from_bytes(&bytes, &other), Err(error));
    }
}

/// S90.
#[test]
fn every_field_survives_bytes() {
    let plain = AnimationParameters::new(&set(), B);
    type Put = fn(&mut AnimationParameters);
    let puts: [Put; 22] = [
        |p| p.looped = true,
        |p| p.ping_pong = true,
        |p| p.backwards = true,
        |p| p.remove_on_completion = false,
        |p| p.remove_on_zero_weight = false,
        |p| p.blend_mode = sinew::control::BlendMode::Additive,
        |p| p.instance_index = u32::MAX,
        |p| p.layer = 128,
        |p| p.start_bone = "Hüfte".into(),
        |p| p.mask = "arms".into(),
        |p| p.auto_fade_out_time = 1e-40,
        |p| p.time = WrappedScalar::new(0.5, 0.0, 0.75),
        |p| p.time = WrappedScalar::new(0.0, -1e30, 0.75),
        |p| p.time = WrappedScalar::new(0.0, 0.0, f32::MAX),
        |p| p.speed = -0.0,
        |p| p.weight = f32::MIN,
        |p| p.target_weight = 0.0,
        |p| p.target_weight = -0.0,
        |p| p.target_weight = f32::MIN_POSITIVE,
        |p| p.target_weight_delay = 1e8,
        |p| p.sync_group = "Füße".into(),
        |p| p.fade_mode = sinew::control::FadeMode::Inertial,
    ];
    for (index, put) in puts.into_iter().enumerate() {
        let mut one = plain.clone();
        put(&mut one);
        let state = state_of(vec![one]);
        let back = read(&state.to_bytes(&set())).unwrap();
        assert_eq!(back, state, "{index}");
        // Zeros keep their sign.
        assert_eq!(format!("{back:?}"), format!("{state:?}"));
    }
    let state = state_of(vec![
        odd(),
        AnimationParameters::new(&set(), A),
        odd_second(),
    ]);
    assert_eq!(read(&state.to_bytes(&set())), Ok(state));
    for revision in [0, 1, 63, 64, u32::MAX] {
        for is_dirty in [false, true] {
            let state = ControllerState {
                animations: Vec::new(),
                revision,
                is_dirty,
                ..ControllerState::default()
            };
            assert_eq!(read(&state.to_bytes(&set())), Ok(state));
        }
    }
}

#[test]
fn common_states_are_small() {
    let size = |parameters: AnimationParameters| {
        let empty = ControllerState::default().to_bytes(&set()).len();
        assert_eq!(empty, 7);
        let state = ControllerState {
            animations: vec![parameters],
            ..ControllerState::default()
        };
        state.to_bytes(&set()).len() - empty
    };
    let walk = AnimationParameters::new(&set(), A).looped();
    assert_eq!(size(walk.clone()), 2);
    let walk = walk.time(0.7);
    assert_eq!(size(walk.clone()), 6);
    let mut fading_in = walk.clone();
    fading_in.weight = 0.3;
    fading_in.target_weight_delay = 0.4;
    assert_eq!(size(fading_in.clone()), 14);
    let mut fading_out = fading_in.clone();
    fading_out.target_weight = 0.0;
    assert_eq!(size(fading_out.clone()), 14);
    for mut fading in [fading_in, fading_out] {
        fading.instance_index = 1;
        fading.layer = 2;
        assert_eq!(size(fading), 16);
    }
}

#[test]
fn the_byte_layout_is_fixed() {
    let mut walk = AnimationParameters::new(&set(), A).looped().time(0.5);
    walk.weight = 0.25;
    walk.target_weight_delay = 1.5;
    let state = state_of(vec![walk, odd()]);
    let mut expected = vec![1];
    expected.extend(0x7623_14f1_u32.to_le_bytes());
    // Revision 5, no switch, dirty; two instances.
    expected.extend([5 << 2 | 1, 2]);
    // Looped, time, weight, delay.
    expected.extend([0, 0b1_0111]);
    for number in [0.5_f32, 0.25, 1.5] {
        expected.extend(number.to_le_bytes());
    }
    // Everything but the target zero.
    expected.extend([2, 0xf7, 0xff, 0x1f]);
    for number in [1.375_f32, 0.6, 0.9] {
        expected.extend(number.to_le_bytes());
    }
    expected.extend([0xac, 2, 0xf0, 0xa2, 4]);
    for number in [0.7_f32, -1.5, 0.125] {
        expected.extend(number.to_le_bytes());
    }
    expected.push(17);
    expected.extend("Spine 1, größer".bytes());
    for number in [3.5_f32, -0.25] {
        expected.extend(number.to_le_bytes());
    }
    expected.extend(b"\x04arms");
    assert_eq!(state.to_bytes(&set()), expected);
}
