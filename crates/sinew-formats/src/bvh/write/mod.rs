//! Writing BVH.

mod digits;
mod hierarchy;
mod rate;

pub(crate) use hierarchy::written_names;

use super::rows::FRAME_TIMES;
use crate::file::{FileError, WriteError, save};
use crate::limits::{MAX_JOINT_DEPTH, MAX_JOINTS, MAX_MOTION_FRAMES, MAX_MOTION_VALUES};
use crate::rest_aligned::{AlignedPose, RestAligned};
use digits::Digits;
use sinew::math::{EulerAngles, RotationOrder};
use sinew::{Animation, Pose, Skeleton, sample};
use sinew_author::edit::FrameGrid;
use std::path::Path;

/// Frames per second of a motion without a frame rate, at least: BVH holds samples only, and the keys may be further apart.
const MIN_SAMPLED_RATE: f64 = 30.0;

/// Settings for writing a BVH file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BvhWriteSettings {
    /// Units of the file per metre; finite and positive. 100 writes centimetres.
    pub scale: f64,
    /// Frames per second, from one per day to a million. The default is the animation's
    /// [`frame_rate`](Animation::frame_rate). Without it, it is the rate of the keys if all channels have linear or
    /// stepped keys at one rate of at least 10 per second. Any other motion (cubic, listed times, mixed or low rates)
    /// is sampled 30 times per second, or at the highest rate of a channel if that is higher and at most 1000, so
    /// that motion between keys is kept. Channels of two keys count only if there are no longer ones.
    pub frame_rate: Option<f64>,
    /// Decimals, at most 15. For a body in centimetres, 6 decimals keep every joint within 10⁻⁷ m.
    pub decimals: usize,
    /// The order of the rotation channels.
    pub order: RotationOrder,
}

impl Default for BvhWriteSettings {
    fn default() -> Self {
        Self {
            scale: 100.0,
            frame_rate: None,
            decimals: 6,
            order: RotationOrder::Zyx,
        }
    }
}

/// An error of writing a motion as BVH.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhWriteError {
    /// A setting is out of range.
    #[error("{setting} is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// Its valid range.
        expected: &'static str,
    },
    /// There are too many joints, or they are nested too deeply.
    #[error(
        "{joints} joints, {depth} deep, are more than a file may have: {MAX_JOINTS}, {MAX_JOINT_DEPTH} \
         deep"
    )]
    Skeleton {
        /// Number of joints, including a root that is added above several.
        joints: usize,
        /// Nesting depth.
        depth: usize,
    },
    /// There are too many frames.
    #[error("{frames} frames of {joints} joints are more than a file may have")]
    TooLarge {
        /// Number of frames; `usize::MAX` if it overflows.
        frames: usize,
        /// Number of joints.
        joints: usize,
    },
    /// The position of a joint is not finite.
    #[error("joint {joint:?} in frame {frame}: the position is not finite")]
    NotFinite {
        /// The joint.
        joint: String,
        /// The frame, from 0.
        frame: usize,
    },
}

/// Writes a file; see [`write_bytes`].
///
/// # Errors
/// The errors of [`write_bytes`], and if the file cannot be written.
pub fn write<'a>(
    path: impl AsRef<Path>,
    skeleton: &Skeleton,
    animation: impl Into<Option<&'a Animation>>,
    settings: &BvhWriteSettings,
) -> Result<(), FileError<WriteError>> {
    save(path.as_ref(), write_bytes(skeleton, animation, settings))
}

/// Writes a skeleton and its motion. Without an animation it writes one frame, the rest pose.
///
/// BVH has no rotation or scale at rest, so joints are written with the model's axes at rest, and the motion is
/// converted: every joint and tip keeps its model-space position in every frame. Scales become offsets and, if
/// animated, positions; only the length of a leaf with an animated scale is lost.
///
/// Most readers accept one root. A skeleton with several is written below an additional one, named `root`. The root
/// has an offset of 0 and its position in its position channels, since readers disagree on how to combine the two.
/// Other joints have position channels if they leave their offsets. Every joint has rotation channels, and every leaf
/// an end site, of length 0 if it has no tip, since many readers require one. White space and braces in names become
/// `_`, and very long names are truncated.
///
/// Angles are continuous from frame to frame, also beyond 180 degrees, so that other programs can interpolate them.
/// The animation is sampled on the frames of a [`FrameGrid`], which are its own keys if it has a key on each: a loop
/// whose length is not a multiple of the frame time is written at the nearest rate that divides it, and any other
/// motion is held for the rest of its last frame.
///
/// # Errors
/// If a setting is out of range, there are too many frames or joints, or the position of a joint is not finite.
pub fn write_bytes<'a>(
    skeleton: &Skeleton,
    animation: impl Into<Option<&'a Animation>>,
    settings: &BvhWriteSettings,
) -> Result<Vec<u8>, BvhWriteError> {
    let animation = animation.into();
    let fps = frames_per_second(animation, settings);
    check(settings, fps)?;
    let grid = frame_grid(skeleton, animation, fps)?;
    let aligned = RestAligned::new(skeleton);
    let motion = WrittenMotion::sampled(skeleton, animation, &aligned, grid, settings)?;
    let digits = Digits::new(settings.decimals);
    let layout = hierarchy::HierarchyLayout::new(skeleton, &aligned, &motion, settings, &digits)?;
    let mut out = Vec::with_capacity(layout.expected_bytes(motion.frames, settings.decimals));
    layout.write(&mut out, settings, &digits);
    out.extend_from_slice(
        format!(
            "MOTION\nFrames: {}\nFrame Time: {}\n",
            motion.frames,
            1.0 / grid.rate
        )
        .as_bytes(),
    );
    for frame in motion.joints.chunks_exact(skeleton.len()) {
        layout.write_row(&mut out, frame, &digits);
    }
    Ok(out)
}

