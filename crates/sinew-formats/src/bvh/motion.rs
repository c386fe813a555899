//! Conversion of channels to a skeleton and an animation.

use super::raw::{Bvh, BvhChannel, BvhJoint};
use super::{BvhSettings, rate};
use crate::escape;
use crate::motion::{MotionError, MotionFile};
use crate::names::Names;
use crate::text::{Rule, TextError};
use crate::warning::Warnings;
use sinew::animation::{Channel, Interpolation, KeyTimes, MetaValue, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use std::f64::consts::PI;

/// Half a degree in radians: quaternions use half angles.
const HALF_DEGREE: f64 = PI / 360.0;

/// Ratio of a root's median height to its offset that implies that its channels include the offset: nearer to the
/// offset than to 0. Outside of this range the offset is added, as the format defines.
const HOLDS_OFFSET: std::ops::Range<f64> = 0.5..2.0;

/// Number of frames per block, so that intermediate results stay in the cache.
const BLOCK: usize = 512;

impl Bvh {
    /// Builds a skeleton in metres and, if there are frames, an animation named `motion`.
    ///
    /// Joints rest at their offsets without rotation. The first end site of a joint is its tip, every other one a
    /// separate joint, `<joint>_end2` and so on. Rotations have a key per frame if a joint has rotation channels,
    /// positions if it has position channels. The rate is [`BvhSettings::frame_rate`], or the common rate whose rounded
    /// frame time the file has, or one over the frame time. The metadata holds the frame time as written in the file.
    ///
    /// # Errors
    /// If the settings or the numbers exceed the range of `f32`.
    pub fn into_motion(mut self, settings: &BvhSettings) -> Result<MotionFile, MotionError> {
        check_scale(settings.scale)?;
        let mut warnings = std::mem::take(&mut self.warnings);
        let skeleton = skeleton(&self.joints, settings.scale)?;
        let usual = BvhSettings::default().scale;
        crate::units::warn(&skeleton, settings.scale, usual, None, &mut warnings);
        let mut animations = Vec::new();
        if self.frames > 0 {
            animations.push(self.animation(settings, &mut warnings)?);
        }
        Ok(MotionFile {
            skeleton,
            animations,
            warnings,
        })
    }

    fn animation(
        &self,
        settings: &BvhSettings,
        warnings: &mut Warnings,
    ) -> Result<Animation, MotionError> {
        let rate = settings
            .frame_rate
            .unwrap_or_else(|| rate::frame_rate(self.frame_time, &self.frame_time_text));
        let times = KeyTimes::uniform(rate, self.frames)?;
        let mut animation = Animation::new("motion", times.last());
        animation.frame_rate = Some(rate);
        for joint in &self.joints {
            let mut track = TransformTrack::new(joint.name.as_str());
            if joint.channels.iter().any(|channel| channel.is_rotation()) {
                let keys = self.rotations(joint);
                track.rotation = Some(Channel::new(times.clone(), keys, Interpolation::Linear)?);
            }
            if joint.channels.iter().any(|channel| !channel.is_rotation()) {
                let base = self.position_base(joint, warnings);
                let keys = self.positions(joint, base, settings.scale);
                track.position = Some(Channel::new(times.clone(), keys, Interpolation::Linear)?);
            }
            if !track.is_empty() {
                animation.tracks.push(track);
            }
        }
        let said = |text: &str| MetaValue::Text(text.to_owned());
        let metadata = &mut animation.metadata;
        metadata.insert("source_format".to_owned(), said("BVH"));
        metadata.insert("bvh_frame_time".to_owned(), said(&self.frame_time_text));
        metadata.insert(
            "metres_per_unit".to_owned(),
            MetaValue::Number(settings.scale),
        );
        Ok(animation)
    }

    /// Iterates over the channels of a joint with their values.
    fn channels_of(&self, joint: &BvhJoint) -> impl Iterator<Item = (BvhChannel, &[f64])> {
        let channels = joint.channels.iter().enumerate();
        let first = joint.first_channel;
        channels.map(move |(index, &channel)| (channel, self.channel(first + index)))
    }

    /// Computes the product of the elementary rotations in listed order, for every frame. Of the two quaternions of a
    /// rotation it takes the one nearer to the previous frame.
    fn rotations(&self, joint: &BvhJoint) -> Vec<Quat> {
        let angles: Vec<_> = self
            .channels_of(joint)
            .filter(|(channel, _)| channel.is_rotation())
            .collect();
        let mut keys = Vec::with_capacity(self.frames);
        let mut last = RotationProduct::IDENTITY;
        let mut block = [RotationProduct::IDENTITY; BLOCK];
        for start in (0..self.frames).step_by(BLOCK) {
            let count = BLOCK.min(self.frames - start);
            let Some(products) = block.get_mut(..count) else {
                break;
            };
            products.fill(RotationProduct::IDENTITY);
            for (channel, degrees) in &angles {
                let degrees = degrees.get(start..start + count).unwrap_or_default();
                match channel.axis() {
                    0 => turn::<0>(products, degrees),
                    1 => turn::<1>(products, degrees),
                    _ => turn::<2>(products, degrees),
                }
            }
            for &product in &*products {
                last = product.nearest_to(last);
                keys.push(last.to_quat());
            }
        }
        keys
    }

    /// Returns the base of the position channels: the offset of a root, zero for other joints.
    ///
    /// A root's offset is normally 0. If not, some programs add the channels to it and some repeat it in them. The
    /// height decides: its median over the clip is near 0 for the former and near the offset for the latter,
    /// regardless of single frames. The nearer one is taken.
    fn position_base(&self, joint: &BvhJoint, warnings: &mut Warnings) -> [f64; 3] {
        if joint.parent.is_some() || joint.offset == [0.0; 3] {
            return [0.0; 3];
        }
        let up = self.up_axis(joint);
        let repeats = self.channels_of(joint).any(|(channel, values)| {
            let offset = joint.offset.get(up).copied().unwrap_or(0.0);
            let is_height = !channel.is_rotation() && channel.axis() == up && offset != 0.0;
            let height = median(values);
            let share = height / offset;
            is_height && share > HOLDS_OFFSET.start && share < HOLDS_OFFSET.end
        });
        let done = if repeats {
            "the channels are mostly near it and seem to include it already"
        } else {
            "it is added to them"
        };
        warnings.add(
            format!("joint {}", escape::text(&joint.name)),
            "OFFSET",
            format!("a root with position channels has an offset that is not 0; {done}"),
        );
        if repeats { [0.0; 3] } else { joint.offset }
    }

    /// Returns the axis, y or z, along which a root's offset is its height: the axis along which the skeleton is
    /// larger, unless the offset is 0 along it.
    fn up_axis(&self, root: &BvhJoint) -> usize {
        // Joint positions at rest; parents precede their children.
        let mut places: Vec<[f64; 3]> = Vec::with_capacity(self.joints.len());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for joint in &self.joints {
            let parent = joint.parent.and_then(|parent| places.get(parent).copied());
            let from = parent.unwrap_or_default();
            let add =
                |from: [f64; 3], by: [f64; 3]| [from[0] + by[0], from[1] + by[1], from[2] + by[2]];
            let place = parent.map_or([0.0; 3], |_| add(from, joint.offset));
            places.push(place);
            let ends = joint.ends.iter().map(|end| add(place, *end));
            for point in ends.chain([place]) {
                for axis in 0..3 {
                    low[axis] = low[axis].min(point[axis]);
                    high[axis] = high[axis].max(point[axis]);
                }
            }
        }
        let tall = if high[2] - low[2] > high[1] - low[1] {
            2
        } else {
            1
        };
        if root.offset[tall] == 0.0 {
            3 - tall
        } else {
            tall
        }
    }

    /// Computes positions in metres from position channels relative to `base`. A component without a channel is that
    /// of the offset.
    fn positions(&self, joint: &BvhJoint, base: [f64; 3], scale: f64) -> Vec<Vec3> {
        let rest = joint.offset.map(|offset| (offset * scale) as f32);
        let mut keys = vec![Vec3::from_array(rest); self.frames];
        for (channel, values) in self.channels_of(joint) {
            let axis = channel.axis();
            let base = base.get(axis).copied().unwrap_or(0.0);
            if !channel.is_rotation() {
                for (key, value) in keys.iter_mut().zip(values) {
                    key[axis] = ((base + value) * scale) as f32;
                }
            }
        }
        keys
    }
}

/// Returns the median, 0 for an empty slice.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

fn check_scale(scale: f64) -> Result<(), TextError> {
    if scale.is_finite() && scale > 0.0 {
        return Ok(());
    }
    Err(TextError {
        rule: Rule::BadUnit,
        line: 1,
        column: 0,
        expected: "settings with a positive number of metres per unit".to_owned(),
        found: scale.to_string(),
    })
}

/// Builds joints at their offsets, and a joint for each end site that is not the first of its joint.
fn skeleton(joints: &[BvhJoint], scale: f64) -> Result<Skeleton, MotionError> {
    let metres = |v: [f64; 3]| Vec3::from_array(v.map(|n| (n * scale) as f32));
    let mut names = Names::default();
    for joint in joints {
        names.take(&joint.name);
    }
    let mut made: Vec<Joint> = Vec::new();
    // Index of each joint of the file in the skeleton.
    let mut places: Vec<JointIndex> = Vec::new();
    for joint in joints {
        let place = JointIndex::from(made.len());
        places.push(place);
        let parent = joint.parent.and_then(|parent| places.get(parent));
        made.push(Joint {
            name: joint.name.clone(),
            parent: parent.copied(),
            rest: Transform::from_position(metres(joint.offset)),
            tip: joint.ends.first().map(|&end| metres(end)),
        });
        for (number, &end) in joint.ends.iter().enumerate().skip(1) {
            made.push(Joint {
                name: names.take(&format!("{}_end{}", joint.name, number + 1)),
                parent: Some(place),
                rest: Transform::from_position(metres(end)),
                tip: None,
            });
        }
    }
    Ok(Skeleton::new(made)?)
}

/// A product of elementary rotations as a quaternion. Sine and cosine give factors of unit length to the last digit
/// of `f64`, so that the product needs no normalization for keys in `f32`.
#[derive(Clone, Copy)]
struct RotationProduct {
    v: [f64; 3],
    w: f64,
}

impl RotationProduct {
    const IDENTITY: Self = Self {
        v: [0.0; 3],
        w: 1.0,
    };

    fn nearest_to(self, other: Self) -> Self {
        let dot = self.v[0] * other.v[0]
            + self.v[1] * other.v[1]
            + self.v[2] * other.v[2]
            + self.w * other.w;
        if dot < 0.0 {
            Self {
                v: self.v.map(|n| -n),
                w: -self.w,
            }
        } else {
            self
        }
    }

    fn to_quat(self) -> Quat {
        let [x, y, z] = self.v;
        Quat::from_xyzw(x as f32, y as f32, z as f32, self.w as f32)
    }
}

/// Multiplies each product from the right by a rotation about one axis.
fn turn<const AXIS: usize>(products: &mut [RotationProduct], degrees: &[f64]) {
    let (i, j, k) = (AXIS, (AXIS + 1) % 3, (AXIS + 2) % 3);
    for (product, degrees) in products.iter_mut().zip(degrees) {
        let (sine, cosine) = libm::sincos(degrees * HALF_DEGREE);
        let RotationProduct { v, w } = *product;
        product.v[i] = w * sine + v[i] * cosine;
        product.v[j] = v[j] * cosine + v[k] * sine;
        product.v[k] = v[k] * cosine - v[j] * sine;
        product.w = w * cosine - v[i] * sine;
    }
}
