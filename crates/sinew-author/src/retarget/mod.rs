//! Retargeting: plays a motion of one skeleton on another.
//!
//! ```text
//! Skeleton ─detect_roles─▶ RoleMap ─┐
//! Skeleton ─detect_roles─▶ RoleMap ─┴─Retargeter─▶ pose by pose, or `retarget` a whole animation with foot plants
//! ```
//!
//! 1. `role`, `names`, `words`, `systems`: roles and the names of joints; `structure`, `shape`, `score`, `chain`,
//!    `detect`: which joint plays which role in a body, with confidences;
//! 2. `body`: the joints of each role, checked; `align`: the common rest pose; `plan`: which joint drives which;
//! 3. `retargeter`: transfers poses; `motion`: a whole animation, frame by frame;
//! 4. `resting`: when feet are planted; `feet` with `stance` and `placement`: planted feet at the scaled places of the source's; hands on request;
//! 5. `quality`: measures of the result, and the limits that it should keep;
//! 6. `character` (feature `skelform`): a motion on a 2D character instead.

mod align;
mod body;
mod body_tree;
mod chain;
#[cfg(feature = "skelform")]
pub mod character;
#[cfg(feature = "skelform")]
mod character_roles;
mod detect;
mod error;
mod feet;
mod model_space;
mod motion;
mod names;
mod placement;
mod plan;
mod points;
mod quality;
mod resting;
mod retargeter;
mod role;
mod score;
mod settings;
mod shape;
mod stance;
mod structure;
mod systems;
mod words;

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]
mod tests;

#[cfg(feature = "skelform")]
pub use character_roles::{detect_character_roles, near_side, required_character_roles};
pub use detect::{
    MIN_CONFIDENCE, RoleCandidate, RoleCandidates, RoleDetection, detect_roles, detect_roles_of,
    required_roles,
};
pub use error::{Figure, RetargetError, RetargetWarning};
pub use motion::{Retargeted, retarget};
pub use names::{JointName, NameSide};
pub use quality::{Limit, RetargetReport, Violation};
pub use retargeter::{RetargetScratch, Retargeter};
pub use role::{BodyPart, Role, RoleAssignment, RoleMap, UnknownRole};
pub use settings::{RestAlignment, RetargetSettings, RootTarget};
