//! Variant tracks on the 2D sample, addressed as `Bone/@/Element`.

use crate::controller_2d_common;
use controller_2d_common::{Stage, plain, varying};
use sinew::Animation;
use sinew::animation::{Variant, VariantType};
use sinew::control::{BindingProblem, PathError};
use sinew::math::shortest_angle;

#[test]
fn variant_tracks_play_numbers_orders_textures_and_visibility() {
    let animations = [
        varying("near_arm/@/Rotation", [(0.0, 1.0_f32), (1.0, 2.0)]),
        varying("root/hips/torso/head/@/positionx", [(0.0, 7.0_f32)]),
        varying("near_eye/@/TintA", [(0.0, 0.25_f32)]),
        varying("near_eye/@/Zindex", [(0.0, 3), (0.5, 99)]),
        varying("near_eye/@/Texture", [(0.0, "eye_closed"), (0.75, "")]),
        varying("head/@/Hidden", [(0.0, false), (0.5, true)]),
        varying("near_thigh/@/IkConstraint", [(0.0, "Clockwise")]),
        varying("near_thigh/@/IkMode", [(0.0, "Arc")]),
        varying("near_thigh/@/MimicTarget", [(0.0, true)]),
    ];
    let names: Vec<String> = animations
        .iter()
        .map(|playing| playing.name.clone())
        .collect();
    let mut stage = Stage::new(animations);
    assert_eq!(stage.binding.warnings(), []);
    stage.play("walk", 0.25, plain);
    for name in &names {
        stage.play(name, 0.5, |parameters| parameters.layer(1).weight(0.5));
    }
    let walk = stage.plain("walk", 0.25);
    let arm = stage.bone("near_arm").index();
    let (eye, head) = (stage.bone("near_eye"), stage.bone("head"));
    stage.update();
    let was = walk.bones()[arm].rotation;
    let half = was + shortest_angle(was, 1.5) * 0.5;
    assert_eq!(stage.state.bones()[arm].rotation, half);
    let was = walk.bones()[head.index()].position.x;
    assert_eq!(
        stage.state.bones()[head.index()].position.x,
        was + (7.0 - was) * 0.5
    );
    let visual = stage.armature.bone(eye).unwrap().visual.unwrap();
    let was = walk.tints()[visual].a;
    assert_eq!(stage.state.tints()[visual].a, was + (0.25 - was) * 0.5);
    // What holds between keys changes at any weight.
    assert_eq!(stage.state.zindex(&stage.armature, eye), Some(99));
    let texture = stage.state.texture(&stage.armature, eye);
    assert_eq!(texture, Some("eye_closed"));
    assert!(stage.state.hidden()[head.index()]);
    let family = stage
        .armature
        .bone(stage.bone("near_thigh"))
        .unwrap()
        .ik_family
        .unwrap();
    let ik = stage.state.ik()[family];
    assert_eq!(ik.mode, sinew::skelform::IkMode::Arc);
    assert_eq!(ik.constraint, sinew::skelform::IkConstraint::Clockwise);
    assert!(ik.mimic_target);
    stage.controller.update(0.3);
    stage.update();
    assert_eq!(stage.state.texture(&stage.armature, eye), None);
}

#[test]
fn unresolved_variant_tracks_are_reported_and_the_rest_plays() {
    let path = |error: PathError| BindingProblem::Path(error);
    let no_attribute = |attribute: &str| {
        path(PathError::NoSuchAttribute {
            attribute: attribute.into(),
        })
    };
    let kind = |track, attribute| BindingProblem::Type { track, attribute };
    let value = |value: &str| BindingProblem::NoSuchValue {
        value: value.into(),
    };
    let f = Variant::Float(1.0);
    let bad: [(&str, Variant, BindingProblem); 12] = [
        ("", f.clone(), path(PathError::Empty)),
        ("head", f.clone(), path(PathError::NoComponent)),
        (
            "@/Rotation",
            f.clone(),
            path(PathError::NoSuchNode { node: "".into() }),
        ),
        (
            "hips/head/@/Rotation",
            f.clone(),
            path(PathError::NoSuchNode {
                node: "hips/head".into(),
            }),
        ),
        (
            "head/@Light/Rotation",
            f.clone(),
            path(PathError::NoSuchComponent {
                component: "Light".into(),
                index: 0,
            }),
        ),
        ("head/@/Rot", f.clone(), no_attribute("Rot")),
        ("head/@/Rotation/x", f.clone(), no_attribute("Rotation/x")),
        ("hips/@/TintA", f.clone(), no_attribute("TintA")),
        ("hips/@/IkMode", "Arc".into(), no_attribute("IkMode")),
        (
            "head/@/Rotation",
            1.into(),
            kind(VariantType::Int, VariantType::Float),
        ),
        (
            "near_eye/@/Zindex",
            f,
            kind(VariantType::Float, VariantType::Int),
        ),
        ("near_eye/@/Texture", "third eye".into(), value("third eye")),
    ];
    let mut clip = Animation::new("clip", 1.0);
    for (path, value, _) in &bad {
        clip.variants
            .extend(varying(path, [(0.0, value.clone())]).variants);
    }
    clip.variants
        .extend(varying("near_arm/@/Rotation", [(0.0, 1.0_f32)]).variants);
    clip.variants
        .extend(varying("near_arm/@/rotation", [(0.0, 2.0_f32)]).variants);
    clip.set_track(sinew::animation::TransformTrack::new("head"));
    let mut stage = Stage::new([clip]);
    stage.play("clip", 0.0, plain);
    for _ in 0..100 {
        stage.update();
    }
    let found = stage.binding.warnings().iter();
    let found: Vec<_> = found
        .map(|warning| (warning.name.as_str(), warning.problem.clone()))
        .collect();
    let mut expected = vec![("head", BindingProblem::NotIn2d)];
    expected.extend(bad.into_iter().map(|(path, _, problem)| (path, problem)));
    expected.push(("near_arm/@/rotation", BindingProblem::SameTarget));
    assert_eq!(found, expected);
    assert_eq!(
        stage.state.bones()[stage.bone("near_arm").index()].rotation,
        2.0
    );
}
