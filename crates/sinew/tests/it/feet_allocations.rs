//! Feet are cleaned while playing without allocating: counted by the allocator itself.

use counting::allocations;
use sinew::ik::{FootCue, FootLock, FootLockSettings, FootStep};
use sinew::{Pose, Sampler, Transform};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_testing::counting;
use sinew_testing::feet::{Faults, biped, walk};

#[test]
fn cleaning_a_pose_allocates_nothing() {
    let skeleton = biped();
    let faults = Faults {
        slide: 0.08,
        sink: 0.02,
    };
    let walk = walk(&skeleton, 3.0, &faults);
    let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
    let mut cleaner = FootLock::new(&skeleton, FootLockSettings::default());
    let legs = cleaner.legs().to_vec();
    let mut sampler = Sampler::new(&skeleton, &walk);
    let mut pose = Pose::rest(&skeleton);
    let mut changed = 0;
    let count = allocations(|| {
        for frame in 0..200 {
            let time = frame as f32 / 60.0;
            let mut cues = [FootCue::default(); 2];
            for (cue, leg) in cues.iter_mut().zip(&legs) {
                *cue = FootCue::from_plants(&plants, leg, time, Some(walk.length));
                cue.ground = Some(0.02);
            }
            pose.copy_from(sampler.pose_at(time));
            let step = FootStep {
                seconds: 1.0 / 60.0,
                placement: Transform::IDENTITY,
                cues: &cues,
            };
            cleaner.clean(&skeleton, &step, &mut pose).unwrap();
            changed += usize::from(pose != *sampler.pose_at(time));
        }
    });
    assert_eq!(count, 0);
    assert!(changed > 100, "{changed}");
}
