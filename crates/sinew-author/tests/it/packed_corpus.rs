//! Compression of every real motion: within its bound at four bounds and at random times, and smaller than the Animation Compression
//! Library makes it.
//!
//! Files are found through `SINEW_CORPUS`; without it these tests are ignored.

use sinew::packed::Packing;
use sinew::{Animation, PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_author::compress::{CompressSettings, Profile, compress, verify};
use sinew_author::edit::resample;
use sinew_formats::{MotionFile, MotionSettings, read_motion};
use sinew_testing::corpus::{corpus_files, required_corpus, say};
use sinew_testing::exact::Exact;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const PROFILES: [Profile; 2] = [Profile::Small, Profile::Fast];

/// In metres.
const BOUNDS: [f32; 4] = [1e-5, 1e-4, 1e-3, 1e-2];

/// Frames per second: an animation's own, or those of most screens.
fn rate(animation: &Animation) -> f64 {
    animation.frame_rate.unwrap_or(60.0)
}

/// Moments of an interval between frames: its beginning, where straight lines between quaternions are furthest from
/// slerp, its middle, and some at random.
fn places(seed: &mut u64) -> impl Iterator<Item = f64> {
    let random = [(); 4].map(|()| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    });
    [0.0, 0.2113, 0.5, 0.7887].into_iter().chain(random)
}

/// The worst error at moments of every interval between frames, and how many frames there are.
fn measured(
    skeleton: &Skeleton,
    animation: &Animation,
    packed: &PackedAnimation<'_>,
) -> (f64, usize) {
    let exact = Exact::new(skeleton, animation);
    let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(skeleton));
    let frames = (f64::from(animation.length) * rate(animation)).ceil() as usize + 1;
    let mut worst: f64 = 0.0;
    let mut seed = frames as u64;
    // Long clips are sampled sparsely.
    for frame in (0..frames).step_by(frames.div_ceil(400)) {
        for place in places(&mut seed) {
            let time = ((frame as f64 + place) / rate(animation)) as f32;
            let time = time.min(animation.length);
            packed.sample(time, &mut cursor, &mut pose).unwrap();
            worst = worst.max(exact.error(time, &pose).0);
        }
    }
    (worst, frames)
}

#[derive(Default)]
struct Total {
    animations: usize,
    frames: usize,
    plain: usize,
    bytes: usize,
    source: usize,
}

