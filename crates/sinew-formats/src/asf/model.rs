//! What a skeleton file says, in its own words and units.

use crate::warning::Warnings;
use std::fmt;

/// One degree of freedom of a bone or of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dof {
    /// Translation along x.
    Tx,
    /// Translation along y.
    Ty,
    /// Translation along z.
    Tz,
    /// Rotation about x.
    Rx,
    /// Rotation about y.
    Ry,
    /// Rotation about z.
    Rz,
    /// The bone's length, in place of the one that the skeleton gives.
    Length,
}

impl Dof {
    /// All that there are.
    pub const ALL: [Dof; 7] = [
        Dof::Tx,
        Dof::Ty,
        Dof::Tz,
        Dof::Rx,
        Dof::Ry,
        Dof::Rz,
        Dof::Length,
    ];

    /// As files write it: `tx`, `rz`, `l`, …
    pub fn name(self) -> &'static str {
        match self {
            Dof::Tx => "tx",
            Dof::Ty => "ty",
            Dof::Tz => "tz",
            Dof::Rx => "rx",
            Dof::Ry => "ry",
            Dof::Rz => "rz",
            Dof::Length => "l",
        }
    }

    /// Whether it turns, so that its values are angles.
    pub fn is_rotation(self) -> bool {
        matches!(self, Dof::Rx | Dof::Ry | Dof::Rz)
    }

    /// The axis that it moves along or turns about: 0 for x, 1 for y, 2 for z; none for a length.
    pub fn axis(self) -> Option<usize> {
        match self {
            Dof::Tx | Dof::Rx => Some(0),
            Dof::Ty | Dof::Ry => Some(1),
            Dof::Tz | Dof::Rz => Some(2),
            Dof::Length => None,
        }
    }
}

impl fmt::Display for Dof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// In which order the three angles of an `axis` are applied, each about an axis that does not turn with
/// the ones before: `XYZ` is the matrix `Rz Ry Rx`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AxisOrder {
    /// x, then y, then z.
    #[default]
    Xyz,
    /// x, then z, then y.
    Xzy,
    /// y, then x, then z.
    Yxz,
    /// y, then z, then x.
    Yzx,
    /// z, then x, then y.
    Zxy,
    /// z, then y, then x.
    Zyx,
}

impl AxisOrder {
    /// All that there are.
    pub const ALL: [AxisOrder; 6] = [
        AxisOrder::Xyz,
        AxisOrder::Xzy,
        AxisOrder::Yxz,
        AxisOrder::Yzx,
        AxisOrder::Zxy,
        AxisOrder::Zyx,
    ];

    /// In capitals, as most files write it.
    pub fn name(self) -> &'static str {
        match self {
            AxisOrder::Xyz => "XYZ",
            AxisOrder::Xzy => "XZY",
            AxisOrder::Yxz => "YXZ",
            AxisOrder::Yzx => "YZX",
            AxisOrder::Zxy => "ZXY",
            AxisOrder::Zyx => "ZYX",
        }
    }

    /// The axes in the order in which they are applied: 0 for x, 1 for y, 2 for z.
    pub fn axes(self) -> [usize; 3] {
        match self {
            AxisOrder::Xyz => [0, 1, 2],
            AxisOrder::Xzy => [0, 2, 1],
            AxisOrder::Yxz => [1, 0, 2],
            AxisOrder::Yzx => [1, 2, 0],
            AxisOrder::Zxy => [2, 0, 1],
            AxisOrder::Zyx => [2, 1, 0],
        }
    }
}

/// What angles are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AngleUnit {
    /// 360 to a turn.
    #[default]
    Degrees,
    /// 2 pi to a turn.
    Radians,
}

impl AngleUnit {
    /// An angle of this unit in radians.
    pub fn to_radians(self, angle: f64) -> f64 {
        angle * self.radians()
    }

    /// How many radians one of it is.
    pub(crate) fn radians(self) -> f64 {
        match self {
            AngleUnit::Degrees => std::f64::consts::PI / 180.0,
            AngleUnit::Radians => 1.0,
        }
    }

