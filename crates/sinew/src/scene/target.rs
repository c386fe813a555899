//! Name and path resolution in a scene.

use super::{Component, NodeIndex, Scene};
use crate::animation::{Channels, Variant, VariantType};
use crate::control::{AnimationTarget, AttributePath, PathError};
use crate::math::Transform;
use alloc::sync::Arc;

/// A scene as the target of a controller on one of its nodes; created by [`Scene::target`].
#[derive(Debug)]
pub struct SceneTarget<'a> {
    pub(super) scene: &'a mut Scene,
    pub(super) node: NodeIndex,
}

/// The node of a transform track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SceneNode {
    /// The node.
    pub node: NodeIndex,
    /// The component and bone index, if it is a bone of a model on the controller's node.
    bone: Option<(usize, usize)>,
}

/// The attribute of a variant track.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SceneAttribute {
    /// The node of the attribute.
    pub node: NodeIndex,
    place: AttributeSlot,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AttributeSlot {
    Position,
    Rotation,
    Scale,
    Variable(Arc<str>),
    /// Component and attribute indices.
    Attribute(usize, usize),
    /// Component and morph indices.
    Morph(usize, usize),
}

impl SceneTarget<'_> {
    /// Returns the first model of the controller's node, and its component index.
    fn model(&self) -> Option<(usize, &Component)> {
        let components = self.scene.components(self.node).iter().enumerate();
        components
            .into_iter()
            .find(|(_, component)| !component.bones.is_empty())
    }

    fn bone(&self, name: &str, start: Option<NodeIndex>) -> Option<SceneNode> {
        let (component, model) = self.model()?;
        let mut bones = model.bones.iter().enumerate();
        let (index, bone) = bones.find(|(_, bone)| self.scene.name(bone.node) == Some(name))?;
        let inside = start.is_none_or(|start| self.scene.is_below(bone.node, start));
        inside.then_some(SceneNode {
            node: bone.node,
            bone: Some((component, index)),
        })
    }

    /// Finds the first node of that name below another, depth first.
    fn search(&self, name: &str, below: NodeIndex) -> Option<NodeIndex> {
        let mut waiting = alloc::vec![self.scene.children(below).iter()];
        while let Some(children) = waiting.last_mut() {
            let Some(&child) = children.next() else {
                waiting.pop();
                continue;
            };
            if self.scene.name(child) == Some(name) {
                return Some(child);
            }
            waiting.push(self.scene.children(child).iter());
        }
        None
    }

    fn walk(&self, path: &AttributePath<'_>) -> Option<NodeIndex> {
        path.nodes().try_fold(self.node, |node, name| {
            let mut children = self.scene.children(node).iter().copied();
            children.find(|&child| self.scene.name(child) == Some(name))
        })
    }

    fn node_attribute(
        &self,
        node: NodeIndex,
        path: &AttributePath<'_>,
    ) -> Option<(AttributeSlot, VariantType)> {
        let is_named = |name: &str| path.attribute.eq_ignore_ascii_case(name);
        match path.sub {
            None if is_named("Position") => Some((AttributeSlot::Position, VariantType::Vec3)),
            None if is_named("Rotation") => Some((AttributeSlot::Rotation, VariantType::Quat)),
            None if is_named("Scale") => Some((AttributeSlot::Scale, VariantType::Vec3)),
            Some(name) if is_named("Variables") => {
                let value = self.scene.variable(node, name)?;
                Some((AttributeSlot::Variable(name.into()), value.kind()))
            }
            _ => None,
        }
    }
}

fn component_attribute(
    position: usize,
    component: &Component,
    path: &AttributePath<'_>,
) -> Option<(AttributeSlot, VariantType)> {
    if let Some(sub) = path.sub {
        let morph = sub
            .parse()
            .ok()
            .filter(|_| path.attribute.eq_ignore_ascii_case("Morphs"))?;
        component.morphs.get(morph)?;
        return Some((AttributeSlot::Morph(position, morph), VariantType::Float));
    }
    let index = component.position(path.attribute)?;
    let kind = component.value_at(index)?.kind();
    Some((AttributeSlot::Attribute(position, index), kind))
}

