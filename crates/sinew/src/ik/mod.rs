//! Inverse kinematics of limbs: two-bone IK, and foot locking while a character plays.
//!
//! 1. `limb_frame`: the joints of a limb in model space;
//! 2. `reach`: the smallest shift of the body with which limbs reach their targets;
//! 3. `two_bone`: closed-form two-bone IK, also available on its own ([`solve_two_bone`]);
//! 4. `fade`: corrections that fade out from their velocity;
//! 5. `foot_lock`: all of it, pose by pose, in [`FootLock`].

pub(crate) mod fade;
pub(crate) mod foot_lock;
pub(crate) mod limb_frame;
pub(crate) mod reach;
pub(crate) mod two_bone;

pub use foot_lock::{FootCue, FootLock, FootLockSettings, FootStep};
pub use two_bone::{TwoBone, TwoBoneSettings, TwoBoneSolution, solve_two_bone};
