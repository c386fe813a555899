//! Motion files: text to numbers, numbers to quaternion tracks, tracks to poses, and whole conversions.
//! Run with `cargo bench -p sinew-bench --bench motion`.
//!
//! With `SINEW_CORPUS` set it reads CMU's clips, else the built-in samples. The peers are the standard
//! library's `str::parse` on every token of the same bytes, `bvh_anim` 0.4, and glam's own slerp.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark talks and may stop"
)]

use rayon::prelude::*;
use sinew::glam::Quat;
use sinew::{Animation, ModelPose, Pose, Skeleton, local_to_model, sample};
use sinew_bench::race;
use sinew_formats::amc::{self, AmcSettings};
use sinew_formats::asf::{self, Asf, AsfSettings, Units};
use sinew_formats::bvh::{self, BvhSettings, BvhWriteSettings};
use sinew_formats::gltf::{self, GltfWriteSettings};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

struct Clip {
    name: String,
    asf: Asf,
    amc: Vec<u8>,
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn clips() -> Vec<Clip> {
    let corpus = std::env::var_os("SINEW_CORPUS").map(PathBuf::from);
    let files = match corpus {
        Some(corpus) => {
            let folder = corpus.join("asf-amc");
            [
                ("cmu-cyun9601/01.asf", "cmu-cyun9601/01_01.amc"),
                ("cmu-visdoom/131-dance.asf", "cmu-visdoom/131_04-dance.amc"),
                ("snu-tilling/wd2.asf", "snu-tilling/walk_crawl_walk.amc"),
            ]
            .map(|(asf, amc)| (folder.join(asf), folder.join(amc)))
            .to_vec()
        }
        None => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/motion");
            vec![(folder.join("figure.asf"), folder.join("walk.amc"))]
        }
    };
    let load = |(asf, amc): &(PathBuf, PathBuf)| Clip {
        name: amc.file_stem().unwrap().to_string_lossy().into_owned(),
        asf: asf::read_bytes(&read(asf), &AsfSettings { lenient: true }).unwrap(),
        amc: read(amc),
    };
    files.iter().map(load).collect()
}

fn megabytes_per_second(bytes: usize, nanoseconds: f64) -> f64 {
    bytes as f64 / nanoseconds * 1e3
}

/// What reading costs whoever splits at spaces and parses every token.
fn parse_plainly(bytes: &[u8]) -> f64 {
    let text = std::str::from_utf8(bytes).unwrap();
    let numbers = text
        .split_ascii_whitespace()
        .filter_map(|token| token.parse::<f64>().ok());
    numbers.sum()
}

fn amc_speed(clips: &[Clip]) {
    println!(
        "AMC, one thread            plain str::parse    to channel values      to quaternion tracks"
    );
    let settings = AmcSettings::default();
    for clip in clips {
        let bytes = &clip.amc;
        let [plain, channels, tracks] = race([
            &mut || {
                black_box(parse_plainly(black_box(bytes)));
            },
            &mut || {
                black_box(amc::read_bytes(black_box(bytes), &clip.asf, &settings).unwrap());
            },
            &mut || {
                let amc = amc::read_bytes(black_box(bytes), &clip.asf, &settings).unwrap();
                black_box(amc::to_motion(&clip.asf, amc, Units::CmuMetres).unwrap());
            },
        ]);
        let speed = |time| megabytes_per_second(bytes.len(), time);
        println!(
            "  {:20} {:10.0} MB/s {:12.0} MB/s ({:4.2}x) {:12.0} MB/s ({:4.2}x)",
            clip.name,
            speed(plain),
            speed(channels),
            plain / channels,
            speed(tracks),
            plain / tracks,
        );
    }
}

/// What `peer` is.
const PEER: &str = if cfg!(bvh_anim) {
    "bvh_anim 0.4"
} else {
    "(not built)"
};

/// Reads a BVH file with `bvh_anim`.
#[cfg(bvh_anim)]
fn peer(bytes: &[u8]) {
    black_box(bvh_anim::from_bytes(bytes).unwrap());
}

/// `bvh_anim` is only built with `RUSTFLAGS="--cfg bvh_anim"`; the plain loop stands in for it.
#[cfg(not(bvh_anim))]
fn peer(bytes: &[u8]) {
    black_box(parse_plainly(bytes));
}

