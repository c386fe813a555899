//! Instructions at other rates and on other rigs than the peers' clips: how much the length of a step and the number of
//! joints matter.

use crate::clips::{Clip, clips, corpus, read};
use crate::instructions::{count, write_pack};
use rayon::prelude::*;
use sinew::simd::SimdLevel;
use sinew_author::edit::resample;
use sinew_bench::{Report, grouped};
use std::path::PathBuf;

/// Frames per second to which the peers' clips are resampled.
const RATES: [f64; 4] = [24.0, 30.0, 60.0, 120.0];

/// Motions of other rigs below the corpus, at their own rates.
const RIGS: [(&str, &str); 8] = [
    ("stand", "bvh/emretanirgan/jump_from_stand_.bvh"),
    ("meredith", "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh"),
    ("box", "asf-amc/snu-tilling/hys_box_2.amc"),
    ("dab", "bvh/animateddrawings/dab.bvh"),
    ("backflip", "asf-amc/cmu-gsimchoni/backflip.amc"),
    ("happy", "bvh/emretanirgan/Matt_Happy2.bvh"),
    ("freebvh", "bvh/bvh-python/test_freebvh.bvh"),
    ("makehuman", "bvh/makehuman/walk1.bvh"),
];

const LEGEND: &str = "Random samples of the fast profile within 0.1 mm, per pose and per joint. ACL takes 232 instructions per joint on the peers' clips (120 Hz, 31 joints, built \
     for AVX2), ozz 227 playing them.";

struct Row {
    name: String,
    joints: usize,
    rate: f64,
    clip: Clip,
}

pub(crate) fn run(report: &mut Report) {
    let mut rows: Vec<Row> = Vec::new();
    for rate in RATES {
        for clip in clips() {
            let animation = resample(&clip.animation, rate);
            rows.push(Row {
                name: clip.name.to_owned(),
                joints: clip.skeleton.len(),
                rate,
                clip: Clip { animation, ..clip },
            });
        }
    }
    let rigs = corpus().into_iter().flat_map(|corpus| {
        RIGS.map(|(name, path)| {
            let clip = read(name, &corpus.join(path), None);
            Row {
                name: name.to_owned(),
                joints: clip.skeleton.len(),
                rate: clip.animation.frame_rate.unwrap_or(0.0),
                clip,
            }
        })
    });
    rows.extend(rigs);
    let folder = std::env::temp_dir().join(format!("sinew-rates-{}", std::process::id()));
    let level = SimdLevel::best();
    let counted: Vec<u64> = rows
        .par_iter()
        .enumerate()
        .map(|(index, row)| {
            let folder = folder.join(index.to_string());
            std::fs::create_dir_all(&folder).expect("a folder for a packed clip");
            let pack: PathBuf = write_pack(&row.clip, &folder);
            count(&pack, "random", level)
        })
        .collect();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    report.say("# Instructions at other rates and on other rigs");
    report.say(LEGEND);
    let table: Vec<Vec<String>> = rows
        .iter()
        .zip(&counted)
        .map(|(row, &count)| {
            vec![
                row.name.clone(),
                format!("{}", row.rate),
                row.joints.to_string(),
                grouped(count),
                format!("{:.0}", count as f64 / row.joints as f64),
            ]
        })
        .collect();
    report.table(
        &["clip", "Hz", "joints", "fast, random", "per joint"],
        &table,
    );
    let mut means = Vec::new();
    for rate in RATES {
        let of = rows.iter().zip(&counted).take(RATES.len() * clips().len());
        let of: Vec<u64> = of
            .filter(|(row, _)| row.rate == rate)
            .map(|(_, &n)| n)
            .collect();
        let mean = of.iter().sum::<u64>() as f64 / of.len().max(1) as f64;
        means.push(vec![format!("{rate}"), format!("{mean:.0}")]);
    }
    report.say("Means of the peers' clips:");
    report.table(&["Hz", "fast, random"], &means);
}
