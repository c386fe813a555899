//! The error between two poses: the largest distance of points on the skin, in model space.
//!
//! The formula and its proof are at [`ErrorMeter`] and in `docs/error-bound.md`. Both poses are evaluated together, one per SIMD
//! lane. The cost is one forward-kinematics pass in `f64`.

use alloc::vec::Vec;
use glam::Vec3;
use sinew::Transform;
use sinew::pose::{JointCountMismatch, Pose};
use sinew::skeleton::{Joint, JointIndex, Skeleton};
use wide::f64x2;

/// The radius of the sphere around each joint on which an [`ErrorMeter`] measures, in metres.
///
/// About where the skin of a person's limbs is, and the shell distance of the Animation Compression Library, so
/// that errors can be compared. A smaller sphere would not see a bone that twists about itself.
pub const SHELL: f64 = 0.03;

/// The error between two poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseError {
    /// The joint with the largest error; the first of several.
    pub joint: JointIndex,
    /// Its error in metres; infinite if a number of either pose is NaN.
    pub metres: f64,
}

/// Measures the error between two poses of a skeleton, in model space.
///
/// Each joint carries a ball of radius `r`: [`SHELL`], and for a leaf the distance of its tip if that is more. The error of a
/// joint is the largest distance between the positions of a point of the ball in both poses. With `d` the difference of the
/// joint's positions and `E` that of its 3x3 matrices, both in model space,
///
/// ```text
/// max |d + E v|  ≤  sqrt(|d|² + 2 r |Eᵀd| + r² ‖E‖²)      over all |v| ≤ r
/// ```
///
/// where `‖E‖` is the spectral norm. Without scale `‖E‖ = 2 sin(θ/2)` for poses that are the angle `θ` apart, and
/// the two sides are equal; with scale the right side is measured, which is never less. It is never more than
/// `|d| + r ‖E‖`. The tip of a joint that is not a leaf is measured as a point. `docs/error-bound.md` has the proof.
///
/// Sums are in `f64`, so that rounding does not add to the error. Creating a meter allocates, measuring does not.
///
/// ```
/// # use sinew::{Joint, JointIndex, Pose, Skeleton, Transform};
/// # use sinew_author::measure::ErrorMeter;
/// # use sinew::glam::Vec3;
/// # let joint = Joint { name: "hip".into(), parent: None, rest: Transform::IDENTITY, tip: None };
/// # let skeleton = Skeleton::new(vec![joint])?;
/// let (a, mut b) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
/// b.set_position(JointIndex(0), Vec3::new(0.0, 0.25, 0.0));
/// assert_eq!(ErrorMeter::new(&skeleton).measure(&a, &b)?.metres, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ErrorMeter {
    joints: Vec<MeasuredJoint>,
    /// Both poses in model space, joint by joint.
    worlds: Vec<Affine>,
    /// Whether neither pose has a scale at a joint or above.
    rigid: Vec<bool>,
    errors: Vec<f64>,
}

/// The points that are measured on a joint.
#[derive(Clone, Copy, Debug)]
struct MeasuredJoint {
    parent: Option<u32>,
    /// The radius of the ball.
    radius: f64,
    tip: Option<[f64; 3]>,
}

/// The three axes and the origin in both poses, one SIMD lane each.
type Affine = [[f64x2; 3]; 4];

const IDENTITY: Affine = [
    [f64x2::ONE, f64x2::ZERO, f64x2::ZERO],
    [f64x2::ZERO, f64x2::ONE, f64x2::ZERO],
    [f64x2::ZERO, f64x2::ZERO, f64x2::ONE],
    [f64x2::ZERO, f64x2::ZERO, f64x2::ZERO],
];

impl ErrorMeter {
    /// A meter for the poses of `skeleton`.
    pub fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints().iter().enumerate();
        let joints =
            joints.map(|(index, joint)| measured_joint(joint, skeleton.is_leaf(index.into())));
        Self {
            joints: joints.collect(),
            worlds: alloc::vec![IDENTITY; skeleton.len()],
            rigid: alloc::vec![true; skeleton.len()],
            errors: alloc::vec![0.0; skeleton.len()],
        }
    }

    /// The error between `a` and `b`. Symmetric; 0 only if all joints are equal.
    ///
    /// # Errors
    /// If either pose has another number of joints.
    pub fn measure(&mut self, a: &Pose, b: &Pose) -> Result<PoseError, JointCountMismatch> {
        JointCountMismatch::check(self.joints.len(), a.len())?;
        JointCountMismatch::check(self.joints.len(), b.len())?;
        let mut worst = PoseError {
            joint: JointIndex(0),
            metres: 0.0,
        };
        for (index, joint) in self.joints.iter().enumerate() {
            let joint_index = JointIndex::from(index);
            // Parents come first.
            let (above, is_rigid_above) = match joint.parent {
                Some(parent) => (&self.worlds[parent as usize], self.rigid[parent as usize]),
                None => (&IDENTITY, true),
            };
            let (first, second) = (a.get(joint_index), b.get(joint_index));
            let is_rigid = is_rigid_above && first.scale == Vec3::ONE && second.scale == Vec3::ONE;
            let world = compose(above, &first, &second);
            let metres = libm::sqrt(joint.squared_error(&world, is_rigid));
            self.worlds[index] = world;
            self.rigid[index] = is_rigid;
            self.errors[index] = metres;
            if metres > worst.metres {
                worst = PoseError {
                    joint: joint_index,
                    metres,
                };
            }
        }
        Ok(worst)
    }

    /// The error of each joint in the last measurement, in metres; zeros before the first.
    pub fn joints(&self) -> &[f64] {
        &self.errors
    }
}

