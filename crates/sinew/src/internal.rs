//! The internals that `sinew-author` and tests of kernels use; the crates are released together. Not part of the
//! public API: anything here may change with any version.

pub use crate::anatomy::limbs::parent;
pub use crate::anatomy::root_motion_joint::{ancestors, body_root, is_rigid};
pub use crate::ik::fade::faded;
pub use crate::ik::limb_frame::{LimbFrame, ModelPose64};
pub use crate::ik::reach::{LimbReach, shift_within_reach};
pub use crate::ik::two_bone::{TwoBone64, TwoBoneSolution64};
pub use crate::math::double::{horizontal, quat_exp, quat_log, rotation_between, unit};
pub use crate::math::smootherstep;
pub use crate::packed::decode::sample_slots;
pub use crate::registration::alignment::Alignment;
pub use crate::registration::blend::{apply_ground, root_chain};
pub use crate::registration::curve::{PLACE_DEGREE, TIME_DEGREE, Track};
pub use crate::registration::spline::{MAX_DEGREE, Spline};
pub use crate::sample::sample_beyond;

/// Blending of one pose over another.
pub mod layer {
    pub use crate::blend::layer::{
        ChannelSet, LayerChannels, LayerShares, LayerWeights, PoseLayer, overlay_with,
    };
}

/// The keyframe codec.
pub mod keyframes {
    pub use crate::packed::keyframes::curve::{RotationKeys, VectorKeys, VectorRange, slopes};
    pub use crate::packed::keyframes::keyed::{JointKeys, KeyedAnimation};
    pub use crate::packed::keyframes::{KeyedBytesError, MAX_FRAMES, Quat48};

    /// The layout of keyed animations.
    pub mod bytes {
        pub use crate::packed::keyframes::bytes::{
            KEY_BYTES, MAGIC, POSITION, ROTATION, SCALE, TRACK_BYTES, VERSION,
        };
    }
}

/// The layout of packed animations.
pub mod packed {
    pub use crate::packed::bits::{BitReader, zigzag};
    pub use crate::packed::bytes::LARGEST as LARGEST_NUMBER;
    pub use crate::packed::fast::{
        FastSamples, QUARTER, SEGMENT, Slice, WIDEST, WIDTHS, WINDOW, counts, widths,
    };
    pub use crate::packed::head::{
        Head, JointHead, LinearHead, MrpFrame, PackedMrpFrame, RotationHead, SlerpSpans, step,
    };
    pub use crate::packed::pose_assembly::SLOTS;
    pub use crate::packed::quat::{COARSE, FINE, pack as pack_quat, unpack as unpack_quat};
    pub use crate::packed::samples::{PackedSamples, Stream};
    pub use crate::packed::slerp::deviation as slerp_deviation;
    pub use crate::packed::{Encoding, MAX_SAMPLES, Plain};

    /// The layout of Rice-coded samples.
    pub mod small {
        pub use crate::packed::small::{
            CONSTANT, ESCAPE, LARGEST, Orders, PREDICTORS, Predictor, SEGMENT, SPARSE,
            SPARSE_GROUP, SmallSamples, WIDE, WIDE_BITS, groups,
        };
    }
}
