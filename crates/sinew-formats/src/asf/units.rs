//! What a unit of length of a file is in metres.

use super::model::AsfUnits;

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
