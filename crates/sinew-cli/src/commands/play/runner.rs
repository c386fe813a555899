//! Plays a timeline: the state of the controller over time.
//!
//! Time advances in steps of 1/128 s between events, independent of the pictures; each picture advances a copy from the
//! last step before it. So a picture does not depend on the frame rate.

use super::event::Event;
use super::node::ScriptError;
use super::script::MAX_SECONDS;
use sinew::animation::Variant;
use sinew::{AnimationController, AnimationIndex, AnimationParameters, AnimationSet};
use sinew_draw::{ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart};
use std::sync::Arc;

/// Steps per second: finer than visible, and exact in binary.
const RATE: f64 = 128.0;

/// Times closer than this, in seconds, are equal.
const TIME_TOLERANCE: f64 = 1e-9;

/// The shortest time after the last command, in seconds.
const MIN_TAIL_SECONDS: f64 = 1.0;

/// The largest number of animations playing simultaneously.
const MAX_PLAYING: usize = 100;

/// The largest total number of fired triggers.
const MAX_FIRED: usize = 100_000;

/// Steps of a chart, in addition to those at commands.
const CHART_STEPS: f64 = 800.0;

/// A trigger that fired.
#[derive(Clone)]
pub(crate) struct FiredTrigger {
    /// Time in seconds, rounded to the step.
    pub(crate) time: f64,
    pub(crate) animation: AnimationIndex,
    pub(crate) instance: u32,
    pub(crate) data: Variant,
    /// Time in its animation.
    animation_time: f32,
}

impl FiredTrigger {
    fn all(controller: &AnimationController, time: f64) -> impl Iterator<Item = Self> {
        controller.triggers().map(move |event| Self {
            time,
            animation: event.animation,
            instance: event.instance_index,
            data: event.trigger.data.clone(),
            animation_time: event.trigger.time,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = (
            self.animation,
            self.instance,
            self.animation_time,
            &self.data,
        );
        key == (
            other.animation,
            other.instance,
            other.animation_time,
            &other.data,
        )
    }
}

/// The state of the controller in a picture.
pub(crate) struct Frame {
    pub(crate) time: f64,
    pub(crate) controller: AnimationController,
    /// Triggers fired since the previous frame, including those at its own time.
    pub(crate) triggers: Vec<FiredTrigger>,
}

/// The result of playing a timeline.
pub(crate) struct Playback {
    pub(crate) duration: f64,
    pub(crate) frames: Vec<Frame>,
    pub(crate) triggers: Vec<FiredTrigger>,
    /// Indices of commands without effect.
    pub(crate) idle: Vec<usize>,
    steps: Vec<ChartStep>,
}

impl Playback {
    /// Plays `events`, sorted by time, for `duration` seconds and records the state at the ascending `times`.
    pub(crate) fn new(
        set: &Arc<AnimationSet>,
        events: &[Event],
        duration: f64,
        times: &[f64],
    ) -> Result<Self, ScriptError> {
        let mut playback = Self {
            duration,
            frames: Vec::with_capacity(times.len()),
            triggers: Vec::new(),
            idle: Vec::new(),
            steps: Vec::new(),
        };
        let mut times = times.iter().copied().peekable();
        let every = (duration * RATE / CHART_STEPS).ceil().max(1.0) as u64;
        let mut state = TimelineState::new(set, events);
        // Triggers not yet in a frame, and those that frames within the current step already contain.
        let (mut waiting, mut reported) = (Vec::new(), Vec::<FiredTrigger>::new());
        loop {
            let is_due = state.is_due();
            if is_due {
                playback
                    .steps
                    .push(ChartStep::of(&state.controller, state.now));
            }
            state.act(&mut playback.idle)?;
            if is_due || state.tick.is_multiple_of(every) {
                playback
                    .steps
                    .push(ChartStep::of(&state.controller, state.now));
            }
            let next = state.next().min(duration);
            let is_last = state.now >= duration - TIME_TOLERANCE;
            while let Some(time) = times.next_if(|time| is_last || *time < next - TIME_TOLERANCE) {
                let mut controller = state.controller.clone();
                controller.update((time - state.now).max(0.0) as f32);
                let early = FiredTrigger::all(&controller, time);
                let early = early.filter(|new| !reported.iter().any(|old| old.is_same(new)));
                let early: Vec<FiredTrigger> = early.collect();
                let mut fired = std::mem::take(&mut waiting);
                fired.extend_from_slice(&early);
                reported.extend(early);
                playback.frames.push(Frame {
                    time,
                    controller,
                    triggers: fired,
                });
            }
            if is_last {
                return Ok(playback);
            }
            let before = playback.triggers.len();
            state.go_to(next, &mut playback.triggers)?;
            let new = playback.triggers.iter().skip(before);
            let new = new.filter(|new| !reported.iter().any(|old| old.is_same(new)));
            waiting.extend(new.cloned());
            reported.clear();
        }
    }

    /// Returns the weights over time; with `by_frame` those of the frames, as steps, if there are few.
    pub(crate) fn chart(&self, events: &[Event], by_frame: bool) -> WeightChart {
        let steps = if by_frame && self.frames.len() <= MAX_DIAGRAM_STEPS {
            let frames = self.frames.iter();
            frames
                .map(|frame| ChartStep::of(&frame.controller, frame.time))
                .collect()
        } else {
            self.steps.clone()
        };
        let marks = events.iter().map(|event| ChartMark {
            time: event.time,
            label: event.label.clone(),
            short: event.short.clone(),
        });
        let set = self
            .frames
            .first()
            .map(|frame| frame.controller.animation_set());
        let triggers = self.triggers.iter().map(|fired| ChartTrigger {
            time: fired.time,
            name: set
                .and_then(|set| set.name(fired.animation))
                .unwrap_or_default()
                .to_owned(),
            instance: fired.instance,
            label: fired.data.to_string(),
        });
        WeightChart {
            steps,
            marks: marks.collect(),
            triggers: triggers.collect(),
            range: Some((0.0, self.duration)),
            ..WeightChart::default()
        }
    }
}

/// Returns the default duration: until a second after the last command, and until all fades and non-looping animations
/// have ended.
pub(crate) fn natural_duration(
    set: &Arc<AnimationSet>,
    events: &[Event],
) -> Result<f64, ScriptError> {
    let last = events.last().map_or(0.0, |event| event.time);
    let mut state = TimelineState::new(set, events);
    let mut fired = Vec::new();
    loop {
        state.act(&mut Vec::new())?;
        let is_over = state.now >= last && state.controller.animations().iter().all(is_steady);
        if is_over || state.now >= MAX_SECONDS {
            return Ok(state.now.max(last + MIN_TAIL_SECONDS).min(MAX_SECONDS));
        }
        fired.clear();
        state.go_to(state.next(), &mut fired)?;
    }
}

/// Returns whether an animation plays unchanged forever.
fn is_steady(animation: &AnimationParameters) -> bool {
    let end = if animation.speed > 0.0 {
        animation.time.max()
    } else {
        animation.time.min()
    };
    let stands = animation.speed == 0.0 || animation.time.value() == end;
    animation.target_weight_delay <= 0.0 && (animation.looped || stands)
}

/// The state of a run through a timeline.
struct TimelineState<'a> {
    controller: AnimationController,
    events: &'a [Event],
    /// The number of commands already run.
    done: usize,
    now: f64,
    /// The last full step.
    tick: u64,
}

impl<'a> TimelineState<'a> {
    fn new(set: &Arc<AnimationSet>, events: &'a [Event]) -> Self {
        Self {
            controller: AnimationController::new(set.clone()),
            events,
            done: 0,
            now: 0.0,
            tick: 0,
        }
    }

