//! Controllers and animations to test them with.

use sinew::control::Mask;
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet,
    ControllerState,
};
use std::sync::Arc;

/// A controller over animations without tracks, which are known by their position here.
pub fn controller(lengths: &[f32]) -> AnimationController {
    let mut set = AnimationSet::new();
    for (index, &length) in lengths.iter().enumerate() {
        set.add(Animation::new(format!("animation {index}"), length))
            .unwrap();
    }
    AnimationController::new(Arc::new(set))
}

pub const A: AnimationIndex = AnimationIndex(0);
pub const B: AnimationIndex = AnimationIndex(1);
pub const C: AnimationIndex = AnimationIndex(2);
pub const D: AnimationIndex = AnimationIndex(3);

/// An animation of the controller's set, once from its beginning.
pub fn play(controller: &AnimationController, index: AnimationIndex) -> AnimationParameters {
    AnimationParameters::new(controller.animation_set(), index)
}

/// Plays one animation of `length` seconds with what `how` makes of its parameters.
pub fn playing(
    length: f32,
    how: impl FnOnce(AnimationParameters) -> AnimationParameters,
) -> AnimationController {
    let mut controller = controller(&[length]);
    let parameters = how(play(&controller, A));
    controller.play_new(parameters, 0.0).unwrap();
    controller
}

/// Weight, target weight and delay at a position of the list.
pub fn fade(controller: &AnimationController, index: usize) -> [f32; 3] {
    let playing = &controller.animations()[index];
    [
        playing.weight,
        playing.target_weight,
        playing.target_weight_delay,
    ]
}

/// The time at a position of the list.
pub fn time(controller: &AnimationController, index: usize) -> f32 {
    controller.animations()[index].time.value()
}

/// What plays: animation, instance index, time, weight.
pub fn list(controller: &AnimationController) -> Vec<(u32, u32, f32, f32)> {
    let all = controller.animations().iter();
    all.map(|playing| {
        (
            playing.animation.0,
            playing.instance_index,
            playing.time.value(),
            playing.weight,
        )
    })
    .collect()
}

/// Three animations and a mask.
pub fn set() -> AnimationSet {
    let mut set = AnimationSet::new();
    for (name, length) in [("walk", 1.25), ("run", 0.75), ("wave", 2.0)] {
        set.add(Animation::new(name, length)).unwrap();
    }
    set.set_mask("arms", Mask::none().with("Arm", 1.0));
    set
}

/// A controller of them.
pub fn stopped() -> AnimationController {
    AnimationController::new(Arc::new(set()))
}

/// Every field off its default.
pub fn odd() -> AnimationParameters {
    let mut odd = AnimationParameters::new(&set(), C)
        .ping_pong()
        .start_bone("Spine 1, größer")
        .mask("arms")
        .layer(70_000)
        .time_range(-0.25, 3.5)
        .time(1.375)
        .additive()
        .speed(-1.5)
        .auto_fade_out(0.125)
        .keep_on_completion()
        .keep_on_zero_weight();
    odd.backwards = true;
    odd.instance_index = 300;
    odd.weight = 0.6;
    odd.target_weight = 0.7;
    odd.target_weight_delay = 0.9;
    odd
}

pub fn state_of(animations: Vec<AnimationParameters>) -> ControllerState {
    ControllerState {
        animations,
        revision: 5,
        is_dirty: true,
        ..ControllerState::default()
    }
}

/// Four animations in the middle of things.
pub fn busy() -> AnimationController {
    let mut controller = stopped();
    let (walk, run, wave) = (
        play(&controller, A).looped(),
        play(&controller, B).looped(),
        play(&controller, C),
    );
    controller.play_new(walk.clone(), 0.0).unwrap();
    controller.update(0.3);
    controller.play_new_exclusive(run.speed(1.1), 0.7).unwrap();
    controller
        .play_new(walk.additive().layer(2).weight(0.3), 0.0)
        .unwrap();
    let wave = wave
        .auto_fade_out(0.4)
        .layer(1)
        .start_bone("Spine")
        .mask("arms");
    controller.play_new(wave, 0.2).unwrap();
    controller.update(0.1);
    controller
}

/// Another instance of it.
pub fn odd_second() -> AnimationParameters {
    AnimationParameters {
        instance_index: 2,
        start_bone: "".into(),
        ..odd()
    }
}

/// A generator of numbers that look random, the same on every run: SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `count` - 1.
    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    pub fn chance(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// From 0 to 1.
    pub fn ratio(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 24) as f32
    }

    /// A multiple of 1/64 below `limit`.
    pub fn dyadic(&mut self, limit: u64) -> f32 {
        self.below(limit * 64) as f32 / 64.0
    }
}
