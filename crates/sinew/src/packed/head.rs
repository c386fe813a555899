//! The head of packed samples: constants, quantization steps, and the parametrization of each joint.
//!
//! ```text
//! step(code) = 2 · 2^(-code / 8)                               one byte per component
//! rotation   = map · (u, 1 - |u|²/4) / (1 + |u|²/4),    map = matrix of  x ↦ mean · axes · x · axes⁻¹
//! ```
//!
//! The scale of steps is geometric: a byte covers 32 halvings, and adjacent steps are 9 % apart. Its values are literals,
//! so that no library function decides their bits. `u` is twice the modified Rodrigues parameters (Shuster, A Survey of Attitude
//! Representations, 1993): no trigonometry, no singularity below a full turn, and conformal, so one step serves all
//! three coordinates. The map is a matrix, so that decoding takes 16 multiplications instead of the 32 of two
//! quaternion products. Cost: built once per joint at loading.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::quat::{COARSE, FINE, unpack};
use crate::math::{quat_inverse, quat_mul};
use alloc::vec::Vec;
use glam::Quat;

/// The sample rate, and the parametrization of each joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Samples per second; finite and positive.
    pub rate: f64,
    /// The number of samples; at least one.
    pub sample_count: u32,
    pub joints: Vec<JointHead>,
    /// The code of the quantization [`step`] of each component, in the order of joints, channels and axes.
    pub steps: Vec<u8>,
    /// The spans in which rotations are interpolated by slerp.
    pub slerp_spans: SlerpSpans,
}

/// The spans between samples in which rotations are interpolated by slerp. In all others the coordinates of rotations
/// are interpolated linearly, which is cheaper and as accurate if joints turn little per sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SlerpSpans {
    #[default]
    Nowhere,
    Everywhere,
    /// A bit per two samples, lowest first.
    Some(Vec<u8>),
}

impl SlerpSpans {
    /// Samples per span.
    pub const SAMPLES: usize = 2;

    /// Returns the number of bytes of the bits of `samples` samples.
    pub const fn bytes(sample_count: usize) -> usize {
        sample_count.div_ceil(Self::SAMPLES).div_ceil(8)
    }

    /// Returns whether slerp is used from a sample to the next.
    #[inline(always)]
    pub fn has(&self, sample_index: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::Some(bits) => {
                let span = sample_index / Self::SAMPLES;
                let bits = bits.get(span / 8);
                bits.is_some_and(|bits| bits >> (span % 8) & 1 != 0)
            }
        }
    }

    /// Returns whether a span after `samples` samples is marked.
    pub fn has_beyond(&self, sample_count: usize) -> bool {
        let spans = sample_count.div_ceil(Self::SAMPLES);
        match self {
            Self::Some(bits) => (spans..8 * bits.len()).any(|span| self.has(span * Self::SAMPLES)),
            _ => false,
        }
    }
}

/// The parametrization of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointHead {
    /// Whether the source has a track for position, rotation and scale.
    pub moved: [bool; 3],
    pub position: LinearHead,
    pub rotation: RotationHead,
    pub scale: LinearHead,
}

/// The parametrization of a position or scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LinearHead {
    /// The rest pose.
    #[default]
    Rest,
    /// This value; along axes that are components, this value plus the component.
    Given {
        values: [f32; 3],
        components: [bool; 3],
    },
}

/// The parametrization of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RotationHead {
    /// The rest pose.
    #[default]
    Rest,
    /// This constant, packed.
    Fixed(u64),
    /// MRP coordinates in an [`MrpFrame`].
    Mrp {
        frame: PackedMrpFrame,
        components: [bool; 3],
    },
}

/// A quantized [`MrpFrame`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedMrpFrame {
    pub is_fine: bool,
    pub mean: u64,
    pub axes: u64,
}

/// A frame for rotations around a mean: modified Rodrigues parameters (MRP) in rotated axes.
///
/// A rotation is `mean · axes · x · axes⁻¹`, with `x` the unit quaternion proportional to `(u, 1 - |u|²/4)` for
/// coordinates `u`: the axis times `2 tan(angle / 4)`. The map is conformal, so the quantization error is nearly
/// uniform in all directions; it needs no trigonometry and covers all rotations. A joint that turns about one axis
/// moves along one coordinate, and the others are dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MrpFrame {
    /// The matrix from `x` to the rotation, by samples.
    pub map: [[f32; 4]; 4],
}

impl MrpFrame {
    /// Creates a frame around `mean` with the axes of `axes`.
    pub fn new(mean: Quat, axes: Quat) -> Self {
        let (left, right) = (quat_mul(mean, axes), quat_inverse(axes));
        let column = |index: usize| {
            let mut unit = [0.0; 4];
            unit[index] = 1.0;
            quat_mul(quat_mul(left, Quat::from_array(unit)), right).to_array()
        };
        let columns = [column(0), column(1), column(2), column(3)];
        let row = |row: usize| columns.map(|column| column[row]);
        Self {
            map: [row(0), row(1), row(2), row(3)],
        }
    }

    /// Creates a frame that maps all coordinates to `rotation`.
    pub fn fixed(rotation: Quat) -> Self {
        Self {
            map: rotation.to_array().map(|number| [0.0, 0.0, 0.0, number]),
        }
    }
}

impl PackedMrpFrame {
    pub fn unpack(&self) -> MrpFrame {
        let bits = if self.is_fine { FINE } else { COARSE };
        MrpFrame::new(unpack(self.mean, bits), unpack(self.axes, bits))
    }
}

impl JointHead {
    /// Returns which of the nine numbers are components: three each of rotation, position and scale.
    pub fn components(&self) -> [bool; 9] {
        let linear = |head: &LinearHead| match head {
            LinearHead::Rest => [false; 3],
            LinearHead::Given { components, .. } => *components,
        };
        let rotation = match self.rotation {
            RotationHead::Mrp { components, .. } => components,
            _ => [false; 3],
        };
        let (position, scale) = (linear(&self.position), linear(&self.scale));
        let mut all = [false; 9];
        all[..3].copy_from_slice(&rotation);
        all[3..6].copy_from_slice(&position);
        all[6..].copy_from_slice(&scale);
        all
    }
}

/// Returns the quantization step of a code: 2 for code 0, halved every eight codes.
pub fn step(code: u8) -> f32 {
    const PARTS: [f32; 8] = [
        2.0,
        1.834_008_1,
        1.681_792_9,
        1.542_210_8,
        core::f32::consts::SQRT_2,
        1.296_839_6,
        1.189_207_1,
        1.090_507_7,
    ];
    let halved = f32::from_bits((127 - u32::from(code >> 3)) << 23);
    PARTS[usize::from(code & 7)] * halved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_normalize;

    #[test]
    fn steps_halve_every_eight_codes() {
        for code in 0..=u8::MAX {
            let expected = libm::exp2(1.0 - f64::from(code) / 8.0);
            assert!((f64::from(step(code)) / expected - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_middle_of_an_mrp_frame_is_its_mean() {
        let mean = quat_normalize(Quat::from_xyzw(0.3, -0.2, 0.5, 0.7));
        let axes = quat_normalize(Quat::from_xyzw(-0.6, 0.1, 0.2, 0.4));
        let frame = MrpFrame::new(mean, axes);
        for (row, number) in frame.map.iter().zip(mean.to_array()) {
            assert!((row[3] - number).abs() < 1e-6);
        }
        assert_eq!(MrpFrame::fixed(mean).map[2], [0.0, 0.0, 0.0, mean.z]);
    }
}
