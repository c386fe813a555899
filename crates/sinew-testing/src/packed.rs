//! Skeletons and motions of every kind to compress, from seeds, and what is measured on the result.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_mul, quat_normalize};
use sinew::{
    Animation, Joint, JointIndex, PackedAnimation, PackedCursor, Pose, Sampler, Skeleton, Transform,
};
use sinew_author::compress::{CompressError, CompressSettings, Profile, compress};
use sinew_author::measure::ErrorMeter;

/// Numbers that look random.
#[derive(Clone)]
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// From -1 to 1.
    pub fn next(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / 8_388_608.0 - 1.0
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.bits() as usize % count
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    pub fn quat(&mut self) -> Quat {
        let [x, y, z, w] = [self.next(), self.next(), self.next(), self.next()];
        quat_normalize(Quat::from_xyzw(x, y, z, w))
    }
}

/// A turn about an axis of any length.
pub fn turn(axis: Vec3, angle: f32) -> Quat {
    let axis = axis.normalize_or(Vec3::X) * sine(angle * 0.5);
    quat_normalize(Quat::from_xyzw(axis.x, axis.y, axis.z, cosine(angle * 0.5)))
}

fn sine(angle: f32) -> f32 {
    (f64::from(angle)).sin() as f32
}

fn cosine(angle: f32) -> f32 {
    (f64::from(angle)).cos() as f32
}

/// How joints hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each on the one before.
    Chain,
    /// All on the first.
    Wide,
    /// Limbs of a few joints.
    Limbs,
    /// Anything, with more than one root.
    Any,
}

pub const SHAPES: [Shape; 4] = [Shape::Chain, Shape::Wide, Shape::Limbs, Shape::Any];

/// What a skeleton is made of.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    pub joints: usize,
    pub shape: Shape,
    /// How long bones are, in metres.
    pub size: f32,
    /// Whether rest rotations are any.
    pub is_turned: bool,
    /// Whether rest scales are any.
    pub is_scaled: bool,
}

impl Build {
    pub fn new(joints: usize, shape: Shape) -> Self {
        Self {
            joints,
            shape,
            size: 0.2,
            is_turned: true,
            is_scaled: false,
        }
    }

    pub fn skeleton(&self, seed: u64) -> Skeleton {
        let mut numbers = Numbers::new(seed);
        let mut path: Vec<usize> = Vec::new();
        let mut joints: Vec<Joint> = Vec::new();
        for index in 0..self.joints {
            let keep = match self.shape {
                Shape::Chain => path.len(),
                Shape::Wide => path.len().min(1),
                Shape::Limbs if index % 5 == 1 => path.len().min(1),
                Shape::Limbs => path.len(),
                Shape::Any => numbers.below(path.len() + 1),
            };
            path.truncate(keep);
            let rest = Transform {
                position: numbers.vec3() * self.size,
                rotation: if self.is_turned {
                    numbers.quat()
                } else {
                    Quat::IDENTITY
                },
                scale: if self.is_scaled {
                    Vec3::ONE + numbers.vec3() * 0.3
                } else {
                    Vec3::ONE
                },
            };
            joints.push(Joint {
                name: format!("joint {index}"),
                parent: path.last().map(|&parent| JointIndex::from(parent)),
                rest,
                tip: index
                    .is_multiple_of(3)
                    .then(|| numbers.vec3() * self.size * 0.5),
            });
            path.push(index);
        }
        Skeleton::new(joints).unwrap()
    }
}

/// How joints move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// No track at all.
    Nothing,
    /// Tracks that say what the rest says.
    AtRest,
    /// Tracks that do not move, elsewhere than at rest.
    Still,
    /// Smooth swings, as people move.
    Sway,
    /// Swings and the noise of a capture.
    Captured,
    /// A rotation of its own in every frame.
    Noise,
    /// Several full turns about any axis, up to near half a turn per frame.
    FullTurns,
    /// Half a turn from frame to frame.
    HalfTurns,
    /// Stands, and is somewhere else the next frame.
    Teleports,
    /// Scales that swing, through zero to negative ones.
    Scales,
    /// Scales of zero but for a frame here and there.
    HardlyThere,
    /// Scales that differ by axis, above joints that turn.
    Squash,
    /// Keys that hold.
    Steps,
    /// Few keys joined by cubics.
    Cubics,
    /// Keys at any times, of which some are the same.
    Uneven,
    /// Sways ten kilometres from the origin.
    Far,
    /// Some channels have one key.
    SingleKeys,
    /// Sways, with tracks for joints that are not there.
    Unknown,
    /// Sways and then holds.
    Holds,
    /// Two tracks for one joint; the later counts.
    Twice,
    /// Shorter than its keys, and ends between two frames.
    CutShort,
    /// A rate of frames that is not that of the keys.
    OtherRate,
}

