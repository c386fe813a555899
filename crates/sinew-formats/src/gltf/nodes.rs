//! Conversion of nodes to joints: their selection, order and names.

use super::document::{Document, Node};
use super::error::{check_size, entry, invalid};
use super::{GltfError, GltfSettings, rest};
use crate::limits::{MAX_JOINT_DEPTH, MAX_JOINTS, MAX_TEXT_BYTES};
use crate::names::Names;
use crate::{Warnings, escape};
use sinew::{Joint, JointIndex, Skeleton, Transform};
use std::collections::HashSet;

/// The skeleton, and the joint of each node that became one.
pub(super) struct Joints {
    pub(super) skeleton: Skeleton,
    pub(super) of_node: Vec<Option<JointIndex>>,
}

pub(super) fn read(
    document: &Document<'_>,
    settings: &GltfSettings,
    warnings: &mut Warnings,
) -> Result<Joints, GltfError> {
    let moving = moving(document, warnings)?;
    let tree = NodeTree::of(document, warnings)?;
    let any_moves = moving.iter().any(|&moves| moves);
    let taken = if settings.whole_scene || !any_moves {
        tree.in_scene.clone()
    } else {
        tree.with_ancestors(&moving)
    };
    for (node, _) in taken.iter().enumerate().filter(|&(_, &taken)| taken) {
        let is_root = tree.parents.get(node).is_some_and(Option::is_none);
        if is_root && tree.in_scene.get(node) == Some(&false) {
            let problem = "it moves, but is not in the scene; used nevertheless";
            warnings.add(format_args!("nodes[{node}]"), "", problem);
        }
    }
    join(document, &tree, &taken, &moving, warnings)
}

/// Returns which nodes are skin joints or animated.
fn moving(document: &Document<'_>, warnings: &mut Warnings) -> Result<Vec<bool>, GltfError> {
    let nodes = &document.nodes;
    let mut moving = vec![false; nodes.len()];
    let mut mark = |index: u32| {
        if let Some(moves) = moving.get_mut(index as usize) {
            *moves = true;
        }
    };
    for (s, skin) in document.skins.iter().enumerate() {
        if skin.joints.is_empty() {
            warnings.add(format_args!("skins[{s}]"), "joints", "the list is empty");
        }
        for (j, &joint) in skin.joints.iter().enumerate() {
            entry(format_args!("skins[{s}].joints[{j}]"), "node", nodes, joint)?;
            mark(joint);
        }
        if let Some(root) = skin.skeleton {
            entry(format_args!("skins[{s}].skeleton"), "node", nodes, root)?;
        }
        check_bind_matrices(document, s, warnings)?;
    }
    for (a, animation) in document.animations.iter().enumerate() {
        for (c, channel) in animation.channels.iter().enumerate() {
            if let Some(node) = channel.target.node {
                let path = format_args!("animations[{a}].channels[{c}].target.node");
                entry(path, "node", nodes, node)?;
                mark(node);
            }
        }
    }
    Ok(moving)
}

/// Warns of invalid bind matrices, which are for meshes and not read.
fn check_bind_matrices(
    document: &Document<'_>,
    skin: usize,
    warnings: &mut Warnings,
) -> Result<(), GltfError> {
    let Some(skin_entry) = document.skins.get(skin) else {
        return Ok(());
    };
    let Some(index) = skin_entry.inverse_bind_matrices else {
        return Ok(());
    };
    let path = format!("skins[{skin}].inverseBindMatrices");
    let accessor = entry(path, "accessor", &document.accessors, index)?;
    let is_float = accessor.component_type == 5126;
    let enough = accessor.count >= skin_entry.joints.len() as u64;
    let view = accessor
        .buffer_view
        .and_then(|view| document.buffer_views.get(view as usize));
    let problem = if &*accessor.kind != "MAT4" || !is_float {
        "they are not MAT4 of FLOAT"
    } else if !enough {
        "there are fewer than joints"
    } else if view.is_some_and(|view| view.byte_stride.is_some()) {
        "their view has a stride"
    } else {
        return Ok(());
    };
    let problem = format!("{problem}; they are for meshes and not read");
    warnings.add(
        format_args!("skins[{skin}]"),
        "inverseBindMatrices",
        problem,
    );
    Ok(())
}

