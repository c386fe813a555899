//! What a node can have beside its transform.

use super::NodeIndex;
use crate::animation::Variant;
use crate::math::Transform;
use alloc::string::String;
use alloc::vec::Vec;

/// A node that is a bone of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBone {
    /// The node.
    pub node: NodeIndex,
    /// Where it rests.
    pub bind: Transform,
    /// Whether animations move it.
    pub is_animated: bool,
}

/// A component of a node: a type, attributes of fixed types, and, for a model, bones and morphs.
///
/// ```
/// use sinew::animation::Variant;
/// use sinew::scene::Component;
/// let lamp = Component::new("Light").with("Brightness", 1.0_f32).with("Is Enabled", true);
/// assert_eq!(lamp.attribute("brightness"), Some(&Variant::Float(1.0)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    kind: String,
    attributes: Vec<(String, Variant)>,
    pub(super) morphs: Vec<f32>,
    pub(super) bones: Vec<SceneBone>,
}

impl Component {
    /// A component of a type, without attributes.
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            attributes: Vec::new(),
            morphs: Vec::new(),
            bones: Vec::new(),
        }
    }

    /// The same with another attribute; capitals do not tell attributes apart.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Variant>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.position(&name) {
            Some(at) => self.attributes[at].1 = value,
            None => self.attributes.push((name, value)),
        }
        self
    }

    /// The same with weights of morphs, which can be animated as `@Component/Morphs/3`.
    pub fn with_morphs(self, morphs: Vec<f32>) -> Self {
        Self { morphs, ..self }
    }

    /// The same with bones. Transform tracks prefer the bones of the first component that has some on the
    /// controller's own node.
    pub fn with_bones(self, bones: Vec<SceneBone>) -> Self {
        Self { bones, ..self }
    }

    /// Its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// An attribute, in capitals or not.
    pub fn attribute(&self, name: &str) -> Option<&Variant> {
        Some(&self.attributes[self.position(name)?].1)
    }

    /// Changes an attribute to another value of its type. `false` when there is none, or of another type.
    pub fn set_attribute(&mut self, name: &str, value: impl Into<Variant>) -> bool {
        let at = self.position(name);
        at.is_some_and(|at| self.set_at(at, &value.into()))
    }

    /// The weights of its morphs.
    pub fn morphs(&self) -> &[f32] {
        &self.morphs
    }

    /// Its bones.
    pub fn bones(&self) -> &[SceneBone] {
        &self.bones
    }

    /// Its bones, to change.
    pub fn bones_mut(&mut self) -> &mut [SceneBone] {
        &mut self.bones
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut all = self.attributes.iter();
        all.position(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    pub(super) fn value_at(&self, position: usize) -> Option<&Variant> {
        Some(&self.attributes.get(position)?.1)
    }

    pub(super) fn set_at(&mut self, position: usize, value: &Variant) -> bool {
        match self.attributes.get_mut(position) {
            Some((_, own)) if own.kind() == value.kind() => {
                *own = value.clone();
                true
            }
            _ => false,
        }
    }
}
