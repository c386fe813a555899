//! The joint hierarchy as text, and the channels of each joint.

use super::{BvhWriteError, BvhWriteSettings, Digits, JointFrame, WrittenMotion};
use crate::bvh::BvhChannel;
use crate::limits::{MAX_JOINT_DEPTH, MAX_JOINTS, MAX_TEXT_BYTES};
use crate::names::Names;
use crate::rest_aligned::RestAligned;
use sinew::Skeleton;
use sinew::glam::DVec3;

/// Name of the root that is added above several roots.
const ADDED_ROOT: &str = "root";

/// The layout of all joints.
pub(super) struct HierarchyLayout {
    joints: Vec<JointLayout>,
    /// Name of the added root, if there are several roots.
    added_root: Option<String>,
}

struct JointLayout {
    name: String,
    /// In the file's unit.
    offset: [f64; 3],
    tip: Option<[f64; 3]>,
    has_positions: bool,
    /// Nesting depth.
    depth: usize,
    /// Number of braces that close after it.
    closes: usize,
    is_root: bool,
}

impl HierarchyLayout {
    pub(super) fn new(
        skeleton: &Skeleton,
        aligned: &RestAligned,
        motion: &WrittenMotion,
        settings: &BvhWriteSettings,
        digits: &Digits,
    ) -> Result<Self, BvhWriteError> {
        let several = skeleton.roots().nth(1).is_some();
        let (safe, mut names) = safe_names(skeleton);
        let mut layout = Self {
            joints: Vec::with_capacity(skeleton.len()),
            // Joints keep their names; the added root gets an unused one.
            added_root: several.then(|| names.take(ADDED_ROOT)),
        };
        let in_units = |v: DVec3| (v * settings.scale).to_array();
        let mut depths: Vec<usize> = Vec::with_capacity(skeleton.len());
        for (index, (joint, name)) in skeleton.joints().iter().zip(safe).enumerate() {
            let offset = aligned.offsets.get(index).copied().unwrap_or_default();
            let tip = aligned.tips.get(index).copied().flatten();
            let tip = tip.or(skeleton.is_leaf(index.into()).then_some(DVec3::ZERO));
            let parent_depth = joint.parent.and_then(|p| depths.get(p.index()).copied());
            let depth = parent_depth.map_or(usize::from(several), |depth| depth + 1);
            depths.push(depth);
            let is_root = joint.parent.is_none() && !several;
            layout.joints.push(JointLayout {
                name,
                offset: if is_root { [0.0; 3] } else { in_units(offset) },
                tip: tip.map(in_units),
                has_positions: is_root,
                depth,
                closes: 0,
                is_root,
            });
        }
        layout.check(&depths)?;
        layout.count_closes(&depths);
        layout.find_positions(motion, digits);
        Ok(layout)
    }

    /// Checks the joint limits of the reader of this format.
    fn check(&self, depths: &[usize]) -> Result<(), BvhWriteError> {
        let joints = self.joints.len() + usize::from(self.added_root.is_some());
        let depth = depths.iter().max().map_or(0, |depth| depth + 1);
        if joints > MAX_JOINTS || depth > MAX_JOINT_DEPTH {
            return Err(BvhWriteError::Skeleton { joints, depth });
        }
        Ok(())
    }

