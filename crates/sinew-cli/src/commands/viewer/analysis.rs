//! The content of a file and a still picture of it, for the gallery: computed on request, and cached for a while.

use crate::args::SourceArgs;
use crate::commands::viewer::still;
use crate::error::CliError;
use crate::input::{Character, Input, Motion};
use serde_json::{Value, json};
use sinew::Animation;
use sinew_formats::Warnings;
use sinew_formats::skf::ReadSettings;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Larger files are served but not analysed: that could take longer than anyone waits.
pub(super) const MAX_ANALYSED_BYTES: u64 = 64 << 20;

/// Width and height of a picture in the gallery.
const SIZE: (u32, u32) = (320, 240);

/// The memory for finished analyses.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Analyses at once; each may take as much memory as its file takes when read.
const MAX_RUNNING: usize = 4;

/// The maximum time that a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// The largest number of animations, styles or warnings that are listed.
const MAX_LISTED: usize = 200;

/// The analysis of a file.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// Fields of the details.
    pub(super) details: Value,
    /// A PNG.
    pub(super) picture: Option<Arc<[u8]>>,
    pub(super) error: Option<String>,
}

impl Analysis {
    /// Analyses an input, as read.
    pub(super) fn of(input: Result<Input, CliError>, path: &Path) -> Self {
        let input = match input {
            Ok(input) => input,
            Err(error) => return Self::failed(&error, path),
        };
        let picture = match still::draw(&input, SIZE) {
            Ok(picture) => picture,
            Err(error) => return Self::failed(&error, path),
        };
        let details = match &input {
            Input::Character(character) => character_details(character),
            Input::Motion(motion) => motion_details(motion),
        };
        Self {
            details,
            picture: picture.map(Arc::from),
            error: None,
        }
    }

    fn failed(error: &CliError, path: &Path) -> Self {
        let text = error.to_string();
        // The page shows the name of the file beside the error.
        let path = path.display().to_string();
        let problem = text.strip_prefix(&path).unwrap_or(&text);
        Self {
            error: Some(problem.trim_start_matches([':', ' ']).to_owned()),
            ..Self::default()
        }
    }

    fn bytes(&self) -> usize {
        let picture = self.picture.as_ref().map_or(0, |picture| picture.len());
        // The JSON values take a few hundred bytes each.
        picture + 4096
    }
}

/// The settings for reading files, and the source of their skeletons.
pub(super) fn reading(asf: Option<&Path>) -> (ReadSettings, SourceArgs) {
    let source = SourceArgs {
        asf: asf.map(Path::to_owned),
        ..SourceArgs::default()
    };
    (ReadSettings::default(), source)
}

fn motion_details(motion: &Motion) -> Value {
    let files = std::iter::once(&motion.file).chain(&motion.others);
    let animations = files.flat_map(|file| &file.animations);
    let animations: Vec<Value> = animations.take(MAX_LISTED).map(animation_json).collect();
    json!({
        "kind": "motion",
        "format": motion.format.name(),
        "joints": motion.file.skeleton.len(),
        "animations": animations,
        "warnings": warnings_json(&motion.file.warnings),
    })
}

fn animation_json(animation: &Animation) -> Value {
    json!({
        "name": animation.name,
        "seconds": animation.length,
        "frames": animation.frame_count(),
        "fps": animation.frame_rate,
        "loops": animation.looping.is_some(),
    })
}

fn character_details(character: &Character) -> Value {
    let armature = &character.skf.armature;
    let animations = armature.animations().iter().take(MAX_LISTED);
    let animations = animations.map(|animation| {
        let frames = animation.last_frame().map_or(0, |last| last + 1);
        let fps = animation.frame_rate();
        json!({
            "name": animation.name(),
            "seconds": f64::from(frames) / f64::from(fps.max(1)),
            "frames": frames,
            "fps": fps,
        })
    });
    let styles = armature.data().styles.iter().take(MAX_LISTED);
    json!({
        "kind": "character",
        "joints": armature.data().bones.len(),
        "animations": animations.collect::<Vec<_>>(),
        "styles": styles.map(|style| style.name.as_str()).collect::<Vec<_>>(),
        "warnings": warnings_json(&character.skf.warnings),
    })
}

