//! Controllers on the 2D sample and on every real character: what plays alone, and what fades.

use sinew::control::ArmatureBinding;
use sinew::math::shortest_angle;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureState, FrameSettings, Repeat,
    animate, time_frame_exact,
};
use sinew::{AnimationController, AnimationIndex, AnimationParameters, AnimationSet};
use sinew_formats::skf;
use sinew_testing::corpus;
use std::sync::Arc;

const SAMPLE: &[u8] = include_bytes!("../../../../samples/pip.skf");

fn pip() -> Arc<Armature> {
    skf::read_bytes(SAMPLE).unwrap().armature
}

/// The sample character.
fn sample_character() -> Vec<(String, Arc<Armature>)> {
    vec![("pip.skf".to_owned(), pip())]
}

/// Every character of the corpus that can be read.
fn real_characters() -> Vec<(String, Arc<Armature>)> {
    let files = corpus::skf_files("skf").into_iter();
    let characters = files.filter_map(|file| {
        let character = skf::read(&file).ok()?;
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        Some((name, character.armature))
    });
    characters.collect()
}

fn indices(armature: &Armature) -> Vec<AnimationIndex> {
    (0..armature.animations().len()).map(Into::into).collect()
}

/// What SkelForm's own function shows.
fn plain(armature: &Armature, index: ArmatureAnimationIndex, frame: f32) -> ArmatureState {
    let mut state = armature.new_state();
    animate(armature, &mut state, &[AnimationFrame::new(index, frame)]).unwrap();
    state
}

/// The frame at a time; what `Loop` shows up to the end, the last frame at the end.
fn frame(armature: &Armature, index: ArmatureAnimationIndex, seconds: f32, repeat: Repeat) -> f32 {
    let settings = FrameSettings {
        repeat,
        ..FrameSettings::default()
    };
    let animation = armature.animation(index).unwrap();
    time_frame_exact(f64::from(seconds), animation, settings)
}

#[test]
fn a_state_of_another_character_is_refused_and_unchanged() {
    let pip = pip();
    let set = Arc::new(AnimationSet::of_armature(&pip));
    let mut binding = ArmatureBinding::new(&set, &pip);
    let controller = AnimationController::new(set);
    let other = Armature::new(sinew::skelform::ArmatureData::default()).unwrap();
    let mut state = other.new_state();
    assert!(binding.apply(&controller, &mut state).is_err());
    assert_eq!(state, other.new_state());
}

#[test]
fn animations_of_another_character_are_reported_and_show_rest() {
    let (pip, twin) = (pip(), pip());
    let set = Arc::new(AnimationSet::of_armature(&twin));
    let mut binding = ArmatureBinding::new(&set, &pip);
    assert_eq!(binding.warnings().len(), pip.animations().len());
    let mut controller = AnimationController::new(set.clone());
    let walk = AnimationParameters::new(&set, 1.into()).time(0.3);
    controller.play_new(walk, 0.0).unwrap();
    let mut state = plain(&pip, 0.into(), 50.0);
    binding.apply(&controller, &mut state).unwrap();
    assert_eq!(state, pip.new_state());
}

#[test]
fn without_playing_animations_the_state_is_rest() {
    let pip = pip();
    let set = Arc::new(AnimationSet::of_armature(&pip));
    let mut binding = ArmatureBinding::new(&set, &pip);
    let mut state = plain(&pip, 2.into(), 60.0);
    assert_ne!(state, pip.new_state());
    binding
        .apply(&AnimationController::new(set), &mut state)
        .unwrap();
    assert_eq!(state, pip.new_state());
}

