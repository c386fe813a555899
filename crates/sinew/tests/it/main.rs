//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod animate;
mod animation_check;
mod animation_splines;
mod animation_tracks;
mod binding_2d;
mod binding_allocations;
mod binding_common;
mod binding_equivalence;
mod binding_fades;
mod binding_parts;
mod binding_paths;
mod binding_pose;
mod binding_rebinding;
mod binding_variants;
mod blend_layers;
mod construct;
mod control_packed;
mod control_packed_allocations;
mod control_packed_twins;
mod controller_2d;
mod controller_2d_common;
mod controller_2d_layers;
mod controller_2d_variants;
mod controller_bytes;
mod controller_diff;
mod controller_inertial;
mod controller_layers;
mod controller_merge;
mod controller_play;
mod controller_properties;
mod controller_root_motion;
mod controller_state;
mod controller_sync;
mod controller_time;
mod controller_triggers;
mod controller_weights;
mod crowd;
mod draw;
mod fade;
mod feet_ahead;
mod feet_allocations;
mod frames;
mod inertia;
mod invalid;
mod motion;
mod no_allocation;
mod packed_allocations;
mod packed_twins;
mod peer_rusty_skelform;
mod physics;
mod pipeline_twins;
mod root_motion;
mod root_trajectory;
mod serde;
