//! A controller on a node of a scene.

use super::set_of;
use sinew::animation::{Variant, VariantInterpolation, VariantTrack};
use sinew::control::BindingProblem;
use sinew::glam::Vec3;
use sinew::scene::{NodeIndex, Scene, SceneBinding};
use sinew::{Animation, AnimationController, AnimationParameters};
use std::sync::Arc;

/// A controller on a node of a scene.
pub(crate) struct Rig {
    pub(crate) node: NodeIndex,
    pub(crate) controller: AnimationController,
    pub(crate) binding: SceneBinding,
}

impl Rig {
    /// Plays all of these from the start, looped.
    pub(crate) fn new(node: NodeIndex, animations: impl IntoIterator<Item = Animation>) -> Self {
        let set = Arc::new(set_of(animations));
        let mut controller = AnimationController::new(set.clone());
        for index in set.indices() {
            let parameters = AnimationParameters::new(&set, index).looped();
            controller.play_new(parameters, 0.0).unwrap();
        }
        Self {
            node,
            controller,
            binding: SceneBinding::new(&set),
        }
    }

    pub(crate) fn update(&mut self, scene: &mut Scene, seconds: f32) {
        self.controller.update(seconds);
        let mut target = scene.target(self.node);
        self.binding.apply(&self.controller, &mut target);
    }

    pub(crate) fn problems(&self) -> Vec<(&str, &BindingProblem)> {
        let all = self.binding.warnings().iter();
        all.map(|warning| (warning.name.as_str(), &warning.problem))
            .collect()
    }
}

pub(crate) fn place(scene: &Scene, node: NodeIndex) -> Vec3 {
    scene.transform(node).unwrap().position
}

/// An animation that sets one attribute.
pub(crate) fn setting(path: &str, value: impl Into<Variant>) -> Animation {
    let mut animation = Animation::new(path, 1.0);
    let keys = [(0.0, value.into())];
    animation.set_variant(VariantTrack::new(path, VariantInterpolation::Linear, keys).unwrap());
    animation
}
