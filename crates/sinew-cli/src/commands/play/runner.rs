//! Playing a timeline: what the controller does, moment by moment.
//!
//! Time goes in steps of 1/128 s from event to event, whatever pictures are taken, and each picture goes on
//! from the last step before it on its own. So what a picture shows does not depend on how many there are.

use super::event::Event;
use super::node::ScriptError;
use super::script::MAX_SECONDS;
use sinew::animation::Variant;
use sinew::{AnimationController, AnimationIndex, AnimationParameters, AnimationSet};
use sinew_draw::{ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart};
use std::sync::Arc;

/// Steps per second: more than anybody sees, and exact in binary.
const RATE: f64 = 128.0;

/// Times closer than this are one.
const SAME: f64 = 1e-9;

/// Seconds that follow the last command at least.
const AFTER: f64 = 1.0;

/// Animations that may play at once.
const MAX_PLAYING: usize = 100;

/// Triggers that may fire in all.
const MAX_FIRED: usize = 100_000;

/// Steps that a chart is made of, beside those about commands.
const CHART_STEPS: f64 = 800.0;

/// A trigger that fired.
#[derive(Clone)]
pub(crate) struct Fired {
    /// When, in seconds, to the step.
    pub(crate) time: f64,
    pub(crate) animation: AnimationIndex,
    pub(crate) instance: u32,
    pub(crate) data: Variant,
    /// When it stands in its animation.
    at: f32,
}