impl AnimationTarget for SceneTarget<'_> {
    type Node = SceneNode;
    type Attribute = SceneAttribute;

    fn revision(&self) -> u64 {
        // Names resolve differently in another scene and from another node. The address only decides when tracks are
        // bound again, never how they resolve.
        let scene = Arc::as_ptr(&self.scene.identity) as usize as u64;
        let place = (scene << 20) ^ u64::from(self.node.0);
        place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.scene.revision
    }

    fn find_start_bone(&self, name: &str) -> Option<SceneNode> {
        let node = self.search(name, self.node)?;
        Some(SceneNode { node, bone: None })
    }

    fn find_node(&self, name: &str, start: Option<&SceneNode>) -> Option<SceneNode> {
        let start = start.map(|start| start.node);
        if name.is_empty() {
            let node = self.node;
            return Some(SceneNode { node, bone: None });
        }
        if let Some(bone) = self.bone(name, start) {
            return Some(bone);
        }
        let node = match start {
            Some(start) if self.scene.name(start) == Some(name) => start,
            _ => self.search(name, start.unwrap_or(self.node))?,
        };
        Some(SceneNode { node, bone: None })
    }

    fn set_transform(&mut self, node: &SceneNode, transform: Transform, channels: Channels) {
        if let Some((component, bone)) = node.bone {
            let components = self.scene.components(self.node);
            let bone = components
                .get(component)
                .and_then(|component| component.bones.get(bone));
            if bone.is_some_and(|bone| !bone.is_animated) {
                return;
            }
        }
        let Ok(scene_node) = self.scene.node_mut(node.node) else {
            return;
        };
        if channels.position {
            scene_node.transform.position = transform.position;
        }
        if channels.rotation {
            scene_node.transform.rotation = transform.rotation;
        }
        if channels.scale {
            scene_node.transform.scale = transform.scale;
        }
    }

    fn find_attribute(
        &self,
        path: &AttributePath<'_>,
    ) -> Result<(SceneAttribute, VariantType), PathError> {
        let node = self.walk(path).ok_or_else(|| path.no_such_node())?;
        let found = if path.component.is_empty() {
            self.node_attribute(node, path)
        } else {
            let components = self.scene.components(node).iter().enumerate();
            let mut of_kind =
                components.filter(|(_, component)| component.kind() == path.component);
            let (position, component) = of_kind
                .nth(path.component_index)
                .ok_or_else(|| path.no_such_component())?;
            component_attribute(position, component, path)
        };
        let (place, kind) = found.ok_or_else(|| path.no_such_attribute())?;
        Ok((SceneAttribute { node, place }, kind))
    }

    fn set_attribute(&mut self, attribute: &SceneAttribute, value: &Variant) {
        let Ok(node) = self.scene.node_mut(attribute.node) else {
            return;
        };
        match (&attribute.place, value) {
            (AttributeSlot::Position, Variant::Vec3(value)) => node.transform.position = *value,
            (AttributeSlot::Rotation, Variant::Quat(value)) => node.transform.rotation = *value,
            (AttributeSlot::Scale, Variant::Vec3(value)) => node.transform.scale = *value,
            (AttributeSlot::Variable(name), value) => {
                if let Some(variable) = node.variables.get_mut(&**name) {
                    *variable = value.clone();
                }
            }
            (AttributeSlot::Attribute(component, index), value) => {
                if let Some(component) = node.components.get_mut(*component) {
                    component.set_at(*index, value);
                }
            }
            (AttributeSlot::Morph(component, morph), Variant::Float(value)) => {
                let component = node.components.get_mut(*component);
                if let Some(weight) =
                    component.and_then(|component| component.morphs.get_mut(*morph))
                {
                    *weight = *value;
                }
            }
            _ => {}
        }
    }

    fn reset_skeleton(&mut self) {
        let Some((component, model)) = self.model() else {
            return;
        };
        for bone_index in 0..model.bones.len() {
            let components = self.scene.components(self.node);
            let bone = components
                .get(component)
                .and_then(|component| component.bones.get(bone_index));
            if let Some(bone) = bone.copied().filter(|bone| bone.is_animated)
                && let Ok(node) = self.scene.node_mut(bone.node)
            {
                node.transform = bone.bind;
            }
        }
    }

    fn rest_transform(&self, node: &Self::Node) -> Option<Transform> {
        let (_, model) = self.model()?;
        let bone = model.bones.iter().find(|bone| bone.node == node.node)?;
        Some(bone.bind)
    }
}
