//! The joint that carries the root motion, and that static joints above it change nothing.

use sinew::anatomy::root_motion_joint;
use sinew::glam::Vec3;
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_author::measure::loop_gap;
use sinew_testing::feet::{Faults, WAY, biped, walk};
use sinew_testing::wrap::{differences, measures, wrapped, wrappings};

/// A walk below static joints, however they are turned, scaled, placed or keyed, measures as the walk itself: extent,
/// travel, loop gap, foot contacts and cycle.
#[test]
fn static_joints_above_the_hips_change_no_measure() {
    let skeleton = biped();
    let walk = walk(&skeleton, 3.5, &Faults::default());
    let walk_measures = measures(&skeleton, &walk);
    assert!(
        walk_measures
            .iter()
            .any(|(what, value, _)| what == "has a cycle" && *value == 1.0)
    );
    for (what, above, keyed) in wrappings() {
        let (below, moved) = wrapped(&skeleton, &walk, &above, keyed);
        let root = root_motion_joint(&below, &moved);
        assert_eq!(below.joint(root).unwrap().name, "hips", "{what}");
        assert_eq!(
            differences(&walk_measures, &measures(&below, &moved)),
            [""; 0],
            "{what}"
        );
        let gap = loop_gap(&below, &moved);
        assert!(
            (f64::from(gap.travel.z) - 3.5 * WAY).abs() < 1e-3,
            "{what}: {gap:?}"
        );
    }
}

/// A root that has further children beside the hips, as Unreal's has for its IK targets, does not hide the hips.
#[test]
fn a_static_root_with_other_children_is_skipped() {
    let skeleton = biped();
    let walk = walk(&skeleton, 3.0, &Faults::default());
    let (below, moved) = wrapped(&skeleton, &walk, &[Transform::IDENTITY], false);
    let mut joints = below.joints().to_vec();
    let target = |name: &str, parent: usize| Joint {
        name: name.to_owned(),
        parent: Some(JointIndex::from(parent)),
        rest: Transform::IDENTITY,
        tip: None,
    };
    let first = joints.len();
    joints.push(target("ik_foot_root", 0));
    joints.push(target("ik_foot_l", first));
    joints.push(target("ik_foot_r", first));
    let below = Skeleton::new(joints).unwrap();
    let root = root_motion_joint(&below, &moved);
    assert_eq!(below.joint(root).unwrap().name, "hips");
    let gap = loop_gap(&below, &moved);
    assert!(
        (f64::from(gap.travel.z) - 3.0 * WAY).abs() < 1e-3,
        "{gap:?}"
    );
}

/// Where the topmost joint moves, it carries the root motion, whatever moves below it; where nothing moves, the joint
/// where the legs part does.
#[test]
fn the_highest_joint_that_moves_carries_the_root_motion() {
    let skeleton = biped();
    let walk = walk(&skeleton, 2.0, &Faults::default());
    assert_eq!(root_motion_joint(&skeleton, &walk), JointIndex(0));
    let still = Animation::new("still", 1.0);
    assert_eq!(root_motion_joint(&skeleton, &still), JointIndex(0));
    let (below, still) = wrapped(
        &skeleton,
        &still,
        &[Transform::from_position(Vec3::X)],
        false,
    );
    assert_eq!(root_motion_joint(&below, &still), JointIndex(1));
}
