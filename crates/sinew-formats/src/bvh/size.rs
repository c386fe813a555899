//! Whether a skeleton is as large as a body, given the unit that was taken.

use crate::warning::Warnings;
use sinew::{Skeleton, rest_bounds};
use std::ops::RangeInclusive;

/// Sizes in metres of what is captured: from a small animal to a large one.
const PLAUSIBLE: RangeInclusive<f64> = 0.3..=10.0;

/// Sizes of people in metres, children too; arms may be stretched out or the head left out.
const HUMAN: RangeInclusive<f64> = 1.0..=2.5;

/// Units as one may ask for them, and in metres; the likelier first. The number without a name is the
/// unit of the CMU motion library, 1 / 0.45 inches; the last are feet.
const UNITS: [(&str, f64); 6] = [
    ("cm", 0.01),
    ("m", 1.0),
    ("in", 0.0254),
    ("0.0564444", 0.0254 / 0.45),
    ("mm", 0.001),
    ("0.3048", 0.3048),
];

/// Warns when a skeleton is far too small or large, and says which unit would make it human.
pub(super) fn warn(skeleton: &Skeleton, scale: f64, warnings: &mut Warnings) {
    let Some(bounds) = rest_bounds(skeleton) else {
        return;
    };
    // The longest side is the height, whichever axis is up.
    let size = f64::from(bounds.size().max_element());
    if size == 0.0 || PLAUSIBLE.contains(&size) {
        return;
    }
    let mut units = UNITS.iter();
    let human = units.find(|(_, metres)| HUMAN.contains(&(size / scale * metres)));
    let advice = match human {
        Some((name, metres)) => format!(
            "; --units {name} would make it {:.2} m",
            size / scale * metres
        ),
        None => String::new(),
    };
    let metres = if (0.01..1e6).contains(&size) {
        format!("{size:.2}")
    } else {
        format!("{size:.2e}")
    };
    let problem = format!("at {scale} metres per unit the skeleton is {metres} m tall{advice}");
    warnings.add("skeleton", "", problem);
}
