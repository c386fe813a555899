//! `sinew info`: what is in a file.

use crate::common;
use common::Folder;
use serde_json::Value;

#[test]
fn text_tells_the_bones_animations_styles_and_atlases() {
    let text = Folder::new().run_fine(&["info", "sample"]).stdout;
    assert!(text.starts_with("sample SkelForm 0.7.0\n"), "{text}");
    for said in ["├─ hips\n", "mesh of 24 vertices", "physics", "hidden"] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    for said in [
        "  walk    40 frames at 60 fps, 0.67 s",
        "\"Winter\" 6 textures",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    assert!(text.ends_with("Warnings 0\n"), "{text}");
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
}

#[test]
fn json_is_one_document_that_says_the_same() {
    let folder = Folder::new();
    let json = folder.run_fine(&["info", "sample", "--json"]).json();
    assert_eq!(json["file"], "sample");
    assert_eq!(json["format"], "skelform");
    assert_eq!(json["format_version"], "0.7.0");
    assert_eq!(json["meshes"], 9);
    assert_eq!(json["warnings"], Value::Array(Vec::new()));
    let list = |field: &str| json[field].as_array().unwrap().clone();
    let names = |field: &str| -> Vec<String> {
        let names = list(field).into_iter();
        names
            .map(|e| e["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("animations"), ["idle", "walk", "wave", "jump"]);
    assert_eq!(names("styles"), ["Default", "Winter"]);
    assert_eq!(names("bones").len(), 67);
    assert_eq!(list("ik_families").len(), 3);
    assert_eq!(list("atlases")[0]["width"], 640);
    let walk = &list("animations")[1];
    assert_eq!(walk["fps"], 60);
    assert_eq!(walk["last_frame"], 39);
}

#[test]
fn a_file_tells_what_the_built_in_sample_tells() {
    let folder = Folder::new();
    folder.write("pip.skf", common::PIP);
    let mut file = folder.run_fine(&["info", "pip.skf", "--json"]).json();
    let sample = folder.run_fine(&["info", "sample", "--json"]).json();
    assert_eq!(file["file"], "pip.skf");
    file["file"] = sample["file"].clone();
    assert_eq!(file, sample);
}

#[test]
fn a_file_named_sample_comes_before_the_built_in_one() {
    let folder = Folder::new();
    folder.write("sample", common::skf(&common::square()));
    let json = folder.run_fine(&["info", "sample", "--json"]).json();
    assert_eq!(json["bones"][0]["name"], "only");
}

#[test]
fn a_missing_file_is_an_error_with_its_path() {
    let said = ["deep/nobody.skf", "no such file"];
    Folder::new().run_refused(&["info", "deep/nobody.skf"], &said);
}

#[test]
fn a_folder_is_an_error() {
    Folder::new().run_refused(&["info", "."], &["cannot read the file"]);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_unicode_is_read_and_shown_as_well_as_it_can_be() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"p\xffp.skf");
    std::fs::write(folder.path("").join(name), common::PIP).unwrap();
    for command in ["info", "validate", "render"] {
        let args = [OsStr::new(command), name, OsStr::new("--json")];
        let small = [OsStr::new("--frame=0"), OsStr::new("--size=40")];
        let small = &small[..if command == "render" { 2 } else { 0 }];
        let json = folder.run_fine(&[&args, small].concat()).json();
        assert_eq!(json["version"], 1);
    }
}
