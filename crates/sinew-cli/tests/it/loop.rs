//! `sinew loop`: a seamless loop of a motion.

use crate::common;
use common::Folder;
use common::mocap::{BVH, read};
use sinew::{JointIndex, Sampler};

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = Folder::new();
    folder.write("short.bvh", BVH);
    let before = folder.files();
    let refused: [(&[&str], &str); 8] = [
        (&["gone.bvh"], "gone.bvh"),
        (&["sample"], "expected a motion"),
        (&["sample:walk", "--out", "a.mp4"], ".bvh, .glb"),
        (
            &["sample:walk", "--trim", "9..10"],
            "starts at 9 s, but the motion is 3.3 s long",
        ),
        (&["sample:walk", "--shortest", "0"], "seconds from 0.01"),
        (
            &["sample:walk", "--shortest", "20"],
            "no less than the shortest",
        ),
        (&["short.bvh"], "a cycle needs 0.4 or more"),
        (&["short.bvh", "--out", "short.bvh"], "overwrite"),
    ];
    for (arguments, said) in refused {
        folder.run_refused(&[&["loop"], arguments].concat(), &[said]);
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn a_walk_comes_round_with_the_same_foot() {
    let folder = Folder::new();
    let json = folder
        .run_fine(&["loop", "sample:walk", "--out", "stride.bvh", "--json"])
        .json();
    // A stride takes 1.1 s.
    let seconds = json["seconds"].as_f64().unwrap();
    assert!((seconds - 1.1).abs() < 0.02, "{seconds}");
    assert!(json["seam_after"]["distance"].as_f64().unwrap() < 1e-3);
    assert!(json["slide_after"]["deviation"].as_f64().unwrap() < 1e-3);
    let file = read(&folder, "stride.bvh");
    let animation = &file.animations[0];
    let mut sampler = Sampler::new(&file.skeleton, animation);
    let ends = [0.0, animation.length].map(|time| sampler.model_at(time).position(JointIndex(0)));
    let way = json["ground_transform"]["x"]
        .as_f64()
        .unwrap()
        .hypot(json["ground_transform"]["z"].as_f64().unwrap());
    assert!((f64::from((ends[1] - ends[0]).length()) - way).abs() < 1e-2);
}

#[test]
fn on_the_spot_the_motion_that_was_taken_out_is_in_the_file() {
    let folder = Folder::new();
    folder.run_fine(&["loop", "sample:run", "--in-place", "--out", "run.glb"]);
    let file = read(&folder, "run.glb");
    let animation = &file.animations[0];
    let mut sampler = Sampler::new(&file.skeleton, animation);
    let ends = [0.0, animation.length].map(|time| sampler.model_at(time).position(JointIndex(0)));
    assert!((ends[1] - ends[0]).length() < 1e-3);
    let looping = animation.looping.expect("it is a loop");
    assert!(looping.in_place);
    let speed = looping.per_cycle.x.hypot(looping.per_cycle.z) / f64::from(animation.length);
    assert!((speed - 3.0).abs() < 0.1, "{speed}");
}

#[test]
fn without_an_output_it_tells_where_the_motion_comes_round() {
    let folder = Folder::new();
    let stdout = folder.run_fine(&["loop", "sample:walk"]).stdout;
    for said in [
        "walk repeats from ",
        "seam, largest joint distance",
        "use --out",
    ] {
        assert!(stdout.contains(said), "{stdout}");
    }
    assert!(folder.files().is_empty());
    let part = folder
        .run_fine(&["loop", "sample:walk", "--trim", "1..3", "--json"])
        .json();
    assert!(part["start"].as_f64().unwrap() >= 1.0, "{part}");
    folder.run_fine(&["loop", "sample:walk", "--out", "walk.gif"]);
    assert!(folder.gif("walk.gif").delays.len() > 20);
}
