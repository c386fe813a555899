//! Writes the resulting motions of commands as motion files or pictures.

use crate::args::{OutFormat, Size};
use crate::commands::convert::convert_file::{
    add_contents, encode, encode_kept, motion_only_reason,
};
use crate::commands::convert::find::OutputFormat;
use crate::commands::render::motion::{MotionRender, times};
use crate::error::CliError;
use crate::image_writer::{GIF_FPS, ImageKind};
use crate::motion_frames::Scene;
use crate::output;
use sinew::anatomy::Plant;
use sinew::{Animation, Skeleton};
use sinew_draw::{Background, StageStyle, draw_stage};
use sinew_formats::Warnings;
use sinew_formats::gltf::{GltfSource, GltfWriteSettings};
use std::path::Path;

/// The longer side of pictures.
const SIDE: u32 = 640;

/// Poses in one picture.
const MOMENTS: u32 = 9;

/// The output format of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MotionOutput {
    Motion(OutFormat),
    Gif,
    Picture,
}

impl MotionOutput {
    /// Returns the output format from the extension of a file.
    pub(crate) fn of(path: &Path) -> Result<Self, CliError> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match (ending.to_str(), OutFormat::from_ending(path)) {
            (_, Some(format)) => Ok(Self::Motion(format)),
            (Some("gif"), _) => Ok(Self::Gif),
            (Some("png"), _) => Ok(Self::Picture),
            _ => Err(CliError::unusable(
                path,
                "expected a file name ending in .bvh, .glb, .gltf, .json, .sinew, .gif or .png",
            )),
        }
    }

    /// Writes a motion; pictures show footprints at plants. glTF output keeps the meshes and other contents of
    /// `source`, the glTF file of its skeleton. Returns what the written file loses of the motion and of `source`;
    /// pictures lose nothing.
    pub(crate) fn write(
        self,
        path: &Path,
        source: Option<&GltfSource>,
        skeleton: &Skeleton,
        animation: &Animation,
        plants: &[Plant],
    ) -> Result<Warnings, CliError> {
        let form = match self {
            Self::Motion(format) => {
                let groups = [(skeleton, std::slice::from_ref(animation))];
                let mut losses = sinew_formats::losses(format.format(), skeleton, animation);
                let kept = match source {
                    Some(source) if format.is_gltf() => {
                        encode_kept(source, &groups, path, format, &mut losses)?
                    }
                    Some(source) => {
                        add_contents(source, &motion_only_reason(format), &mut losses);
                        None
                    }
                    None => None,
                };
                let bytes = match kept {
                    Some(bytes) => bytes,
                    None => encode(&groups, path, format, &GltfWriteSettings::default())?,
                };
                output::write(path, &bytes)?;
                return Ok(losses);
            }
            Self::Gif => ImageKind::Gif,
            Self::Picture => ImageKind::Picture,
        };
        let scene = Scene::new(skeleton, animation).with_plants(plants);
        let background = Background::Solid([255; 4]);
        let size = Size::Longer(SIDE);
        if self == Self::Picture {
            let style = StageStyle::on(background);
            let stage = scene.strobe(MOMENTS);
            let setup = scene.camera_setup(None, None, size, Some(&stage));
            let camera = scene.camera(&setup, 0.0);
            let image = draw_stage(&stage, &camera, setup.width, setup.height, &style);
            crate::image_writer::write_png(path, &image)?;
            return Ok(Warnings::default());
        }
        let rate = animation.frame_rate.filter(|rate| *rate > 0.0);
        let fps = rate.unwrap_or(GIF_FPS).min(GIF_FPS);
        let (times, fps) = times(animation, form, None, fps, path)?;
        let setup = scene.camera_setup(None, None, size, None);
        let render = MotionRender {
            form,
            fps,
            background,
            path: path.to_owned(),
        };
        render.write(&scene, &setup, &times)?;
        Ok(Warnings::default())
    }
}
