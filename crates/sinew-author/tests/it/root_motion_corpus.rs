//! Static joints above the hips, on every rig of the corpus.

use sinew::Animation;
use sinew::animation::TransformTrack;
use sinew_author::edit::trim;
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{corpus_files, required_corpus, say};
use sinew_testing::wrap::{differences, measures, wrapped, wrappings};

/// Longer motions are cut, so that every rig can be tried several times.
const LONGEST: f32 = 6.0;

/// Every motion of the corpus measures the same below static joints, as Unreal, MotionBuilder and Blender export
/// them, as by itself.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn measures_of_every_rig_ignore_static_joints_above_the_hips() {
    let corpus = required_corpus();
    let settings = MotionSettings {
        lenient: true,
        ..MotionSettings::default()
    };
    let (mut files, mut motions, mut faults) = (0, 0, Vec::new());
    for path in corpus_files("", &["amc", "bvh", "glb", "gltf"]) {
        let Ok(file) = read_motion(&path, &settings) else {
            continue;
        };
        let name = path.strip_prefix(&corpus).unwrap().display().to_string();
        files += 1;
        // Scenes of several roots are no rigs, and of what does not move there is nothing to measure.
        if file.skeleton.roots().count() > 1 {
            continue;
        }
        let moving = |animation: &&Animation| {
            let changes = |track: &TransformTrack| {
                let turns = track
                    .rotation
                    .iter()
                    .any(|channel| channel.values().windows(2).any(|w| w[0] != w[1]));
                turns
                    || track
                        .position
                        .iter()
                        .any(|channel| channel.values().windows(2).any(|w| w[0] != w[1]))
            };
            animation.tracks.iter().any(changes)
        };
        for animation in file.animations.iter().filter(moving).take(2) {
            let animation = trim(animation, 0.0..LONGEST);
            let file_measures = measures(&file.skeleton, &animation);
            motions += 1;
            for (what, above, keyed) in wrappings() {
                let (skeleton, below) = wrapped(&file.skeleton, &animation, &above, keyed);
                let differ = differences(&file_measures, &measures(&skeleton, &below));
                if !differ.is_empty() {
                    faults.push(format!("{name} below {what}: {}", differ.join(", ")));
                }
            }
        }
    }
    say(&format!(
        "{motions} motions of {files} files measured below {} kinds of static joints; {} differ",
        wrappings().len(),
        faults.len()
    ));
    assert!(files > 60, "only {files} files");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
