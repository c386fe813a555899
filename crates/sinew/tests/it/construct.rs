//! From bone states to a pose: inheritance, IK, visibility, placement.

use common::{Actor, assert_near, bone, chain};
use proptest::prelude::*;
use sinew::glam::Vec2;
use sinew::skelform::{
    Armature, ArmatureData, ArmatureError, ArmaturePose, IkConstraint, IkFamilyData, IkMode,
    construct, is_facing_left,
};
use sinew_testing::characters as common;
use std::f32::consts::{FRAC_PI_2, PI};

#[test]
fn a_state_of_another_armature_is_refused() {
    let other = Armature::new(ArmatureData::default()).unwrap();
    let mut actor = Actor::new(chain(&[1.0], (5.0, 5.0)));
    let refused = construct(&other, &mut actor.state, &actor.settings, &mut actor.pose);
    assert!(matches!(refused, Err(ArmatureError::StateMismatch { .. })));
}

#[test]
fn a_pose_of_another_armature_is_resized() {
    let mut actor = Actor::new(chain(&[1.0], (5.0, 5.0)));
    let empty = Armature::new(ArmatureData::default()).unwrap();
    actor.pose = ArmaturePose::new(&empty);
    assert_eq!(actor.construct().pose.bones().len(), 3);
}

#[test]
fn children_follow_rotation_scale_and_position() {
    let mut data = ArmatureData {
        bones: vec![
            bone(None, (10.0, 0.0)),
            bone(Some(0), (5.0, 0.0)),
            bone(Some(1), (1.0, 0.0)),
        ],
        ..ArmatureData::default()
    };
    data.bones[0].rotation = FRAC_PI_2;
    data.bones[0].scale = Vec2::new(2.0, 3.0);
    data.bones[1].rotation = FRAC_PI_2;
    let mut actor = Actor::new(data);
    actor.construct();
    assert_near(actor.position(1), Vec2::new(10.0, 10.0), 1e-5);
    assert_near(actor.position(2), Vec2::new(8.0, 10.0), 1e-5);
    assert!((actor.rotation(1).abs() - PI).abs() < 1e-5);
    assert_eq!(
        actor.pose.bone(2.into()).unwrap().scale,
        Vec2::new(2.0, 3.0)
    );
}

#[test]
fn mirrored_parents_turn_children_around_where_the_version_says_so() {
    for (mirrored_rotation, expected) in [(false, 0.5), (true, -0.5)] {
        let mut data = ArmatureData {
            bones: vec![bone(None, (0.0, 0.0)), bone(Some(0), (1.0, 0.0))],
            mirrored_rotation,
            ..ArmatureData::default()
        };
        data.bones[0].scale = Vec2::new(-1.0, 1.0);
        data.bones[1].rotation = 0.5;
        let mut actor = Actor::new(data);
        assert!((actor.construct().rotation(1) - expected).abs() < 1e-6);
        // The caller may know better.
        actor.settings.mirrored_rotation = Some(!mirrored_rotation);
        assert!((actor.construct().rotation(1) + expected).abs() < 1e-6);
    }
}

#[test]
fn facing_left_is_one_axis_mirrored() {
    assert!(is_facing_left(Vec2::new(-1.0, 1.0)));
    assert!(is_facing_left(Vec2::new(1.0, -1.0)));
    assert!(!is_facing_left(Vec2::new(-1.0, -1.0)));
    assert!(!is_facing_left(Vec2::new(1.0, 1.0)));
}

#[test]
fn a_chain_reaches_a_target_within_its_length() {
    let mut actor = Actor::new(chain(&[50.0, 40.0], (30.0, 55.0)));
    actor.construct();
    assert_near(actor.position(2), Vec2::new(30.0, 55.0), 1.0);
    assert!((actor.position(1).distance(actor.position(0)) - 50.0).abs() < 1e-3);
    assert!((actor.position(2).distance(actor.position(1)) - 40.0).abs() < 1e-3);
}