    /// Returns whether a command is due.
    fn is_due(&self) -> bool {
        let next = self.events.get(self.done);
        next.is_some_and(|event| event.time <= self.now + TIME_TOLERANCE)
    }

    /// Runs the commands that are due. Adds the indices of those without effect to `idle`.
    fn act(&mut self, idle: &mut Vec<usize>) -> Result<(), ScriptError> {
        if !self.is_due() {
            return Ok(());
        }
        while self.is_due() {
            let event = &self.events[self.done];
            let wrong = |problem| ScriptError::new(event.place.clone(), problem);
            let acted = event.act(&mut self.controller);
            if !acted.map_err(|error| wrong(error.to_string()))? {
                idle.push(self.done);
            }
            if self.controller.num_animations() > MAX_PLAYING {
                return Err(wrong(format!(
                    "more than {MAX_PLAYING} animations play at once"
                )));
            }
            self.done += 1;
        }
        // Removes animations stopped without a fade before the next picture.
        self.controller.update(0.0);
        Ok(())
    }

    /// Returns the time of the next step or command.
    fn next(&self) -> f64 {
        let step = (self.tick + 1) as f64 / RATE;
        let event = self
            .events
            .get(self.done)
            .map_or(f64::INFINITY, |event| event.time);
        step.min(event)
    }

    fn go_to(&mut self, time: f64, fired: &mut Vec<FiredTrigger>) -> Result<(), ScriptError> {
        self.controller.update((time - self.now) as f32);
        self.now = time;
        if time * RATE >= (self.tick + 1) as f64 {
            self.tick += 1;
        }
        fired.extend(FiredTrigger::all(&self.controller, time));
        if fired.len() > MAX_FIRED {
            let problem = format!("more than {MAX_FIRED} have fired by {time:.3} s");
            return Err(ScriptError::new("triggers", problem));
        }
        Ok(())
    }
}
