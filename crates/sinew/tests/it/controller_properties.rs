//! What holds whatever is done to a controller, and in whichever steps time passes.

use control::Dice;
use sinew::control::{BlendMode, ControllerDiff, Mask, WrappedScalar};
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet,
    ControllerState,
};
use sinew_testing::control;
use std::sync::Arc;

/// Weights below this count as zero.
const NONE: f32 = 5e-5;

fn set() -> Arc<AnimationSet> {
    let mut set = AnimationSet::new();
    for (index, length) in [1.0, 0.0, 2.5, 4e-5, f32::MAX].into_iter().enumerate() {
        let mut animation = Animation::new(format!("animation {index}"), length);
        for time in [0.0, 0.5, 0.5, 1e30] {
            animation.add_trigger(time, time);
        }
        set.add(animation).unwrap();
    }
    set.set_mask("arms", Mask::none());
    Arc::new(set)
}

/// Calls and numbers of all kinds.
trait AnyCall {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T;
    fn wild(&mut self) -> f32;
    fn tame(&mut self) -> f32;
    fn index(&mut self) -> AnimationIndex;
    fn parameters(&mut self, set: &AnimationSet) -> AnimationParameters;
}

impl AnyCall for Dice {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Any number, often NaN or infinite.
    fn wild(&mut self) -> f32 {
        match self.below(8) {
            0 => self.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
            1 => self.pick(&[f32::MAX, f32::MIN, 1e30, -1e30, 1e9, -1e9]),
            2 => self.pick(&[f32::MIN_POSITIVE, 1e-40, -1e-45, -0.0, 4e-5, 1e-6]),
            3 => f32::from_bits(self.bits() as u32),
            4 => self.pick(&[0.0, 1.0, -1.0, 0.5]),
            5 => self.dyadic(4),
            _ => self.ratio() * 4.0 - 1.0,
        }
    }

    /// A number that a call may take, and now and then any.
    fn tame(&mut self) -> f32 {
        if self.chance(4) {
            self.wild()
        } else {
            self.pick(&[0.0, 0.25, 0.5, 1.0, 2.0]) + self.ratio()
        }
    }

    fn index(&mut self) -> AnimationIndex {
        AnimationIndex(self.below(6) as u32)
    }

    fn parameters(&mut self, set: &AnimationSet) -> AnimationParameters {
        let index = self.index();
        let mut parameters = AnimationParameters::new(set, index);
        parameters.looped = self.chance(2);
        parameters.ping_pong = self.chance(4);
        parameters.backwards = self.chance(4);
        parameters.remove_on_completion = !self.chance(3);
        parameters.remove_on_zero_weight = !self.chance(3);
        parameters.instance_index = self.below(3) as u32;
        parameters.layer = self.pick(&[0, 0, 1, 1, 2, 7, u32::MAX]);
        parameters.speed = self.pick(&[1.0, 1.0, -1.0, 0.0, 2.5]);
        if self.chance(2) {
            parameters.time.set(self.tame());
        }
        if self.chance(4) {
            parameters.blend_mode = BlendMode::Additive;
            parameters.start_bone = "Spine".into();
        }
        if self.chance(8) {
            parameters.mask = self.pick(&["arms", "legs", ""]).into();
        }
        if self.chance(4) {
            parameters.time = WrappedScalar::new(self.wild(), self.wild(), self.wild());
        }
        if self.chance(4) {
            parameters.weight = self.tame();
            parameters.target_weight = self.tame();
            parameters.target_weight_delay = self.tame();
        }
        if self.chance(4) {
            parameters.auto_fade_out_time = self.tame();
        }
        if self.chance(16) {
            parameters.speed = self.wild();
        }
        parameters
    }
}

type Identity = (AnimationIndex, u32);

fn identities(animations: &[AnimationParameters]) -> Vec<Identity> {
    let identity =
        |parameters: &AnimationParameters| (parameters.animation, parameters.instance_index);
    animations.iter().map(identity).collect()
}

/// What may become of a list.
#[derive(Debug, PartialEq)]
enum Effect {
    /// The same instances stay in the same order; others may follow.
    Stays,
    /// The one at this position goes.
    Loses(usize),
    /// What has ended goes.
    TimePasses,
    /// Everything stays, in another order.
    Merges,
    /// It is another list.
    Restores,
}

