//! Alignment curves: a ground transform for every position on a registration curve.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::curve::PLACE_DEGREE;
use super::spline::Spline;
use crate::math::GroundTransform;

/// A [`GroundTransform`] for every position from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    pub angle: Spline,
    pub x: Spline,
    pub z: Spline,
}

impl Alignment {
    /// The identity everywhere.
    pub fn none() -> Self {
        Self::constant(GroundTransform::IDENTITY)
    }

    /// The same transform everywhere.
    pub fn constant(own: GroundTransform) -> Self {
        let even = |number: f64| Spline::new(PLACE_DEGREE, alloc::vec![number; PLACE_DEGREE + 1]);
        Self {
            angle: even(own.angle),
            x: even(own.x),
            z: even(own.z),
        }
    }

    pub fn at(&self, u: f64) -> GroundTransform {
        GroundTransform {
            angle: self.angle.at(u),
            x: self.x.at(u),
            z: self.z.at(u),
        }
    }
}
