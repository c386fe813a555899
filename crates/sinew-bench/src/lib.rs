//! Side-by-side timing.
//!
//! Machines jump between fast and slow modes, so an absolute time proves nothing. Contestants take
//! turns in short slices within one run; the best slice of each counts, and what is reported is their
//! ratio.

use std::time::{Duration, Instant};

/// Turns that each contestant gets.
const ROUNDS: usize = 60;

/// How long a turn lasts.
const SLICE: Duration = Duration::from_millis(4);

/// Something to time; called over and over.
pub type Contestant<'a> = &'a mut dyn FnMut();

/// The best time of one call of each contestant, in nanoseconds, taking turns.
pub fn race<const N: usize>(mut contestants: [Contestant<'_>; N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (contestant, best) in contestants.iter_mut().zip(&mut best) {
            *best = best.min(slice(contestant));
        }
    }
    best
}

/// Nanoseconds per call within one turn.
fn slice(contestant: &mut Contestant<'_>) -> f64 {
    let start = Instant::now();
    let mut calls = 0u32;
    loop {
        for _ in 0..8 {
            contestant();
        }
        calls += 8;
        let elapsed = start.elapsed();
        if elapsed >= SLICE {
            return elapsed.as_secs_f64() * 1e9 / f64::from(calls);
        }
    }
}
