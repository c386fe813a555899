//! `sinew render`: GIFs, single pictures, folders and contact sheets, and where they go.

use crate::common;
use common::{Folder, ink};
use std::fs;

#[test]
fn by_default_the_first_animation_is_a_gif_beside_the_file() {
    let folder = Folder::new();
    fs::create_dir(folder.path("art")).unwrap();
    folder.write("art/hero.skf", common::PIP);
    let run = folder.run_fine(&["render", "art/hero.skf", "--size", "40"]);
    assert_eq!(folder.files(), ["art", "art/hero-idle.gif", "art/hero.skf"]);
    assert!(
        run.stdout.starts_with("art/hero-idle.gif  "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with(" x 40, 90 pictures\n"),
        "{}",
        run.stdout
    );
    let gif = folder.gif("art/hero-idle.gif");
    assert_eq!((gif.height, gif.delays.len()), (40, 90));
    assert_eq!(gif.corner, [255, 255, 255, 255]);
}

#[test]
fn the_built_in_sample_goes_to_the_working_folder() {
    let folder = Folder::new();
    folder.run_fine(&["render", "sample", "--animation=walk", "--size=40"]);
    assert_eq!(folder.files(), ["sample-walk.gif"]);
}

#[test]
fn a_single_frame_is_a_transparent_png() {
    let folder = Folder::new();
    let base = ["render", "sample", "-a", "walk", "--size", "60"];
    let frame = |frame: &str, out: &str| {
        folder.run_fine(&[&base[..], &["--frame", frame, "--out", out]].concat());
        folder.png(out)
    };
    let first = frame("0", "first.png");
    assert!(first.width().max(first.height()) == 60 && ink(&first) > 500);
    assert_eq!(first.pixel(0, 0), [0; 4]);
    let between = frame("10.5", "between.png");
    assert_ne!(between.pixels(), frame("10", "before.png").pixels());
    assert_ne!(between.pixels(), frame("11", "after.png").pixels());

    folder.run_fine(&[&base[..], &["--out", "no-frame.PNG"]].concat());
    assert_eq!(folder.png("no-frame.PNG").pixels(), first.pixels());
    folder.run_fine(&[&base[..], &["--frame", "0"]].concat());
    assert_eq!(folder.png("sample-walk.png").pixels(), first.pixels());
}

#[test]
fn a_folder_gets_one_png_per_frame() {
    let folder = Folder::new();
    let base = ["render", "sample", "-a", "walk", "--size", "24x32", "--out"];
    let run = folder.run_fine(&[&base[..], &["frames"]].concat());
    assert_eq!(run.stdout, "frames  24 x 32, 40 pictures\n");
    let files = folder.files();
    assert_eq!(files.len(), 41);
    assert_eq!(
        (&*files[1], &*files[40]),
        ("frames/00000.png", "frames/00039.png")
    );
    let picture = folder.png("frames/00010.png");
    assert_eq!((picture.width(), picture.height()), (24, 32));

    // A name with a dot is a folder when a slash says so.
    folder.run_fine(&[&base[..], &["take.2/", "--fps", "9"]].concat());
    assert!(folder.path("take.2/00005.png").exists());
    assert!(!folder.path("take.2/00006.png").exists());
}

#[test]
fn a_contact_sheet_is_one_picture_of_many() {
    let folder = Folder::new();
    let base = ["render", "sample", "-a", "jump", "--size", "30x40"];
    let run = folder.run_fine(&[&base[..], &["--contact-sheet", "6", "--out", "six.png"]].concat());
    assert!(run.stdout.ends_with(", 6 pictures\n"), "{}", run.stdout);
    let sheet = folder.png("six.png");
    assert_eq!((sheet.width() - 8) % 38, 0, "{}", sheet.width());
    assert_eq!((sheet.height() - 8) % 48, 0, "{}", sheet.height());
    assert_eq!(sheet.pixel(0, 0), [255; 4]);

    let run = folder.run_fine(&[&base[..], &["--contact-sheet"]].concat());
    assert!(
        run.stdout.starts_with("sample-jump-sheet.png"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.ends_with(", 12 pictures\n"), "{}", run.stdout);
}

#[test]
fn a_character_without_animations_is_a_picture() {
    let folder = Folder::new();
    folder.write("square.skf", common::skf(&common::square()));
    let run = folder.run_fine(&["render", "square.skf", "--size", "20"]);
    assert_eq!(run.stdout, "square.png  20 x 20\n");
    let picture = folder.png("square.png");
    assert_eq!(picture.pixel(10, 10), [255, 0, 0, 255]);
    assert_eq!(picture.pixel(0, 0), [0; 4]);

    folder.run_fine(&["render", "square.skf", "--size=20", "--out=square.gif"]);
    assert_eq!(folder.gif("square.gif").delays, [100]);
    let run = folder.run_refused(&["render", "square.skf", "-a", "walk"], &["there are none"]);
    assert!(run.stderr.contains("square.skf"), "{}", run.stderr);
}

#[test]
fn missing_folders_of_frames_are_made() {
    let folder = Folder::new();
    let args = ["render", "sample", "--size=20", "--fps=1", "--out", "a/b/"];
    folder.run_fine(&args);
    assert_eq!(folder.files()[..3], ["a", "a/b", "a/b/00000.png"]);
}

#[test]
fn json_tells_what_was_drawn() {
    let folder = Folder::new();
    let args = ["render", "sample", "--frame=3", "--size=20x30", "--json"];
    let json = folder.run_fine(&args).json();
    assert_eq!(json["file"], "sample-idle.png");
    assert_eq!(json["pictures"], 1);
    assert_eq!((&json["width"], &json["height"]), (&20.into(), &30.into()));
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let folder = Folder::new();
    for out in ["one.gif", "two.gif"] {
        folder.run_fine(&["render", "sample", "-awalk", "--size=40", "--out", out]);
    }
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("one.gif") == bytes("two.gif"));
}
