//! The byte encoding of inertia.
//!
//! ```text
//! inertia    version │ joints │ flags │ step, seconds, elapsed │ switches │ root │ joint …
//!            1 byte    VLE      VLE     4 bytes each             VLE
//! root       speed shown │ offset           where their flags are set; 24 bytes each
//! joint      flags │ the channels that differ
//!            VLE
//! ```
//!
//! A joint has the transform shown last, the one shown before, the last source transform, and three offsets. A flag is
//! set if a part differs: the one shown last from rest, the other two transforms from the one shown last, offsets from
//! zero. A joint that only rotates takes 33 bytes while no switch is being smoothed. Numbers are little endian and
//! bit-exact.

use super::ease::Offset;
use super::{Inertia, JointInertia, PoseHistory, RootInertia, Stage};
use crate::math::Transform;
use crate::skeleton::Skeleton;
use crate::state_bytes::{StateBytesError, StateReader, invalid_value, put_vle};
use alloc::format;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The first byte; distinct from those of controller states and differences.
const VERSION: u8 = 0x41;

/// Global flags.
const IS_KNOWN: u32 = 1;
const ROOT_IS_SWITCHED: u32 = 1 << 1;
const ROOT_SHOWN: u32 = 1 << 2;
const ROOT_OFFSET: u32 = 1 << 3;
/// Two bits for the stage of a switch.
const STAGE_SHIFT: u32 = 4;
const ALL: u32 = (1 << 6) - 1;

/// Flags of a joint: position, rotation and scale of each of three transforms, then three offsets.
const JOINT_ALL: u32 = (1 << 12) - 1;

impl Inertia {
    /// Encodes the state compactly; [`from_bytes`](Self::from_bytes) reads it. `skeleton` is the one that it was
    /// created for.
    ///
    /// ```
    /// # use sinew::{Inertia, Joint, Pose, Skeleton, Transform};
    /// # let joint = Joint { name: "hand".into(), parent: None, rest: Transform::IDENTITY, tip: None };
    /// # let skeleton = Skeleton::new(vec![joint])?;
    /// let mut inertia = Inertia::new(&skeleton);
    /// inertia.apply(&mut Pose::rest(&skeleton), 0.1)?;
    /// let bytes = inertia.to_bytes(&skeleton);
    /// assert_eq!(Inertia::from_bytes(&bytes, &skeleton)?, inertia);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self, skeleton: &Skeleton) -> Vec<u8> {
        let mut out = Vec::with_capacity(32 + 40 * self.joints.len());
        out.push(VERSION);
        put_vle(self.joints.len() as u64, &mut out);
        let is_known = self.known == PoseHistory::Pose;
        let flag_if = |flag: u32, condition: bool| if condition { flag } else { 0 };
        let root = &self.root;
        let stage = match self.stage {
            Stage::Steady => 0,
            Stage::Switched => 1,
            Stage::FirstPose => 2,
        };
        let flags = flag_if(IS_KNOWN, is_known)
            | flag_if(ROOT_IS_SWITCHED, root.is_switched)
            | flag_if(ROOT_SHOWN, root.shown != [0.0; 3])
            | flag_if(ROOT_OFFSET, root.offset != [0.0; 3])
            | stage << STAGE_SHIFT;
        put_vle(flags.into(), &mut out);
        put_floats(&[self.step, self.seconds, self.elapsed], &mut out);
        put_vle(self.switch_count.into(), &mut out);
        for (flag, numbers) in [(ROOT_SHOWN, root.shown), (ROOT_OFFSET, root.offset)] {
            if flags & flag != 0 {
                for number in numbers {
                    out.extend(number.to_bits().to_le_bytes());
                }
            }
        }
        if is_known {
            for (joint_index, joint) in self.joints.iter().enumerate() {
                put_joint(joint, &rest(skeleton, joint_index), &mut out);
            }
        }
        out
    }

    /// Decodes a state that [`to_bytes`](Self::to_bytes) encoded; it continues bit-exactly. `skeleton` is the one that
    /// it was created for.
    ///
    /// # Errors
    /// If the version or the number of joints differs, the bytes end early or continue after the end, or a number is
    /// invalid.
    pub fn from_bytes(bytes: &[u8], skeleton: &Skeleton) -> Result<Self, StateBytesError> {
        let mut reader = StateReader::new(bytes);
        let inertia = Self::read(&mut reader, skeleton)?;
        reader.end()?;
        Ok(inertia)
    }

    fn read(reader: &mut StateReader<'_>, skeleton: &Skeleton) -> Result<Self, StateBytesError> {
        reader.version(VERSION, "the version of an inertia, 65")?;
        let offset = reader.offset;
        let count = reader.vle_u32("the number of joints")?;
        if count as usize != skeleton.len() {
            let expected = "as many joints as the skeleton has";
            return Err(invalid_value(offset, expected, format!("{count}")));
        }
        let offset = reader.offset;
        let flags = reader.vle_up_to(ALL, "the flags of an inertia")?;
        let stage = match flags >> STAGE_SHIFT {
            0 => Stage::Steady,
            1 => Stage::Switched,
            2 => Stage::FirstPose,
            _ => return Err(invalid_value(offset, "a stage from 0 to 2", "3".into())),
        };
        let mut inertia = Self::new(skeleton);
        inertia.stage = stage;
        inertia.step = reader.non_negative_f32("the seconds between poses")?;
        inertia.seconds = reader.non_negative_f32("the seconds of a switch")?;
        inertia.elapsed = reader.non_negative_f32("the seconds since a switch")?;
        inertia.switch_count = reader.vle_u32("the number of inertial switches")?;
        inertia.root = RootInertia {
            is_switched: flags & ROOT_IS_SWITCHED != 0,
            ..RootInertia::default()
        };
        let root = &mut inertia.root;
        for (flag, numbers) in [
            (ROOT_SHOWN, &mut root.shown),
            (ROOT_OFFSET, &mut root.offset),
        ] {
            if flags & flag != 0 {
                for number in numbers {
                    *number = reader.finite_f64("a speed of the root")?;
                }
            }
        }
        if flags & IS_KNOWN != 0 {
            inertia.known = PoseHistory::Pose;
            for (joint_index, joint) in inertia.joints.iter_mut().enumerate() {
                *joint = read_joint(reader, &rest(skeleton, joint_index))?;
            }
        }
        Ok(inertia)
    }
}

