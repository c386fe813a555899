//! Controllers of both kinds of models.

use crate::error::{Problem, Result};
use crate::finite;
use crate::json::Json;
use crate::table::{Object, add, put_back, remove, with};
use sinew::blend::BlendMode;
use sinew::control::{Contribution, FadeMode};
use sinew::{
    AnimationController, AnimationIndex, AnimationParameters, AnimationSet, ControllerState,
};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

#[cfg(feature = "two")]
use sinew::control::ArmatureBinding;
#[cfg(feature = "two")]
use sinew::skelform::{BoneIndex, Element};
#[cfg(feature = "three")]
use sinew::{JointIndex, PoseBinding};

/// A controller with the binding to its model.
pub(crate) struct Controller {
    controller: AnimationController,
    binding: Binding,
}

enum Binding {
    #[cfg(feature = "two")]
    Character(ArmatureBinding),
    #[cfg(feature = "three")]
    Motion(PoseBinding),
}

impl Controller {
    fn set(&self) -> &Arc<AnimationSet> {
        self.controller.animation_set()
    }
}

fn with_controller<T>(handle: u32, use_it: impl FnOnce(&mut Controller) -> Result<T>) -> Result<T> {
    with(handle, |object| match object {
        Object::Controller(controller) => use_it(controller),
        _ => Err(Problem::argument("expected a controller")),
    })
}

/// Creates a controller of the animations of a model.
#[wasm_bindgen]
pub fn controller_new(model: u32) -> Result<u32> {
    let (set, binding) = with(model, |object| match object {
        #[cfg(feature = "two")]
        Object::Character(model) => {
            let binding = ArmatureBinding::new(model.set(), model.armature());
            Ok((model.set().clone(), Binding::Character(binding)))
        }
        #[cfg(feature = "three")]
        Object::Motion(model) => {
            let binding = PoseBinding::new(model.set(), model.skeleton());
            Ok((model.set().clone(), Binding::Motion(binding)))
        }
        _ => Err(Problem::argument("expected a model")),
    })?;
    let controller = AnimationController::new(set);
    add(Object::Controller(Box::new(Controller {
        controller,
        binding,
    })))
}

/// Plays an animation; returns its position. `operation`: 0 new, 1 new exclusive, 2 existing, 3 existing exclusive.
/// `flags`: 1 looped, 2 ping-pong, 4 additive, 8 inertial, 16 shares its layer, 32 kept on completion, 64 kept on zero
/// weight, 128 with a time, 256 with a time range. `numbers`: fade, speed, weight, time, range, automatic fade-out.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "the other side is one function")]
pub fn controller_play(
    handle: u32,
    operation: u32,
    animation: u32,
    flags: u32,
    layer: u32,
    numbers: &[f32],
    start_bone: &str,
    sync_group: &str,
) -> Result<u32> {
    let &[seconds, speed, weight, time, from, to, fade_out] = numbers else {
        return Err(Problem::argument("expected seven numbers"));
    };
    with_controller(handle, |controller| {
        let mut parameters = AnimationParameters::new(controller.set(), AnimationIndex(animation))
            .layer(layer)
            .speed(speed)
            .weight(weight)
            .auto_fade_out(fade_out)
            .start_bone(start_bone)
            .sync_group(sync_group);
        let has = |bit: u32| flags & bit != 0;
        parameters.looped = has(1);
        parameters.ping_pong = has(2);
        parameters.shares_layer = has(16);
        parameters.remove_on_completion = !has(32);
        parameters.remove_on_zero_weight = !has(64);
        if has(4) {
            parameters.blend_mode = BlendMode::Additive;
        }
        if has(8) {
            parameters.fade_mode = FadeMode::Inertial;
        }
        if has(256) {
            if !(from <= to) {
                return Err(Problem::argument(
                    "expected a time range that does not end before it begins",
                ));
            }
            parameters = parameters.time_range(from, to);
        }
        if has(128) {
            parameters = parameters.time(time);
        }
        let controller = &mut controller.controller;
        let index = match operation {
            0 => controller.play_new(parameters, seconds),
            1 => controller.play_new_exclusive(parameters, seconds),
            2 => controller.play_existing(parameters, seconds),
            3 => controller.play_existing_exclusive(parameters, seconds),
            _ => return Err(Problem::argument("no such operation")),
        };
        index.map(|index| index as u32).map_err(Problem::argument)
    })
}

