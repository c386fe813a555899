//! Motion through every writer and back: AMC to BVH, AMC to GLB, GLB to BVH, glTF files to BVH. Joints and
//! tips are where they were, at every frame.

use crate::common::{corpus_files, files_below, say};
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_formats::bvh::{self, BvhSettings, BvhWriteSettings};
use sinew_formats::gltf::{self, GltfSettings, GltfWriteSettings};
use sinew_formats::{MotionFile, MotionSettings, read_motion};
use std::path::{Path, PathBuf};

/// Metres that a joint may be off.
const BOUND: f32 = 1e-4;

/// The sample motions with an ending.
fn samples(ending: &str) -> Vec<(PathBuf, MotionFile)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
    motions(files_below(&folder, &[ending]))
}

/// What these files move.
fn motions(paths: Vec<PathBuf>) -> Vec<(PathBuf, MotionFile)> {
    let settings = MotionSettings {
        lenient: true,
        ..MotionSettings::default()
    };
    let files = paths.into_iter().filter_map(|path| {
        // Some have no skeleton beside them; bad ones have tests of their own.
        let file = read_motion(&path, &settings).ok()?;
        (!file.animations.is_empty()).then_some((path, file))
    });
    files.collect()
}

fn through_bvh(skeleton: &Skeleton, animation: &Animation) -> MotionFile {
    let text = bvh::write_bytes(skeleton, animation, &BvhWriteSettings::default()).unwrap();
    let settings = BvhSettings::default();
    let read = bvh::read_bytes(&text, &settings).unwrap();
    read.into_motion(&settings).unwrap()
}

fn through_glb(file: &MotionFile) -> MotionFile {
    let settings = GltfWriteSettings::default();
    let glb = gltf::write_bytes(&file.skeleton, &file.animations, &settings).unwrap();
    gltf::read_bytes(&glb, &GltfSettings::default()).unwrap()
}

/// The largest distance of a joint or tip between two motions, over the frames of the first, in metres
/// or, for figures larger than two metres, in two-metres' shares of their size.
fn apart(a: (&Skeleton, &Animation), b: (&Skeleton, &Animation)) -> f32 {
    let (mut first, mut second) = (Sampler::new(a.0, a.1), Sampler::new(b.0, b.1));
    let size = sinew_author::measure::extent(a.0, a.1)
        .unwrap()
        .size()
        .max_element()
        .max(2.0)
        / 2.0;
    // Writers give joints safe names, so places in the list tell them apart; roots that are added to
    // hold several come first.
    let added = b.0.len() - a.0.len();
    let mut worst = 0.0f32;
    for frame in 0..a.1.frame_count() {
        let time = a.1.frame_time(frame);
        let (x, y) = (first.model_at(time), second.model_at(time));
        for joint in 0..a.0.len() {
            let (ours, theirs) = (JointIndex::from(joint), JointIndex::from(joint + added));
            let mut way = (x.position(ours) - y.position(theirs)).length();
            if let (Some(x), Some(y)) = (x.tip(a.0, ours), y.tip(b.0, theirs)) {
                way = way.max((x - y).length());
            }
            assert!(way.is_finite());
            worst = worst.max(way / size);
        }
    }
    worst
}

#[test]
fn amc_samples_round_trip_through_bvh_and_glb() {
    assert!(amc_round_trips(&samples("amc")) >= 6);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_amc_round_trips_through_bvh_and_glb() {
    assert!(amc_round_trips(&motions(corpus_files("asf-amc", &["amc"]))) > 0);
}

/// Checks AMC to BVH, AMC to GLB and AMC to GLB to BVH; returns the number of files.
fn amc_round_trips(sources: &[(PathBuf, MotionFile)]) -> usize {
    let (mut frames, mut worst) = (0, [0.0f32; 3]);
    for (path, source) in sources {
        let animation = &source.animations[0];
        let this = (&source.skeleton, animation);
        let bvh = through_bvh(&source.skeleton, animation);
        let glb = through_glb(source);
        let both = through_bvh(&glb.skeleton, &glb.animations[0]);
        for (worst, file) in worst.iter_mut().zip([&bvh, &glb, &both]) {
            assert_eq!(file.animations[0].frame_count(), animation.frame_count());
            assert_eq!(file.animations[0].frame_rate, animation.frame_rate);
            let error = apart(this, (&file.skeleton, &file.animations[0]));
            assert!(error < BOUND, "{}: {error}", path.display());
            *worst = worst.max(error);
        }
        frames += animation.frame_count();
    }
    let count = sources.len();
    say(&format!(
        "round trips: {count} AMC files, {frames} frames; BVH {:.1e} m, GLB {:.1e} m, GLB to BVH {:.1e} m",
        worst[0], worst[1], worst[2]
    ));
    count
}

#[test]
fn bvh_samples_round_trip_through_glb() {
    assert!(bvh_round_trips(&samples("bvh")) >= 2);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_bvh_round_trips_through_glb() {
    assert!(bvh_round_trips(&motions(corpus_files("bvh", &["bvh"]))) > 0);
}

/// Checks BVH to GLB; returns the number of files.
fn bvh_round_trips(sources: &[(PathBuf, MotionFile)]) -> usize {
    let mut worst = 0.0f32;
    for (path, source) in sources {
        let glb = through_glb(source);
        let this = (&source.skeleton, &source.animations[0]);
        let error = apart(this, (&glb.skeleton, &glb.animations[0]));
        assert!(error < BOUND, "{}: {error}", path.display());
        worst = worst.max(error);
    }
    let count = sources.len();
    say(&format!(
        "round trips: {count} BVH files through GLB, {worst:.1e} m"
    ));
    count
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_gltf_round_trips_through_bvh_at_its_frames() {
    let (mut count, mut worst) = (0, 0.0f32);
    for (path, source) in motions(corpus_files("gltf", &["glb", "gltf"])) {
        // A BVH has no scale of its own: what scales its joints is baked into where they are, but a tip
        // that is scaled is not, so only rigs without moving scales come through whole.
        let scales = |animation: &Animation| animation.tracks.iter().any(|t| t.scale.is_some());
        for animation in source.animations.iter().filter(|a| !scales(a)) {
            let mut frames = animation.clone();
            if frames.frame_rate.is_none() {
                frames = sinew_author::edit::resample(animation, 30.0);
            }
            let bvh = through_bvh(&source.skeleton, &frames);
            let error = apart(
                (&source.skeleton, &frames),
                (&bvh.skeleton, &bvh.animations[0]),
            );
            assert!(
                error < BOUND,
                "{} {}: {error}",
                path.display(),
                animation.name
            );
            worst = worst.max(error);
            count += 1;
        }
    }
    say(&format!(
        "round trips: {count} glTF animations through BVH, {worst:.1e} m"
    ));
    assert!(count > 0, "the corpus has no glTF animations");
}
