//! Retargeting of a 3D motion onto a 2D SkelForm character.
//!
//! ```text
//! Skeleton, Animation, RoleMap ─source─▶ points of the body ─view─▶ plane ─angles─▶ directions of bones
//! Armature, RoleMap ───────────body────▶ limbs, IK, soles           │
//!                                          └──────── feet, motion ◀─┘  what bones do, frame by frame
//!                                                        └─solve─▶ keys, reduced parents first ─▶ AnimationData
//! ```
//!
//! A bone of a limb gets the direction of its counterpart, projected onto the plane of the view: its own length and the place of
//! the joints on it stay those of the character. Trunk and head turn from the setup pose as their counterparts turn from their rest pose.
//! The hips travel and rise in proportion to the length of the legs. Planted feet keep their place; knees bend for it.
//!
//! Keys are reduced parents first, and each bone is solved for the reduced motion of its parents, so that errors do not add up
//! along a chain and a planted foot stays planted. Where the file has an IK family for a limb, its target is keyed; the bones of
//! the limb are keyed too, because FABRIK starts from the keyed pose and a constraint only picks a side.
//!
//! Cost: linear in the number of frames, and of the reduction of keys at most 512 steps per frame and track.

mod angles;
mod body;
mod draw_order;
mod error;
mod feet;
mod leg;
mod motion;
mod reduce;
mod report;
mod rig;
mod settings;
mod solve;
mod source;
mod tracks;
mod view;

pub use error::CharacterError;
pub use report::{CharacterReport, CharacterResult, Drift, Foreshortening, UnreliableSpan};
pub use settings::{CharacterSettings, Facing, View};
pub use solve::retarget_to_character;
