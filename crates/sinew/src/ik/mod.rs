//! Inverse kinematics of limbs: two-bone IK, and foot locking while a character plays.
//!
//! 1. `limb_frame`: where the joints of a limb are in the model's frame;
//! 2. `reach`: the smallest move of the body with which limbs reach their targets;
//! 3. `two_bone`: the closed form that bends a limb, also by itself ([`solve_two_bone`]);
//! 4. `fade`: corrections that fade out with their velocity;
//! 5. `foot_lock`: all of it, pose by pose, in [`FootLock`].

pub(crate) mod fade;
pub(crate) mod foot_lock;
pub(crate) mod limb_frame;
pub(crate) mod reach;
pub(crate) mod two_bone;

pub use foot_lock::{FootCue, FootLock, FootLockSettings, FootStep};
pub use two_bone::{TwoBone, TwoBoneSettings, TwoBoneSolution, solve_two_bone};
