//! Contestants that take turns.
//!
//! Machines jump between fast and slow modes, so an absolute time proves nothing. Contestants take
//! turns in short slices within one run; the best slice of each counts, and what is reported is their
//! ratio.

use std::time::{Duration, Instant};

/// How long a race is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceSettings {
    /// Turns that each contestant gets; without any, no time is told.
    pub rounds: usize,
    /// How long a turn lasts at least.
    pub slice: Duration,
    /// Calls between two looks at the clock: one where a call takes longer than a turn.
    pub calls: u32,
}

impl Default for RaceSettings {
    fn default() -> Self {
        Self {
            rounds: 60,
            slice: Duration::from_millis(4),
            calls: 8,
        }
    }
}

/// Something to time; called over and over.
pub type Contestant<'a> = &'a mut dyn FnMut();

/// The best time of one call of each contestant, in nanoseconds, taking turns.
pub fn race<const N: usize>(mut contestants: [Contestant<'_>; N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    race_into(RaceSettings::default(), &mut contestants, &mut best);
    best
}

/// As [`race`], for any number of contestants and as long as you like.
pub fn race_with(settings: RaceSettings, contestants: &mut [Contestant<'_>]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contestants.len()];
    race_into(settings, contestants, &mut best);
    best
}

fn race_into(settings: RaceSettings, contestants: &mut [Contestant<'_>], best: &mut [f64]) {
    for _ in 0..settings.rounds {
        for (contestant, best) in contestants.iter_mut().zip(&mut *best) {
            *best = best.min(slice(contestant, settings));
        }
    }
}

/// Nanoseconds per call within one turn.
fn slice(contestant: &mut Contestant<'_>, settings: RaceSettings) -> f64 {
    let start = Instant::now();
    let mut calls = 0u32;
    loop {
        for _ in 0..settings.calls.max(1) {
            contestant();
        }
        calls += settings.calls.max(1);
        let elapsed = start.elapsed();
        if elapsed >= settings.slice {
            return elapsed.as_secs_f64() * 1e9 / f64::from(calls);
        }
    }
}