#[test]
fn children_of_a_chain_follow_it_without_physics() {
    let mut data = chain(&[50.0, 40.0], (0.0, 900.0));
    let tip = 2;
    data.bones.push(bone(Some(tip), (10.0, 0.0)));
    let mut actor = Actor::new(data);
    actor.construct();
    // Stretched straight up; the tip keeps its own rotation relative to its parent.
    assert_near(actor.position(4), Vec2::new(0.0, 100.0), 0.1);
}

#[test]
fn a_rotation_of_zero_and_a_target_at_position_zero_are_rotations_and_targets() {
    // The target is bone 0, and reaching for it turns the chain to exactly 0.
    let mut data = ArmatureData {
        bones: vec![
            bone(None, (100.0, 0.0)),
            bone(None, (0.0, 0.0)),
            bone(Some(1), (10.0, 0.0)),
        ],
        ik_families: vec![IkFamilyData {
            bones: vec![1, 2],
            target: Some(0),
            ..IkFamilyData::default()
        }],
        ..ArmatureData::default()
    };
    data.bones[1].rotation = 1.0;
    let mut actor = Actor::new(data);
    assert_eq!(actor.construct().rotation(1), 0.0);
}

#[test]
fn ik_families_are_independent() {
    // The second family reaches for a bone that the first one moves: it reaches for where that bone
    // was before.
    let mut data = chain(&[10.0, 10.0], (0.0, 20.0));
    data.bones.push(bone(None, (0.0, -50.0)));
    data.bones.push(bone(Some(4), (10.0, 0.0)));
    data.ik_families.push(IkFamilyData {
        bones: vec![4, 5],
        target: Some(2),
        ..IkFamilyData::default()
    });
    let mut actor = Actor::new(data);
    let expected = f32::atan2(50.0, 20.0);
    assert!((actor.construct().rotation(4) - expected).abs() < 1e-4);
}

#[test]
fn constraints_decide_the_side_a_chain_bends_to() {
    for (constraint, side) in [
        (IkConstraint::Clockwise, 1.0),
        (IkConstraint::CounterClockwise, -1.0),
    ] {
        for start in [0.5, -0.5] {
            let mut data = chain(&[50.0, 50.0], (60.0, 0.0));
            data.ik_families[0].constraint = constraint;
            // Start bent to either side.
            data.bones[0].rotation = start;
            let mut actor = Actor::new(data);
            actor.construct();
            assert!(
                actor.position(1).y * side > 1.0,
                "{constraint:?} from {start}: {}",
                actor.position(1)
            );
            assert_near(actor.position(2), Vec2::new(60.0, 0.0), 2.0);
        }
    }
}

#[test]
fn the_tip_turns_with_the_target_only_when_told() {
    for mimic_target in [false, true] {
        let mut data = chain(&[50.0, 40.0], (60.0, 30.0));
        data.ik_families[0].mimic_target = mimic_target;
        data.bones[3].rotation = 1.25;
        let mut actor = Actor::new(data);
        let turned = (actor.construct().rotation(2) - 1.25).abs() < 1e-5;
        assert_eq!(turned, mimic_target);
    }
}

#[test]
fn families_without_target_or_with_one_bone_or_none_leave_the_pose_alone() {
    let straight = Actor::new(chain(&[50.0, 40.0], (0.0, 1.0)))
        .armature
        .data()
        .clone();
    for change in 0..4 {
        let mut data = straight.clone();
        let family = &mut data.ik_families[0];
        match change {
            0 => family.target = None,
            1 => family.bones.truncate(1),
            2 => family.bones.clear(),
            _ => family.enabled = false,
        }
        let mut actor = Actor::new(data);
        actor.construct();
        assert_near(actor.position(2), Vec2::new(90.0, 0.0), 1e-4);
    }
}

#[test]
fn one_bone_families_can_still_mimic() {
    let mut data = chain(&[], (10.0, 10.0));
    data.ik_families[0].mimic_target = true;
    data.bones[1].rotation = -0.75;
    let mut actor = Actor::new(data);
    assert!((actor.construct().rotation(0) + 0.75).abs() < 1e-6);
}

