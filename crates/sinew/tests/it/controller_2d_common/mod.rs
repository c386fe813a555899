//! The 2D sample under a controller.

use sinew::animation::{Variant, VariantInterpolation, VariantTrack};
use sinew::control::ArmatureBinding;
use sinew::skelform::{AnimationFrame, Armature, ArmatureState, BoneIndex, animate};
use sinew::{Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet};
use sinew_formats::skf;
use std::sync::Arc;

const SAMPLE: &[u8] = include_bytes!("../../../../../samples/pip.skf");

pub(crate) struct Stage {
    pub(crate) armature: Arc<Armature>,
    pub(crate) controller: AnimationController,
    pub(crate) binding: ArmatureBinding,
    pub(crate) state: ArmatureState,
}

impl Stage {
    /// Pip, with animations beside its own.
    pub(crate) fn new(more: impl IntoIterator<Item = Animation>) -> Self {
        Self::with(|set| {
            for animation in more {
                set.add(animation).unwrap();
            }
        })
    }

    pub(crate) fn with(change: impl FnOnce(&mut AnimationSet)) -> Self {
        let armature = skf::read_bytes(SAMPLE).unwrap().armature;
        let mut set = AnimationSet::of_armature(&armature);
        change(&mut set);
        let set = Arc::new(set);
        Self {
            controller: AnimationController::new(set.clone()),
            binding: ArmatureBinding::new(&set, &armature),
            state: armature.new_state(),
            armature,
        }
    }

    pub(crate) fn find(&self, name: &str) -> AnimationIndex {
        self.controller.animation_set().find(name).unwrap()
    }

    /// Plays an animation from a time on; it stays.
    pub(crate) fn play(
        &mut self,
        name: &str,
        time: f32,
        how: impl FnOnce(AnimationParameters) -> AnimationParameters,
    ) {
        let parameters = AnimationParameters::new(self.controller.animation_set(), self.find(name));
        let parameters = how(parameters.looped().time(time));
        self.controller.play_new(parameters, 0.0).unwrap();
    }

    pub(crate) fn update(&mut self) -> &ArmatureState {
        self.controller.update(0.0);
        self.binding
            .apply(&self.controller, &mut self.state)
            .unwrap();
        &self.state
    }

    /// What one of Pip's own animations shows at a time.
    pub(crate) fn plain(&self, name: &str, time: f32) -> ArmatureState {
        let mut state = self.armature.new_state();
        let animation = self.armature.find_animation(name).unwrap();
        let play = AnimationFrame::new(animation, time * 60.0);
        animate(&self.armature, &mut state, &[play]).unwrap();
        state
    }

    pub(crate) fn bone(&self, name: &str) -> BoneIndex {
        self.armature.find_bone(name).unwrap()
    }

    /// Whether a bone is another or hangs on it.
    pub(crate) fn is_below(&self, bone: usize, start: BoneIndex) -> bool {
        let mut ancestor = Some(bone);
        while let Some(bone) = ancestor {
            if bone == start.index() {
                return true;
            }
            ancestor = self.armature.data().bones[bone].parent;
        }
        false
    }
}

pub(crate) fn plain(parameters: AnimationParameters) -> AnimationParameters {
    parameters
}

/// An animation of one second with one variant track.
pub(crate) fn varying<V: Into<Variant>, const N: usize>(
    path: &str,
    keys: [(f32, V); N],
) -> Animation {
    let mut animation = Animation::new(path, 1.0);
    let track = VariantTrack::new(path, VariantInterpolation::Linear, keys);
    animation.set_variant(track.unwrap());
    animation
}
