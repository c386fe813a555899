//! Retargeting: plays a motion of one skeleton on another.
//!
//! ```text
//! Skeleton ─detect_roles─▶ RoleMap ─┐
//! Skeleton ─detect_roles─▶ RoleMap ─┴─Retargeter─▶ pose by pose, or `retarget` a whole animation with foot plants
//! ```
//!
//! 1. `role`, `names`, `detect`: which joint plays which role in a body, with confidences;

mod role;

pub use role::{BodyPart, Role, RoleAssignment, RoleMap, UnknownRole};
