//! Every real BVH file: read or refused as it should be, finite in every frame, and the same motion after
//! it is written and read again.

use crate::bvh_common;
use crate::common;
use bvh_common::{LENIENT, STRICT, apart, motion, places, warnings};
use common::corpus_files;
use sinew_formats::Rule;
use sinew_formats::bvh::{BvhSettings, BvhWriteSettings, read_bytes, write_bytes};
use std::path::Path;

/// Files that are broken, and the rule that each breaks.
const BROKEN: [(&str, Rule); 10] = [
    ("adakri/walk.bvh", Rule::MissingField),
    ("adakri/walk_unbalanced.bvh", Rule::BadStructure),
    ("ravenporter/bad.bvh", Rule::MissingField),
    ("synthetic/bad_truncated_hierarchy.bvh", Rule::BadStructure),
    ("synthetic/bad_huge_frames.bvh", Rule::TooFewValues),
    ("synthetic/bad_channel_name.bvh", Rule::BadDof),
    ("synthetic/bad_short_row.bvh", Rule::ValueCount),
    ("synthetic/bad_text_in_row.bvh", Rule::ExpectedNumber),
    ("synthetic/bad_empty.bvh", Rule::EmptyFile),
    ("synthetic/bad_missing_brace.bvh", Rule::BadStructure),
];

/// Files that are cut when the reader is lenient: frames that they say, and that they have.
const CUT: [(&str, usize, usize); 3] = [
    ("smartbody/Up_Center.bvh", 61, 60),
    ("synthetic/bad_huge_frames.bvh", 4_294_967_295, 1),
    ("synthetic/bad_short_row.bvh", 2, 1),
];

