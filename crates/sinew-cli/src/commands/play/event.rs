//! Timeline commands: the functions of the controller by their names.
//!
//! | command | with |
//! |---|---|
//! | `play_new`, `play_new_exclusive`, `play_existing`, `play_existing_exclusive`: NAME | `fade`, `layer`, `looped`, `ping_pong`, `speed`, `weight`, `additive`, `start_bone`, `mask`, `time`, `time_range`, `auto_fade_out`, `keep_on_completion`, `keep_on_zero_weight`, `sync_group`, `inertial` |
//! | `fade`: NAME | `weight`, `seconds` |
//! | `stop`: NAME | `fade` |
//! | `stop_layer`: LAYER | `fade` |
//! | `stop_layer_except`: NAME | `layer`, `fade` |
//! | `stop_all`: true | `fade` |
//! | `update_animation_time`: NAME | `time` |
//! | `update_animation_weight`: NAME | `weight`, `fade` |
//! | `update_animation_speed`: NAME | `speed` |
//!
//! Times and fades are in seconds, layers are integers from 0, a `time_range` is `[min, max]`; `time` and `time_range`
//! must be within the length of the animation. Commands at the same time run in file order.

use super::node::{Fields, Node, ScriptError, ScriptValue};
use super::script::MAX_SECONDS;
use super::targets::PlayTargets;
use crate::names::{did_you_mean, no_such};
use sinew::control::ControlError;
use sinew::{AnimationController, AnimationIndex, AnimationParameters};

/// The largest number of commands in a script; limits concurrent instances of an animation.
const MAX_EVENTS: usize = 1_000;

/// The largest valid speed or weight.
const LARGEST: f64 = 1e6;

type PlayFunction =
    fn(&mut AnimationController, AnimationParameters, f32) -> Result<usize, ControlError>;

const PLAY_COMMANDS: [(&str, PlayFunction); 4] = [
    ("play_new", AnimationController::play_new),
    (
        "play_new_exclusive",
        AnimationController::play_new_exclusive,
    ),
    ("play_existing", AnimationController::play_existing),
    (
        "play_existing_exclusive",
        AnimationController::play_existing_exclusive,
    ),
];

const PLAY_COMMAND_FIELDS: [&str; 16] = [
    "fade",
    "layer",
    "looped",
    "ping_pong",
    "speed",
    "weight",
    "additive",
    "start_bone",
    "mask",
    "time",
    "time_range",
    "auto_fade_out",
    "keep_on_completion",
    "keep_on_zero_weight",
    "sync_group",
    "inertial",
];

/// The other commands and their fields.
const OTHER_COMMANDS: [(&str, &[&str]); 8] = [
    ("fade", &["weight", "seconds"]),
    ("stop", &["fade"]),
    ("stop_layer", &["fade"]),
    ("stop_layer_except", &["layer", "fade"]),
    ("stop_all", &["fade"]),
    ("update_animation_time", &["time"]),
    ("update_animation_weight", &["weight", "fade"]),
    ("update_animation_speed", &["speed"]),
];

/// A command and its time.
pub(crate) struct Event {
    /// Time in seconds.
    pub(crate) time: f64,
    /// Path in the script.
    pub(crate) place: String,
    /// Description in a few words.
    pub(crate) label: String,
    /// Description in one word.
    pub(crate) short: String,
    action: Action,
}

enum Action {
    Play(PlayFunction, Box<AnimationParameters>, f32),
    Fade(AnimationIndex, f32, f32),
    Stop(AnimationIndex, f32),
    StopLayer(u32, f32),
    StopLayerExcept(AnimationIndex, u32, f32),
    StopAll(f32),
    Time(AnimationIndex, f32),
    Weight(AnimationIndex, f32, f32),
    Speed(AnimationIndex, f32),
}

/// Reads a timeline and sorts it by time.
pub(crate) fn read(
    timeline: &ScriptValue<'_>,
    targets: &PlayTargets,
    duration: Option<f64>,
) -> Result<Vec<Event>, ScriptError> {
    let list = timeline.list("a list of commands")?;
    if list.is_empty() {
        return Err(timeline.error("expected at least one command, found none"));
    }
    if list.len() > MAX_EVENTS {
        return Err(timeline.error(format!(
            "expected at most {MAX_EVENTS} commands, found {}",
            list.len()
        )));
    }
    let mut events = list
        .iter()
        .map(|value| event(value, targets))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(late) = events
        .iter()
        .find(|event| duration.is_some_and(|end| event.time > end))
    {
        let end = duration.unwrap_or_default();
        let problem = format!(
            "expected seconds up to \"duration\", which is {end}, found {}",
            late.time
        );
        return Err(ScriptError::new(format!("{}.at", late.place), problem));
    }
    // A stable sort: simultaneous commands keep their order.
    events.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(events)
}

