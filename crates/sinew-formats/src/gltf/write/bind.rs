//! Rest frames of joints in model space and their inverses, in double precision.

use super::super::GltfWriteError;
use sinew::math::Rotation64;
use sinew::{Skeleton, Transform};

pub(super) type Vector = [f64; 3];

/// An affine frame: its axes and its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BindFrame {
    axes: [Vector; 3],
    pub(super) origin: Vector,
}

impl BindFrame {
    fn of(transform: &Transform) -> Self {
        let rows = Rotation64::from_quat(transform.rotation).to_rows();
        let scale = transform.scale.to_array().map(f64::from);
        let column = |at: usize| rows.map(|row| row[at] * scale[at]);
        Self {
            axes: [column(0), column(1), column(2)],
            origin: transform.position.to_array().map(f64::from),
        }
    }

    fn turn(&self, v: Vector) -> Vector {
        let [x, y, z] = self.axes;
        [0, 1, 2].map(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }

    /// Transforms a point from this frame to its parent space.
    pub(super) fn point(&self, v: Vector) -> Vector {
        add(self.origin, self.turn(v))
    }

    fn then(&self, inner: &Self) -> Self {
        Self {
            axes: inner.axes.map(|axis| self.turn(axis)),
            origin: self.point(inner.origin),
        }
    }

    /// Returns whether an axis has zero length, so that there is no inverse.
    pub(super) fn is_flat(&self) -> bool {
        self.inverse().is_none()
    }

    /// Returns the inverse; `None` if an axis has zero length.
    fn inverse(&self) -> Option<Self> {
        let [x, y, z] = self.axes;
        let volume = dot(x, cross(y, z));
        let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| row.map(|n| n / volume));
        let axes = [0, 1, 2].map(|i| rows.map(|row| row[i]));
        let mut back = Self {
            axes,
            origin: [0.0; 3],
        };
        back.origin = back.turn(self.origin).map(|n| -n);
        let numbers = back.columns();
        numbers.iter().all(|n| n.is_finite()).then_some(back)
    }

    /// Returns the 16 numbers of the matrix in column-major order.
    fn columns(&self) -> [f32; 16] {
        let [x, y, z] = self.axes.map(|axis| axis.map(|n| n as f32));
        let o = self.origin.map(|n| n as f32);
        [
            x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, o[0], o[1], o[2],
            1.0,
        ]
    }
}

/// Returns the frame of each joint in model space.
pub(super) fn rest_frames(skeleton: &Skeleton) -> Result<Vec<BindFrame>, GltfWriteError> {
    let mut frames: Vec<BindFrame> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let local = BindFrame::of(&joint.rest);
        let above = joint.parent.and_then(|parent| frames.get(parent.index()));
        let frame = above.map_or(local, |above| above.then(&local));
        if !frame.columns().iter().all(|n| n.is_finite()) {
            return Err(GltfWriteError::FarAway {
                joint: index,
                name: joint.name.clone(),
            });
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// Returns the inverse bind matrix of each joint. A joint with a degenerate rest frame has no inverse and no bone in
/// the mesh; it gets the identity.
pub(super) fn inverse_matrices(frames: &[BindFrame]) -> Vec<[f32; 16]> {
    let identity = BindFrame::of(&Transform::IDENTITY);
    let inverse = |frame: &BindFrame| frame.inverse().unwrap_or(identity).columns();
    frames.iter().map(inverse).collect()
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(super) fn length(a: Vector) -> f64 {
    libm::sqrt(dot(a, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Joint;
    use sinew::glam::{Quat, Vec3};

    #[test]
    fn there_and_back_is_nowhere() {
        let joint = |name: &str, parent: Option<u32>, scale: Vec3| Joint {
            name: name.into(),
            parent: parent.map(sinew::JointIndex),
            rest: Transform {
                position: Vec3::new(1.0, 2.0, -3.0),
                rotation: Quat::from_xyzw(0.5, 0.5, -0.5, 0.5),
                scale,
            },
            tip: None,
        };
        let skeleton = Skeleton::new(vec![
            joint("a", None, Vec3::new(2.0, 1.0, 0.5)),
            joint("b", Some(0), Vec3::new(1.0, -3.0, 1.0)),
            joint("flat", Some(1), Vec3::new(1.0, 0.0, 1.0)),
        ])
        .expect("three joints");
        let frames = rest_frames(&skeleton).expect("they are near");
        let point = [0.3, -7.0, 2.0];
        for frame in &frames[..2] {
            let back = frame.inverse().expect("nothing is flat");
            let again = back.point(frame.point(point));
            assert!(length(sub(again, point)) < 1e-12, "{again:?}");
        }
        assert_eq!(frames[2].inverse(), None);
        assert_eq!(inverse_matrices(&frames)[2][0], 1.0);
    }
}
