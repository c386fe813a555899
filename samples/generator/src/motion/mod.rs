//! Motions of a person, made by code: walk, run, idle, jump, wave, dance turn.
//!
//! ```text
//! curves, gait figures ─▶ Body (pelvis, feet, chest, arms) ─Figure::solve─▶ joint angles ─▶ Amc
//! ```
//!
//! A posture is told by where pelvis and feet are; legs are found by inverse kinematics, so that a foot
//! that stands does not move. Joint angles go through the axes of an ASF, `C B C⁻¹`, which are not the
//! world's for any limb. Everything is computed from constants with `libm`, so that the same call gives
//! the same bytes on every machine.
//!
//! | file | what it does |
//! |---|---|
//! | `space.rs`, `curve.rs` | points and rotations; curves through keys |
//! | `figure.rs` | the skeleton |
//! | `body.rs` | a posture, and the joint angles that make it |
//! | `gait.rs` | the cycle of a foot in walking and running |
//! | `walk.rs`, `run.rs`, `idle.rs`, `jump.rs`, `hello.rs`, `dance.rs` | the motions |
//! | `clip.rs` | frames → a motion as a file says it |

mod body;
mod clip;
mod curve;
mod dance;
mod figure;
mod gait;
mod hello;
mod idle;
mod jump;
mod run;
mod space;
mod walk;

use clip::Clip;
use figure::Figure;
use sinew_formats::amc::{self, Amc};
use sinew_formats::asf::{self, Asf, Units};
use sinew_formats::bvh::{self, BvhWriteSettings};
use std::error::Error;

/// Frames per second of BVH files, which then are a quarter of the size of every frame; or twice as many
/// where the last frame would be left out.
const BVH_RATE: f64 = 30.0;

fn clips(figure: &Figure) -> Vec<Clip> {
    vec![
        walk::walk(figure),
        run::run(figure),
        idle::idle(figure),
        jump::jump(figure),
        hello::wave_hand(figure),
        dance::dance(figure),
    ]
}

/// The skeleton of all motions: 31 joints with the names of CMU's files, 1.75 m tall when lengths are read
/// as [`Units::CmuMetres`]. It faces +z with its left at +x, y is up; arms are half raised at rest. The
/// root's rotations are in the order `RZ RX RY`, so that it may turn about freely.
pub fn figure() -> Asf {
    Figure::new().asf
}

/// The motions on [`figure()`], by name.
///
/// | name | frames per second | seconds | |
/// |---|---|---|---|
/// | `walk` | 120 | 3.3 | three strides of 1.38 m ahead, 109 steps a minute |
/// | `run` | 120 | 2.05 | three strides of 2.05 m ahead at 3 m/s |
/// | `idle` | 60 | 6 | standing, on one leg and the other |
/// | `jump` | 120 | 2.5 | with both legs, 0.8 m ahead |
/// | `wave` | 60 | 3.6 | with the right hand |
/// | `dance-turn` | 60 | 4 | once around to the left in eight steps |
///
/// All but `jump` loop: their last frame is the first, but for the way that `walk` and `run` have come and
/// the 360 degrees of `dance-turn`. Feet that stand do not move; in flight the pelvis falls with
/// 9.81 m/s².
pub fn motions() -> Vec<(&'static str, Amc)> {
    let figure = Figure::new();
    let clips = clips(&figure);
    let motions = clips.iter().map(|clip| (clip.name, clip.amc(&figure)));
    motions.collect()
}

/// Where a file belongs in the folder `samples`, with `/`, and its bytes.
pub type NamedFile = (String, Vec<u8>);

/// The files of the motions.
///
/// `motion/figure.asf`, and for each of [`motions`] a `.amc` and a `.bvh`, the latter in centimetres.
///
/// # Errors
/// When a motion cannot be converted; those of [`motions`] can.
pub fn files() -> Result<Vec<NamedFile>, Box<dyn Error>> {
    let asf = figure();
    let mut files = vec![("motion/figure.asf".to_owned(), asf::write_bytes(&asf))];
    for (name, motion) in motions() {
        let bytes = amc::write_bytes(&asf, &motion);
        files.push((format!("motion/{name}.amc"), bytes));
        let every = (motion.frame_rate / BVH_RATE) as usize;
        let ends_on_the_last = (motion.frame_count() - 1).is_multiple_of(every);
        let settings = BvhWriteSettings {
            frame_rate: Some(if ends_on_the_last {
                BVH_RATE
            } else {
                2.0 * BVH_RATE
            }),
            decimals: 4,
            ..BvhWriteSettings::default()
        };
        let motion = amc::to_motion(&asf, motion, Units::CmuMetres)?;
        let bytes = bvh::write_bytes(&motion.skeleton, motion.animations.first(), &settings)?;
        files.push((format!("motion/{name}.bvh"), bytes));
    }
    Ok(files)
}
