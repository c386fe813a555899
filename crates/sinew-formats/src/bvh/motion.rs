//! From channels to a skeleton and an animation.

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

/// Half a degree in radians: quaternions are made of half angles.
const HALF_DEGREE: f64 = PI / 360.0;

/// The height of a root over a clip, as a share of its offset, that says that its channels hold the offset: nearer to the
/// offset than to 0. Of what is far from both nothing is known, and the offset is added as the format says.
const HOLDS_OFFSET: std::ops::Range<f64> = 0.5..2.0;

/// Frames that are worked on at a time, so that what is between angles and keys stays in the cache.
const BLOCK: usize = 512;

impl Bvh {
    /// Makes a skeleton in metres and, when there are frames, an animation called `motion`.
    ///
    /// Joints rest at their offsets without rotation. The first end site of a joint is its tip, a further
    /// one a joint of its own, `<joint>_end2` and so on. Rotations have a key on every frame where a
    /// joint has rotation channels, positions where it has position channels. The rate is
    /// [`BvhSettings::fps`], or the common rate that the frame time is a rounded form of, or one over
    /// the frame time. The frame time as it is written stands in the metadata.
    ///
    /// # Errors
    /// If the settings or the numbers are beyond what `f32` can hold.
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
            .fps
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

    /// A joint's channels with their numbers.
    fn channels_of(&self, joint: &BvhJoint) -> impl Iterator<Item = (BvhChannel, &[f64])> {
        let channels = joint.channels.iter().enumerate();
        let first = joint.first_channel;
        channels.map(move |(index, &channel)| (channel, self.channel(first + index)))
    }

    /// The product of the elementary rotations in listed order, for every frame; of the two quaternions
    /// of a rotation the one nearer to the frame before.
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

    /// What position channels count from: the offset of a root, and nothing for other joints.
    ///
    /// A root's offset is normally 0. Where it is not, some programs add the channels to it and some
    /// repeat it in them. The height decides: its median over the clip is near 0 for the former and near the offset's
    /// for the latter, whatever single frames are like. It is taken for what it is nearer to.
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
            "the channels are mostly near it and are taken to hold it already"
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

    /// The axis, y or z, along which a root's offset is its height: that along which the skeleton is larger, unless the
    /// offset has nothing along it.
    fn up_axis(&self, root: &BvhJoint) -> usize {
        // Places of joints at rest; parents stand before their children.
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

    /// Position channels, counted from `base`, in metres. A component without a channel is the offset's.
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

/// The middle one of some numbers, 0 of none.
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
        expected: "the settings to say how many metres a unit has, above zero".to_owned(),
        found: scale.to_string(),
    })
}

/// Joints at their offsets, and a joint for each end site of a joint that is not its first.
fn skeleton(joints: &[BvhJoint], scale: f64) -> Result<Skeleton, MotionError> {
    let metres = |v: [f64; 3]| Vec3::from_array(v.map(|n| (n * scale) as f32));
    let mut names = Names::default();
    for joint in joints {
        names.take(&joint.name);
    }
    let mut made: Vec<Joint> = Vec::new();
    // Where each joint of the file is among those made.
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

/// A product of elementary rotations as a quaternion. Sine and cosine make each factor of length 1 to the
/// last digit of `f64`, so that the product needs no normalising for keys in `f32`.
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

/// Multiplies each product from the right by a turn about one axis.
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
