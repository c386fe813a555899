//! Poses at run time: blending two and forward kinematics, at every SIMD level of the machine.
//! Run with `cargo bench -p sinew-bench --bench pose`.
//!
//! No crate on stable Rust does the same, so the peers are two loops of the same run: a copy of the pose's
//! bytes, and glam's slerp from joint to joint. With `-- instructions` it counts instructions per call instead,
//! which no mode of the machine changes; that needs valgrind. For 31 joints ozz-animation 0.16 takes 1,449 to
//! blend two poses and 4,007 from local to model.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark talks and may stop"
)]

use sinew::blend::{JointWeights, add_pose_with, blend_with};
use sinew::glam::{Mat4, Quat, Vec3};
use sinew::local_to_model::{inverse_binds, local_to_model_with, skinning_palette_with};
use sinew::simd::SimdLevel;
use sinew::{BlendLayer, Joint, JointIndex, ModelPose, Pose, Skeleton, Transform};
use sinew_bench::{instructions_per_call, race};
use std::hint::black_box;

/// One call of a stage.
type Run = fn(&mut Stand, SimdLevel);

/// What a pose goes through.
const STAGES: [(&str, Run); 6] = [
    ("blend two", Stand::blend_two),
    ("blend two masked", Stand::blend_two_masked),
    ("blend four", Stand::blend_four),
    ("add", Stand::add),
    ("local to model", Stand::local_to_model),
    ("palette", Stand::palette),
];

/// A character and the buffers of all stages.
struct Stand {
    skeleton: Skeleton,
    rest: Pose,
    poses: [Pose; 4],
    upper: JointWeights,
    out: Pose,
    model: ModelPose,
    binds: Vec<Mat4>,
    palette: Vec<Mat4>,
}

impl Stand {
    fn new(joints: usize) -> Self {
        let skeleton = body(joints);
        let rest = Pose::rest(&skeleton);
        let poses = [1.0, 2.0, 3.0, 4.0].map(|seed: f32| {
            let mut pose = rest.clone();
            for joint in 0..joints {
                let angle = seed + joint as f32;
                let turn = Quat::from_xyzw(angle.sin(), 0.3, angle.cos(), 1.1).normalize();
                pose.set_rotation(joint.into(), turn);
            }
            pose
        });
        Self {
            out: rest.clone(),
            model: ModelPose::new(&skeleton),
            binds: inverse_binds(&skeleton),
            palette: vec![Mat4::IDENTITY; joints],
            upper: JointWeights::subtree(&skeleton, JointIndex(joints as u32 / 2), 1.0, 0.25),
            skeleton,
            rest,
            poses,
        }
    }

    fn blend_two(&mut self, level: SimdLevel) {
        let [a, b, ..] = &self.poses;
        let layers = [BlendLayer::new(a, 0.3), BlendLayer::new(b, 0.7)];
        blend_with(level, black_box(&layers), &self.rest, &mut self.out).unwrap();
    }

    fn blend_two_masked(&mut self, level: SimdLevel) {
        let [a, b, ..] = &self.poses;
        let upper = BlendLayer {
            joints: Some(&self.upper),
            ..BlendLayer::new(b, 0.7)
        };
        let layers = [BlendLayer::new(a, 0.3), upper];
        blend_with(level, black_box(&layers), &self.rest, &mut self.out).unwrap();
    }

    fn blend_four(&mut self, level: SimdLevel) {
        let layers = self
            .poses
            .each_ref()
            .map(|pose| BlendLayer::new(pose, 0.25));
        blend_with(level, black_box(&layers), &self.rest, &mut self.out).unwrap();
    }

    fn add(&mut self, level: SimdLevel) {
        add_pose_with(level, &mut self.out, &self.poses[0], 0.5, None).unwrap();
    }

    fn local_to_model(&mut self, level: SimdLevel) {
        local_to_model_with(level, &self.skeleton, &self.poses[0], &mut self.model).unwrap();
    }

    fn palette(&mut self, level: SimdLevel) {
        skinning_palette_with(level, &self.model, &self.binds, &mut self.palette).unwrap();
    }
}

/// A spine with limbs of four joints.
fn body(joints: usize) -> Skeleton {
    let joint = |index: usize| Joint {
        name: format!("joint {index}"),
        parent: match index {
            0 => None,
            spine if spine.is_multiple_of(5) => Some(JointIndex::from(spine - 5)),
            limb => Some(JointIndex::from(limb - 1)),
        },
        rest: Transform::from_position(Vec3::new(0.1, 0.2, 0.03)),
        tip: None,
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

fn times(joints: usize) {
    let rotations: Vec<[Quat; 2]> = {
        let stand = Stand::new(joints);
        let pair = |joint: usize| [0, 1].map(|pose| stand.poses[pose].rotation(joint.into()));
        (0..joints).map(pair).collect()
    };
    let bytes = vec![1u8; joints.next_multiple_of(8) * 40];
    let mut copy = bytes.clone();
    let mut turned = vec![Quat::IDENTITY; joints];
    println!(
        "{joints} joints                           time    of a copy of the pose    of glam's slerps"
    );
    for level in SimdLevel::all() {
        for (stage, run) in STAGES {
            let mut stand = Stand::new(joints);
            let [copied, slerped, ours] = race([
                &mut || {
                    copy.copy_from_slice(black_box(&bytes));
                    black_box(&copy);
                },
                &mut || {
                    for (out, [a, b]) in turned.iter_mut().zip(black_box(&rotations)) {
                        *out = a.slerp(*b, 0.37);
                    }
                    black_box(&turned);
                },
                &mut || run(black_box(&mut stand), level),
            ]);
            println!(
                "  {stage:18} {:5} {ours:10.1} ns {:16.1}x {:18.3}x",
                level.name(),
                ours / copied,
                ours / slerped,
            );
        }
    }
}

/// Instructions per call, as valgrind counts them: the difference between many calls and more.
fn instructions(joints: usize) {
    println!("{joints} joints              instructions per call");
    for level in SimdLevel::all() {
        for (stage, _) in STAGES {
            let size = joints.to_string();
            let count = instructions_per_call(&["calls", stage, level.name(), &size]).unwrap();
            println!("  {stage:18} {:5} {count:10}", level.name());
        }
    }
}

/// Calls a stage so many times and does nothing else: what valgrind is run on.
fn calls(stage: &str, level: &str, joints: usize, calls: u32) {
    let level = SimdLevel::all()
        .find(|known| known.name() == level)
        .unwrap();
    let (_, run) = STAGES.into_iter().find(|(name, _)| *name == stage).unwrap();
    let mut stand = Stand::new(joints);
    for _ in 0..calls {
        run(black_box(&mut stand), level);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["calls", stage, level, joints, count] => calls(
            stage,
            level,
            joints.parse().unwrap(),
            count.parse().unwrap(),
        ),
        ["instructions", ..] => [31, 67].into_iter().for_each(instructions),
        _ => [31, 67].into_iter().for_each(times),
    }
}
