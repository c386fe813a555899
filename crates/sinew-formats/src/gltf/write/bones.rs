//! A mesh that shows bones, so that a file of pure motion is visible in viewers: an octahedron along each bone, with
//! different colours for left, middle and right.

use super::bind::BindFrame;
use super::data::{Data, F32, INDICES, U8, U16, U32, VERTICES, bounds, bytes_of};
use super::json::{Attributes, Material, Mesh, Primitive, Surface};
use sinew::glam::{DVec3, Vec3};
use sinew::skeleton::{Side, Sides};
use sinew::{JointIndex, Skeleton};

/// Half the width of a bone, relative to its length.
const WIDTH: f64 = 0.09;

/// Position of the widest part of a bone, relative to its length.
const WIDEST: f64 = 0.18;

/// Half the size of a joint without a bone, relative to the model's.
const KNOB: f64 = 0.012;

/// Half the size of a joint in a model without extent, in metres.
const SMALLEST_KNOB: f64 = 0.02;

/// Sides in written order, with their names and colours: linear red, green, blue.
const LOOKS: [(Side, &str, [f32; 3]); 3] = [
    (Side::Left, "left", [0.05, 0.22, 0.62]),
    (Side::Middle, "middle", [0.55, 0.55, 0.52]),
    (Side::Right, "right", [0.62, 0.13, 0.05]),
];

#[derive(Default)]
struct BoneMesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    joints: Vec<u16>,
}

