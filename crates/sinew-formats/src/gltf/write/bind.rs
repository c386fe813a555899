//! Rest frames of joints in model space and their inverses, in double precision.
//!
//! `M[j] = M[parent] T R S`. The inverse of an affine matrix with axes `x`, `y`, `z` is by Cramer's rule: its rows are
//! `y × z`, `z × x` and `x × y`, divided by the volume `x · (y × z)`. Double precision, because products along long
//! chains would otherwise round by more than the `f32` matrices of the file. One product and one inverse per joint.

use super::super::GltfWriteError;
use sinew::glam::{DMat3, DMat4, DVec3};
use sinew::math::{dquat_from_quat, dquat_to_mat3};
use sinew::{Skeleton, Transform};

/// An affine frame: its axes and its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BindFrame {
    axes: DMat3,
    pub(super) origin: DVec3,
}

impl BindFrame {
    fn of(transform: &Transform) -> Self {
        let rotation = dquat_to_mat3(dquat_from_quat(transform.rotation));
        let scale = transform.scale.as_dvec3();
        Self {
            axes: DMat3::from_cols(
                rotation.x_axis * scale.x,
                rotation.y_axis * scale.y,
                rotation.z_axis * scale.z,
            ),
            origin: transform.position.as_dvec3(),
        }
    }

    /// Transforms a point from this frame to its parent space.
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.origin + self.axes * point
    }

    fn then(&self, inner: &Self) -> Self {
        Self {
            axes: self.axes * inner.axes,
            origin: self.point(inner.origin),
        }
    }

    /// Returns whether an axis has zero length, so that there is no inverse.
    pub(super) fn is_flat(&self) -> bool {
        self.inverse().is_none()
    }

    /// Returns the inverse; `None` if an axis has zero length.
    fn inverse(&self) -> Option<Self> {
        let DMat3 {
            x_axis: x,
            y_axis: y,
            z_axis: z,
        } = self.axes;
        let volume = x.dot(y.cross(z));
        let rows = [y.cross(z), z.cross(x), x.cross(y)].map(|row| row / volume);
        let axes = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let inverse = Self {
            axes,
            origin: -(axes * self.origin),
        };
        let numbers = inverse.columns();
        numbers.iter().all(|n| n.is_finite()).then_some(inverse)
    }

    /// Returns the 16 numbers of the matrix in column-major order.
    fn columns(&self) -> [f32; 16] {
        let matrix = DMat4::from_cols(
            self.axes.x_axis.extend(0.0),
            self.axes.y_axis.extend(0.0),
            self.axes.z_axis.extend(0.0),
            self.origin.extend(1.0),
        );
        matrix.as_mat4().to_cols_array()
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
        let point = DVec3::new(0.3, -7.0, 2.0);
        for frame in &frames[..2] {
            let back = frame.inverse().expect("nothing is flat");
            let again = back.point(frame.point(point));
            assert!((again - point).length() < 1e-12, "{again:?}");
        }
        assert_eq!(frames[2].inverse(), None);
        assert_eq!(inverse_matrices(&frames)[2][0], 1.0);
    }
}
