//! What stands before the rows of a packed animation: what is constant, and how the rest is told.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::quat::{COARSE, FINE, unpack};
use crate::math::{quat_inverse, quat_mul};
use alloc::vec::Vec;
use glam::Quat;

/// How rows are spread over time, and what they say of each joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Rows per second; finite and above zero.
    pub rate: f64,
    /// How many rows there are; at least one.
    pub rows: u32,
    pub joints: Vec<JointHead>,
    /// A code for [`step`] for each component, in the order of joints, channels and axes.
    pub steps: Vec<u8>,
    /// Between which rows rotations are interpolated by slerp.
    pub slerp_spans: SlerpSpans,
}

/// Between which rows rotations are interpolated by slerp; between all others the coordinates of rotations are
/// interpolated linearly, which is cheaper and, where joints turn little from row to row, as near to the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SlerpSpans {
    #[default]
    Nowhere,
    Everywhere,
    /// A bit for every two rows, lowest first.
    Some(Vec<u8>),
}

impl SlerpSpans {
    const ROWS: usize = 2;

    /// Of so many rows, those that are marked.
    pub fn new(rows: usize, is_marked: impl Fn(usize) -> bool) -> Self {
        let spans = rows.div_ceil(Self::ROWS);
        let mut bits = alloc::vec![0; Self::bytes(rows)];
        let mut count = 0;
        for span in 0..spans {
            if (span * Self::ROWS..(span + 1) * Self::ROWS).any(&is_marked) {
                bits[span / 8] |= 1 << (span % 8);
                count += 1;
            }
        }
        match count {
            0 => Self::Nowhere,
            _ if count == spans => Self::Everywhere,
            _ => Self::Some(bits),
        }
    }

    /// How many bytes the bits of so many rows have.
    pub const fn bytes(rows: usize) -> usize {
        rows.div_ceil(Self::ROWS).div_ceil(8)
    }

    /// Whether it is slerp from a row to the next.
    #[inline(always)]
    pub fn has(&self, row: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::Some(bits) => {
                let span = row / Self::ROWS;
                let bits = bits.get(span / 8);
                bits.is_some_and(|bits| bits >> (span % 8) & 1 != 0)
            }
        }
    }

    /// Whether a span after so many rows is marked.
    pub fn has_beyond(&self, rows: usize) -> bool {
        let spans = rows.div_ceil(Self::ROWS);
        match self {
            Self::Some(bits) => (spans..8 * bits.len()).any(|span| self.has(span * Self::ROWS)),
            _ => false,
        }
    }
}

/// What is said of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointHead {
    /// Which of position, rotation and scale the source has a track for.
    pub moved: [bool; 3],
    pub position: LinearHead,
    pub rotation: RotationHead,
    pub scale: LinearHead,
}

/// What is said of a position or scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LinearHead {
    /// It is that of the skeleton at rest.
    #[default]
    Rest,
    /// It is this; along the axes that are components it is this and what the component says.
    Given {
        values: [f32; 3],
        components: [bool; 3],
    },
}

/// What is said of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RotationHead {
    /// It is that of the skeleton at rest.
    #[default]
    Rest,
    /// It is this.
    Fixed(u64),
    /// It is told by coordinates on a [`Chart`].
    Charted {
        chart: PackedChart,
        components: [bool; 3],
    },
}

/// A [`Chart`] in few bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedChart {
    pub is_fine: bool,
    pub mean: u64,
    pub axes: u64,
}

/// Coordinates of rotations near a mean.
///
/// A rotation is `mean · axes · x · axes⁻¹`, with `x` a unit quaternion proportional to `(u, 1 - |u|²/4)` for
/// coordinates `u`: twice the tangent of a quarter of the angle, along the axis. This map keeps shapes small
/// enough alike everywhere, has no trigonometry in it, and reaches all the way round; a joint that turns about
/// one axis moves along one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chart {
    /// What makes the rotation of `x`, row by row.
    pub map: [[f32; 4]; 4],
}

impl Chart {
    /// A chart about `mean`, whose axes are those of `axes`.
    pub fn new(mean: Quat, axes: Quat) -> Self {
        let (left, right) = (quat_mul(mean, axes), quat_inverse(axes));
        let column = |at: usize| {
            let mut unit = [0.0; 4];
            unit[at] = 1.0;
            quat_mul(quat_mul(left, Quat::from_array(unit)), right).to_array()
        };
        let columns = [column(0), column(1), column(2), column(3)];
        let row = |row: usize| columns.map(|column| column[row]);
        Self {
            map: [row(0), row(1), row(2), row(3)],
        }
    }

    /// A chart on which every joint is at `rotation`.
    pub fn fixed(rotation: Quat) -> Self {
        Self {
            map: rotation.to_array().map(|number| [0.0, 0.0, 0.0, number]),
        }
    }
}

impl PackedChart {
    pub fn unpack(&self) -> Chart {
        let bits = if self.is_fine { FINE } else { COARSE };
        Chart::new(unpack(self.mean, bits), unpack(self.axes, bits))
    }
}

impl JointHead {
    /// Which of its nine numbers are components: three of the rotation, of the position and of the scale.
    pub fn components(&self) -> [bool; 9] {
        let linear = |head: &LinearHead| match head {
            LinearHead::Rest => [false; 3],
            LinearHead::Given { components, .. } => *components,
        };
        let rotation = match self.rotation {
            RotationHead::Charted { components, .. } => components,
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

/// Codes per halving of a step.
pub const CODES_PER_HALVING: i32 = 8;

/// The step of a component: 2 for code 0, halved every eight codes.
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

/// The code of the largest step that is not above `wanted`, or of the smallest there is.
pub fn step_code(wanted: f64) -> u8 {
    let codes = 0..=u8::MAX;
    let found = codes
        .into_iter()
        .find(|&code| f64::from(step(code)) <= wanted);
    found.unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_normalize;

    #[test]
    fn steps_halve_every_eight_codes_and_are_found_again() {
        for code in 0..=u8::MAX {
            let expected = libm::exp2(1.0 - f64::from(code) / 8.0);
            assert!((f64::from(step(code)) / expected - 1.0).abs() < 1e-6);
            assert_eq!(step_code(f64::from(step(code))), code);
        }
        assert_eq!(
            (step_code(1e9), step_code(0.0), step_code(f64::NAN)),
            (0, 255, 255)
        );
    }

    #[test]
    fn the_middle_of_a_chart_is_its_mean() {
        let mean = quat_normalize(Quat::from_xyzw(0.3, -0.2, 0.5, 0.7));
        let axes = quat_normalize(Quat::from_xyzw(-0.6, 0.1, 0.2, 0.4));
        let chart = Chart::new(mean, axes);
        for (row, number) in chart.map.iter().zip(mean.to_array()) {
            assert!((row[3] - number).abs() < 1e-6);
        }
        assert_eq!(Chart::fixed(mean).map[2], [0.0, 0.0, 0.0, mean.z]);
    }
}
