//! When to sample.

/// Moments before they repeat; a power of two. So many that those of a long clip lie in more rows than the
/// processor's near memory holds.
const MOMENTS: usize = 1 << 14;

/// Steps of a player that shows sixty pictures a second, in seconds.
const STEP: f64 = 1.0 / 60.0;

/// Moments of a motion in some order, again and again.
#[derive(Clone, Debug)]
pub struct Moments {
    times: Vec<f32>,
    next: usize,
}

impl Moments {
    /// Playing at 60 Hz from a moment on, from the beginning again after the end; all in seconds.
    pub fn sequential(length: f32, from: f64) -> Self {
        let length = f64::from(length).max(1e-6);
        let time = |step: usize| ((from + step as f64 * STEP) % length) as f32;
        Self {
            times: (0..MOMENTS).map(time).collect(),
            next: 0,
        }
    }

    /// The last first.
    pub fn reversed(mut self) -> Self {
        self.times.reverse();
        self
    }

    /// Anywhere, the same for the same seed.
    pub fn random(length: f32, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        Self {
            times: (0..MOMENTS).map(|_| length * dice.share()).collect(),
            next: 0,
        }
    }

    /// The next one, in seconds.
    pub fn take(&mut self) -> f32 {
        let time = self.times[self.next % MOMENTS];
        self.next += 1;
        time
    }
}

/// Numbers by chance, the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 40
    }

    /// From 0 to below 1.
    pub(crate) fn share(&mut self) -> f32 {
        self.next() as f32 / (1u64 << 24) as f32
    }

    /// From 0 to below a number that is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }
}