#[test]
fn a_lone_animation_equals_animate_at_any_time_and_weight() {
    assert!(animations_alone(&sample_character()) > 0);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_lone_animation_equals_animate_for_every_real_character() {
    assert!(animations_alone(&real_characters()) > 0);
}

/// Compares each animation, played alone at many times and weights, with `animate`; returns the number of comparisons.
fn animations_alone(characters: &[(String, Arc<Armature>)]) -> usize {
    let mut moments = 0;
    for (file, armature) in characters {
        let set = Arc::new(AnimationSet::of_armature(armature));
        let mut binding = ArmatureBinding::new(&set, armature);
        let mut state = armature.new_state();
        for index in indices(armature) {
            let armature_index = ArmatureAnimationIndex(index.0);
            let length = set.length(index).unwrap();
            for (looped, weight) in [(true, 1.0), (false, 1.0), (false, 0.25)] {
                let parameters = AnimationParameters::new(&set, index).weight(weight);
                let parameters = AnimationParameters {
                    looped,
                    ..parameters
                }
                .keep_on_completion();
                let mut controller = AnimationController::new(set.clone());
                controller.play_new(parameters, 0.0).unwrap();
                // Frames, thirds of frames and the end itself.
                for part in 0..=240 {
                    let time = length * part as f32 / 240.0;
                    controller.update_animation_time(index, time);
                    controller.update(0.0);
                    binding.apply(&controller, &mut state).unwrap();
                    let repeat = if looped && part < 240 {
                        Repeat::Loop
                    } else {
                        Repeat::Once
                    };
                    let shown_frame = frame(armature, armature_index, time, repeat);
                    let expected = plain(armature, armature_index, shown_frame);
                    assert_eq!(
                        state, expected,
                        "{file}, {index:?} at {time} ({shown_frame})"
                    );
                    moments += 1;
                }
                // And as it runs, over the end where it is looped.
                for _ in 0..90 {
                    controller.update(length / 37.0);
                    binding.apply(&controller, &mut state).unwrap();
                    let time = controller.animations()[0].time.value();
                    let shown_frame = frame(armature, armature_index, time, Repeat::Once);
                    assert_eq!(
                        state,
                        plain(armature, armature_index, shown_frame),
                        "{file}, {index:?} at {time}"
                    );
                    moments += 1;
                }
            }
        }
    }
    let count = characters.len();
    corpus::say(&format!(
        "{moments} moments of {count} characters, each as animate shows it"
    ));
    moments
}

/// All numbers of a state, and whether each is a rotation.
fn numbers(state: &ArmatureState) -> Vec<(f32, bool)> {
    let bones = state.bones().iter().flat_map(|bone| {
        let [x, y] = bone.position.to_array();
        let [w, h] = bone.scale.to_array();
        [
            (x, false),
            (y, false),
            (bone.rotation, true),
            (w, false),
            (h, false),
        ]
    });
    let tints = state.tints().iter();
    let tints = tints.flat_map(|tint| [tint.r, tint.g, tint.b, tint.a].map(|n| (n, false)));
    bones.chain(tints).collect()
}

/// From one number to another, the shorter way where it is a rotation.
fn way(from: (f32, bool), to: (f32, bool)) -> f32 {
    if from.1 {
        shortest_angle(from.0, to.0)
    } else {
        to.0 - from.0
    }
}

/// A controller and what it shows.
struct Player {
    controller: AnimationController,
    binding: ArmatureBinding,
    state: ArmatureState,
}

const DT: f32 = 1.0 / 60.0;
const FADE: f32 = 0.3;

impl Player {
    fn new(armature: &Arc<Armature>, set: &Arc<AnimationSet>) -> Self {
        Self {
            controller: AnimationController::new(set.clone()),
            binding: ArmatureBinding::new(set, armature),
            state: armature.new_state(),
        }
    }

    fn play(&mut self, index: AnimationIndex, fade: f32) {
        let parameters = AnimationParameters::new(self.controller.animation_set(), index).looped();
        self.controller
            .play_new_exclusive(parameters, fade)
            .unwrap();
    }

    fn update(&mut self) -> Vec<(f32, bool)> {
        self.controller.update(DT);
        self.binding
            .apply(&self.controller, &mut self.state)
            .unwrap();
        numbers(&self.state)
    }
}

/// What a cross-fade was measured to do.
#[derive(Default)]
struct Seen {
    /// Numbers compared between two updates.
    steps: usize,
    /// Steps of rotations that turn to the other side: the two animations were opposite.
    turns: usize,
    /// The largest step of one, in radians.
    largest_turn: f32,
    /// The largest part of its bound that any other step took.
    largest_part: f32,
}

/// Fades from one animation to another and holds every number of every update to this bound:
///
/// A number moves no further in one update than the faster of the two animations alone moves it in that
/// update, and on top of that the share dt / fade of the way between the two.
///
/// Where the way between two rotations turns to the other side, which it does when they become opposite,
/// the bound cannot hold: the shorter way is another one.
fn fade(armature: &Arc<Armature>, set: &Arc<AnimationSet>, pair: [AnimationIndex; 2]) -> Seen {
    let mut seen = Seen::default();
    for ticks in [1, 20, 47] {
        fade_after(ticks, armature, set, pair, &mut seen);
    }
    seen
}

/// The same, begun when the first animation has played for some updates.
fn fade_after(
    ticks: usize,
    armature: &Arc<Armature>,
    set: &Arc<AnimationSet>,
    pair: [AnimationIndex; 2],
    seen: &mut Seen,
) {
    let mut players = [(); 3].map(|()| Player::new(armature, set));
    let [mixed, first, second] = &mut players;
    mixed.play(pair[0], 0.0);
    first.play(pair[0], 0.0);
    for _ in 0..ticks {
        mixed.update();
        first.update();
    }
    second.play(pair[1], 0.0);
    second.controller.update(0.0);
    second
        .binding
        .apply(&second.controller, &mut second.state)
        .unwrap();
    mixed.play(pair[1], FADE);
    let mut was = [&*mixed, first, second].map(|player| numbers(&player.state));
    for tick in 0..30 {
        let current = [&mut *mixed, first, second].map(Player::update);
        for index in 0..current[0].len() {
            let step = |player: usize| way(was[player][index], current[player][index]).abs();
            let between = way(was[1][index], was[2][index]);
            let after = way(current[1][index], current[2][index]);
            let alone = step(1).max(step(2));
            // What f32 rounds away in the weights and the numbers.
            let size = current[0][index].0.abs().max(between.abs()).max(1.0);
            let bound = alone + between.abs() * (DT / FADE) + size * 2e-6;
            let found = step(0);
            seen.steps += 1;
            let turns = current[0][index].1 && between * after < 0.0 && between.abs() > 1.5;
            if turns && found > bound {
                seen.turns += 1;
                seen.largest_turn = seen.largest_turn.max(found);
            } else {
                assert!(
                    found <= bound,
                    "{pair:?}, number {index} at update {tick}: {found} > {bound} ({alone}, {between})"
                );
                seen.largest_part = seen.largest_part.max(found / bound);
            }
        }
        was = current;
    }
    assert_eq!(mixed.controller.num_animations(), 1);
    assert_eq!(
        mixed.state, second.state,
        "what is left is the second alone"
    );
}

/// Ordered pairs of animations, at most `count`, evenly chosen.
fn pairs(armature: &Armature, count: usize) -> Vec<[AnimationIndex; 2]> {
    let all = indices(armature);
    let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b]));
    let pairs: Vec<_> = pairs.filter(|[a, b]| a != b).collect();
    let step = pairs.len().div_ceil(count).max(1);
    pairs.into_iter().step_by(step).collect()
}

