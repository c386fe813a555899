//! A 2D character and six motions of a 3D figure, as the bytes of their files.
//!
//! The program `sinew`, the examples and the tests use them where no file is at hand. The files are made by code, in
//! `samples/generator` of the repository, and are under the same licences as Sinew itself.
//!
//! | constant | file | format |
//! |---|---|---|
//! | [`PIP`] | `pip.skf` | SkelForm character: animations `idle`, `walk`, `wave`, `jump`; styles `Default`, `Winter` |
//! | [`FIGURE`] | `motion/figure.asf` | Acclaim skeleton of 31 joints |
//! | [`MOTIONS`] | `motion/*.amc` | Acclaim motions of that skeleton, 120 frames per second |
//! | [`PLAY_PIP`], [`PLAY_FIGURE`] | `play/*.json` | scripts for `sinew play` |
//!
//! ```
//! let walk = sinew_samples::motion("walk").expect("it is a sample");
//! assert!(walk.starts_with(b":FULLY-SPECIFIED"));
//! assert!(sinew_samples::motion("swim").is_none());
//! ```
#![no_std]

/// Pip, a fox cub: a SkelForm character (`.skf`).
pub const PIP: &[u8] = include_bytes!("../pip.skf");

/// The skeleton of all [`MOTIONS`] (`.asf`).
pub const FIGURE: &[u8] = include_bytes!("../motion/figure.asf");

/// The motions by name (`.amc`), to be read with the skeleton [`FIGURE`].
pub const MOTIONS: [(&str, &[u8]); 6] = [
    ("walk", include_bytes!("../motion/walk.amc")),
    ("run", include_bytes!("../motion/run.amc")),
    ("idle", include_bytes!("../motion/idle.amc")),
    ("jump", include_bytes!("../motion/jump.amc")),
    ("wave", include_bytes!("../motion/wave.amc")),
    ("dance-turn", include_bytes!("../motion/dance-turn.amc")),
];

/// A script of `sinew play` for [`PIP`].
pub const PLAY_PIP: &str = include_str!("../play/pip.json");

/// A script of `sinew play` for the figure and its motions.
pub const PLAY_FIGURE: &str = include_str!("../play/figure.json");

/// The motion of that name (`.amc`). Returns `None` if there is none.
pub fn motion(name: &str) -> Option<&'static [u8]> {
    let (_, bytes) = MOTIONS.iter().find(|(sample, _)| *sample == name)?;
    Some(bytes)
}
