//! How far two poses are apart, where it is seen: in the model's frame, on the skin.

use crate::math::Transform;
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::{Joint, JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::Vec3;
use wide::f64x2;

/// How far from a joint the vertices are on which an [`ErrorMeter`] measures, in metres.
///
/// A hand's breadth through: about where the skin of a person's limbs is, and what the Animation
/// Compression Library uses, so that errors can be compared with its. A smaller one would not see a bone
/// that twists about itself.
pub const SHELL: f64 = 0.03;

/// How far a pose is from another, where it is furthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseError {
    /// The joint that is furthest off; the first of several.
    pub joint: JointIndex,
    /// How far, in metres; infinite when a number of either pose is not one.
    pub metres: f64,
}

/// Measures how far two poses of a skeleton are apart in the model's frame.
///
/// Each joint carries three vertices on its axes, [`SHELL`] from it, so that turning shows as well as
/// moving. The vertices of a leaf are as far away as its tip if that is further, and the tip itself is
/// one too, so that the ends of bones are covered. Sums are in `f64`, so what is measured is the poses'
/// difference and not that of rounding. Making it allocates, measuring does not.
///
/// ```
/// # use sinew::{ErrorMeter, Joint, JointIndex, Pose, Skeleton, Transform};
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
    joints: Vec<Measured>,
    /// Both poses in the model's frame, joint by joint.
    worlds: Vec<Affine>,
    errors: Vec<f64>,
}

/// What is measured on a joint.
#[derive(Clone, Copy, Debug)]
struct Measured {
    parent: Option<u32>,
    /// How far the vertices on the axes are.
    reach: f64,
    tip: Option<[f64; 3]>,
}

/// Where the axes go, and the origin, in both poses: one lane each, so that they are worked out together.
type Affine = [[f64x2; 3]; 4];

const IDENTITY: Affine = [
    [f64x2::ONE, f64x2::ZERO, f64x2::ZERO],
    [f64x2::ZERO, f64x2::ONE, f64x2::ZERO],
    [f64x2::ZERO, f64x2::ZERO, f64x2::ONE],
    [f64x2::ZERO, f64x2::ZERO, f64x2::ZERO],
];

impl ErrorMeter {
    /// Ready for the poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints().iter().enumerate();
        let joints = joints.map(|(index, joint)| measured(joint, skeleton.is_leaf(index.into())));
        Self {
            joints: joints.collect(),
            worlds: alloc::vec![IDENTITY; skeleton.len()],
            errors: alloc::vec![0.0; skeleton.len()],
        }
    }

    /// How far `a` and `b` are apart. Symmetric; 0 only when every vertex is where it is in the other.
    ///
    /// # Errors
    /// When either pose was made for a skeleton of another size.
    pub fn measure(&mut self, a: &Pose, b: &Pose) -> Result<PoseError, JointCountMismatch> {
        JointCountMismatch::check(self.joints.len(), a.len())?;
        JointCountMismatch::check(self.joints.len(), b.len())?;
        let mut worst = PoseError {
            joint: JointIndex(0),
            metres: 0.0,
        };
        for (index, joint) in self.joints.iter().enumerate() {
            let place = JointIndex::from(index);
            let above = match joint.parent {
                // Parents come first.
                Some(parent) => &self.worlds[parent as usize],
                None => &IDENTITY,
            };
            let world = below(above, &a.get(place), &b.get(place));
            let metres = libm::sqrt(joint.squared_error(&world));
            self.worlds[index] = world;
            self.errors[index] = metres;
            if metres > worst.metres {
                worst = PoseError {
                    joint: place,
                    metres,
                };
            }
        }
        Ok(worst)
    }

    /// How far each joint was off when last measured, in metres; zeros before.
    pub fn joints(&self) -> &[f64] {
        &self.errors
    }
}

fn measured(joint: &Joint, is_leaf: bool) -> Measured {
    let tip = joint.tip.map(|tip| tip.to_array().map(f64::from));
    let reach = match tip {
        Some([x, y, z]) if is_leaf => SHELL.max(libm::sqrt(x * x + y * y + z * z)),
        _ => SHELL,
    };
    Measured {
        parent: joint.parent.map(|parent| parent.0),
        reach,
        tip,
    }
}

impl Measured {
    /// The square of how far its vertices are apart; infinite instead of not a number.
    fn squared_error(&self, world: &Affine) -> f64 {
        let apart = |column: &[f64x2; 3]| {
            column.map(|both| {
                let [a, b] = both.to_array();
                a - b
            })
        };
        let [x, y, z, origin] = world;
        let [x, y, z, origin] = [apart(x), apart(y), apart(z), apart(origin)];
        let vertex = |axis: &[f64; 3]| {
            let sum = |row: usize| axis[row] * self.reach + origin[row];
            squared([sum(0), sum(1), sum(2)])
        };
        let on_axes = larger(larger(vertex(&x), vertex(&y)), vertex(&z));
        match self.tip {
            Some(tip) => {
                let sum =
                    |row: usize| x[row] * tip[0] + y[row] * tip[1] + z[row] * tip[2] + origin[row];
                larger(on_axes, squared([sum(0), sum(1), sum(2)]))
            }
            None => on_axes,
        }
    }
}

/// The larger of the two. What is not a number counts as infinite: `f64::max` would lose it.
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

/// A joint's frame in the model's, given its parent's.
#[inline]
fn below(parent: &Affine, first: &Transform, second: &Transform) -> Affine {
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
    use crate::local_to_model::local_to_model;
    use crate::math::quat_normalize;
    use crate::pose::ModelPose;
    use glam::Quat;

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

    #[test]
    fn it_agrees_with_the_model_pose() {
        let skeleton = chain(7);
        let mut meter = ErrorMeter::new(&skeleton);
        let (mut model_a, mut model_b) = (ModelPose::new(&skeleton), ModelPose::new(&skeleton));
        for seed in 0..20 {
            let (a, b) = (
                pose(&skeleton, seed as f32),
                pose(&skeleton, seed as f32 + 0.1),
            );
            local_to_model(&skeleton, &a, &mut model_a).unwrap();
            local_to_model(&skeleton, &b, &mut model_b).unwrap();
            let worst = meter.measure(&a, &b).unwrap();
            let mut expected = 0.0_f32;
            for index in 0..skeleton.len() {
                let reach = if index == 6 { 0.5 } else { SHELL as f32 };
                let tip = skeleton.joints()[index].tip.unwrap_or(Vec3::X * reach);
                let mut joint = 0.0_f32;
                for point in [Vec3::X * reach, Vec3::Y * reach, Vec3::Z * reach, tip] {
                    let at = |model: &ModelPose| model.point(index.into(), point);
                    joint = joint.max((at(&model_a) - at(&model_b)).length());
                }
                assert!((f64::from(joint) - meter.joints()[index]).abs() < 1e-5);
                expected = expected.max(joint);
            }
            assert!((f64::from(expected) - worst.metres).abs() < 1e-5);
            assert_eq!(meter.joints()[worst.joint.index()], worst.metres);
            assert_eq!(meter.measure(&b, &a).unwrap(), worst);
        }
    }
}
