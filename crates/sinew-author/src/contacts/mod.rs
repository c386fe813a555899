//! Foot and hand contacts: when heels, balls of feet and hands are planted (`plants`), by thresholds of speed and height with
//! hysteresis (`detect`).

pub(crate) mod detect;
mod plants;

pub(crate) use plants::{ContactTrack, TravelInPlace, plants_of_tracks};
pub use plants::{FootContacts, PlantSettings, find_plants, foot_contacts};
