//! What a picture case says, and how it is drawn.

use serde::Deserialize;
use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, ArmaturePose, ArmatureState, ConstructSettings, DrawList, Image, StyleIndex,
    animate, construct, warm_up,
};
use sinew_draw::{
    Background, Overlay, OverlayParts, OverlaySettings, SheetSettings, TextureSet, View,
    contact_sheet, draw_overlay, overlay_for, render,
};
use sinew_formats::skf::{self, Skf};
use std::fs;
use std::path::Path;

/// Empty pixels about the character.
const MARGIN: f32 = 4.0;

/// Half the default, for pictures of half the customary size.
const OVERLAY: OverlaySettings = OverlaySettings {
    bone_width: 7.0,
    joint_radius: 2.0,
    target_radius: 5.0,
    text_size: 9.0,
};

/// A picture to draw: `NAME.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(default)]
    character: Character,
    animation: String,
    #[serde(default)]
    frame: f32,
    /// Styles to wear before those worn by default.
    #[serde(default)]
    styles: Vec<String>,
    /// Width and height of the picture, of each picture in a sheet.
    size: (u32, u32),
    background: Ground,
    #[serde(default)]
    overlay: Vec<Part>,
    /// Bones whose names the overlay shows; all 67 leave no room for the character.
    #[serde(default)]
    names: Vec<String>,
    /// Physics steps before the picture.
    #[serde(default)]
    warm_up: u32,
    /// Whether the character faces the other way.
    #[serde(default)]
    mirrored: bool,
    #[serde(default)]
    contact_sheet: Option<Sheet>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Character {
    /// `samples/pip.skf`, the built-in character.
    #[default]
    Pip,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ground {
    Transparent,
    Checker,
    White,
    Color([u8; 4]),
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Bones,
    Joints,
    Targets,
}

/// Several moments on one picture; the case's `frame` is not used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    frames: Vec<f32>,
    columns: usize,
    first_label: Option<u64>,
}

impl Case {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }

    pub(crate) fn draw(&self) -> Image {
        let skf = self.character();
        let textures = TextureSet::new(&skf.armature.data().styles, &skf.atlases);
        let frames = match &self.contact_sheet {
            Some(sheet) => sheet.frames.as_slice(),
            None => &[self.frame],
        };
        let played = self.play(&skf, frames);
        let view = self.view(&played);
        let mut pictures: Vec<Image> = played
            .iter()
            .map(|(list, overlay)| {
                let mut image = render(list, &textures, &view, self.background());
                draw_overlay(&mut image, &view, overlay, &OVERLAY);
                image
            })
            .collect();
        match &self.contact_sheet {
            Some(sheet) => contact_sheet(&pictures, &sheet_settings(sheet)).unwrap(),
            None => pictures.remove(0),
        }
    }

    fn character(&self) -> Skf {
        let Character::Pip = self.character;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/pip.skf");
        skf::read(&path).unwrap()
    }

    /// The draw list and the overlay of each frame.
    fn play(&self, skf: &Skf, frames: &[f32]) -> Vec<(DrawList, Overlay)> {
        let armature = &skf.armature;
        let animation = armature.find_animation(&self.animation).unwrap();
        let mut settings = ConstructSettings::default();
        if self.mirrored {
            settings.scale = Vec2::new(-1.0, 1.0);
        }
        let styles = self.styles(skf);
        let mut pose = ArmaturePose::new(armature);
        let mut played = Vec::new();
        for &frame in frames {
            let mut state: ArmatureState = armature.new_state();
            animate(
                armature,
                &mut state,
                &[AnimationFrame::new(animation, frame)],
            )
            .unwrap();
            warm_up(armature, &mut state, &settings, self.warm_up, &mut pose).unwrap();
            construct(armature, &mut state, &settings, &mut pose).unwrap();
            let mut list = DrawList::new();
            list.fill(armature, &state, &pose, &styles);
            let parts = OverlayParts {
                bones: self.overlay.contains(&Part::Bones),
                joints: self.overlay.contains(&Part::Joints),
                targets: self.overlay.contains(&Part::Targets),
                names: !self.names.is_empty(),
                hidden: false,
            };
            let mut overlay = overlay_for(armature, &state, &pose, &parts);
            overlay.labels.retain(|l| self.names.contains(&l.text));
            played.push((list, overlay));
        }
        played
    }

    fn styles(&self, skf: &Skf) -> Vec<StyleIndex> {
        let find = |name: &String| skf.armature.find_style(name).unwrap();
        let named = self.styles.iter().map(find);
        named
            .chain(skf.armature.default_styles().iter().copied())
            .collect()
    }

    /// Shows all that is drawn in any of the pictures.
    fn view(&self, played: &[(DrawList, Overlay)]) -> View {
        let bounds = played.iter().filter_map(|(list, _)| list.bounds());
        let (low, high) = bounds
            .reduce(|(low, high), (l, h)| (low.min(l), high.max(h)))
            .expect("something is shown");
        View::fit(low, high, self.size.0, self.size.1, MARGIN)
    }

    fn background(&self) -> Background {
        match self.background {
            Ground::Transparent => Background::Transparent,
            Ground::Checker => Background::CHECKER,
            Ground::White => Background::Solid([255; 4]),
            Ground::Color(color) => Background::Solid(color),
        }
    }
}

fn sheet_settings(sheet: &Sheet) -> SheetSettings {
    SheetSettings {
        columns: sheet.columns,
        gap: 2,
        first_label: sheet.first_label,
        label_size: 10.0,
        ..SheetSettings::default()
    }
}
