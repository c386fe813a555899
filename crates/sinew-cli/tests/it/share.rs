//! `sinew share`: one page with everything in it.

use crate::common;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};
use serde_json::Value;
use std::io::Read;

/// Bytes of a page beyond its files. The goal is 600 kB; the readers in WebAssembly are larger than planned (benches/web.md).
const MAX_PAGE_BYTES: usize = 920_000;

fn page(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

/// The payload of a page, as a browser reads it: up to the next `</script`.
fn payload(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"sinew-files\">";
    let (_, rest) = page.split_once(start).unwrap();
    let (json, _) = rest.split_once("</script").unwrap();
    serde_json::from_str(json).unwrap()
}

fn unpack(file: &Value) -> Vec<u8> {
    let packed = BASE64_STANDARD.decode(file["gzip"].as_str().unwrap());
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.unwrap().as_slice())
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

#[test]
fn motions_are_packed_and_characters_are_kept() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    folder.write("pip.skf", common::PIP);
    folder.write("07.asf", FIGURE);
    folder.write("07_05.amc", WALK);
    let args = [
        "share",
        "walk.bvh",
        "pip.skf",
        "07_05.amc",
        "sample:run",
        "--out=all.html",
        "--json",
    ];
    let json = folder.run_fine(&args).json();
    let html = page(&folder, "all.html");
    assert_eq!(json["bytes"], html.len());
    let content = payload(&html);
    assert_eq!(content["version"], 1);
    assert_eq!(content["compare"], false);
    assert_eq!(content["title"], "walk, pip and 2 more");
    let files = content["files"].as_array().unwrap();
    let names: Vec<&str> = files
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["walk.sinew", "pip.skf", "07_05.sinew", "run.sinew"]);
    assert_eq!(unpack(&files[1]), common::PIP);
    for (file, source) in [(&files[0], "walk.bvh"), (&files[2], "07_05.amc")] {
        folder.write("unpacked.sinew", unpack(file));
        folder.run_fine(&["verify", "unpacked.sinew", source]);
    }
    for (file, reported) in files.iter().zip(json["files"].as_array().unwrap()) {
        assert_eq!(file["animations"], reported["animations"]);
        for animation in file["animations"].as_array().unwrap() {
            let hash = animation["hash"].as_str().unwrap();
            assert!(
                hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(),
                "{hash}"
            );
        }
    }
    assert_eq!(files[1]["animations"].as_array().unwrap().len(), 4);
    // The program tells the same hashes of the files.
    let hashes = |file: &str| folder.run_fine(&["info", file, "--hash", "--json"]).json();
    assert_eq!(hashes("pip.skf")["pose_hashes"], files[1]["animations"]);
    folder.write("run.sinew", unpack(&files[3]));
    assert_eq!(hashes("run.sinew")["pose_hashes"], files[3]["animations"]);
    let text = folder.run_fine(&["info", "run.sinew", "--hash"]).stdout;
    let hash = files[3]["animations"][0]["hash"].as_str().unwrap();
    assert!(text.contains(hash), "{text}");
    // The picture for those without scripts.
    let (_, noscript) = html.split_once("<noscript>").unwrap();
    let (_, poster) = noscript.split_once("src=\"data:image/png;base64,").unwrap();
    let png = BASE64_STANDARD.decode(poster.split_once('"').unwrap().0);
    folder.write("poster.png", png.unwrap());
    assert!(common::ink(&folder.png("poster.png")) > 500);
}

