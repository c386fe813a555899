//! What Pip must have and how Pip must move, checked by playing.

use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureData, ArmaturePose, BoneIndex,
    ConstructSettings, DrawList, Element, IkMode, PhysicsStep, StyleIndex, animate, construct,
};
use std::collections::BTreeSet;

const ANIMATIONS: [&str; 4] = ["idle", "walk", "wave", "jump"];

fn armature() -> Armature {
    Armature::new(sinew_samples_generator::pip().data).unwrap()
}

fn period(data: &ArmatureData, animation: ArmatureAnimationIndex) -> u32 {
    data.animations[animation.index()]
        .keys
        .iter()
        .map(|key| key.frame)
        .max()
        .unwrap()
        + 1
}

/// Poses a fresh character without physics.
fn pose(
    armature: &Armature,
    animation: ArmatureAnimationIndex,
    frame: f32,
) -> (ArmaturePose, DrawList) {
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    animate(
        armature,
        &mut state,
        &[AnimationFrame::new(animation, frame)],
    )
    .unwrap();
    let settings = ConstructSettings {
        physics: PhysicsStep::Off,
        ..ConstructSettings::default()
    };
    construct(armature, &mut state, &settings, &mut pose).unwrap();
    let mut list = DrawList::new();
    list.fill(armature, &state, &pose, armature.default_styles());
    (pose, list)
}

fn bone(armature: &Armature, name: &str) -> BoneIndex {
    armature.find_bone(name).unwrap()
}

#[test]
fn pip_has_four_animations_and_two_styles() {
    let armature = armature();
    let names: Vec<&str> = armature.animations().iter().map(|a| a.name()).collect();
    assert_eq!(names, ANIMATIONS);
    let styles: Vec<&str> = armature
        .data()
        .styles
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    assert_eq!(styles, ["Default", "Winter"]);
}

#[test]
fn pip_shows_every_feature() {
    let data = sinew_samples_generator::pip().data;
    let binds = || {
        data.visuals
            .iter()
            .filter_map(|v| v.mesh.as_ref())
            .flat_map(|m| &m.binds)
    };
    assert!(binds().any(|bind| bind.is_path));
    assert!(binds().any(|bind| !bind.is_path));
    assert!(data.physics.iter().any(|physics| physics.sway > 0.0));
    assert!(
        data.ik_families
            .iter()
            .any(|f| f.mode == IkMode::Fabrik && f.mimic_target)
    );
    assert!(data.ik_families.iter().any(|f| f.mode == IkMode::Arc));
    let keyed: BTreeSet<Element> = data
        .animations
        .iter()
        .flat_map(|a| &a.keys)
        .map(|key| key.element)
        .collect();
    for element in [
        Element::TintA,
        Element::TintR,
        Element::Texture,
        Element::Hidden,
        Element::Zindex,
    ] {
        assert!(
            keyed.contains(&element),
            "{} is never keyed",
            element.name()
        );
    }
}

#[test]
fn every_texture_that_is_named_exists() {
    let armature = armature();
    let data = armature.data();
    let worn = [StyleIndex(1), StyleIndex(0)];
    let shown = data.visuals.iter().map(|visual| visual.texture.as_str());
    let keys = data.animations.iter().flat_map(|animation| &animation.keys);
    let keyed = keys
        .filter(|key| key.element == Element::Texture)
        .map(|key| key.text.as_str());
    for name in shown.chain(keyed) {
        assert!(
            armature.find_texture(name, &worn).is_some(),
            "no texture {name}"
        );
        let everyday = armature.find_texture(name, &worn[1..]).is_some();
        assert!(
            everyday || name == "hat",
            "{name} is missing without winter clothes"
        );
    }
}

#[test]
fn textures_lie_apart_inside_the_atlas() {
    let pip = sinew_samples_generator::pip();
    assert_eq!(pip.atlases.len(), pip.data.atlases.len());
    let atlas = pip.data.atlases[0].size;
    assert_eq!(
        (atlas.x, atlas.y),
        (pip.atlases[0].width(), pip.atlases[0].height())
    );
    assert!(atlas.max_element() <= 1024);
    let textures: Vec<_> = pip
        .data
        .styles
        .iter()
        .flat_map(|style| &style.textures)
        .collect();
    for (i, a) in textures.iter().enumerate() {
        assert!(
            (a.offset + a.size + 2).cmple(atlas).all(),
            "{} leaves the atlas",
            a.name
        );
        assert!(a.offset.min_element() >= 2, "{} touches the edge", a.name);
        for b in &textures[i + 1..] {
            let apart =
                (a.offset + a.size + 2).cmple(b.offset) | (b.offset + b.size + 2).cmple(a.offset);
            assert!(apart.any(), "{} and {} are too close", a.name, b.name);
        }
    }
}

