//! Animations and masks of 2D characters.

use super::Mask;
use super::set::{AnimationSet, Clip, Entry};
use crate::skelform::{Armature, ArmatureAnimation};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl AnimationSet {
    /// Creates a set of the animations of a 2D character, in the same order: animation `i` of the set is animation `i`
    /// of the armature; animations added later follow.
    ///
    /// The length of each includes the duration of its last frame, as in SkelForm. To loop without the pause on the
    /// last frame, play it with a [time range](super::AnimationParameters::time_range) that ends on that frame.
    pub fn of_armature(armature: &Arc<Armature>) -> Self {
        let entry = |(index, animation): (usize, &ArmatureAnimation)| Entry {
            name: animation.name().into(),
            length: animation.seconds() as f32,
            triggers: Vec::new(),
            clip: Clip::Armature(armature.clone(), index.into()),
            root: None,
        };
        let mut set = Self::new();
        for entry in armature.animations().iter().enumerate().map(entry) {
            set.push(entry);
        }
        set
    }
}

impl Mask {
    /// Creates a mask of a bone of a 2D character and its descendants; `None` if there is no such bone. Bones with the
    /// same name share a weight.
    pub fn bone_subtree(armature: &Armature, bone: &str) -> Option<Self> {
        let start = armature.find_bone(bone)?.index();
        let bones = &armature.data().bones;
        let mut inside = alloc::vec![false; bones.len()];
        let mut mask = Self::none();
        for (index, bone) in bones.iter().enumerate() {
            // Parents precede their children.
            inside[index] = index == start || bone.parent.is_some_and(|parent| inside[parent]);
            if inside[index] {
                mask = mask.with(&bone.name, 1.0);
            }
        }
        Some(mask)
    }
}
