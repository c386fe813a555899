//! A character of which nothing can be seen is a problem, not an empty picture and "ok".

use crate::common::{self, Folder};
use sinew::skelform::curve::Ease;
use sinew::skelform::{AnimationData, Element, KeyData};

/// A character whose only bone is hidden.
fn hidden() -> sinew::skelform::ArmatureData {
    let mut data = common::square();
    data.bones[0].hidden = true;
    data
}

#[test]
fn validate_reports_that_nothing_is_visible() {
    let folder = Folder::new();
    folder.write("hidden.skf", common::skf(&hidden()));
    folder.write("square.skf", common::skf(&common::square()));
    let run = folder.run(&["validate", "hidden.skf"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(run.stdout.contains("nothing is visible"), "{}", run.stdout);
    let json = folder.run(&["validate", "hidden.skf", "--json"]).json();
    let problems = json["files"][0]["problems"].to_string();
    assert!(problems.contains("nothing is visible"), "{problems}");
    folder.run_fine(&["validate", "square.skf"]);
}

#[test]
fn render_writes_an_empty_picture_and_reports_it() {
    let folder = Folder::new();
    folder.write("hidden.skf", common::skf(&hidden()));
    let run = folder.run(&["render", "hidden.skf", "--out=empty.png"]);
    assert_eq!(run.code, Some(1));
    let expected = "warning: hidden.skf: picture: nothing is visible";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(common::ink(&folder.png("empty.png")), 0);

    let run = folder.run(&["render", "hidden.skf", "--out=empty.png", "--json"]);
    assert_eq!(run.code, Some(1));
    let warnings = run.json()["warnings"].to_string();
    assert!(warnings.contains("nothing is visible"), "{warnings}");

    // The skeleton can be seen.
    folder.run_fine(&["render", "hidden.skf", "--overlay", "--out=bones.png"]);
}

/// A picture that happens to show a moment at which the character is hidden is reported; a film that shows
/// it at any moment is fine.
#[test]
fn render_reports_empty_pictures_only_when_all_are_empty() {
    let mut data = common::square();
    let key = |frame, value| KeyData {
        frame,
        element: Element::Hidden,
        value,
        bone: 0,
        text: String::new(),
        ease: Ease::Step,
    };
    data.animations = vec![AnimationData {
        name: "blink".into(),
        frame_rate: 10,
        keys: vec![key(0, 0.0), key(5, 1.0), key(9, 0.0)],
    }];
    let folder = Folder::new();
    folder.write("blink.skf", common::skf(&data));
    folder.run_fine(&["render", "blink.skf", "--out=blink.gif"]);
    folder.run_fine(&["render", "blink.skf", "--frame=0", "--out=open.png"]);
    let run = folder.run(&["render", "blink.skf", "--frame=6", "--out=shut.png"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}
