//! The content of a skeleton file, in its own units.

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
    /// Length of the bone, replacing that of the skeleton.
    Length,
}

impl Dof {
    /// All degrees of freedom.
    pub const ALL: [Dof; 7] = [
        Dof::Tx,
        Dof::Ty,
        Dof::Tz,
        Dof::Rx,
        Dof::Ry,
        Dof::Rz,
        Dof::Length,
    ];

    /// Returns the name in files: `tx`, `rz`, `l`, …
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

    /// Returns whether this is a rotation, with angles as values.
    pub fn is_rotation(self) -> bool {
        matches!(self, Dof::Rx | Dof::Ry | Dof::Rz)
    }

    /// Returns the axis of translation or rotation: 0 for x, 1 for y, 2 for z; `None` for a length.
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

/// Order in which the three angles of an `axis` are applied about fixed axes (extrinsic): `XYZ` is the matrix `Rz Ry
/// Rx`.
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
    /// All orders.
    pub const ALL: [AxisOrder; 6] = [
        AxisOrder::Xyz,
        AxisOrder::Xzy,
        AxisOrder::Yxz,
        AxisOrder::Yzx,
        AxisOrder::Zxy,
        AxisOrder::Zyx,
    ];

    /// Returns the name in capitals, as in most files.
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

    /// Returns the axes in the order of application: 0 for x, 1 for y, 2 for z.
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

/// Unit of angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AngleUnit {
    /// 360 per turn.
    #[default]
    Degrees,
    /// 2 pi per turn.
    Radians,
}

impl AngleUnit {
    /// Converts an angle of this unit to radians.
    pub fn to_radians(self, angle: f64) -> f64 {
        angle * self.radians()
    }

    /// Returns the radians per unit.
    pub(crate) fn radians(self) -> f64 {
        match self {
            AngleUnit::Degrees => std::f64::consts::PI / 180.0,
            AngleUnit::Radians => 1.0,
        }
    }

    /// Returns the size of a full turn.
    pub(crate) fn turn(self) -> f64 {
        match self {
            AngleUnit::Degrees => 360.0,
            AngleUnit::Radians => std::f64::consts::TAU,
        }
    }

    /// Returns the name: `degrees` or `radians`.
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
    /// Factor of masses.
    pub mass: f64,
    /// Factor or divisor of lengths: see [`Units`](super::Units). Positive.
    pub length: f64,
    /// Unit of angles.
    pub angle: AngleUnit,
}

impl Default for AsfUnits {
    /// 1, 1 and degrees: the defaults of the format.
    fn default() -> Self {
        Self {
            mass: 1.0,
            length: 1.0,
            angle: AngleUnit::Degrees,
        }
    }
}

/// The section `:root`: the rest transform of the figure, and the order of the root's channels.
#[derive(Clone, Debug, PartialEq)]
pub struct AsfRoot {
    /// Channels of the root in a motion, in order; rotations are applied in this order.
    pub order: Vec<Dof>,
    /// The order of the angles of `orientation`.
    pub axis: AxisOrder,
    /// Position of the root's frame, in the file's units.
    pub position: [f64; 3],
    /// Orientation of the root's frame, in the file's angles.
    pub orientation: [f64; 3],
}

impl Default for AsfRoot {
    /// At the origin, `TX TY TZ RX RY RZ`, as in nearly all files.
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
    /// Name as written in the file; unique.
    pub name: String,
    /// Id in the file.
    pub id: Option<i64>,
    /// Direction in the rest pose, in world axes; of unit length, or zero if the length is zero.
    pub direction: [f64; 3],
    /// Length in the file's units; not negative.
    pub length: f64,
    /// Angles of the bone's rotation axes relative to the world's, in the file's unit.
    pub axis: [f64; 3],
    /// Order of these angles.
    pub axis_order: AxisOrder,
    /// Degrees of freedom, in the order of a motion's values; rotations are applied in this order.
    pub dof: Vec<Dof>,
    /// Lower and upper limit of each degree of freedom, infinite if there is none; or empty. They are not applied to
    /// motions.
    pub limits: Vec<[f64; 2]>,
    /// The mass of its subtree.
    pub bodymass: Option<f64>,
    /// Position of the centre of that mass along the bone.
    pub cofmass: Option<f64>,
    /// Parent, at a lower index of [`Asf::bones`]; `None` for a child of the root.
    pub parent: Option<usize>,
    /// Line of its `begin`, from 1; 0 if it is not from a file.
    pub line: usize,
}

/// A skeleton file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asf {
    /// Version of the format; only 1.1 is defined.
    pub version: Option<f64>,
    /// Name of the skeleton, often that of the program that wrote it.
    pub name: String,
    /// Units of its numbers.
    pub units: AsfUnits,
    /// Free-form notes, line by line.
    pub documentation: String,
    /// The root.
    pub root: AsfRoot,
    /// Bones: a parent precedes its children, each subtree is contiguous, children are in the order of the hierarchy.
    pub bones: Vec<AsfBone>,
    /// File names of skins.
    pub skin: Vec<String>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

impl Asf {
    /// Returns the index of a bone in [`bones`](Asf::bones) by name: an exact match, else a case-insensitive one.
    pub fn find(&self, name: &str) -> Option<usize> {
        let position = |same: fn(&str, &str) -> bool| {
            let mut bones = self.bones.iter();
            bones.position(|bone| same(&bone.name, name))
        };
        position(|a, b| a == b).or_else(|| position(|a, b| a.eq_ignore_ascii_case(b)))
    }
}
