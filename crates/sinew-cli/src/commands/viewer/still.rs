//! One still picture of a file, for the gallery and for pages without scripts.

use crate::args::Size;
use crate::character_frames::{CharacterFrames, FrameSettings};
use crate::error::CliError;
use crate::input::{Character, Input, Motion};
use crate::motion_frames::Scene;
use sinew::skelform::{AnimationFrame, ArmatureAnimation, ArmatureAnimationIndex, Image, animate};
use sinew::{Animation, Skeleton};
use sinew_draw::{Background, StageStyle, TextureSet, draw_stage, encode_png};

/// The picture shows a moment after this part of the animation: it is more telling than the first frame, which is often
/// the rest pose.
const MOMENT: f32 = 0.35;

/// Draws a file on a transparent background, as a PNG; `None` if it has nothing to show.
pub(super) fn draw(input: &Input, size: (u32, u32)) -> Result<Option<Vec<u8>>, CliError> {
    match input {
        Input::Character(character) => draw_character(character, size).map(Some),
        Input::Motion(motion) => draw_motion(motion, size).map(Some),
    }
}

fn draw_motion(motion: &Motion, size: (u32, u32)) -> Result<Vec<u8>, CliError> {
    let rest = Animation::new("rest", 0.0);
    let animation = motion.animation(None)?.unwrap_or(&rest);
    draw_animation(&motion.file.skeleton, animation, size)
        .map_err(|error| CliError::unusable(&motion.path, error))
}

/// Draws a moment of an animation.
pub(super) fn draw_animation(
    skeleton: &Skeleton,
    animation: &Animation,
    (width, height): (u32, u32),
) -> Result<Vec<u8>, sinew_draw::PngError> {
    let scene = Scene::new(skeleton, animation);
    let time = animation.length * MOMENT;
    let stage = scene.moment(time);
    let setup = scene.camera_setup(None, None, Size::Exact(width, height), Some(&stage));
    let camera = scene.camera(&setup, time);
    let style = StageStyle {
        // The fading floor would take more bytes than the figure.
        floor: [0; 4],
        ..StageStyle::on(Background::Transparent)
    };
    let image = draw_stage(&stage, &camera, setup.width, setup.height, &style);
    encode_png(&coarse(image))
}

fn draw_character(character: &Character, (width, height): (u32, u32)) -> Result<Vec<u8>, CliError> {
    let armature = &character.skf.armature;
    let index = character.animation(None)?;
    let animation = index.and_then(|index| armature.animation(index));
    let last = animation.and_then(ArmatureAnimation::last_frame);
    let frame = (last.unwrap_or(0) as f32 * MOMENT).round();
    let settings = FrameSettings {
        pictures: 1,
        step: 0.0,
        loops: false,
        styles: &character.styles(&[])?,
        overlay: &[],
        physics: true,
    };
    let frames = CharacterFrames::record(character, &settings, |state, _| {
        let frame = index.map(|index: ArmatureAnimationIndex| AnimationFrame::new(index, frame));
        animate(armature, state, frame.as_slice())
    })?;
    let textures = TextureSet::new(&armature.data().styles, &character.skf.atlases);
    let view = frames.view(Size::Exact(width, height));
    let image = frames.picture(0, &textures, &view, Background::Transparent);
    encode_png(&coarse(image)).map_err(|error| CliError::unusable(&character.path, error))
}

/// Rounds colours to 32 levels per channel, which hardly shows and halves the size of a PNG.
fn coarse(mut image: Image) -> Image {
    for channel in image.pixels_mut() {
        *channel = (*channel & 0xf8) | (*channel >> 5);
    }
    image
}
