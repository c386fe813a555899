//! What a character of a crowd takes.

use crate::moments::Dice;
use crate::race::{RaceSettings, race_with};
use sinew::crowd::{CrowdLayer, CrowdScratch};
use sinew::glam::Mat4;
use sinew::pose::JointCountMismatch;
use sinew::{Crowd, PackedAnimation, Skeleton};
use std::hint::black_box;

/// Best times of a crowd, in nanoseconds per character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdTimes {
    /// On one thread.
    pub one: f64,
    /// On all threads.
    pub all: f64,
    /// On all threads, each pose handed out while it is at hand instead of written to memory.
    pub handed: f64,
    /// Filling the same matrices with nothing, on one thread: what memory alone takes.
    pub fill: f64,
    /// How many all threads are.
    pub threads: usize,
}

impl CrowdTimes {
    /// How many characters of so many nanoseconds each are done within a sixtieth of a second.
    pub fn at_60_hz(nanoseconds: f64) -> u64 {
        (1e9 / 60.0 / nanoseconds) as u64
    }
}

/// Times a crowd of so many characters. Each plays two of the animations at moments of its own, anywhere, and is
/// sampled, blended and brought to matrices in the model's frame, which are written to memory or handed out.
///
/// # Errors
/// When an animation was packed for a skeleton of another size.
pub fn time_crowd(
    skeleton: &Skeleton,
    animations: &[&PackedAnimation<'_>],
    count: usize,
    settings: RaceSettings,
) -> Result<CrowdTimes, JointCountMismatch> {
    let crowd = Crowd::new(skeleton, animations.iter().copied())?;
    let characters = characters(animations, count);
    let mut out = vec![Mat4::IDENTITY; count * skeleton.len()];
    let (mut alone, mut together) = (CrowdScratch::new(), CrowdScratch::new());
    let [mut one, mut all, mut handed, mut fill] = [f64::INFINITY; 4];
    // One after the other within a round: they share the memory that they write to.
    let turn = RaceSettings {
        rounds: 1,
        ..settings
    };
    let time = |run: &mut dyn FnMut()| {
        let times = race_with(turn, &mut [run]);
        times.into_iter().fold(f64::INFINITY, f64::min) / count.max(1) as f64
    };
    for _ in 0..settings.rounds {
        // There is exactly as much room as it takes.
        one = one.min(time(&mut || {
            let _ = crowd.models(black_box(&characters), &mut alone, &mut out);
        }));
        all = all.min(time(&mut || {
            let _ = crowd.par_models(black_box(&characters), &mut together, &mut out);
        }));
        handed = handed.min(time(&mut || {
            crowd.par_for_each(black_box(&characters), &mut together, |character| {
                black_box(character.model);
            });
        }));
        fill = fill.min(time(&mut || black_box(&mut out).fill(Mat4::IDENTITY)));
    }
    Ok(CrowdTimes {
        one,
        all,
        handed,
        fill,
        threads: rayon::current_num_threads(),
    })
}

/// Characters with two layers each, the same in every run.
fn characters(animations: &[&PackedAnimation<'_>], count: usize) -> Vec<[CrowdLayer; 2]> {
    let mut dice = Dice::new(1);
    let mut layer = |weight: f32| {
        let animation = dice.below(animations.len());
        let length = animations
            .get(animation)
            .map_or(0.0, |animation| animation.length());
        CrowdLayer {
            animation: animation as u32,
            time: length * dice.share(),
            weight,
        }
    };
    (0..count).map(|_| [layer(0.7), layer(0.3)]).collect()
}
