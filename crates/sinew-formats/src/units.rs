//! Plausibility of the size of a skeleton, given its unit of length.

use crate::warning::Warnings;
use sinew::Skeleton;
use sinew::anatomy::rest_bounds;
use sinew::anatomy::{find_arms, find_legs};
use std::ops::RangeInclusive;

/// Plausible sizes in metres: from a small animal to a large one.
const PLAUSIBLE: RangeInclusive<f64> = 0.3..=10.0;

/// Sizes of people in metres, including children; with arms stretched out or without the head.
const HUMAN: RangeInclusive<f64> = 1.0..=2.5;

/// Units by name and in metres, the likeliest first. The number without a name is the unit of the CMU motion library,
/// 1 / 0.45 inches; the last are decimetres and feet.
const UNITS: [(&str, f64); 7] = [
    ("cm", 0.01),
    ("m", 1.0),
    ("in", 0.0254),
    ("0.0564444", 0.0254 / 0.45),
    ("mm", 0.001),
    ("0.1", 0.1),
    ("0.3048", 0.3048),
];

/// Warns if a skeleton is far too small or large, or has human limbs and not human size, and suggests the unit that
/// would make it human. `scale` is the assumed number of metres per unit, `usual` the default of the format,
/// `file_unit` a unit specific to this file.
pub(crate) fn warn(
    skeleton: &Skeleton,
    scale: f64,
    usual: f64,
    file_unit: Option<(&'static str, f64)>,
    warnings: &mut Warnings,
) {
    let Some(bounds) = rest_bounds(skeleton) else {
        return;
    };
    // The longest side is the height, whichever axis is up.
    let size = f64::from(bounds.size().max_element());
    if size == 0.0 || HUMAN.contains(&size) {
        return;
    }
    let in_metres = |metres: f64| size / scale * metres;
    let advice = if HUMAN.contains(&in_metres(usual)) {
        Some(format!(
            "without --units it would be {:.2} m",
            in_metres(usual)
        ))
    } else {
        let mut units = file_unit.iter().chain(&UNITS);
        let human = units.find(|(_, metres)| HUMAN.contains(&in_metres(*metres)));
        human.map(|(name, metres)| {
            format!("--units {name} would make it {:.2} m", in_metres(*metres))
        })
    };
    let is_person = || find_legs(skeleton).len() == 2 && find_arms(skeleton).len() == 2;
    if PLAUSIBLE.contains(&size) && !(advice.is_some() && is_person()) {
        return;
    }
    let metres = if (0.01..1e6).contains(&size) {
        format!("{size:.2}")
    } else {
        format!("{size:.2e}")
    };
    let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
    let problem = format!(
        "at {} metres per unit the skeleton is {metres} m tall{advice}",
        rounded(scale)
    );
    warnings.serious_problem("skeleton", problem);
}

/// Rounds to six digits, enough to recognize a unit.
fn rounded(scale: f64) -> f64 {
    format!("{scale:.5e}").parse().unwrap_or(scale)
}
