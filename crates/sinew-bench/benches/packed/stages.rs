//! What a pose goes through.

use sinew::blend::blend_with;
use sinew::local_to_model::local_to_model_with;
use sinew::simd::SimdLevel;
use sinew::{BlendLayer, ModelPose, PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_author::compress::Profile;
use sinew_bench::Moments;
use std::hint::black_box;

/// In which order moments come.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    On,
    Back,
    Random,
}

/// What is done.
#[derive(Clone, Copy)]
enum What {
    Sample,
    Blend,
    ToModel,
    All,
}

/// Something to time and to count.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// How what it samples is packed.
    pub(crate) profile: Profile,
    order: Order,
    what: What,
}

const fn stage(name: &'static str, profile: Profile, order: Order, what: What) -> Stage {
    Stage {
        name,
        profile,
        order,
        what,
    }
}

pub(crate) const STAGES: [Stage; 8] = [
    stage("fast sample", Profile::Fast, Order::On, What::Sample),
    stage("backwards", Profile::Fast, Order::Back, What::Sample),
    stage("random", Profile::Fast, Order::Random, What::Sample),
    stage("small sample", Profile::Small, Order::On, What::Sample),
    stage("small random", Profile::Small, Order::Random, What::Sample),
    stage("blend two", Profile::Fast, Order::On, What::Blend),
    stage("local to model", Profile::Fast, Order::On, What::ToModel),
    stage("all", Profile::Fast, Order::On, What::All),
];

/// What the stages' names mean.
pub(crate) const LEGEND: &str = "Fast and small are the two profiles, packed within 0.1 mm. Samples are at 60 Hz in order, backwards, and at random \
     times. *All* is two fast samples in order, their blend, and local to model.";

/// A character and the buffers of all stages.
pub(crate) struct Stand<'a> {
    stage: Stage,
    skeleton: &'a Skeleton,
    packed: &'a PackedAnimation<'a>,
    moments: [Moments; 2],
    cursors: [PackedCursor; 2],
    rest: Pose,
    pub(crate) poses: [Pose; 2],
    out: Pose,
    model: ModelPose,
}

impl<'a> Stand<'a> {
    pub(crate) fn new(
        stage: Stage,
        skeleton: &'a Skeleton,
        packed: &'a PackedAnimation<'a>,
    ) -> Self {
        let rest = Pose::rest(skeleton);
        let length = packed.length();
        let mut cursors = [PackedCursor::new(), PackedCursor::new()];
        let mut poses = [rest.clone(), rest.clone()];
        for ((share, cursor), pose) in [0.0, 0.5].into_iter().zip(&mut cursors).zip(&mut poses) {
            packed.sample(share * length, cursor, pose).unwrap();
        }
        let moments = [0.0, f64::from(length) / 2.0].map(|from| match stage.order {
            Order::On => Moments::sequential(length, from),
            Order::Back => Moments::sequential(length, from).reversed(),
            Order::Random => Moments::random(length, from.to_bits()),
        });
        Self {
            stage,
            skeleton,
            packed,
            moments,
            cursors,
            out: rest.clone(),
            rest,
            poses,
            model: ModelPose::new(skeleton),
        }
    }

    /// One call of its stage.
    pub(crate) fn run(&mut self, level: SimdLevel) {
        match self.stage.what {
            What::Sample => self.sample(level),
            What::Blend => self.blend(level),
            What::ToModel => self.local_to_model(level),
            What::All => self.all(level),
        }
    }

    fn sample(&mut self, level: SimdLevel) {
        let time = self.moments[0].take();
        let [cursor, _] = &mut self.cursors;
        let [pose, _] = &mut self.poses;
        self.packed.sample_with(level, time, cursor, pose).unwrap();
        black_box(&self.poses);
    }

    fn blend(&mut self, level: SimdLevel) {
        let [a, b] = &self.poses;
        let layers = [BlendLayer::new(a, 0.3), BlendLayer::new(b, 0.7)];
        blend_with(level, black_box(&layers), &self.rest, &mut self.out).unwrap();
        black_box(&self.out);
    }

    fn local_to_model(&mut self, level: SimdLevel) {
        let [pose, _] = &self.poses;
        local_to_model_with(level, self.skeleton, black_box(pose), &mut self.model).unwrap();
        black_box(&self.model);
    }

    fn all(&mut self, level: SimdLevel) {
        let characters = self.moments.iter_mut().zip(&mut self.cursors);
        for ((moments, cursor), pose) in characters.zip(&mut self.poses) {
            let time = moments.take();
            self.packed.sample_with(level, time, cursor, pose).unwrap();
        }
        self.blend(level);
        local_to_model_with(level, self.skeleton, &self.out, &mut self.model).unwrap();
        black_box(&self.model);
    }
}