#[test]
fn a_crossfade_of_the_sample_never_moves_faster_than_its_bound() {
    let armature = pip();
    let set = Arc::new(AnimationSet::of_armature(&armature));
    let pairs = pairs(&armature, usize::MAX);
    assert_eq!(pairs.len(), 12);
    let (mut turns, mut steps) = (0, 0);
    for pair in pairs {
        let seen = fade(&armature, &set, pair);
        turns += seen.turns;
        steps += seen.steps;
    }
    assert_eq!(turns, 0, "of {steps} steps");
}

#[test]
fn crossfades_of_the_sample_never_move_faster_than_their_bound() {
    assert!(cross_fades(&sample_character()) > 0);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn crossfades_of_real_characters_never_move_faster_than_their_bound() {
    assert!(cross_fades(&real_characters()) > 0);
}

/// Cross-fades between animations of each character, and checks each step; returns the number of characters with fades.
fn cross_fades(characters: &[(String, Arc<Armature>)]) -> usize {
    let (mut fades, mut files, mut steps, mut turns) = (0, 0, 0, 0);
    let (mut largest, mut part) = (0.0_f32, 0.0_f32);
    for (file, armature) in characters {
        let set = Arc::new(AnimationSet::of_armature(armature));
        let pairs = pairs(armature, 20);
        files += usize::from(!pairs.is_empty());
        for pair in pairs {
            let seen = fade(armature, &set, pair);
            if seen.turns > 0 {
                let names = pair.map(|index| set.name(index).unwrap());
                corpus::say(&format!(
                    "{file}, {names:?}: {} steps where rotations are opposite, the largest of {} radians",
                    seen.turns, seen.largest_turn
                ));
            }
            fades += 3;
            steps += seen.steps;
            turns += seen.turns;
            largest = largest.max(seen.largest_turn);
            part = part.max(seen.largest_part);
        }
    }
    corpus::say(&format!(
        "{fades} cross-fades of {files} characters: {steps} steps within {part} of their bound, \
         {turns} where rotations are opposite (up to {largest} radians)"
    ));
    files
}
