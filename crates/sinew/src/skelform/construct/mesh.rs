//! Mesh deformation: weighted by bones, or along the line through several bones.

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
    own: Box<[u32]>,
    binds: Box<[Bind]>,
    bound: Box<[(u32, f32)]>,
    /// The vertex range of each visual.
    pub(in crate::skelform) of_visual: Box<[Option<Range<usize>>]>,
}

#[derive(Clone, Debug)]
struct Mesh {
    bone: u32,
    pivot: Rotor,
    pivot_scale: Vec2,
    own: Range<usize>,
    binds: Range<usize>,
}

#[derive(Clone, Debug)]
struct Bind {
    bone: u32,
    /// For a path, the preceding and following bones of the line; at its ends the bone itself.
    path: Option<(u32, u32)>,
    bound: Range<usize>,
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
            own: builder.own.into(),
            binds: builder.binds.into(),
            bound: builder.bound.into(),
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
    own: Vec<u32>,
    binds: Vec<Bind>,
    bound: Vec<(u32, f32)>,
}

impl Builder {
    fn add(&mut self, bone: usize, visual: &VisualData, mesh: &MeshData) -> Range<usize> {
        let first = self.rest.len();
        self.rest
            .extend(mesh.vertices.iter().map(|vertex| vertex.pos));

        // A path sets a vertex outright, so preceding binds of that vertex are skipped.
        let mut path = vec![None; mesh.vertices.len()];
        for (index, bind) in mesh.binds.iter().enumerate() {
            if bind.is_path && line_through(&mesh.binds, index).is_some() {
                for &(vertex, _) in &bind.vertices {
                    path[vertex as usize] = Some(index);
                }
            }
        }
        let own_start = self.own.len();
        let free = path.iter().zip(first..).filter(|(path, _)| path.is_none());
        self.own.extend(free.map(|(_, vertex)| vertex as u32));
        let binds_start = self.binds.len();
        for (index, bind) in mesh.binds.iter().enumerate() {
            self.bind(&mesh.binds, index, bind, first, &path);
        }
        self.meshes.push(Mesh {
            bone: bone as u32,
            pivot: Rotor::from_angle(visual.pivot_rot),
            pivot_scale: visual.pivot_scale,
            own: own_start..self.own.len(),
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
        let bound_start = self.bound.len();
        let live = bind
            .vertices
            .iter()
            .filter(|(v, _)| path[*v as usize].is_none_or(|p| p <= index));
        self.bound
            .extend(live.map(|&(vertex, weight)| ((first + vertex as usize) as u32, weight)));
        self.binds.push(Bind {
            bone: bone as u32,
            path: line.filter(|_| bind.is_path),
            bound: bound_start..self.bound.len(),
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
        let own = Carrier::new(&bones[mesh.bone as usize], mesh);
        for &vertex in &plan.own[mesh.own.clone()] {
            vertices[vertex as usize] = own.carry(plan.rest[vertex as usize]);
        }
        let mut way_on = None;
        for bind in &plan.binds[mesh.binds.clone()] {
            let bound = &plan.bound[bind.bound.clone()];
            let bone = &bones[bind.bone as usize];
            match bind.path {
                None => {
                    let carrier = Carrier::new(bone, mesh);
                    for &(vertex, weight) in bound {
                        let pulled = carrier.carry(plan.rest[vertex as usize]);
                        let vertex = &mut vertices[vertex as usize];
                        *vertex += (pulled - *vertex) * weight;
                    }
                }
                Some((before, after)) => {
                    let at = bone.pos;
                    // The segment from the preceding bind is usually the one already computed.
                    let arrival = match way_on {
                        Some((from, to, normal)) if (from, to) == (before, bind.bone) => normal,
                        _ => normal(at - bones[before as usize].pos),
                    };
                    let departure = normal(bones[after as usize].pos - at);
                    way_on = Some((bind.bone, after, departure));
                    let turn = Rotor::from_direction(arrival + departure);
                    for &(vertex, weight) in bound {
                        let turned = turn.rotate(plan.rest[vertex as usize]);
                        vertices[vertex as usize] = at + turned * weight;
                    }
                }
            }
        }
    }
}

/// Returns the normal to the left of `way`; zero for a zero vector.
fn normal(way: Vec2) -> Vec2 {
    normalize_or_zero(way.perp())
}

/// The transform of a mesh's vertices by a bone, with the pivot of the mesh's owner.
struct Carrier {
    pos: Vec2,
    rotor: Rotor,
    scale: Vec2,
}

impl Carrier {
    fn new(bone: &BonePose, mesh: &Mesh) -> Self {
        Self {
            pos: bone.pos,
            rotor: bone.rotor.then(mesh.pivot),
            scale: bone.scale * mesh.pivot_scale,
        }
    }

    fn carry(&self, vertex: Vec2) -> Vec2 {
        self.rotor.rotate(vertex * self.scale) + self.pos
    }
}
