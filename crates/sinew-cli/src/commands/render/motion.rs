//! Drawing of 3D motions.

use crate::args::{CameraMode, RenderArgs};
use crate::error::CliError;
use crate::image_writer::{GIF_FPS, ImageKind, ImageSummary, ImageWriter};
use crate::input::{Motion, missing_name};
use crate::motion_frames::{CameraSetup, Scene};
use crate::names::quote;
use sinew::{Animation, JointIndex, Skeleton};
use sinew_author::edit::trim;
use sinew_draw::{Background, StageStyle, draw_stage};
use std::path::{Path, PathBuf};

const WHITE: Background = Background::Solid([255; 4]);

/// Draws the requested pictures.
pub(crate) fn draw(motion: &Motion, args: &RenderArgs) -> Result<ImageSummary, CliError> {
    let skeleton = &motion.file.skeleton;
    let chosen = motion.animation(args.animation.as_deref())?;
    check(motion, args)?;
    let still = Animation::new("rest", 0.0);
    let whole = chosen.unwrap_or(&still);
    if let Some(part) = args.trim {
        part.check(whole)
            .map_err(|problem| CliError::unusable(&motion.path, problem))?;
    }
    let part = args.trim.map(|part| trim(whole, part.from..part.to));
    let animation = part.as_ref().unwrap_or(whole);
    let form = ImageKind::of(args, animation.length > 0.0)?;
    // The picture of a file with a single motion is named after the file.
    let name = (motion.file.animations.len() > 1).then_some(animation.name.as_str());
    let path = match &args.out {
        Some(out) => out.clone(),
        None => form.default_path(&motion.path, name),
    };
    let own_rate = animation
        .frame_rate
        .filter(|rate| *rate > 0.0)
        .unwrap_or(GIF_FPS);
    let usual = if form == ImageKind::Gif {
        own_rate.min(GIF_FPS)
    } else {
        own_rate
    };
    let fps = args.fps.unwrap_or(usual);
    form.check(&path, fps)?;

    let mut scene = Scene::new(skeleton, animation);
    if args.view.footprints {
        scene = scene.with_footprints();
    }
    if let Some(names) = &args.view.trails {
        let joints = joints(&motion.path, skeleton, names, || scene.hands_and_feet())?;
        scene = scene.with_trails(joints);
    }
    let background = args.background.unwrap_or(WHITE);
    let style = StageStyle::on(background);
    let size = super::size(args.size, form);
    if let Some(moments) = args.strobe {
        let stage = scene.strobe(moments);
        let setup = scene.camera_setup(args.view.view, args.view.camera, size, Some(&stage));
        let camera = scene.camera(&setup, 0.0);
        let writer = ImageWriter {
            draw: &|_| draw_stage(&stage, &camera, setup.width, setup.height, &style),
            pictures: 1,
            width: setup.width,
            height: setup.height,
            background,
            path,
        };
        return writer.write(ImageKind::Picture, fps);
    }
    let (times, fps) = times(animation, form, args.frame, fps, &motion.path)?;
    // The pictures of a sheet are small: the camera follows the figure by default.
    let usual = matches!(form, ImageKind::Sheet(_)).then_some(CameraMode::Follow);
    let setup = scene.camera_setup(args.view.view, args.view.camera.or(usual), size, None);
    let render = MotionRender {
        form,
        fps,
        background,
        path,
    };
    render.write(&scene, &setup, &times)
}

/// A motion, prepared for drawing at any time.
pub(crate) struct MotionRender {
    pub(crate) form: ImageKind,
    pub(crate) fps: f64,
    pub(crate) background: Background,
    pub(crate) path: PathBuf,
}

impl MotionRender {
    pub(crate) fn write(
        self,
        scene: &Scene<'_>,
        setup: &CameraSetup,
        times: &[f32],
    ) -> Result<ImageSummary, CliError> {
        let style = StageStyle::on(self.background);
        let picture = |index: usize| {
            let time = times.get(index).copied().unwrap_or(0.0);
            let camera = scene.camera(setup, time);
            let stage = scene.moment(time);
            draw_stage(&stage, &camera, setup.width, setup.height, &style)
        };
        let writer = ImageWriter {
            draw: &picture,
            pictures: times.len(),
            width: setup.width,
            height: setup.height,
            background: self.background,
            path: self.path,
        };
        writer.write(self.form, self.fps)
    }
}

/// Rejects options for characters.
fn check(motion: &Motion, args: &RenderArgs) -> Result<(), CliError> {
    let for_characters = [
        ("--style", !args.character.style.is_empty()),
        ("--overlay", !args.character.overlay.is_empty()),
        ("--no-physics", args.character.no_physics),
    ];
    match for_characters.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(CliError::Unusable {
            path: motion.path.display().to_string(),
            problem: format!("{flag} applies to 2D characters; this is a 3D motion"),
        }),
        None => Ok(()),
    }
}

/// Returns the joints of these names; without names, the default ones.
pub(crate) fn joints(
    path: &Path,
    skeleton: &Skeleton,
    names: &[String],
    usual: impl Fn() -> Vec<JointIndex>,
) -> Result<Vec<JointIndex>, CliError> {
    if names.iter().all(|name| name.is_empty()) {
        return Ok(usual());
    }
    names
        .iter()
        .map(|name| find_joint(path, skeleton, name))
        .collect()
}

/// Returns the joint of a name: an exact match, otherwise one ignoring case.
pub(crate) fn find_joint(
    path: &Path,
    skeleton: &Skeleton,
    name: &str,
) -> Result<JointIndex, CliError> {
    let alike = || {
        let mut joints = skeleton.joints().iter();
        let index = joints.position(|joint| joint.name.eq_ignore_ascii_case(name))?;
        Some(JointIndex::from(index))
    };
    skeleton.find(name).or_else(alike).ok_or_else(|| {
        let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
        missing_name(path, "joint", name, names)
    })
}

/// Rejects a frame outside an animation; `last` is the number of its last frame.
pub(crate) fn check_frame(path: &Path, name: &str, frame: f32, last: f32) -> Result<(), CliError> {
    // Length times frame rate is not exactly an integer.
    let last = if (last - last.round()).abs() < 0.01 {
        last.round()
    } else {
        last
    };
    if (0.0..=last).contains(&frame) {
        return Ok(());
    }
    let problem = format!(
        "--frame {frame} is out of range: {} has frames 0 to {last}",
        quote(name)
    );
    Err(CliError::unusable(path, problem))
}

/// Returns the times of the pictures and their rate.
pub(crate) fn times(
    animation: &Animation,
    form: ImageKind,
    asked: Option<f32>,
    fps: f64,
    path: &Path,
) -> Result<(Vec<f32>, f64), CliError> {
    let rate = animation
        .frame_rate
        .filter(|rate| *rate > 0.0)
        .unwrap_or(GIF_FPS);
    if form == ImageKind::Picture || asked.is_some() {
        let frame = asked.unwrap_or(0.0);
        check_frame(path, &animation.name, frame, animation.length * rate as f32)?;
        let time = f64::from(frame) / rate;
        return Ok((vec![(time as f32).clamp(0.0, animation.length)], fps));
    }
    let seconds = f64::from(animation.length) + 1.0 / rate;
    let (count, fps) = form.pictures(seconds, fps, path)?;
    let time = |picture: usize| {
        let time = picture as f64 * seconds / count as f64;
        (time as f32).min(animation.length)
    };
    Ok(((0..count).map(time).collect(), fps))
}
