//! What the user says, and what can be wrong with it.

/// How an animation is compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressSettings {
    /// How far any point of the body may be from where the source has it at any time, in metres.
    ///
    /// Points are those of the balls around joints of an [`ErrorMeter`](crate::measure::ErrorMeter), in the model's frame; the
    /// source is slerp and lines of its keys. For the profiles `Small` and `Fast` the result is proven not to exceed
    /// it at any time (`docs/error-bound.md`); `Keys` is measured at eight moments per frame. 0 keeps the source as it
    /// is.
    ///
    /// The default is 0.1 millimetres. On a screen of 1080 lines a person from head to foot has pixels of two
    /// millimetres, so nothing is seen, not in a close-up of a face or of hands on a weapon, and feet that stand
    /// do not swim. A crowd in the distance does with 1 millimetre, at little more than half of the bytes.
    pub max_error: f32,
    /// What is wanted more: few bytes or little work.
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

/// What is wanted more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Few bytes. A cursor per character holds what was unpacked last; jumping about costs some microseconds.
    #[default]
    Small,
    /// Little work: any moment at the same cost, and nothing kept per character. About half as many bytes again.
    Fast,
    /// Keys on curves, as [`keys::fit`](crate::keyframes::fit) makes them: what few frames a motion needs, to look at and
    /// to edit. Larger, slower and no nearer than 48-bit rotations allow.
    Keys,
}

/// Why an animation cannot be compressed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The error allowed is negative, no number or too large.
    #[error("an error of {max_error} metres cannot be kept; expected 0 to 1e12")]
    MaxError {
        /// What was asked for.
        max_error: f32,
    },
    /// Keys cannot be fitted.
    #[error(transparent)]
    Keys(#[from] crate::keyframes::FitError),
    /// A number or time of the motion is so large that no file keeps it.
    #[error("the animation has a number above 1e15 for joint {joint}")]
    TooLarge {
        /// The joint.
        joint: usize,
    },
    /// The motion is not made of finite numbers.
    #[error("the animation puts joint {joint} nowhere: a number is not finite")]
    NotFinite {
        /// The joint.
        joint: usize,
    },
}
