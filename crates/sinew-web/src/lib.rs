//! WebAssembly bindings: functions over handles of objects, which `web/src/core.ts` wraps in classes.
//!
//! Objects live in a table and are addressed by number; numbers are never reused, so that a freed object is recognized.
//! Data crosses the border as typed arrays, strings, and JSON for what is read once. Functions throw a string, the
//! fields of an error joined by U+001F, which the wrapper turns into a `SinewError`.
//!
//! Nothing here panics on any argument. If code below has a fault and panics anyway, it traps without a message (texts of
//! panics are an eighth of the module's bytes and are left out), and the wrapper discards the instance of the module.

mod error;
mod json;
mod load;
mod table;

#[cfg(feature = "two")]
mod character;
mod control;
#[cfg(feature = "three")]
mod curve;
#[cfg(feature = "three")]
mod motion;

use error::{Problem, Result};
use table::{Object, with};
use wasm_bindgen::prelude::*;

/// Returns the memory of the module.
#[wasm_bindgen]
pub fn wasm_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Returns the names of the readers of this build.
#[wasm_bindgen]
pub fn formats() -> String {
    let all = [
        (cfg!(feature = "two"), "SkelForm"),
        (cfg!(feature = "three"), "sinew"),
        (cfg!(feature = "three"), "glTF"),
        (cfg!(feature = "acclaim"), "ASF"),
        (cfg!(feature = "acclaim"), "AMC"),
        (cfg!(feature = "bvh"), "BVH"),
        (cfg!(feature = "json"), "JSON"),
        (cfg!(feature = "xml"), "XML"),
    ];
    let names: Vec<&str> = all
        .iter()
        .filter(|(has, _)| *has)
        .map(|(_, name)| *name)
        .collect();
    names.join(" ")
}

/// Returns the number of objects that are not freed.
#[wasm_bindgen]
pub fn object_count() -> u32 {
    table::count()
}

/// Frees an object; ignored if it is freed.
#[wasm_bindgen]
pub fn free(handle: u32) {
    table::remove(handle);
}

/// Traps, to test that the wrapper survives.
#[wasm_bindgen]
pub fn trap_for_test() {
    panic!("requested by a test");
}

/// Returns the description of a model as JSON.
#[wasm_bindgen]
pub fn model_info(handle: u32) -> Result<String> {
    with(handle, |object| match object {
        #[cfg(feature = "two")]
        Object::Character(model) => Ok(model.info()),
        #[cfg(feature = "three")]
        Object::Motion(model) => Ok(model.info()),
        _ => Err(Problem::argument("expected a model")),
    })
}

/// Returns the hash of ten seconds of an animation.
#[wasm_bindgen]
pub fn model_hash(handle: u32, animation: u32) -> Result<String> {
    let hash = with(handle, |object| match object {
        #[cfg(feature = "two")]
        Object::Character(model) => model.hash(animation),
        #[cfg(feature = "three")]
        Object::Motion(model) => model.hash(animation),
        _ => Err(Problem::argument("expected a model")),
    })?;
    Ok(format!("{hash:016x}"))
}

/// Returns the bounds over an animation: minimum and maximum corner.
#[wasm_bindgen]
pub fn model_bounds(handle: u32, animation: u32) -> Result<Vec<f64>> {
    with(handle, |object| match object {
        #[cfg(feature = "two")]
        Object::Character(model) => model.bounds(animation),
        #[cfg(feature = "three")]
        Object::Motion(model) => model.bounds(animation),
        _ => Err(Problem::argument("expected a model")),
    })
}

/// Returns the hash of the pose that an instance shows.
#[wasm_bindgen]
pub fn instance_hash(handle: u32) -> Result<String> {
    let hash = with(handle, |object| match object {
        #[cfg(feature = "two")]
        Object::CharacterInstance(instance) => Ok(instance.hash()),
        #[cfg(feature = "three")]
        Object::MotionInstance(instance) => Ok(instance.hash()),
        _ => Err(Problem::argument("expected an instance")),
    })?;
    Ok(format!("{hash:016x}"))
}

/// Returns where an array of an instance is in memory.
#[wasm_bindgen]
pub fn view_offset(handle: u32, which: u32) -> Result<u32> {
    Ok(view(handle, which)?.0)
}

/// Returns the number of elements of an array of an instance.
#[wasm_bindgen]
pub fn view_length(handle: u32, which: u32) -> Result<u32> {
    Ok(view(handle, which)?.1)
}

fn view(handle: u32, which: u32) -> Result<(u32, u32)> {
    let found = with(handle, |object| match object {
        #[cfg(feature = "two")]
        Object::CharacterInstance(instance) => Ok(instance.view(which)),
        #[cfg(feature = "three")]
        Object::MotionInstance(instance) => Ok(instance.view(which)),
        _ => Err(Problem::argument("expected an instance")),
    })?;
    found.ok_or_else(|| Problem::argument("no such array"))
}

/// Returns offset and length of a slice.
fn place<T>(slice: &[T]) -> (u32, u32) {
    (slice.as_ptr() as usize as u32, slice.len() as u32)
}

/// Returns a finite number.
fn finite(number: f64) -> Result<f64> {
    if number.is_finite() {
        Ok(number)
    } else {
        Err(Problem::argument("expected a finite number"))
    }
}
