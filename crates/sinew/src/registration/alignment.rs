//! Alignment curves: a ground transform for every position on a registration curve.
//!
//! Angle, x and z are B-splines of their own ([`Spline`]), of degree 2, evaluated one by one: three evaluations per
//! lookup. The angle is unwrapped, so it may exceed a whole turn and never jumps.
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
    pub fn identity() -> Self {
        Self::constant(GroundTransform::IDENTITY)
    }

    /// The same transform everywhere.
    pub fn constant(transform: GroundTransform) -> Self {
        let constant_spline =
            |number: f64| Spline::new(PLACE_DEGREE, alloc::vec![number; PLACE_DEGREE + 1]);
        Self {
            angle: constant_spline(transform.angle),
            x: constant_spline(transform.x),
            z: constant_spline(transform.z),
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
