//! Attributes under animation: values of every type, blended, added and replaced.

use crate::binding_common;
use binding_common::{held, set_of, turn};
use sinew::animation::{Variant, VariantInterpolation, VariantKey, VariantTrack, VariantType};
use sinew::glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};
use sinew::scene::{Component, Scene, SceneBinding};
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
use std::sync::Arc;

/// An animation with one variant track.
fn varying<V: Into<Variant>, const N: usize>(
    name: &str,
    path: &str,
    keys: [(f32, V); N],
) -> Animation {
    let mut animation = Animation::new(name, 1.0);
    animation.set_variant(track(path, keys));
    animation
}

fn track<V: Into<Variant>, const N: usize>(path: &str, keys: [(f32, V); N]) -> VariantTrack {
    VariantTrack::new(path, VariantInterpolation::Linear, keys).unwrap()
}

/// A scene, a controller on its root, and what applies it.
struct Stage {
    scene: Scene,
    controller: AnimationController,
    binding: SceneBinding,
}

impl Stage {
    fn new(scene: Scene, animations: impl IntoIterator<Item = Animation>) -> Self {
        let set: Arc<AnimationSet> = Arc::new(set_of(animations));
        Self {
            scene,
            controller: AnimationController::new(set.clone()),
            binding: SceneBinding::new(&set),
        }
    }

    /// Plays an animation of the set; it stays at its end.
    fn play(&mut self, name: &str, how: impl FnOnce(AnimationParameters) -> AnimationParameters) {
        let set = self.controller.animation_set();
        let parameters = AnimationParameters::new(set, set.find(name).unwrap());
        let parameters = how(parameters.keep_on_completion());
        self.controller.play_new(parameters, 0.0).unwrap();
    }

    fn update(&mut self, seconds: f32) {
        self.controller.update(seconds);
        let root = self.scene.root();
        let mut target = self.scene.target(root);
        self.binding.apply(&self.controller, &mut target);
    }

    fn variable(&self, name: &str) -> Variant {
        let root = self.scene.root();
        self.scene.variable(root, name).unwrap().clone()
    }
}

/// A root with a variable "x".
fn with_x(value: impl Into<Variant>) -> Scene {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    scene.set_variable(root, "x", value).unwrap();
    scene
}

const X: &str = "@/Variables/x";

fn plain(parameters: AnimationParameters) -> AnimationParameters {
    parameters
}

/// S66.
#[test]
fn floats_ints_and_texts_blend_add_and_hold() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    scene.set_variable(root, "float", 0.0_f32).unwrap();
    scene.set_variable(root, "int", 0).unwrap();
    scene.set_variable(root, "text", "").unwrap();
    let animations = [("1", 10, 20), ("2", 20, 30), ("3", 12, 16)].map(|(name, from, to)| {
        let mut animation = varying(name, "@/Variables/int", [(0.0, from), (0.4, to)]);
        let floats = [(0.0, from as f32), (0.4, to as f32)];
        animation.set_variant(track("@/Variables/float", floats));
        animation.set_variant(track("@/Variables/text", [(0.0, "A"), (0.4, "B")]));
        animation
    });
    let mut stage = Stage::new(scene, animations);
    stage.play("1", plain);
    stage.play("2", |parameters| parameters.layer(1).weight(0.5));
    stage.play("3", |parameters| parameters.layer(2).weight(0.5).additive());
    for (float, int, text) in [(24.0, 23, "A"), (27.0, 27, "B")] {
        stage.update(0.3);
        let Variant::Float(found) = stage.variable("float") else {
            panic!("another type");
        };
        assert!((found - float).abs() < 1e-5, "{found}");
        assert_eq!(stage.variable("int"), Variant::Int(int));
        assert_eq!(stage.variable("text"), text.into());
    }
    assert_eq!(stage.binding.warnings(), []);
}

