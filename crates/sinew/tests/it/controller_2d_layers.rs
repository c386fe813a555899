//! Controllers on the 2D sample: layers, start bones, masks, what is added, triggers, explanations.

use crate::controller_2d_common;
use controller_2d_common::{Stage, plain, varying};
use sinew::animation::Variant;
use sinew::control::{BindingProblem, BlendMode, Mask};
use sinew::math::shortest_angle;
use sinew::skelform::{Armature, ArmatureState, BoneIndex, Element};
use sinew::{AnimationController, AnimationParameters};

#[test]
fn an_animation_above_changes_the_subtree_of_its_start_bone_and_nothing_else() {
    let mut stage = Stage::new([]);
    let (walk, wave) = (stage.plain("walk", 0.25), stage.plain("wave", 0.75));
    stage.play("walk", 0.25, plain);
    stage.play("wave", 0.75, |parameters| {
        parameters.layer(1).start_bone("near_arm")
    });
    let start = stage.bone("near_arm");
    let state = stage.update().clone();
    let mut changed = 0;
    for bone in 0..stage.armature.bone_count() {
        let index = BoneIndex::from(bone);
        let found = state.bone(index).unwrap();
        if !stage.is_below(bone, start) {
            assert_eq!(Some(found), walk.bone(index));
            assert_eq!(state.hidden()[bone], walk.hidden()[bone]);
            let texture = walk.texture(&stage.armature, index);
            assert_eq!(state.texture(&stage.armature, index), texture);
        } else if found != walk.bone(index).unwrap() {
            changed += 1;
        }
    }
    assert!(changed >= 2, "{changed}");
    let arm = start.index();
    assert_eq!(state.bones()[arm].rotation, wave.bones()[arm].rotation);
}

#[test]
fn a_start_bone_on_the_lowest_layer_leaves_the_rest_at_rest() {
    let mut stage = Stage::new([]);
    let walk = stage.plain("walk", 0.25);
    stage.play("walk", 0.25, |parameters| parameters.start_bone("torso"));
    let start = stage.bone("torso");
    let state = stage.update().clone();
    let rest = stage.armature.new_state();
    for bone in 0..stage.armature.bone_count() {
        let expected = if stage.is_below(bone, start) {
            &walk
        } else {
            &rest
        };
        assert_eq!(state.bones()[bone], expected.bones()[bone], "{bone}");
    }
    assert_ne!(
        walk.bones()[stage.bone("hips").index()],
        rest.bones()[stage.bone("hips").index()]
    );
}

#[test]
fn an_unknown_start_bone_animates_nothing_and_is_reported_once() {
    let mut stage = Stage::new([]);
    stage.play("walk", 0.25, |parameters| {
        parameters.start_bone("third arm")
    });
    for _ in 0..100 {
        stage.update();
    }
    let rest = stage.armature.new_state();
    assert_eq!(stage.state.bones(), rest.bones());
    assert_ne!(stage.plain("walk", 0.25).bones(), rest.bones());
    let [warning] = stage.binding.warnings() else {
        panic!("{:?}", stage.binding.warnings());
    };
    assert_eq!(warning.problem, BindingProblem::NoSuchStartBone);
    assert_eq!(warning.name, "third arm");
}

#[test]
fn masks_weight_bones() {
    let mut stage = Stage::with(|set| {
        let mask = Mask::none().with("torso", 1.0).with("near_arm", 0.5);
        set.set_mask("some", mask);
    });
    let (idle, wave) = (stage.plain("idle", 0.25), stage.plain("wave", 0.75));
    stage.play("idle", 0.25, plain);
    stage.play("wave", 0.75, |parameters| parameters.layer(1).mask("some"));
    let state = stage.update().clone();
    for bone in 0..stage.armature.bone_count() {
        let (from, to) = (idle.bones()[bone], wave.bones()[bone]);
        let found = state.bones()[bone];
        if bone == stage.bone("torso").index() {
            assert_eq!(found.rotation, to.rotation);
        } else if bone == stage.bone("near_arm").index() {
            assert_eq!(
                found.rotation,
                from.rotation + shortest_angle(from.rotation, to.rotation) * 0.5
            );
            assert_ne!(from.rotation, to.rotation);
        } else {
            assert_eq!(found, from);
        }
    }
}

