//! A small tree of nodes with components, attributes, variables and morphs: for tools and games without their own, and
//! as an example of an [`AnimationTarget`](crate::control::AnimationTarget).
//!
//! ```
//! use std::sync::Arc;
//! use sinew::animation::*;
//! use sinew::control::*;
//! use sinew::scene::*;
//! use sinew::*;
//!
//! let mut scene = Scene::new("Room");
//! let door = scene.add_node(scene.root(), "Door")?;
//!
//! let mut slide = Animation::new("open", 1.0);
//! slide.set_variant(VariantTrack::new(
//!     "Door/@/Position",
//!     VariantInterpolation::TensionSpline { tension: 0.7 },
//!     [(0.0, glam::Vec3::ZERO), (1.0, glam::Vec3::X)],
//! )?);
//! let mut set = AnimationSet::new();
//! let open = set.add(slide)?;
//! let set = Arc::new(set);
//!
//! let mut controller = AnimationController::new(set.clone());
//! let mut binding = SceneBinding::new(&set);
//! controller.play_new(AnimationParameters::new(&set, open).keep_on_completion(), 0.0)?;
//! controller.update(0.25);
//! let root = scene.root();
//! binding.apply(&controller, &mut scene.target(root));
//! assert_eq!(scene.transform(door).map(|t| t.position.x), Some(0.15625));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod component;
mod target;

pub use component::{Component, SceneBone};
pub use target::{SceneAttribute, SceneNode, SceneTarget};

use crate::animation::Variant;
use crate::control::TargetBinding;
use crate::math::Transform;
use crate::skeleton::Skeleton;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Applies controllers to a [`Scene`]; one per node with a controller.
pub type SceneBinding = TargetBinding<SceneNode, SceneAttribute>;

/// A node of a [`Scene`]. Indices of removed nodes are not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// An error of changing a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The node does not exist or was removed.
    #[error("there is no node {node}")]
    NoSuchNode {
        /// The index of the node.
        node: u32,
    },
    /// The root cannot be removed or moved.
    #[error("the root of a scene cannot be removed or moved")]
    Root,
    /// A node cannot become a child of itself or of a descendant.
    #[error("node {node} cannot become a child of node {parent}, which is below it")]
    Cycle {
        /// The node.
        node: u32,
        /// The new parent.
        parent: u32,
    },
    /// A scene has at most 2^32 nodes, including removed ones.
    #[error("the scene has as many nodes as can be counted")]
    TooMany,
}

#[derive(Clone, Debug)]
struct NodeData {
    name: String,
    parent: Option<NodeIndex>,
    children: Vec<NodeIndex>,
    transform: Transform,
    variables: BTreeMap<String, Variant>,
    components: Vec<Component>,
}

/// A tree of nodes, each with a name, a transform, variables and components. A removed node permanently occupies about
/// a hundred bytes.
#[derive(Debug)]
pub struct Scene {
    nodes: Vec<Option<NodeData>>,
    /// Incremented when names may resolve differently.
    revision: u64,
    /// The unique identity of this scene; a clone gets another. Not zero-sized, so that each has its own address.
    identity: Arc<u8>,
}

impl Clone for Scene {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            revision: self.revision,
            identity: Arc::new(0),
        }
    }
}

impl Scene {
    /// Creates a scene with only a root.
    pub fn new(root: impl Into<String>) -> Self {
        Self {
            nodes: alloc::vec![Some(NodeData::new(root.into(), None))],
            revision: 1,
            identity: Arc::new(0),
        }
    }

    /// Returns the root.
    pub fn root(&self) -> NodeIndex {
        NodeIndex(0)
    }

