//! Left and right joints (the side in a joint's role), and which of them correspond.

use super::{JointIndex, Skeleton};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A side of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The character's own left.
    Left,
    /// Neither: spine, head, tail.
    #[default]
    Middle,
    /// The character's own right.
    Right,
}

/// The sides of a skeleton's joints, detected from their names.
///
/// A joint has a side if the other side has a joint of the same name except for the word or letter of the side:
/// `LeftArm` and `RightArm`, `lfemur` and `rfemur`, `pelvis.L` and `pelvis.R`. Numbers added by exporters may differ:
/// `b_LeftArm_09` and `b_RightArm_06`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    joints: Vec<(Side, JointIndex)>,
}

impl Sides {
    /// Pairs the joints of a skeleton.
    pub fn of(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints().iter().enumerate();
        let stems = stems(skeleton);
        let joints = joints.map(|(index, joint)| {
            let partner_on = |side| {
                let names = other_names(&joint.name, side);
                let exact = names.iter().find_map(|name| skeleton.find(name));
                // A stem shared by two joints is ambiguous and ignored.
                let by_stem = |name: &String| stems.get(stem(name)?).copied().flatten();
                exact.or_else(|| names.iter().find_map(by_stem))
            };
            if let Some(partner) = partner_on(Side::Left) {
                (Side::Left, partner)
            } else if let Some(partner) = partner_on(Side::Right) {
                (Side::Right, partner)
            } else {
                (Side::Middle, index.into())
            }
        });
        Self {
            joints: joints.collect(),
        }
    }

    /// Returns the side of a joint; the middle out of range.
    pub fn side(&self, joint: JointIndex) -> Side {
        let found = self.joints.get(joint.index());
        found.map_or(Side::Middle, |&(side, _)| side)
    }

    /// Returns the corresponding joint of the other side; the joint itself if there is none.
    pub fn partner(&self, joint: JointIndex) -> JointIndex {
        let found = self.joints.get(joint.index());
        found.map_or(joint, |&(_, partner)| partner)
    }
}

/// Returns a name without the number added by an exporter; `None` without such a number.
fn stem(name: &str) -> Option<&str> {
    let (stem, number) = name.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(stem)
}

/// Returns the joint of each stem; `None` for a stem of several joints.
fn stems(skeleton: &Skeleton) -> BTreeMap<&str, Option<JointIndex>> {
    let mut stems = BTreeMap::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        if let Some(stem) = stem(&joint.name) {
            let only = stems.entry(stem).or_insert(Some(JointIndex::from(index)));
            if *only != Some(index.into()) {
                *only = None;
            }
        }
    }
    stems
}

/// Returns candidate names of the partner of a joint, if `name` is of `side`.
fn other_names(name: &str, side: Side) -> Vec<String> {
    let (word, other_word) = match side {
        Side::Left => ("left", "right"),
        _ => ("right", "left"),
    };
    let mut names = Vec::new();
    let lower = name.to_ascii_lowercase();
    for (offset, _) in lower.match_indices(word) {
        let end = offset + word.len();
        let swapped = match_case(&name[offset..end], other_word);
        names.push([&name[..offset], &swapped, &name[end..]].concat());
    }
    let bytes = name.as_bytes();
    for (offset, letter) in name.char_indices() {
        if !letter.eq_ignore_ascii_case(&char::from(word.as_bytes()[0])) {
            continue;
        }
        let starts = offset == 0 || !bytes[offset - 1].is_ascii_alphanumeric();
        let ends = bytes
            .get(offset + 1)
            .is_none_or(|b| !b.is_ascii_alphanumeric());
        // A separate letter, as in `arm_L`; the first letter, as in `lfemur` and `LShoulder`; or a capital at the
        // end, as in `UpperArmL`.
        if (starts && ends) || offset == 0 || (ends && letter.is_ascii_uppercase()) {
            let swapped = match_case(&name[offset..offset + 1], &other_word[..1]);
            names.push([&name[..offset], &swapped, &name[offset + 1..]].concat());
        }
    }
    names
}

/// Returns `word` in the letter case of `model`.
fn match_case(model: &str, word: &str) -> String {
    let upper = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase());
    let mut result = word.to_string();
    if upper(model) {
        result.make_ascii_uppercase();
    } else if upper(&model[..1]) {
        result[..1].make_ascii_uppercase();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::Joint;
    use super::*;
    use crate::math::Transform;

    fn skeleton(names: &[&str]) -> Skeleton {
        let joint = |(index, name): (usize, &&str)| Joint {
            name: (*name).into(),
            parent: (index > 0).then_some(JointIndex(0)),
            rest: Transform::IDENTITY,
            tip: None,
        };
        Skeleton::new(names.iter().enumerate().map(joint).collect()).unwrap()
    }

    #[test]
    fn the_names_of_all_common_rigs_are_paired() {
        for (left, right) in [
            ("lfemur", "rfemur"),
            ("LeftUpLeg", "RightUpLeg"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("pelvis.L", "pelvis.R"),
            ("upper_arm_l", "upper_arm_r"),
            ("l_hand", "r_hand"),
            ("LEFT_HIP#", "RIGHT_HIP#"),
            ("Bip01 L Thigh", "Bip01 R Thigh"),
            ("UpperArmL", "UpperArmR"),
            ("LShoulder", "RShoulder"),
            ("fingerleft", "fingerright"),
            ("b_LeftArm_09", "b_RightArm_06"),
        ] {
            let skeleton = skeleton(&["root", left, "spine", right]);
            let sides = Sides::of(&skeleton);
            let side = |joint| sides.side(JointIndex(joint));
            assert_eq!((side(1), side(3)), (Side::Left, Side::Right), "{left}");
            assert_eq!(sides.partner(JointIndex(1)), JointIndex(3));
            assert_eq!(sides.partner(JointIndex(3)), JointIndex(1));
            assert_eq!(side(0), Side::Middle);
            assert_eq!(sides.partner(JointIndex(2)), JointIndex(2));
        }
    }

    #[test]
    fn numbers_that_tell_joints_apart_are_part_of_their_names() {
        let sides = Sides::of(&skeleton(&[
            "root", "lhand_1", "lhand_2", "rhand_3", "rhand_4",
        ]));
        assert!((0..5).all(|joint| sides.side(JointIndex(joint)) == Side::Middle));
        let sides = Sides::of(&skeleton(&[
            "root", "lhand_1", "lhand_2", "rhand_1", "rhand_2",
        ]));
        assert_eq!(sides.partner(JointIndex(2)), JointIndex(4));
    }

    #[test]
    fn a_joint_without_a_partner_is_in_the_middle() {
        let sides = Sides::of(&skeleton(&["root", "lowerback", "left_antenna", "ünïcode"]));
        for joint in 0..4 {
            assert_eq!(sides.side(JointIndex(joint)), Side::Middle);
        }
        assert_eq!(sides.side(JointIndex(99)), Side::Middle);
        assert_eq!(sides.partner(JointIndex(99)), JointIndex(99));
    }
}
