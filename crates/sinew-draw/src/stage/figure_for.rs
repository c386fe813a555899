//! Converts a pose to a figure.

use super::scene::{Figure, FigureBone};
use sinew::skeleton::{Side, Sides};
use sinew::{JointIndex, ModelPose, Skeleton};

/// Joints closer than this share the end of a bone, in metres.
const SAME_PLACE: f32 = 1e-4;

/// Returns a pose as a figure: a bone from each joint to its children, and to its tip.
///
/// A bone has its joint's side; that of a middle joint has the side of its child. The bone of a joint whose name ends
/// in `head` carries a head.
pub fn figure_for(skeleton: &Skeleton, sides: &Sides, model: &ModelPose) -> Figure {
    figure_below(skeleton, sides, model, JointIndex(0))
}

/// Like [`figure_for`], without the bones of joints above `root`: static joints above the
/// [`root_motion_joint`](sinew::anatomy::root_motion_joint) do not travel with the figure and are not part of it.
pub fn figure_below(
    skeleton: &Skeleton,
    sides: &Sides,
    model: &ModelPose,
    root: JointIndex,
) -> Figure {
    let mut bones: Vec<FigureBone> = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let joint_index = JointIndex::from(index);
        let below = skeleton.subtree(joint_index);
        if joint_index != root && below.contains(&root.index()) {
            continue;
        }
        let from = model.position(joint_index);
        let joint_side = sides.side(joint_index);
        let is_head = joint.name.to_ascii_lowercase().ends_with("head");
        let children = skeleton.children(joint_index);
        let ends = children.map(|child| (model.position(child), sides.side(child)));
        let tip = model
            .tip(skeleton, joint_index)
            .map(|tip| (tip, joint_side));
        let start = bones.len();
        for (to, end_side) in ends.chain(tip) {
            let side = if joint_side == Side::Middle {
                end_side
            } else {
                joint_side
            };
            let same = |bone: &&mut FigureBone| (bone.to - to).length() < SAME_PLACE;
            // Several joints at one position share the end of a bone; it has no side unless they agree.
            if let Some(bone) = bones[start..].iter_mut().find(same) {
                if bone.side != side {
                    bone.side = Side::Middle;
                }
            } else if is_head {
                bones.push(FigureBone::head(from, to));
            } else {
                bones.push(FigureBone::new(from, to, side));
            }
        }
    }
    Figure::new(bones)
}

#[cfg(test)]
mod tests {
    use super::super::scene::BoneShape;
    use super::*;
    use sinew::glam::Vec3;
    use sinew::{Animation, Joint, Sampler, Transform};

    fn joint(name: &str, parent: Option<u32>, position: [f32; 3], tip: Option<Vec3>) -> Joint {
        Joint {
            name: name.to_owned(),
            parent: parent.map(JointIndex),
            rest: Transform::from_position(position.into()),
            tip,
        }
    }

    #[test]
    fn bones_lead_to_children_and_tips_and_know_their_side() {
        let skeleton = Skeleton::new(vec![
            joint("chest", None, [0.0, 1.0, 0.0], None),
            joint("larm", Some(0), [0.0, 0.5, 0.0], Some(Vec3::X)),
            joint("rarm", Some(0), [0.0, 0.5, 0.0], Some(Vec3::NEG_X)),
            joint("lleg", Some(0), [0.1, 0.0, 0.0], None),
            joint("rleg", Some(0), [-0.1, 0.0, 0.0], None),
            joint("Head", Some(0), [0.0, 0.75, 0.0], Some(Vec3::Y * 0.25)),
        ])
        .expect("they stand in order");
        let still = Animation::new("still", 0.0);
        let mut sampler = Sampler::new(&skeleton, &still);
        let figure = figure_for(&skeleton, &Sides::of(&skeleton), sampler.model_at(0.0));
        let bones: Vec<(Vec3, Side)> = figure.bones.iter().map(|b| (b.to, b.side)).collect();
        assert_eq!(
            bones,
            [
                (Vec3::new(0.0, 1.5, 0.0), Side::Middle),
                (Vec3::new(0.1, 1.0, 0.0), Side::Left),
                (Vec3::new(-0.1, 1.0, 0.0), Side::Right),
                (Vec3::new(0.0, 1.75, 0.0), Side::Middle),
                (Vec3::new(1.0, 1.5, 0.0), Side::Left),
                (Vec3::new(-1.0, 1.5, 0.0), Side::Right),
                (Vec3::new(0.0, 2.0, 0.0), Side::Middle),
            ]
        );
        let heads = figure.bones.iter().filter(|b| b.shape == BoneShape::Head);
        assert_eq!(heads.count(), 1);
    }
}
