//! Who shows what on a 2D character: animations of its own, variant tracks, layers and start bones.

use sinew::animation::{VariantInterpolation, VariantTrack};
use sinew::control::{ArmatureBinding, Mask};
use sinew::skelform::curve::Ease;
use sinew::skelform::{AnimationData, Armature, ArmatureData, BoneData, Element, KeyData};
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
use std::sync::Arc;

const BODY: usize = 0;
const HEAD: usize = 1;

/// A body with a head on it, which rest at x 7 and x 1. "walk" puts the body at 50, "look" the head at 107.
fn armature() -> Arc<Armature> {
    let bone = |name: &str, parent, x| BoneData {
        name: name.into(),
        parent,
        position: sinew::glam::Vec2::new(x, 0.0),
        ..BoneData::default()
    };
    let animation = |name: &str, bone, value| AnimationData {
        name: name.into(),
        frame_rate: 10,
        keys: vec![KeyData {
            frame: 0,
            bone,
            element: Element::PositionX,
            value,
            text: String::new(),
            ease: Ease::Linear,
        }],
    };
    let data = ArmatureData {
        bones: vec![bone("body", None, 7.0), bone("head", Some(BODY), 1.0)],
        animations: vec![
            animation("walk", BODY, 50.0),
            animation("look", HEAD, 107.0),
        ],
        ..ArmatureData::default()
    };
    Arc::new(Armature::new(data).unwrap())
}

/// Path, keys and weight.
type Track<'a> = (&'a str, &'a [(f32, f32)], f32);

struct Stage {
    armature: Arc<Armature>,
    controller: AnimationController,
    binding: ArmatureBinding,
}

impl Stage {
    /// With the character's animations and these of one number each.
    fn new(tracks: &[Track<'_>]) -> Self {
        let armature = armature();
        let mut set = AnimationSet::of_armature(&armature);
        set.set_mask("head", Mask::bone_subtree(&armature, "head").unwrap());
        for (path, keys, weight) in tracks {
            let mut animation = Animation::new(*path, 1.0);
            let keys = keys.iter().copied();
            let track = VariantTrack::new(*path, VariantInterpolation::Linear, keys).unwrap();
            animation.set_variant(track.with_weight(*weight));
            set.add(animation).unwrap();
        }
        let set = Arc::new(set);
        Self {
            controller: AnimationController::new(set.clone()),
            binding: ArmatureBinding::new(&set, &armature),
            armature,
        }
    }

    fn play(&mut self, name: &str, how: impl Fn(AnimationParameters) -> AnimationParameters) {
        let set = self.controller.animation_set().clone();
        let parameters = AnimationParameters::new(&set, set.find(name).unwrap()).looped();
        self.controller.play_new(how(parameters), 0.0).unwrap();
    }

    /// Where body and head are.
    fn x(&mut self) -> [f32; 2] {
        self.controller.update(0.0);
        let mut state = self.armature.new_state();
        self.binding.apply(&self.controller, &mut state).unwrap();
        for bone in [BODY, HEAD] {
            let explained = self
                .binding
                .explain(&self.controller, bone.into(), Element::PositionX);
            if let Some(last) = explained.last() {
                let found = state.bones()[bone].position.x;
                assert_eq!(
                    last.result,
                    sinew::animation::Variant::Float(found),
                    "bone {bone}"
                );
            }
        }
        [BODY, HEAD].map(|bone| state.bones()[bone].position.x)
    }
}

#[test]
fn an_armature_animation_on_the_lowest_layer_sets_every_element() {
    let mut stage = Stage::new(&[]);
    stage.play("walk", |parameters| parameters);
    assert_eq!(stage.x(), [50.0, 1.0]);
    stage.play("look", |parameters| parameters.weight(0.5));
    // Half of the body is at rest, as "look" has it.
    assert_eq!(stage.x(), [28.5, 54.0]);
}

#[test]
fn variant_tracks_change_only_elements_with_keys() {
    let keys = [(0.0, 101.0)];
    let mut stage = Stage::new(&[("head/@/PositionX", &keys, 1.0)]);
    stage.play("walk", |parameters| parameters);
    stage.play("head/@/PositionX", |parameters| parameters);
    assert_eq!(stage.x(), [50.0, 101.0]);
}

#[test]
fn the_weight_of_a_variant_track_counts_on_every_layer() {
    let keys = [(0.0, 110.0)];
    for layer in [0, 1] {
        let mut stage = Stage::new(&[("body/@/PositionX", &keys, 0.1)]);
        stage.play("walk", |parameters| parameters);
        stage.play("body/@/PositionX", |parameters| parameters.layer(layer));
        assert_eq!(stage.x(), [56.0, 1.0], "layer {layer}");
    }
}

#[test]
fn the_first_animation_of_an_element_counts_in_full() {
    let mut stage = Stage::new(&[]);
    stage.play("walk", |parameters| parameters.start_bone("head"));
    stage.play("walk", |parameters| parameters.layer(1).weight(0.5));
    assert_eq!(stage.x(), [50.0, 1.0]);

    let keys = [(0.0, 110.0)];
    let mut stage = Stage::new(&[("body/@/PositionX", &keys, 1.0)]);
    stage.play("body/@/PositionX", |parameters| parameters.weight(0.25));
    assert_eq!(stage.x(), [110.0, 1.0]);
}

#[test]
fn additive_layers_respect_start_bones_and_masks() {
    // The difference overflows; nothing of it may reach a bone that takes none of it.
    let keys = [(0.0, -3e38), (1.0, 3e38)];
    let mut stage = Stage::new(&[("body/@/PositionX", &keys, 1.0)]);
    stage.play("walk", |parameters| parameters);
    stage.play("body/@/PositionX", |parameters| {
        parameters.additive().start_bone("head").time(0.9)
    });
    stage.play("body/@/PositionX", |parameters| {
        parameters.additive().mask("head").time(0.9)
    });
    assert_eq!(stage.x(), [50.0, 1.0]);
}

#[test]
fn an_additive_layer_needs_a_base() {
    let keys = [(0.0, 1.0), (1.0, 3.0)];
    let mut stage = Stage::new(&[("body/@/PositionX", &keys, 1.0)]);
    stage.play("body/@/PositionX", |parameters| {
        parameters.additive().layer(1).time(0.5)
    });
    assert_eq!(stage.x(), [7.0, 1.0]);
    stage.play("walk", |parameters| parameters);
    assert_eq!(stage.x(), [51.0, 1.0]);
}