#[test]
fn the_same_input_gives_the_same_bytes_and_its_names_no_markup() {
    let folder = Folder::new();
    let name = "<!--<script>&\"'.bvh";
    folder.write(
        name,
        BVH.replace("Hips", "</script><script>alert(1)</script><!--"),
    );
    let title = "</title></script><script>alert(2)</script><!--";
    for out in ["a.html", "b.html"] {
        let run = folder.run(&["share", name, "--title", title, "--out", out]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let html = page(&folder, "a.html");
    assert_eq!(html, page(&folder, "b.html"));
    assert!(!html.contains("<script>alert"), "{html}");
    let content = payload(&html);
    assert_eq!(content["title"], title);
    assert_eq!(content["files"][0]["name"], "<!--<script>&\"'.sinew");
    let (_, head) = html.split_once("<title>").unwrap();
    assert!(head.starts_with("&lt;/title&gt;&lt;/script&gt;"), "{head}");
    // Nothing is fetched from elsewhere.
    let text = html.to_ascii_lowercase();
    for outside in [
        "src=\"http",
        "src=\"//",
        "href=\"http",
        "href=\"//",
        "<link",
        "@import",
    ] {
        assert!(!text.contains(outside), "{outside}");
    }
}

#[test]
fn a_page_is_small() {
    let folder = Folder::new();
    folder.run_fine(&["share", "sample:walk", "--out=walk.html"]);
    let html = page(&folder, "walk.html");
    let clip = payload(&html)["files"][0]["gzip"].as_str().unwrap().len();
    let rest = html.len() - clip;
    common::say(&format!(
        "{} bytes, of which {clip} are the clip",
        html.len()
    ));
    assert!(rest <= MAX_PAGE_BYTES, "{rest}");
    assert!(clip < 20_000, "{clip}");
}

#[test]
fn two_motions_are_compared() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    let args = [
        "share",
        "--compare",
        "sample:run",
        "walk.bvh",
        "--out=c.html",
    ];
    folder.run_fine(&args);
    let content = payload(&page(&folder, "c.html"));
    assert_eq!(content["compare"], true);
    assert_eq!(content["files"][0]["name"], "run.sinew");
    assert_eq!(content["files"][1]["name"], "walk.sinew");
    // A file given twice is there twice.
    folder.run_fine(&["share", "--compare", "walk.bvh", "walk.bvh", "--out=c.html"]);
    let content = payload(&page(&folder, "c.html"));
    assert_eq!(content["files"][1]["name"], "walk-2.sinew");
}

#[test]
fn gltf_files_with_meshes_and_packed_motions_are_kept() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out=own.gltf"]);
    // The mesh of our own writer only shows the bones; that of another program is kept.
    let text = std::fs::read_to_string(folder.path("own.gltf")).unwrap();
    folder.write(
        "fox.gltf",
        text.replace("\"generator\":\"sinew ", "\"generator\":\"fox "),
    );
    folder.run_fine(&["compress", "sample:walk", "--out=packed.sinew"]);
    folder.run_fine(&[
        "share",
        "own.gltf",
        "fox.gltf",
        "packed.sinew",
        "--out=all.html",
    ]);
    let content = payload(&page(&folder, "all.html"));
    let files = content["files"].as_array().unwrap();
    assert_eq!(files[0]["name"], "own.sinew");
    assert_eq!(files[1]["name"], "fox.glb");
    assert!(unpack(&files[1]).starts_with(b"glTF"));
    let packed = std::fs::read(folder.path("packed.sinew")).unwrap();
    assert_eq!(unpack(&files[2]), packed);
    assert_ne!(files[1]["animations"], files[2]["animations"]);
}

#[test]
fn a_smaller_error_bound_takes_more_bytes() {
    let folder = Folder::new();
    let size = |bound: &str| {
        let args = [
            "share",
            "sample:walk",
            "--max-error",
            bound,
            "--out=x.html",
            "--json",
        ];
        folder.run_fine(&args).json()["files"][0]["bytes"]
            .as_u64()
            .unwrap()
    };
    assert!(size("0.01mm") > size("0.1mm"));
    assert!(size("0.1mm") > size("1mm"));
}

#[test]
fn what_cannot_be_shared_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    folder.write("broken.bvh", "HIERARCHY\nROOT\n");
    folder.write("07.asf", FIGURE);
    std::fs::create_dir(folder.path("mocap")).unwrap();
    for (args, said) in [
        (&["walk.bvh", "--out=x.png"][..], "ending in .html"),
        (&["walk.bvh"], "--out"),
        (&["--out=x.html"], "FILE"),
        (&["--compare", "walk.bvh", "--out=x.html"], "2 values"),
        (&["mocap", "--out=x.html"], "sinew view"),
        (&["wlak.bvh", "--out=x.html"], "did you mean walk.bvh?"),
        (
            &["walk.bvh", "broken.bvh", "--out=x.html"],
            "broken.bvh: line 3",
        ),
        (&["07.asf", "--out=x.html"], "no animation"),
        (&["walk.bvh", "--out=none/x.html"], "create it first"),
        (
            &["walk.bvh", "--max-error=0", "--out=x.html"],
            "--max-error",
        ),
    ] {
        folder.run_refused(&[&["share"], args].concat(), &[said]);
    }
    let run = folder.run(&["share", "walk.bvh", "--out=-", "--json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(
        folder.files(),
        ["07.asf", "broken.bvh", "mocap", "walk.bvh"]
    );
}

#[test]
fn a_page_goes_to_standard_output_and_a_motion_comes_from_standard_input() {
    let folder = Folder::new();
    let run = folder.run_within_seconds(&["share", "-", "--out=-"], BVH.as_bytes(), 60);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(payload(&run.stdout)["files"][0]["name"], "stdin.sinew");
    assert!(
        run.stderr.contains("bytes with the viewer"),
        "{}",
        run.stderr
    );
}
