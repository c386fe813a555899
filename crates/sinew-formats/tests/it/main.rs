//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod add_animation;
mod amc_errors;
mod amc_find;
mod amc_memory;
mod amc_mutations;
mod amc_rate;
mod amc_world;
mod any_animations;
mod asf_errors;
mod asf_forms;
mod bvh_common;
mod bvh_corpus;
mod bvh_hostile;
mod bvh_malformed;
mod bvh_reading;
mod bvh_root_offset;
mod bvh_twins;
mod bvh_writing;
mod common;
mod corpus;
mod curve;
mod editor_view;
mod eras;
mod eras_archive;
mod files;
mod fuzz_saved;
mod gltf_common;
mod gltf_corpus;
mod gltf_hostile;
mod gltf_malformed;
mod gltf_meshopt;
mod gltf_rates;
mod gltf_round_trip;
mod gltf_source;
mod gltf_to_bvh;
mod hostile;
mod hostile_archives;
mod hostile_lists;
mod hostile_shapes;
mod hostile_texts;
mod json_errors;
mod json_memory;
mod json_reading;
mod json_round_trip;
mod keys;
mod loop_motion;
mod memory;
mod mutations;
mod pack_common;
mod pack_errors;
mod pack_flips;
mod pack_golden;
mod pack_memory;
mod pack_round_trip;
mod round_trip;
mod round_trip_motion;
mod xml_errors;
mod xml_reading;