    /// Counts the braces that close after each joint: those that do not enclose the next joint.
    fn count_closes(&mut self, depths: &[usize]) {
        let base = usize::from(self.added_root.is_some());
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let next = depths.get(index + 1).copied().unwrap_or(base);
            joint.closes = (joint.depth + 1).saturating_sub(next);
        }
    }

    /// Adds position channels to joints that leave their offset in some frame.
    fn find_positions(&mut self, motion: &WrittenMotion, digits: &Digits) {
        for frame in motion.joints.chunks_exact(self.joints.len().max(1)) {
            for (joint, channels) in self.joints.iter_mut().zip(frame) {
                let mut pairs = joint.offset.iter().zip(channels.position);
                joint.has_positions |= !pairs.all(|(&a, b)| digits.same(a, b));
            }
        }
    }

    /// Estimates the size of the file.
    pub(super) fn expected_bytes(&self, frames: usize, decimals: usize) -> usize {
        let numbers: usize = self
            .joints
            .iter()
            .map(|joint| if joint.has_positions { 6 } else { 3 })
            .sum();
        let row = numbers.saturating_mul(decimals.min(15) + 6);
        row.saturating_mul(frames)
            .saturating_add(200 * self.joints.len())
    }

    /// Writes `HIERARCHY` with all joints.
    pub(super) fn write(&self, out: &mut Vec<u8>, settings: &BvhWriteSettings, digits: &Digits) {
        out.extend_from_slice(b"HIERARCHY\n");
        if let Some(name) = &self.added_root {
            open(out, 0, &format!("ROOT {name}"));
            offset(out, 1, [0.0; 3], digits);
            channels(out, 1, true, settings);
        }
        for joint in &self.joints {
            let kind = if joint.is_root { "ROOT" } else { "JOINT" };
            open(out, joint.depth, &format!("{kind} {}", joint.name));
            offset(out, joint.depth + 1, joint.offset, digits);
            channels(out, joint.depth + 1, joint.has_positions, settings);
            if let Some(tip) = joint.tip {
                open(out, joint.depth + 1, "End Site");
                offset(out, joint.depth + 2, tip, digits);
                close(out, joint.depth + 1);
            }
            for closed in 0..joint.closes {
                close(out, joint.depth.saturating_sub(closed));
            }
        }
        if self.added_root.is_some() {
            close(out, 0);
        }
    }

    /// Writes the values of one frame.
    pub(super) fn write_row(&self, out: &mut Vec<u8>, frame: &[JointFrame], digits: &Digits) {
        let start = out.len();
        if self.added_root.is_some() {
            for _ in 0..6 {
                digits.write(out, 0.0);
                out.push(b' ');
            }
        }
        for (joint, channels) in self.joints.iter().zip(frame) {
            if joint.has_positions {
                for number in channels.position {
                    digits.write(out, number);
                    out.push(b' ');
                }
            }
            for number in channels.angles {
                digits.write(out, number);
                out.push(b' ');
            }
        }
        if out.len() > start {
            out.pop();
        }
        out.push(b'\n');
    }
}

fn indent(out: &mut Vec<u8>, depth: usize) {
    out.resize(out.len() + depth, b'\t');
}

fn open(out: &mut Vec<u8>, depth: usize, heading: &str) {
    indent(out, depth);
    out.extend_from_slice(heading.as_bytes());
    out.push(b'\n');
    indent(out, depth);
    out.extend_from_slice(b"{\n");
}

fn close(out: &mut Vec<u8>, depth: usize) {
    indent(out, depth);
    out.extend_from_slice(b"}\n");
}

fn offset(out: &mut Vec<u8>, depth: usize, offset: [f64; 3], digits: &Digits) {
    indent(out, depth);
    out.extend_from_slice(b"OFFSET");
    for number in offset {
        out.push(b' ');
        digits.write(out, number);
    }
    out.push(b'\n');
}

fn channels(out: &mut Vec<u8>, depth: usize, positions: bool, settings: &BvhWriteSettings) {
    indent(out, depth);
    let [x, y, z, rx, ry, rz] = BvhChannel::ALL;
    let rotations = [rx, ry, rz];
    let rotations = settings.order.axes().map(|axis| rotations[axis]);
    let positions: &[BvhChannel] = if positions { &[x, y, z] } else { &[] };
    out.extend_from_slice(format!("CHANNELS {}", positions.len() + 3).as_bytes());
    for channel in positions.iter().chain(&rotations) {
        out.push(b' ');
        out.extend_from_slice(channel.name().as_bytes());
    }
    out.push(b'\n');
}

/// Returns the written names of the joints, and the set of used names.
fn safe_names(skeleton: &Skeleton) -> (Vec<String>, Names) {
    let mut names = Names::default();
    let joints = || skeleton.joints().iter();
    // Unchanged names are reserved first, so that no joint gets the name of another.
    let mut safe: Vec<Option<String>> = joints()
        .map(|joint| (safe_name(&joint.name) == joint.name).then(|| names.take(&joint.name)))
        .collect();
    for (joint, safe) in joints().zip(&mut safe).filter(|(_, safe)| safe.is_none()) {
        *safe = Some(names.take(&safe_name(&joint.name)));
    }
    (safe.into_iter().flatten().collect(), names)
}

/// Returns the written names of joints: without white space and braces, unique.
pub(crate) fn written_names(skeleton: &Skeleton) -> Vec<String> {
    safe_names(skeleton).0
}

/// Returns a name that readers parse as one word, short enough for a suffix.
fn safe_name(name: &str) -> String {
    let unsafe_char = |c: char| c.is_whitespace() || c.is_control() || c == '{' || c == '}';
    let mut safe = name.replace(unsafe_char, "_");
    let mut end = safe.len().min(MAX_TEXT_BYTES - 16);
    while !safe.is_char_boundary(end) {
        end -= 1;
    }
    safe.truncate(end);
    safe
}
