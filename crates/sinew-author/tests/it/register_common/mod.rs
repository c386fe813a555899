//! Motions to register, and what is known of them.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::Vec3;
use sinew::math::GroundTransform;
use sinew::registration::{Motion, RegistrationCurve};
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
use sinew_author::register::{
    BlendWeights, BlendedMotion, RegisterSettings, blend_motions, register,
};
use sinew_formats::{MotionSettings, read_motion};
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// A figure and what it does.
pub(crate) struct Clip {
    pub(crate) skeleton: Skeleton,
    pub(crate) animation: Animation,
}

impl Clip {
    pub(crate) fn read(path: &Path) -> Self {
        let mut file = read_motion(path, &MotionSettings::default()).unwrap();
        Self {
            animation: file.animations.swap_remove(0),
            skeleton: file.skeleton,
        }
    }

    /// One of the project's own samples.
    pub(crate) fn sample(name: &str) -> Self {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
        Self::read(&samples.join(format!("{name}.amc")))
    }

    pub(crate) fn motion(&self) -> Motion<'_> {
        Motion::new(&self.skeleton, &self.animation)
    }

    pub(crate) fn rate(&self) -> f64 {
        self.animation.frame_rate.unwrap()
    }

    /// Every frame as another function of time has it, laid elsewhere: `poses` frames at the clip's own rate.
    pub(crate) fn remade(
        &self,
        frames: usize,
        time: impl Fn(usize) -> f64,
        ground: impl Fn(usize) -> GroundTransform,
    ) -> Animation {
        self.remade_at(self.rate(), frames, time, ground)
    }

    /// The same at another rate.
    pub(crate) fn remade_at(
        &self,
        rate: f64,
        frames: usize,
        time: impl Fn(usize) -> f64,
        ground: impl Fn(usize) -> GroundTransform,
    ) -> Animation {
        let joints = self.skeleton.len();
        let mut sampler = Sampler::new(&self.skeleton, &self.animation);
        let (mut places, mut turns) = (vec![Vec::new(); joints], vec![Vec::new(); joints]);
        for frame in 0..frames {
            let pose = sampler.pose_at(time(frame) as f32);
            for joint in 0..joints {
                let mut transform = pose.get(JointIndex::from(joint));
                if self.skeleton.joints()[joint].parent.is_none() {
                    transform = ground(frame).move_transform(&transform);
                }
                places[joint].push(transform.position);
                turns[joint].push(transform.rotation);
            }
        }
        let times = KeyTimes::uniform(rate, frames).unwrap();
        let mut animation = Animation::new("remade", times.last());
        animation.frame_rate = Some(rate);
        for (joint, (places, turns)) in places.into_iter().zip(turns).enumerate() {
            let mut track = TransformTrack::new(self.skeleton.joints()[joint].name.clone());
            let linear = Interpolation::Linear;
            track.position = Some(Channel::new(times.clone(), places, linear).unwrap());
            track.rotation = Some(Channel::new(times.clone(), turns, linear).unwrap());
            animation.tracks.push(track);
        }
        animation
    }

    /// A loop of the part of the clip that repeats best.
    pub(crate) fn looped(&self) -> Option<Self> {
        self.looped_with(&LoopSettings::default())
    }

    /// The same, on the spot.
    pub(crate) fn looped_in_place(&self) -> Option<Self> {
        self.looped_with(&LoopSettings {
            in_place: true,
            ..LoopSettings::default()
        })
    }

    fn looped_with(&self, settings: &LoopSettings) -> Option<Self> {
        let cycle = find_cycle(&self.skeleton, &self.animation, &CycleSettings::default()).ok()?;
        let looped = make_loop(&self.skeleton, &self.animation, &cycle, settings).ok()?;
        Some(Self {
            skeleton: self.skeleton.clone(),
            animation: looped.animation,
        })
    }

    /// A loop that begins `offset` seconds later than this one, takes `stretch` times as long and has about `rate`
    /// frames per second. It does not say that it is a loop.
    pub(crate) fn rotated(&self, offset: f64, stretch: f64, rate: f64) -> Animation {
        let length = f64::from(self.animation.length);
        let frames = (length * stretch * rate).round();
        let rate = frames / (length * stretch);
        let per_cycle = self.animation.looping.unwrap().per_cycle;
        let unrolled = |frame: usize| offset + frame as f64 / rate / stretch;
        self.remade_at(
            rate,
            frames as usize + 1,
            |frame| unrolled(frame).rem_euclid(length),
            |frame| match unrolled(frame) >= length {
                true => per_cycle,
                false => GroundTransform::IDENTITY,
            },
        )
    }

    /// Where a joint is over the ground and how high, at a time.
    pub(crate) fn place(&self, joint: &str, time: f64) -> Vec3 {
        let mut sampler = Sampler::new(&self.skeleton, &self.animation);
        let joints = self.skeleton.joints();
        let index = joints
            .iter()
            .position(|candidate| candidate.name == joint)
            .unwrap();
        sampler.model_at(time as f32).position(index.into())
    }

    /// The clip at a changing pace, `strength` of it to and fro, in four fifths of the time, laid elsewhere.
    pub(crate) fn warped(&self, strength: f64, ground: GroundTransform) -> Warped {
        let length = f64::from(self.animation.length);
        let frames = (length * 0.8 * self.rate()).round() as usize + 1;
        let own_length = (frames - 1) as f64 / self.rate();
        let truth = move |time: f64| {
            let x = time / own_length;
            length * (x + strength * (TAU * x).sin() / PI)
        };
        let rate = self.rate();
        Warped {
            animation: self.remade(frames, |frame| truth(frame as f64 / rate), |_| ground),
            ground,
            truth: Box::new(truth),
        }
    }
}

