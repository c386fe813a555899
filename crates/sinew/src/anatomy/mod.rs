//! Analysis of a skeleton's shape: legs and arms, contacts of their ends, bounds, and the root motion joint.

pub(crate) mod bounds;
pub(crate) mod limbs;
pub(crate) mod plant;
pub(crate) mod root_motion_joint;

pub use bounds::{Bounds, pose_bounds, rest_bounds};
pub use limbs::{Contact, Limb, find_arms, find_legs};
pub use plant::{LimbEnd, Plant};
pub use root_motion_joint::root_motion_joint;

pub(crate) use limbs::parent;
pub(crate) use root_motion_joint::{ancestors, body_root};