#[test]
fn an_additive_layer_adds_the_difference_from_the_first_key() {
    let swing = varying("near_arm/@/Rotation", [(0.0, 1.0_f32), (1.0, 3.0)]);
    let mut stage = Stage::new([swing]);
    let (walk, wave) = (stage.plain("walk", 0.25), stage.plain("wave", 0.75));
    let first = stage.plain("wave", 0.0);
    stage.play("walk", 0.25, plain);
    stage.play("wave", 0.75, |parameters| {
        parameters.layer(1).additive().weight(0.5)
    });
    let state = stage.update().clone();
    let mut moved = 0;
    for bone in 0..stage.armature.bone_count() {
        // Pip's tracks have a key at frame 0, so the pose there is that of the first keys.
        let more = (wave.bones()[bone].rotation - first.bones()[bone].rotation) * 0.5;
        assert_eq!(
            state.bones()[bone].rotation,
            walk.bones()[bone].rotation + more,
            "{bone}"
        );
        moved += usize::from(more != 0.0);
    }
    assert!(moved > 5, "{moved}");
    // What is not interpolated is not added.
    assert_eq!(state.hidden(), walk.hidden());

    stage.play("near_arm/@/Rotation", 0.5, |parameters| {
        parameters.layer(2).additive().weight(0.5)
    });
    let arm = stage.bone("near_arm").index();
    let found = stage.update().bones()[arm].rotation;
    assert_eq!(found, state.bones()[arm].rotation + 0.5);
}

#[test]
fn additive_animations_alone_are_rest() {
    let mut stage = Stage::new([]);
    stage.play("wave", 0.75, |parameters| parameters.additive());
    stage.play("walk", 0.2, |parameters| parameters.additive().layer(1));
    let state = stage.update().clone();
    assert_eq!(state, stage.armature.new_state());
}

#[test]
fn layers_precede_the_order_of_adding() {
    let mut stage = Stage::new([]);
    stage.play("wave", 0.75, |parameters| parameters.layer(3));
    stage.play("walk", 0.25, plain);
    stage.update();
    let (wave, walk) = (stage.plain("wave", 0.75), stage.plain("walk", 0.25));
    let arm = stage.bone("near_arm").index();
    assert_eq!(
        stage.state.bones()[arm].rotation,
        wave.bones()[arm].rotation
    );
    assert_ne!(walk.bones()[arm].rotation, wave.bones()[arm].rotation);
    // What the upper one has no keys for is that of the lower one.
    let foot = stage.bone("near_foot_target").index();
    assert_eq!(stage.state.bones()[foot], walk.bones()[foot]);
    assert_ne!(walk.bones()[foot], stage.armature.rest().bones()[foot]);
}

/// A number of a state, by bone and element.
fn number(
    armature: &Armature,
    state: &ArmatureState,
    bone: usize,
    element: Element,
) -> Option<f32> {
    let bone_state = state.bones()[bone];
    let tint = armature.data().bones[bone]
        .visual
        .map(|visual| state.tints()[visual]);
    match element {
        Element::PositionX => Some(bone_state.position.x),
        Element::PositionY => Some(bone_state.position.y),
        Element::Rotation => Some(bone_state.rotation),
        Element::ScaleX => Some(bone_state.scale.x),
        Element::ScaleY => Some(bone_state.scale.y),
        Element::TintR => Some(tint?.r),
        Element::TintG => Some(tint?.g),
        Element::TintB => Some(tint?.b),
        Element::TintA => Some(tint?.a),
        _ => None,
    }
}

