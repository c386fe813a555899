//! A progress bar for long operations.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// The delay before the bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, shown after a second, and only on a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// Creates a bar for `count` steps.
    pub(crate) fn new(what: &str, count: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
        let template = "{msg} {wide_bar:.cyan} {pos}/{len} ({per_sec}, {eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Self {
            bar,
            started: Instant::now(),
        }
    }

    /// Adds finished steps.
    pub(crate) fn add(&self, steps: usize) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(steps as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
