//! Characters look as in the editor: our pictures against the `thumbnail.png` that it saves into its archives.
//!
//! A thumbnail is the character at rest, with IK and settled physics, as the editor's camera shows it:
//! 128 × 128 pixels about `camera.pos` of `editor.json`, `camera.zoom` world units from the middle to each
//! edge, textures sampled at the nearest texel. Until 0.2 thumbnails have no transparency, and the
//! camera that they were taken with is not in the file: its zoom and the window's aspect ratio are searched
//! for, about the origin.

use serde_json::Value;
use sinew::glam::Vec2;
use sinew::skelform::{ArmaturePose, ConstructSettings, DrawList, Image, construct, warm_up};
use sinew_draw::{Background, TextureSet, View, render_on_one_thread};
use sinew_formats::skf::{self, Skf};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The overlap that every silhouette must reach: intersection over union of the covered pixels.
const MIN_OVERLAP: f64 = 0.9;

/// The colour behind characters in thumbnails without transparency.
const EDITOR_BACKGROUND: [u8; 3] = [50; 3];

/// How far a colour may be from the background's and still be background: outlines blend into it.
const BACKGROUND_TOLERANCE: u8 = 12;

/// Alpha from which a pixel belongs to the silhouette.
const COVERED: u8 = 128;

/// The longer side of our picture, from which thumbnail pixels are sampled.
const PICTURE_SIDE: u32 = 2048;