#[test]
fn ik_can_be_switched_off_per_family_and_altogether() {
    let mut actor = Actor::new(chain(&[50.0], (0.0, 50.0)));
    assert!((actor.construct().rotation(0) - FRAC_PI_2).abs() < 1e-5);
    actor.state.set_ik_enabled(0.into(), false);
    assert_eq!(actor.construct().rotation(0), 0.0);
    actor.state.set_ik_enabled(0.into(), true);
    actor.settings.ik = false;
    assert_eq!(actor.construct().rotation(0), 0.0);
}

#[test]
fn switching_ik_off_holds_for_springy_characters_too() {
    let mut data = chain(&[50.0], (0.0, 50.0));
    data.bones[0].physics = Some(0);
    data.physics.push(sinew::skelform::PhysicsData {
        position_damping: 4.0,
        ..Default::default()
    });
    let mut actor = Actor::new(data);
    assert!((actor.construct().rotation(0) - FRAC_PI_2).abs() < 1e-5);
    actor.settings.ik = false;
    assert_eq!(actor.construct().rotation(0), 0.0);
}

#[test]
fn baked_characters_are_not_solved_again() {
    let mut data = chain(&[50.0], (0.0, 50.0));
    data.baked_ik = true;
    assert_eq!(Actor::new(data).construct().rotation(0), 0.0);
}

#[test]
fn moving_a_target_between_animate_and_construct_moves_the_chain() {
    let mut actor = Actor::new(chain(&[50.0], (0.0, 50.0)));
    actor.play(&[]);
    let target = sinew::skelform::BoneIndex(2);
    actor.state.bone_mut(target).unwrap().position = Vec2::new(-50.0, 0.0);
    assert!((actor.construct().rotation(0).abs() - PI).abs() < 1e-5);
}

fn arc(lengths: &[f32], target: (f32, f32)) -> ArmatureData {
    let mut data = chain(lengths, target);
    data.ik_families[0].mode = IkMode::Arc;
    data
}

#[test]
fn an_arc_bows_over_the_line_to_its_target() {
    let mut actor = Actor::new(arc(&[20.0; 6], (80.0, 0.0)));
    actor.construct();
    // Bones turn steadily from one side to the other: a bow, deepest in the middle.
    let turns: Vec<f32> = (0..6).map(|bone| actor.rotation(bone)).collect();
    assert!(turns.windows(2).all(|pair| pair[0] < pair[1]), "{turns:?}");
    assert!(turns[0] < -0.5 && turns[5] > 0.5, "{turns:?}");
    assert!((turns[0] + turns[5]).abs() < 0.05, "{turns:?}");
}

#[test]
fn a_stretched_arc_is_straight() {
    let mut actor = Actor::new(arc(&[20.0; 4], (0.0, 500.0)));
    actor.construct();
    assert_near(actor.position(4), Vec2::new(0.0, 80.0), 0.05);
}

#[test]
fn an_arc_with_its_target_at_its_root_is_finite() {
    let mut actor = Actor::new(arc(&[20.0; 4], (0.0, 0.0)));
    actor.construct();
    assert!(
        (0..5).all(|bone| actor.position(bone).is_finite() && actor.rotation(bone).is_finite())
    );
}

#[test]
fn an_arc_without_length_keeps_its_bones_rotation() {
    let mut data = arc(&[0.0, 0.0], (50.0, 10.0));
    data.bones[0].rotation = 0.25;
    let mut actor = Actor::new(data);
    assert!((actor.construct().rotation(0) - 0.25).abs() < 1e-6);
}

#[test]
fn hidden_applies_to_descendants_in_every_pose() {
    let data = ArmatureData {
        bones: vec![
            bone(None, (0.0, 0.0)),
            bone(Some(0), (1.0, 0.0)),
            bone(None, (2.0, 0.0)),
        ],
        ..ArmatureData::default()
    };
    let mut actor = Actor::new(data);
    assert_eq!(actor.construct().pose.hidden(), [false, false, false]);
    actor.state.hidden_mut()[0] = true;
    assert_eq!(actor.construct().pose.hidden(), [true, true, false]);
    actor.state.hidden_mut()[0] = false;
    assert_eq!(actor.construct().pose.hidden(), [false, false, false]);
}

