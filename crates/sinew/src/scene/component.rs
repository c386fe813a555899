//! The components of a node.

use super::NodeIndex;
use crate::animation::Variant;
use crate::math::Transform;
use alloc::string::String;
use alloc::vec::Vec;

/// A bone of a model, which is a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBone {
    /// The node.
    pub node: NodeIndex,
    /// The rest transform.
    pub bind: Transform,
    /// Whether animations move it.
    pub is_animated: bool,
}

/// A component of a node: a type, attributes of fixed types, and for a model bones and morphs.
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
    /// Creates a component of a type, without attributes.
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            attributes: Vec::new(),
            morphs: Vec::new(),
            bones: Vec::new(),
        }
    }

    /// Adds an attribute; names are case-insensitive.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Variant>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.position(&name) {
            Some(index) => self.attributes[index].1 = value,
            None => self.attributes.push((name, value)),
        }
        self
    }

    /// Sets the morph weights, which can be animated as `@Component/Morphs/3`.
    pub fn with_morphs(self, morphs: Vec<f32>) -> Self {
        Self { morphs, ..self }
    }

    /// Sets the bones. Transform tracks prefer the bones of the first component with bones on the controller's own
    /// node.
    pub fn with_bones(self, bones: Vec<SceneBone>) -> Self {
        Self { bones, ..self }
    }

    /// Returns the type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns an attribute; case-insensitive.
    pub fn attribute(&self, name: &str) -> Option<&Variant> {
        Some(&self.attributes[self.position(name)?].1)
    }

    /// Sets an attribute to another value of its type. Returns `false` if it does not exist or has another type.
    pub fn set_attribute(&mut self, name: &str, value: impl Into<Variant>) -> bool {
        let index = self.position(name);
        index.is_some_and(|index| self.set_at(index, &value.into()))
    }

    /// Returns the morph weights.
    pub fn morphs(&self) -> &[f32] {
        &self.morphs
    }

    /// Returns the bones.
    pub fn bones(&self) -> &[SceneBone] {
        &self.bones
    }

    /// Returns the bones mutably.
    pub fn bones_mut(&mut self) -> &mut [SceneBone] {
        &mut self.bones
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let mut attributes = self.attributes.iter();
        attributes.position(|(attribute, _)| attribute.eq_ignore_ascii_case(name))
    }

    pub(super) fn value_at(&self, position: usize) -> Option<&Variant> {
        Some(&self.attributes.get(position)?.1)
    }

    pub(super) fn set_at(&mut self, position: usize, value: &Variant) -> bool {
        match self.attributes.get_mut(position) {
            Some((_, current)) if current.kind() == value.kind() => {
                *current = value.clone();
                true
            }
            _ => false,
        }
    }
}