pub const MOTIONS: [Motion; 22] = [
    Motion::Nothing,
    Motion::AtRest,
    Motion::Still,
    Motion::Sway,
    Motion::Captured,
    Motion::Noise,
    Motion::FullTurns,
    Motion::HalfTurns,
    Motion::Teleports,
    Motion::Scales,
    Motion::HardlyThere,
    Motion::Squash,
    Motion::Steps,
    Motion::Cubics,
    Motion::Uneven,
    Motion::Far,
    Motion::SingleKeys,
    Motion::Unknown,
    Motion::Holds,
    Motion::Twice,
    Motion::CutShort,
    Motion::OtherRate,
];

impl Motion {
    /// A motion of `rows` frames at `rate` per second.
    pub fn animation(self, skeleton: &Skeleton, rows: usize, rate: f64, seed: u64) -> Animation {
        let mut numbers = Numbers::new(seed ^ 0x5eed);
        let even = KeyTimes::uniform(rate, rows).unwrap();
        let mut animation = Animation::new("motion", even.last());
        animation.frame_rate = Some(rate);
        let times = match self {
            Self::Uneven => uneven_times(&mut numbers, even.last(), rows),
            Self::Cubics => KeyTimes::uniform(rate / 7.0, rows.div_ceil(7) + 1).unwrap(),
            _ => even,
        };
        let interpolation = match self {
            Self::Steps => Interpolation::Step,
            Self::Cubics => Interpolation::Cubic,
            _ => Interpolation::Linear,
        };
        if self != Self::Nothing {
            for index in 0..skeleton.len() {
                let track = self.track(skeleton, index, &times, interpolation, &mut numbers);
                animation.tracks.push(track);
            }
        }
        match self {
            Self::Uneven => animation.frame_rate = None,
            Self::Unknown => {
                for index in 0..3 {
                    let mut track = animation.tracks[0].clone();
                    track.name = format!("nobody {index}");
                    animation.tracks.insert(0, track);
                }
            }
            Self::Twice => {
                let mut track = animation.tracks[0].clone();
                track.rotation = Some(Channel::constant(numbers.quat()).unwrap());
                track.scale = None;
                animation.tracks.push(track);
            }
            Self::CutShort => animation.length *= 0.731,
            Self::OtherRate => animation.frame_rate = Some(rate * 0.37),
            _ => {}
        }
        animation
    }

    fn track(
        self,
        skeleton: &Skeleton,
        index: usize,
        times: &KeyTimes,
        interpolation: Interpolation,
        numbers: &mut Numbers,
    ) -> TransformTrack {
        let joint = &skeleton.joints()[index];
        let rest = joint.rest;
        let size = rest.position.length().max(1e-6);
        let (axis, phase, pace) = (numbers.vec3(), numbers.next() * 3.0, numbers.next() + 2.0);
        let (elsewhere, moved) = (numbers.quat(), numbers.vec3() * size);
        let (mut at, mut there) = (rest.rotation, rest.position);
        let sway = |time: f32| sine(time * 2.0 * pace + phase);
        let mut rotation = |frame: usize, time: f32, numbers: &mut Numbers| match self {
            Self::AtRest | Self::Nothing => rest.rotation,
            Self::Still => elsewhere,
            Self::Noise => numbers.quat(),
            Self::FullTurns => quat_mul(rest.rotation, turn(axis, frame as f32 * pace)),
            Self::HalfTurns => quat_mul(
                rest.rotation,
                turn(axis, frame as f32 * std::f32::consts::PI),
            ),
            Self::Teleports => {
                if numbers.below(20) == 0 {
                    at = numbers.quat();
                }
                at
            }
            Self::Captured => quat_mul(
                quat_mul(rest.rotation, turn(axis, 0.7 * sway(time))),
                turn(numbers.vec3(), numbers.next() * 1e-3),
            ),
            Self::Holds => quat_mul(rest.rotation, turn(axis, 0.7 * sway(time.min(1.0)))),
            _ => quat_mul(rest.rotation, turn(axis, 0.7 * sway(time))),
        };
        let rotations = times.iter().enumerate();
        let rotations: Vec<Quat> = rotations
            .map(|(frame, time)| rotation(frame, time, numbers))
            .collect();
        let moves = index == 0 || index.is_multiple_of(7);
        let mut position = |time: f32, numbers: &mut Numbers| match self {
            Self::AtRest | Self::Nothing => rest.position,
            Self::Still => rest.position + moved,
            Self::Noise => rest.position + numbers.vec3() * size,
            Self::Teleports => {
                if numbers.below(20) == 0 {
                    there = numbers.vec3() * size * 10.0;
                }
                there
            }
            Self::Far if index == 0 => {
                Vec3::new(7e3, -1e3, 7e3) + Vec3::new(time, sway(time), -time)
            }
            Self::Holds => rest.position + moved * sway(time.min(1.0)),
            _ => rest.position + moved * sway(time),
        };
        let positions: Vec<Vec3> = times.iter().map(|time| position(time, numbers)).collect();
        let scale = |time: f32, numbers: &mut Numbers| match self {
            Self::Scales => Vec3::splat(sway(time)),
            Self::HardlyThere => Vec3::splat(f32::from(numbers.below(40) == 0)),
            _ => Vec3::ONE + Vec3::new(0.5, -0.3, 0.2) * sway(time),
        };
        let scales: Vec<Vec3> = times.iter().map(|time| scale(time, numbers)).collect();
        let has_scale = match self {
            Self::Scales | Self::HardlyThere => index % 3 == 1 || skeleton.len() == 1,
            Self::Squash => index.is_multiple_of(2),
            Self::Twice => index == 0,
            _ => false,
        };
        let is_single = self == Self::SingleKeys && index.is_multiple_of(2);
        let vectors = |values: Vec<Vec3>| {
            if is_single {
                Channel::constant(values[0]).unwrap()
            } else {
                Channel::new(times.clone(), values, interpolation).unwrap()
            }
        };
        TransformTrack {
            position: (moves || self == Self::AtRest).then(|| vectors(positions)),
            rotation: Some(Channel::new(times.clone(), rotations, interpolation).unwrap()),
            scale: has_scale.then(|| vectors(scales)),
            ..TransformTrack::new(&joint.name)
        }
    }
}

