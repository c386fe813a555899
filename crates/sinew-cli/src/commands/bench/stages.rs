//! What is timed, all in one race.

use sinew::glam::Quat;
use sinew::{
    BlendLayer, JointCountMismatch, ModelPose, PackedAnimation, PackedCursor, Pose, Skeleton,
    blend, local_to_model,
};
use sinew_bench::{Contestant, RaceSettings, race_with};
use std::hint::black_box;
use std::time::Duration;

/// Moments that are sampled in turn before they repeat; a power of two.
const MOMENTS: usize = 1024;

/// Steps of a player that shows sixty pictures a second.
const STEP: f64 = 1.0 / 60.0;

/// Bytes of eight joints of a pose.
const BLOCK_BYTES: usize = 8 * 40;

/// Nanoseconds of each stage.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// Of each packed form.
    pub(super) forms: Vec<FormTimes>,
    pub(super) blend: f64,
    pub(super) to_model: f64,
    /// A copy of a pose's bytes.
    pub(super) copy: f64,
    /// glam's slerp, joint by joint.
    pub(super) slerp: f64,
}

#[derive(Debug, Default)]
pub(super) struct FormTimes {
    pub(super) sequential: f64,
    pub(super) reverse: f64,
    pub(super) random: f64,
    /// Two samples, a blend, and from local to model.
    pub(super) chain: f64,
}

/// Motions to sample, and everything that is needed for it.
pub(super) struct Stages<'a> {
    skeleton: &'a Skeleton,
    forms: &'a [&'a PackedAnimation<'static>],
    rest: Pose,
}

/// Moments of a motion in some order.
#[derive(Clone)]
struct Moments {
    times: Vec<f32>,
    next: usize,
}

impl Moments {
    /// On and on from the beginning, again and again.
    fn sequential(length: f32, from: f64) -> Self {
        let length = f64::from(length).max(1e-6);
        let time = |step: usize| ((from + step as f64 * STEP) % length) as f32;
        Self {
            times: (0..MOMENTS).map(time).collect(),
            next: 0,
        }
    }

    fn reversed(mut self) -> Self {
        self.times.reverse();
        self
    }

    /// Anywhere, the same in every run.
    fn random(length: f32) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let time = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            length * ((state >> 40) as f32 / (1u64 << 24) as f32)
        };
        Self {
            times: (0..MOMENTS).map(time).collect(),
            next: 0,
        }
    }

    fn take(&mut self) -> f32 {
        let time = self.times[self.next % MOMENTS];
        self.next += 1;
        time
    }
}

/// Two samples, a blend and the way to matrices: what a character costs.
struct Chain<'a> {
    packed: &'a PackedAnimation<'static>,
    moments: [Moments; 2],
    cursors: [PackedCursor; 2],
    poses: [Pose; 2],
    out: Pose,
    model: ModelPose,
}