/// Does one thing of all that can be done.
fn act(dice: &mut Dice, controller: &mut AnimationController) -> Effect {
    let set = controller.animation_set().clone();
    let count = controller.num_animations() as u64;
    let position = dice.below(count + 2) as usize;
    let index = dice.index();
    let layer = dice.pick(&[0, 1, 2, 9]);
    match dice.below(20) {
        0 => _ = controller.add_animation(dice.parameters(&set)),
        1 => {
            let mut parameters = dice.parameters(&set);
            if let (Some(old), false) = (controller.animation_parameters(position), dice.chance(8))
            {
                (parameters.animation, parameters.instance_index) =
                    (old.animation, old.instance_index);
            }
            _ = controller.update_animation(position, parameters);
        }
        2 => {
            return match controller.remove_animation(position) {
                Ok(_) => Effect::Loses(position),
                Err(_) => Effect::Stays,
            };
        }
        3 => _ = controller.play_new(dice.parameters(&set), dice.tame()),
        4 => _ = controller.play_new_exclusive(dice.parameters(&set), dice.tame()),
        5 => _ = controller.play_existing(dice.parameters(&set), dice.tame()),
        6 => _ = controller.play_existing_exclusive(dice.parameters(&set), dice.tame()),
        7 => _ = controller.fade(index, dice.tame(), dice.tame()),
        8 => _ = controller.stop(index, dice.tame()),
        9 => _ = controller.stop_layer(layer, dice.tame()),
        10 => _ = controller.stop_layer_except(layer, position, dice.tame()),
        11 => _ = controller.stop_all(dice.tame()),
        12 => _ = controller.update_animation_time(index, dice.wild()),
        13 => _ = controller.update_animation_weight(index, dice.wild(), dice.wild()),
        14 => _ = controller.update_animation_speed(index, dice.wild()),
        15 => {
            let list: Vec<AnimationParameters> = match dice.below(3) {
                0 => controller
                    .animations()
                    .iter()
                    .skip(position)
                    .cloned()
                    .collect(),
                _ => (0..dice.below(4)).map(|_| dice.parameters(&set)).collect(),
            };
            let layers = [layer];
            let layers = if dice.chance(2) { &layers[..] } else { &[] };
            _ = controller.replace_animations(&list, dice.tame(), dice.tame(), layers);
            return Effect::Merges;
        }
        16 if dice.chance(8) => {
            let mut state = controller.state().clone();
            if dice.chance(2) {
                state.animations.push(dice.parameters(&set));
            } else {
                state.animations.truncate(position);
            }
            _ = controller.restore(state);
            return Effect::Restores;
        }
        17 => {
            _ = controller.find_last_animation(index);
            _ = controller.find_last_animation_on_layer(index, layer);
            _ = controller.last_animation_parameters(index);
            _ = controller.is_playing(index);
            _ = controller.animation_parameters(position);
            if dice.chance(2) {
                _ = controller.replace_set(Arc::new(AnimationSet::new()));
            }
            _ = controller.replace_set(set);
        }
        _ => {
            controller.update(if dice.chance(8) {
                dice.wild()
            } else {
                dice.ratio()
            });
            return Effect::TimePasses;
        }
    }
    Effect::Stays
}

/// Whether an update may have taken this one away.
fn may_go(before: &AnimationParameters) -> bool {
    let ends = !before.looped && before.remove_on_completion && before.auto_fade_out_time == 0.0;
    let fades = !before.looped && before.auto_fade_out_time > 0.0;
    let vanishes = before.remove_on_zero_weight && before.target_weight < NONE;
    ends || fades || vanishes
}

fn is_subsequence(part: &[Identity], whole: &[Identity]) -> bool {
    let mut whole = whole.iter();
    part.iter()
        .all(|identity| whole.any(|other| other == identity))
}

