//! A playback applied to a body: poses and their pictures.

use super::runner::{Frame, Playback};
use super::targets::{PlayTargets, TargetBody};
use crate::args::{CameraMode, PlayArgs, Size, ViewFrom};
use crate::character_frames::{self, CharacterFrames};
use crate::commands::render::character::check_pictures;
use crate::commands::render::motion::joints;
use crate::error::CliError;
use crate::input::Character;
use crate::motion_frames::{self, Scene};
use crate::names::quote;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::control::{ArmatureBinding, BindingWarning};
use sinew::glam::{Quat, Vec3};
use sinew::skelform::{BoneState, Image};
use sinew::{Animation, AnimationSet, Inertia, JointIndex, Pose, PoseBinding, Skeleton, Transform};
use sinew_draw::{Background, StageStyle, TextureSet, View, draw_stage};
use sinew_formats::{Severity, Warning};
use std::path::Path;
use std::sync::Arc;

/// The largest number of joints of all frames together: about a gigabyte.
const MAX_JOINTS: usize = 20_000_000;

/// The pose of a frame.
pub(crate) enum FramePose {
    Joints(Vec<Transform>),
    Bones(Vec<BoneState>),
}

/// A body that takes the poses of frames, with its binding warnings.
pub(crate) enum Poser<'a> {
    Character(&'a Character, Box<ArmatureBinding>),
    Skeleton(&'a Skeleton, Box<SkeletonPlayer>),
}

/// A skeleton that shows frames in sequence.
pub(crate) struct SkeletonPlayer {
    binding: PoseBinding,
    inertia: Inertia,
    pose: Pose,
    time: f64,
}

impl SkeletonPlayer {
    fn new(set: &Arc<AnimationSet>, skeleton: &Arc<Skeleton>) -> Self {
        let mut binding = PoseBinding::new(set, skeleton);
        // Joints that no animation moves return to rest, whatever was drawn before.
        binding.reset_skeleton = true;
        Self {
            binding,
            inertia: Inertia::new(skeleton),
            pose: Pose::rest(skeleton),
            time: 0.0,
        }
    }

    pub(crate) fn skeleton(&self) -> &Arc<Skeleton> {
        self.binding.skeleton()
    }

    /// Returns the pose of a frame; going back to an earlier frame restarts.
    fn pose_at(&mut self, frame: &Frame) -> &Pose {
        let dt = frame.time - self.time;
        if dt < 0.0 {
            self.inertia.reset();
        }
        self.time = frame.time;
        let (inertia, pose) = (&mut self.inertia, &mut self.pose);
        // Everything uses this skeleton.
        let _ = self
            .binding
            .apply_smooth(&frame.controller, inertia, dt as f32, pose);
        pose
    }
}

impl<'a> Poser<'a> {
    pub(crate) fn new(targets: &'a PlayTargets) -> Self {
        match &targets.body {
            TargetBody::Character(character) => {
                let binding = ArmatureBinding::new(targets.set(), &character.skf.armature);
                Self::Character(character, Box::new(binding))
            }
            TargetBody::Skeleton(skeleton) => Self::Skeleton(
                skeleton,
                Box::new(SkeletonPlayer::new(targets.set(), skeleton)),
            ),
        }
    }

    /// Returns the pose of a frame: local transforms of bones or joints, before IK and physics.
    pub(crate) fn pose(&mut self, frame: &Frame) -> Result<FramePose, CliError> {
        match self {
            Self::Character(character, binding) => {
                let mut state = character.skf.armature.new_state();
                binding.apply(&frame.controller, &mut state)?;
                Ok(FramePose::Bones(state.bones().to_vec()))
            }
            Self::Skeleton(skeleton, player) => {
                let pose = player.pose_at(frame);
                let joints = (0..skeleton.len()).map(|joint| pose.get(joint.into()));
                Ok(FramePose::Joints(joints.collect()))
            }
        }
    }

    /// Returns warnings for tracks without a target.
    pub(crate) fn warnings(&self, set: &AnimationSet) -> Vec<Warning> {
        let list = match self {
            Self::Character(_, binding) => binding.warnings(),
            Self::Skeleton(_, player) => player.binding.warnings(),
        };
        let to_warning = |warning: &BindingWarning| Warning {
            severity: Severity::Warning,
            place: format!(
                "animation {}",
                quote(set.name(warning.animation).unwrap_or_default())
            ),
            field: quote(&warning.name),
            problem: warning.problem.to_string(),
        };
        list.iter().map(to_warning).collect()
    }
}

/// Rejects a playback whose poses do not fit in memory.
pub(crate) fn check_size(
    targets: &PlayTargets,
    frames: usize,
    path: &Path,
) -> Result<(), CliError> {
    let joints = targets.bones().count();
    if frames.saturating_mul(joints) <= MAX_JOINTS {
        return Ok(());
    }
    Err(CliError::Unusable {
        path: path.display().to_string(),
        problem: format!(
            "{frames} frames of {joints} joints exceed the memory limit; use a lower --fps or a shorter \
             \"duration\""
        ),
    })
}

/// A source of a picture for each frame.
pub(crate) trait FrameRenderer: Sync {
    fn size(&self) -> (u32, u32);
    /// Sets a minimum width of the pictures.
    fn widen(&mut self, width: u32);
    fn picture(&self, frame: usize) -> Image;
}

/// A character, prepared for drawing.
pub(crate) struct CharacterRenderer {
    frames: CharacterFrames,
    textures: TextureSet,
    view: View,
    background: Background,
}

impl CharacterRenderer {
    pub(crate) fn new(
        character: &Character,
        binding: &mut ArmatureBinding,
        playback: &Playback,
        args: &PlayArgs,
        (size, fps): (Size, f64),
    ) -> Result<Self, CliError> {
        let styles = character.styles(&args.character.style)?;
        check_pictures(character, &args.character.overlay)?;
        let frame_settings = character_frames::FrameSettings {
            pictures: playback.frames.len(),
            step: (1.0 / fps) as f32,
            loops: false,
            styles: &styles,
            overlay: &args.character.overlay,
            physics: !args.character.no_physics,
        };
        let frames =
            CharacterFrames::record(character, &frame_settings, |state, picture| match playback
                .frames
                .get(picture)
            {
                Some(frame) => binding.apply(&frame.controller, state).map(|_| ()),
                None => Ok(()),
            })?;
        let styles = &character.skf.armature.data().styles;
        Ok(Self {
            textures: TextureSet::new(styles, &character.skf.atlases),
            view: frames.view(size),
            frames,
            background: background(args),
        })
    }
}

impl FrameRenderer for CharacterRenderer {
    fn size(&self) -> (u32, u32) {
        (self.view.width, self.view.height)
    }

    fn widen(&mut self, width: u32) {
        if self.view.width < width {
            self.view = self.frames.view(Size::Exact(width, self.view.height));
        }
    }

    fn picture(&self, frame: usize) -> Image {
        self.frames
            .picture(frame, &self.textures, &self.view, self.background)
    }
}

/// A skeleton, prepared for drawing.
pub(crate) struct SkeletonRenderer<'a> {
    scene: Scene<'a>,
    setup: motion_frames::CameraSetup,
    view: Option<ViewFrom>,
    camera: Option<CameraMode>,
    times: Vec<f32>,
    style: StageStyle,
}