impl Fired {
    fn all(controller: &AnimationController, time: f64) -> impl Iterator<Item = Self> {
        controller.triggers().map(move |event| Self {
            time,
            animation: event.animation,
            instance: event.instance_index,
            data: event.trigger.data.clone(),
            at: event.trigger.time,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let own = (self.animation, self.instance, self.at, &self.data);
        own == (other.animation, other.instance, other.at, &other.data)
    }
}

/// What plays in a picture.
pub(crate) struct Frame {
    pub(crate) time: f64,
    pub(crate) controller: AnimationController,
    /// What fired since the frame before it, or at its very time.
    pub(crate) fired: Vec<Fired>,
}

/// All that happens.
pub(crate) struct Performance {
    pub(crate) duration: f64,
    pub(crate) frames: Vec<Frame>,
    pub(crate) fired: Vec<Fired>,
    /// Commands that found nothing to do, by their position.
    pub(crate) idle: Vec<usize>,
    steps: Vec<ChartStep>,
}

impl Performance {
    /// Plays `events`, which are in the order of time, for `duration` seconds and looks at it at `times`,
    /// which rise.
    pub(crate) fn new(
        set: &Arc<AnimationSet>,
        events: &[Event],
        duration: f64,
        times: &[f64],
    ) -> Result<Self, ScriptError> {
        let mut playback = Self {
            duration,
            frames: Vec::with_capacity(times.len()),
            fired: Vec::new(),
            idle: Vec::new(),
            steps: Vec::new(),
        };
        let mut times = times.iter().copied().peekable();
        let every = (duration * RATE / CHART_STEPS).ceil().max(1.0) as u64;
        let mut walk = Walk::new(set, events);
        // What no frame has told of yet, and what frames within a step told before it was over.
        let (mut waiting, mut told) = (Vec::new(), Vec::<Fired>::new());
        loop {
            let is_due = walk.is_due();
            if is_due {
                playback
                    .steps
                    .push(ChartStep::of(&walk.controller, walk.now));
            }
            walk.act(&mut playback.idle)?;
            if is_due || walk.tick.is_multiple_of(every) {
                playback
                    .steps
                    .push(ChartStep::of(&walk.controller, walk.now));
            }
            let next = walk.next().min(duration);
            let is_last = walk.now >= duration - SAME;
            while let Some(time) = times.next_if(|time| is_last || *time < next - SAME) {
                let mut controller = walk.controller.clone();
                controller.update((time - walk.now).max(0.0) as f32);
                let early = Fired::all(&controller, time);
                let early = early.filter(|new| !told.iter().any(|old| old.is_same(new)));
                let early: Vec<Fired> = early.collect();
                let mut fired = std::mem::take(&mut waiting);
                fired.extend_from_slice(&early);
                told.extend(early);
                playback.frames.push(Frame {
                    time,
                    controller,
                    fired,
                });
            }
            if is_last {
                return Ok(playback);
            }
            let before = playback.fired.len();
            walk.go_to(next, &mut playback.fired)?;
            let new = playback.fired.iter().skip(before);
            let new = new.filter(|new| !told.iter().any(|old| old.is_same(new)));
            waiting.extend(new.cloned());
            told.clear();
        }
    }

    /// The weights over time; with `by_frame` those of the frames, box by box, when they are few.
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
            time: event.at,
            label: event.label.clone(),
            short: event.short.clone(),
        });
        let set = self
            .frames
            .first()
            .map(|frame| frame.controller.animation_set());
        let triggers = self.fired.iter().map(|fired| ChartTrigger {
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

/// Until when a timeline is worth watching: a second after the last command, and until all that ends or fades
/// has done so.
pub(crate) fn natural_duration(
    set: &Arc<AnimationSet>,
    events: &[Event],
) -> Result<f64, ScriptError> {
    let last = events.last().map_or(0.0, |event| event.at);
    let mut walk = Walk::new(set, events);
    let mut fired = Vec::new();
    loop {
        walk.act(&mut Vec::new())?;
        let is_over = walk.now >= last && walk.controller.animations().iter().all(is_steady);
        if is_over || walk.now >= MAX_SECONDS {
            return Ok(walk.now.max(last + AFTER).min(MAX_SECONDS));
        }
        fired.clear();
        walk.go_to(walk.next(), &mut fired)?;
    }
}

/// Whether an animation goes on as it is for good.
fn is_steady(animation: &AnimationParameters) -> bool {
    let end = if animation.speed > 0.0 {
        animation.time.max()
    } else {
        animation.time.min()
    };
    let stands = animation.speed == 0.0 || animation.time.value() == end;
    animation.target_weight_delay <= 0.0 && (animation.looped || stands)
}

/// A controller on its way through a timeline.
struct Walk<'a> {
    controller: AnimationController,
    events: &'a [Event],
    /// Commands that are done.
    done: usize,
    now: f64,
    /// The last whole step.
    tick: u64,
}

impl<'a> Walk<'a> {
    fn new(set: &Arc<AnimationSet>, events: &'a [Event]) -> Self {
        Self {
            controller: AnimationController::new(set.clone()),
            events,
            done: 0,
            now: 0.0,
            tick: 0,
        }
    }

    /// Whether a command is to be carried out.
    fn is_due(&self) -> bool {
        let next = self.events.get(self.done);
        next.is_some_and(|event| event.at <= self.now + SAME)
    }

    /// Carries out what is due. Positions of what had no effect go into `idle`.
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
        // What was stopped without a fade goes before the next picture.
        self.controller.update(0.0);
        Ok(())
    }

    /// When the next step or command is.
    fn next(&self) -> f64 {
        let step = (self.tick + 1) as f64 / RATE;
        let event = self
            .events
            .get(self.done)
            .map_or(f64::INFINITY, |event| event.at);
        step.min(event)
    }

    fn go_to(&mut self, time: f64, fired: &mut Vec<Fired>) -> Result<(), ScriptError> {
        self.controller.update((time - self.now) as f32);
        self.now = time;
        if time * RATE >= (self.tick + 1) as f64 {
            self.tick += 1;
        }
        fired.extend(Fired::all(&self.controller, time));
        if fired.len() > MAX_FIRED {
            let problem = format!("more than {MAX_FIRED} have fired by {time:.3} s");
            return Err(ScriptError::new("triggers", problem));
        }
        Ok(())
    }
}