fn pack_all(path: &Path, file: &MotionFile, totals: &Mutex<[[Total; 4]; 2]>) {
    for animation in &file.animations {
        for (index, max_error) in BOUNDS.into_iter().enumerate() {
            for (profile, which) in PROFILES.into_iter().zip(0..) {
                let packed_to = |max_error: f32| {
                    let settings = CompressSettings { max_error, profile };
                    let packed = compress(&file.skeleton, animation, &settings);
                    packed.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                };
                let (packed, plain) = (packed_to(max_error), packed_to(0.0));
                let (error, frames) = measured(&file.skeleton, animation, &packed);
                let what = format!("{}, {max_error} m, {profile:?}", path.display());
                let said = verify(&packed, &file.skeleton, animation, |_, _| ()).unwrap();
                assert!(said.metres <= f64::from(packed.error()), "{what}: {said:?}");
                if packed.packing() == Packing::Plain {
                    // The source itself; what is left is the rounding of its sampler.
                    assert!(error <= 1e-4, "{what}: {error}");
                } else {
                    assert!(error <= f64::from(packed.error()), "{what}: {error}");
                }
                assert!(packed.error() <= max_error, "{what}: {}", packed.error());
                let bytes = sinew_author::packed::to_bytes(&packed);
                assert_eq!(
                    bytes.len(),
                    sinew_author::packed::byte_len(&packed),
                    "{what}"
                );
                assert!(
                    bytes.len() <= sinew_author::packed::byte_len(&plain),
                    "{what}"
                );
                let info = packed.info().clone();
                let read = PackedAnimation::from_bytes(&bytes, &file.skeleton, info);
                let read = read.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(sinew_author::packed::to_bytes(&read), bytes, "{what}");
                let total = &mut totals.lock().unwrap()[which][index];
                total.animations += 1;
                total.frames += frames;
                total.plain += usize::from(packed.packing() == Packing::Plain);
                total.bytes += bytes.len();
                total.source += sinew_author::packed::byte_len(&plain);
            }
        }
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_real_motion_is_within_its_bound() {
    let folders = ["asf-amc", "bvh", "gltf"];
    let motion_files = |folder| corpus_files(folder, &["amc", "bvh", "gltf", "glb"]);
    let paths: Vec<PathBuf> = folders.into_iter().flat_map(motion_files).collect();
    let totals = Mutex::new(Default::default());
    let (next, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let lenient = MotionSettings {
        lenient: true,
        ..MotionSettings::default()
    };
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What is refused is the matter of other tests.
            if let Ok(file) = read_motion(path, &lenient)
                && !file.animations.is_empty()
            {
                read.fetch_add(1, Ordering::Relaxed);
                pack_all(path, &file, &totals);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let read = read.into_inner();
    assert!(read > 100, "{read} of {} files were read", paths.len());
    say(&format!(
        "packed corpus: {read} of {} motion files read",
        paths.len()
    ));
    for (totals, profile) in totals.into_inner().unwrap().iter().zip(PROFILES) {
        for (total, bound) in totals.iter().zip(BOUNDS) {
            // Short clips may be as they were; of all together little is left.
            assert!(bound < 1e-4 || total.bytes * 5 < total.source);
            say(&format!(
                "packed corpus, {profile:?}, {:.2} mm: {} animations, {} frames, {} as they were, {} of {} bytes",
                f64::from(bound) * 1e3,
                total.animations,
                total.frames,
                total.plain,
                total.bytes,
                total.source
            ));
        }
    }
}

/// Bytes and the worst error in centimetres, at three precisions.
type PeerBytes = [(usize, f32); 3];

/// A clip, and for precisions of 0.01, 0.1 and 1 cm the bytes and the worst error in cm that the Animation
/// Compression Library, of the development version after 2.1, makes of it; then the bytes of every fourth frame
/// at 0.01 cm.
const PEER: [(&str, PeerBytes, usize); 7] = [
    (
        "attack",
        [(17_067, 0.0129), (11_519, 0.142), (4_547, 1.21)],
        5_510,
    ),
    (
        "backward",
        [(70_463, 0.0141), (33_131, 0.153), (14_388, 1.10)],
        21_265,
    ),
    (
        "forward",
        [(18_577, 0.0140), (12_603, 0.136), (5_169, 1.46)],
        5_961,
    ),
    (
        "idle",
        [(71_943, 0.0145), (42_633, 0.148), (13_950, 1.21)],
        19_871,
    ),
    (
        "jump",
        [(22_947, 0.0160), (15_503, 0.136), (5_927, 1.10)],
        7_081,
    ),
    (
        "run",
        [(9_562, 0.0147), (6_939, 0.141), (3_193, 1.33)],
        3_106,
    ),
    (
        "131_04",
        [(98_892, 0.0144), (62_803, 0.160), (23_242, 1.56)],
        29_604,
    ),
];

fn peer_clip(corpus: &Path, name: &str) -> MotionFile {
    let path = match name {
        "131_04" => corpus.join("asf-amc/cmu-visdoom/131_04-dance.amc"),
        name => corpus.join(format!("asf-amc/seed-clips/{name}.amc")),
    };
    let asf = match name {
        "131_04" => corpus.join("asf-amc/cmu-visdoom/131-dance.asf"),
        _ => corpus.join("asf-amc/seed-clips/skeleton.asf"),
    };
    let settings = MotionSettings {
        asf: Some(asf),
        ..MotionSettings::default()
    };
    read_motion(&path, &settings).unwrap()
}

/// The bytes of a clip whose worst error is no more than this many centimetres.
fn bytes_at(file: &MotionFile, animation: &Animation, centimetres: f32, profile: Profile) -> usize {
    let max_error = centimetres * 0.01;
    let settings = CompressSettings { max_error, profile };
    let packed = compress(&file.skeleton, animation, &settings).unwrap();
    let (error, _) = measured(&file.skeleton, animation, &packed);
    assert!(error <= f64::from(max_error));
    sinew_author::packed::byte_len(&packed)
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn packed_files_are_smaller_than_acl_at_the_same_error() {
    let corpus = required_corpus();
    // At three precisions, and at every fourth frame: ours small, ours fast, theirs.
    let mut totals = [[0usize; 3]; 4];
    for (name, precisions, at_30) in PEER {
        let file = peer_clip(&corpus, name);
        let animation = &file.animations[0];
        let fourth = resample(animation, 30.0);
        // What their error at 30 frames per second was is not known; it is not below what was asked for.
        let cases = precisions.map(|(bytes, error)| (animation, error, bytes));
        let cases = cases.into_iter().chain([(&fourth, 0.01, at_30)]);
        for (total, (animation, error, theirs)) in totals.iter_mut().zip(cases) {
            let [small, fast] = PROFILES.map(|profile| bytes_at(&file, animation, error, profile));
            assert!(
                fast <= theirs,
                "{name}, {error} cm: {fast} of {theirs} bytes"
            );
            for (total, bytes) in total.iter_mut().zip([small, fast, theirs]) {
                *total += bytes;
            }
        }
    }
    for ([small, fast, theirs], (what, most)) in totals.into_iter().zip([
        ("0.01 cm", 0.5),
        ("0.1 cm", 0.5),
        ("1 cm", 0.6),
        ("0.01 cm at 30 frames per second", 0.65),
    ]) {
        let share = |bytes: usize| bytes as f64 / theirs as f64;
        say(&format!(
            "packed corpus: {} clips at {what}: small {small} ({:.3} of the peer's), fast {fast} ({:.3})",
            PEER.len(),
            share(small),
            share(fast)
        ));
        assert!(share(small) <= most, "{what}: {}", share(small));
    }
}