impl<'a> Stages<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, forms: &'a [&'a PackedAnimation<'static>]) -> Self {
        Self {
            skeleton,
            forms,
            rest: Pose::rest(skeleton),
        }
    }

    /// Times everything, in turns.
    ///
    /// # Errors
    /// When a motion is of another skeleton.
    pub(super) fn race(&self, is_quick: bool) -> Result<Times, JointCountMismatch> {
        let settings = if is_quick {
            RaceSettings {
                rounds: 10,
                slice: Duration::from_micros(500),
            }
        } else {
            RaceSettings::default()
        };
        let (a, b) = self.two_poses()?;
        let mut runs: Vec<Box<dyn FnMut() + '_>> = Vec::new();
        for &packed in self.forms {
            let on = Moments::sequential(packed.length(), 0.0);
            for moments in [on.clone(), on.reversed(), Moments::random(packed.length())] {
                runs.push(Box::new(self.sample(packed, moments)?));
            }
            runs.push(Box::new(self.chain(packed)?));
        }
        runs.push(Box::new(self.blend(&a, &b)?));
        runs.push(Box::new(self.to_model(&a)?));
        runs.push(Box::new(self.copy()));
        runs.push(Box::new(self.slerp(&a, &b)));
        let mut contestants: Vec<Contestant<'_>> = Vec::new();
        for run in &mut runs {
            contestants.push(run);
        }
        let times = race_with(settings, &mut contestants);
        let (forms, others) = times.split_at(self.forms.len() * 4);
        let mut others = others.iter().copied();
        let mut next = || others.next().unwrap_or(f64::NAN);
        Ok(Times {
            forms: forms
                .chunks_exact(4)
                .map(|own| FormTimes {
                    sequential: own[0],
                    reverse: own[1],
                    random: own[2],
                    chain: own[3],
                })
                .collect(),
            blend: next(),
            to_model: next(),
            copy: next(),
            slerp: next(),
        })
    }

    fn sample<'b>(
        &self,
        packed: &'b PackedAnimation<'static>,
        mut moments: Moments,
    ) -> Result<impl FnMut() + use<'b>, JointCountMismatch> {
        let (mut cursor, mut pose) = (PackedCursor::new(), self.rest.clone());
        packed.sample(0.0, &mut cursor, &mut pose)?;
        Ok(move || {
            // It went well once and can only do so again.
            let _ = packed.sample(moments.take(), &mut cursor, black_box(&mut pose));
        })
    }

    fn chain<'b>(
        &'b self,
        packed: &'b PackedAnimation<'static>,
    ) -> Result<impl FnMut() + use<'b>, JointCountMismatch> {
        let half = f64::from(packed.length()) / 2.0;
        let mut chain = Chain {
            packed,
            moments: [0.0, half].map(|from| Moments::sequential(packed.length(), from)),
            cursors: [PackedCursor::new(), PackedCursor::new()],
            poses: [self.rest.clone(), self.rest.clone()],
            out: self.rest.clone(),
            model: ModelPose::new(self.skeleton),
        };
        chain.run(self.skeleton, &self.rest)?;
        Ok(move || {
            let _ = chain.run(self.skeleton, &self.rest);
            black_box(&chain.model);
        })
    }

    /// The first motion as it begins and half-way through.
    fn two_poses(&self) -> Result<(Pose, Pose), JointCountMismatch> {
        let (mut a, mut b) = (self.rest.clone(), self.rest.clone());
        if let Some(packed) = self.forms.first() {
            let mut cursor = PackedCursor::new();
            packed.sample(0.0, &mut cursor, &mut a)?;
            packed.sample(packed.length() / 2.0, &mut cursor, &mut b)?;
        }
        Ok((a, b))
    }

    fn blend<'b>(
        &'b self,
        a: &'b Pose,
        b: &'b Pose,
    ) -> Result<impl FnMut() + use<'b>, JointCountMismatch> {
        let mut out = self.rest.clone();
        let layers = [BlendLayer::new(a, 0.3), BlendLayer::new(b, 0.7)];
        blend(&layers, &self.rest, &mut out)?;
        Ok(move || {
            let _ = blend(black_box(&layers), &self.rest, black_box(&mut out));
        })
    }

    fn to_model<'b>(
        &'b self,
        pose: &'b Pose,
    ) -> Result<impl FnMut() + use<'b>, JointCountMismatch> {
        let mut model = ModelPose::new(self.skeleton);
        local_to_model(self.skeleton, pose, &mut model)?;
        Ok(move || {
            let _ = local_to_model(self.skeleton, black_box(pose), black_box(&mut model));
        })
    }

    fn copy(&self) -> impl FnMut() + use<> {
        let bytes = vec![1u8; self.skeleton.len().div_ceil(8) * BLOCK_BYTES];
        let mut copy = bytes.clone();
        move || {
            copy.copy_from_slice(black_box(&bytes));
            black_box(&copy);
        }
    }

    fn slerp(&self, a: &Pose, b: &Pose) -> impl FnMut() + use<> {
        let pairs: Vec<[Quat; 2]> = (0..self.skeleton.len())
            .map(|joint| [a.rotation(joint.into()), b.rotation(joint.into())])
            .collect();
        let mut out = vec![Quat::IDENTITY; pairs.len()];
        move || {
            for (out, [a, b]) in out.iter_mut().zip(black_box(&pairs)) {
                *out = a.slerp(*b, 0.37);
            }
            black_box(&out);
        }
    }
}

impl Chain<'_> {
    fn run(&mut self, skeleton: &Skeleton, rest: &Pose) -> Result<(), JointCountMismatch> {
        for index in 0..2 {
            let time = self.moments[index].take();
            self.packed
                .sample(time, &mut self.cursors[index], &mut self.poses[index])?;
        }
        let [a, b] = &self.poses;
        let layers = [BlendLayer::new(a, 0.3), BlendLayer::new(b, 0.7)];
        blend(&layers, rest, &mut self.out)?;
        local_to_model(skeleton, &self.out, &mut self.model)
    }
}
