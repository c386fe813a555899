//! The unit of length of a file in metres.

use super::model::AsfUnits;

/// Metres per inch.
const INCH: f64 = 0.0254;

/// Conversion of the lengths of an ASF and of its motions to metres.
///
/// The format definition multiplies by `:units length`. Users of the files from CMU, with 0.45, divide by it and get
/// inches, which gives people of human size. Bones and motions always have the same scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Units {
    /// A length is divided by `:units length`, which gives inches, and converted to metres. If the unit is 1, as
    /// other programs write it, lengths are also inches.
    #[default]
    CmuMetres,
    /// A length is multiplied by `:units length` and taken as metres.
    Literal,
    /// A length is taken as metres without scaling.
    Raw,
    /// A length is multiplied by this factor; 1 is used if it is not finite or not positive.
    MetresPerUnit(f64),
}

impl Units {
    /// Returns the metres per unit of a file.
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