impl<'a> SkeletonRenderer<'a> {
    /// Creates it; `motion` is the playback from [`bake`].
    pub(crate) fn new(
        skeleton: &'a Skeleton,
        motion: &'a Animation,
        playback: &Playback,
        args: &PlayArgs,
        size: Size,
    ) -> Result<Self, CliError> {
        let mut scene = Scene::new(skeleton, motion);
        if args.view.footprints {
            scene = scene.with_footprints();
        }
        if let Some(names) = &args.view.trails {
            let joints = joints(&args.script, skeleton, names, || scene.hands_and_feet())?;
            scene = scene.with_trails(joints);
        }
        let times = playback.frames.iter().map(|frame| frame.time as f32);
        Ok(Self {
            setup: scene.camera_setup(args.view.view, args.view.camera, size, None),
            scene,
            view: args.view.view,
            camera: args.view.camera,
            times: times.collect(),
            style: StageStyle::on(background(args)),
        })
    }
}

impl FrameRenderer for SkeletonRenderer<'_> {
    fn size(&self) -> (u32, u32) {
        (self.setup.width, self.setup.height)
    }

    fn widen(&mut self, width: u32) {
        if self.setup.width < width {
            let size = Size::Exact(width, self.setup.height);
            self.setup = self.scene.camera_setup(self.view, self.camera, size, None);
        }
    }

    fn picture(&self, frame: usize) -> Image {
        let time = self.times.get(frame).copied().unwrap_or(0.0);
        let camera = self.scene.camera(&self.setup, time);
        let stage = self.scene.moment(time);
        draw_stage(
            &stage,
            &camera,
            self.setup.width,
            self.setup.height,
            &self.style,
        )
    }
}

pub(crate) fn background(args: &PlayArgs) -> Background {
    args.background.unwrap_or(Background::Solid([255; 4]))
}

/// Converts a playback to a motion with a key for every frame.
pub(crate) fn bake(
    skeleton: &Arc<Skeleton>,
    player: &mut SkeletonPlayer,
    playback: &Playback,
) -> Result<Animation, CliError> {
    let count = playback.frames.len();
    let mut keys: Vec<(Vec<Vec3>, Vec<Quat>, Vec<Vec3>)> = Vec::new();
    keys.resize_with(skeleton.len(), Default::default);
    for frame in &playback.frames {
        let pose = player.pose_at(frame);
        for (joint, (positions, rotations, scales)) in keys.iter_mut().enumerate() {
            let transform = pose.get(JointIndex::from(joint));
            positions.push(transform.position);
            rotations.push(transform.rotation.normalize());
            scales.push(transform.scale);
        }
    }
    let times: Vec<f32> = playback
        .frames
        .iter()
        .map(|frame| frame.time as f32)
        .collect();
    let failed = |error: sinew::animation::AnimationError| CliError::Unusable {
        path: "the pose".to_owned(),
        problem: error.to_string(),
    };
    let times = KeyTimes::listed(times).map_err(failed)?;
    let length = playback
        .frames
        .last()
        .map_or(0.0, |frame| frame.time as f32);
    let mut motion = Animation::new("playback", length);
    motion.frame_rate = (count > 1 && length > 0.0).then(|| (count - 1) as f64 / f64::from(length));
    let line = Interpolation::Linear;
    for (joint, (positions, rotations, scales)) in skeleton.joints().iter().zip(keys) {
        motion.tracks.push(TransformTrack {
            position: Some(Channel::new(times.clone(), positions, line).map_err(failed)?),
            rotation: Some(Channel::new(times.clone(), rotations, line).map_err(failed)?),
            scale: Some(Channel::new(times.clone(), scales, line).map_err(failed)?),
            ..TransformTrack::new(&joint.name)
        });
    }
    Ok(motion)
}