fn assert_holds(before: &ControllerState, controller: &AnimationController, effect: &Effect) {
    let animations = controller.animations();
    for playing in animations {
        assert!(
            playing.time.min() <= playing.time.value()
                && playing.time.value() <= playing.time.max()
        );
        for number in [
            playing.time.value(),
            playing.time.min(),
            playing.time.max(),
            playing.weight,
            playing.target_weight,
            playing.speed,
        ] {
            assert!(number.is_finite(), "{playing:?}");
        }
        for duration in [playing.target_weight_delay, playing.auto_fade_out_time] {
            assert!(duration.is_finite() && duration >= 0.0, "{playing:?}");
        }
        assert!((0.0..=1.0).contains(&playing.applied_weight()));
    }
    let ids = identities(animations);
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");

    let old = identities(&before.animations);
    match effect {
        Effect::Stays => assert!(ids.starts_with(&old), "{old:?} {ids:?}"),
        Effect::Loses(index) => {
            let mut left = old;
            left.remove(*index);
            assert_eq!(ids, left);
        }
        Effect::TimePasses => {
            assert!(is_subsequence(&ids, &old));
            for playing in &before.animations {
                let stays = ids.contains(&(playing.animation, playing.instance_index));
                assert!(stays || may_go(playing), "{playing:?}");
            }
            assert!(!controller.state().is_dirty);
        }
        // A list that names an instance twice may give one of the two another index.
        Effect::Merges => assert!(ids.len() >= old.len(), "{old:?} {ids:?}"),
        Effect::Restores => {}
    }

    let mut expected: Vec<(u32, usize)> = Vec::new();
    expected.extend(
        animations
            .iter()
            .enumerate()
            .map(|(index, playing)| (playing.layer, index)),
    );
    expected.sort_unstable();
    let applied = controller
        .application_order()
        .map(|(index, playing)| (playing.layer, index));
    assert!(applied.eq(expected), "{ids:?}");
    for fired in controller.triggers() {
        assert!(fired.trigger.time >= 0.0);
    }
}

#[test]
fn a_controller_stays_valid_after_any_calls_in_any_order() {
    assert_valid_after_any_calls(40_000);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn a_controller_stays_valid_after_any_calls_exhaustively() {
    assert_valid_after_any_calls(200_000);
}

fn assert_valid_after_any_calls(controllers: usize) {
    let set = set();
    let mut dice = Dice(2026);
    let mut longest = 0;
    for _ in 0..controllers {
        let mut controller = AnimationController::new(set.clone());
        for _ in 0..1 + dice.below(40) {
            let before = controller.state().clone();
            let effect = act(&mut dice, &mut controller);
            assert_holds(&before, &controller, &effect);
        }
        longest = longest.max(controller.num_animations());
    }
    assert!(longest >= 8, "{longest}: nothing was going on");
}

#[test]
fn a_controller_restored_at_any_step_continues_to_the_bit() {
    let set = set();
    let mut dice = Dice(7);
    for round in 0..4_000 {
        let mut controller = AnimationController::new(set.clone());
        for _ in 0..dice.below(20) {
            act(&mut dice, &mut controller);
        }
        let mut restored = AnimationController::new(set.clone());
        let bytes = controller.state().to_bytes(&set);
        restored
            .restore(ControllerState::from_bytes(&bytes, &set).unwrap())
            .unwrap();
        let mut saved = AnimationController::new(set.clone());
        saved.restore(saved_and_loaded(controller.state())).unwrap();

        let mut base = controller.state().clone();
        for _ in 0..10 {
            for other in [&mut restored, &mut saved] {
                act(&mut Dice(dice.0), other);
            }
            act(&mut dice, &mut controller);
            let expected = controller.state().to_bytes(&set);
            assert_eq!(restored.state().to_bytes(&set), expected, "round {round}");
            assert_eq!(saved.state().to_bytes(&set), expected, "round {round}");

            let diff = controller.state().diff(&base);
            let bytes = diff.to_bytes(&base, &set).unwrap();
            assert_eq!(
                ControllerDiff::from_bytes(&bytes, &base, &set).unwrap(),
                diff
            );
            base.apply_diff(&diff).unwrap();
            assert_eq!(base.to_bytes(&set), expected, "round {round}");
        }
    }
}

fn saved_and_loaded(state: &ControllerState) -> ControllerState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

/// A controller with a few animations whose numbers are multiples of 1/64, or any.
fn fading(dice: &mut Dice, is_dyadic: bool) -> AnimationController {
    let mut set = AnimationSet::new();
    for (index, length) in [1.0, 0.75, 2.5].into_iter().enumerate() {
        set.add(Animation::new(format!("animation {index}"), length))
            .unwrap();
    }
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    for _ in 0..1 + dice.below(4) {
        let mut number = |limit: u64| match is_dyadic {
            true => dice.dyadic(limit),
            false => dice.ratio() * limit as f32,
        };
        let (time, weight, target, delay) = (number(2), number(1), number(1), number(3));
        let mut parameters = AnimationParameters::new(&set, AnimationIndex(dice.below(3) as u32));
        parameters.time.set(time);
        parameters.weight = weight;
        parameters.target_weight = if dice.chance(3) { 0.0 } else { target };
        // Weights on the way are then multiples of 1/16384.
        let powers = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0];
        parameters.target_weight_delay = if is_dyadic { dice.pick(&powers) } else { delay };
        parameters.looped = !is_dyadic || dice.chance(2);
        parameters.ping_pong = dice.chance(3);
        parameters.speed = dice.pick(&[1.0, 0.5, -1.0, 2.0, -0.25, 0.0]);
        parameters.remove_on_completion = dice.chance(2);
        parameters.remove_on_zero_weight = dice.chance(2);
        if is_dyadic && dice.chance(4) {
            // A fade-out that begins on its own puts an end to one under way, so there is none here.
            parameters.weight = parameters.target_weight;
            parameters.target_weight_delay = 0.0;
            parameters.auto_fade_out_time = dice.pick(&[0.25, 0.5, 1.0]);
        }
        controller.add_animation(parameters).unwrap();
    }
    controller
}

