//! Plays an animation frame by frame: collects the draw lists of all pictures and fits the view to them.

use crate::args::{OverlayPart, Size};
use crate::error::CliError;
use crate::input::Character;
use sinew::glam::Vec2;
use sinew::skelform::{
    ArmatureError, ArmaturePose, ArmatureState, ConstructSettings, DrawList, Image, PhysicsStep,
    StyleIndex, construct, warm_up,
};
use sinew_draw::{
    Background, Overlay, OverlayParts, OverlaySettings, TextureSet, View, draw_overlay,
    overlay_for, render_on_one_thread,
};

/// Simulation steps that let physics settle before the first picture: two seconds.
const SETTLE_STEPS: u32 = 120;

/// Margin around the drawing in pixels; smaller in pictures below 192 pixels.
const MARGIN: f32 = 12.0;

/// The longer side of the picture for which the default overlay sizes are designed.
const OVERLAY_SIDE: f32 = 512.0;

/// The smallest legible text size in pixels.
const MIN_TEXT_SIZE: f32 = 9.0;

/// Settings of the frames to play.
pub(crate) struct FrameSettings<'a> {
    /// The number of pictures.
    pub(crate) pictures: usize,
    /// Seconds between two pictures; 0 for unrelated pictures.
    pub(crate) step: f32,
    /// Whether the pictures form a loop.
    pub(crate) loops: bool,
    pub(crate) styles: &'a [StyleIndex],
    pub(crate) overlay: &'a [OverlayPart],
    pub(crate) physics: bool,
}

/// The draw lists and overlays of all pictures, and their bounds.
pub(crate) struct CharacterFrames {
    pictures: Vec<(DrawList, Option<Overlay>)>,
    bounds: Option<(Vec2, Vec2)>,
}

impl CharacterFrames {
    /// Plays an animation: `set_state` sets the state for each picture.
    pub(crate) fn record(
        character: &Character,
        frame_settings: &FrameSettings<'_>,
        mut set_state: impl FnMut(&mut ArmatureState, usize) -> Result<(), ArmatureError>,
    ) -> Result<Self, CliError> {
        let armature = &character.skf.armature;
        let mut state = armature.new_state();
        let mut pose = ArmaturePose::new(armature);
        let mut settings = ConstructSettings::default();
        if !frame_settings.physics {
            settings.physics = PhysicsStep::Off;
        }
        // Physics settles on the first picture. In a sequence it advances by the time between pictures; a loop is
        // played once beforehand to hide its seam.
        if frame_settings.pictures > 0 {
            set_state(&mut state, 0)?;
        }
        warm_up(armature, &mut state, &settings, SETTLE_STEPS, &mut pose)?;
        if frame_settings.physics && frame_settings.step > 0.0 {
            settings.physics = PhysicsStep::Seconds(frame_settings.step);
            for picture in (0..frame_settings.pictures).filter(|_| frame_settings.loops) {
                set_state(&mut state, picture)?;
                warm_up(armature, &mut state, &settings, 1, &mut pose)?;
            }
        }
        let mut frames = Self {
            pictures: Vec::new(),
            bounds: None,
        };
        for picture in 0..frame_settings.pictures {
            set_state(&mut state, picture)?;
            if frame_settings.step == 0.0 {
                warm_up(armature, &mut state, &settings, SETTLE_STEPS, &mut pose)?;
            }
            construct(armature, &mut state, &settings, &mut pose)?;
            let mut list = DrawList::new();
            list.fill(armature, &state, &pose, frame_settings.styles);
            let overlay = overlay_parts(frame_settings.overlay)
                .map(|parts| overlay_for(armature, &state, &pose, &parts));
            frames.include(&list, overlay.as_ref());
            frames.pictures.push((list, overlay));
        }
        Ok(frames)
    }

    /// Grows the bounds to include a picture.
    fn include(&mut self, list: &DrawList, overlay: Option<&Overlay>) {
        let joints = overlay
            .into_iter()
            .flat_map(|o| o.joints.iter().map(|j| j.position));
        let joints = joints.map(|position| (position, position));
        for (low, high) in list.bounds().into_iter().chain(joints) {
            if low.is_finite() && high.is_finite() {
                let (l, h) = self.bounds.unwrap_or((low, high));
                self.bounds = Some((l.min(low), h.max(high)));
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pictures.len()
    }

    /// Returns the draw list of each picture.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &DrawList> {
        self.pictures.iter().map(|(list, _)| list)
    }

    /// Returns the view that fits all pictures into a picture of `size`.
    pub(crate) fn view(&self, size: Size) -> View {
        let (low, high) = self.bounds.unwrap_or((Vec2::splat(-1.0), Vec2::splat(1.0)));
        let margin = |side: u32| MARGIN.min(side as f32 / 16.0);
        match size {
            Size::Exact(width, height) => {
                View::fit(low, high, width, height, margin(width.min(height)))
            }
            Size::Longer(side) => {
                let margin = margin(side);
                let extent = (high - low).max(Vec2::splat(1.0));
                let room = (side as f32 - 2.0 * margin).max(1.0);
                let fitted = extent * (room / extent.max_element()) + 2.0 * margin;
                let pixels = |length: f32| (length.ceil() as u32).clamp(1, side);
                View::fit(low, high, pixels(fitted.x), pixels(fitted.y), margin)
            }
        }
    }

    /// Draws a picture.
    pub(crate) fn picture(
        &self,
        index: usize,
        textures: &TextureSet,
        view: &View,
        background: Background,
    ) -> Image {
        let (list, overlay) = &self.pictures[index];
        let mut image = render_on_one_thread(list, textures, view, background);
        if let Some(overlay) = overlay {
            draw_overlay(&mut image, view, overlay, &overlay_settings(view));
        }
        image
    }
}

/// Scales the overlay with the picture; text stays legible.
fn overlay_settings(view: &View) -> OverlaySettings {
    let usual = OverlaySettings::default();
    let scale = view.width.max(view.height) as f32 / OVERLAY_SIDE;
    let scale = scale.clamp(0.3, 4.0);
    OverlaySettings {
        bone_width: usual.bone_width * scale,
        joint_radius: usual.joint_radius * scale,
        target_radius: usual.target_radius * scale,
        text_size: (usual.text_size * scale).max(MIN_TEXT_SIZE),
    }
}

fn overlay_parts(parts: &[OverlayPart]) -> Option<OverlayParts> {
    let bones = parts.contains(&OverlayPart::Bones);
    (!parts.is_empty()).then(|| OverlayParts {
        bones,
        joints: bones,
        targets: parts.contains(&OverlayPart::Targets),
        names: parts.contains(&OverlayPart::Names),
        ..OverlayParts::default()
    })
}
