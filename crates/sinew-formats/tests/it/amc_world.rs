//! Where bones are: against golden numbers, and at every frame of every real motion against a second
//! implementation of the definition's recursion, in matrices and in double precision.

use crate::common;
use crate::common::acclaim;
use acclaim::{good_files, read_amc, read_asf, skeleton_of};
use serde_json::Value;
use sinew::{JointIndex, ModelPose, Pose, local_to_model, sample};
use sinew_formats::MotionFile;
use sinew_formats::amc::{self, Amc};
use sinew_formats::asf::{AngleUnit, Asf, AxisOrder, Dof, Units};
use sinew_testing::exact::rotation_matrix;
use std::path::Path;

type Matrix = [[f64; 3]; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn times(a: Matrix, b: Matrix) -> Matrix {
    let mut product = [[0.0; 3]; 3];
    for (row, out) in product.iter_mut().enumerate() {
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..3).map(|k| a[row][k] * b[k][column]).sum();
        }
    }
    product
}

fn transposed(m: Matrix) -> Matrix {
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| m[column][row]))
}

fn apply(m: Matrix, v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (x * x + y * y + z * z).sqrt()
}

fn elementary(axis: usize, angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    match axis {
        0 => [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
        1 => [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
        _ => [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
    }
}

fn radians(angle: f64, unit: AngleUnit) -> f64 {
    match unit {
        AngleUnit::Degrees => angle.to_radians(),
        AngleUnit::Radians => angle,
    }
}

/// The axes of a bone or of the root: the order's first letter is applied first.
fn axes(angles: [f64; 3], order: AxisOrder, unit: AngleUnit) -> Matrix {
    order.name().bytes().fold(IDENTITY, |m, letter| {
        let axis = usize::from(letter - b'X');
        times(elementary(axis, radians(angles[axis], unit)), m)
    })
}

/// A bone's own movement in a frame: translation, rotation, length.
fn movement(amc: &Amc, track: usize, frame: usize) -> ([f64; 3], Matrix, Option<f64>) {
    let track = &amc.tracks[track];
    let (mut t, mut r, mut l) = ([0.0; 3], IDENTITY, None);
    for (dof, values) in track.dofs.iter().zip(&track.values) {
        let value = values[frame];
        match dof {
            Dof::Tx => t[0] = value,
            Dof::Ty => t[1] = value,
            Dof::Tz => t[2] = value,
            Dof::Rx => r = times(elementary(0, radians(value, amc.angle)), r),
            Dof::Ry => r = times(elementary(1, radians(value, amc.angle)), r),
            Dof::Rz => r = times(elementary(2, radians(value, amc.angle)), r),
            Dof::Length => l = Some(value),
        }
    }
    (t, r, l)
}

/// Where a bone is in the world.
#[derive(Clone, Copy)]
struct World {
    rotation: Matrix,
    start: [f64; 3],
    end: [f64; 3],
    length: f64,
}

/// The recursion: the root, then each bone.
fn recursion(asf: &Asf, amc: &Amc, frame: usize) -> Vec<World> {
    let c0 = axes(asf.root.orientation, asf.root.axis, asf.units.angle);
    let (t, r, _) = movement(amc, 0, frame);
    let root = sum(asf.root.position, apply(c0, t));
    let mut worlds = vec![World {
        rotation: times(c0, r),
        start: root,
        end: root,
        length: 0.0,
    }];
    for (index, bone) in asf.bones.iter().enumerate() {
        let parent = worlds[bone.parent.map_or(0, |parent| parent + 1)];
        let c = axes(bone.axis, bone.axis_order, asf.units.angle);
        let (t, b, l) = movement(amc, index + 1, frame);
        let local = times(times(c, b), transposed(c));
        let rotation = times(parent.rotation, local);
        let start = sum(parent.end, apply(times(parent.rotation, c), t));
        let length = l.unwrap_or(bone.length);
        let end = sum(start, apply(rotation, bone.direction.map(|d| d * length)));
        worlds.push(World {
            rotation,
            start,
            end,
            length,
        });
    }
    worlds
}

/// The public way: sample, then local to model.
struct Player {
    motion: MotionFile,
    binding: sinew::sample::Binding,
    pose: Pose,
    model: ModelPose,
}

impl Player {
    fn new(motion: MotionFile) -> Self {
        Self {
            binding: motion.animations[0].bind(&motion.skeleton),
            pose: Pose::rest(&motion.skeleton),
            model: ModelPose::new(&motion.skeleton),
            motion,
        }
    }

    fn rest(&mut self) {
        self.pose = Pose::rest(&self.motion.skeleton);
        local_to_model(&self.motion.skeleton, &self.pose, &mut self.model).unwrap();
    }

    fn at(&mut self, frame: usize) {
        let animation = &self.motion.animations[0];
        let time = animation.frame_time(frame);
        sample(animation, &self.binding, time, &mut self.pose).unwrap();
        local_to_model(&self.motion.skeleton, &self.pose, &mut self.model).unwrap();
        assert!(self.model.is_finite());
    }

    fn joint(&self, name: &str) -> JointIndex {
        self.motion.skeleton.find(name).unwrap()
    }

    fn start(&self, name: &str) -> [f64; 3] {
        self.model
            .position(self.joint(name))
            .to_array()
            .map(f64::from)
    }

    /// A bone ends at its tip, or where the first joint on it is. The root has no length.
    fn end(&self, name: &str) -> [f64; 3] {
        let skeleton = &self.motion.skeleton;
        let joint = self.joint(name);
        if name == "root" {
            return self.start(name);
        }
        let end = self.model.tip(skeleton, joint);
        let end = end.unwrap_or_else(|| {
            let child = skeleton.children(joint).next().unwrap();
            self.model.position(child)
        });
        end.to_array().map(f64::from)
    }

    fn rotation(&self, name: &str) -> Matrix {
        let m = self.model.matrix(self.joint(name));
        let columns = [m.x_axis, m.y_axis, m.z_axis].map(|c| c.truncate().to_array());
        [0, 1, 2].map(|row| columns.map(|column| f64::from(column[row])))
    }
}

fn from_json(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|number| number.as_f64().unwrap()).collect()
}

fn point(value: &Value) -> [f64; 3] {
    from_json(value).try_into().unwrap()
}

fn largest_difference(a: Matrix, b: Matrix) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn motion(path: &Path, units: Units) -> MotionFile {
    let settings = amc::AmcSettings {
        lenient: true,
        units,
        ..amc::AmcSettings::default()
    };
    amc::read(path, Some(&skeleton_of(path)), &settings).unwrap()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn joints_match_golden_positions() {
    let corpus = common::required_corpus();
    let golden = std::fs::read(corpus.join("../golden/amc.json")).unwrap();
    let golden: Value = serde_json::from_slice(&golden).unwrap();
    let tolerance = golden["conventions"]["tolerance"].as_f64().unwrap();
    assert_eq!(tolerance, 1e-4);
    let mut joints = 0;
    let mut worst = 0.0f64;
    let clips = golden["clips"].as_object().unwrap();
    for (name, clip) in clips {
        let path = match name.as_str() {
            "131_04" => "asf-amc/cmu-visdoom/131_04-dance.amc".to_owned(),
            name => format!("asf-amc/seed-clips/{name}.amc"),
        };
        let mut player = Player::new(motion(&corpus.join(path), Units::Raw));
        let animation = &player.motion.animations[0];
        assert_eq!(
            animation.frame_count() as u64,
            clip["frame_count"].as_u64().unwrap()
        );
        let order: Vec<_> = player
            .motion
            .skeleton
            .joints()
            .iter()
            .map(|j| &j.name)
            .collect();
        assert_eq!(
            order,
            golden["joint_order_depth_first"]
                .as_array()
                .unwrap()
                .iter()
                .collect::<Vec<_>>()
        );
        for (name, parent) in golden["parents"].as_object().unwrap() {
            let joint = player.motion.skeleton.joint(player.joint(name)).unwrap();
            let found = joint
                .parent
                .map(|parent| player.motion.skeleton.joint(parent).unwrap().name.as_str());
            assert_eq!(found, parent.as_str(), "{name}");
        }
        for frame in clip["frames"].as_array().unwrap() {
            let index = frame["sample_index"].as_u64().unwrap() as usize;
            player.at(index);
            for (joint, expected) in frame["joints"].as_object().unwrap() {
                let start = distance(player.start(joint), point(&expected["start"]));
                let end = distance(player.end(joint), point(&expected["end"]));
                let turn = from_json(&expected["world_rot_xyzw"]);
                let turn = rotation_matrix(turn.try_into().unwrap());
                let turn = turn.transpose().to_cols_array_2d();
                let turn = largest_difference(player.rotation(joint), turn);
                let most = start.max(end).max(turn);
                assert!(
                    most < tolerance,
                    "{name} {index} {joint}: {start} {end} {turn}"
                );
                worst = worst.max(most);
                joints += 1;
            }
        }
        if clip["asf"] == "skeleton.asf" {
            player.rest();
            for (joint, expected) in golden["rest_pose_skeleton_asf"].as_object().unwrap() {
                assert!(distance(player.start(joint), point(&expected["start"])) < tolerance);
                assert!(distance(player.end(joint), point(&expected["end"])) < tolerance);
            }
        }
    }
    common::say(&format!(
        "amc golden: {} clips, {joints} joints, worst difference {worst:.1e}",
        clips.len()
    ));
    assert!(joints > 600);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_frame_of_every_motion_matches_the_recursive_definition() {
    let (mut clips, mut frames, mut joints) = (0, 0, 0);
    let (mut worst, mut worst_turn, mut worst_length, mut worst_limb) =
        (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for path in &good_files("amc") {
        let asf = read_asf(&std::fs::read(skeleton_of(path)).unwrap(), true).unwrap();
        let raw = read_amc(&std::fs::read(path).unwrap(), &asf, true).unwrap();
        let mut player = Player::new(motion(path, Units::Raw));
        let names: Vec<String> = asf.bones.iter().map(|bone| bone.name.clone()).collect();
        assert_eq!(player.motion.animations[0].frame_count(), raw.frame_count());
        let metres = Units::CmuMetres.metres(&asf.units);
        for frame in 0..raw.frame_count() {
            player.at(frame);
            let worlds = recursion(&asf, &raw, frame);
            let all = std::iter::once("root").chain(names.iter().map(String::as_str));
            for (name, world) in all.zip(&worlds) {
                let length = distance(world.start, world.end);
                let error = (length - world.length).abs() / world.length.max(1.0);
                worst_length = worst_length.max(error);
                let (start, end) = (player.start(name), player.end(name));
                let far = distance(start, world.start).max(distance(end, world.end));
                worst = worst.max(far);
                let turn = largest_difference(player.rotation(name), world.rotation);
                worst_turn = worst_turn.max(turn);
                let limb = (distance(start, end) - world.length).abs() * metres;
                worst_limb = worst_limb.max(limb);
                assert!(far < 1e-4, "{} frame {frame} {name}: {far}", path.display());
                assert!(
                    turn < 1e-5,
                    "{} frame {frame} {name}: {turn}",
                    path.display()
                );
                joints += 1;
            }
            frames += 1;
        }
        clips += 1;
    }
    common::say(&format!(
        "amc recursion: {clips} clips, {frames} frames, {joints} joints; positions differ by up to \
         {worst:.1e} units, rotations by {worst_turn:.1e}; limb lengths vary by {worst_length:.1e} in f64 \
         (relative) and {worst_limb:.1e} m in f32"
    ));
    assert!(worst_length < 1e-9);
    assert!(worst_limb < 1e-6);
    assert!(clips >= 45);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn equivalent_skeleton_files_give_the_same_motion() {
    let corpus = common::required_corpus();
    let folder = corpus.join("asf-amc/synthetic");
    let player = |name: &str| Player::new(motion(&folder.join(name), Units::Raw));
    let mut base = player("base.amc");
    let names: Vec<String> = base
        .motion
        .skeleton
        .joints()
        .iter()
        .map(|joint| joint.name.clone())
        .collect();
    let mut worst = 0.0f64;
    let others = ["rad.amc", "dof_rz_ry_rx.amc", "extras.amc"];
    for other in others {
        let mut other = player(other);
        for frame in 0..base.motion.animations[0].frame_count() {
            base.at(frame);
            other.at(frame);
            for name in &names {
                let far = distance(base.end(name), other.end(name));
                worst = worst
                    .max(far)
                    .max(distance(base.start(name), other.start(name)));
            }
        }
    }
    common::say(&format!(
        "amc re-expressions: {} files differ by up to {worst:.1e} units",
        others.len()
    ));
    assert!(worst < 1e-5);
}
