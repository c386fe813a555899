//! Everything that can be done with a motion, whatever a file made of it. Also part of the fuzz targets.

use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::edit::{align_hemispheres, mirror, move_root, remove_constant, resample, trim};
use sinew_author::measure::{extent, loop_gap};
use sinew_formats::{MotionFile, bvh, gltf, json};

/// More than this says nothing more and takes longer.
const MAX_WORK: usize = 40_000;

/// How much there is to do, roughly: numbers of all poses.
fn work(file: &MotionFile) -> usize {
    let frames = file.animations.iter().map(|a| a.frame_count().max(64));
    frames
        .fold(64, usize::saturating_add)
        .saturating_mul(file.skeleton.len())
}

/// Animations on a skeleton; without one, on that of a chain of the joints that they move.
pub(crate) fn with_skeleton(skeleton: Option<Skeleton>, animations: Vec<Animation>) -> MotionFile {
    let mut names: Vec<&str> = vec!["root"];
    names.extend(
        animations
            .iter()
            .flat_map(|a| &a.tracks)
            .map(|track| &*track.name),
    );
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names.truncate(16);
    let joint = |(index, name): (usize, &&str)| Joint {
        name: (*name).to_owned(),
        parent: index.checked_sub(1).map(JointIndex::from),
        rest: Transform::IDENTITY,
        tip: None,
    };
    let chain = || Skeleton::new(names.iter().enumerate().map(joint).collect());
    let skeleton = skeleton.or_else(|| chain().ok());
    MotionFile {
        skeleton: skeleton.unwrap_or_else(|| panic!("these names make a skeleton: {names:?}")),
        animations,
        warnings: sinew_formats::Warnings::default(),
    }
}

/// Plays, edits, measures and writes a motion. Nothing may panic, and what is written must be readable.
/// Gives whether it was small enough to do so.
pub(crate) fn play(file: &MotionFile) -> bool {
    if work(file) > MAX_WORK {
        return false;
    }
    let skeleton = &file.skeleton;
    for animation in &file.animations {
        let mut sampler = Sampler::new(skeleton, animation);
        let end = animation.length;
        for time in [
            0.0,
            end * 0.3,
            end,
            -1.0,
            end * 2.0,
            f32::NAN,
            f32::INFINITY,
            1e30,
        ] {
            for track in &animation.variants {
                for looped in [false, true] {
                    assert_eq!(track.sample(time, end, looped).kind(), track.kind());
                }
            }
            let model = sampler.model_at(time);
            for joint in (0..skeleton.len()).map(JointIndex::from) {
                let _ = model.tip(skeleton, joint);
            }
        }
        let _ = extent(skeleton, animation);
        let _ = loop_gap(skeleton, animation);
        let _ = find_plants(skeleton, animation, &PlantSettings::default());
        let _ = mirror(animation, skeleton);
        let mut edited = trim(animation, end * 0.2..end * 0.7);
        move_root(&mut edited, skeleton, &Transform::IDENTITY);
        align_hemispheres(&mut edited);
        remove_constant(&mut edited, skeleton, 1e-4);
        if f64::from(edited.length) * 25.0 * (skeleton.len() as f64) < MAX_WORK as f64 {
            let _ = resample(&edited, 25.0);
        }
    }
    write(file);
    true
}

/// Writes every format and reads it back.
fn write(file: &MotionFile) {
    let written = json::write_bytes(&file.skeleton, &file.animations);
    let again = json::read_bytes(&written);
    let again = again.unwrap_or_else(|error| panic!("our own JSON is refused: {error}"));
    assert!(json::write_bytes(&file.skeleton, &again.animations) == written);
    let settings = gltf::GltfWriteSettings::default();
    if let Ok(glb) = gltf::write_bytes(&file.skeleton, &file.animations, &settings) {
        let again = gltf::read_bytes(&glb, &gltf::GltfSettings::default());
        let again = again.unwrap_or_else(|error| panic!("our own GLB is refused: {error}"));
        assert_eq!(again.skeleton.len(), file.skeleton.len());
    }
    for animation in &file.animations {
        let rate = animation.frame_rate.unwrap_or(30.0);
        if f64::from(animation.length) * rate * (file.skeleton.len() as f64) > MAX_WORK as f64 {
            continue;
        }
        let settings = bvh::BvhWriteSettings::default();
        if let Ok(written) = bvh::write_bytes(&file.skeleton, animation, &settings) {
            let again = bvh::read_bytes(&written, &bvh::BvhSettings::default());
            again.unwrap_or_else(|error| panic!("our own BVH is refused: {error}"));
        }
    }
}
