//! Mesh deformation: weighted by bones, or along the line through several bones.
//!
//! A vertex starts at the transform of the mesh's own bone. Each bind then moves it towards where the bind's bone puts it:
//! `v ← v + (B rest - v) w`. These are nested interpolations, as in SkelForm: later binds count more, and weights need not
//! sum to 1 as in linear blend skinning.
//!
//! A path is a line through the bones of consecutive binds. Its vertices are placed on the line's normal at their bone,
//! the bisector of the normals of the two segments that meet there: `v = bone + R(n₁ + n₂) rest · w`.
//!
//! The cost is one transform per bone and bind, and one rotated vertex per weight.

use super::ArmaturePose;
use super::armature_pose::BonePose;
use super::plan::Plan;
use crate::math::{Rotor, normalize_or_zero};
use crate::skelform::{ArmatureData, BindData, MeshData, VisualData};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec2;

/// All meshes of an armature; vertices and binds of all of them in one list each.
#[derive(Clone, Debug)]
pub(in crate::skelform) struct MeshPlan {
    meshes: Box<[Mesh]>,
    /// Vertices at rest, relative to their bone.
    rest: Box<[Vec2]>,
    /// Vertices that follow the mesh's own bone: all but those of a path.
    free: Box<[u32]>,
    binds: Box<[Bind]>,
    weights: Box<[(u32, f32)]>,
    /// The vertex range of each visual.
    pub(in crate::skelform) of_visual: Box<[Option<Range<usize>>]>,
}

#[derive(Clone, Debug)]
struct Mesh {
    bone: u32,
    pivot: Rotor,
    pivot_scale: Vec2,
    free: Range<usize>,
    binds: Range<usize>,
}

#[derive(Clone, Debug)]
struct Bind {
    bone: u32,
    /// For a path, the preceding and following bones of the line; at its ends the bone itself.
    path: Option<(u32, u32)>,
    weights: Range<usize>,
}

impl MeshPlan {
    pub(super) fn new(data: &ArmatureData) -> Self {
        let mut builder = Builder::default();
        let mut of_visual = vec![None; data.visuals.len()];
        for (index, bone) in data.bones.iter().enumerate() {
            let Some(visual) = bone.visual else { continue };
            if let Some(mesh) = &data.visuals[visual].mesh {
                of_visual[visual] = Some(builder.add(index, &data.visuals[visual], mesh));
            }
        }
        Self {
            meshes: builder.meshes.into(),
            rest: builder.rest.into(),
            free: builder.free.into(),
            binds: builder.binds.into(),
            weights: builder.weights.into(),
            of_visual: of_visual.into(),
        }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.rest.len()
    }
}

#[derive(Default)]
struct Builder {
    meshes: Vec<Mesh>,
    rest: Vec<Vec2>,
    free: Vec<u32>,
    binds: Vec<Bind>,
    weights: Vec<(u32, f32)>,
}

impl Builder {
    fn add(&mut self, bone: usize, visual: &VisualData, mesh: &MeshData) -> Range<usize> {
        let first = self.rest.len();
        self.rest
            .extend(mesh.vertices.iter().map(|vertex| vertex.position));

        // A path sets a vertex outright, so preceding binds of that vertex are skipped.
        let mut path = vec![None; mesh.vertices.len()];
        for (index, bind) in mesh.binds.iter().enumerate() {
            if bind.is_path && line_through(&mesh.binds, index).is_some() {
                for &(vertex, _) in &bind.vertices {
                    path[vertex as usize] = Some(index);
                }
            }
        }
        let free_start = self.free.len();
        let free = path.iter().zip(first..).filter(|(path, _)| path.is_none());
        self.free.extend(free.map(|(_, vertex)| vertex as u32));
        let binds_start = self.binds.len();
        for (index, bind) in mesh.binds.iter().enumerate() {
            self.bind(&mesh.binds, index, bind, first, &path);
        }
        self.meshes.push(Mesh {
            bone: bone as u32,
            pivot: Rotor::from_angle(visual.pivot_rotation),
            pivot_scale: visual.pivot_scale,
            free: free_start..self.free.len(),
            binds: binds_start..self.binds.len(),
        });
        first..self.rest.len()
    }