fn measured_joint(joint: &Joint, is_leaf: bool) -> MeasuredJoint {
    let tip = joint.tip.map(|tip| tip.to_array().map(f64::from));
    let radius = match tip {
        Some([x, y, z]) if is_leaf => SHELL.max(libm::sqrt(x * x + y * y + z * z)),
        _ => SHELL,
    };
    MeasuredJoint {
        parent: joint.parent.map(|parent| parent.0),
        radius,
        // The tip of a leaf is inside its ball.
        tip: tip.filter(|_| !is_leaf),
    }
}

impl MeasuredJoint {
    /// The square of the joint's error; infinite instead of NaN.
    fn squared_error(&self, world: &Affine, is_rigid: bool) -> f64 {
        let apart = |column: &[f64x2; 3]| {
            column.map(|both| {
                let [a, b] = both.to_array();
                a - b
            })
        };
        let [x, y, z, origin] = world;
        let (axes, origin) = ([apart(x), apart(y), apart(z)], apart(origin));
        let in_ball = ball_error_squared(origin, &axes, self.radius, is_rigid);
        match self.tip {
            Some(tip) => {
                let sum = |row: usize| {
                    let turned: f64 = (0..3).map(|axis| axes[axis][row] * tip[axis]).sum();
                    turned + origin[row]
                };
                larger(in_ball, squared([sum(0), sum(1), sum(2)]))
            }
            // NaN becomes infinite.
            None => larger(in_ball, 0.0),
        }
    }
}

/// The square of the largest `|d + E v|` over all `|v| ≤ radius`, with `E` given by its columns; a little more if the matrices
/// whose difference is `E` are not rotations.
///
/// `|d + E v|² = |d|² + 2 v·Eᵀd + |E v|²`, and each of the last two terms is bounded by its own worst direction. For
/// `E = R̂ - R` with rotations `θ` apart, `E Eᵀ = 4 sin²(θ/2) (I - n nᵀ)`, `n` the axis: all directions orthogonal to the axis
/// are equally bad, the worst direction of both terms is the same, and the bound is reached. Then also `‖E‖² = 4 sin²(θ/2)` is
/// half the sum of squares of the matrix.
pub(crate) fn ball_error_squared(
    d: [f64; 3],
    columns: &[[f64; 3]; 3],
    radius: f64,
    is_rigid: bool,
) -> f64 {
    let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let [x, y, z] = columns;
    let across = squared([dot(x, &d), dot(y, &d), dot(z, &d)]);
    let norm_squared = if is_rigid {
        0.5 * (squared(*x) + squared(*y) + squared(*z))
    } else {
        spectral_norm_squared(columns)
    };
    squared(d) + radius * (2.0 * libm::sqrt(across) + radius * norm_squared)
}

/// The largest eigenvalue of `EᵀE`: the root of its characteristic cubic by Viète's cosine formula.
fn spectral_norm_squared(columns: &[[f64; 3]; 3]) -> f64 {
    let dot =
        |a: usize, b: usize| -> f64 { (0..3).map(|row| columns[a][row] * columns[b][row]).sum() };
    let (xx, yy, zz) = (dot(0, 0), dot(1, 1), dot(2, 2));
    let (xy, xz, yz) = (dot(0, 1), dot(0, 2), dot(1, 2));
    let mean = (xx + yy + zz) / 3.0;
    let (a, b, c) = (xx - mean, yy - mean, zz - mean);
    let spread = libm::sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0);
    if spread <= mean * 1e-12 {
        return mean;
    }
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    let cosine = (0.5 * determinant / (spread * spread * spread)).clamp(-1.0, 1.0);
    mean + 2.0 * spread * libm::cos(libm::acos(cosine) / 3.0)
}

/// The larger of the two. NaN counts as infinite: `f64::max` would lose it.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::INFINITY
    } else if a > b {
        a
    } else {
        b
    }
}