#[test]
fn placing_scales_moves_and_mirrors() {
    let mut data = ArmatureData {
        bones: vec![bone(None, (10.0, 4.0))],
        ..ArmatureData::default()
    };
    data.bones[0].rotation = 0.5;
    let mut actor = Actor::new(data);
    actor.settings.position = Vec2::new(100.0, 0.0);
    actor.settings.scale = Vec2::new(-2.0, 2.0);
    actor.construct();
    assert_eq!(actor.position(0), Vec2::new(80.0, 8.0));
    assert!((actor.rotation(0) + 0.5).abs() < 1e-6);
    assert_eq!(
        actor.pose.bone(0.into()).unwrap().scale,
        Vec2::new(-2.0, 2.0)
    );
}

proptest! {
    #[test]
    fn any_chain_gives_a_finite_pose(
        lengths in proptest::collection::vec(-200f32..200.0, 0..9),
        target in (-500f32..500.0, -500f32..500.0),
        mode in 0..2usize,
        constraint in 0..3usize,
        rots in proptest::collection::vec(-10f32..10.0, 9),
        scales in proptest::collection::vec(-3f32..3.0, 9),
    ) {
        let mut data = chain(&lengths, target);
        data.ik_families[0].mode = IkMode::ALL[mode];
        data.ik_families[0].constraint = IkConstraint::ALL[constraint];
        for ((bone, rotation), scale) in data.bones.iter_mut().zip(rots).zip(scales) {
            bone.rotation = rotation;
            bone.scale = Vec2::new(scale, 1.0);
        }
        let mut actor = Actor::new(data);
        actor.construct();
        for bone in 0..actor.armature.bone_count() {
            prop_assert!(actor.position(bone).is_finite() && actor.rotation(bone).is_finite());
        }
    }

    #[test]
    fn reaching_keeps_the_length_of_every_bone(
        lengths in proptest::collection::vec(5f32..200.0, 1..7),
        target in (-500f32..500.0, -500f32..500.0),
    ) {
        let mut actor = Actor::new(chain(&lengths, target));
        actor.construct();
        for (bone, length) in lengths.iter().enumerate() {
            let now = actor.position(bone).distance(actor.position(bone + 1));
            prop_assert!((now - length).abs() < 1e-2, "bone {}: {} of {}", bone, now, length);
        }
    }
}

#[test]
fn a_bone_can_be_dragged_to_a_point_of_the_world() {
    let mut data = ArmatureData {
        bones: vec![bone(None, (10.0, 4.0)), bone(Some(0), (1.0, 0.0))],
        ..ArmatureData::default()
    };
    data.bones[0].rotation = 0.7;
    data.bones[0].scale = Vec2::new(2.0, -0.5);
    let mut actor = Actor::new(data);
    actor.settings.position = Vec2::new(100.0, 20.0);
    actor.settings.scale = Vec2::new(-0.25, 0.25);
    actor.construct();
    let mouse = Vec2::new(77.0, -13.0);
    for index in 0..2 {
        let bone = sinew::skelform::BoneIndex(index);
        let local = actor.pose.to_local(&actor.armature, bone, mouse).unwrap();
        actor.state.bone_mut(bone).unwrap().position = local;
        actor.construct();
        assert_near(actor.position(index as usize), mouse, 1e-3);
    }
    assert!(
        actor
            .pose
            .to_local(&actor.armature, sinew::skelform::BoneIndex(9), mouse)
            .is_none()
    );
    actor.settings.scale = Vec2::ZERO;
    actor.construct();
    assert!(
        actor
            .pose
            .to_local(&actor.armature, sinew::skelform::BoneIndex(0), mouse)
            .is_none()
    );
}
