//! Every `.skf` of the corpus that `SINEW_CORPUS` names.

use crate::common;
use common::Folder;
use std::fs;
use std::path::PathBuf;

/// Every `.skf` below the corpus, sorted.
fn files() -> Vec<PathBuf> {
    let corpus = std::env::var_os("SINEW_CORPUS");
    let corpus = corpus.expect("SINEW_CORPUS must name the folder of real files");
    let mut folders = vec![PathBuf::from(corpus)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "skf") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_file_is_told_and_drawn_or_refused() {
    let folder = Folder::new();
    let (mut listed, mut drawn, mut refused) = (0, 0, 0);
    for file in files() {
        let path = file.to_str().unwrap();
        let info = folder.run(&["info", path, "--json"]);
        let render = ["render", path, "--frame=0", "--size=64", "--out=drawn.png"];
        let bones = match info.code {
            Some(0) => info.json()["bones"].as_array().unwrap().len(),
            _ => 0,
        };
        let is_bad = path.contains("bad_") || path.contains("lfs_pointer");
        assert!(bones > 0 || is_bad, "{path}: {}", info.stderr);
        listed += usize::from(info.code == Some(0));
        let run = folder.run(&render);
        match run.code {
            Some(0) => {
                let ink = common::ink(&folder.png("drawn.png"));
                assert!(ink > 0, "{path}: the picture is empty");
                drawn += 1;
            }
            _ => {
                assert!(is_bad, "{path}: {}", run.stderr);
                folder.run_refused(&render, &[path]);
                refused += 1;
            }
        }
    }
    assert!(drawn > 0, "the corpus has no .skf files");
    common::say(&format!(
        "corpus: {listed} files told, {drawn} drawn, {refused} refused"
    ));
}