fn event(value: &ScriptValue<'_>, targets: &PlayTargets) -> Result<Event, ScriptError> {
    let all = value.object("a command: an object", &[])?;
    let time = all.require("at", "expected a time in seconds")?;
    let time = time.number("seconds", 0.0, MAX_SECONDS)?;
    let commands = PLAY_COMMANDS
        .iter()
        .map(|play| play.0)
        .chain(OTHER_COMMANDS.iter().map(|other| other.0));
    let is_command = |name: &&str| match all.get(name) {
        // A `fade` number is a duration; a `fade` name is the command.
        Some(field) => *name != "fade" || matches!(field.node, Node::Text(_)),
        None => false,
    };
    let mut found = commands.clone().filter(is_command);
    let Some(command) = found.next() else {
        let names: Vec<&str> = commands.collect();
        let is_other =
            |name: &&str| !PLAY_COMMAND_FIELDS.contains(name) && !["at", "seconds"].contains(name);
        let typed = all.iter().map(|(name, _)| name).filter(is_other);
        let mut maybe = typed.map(|name| did_you_mean(name, names.iter().copied()));
        let maybe = maybe.find(|maybe| !maybe.is_empty());
        return Err(value.error(format!(
            "expected a command{}; available: {}",
            maybe.unwrap_or_default(),
            names.join(", ")
        )));
    };
    if let Some(other) = found.next() {
        return Err(value.error(format!("expected one command, found {command} and {other}")));
    }
    let play = PLAY_COMMANDS.iter().find(|play| play.0 == command);
    let field_names: &[&str] = match play {
        Some(_) => &PLAY_COMMAND_FIELDS,
        None => OTHER_COMMANDS
            .iter()
            .find(|other| other.0 == command)
            .map_or(&[], |other| other.1),
    };
    let known = ["at", command]
        .into_iter()
        .chain(field_names.iter().copied().filter(|name| *name != command));
    let fields = value.object("a command", &known.collect::<Vec<_>>())?;
    let operand = fields.require(command, "expected a command")?;
    let fade = || seconds(&fields, "fade");
    let action = match (play, command) {
        (Some((_, play)), _) => {
            let animation = targets.animation(&operand)?;
            Action::Play(
                *play,
                Box::new(parameters(&fields, targets, animation)?),
                fade()?,
            )
        }
        (_, "fade") => {
            let weight = fields.require("weight", "expected the weight to fade to")?;
            let weight = weight.number("a weight", 0.0, LARGEST)? as f32;
            Action::Fade(
                targets.animation(&operand)?,
                weight,
                seconds(&fields, "seconds")?,
            )
        }
        (_, "stop") => Action::Stop(targets.animation(&operand)?, fade()?),
        (_, "stop_layer") => Action::StopLayer(layer(&operand)?, fade()?),
        (_, "stop_layer_except") => {
            let layer = fields.get("layer").map_or(Ok(0), |value| layer(&value))?;
            Action::StopLayerExcept(targets.animation(&operand)?, layer, fade()?)
        }
        (_, "stop_all") => {
            if !operand.flag()? {
                return Err(operand.mismatch("true"));
            }
            Action::StopAll(fade()?)
        }
        (_, "update_animation_time") => {
            let time = fields.require("time", "expected the new time")?;
            let animation = targets.animation(&operand)?;
            Action::Time(animation, targets.time_within(&time, animation)?)
        }
        (_, "update_animation_weight") => {
            let weight = fields.require("weight", "expected the new weight")?;
            let weight = weight.number("a weight", 0.0, LARGEST)? as f32;
            Action::Weight(targets.animation(&operand)?, weight, fade()?)
        }
        _ => {
            let speed = fields.require("speed", "expected the new speed")?;
            Action::Speed(
                targets.animation(&operand)?,
                speed.number("a speed", -LARGEST, LARGEST)? as f32,
            )
        }
    };
    let (label, short) = match operand.node {
        Node::Text(name) if command.starts_with("play") => {
            (format!("{command} {name}"), name.clone())
        }
        Node::Text(name) => {
            let verb = command.split('_').next().unwrap_or_default();
            (format!("{command} {name}"), format!("{verb} {name}"))
        }
        Node::Number(number) => (format!("{command} {number}"), "stop".to_owned()),
        _ => (command.to_owned(), "stop".to_owned()),
    };
    Ok(Event {
        time,
        place: value.place.clone(),
        label,
        short,
        action,
    })
}

