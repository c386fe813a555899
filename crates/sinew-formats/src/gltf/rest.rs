//! Rest transform of a node: its translation, rotation and scale, or its decomposed matrix.

use super::GltfError;
use super::document::Node;
use super::error::invalid;
use crate::Warnings;
use sinew::Transform;
use sinew::glam::{Mat4, Quat, Vec3, Vec4};
use sinew::math::{dquat_from_quat, dquat_to_quat};

/// Maximum deviation of a rotation from unit length without a warning: the error of rotations stored in bytes.
pub(super) const UNIT_TOLERANCE: f64 = 0.00769;

/// Maximum difference between a matrix and its recomposed parts, relative to its largest number, above which a shear
/// is reported as lost.
const SHEAR_TOLERANCE: f32 = 1e-4;

pub(super) fn rest(
    index: usize,
    node: &Node<'_>,
    warnings: &mut Warnings,
) -> Result<Transform, GltfError> {
    let path = format!("nodes[{index}]");
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let problem = "overrides a translation, rotation or scale, which are ignored";
            warnings.add(&path, "matrix", problem);
        }
        return from_matrix(&path, matrix, warnings);
    }
    let position = node.translation.unwrap_or([0.0; 3]);
    finite(&path, "translation", &position)?;
    let scale = node.scale.unwrap_or([1.0; 3]);
    finite(&path, "scale", &scale)?;
    let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    finite(&path, "rotation", &rotation)?;
    let length = length(rotation);
    if length < f64::from(f32::MIN_POSITIVE) {
        let expected = "a rotation of length 1";
        return Err(invalid(
            format!("{path}.rotation"),
            expected,
            format!("{rotation:?}"),
        ));
    }
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        let problem = format!("a rotation of length {length:.4}; normalized");
        warnings.add(&path, "rotation", problem);
    }
    Ok(Transform {
        position: Vec3::from_array(position),
        rotation: unit(rotation),
        scale: Vec3::from_array(scale),
    })
}

/// Returns the length of a quaternion.
pub(super) fn length(rotation: [f32; 4]) -> f64 {
    let squares = rotation.map(|n| f64::from(n) * f64::from(n));
    libm::sqrt(squares.iter().sum())
}

/// Normalizes a quaternion; one of unit length keeps its bits.
fn unit(rotation: [f32; 4]) -> Quat {
    let quat = Quat::from_array(rotation);
    if (length(rotation) - 1.0).abs() <= 5e-7 {
        quat
    } else {
        dquat_to_quat(dquat_from_quat(quat))
    }
}

fn finite(path: &str, field: &str, numbers: &[f32]) -> Result<(), GltfError> {
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(());
    }
    let path = format!("{path}.{field}");
    Err(invalid(path, "finite numbers", format!("{numbers:?}")))
}

fn from_matrix(
    path: &str,
    numbers: &[f32; 16],
    warnings: &mut Warnings,
) -> Result<Transform, GltfError> {
    finite(path, "matrix", numbers)?;
    let matrix = Mat4::from_cols_array(numbers);
    if matrix.row(3) != Vec4::W {
        let problem = "its last row is not 0 0 0 1; read as if it were";
        warnings.add(path, "matrix", problem);
    }
    let Some(transform) = Transform::from_mat4(&matrix) else {
        let problem = "it flattens an axis to nothing, or is too large; its rotation is lost";
        warnings.add(path, "matrix", problem);
        return Ok(flat(&matrix));
    };
    // A matrix of a rotation and a scale recomposes exactly but for rounding; what is missing is the shear.
    let again = transform.to_mat4().to_cols_array();
    let largest = numbers.iter().take(12).fold(0.0_f32, |a, n| a.max(n.abs()));
    let off = again
        .iter()
        .zip(numbers)
        .enumerate()
        .any(|(index, (a, b))| {
            // The last row was already reported.
            index % 4 != 3 && (a - b).abs() > largest * SHEAR_TOLERANCE && index < 12
        });
    if off {
        warnings.add(path, "matrix", "it shears; the shear is lost");
    }
    Ok(transform)
}

/// Returns the transform of a matrix that cannot be decomposed.
fn flat(matrix: &Mat4) -> Transform {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let scale = Vec3::from_array(axes.map(|axis| axis.truncate().length()));
    Transform {
        position: matrix.w_axis.truncate(),
        rotation: Quat::IDENTITY,
        scale: if scale.is_finite() { scale } else { Vec3::ONE },
    }
}