    /// Returns an animation target for a controller on this node: paths and names resolve from there.
    pub fn target(&mut self, node: NodeIndex) -> SceneTarget<'_> {
        SceneTarget { scene: self, node }
    }

    /// Adds a node as the last child of another.
    ///
    /// # Errors
    /// If there is no such parent.
    pub fn add_node(
        &mut self,
        parent: NodeIndex,
        name: impl Into<String>,
    ) -> Result<NodeIndex, SceneError> {
        let index = u32::try_from(self.nodes.len()).map_err(|_| SceneError::TooMany)?;
        let index = NodeIndex(index);
        self.node_mut(parent)?.children.push(index);
        self.nodes
            .push(Some(NodeData::new(name.into(), Some(parent))));
        self.revision += 1;
        Ok(index)
    }

    /// Adds the joints of a skeleton below a node, at rest, and a model component with these bones to that node.
    /// Returns a node per joint.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn add_skeleton(
        &mut self,
        node: NodeIndex,
        skeleton: &Skeleton,
    ) -> Result<Vec<NodeIndex>, SceneError> {
        let mut nodes: Vec<NodeIndex> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let parent = joint.parent.and_then(|parent| nodes.get(parent.index()));
            let added = self.add_node(parent.copied().unwrap_or(node), joint.name.as_str())?;
            self.set_transform(added, joint.rest)?;
            nodes.push(added);
        }
        let bones = nodes.iter().zip(skeleton.joints());
        let bones = bones.map(|(&node, joint)| SceneBone {
            node,
            bind: joint.rest,
            is_animated: true,
        });
        let model = Component::new("AnimatedModel").with_bones(bones.collect());
        self.add_component(node, model)?;
        Ok(nodes)
    }

    /// Removes a node and its descendants.
    ///
    /// # Errors
    /// If there is no such node, or it is the root.
    pub fn remove_node(&mut self, node: NodeIndex) -> Result<(), SceneError> {
        let parent = self.node(node)?.parent.ok_or(SceneError::Root)?;
        self.node_mut(parent)?
            .children
            .retain(|&child| child != node);
        let mut waiting = alloc::vec![node];
        while let Some(next) = waiting.pop() {
            if let Some(gone) = self.nodes.get_mut(next.0 as usize).and_then(Option::take) {
                waiting.extend(gone.children);
            }
        }
        self.revision += 1;
        Ok(())
    }

    /// Moves a node and its descendants to another parent.
    ///
    /// # Errors
    /// If there is no such node, it is the root, or the parent is one of its descendants.
    pub fn set_parent(&mut self, node: NodeIndex, parent: NodeIndex) -> Result<(), SceneError> {
        let old = self.node(node)?.parent.ok_or(SceneError::Root)?;
        self.node(parent)?;
        if self.is_below(parent, node) {
            return Err(SceneError::Cycle {
                node: node.0,
                parent: parent.0,
            });
        }
        self.node_mut(old)?.children.retain(|&child| child != node);
        self.node_mut(parent)?.children.push(node);
        self.node_mut(node)?.parent = Some(parent);
        self.revision += 1;
        Ok(())
    }

    /// Renames a node.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn rename(&mut self, node: NodeIndex, name: impl Into<String>) -> Result<(), SceneError> {
        self.node_mut(node)?.name = name.into();
        self.revision += 1;
        Ok(())
    }

    /// Returns the name of a node; `None` if it does not exist.
    pub fn name(&self, node: NodeIndex) -> Option<&str> {
        Some(&self.get(node)?.name)
    }

    /// Returns the children of a node, in order.
    pub fn children(&self, node: NodeIndex) -> &[NodeIndex] {
        self.get(node).map_or(&[], |node| &node.children)
    }

    /// Returns the transform of a node relative to its parent; `None` if it does not exist.
    pub fn transform(&self, node: NodeIndex) -> Option<Transform> {
        Some(self.get(node)?.transform)
    }

    /// Sets the transform of a node relative to its parent.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn set_transform(
        &mut self,
        node: NodeIndex,
        transform: Transform,
    ) -> Result<(), SceneError> {
        self.node_mut(node)?.transform = transform;
        Ok(())
    }

    /// Returns the world transform of a node; `None` if it does not exist. Shear, which non-uniform scales can cause,
    /// is lost.
    pub fn world_transform(&self, node: NodeIndex) -> Option<Transform> {
        let mut node = self.get(node)?;
        let mut world = node.transform;
        while let Some(parent) = node.parent {
            node = self.get(parent)?;
            world = node.transform.then_after(&world);
        }
        Some(world)
    }

    /// Returns a variable of a node.
    pub fn variable(&self, node: NodeIndex, name: &str) -> Option<&Variant> {
        self.get(node)?.variables.get(name)
    }

    /// Sets a variable of a node, which can be animated as `@/Variables/Name` with values of its type.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn set_variable(
        &mut self,
        node: NodeIndex,
        name: impl Into<String>,
        value: impl Into<Variant>,
    ) -> Result<(), SceneError> {
        let (variables, value) = (&mut self.node_mut(node)?.variables, value.into());
        let kind = value.kind();
        let old = variables.insert(name.into(), value);
        // A value of the same type does not change how paths resolve.
        if old.is_none_or(|old| old.kind() != kind) {
            self.revision += 1;
        }
        Ok(())
    }

    /// Adds a component to a node; returns its index among the node's components.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn add_component(
        &mut self,
        node: NodeIndex,
        component: Component,
    ) -> Result<usize, SceneError> {
        let components = &mut self.node_mut(node)?.components;
        components.push(component);
        let position = components.len() - 1;
        self.revision += 1;
        Ok(position)
    }

    /// Returns the components of a node, in order.
    pub fn components(&self, node: NodeIndex) -> &[Component] {
        self.get(node).map_or(&[], |node| &node.components)
    }

    /// Sets an attribute of a component to another value of its type. Returns `false` if it does not exist or has
    /// another type.
    pub fn set_attribute(
        &mut self,
        node: NodeIndex,
        component: usize,
        name: &str,
        value: impl Into<Variant>,
    ) -> bool {
        let node = self.node_mut(node).ok();
        let component = node.and_then(|node| node.components.get_mut(component));
        component.is_some_and(|component| component.set_attribute(name, value))
    }

    /// Returns a component of a node mutably; `None` if it does not exist. Tracks are bound again afterwards, so
    /// [`Self::set_attribute`] is faster.
    pub fn component_mut(&mut self, node: NodeIndex, position: usize) -> Option<&mut Component> {
        self.revision += 1;
        let node = self.node_mut(node).ok()?;
        node.components.get_mut(position)
    }

    /// Returns whether a node is another one or a descendant of it.
    fn is_below(&self, node: NodeIndex, ancestor: NodeIndex) -> bool {
        let mut current = Some(node);
        while let Some(node) = current {
            if node == ancestor {
                return true;
            }
            current = self.get(node).and_then(|node| node.parent);
        }
        false
    }

    fn get(&self, node: NodeIndex) -> Option<&NodeData> {
        self.nodes.get(node.0 as usize)?.as_ref()
    }

    fn node(&self, node: NodeIndex) -> Result<&NodeData, SceneError> {
        self.get(node)
            .ok_or(SceneError::NoSuchNode { node: node.0 })
    }

    fn node_mut(&mut self, node: NodeIndex) -> Result<&mut NodeData, SceneError> {
        let found = self.nodes.get_mut(node.0 as usize);
        found
            .and_then(Option::as_mut)
            .ok_or(SceneError::NoSuchNode { node: node.0 })
    }
}

impl NodeData {
    fn new(name: String, parent: Option<NodeIndex>) -> Self {
        Self {
            name,
            parent,
            children: Vec::new(),
            transform: Transform::IDENTITY,
            variables: BTreeMap::new(),
            components: Vec::new(),
        }
    }
}
