//! Registration curves.

use crate::error::{Describe, Problem, Result};
use crate::finite;
use crate::json::Json;
use crate::table::{Object, add, with};
use sinew::registration::RegistrationCurve;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

fn with_curve<T>(handle: u32, use_it: impl FnOnce(&RegistrationCurve) -> Result<T>) -> Result<T> {
    with(handle, |object| match object {
        Object::Curve(curve) => use_it(curve),
        _ => Err(Problem::argument("expected a curve")),
    })
}

fn check(curve: &RegistrationCurve, motion: u32) -> Result<usize> {
    let (motion, count) = (motion as usize, curve.len());
    if motion < count {
        Ok(motion)
    } else {
        Err(Problem::argument(format_args!(
            "there is no motion {motion}; the curve has {count}"
        )))
    }
}

/// Reads a curve from a JSON file.
#[wasm_bindgen]
pub fn curve_read(name: &str, bytes: &[u8]) -> Result<u32> {
    let curve = sinew_formats::curve::read_bytes(bytes);
    let curve = curve.map_err(|error| error.describe().in_file(name))?;
    add(Object::Curve(Arc::new(curve)))
}

/// Returns the description of a curve as JSON.
#[wasm_bindgen]
pub fn curve_info(handle: u32) -> Result<String> {
    with_curve(handle, |curve| {
        let mut json = Json::default();
        json.object(|json| {
            json.key("motions")
                .list(0..curve.len(), |json, motion| json.text(curve.name(motion)));
            json.key("isCyclic").bool(curve.is_cyclic());
            json.key("reference").index(Some(curve.reference()));
            json.key("distance").number(curve.distance());
        });
        Ok(json.finish())
    })
}

/// Returns the time of a motion at a position, within the motion.
#[wasm_bindgen]
pub fn curve_time(handle: u32, motion: u32, position: f64) -> Result<f64> {
    let position = finite(position)?;
    with_curve(handle, |curve| {
        Ok(curve.sample_time(check(curve, motion)?, position).0)
    })
}

/// Returns the position of a time of a motion.
#[wasm_bindgen]
pub fn curve_position(handle: u32, motion: u32, time: f64) -> Result<f64> {
    let time = finite(time)?;
    with_curve(handle, |curve| {
        Ok(curve.position(check(curve, motion)?, time))
    })
}

/// Returns the ground transform that aligns a motion with the reference: angle, x, z.
#[wasm_bindgen]
pub fn curve_alignment(handle: u32, motion: u32, position: f64) -> Result<Vec<f64>> {
    let position = finite(position)?;
    with_curve(handle, |curve| {
        let place = curve.alignment(check(curve, motion)?, position);
        Ok(vec![place.angle, place.x, place.z])
    })
}