/// Changes what plays; returns 1 or 0 for success, or a number of animations. `target` is an animation, a layer or a
/// position; see the wrapper.
#[wasm_bindgen]
pub fn controller_change(
    handle: u32,
    operation: u32,
    target: u32,
    value: f64,
    seconds: f64,
) -> Result<u32> {
    let (value, seconds) = (finite(value)?, finite(seconds)? as f32);
    with_controller(handle, |controller| {
        let names_animation = matches!(operation, 0 | 1 | 5 | 6 | 7 | 9);
        let count = controller.set().len();
        if names_animation && target as usize >= count {
            return Err(Problem::argument(format_args!(
                "there is no animation {target}; the file has {count}"
            )));
        }
        let controller = &mut controller.controller;
        let animation = AnimationIndex(target);
        let number = value as f32;
        let found = match operation {
            0 => controller.fade(animation, number, seconds),
            1 => controller.stop(animation, seconds),
            2 => return Ok(controller.stop_layer(target, seconds) as u32),
            3 => {
                let stopped = controller.stop_layer_except(target, value as usize, seconds);
                return stopped.map(|count| count as u32).map_err(Problem::argument);
            }
            4 => return Ok(controller.stop_all(seconds) as u32),
            5 => controller.update_animation_time(animation, number),
            6 => controller.update_animation_weight(animation, number, seconds),
            7 => controller.update_animation_speed(animation, number),
            8 => {
                let removed = controller.remove_animation(target as usize);
                removed.map_err(Problem::argument)?;
                true
            }
            9 => controller.is_playing(animation),
            _ => return Err(Problem::argument("no such operation")),
        };
        Ok(u32::from(found))
    })
}

/// Advances times and weights.
#[wasm_bindgen]
pub fn controller_update(handle: u32, seconds: f64) -> Result<()> {
    let seconds = finite(seconds)? as f32;
    with_controller(handle, |controller| {
        controller.controller.update(seconds);
        Ok(())
    })
}

/// Applies the animations to an instance of the same model.
#[wasm_bindgen]
pub fn controller_apply(handle: u32, instance: u32, seconds: f64) -> Result<()> {
    let seconds = finite(seconds)? as f32;
    // Two objects of the table are used at once.
    let Some(mut object) = remove(handle) else {
        return Err(Problem::new("closed", "the object was freed"));
    };
    let result = match &mut object {
        Object::Controller(controller) => {
            with(instance, |instance| controller.apply(instance, seconds))
        }
        _ => Err(Problem::argument("expected a controller")),
    };
    put_back(handle, object);
    result
}

impl Controller {
    fn apply(&mut self, instance: &mut Object, seconds: f32) -> Result<()> {
        let other = || Problem::argument("the instance is of another model than the controller");
        match (&mut self.binding, instance) {
            #[cfg(feature = "two")]
            (Binding::Character(binding), Object::CharacterInstance(instance)) => {
                let _ = seconds;
                if !Arc::ptr_eq(binding.armature(), instance.model().armature()) {
                    return Err(other());
                }
                let applied = binding.apply(&self.controller, &mut instance.state);
                applied.map(|_| ()).map_err(Problem::argument)
            }
            #[cfg(feature = "three")]
            (Binding::Motion(binding), Object::MotionInstance(instance)) => {
                if !Arc::ptr_eq(binding.skeleton(), instance.model().skeleton()) {
                    return Err(other());
                }
                let (inertia, pose) = (&mut instance.inertia, &mut instance.pose);
                let applied = binding.apply_smooth(&self.controller, inertia, seconds, pose);
                applied.map_err(Problem::argument)?;
                instance.show();
                Ok(())
            }
            _ => Err(other()),
        }
    }
}

/// Returns what plays: 11 numbers for each animation.
#[wasm_bindgen]
pub fn controller_state(handle: u32) -> Result<Vec<f64>> {
    with_controller(handle, |controller| {
        let mut numbers = Vec::new();
        for playing in controller.controller.animations() {
            let additive = playing.blend_mode == BlendMode::Additive;
            let flags = u32::from(playing.looped)
                | u32::from(playing.ping_pong) << 1
                | u32::from(additive) << 2;
            numbers.extend(
                [playing.animation.0, playing.instance_index, playing.layer].map(f64::from),
            );
            numbers.extend(
                [playing.weight, playing.target_weight, playing.time.value()].map(f64::from),
            );
            numbers.extend([playing.time.min(), playing.time.max(), playing.speed].map(f64::from));
            numbers.extend([f64::from(flags), f64::from(playing.applied_weight())]);
        }
        Ok(numbers)
    })
}