/// What becomes of `first` when `second` is laid over it with half its weight, and then half of what lies
/// between `base` and `sample` is added.
fn blended(first: Variant, second: Variant, base: Variant, sample: Variant) -> [Variant; 2] {
    let animations = [
        varying("first", X, [(0.0, first.clone())]),
        varying("second", X, [(0.0, second)]),
        varying("more", X, [(0.0, base), (1.0, sample)]),
    ];
    let mut stage = Stage::new(with_x(first), animations);
    stage.play("first", plain);
    stage.play("second", |parameters| parameters.weight(0.5));
    stage.update(0.0);
    let lerped = stage.variable("x");
    stage.play("more", |parameters| {
        parameters.time(1.0).weight(0.5).additive()
    });
    stage.update(0.0);
    [lerped, stage.variable("x")]
}

/// S67.
#[test]
fn interpolated_integers_are_truncated_towards_zero() {
    let assert_equal = |[a, b]: [Variant; 2], c: Variant, d: Variant| assert_eq!([a, b], [c, d]);
    assert_equal(
        blended(7.into(), 10.into(), 4.into(), 7.into()),
        8.into(),
        9.into(),
    );
    let negative = blended((-7).into(), (-10).into(), (-4).into(), (-7).into());
    assert_equal(negative, (-8).into(), (-9).into());
    let v = |x, y| Variant::from(IVec2::new(x, y));
    let vector = blended(v(7, -7), v(10, -10), v(0, 0), v(3, -3));
    assert_equal(vector, v(8, -8), v(10, -10));
}

/// First, second, then base and sample of what is added, and what comes of it.
type Case = ([Variant; 4], [Variant; 2]);

fn cases() -> Vec<Case> {
    let f = |n: f32| Variant::Float(n);
    let text = |t: &str| Variant::from(t);
    let color = |r: f32, a: f32| Variant::Color(Vec4::new(r, 0.0, 0.0, a));
    let rect = |n: i32| Variant::from(IVec4::splat(n));
    let i3 = |n: i32| Variant::from(IVec3::new(n, -n, 0));
    let v4 = |n: f32| Variant::from(Vec4::new(n, 0.0, -n, 1.0));
    let y = |degrees: f64| Variant::Quat(turn(Vec3::Y, degrees));
    vec![
        // Bools and texts hold between keys and so replace at any weight; nothing can be added to them.
        (
            [false, true, false, false].map(Variant::from),
            [true, true].map(Variant::from),
        ),
        ([7, 10, 4, 7].map(Variant::from), [8, 9].map(Variant::from)),
        (
            [1_i64 << 40, 3 << 40, 0, 3].map(Variant::from),
            [1_i64 << 41, (1 << 41) + 1].map(Variant::from),
        ),
        ([1.0, 2.0, 5.0, 8.0].map(f), [1.5, 3.0].map(f)),
        (
            [1.0_f64, 2.0, 5.0, 8.0].map(Variant::from),
            [1.5_f64, 3.0].map(Variant::from),
        ),
        (
            [1.0, 2.0, 5.0, 8.0].map(|n| Variant::from(Vec2::new(n, -n))),
            [1.5, 3.0].map(|n| Variant::from(Vec2::new(n, -n))),
        ),
        (
            [1.0, 2.0, 5.0, 8.0].map(|n| Variant::from(Vec3::new(n, -n, 0.0))),
            [1.5, 3.0].map(|n| Variant::from(Vec3::new(n, -n, 0.0))),
        ),
        ([1.0, 2.0, 5.0, 8.0].map(v4), [1.5, 3.0].map(v4)),
        ([0.0, 60.0, 10.0, 50.0].map(y), [30.0, 50.0].map(y)),
        (
            [(0.0, 0.0), (1.0, 0.5), (0.0, 0.0), (0.5, 1.0)].map(|(r, a)| color(r, a)),
            [(0.5, 0.25), (0.75, 0.75)].map(|(r, a)| color(r, a)),
        ),
        (
            [7, 10, 0, 3].map(|n| Variant::from(IVec2::new(n, -n))),
            [8, 10].map(|n| Variant::from(IVec2::new(n, -n))),
        ),
        ([7, 10, 0, 3].map(i3), [8, 10].map(i3)),
        // Nothing can be added to a rectangle.
        ([7, 10, 0, 3].map(rect), [8, 8].map(rect)),
        (["a", "b", "c", "d"].map(text), ["b", "b"].map(text)),
    ]
}