fn warnings_json(warnings: &Warnings) -> Vec<String> {
    let list = warnings.list().iter().take(MAX_LISTED);
    list.map(ToString::to_string).collect()
}

/// Analyses by number of the file, a few at once, the latest kept.
#[derive(Debug)]
pub(super) struct Analyses {
    state: Mutex<State>,
    is_finished: Condvar,
    max_running: usize,
}

#[derive(Debug, Default)]
struct State {
    /// With the modification time of the file.
    kept: HashMap<usize, (u64, Arc<Analysis>)>,
    /// From the oldest to the newest.
    order: VecDeque<usize>,
    bytes: usize,
    running: HashSet<usize>,
}

impl Analyses {
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            state: Mutex::default(),
            is_finished: Condvar::new(),
            max_running: processors.min(MAX_RUNNING),
        }
    }

    /// Returns the analysis of a file as modified at that time: a finished one, or what `analyse` returns. Returns
    /// `None` if too many others are running.
    pub(super) fn get(
        &self,
        number: usize,
        modified: u64,
        analyse: impl FnOnce() -> Analysis,
    ) -> Option<Arc<Analysis>> {
        let started = Instant::now();
        let mut state = self.lock();
        loop {
            if let Some((_, kept)) = state.kept.get(&number).filter(|kept| kept.0 == modified) {
                return Some(kept.clone());
            }
            if state.running.len() < self.max_running && state.running.insert(number) {
                break;
            }
            let left = PATIENCE.checked_sub(started.elapsed())?;
            let waited = self.is_finished.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        let turn = Turn {
            analyses: self,
            number,
        };
        let analysis = Arc::new(analyse());
        self.lock().keep(number, modified, &analysis);
        drop(turn);
        Some(analysis)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn keep(&mut self, number: usize, modified: u64, analysis: &Arc<Analysis>) {
        self.forget(number);
        self.bytes += analysis.bytes();
        self.kept.insert(number, (modified, analysis.clone()));
        self.order.push_back(number);
        while self.bytes > MAX_KEPT_BYTES
            && let Some(&oldest) = self.order.front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, number: usize) {
        if let Some((_, analysis)) = self.kept.remove(&number) {
            self.bytes -= analysis.bytes();
            self.order.retain(|kept| *kept != number);
        }
    }
}

/// The turn of an analysis; ends when dropped, also by a panic.
struct Turn<'a> {
    analyses: &'a Analyses,
    number: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.analyses.lock().running.remove(&self.number);
        self.analyses.is_finished.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(bytes: usize) -> Analysis {
        Analysis {
            picture: Some(vec![0; bytes].into()),
            ..Analysis::default()
        }
    }

    #[test]
    fn a_file_is_analysed_once_until_it_changes() {
        let analyses = Analyses::new();
        let count = Mutex::new(0);
        let analyse = || {
            *count.lock().unwrap() += 1;
            picture(1)
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| analyses.get(7, 1, analyse).unwrap());
            }
        });
        assert_eq!(*count.lock().unwrap(), 1);
        analyses.get(7, 2, analyse).unwrap();
        assert_eq!(*count.lock().unwrap(), 2);
    }

    #[test]
    fn the_oldest_are_forgotten_when_the_memory_is_full() {
        let analyses = Analyses::new();
        for number in 0..5 {
            analyses
                .get(number, 0, || picture(MAX_KEPT_BYTES / 3))
                .unwrap();
        }
        let mut kept: Vec<usize> = analyses.lock().kept.keys().copied().collect();
        kept.sort_unstable();
        assert_eq!(kept, [3, 4]);
    }

    #[test]
    fn a_panic_ends_the_turn() {
        let analyses = Analyses::new();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            analyses.get(0, 0, || panic!("a fault of a reader"));
        }));
        assert!(panicked.is_err());
        assert!(analyses.get(0, 0, || picture(1)).is_some());
    }
}