fn squared(v: [f64; 3]) -> f64 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}

/// A joint in model space from its parent there and its local transforms in both poses.
#[inline]
fn compose(parent: &Affine, first: &Transform, second: &Transform) -> Affine {
    let pair = |a: f32, b: f32| f64x2::new([f64::from(a), f64::from(b)]);
    let (q, r) = (first.rotation, second.rotation);
    let [x, y, z, w] = [
        pair(q.x, r.x),
        pair(q.y, r.y),
        pair(q.z, r.z),
        pair(q.w, r.w),
    ];
    let vector = |a: Vec3, b: Vec3| [pair(a.x, b.x), pair(a.y, b.y), pair(a.z, b.z)];
    let [sx, sy, sz] = vector(first.scale, second.scale);
    let [px, py, pz] = vector(first.position, second.position);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = f64x2::ONE;
    let [a, b, c, origin] = parent;
    let axis = |u: f64x2, v: f64x2, w: f64x2| {
        let sum = |row: usize| a[row] * u + b[row] * v + c[row] * w;
        [sum(0), sum(1), sum(2)]
    };
    let [mx, my, mz] = axis(px, py, pz);
    [
        axis((one - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx),
        axis((xy - wz) * sy, (one - (xx + zz)) * sy, (yz + wx) * sy),
        axis((xz + wy) * sz, (yz - wx) * sz, (one - (xx + yy)) * sz),
        [mx + origin[0], my + origin[1], mz + origin[2]],
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]
mod tests {
    use super::*;
    use glam::Quat;
    use sinew::local_to_model::local_to_model;
    use sinew::math::quat_normalize;
    use sinew::pose::ModelPose;

    /// A chain of joints a metre apart along y, the last with a tip half a metre on.
    fn chain(count: usize) -> Skeleton {
        let joint = |index: usize| Joint {
            name: alloc::format!("{index}"),
            parent: index.checked_sub(1).map(JointIndex::from),
            rest: Transform::from_position(Vec3::Y),
            tip: (index + 1 == count).then_some(Vec3::new(0.0, 0.3, 0.4)),
        };
        Skeleton::new((0..count).map(joint).collect()).unwrap()
    }

    fn pose(skeleton: &Skeleton, seed: f32) -> Pose {
        let mut pose = Pose::rest(skeleton);
        for index in 0..skeleton.len() {
            let f = index as f32 * 1.3 + seed;
            let transform = Transform {
                position: Vec3::new(libm::sinf(f), 1.0, libm::cosf(f * 3.0)),
                rotation: quat_normalize(Quat::from_xyzw(
                    libm::sinf(f),
                    0.3,
                    libm::cosf(f * 2.0),
                    0.9,
                )),
                scale: Vec3::new(1.1, 0.9, 1.0 + 0.1 * libm::sinf(f)),
            };
            pose.set(index.into(), transform);
        }
        pose
    }

    #[test]
    fn poses_of_another_skeleton_are_refused() {
        let (three, four) = (Pose::rest(&chain(3)), Pose::rest(&chain(4)));
        let mut meter = ErrorMeter::new(&chain(3));
        assert!(meter.measure(&three, &four).is_err());
        assert!(meter.measure(&four, &three).is_err());
        assert!(meter.measure(&three, &three).is_ok());
    }

    #[test]
    fn what_is_not_a_number_is_infinitely_far_off() {
        let skeleton = chain(4);
        let mut meter = ErrorMeter::new(&skeleton);
        let good = pose(&skeleton, 0.0);
        for joint in 0..4_usize {
            for component in 0..10 {
                let mut bad = good.clone();
                let mut transform = bad.get(joint.into());
                match component {
                    0..3 => transform.position[component] = f32::NAN,
                    3..6 => transform.scale[component - 3] = f32::NAN,
                    _ => {
                        let mut numbers = transform.rotation.to_array();
                        numbers[component - 6] = f32::NAN;
                        transform.rotation = Quat::from_array(numbers);
                    }
                }
                bad.set(joint.into(), transform);
                for (a, b) in [(&good, &bad), (&bad, &good), (&bad, &bad)] {
                    let error = meter.measure(a, b).unwrap();
                    assert_eq!(error.metres, f64::INFINITY);
                    assert_eq!(error.joint.index(), joint);
                    assert!(meter.joints().iter().all(|error| !error.is_nan()));
                }
            }
        }
        let again = meter.measure(&good, &good).unwrap();
        assert_eq!(again.metres, 0.0);
    }

    #[test]
    fn a_turn_shows_on_the_shell_and_at_the_tip() {
        let skeleton = chain(2);
        let (rest, mut turned) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
        // Half a turn about y moves what is on x and z by twice its distance, and y not at all.
        turned.set_rotation(0.into(), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
        let mut meter = ErrorMeter::new(&skeleton);
        let worst = meter.measure(&rest, &turned).unwrap();
        assert!((meter.joints()[0] - 2.0 * SHELL).abs() < 1e-12);
        assert!((worst.metres - 1.0).abs() < 1e-6, "{worst:?}");
        assert_eq!(worst.joint, JointIndex(1));
        // The tip is covered where no axis is.
        turned.set_rotation(0.into(), Quat::IDENTITY);
        turned.set_scale(1.into(), Vec3::new(1.0, 3.0, 3.0));
        let worst = meter.measure(&rest, &turned).unwrap();
        assert!((worst.metres - 1.0).abs() < 1e-6, "{worst:?}");
    }

    /// Directions all over the sphere: Fibonacci's spiral.
    fn directions(count: usize) -> impl Iterator<Item = Vec3> {
        (0..count).map(move |index| {
            let y = 1.0 - (2 * index + 1) as f64 / count as f64;
            let (r, turn) = (
                libm::sqrt(1.0 - y * y),
                index as f64 * 2.399_963_229_728_653,
            );
            Vec3::new(
                (r * libm::cos(turn)) as f32,
                y as f32,
                (r * libm::sin(turn)) as f32,
            )
        })
    }

    /// The error is that of the worst point of the whole ball, not of points on three axes: none of 2,000 directions is
    /// further off, and without scale one of them is nearly as far.
    #[test]
    fn no_point_of_a_ball_is_further_off_than_the_error() {
        let skeleton = chain(7);
        let mut meter = ErrorMeter::new(&skeleton);
        let (mut model_a, mut model_b) = (ModelPose::new(&skeleton), ModelPose::new(&skeleton));
        let mut beyond_axes = 0.0f64;
        for seed in 0..20 {
            let is_rigid = seed % 2 == 0;
            let (mut a, mut b) = (
                pose(&skeleton, seed as f32),
                pose(&skeleton, seed as f32 + 0.1),
            );
            for index in (0..skeleton.len()).filter(|_| is_rigid) {
                a.set_scale(index.into(), Vec3::ONE);
                b.set_scale(index.into(), Vec3::ONE);
            }
            local_to_model(&skeleton, &a, &mut model_a).unwrap();
            local_to_model(&skeleton, &b, &mut model_b).unwrap();
            let worst = meter.measure(&a, &b).unwrap();
            for index in 0..skeleton.len() {
                let radius = if index == 6 { 0.5 } else { SHELL as f32 };
                let apart = |point: Vec3| {
                    let moved = |model: &ModelPose| model.point(index.into(), point);
                    f64::from((moved(&model_a) - moved(&model_b)).length())
                };
                let found = directions(2000).map(|direction| apart(direction * radius));
                let found = found.fold(0.0, f64::max);
                let error = meter.joints()[index];
                assert!(found <= error + 1e-5, "{seed} {index}: {found} {error}");
                if is_rigid {
                    assert!(
                        found >= error * 0.999 - 1e-5,
                        "{seed} {index}: {found} {error}"
                    );
                }
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| apart(axis * radius));
                beyond_axes = beyond_axes.max(found / axes.into_iter().fold(0.0, f64::max));
            }
            assert_eq!(meter.joints()[worst.joint.index()], worst.metres);
            assert_eq!(meter.measure(&b, &a).unwrap(), worst);
        }
        assert!(beyond_axes > 1.05, "{beyond_axes}");
    }

    #[test]
    fn the_error_is_the_closed_form_for_turns_and_moves() {
        let skeleton = chain(1);
        let mut meter = ErrorMeter::new(&skeleton);
        let rest = Pose::rest(&skeleton);
        for (angle, way) in [(0.1f32, 0.0f32), (0.0, 0.2), (0.3, 0.01), (2.0, 0.5)] {
            let mut other = rest.clone();
            let (sine, cosine) = (libm::sinf(angle / 2.0), libm::cosf(angle / 2.0));
            other.set_rotation(0.into(), Quat::from_xyzw(0.0, 0.0, sine, cosine));
            // Across the axis the two add up, along it they are orthogonal.
            let turn = 2.0 * 0.5 * f64::from(sine);
            other.set_position(0.into(), Vec3::Y + Vec3::X * way);
            let across = meter.measure(&rest, &other).unwrap().metres;
            assert!((across - (f64::from(way) + turn)).abs() < 1e-6);
            other.set_position(0.into(), Vec3::Y + Vec3::Z * way);
            let along = meter.measure(&rest, &other).unwrap().metres;
            assert!((along - libm::hypot(f64::from(way), turn)).abs() < 1e-6);
        }
    }
}
