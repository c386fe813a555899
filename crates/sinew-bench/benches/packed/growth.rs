//! How times grow with joints, with the length of a clip, and with characters.

use crate::clips::{Clip, packed};
use crate::speed::{CROWD_RACE, RACE, of_one_skeleton};
use crate::stages::{STAGES, Stand};
use sinew::animation::{Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::simd::SimdLevel;
use sinew::{Animation, Joint, JointIndex, PackedAnimation, Skeleton};
use sinew_author::compress::Profile;
use sinew_bench::{Contestant, Report, grouped, nanoseconds, race_with, time_crowd};

const JOINTS: [usize; 5] = [15, 31, 62, 124, 248];

/// In seconds.
const LENGTHS: [usize; 5] = [1, 6, 30, 120, 600];

const CHARACTERS: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// Frames per second of long clips.
const RATE: f64 = 120.0;

pub(crate) fn run(report: &mut Report, clips: &[Clip]) {
    let Some(clip) = clips
        .iter()
        .find(|clip| clip.name == "idle")
        .or(clips.first())
    else {
        return;
    };
    with_joints(report, clip);
    with_length(report, clip);
    with_characters(report, clips);
}

fn with_joints(report: &mut Report, clip: &Clip) {
    report.say("## More joints");
    report.say(&format!(
        "`{}` on the first joints of its skeleton, or on several skeletons side by side; time, and time per joint.",
        clip.name
    ));
    let bodies: Vec<(Skeleton, Animation)> = JOINTS
        .iter()
        .map(|&count| with_count(clip, count))
        .collect();
    let names = ["random", "blend two", "local to model", "all"];
    let mut rows = Vec::new();
    for (skeleton, animation) in &bodies {
        let fast = packed(skeleton, animation, Profile::Fast);
        let times = race_stages(skeleton, &names.map(|name| (name, &fast)));
        let joints = skeleton.len();
        let cells = times.into_iter().map(|time| {
            let per_joint = time / joints as f64;
            format!("{}, {per_joint:.2} ns", nanoseconds(time))
        });
        rows.push([joints.to_string()].into_iter().chain(cells).collect());
    }
    let heads: Vec<&str> = ["joints"].into_iter().chain(names).collect();
    report.table(&heads, &rows);
}

fn with_length(report: &mut Report, clip: &Clip) {
    report.say("## Longer clips");
    report.say(&format!(
        "`{}` at {RATE} Hz, played forwards and backwards until it is long enough; sampled at random times. \
         Clips larger than the processor's caches cost cache misses.",
        clip.name
    ));
    let mut rows = Vec::new();
    for seconds in LENGTHS {
        let animation = with_seconds(clip, seconds);
        let fast = packed(&clip.skeleton, &animation, Profile::Fast);
        let small = packed(&clip.skeleton, &animation, Profile::Small);
        let stages = [("random", &fast), ("small random", &small)];
        let times = race_stages(&clip.skeleton, &stages);
        let mut row = vec![format!("{seconds} s")];
        for (packed, time) in [&fast, &small].into_iter().zip(times) {
            row.extend([
                grouped(sinew_author::packed::byte_len(packed)),
                nanoseconds(time),
            ]);
        }
        rows.push(row);
    }
    let heads = ["clip", "fast bytes", "random", "small bytes", "random"];
    report.table(&heads, &rows);
}

fn with_characters(report: &mut Report, clips: &[Clip]) {
    report.say("## More characters");
    report.say("Crowds of characters packed fast as above; time per character.");
    let packed = of_one_skeleton(clips, Profile::Fast);
    let packed: Vec<&PackedAnimation<'_>> = packed.iter().collect();
    let mut rows = Vec::new();
    for count in CHARACTERS {
        let times = time_crowd(&clips[0].skeleton, &packed, count, CROWD_RACE).unwrap();
        let mut row = vec![grouped(count)];
        row.extend([times.one, times.all, times.fill].map(nanoseconds));
        rows.push(row);
    }
    let heads = ["characters", "one thread", "all threads", "filling"];
    report.table(&heads, &rows);
}

/// The times of some stages at the best level, in one race.
fn race_stages(skeleton: &Skeleton, stages: &[(&str, &PackedAnimation<'_>)]) -> Vec<f64> {
    let stand = |&(name, packed): &(&str, _)| {
        let stage = STAGES.into_iter().find(|stage| stage.name == name);
        Stand::new(stage.expect("a stage of that name"), skeleton, packed)
    };
    let mut stands: Vec<Stand<'_>> = stages.iter().map(stand).collect();
    let level = SimdLevel::best();
    let mut runs: Vec<_> = stands
        .iter_mut()
        .map(|stand| move || stand.run(level))
        .collect();
    let mut contestants: Vec<Contestant<'_>> = Vec::new();
    for run in &mut runs {
        contestants.push(run);
    }
    race_with(RACE, &mut contestants)
}

/// A clip on so many joints: the first of its skeleton, which are there as often as it takes.
fn with_count(clip: &Clip, count: usize) -> (Skeleton, Animation) {
    let joint_count = clip.skeleton.len();
    let mut joints = Vec::new();
    let mut animation = Animation {
        tracks: Vec::new(),
        ..clip.animation.clone()
    };
    for index in 0..count {
        let (copy, index) = (index / joint_count, JointIndex::from(index % joint_count));
        let joint = clip.skeleton.joint(index).expect("a joint of the skeleton");
        let name = format!("{} {copy}", joint.name);
        let track = clip.animation.track(&joint.name);
        animation.tracks.extend(track.map(|track| TransformTrack {
            name: name.clone(),
            ..track.clone()
        }));
        let parent = joint
            .parent
            .map(|parent| parent.index() + copy * joint_count);
        joints.push(Joint {
            name,
            parent: parent.map(JointIndex::from),
            ..joint.clone()
        });
    }
    (Skeleton::new(joints).unwrap(), animation)
}

/// A clip to and fro, for so long.
fn with_seconds(clip: &Clip, seconds: usize) -> Animation {
    let source = &clip.animation;
    let count = (seconds as f64 * RATE) as usize + 1;
    let times = KeyTimes::uniform(RATE, count).unwrap();
    let mut animation = Animation::new(source.name.clone(), seconds as f32);
    animation.frame_rate = Some(RATE);
    for track in &source.tracks {
        let (length, times) = (source.length, &times);
        animation.set_track(TransformTrack {
            name: track.name.clone(),
            position: track
                .position
                .as_ref()
                .map(|channel| longer(channel, length, times)),
            rotation: track
                .rotation
                .as_ref()
                .map(|channel| longer(channel, length, times)),
            scale: track
                .scale
                .as_ref()
                .map(|channel| longer(channel, length, times)),
            weights: track.weights,
        });
    }
    animation
}

fn longer<T: ChannelValue>(channel: &Channel<T>, length: f32, times: &KeyTimes) -> Channel<T> {
    let value = |time: f32| {
        let time = time % (2.0 * length);
        channel.sample(time.min(2.0 * length - time))
    };
    let values = times.iter().map(value).collect();
    Channel::new(times.clone(), values, Interpolation::Linear).unwrap()
}