#[test]
fn garments_of_both_styles_have_one_size() {
    let data = sinew_samples_generator::pip().data;
    for winter in &data.styles[1].textures {
        if let Some(everyday) = data.styles[0]
            .textures
            .iter()
            .find(|t| t.name == winter.name)
        {
            assert_eq!(everyday.size, winter.size, "{}", winter.name);
        }
    }
}

#[test]
fn two_calls_give_the_same_pip() {
    assert!(sinew_samples_generator::pip() == sinew_samples_generator::pip());
}

#[test]
fn loops_show_no_step_at_the_seam() {
    let armature = armature();
    for name in ANIMATIONS {
        let animation = armature.find_animation(name).unwrap();
        let period = period(armature.data(), animation);
        let poses: Vec<Vec<Vec2>> = (0..period)
            .map(|frame| {
                pose(&armature, animation, frame as f32)
                    .0
                    .bones()
                    .map(|b| b.position)
                    .collect()
            })
            .collect();
        let leap = |a: &[Vec2], b: &[Vec2]| {
            a.iter()
                .zip(b)
                .map(|(a, b)| a.distance(*b))
                .fold(0.0f32, f32::max)
        };
        let largest = poses
            .windows(2)
            .map(|pair| leap(&pair[0], &pair[1]))
            .fold(0.0f32, f32::max);
        let seam = leap(&poses[period as usize - 1], &poses[0]);
        assert!(
            seam <= largest,
            "{name} leaps {seam} pixels at the seam, {largest} elsewhere"
        );
    }
}

#[test]
fn knees_bend_forward() {
    let armature = armature();
    for name in ANIMATIONS {
        let animation = armature.find_animation(name).unwrap();
        for frame in 0..period(armature.data(), animation) {
            let (pose, _) = pose(&armature, animation, frame as f32);
            let at = |name: String| pose.bone(bone(&armature, &name)).unwrap().position;
            for side in ["near", "far"] {
                let hip = at(format!("{side}_thigh"));
                let knee = at(format!("{side}_shin"));
                let ankle = at(format!("{side}_foot"));
                let bend = (knee - hip).perp_dot(ankle - knee);
                assert!(bend <= 1.0, "{name} {frame}: the {side} knee bends back");
            }
        }
    }
}

#[test]
fn planted_feet_go_with_the_ground() {
    let armature = armature();
    let walk = armature.find_animation("walk").unwrap();
    for (side, contact) in [("near", 0), ("far", 20)] {
        let foot = bone(&armature, &format!("{side}_foot"));
        // Flat on the ground: after the heel has struck, before it lifts.
        let places: Vec<Vec2> = (contact + 4..=contact + 10)
            .map(|frame| {
                pose(&armature, walk, (frame % 40) as f32)
                    .0
                    .bone(foot)
                    .unwrap()
                    .position
            })
            .collect();
        let step = places[1] - places[0];
        assert!(step.x < -3.0);
        for pair in places.windows(2) {
            let slip = (pair[1] - pair[0]).distance(step);
            assert!(slip < 0.1, "the {side} foot slips by {slip} pixels");
        }
    }
}

#[test]
fn feet_reach_their_targets() {
    let armature = armature();
    let walk = armature.find_animation("walk").unwrap();
    for frame in 0..40 {
        let (pose, _) = pose(&armature, walk, frame as f32);
        for side in ["near", "far"] {
            let at = |name: &str| {
                pose.bone(bone(&armature, &format!("{side}_{name}")))
                    .unwrap()
                    .position
            };
            let miss = at("foot").distance(at("foot_target"));
            assert!(
                miss < 2.0,
                "frame {frame}: the {side} foot misses by {miss} pixels"
            );
        }
    }
}

#[test]
fn winter_clothes_add_a_hat() {
    let armature = armature();
    let idle = armature.find_animation("idle").unwrap();
    let everyday = pose(&armature, idle, 0.0).1.items.len();
    let mut list = DrawList::new();
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    construct(
        &armature,
        &mut state,
        &ConstructSettings::default(),
        &mut pose,
    )
    .unwrap();
    list.fill(&armature, &state, &pose, &[StyleIndex(1), StyleIndex(0)]);
    assert_eq!(list.items.len(), everyday + 1);
}

#[test]
fn physics_starts_at_rest() {
    let armature = armature();
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    let mut tip = || {
        construct(
            &armature,
            &mut state,
            &ConstructSettings::default(),
            &mut pose,
        )
        .unwrap();
        pose.bone(armature.find_bone("tail_11").unwrap())
            .unwrap()
            .position
    };
    let first = tip();
    for _ in 0..30 {
        assert!(tip().distance(first) < 0.01);
    }
}
