//! The stages that are timed, interleaved in one run.

use sinew::pose::JointCountMismatch;
use sinew::{
    BlendLayer, ModelPose, PackedAnimation, PackedCursor, Pose, Skeleton, blend, local_to_model,
};
use sinew_timing::{
    Contestant, CrowdTimes, Moments, RaceSettings, copy_loop, race_with, slerp_loop, time_crowd,
};
use std::hint::black_box;
use std::time::Duration;

/// Characters of a crowd: more than fit in the processor's caches.
const CROWD: usize = 4_000;

/// The largest number of matrices of a crowd, 64 MB; skeletons with very many joints get fewer characters.
const CROWD_MATRICES: usize = 1 << 20;

/// Times of each stage in nanoseconds.
#[derive(Debug)]
pub(super) struct Times {
    /// Times of each packed form.
    pub(super) forms: Vec<FormTimes>,
    pub(super) blend: f64,
    pub(super) to_model: f64,
    /// Copying the bytes of a pose.
    pub(super) copy: f64,
    /// glam's slerp for each joint.
    pub(super) slerp: f64,
}

#[derive(Debug)]
pub(super) struct FormTimes {
    pub(super) sequential: f64,
    pub(super) reverse: f64,
    pub(super) random: f64,
    /// Two samples, a blend, and local to model space.
    pub(super) chain: f64,
    /// The same for a crowd.
    pub(super) crowd: CrowdTimes,
}

/// The motions to sample, with their buffers.
pub(super) struct Stages<'a> {
    skeleton: &'a Skeleton,
    forms: &'a [&'a PackedAnimation<'static>],
    rest: Pose,
}

/// Two samples, a blend and skinning matrices: the cost of one character.
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

    /// Times all stages, interleaved.
    ///
    /// # Errors
    /// If a motion has another skeleton.
    pub(super) fn race(&self, is_quick: bool) -> Result<Times, JointCountMismatch> {
        let settings = if is_quick {
            RaceSettings {
                rounds: 10,
                slice: Duration::from_micros(500),
                ..RaceSettings::default()
            }
        } else {
            RaceSettings::default()
        };
        let (a, b) = self.two_poses()?;
        let mut runs: Vec<Box<dyn FnMut() + '_>> = Vec::new();
        for &packed in self.forms {
            let on = Moments::sequential(packed.length(), 0.0);
            for moments in [
                on.clone(),
                on.reversed(),
                Moments::random(packed.length(), 0),
            ] {
                runs.push(Box::new(self.sample(packed, moments)?));
            }
            runs.push(Box::new(self.chain(packed)?));
        }
        runs.push(Box::new(self.blend(&a, &b)?));
        runs.push(Box::new(self.to_model(&a)?));
        runs.push(Box::new(copy_loop(self.skeleton.len())));
        runs.push(Box::new(slerp_loop(&a, &b)));
        let mut contestants: Vec<Contestant<'_>> = Vec::new();
        for run in &mut runs {
            contestants.push(run);
        }
        let times = race_with(settings, &mut contestants);
        let (forms, others) = times.split_at(self.forms.len() * 4);
        let crowds = self.crowds(is_quick)?;
        let mut others = others.iter().copied();
        let mut next = || others.next().unwrap_or(f64::NAN);
        Ok(Times {
            forms: forms
                .chunks_exact(4)
                .zip(crowds)
                .map(|(stage_times, crowd)| FormTimes {
                    sequential: stage_times[0],
                    reverse: stage_times[1],
                    random: stage_times[2],
                    chain: stage_times[3],
                    crowd,
                })
                .collect(),
            blend: next(),
            to_model: next(),
            copy: next(),
            slerp: next(),
        })
    }

    /// Times a crowd with each form.
    fn crowds(&self, is_quick: bool) -> Result<Vec<CrowdTimes>, JointCountMismatch> {
        let (count, rounds) = if is_quick { (1_000, 1) } else { (CROWD, 8) };
        let most = CROWD_MATRICES / self.skeleton.len().max(1);
        let count = count.min(most.max(1));
        let settings = RaceSettings {
            rounds,
            slice: Duration::from_millis(1),
            calls: 1,
        };
        let crowd = |&packed: &&PackedAnimation<'static>| {
            time_crowd(self.skeleton, &[packed], count, settings)
        };
        self.forms.iter().map(crowd).collect()
    }

    fn sample<'b>(
        &self,
        packed: &'b PackedAnimation<'static>,
        mut moments: Moments,
    ) -> Result<impl FnMut() + use<'b>, JointCountMismatch> {
        let (mut cursor, mut pose) = (PackedCursor::new(), self.rest.clone());
        packed.sample(0.0, &mut cursor, &mut pose)?;
        Ok(move || {
            // The same call succeeded before the timing.
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

    /// Samples the first motion at its start and at half its length.
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
