//! Settings of [`compress`](super::compress), and its errors.

/// Settings of [`compress`](super::compress()).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressSettings {
    /// The error bound: the largest distance of any point of the body from its place in the source at any time, in
    /// metres.
    ///
    /// Points are those of the balls around joints of an [`ErrorMeter`](crate::measure::ErrorMeter), in model space.
    /// The source interpolates its keys by slerp and lines. For the profiles `Small` and `Fast` the bound is proven for
    /// every time (`docs/error-bound.md`); `Keyframes` is measured at eight times per frame. 0 keeps the source's keys.
    ///
    /// The default is 0.1 millimetres. A person who fills a screen of 1080 lines has pixels of two millimetres, so the
    /// error is invisible even in a close-up of a face or of hands on a weapon, and planted feet do not slide. For a
    /// crowd in the distance 1 millimetre is enough, at little more than half of the bytes.
    pub max_error: f32,
    /// The profile: optimizes for size or for decoding time.
    pub profile: Profile,
}

impl Default for CompressSettings {
    fn default() -> Self {
        Self {
            max_error: 1e-4,
            profile: Profile::Small,
        }
    }
}

/// A profile: the codec, and what it is optimized for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Size. A cursor per character caches the last unpacked segment; random access costs some microseconds.
    #[default]
    Small,
    /// Decoding time: any time at the same cost, and nothing cached per character. About 1.5 times the bytes.
    Fast,
    /// Keyframes on curves, as [`keyframes::fit`](crate::keyframes::fit) makes them: few keys, to inspect and edit.
    /// Larger, slower, and no more exact than 48-bit rotations allow.
    Keyframes,
}

/// Why an animation cannot be compressed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The error bound is negative, NaN or too large.
    #[error("an error of {max_error} metres cannot be kept; expected 0 to 1e12")]
    MaxError {
        /// The error bound, in metres.
        max_error: f32,
    },
    /// The keyframe codec failed.
    #[error(transparent)]
    Keys(#[from] crate::keyframes::FitError),
    /// A value or time of the animation exceeds what the file format stores.
    #[error("the animation has a number above 1e15 for joint {joint}")]
    TooLarge {
        /// The joint.
        joint: usize,
    },
    /// A value of the animation is NaN or infinite.
    #[error("the animation of joint {joint} has a value that is not finite")]
    NotFinite {
        /// The joint.
        joint: usize,
    },
}