#[test]
fn explaining_an_element_ends_in_the_written_value() {
    let mut twice = varying("near_arm/@/Rotation", [(0.0, 1.0_f32), (1.0, 2.0)]);
    twice
        .variants
        .extend(varying("near_arm/@/rotation", [(0.0, 0.7_f32), (1.0, 0.2)]).variants);
    twice.variants[0].weight = 0.7;
    twice.variants[1].weight = 0.3;
    let mut stage = Stage::with(|set| {
        set.set_mask(
            "some",
            Mask::all()
                .with("torso", 0.3)
                .with("near_arm", 0.7)
                .with("head", 0.0),
        );
        set.add(twice).unwrap();
    });
    let twice = "near_arm/@/Rotation";
    stage.play(twice, 0.3, |parameters| {
        parameters.layer(3).weight(0.6).mask("some")
    });
    stage.play(twice, 0.6, |parameters| {
        parameters.layer(4).additive().weight(0.9).mask("some")
    });
    stage.play("idle", 0.25, |parameters| parameters.start_bone("torso"));
    stage.play("walk", 0.25, |parameters| parameters.weight(0.37));
    stage.play("wave", 0.75, |parameters| {
        parameters.weight(0.21).mask("some")
    });
    stage.play("jump", 0.4, |parameters| {
        parameters.layer(1).weight(0.83).mask("some")
    });
    stage.play("jump", 0.8, |parameters| {
        parameters
            .layer(2)
            .weight(0.61)
            .additive()
            .start_bone("hips")
    });
    stage.play("idle", 0.8, |parameters| {
        parameters.layer(5).weight(0.0).keep_on_zero_weight()
    });
    stage.update();
    let order: Vec<usize> = stage
        .controller
        .application_order()
        .map(|(index, _)| index)
        .collect();
    let mut count = 0;
    for bone in 0..stage.armature.bone_count() {
        for element in Element::ALL {
            let list = stage
                .binding
                .explain(&stage.controller, bone.into(), element);
            let Some(written) = number(&stage.armature, &stage.state, bone, element) else {
                assert_eq!(list, []);
                continue;
            };
            let places = list
                .iter()
                .map(|step| order.iter().position(|&at| at == step.index));
            assert!(places.is_sorted());
            assert!(list.iter().all(|step| step.quantity == element.name()));
            let rest = number(&stage.armature, stage.armature.rest(), bone, element).unwrap();
            let last = list
                .last()
                .map_or(Variant::Float(rest), |step| step.result.clone());
            assert_eq!(last, Variant::Float(written), "{bone} {element:?}");
            count += list.len();
        }
    }
    assert!(count > 1000, "{count}");
    let arm = stage.bone("near_arm");
    let list = stage
        .binding
        .explain(&stage.controller, arm, Element::Rotation);
    let modes = list
        .iter()
        .filter(|step| step.blend_mode == BlendMode::Additive);
    assert_eq!((list.len(), modes.count()), (9, 3));
}

#[test]
fn explaining_a_missing_bone_returns_nothing() {
    let mut stage = Stage::new([]);
    stage.play("walk", 0.25, |parameters| parameters.start_bone("hips"));
    for bone in [stage.armature.bone_count(), u32::MAX as usize] {
        for element in Element::ALL {
            let list = stage
                .binding
                .explain(&stage.controller, bone.into(), element);
            assert_eq!(list, []);
        }
    }
}

#[test]
fn triggers_added_to_a_set_fire() {
    let mut stage = Stage::with(|set| {
        let walk = set.find("walk").unwrap();
        set.add_trigger(walk, 1.0 / 3.0, "right").unwrap();
        set.add_trigger(walk, 0.0, "left").unwrap();
        assert!(set.add_trigger(walk, -1.0, "never").is_err());
        assert!(set.add_trigger(99.into(), 0.0, "never").is_err());
    });
    stage.play("walk", 0.0, plain);
    let mut heard = Vec::new();
    for tick in 1..=80 {
        stage.controller.update(1.0 / 60.0);
        let fired = stage
            .controller
            .triggers()
            .map(|trigger| trigger.trigger.data.to_string());
        heard.extend(fired.map(|data| (tick, data)));
    }
    let heard: Vec<(i32, &str)> = heard
        .iter()
        .map(|(tick, data)| (*tick, data.as_str()))
        .collect();
    assert_eq!(
        heard,
        [(20, "right"), (40, "left"), (60, "right"), (80, "left")]
    );
}

#[test]
fn characters_that_share_a_binding_are_independent() {
    let names = ["idle", "walk", "wave", "jump"];
    let start = |stage: &mut Stage, number: usize| {
        stage.play(names[number % 4], 0.1 * number as f32, plain);
        let start_bone = ["torso", "hips", "nobody"][number % 3];
        let above = |parameters: AnimationParameters| {
            parameters.layer(1).weight(0.5).start_bone(start_bone)
        };
        stage.play(names[(number + 1) % 4], 0.0, above);
    };
    let mut alone: Vec<Stage> = (0..5).map(|_| Stage::new([])).collect();
    let mut shared = Stage::new([]);
    let mut together: Vec<_> = (0..5)
        .map(|number| {
            start(&mut alone[number], number);
            shared.controller = AnimationController::new(shared.controller.animation_set().clone());
            start(&mut shared, number);
            (shared.controller.clone(), shared.armature.new_state())
        })
        .collect();
    for _ in 0..50 {
        for (alone, (controller, state)) in alone.iter_mut().zip(&mut together) {
            alone.controller.update(0.02);
            alone.update();
            controller.update(0.02);
            controller.update(0.0);
            shared.binding.apply(controller, state).unwrap();
            assert_eq!(*state, alone.state);
        }
    }
}
