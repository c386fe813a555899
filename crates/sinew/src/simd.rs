//! SIMD levels, dispatch of kernels, and shared lane operations.
//!
//! A kernel is a function generic over [`Simd`]. It and everything it calls is `#[inline(always)]`, so it is compiled
//! once per level with that level's instructions:
//!
//! ```text
//! let level = SimdLevel::best();
//! simd::dispatch!(level, off => reference::stage(a, out), simd => kernel::stage(simd, a, out));
//! ```
//!
//! Closures and functions passed to `map` are compiled with the level's instructions only if the compiler inlines
//! them first, and are many times slower otherwise; kernels use loops instead.
//!
//! There are two levels on x86-64: AVX2, and SSE2 for older machines. SSE4.2 gains nothing here and AVX-512 has no
//! use for eight lanes, so neither is compiled. Kernels never call `mul_add`, `approximate_recip` or the `reduce_`
//! methods, whose results depend on the machine.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x8};

/// Lanes per block: one AVX register, two of SSE, NEON or wasm.
pub const LANES: usize = 8;

/// A SIMD level. All levels give the same bits and differ only in speed.
#[derive(Clone, Copy, Debug)]
pub struct SimdLevel(pub Instructions);

/// A token that proves that the machine has these instructions.
#[derive(Clone, Copy, Debug)]
pub enum Instructions {
    Off,
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse2(fearless_simd::x86::Sse2),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2(fearless_simd::x86::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(fearless_simd::aarch64::Neon),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm(fearless_simd::wasm32::WasmSimd128),
    #[cfg(not(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    Scalar(fearless_simd::Fallback),
}

impl SimdLevel {
    /// No SIMD: the scalar code that is the specification.
    pub const OFF: Self = Self(Instructions::Off);

    /// Returns the best level of the machine. With the feature `std` it is detected once per process, otherwise it is
    /// that of the build target.
    #[inline]
    pub fn best() -> Self {
        Self::of(Level::try_detect().unwrap_or(Level::baseline()))
    }

    /// Returns every level of the machine, from [`SimdLevel::OFF`] to [`SimdLevel::best`].
    pub fn all() -> impl Iterator<Item = Self> {
        let (narrow, best) = (Self::narrow(), Self::best());
        let narrow = (narrow.name() != best.name()).then_some(narrow);
        [Some(Self::OFF), narrow, Some(best)].into_iter().flatten()
    }

    /// Returns the name: `off`, `sse2`, `avx2`, `neon`, `simd128`, or `scalar` on targets without SIMD.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Off => "off",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Instructions::Sse2(_) => "sse2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Instructions::Avx2(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Instructions::Wasm(_) => "simd128",
            #[cfg(not(any(
                target_arch = "x86",
                target_arch = "x86_64",
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
            Instructions::Scalar(_) => "scalar",
        }
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[inline]
    fn of(level: Level) -> Self {
        match level.as_avx2() {
            Some(avx2) => Self(Instructions::Avx2(avx2)),
            None => Self::sse2(level),
        }
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[inline]
    fn sse2(level: Level) -> Self {
        level
            .as_sse2()
            .map_or(Self::OFF, |sse2| Self(Instructions::Sse2(sse2)))
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn narrow() -> Self {
        Self::sse2(Level::baseline())
    }

    #[cfg(target_arch = "aarch64")]
    #[inline]
    fn of(level: Level) -> Self {
        level
            .as_neon()
            .map_or(Self::OFF, |neon| Self(Instructions::Neon(neon)))
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline]
    fn of(level: Level) -> Self {
        level
            .as_wasm_simd128()
            .map_or(Self::OFF, |wasm| Self(Instructions::Wasm(wasm)))
    }

    #[cfg(not(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    #[inline]
    fn of(level: Level) -> Self {
        match level {
            Level::Fallback(scalar) => Self(Instructions::Scalar(scalar)),
            _ => Self::OFF,
        }
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn narrow() -> Self {
        Self::best()
    }
}

impl PartialEq for SimdLevel {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for SimdLevel {}

/// Runs a kernel at a SIMD level, or its scalar reference if off. About twenty instructions; the expressions are in
/// closures, so `?` and `return` stay inside them.
#[doc(hidden)]
#[macro_export]
macro_rules! __simd_dispatch {
    ($level:expr, off => $reference:expr, $simd:ident => $kernel:expr) => {
        match $level.0 {
            $crate::simd::Instructions::Off => $reference,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Instructions::Sse2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Instructions::Avx2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Instructions::Neon($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::simd::Instructions::Wasm($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $kernel,
            ),
            #[cfg(not(any(
                target_arch = "x86",
                target_arch = "x86_64",
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
            $crate::simd::Instructions::Scalar($simd) => $kernel,
        }
    };
}
pub use crate::__simd_dispatch as dispatch;

/// Loads eight numbers of a block.
#[inline(always)]
pub fn load<S: Simd>(simd: S, row: &[f32; LANES]) -> f32x8<S> {
    f32x8::load_array_ref(simd, row)
}

/// Loads rows of a block.
#[inline(always)]
pub fn load_rows<S: Simd, const N: usize>(simd: S, rows: &[[f32; LANES]; N]) -> [f32x8<S>; N] {
    let mut loaded = [f32x8::splat(simd, 0.0); N];
    for (into, row) in loaded.iter_mut().zip(rows) {
        *into = load(simd, row);
    }
    loaded
}

/// Stores rows to a block.
#[inline(always)]
pub fn store_rows<S: Simd, const N: usize>(rows: [f32x8<S>; N], into: &mut [[f32; LANES]; N]) {
    for (row, into) in rows.iter().zip(into) {
        (*row).store_array(into);
    }
}

/// [`crate::math::quat_dot`] by lane.
#[inline(always)]
pub fn quat_dot<S: Simd>(a: [f32x8<S>; 4], b: [f32x8<S>; 4]) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// [`crate::math::quat_normalize`] by lane: a quaternion of zero length becomes the identity.
#[inline(always)]
pub fn quat_normalize<S: Simd>(simd: S, q: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let square = quat_dot(q, q);
    let has_length = square.simd_gt(zero) & square.simd_lt(f32x8::splat(simd, f32::INFINITY));
    let inverse = one / square.sqrt();
    let [x, y, z, w] = q;
    [
        has_length.select(x * inverse, zero),
        has_length.select(y * inverse, zero),
        has_length.select(z * inverse, zero),
        has_length.select(w * inverse, one),
    ]
}

/// [`crate::math::quat_mul`] by lane.
#[inline(always)]
pub fn quat_mul<S: Simd>(a: [f32x8<S>; 4], b: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}