/// Every `.skf` of the corpus, sorted.
fn files() -> Vec<PathBuf> {
    let corpus = std::env::var_os("SINEW_CORPUS").expect("SINEW_CORPUS must name the corpus");
    let mut folders = vec![PathBuf::from(corpus).join("skf")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
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

/// Which part of the world a thumbnail shows.
#[derive(Clone, Copy, Debug)]
struct Framing {
    center: Vec2,
    /// From the middle to an edge.
    extent: Vec2,
}

/// The editor's picture of a character.
struct Thumbnail {
    width: usize,
    height: usize,
    covered: Vec<bool>,
    /// `None` where the file does not tell.
    framing: Option<Framing>,
}

impl Thumbnail {
    /// `None` for files that are no archives or have no thumbnail.
    fn read(file: &Path) -> Option<Self> {
        let mut archive = ZipArchive::new(File::open(file).unwrap()).ok()?;
        let mut entry = |name: &str| {
            let mut bytes = Vec::new();
            let mut entry = archive.by_name(name).ok()?;
            entry.read_to_end(&mut bytes).unwrap();
            Some(bytes)
        };
        let picture = entry("thumbnail.png")?;
        let editor: Value = serde_json::from_slice(&entry("editor.json")?).unwrap();

        let decoder = png::Decoder::new(Cursor::new(picture));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let channels = info.color_type.samples();
        let covered = pixels.chunks_exact(channels).map(|pixel| match pixel {
            [_, _, _, alpha] => *alpha >= COVERED,
            pixel => pixel
                .iter()
                .zip(EDITOR_BACKGROUND)
                .any(|(&value, background)| value.abs_diff(background) > BACKGROUND_TOLERANCE),
        });
        let number = |value: &Value| value.as_f64().unwrap() as f32;
        let camera = &editor["camera"];
        let framing = Framing {
            center: Vec2::new(number(&camera["pos"]["x"]), number(&camera["pos"]["y"])),
            extent: Vec2::splat(number(&camera["zoom"])),
        };
        Some(Self {
            width: info.width as usize,
            height: info.height as usize,
            covered: covered.collect(),
            framing: (channels == 4).then_some(framing),
        })
    }

    /// The points of the world in the middle of each pixel.
    fn points(&self, framing: Framing) -> impl Iterator<Item = Vec2> {
        let size = Vec2::new(self.width as f32, self.height as f32);
        let width = self.width;
        (0..self.covered.len()).map(move |index| {
            let pixel = Vec2::new((index % width) as f32, (index / width) as f32) + 0.5;
            let (x, y) = (pixel / size * 2.0 - 1.0).into();
            framing.center + framing.extent * Vec2::new(x, -y)
        })
    }

    /// Intersection over union of the two silhouettes.
    fn overlap(&self, picture: &Picture, framing: Framing) -> f64 {
        let points = self.points(framing).map(|point| picture.covers(point));
        let (mut both, mut either) = (0, 0);
        for (ours, &theirs) in points.zip(&self.covered) {
            both += usize::from(ours && theirs);
            either += usize::from(ours || theirs);
        }
        both as f64 / either.max(1) as f64
    }

    /// The framing about the origin under which the silhouettes overlap most: the best of a coarse grid of
    /// zooms and aspect ratios, then the best of ever smaller steps.
    fn search(&self, picture: &Picture) -> Framing {
        let framing = |extent: Vec2| Framing {
            center: Vec2::ZERO,
            extent,
        };
        let zooms = (0..16).map(|step| 500.0 * 1.15_f32.powi(step));
        let grid = zooms.flat_map(|zoom| {
            (0..8).map(move |step| Vec2::new(zoom * (1.0 + step as f32 * 0.125), zoom))
        });
        let overlap = |extent: Vec2| self.overlap(picture, framing(extent));
        let grid = grid.map(|extent| (overlap(extent), extent));
        let mut best = grid.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let mut step = 0.05;
        while step > 0.0005 {
            let steps = [
                Vec2::new(step, 0.0),
                Vec2::new(0.0, step),
                Vec2::splat(step),
            ];
            let tries = steps.into_iter().flat_map(|step| [step, -step]);
            let tries = tries.map(|step| best.1 * (step + 1.0));
            let tries = tries.map(|extent| (overlap(extent), extent));
            let better = tries.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            if better.0 > best.0 {
                best = better;
            } else {
                step *= 0.5;
            }
        }
        framing(best.1)
    }
}

/// Our picture of a character at rest.
struct Picture {
    image: Image,
    view: View,
}

impl Picture {
    fn draw(character: &Skf) -> Self {
        let armature = &character.armature;
        let mut state = armature.new_state();
        let mut pose = ArmaturePose::new(armature);
        let settings = ConstructSettings::default();
        warm_up(armature, &mut state, &settings, 120, &mut pose).unwrap();
        construct(armature, &mut state, &settings, &mut pose).unwrap();
        let mut list = DrawList::new();
        list.fill(armature, &state, &pose, armature.default_styles());
        let (low, high) = list.bounds().unwrap_or_default();
        let view = View::fit(low, high, PICTURE_SIDE, PICTURE_SIDE, 2.0);
        let textures = TextureSet::new(&armature.data().styles, &character.atlases);
        Self {
            image: render_on_one_thread(&list, &textures, &view, Background::Transparent),
            view,
        }
    }

    fn covers(&self, world: Vec2) -> bool {
        let pixel = self.view.to_pixels(world);
        let size = Vec2::new(self.image.width() as f32, self.image.height() as f32);
        let is_inside = pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(size).all();
        is_inside && self.image.pixel(pixel.x as u32, pixel.y as u32)[3] >= COVERED
    }
}

/// Silhouettes of characters of every version agree with the editor's thumbnails: names of textures, worn
/// styles, pivots, IK, meshes and physics all show in them.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn silhouettes_agree_with_the_editors_thumbnails() {
    let mut failed = Vec::new();
    let mut compared = 0;
    for file in files() {
        let Some(thumbnail) = Thumbnail::read(&file) else {
            continue;
        };
        let character = skf::read(&file).unwrap();
        let picture = Picture::draw(&character);
        let framing = match thumbnail.framing {
            Some(framing) => framing,
            None => thumbnail.search(&picture),
        };
        let overlap = thumbnail.overlap(&picture, framing);
        let name = file.file_name().unwrap().to_string_lossy();
        eprintln!("{name}: {overlap:.3}");
        if overlap < MIN_OVERLAP {
            failed.push(format!("{name}: {overlap:.3}"));
        }
        compared += 1;
    }
    eprintln!("thumbnails: {compared} files compared");
    assert!(compared > 0, "the corpus has no thumbnails");
    assert!(failed.is_empty(), "overlap below {MIN_OVERLAP}: {failed:?}");
}