#[test]
fn splitting_a_step_of_64ths_changes_nothing() {
    let mut dice = Dice(11);
    for round in 0..20_000 {
        let mut whole = fading(&mut dice, true);
        let mut split = whole.clone();
        let step = dice.dyadic(3) + 1.0 / 64.0;
        whole.update(step);
        let mut left = step;
        while left > 0.0 {
            let part = (dice.dyadic(1) + 1.0 / 64.0).min(left);
            split.update(part);
            left -= part;
        }
        assert_eq!(split.state(), whole.state(), "round {round}");
    }
}

#[test]
fn splitting_any_step_leaves_weights_within_1e_5() {
    let mut dice = Dice(13);
    for round in 0..20_000 {
        let mut whole = fading(&mut dice, false);
        let mut split = whole.clone();
        let step = dice.ratio() * 3.0;
        whole.update(step);
        let count = 1 + dice.below(10);
        for _ in 0..count {
            split.update(step / count as f32);
        }
        let (a, b) = (split.animations(), whole.animations());
        assert_eq!(identities(a), identities(b), "round {round}");
        for (a, b) in a.iter().zip(b) {
            assert!((a.weight - b.weight).abs() < 1e-5, "{a:?} {b:?}");
            assert!((a.target_weight_delay - b.target_weight_delay).abs() < 1e-5);
        }
    }
}

#[test]
fn distinct_layers_are_applied_in_layer_order() {
    let set = set();
    let mut dice = Dice(17);
    for _ in 0..2_000 {
        let count = 1 + dice.below(8) as u32;
        let mut layers: Vec<u32> = (0..count).map(|layer| layer * 3).collect();
        let mut orders = Vec::new();
        for _ in 0..3 {
            for index in (1..layers.len()).rev() {
                layers.swap(index, dice.below(index as u64 + 1) as usize);
            }
            let mut controller = AnimationController::new(set.clone());
            for &layer in &layers {
                let index = AnimationIndex(layer % 5);
                let parameters = AnimationParameters::new(&set, index).layer(layer);
                controller.play_new(parameters, 0.0).unwrap();
            }
            let order: Vec<_> = controller
                .application_order()
                .map(|(_, playing)| (playing.animation, playing.layer))
                .collect();
            orders.push(order);
        }
        assert_eq!(orders[0], orders[1]);
        assert_eq!(orders[0], orders[2]);
        assert!(orders[0].is_sorted_by_key(|order| order.1));
    }
}