/// Reads the playback parameters of an animation.
fn parameters(
    fields: &Fields<'_>,
    targets: &PlayTargets,
    animation: AnimationIndex,
) -> Result<AnimationParameters, ScriptError> {
    let mut parameters = AnimationParameters::new(targets.set(), animation);
    let flag = |name: &str| fields.get(name).map_or(Ok(false), |value| value.flag());
    let number = |name: &str, what: &str, low: f64| {
        let value = fields.get(name);
        value
            .map(|value| Ok(value.number(what, low, LARGEST)? as f32))
            .transpose()
    };
    if let Some(range) = fields.get("time_range") {
        let what = "[min, max] in seconds";
        let ends = range.list(what)?;
        let [min, max] = ends.as_slice() else {
            return Err(range.error(format!("expected {what}, found {} values", ends.len())));
        };
        let (low, high) = (
            targets.time_within(min, animation)?,
            targets.time_within(max, animation)?,
        );
        if low >= high {
            return Err(range.error(format!("expected min below max, found {low} and {high}")));
        }
        parameters = parameters.time_range(low, high);
    }
    if let Some(value) = fields.get("time") {
        let time = targets.time_within(&value, animation)?;
        let (low, high) = (parameters.time.min(), parameters.time.max());
        if time < low || time > high {
            return Err(value.mismatch(&format!("seconds within \"time_range\", {low} to {high}")));
        }
        parameters = parameters.time(time);
    }
    parameters.layer = fields.get("layer").map_or(Ok(0), |value| layer(&value))?;
    parameters.looped = flag("looped")?;
    if flag("ping_pong")? {
        parameters = parameters.ping_pong();
    }
    if flag("additive")? {
        parameters = parameters.additive();
    }
    if flag("keep_on_completion")? {
        parameters = parameters.keep_on_completion();
    }
    if flag("keep_on_zero_weight")? {
        parameters = parameters.keep_on_zero_weight();
    }
    if flag("inertial")? {
        parameters = parameters.inertial();
    }
    if let Some(value) = fields.get("sync_group") {
        parameters = parameters.sync_group(value.text("the name of a sync group")?);
    }
    if let Some(speed) = number("speed", "a speed", -LARGEST)? {
        parameters = parameters.speed(speed);
    }
    if let Some(weight) = number("weight", "a weight", 0.0)? {
        parameters = parameters.weight(weight);
    }
    if fields.get("auto_fade_out").is_some() {
        parameters = parameters.auto_fade_out(seconds(fields, "auto_fade_out")?);
    }
    if let Some(value) = fields.get("start_bone") {
        parameters =
            parameters.start_bone(targets.bone(&value, value.text("the name of a bone")?)?);
    }
    if let Some(value) = fields.get("mask") {
        let name = value.text("the name of a mask")?;
        if targets.set().mask(name).is_none() {
            let masks = targets.masks.iter().map(String::as_str);
            return Err(value.error(no_such("mask", name, masks)));
        }
        parameters = parameters.mask(name);
    }
    Ok(parameters)
}

fn seconds(fields: &Fields<'_>, name: &str) -> Result<f32, ScriptError> {
    let value = fields.get(name);
    value.map_or(Ok(0.0), |value| {
        Ok(value.number("seconds", 0.0, MAX_SECONDS)? as f32)
    })
}

fn layer(value: &ScriptValue<'_>) -> Result<u32, ScriptError> {
    let what = "a layer, a whole number";
    let number = value.number(what, 0.0, f64::from(u32::MAX))?;
    if number.fract() != 0.0 {
        return Err(value.mismatch(what));
    }
    Ok(number as u32)
}

impl Event {
    /// Runs the command. Returns `false` if it had no effect.
    pub(crate) fn act(&self, controller: &mut AnimationController) -> Result<bool, ControlError> {
        Ok(match &self.action {
            Action::Play(play, parameters, fade) => {
                play(controller, parameters.as_ref().clone(), *fade)?;
                true
            }
            Action::Fade(animation, weight, seconds) => {
                controller.fade(*animation, *weight, *seconds)
            }
            Action::Stop(animation, fade) => controller.stop(*animation, *fade),
            Action::StopLayer(layer, fade) => controller.stop_layer(*layer, *fade) > 0,
            Action::StopLayerExcept(animation, layer, fade) => {
                match controller.find_last_animation_on_layer(*animation, *layer) {
                    Some(index) => controller.stop_layer_except(*layer, index, *fade)? > 0,
                    None => false,
                }
            }
            Action::StopAll(fade) => controller.stop_all(*fade) > 0,
            Action::Time(animation, time) => controller.update_animation_time(*animation, *time),
            Action::Weight(animation, weight, fade) => {
                controller.update_animation_weight(*animation, *weight, *fade)
            }
            Action::Speed(animation, speed) => {
                controller.update_animation_speed(*animation, *speed)
            }
        })
    }
}