/// Returns the triggers of the last update as JSON.
#[wasm_bindgen]
pub fn controller_triggers(handle: u32) -> Result<String> {
    with_controller(handle, |controller| {
        let mut json = Json::default();
        json.list(controller.controller.triggers(), |json, fired| {
            json.object(|json| {
                json.key("animation").index(Some(fired.animation.index()));
                json.key("instance").number(f64::from(fired.instance_index));
                json.key("name").text(&fired.trigger.data.to_string());
                json.key("time").number(f64::from(fired.trigger.time));
                json.key("weight").number(f64::from(fired.weight));
            });
        });
        Ok(json.finish())
    })
}

/// Returns the contributions to a joint, or to an element of a bone, as JSON.
#[wasm_bindgen]
pub fn controller_explain(handle: u32, joint: u32, element: &str) -> Result<String> {
    with_controller(handle, |controller| {
        let playing = &controller.controller;
        let list: Vec<Contribution> = match &mut controller.binding {
            #[cfg(feature = "two")]
            Binding::Character(binding) => {
                let found = Element::from_name(element);
                let element =
                    found.ok_or_else(|| Problem::argument("no such element of a bone"))?;
                binding.explain(playing, BoneIndex(joint), element)
            }
            #[cfg(feature = "three")]
            Binding::Motion(binding) => {
                let _ = element;
                binding.explain(playing, JointIndex(joint))
            }
        };
        let mut json = Json::default();
        json.list(&list, |json, contribution| {
            json.object(|json| {
                json.key("animation")
                    .index(Some(contribution.animation.index()));
                json.key("instance")
                    .number(f64::from(contribution.instance_index));
                json.key("layer").number(f64::from(contribution.layer));
                json.key("additive")
                    .bool(contribution.blend_mode == BlendMode::Additive);
                json.key("quantity").text(contribution.quantity);
                json.key("weight").number(f64::from(contribution.weight));
                json.key("value").variant(&contribution.value);
                json.key("result").variant(&contribution.result);
            });
        });
        Ok(json.finish())
    })
}

/// Sets the joint of root motion; none if it is negative.
#[wasm_bindgen]
pub fn controller_root(handle: u32, joint: f64) -> Result<()> {
    with_controller(handle, |controller| match &mut controller.binding {
        #[cfg(feature = "two")]
        Binding::Character(_) => {
            let _ = joint;
            Err(Problem::argument("2D characters have no root motion"))
        }
        #[cfg(feature = "three")]
        Binding::Motion(binding) => {
            let count = binding.skeleton().len();
            if joint >= count as f64 {
                return Err(Problem::argument(format_args!(
                    "there is no joint {joint}; the file has {count}"
                )));
            }
            binding.root = (joint >= 0.0).then_some(JointIndex(joint as u32));
            Ok(())
        }
    })
}

/// Returns the root motion of the last update: angle, x, z.
#[wasm_bindgen]
pub fn controller_root_motion(handle: u32) -> Result<Vec<f64>> {
    with_controller(handle, |controller| match &mut controller.binding {
        #[cfg(feature = "two")]
        Binding::Character(_) => Ok(vec![0.0; 3]),
        #[cfg(feature = "three")]
        Binding::Motion(binding) => {
            let step = binding.root_motion(&controller.controller);
            Ok(vec![step.angle, step.x, step.z])
        }
    })
}

/// Returns the state.
#[wasm_bindgen]
pub fn controller_save(handle: u32) -> Result<Vec<u8>> {
    with_controller(handle, |controller| {
        Ok(controller.controller.state().to_bytes(controller.set()))
    })
}

/// Restores a state.
#[wasm_bindgen]
pub fn controller_restore(handle: u32, bytes: &[u8]) -> Result<()> {
    with_controller(handle, |controller| {
        let state =
            ControllerState::from_bytes(bytes, controller.set()).map_err(Problem::argument)?;
        controller
            .controller
            .restore(state)
            .map_err(Problem::argument)
    })
}