fn rest(skeleton: &Skeleton, joint_index: usize) -> Transform {
    let joint = skeleton.joint(joint_index.into());
    joint.map_or(Transform::IDENTITY, |joint| joint.rest)
}

fn put_joint(joint: &JointInertia, rest: &Transform, out: &mut Vec<u8>) {
    let transforms = [
        (&joint.shown, rest),
        (&joint.before, &joint.shown),
        (&joint.source, &joint.shown),
    ];
    let mut flags = 0;
    for (index, (transform, reference)) in transforms.iter().enumerate() {
        flags |= differences(transform, reference) << (3 * index);
    }
    let is_set = |offset: &Offset| offset.to_array().iter().any(|number| number.to_bits() != 0);
    for (index, offset) in joint.offsets.iter().enumerate() {
        flags |= u32::from(is_set(offset)) << (9 + index);
    }
    put_vle(flags.into(), out);
    for (index, (transform, _)) in transforms.iter().enumerate() {
        put_transform(transform, flags >> (3 * index), out);
    }
    for (index, offset) in joint.offsets.iter().enumerate() {
        if flags >> (9 + index) & 1 != 0 {
            put_floats(&offset.to_array(), out);
        }
    }
}

fn read_joint(
    reader: &mut StateReader<'_>,
    rest: &Transform,
) -> Result<JointInertia, StateBytesError> {
    let flags = reader.vle_up_to(JOINT_ALL, "the flags of a joint")?;
    let shown = read_transform(reader, flags, rest)?;
    let before = read_transform(reader, flags >> 3, &shown)?;
    let source = read_transform(reader, flags >> 6, &shown)?;
    let mut offsets = [Offset::default(); 3];
    for (index, offset) in offsets.iter_mut().enumerate() {
        if flags >> (9 + index) & 1 != 0 {
            let start = reader.offset;
            let numbers = reader.floats("an offset")?;
            if !numbers.iter().all(|number: &f32| number.is_finite()) {
                return Err(invalid_value(
                    start,
                    "finite numbers",
                    format!("{numbers:?}"),
                ));
            }
            *offset = Offset::from_array(numbers);
        }
    }
    Ok(JointInertia {
        shown,
        before,
        source,
        offsets,
    })
}

/// Returns the flags of position, rotation and scale that differ in any bit.
pub(crate) fn differences(transform: &Transform, reference: &Transform) -> u32 {
    let differ = |a: &[f32], b: &[f32]| {
        let mut pairs = a.iter().zip(b);
        u32::from(pairs.any(|(a, b)| a.to_bits() != b.to_bits()))
    };
    let [p, q] = [transform, reference].map(|transform| transform.position.to_array());
    let [r, s] = [transform, reference].map(|transform| transform.rotation.to_array());
    let [t, u] = [transform, reference].map(|transform| transform.scale.to_array());
    differ(&p, &q) | differ(&r, &s) << 1 | differ(&t, &u) << 2
}

/// Writes the channels of a transform whose flags are set.
pub(crate) fn put_transform(transform: &Transform, flags: u32, out: &mut Vec<u8>) {
    if flags & 1 != 0 {
        put_floats(&transform.position.to_array(), out);
    }
    if flags & 2 != 0 {
        put_floats(&transform.rotation.to_array(), out);
    }
    if flags & 4 != 0 {
        put_floats(&transform.scale.to_array(), out);
    }
}

/// Reads the channels that [`put_transform`] wrote; the others are those of a reference.
pub(crate) fn read_transform(
    reader: &mut StateReader<'_>,
    flags: u32,
    reference: &Transform,
) -> Result<Transform, StateBytesError> {
    let mut transform = *reference;
    if flags & 1 != 0 {
        transform.position = Vec3::from_array(reader.floats("a position")?);
    }
    if flags & 2 != 0 {
        transform.rotation = Quat::from_array(reader.floats("a rotation")?);
    }
    if flags & 4 != 0 {
        transform.scale = Vec3::from_array(reader.floats("a scale")?);
    }
    Ok(transform)
}

fn put_floats(floats: &[f32], out: &mut Vec<u8>) {
    for float in floats {
        out.extend(float.to_bits().to_le_bytes());
    }
}
