//! `sinew demo`: the built-in character, drawn in every way.

use crate::common;
use common::Folder;

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn the_demo_draws_all_that_it_lists_and_nothing_else_exhaustively() {
    let folder = Folder::new();
    let json = folder
        .run_fine(&["demo", "--out", "shown", "--json"])
        .json();
    let files = json["files"].as_array().unwrap();
    let mut listed: Vec<&str> = files.iter().map(|f| f["file"].as_str().unwrap()).collect();
    for file in &listed {
        if file.ends_with(".gif") {
            let (gif, entry) = (folder.gif(file), files.iter().find(|f| f["file"] == **file));
            assert_eq!(entry.unwrap()["pictures"], gif.delays.len());
        } else if file.ends_with(".html") {
            let bytes = std::fs::metadata(folder.path(file)).unwrap().len();
            let entry = files.iter().find(|f| f["file"] == **file);
            assert_eq!(entry.unwrap()["bytes"], bytes);
        } else {
            assert!(common::ink(&folder.png(file)) > 1000);
        }
    }
    for name in [
        "idle.gif",
        "walk.gif",
        "walk-sheet.png",
        "outfit-Winter.png",
        "play-pip.png",
        "play-figure.png",
        "compress-dance.png",
        #[cfg(feature = "viewer")]
        "demo.html",
    ] {
        assert!(
            listed.contains(&format!("shown/{name}").as_str()),
            "{listed:?}"
        );
    }
    listed.push("shown");
    listed.sort_unstable();
    assert_eq!(folder.files(), listed);
}

#[test]
fn a_demo_that_cannot_be_written_says_so() {
    let folder = Folder::new();
    folder.write("taken", "a file");
    folder.run_refused(&["demo", "--out", "taken"], &["taken is not a folder"]);
    assert_eq!(folder.files(), ["taken"]);
}
