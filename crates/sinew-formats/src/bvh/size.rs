//! Whether a skeleton is as large as a body, given the unit that was taken.

use crate::warning::Warnings;
use sinew::Skeleton;
use sinew::glam::Vec3;
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
    let size = size(skeleton);
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

/// The longest side of the box around the rest pose, in metres: the height, whichever axis is up.
fn size(skeleton: &Skeleton) -> f64 {
    let mut places: Vec<Vec3> = Vec::with_capacity(skeleton.len());
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for joint in skeleton.joints() {
        let parent = joint.parent.and_then(|parent| places.get(parent.index()));
        // Joints of this format rest without rotation.
        let place = parent.copied().unwrap_or_default() + joint.rest.position;
        places.push(place);
        for point in [Some(place), joint.tip.map(|tip| place + tip)] {
            let Some(point) = point else { continue };
            low = low.min(point);
            high = high.max(point);
        }
    }
    let size = f64::from((high - low).max_element());
    if size.is_finite() { size } else { f64::MAX }
}
