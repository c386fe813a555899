//! The 2D runtime against `rusty_skelform` 0.8. Run with `cargo bench -p sinew-bench`.
//!
//! With `SINEW_CORPUS` set it plays skellina and skellington, else the built-in sample.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark talks and may stop"
)]

use rusty_skelform as peer;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureData, ArmaturePose, ArmatureState,
    ConstructSettings, PhysicsStep, animate, construct,
};
use sinew_bench::race;
use sinew_formats::skf;
use std::hint::black_box;
use std::io::Read;
use std::path::PathBuf;

struct Subject {
    name: String,
    bytes: Vec<u8>,
    json: String,
}

impl Subject {
    /// The peer knows the Snap preset by its old name only.
    fn peer_json(&self) -> String {
        self.json.replace("\"Snap\"", "\"None\"")
    }
}

fn subjects() -> Vec<Subject> {
    let corpus = std::env::var_os("SINEW_CORPUS").map(PathBuf::from);
    let paths = match corpus {
        Some(corpus) => ["skellina-0.7.skf", "skellington-0.7.skf"]
            .map(|name| corpus.join("skf/macroquad-mit").join(name))
            .to_vec(),
        None => vec![PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../samples/pip.skf"
        ))],
    };
    let load = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
        let mut json = String::new();
        zip.by_name("armature.json")
            .unwrap()
            .read_to_string(&mut json)
            .unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Subject { name, bytes, json }
    };
    paths.iter().map(load).collect()
}

/// The same animation with `factor` times the keys: repeated in time, so that it looks the same.
fn lengthen(data: &mut ArmatureData, factor: u32) {
    for animation in &mut data.animations {
        let period = animation.keys.iter().map(|k| k.frame).max().unwrap_or(0) + 1;
        let once = animation.keys.clone();
        for round in 1..factor {
            animation.keys.extend(once.iter().cloned().map(|mut key| {
                key.frame += round * period;
                key
            }));
        }
    }
}

/// The peer wants its keys sorted and each to know the next of its kind.
fn lengthen_peer(armature: &mut peer::Armature, factor: u32) {
    for animation in &mut armature.animations {
        let period = animation
            .keyframes
            .iter()
            .map(|k| k.frame)
            .max()
            .unwrap_or(0)
            + 1;
        let once = animation.keyframes.clone();
        for round in 1..factor {
            animation
                .keyframes
                .extend(once.iter().cloned().map(|mut key| {
                    key.frame += round * period;
                    key
                }));
        }
        let keys = &mut animation.keyframes;
        keys.sort_by_key(|k| k.frame);
        let mut later = std::collections::HashMap::new();
        for i in (0..keys.len()).rev() {
            let track = (keys[i].bone_id, keys[i].element.clone());
            keys[i].next_kf = later.insert(track, i as i32).unwrap_or(-1);
        }
    }
}

/// Jumps about, so that every slice sees early and late frames alike: the peer looks at all keys up
/// to the frame it is asked for.
fn next_frame(frame: u32, last: u32) -> u32 {
    (frame + 7919) % (last + 1)
}

struct Ours {
    armature: Armature,
    state: ArmatureState,
    pose: ArmaturePose,
    frame: u32,
}

impl Ours {
    fn new(subject: &Subject, factor: u32) -> Self {
        let mut data = skf::read_json(subject.json.as_bytes())
            .unwrap()
            .armature
            .data()
            .clone();
        lengthen(&mut data, factor);
        let armature = Armature::new(data).unwrap();
        let state = armature.new_state();
        let pose = ArmaturePose::new(&armature);
        Self {
            armature,
            state,
            pose,
            frame: 0,
        }
    }

    fn animate(&mut self, animation: usize, smooth: f32) {
        let last = self.armature.animations()[animation]
            .last_frame()
            .unwrap_or(0);
        self.frame = next_frame(self.frame, last);
        let play = AnimationFrame::new(ArmatureAnimationIndex(animation as u32), self.frame as f32)
            .smooth(smooth);
        animate(&self.armature, &mut self.state, &[play]).unwrap();
        black_box(&self.state);
    }

    fn construct(&mut self) {
        self.construct_with(&ConstructSettings::default());
    }

    fn construct_with(&mut self, settings: &ConstructSettings) {
        construct(&self.armature, &mut self.state, settings, &mut self.pose).unwrap();
        black_box(&self.pose);
    }
}

struct Theirs {
    armature: peer::Armature,
    animations: Vec<peer::Animation>,
    frame: u32,
}

impl Theirs {
    fn new(subject: &Subject, factor: u32) -> Self {
        let mut armature: peer::Armature = serde_json::from_str(&subject.peer_json()).unwrap();
        lengthen_peer(&mut armature, factor);
        Self {
            animations: armature.animations.clone(),
            armature,
            frame: 0,
        }
    }