    /// A whole turn.
    pub(crate) fn turn(self) -> f64 {
        match self {
            AngleUnit::Degrees => 360.0,
            AngleUnit::Radians => std::f64::consts::TAU,
        }
    }

    /// In a word: `degrees` or `radians`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            AngleUnit::Degrees => "degrees",
            AngleUnit::Radians => "radians",
        }
    }
}

/// The section `:units`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AsfUnits {
    /// What masses are to be multiplied with.
    pub mass: f64,
    /// What lengths are to be multiplied with, or divided by: see [`Units`](super::Units). Above zero.
    pub length: f64,
    /// What angles are written in.
    pub angle: AngleUnit,
}

impl Default for AsfUnits {
    /// 1, 1 and degrees: what the format says of a file without the section.
    fn default() -> Self {
        Self {
            mass: 1.0,
            length: 1.0,
            angle: AngleUnit::Degrees,
        }
    }
}

/// The section `:root`: where the figure stands, and what a motion gives for it.
#[derive(Clone, Debug, PartialEq)]
pub struct AsfRoot {
    /// What a motion's values for the root are, in their order; rotations are applied in this order.
    pub order: Vec<Dof>,
    /// The order of the angles of `orientation`.
    pub axis: AxisOrder,
    /// Where the root's frame is, in the file's units.
    pub position: [f64; 3],
    /// How the root's frame is turned, in the file's angles.
    pub orientation: [f64; 3],
}

impl Default for AsfRoot {
    /// At the origin, `TX TY TZ RX RY RZ`: what nearly all files say.
    fn default() -> Self {
        Self {
            order: vec![Dof::Tx, Dof::Ty, Dof::Tz, Dof::Rx, Dof::Ry, Dof::Rz],
            axis: AxisOrder::Xyz,
            position: [0.0; 3],
            orientation: [0.0; 3],
        }
    }
}

/// A bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsfBone {
    /// As it is written; no other bone of the file has it.
    pub name: String,
    /// The number that the file gives it.
    pub id: Option<i64>,
    /// Where it points in the rest pose, in world axes; of length 1, or zero when its length is zero.
    pub direction: [f64; 3],
    /// In the file's units; not below zero.
    pub length: f64,
    /// The angles of the axes that it turns about, against the world's, in the file's unit.
    pub axis: [f64; 3],
    /// The order of these angles.
    pub axis_order: AxisOrder,
    /// How it moves, in the order of a motion's values; rotations are applied in this order.
    pub dof: Vec<Dof>,
    /// The lower and upper limit of each degree of freedom, infinite where there is none; or empty.
    /// Motions are not held to them.
    pub limits: Vec<[f64; 2]>,
    /// The mass of its subtree.
    pub bodymass: Option<f64>,
    /// Where along the bone that mass has its centre.
    pub cofmass: Option<f64>,
    /// Its parent, at a lower index of [`Asf::bones`]; `None` for a child of the root.
    pub parent: Option<usize>,
    /// The line of its `begin`, from 1; 0 when it is from no file.
    pub line: usize,
}

/// A skeleton file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asf {
    /// The version of the format; 1.1 is the only one that is defined.
    pub version: Option<f64>,
    /// The skeleton's name, often that of the program that wrote it.
    pub name: String,
    /// What its numbers are in.
    pub units: AsfUnits,
    /// Notes for people, line by line.
    pub documentation: String,
    /// Where it stands.
    pub root: AsfRoot,
    /// Its bones: each after the one that it hangs on, each with all that hangs on it in one piece,
    /// children in the order in which the hierarchy lists them.
    pub bones: Vec<AsfBone>,
    /// Names of files with skins for it.
    pub skin: Vec<String>,
    /// What was repaired or ignored.
    pub warnings: Warnings,
}

impl Asf {
    /// Where a bone is in [`bones`](Asf::bones): the one of this name, or else one whose name differs
    /// only in its capitals.
    pub fn find(&self, name: &str) -> Option<usize> {
        let position = |same: fn(&str, &str) -> bool| {
            let mut bones = self.bones.iter();
            bones.position(|bone| same(&bone.name, name))
        };
        position(|a, b| a == b).or_else(|| position(|a, b| a.eq_ignore_ascii_case(b)))
    }
}