#[test]
fn values_of_every_type_blend_and_add() {
    let cases = cases();
    let kinds: Vec<VariantType> = cases.iter().map(|(given, _)| given[0].kind()).collect();
    assert_eq!(kinds, VariantType::ALL, "every type once");
    for ([first, second, base, sample], expected) in cases {
        let found = blended(first, second, base, sample);
        for (found, expected) in found.into_iter().zip(expected) {
            if let (Variant::Quat(found), Variant::Quat(expected)) = (&found, &expected) {
                binding_common::same_turn(*found, *expected);
            } else {
                assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn values_of_every_type_are_written_to_attributes_of_their_type_alone() {
    for ([first, second, ..], _) in cases() {
        let animation = varying("a", "@Box/Value", [(0.0, second.clone())]);
        for kind in VariantType::ALL {
            let before = kind.from_numbers([0.0, 0.0, 0.0, 1.0]);
            let mut scene = Scene::new("Root");
            let root = scene.root();
            let component = Component::new("Box").with("Value", before.clone());
            scene.add_component(root, component).unwrap();
            let mut stage = Stage::new(scene, [animation.clone()]);
            stage.play("a", plain);
            stage.update(0.0);
            let found = stage.scene.components(root)[0].attribute("Value");
            let fits = kind == first.kind();
            let expected = if fits { &second } else { &before };
            assert_eq!(found, Some(expected));
            assert_eq!(stage.binding.warnings().len(), usize::from(!fits));
        }
    }
}

#[test]
fn values_that_hold_between_keys_replace_at_any_weight() {
    let holding = |name: &str, value: f32| {
        let mut animation = Animation::new(name, 1.0);
        let keys = [(0.0, value), (0.5, value + 1.0)];
        animation.set_variant(VariantTrack::new(X, VariantInterpolation::None, keys).unwrap());
        animation
    };
    let animations = [holding("holds", 5.0), varying("line", X, [(0.0, 1.0_f32)])];
    let mut stage = Stage::new(with_x(0.0_f32), animations);
    stage.play("line", plain);
    stage.play("holds", |parameters| parameters.weight(0.01));
    for expected in [5.0, 6.0] {
        stage.update(0.3);
        assert_eq!(stage.variable("x"), Variant::Float(expected));
    }
    stage.play("line", |parameters| parameters.weight(0.5));
    stage.update(0.0);
    assert_eq!(stage.variable("x"), Variant::Float(3.5));
}

#[test]
fn track_weights_apply_except_to_the_first_animation() {
    let mut half = varying("half", X, [(0.0, 8.0_f32)]);
    half.variants[0].weight = 0.5;
    let base = varying("base", X, [(0.0, 0.0_f32)]);
    let mut stage = Stage::new(with_x(1.0_f32), [base, half]);
    stage.play("half", |parameters| parameters.layer(1).weight(0.5));
    stage.update(0.0);
    assert_eq!(stage.variable("x"), Variant::Float(8.0));
    stage.play("base", plain);
    stage.update(0.0);
    assert_eq!(stage.variable("x"), Variant::Float(2.0));
}

#[test]
fn additive_values_alone_do_nothing() {
    let more = varying("more", X, [(0.0, 0.0_f32), (1.0, 9.0)]);
    let mut stage = Stage::new(with_x(1.0_f32), [more]);
    stage.play("more", |parameters| parameters.time(1.0).additive());
    stage.update(0.0);
    assert_eq!(stage.variable("x"), Variant::Float(1.0));
}

/// The turn since the first key is made in the parent's frame, as for transform tracks.
#[test]
fn additive_rotations_turn_in_the_frame_of_the_parent() {
    let moving = [
        (0.0, Variant::Quat(Quat::IDENTITY)),
        (1.0, Variant::Quat(turn(Vec3::Z, 90.0))),
    ];
    let animations = [
        varying("base", X, [(0.0, turn(Vec3::Y, 90.0))]),
        varying("moving", X, moving),
    ];
    let mut stage = Stage::new(with_x(Quat::IDENTITY), animations);
    stage.play("base", plain);
    stage.play("moving", |parameters| parameters.time(1.0).additive());
    stage.update(0.0);
    let Variant::Quat(found) = stage.variable("x") else {
        panic!("another type");
    };
    let expected = sinew::math::quat_mul(turn(Vec3::Z, 90.0), turn(Vec3::Y, 90.0));
    binding_common::same_turn(found, expected);
}

/// S69.
#[test]
fn a_variant_track_of_a_position_beats_a_transform_track() {
    let mut scene = Scene::new("Root");
    let door = scene.add_node(scene.root(), "Door").unwrap();
    let mut animation = held("both", "Door", [1.0, 2.0, 3.0]);
    let place = Vec3::new(4.0, 5.0, 6.0);
    animation.set_variant(track("Door/@/Position", [(0.0, place)]));
    let mut stage = Stage::new(scene, [animation, held("later", "Door", [9.0; 3])]);
    stage.play("both", plain);
    stage.update(0.0);
    assert_eq!(stage.scene.transform(door).unwrap().position, place);
    stage.play("later", |parameters| parameters.layer(7));
    stage.update(0.0);
    assert_eq!(stage.scene.transform(door).unwrap().position, place);
}

/// S15, through a scene.
#[test]
fn splines_play_as_splines() {
    let spline = VariantInterpolation::TensionSpline { tension: 0.5 };
    let keys = [(0.0, 0.0_f32), (0.25, 1.0), (0.5, 3.0), (0.75, 2.0)];
    let mut animation = Animation::new("spline", 1.0);
    animation.set_variant(VariantTrack::new(X, spline, keys.map(VariantKey::from)).unwrap());
    let mut stage = Stage::new(with_x(0.0_f32), [animation]);
    stage.play("spline", plain);
    for expected in [0.3125, 2.125] {
        stage.update(if expected < 1.0 { 0.125 } else { 0.25 });
        assert_eq!(stage.variable("x"), Variant::Float(expected));
    }
}

#[test]
fn explaining_an_attribute_ends_in_what_was_written() {
    let animations = [
        varying("first", X, [(0.0, 1.0_f32)]),
        varying("second", X, [(0.0, 2.0_f32)]),
        varying("more", X, [(0.0, 5.0_f32), (1.0, 8.0)]),
    ];
    let mut stage = Stage::new(with_x(0.0_f32), animations);
    stage.play("more", |parameters| {
        parameters.time(1.0).weight(0.5).additive().layer(3)
    });
    stage.play("first", |parameters| parameters.weight(0.1));
    stage.play("second", |parameters| parameters.weight(0.25));
    stage.update(0.0);
    let root = stage.scene.root();
    let target = stage.scene.target(root);
    let steps = stage
        .binding
        .explain_attribute(&stage.controller, &target, X);
    let steps: Vec<_> = steps
        .iter()
        .map(|playing| {
            (
                playing.index,
                playing.animation.0,
                playing.weight,
                playing.value.clone(),
                playing.result.clone(),
            )
        })
        .collect();
    let f = Variant::Float;
    let expected = [
        (1, 0, 1.0, f(1.0), f(1.0)),
        (2, 1, 0.25, f(2.0), f(1.25)),
        (0, 2, 0.5, f(8.0), f(2.75)),
    ];
    assert_eq!(steps, expected);
    let nowhere = stage
        .binding
        .explain_attribute(&stage.controller, &target, "@/Nowhere");
    assert_eq!(nowhere, []);
    assert_eq!(stage.variable("x"), f(2.75));
}
