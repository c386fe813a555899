//! Packed motions, once they are made: `sinew verify`, `decompress`, `convert`, `info` and `bench`.

use crate::common;
use common::Folder;
use common::mocap::{BVH, JUMP, WALK, apart, first_frames, read};
use std::fs;

/// A folder with a walk, and the same packed.
fn packed() -> Folder {
    let folder = Folder::new();
    folder.put_walk();
    folder.run_fine(&["compress", "07_01.amc"]);
    folder
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = packed();
    folder.write("figure.bvh", BVH);
    folder.write("empty.sinew", "");
    folder.write("text.sinew", "no packed motion");
    let refused: [(&[&str], &str); 8] = [
        (&["gone.sinew", "07_01.amc"], "gone.sinew"),
        (&["07_01.sinew", "gone.amc"], "gone.amc"),
        (&["07_01.amc", "07_01.amc"], "expected a .sinew file"),
        (&["empty.sinew", "07_01.amc"], "empty.sinew"),
        (&["text.sinew", "07_01.amc"], "expected a .sinew file"),
        (
            &["07_01.sinew", "figure.bvh"],
            "joint 0 is \"root\", in the source \"Hips\"",
        ),
        (
            &["07_01.sinew", "07_01.amc", "--units", "m"],
            "the rest position of",
        ),
        (
            &["07_01.sinew", "07_01.amc", "--animation", "run"],
            "no animation \"run\"; available: \"07_01\"",
        ),
    ];
    for (arguments, said) in refused {
        folder.run_refused(&[&["verify"], arguments].concat(), &[said]);
    }
    folder.run_refused(
        &["verify", "07_01.sinew", "07_01.amc", "--plot", "07_01.amc"],
        &[".svg or .png"],
    );
}

