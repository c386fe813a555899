//! Animations and masks of 2D characters.

use super::Mask;
use super::set::{AnimationSet, Clip, Entry};
use crate::skelform::{Armature, ArmatureAnimation};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl AnimationSet {
    /// The animations of a 2D character, at the positions that they have there.
    ///
    /// Their length is that of their frames, the last one's time included, which is how long SkelForm
    /// plays them. For a loop without the pause on the last frame, play them with a
    /// [time range](super::AnimationParameters::time_range) that ends on it.
    pub fn of_armature(armature: &Arc<Armature>) -> Self {
        let entry = |(at, animation): (usize, &ArmatureAnimation)| Entry {
            name: animation.name().into(),
            length: animation.seconds() as f32,
            triggers: Vec::new(),
            clip: Clip::Armature(armature.clone(), at),
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
    /// A bone of a 2D character and all that hangs on it; `None` when there is no such bone. Bones of one name
    /// have one weight.
    pub fn below_bone(armature: &Armature, bone: &str) -> Option<Self> {
        let start = armature.find_bone(bone)?.index();
        let bones = &armature.data().bones;
        let mut inside = alloc::vec![false; bones.len()];
        let mut mask = Self::none();
        for (at, bone) in bones.iter().enumerate() {
            // Parents stand before their children.
            inside[at] = at == start || bone.parent.is_some_and(|parent| inside[parent]);
            if inside[at] {
                mask = mask.with(&bone.name, 1.0);
            }
        }
        Some(mask)
    }
}
