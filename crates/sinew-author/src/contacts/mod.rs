//! Foot and hand contacts: when heels, balls of feet and hands are planted.

pub(crate) mod detect;
mod plants;

pub use plants::{FootContacts, PlantSettings, find_plants, foot_contacts};
