//! `sinew render`: what its settings change.

use crate::common;
use common::Folder;
use sinew::skelform::Image;

/// Draws frame 12 of the walk with more arguments.
fn walk(folder: &Folder, args: &[&str]) -> Image {
    let base = [
        "render", "sample", "-a", "walk", "--frame", "12", "--out", "walk.png",
    ];
    folder.run_fine(&[&base[..], args].concat());
    folder.png("walk.png")
}

/// How many pixels differ.
fn differing(a: &Image, b: &Image) -> usize {
    let pixels = a.pixels().chunks_exact(4).zip(b.pixels().chunks_exact(4));
    pixels.filter(|(a, b)| a != b).count()
}

#[test]
fn a_size_is_the_longer_side_or_both() {
    let folder = Folder::new();
    let size = |size: &str| {
        let picture = walk(&folder, &["--size", size]);
        (picture.width(), picture.height())
    };
    assert_eq!(size("64x20"), (64, 20));
    assert_eq!(size("1"), (1, 1));
    let (width, height) = size("200");
    assert!(height == 200 && (100..200).contains(&width), "{width}");
    // Small pictures have the shape of large ones.
    let (small, _) = size("50");
    assert!(small.abs_diff(width / 4) <= 1, "{small} and {width}");
    assert_eq!(walk(&folder, &[]).height(), 512);
}

#[test]
fn a_gif_plays_as_long_as_the_animation() {
    let folder = Folder::new();
    for (animation, seconds) in [("walk", 40.0 / 60.0), ("wave", 132.0 / 60.0)] {
        for fps in [7.0, 12.5, 24.0, 30.0, 50.0] {
            let fps_text = fps.to_string();
            let args = ["render", "sample", "-a", animation, "--fps", &fps_text];
            folder.run_fine(&[&args[..], &["--size=16", "--out=film.gif"]].concat());
            let gif = folder.gif("film.gif");
            let played = f64::from(gif.hundredths()) / 100.0;
            let pictures = gif.delays.len() as f64;
            // Each picture ends on the nearest hundredth, so errors do not add up.
            assert!(
                (played - seconds).abs() <= 0.01,
                "{animation} {fps}: {gif:?}"
            );
            // The loop is cut into whole pictures at the rate nearest to the one asked for.
            assert!(
                (pictures - seconds * fps).abs() <= 0.5,
                "{animation} {fps}: {gif:?}"
            );
        }
    }
}

#[test]
fn without_a_rate_gifs_have_30_pictures_per_second() {
    let folder = Folder::new();
    folder.run_fine(&["render", "sample", "-a", "walk", "--size=16"]);
    let gif = folder.gif("sample-walk.gif");
    assert_eq!((gif.delays.len(), gif.hundredths()), (20, 67));
}

#[test]
fn a_background_fills_what_is_empty() {
    let folder = Folder::new();
    let corner = |background: &str| {
        let picture = walk(&folder, &["--size=40", "--background", background]);
        (picture.pixel(0, 0), picture.pixel(8, 0))
    };
    assert_eq!(
        corner("#0a80ff"),
        ([10, 128, 255, 255], [10, 128, 255, 255])
    );
    assert_eq!(corner("black").0, [0, 0, 0, 255]);
    assert_eq!(corner("transparent").0, [0; 4]);
    let (light, dark) = corner("checker");
    assert!(light[3] == 255 && dark[3] == 255 && light != dark);

    let args = [
        "render",
        "sample",
        "-awalk",
        "--size=30",
        "--background=#0a80ff",
    ];
    folder.run_fine(&[&args[..], &["--fps=5", "--out=blue.gif"]].concat());
    assert_eq!(folder.gif("blue.gif").corner, [10, 128, 255, 255]);
}

#[test]
fn a_transparent_gif_is_transparent() {
    let folder = Folder::new();
    let args = [
        "render",
        "sample",
        "-awalk",
        "--size=30",
        "--fps=5",
        "--out=clear.gif",
    ];
    folder.run_fine(&[&args[..], &["--background=transparent"]].concat());
    assert_eq!(folder.gif("clear.gif").corner[3], 0);
}

#[test]
fn an_overlay_draws_the_parts_that_are_named() {
    let folder = Folder::new();
    let size = "--size=200x200";
    let plain = walk(&folder, &[size]);
    let bones = walk(&folder, &[size, "--overlay=bones"]);
    let usual = walk(&folder, &[size, "--overlay"]);
    let names = walk(&folder, &[size, "--overlay=names"]);
    let all = walk(&folder, &[size, "--overlay=bones,targets,names"]);
    assert!(differing(&plain, &bones) > 500);
    assert!(
        differing(&bones, &usual) > 50,
        "targets are in the usual overlay"
    );
    assert!(differing(&plain, &names) > 500);
    assert!(differing(&usual, &all) > 500);
}

#[test]
fn a_style_is_worn_over_the_default_ones() {
    let folder = Folder::new();
    let usual = walk(&folder, &["--size=100x120"]);
    let winter = walk(&folder, &["--size=100x120", "--style", "Winter"]);
    let named = walk(
        &folder,
        &["--size=100x120", "--style=Winter", "--style=Default"],
    );
    let default_first = walk(
        &folder,
        &["--size=100x120", "--style=Default", "--style=Winter"],
    );
    assert!(differing(&usual, &winter) > 200);
    assert_eq!(winter.pixels(), named.pixels());
    assert_ne!(winter.pixels(), default_first.pixels());
}

#[test]
fn without_physics_springy_parts_stay_where_the_skeleton_puts_them() {
    let folder = Folder::new();
    let base = ["render", "sample", "-a", "walk", "--size=120x120", "--out"];
    folder.run_fine(&[&base[..], &["springy"]].concat());
    folder.run_fine(&[&base[..], &["stiff", "--no-physics"]].concat());
    let [springy, stiff] = ["springy", "stiff"].map(|f| folder.png(&format!("{f}/00012.png")));
    assert!(differing(&springy, &stiff) > 100);
    // A single frame shows a character at rest.
    let alone = walk(&folder, &["--size=120x120"]);
    let settled = walk(&folder, &["--size=120x120", "--no-physics"]);
    assert!(differing(&alone, &settled) < 100);
}
