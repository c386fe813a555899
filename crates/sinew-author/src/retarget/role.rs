//! Roles of joints in a humanoid body, and which joints play them.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use sinew::skeleton::Side;

/// A part of a humanoid body, regardless of its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyPart {
    /// A joint above the hips that never moves: `Reference`, `root`, `Armature`.
    Reference,
    /// The lowest joint from which all limbs descend.
    Hips,
    /// The spine between hips and chest; any number of joints.
    Spine,
    /// The joint that the arms and the neck descend from.
    Chest,
    /// The neck; any number of joints.
    Neck,
    /// The head.
    Head,
    /// The collar bone.
    Clavicle,
    /// The upper arm, which starts at the shoulder.
    UpperArm,
    /// The lower arm, which starts at the elbow.
    LowerArm,
    /// The hand, which starts at the wrist.
    Hand,
    /// The fingers; any number of joints.
    Finger,
    /// The upper leg, which starts at the hip joint.
    UpperLeg,
    /// The lower leg, which starts at the knee.
    LowerLeg,
    /// The foot, which starts at the ankle.
    Foot,
    /// The toes, which start at the ball of the foot.
    Toes,
}

impl BodyPart {
    /// All parts, from the ground of the hierarchy to its ends.
    pub const ALL: [Self; 15] = [
        Self::Reference,
        Self::Hips,
        Self::Spine,
        Self::Chest,
        Self::Neck,
        Self::Head,
        Self::Clavicle,
        Self::UpperArm,
        Self::LowerArm,
        Self::Hand,
        Self::Finger,
        Self::UpperLeg,
        Self::LowerLeg,
        Self::Foot,
        Self::Toes,
    ];

    /// Returns the name used in role maps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Hips => "hips",
            Self::Spine => "spine",
            Self::Chest => "chest",
            Self::Neck => "neck",
            Self::Head => "head",
            Self::Clavicle => "clavicle",
            Self::UpperArm => "upper_arm",
            Self::LowerArm => "lower_arm",
            Self::Hand => "hand",
            Self::Finger => "finger",
            Self::UpperLeg => "upper_leg",
            Self::LowerLeg => "lower_leg",
            Self::Foot => "foot",
            Self::Toes => "toes",
        }
    }

    /// Returns whether a body has one of it on each side.
    pub const fn is_sided(self) -> bool {
        self as u8 >= Self::Clavicle as u8
    }

    /// Returns whether several joints in a row can play it.
    pub const fn is_chain(self) -> bool {
        matches!(self, Self::Spine | Self::Neck | Self::Finger)
    }
}

/// The role of a joint: a part of the body and its side.
///
/// Its text is that of role maps: `hips`, `left_upper_arm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Role {
    /// The part of the body.
    pub part: BodyPart,
    /// The side; [`Side::Middle`] for the trunk, another for limbs.
    pub side: Side,
}

impl Role {
    /// A role of the trunk.
    pub const fn middle(part: BodyPart) -> Self {
        Self {
            part,
            side: Side::Middle,
        }
    }

    /// A role of a limb of the left side.
    pub const fn left(part: BodyPart) -> Self {
        Self {
            part,
            side: Side::Left,
        }
    }

    /// A role of a limb of the right side.
    pub const fn right(part: BodyPart) -> Self {
        Self {
            part,
            side: Side::Right,
        }
    }

    /// Returns every role that exists, the trunk before the limbs, left before right.
    pub fn all() -> impl Iterator<Item = Self> {
        BodyPart::ALL.into_iter().flat_map(|part| {
            let sides: &[Side] = if part.is_sided() {
                &[Side::Left, Side::Right]
            } else {
                &[Side::Middle]
            };
            sides.iter().map(move |&side| Self { part, side })
        })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            Side::Left => f.write_str("left_")?,
            Side::Right => f.write_str("right_")?,
            Side::Middle => {}
        }
        f.write_str(self.part.name())
    }
}

/// A text that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut roles = Self::all();
        let found = roles.find(|role| alloc::format!("{role}") == text);
        found.ok_or_else(|| UnknownRole(text.into()))
    }
}

/// The joints that play a role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleAssignment {
    /// The role.
    pub role: Role,
    /// Indices of joints of the skeleton, or of bones of the character, parents before children. One, but for roles of
    /// chains.
    pub joints: Vec<usize>,
    /// How sure the detection is, 0 to 1; 1 if a person chose it.
    pub confidence: f32,
}

/// Which joints of a skeleton, or which bones of a 2D character, play which roles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleMap {
    /// At most one assignment per role, each with at least one joint, in the order of [`Role::all`].
    assignments: Vec<RoleAssignment>,
}

impl RoleMap {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the assignments in the order of [`Role::all`].
    pub fn assignments(&self) -> &[RoleAssignment] {
        &self.assignments
    }

    /// Returns the assignment of a role.
    pub fn get(&self, role: Role) -> Option<&RoleAssignment> {
        self.assignments.iter().find(|found| found.role == role)
    }

    /// Returns the first joint of a role.
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.get(role)?.joints.first().copied()
    }

    /// Returns the joints of a role, parents before children; empty if nothing plays it.
    pub fn joints(&self, role: Role) -> &[usize] {
        self.get(role).map_or(&[], |found| &found.joints)
    }

    /// Returns the role that a joint plays.
    pub fn role_of(&self, joint: usize) -> Option<Role> {
        let found = self
            .assignments
            .iter()
            .find(|found| found.joints.contains(&joint));
        found.map(|found| found.role)
    }

    /// Sets the joints of a role, instead of those before; none removes it.
    pub fn set(&mut self, role: Role, joints: Vec<usize>, confidence: f32) {
        self.assignments.retain(|found| found.role != role);
        if joints.is_empty() {
            return;
        }
        let rank = |role: Role| Role::all().position(|known| known == role);
        let index = self
            .assignments
            .partition_point(|found| rank(found.role) < rank(role));
        let assignment = RoleAssignment {
            role,
            joints,
            confidence,
        };
        self.assignments.insert(index, assignment);
    }
}