/// Nodes as a forest without cycles.
struct NodeTree {
    parents: Vec<Option<u32>>,
    /// Depth-first order, the scene's roots first and in the scene's order.
    order: Vec<u32>,
    /// Nodes of the default scene; all if there is no scene.
    in_scene: Vec<bool>,
}

impl NodeTree {
    fn of(document: &Document<'_>, warnings: &mut Warnings) -> Result<Self, GltfError> {
        let nodes = &document.nodes;
        let parents = parents(nodes)?;
        let scene_roots = scene_roots(document, &parents, warnings)?;
        let mut is_scene_root = vec![false; nodes.len()];
        for &root in &scene_roots {
            if let Some(flag) = is_scene_root.get_mut(root as usize) {
                *flag = true;
            }
        }
        let others = (0..nodes.len() as u32).filter(|&node| {
            let node = node as usize;
            parents.get(node) == Some(&None) && is_scene_root.get(node) != Some(&true)
        });
        let roots: Vec<u32> = scene_roots.iter().copied().chain(others).collect();
        let mut in_scene = vec![false; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        let mut depths = vec![0_u64; nodes.len()];
        for &root in &roots {
            let belongs =
                document.scenes.is_empty() || is_scene_root.get(root as usize) == Some(&true);
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                order.push(node);
                let position = node as usize;
                if let Some(inside) = in_scene.get_mut(position) {
                    *inside = belongs;
                }
                let depth = depths.get(position).copied().unwrap_or(0) + 1;
                let path = format_args!("nodes[{node}]: the depth of nesting");
                check_size(path, depth, MAX_JOINT_DEPTH as u64)?;
                let children = nodes.get(position).map_or(&[][..], |node| &node.children);
                for &child in children.iter().rev() {
                    if let Some(below) = depths.get_mut(child as usize) {
                        *below = depth;
                    }
                    open.push(child);
                }
            }
        }
        if order.len() < nodes.len() {
            let mut reached = vec![false; nodes.len()];
            for &node in &order {
                if let Some(reached) = reached.get_mut(node as usize) {
                    *reached = true;
                }
            }
            let node = reached.iter().position(|reached| !reached).unwrap_or(0);
            let found = "one that is below itself";
            return Err(invalid(format!("nodes[{node}]"), "a node in a tree", found));
        }
        Ok(Self {
            parents,
            order,
            in_scene,
        })
    }

    fn with_ancestors(&self, moving: &[bool]) -> Vec<bool> {
        let mut taken = vec![false; moving.len()];
        for (node, _) in moving.iter().enumerate().filter(|&(_, &moves)| moves) {
            let mut next = Some(node);
            while let Some(node) = next {
                match taken.get_mut(node) {
                    Some(taken) if !*taken => *taken = true,
                    _ => break,
                }
                next = self.parent(node);
            }
        }
        taken
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.parents
            .get(node)
            .copied()
            .flatten()
            .map(|p| p as usize)
    }
}