fn short(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy();
    let folder = path.parent().unwrap().file_name().unwrap();
    format!("{}/{name}", folder.to_string_lossy())
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_files_are_read_or_refused() {
    let (mut read, mut refused, mut frames) = (0, 0, 0);
    for path in corpus_files("bvh", &["bvh"]) {
        let name = short(&path);
        let bytes = std::fs::read(&path).unwrap();
        let cut = CUT.iter().find(|(cut, _, _)| *cut == name);
        if let Some((_, said, there)) = cut {
            let error = read_bytes(&bytes, &STRICT).unwrap_err();
            assert!(error.expected.contains(&said.to_string()) || error.rule == Rule::ValueCount);
            let bvh = read_bytes(&bytes, &LENIENT).unwrap();
            assert_eq!(bvh.frame_count(), *there, "{name}");
        }
        match read_bytes(&bytes, &STRICT) {
            Ok(bvh) => {
                read += 1;
                frames += bvh.frame_count();
                assert!(BROKEN.iter().all(|(broken, _)| *broken != name), "{name}");
            }
            Err(error) => {
                refused += 1;
                common::say(&format!("bvh corpus: {name}: {error}"));
                let broken = BROKEN.iter().find(|(broken, _)| *broken == name);
                let rule = broken.map_or(Rule::TooFewValues, |(_, rule)| *rule);
                assert_eq!(error.rule, rule, "{name}: {error}");
                assert!(broken.is_some() || cut.is_some(), "{name}: {error}");
            }
        }
    }
    common::say(&format!(
        "bvh corpus: {read} files with {frames} frames read, {refused} refused"
    ));
    assert!(read >= 34 && refused == BROKEN.len() + 1);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn joints_channels_and_frames_are_those_that_were_counted() {
    let corpus = common::required_corpus();
    let expected = [
        ("cmu-una-dinosauria/02_01.bvh", 31, 96, 344, 120.0),
        ("bvh-python/test_freebvh.bvh", 55, 168, 69, 30.0),
        ("pybvh/bvh_test1.bvh", 24, 75, 75, 30.0),
        (
            "pybvh/full_precision_frame_time.bvh",
            2,
            9,
            3,
            24_000.0 / 1001.0,
        ),
        ("emretanirgan/jump_from_stand_.bvh", 21, 66, 592, 120.0),
        ("emretanirgan/Matt_Happy2.bvh", 42, 252, 105, 24.0),
        ("lawrennd/Swagger2.bvh", 22, 69, 1, 120.0),
        ("makehuman/tpose.bvh", 173, 951, 1, 24.0),
        ("godot_vr_mocap/test.bvh", 4, 18, 100, 72.0),
        ("animateddrawings/jumping_jacks.bvh", 31, 96, 125, 30.0),
        ("mae/ba_rotation_04.bvh", 20, 63, 150, 30.0),
        ("bartekkpl/simple.bvh", 18, 57, 1, 1.0),
        ("smartbody/CatchSkeleton.bvh", 52, 159, 0, 0.0),
        ("snu/wd2_WalkSameSame01.bvh", 13, 42, 199, 30.0),
        ("pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", 23, 72, 1064, 120.0),
        ("synthetic/ok_one_line.bvh", 2, 9, 2, 30.0),
        ("synthetic/ok_wrapped_rows.bvh", 2, 9, 2, 30.0),
        ("synthetic/ok_single_axis.bvh", 2, 7, 1, 25.0),
    ];
    for (name, joints, channels, frames, rate) in expected {
        let bytes = std::fs::read(corpus.join("bvh").join(name)).unwrap();
        let bvh = read_bytes(&bytes, &STRICT).unwrap();
        assert_eq!(bvh.joints.len(), joints, "{name}");
        assert_eq!(bvh.channel_count(), channels, "{name}");
        assert_eq!(bvh.frame_count(), frames, "{name}");
        let file = bvh.into_motion(&STRICT).unwrap();
        let found = file.animations.first().and_then(|a| a.frame_rate);
        assert_eq!(found, (frames > 0).then_some(rate), "{name}");
    }
    common::say(&format!("bvh corpus: counts of {} files", expected.len()));
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_motion_is_finite_and_the_same_when_written_and_read_again() {
    let (mut count, mut frames, mut worst) = (0, 0, 0.0f32);
    for path in corpus_files("bvh", &["bvh"]) {
        let name = short(&path);
        let bytes = std::fs::read(&path).unwrap();
        let Ok(bvh) = read_bytes(&bytes, &LENIENT) else {
            continue;
        };
        let file = bvh.into_motion(&LENIENT).unwrap();
        for warning in warnings(&file) {
            common::say(&format!("bvh corpus: {name}: {warning}"));
        }
        let before = places(&file.skeleton, file.animations.first());
        assert!(
            before.iter().flatten().all(|point| point.is_finite()),
            "{name}"
        );
        let settings = BvhWriteSettings::default();
        let text = write_bytes(&file.skeleton, file.animations.first(), &settings).unwrap();
        let again = motion(&text);
        let rate =
            |file: &sinew_formats::MotionFile| file.animations.first().and_then(|a| a.frame_rate);
        if !file.animations.is_empty() {
            assert_eq!(rate(&again), rate(&file), "{name}");
        }
        let after = places(&again.skeleton, again.animations.first());
        // What is written has an end at each leaf; leaves without a tip get one where they are.
        let after = without_added_tips(&file, &again, after);
        let error = apart(&before, &after);
        worst = worst.max(error);
        assert!(error < 1e-4, "{name}: {error} m");
        count += 1;
        frames += before.len();
    }
    common::say(&format!(
        "bvh corpus: {count} files with {frames} frames written and read again, at most {worst:.1e} m apart"
    ));
    assert!(count >= 36);
}

/// The places of `again` without the tips that the writer gave to leaves.
fn without_added_tips(
    file: &sinew_formats::MotionFile,
    again: &sinew_formats::MotionFile,
    places: Vec<Vec<sinew::glam::Vec3>>,
) -> Vec<Vec<sinew::glam::Vec3>> {
    let joints = file.skeleton.joints().iter().zip(again.skeleton.joints());
    let keep: Vec<bool> = joints
        .flat_map(|(joint, again)| {
            let tip = again.tip.map(|_| joint.tip.is_some());
            [Some(true), tip]
        })
        .flatten()
        .collect();
    places
        .into_iter()
        .map(|frame| {
            assert_eq!(frame.len(), keep.len());
            let kept = frame.into_iter().zip(&keep);
            kept.filter_map(|(point, keep)| keep.then_some(point))
                .collect()
        })
        .collect()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn line_ends_and_a_byte_order_mark_do_not_change_real_files() {
    let corpus = common::required_corpus();
    let name = "bvh_anim/test_mocapbank.bvh";
    let text = std::fs::read_to_string(corpus.join("bvh").join(name)).unwrap();
    let bvh = read_bytes(text.as_bytes(), &STRICT).unwrap();
    let twin = std::fs::read(corpus.join("bvh/bvh-python/test_mocapbank.bvh")).unwrap();
    assert_eq!(read_bytes(&twin, &STRICT).unwrap(), bvh);
    for text in [
        text.replace('\n', "\r"),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
    ] {
        assert_eq!(read_bytes(text.as_bytes(), &STRICT).unwrap(), bvh);
    }
    common::say("bvh corpus: line ends of 1 file and its twin");
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_real_file_cut_or_changed_is_read_or_refused() {
    let corpus = common::required_corpus();
    let bytes = std::fs::read(corpus.join("bvh/physiomocap/sample.bvh")).unwrap();
    let settings = [STRICT, LENIENT].map(|settings| BvhSettings {
        scale: 1.0,
        ..settings
    });
    let mut read = 0;
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 0x15;
        for bytes in [&bytes[..index], &changed] {
            for settings in &settings {
                if let Ok(bvh) = read_bytes(bytes, settings) {
                    read += usize::from(bvh.into_motion(settings).is_ok());
                }
            }
        }
    }
    common::say(&format!(
        "bvh corpus: of 1 file {} cuts and changes, {read} of them readable",
        4 * bytes.len()
    ));
    assert!(read > 0 && read < 4 * bytes.len());
}
