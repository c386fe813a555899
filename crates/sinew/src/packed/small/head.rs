//! Reads the head of a component in a segment: code, predictor and first differences.
//!
//! ```text
//! code 4 bits: low bits k, or sparse, wide, constant · predictor 2 bits · exp-Golomb d[1] unless previous
//!                                                             · exp-Golomb d[2] - d[1] if quadratic
//! begin = (d[1], d[2] - 2 d[1])    as residuals of a predictor that starts with zero differences
//! ```
//!
//! With these residuals the prediction loop needs no case for leading samples. Nearly every head fits one 64-bit
//! window. Cost: a window read and at most two count-trailing-zeros per component and segment.

use super::super::bits::{BitReader, exp_golomb, unzigzag, window};
use super::{CONSTANT, Orders, PREDICTORS, Predictor, SPARSE, SPARSE_GROUP, WIDE, WIDE_BITS};

/// The encoding of a component in a segment.
#[derive(Clone, Copy)]
pub(crate) struct ColumnHead {
    pub is_constant: bool,
    pub is_sparse: bool,
    pub predictor: Predictor,
    /// The number of low bits per residual.
    pub low_bits: u32,
    /// Leading samples without a residual, the anchor included.
    pub known: usize,
    pub residuals: usize,
    /// The second and third sample as residuals, if they are leading samples: the predictions of a linear and a
    /// quadratic predictor that start with zero differences are subtracted.
    pub begin: [i32; 2],
}

impl ColumnHead {
    pub(crate) const CONSTANT: Self = Self {
        is_constant: true,
        is_sparse: false,
        predictor: Predictor::Previous,
        low_bits: 0,
        known: 1,
        residuals: 0,
        begin: [0; 2],
    };

    /// Reads the head of a component in a segment of `count` samples.
    #[inline(always)]
    pub(crate) fn read(reader: &mut BitReader<'_>, count: usize, orders: Orders) -> Self {
        let mut bits = window(reader.words(), reader.position());
        let code = (bits & 15) as u32;
        if code == CONSTANT {
            reader.skip(4);
            return Self::CONSTANT;
        }
        let predictor = PREDICTORS[(bits >> 4 & 3) as usize];
        let known = predictor.known();
        let mut begin = [0; 2];
        let mut used = 6;
        for which in 1..known {
            let order = orders.get(which);
            let (mut value, mut length) = exp_golomb(bits >> (used % 64), order);
            // Refill; most heads fit the 64 bits of the window.
            if used + length > 64 {
                reader.skip(used as usize);
                bits = window(reader.words(), reader.position());
                (value, length) = exp_golomb(bits, order);
                used = 0;
            }
            begin[which - 1] = unzigzag(value);
            used += length;
        }
        reader.skip(used as usize);
        if known > 2 {
            begin[1] = begin[1].wrapping_sub(begin[0]);
        }
        Self {
            is_constant: false,
            is_sparse: code == SPARSE,
            predictor,
            low_bits: match code {
                SPARSE => 0,
                WIDE => WIDE_BITS,
                code => code,
            },
            known,
            residuals: count.saturating_sub(known),
            begin,
        }
    }

    /// Returns the number of bits of the low bits or sparse flags.
    #[inline(always)]
    pub(crate) const fn low_len(&self) -> usize {
        if self.is_sparse {
            self.residuals.div_ceil(SPARSE_GROUP)
        } else {
            self.residuals * self.low_bits as usize
        }
    }
}