fn check(settings: &BvhWriteSettings, fps: f64) -> Result<(), BvhWriteError> {
    let scale = settings.scale;
    if !(scale.is_finite() && scale > 0.0) {
        return Err(BvhWriteError::Setting {
            setting: "scale",
            value: scale,
            expected: "a number above zero",
        });
    }
    if !FRAME_TIMES.contains(&(1.0 / fps)) {
        return Err(BvhWriteError::Setting {
            setting: "frame_rate",
            value: fps,
            expected: "frames per second, from one in a day to a million",
        });
    }
    Ok(())
}

fn frames_per_second(animation: Option<&Animation>, settings: &BvhWriteSettings) -> f64 {
    let of_animation = || animation.and_then(|animation| animation.frame_rate);
    let of_keys = || rate::of_keys(animation?);
    let rate = settings.frame_rate.or_else(of_animation).or_else(of_keys);
    rate.unwrap_or(MIN_SAMPLED_RATE)
}

/// Returns the frames per second and the frames of a written animation.
pub(crate) fn written_grid(animation: &Animation, settings: &BvhWriteSettings) -> (f64, FrameGrid) {
    let rate = frames_per_second(Some(animation), settings);
    (rate, FrameGrid::of(animation, rate))
}

/// Returns the frame grid of a motion, if a file with this many joints can hold it.
fn frame_grid(
    skeleton: &Skeleton,
    animation: Option<&Animation>,
    frame_rate: f64,
) -> Result<FrameGrid, BvhWriteError> {
    let joints = skeleton.len();
    let Some(animation) = animation else {
        return Ok(FrameGrid {
            rate: frame_rate,
            count: 1,
        });
    };
    let is_endless = f64::from(animation.length) * frame_rate > MAX_MOTION_FRAMES as f64;
    let grid = FrameGrid::of(animation, frame_rate);
    let frames = if is_endless { usize::MAX } else { grid.count };
    // Includes the channels of a root that may be added.
    let numbers = frames.saturating_mul(joints + 1).saturating_mul(6);
    if frames > MAX_MOTION_FRAMES || numbers > MAX_MOTION_VALUES {
        return Err(BvhWriteError::TooLarge { frames, joints });
    }
    Ok(grid)
}

/// Channel values of a joint in one frame: a position in the file's unit, and angles in degrees in listed order.
#[derive(Clone, Copy, Debug, Default)]
struct JointFrame {
    position: [f64; 3],
    angles: [f64; 3],
}

/// All joints in all frames, frame by frame.
struct WrittenMotion {
    frames: usize,
    joints: Vec<JointFrame>,
}

impl WrittenMotion {
    fn sampled(
        skeleton: &Skeleton,
        animation: Option<&Animation>,
        aligned: &RestAligned,
        grid: FrameGrid,
        settings: &BvhWriteSettings,
    ) -> Result<Self, BvhWriteError> {
        let (frames, joints) = (grid.count, skeleton.len());
        let mut motion = Self {
            frames,
            joints: Vec::with_capacity(frames * joints),
        };
        let mut angles = vec![EulerAngles::new(settings.order); joints];
        let mut pose = Pose::rest(skeleton);
        let mut turned = AlignedPose::default();
        let bound = animation.map(|animation| (animation, animation.bind(skeleton)));
        for frame in 0..frames {
            if let Some((animation, binding)) = &bound {
                // The last frame may be beyond the end.
                let time = ((frame as f64 / grid.rate) as f32).min(animation.length);
                // The binding and the pose have the same skeleton.
                let _ = sample(animation, binding, time, &mut pose);
            }
            aligned.align(&pose, &mut turned);
            let parts = turned.positions.iter().zip(&turned.rotations);
            for ((position, rotation), angles) in parts.zip(&mut angles) {
                motion.joints.push(JointFrame {
                    position: (*position * settings.scale).to_array(),
                    angles: angles.next(*rotation).map(f64::to_degrees),
                });
            }
            motion.check(skeleton, frame)?;
        }
        Ok(motion)
    }

    /// Checks that the last frame is finite.
    fn check(&self, skeleton: &Skeleton, frame: usize) -> Result<(), BvhWriteError> {
        let start = self.joints.len().saturating_sub(skeleton.len());
        let joints = self.joints.get(start..).unwrap_or_default();
        let is_finite = |joint: &JointFrame| {
            joint
                .position
                .iter()
                .chain(&joint.angles)
                .all(|n| n.is_finite())
        };
        match joints.iter().position(|joint| !is_finite(joint)) {
            None => Ok(()),
            Some(index) => Err(BvhWriteError::NotFinite {
                joint: skeleton
                    .joint(index.into())
                    .map_or(String::new(), |joint| joint.name.clone()),
                frame,
            }),
        }
    }
}
