//! Instructions per call, as valgrind counts them.

use crate::clips::{Clip, clips};
use crate::peers::{COUNTS_LEGEND, RANDOM_TARGET, STAGE_COUNTS};
use crate::stages::{LEGEND, STAGES, Stand};
use rayon::prelude::*;
use sinew::simd::SimdLevel;
use sinew_author::compress::Profile;
use sinew_bench::{COUNTED_CALLS, Report, grouped, instructions_per_call};
use sinew_formats::pack::{self, Pack, PackEntry};
use std::hint::black_box;
use std::path::{Path, PathBuf};

pub(crate) fn run(report: &mut Report) {
    let clips = clips();
    let folder = std::env::temp_dir().join(format!("sinew-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for packed clips");
    let packs: Vec<PathBuf> = clips.iter().map(|clip| write_pack(clip, &folder)).collect();
    let levels = [SimdLevel::best(), SimdLevel::OFF];
    let counted: Vec<Vec<Vec<u64>>> = levels
        .into_par_iter()
        .map(|level| {
            let of_pack = |pack: &PathBuf| {
                let stages = STAGES
                    .par_iter()
                    .map(|stage| count(pack, stage.name, level));
                stages.collect::<Vec<u64>>()
            };
            packs.par_iter().map(of_pack).collect()
        })
        .collect();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");

    report.say("# Instructions per pose of 31 joints");
    report.say(&format!(
        "{LEGEND} Counted by callgrind: the difference between {} and {} calls. {COUNTS_LEGEND}",
        grouped(COUNTED_CALLS[0]),
        grouped(COUNTED_CALLS[1])
    ));
    against_peers(report, &counted);
    for (level, counted) in levels.into_iter().zip(&counted) {
        report.say(&format!("## Per clip, SIMD {}", level.name()));
        let row = |(clip, counts): (&Clip, &Vec<u64>)| {
            let cells = counts.iter().map(|&count| grouped(count));
            let name = [clip.name.to_owned()];
            name.into_iter().chain(cells).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = clips.iter().zip(counted).map(row).collect();
        let names = STAGES.iter().map(|stage| stage.name);
        let heads: Vec<&str> = ["clip"].into_iter().chain(names).collect();
        report.table(&heads, &rows);
    }
}

/// The mean and the worst of all clips beside the costs of other libraries.
fn against_peers(report: &mut Report, counted: &[Vec<Vec<u64>>]) {
    let [best, off, ..] = counted else {
        return;
    };
    let of = |stage: usize| best.iter().map(move |counts| counts[stage]);
    let mean_of = |counts: &[Vec<u64>], stage: usize| {
        let sum: u64 = counts.iter().map(|counts| counts[stage]).sum();
        sum / counts.len().max(1) as u64
    };
    let mut rows = Vec::new();
    for (index, (stage, peer)) in STAGES.iter().zip(&STAGE_COUNTS).enumerate() {
        let mean = mean_of(best, index);
        let against = |peer: Option<u64>| {
            peer.map_or("-".to_owned(), |peer| {
                format!("{}, {:.2}x", grouped(peer), mean as f64 / peer as f64)
            })
        };
        let worst = of(index).max().unwrap_or(0);
        rows.push(vec![
            stage.name.to_owned(),
            grouped(mean),
            grouped(worst),
            against(peer.ozz),
            against(peer.acl),
            peer.target.map_or("-".to_owned(), |target| {
                let met = verdict(mean <= target, worst <= target);
                format!("{}, {met}", grouped(target))
            }),
            grouped(mean_of(off, index)),
        ]);
    }
    let random = |counts: &Vec<u64>| counts[2] as f64 / counts[0].max(1) as f64;
    let worst = best.iter().map(random).fold(0.0, f64::max);
    let mean = mean_of(best, 2) as f64 / mean_of(best, 0).max(1) as f64;
    let met = verdict(mean <= RANDOM_TARGET, worst <= RANDOM_TARGET);
    rows.push(vec![
        "random / fast sample".to_owned(),
        format!("{mean:.2}"),
        format!("{worst:.2}"),
        "-".to_owned(),
        "-".to_owned(),
        format!("{RANDOM_TARGET}, {met}"),
        "-".to_owned(),
    ]);
    let heads = [
        "stage",
        "mean of clips",
        "worst clip",
        "ozz 0.16, ours of it",
        "ACL 2.1, ours of it",
        "target",
        "without SIMD",
    ];
    report.table(&heads, &rows);
}

fn verdict(mean: bool, worst: bool) -> &'static str {
    match (mean, worst) {
        (true, true) => "met by all",
        (true, false) => "met on average",
        _ => "missed",
    }
}

/// A clip packed fast and small: unpacking a file takes less of valgrind's time than packing.
pub(crate) fn write_pack(clip: &Clip, folder: &Path) -> PathBuf {
    let entry = |profile: Profile| PackEntry {
        skeleton: 0,
        animation: clip.packed(profile),
    };
    let pack = Pack {
        skeletons: vec![clip.skeleton.clone()],
        animations: vec![entry(Profile::Fast), entry(Profile::Small)],
        ..Pack::default()
    };
    let path = folder.join(format!("{}.sinew", clip.name));
    std::fs::write(&path, pack::write_bytes(&pack).unwrap()).expect("a packed clip");
    path
}

/// Instructions of one call.
pub(crate) fn count(pack: &Path, stage: &str, level: SimdLevel) -> u64 {
    let pack = pack.to_str().expect("a path of ours");
    instructions_per_call(&["calls", pack, stage, level.name()]).unwrap()
}

/// Calls a stage so many times and does nothing else: what valgrind is run on.
pub(crate) fn calls(pack: &str, stage: &str, level: &str, calls: u64) {
    let level = SimdLevel::all()
        .find(|known| known.name() == level)
        .unwrap();
    let stage = STAGES
        .into_iter()
        .find(|candidate| candidate.name == stage)
        .unwrap();
    let pack = pack::read(pack).unwrap();
    let [fast, small] = &pack.animations[..] else {
        panic!("two forms of one clip");
    };
    let packed = match stage.profile {
        Profile::Fast => &fast.animation,
        _ => &small.animation,
    };
    let mut stand = Stand::new(stage, &pack.skeletons[0], packed);
    for _ in 0..calls {
        black_box(&mut stand).run(level);
    }
}