#[test]
fn a_file_that_is_cut_short_anywhere_is_refused_by_every_command() {
    let folder = packed();
    let bytes = fs::read(folder.path("07_01.sinew")).unwrap();
    for length in [1, 8, 31, 33, 200, bytes.len() / 2, bytes.len() - 1] {
        folder.write("cut.sinew", &bytes[..length]);
        folder.run_refused(&["verify", "cut.sinew", "07_01.amc"], &["cut.sinew"]);
        folder.run_refused(&["info", "cut.sinew"], &["cut.sinew"]);
        let run = folder.run(&["decompress", "cut.sinew", "--to", "bvh"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stdout.contains("failed  cut.sinew"), "{}", run.stdout);
    }
    let mut changed = bytes;
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    folder.write("cut.sinew", &changed);
    folder.run_refused(&["verify", "cut.sinew", "07_01.amc"], &["damaged"]);
    assert!(!folder.path("cut.bvh").exists());
}

#[test]
fn another_clip_of_the_same_skeleton_does_not_hold() {
    let folder = packed();
    folder.write("07_02.amc", JUMP);
    let run = folder.run(&["verify", "07_01.sinew", "07_02.amc"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("exceeded 07_01"), "{}", run.stdout);
    assert!(
        run.stdout.contains("is this the right source?"),
        "{}",
        run.stdout
    );
    let run = folder.run(&["verify", "07_01.sinew", "07_02.amc", "--json"]);
    assert_eq!(
        (run.code, &run.json()["within_bound"]),
        (Some(1), &false.into())
    );
}

#[test]
fn what_holds_says_by_how_much_and_where() {
    let folder = Folder::new();
    folder.put_walk();
    folder.write("07_01.amc", first_frames(WALK, 40));
    folder.run_fine(&["compress", "07_01.amc"]);
    let text = folder
        .run_fine(&["verify", "07_01.sinew", "07_01.amc"])
        .stdout;
    assert!(text.contains("ok       07_01"), "{text}");
    let json = folder
        .run_fine(&["verify", "07_01.sinew", "07_01.amc", "--json"])
        .json();
    let motion = &json["motions"][0];
    let number = |name: &str| motion[name].as_f64().unwrap();
    assert!(number("measured") > 0.0 && number("measured") <= number("max_error"));
    assert!(number("measured") <= motion["packed"]["error"].as_f64().unwrap());
    let joints = motion["joints"].as_object().unwrap();
    let worst = joints[motion["joint"].as_str().unwrap()].as_f64().unwrap();
    assert_eq!(worst, number("measured"));
    assert_eq!(json["not_in_source"], 0);
    folder.run_fine(&["verify", "07_01.sinew", "07_01.amc", "--plot", "a.png"]);
    assert!(common::ink(&folder.png("a.png")) > 1000);
}

#[test]
fn what_is_decompressed_is_within_the_error_in_every_format() {
    let folder = packed();
    let source = read(&folder, "07_01.amc");
    // What writing rounds away on top: BVH has six decimals of degrees and of centimetres.
    let most = 1e-4 + 2e-5;
    for format in ["bvh", "glb", "gltf", "json"] {
        let out = format!("walk.{format}");
        folder.run_fine(&["decompress", "07_01.sinew", "--out", &out]);
        let motion = read(&folder, &out);
        let error = apart(&source, &motion);
        assert!(error > 0.0 && error < most, "{format}: {error}");
        assert_eq!(
            motion.animations[0].frame_rate,
            source.animations[0].frame_rate
        );
        let converted = format!("again.{format}");
        folder.run_fine(&["convert", "07_01.sinew", "--out", &converted]);
        let [a, b] = [&out, &converted].map(|name| fs::read(folder.path(name)).unwrap());
        assert_eq!(a, b, "{format}");
    }
    folder.run_fine(&["verify", "07_01.sinew", "walk.glb"]);
}

#[test]
fn only_packed_motions_are_decompressed_and_not_to_packed_ones() {
    let folder = packed();
    let run = folder.run(&["decompress", "07_01.amc", "--to", "glb"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.contains("found AMC; use `sinew convert`"),
        "{}",
        run.stdout
    );
    folder.run_refused(
        &["decompress", "07_01.sinew", "--to", "sinew"],
        &["expected bvh, glb, gltf or json"],
    );
    folder.run_refused(&["decompress", "07_01.sinew"], &["--to"]);
    // From a folder, its packed motions and no others.
    let json = folder
        .run_fine(&["decompress", ".", "--to", "glb", "--out", "out", "--json"])
        .json();
    assert_eq!(json["files"][0]["input"], "./07_01.sinew");
    assert_eq!(json["converted"], 1);
}

#[test]
fn converting_to_packed_compresses_and_says_so() {
    let folder = packed();
    let text = folder
        .run_fine(&["convert", "07_01.amc", "--out", "other.sinew"])
        .stdout;
    assert!(text.contains("max error 0.1 mm"), "{text}");
    let [a, b] = ["07_01.sinew", "other.sinew"].map(|name| fs::read(folder.path(name)).unwrap());
    assert_eq!(a, b);
}

#[test]
fn info_tells_what_each_joint_costs() {
    let folder = packed();
    let text = folder.run_fine(&["info", "07_01.sinew"]).stdout;
    for said in [
        "Packed 1",
        "packed small",
        "(max 0.1 mm)",
        "3 moving",
        "static",
        "lhipjoint",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    let json = folder.run_fine(&["info", "07_01.sinew", "--json"]).json();
    let packed = &json["packed"];
    let size = fs::metadata(folder.path("07_01.sinew")).unwrap().len();
    assert_eq!(packed["file_bytes"], size);
    let motion = &packed["motions"][0];
    let joints = motion["joint_costs"].as_array().unwrap();
    assert_eq!(joints.len(), json["joints"].as_array().unwrap().len());
    assert_eq!(joints[0]["position"]["moving"], 3);
    assert_eq!(joints[0]["scale"], "rest");
    let sum: f64 = joints.iter().map(|j| j["bytes"].as_f64().unwrap()).sum();
    let bytes = motion["bytes"].as_f64().unwrap();
    assert!(sum <= bytes && sum > 0.9 * bytes, "{sum} of {bytes}");
}

#[test]
fn packed_motions_are_drawn_like_others() {
    let folder = packed();
    folder.run_fine(&[
        "render",
        "07_01.sinew",
        "--strobe=3",
        "--size=80",
        "--out",
        "a.png",
    ]);
    assert!(common::ink(&folder.png("a.png")) > 100);
    folder.run_fine(&["plot", "07_01.sinew", "--joint", "ltoes", "--out", "a.svg"]);
    folder.run_fine(&["validate", "07_01.sinew"]);
}

#[test]
fn bench_refuses_what_has_no_motion() {
    let folder = packed();
    folder.run_refused(&["bench", "07.asf"], &["no animation found"]);
    folder.run_refused(&["bench", "gone.bvh"], &["gone.bvh"]);
    folder.run_refused(&["bench", "sample"], &["expected a motion"]);
    folder.run_refused(&["bench", "07_01.amc", "--max-error", "1"], &["use 1mm"]);
}

#[test]
fn bench_times_every_stage_of_every_form() {
    let folder = packed();
    let arguments = ["bench", "07_01.amc", "--quick", "--max-error", "5mm"];
    let json = folder
        .run_fine(&[&arguments[..], &["--json"]].concat())
        .json();
    let forms = json["packings"].as_array().unwrap();
    let names: Vec<&str> = forms.iter().map(|f| f["form"].as_str().unwrap()).collect();
    assert_eq!(names, ["small", "fast", "keyframes", "plain"]);
    let is_time = |value: &serde_json::Value| {
        ["nanoseconds", "of_copy", "of_slerp"]
            .iter()
            .all(|field| value[field].as_f64().is_some_and(|time| time > 0.0))
    };
    for form in forms {
        for stage in [
            "sample_sequential",
            "sample_reverse",
            "sample_random",
            "chain",
        ] {
            assert!(is_time(&form[stage]), "{form}");
        }
        for field in ["characters_at_60_hz", "characters_at_60_hz_on_all_cores"] {
            assert!(form[field].as_u64().unwrap() > 0, "{field} in {form}");
        }
        assert!(form["crowd"]["cores"].as_u64().unwrap() > 0, "{form}");
    }
    assert!(is_time(&json["blend"]) && is_time(&json["local_to_model"]));
    let text = folder.run_fine(&arguments).stdout;
    for said in [
        "SIMD",
        "sample fast, random access",
        "vs copy",
        "at 60 Hz on one core",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
}

#[test]
fn bench_leaves_out_a_form_that_cannot_be_near_enough_and_says_why() {
    let folder = packed();
    let json = folder
        .run_fine(&[
            "bench",
            "07_01.amc",
            "--quick",
            "--max-error",
            "1um",
            "--json",
        ])
        .json();
    assert!(
        json["missing"][0]
            .as_str()
            .unwrap()
            .starts_with("keyframes: "),
        "{json}"
    );
    assert_eq!(json["packings"].as_array().unwrap().len(), 3);
}