    fn bind(
        &mut self,
        binds: &[BindData],
        index: usize,
        bind: &BindData,
        first: usize,
        path: &[Option<usize>],
    ) {
        let Some(bone) = bind.bone else { return };
        let line = line_through(binds, index);
        if bind.is_path && line.is_none() {
            return;
        }
        let weights_start = self.weights.len();
        let live = bind
            .vertices
            .iter()
            .filter(|(v, _)| path[*v as usize].is_none_or(|p| p <= index));
        self.weights
            .extend(live.map(|&(vertex, weight)| ((first + vertex as usize) as u32, weight)));
        self.binds.push(Bind {
            bone: bone as u32,
            path: line.filter(|_| bind.is_path),
            weights: weights_start..self.weights.len(),
        });
    }
}

/// Returns the bones before and after the bind at `index` on the line through all binds; at its ends the bind's own.
///
/// `None` if the bind or one of its neighbours has no bone. The editor then has no line and leaves the vertices to
/// the other binds and to the mesh's own bone.
fn line_through(binds: &[BindData], index: usize) -> Option<(u32, u32)> {
    let bone = |index: usize| binds[index].bone.map(|bone| bone as u32);
    bone(index)?;
    let before = bone(index.saturating_sub(1))?;
    let after = bone((index + 1).min(binds.len() - 1))?;
    Some((before, after))
}

/// Computes the vertices of all meshes for the pose in `out`.
pub(super) fn deform(plan: &Plan, out: &mut ArmaturePose) {
    let ArmaturePose {
        bones, vertices, ..
    } = out;
    let plan = &plan.meshes;
    for mesh in &plan.meshes {
        let own_bone = VertexTransform::new(&bones[mesh.bone as usize], mesh);
        for &vertex in &plan.free[mesh.free.clone()] {
            vertices[vertex as usize] = own_bone.apply(plan.rest[vertex as usize]);
        }
        let mut next_segment = None;
        for bind in &plan.binds[mesh.binds.clone()] {
            let weights = &plan.weights[bind.weights.clone()];
            let bone = &bones[bind.bone as usize];
            match bind.path {
                None => {
                    let transform = VertexTransform::new(bone, mesh);
                    for &(vertex, weight) in weights {
                        let pulled = transform.apply(plan.rest[vertex as usize]);
                        let vertex = &mut vertices[vertex as usize];
                        *vertex += (pulled - *vertex) * weight;
                    }
                }
                Some((before, after)) => {
                    let position = bone.position;
                    // The segment from the preceding bind is usually the one already computed.
                    let arrival = match next_segment {
                        Some((from, to, normal)) if (from, to) == (before, bind.bone) => normal,
                        _ => normal(position - bones[before as usize].position),
                    };
                    let departure = normal(bones[after as usize].position - position);
                    next_segment = Some((bind.bone, after, departure));
                    let turn = Rotor::from_direction(arrival + departure);
                    for &(vertex, weight) in weights {
                        let turned = turn.rotate(plan.rest[vertex as usize]);
                        vertices[vertex as usize] = position + turned * weight;
                    }
                }
            }
        }
    }
}

/// Returns the normal to the left of `direction`; zero for a zero vector.
fn normal(direction: Vec2) -> Vec2 {
    normalize_or_zero(direction.perp())
}

/// The transform of a mesh's vertices by a bone, with the pivot of the mesh's owner.
struct VertexTransform {
    position: Vec2,
    rotor: Rotor,
    scale: Vec2,
}

impl VertexTransform {
    fn new(bone: &BonePose, mesh: &Mesh) -> Self {
        Self {
            position: bone.position,
            rotor: bone.rotor.then(mesh.pivot),
            scale: bone.scale * mesh.pivot_scale,
        }
    }

    fn apply(&self, vertex: Vec2) -> Vec2 {
        self.rotor.rotate(vertex * self.scale) + self.position
    }
}