/// Builds the mesh of a skeleton at rest and its materials; `None` if there is nothing to show. Accessors are added
/// to `data`.
pub(super) fn bones(
    skeleton: &Skeleton,
    frames: &[BindFrame],
    data: &mut Data,
) -> Option<(Mesh, Vec<Material>)> {
    let sides = Sides::of(skeleton);
    let knob = knob(frames);
    let mut body = BoneMesh::default();
    let mut ranges = Vec::new();
    for (side, name, color) in LOOKS {
        let start = body.positions.len();
        for index in 0..skeleton.len() {
            let joint = JointIndex::from(index);
            if sides.side(joint) == side {
                body.add_joint(skeleton, frames, joint, knob);
            }
        }
        if body.positions.len() > start {
            ranges.push((start..body.positions.len(), name, color));
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let attributes = body.write(skeleton.len(), data);
    let wide = body.positions.len() > usize::from(u16::MAX);
    let view = data.view(None, Some(INDICES));
    let mut primitives = Vec::new();
    let mut materials = Vec::new();
    for (range, name, [r, g, b]) in ranges {
        let count = range.len();
        let bytes: Vec<u8> = if wide {
            range.flat_map(|i| (i as u32).to_le_bytes()).collect()
        } else {
            range.flat_map(|i| (i as u16).to_le_bytes()).collect()
        };
        let component = if wide { U32 } else { U16 };
        primitives.push(Primitive {
            attributes,
            indices: data.accessor(view, component, "SCALAR", count, &bytes),
            material: materials.len() as u32,
        });
        materials.push(Material {
            name,
            pbr_metallic_roughness: Surface {
                base_color_factor: [r, g, b, 1.0],
                metallic_factor: 0.0,
                roughness_factor: 0.8,
            },
        });
    }
    let mesh = Mesh {
        name: "bones",
        primitives,
    };
    Some((mesh, materials))
}

/// Returns half the size of joints without bones.
fn knob(frames: &[BindFrame]) -> f64 {
    let spread = |axis: usize| {
        let along = frames.iter().map(|frame| frame.origin[axis]);
        let (low, high) = along.fold((f64::MAX, f64::MIN), |(l, h), n| (l.min(n), h.max(n)));
        high - low
    };
    let size = spread(0).max(spread(1)).max(spread(2));
    if size > 0.0 {
        size * KNOB
    } else {
        SMALLEST_KNOB
    }
}

impl BoneMesh {
    /// Adds an octahedron from the joint to each of its children and to its tip; a knob if there is none. Joints with
    /// a degenerate rest frame are skipped, since they cannot be bound.
    fn add_joint(
        &mut self,
        skeleton: &Skeleton,
        frames: &[BindFrame],
        joint: JointIndex,
        knob: f64,
    ) {
        let Some(frame) = frames.get(joint.index()).filter(|frame| !frame.is_flat()) else {
            return;
        };
        let children = skeleton.children(joint);
        let children = children.filter_map(|child| frames.get(child.index()));
        let tip = skeleton.joint(joint).and_then(|joint| joint.tip);
        let tip = tip.map(|tip| frame.point(tip.as_dvec3()));
        let ends = children.map(|child| child.origin).chain(tip);
        let mut shown = false;
        for end in ends {
            let far = (end - frame.origin).length();
            let fits = end.as_vec3().is_finite();
            // Shorter bones are only rounding.
            if far > knob * 1e-3 && fits {
                let start = frame.origin;
                self.add_body(joint, [start, end], WIDEST, far * WIDTH);
                shown = true;
            }
        }
        if !shown {
            let (origin, up) = (frame.origin, DVec3::new(0.0, knob, 0.0));
            self.add_body(joint, [origin - up, origin + up], 0.5, knob);
        }
    }

    /// Adds an octahedron: a double pyramid over a square.
    fn add_body(&mut self, joint: JointIndex, [start, end]: [DVec3; 2], position: f64, width: f64) {
        let along = end - start;
        let (side, up) = across(along);
        let middle = start + along * position;
        let corner = |s: f64, u: f64| middle + (side * s * width + up * u * width);
        let ring = [
            corner(1.0, 0.0),
            corner(0.0, 1.0),
            corner(-1.0, 0.0),
            corner(0.0, -1.0),
        ];
        for k in 0..4 {
            let (a, b) = (ring[k], ring[(k + 1) % 4]);
            self.add_face(joint, [start, b, a], middle);
            self.add_face(joint, [end, a, b], middle);
        }
    }

    /// Adds a triangle that faces away from `inside`.
    fn add_face(&mut self, joint: JointIndex, corners: [DVec3; 3], inside: DVec3) {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let outward = normal.dot(a - inside) >= 0.0;
        let size = if outward {
            normal.length()
        } else {
            -normal.length()
        };
        let normal = (normal / size).as_vec3();
        let normal = if normal.is_finite() { normal } else { Vec3::Y };
        for corner in if outward { [a, b, c] } else { [a, c, b] } {
            self.positions.push(corner.as_vec3().to_array());
            self.normals.push(normal.to_array());
            self.joints.push(joint.index() as u16);
        }
    }

    fn write(&self, joint_count: usize, data: &mut Data) -> Attributes {
        let count = self.positions.len();
        let view = data.view(Some(12), Some(VERTICES));
        let bytes = bytes_of(self.positions.iter().flatten().copied());
        let position = data.accessor(view, F32, "VEC3", count, &bytes);
        if let Some(accessor) = data.last() {
            (accessor.min, accessor.max) = bounds(&self.positions);
        }
        let view = data.view(Some(12), Some(VERTICES));
        let bytes = bytes_of(self.normals.iter().flatten().copied());
        let normal = data.accessor(view, F32, "VEC3", count, &bytes);
        let narrow = joint_count <= 256;
        let (component, stride) = if narrow { (U8, 4) } else { (U16, 8) };
        let view = data.view(Some(stride), Some(VERTICES));
        let bytes: Vec<u8> = if narrow {
            self.joints
                .iter()
                .flat_map(|&j| [j as u8, 0, 0, 0])
                .collect()
        } else {
            let four = |&j: &u16| [j.to_le_bytes(), [0; 2], [0; 2], [0; 2]];
            self.joints.iter().flat_map(four).flatten().collect()
        };
        let joints = data.accessor(view, component, "VEC4", count, &bytes);
        let view = data.view(Some(4), Some(VERTICES));
        let bytes = [255, 0, 0, 0].repeat(count);
        let weights = data.accessor(view, U8, "VEC4", count, &bytes);
        if let Some(accessor) = data.last() {
            accessor.normalized = true;
        }
        Attributes {
            position,
            normal,
            joints,
            weights,
        }
    }
}

/// Returns two unit vectors that are perpendicular to a nonzero vector and to each other.
fn across(along: DVec3) -> (DVec3, DVec3) {
    let along = along / along.length();
    let DVec3 { x, y, z } = along.abs();
    let axis = if x <= y && x <= z {
        DVec3::X
    } else if y <= z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let side = along.cross(axis);
    let side = side / side.length();
    (side, along.cross(side))
}
