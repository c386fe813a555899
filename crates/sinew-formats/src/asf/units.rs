//! What a unit of length of a file is in metres.

use super::model::{Asf, AsfUnits};

/// Metres of an inch.
const INCH: f64 = 0.0254;

/// How the lengths of an ASF and of its motions become metres.
///
/// The format's definition says to multiply with `:units length`. Users of the files from CMU, which
/// say 0.45, divide by it and get inches; that gives people of human size. Bones and motions are always
/// scaled alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Units {
    /// A length is divided by `:units length`, which makes inches, and these become metres. Where the
    /// unit is 1, as other programs write it, lengths are inches, too.
    #[default]
    CmuMetres,
    /// A length is multiplied with `:units length` and taken for metres.
    Literal,
    /// A length is taken for metres as it is written.
    Raw,
    /// A length is multiplied with this. Not finite or not above zero, it is taken for 1.
    MetresPerUnit(f64),
}

impl Units {
    /// What one unit of a file is in metres.
    pub fn metres(self, units: &AsfUnits) -> f64 {
        let scale = match self {
            Units::CmuMetres => INCH / units.length,
            Units::Literal => units.length,
            Units::Raw => 1.0,
            Units::MetresPerUnit(scale) => scale,
        };
        if scale.is_finite() && scale > 0.0 {
            scale
        } else {
            1.0
        }
    }
}

/// Heights that a standing person can have, in metres; wide enough for children and for giants.
const HEIGHTS: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// What to say of a figure whose height is not a person's when lengths are read as inches.
pub(crate) fn height_problem(asf: &Asf, units: Units) -> Option<String> {
    if units != Units::CmuMetres {
        return None;
    }
    let height = rest_height(asf) * units.metres(&asf.units);
    if HEIGHTS.contains(&height) {
        return None;
    }
    Some(format!(
        "the figure is {height:.3} m tall at rest when its lengths are read as inches / {}; \
         if that is wrong, choose another reading: --units literal (times {}), --units m (as written), \
         or metres per unit",
        asf.units.length, asf.units.length
    ))
}

/// From the lowest to the highest end of a bone in the rest pose, in the file's units.
fn rest_height(asf: &Asf) -> f64 {
    let mut ends: Vec<f64> = Vec::with_capacity(asf.bones.len());
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for bone in &asf.bones {
        let start = bone.parent.and_then(|parent| ends.get(parent));
        let end = start.copied().unwrap_or(0.0) + bone.direction[1] * bone.length;
        ends.push(end);
        low = low.min(end);
        high = high.max(end);
    }
    high - low
}
