//! Motions on a 2D character.

use super::retarget_file::{OutputNames, RetargetResult, RetargetedMotion, Retargeting};
use super::roles::Roles;
use super::target::CharacterTarget;
use crate::args::{FacingSide, RetargetArgs};
use crate::commands::motion_output::MotionOutput;
use crate::commands::render::character::draw_animation;
use crate::error::CliError;
use crate::image_writer::ImageKind;
use crate::input::Character;
use crate::report::plain_text;
use sinew::skelform::{AnimationData, Armature, ArmatureAnimationIndex};
use sinew::{Animation, Skeleton};
use sinew_author::retarget::character::{
    CharacterReport, CharacterSettings, Facing, retarget_to_character,
};
use sinew_formats::Warnings;
use sinew_formats::skf::{self, Skf};
use std::path::Path;
use std::sync::Arc;

/// The largest movement of a planted foot, in pixels of a character that is 300 pixels high.
const MAX_DRIFT: f32 = 1.0;

/// Returns the settings of the command line.
pub(super) fn settings(args: &RetargetArgs) -> Result<CharacterSettings, CliError> {
    let frame_rate = match args.fps {
        Some(fps) if fps >= 1.0 && fps.fract() == 0.0 => Some(fps as u32),
        Some(fps) => {
            return Err(CliError::Unusable {
                path: "--fps".to_owned(),
                problem: format!(
                    "the animations of characters have whole frames per second; found {fps}"
                ),
            });
        }
        None => None,
    };
    Ok(CharacterSettings {
        view: args.view.0,
        follow_turn: args.follow_turn,
        facing: args.facing.map(facing),
        foreshorten: args.foreshorten,
        in_place: args.in_place,
        draw_order: args.draw_order,
        frame_rate,
        ..CharacterSettings::default()
    })
}

fn facing(side: FacingSide) -> Facing {
    match side {
        FacingSide::Left => Facing::Left,
        FacingSide::Right => Facing::Right,
    }
}

/// Retargets a motion.
pub(super) fn retarget(
    retargeting: &Retargeting<'_>,
    path: &Path,
    (skeleton, animation): (&Skeleton, &Animation),
    roles: &Roles,
    target: &CharacterTarget,
) -> Result<RetargetResult, CliError> {
    let result = retarget_to_character(
        skeleton,
        animation,
        &roles.map,
        &target.character.skf.armature,
        &target.roles.map,
        &retargeting.character_settings,
    );
    let result =
        result.map_err(|error| CliError::unusable(path, plain_text(&error.to_string())))?;
    Ok(RetargetResult::Character {
        animation: result.animation,
        report: result.report,
    })
}

/// Returns the limits of quality that a result exceeds.
pub(super) fn violations(report: &CharacterReport) -> Vec<String> {
    if report.drift.max <= MAX_DRIFT {
        return Vec::new();
    }
    vec![format!(
        "a planted foot moves {:.1} px at a height of 300 px; the limit is {MAX_DRIFT:.1} px",
        report.drift.max
    )]
}

/// Adds motions to a copy of the character's file.
pub(super) fn encode<'m>(
    target: &CharacterTarget,
    motions: impl IntoIterator<Item = &'m RetargetedMotion>,
    args: &RetargetArgs,
    path: &Path,
) -> Result<(Vec<u8>, Warnings), CliError> {
    let mut losses = Warnings::default();
    let mut bytes = target.bytes.clone();
    let existing = target.character.skf.armature.animations().iter();
    let mut names = OutputNames::new(args, existing.map(|animation| animation.name()));
    for motion in motions {
        let RetargetResult::Character { animation, .. } = &motion.result else {
            continue;
        };
        let mut animation = animation.clone();
        animation.name = names.add(&animation.name);
        let place = format!("animation {:?}", animation.name);
        if !motion.source.triggers.is_empty() {
            losses.add(&place, "triggers", "SKF has no triggers; not kept");
        }
        if !motion.source.variants.is_empty() {
            losses.add(&place, "variants", "SKF has no variant tracks; not kept");
        }
        bytes = skf::add_animation(&bytes, &animation, args.replace)
            .map_err(|error| CliError::unusable(path, plain_text(&error.to_string())))?;
    }
    Ok((bytes, losses))
}

/// Returns the character with an animation added, and its index.
pub(super) fn with_animation(
    target: &CharacterTarget,
    animation: &AnimationData,
) -> Result<(Character, ArmatureAnimationIndex), CliError> {
    let skf = &target.character.skf;
    let mut data = skf.armature.data().clone();
    let index = data.animations.len();
    data.animations.push(animation.clone());
    let character = Character {
        skf: Skf {
            armature: Arc::new(Armature::new(data)?),
            ..skf.clone()
        },
        path: target.character.path.clone(),
    };
    Ok((character, index.into()))
}

/// Draws a motion as a GIF or a contact sheet.
pub(super) fn draw(
    target: &CharacterTarget,
    animation: &AnimationData,
    out: &Path,
    form: MotionOutput,
) -> Result<(), CliError> {
    /// Poses on a contact sheet.
    const POSES: u32 = 12;
    let (character, index) = with_animation(target, animation)?;
    let form = match form {
        MotionOutput::Gif => ImageKind::Gif,
        _ => ImageKind::Sheet(POSES),
    };
    draw_animation(&character, index, out, form)?;
    Ok(())
}