    fn animate(&mut self, animation: usize, smooth: u32) {
        let animation = &self.animations[animation];
        let last = animation.keyframes.last().map_or(0, |k| k.frame);
        self.frame = next_frame(self.frame, last);
        let a = &mut self.armature;
        let (bones, ik, visuals) = (&mut a.bones, &mut a.inverse_kinematics, &mut a.visuals);
        peer::animate(
            bones,
            ik,
            visuals,
            &vec![animation],
            &vec![self.frame],
            &vec![smooth],
        );
        black_box(&self.armature);
    }

    fn construct(&mut self) {
        peer::construct(&mut self.armature);
        black_box(&self.armature);
    }
}

fn row(what: &str, [ours, theirs]: [f64; 2]) {
    println!(
        "  {what:<44} {ours:>9.0} ns {theirs:>10.0} ns {:>7.1}x",
        theirs / ours
    );
}

fn main() {
    // `cargo test --benches` asks for a run that proves nothing but that it runs.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    for subject in subjects() {
        println!("{}: sinew, rusty_skelform 0.8, ratio", subject.name);
        let names: Vec<String> = Theirs::new(&subject, 1)
            .animations
            .iter()
            .map(|a| a.name.clone())
            .collect();
        for (index, name) in names.iter().enumerate() {
            for factor in [1, 10, 100] {
                let (mut a, mut b) = (Ours::new(&subject, factor), Theirs::new(&subject, factor));
                let times = race([&mut || a.animate(index, 0.0), &mut || b.animate(index, 0)]);
                row(&format!("animate {name}, keys x{factor}"), times);
            }
            let (mut a, mut b) = (Ours::new(&subject, 1), Theirs::new(&subject, 1));
            let times = race([&mut || a.animate(index, 20.0), &mut || b.animate(index, 20)]);
            row(&format!("animate {name}, smoothing 20"), times);
            let times = race([
                &mut || {
                    a.animate(index, 0.0);
                    a.construct();
                },
                &mut || {
                    b.animate(index, 0);
                    b.construct();
                },
            ]);
            row(&format!("animate + construct {name}"), times);
        }
        breakdown(&subject);
        crowd(&subject);
        load(&subject);
        println!();
    }
}

/// What a call of construct spends its time on: the same with parts switched off.
fn breakdown(subject: &Subject) {
    let whole = ConstructSettings::default();
    let no_physics = ConstructSettings {
        physics: PhysicsStep::Off,
        ..whole
    };
    let no_ik = ConstructSettings {
        ik: false,
        ..no_physics
    };
    let mut actors = [(); 3].map(|()| Ours::new(subject, 1));
    let [a, b, c] = &mut actors;
    let [whole, no_physics, no_ik] = race([
        &mut || a.construct_with(&whole),
        &mut || b.construct_with(&no_physics),
        &mut || c.construct_with(&no_ik),
    ]);
    println!(
        "  construct {whole:.0} ns = physics {:.0} + IK {:.0} + inheritance, meshes, hiding {no_ik:.0}",
        whole - no_physics,
        no_physics - no_ik
    );
}

/// A thousand characters over one armature, against as many of the peer's.
fn crowd(subject: &Subject) {
    const COUNT: usize = 1000;
    let mut a = Ours::new(subject, 1);
    let mut states = vec![a.state.clone(); COUNT];
    let mut theirs: Vec<Theirs> = (0..COUNT).map(|_| Theirs::new(subject, 1)).collect();
    let last = a.armature.animations()[0].last_frame().unwrap_or(0) + 1;
    let mut tick = 0;
    let settings = ConstructSettings::default();
    let times = race([
        &mut || {
            tick += 1;
            for (index, state) in states.iter_mut().enumerate() {
                let frame = (index as u32 * 7 + tick) % last;
                let play = AnimationFrame::new(ArmatureAnimationIndex(0), frame as f32);
                animate(&a.armature, state, &[play]).unwrap();
                construct(&a.armature, state, &settings, &mut a.pose).unwrap();
            }
            black_box(&a.pose);
        },
        &mut || {
            for character in &mut theirs {
                character.animate(0, 0);
                character.construct();
            }
        },
    ]);
    row(
        "per character in a crowd of 1,000",
        times.map(|time| time / COUNT as f64),
    );
    println!("  bytes per character: {}", a.state.memory());
}

fn load(subject: &Subject) {
    let peer_json = subject.peer_json();
    let times = race([
        &mut || drop(black_box(skf::read_json(subject.json.as_bytes()).unwrap())),
        &mut || {
            drop(black_box(
                serde_json::from_str::<peer::Armature>(&peer_json).unwrap(),
            ))
        },
    ]);
    row("load armature.json", times);
    let settings = skf::ReadSettings { pictures: true };
    let [whole] = race([&mut || {
        drop(black_box(
            skf::read_bytes_with(&subject.bytes, settings).unwrap(),
        ))
    }]);
    println!("  load with pictures: {:.1} ms", whole / 1e6);
}