/// As many times as there would be frames, anywhere from 0 to `length`; every tenth twice.
fn uneven_times(numbers: &mut Numbers, length: f32, count: usize) -> KeyTimes {
    let time = |_| (numbers.next() + 1.0) * 0.5 * length;
    let mut times: Vec<f32> = (0..count).map(time).collect();
    times.sort_by(f32::total_cmp);
    for index in (10..count).step_by(10) {
        times[index] = times[index - 1];
    }
    KeyTimes::listed(times).unwrap()
}

/// Compresses with a bound and a profile.
pub fn packed(
    skeleton: &Skeleton,
    animation: &Animation,
    max_error: f32,
    profile: Profile,
) -> Result<PackedAnimation<'static>, CompressError> {
    compress(
        skeleton,
        animation,
        &CompressSettings { max_error, profile },
    )
}

/// Frames of an animation and the moments half-way between, to its end: at its own rate, or that of its keys.
pub fn moments(animation: &Animation) -> Vec<f32> {
    let channels = animation.tracks.iter().flat_map(|track| {
        let rotation = track.rotation.as_ref().and_then(|c| c.times().rate());
        let position = track.position.as_ref().and_then(|c| c.times().rate());
        [rotation, position].into_iter().flatten()
    });
    let rate = animation.frame_rate.or(channels.reduce(f64::max));
    let rate = rate.unwrap_or(60.0);
    let frames = (f64::from(animation.length) * rate - 1e-4).ceil().max(0.0) as usize;
    let time = |half: usize| ((half as f64 / (2.0 * rate)) as f32).min(animation.length);
    (0..=2 * frames).map(time).collect()
}

/// How far a packed animation is from its source at some moments, at most, in metres.
pub fn error_at(
    skeleton: &Skeleton,
    animation: &Animation,
    packed: &PackedAnimation<'_>,
    moments: &[f32],
) -> f64 {
    let mut meter = ErrorMeter::new(skeleton);
    let mut sampler = Sampler::new(skeleton, animation);
    let (mut pose, mut cursor) = (Pose::rest(skeleton), PackedCursor::new());
    moments.iter().fold(0.0, |worst, &time| {
        packed.sample(time, &mut cursor, &mut pose).unwrap();
        let error = meter.measure(sampler.pose_at(time), &pose).unwrap();
        f64::max(worst, error.metres)
    })
}

/// The bits of a pose.
pub fn pose_bits(pose: &Pose) -> Vec<[u32; 10]> {
    let bits = |joint: usize| {
        let transform = pose.get(joint.into());
        let ([a, b, c], [d, e, f, g]) =
            (transform.position.to_array(), transform.rotation.to_array());
        let [h, i, j] = transform.scale.to_array();
        [a, b, c, d, e, f, g, h, i, j].map(f32::to_bits)
    };
    (0..pose.len()).map(bits).collect()
}
