//! Times.

use crate::clips::{Clip, clips};
use crate::growth;
use crate::stages::{LEGEND, STAGES, Stand};
use sinew::PackedAnimation;
use sinew::simd::SimdLevel;
use sinew_author::compress::Profile;
use sinew_bench::{
    Contestant, CrowdTimes, RaceSettings, Report, copy_loop, grouped, nanoseconds, race_with,
    slerp_loop, time_crowd,
};
use std::time::Duration;

/// Characters of the crowd that shall be done within a sixtieth of a second.
const CROWD: usize = 40_000;

/// Short turns, and many: on a busy machine some of them are not interrupted.
pub(crate) const RACE: RaceSettings = RaceSettings {
    rounds: 400,
    slice: Duration::from_micros(300),
    calls: 8,
};

/// A crowd takes long, so every call is a turn.
pub(crate) const CROWD_RACE: RaceSettings = RaceSettings {
    rounds: 20,
    slice: Duration::from_millis(2),
    calls: 1,
};

/// Nanoseconds of every stage at one level, and of the two loops.
struct Times {
    stages: Vec<f64>,
    copy: f64,
    slerp: f64,
}

pub(crate) fn run(report: &mut Report) {
    let clips = clips();
    let levels = [SimdLevel::best(), SimdLevel::OFF];
    report.say("# Time per pose of 31 joints");
    report.say(&format!(
        "{LEGEND} Each cell: the best time, its ratio to a copy of the pose's bytes, its ratio to glam's slerp of all joints. \
         Ratios are of one run and depend less on the machine than times do.",
    ));
    let all: Vec<[Times; 2]> = clips.iter().map(|clip| times(clip, levels)).collect();
    for (index, level) in levels.into_iter().enumerate() {
        report.say(&match index {
            0 => format!("## With SIMD ({})", level.name()),
            _ => "## Without SIMD".to_owned(),
        });
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (clip, times) in clips.iter().zip(&all) {
            rows.push(row(clip.name, &times[index]));
        }
        if clips.len() > 1 {
            rows.push(row("mean", &mean(all.iter().map(|times| &times[index]))));
        }
        let heads: Vec<&str> = ["clip"]
            .into_iter()
            .chain(STAGES.iter().map(|stage| stage.name))
            .collect();
        report.table(&heads, &rows);
    }
    crowd(report, &clips);
    growth::run(report, &clips);
}

/// Everything about a clip in one race.
fn times(clip: &Clip, levels: [SimdLevel; 2]) -> [Times; 2] {
    let (fast, small) = (clip.packed(Profile::Fast), clip.packed(Profile::Small));
    let of = |profile: Profile| match profile {
        Profile::Fast => &fast,
        _ => &small,
    };
    let mut stands: Vec<(SimdLevel, Stand<'_>)> = Vec::new();
    for level in levels {
        for stage in STAGES {
            let stand = Stand::new(stage, &clip.skeleton, of(stage.profile));
            stands.push((level, stand));
        }
    }
    let [a, b] = &stands[0].1.poses;
    let (mut copy, mut slerp) = (copy_loop(clip.skeleton.len()), slerp_loop(a, b));
    let mut runs: Vec<Box<dyn FnMut() + '_>> = vec![Box::new(&mut copy), Box::new(&mut slerp)];
    for (level, stand) in &mut stands {
        runs.push(Box::new(move || stand.run(*level)));
    }
    let mut contestants: Vec<Contestant<'_>> = Vec::new();
    for run in &mut runs {
        contestants.push(run);
    }
    let times = race_with(RACE, &mut contestants);
    let (loops, stages) = times.split_at(2);
    let (best, off) = stages.split_at(STAGES.len());
    [best, off].map(|stages| Times {
        stages: stages.to_vec(),
        copy: loops[0],
        slerp: loops[1],
    })
}

fn mean<'a>(all: impl Iterator<Item = &'a Times> + Clone) -> Times {
    let mean = |of: &dyn Fn(&Times) -> f64| {
        all.clone().map(of).sum::<f64>() / all.clone().count().max(1) as f64
    };
    Times {
        stages: (0..STAGES.len())
            .map(|stage| mean(&|times| times.stages[stage]))
            .collect(),
        copy: mean(&|times| times.copy),
        slerp: mean(&|times| times.slerp),
    }
}

fn row(name: &str, times: &Times) -> Vec<String> {
    let cell = |&time: &f64| {
        let (copy, slerp) = (time / times.copy, time / times.slerp);
        format!("{}, {copy:.1}x, {slerp:.2}x", nanoseconds(time))
    };
    let cells = times.stages.iter().map(cell);
    [name.to_owned()].into_iter().chain(cells).collect()
}

/// Clips that move the first one's skeleton.
pub(crate) fn of_one_skeleton(clips: &[Clip], profile: Profile) -> Vec<PackedAnimation<'static>> {
    let Some(first) = clips.first() else {
        return Vec::new();
    };
    let same = clips.iter().filter(|clip| clip.skeleton == first.skeleton);
    same.map(|clip| clip.packed(profile)).collect()
}

fn crowd(report: &mut Report, clips: &[Clip]) {
    report.say("## A crowd");
    report.say(&format!(
        "{} characters, two layers each at random times in the clips of one skeleton; `Crowd::models` on one thread, \
         `Crowd::par_models` on all. Every matrix is written to memory, except where `Crowd::par_for_each` passes it to a function; \
         *filling* is the time of one thread to write as many bytes and nothing else.",
        grouped(CROWD)
    ));
    let mut rows = Vec::new();
    for (name, profile) in [("fast", Profile::Fast), ("small", Profile::Small)] {
        let packed = of_one_skeleton(clips, profile);
        let packed: Vec<&PackedAnimation<'_>> = packed.iter().collect();
        let times = time_crowd(&clips[0].skeleton, &packed, CROWD, CROWD_RACE).unwrap();
        let all = format!("all {} threads", times.threads);
        let handed = format!("{all}, handed out");
        for (threads, time) in [
            ("one thread", times.one),
            (&all, times.all),
            (&handed, times.handed),
            ("filling", times.fill),
        ] {
            let whole = time * CROWD as f64;
            rows.push(vec![
                format!("{name}, {threads}"),
                nanoseconds(time),
                format!("{:.2} ms", whole * 1e-6),
                grouped(CrowdTimes::at_60_hz(time)),
                if whole <= 1e9 / 60.0 { "yes" } else { "no" }.to_owned(),
            ]);
        }
    }
    let fit = format!("{} fit", grouped(CROWD));
    let heads = [
        "crowd",
        "per character",
        "all of them",
        "characters per 1/60 s",
        &fit,
    ];
    report.table(&heads, &rows);
}