fn parents(nodes: &[Node<'_>]) -> Result<Vec<Option<u32>>, GltfError> {
    let mut parents = vec![None; nodes.len()];
    for (n, node) in nodes.iter().enumerate() {
        for (c, &child) in node.children.iter().enumerate() {
            let path = format_args!("nodes[{n}].children[{c}]");
            entry(path, "node", nodes, child)?;
            if let Some(parent) = parents.get_mut(child as usize) {
                if let Some(other) = *parent {
                    let found = format!("node {child}, which is a child of node {other}");
                    return Err(invalid(path, "a node without a parent", found));
                }
                *parent = Some(n as u32);
            }
        }
    }
    Ok(parents)
}

/// Returns the roots of the default scene, without duplicates.
fn scene_roots(
    document: &Document<'_>,
    parents: &[Option<u32>],
    warnings: &mut Warnings,
) -> Result<Vec<u32>, GltfError> {
    if let Some(scene) = document.scene {
        entry("scene", "scene", &document.scenes, scene)?;
    }
    let default = document.scene.unwrap_or(0);
    let mut roots = Vec::new();
    let mut listed = HashSet::new();
    for (s, scene) in document.scenes.iter().enumerate() {
        for (n, &node) in scene.nodes.iter().enumerate() {
            let path = format_args!("scenes[{s}].nodes[{n}]");
            entry(path, "node", &document.nodes, node)?;
            if s != default as usize {
                continue;
            }
            if parents.get(node as usize) != Some(&None) {
                let problem = format!("node {node} has a parent; ignored");
                warnings.add(path, "", problem);
            } else if listed.insert(node) {
                roots.push(node);
            } else {
                warnings.add(path, "", format!("node {node} is listed twice"));
            }
        }
    }
    Ok(roots)
}

fn join(
    document: &Document<'_>,
    tree: &NodeTree,
    taken: &[bool],
    moving: &[bool],
    warnings: &mut Warnings,
) -> Result<Joints, GltfError> {
    let mut of_node = vec![None; document.nodes.len()];
    let mut joints: Vec<Joint> = Vec::new();
    let mut names = Names::default();
    for &index in &tree.order {
        let position = index as usize;
        let Some(node) = document.nodes.get(position) else {
            continue;
        };
        let moves = moving.get(position) == Some(&true);
        let parent = tree.parent(position);
        let joint_above = parent.and_then(|p| of_node.get(p).copied().flatten());
        if node.extras.as_ref().is_some_and(|extras| extras.tip)
            && !moves
            && node.children.is_empty()
        {
            // Ours: the tip of a bone, not a joint.
            if let Some(JointIndex(above)) = joint_above {
                let tip = rest::rest(position, node, warnings)?.position;
                if let Some(joint) = joints.get_mut(above as usize) {
                    joint.tip = Some(tip);
                }
                continue;
            }
        }
        if taken.get(position) != Some(&true) {
            continue;
        }
        let place = rest::rest(position, node, warnings)?;
        let holds_roots = node.extras.as_ref().is_some_and(|extras| extras.roots);
        if holds_roots && !moves && parent.is_none() && place == Transform::IDENTITY {
            // Ours: a common parent of several roots.
            continue;
        }
        check_size(
            "the number of joints",
            joints.len() as u64 + 1,
            MAX_JOINTS as u64,
        )?;
        if let Some(slot) = of_node.get_mut(position) {
            *slot = Some(JointIndex::from(joints.len()));
        }
        joints.push(Joint {
            name: name_of(position, node, &mut names, warnings),
            parent: joint_above,
            rest: place,
            tip: None,
        });
    }
    if joints.is_empty() {
        return Err(GltfError::NoNodes);
    }
    Ok(Joints {
        skeleton: Skeleton::new(joints).map_err(|error| GltfError::Skeleton(Box::new(error)))?,
        of_node,
    })
}

/// Returns a unique name for the joint of a node.
fn name_of(index: usize, node: &Node<'_>, names: &mut Names, warnings: &mut Warnings) -> String {
    let place = format!("nodes[{index}]");
    let name = match node.name.as_deref() {
        None | Some("") => {
            let name = format!("node_{index}");
            warnings.note(&place, "name", format!("missing; named {name}"));
            name
        }
        Some(name) => start_of(&place, name, warnings).to_owned(),
    };
    let taken = names.take(&name);
    if taken != name {
        let problem = format!(
            "{} is not unique; named {}",
            escape::text(&name),
            escape::text(&taken)
        );
        warnings.add(&place, "name", problem);
    }
    taken
}

/// Truncates a name to its maximum length.
pub(super) fn start_of<'a>(place: &str, name: &'a str, warnings: &mut Warnings) -> &'a str {
    let mut end = name.len().min(MAX_TEXT_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let start = name.get(..end).unwrap_or(name);
    if start.len() < name.len() {
        let problem = format!("{} bytes; cut to {}", name.len(), start.len());
        warnings.add(place, "name", problem);
    }
    start
}