fn bvh_speed(clips: &[Clip]) {
    println!(
        "BVH, one thread            plain str::parse    {:12}     to channel values      to quaternion tracks",
        PEER
    );
    let settings = BvhSettings::default();
    for clip in clips {
        let (skeleton, animation) = motion(clip);
        let bytes = bvh::write_bytes(&skeleton, &animation, &BvhWriteSettings::default()).unwrap();
        let bytes: &[u8] = bytes.as_ref();
        let [plain, peer, channels, tracks] = race([
            &mut || {
                black_box(parse_plainly(black_box(bytes)));
            },
            &mut || peer(black_box(bytes)),
            &mut || {
                black_box(bvh::read_bytes(black_box(bytes), &settings).unwrap());
            },
            &mut || {
                let bvh = bvh::read_bytes(black_box(bytes), &settings).unwrap();
                black_box(bvh.into_motion(&settings).unwrap());
            },
        ]);
        let speed = |time| megabytes_per_second(bytes.len(), time);
        println!(
            "  {:20} {:10.0} MB/s {:10.0} MB/s {:12.0} MB/s ({:4.1}x) {:12.0} MB/s ({:4.1}x the peer)",
            clip.name,
            speed(plain),
            speed(peer),
            speed(channels),
            peer / channels,
            speed(tracks),
            peer / tracks,
        );
    }
}

fn motion(clip: &Clip) -> (Skeleton, Animation) {
    let amc = amc::read_bytes(&clip.amc, &clip.asf, &AmcSettings::default()).unwrap();
    let mut file = amc::to_motion(&clip.asf, amc, Units::CmuMetres).unwrap();
    (file.skeleton, file.animations.remove(0))
}

fn pose_speed(clips: &[Clip]) {
    println!(
        "one pose of the authoring form    slerps by glam    sample    sample + local_to_model"
    );
    for clip in clips {
        let (skeleton, animation) = motion(clip);
        let binding = animation.bind(&skeleton);
        let mut pose = Pose::rest(&skeleton);
        let mut second = pose.clone();
        let mut model = ModelPose::new(&skeleton);
        let keys: Vec<&[Quat]> = animation
            .tracks
            .iter()
            .filter_map(|track| track.rotation.as_ref())
            .map(|channel| channel.values())
            .collect();
        let last = keys.iter().map(|keys| keys.len()).min().unwrap() - 2;
        let (mut frame, mut time, mut other) = (0usize, 0.0f32, 0.0f32);
        let mut out = vec![Quat::IDENTITY; keys.len()];
        let step = 1.0 / 61.0;
        let [glam, sampled, posed] = race([
            &mut || {
                frame = (frame + 7) % last;
                for (out, keys) in out.iter_mut().zip(&keys) {
                    *out = keys[frame].slerp(keys[frame + 1], 0.37);
                }
                black_box(&out);
            },
            &mut || {
                time = (time + step) % animation.length;
                sample(&animation, &binding, time, &mut pose).unwrap();
                black_box(&pose);
            },
            &mut || {
                other = (other + step) % animation.length;
                sample(&animation, &binding, other, &mut second).unwrap();
                local_to_model(&skeleton, &second, &mut model).unwrap();
                black_box(&model);
            },
        ]);
        println!(
            "  {:20} {glam:10.0} ns {sampled:10.0} ns ({:4.2}x) {posed:10.0} ns ({:4.2}x)",
            clip.name,
            glam / sampled,
            glam / posed,
        );
    }
}

/// Reads and writes fifty clips as `sinew convert` does, with one thread and with two.
fn convert_speed(clips: &[Clip]) {
    println!("50 clips to GLB in memory      1 job      2 jobs");
    let fifty: Vec<&Clip> = clips.iter().cycle().take(50).collect();
    let bytes: usize = fifty.iter().map(|clip| clip.amc.len()).sum();
    let convert = |jobs: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .unwrap();
        let start = Instant::now();
        let sizes: Vec<usize> = pool.install(|| {
            let one = |clip: &&Clip| {
                let (skeleton, animation) = motion(clip);
                let settings = GltfWriteSettings::default();
                gltf::write_bytes(&skeleton, &[animation], &settings)
                    .unwrap()
                    .len()
            };
            fifty.par_iter().map(one).collect()
        });
        black_box(sizes);
        start.elapsed().as_secs_f64()
    };
    let best = |jobs| (0..3).map(|_| convert(jobs)).fold(f64::INFINITY, f64::min);
    let (one, two) = (best(1), best(2));
    println!(
        "  {:20} {one:9.2} s {two:9.2} s ({:4.2}x), {:.0} and {:.0} MB/s",
        "",
        one / two,
        bytes as f64 / one / 1e6,
        bytes as f64 / two / 1e6,
    );
}

fn main() {
    let clips = clips();
    amc_speed(&clips);
    bvh_speed(&clips);
    pose_speed(&clips);
    convert_speed(&clips);
}