/// A motion of which everything is known.
pub(crate) struct Warped {
    pub(crate) animation: Animation,
    pub(crate) ground: GroundTransform,
    pub(crate) truth: Box<dyn Fn(f64) -> f64>,
}

/// How far a registration is off the truth.
pub(crate) struct Off {
    /// In frames.
    pub(crate) time: f64,
    /// In degrees.
    pub(crate) angle: f64,
    /// Where the root is over the ground, in metres.
    pub(crate) ground: f64,
    /// How far joints are apart, laid on each other, in metres: root of the mean square.
    pub(crate) joints: f64,
}

impl Off {
    pub(crate) fn of(clip: &Clip, warped: &Warped, settings: &RegisterSettings) -> Self {
        let second = Motion::new(&clip.skeleton, &warped.animation);
        let curve = register(&[clip.motion(), second], settings).unwrap();
        let back = warped.ground.inverse();
        let mut samplers = [
            Sampler::new(&clip.skeleton, &clip.animation),
            Sampler::new(&clip.skeleton, &warped.animation),
        ];
        let mut off = Self {
            time: 0.0,
            angle: 0.0,
            ground: 0.0,
            joints: 0.0,
        };
        let (mut squares, mut count) = (0.0, 0.0);
        for step in 0..=1000 {
            let u = f64::from(step) / 1000.0;
            let (first, second) = (curve.time(0, u), curve.time(1, u));
            let late = (first - (warped.truth)(second)) * clip.rate();
            off.time = off.time.max(late.abs());
            let alignment = curve.alignment(1, u);
            let turn = (alignment.angle - back.angle + PI).rem_euclid(TAU) - PI;
            off.angle = off.angle.max(turn.abs().to_degrees());
            let model = samplers[1].model_at(second as f32).clone();
            let root = model.position(JointIndex(0));
            let root = [f64::from(root.x), f64::from(root.z)];
            off.ground = off
                .ground
                .max(distance(alignment.apply(root), back.apply(root)));
            let there = samplers[0].model_at(first as f32);
            for joint in (0..clip.skeleton.len()).map(JointIndex::from) {
                let position = model.position(joint);
                let [x, z] = alignment.apply([f64::from(position.x), f64::from(position.z)]);
                let laid = Vec3::new(x as f32, position.y, z as f32);
                squares += f64::from((laid - there.position(joint)).length_squared());
                count += 1.0;
            }
        }
        off.joints = (squares / count).sqrt();
        off
    }
}

pub(crate) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The largest way of a joint from a frame to the next, in metres.
pub(crate) fn largest_step(skeleton: &Skeleton, animation: &Animation) -> f32 {
    let rate = animation.frame_rate.unwrap();
    let frames = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(skeleton, animation);
    let mut before: Vec<Vec3> = sampler.points_at(0.0).collect();
    let mut largest = 0.0f32;
    for frame in 1..frames {
        let now: Vec<Vec3> = sampler.points_at((frame as f64 / rate) as f32).collect();
        for (a, b) in before.iter().zip(&now) {
            largest = largest.max((*b - *a).length());
        }
        before = now;
    }
    largest
}

/// Checks that every motion of a curve rises, and goes at half to twice the pace of the reference: what a slope limit of 1
/// promises.
pub(crate) fn assert_pace(curve: &RegistrationCurve, what: &str) {
    let rounding = 1e-9;
    for motion in 0..curve.len() {
        for step in 0..=4000 {
            let u = f64::from(step) / 4000.0;
            let (pace, other) = (curve.pace(motion, u), curve.pace(curve.reference(), u));
            assert!(pace > 0.0, "{what}: {pace} s at {u}");
            let pace = pace / other;
            assert!(
                (0.5 - rounding..=2.0 + rounding).contains(&pace),
                "{what}: motion {motion} at {pace} times the pace at {u}"
            );
        }
    }
}

/// Two motions at a weight of the second.
pub(crate) fn mixed(
    curve: &RegistrationCurve,
    motions: [Motion<'_>; 2],
    weight: f64,
) -> BlendedMotion {
    let weights = BlendWeights::Constant(vec![1.0 - weight, weight]);
    blend_motions(curve, &motions, &weights, GroundTransform::IDENTITY).unwrap()
}

/// The clip with its second half bent round by an angle, over the whole of that half.
pub(crate) fn bent(clip: &Clip, angle: f64) -> Animation {
    let length = f64::from(clip.animation.length);
    let frames = (length * clip.rate()).round() as usize + 1;
    let mut sampler = Sampler::new(&clip.skeleton, &clip.animation);
    let roots: Vec<[f64; 2]> = (0..frames)
        .map(|frame| {
            let root = sampler
                .pose_at((frame as f64 / clip.rate()) as f32)
                .position(JointIndex(0));
            [f64::from(root.x), f64::from(root.z)]
        })
        .collect();
    // From frame to frame the rest is turned a little more, about where the root is.
    let mut moves = vec![GroundTransform::IDENTITY];
    let half = frames / 2;
    for frame in 1..frames {
        let before = moves[frame - 1];
        let turn = if frame >= half {
            angle / (frames - half) as f64
        } else {
            0.0
        };
        let here = before.apply(roots[frame]);
        let to = |sign: f64| GroundTransform {
            angle: 0.0,
            x: sign * here[0],
            z: sign * here[1],
        };
        let about = GroundTransform {
            angle: turn,
            ..GroundTransform::IDENTITY
        };
        moves.push(before.then(&to(-1.0)).then(&about).then(&to(1.0)));
    }
    let rate = clip.rate();
    clip.remade(frames, |frame| frame as f64 / rate, |frame| moves[frame])
}
